"""``keyphrase-metrics compare``: which system is better, and how sure is that? Of results: are they comparable?"""

from __future__ import annotations

import argparse
import importlib.metadata
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics import io, scoring
from keyphrase_metrics.cli import comparable
from keyphrase_metrics.cli.arguments import add_shared
from keyphrase_metrics.cli.report import show_models
from keyphrase_metrics.cli.score import check_outputs, check_same_data
from keyphrase_metrics.cli.systems import System, only_rows, read_inputs, tell_subsets
from keyphrase_metrics.cli.terminal import DASH, Collected, Progress, Screen, number, told_warnings, visible
from keyphrase_metrics.corpus import short

if TYPE_CHECKING:
    from keyphrase_metrics.compare import Interval
    from keyphrase_metrics.compare.page import Example
    from keyphrase_metrics.compare.q10 import Record
    from keyphrase_metrics.compare.slices import Group
    from keyphrase_metrics.compare.studies import Contrast, MetricStudy, Settings, Slice, Study

FORMATS = ("latex", "markdown", "csv")
_MOST = 10
_LIMITS = (("resamples", 100, 1_000_000), ("permutations", 100, 10_000_000), ("seed", 0, 2**63), ("most", 0, 1_000))
_USAGE = """%(prog)s FILE|FOLDER [...] [--references FILE | --dataset NAME] [--baseline NAME] [options]
       %(prog)s A.json B.json [--json]"""
_EPILOG = """A folder stands for the files in it, one system each (or several, where a file names its systems).

Two .json files that "score --output" wrote (or results of evaluate modules) are not scored again: for
every metric in both, compare says whether the scores may be compared, or exactly what differs. The exit
status is then 0 when all are comparable, 1 when some are not. It is 2 for wrong input.

examples:
  keyphrase-metrics compare examples/extractor.jsonl examples/generator.jsonl \\
      --references examples/references.jsonl --metrics r_precision "keyphrase_f1(cutoffs=[M])" \\
      --by field --by length --report report.html
  keyphrase-metrics compare runs/ --references test.jsonl --baseline old --format latex
  keyphrase-metrics compare a.json b.json"""


def add_parser(commands: Any) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "compare",
        help="compare systems, with intervals and tests; or say whether two results are comparable",
        usage=_USAGE,
        description="Score systems on the same documents, and say how sure their differences are.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    add_shared(parser)
    _add_comparison(parser.add_argument_group("comparison"))
    _add_output(parser.add_argument_group("output"))


def _add_comparison(group: Any) -> None:
    group.add_argument(
        "--baseline", metavar="NAME", help="the system that others are compared with (default: the first)"
    )
    group.add_argument(
        "--by",
        metavar="FIELD",
        action="append",
        default=[],
        help="also score the documents by a field of the file with the references (numbers in quarters); "
        "length is that of the text in words; may be repeated",
    )
    group.add_argument(
        "--confidence", metavar="SHARE", type=float, default=0.95, help="of the intervals (default: 0.95)"
    )
    group.add_argument(
        "--method", metavar="{bca,percentile}", default="bca", help="of the bootstrap intervals (default: bca)"
    )
    group.add_argument("--resamples", metavar="N", type=int, default=10_000, help="of the bootstrap (default: 10000)")
    group.add_argument(
        "--permutations", metavar="N", type=int, default=10_000, help="of the permutation test (default: 10000)"
    )
    group.add_argument("--seed", metavar="N", type=int, default=0, help="of the random numbers (default: 0)")
    group.add_argument(
        "--most", metavar="N", type=int, default=_MOST, help=f"documents shown that differ most (default: {_MOST})"
    )


def _add_output(group: Any) -> None:
    group.add_argument("--json", action="store_true", help="print JSON")
    group.add_argument("--format", metavar="{latex,markdown,csv}", help="print one table, ready for a paper")
    group.add_argument("--output", metavar="FILE", type=Path, help="also write the JSON to a file")
    group.add_argument("--report", metavar="FILE", type=Path, help="write a page of everything to one .html file")
    group.add_argument("--q10", metavar="FILE", type=Path, help="answers to Q-4 to Q-10 that go with the scores (YAML)")


