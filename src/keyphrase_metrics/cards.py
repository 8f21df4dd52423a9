"""The tables of parameters in the modules' cards, from the registry.

``python -m keyphrase_metrics.cards`` rewrites them in the cards below ``metrics/``; run it in the root of a checkout.
"""

from __future__ import annotations

import sys
from pathlib import Path

from keyphrase_metrics.parameters import one_of, parameters_of
from keyphrase_metrics.registry import measure_class, measure_names

BEGIN, END = "<!-- parameters -->", "<!-- /parameters -->"
_HEADER = ("name", "default", "allowed", "meaning")
_PRESET = "values for several parameters under one name; a parameter named beside it wins"


def parameter_table(name: str) -> str:
    """Return the parameters of a metric as a Markdown table, its presets first.

    Raises:
        ValueError: for an unknown metric, listing the known ones.

    >>> print(parameter_table("r_precision").splitlines()[-1])  # doctest: +ELLIPSIS
    | `order` | `'given'` | 'given' or 'present_first' | predictions as ranked, or present before absent; ... |
    """
    kind = measure_class(name)
    rows = [("`preset`", "`None`", one_of([None, *kind.presets]), _PRESET)] if kind.presets else []
    for item in parameters_of(kind).values():
        default = list(item.default) if isinstance(item.default, tuple) else item.default
        rows.append((f"`{item.name}`", f"`{default!r}`", item.kind.description, item.meaning))
    lines = [_HEADER, ("---",) * len(_HEADER), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |" for cells in lines)


def with_table(card: str, name: str) -> str:
    r"""Return the text of a card with the table between its markers renewed.

    Raises:
        ValueError: where the card does not have each marker once, in order.

    >>> card = with_table("# Card\n<!-- parameters -->\nold\n<!-- /parameters -->\n", "r_precision")
    >>> "| `one_to_one` | `False` |" in card, "old" in card
    (True, False)
    """
    before, begin, rest = card.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in before + after:
        raise ValueError(f"the card of {name} must have the markers {BEGIN} and {END}, once each and in this order")
    return f"{before}{BEGIN}\n{parameter_table(name)}\n{END}{after}"


def main() -> None:
    """Rewrite the tables of all cards below ``metrics/``, and name the cards that changed."""
    for name in measure_names():
        path = Path("metrics", name, "README.md")
        old = path.read_text(encoding="utf-8")
        new = with_table(old, name)
        if new != old:
            path.write_text(new, encoding="utf-8", newline="\n")
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
