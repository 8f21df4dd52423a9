"""Which measures there are, by name; each is in the file of its name, which is imported when it is asked for."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Sequence

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import Measure

# In the order in which documentation, help and demo list them.
_NAMES = (
    "fem_kp",
    "keyphrase_bertscore",
    "keyphrase_diversity",
    "keyphrase_f1",
    "keyphrase_ndcg",
    "keyphrase_rouge",
    "r_precision",
    "sem_f1",
    "semr_p",
)


def measure_names() -> list[str]:
    """Return the names of all measures."""
    return list(_NAMES)


def measure_class(name: str) -> type[Measure]:
    """Return a measure by name. Raises InputError that lists the known ones."""
    if name not in _NAMES:
        raise unknown_metrics([name])
    module = importlib.import_module(f"keyphrase_metrics.metrics.{name}")
    kind: type[Measure] = getattr(module, "".join(word.capitalize() for word in name.split("_")))
    return kind


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
    first, *others = dict.fromkeys(names)
    if others:
        problem = (
            f"metrics {' and '.join(f'{name!r}{suggest(name, _NAMES)}' for name in [first, *others])} are not known"
        )
    else:
        problem = f"metric {first!r} is not known{suggest(first, _NAMES)}"
    several = "; several metrics are given as a list" if any("," in name for name in names) else ""
    return InputError(
        f"{problem}{several}; known: {', '.join(_NAMES)}",
        code="unknown-metric",
        argument="metrics",
        value=first,
        subject=False,
    )