def run(options: argparse.Namespace) -> int:
    """Compare systems, or results."""
    names = [path.endswith(".json") for path in options.files]
    if names == [True, True] and not all(map(comparable.holds_predictions, options.files)):
        _check_alone(options)
        return comparable.run(*options.files, as_json=options.json)
    from keyphrase_metrics.compare.studies import study

    command = "keyphrase-metrics " + shlex.join(options.argv)
    progress, collected = Progress(), Collected()
    with told_warnings(), progress.shown(), progress.models():
        check_outputs(options, collected)
        settings = _settings(options, collected)
        answers = collected.attempt(_answers, options.q10)
        if not collected.attempt(_expand, options):
            collected.raise_if_any()
        metrics, systems = read_inputs(options, collected, progress)
        if options.baseline is not None and systems and options.baseline not in systems:
            known = ", ".join(map(repr, systems))
            collected.problems.append(f"--baseline {options.baseline!r} is no system; the systems are {known}")
        collected.raise_if_any()
        _check_same_order(systems)
        groups = collected.attempt(_groups, options.by, next(iter(systems.values())))
        collected.raise_if_any()
        watched = progress.watch("scoring systems", systems.items(), len(systems))
        attempts = {name: collected.attempt(system.score, metrics, per_document=True) for name, system in watched}
        collected.raise_if_any()
        scores = {name: result for name, result in attempts.items() if result is not None}
        check_same_data(scores, systems)
        found = study(scores, baseline=options.baseline, groups=groups, settings=settings)
        examples = _examples(options, found, scores, systems) if options.report is not None else []
    tell_subsets(systems)
    records = {name: _record(name, one, answers, options.q10) for name, one in found.metrics.items()}
    summary = {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
        "systems": {name: result.to_dict() for name, result in scores.items()},
        "comparison": found.to_dict(),
        "q10": {name: record.to_dict() for name, record in records.items()},
        "apart": _as_json(found, scores, options.most, next(iter(systems.values())).documents.ids),
        "command": command,
    }
    with ExitStack() as files:
        if options.output is not None:
            files.enter_context(io.atomic(options.output)).write(f"{io.to_json(summary)}\n".encode())
        if options.report is not None:
            from keyphrase_metrics.compare.page import render

            ids = next(iter(systems.values())).documents.ids
            told = _told(records)
            page = render(found, scores, ids=ids, examples=examples, command=command, q10=told)
            files.enter_context(io.atomic(options.report)).write(page.encode())
    if options.json:
        sys.stdout.write(f"{io.to_json(summary)}\n")
    elif options.format is not None:
        from keyphrase_metrics.compare.tables import table

        sys.stdout.write(table(found, options.format))
    else:
        _show(options, found, scores, next(iter(systems.values())).documents.ids)
    return 0


def _check_alone(options: argparse.Namespace) -> None:
    """Refuse options of systems beside two files of results."""
    given = [
        max(action.option_strings, key=len)
        for action in options.parser._actions
        if action.option_strings and getattr(options, action.dest, action.default) != action.default
    ]
    if others := [option for option in given if option != "--json"]:
        raise io.InputError(
            f"{', '.join(others)}: for systems, but {' and '.join(options.files)} hold results, which are only compared"
        )


def _settings(options: argparse.Namespace, collected: Collected) -> Settings:
    """Return how intervals and tests are made; what is not allowed is noted."""
    from keyphrase_metrics.compare.bootstrap import METHODS
    from keyphrase_metrics.compare.studies import Settings

    if not 0 < options.confidence < 1:
        collected.problems.append(f"--confidence {options.confidence:g} is not allowed; give a share between 0 and 1")
    if options.method not in METHODS:
        collected.problems.append(f"--method {options.method!r} is not allowed; choose {' or '.join(METHODS)}")
    for name, least, most in _LIMITS:
        if not least <= getattr(options, name) <= most:
            collected.problems.append(f"--{name} {getattr(options, name)} is not allowed; give {least:,} to {most:,}")
    if options.format is not None and options.format not in FORMATS:
        collected.problems.append(f"--format {options.format!r} is not known; choose {', '.join(FORMATS)}")
    if options.format is not None and options.json:
        collected.problems.append("--format and --json exclude each other")
    names = ("confidence", "method", "resamples", "permutations", "seed")
    return Settings(**{name: getattr(options, name) for name in names})


def _expand(options: argparse.Namespace) -> bool:
    """Put the files of a folder in its place."""
    files: list[str] = []
    for path in options.files:
        if comparable.holds_results(path):
            raise io.InputError(f"{path} holds results, not predictions; compare takes two such files alone")
        if not Path(path).exists():
            raise io.InputError(f"{path}: there is no such file or folder")
        if not Path(path).is_dir():
            files.append(path)
            continue
        inside = sorted(str(file) for file in Path(path).iterdir() if io.is_input(file) and file.is_file())
        if not inside:
            raise io.InputError(f"{path}: there is no file of predictions in this folder")
        files += inside
    options.files = files
    return True


def _check_same_order(systems: Mapping[str, System]) -> None:
    """Refuse files with different documents, or in different orders: their results could not be paired."""
    first, *others = systems.values()
    for other in others:
        ours, theirs = ((one.documents.ids, one.documents.references) for one in (first, other))
        if ours != theirs:
            raise io.InputError(
                f"{io.differing(first.documents, other.documents)}, so their results cannot be paired; score them "
                "on the same documents, with the references in one file (--references)"
            )


