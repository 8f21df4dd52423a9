"""How the values of fields are understood, as the user says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from keyphrase_metrics.errors import not_allowed

SCORE_ORDERS = ("descending", "ascending", "given")


@dataclass(frozen=True)
class ReadOptions:
    """What the user says of the values in fields; the same for all inputs of a run.

    Attributes:
        separator: what joins phrases that are given as one string. ``None`` means ``;`` in CSV cells and in files
            with the fields ``source`` and ``target``, as KPEval writes them; elsewhere a string is then an error.
        parse: predictions are what a language model wrote.
        score_order: how predictions with scores are ranked: ``"descending"`` (the highest score is best),
            ``"ascending"`` (the lowest is) or ``"given"`` (as listed). ``None`` means descending, unless the lists of a
            system rise wherever they have two different scores, which is then an error.
        variants: what joins the variants of a reference in one string; ``None`` cuts none.
        annotators: whether references may be by annotator, ``{"author": […], "reader": […]}``, and their union is read:
            ``"allowed"``, ``"required"`` where an option says that they are, ``None`` where they may not.
        null_texts: whether a text may be null, where no metric needs it.
    """

    separator: str | None = None
    parse: bool = False
    score_order: str | None = None
    variants: str | None = None
    null_texts: bool = False
    annotators: Literal["allowed", "required"] | None = None

    def __post_init__(self) -> None:
        if self.score_order not in (None, *SCORE_ORDERS):
            raise not_allowed("score_order", self.score_order, "choose 'descending', 'ascending' or 'given'")
