"""What ``keyphrase-metrics score`` shows: scores, models, what preparation found, signatures, data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from keyphrase_metrics.cli.terminal import DASH, Screen, number
from keyphrase_metrics.compare.cited import MARK, CitedRows
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.results import Result, Scores

Column = tuple[str, str]  # the metric as written, the score's key
Rows = Callable[[Sequence[Column]], list[list[str]]]
_MODELS = {  # the signature's keys that name one, and those that say which one it is
    "encoder": ("weights", "dtype", "revision", "encoder_revision"),
    "model": ("weights",),
    "generator": ("generator_weights", "generator_revision"),
}
_COUNTS = ("documents", "references", "predictions", "absent", "blank", "repeated", "empty")
_COUNTS_MEANING = (
    "references, predictions: mean per document. absent: references that are not in the text. "
    "blank, repeated, documents without any (empty): references / predictions."
)


def show(scores: Mapping[str, Scores], cited: Mapping[str, CitedRows] | None = None) -> None:
    """Show the scores of all systems on standard output."""
    screen = Screen()
    _show_scores(screen, scores)
    show_cited(screen, cited or {})
    show_models(screen, next(iter(scores.values())))
    _show_counts(screen, scores)
    results = next(iter(scores.values())).values()
    screen.section("signatures", (result.signature for result in results))
    screen.section("data", dict.fromkeys(str(result.data) for result in results))
    screen.show()


def _show_scores(screen: Screen, scores: Mapping[str, Scores]) -> None:
    """Show one table if it fits, else one for each metric, and as many as needed where that is too wide too."""
    values = {name: {metric: result.scores for metric, result in results.items()} for name, results in scores.items()}

    def rows(columns: Sequence[Column]) -> list[list[str]]:
        return [[name, *(number(of[metric][key]) for metric, key in columns)] for name, of in values.items()]

    first = next(iter(values.values()))
    everything = [(metric, key) for metric, keys in first.items() for key in keys]
    if len(first) > 1 and screen.fits(_grouped(everything), rows(everything)):
        screen.table(_grouped(everything), rows(everything))
        return
    for metric, keys in first.items():
        screen.heading(metric)
        everything = [(metric, key) for key in keys]
        for page, columns in enumerate(pages(everything, lambda part: screen.fits(_headers(part), rows(part)))):
            if page:
                screen.line()
            screen.table(_headers(columns), rows(columns))


def _headers(columns: Sequence[Column]) -> list[str]:
    return ["system", *(key for _, key in columns)]


def _grouped(columns: Sequence[Column]) -> list[str]:
    """Return headers of two lines, with the metric above its first column."""
    headers = []
    for metric, group in groupby(columns, key=lambda column: column[0]):
        keys = [key for _, key in group]
        headers += [f"{metric}\n{keys[0]}", *(f"\n{key}" for key in keys[1:])]
    return ["\nsystem", *headers]


def pages(columns: Sequence[Column], fit: Callable[[Sequence[Column]], bool]) -> Iterator[list[Column]]:
    """Cut columns into tables that fit; scores at one cut-off stay together where they can."""
    page: list[Column] = []
    for _, group in groupby(columns, key=lambda column: column[1].partition("@")[2]):
        block = list(group)
        for part in [block] if fit(block) else [[column] for column in block]:
            if page and not fit([*page, *part]):
                yield page
                page = []
            page = [*page, *part]
    yield page


def show_cited(screen: Screen, cited: Mapping[str, CitedRows]) -> None:
    """Show published scores whose evaluation is the same, and count those that do not stand there."""
    for metric, found in cited.items():
        screen.heading(f"{metric}, published")
        doubts = list(dict.fromkeys(doubt for row in found.rows for doubt in row.doubts))
        rows = [
            [
                visible(f"{row.system} {MARK}"),
                visible(f"{row.source}{row.detail}"),
                " ".join(f"[{doubts.index(doubt) + 1}]" for doubt in row.doubts),
                *(number(row.values.get(key)) for key in found.keys),
            ]
            for row in found.rows
        ]
        if rows:
            screen.table(["system", "source", "notes", *found.keys], rows, text_columns=3)
        screen.paragraph(found.note())
        for place, doubt in enumerate(doubts, 1):
            screen.line(f"[{place}] {doubt}")


def show_models(screen: Screen, results: Mapping[str, Result]) -> None:
    """Show which models the scores depend on; also for which metrics, where there are several."""
    models: dict[str, list[str]] = {}
    for metric, result in results.items():
        values = result.signature.values
        for key in (key for key in _MODELS if key in values):
            details = ", ".join(values[name] for name in _MODELS[key] if name in values)
            line = f"{key} {values[key]} ({details})" if details else f"{key} {values[key]}"
            models.setdefault(line, []).append(metric)
    if models:
        screen.line()
    for line, metrics in models.items():
        screen.line(visible(line if len(models) == 1 else f"{line}: {', '.join(metrics)}"))


def _show_counts(screen: Screen, scores: Mapping[str, Scores]) -> None:
    """Show what preparation found: one row a system, or more where its metrics prepare phrases differently."""
    rows = []
    for name, results in scores.items():
        metrics: dict[tuple[str, ...], list[str]] = {}
        for metric, result in results.items():
            metrics.setdefault(tuple(_count_cells(result.counts)), []).append(metric)
        rows += [[name, ", ".join(alike), *cells] for cells, alike in metrics.items()]
    screen.heading("preparation")
    if len(rows) == len(scores):
        screen.table(["system", *_COUNTS], [[name, *cells] for name, _, *cells in rows])
    else:
        screen.table(["system", "metrics", *_COUNTS], rows, text_columns=2)
    screen.paragraph(_COUNTS_MEANING)


def _count_cells(counts: Counts) -> list[str]:
    summary = counts.summary()
    absent = summary["absent_references_share"]
    mean_references = summary["mean_references"]
    pairs = (
        (counts.blank_references, counts.blank_predictions),
        (counts.repeated_references, counts.repeated_predictions),
        (counts.documents_without_references, counts.documents_without_predictions),
    )
    return [
        str(counts.documents),
        DASH if mean_references is None else f"{mean_references:.2f}",
        f"{summary['mean_predictions']:.2f}",
        DASH if absent is None else f"{absent:.1%}",
        *(
            f"{DASH if of_references is None else of_references} / {of_predictions}"
            for of_references, of_predictions in pairs
        ),
    ]
