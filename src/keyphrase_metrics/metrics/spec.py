"""A metric: a measure with its parameters, as a value that prints and parses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from keyphrase_metrics.core.parameters import (
    Parameter,
    parameters_of,
    read_named,
    write,
)
from keyphrase_metrics.core.statistics import Statistics, Sums
from keyphrase_metrics.errors import Arg, InputError, Message
from keyphrase_metrics.metrics.base import Measure, parameter_names
from keyphrase_metrics.metrics.registry import measure_class, suggest


@dataclass(frozen=True)
class Metric:
    """A measure with the parameters that were named; the rest are the preset's and the defaults.

    Of those named, ``hidden_parameters`` ones are not printed: parameters shared by all metrics of a call.

    >>> str(Metric.parse("keyphrase_f1(preset=kpeval, cutoffs=[5,M])"))
    'keyphrase_f1(preset=kpeval,cutoffs=[5,M])'
    """

    measure: Measure
    named: tuple[tuple[str, Any], ...] = ()
    hidden_parameters: frozenset[str] = frozenset()

    @classmethod
    def of(cls, name: str, **named: Any) -> Metric:
        """Configure a measure: what is named here over what the preset sets over the defaults.

        Raises:
            InputError: for an unknown measure, preset or parameter, or a value that is not allowed; all wrong
                parameters are listed at once.
        """
        kind = measure_class(name)
        declared: dict[str, Parameter] = parameters_of(kind)
        preset = named.get("preset")
        known = parameter_names(kind)
        problems: list[InputError | Message] = [
            Message(
                "unknown-parameter",
                (f"{name} has no parameter {key!r}{suggest(key, known)}; it has {', '.join(known)}",),
                argument=key,
                value=named[key],
                subject=False,
            )
            for key in named
            if key not in known
        ]
        problems += kind.conflicts(named)
        if preset is not None and not (isinstance(preset, str) and preset in kind.presets):
            allowed = f"choose {', '.join(map(repr, kind.presets))}" if kind.presets else "it has no presets"
            problem = f"={preset!r} is not allowed for {name}{suggest(preset, kind.presets)}; {allowed}"
            problems.append(
                Message("not-allowed", (Arg("preset"), problem), argument="preset", value=preset, subject=False)
            )
        for key in (key for key in declared if key in named):
            try:
                declared[key].check(named[key])
            except InputError as error:
                problems.append(error.at(name))
        if problems:
            raise InputError.of(problems)
        own = {key: value for key, value in named.items() if key != "preset"}
        measure = kind(**{**kind.presets.get(preset or "", {}), **own})
        shown = {key: tuple(value) if isinstance(value, list) else value for key, value in named.items()}
        return cls(measure, tuple((key, value) for key, value in shown.items() if (key, value) != ("preset", None)))

    @classmethod
    def parse(cls, text: str) -> Metric:
        """Read ``name`` or ``name(key=value,…)``. Raises InputError where that cannot be read, or as :meth:`of`."""
        name, named = cls.read(text)
        return cls.of(name, **named)

    @staticmethod
    def read(text: str) -> tuple[str, dict[str, Any]]:
        """Take ``name(key=value,…)`` apart into the name and what it names."""
        name, bracket, rest = text.strip().partition("(")
        if bracket and not rest.endswith(")"):
            raise _unreadable(text, "has no closing bracket")
        try:
            return name.strip(), read_named(rest[:-1])
        except ValueError as error:
            raise _unreadable(text, f"cannot be read at {error.args[0]!r}") from None

    def displayed_like(self, other: Metric | Mapping[str, Any]) -> Metric:
        """Return the metric, printed with only those parameters that another shows, or that are named here."""
        shown = other if isinstance(other, Mapping) else dict(other.named).keys() - other.hidden_parameters
        return replace(self, hidden_parameters=frozenset(dict(self.named).keys() - shown))

    def split(self) -> tuple[str, dict[str, Any]]:
        """Return the name and what was named."""
        return self.measure.name, dict(self.named)

    def __str__(self) -> str:
        named = ",".join(f"{key}={write(value)}" for key, value in self.named if key not in self.hidden_parameters)
        return f"{self.measure.name}({named})" if named else self.measure.name

    def scores(self, sums: Sums) -> dict[str, float | int | None]:
        """Return the scores that sums lead to, as plain numbers; ``None`` where no document counts."""
        return {key: plain(value) for key, value in self.measure.finalize(sums.values()).items()}

    def per_document(self, statistics: Statistics) -> dict[str, list[Any]]:
        """Return key -> one number per document, ``None`` where the document was left out; then the notes."""
        scores = self.measure.finalize(statistics.columns)
        numbers = {
            key: [None if value != value else value for value in column.tolist()] for key, column in scores.items()
        }
        return {**numbers, **{key: note.tolist() for key, note in statistics.notes.items()}}


def _unreadable(text: str, why: str) -> InputError:
    problem = f"metric {text!r} {why}; write it name(key=value,…)"
    return InputError(problem, code="not-a-metric", argument="metrics", value=text, subject=False)


def plain(value: Any) -> float | int | None:
    """Return a Python number; ``None`` for NaN."""
    number = value.item() if hasattr(value, "item") else value
    return None if number != number else number
