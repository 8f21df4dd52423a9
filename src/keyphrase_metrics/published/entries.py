"""Entries of the registry in TOML: a data set, a system, a source with its methods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from keyphrase_metrics.compare.q10 import Record
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.published.model import (
    KINDS,
    Doubt,
    MeasuredEffect,
    PublishedDataset,
    PublishedScore,
    PublishedSystem,
    RecomputedScore,
    ReferenceSet,
    ScoringMethod,
    Source,
)
from keyphrase_metrics.validation import short

MEAN = re.compile(r"\(.*\)|.*\b(average|avg|mean|overall)\b.*", re.IGNORECASE)
_TEXTS, _TABLE = "texts", "table"
_KEY = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_DATASET = {"name": str, "citation": str, "language": str, "aliases": _TEXTS, "test_documents": int, "variants": str}
_DATASET |= {"texts": _TABLE, "references": _TABLE}
_SOURCE = {"title": str, "citation": str, "url": str, "code": str, "licence": str, "seen": _TEXTS, "doubts": list}
_SOURCE |= {"methods": _TABLE, "default": str}
_METHOD = {"inherits": str, "title": str, "where": str, "spec": str, "not_followed": _TEXTS, "not_computable": str}
_METHOD |= {"answers": _TABLE, "remarks": _TABLE, "datasets": _TABLE}


@dataclass
class Contents:
    """What folders of the registry hold, as far as they are read."""

    datasets: dict[str, PublishedDataset] = field(default_factory=dict)
    systems: dict[str, PublishedSystem] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    scores: dict[str, list[PublishedScore]] = field(default_factory=dict)
    effects: list[MeasuredEffect] = field(default_factory=list)
    recomputed: dict[str, RecomputedScore] = field(default_factory=dict)
    dataset_names: dict[str, str] = field(default_factory=dict)
    system_names: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Contents:
        """Return contents to which more can be added; what is read is shared."""
        return Contents(**{each.name: copy(getattr(self, each.name)) for each in fields(self)})

    @property
    def methods(self) -> dict[str, ScoringMethod]:
        """Every method by its id."""
        return {method.id: method for source in self.sources.values() for method in source.methods.values()}


def _checked(table: object, kinds: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """Return a table of TOML whose keys and types are known."""
    if not isinstance(table, dict):
        raise InputError(f"is {short(table)}, not a table", code="wrong-type")
    for key, value in table.items():
        if key not in kinds:
            raise InputError(f"has no {key!r}; it has {', '.join(kinds)}", code="unknown-field", value=key)
        kind = kinds[key]
        texts = kind is _TEXTS
        python = list if texts else dict if kind is _TABLE else kind
        if not isinstance(value, python) or (texts and not all(isinstance(text, str) for text in value)):
            wanted = "a list of strings" if texts else f"a {python.__name__}"
            raise InputError(f"{key} is {short(value)}, not {wanted}", code="wrong-type", value=value)
    missing = [key for key in required if not table.get(key)]
    if missing:
        raise InputError(f"lacks {', '.join(missing)}", code="missing-field")
    return table


def add_dataset(contents: Contents, key: str, given: object) -> None:
    """Add a data set. Raises InputError saying what is wrong with it."""
    table = _checked(given, _DATASET, "name", "citation", "language")
    if not _KEY.fullmatch(key) or MEAN.fullmatch(table["name"]):
        raise InputError(f"{key!r} does not name one data set", code="not-a-dataset", value=key)
    references = {
        name: _checked(each, {"assigned_by": str, "fingerprints": _TABLE})
        for name, each in table.get("references", {}).items()
    }
    texts = _checked(table.get("texts", {}), dict.fromkeys(table.get("texts", {}), str))
    of_dataset = {"Q-8": {"variants": table.get("variants")}, "Q-7": {"documents": table.get("test_documents")}}
    for assigned in ({}, *references.values()):
        for length in (None, *texts.values()):
            follows = {"Q-10": {"assigned_by": assigned.get("assigned_by")}, "Q-9": {"length": length}}
            Record({**of_dataset, **follows})  # raises for answers that nobody can give
    dataset = PublishedDataset(
        key,
        table["name"],
        table["citation"],
        table["language"],
        tuple(table.get("aliases", ())),
        table.get("test_documents"),
        table.get("variants"),
        texts,
        {
            name: ReferenceSet(each.get("assigned_by"), each.get("fingerprints", {}))
            for name, each in references.items()
        },
    )
    _name(contents.dataset_names, key, "data set", key, dataset.name, *dataset.aliases)
    contents.datasets[key] = dataset


def add_system(contents: Contents, name: str, given: object) -> None:
    """Add a system. Raises InputError saying what is wrong with it."""
    table = _checked(given, {"kind": str, "citation": str, "aliases": _TEXTS}, "kind")
    if table["kind"] not in KINDS:
        raise InputError(f"kind is {table['kind']!r}; use {', '.join(KINDS)}", code="not-allowed", value=table["kind"])
    system = PublishedSystem(name, table["kind"], table.get("citation"), tuple(table.get("aliases", ())))
    _name(contents.system_names, name, "system", name, *system.aliases)
    contents.systems[name] = system


def folded(name: str) -> str:
    """Return a name as names are compared: without regard to case, white space, hyphens and underscores.

    Other signs belong to a name: SIFRank+ is another system than SIFRank.
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def _name(names: dict[str, str], key: str, what: str, *called: str) -> None:
    new = {folded(name): key for name in called}
    taken = [name for name in called if names.get(folded(name), key) != key or (key in names.values())]
    if taken:
        raise InputError(f"the {what} {taken[0]!r} is in the registry already", code="exists", value=taken[0])
    names |= new