def _groups(fields: Sequence[str], system: System) -> dict[str, Sequence[Group]]:
    """Return the groups of documents by each field."""
    from keyphrase_metrics.compare.slices import groups_of

    documents = system.documents
    groups: dict[str, Sequence[Group]] = {}
    for field in dict.fromkeys(fields):
        values = documents.groups.get(field)
        if values is None:  # the length
            if documents.sources is None:
                raise io.InputError("--by length needs the documents' texts, or a field of that name")
            values = [len(text.split()) for text in documents.sources]
        groups[field] = groups_of(field, values)
    return groups


def _answers(path: Path | None) -> Any:
    if path is None:
        return None
    from keyphrase_metrics.compare import q10

    return q10.read(path)


def _record(name: str, one: MetricStudy, answers: Any, path: Path | None) -> Record:
    """Return the record of a metric: what its signature answers, with what the user does."""
    from keyphrase_metrics.compare import q10

    try:
        return q10.Record.of(one.signature, answers)
    except io.InputError as error:
        raise io.InputError(*(f"{path} and the signature of {name}: {problem}" for problem in error.problems)) from None


def _told(records: Mapping[str, Record]) -> dict[str, tuple[str, str]]:
    """Return question -> answer and who gives it; by metric where the metrics' signatures answer differently."""
    told = {name: record.told() for name, record in records.items()}
    first = next(iter(told.values()))
    lines: dict[str, tuple[str, str]] = {}
    for question, answer in first.items():
        if all(each[question] == answer for each in told.values()):
            lines[question] = answer
        else:
            lines |= {f"{question}, {name}": each[question] for name, each in told.items()}
    return lines


def _as_json(
    found: Study, scores: Mapping[str, scoring.Scores], most: int, ids: Sequence[str] | None
) -> dict[str, Any] | None:
    """Return the documents that differ most, as plain JSON."""
    contenders = _contenders(found, scores)
    if contenders is None:
        return None
    metric, key, *pair = contenders
    documents = [
        {"document": row if ids is None else ids[row], **dict(zip(pair, values, strict=True))}
        for row, *values in _apart(found, scores, most)
    ]
    return {"metric": metric, "score": key, "documents": documents}


def headline(one: MetricStudy, result: scoring.Result) -> str | None:
    """Return the score by which documents are told apart: the metric's own, else the first F1, else the first."""
    keys = [key for key in one.keys if key in result.per_document]
    named = [key for key in keys if key == result.metric.measure.name]
    return next(iter([*named, *(key for key in keys if key.startswith("f1")), *keys]), None)


def _contenders(found: Study, scores: Mapping[str, scoring.Scores]) -> tuple[str, str, str, str] | None:
    """Return metric, score, and the baseline with the best of the others by that score."""
    if found.baseline is None:
        return None
    metric, one = next(iter(found.metrics.items()))
    key = headline(one, scores[found.baseline][metric])
    if key is None:
        return None
    values = {name: interval.estimate for name in one.contrasts if (interval := one.scores[name][key]) is not None}
    return (metric, key, found.baseline, max(values, key=lambda name: values[name])) if values else None


def _apart(found: Study, scores: Mapping[str, scoring.Scores], most: int) -> Iterator[tuple[int, Any, Any]]:
    """Yield the documents that two systems differ on most, with both scores."""
    from keyphrase_metrics.compare.studies import most_different

    contenders = _contenders(found, scores)
    if contenders is None:
        return
    metric, key, *pair = contenders
    ours, theirs = (scores[name][metric].per_document[key] for name in pair)
    for row in most_different(ours, theirs, most):
        yield row, ours[row], theirs[row]


def _examples(
    options: argparse.Namespace, found: Study, scores: Mapping[str, scoring.Scores], systems: Mapping[str, System]
) -> list[Example]:
    """Return what a report shows of the documents that two systems differ on most."""
    from keyphrase_metrics.compare.page import Example

    contenders, apart = _contenders(found, scores), list(_apart(found, scores, options.most))
    if contenders is None or not apart:
        return []
    metric, key, *pair = contenders
    rows = [row for row, _, _ in apart]
    explained = {}
    for name in pair:
        configured = scores[name][metric].metric
        few = only_rows(systems[name], rows, ranking="corpus" in configured.measure.needs)
        explained[name] = few.score([configured], explain=True)[metric].explanation or []
    documents = systems[pair[0]].documents
    ids, texts = documents.ids, documents.sources
    return [
        Example(
            document_id=str(row) if ids is None else ids[row],
            metric=metric,
            key=key,
            scores=dict(zip(pair, values, strict=True)),
            rows={name: explained[name][place] for name in pair},
            text=None if texts is None else texts[row],
        )
        for place, (row, *values) in enumerate(apart)
    ]


