"""The controls of a metric, from the parameters that its measure declares, and what their values mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from keyphrase_metrics.core.parameters import Parameter, parameters_of, read, read_named, write
from keyphrase_metrics.demo import models
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.registry import measure_class, suggest
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.text.analyzer import TOKENIZERS, snowball_languages
from keyphrase_metrics.validation import short

DROPDOWN, CHECKBOX, NUMBER, MAYBE, RANKS = "dropdown", "checkbox", "number", "number or nothing", "ranks"
WORDS, TEXT = "words", "text"
DEFAULTS, _PRESET = "defaults", "preset"

_MAX_NUMBER = 1e9  # number that anybody would mean; not NaN either
_MAX_TEXT = 1000  # letters of settings in words
# What the server's owner settles, or what changes no score: none of a visitor's business.
OWNERS = frozenset(
    (
        "weighted",
        "revision",
        "encoder_revision",
        "device",
        "batch_size",
        "dtype",
        "cache_dir",
        "num_beams",
        "max_new_tokens",
    )
)
_WITH_MODEL = "num_layers"  # goes with the model that is chosen
_OF_WORDS = ("invalid_tokens",)
_STEMMERS = ("porter", None)


@dataclass(frozen=True)
class Control:
    """One control.

    Attributes:
        parameter: what it sets.
        widget: one of the kinds of controls.
        values: what the words of a dropdown mean.
        default: what it shows at first.
        folded: whether it belongs to the preparation of phrases, which all metrics share.
    """

    parameter: Parameter
    widget: str
    default: Any
    values: Mapping[str, Any]
    folded: bool = False

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.parameter.name

    def shown(self, value: Any) -> Any:
        """Return what the control shows for a parameter's value."""
        if self.widget == DROPDOWN:
            return next((word for word, meant in self.values.items() if meant == value), self.default)
        if self.widget == MAYBE:
            return "" if value is None else f"{value:g}"
        if self.widget == WORDS:
            return " ".join(value)
        if self.widget == TEXT:
            return write(value)
        return ", ".join(map(str, value)) if self.widget == RANKS else value

    def read(self, given: Any, limits: Limits) -> Any:
        """Return the parameter's value. Raises UserError for what the control cannot have shown."""
        if self.widget == DROPDOWN:
            if not isinstance(given, str) or given not in self.values:
                raise UserError(f"{self.name}: {short(given)} is not a choice; choose {', '.join(self.values)}.")
            return self.values[given]
        if self.widget == CHECKBOX:
            return self._fitting(given)
        if self.widget == WORDS:
            return self._words(given, limits)
        if self.widget == TEXT:
            return self._text(given)
        return self._cutoffs(given, limits) if self.widget == RANKS else self._number(given)

    def allow(self, value: Any, limits: Limits) -> Any:
        """Return the parameter's value, given as such. Raises UserError for one that the control would not allow."""
        if self.widget == DROPDOWN:
            if value not in self.values.values():
                raise UserError(f"{self.name}: {short(value)} is not a choice; choose {', '.join(self.values)}.")
            return value
        fitting = self._fitting(value)
        if isinstance(fitting, tuple) and len(fitting) > limits.cutoffs:
            raise UserError(f"{self.name}: at most {limits.cutoffs} values are allowed here.")
        if isinstance(fitting, int | float) and not abs(fitting) <= _MAX_NUMBER:
            raise UserError(f"{self.name}: {short(value)} is not allowed; give {self.parameter.kind.description}.")
        return fitting

    def _fitting(self, value: Any) -> Any:
        try:
            return self.parameter.kind.check(value)
        except (ValueError, TypeError):
            wanted = self.parameter.kind.description
            raise UserError(f"{self.name}: {short(value)} is not allowed; give {wanted}.") from None

    def _number(self, given: Any) -> Any:
        if isinstance(given, str) and self.widget == MAYBE:
            given = _written_number(given)
        if given is None:
            return self._fitting(None)
        if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) <= _MAX_NUMBER:
            raise UserError(f"{self.name}: {short(given)} is not allowed; give {self.parameter.kind.description}.")
        return self._fitting(int(given) if given == int(given) else given)

    def _text(self, given: Any) -> Any:
        """Return what a text says, written as in ``name(parameter=value)``; else the text itself, where that may be."""
        if not isinstance(given, str):
            raise UserError(f"{self.name}: {short(given)} is not a text; give {self.parameter.kind.description}.")
        try:
            return self._fitting(read(given[:1000]))
        except UserError:
            return self._fitting(given[:1000])

    def _words(self, given: Any, limits: Limits) -> Any:
        if not isinstance(given, str):
            raise UserError(f"{self.name}: {short(given)} is not a text; write tokens with spaces between them.")
        words = given[:1000].split()
        if len(words) > limits.cutoffs:
            raise UserError(f"{self.name}: at most {limits.cutoffs} tokens are looked for here.")
        return self._fitting(words)

    def _cutoffs(self, given: Any, limits: Limits) -> Any:
        if not isinstance(given, str):
            raise UserError(f"{self.name}: {short(given)} is not a text; write ranks with commas, as in 5, 10.")
        words = [word for word in re.split(r"[\s,;]+", given[:1000]) if word]
        if len(words) > limits.cutoffs:
            raise UserError(f"{self.name}: at most {limits.cutoffs} ranks are scored here.")
        return self._fitting([int(word) if re.fullmatch(r"[0-9]{1,9}", word) else word for word in words])


