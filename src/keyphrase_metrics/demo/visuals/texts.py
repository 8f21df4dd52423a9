"""Lists and summaries that are compared as texts, side by side with what they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from keyphrase_metrics.demo.visuals.document import Document, Row
from keyphrase_metrics.demo.visuals.pieces import MAX_ROWS, Cells, exact, figure, not_shown, note, phrase, table
from keyphrase_metrics.formatting import count, number
from keyphrase_metrics.metrics.fem_kp import FemKp
from keyphrase_metrics.metrics.keyphrase_rouge import KeyphraseRouge
from keyphrase_metrics.reports.charts.labels import shortened, whole
from keyphrase_metrics.reports.charts.rank_scale import rank_scale
from keyphrase_metrics.reports.charts.rows import Bar, row_chart
from keyphrase_metrics.reports.charts.rows import Row as ChartRow
from keyphrase_metrics.reports.elements import element
from keyphrase_metrics.reports.marked_text import marked
from keyphrase_metrics.text.analyzer import normalize

_MAX_PHRASE_CHARACTERS = 120  # letters of a phrase
_MAX_TEXT_CHARACTERS = 4_000
_MAX_TOKENS = 60  # of a list in a table


def keyphrase_rouge(document: Document) -> Markup:
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


def _shared(phrase: str, free: Counter[str], measure: KeyphraseRouge) -> Markup:
    """Return a phrase with the words marked that are still to be matched, and take these."""
    pieces = []
    for word in shortened(whole(phrase), _MAX_PHRASE_CHARACTERS).split(" "):
        tokens = Counter[str](measure.words(word))
        match = tokens and tokens <= free
        free.subtract(tokens if match else {})
        pieces.append(element("mark", word) if match else word)
    return element("bdi", Markup(" ").join(pieces))


def keyphrase_bertscore(document: Document) -> Markup:
    """Return for each token of both lists the nearest one of the other, and the scores as bars."""
    sides = document.rows(), document.rows("references")
    if not sides[0]:
        return note("A list is empty, so the model is not asked.")
    titles = ("Predictions", "their mean is precision"), ("References", "their mean is recall")
    tables = [_tokens(*title, rows[0]["tokens"]) for title, rows in zip(titles, sides, strict=True)]
    description = "The model reads each list as one text and sees each token in its place; ## goes on with a word."
    bars = _bars(document, {"Precision": "precision", "Recall": "recall", "F1": "f1"})
    return _sides(*tables) + note(description) + bars


def _tokens(title: str, mean: str, tokens: Sequence[Row]) -> Markup:
    lines: list[Cells] = [
        (phrase(row["token"]), [phrase(row["nearest"]), exact(row["similarity"])]) for row in tokens[:_MAX_TOKENS]
    ]
    caption = f"{title}: each token, the nearest one of the other list, and their cosine; {mean}"
    more = note(not_shown(len(tokens) - _MAX_TOKENS, "token"))
    return element("div", table(["Token", "Nearest", "Cosine"], lines, caption), more)


def fem_kp(document: Document) -> Markup:
    """Return the rebuilt summary beside the gold one, and the rank of the document in its corpus."""
    rebuilt, gold = str(document.note("summary") or ""), normalize(document.summary or "")
    words = [_words(document, one, other) for one, other in ((rebuilt, gold), (gold, rebuilt))]
    shown = [marked(_cut(one), found) for one, found in zip((rebuilt, gold), words, strict=True)]
    titles = ("Rebuilt from the phrases", "Gold summary")
    lists = [_text(title, one or Markup("<i>empty</i>")) for title, one in zip(titles, shown, strict=True)]
    common = note("Words that both summaries have are marked; the score is the cosine of their embeddings.")
    return _sides(*lists) + common + _scale(document)


def _words(document: Document, own: str, other: str) -> list[str]:
    """Return the words of a text whose stems another has."""
    analyzer = document.measure.analyzer
    known = set(analyzer.stems(other))
    words = dict.fromkeys(word for token in analyzer.tokens([own]) if (word := token) and any(map(str.isalnum, word)))
    return [word for word in words if analyzer.stem(word) in known]


def _scale(document: Document) -> Markup:
    """Return the rank on a logarithmic scale from 1 to the last that earns anything."""
    measure = document.measure
    assert isinstance(measure, FemKp)
    rank, last, corpus = document.note("retrieval_rank"), measure.max_rank, document.result.data.corpus
    texts = f" of {count(corpus[0], 'document')}" if corpus else ""
    where = "not found by any phrase" if rank is None else f"rank {count(rank)}{texts}"
    beyond = rank is None or rank > last
    earns = "earns 0" if beyond else f"earns 1/{rank} = {number(1 / rank)}"
    description = f"The phrases find their document at {where}" if rank else f"The document is {where}"
    caption = Markup("<b>Retrieval</b>: {}; it {} (max_rank = {})").format(description, earns, count(last))
    title = "Rank of the document in the corpus"
    drawing = rank_scale(document.slug("rank"), title, rank, last, f"{description}; it {earns}")
    few = (
        "In so small a corpus almost any phrases find their document; add other texts."
        if corpus and corpus[0] < 100
        else ""
    )
    return figure(caption, drawing, note(few))


def _bars(document: Document, keys: dict[str, str]) -> Markup:
    rows = []
    for label, key in keys.items():
        value = document.scores[key]
        bars = [Bar(0.0, 1.0, "ideal", 15), Bar(0.0, min(max(value or 0.0, 0.0), 1.0), "c", 15)]
        rows.append(ChartRow(label, bars, number(value), "no score" if value is None else ""))
    return figure(
        Markup("<b>Scores</b>, out of 1"), row_chart(document.slug("bars"), "Scores, out of 1", rows, height=24)
    )


def _cut(value: str) -> str:
    return value if len(value) <= _MAX_TEXT_CHARACTERS else value[:_MAX_TEXT_CHARACTERS] + "…"


def _sides(*parts: Markup) -> Markup:
    return element("div", *parts, class_="sides")


def _text(title: str, content: str) -> Markup:
    return element("div", element("h4", title), element("p", content, class_="text", dir="auto"))


def _list(title: str, items: Sequence[Markup]) -> Markup:
    shown = [element("li", item) for item in items[:MAX_ROWS]] or [Markup("<li><i>none</i></li>")]
    more = note(not_shown(len(items) - MAX_ROWS, "phrase"))
    return element("div", element("h4", title), element("ol", *shown, class_="list"), more)