def _show(
    options: argparse.Namespace, found: Study, scores: Mapping[str, scoring.Scores], ids: Sequence[str] | None
) -> None:
    screen = Screen()
    for metric, one in found.metrics.items():
        screen.heading(metric)
        _show_metric(screen, found, one)
    for field, parts in found.slices.items():
        for metric, one in found.metrics.items():
            key = headline(one, scores[found.systems[0]][metric]) or one.keys[0]
            screen.heading(f"{metric}/{key} by {visible(field)}")
            _show_slices(screen, found, metric, key, field, parts)
    _show_apart(screen, options, found, scores, ids)
    show_models(screen, next(iter(scores.values())))
    screen.line()
    screen.paragraph(_how(found))
    screen.heading("signatures")
    for one in found.metrics.values():
        screen.line(str(one.signature))
    screen.heading("data")
    for data in dict.fromkeys(str(one.data) for one in found.metrics.values()):
        screen.line(data)
    screen.show()


def _show_metric(screen: Screen, found: Study, one: MetricStudy) -> None:
    percent = _percent(found)
    headers = ["score", "system", "value", percent]
    if found.baseline is not None:
        headers += ["difference", percent, "p", "delta"]
    rows = []
    for key in one.keys:
        for place, system in enumerate(found.systems):
            row = [key if place == 0 else "", system, *_cells(one.scores[system][key])]
            contrast = one.contrasts.get(system, {}).get(key)
            rows.append(row + ([] if found.baseline is None else _contrast_cells(contrast)))
    screen.table(headers, rows, text_columns=2)


def _cells(interval: Interval | None, sign: str = "") -> list[str]:
    if interval is None:
        return [DASH, DASH]
    return [f"{interval.estimate:{sign}.4f}", f"{interval.low:{sign}.4f} to {interval.high:{sign}.4f}"]


def _contrast_cells(contrast: Contrast | None) -> list[str]:
    if contrast is None:
        return ["", "", "", ""]
    delta = DASH if contrast.delta is None else f"{contrast.delta:+.2f} {contrast.magnitude}"
    return [*_cells(contrast.difference, "+"), written_p(contrast.p_corrected), delta]


def written_p(p: float | None) -> str:
    """Write a p-value."""
    return DASH if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _show_slices(screen: Screen, found: Study, metric: str, key: str, field: str, parts: Sequence[Slice]) -> None:
    headers = [visible(field), "documents", *found.systems]
    rows = [
        [part.label, str(part.n_documents), *(number(_estimate(part.scores[metric][s][key])) for s in found.systems)]
        for part in parts
    ]
    if len(found.systems) == 2:  # else there are too many
        headers += ["difference", _percent(found)]
        ((other, _),) = parts[0].differences[metric].items()
        rows = [
            [*row, *_cells(part.differences[metric][other][key], "+")] for row, part in zip(rows, parts, strict=True)
        ]
    screen.table(headers, rows)


def _estimate(interval: Interval | None) -> float | None:
    return None if interval is None else interval.estimate


def _show_apart(
    screen: Screen,
    options: argparse.Namespace,
    found: Study,
    scores: Mapping[str, scoring.Scores],
    ids: Sequence[str] | None,
) -> None:
    contenders, apart = _contenders(found, scores), list(_apart(found, scores, options.most))
    if contenders is None or not apart:
        return
    metric, key, ours, theirs = contenders
    screen.heading(f"documents that differ most in {metric}/{key}")
    rows = [
        [visible(short(ids[row], 40).strip("'")) if ids else str(row), number(a), number(b), f"{b - a:+.4f}"]
        for row, a, b in apart
    ]
    screen.table(["document", ours, theirs, "difference"], rows)


def _percent(found: Study) -> str:
    return f"{found.settings.confidence * 100:g}%"


def _how(found: Study) -> str:
    settings, metrics = found.settings, found.metrics.values()
    intervals = [one for metric in metrics for scores in metric.scores.values() for one in scores.values()]
    methods = " and ".join(sorted({interval.method for interval in intervals if interval is not None}))
    how = (
        f"Intervals: {_percent(found)}, bootstrap ({methods or settings.method}), {settings.resamples:,} resamples of "
        "the documents, the same for all systems and metrics."
    )
    notes = dict.fromkeys(note for one in metrics for note in one.notes)
    if found.baseline is None:
        return " ".join([how, *notes])
    others = len(found.systems) - 1
    exact = all(each.exact for one in metrics for contrasts in one.contrasts.values() for each in contrasts.values())
    ways = "all" if exact else f"{settings.permutations:,}"
    correction = f", corrected for {others} systems (Holm)" if others > 1 else ""
    tests = f"p: paired permutation test ({ways} permutations){correction}. delta: Cliff's, of the documents' scores."
    return " ".join([f"difference: to {visible(found.baseline)}.", how, tests, *notes])
