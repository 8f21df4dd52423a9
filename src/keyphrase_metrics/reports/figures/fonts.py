"""The fonts of figures: names in any script, as far as the fonts that are installed have their letters."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from keyphrase_metrics.errors import Message
from keyphrase_metrics.user_warnings import warn_user

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FIRST = "DejaVu Sans"  # comes with Matplotlib
# Taken for letters that it lacks, where they are installed: Chinese, Japanese and Korean.
_MORE = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Source Han Sans SC",
    "Droid Sans Fallback", "Microsoft YaHei", "SimHei", "Yu Gothic", "Malgun Gothic", "PingFang SC", "Hiragino Sans",
    "Hiragino Sans GB", "Apple SD Gothic Neo", "Arial Unicode MS",
)  # fmt: skip
_MISSING = re.compile(r"Glyph (\d+) .*missing from")
_MAX_SHOWN = 8


def families(chosen: Sequence[str]) -> list[str]:
    """Return the families that are installed, in the order in which Matplotlib looks for a letter.

    Args:
        chosen: those of the user's settings of Matplotlib, which come after DejaVu Sans.
    """
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    wanted = (_FIRST, *chosen, *_MORE)
    return [name for name in dict.fromkeys(wanted) if name in installed or name == _FIRST]


def pdf_type(figure: Figure) -> int:
    """Return 42, TrueType, or 3 where another font has a letter: those of OpenType cannot be embedded as TrueType."""
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.text import Text

    letters = set("".join(text.get_text() for text in figure.findobj(Text)))
    return 42 if set(map(ord, letters - {"\n"})) <= get_font(findfont(_FIRST)).get_charmap().keys() else 3


@contextmanager
def missing_letters() -> Iterator[None]:
    """Say once which letters of what is drawn in the block no font has, in place of a warning for each of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    letters: dict[str, None] = {}
    for each in caught:
        if found := _MISSING.match(str(each.message)):
            letters[chr(int(found[1]))] = None
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno, source=each.source)
    if letters:
        shown = " ".join(list(letters)[:_MAX_SHOWN]) + (" …" if len(letters) > _MAX_SHOWN else "")
        parts = (
            f"no font of the figures has {shown}: boxes are drawn instead; install a font that has them (such as Noto "
            "Sans CJK for Chinese, Japanese and Korean), name another as font.family in a matplotlibrc, or use other "
            "names",
        )
        warn_user(Message("missing-letters", parts))
