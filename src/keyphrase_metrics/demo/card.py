"""The card of a metric, as it is shown beside its demo."""

from __future__ import annotations

import inspect
import re
from importlib import resources

from keyphrase_metrics.metrics.registry import measure_class

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]*)[^)]*\)")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


def card(name: str) -> str:
    """Return a metric's card as Markdown: without front matter, and with links to other sites only.

    For a metric of another package, whose card is not there, it is what its class says of it.

    >>> card("semr_p").lstrip().startswith("# Metric card")
    True
    """
    path = resources.files("keyphrase_metrics.modules").joinpath(name, "README.md")
    if not path.is_file():
        kind = measure_class(name)
        return harmless(f"# {kind.title}\n\n{kind.summary}\n\n{inspect.getdoc(kind)}")
    return harmless(path.read_text(encoding="utf-8"))


def harmless(text: str) -> str:
    r"""Return a card's Markdown without front matter, comments, pictures, and links within the repository.

    >>> harmless("---\na: b\n---\n[the rest](../x.md), [paper](https://doi.org/1)")
    'the rest, [paper](https://doi.org/1)'
    """
    if text.startswith("---\n"):
        text = text.partition("\n---\n")[2]

    def outward(found: re.Match[str]) -> str:
        picture, label, target = found.groups()
        return found[0] if target.startswith("https://") and not picture else label

    return _LINK.sub(outward, _COMMENT.sub("", text)).strip()
