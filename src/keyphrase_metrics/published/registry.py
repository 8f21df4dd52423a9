"""The registry: the package's own folder, and those of others beside it."""

from __future__ import annotations

import difflib
import importlib.resources
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path

from keyphrase_metrics.core.signature import Fingerprint
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.published import model
from keyphrase_metrics.published.entries import Contents, as_known, folded
from keyphrase_metrics.published.reading import read_folder
from keyphrase_metrics.validation import short

FAR = 1.0  # in percent: where a recomputed value lies so far from the published one, that is said


@dataclass(frozen=True, eq=False)
class Registry:
    """Published results, and what tells which may stand side by side.

    Attributes:
        datasets, systems, sources, methods: by key; a method's is ``SOURCE:METHOD``.
        scores: every published figure.
        effects: by how much differences moved scores, where a source measured it.
        recomputed: id of a score -> our own value.
        names: "dataset" and "system" -> folded name -> key.
    """

    datasets: Mapping[str, model.PublishedDataset]
    systems: Mapping[str, model.PublishedSystem]
    sources: Mapping[str, model.Source]
    methods: Mapping[str, model.ScoringMethod]
    scores: tuple[model.PublishedScore, ...]
    effects: tuple[model.MeasuredEffect, ...]
    recomputed: Mapping[str, model.RecomputedScore]
    names: Mapping[str, Mapping[str, str]]

    def dataset(self, name: str) -> model.PublishedDataset:
        """Return a data set by its key, its name or an alias.

        Raises:
            InputError: where there is none, with those that are spelled alike.

        >>> load().dataset("taln-ls2n/inspec").key
        'inspec'
        """
        return self.datasets[self._named("dataset", "data set", name)]

    def system(self, name: str) -> model.PublishedSystem:
        """Return a system by its name or an alias; signs count: SIFRank+ is not SIFRank. Raises InputError."""
        return self.systems[self._named("system", "system", name)]

    def method(self, name: str) -> model.ScoringMethod:
        """Return a method by ``SOURCE:METHOD``, or by its source where that has one or a default. Raises InputError."""
        if (known_as := as_known(name, self.methods)) in self.methods:
            return self.methods[known_as]
        source, _, key = name.partition(":")
        if source not in self.sources:
            raise _unknown("method", "source", source, self.sources)
        known, default = self.sources[source].methods, self.sources[source].default
        if not key and (default is not None or len(known) == 1):
            return known[default] if default is not None else next(iter(known.values()))
        what = f"no method {key!r}" if key else "several methods"
        names = ", ".join(f"{source}:{each}" for each in known)
        raise InputError(
            f"{source} has {what}; use {names}", code="unknown-method", argument="method", value=name, subject=False
        )

    def score(self, identifier: str) -> model.PublishedScore | None:
        """Return the score with an ``id``, such as ``popova2025q10#12``."""
        return next((score for score in self.scores if score.id == identifier), None)

    def doubts(self, score: model.PublishedScore) -> list[str]:
        """Return what one should know before citing a score: its own doubt, its source's, and what recomputing gave."""
        own = [] if score.doubt is None else [score.doubt]
        method = self.methods[score.method]
        own += [f"{method.id}: {rule}" for rule in method.not_followed]
        if method.not_computable is not None and "Q-2" in method.answers:
            own.append(f"{method.id}: {method.not_computable}")
        again = self.recomputed.get(score.id)
        if again is not None and abs(again.value - score.value) >= FAR:
            own.append(f"from released predictions we get a value that is {FAR:g} or more apart: {again.cause}")
        return [*own, *(doubt.text for doubt in self.sources[score.source].doubts if _applies(doubt, score))]

    def recognized(self, data: Fingerprint) -> tuple[str, str] | None:
        """Return data set and reference set of scored documents, by the fingerprint of their references."""
        if "references" not in data.sums:
            return None
        wanted = str(Fingerprint(data.documents, {"references": data.sums["references"]}))
        for dataset in self.datasets.values():
            for name, references in dataset.references.items():
                if wanted in references.fingerprints.values():
                    return dataset.key, name
        return None

    def _named(self, kind: str, what: str, name: str) -> str:
        key = self.names[kind].get(folded(name))
        if key is None:
            known = self.datasets if kind == "dataset" else self.systems
            raise _unknown(kind, what, name, known)
        return key


def load(folders: Iterable[str | PathLike[str]] = ()) -> Registry:
    """Return the registry.

    Args:
        folders: others that are laid out as the package's own (docs/published.md); they add sources, data sets and
            systems, and cannot change what is there.

    Raises:
        InputError: naming file, line and reason of everything that is wrong in them.

    >>> registry = load()
    >>> len(registry.scores) > 14_000, registry.sources["popova2025q10"].methods["F"].spec
    (True, 'keyphrase_f1(preset=F)')
    """
    paths = [Path(folder) for folder in folders]
    return _of_folders(paths) if paths else _own()


@lru_cache(maxsize=1)
def _own() -> Registry:
    return _of_folders([])


@lru_cache(maxsize=1)
def _own_contents() -> Contents:
    contents = Contents()
    read_folder(importlib.resources.files(__package__) / "data", contents)
    return contents


def _of_folders(folders: Iterable[Path]) -> Registry:
    """Return our registry with what is in folders, which are read anew each time: their owner may have changed them."""
    contents = _own_contents().copy()
    for folder in folders:
        read_folder(folder, contents)
    names = {"dataset": contents.dataset_names, "system": contents.system_names}
    scores = tuple(score for source in contents.scores.values() for score in source)
    return Registry(
        contents.datasets,
        contents.systems,
        contents.sources,
        contents.methods,
        scores,
        tuple(contents.effects),
        contents.recomputed,
        names,
    )


def _applies(doubt: model.Doubt, score: model.PublishedScore) -> bool:
    local = score.method.removeprefix(f"{score.source}:")
    return (not doubt.datasets or score.dataset in doubt.datasets) and (not doubt.methods or local in doubt.methods)


def _unknown(argument: str, what: str, name: str, known: Iterable[str]) -> InputError:
    names = {each.casefold(): each for each in known}
    like = [names[each] for each in difflib.get_close_matches(name.casefold(), names, 3)] or sorted(names.values())
    return InputError(
        f"there is no {what} {short(name)}; is it {', '.join(like)}?",
        code=f"unknown-{argument}",
        argument=argument,
        value=name,
        subject=False,
    )
