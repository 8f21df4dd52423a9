"""Which measures there are, by name: ours, each in the file of its name, and those of other packages.

A measure is imported when it is asked for. What other packages declare is read when a name is none of ours, or when
all are listed. Every file of this folder is a measure unless ``_SHARED`` names it: a helper goes there.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint

from keyphrase_metrics import metrics
from keyphrase_metrics.core.parameters import parameters_of
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.other_packages import GROUP, declared, package_of
from keyphrase_metrics.optional import importing

_SHARED = {
    "alpha_ndcg",
    "base",
    "bm25",
    "citations",
    "examples",
    "other_packages",
    "registry",
    "shared_parameters",
    "similarity",
    "spec",
}
_NAMES = sorted({file.name for file in pkgutil.iter_modules(metrics.__path__)} - _SHARED)
_NEEDED = ("name", "title", "summary", "citation", "outputs")  # of a measure's class
_RESERVED = {"metric", "package", "nltk", "version", "preset", "language"}  # which a signature or ``score`` has itself
_loaded: dict[str, type[Measure]] = {}  # those of other packages


def measure_names() -> list[str]:
    """Return the names of our own measures, in the order in which documentation, help and demo list them."""
    return list(_NAMES)


def is_known(name: str) -> bool:
    """Return whether a measure has this name, ours or one that another package declares."""
    return name in _NAMES or name in _loaded or name in declared().points


def measure_class(name: str) -> type[Measure]:
    """Return a measure by name.

    Raises:
        InputError: for an unknown name, listing the known ones; for a measure of another package that cannot be used,
            naming the package.
    """
    if name in _NAMES:
        module = importlib.import_module(f"keyphrase_metrics.metrics.{name}")
        kind: type[Measure] = getattr(module, class_name(name))
        return kind
    if name not in _loaded:
        points = declared().points.get(name)
        if points is None:
            raise unknown_metrics([name])
        with importing():
            _loaded[name] = _load(name, points)
    return _loaded[name]


def find_class(name: str) -> type[Measure] | None:
    """Return a measure by name, ``None`` for one that is unknown or cannot be used here."""
    try:
        return measure_class(name)
    except InputError:
        return None


def all_classes() -> tuple[dict[str, type[Measure]], list[InputError]]:
    """Return name -> class of all measures that can be used, ours first; and why others cannot."""
    classes = {name: measure_class(name) for name in _NAMES}
    others = declared()
    problems = [_damaged(package) for package in others.damaged]
    for name, points in others.points.items():
        try:
            if name in _NAMES:
                raise _unusable(name, points, "and keyphrase-metrics has a metric of this name, which is the one used")
            classes[name] = measure_class(name)
        except InputError as error:
            problems.append(error)
    return classes, problems


def class_name(name: str) -> str:
    """Return the name of a measure's class.

    >>> class_name("semr_p")
    'SemrP'
    """
    return "".join(word.capitalize() for word in name.split("_"))


def _load(name: str, points: Sequence[EntryPoint]) -> type[Measure]:
    """Return the class that an entry point names. Raises InputError where that cannot be used."""
    if len(points) > 1:
        raise _unusable(name, points, "so it is not clear which is meant; uninstall all but one")
    try:
        kind = points[0].load()
    except Exception as error:  # whatever the other package does when it is imported
        raise _unusable(name, points, f"and cannot be imported: {type(error).__name__}: {error}") from error
    if not (isinstance(kind, type) and issubclass(kind, Measure)):
        raise _unusable(name, points, f"but {points[0].value} is not a subclass of {Measure.__module__}.Measure")
    if missing := [attribute for attribute in _NEEDED if not hasattr(kind, attribute)]:
        raise _unusable(name, points, f"but its class has no {', '.join(missing)}")
    if kind.name != name or not name.isidentifier():
        raise _unusable(name, points, f"but its class is named {kind.name!r}; both must be one and the same identifier")
    if (kind.phrase_credit, kind.statistics) == (Measure.phrase_credit, Measure.statistics):
        raise _unusable(name, points, "but its class has neither phrase_credit nor statistics")
    if taken := sorted(_RESERVED & parameters_of(kind).keys()):
        raise _unusable(name, points, f"but no parameter can be called {', '.join(taken)}")
    return kind


def _damaged(package: str) -> InputError:
    return InputError(f"the entry points of {package} cannot be read, so its metrics are not known", code="damaged")


def _unusable(name: str, points: Sequence[EntryPoint], why: str) -> InputError:
    packages = " and ".join(package_of(point) for point in points)
    problem = f"metric {name!r} is declared by {packages} (entry points, {GROUP}), {why}"
    return InputError(problem, code="unusable-metric", argument="metrics", value=name, subject=False)


def suggest(name: object, known: Iterable[str]) -> str:
    """Return a question after the known name that a wrong one is most like, in brackets; nothing where none is.

    >>> suggest("cutofs", ["average", "cutoffs"]), suggest("f1", ["keyphrase_f1"]), suggest("x", ["average"])
    (" (did you mean 'cutoffs'?)", " (did you mean 'keyphrase_f1'?)", '')
    """
    wrong, known = str(name), list(known)
    close = difflib.get_close_matches(wrong, known, 1) or [one for one in known if len(wrong) > 1 and wrong in one]
    return f" (did you mean {close[0]!r}?)" if close else ""


def unknown_metrics(names: Sequence[str]) -> InputError:
    """Return the error about one or several names that no metric has; it says which there are."""
    known = list(dict.fromkeys([*_NAMES, *declared().points]))
    first, *others = dict.fromkeys(names)
    if others:
        problem = (
            f"metrics {' and '.join(f'{name!r}{suggest(name, known)}' for name in [first, *others])} are not known"
        )
    else:
        problem = f"metric {first!r} is not known{suggest(first, known)}"
    several = "; several metrics are given as a list" if any("," in name for name in names) else ""
    return InputError(
        f"{problem}{several}; known: {', '.join(known)}",
        code="unknown-metric",
        argument="metrics",
        value=first,
        subject=False,
    )
