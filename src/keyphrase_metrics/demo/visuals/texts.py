"""Lists and summaries that are compared as texts, side by side with what they share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from keyphrase_metrics.demo.visuals.document import Document
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, figure, label_of, not_shown, note
from keyphrase_metrics.formatting import number
from keyphrase_metrics.metrics.fem_kp import FemKp
from keyphrase_metrics.metrics.keyphrase_rouge import KeyphraseRouge
from keyphrase_metrics.reports.drawing import TOP, WIDTH, Axis, svg
from keyphrase_metrics.reports.markup import marked, text
from keyphrase_metrics.text.analyzer import normalize

_MAX_PHRASE_CHARACTERS = 120  # letters of a phrase
_MAX_TEXT_CHARACTERS = 4_000
_BAR, _LEFT, _RIGHT = 24, 78, 52


def keyphrase_rouge(document: Document) -> str:
    """Return both lists with the words that they share, and the scores as bars."""
    measure = document.measure
    assert isinstance(measure, KeyphraseRouge)
    sides = document.predicted, document.wanted
    words = [Counter(token for phrase in side for token in measure.words(phrase)) for side in sides]
    common = words[0] & words[1]
    lists = []
    for title, side in (("Predictions", sides[0]), ("References", sides[1])):
        free = Counter(common)
        lists.append(_list(title, [_shared(phrase, free, measure) for phrase in side]))
    description = "Words that both lists have are marked, each as often as both have it: the matches of ROUGE-1."
    bars = _bars(document, {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"})
    return _sides(*lists) + note(description) + bars


def _shared(phrase: str, free: Counter[str], measure: KeyphraseRouge) -> str:
    """Return a phrase with the words marked that are still to be matched, and take these."""
    pieces = []
    for word in label_of(phrase, _MAX_PHRASE_CHARACTERS)[0].split(" "):
        tokens = Counter[str](measure.words(word))
        match = tokens and tokens <= free
        free.subtract(tokens if match else {})
        pieces.append(f"<mark>{text(word)}</mark>" if match else text(word))
    return f"<bdi>{' '.join(pieces)}</bdi>"


def keyphrase_bertscore(document: Document) -> str:
    """Return both lists as the model reads them, and the scores as bars."""
    rows = document.rows()
    if not rows:
        return note("A list is empty, so the model is not asked.")
    (row,) = rows
    joined = (("Predictions", row["phrase"]), ("References", row["compared"][0]["reference"]))
    lists = [_text(title, text(_cut(side))) for title, side in joined]
    description = "The model reads each list as one text; the tokens of one are matched with the nearest of the other."
    bars = _bars(document, {"Precision": "precision", "Recall": "recall", "F1": "f1"})
    return _sides(*lists) + note(description) + bars


def fem_kp(document: Document) -> str:
    """Return the rebuilt summary beside the gold one, and the rank of the document in its corpus."""
    rebuilt, gold = str(document.note("summary") or ""), normalize(document.summary or "")
    words = [_words(document, one, other) for one, other in ((rebuilt, gold), (gold, rebuilt))]
    shown = [marked(_cut(one), found, ()) for one, found in zip((rebuilt, gold), words, strict=True)]
    titles = ("Rebuilt from the phrases", "Gold summary")
    lists = [_text(title, one or "<i>empty</i>") for title, one in zip(titles, shown, strict=True)]
    common = note("Words that both summaries have are marked; the score is the cosine of their embeddings.")
    return _sides(*lists) + common + _scale(document)


def _words(document: Document, own: str, other: str) -> list[str]:
    """Return the words of a text whose stems another has."""
    analyzer = document.measure.analyzer
    known = set(analyzer.stems(other))
    words = dict.fromkeys(word for token in analyzer.tokens([own]) if (word := token) and any(map(str.isalnum, word)))
    return [word for word in words if analyzer.stem(word) in known]


def _scale(document: Document) -> str:
    """Return the rank on a logarithmic scale from 1 to the last that earns anything."""
    measure = document.measure
    assert isinstance(measure, FemKp)
    rank, last, corpus = document.note("retrieval_rank"), measure.max_rank, document.result.data.corpus
    texts = f" of {corpus[0]:,} document{'s' * (corpus[0] != 1)}" if corpus else ""
    where = "not found by any phrase" if rank is None else f"rank {rank:,}{texts}"
    beyond = rank is None or rank > last
    earns = "earns 0" if beyond else f"earns 1/{rank} = {number(1 / rank)}"
    axis = Axis((0.0, math.log10(max(last, 2))), 16, WIDTH - 96)
    y, parts = TOP + 22, []
    ends = [1, *(base * 10**power for power in range(7) for base in (2, 5, 10) if base * 10**power < last), last]
    for tick in dict.fromkeys(ends):
        x = axis.at(math.log10(tick))
        crowded = tick != last and axis.at(math.log10(last)) - x < 24
        parts.append(f'<path class="tick" d="M{x:.1f} {y - 5}v10"/>')
        parts.append("" if crowded else f'<text class="t" x="{x:.1f}" y="{y + 20}">{tick:,}</text>')
    edge = axis.at(math.log10(last))
    parts.append(f'<path class="scale" d="M{axis.at(0):.1f} {y}H{edge:.1f}"/>')
    parts.append(f'<path class="ref" d="M{edge:.1f} {y}H{WIDTH - 8}"/>')
    parts.append(f'<text class="t" x="{(edge + WIDTH) / 2:.1f}" y="{y + 20}">earns 0</text>')
    at = (edge + WIDTH) / 2 if beyond else axis.at(math.log10(rank))
    parts.append(f'<circle class="{"miss" if beyond else "found"}" cx="{at:.1f}" cy="{y}" r="7"/>')
    description = f"The phrases find their document at {where}" if rank else f"The document is {where}"
    caption = f"<b>Retrieval</b>: {text(description)}; it {earns} (max_rank = {last:,})"
    drawing = svg(
        document.slug("rank"), "Rank of the document in the corpus", f"{description}; it {earns}", y + 28, parts
    )
    few = (
        "In so small a corpus almost any phrases find their document; add other texts."
        if corpus and corpus[0] < 100
        else ""
    )
    return figure(caption, drawing, note(few))


def _bars(document: Document, keys: dict[str, str]) -> str:
    values = {description: document.scores[key] for description, key in keys.items()}
    axis = Axis([], _LEFT, WIDTH - _RIGHT)
    axis.low, axis.high = 0.0, 1.0
    parts = []
    for place, (description, value) in enumerate(values.items()):
        y = TOP + _BAR * place
        width = 0.0 if value is None else max(axis.at(min(value, 1.0)) - axis.start, 0.0)
        parts.append(
            f'<text class="l" x="{_LEFT - 8}" y="{y + 14}">{description}</text>'
            f'<rect class="ideal" x="{_LEFT}" y="{y + 2}" width="{axis.end - axis.start:g}" height="{_BAR - 9}"/>'
            f'<rect class="gain" x="{_LEFT}" y="{y + 2}" width="{width:.1f}" height="{_BAR - 9}"/>'
            f'<text class="v" x="{WIDTH}" y="{y + 14}">{"–" if value is None else number(value)}</text>'
        )
    description = "; ".join(
        f"{name} {'no score' if value is None else number(value)}" for name, value in values.items()
    )
    return figure(
        "<b>Scores</b>, out of 1", svg(document.slug("bars"), "Scores, out of 1", description, _BAR * 3 + TOP, parts)
    )


def _cut(value: str) -> str:
    return value if len(value) <= _MAX_TEXT_CHARACTERS else value[:_MAX_TEXT_CHARACTERS] + "…"


def _sides(*parts: str) -> str:
    return f'<div class="sides">{"".join(parts)}</div>'


def _text(title: str, content: str) -> str:
    return f'<div><h4>{title}</h4><p class="text" dir="auto">{content}</p></div>'


def _list(title: str, items: Sequence[str]) -> str:
    shown = "".join(f"<li>{item}</li>" for item in items[:MAX_ROWS]) or "<li><i>none</i></li>"
    return f'<div><h4>{title}</h4><ol class="list">{shown}</ol>{note(not_shown(len(items) - MAX_ROWS, "phrase"))}</div>'
