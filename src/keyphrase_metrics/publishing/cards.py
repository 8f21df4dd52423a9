"""What documentation has from the registry: title, parameters and citation in the modules' cards, ``help(score)``.

``python -m keyphrase_metrics.publishing.cards`` rewrites them in the cards below ``metrics/`` and in
``shared_parameters.py``; run it in the root of a checkout.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

from keyphrase_metrics.core.parameters import one_of, parameters_of
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.publishing import published_page

BEGIN, END = "<!-- parameters -->", "<!-- /parameters -->"
_TITLE = re.compile(r"\A(---\ntitle: ).*")
_CITATION = re.compile(r"(?s)(\n## Citation\n.*?```bibtex\n).*?(\n```)")
_HEADER = ("name", "default", "allowed", "meaning")
_PRESET = "values for several parameters under one name; a parameter named beside it wins"


def parameter_table(kind: type[Measure]) -> str:
    """Return the parameters of a metric as a Markdown table, its presets first.

    >>> print(parameter_table(measure_class("r_precision")).splitlines()[-1])  # doctest: +ELLIPSIS
    | `order` | `'given'` | 'given' or 'present_first' | predictions as ranked, or present before absent; ... |
    """
    rows = [("`preset`", "`None`", one_of([None, *kind.presets]), _PRESET)] if kind.presets else []
    for item in parameters_of(kind).values():
        default = list(item.default) if isinstance(item.default, tuple) else item.default
        rows.append((f"`{item.name}`", f"`{default!r}`", item.kind.description, item.meaning))
    return published_page.markdown_table(_HEADER, rows)


def renewed(card: str, kind: type[Measure]) -> str:
    r"""Return the text of a card with its title, its citation and the table between its markers renewed.

    Raises:
        ValueError: where the card does not have each marker once, in order.

    >>> kind = measure_class("r_precision")
    >>> citation = "## Citation\n\n```bibtex\n@misc{}\n```\n"
    >>> card = renewed(f"---\ntitle: R\n---\n{BEGIN}\nyesterday\n{END}\n\n{citation}", kind)
    >>> card.splitlines()[1], "| `one_to_one` | `False` |" in card, kind.citation in card, "@misc{}" in card
    ('title: R-Precision', True, True, False)
    """
    before, begin, rest = card.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in before + after:
        raise InputError(
            f"the card of {kind.name} must have the markers {BEGIN} and {END}, once each and in this order",
            code="damaged-card",
        )
    before = _TITLE.sub(lambda found: f"{found[1]}{kind.title}", before)
    after = _CITATION.sub(lambda found: f"{found[1]}{kind.citation}{found[2]}", after)
    return f"{before}{BEGIN}\n{parameter_table(kind)}\n{END}{after}"


def shared_parameters() -> str:
    """Return the module that holds the parameters of all metrics, a line each, for the docstring of ``score``."""
    metrics: dict[str, list[str]] = {"preset": [name for name in measure_names() if measure_class(name).presets]}
    meanings: dict[str, list[str]] = {"preset": [_PRESET]}
    for name in measure_names():
        for item in parameters_of(measure_class(name)).values():
            metrics.setdefault(item.name, []).append(name)
            meanings.setdefault(item.name, []).append(item.meaning)
    lines = ["", "    Parameters for ``**shared``:"]
    for key, names in metrics.items():
        usual = max(dict.fromkeys(meanings[key]), key=meanings[key].count)
        which = "" if len(names) == len(measure_names()) else f" ({', '.join(names)})"
        lines += textwrap.wrap(f"{key}: {usual}{which}.", 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
    text = "\n".join(lines).replace("\\", "\\\\")
    return f'{_SHARED_HEAD}SHARED_PARAMETERS = """{text}\n    """\n'


_SHARED_HEAD = '''"""What ``help(score)`` says of parameters; by ``python -m keyphrase_metrics.publishing.cards``."""

'''


def main() -> None:
    """Rewrite what is made of the registry in cards, ``docs/published.md`` and ``help(score)``; name what changed."""
    shared = Path("src/keyphrase_metrics/metrics/shared_parameters.py")
    texts: dict[Path, Callable[[str], str]] = {
        shared: lambda _: shared_parameters(),
        Path("docs/published.md"): published_page.with_tables,
    }
    for name in measure_names():
        texts[Path("metrics", name, "README.md")] = partial(renewed, kind=measure_class(name))
    for path, change in texts.items():
        old = path.read_text(encoding="utf-8")
        new = change(old)
        if new != old:
            path.write_text(new, encoding="utf-8", newline="\n")
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
