"""How the command line words what is wrong: it knows most arguments as options."""

from __future__ import annotations

from keyphrase_metrics.errors import Wording

_DATA = frozenset({"predictions", "references", "sources", "summaries", "reference_weights", "corpus", "metrics"})


def option(name: str) -> str:
    """Return the option that gives an argument.

    >>> option("by_order")
    '--by-order'
    """
    return f"--{name.replace('_', '-')}"


def subject(name: str) -> str:
    """Return what a sentence about an argument begins with: data are not known by the option that names their file."""
    return name if name in _DATA else option(name)


CLI = Wording(option, subject=subject)
