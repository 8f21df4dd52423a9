"""Pieces of plots as inline SVG, in the colours of the page around them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

from keyphrase_metrics.formatting import clean, number
from keyphrase_metrics.reports.charts.axis import Axis as Axis
from keyphrase_metrics.reports.markup import text

WIDTH = 360
TOP = 6


def ticks(axis: Axis, bottom: float) -> str:
    """Return vertical lines at round numbers, with the numbers below them."""
    at = axis.ticks()
    step = at[1] - at[0] if len(at) > 1 else 1.0
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0
    lines = "".join(f"M{axis.at(tick):.1f} {TOP}V{bottom}" for tick in at)
    labels = "".join(
        f'<text class="t" x="{axis.at(tick):.1f}" y="{bottom + 15}">{number(tick, decimals)}</text>' for tick in at
    )
    return f'<path class="grid" d="{lines}"/>{labels}'


def frame(across: Axis, upwards: Axis, columns: Iterable[tuple[float, str]], rows: Iterable[tuple[float, str]]) -> str:
    """Return a plot's lines at numbers across and upwards, with what these are called below and at the left."""
    lines, labels = [], []
    for value, said in columns:
        x = across.at(value)
        lines.append(f"M{x:.1f} {upwards.end:g}V{upwards.start:g}")
        labels.append(f'<text class="t" x="{x:.1f}" y="{upwards.start + 15:g}">{said}</text>')
    for value, said in rows:
        y = upwards.at(value)
        lines.append(f"M{across.start:g} {y:.1f}H{across.end:g}")
        labels.append(f'<text class="l" x="{across.start - 4:g}" y="{y + 4:.1f}">{said}</text>')
    return f'<path class="grid" d="{"".join(lines)}"/>{"".join(labels)}'


def curve(axes: tuple[Axis, Axis], points: Iterable[tuple[float, float]], style: str) -> str:
    """Return a line through points, given as numbers on the two axes."""
    across, upwards = axes
    path = "L".join(f"{across.at(x):.1f} {upwards.at(y):.1f}" for x, y in points)
    return f'<path class="curve {style}" d="M{path}"/>' if path else ""


def spread(places: Sequence[float], distance: float, end: float = math.inf) -> list[float]:
    """Move labels apart, so that no two are nearer than a distance: down, and up where the end leaves no room.

    >>> spread([10, 12, 40], 12), spread([10, 38, 40], 12, 40)
    ([10, 22, 40], [10, 28, 40])
    """
    moved = list(places)
    order = sorted(range(len(places)), key=places.__getitem__)
    for one, other in pairwise(order):
        moved[other] = max(moved[other], moved[one] + distance)
    for place in reversed(order):
        moved[place] = min(moved[place], end)
        end = moved[place] - distance
    return moved


def shortened(label: str, width: int) -> tuple[str, bool]:
    """Return a label that takes no more room than so many letters, and whether its middle was left out.

    >>> shortened("a-very-long-name-of-a-model-v1", 12)
    ('a-very…el-v1', True)
    """
    letters = list(clean(label))
    room = [room_of(letter) for letter in letters]
    if sum(room) <= width:
        return "".join(letters), False
    head, tail = 0, len(letters)
    left = (width - 1) * 0.6
    while room[head] <= left:
        left -= room[head]
        head += 1
    right = (width - 1) * 0.4 + left
    while room[tail - 1] <= right:
        tail -= 1
        right -= room[tail]
    return "".join([*letters[:head], "…", *letters[tail:]]), True


def room_of(letter: str) -> int:
    """Return how many letters' room a character takes."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def svg(slug: str, title: str, description: str, height: float, parts: Sequence[str], width: int = WIDTH) -> str:
    """Return a drawing that says in words what it shows; ``parts`` are markup."""
    content = "".join(parts)
    return (
        f'<svg class="drawing" id="{slug}" viewBox="0 0 {width} {height:.0f}" role="img" '
        f'aria-labelledby="{slug}-t {slug}-d">'
        f'<title id="{slug}-t">{text(title)}</title><desc id="{slug}-d">{text(description)}</desc>{content}</svg>'
    )