def add_source(contents: Contents, key: str, given: object) -> None:
    """Add a source with its methods. Raises InputError saying what is wrong with it."""
    table = _checked(given, _SOURCE, "title", "citation", "methods")
    if key in contents.sources:
        raise InputError(f"the source {key!r} is in the registry already", code="exists", value=key)
    if not _KEY.fullmatch(key) or f"{{{key}," not in table["citation"]:
        raise InputError(f"its citation has not the file's name {key!r} as its key", code="key-differs", value=key)
    doubts = [
        _checked(each, {"text": str, "datasets": _TEXTS, "methods": _TEXTS}, "text") for each in table.get("doubts", ())
    ]
    default = table.get("default")
    if default is not None and default not in table["methods"]:
        raise InputError(f"its default is {default!r}, which is not a method", code="unknown-method", value=default)
    contents.sources[key] = Source(
        key,
        table["title"],
        table["citation"].strip(),
        {name: _method(key, name, table["methods"], contents) for name in table["methods"]},
        table.get("url"),
        table.get("code"),
        table.get("licence"),
        tuple(table.get("seen", ())),
        tuple(Doubt(each["text"], tuple(each.get("datasets", ())), tuple(each.get("methods", ()))) for each in doubts),
        default,
    )


def _method(source: str, name: str, methods: Mapping[str, Any], contents: Contents) -> ScoringMethod:
    """Return a method with what it inherits."""
    chain: list[tuple[str, dict[str, Any]]] = []
    following: str | None = name
    while following:
        if following in (one for one, _ in chain) or following not in methods:
            raise InputError(f"method {name} inherits {following!r}, which is not there or itself", code="not-found")
        chain.append((following, _checked(methods[following], _METHOD)))
        following = chain[-1][1].get("inherits")
    answers: dict[str, dict[str, Any]] = {}
    overrides: dict[str, dict[str, dict[str, Any]]] = {}
    remarks: dict[str, str] = {}
    texts: dict[str, Any] = {}
    computed: dict[str, Any] = {}
    not_followed: list[str] = []
    for _, table in reversed(chain):
        _update(answers, table.get("answers", {}))
        remarks |= table.get("remarks", {})
        for dataset, given in table.get("datasets", {}).items():
            if dataset not in contents.datasets:
                raise InputError(f"method {name} names no data set {dataset!r}", code="unknown-dataset", value=dataset)
            _update(overrides.setdefault(dataset, {}), given)
        texts |= {key: table[key] for key in ("title", "where") if key in table}
        # other answers are another computation, unless it is named; what cannot be computed stays so
        own = {key: table[key] for key in ("spec", "not_computable") if key in table}
        if own or ("answers" in table and "not_computable" not in computed):
            computed = own
        not_followed = table.get("not_followed", not_followed)
    for where, given in (("", answers), *((f" on {key}", each) for key, each in overrides.items())):
        try:
            Record(given)
        except InputError as error:
            raise error.within(f"method {name}{where}: ") from None
    if not texts.get("title"):
        raise InputError(f"method {name} lacks title", code="missing-field")
    return ScoringMethod(
        source,
        name,
        texts["title"],
        answers,
        overrides,
        remarks,
        texts.get("where"),
        computed.get("spec"),
        tuple(not_followed),
        computed.get("not_computable"),
    )


def _update(answers: dict[str, dict[str, Any]], given: object) -> None:
    if not isinstance(given, dict) or not all(isinstance(each, dict) for each in given.values()):
        raise InputError(f"answers are {short(given)}, not tables of questions", code="wrong-type")
    for question, parts in given.items():
        answers.setdefault(question, {}).update(parts)


def as_known(name: str, known: Iterable[str]) -> str:
    """Return a name as known ones have it, whatever its case; else as given.

    >>> as_known("F1@10", ["map", "f1@10"]), as_known("fog", ["map"])
    ('f1@10', 'fog')
    """
    return {each.casefold(): each for each in known}.get(name.casefold(), name)