@dataclass(frozen=True)
class Options:
    """The controls of one metric."""

    name: str
    controls: tuple[Control, ...]
    layers: Mapping[str, int]

    @property
    def measure(self) -> type[Measure]:
        """The measure's class."""
        return measure_class(self.name)

    @property
    def presets(self) -> list[str]:
        """What the controls can be filled with at once; empty without presets."""
        return [DEFAULTS, *self.measure.presets] if self.measure.presets else []

    def filled(self, preset: object) -> list[Any]:
        """Return what each control shows under a preset. Raises UserError for what is none."""
        if not isinstance(preset, str) or preset not in self.presets:
            raise UserError(f"{short(preset)} is not a preset; choose {', '.join(self.presets)}.")
        settings = self.measure.presets.get(preset, {})
        return [
            control.shown(settings[control.name]) if control.name in settings else control.default
            for control in self.controls
        ]

    def metric(self, given: Iterable[Any], limits: Limits) -> Metric:
        """Return the metric that the controls show, written as shortly as can be.

        Raises:
            UserError: for what a control cannot have shown.
            ValueError: for settings that the metric does not allow together.
        """
        return self._configured(self._read(given, limits))

    def other_metric(self, given: Iterable[Any], text: object, limits: Limits) -> Metric:
        """Return the metric with the settings that a text names; the others are those that the controls show.

        Args:
            given: what the controls show.
            text: ``parameter=value``, with commas; ``preset=name`` fills all controls first.
            limits: how much is allowed.

        Raises:
            UserError: for what cannot be read, is not a setting, or is not a visitor's to choose.
            ValueError: for settings that the metric does not allow together.
        """
        named = self._named(text)
        start = self.filled(named.pop(_PRESET)) if _PRESET in named else given
        settings, wrong = self._read(start, limits), list[str]()
        for control in (control for control in self.controls if control.name in named):
            try:
                settings[control.name] = control.allow(named[control.name], limits)
            except UserError as error:
                wrong += error.messages
        if wrong:
            raise UserError(*wrong)
        return self._configured(settings)

    def _named(self, text: object) -> dict[str, Any]:
        """Return the settings that a text names, all of which there are controls for."""
        if not isinstance(text, str):
            raise UserError(f"{short(text)} is not a text; write parameter=value, with commas.")
        if len(text) > _MAX_TEXT:
            raise UserError(f"The settings have {len(text)} characters; at most {_MAX_TEXT} are read here.")
        try:
            named = read_named(" ".join(text.split()))
        except ValueError as error:
            piece = short(error.args[0])
            raise UserError(f"{piece} cannot be read; write parameter=value, each once, with commas.") from None
        known = [*[_PRESET] * bool(self.presets), *(control.name for control in self.controls)]
        owners = [name for name in named if name in (*OWNERS, _WITH_MODEL) and name in parameters_of(self.measure)]
        wrong = [f"{name} is for the owner of this server to set." for name in owners]
        wrong += [
            f"{self.measure.title} has no parameter {short(name)}{suggest(name, known)}; it has {', '.join(known)}."
            for name in named
            if name not in (*known, *owners)
        ]
        if wrong:
            raise UserError(*wrong)
        return named

    def _read(self, given: Iterable[Any], limits: Limits) -> dict[str, Any]:
        """Return the settings that the controls show."""
        return {control.name: control.read(value, limits) for control, value in zip(self.controls, given, strict=True)}

    def _configured(self, settings: dict[str, Any]) -> Metric:
        if "model" in settings:
            settings[_WITH_MODEL] = self.layers[settings["model"]]
        return Metric.of(self.name, **min(self._written(settings), key=len))

    def _written(self, settings: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
        """Yield the ways to write the settings: a preset, and what differs from it."""
        declared = parameters_of(self.measure)
        for preset in [DEFAULTS, *self.measure.presets]:
            start = {name: item.default for name, item in declared.items()} | dict(self.measure.presets.get(preset, {}))
            named = {name: value for name, value in settings.items() if value != start[name]}
            chosen = {} if preset == DEFAULTS else {"preset": preset}
            if not chosen or not self.measure.conflicts({**chosen, **named}):
                yield {**chosen, **named}

    @cached_property
    def _variants(self) -> list[Measure]:
        """The measure with each of its choices, one changed at a time."""
        found = [self.measure()]
        for control in self.controls:
            for value in control.values.values() if control.widget == DROPDOWN else ():
                try:
                    found.append(self.measure(**{control.name: value}))
                except ValueError:
                    continue
        return found

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """What is always to be given beside the predictions."""
        return self._variants[0].needs

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """What can be given beside the predictions, under one setting or another."""
        return tuple(dict.fromkeys(name for measure in self._variants for name in measure.needs))


def options_of(name: str) -> Options:
    """Return the controls of a metric.

    Raises:
        ValueError: for an unknown metric.

    >>> [(control.name, control.widget) for control in options_of("semr_p").controls if not control.folded]
    [('encoder', 'dropdown'), ('k', 'number'), ('k_fraction', 'number or nothing'), ('denominator', 'dropdown')]
    """
    kind = measure_class(name)
    shared = parameters_of(Measure)
    controls = tuple(
        _control(item, folded=key in shared)
        for key, item in parameters_of(kind).items()
        if key not in OWNERS and key != _WITH_MODEL
    )
    return Options(name, controls, dict(models.bertscore_models()))


def _control(item: Parameter, *, folded: bool) -> Control:
    values: dict[str, Any] = {}
    if (listed := _listed(item)) is not None:
        values = {write(value): value for value in listed}
        default = write(item.default)
        return Control(item, DROPDOWN, default if default in values else next(iter(values)), values, folded)
    if item.kind.choices == (True, False):
        return Control(item, CHECKBOX, item.default, values, folded)
    if item.name in _OF_WORDS:
        return Control(item, WORDS, " ".join(item.default), values, folded)
    if isinstance(item.default, tuple) and _takes(item, [1]) and not _takes(item, ["text"]):
        return Control(item, RANKS, ", ".join(map(str, item.default)), values, folded)
    if not isinstance(item.default, int | float | None) or not _takes(item, 1) or _takes(item, "text"):
        return Control(item, TEXT, write(item.default), values, folded)
    if item.default is None:
        return Control(item, MAYBE, "", values, folded)
    return Control(item, NUMBER, item.default, values, folded)


def _takes(item: Parameter, value: object) -> bool:
    try:
        item.kind.check(value)
    except (ValueError, TypeError):
        return False
    return True


def _written_number(text: str) -> float | str | None:
    """Return the number that a text is, ``None`` for no text; what is neither stays as it is."""
    try:
        return float(text[:100]) if text.strip() else None
    except ValueError:
        return text


def _listed(item: Parameter) -> list[Any] | None:
    """Return the values of what can only be chosen from a list; the first is the default where its own is not there."""
    lists: dict[str, Callable[[], list[Any]]] = {
        "encoder": models.encoders,
        "generator": models.generators,
        "model": lambda: [name for name, _ in models.bertscore_models()],
        "tokenizer": lambda: list(TOKENIZERS),
        "stemmer": lambda: [*_STEMMERS, *(f"snowball:{language}" for language in snowball_languages())],
    }
    if (of := lists.get(item.name)) is not None:
        return of()
    return list(item.kind.choices) if item.kind.choices and item.kind.choices != (True, False) else None
