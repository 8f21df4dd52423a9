"""``keyphrase-metrics q10``: may two published numbers be compared, and how far do their methods alone move a score?"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from keyphrase_metrics import io
from keyphrase_metrics.cli.arguments import add_shared
from keyphrase_metrics.cli.systems import System, read_inputs, tell_subsets
from keyphrase_metrics.cli.terminal import DASH, Collected, Progress, Screen, number, told_warnings, visible
from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.q10 import Comparison, Finding, QuestionFinding, Record, Verdict
from keyphrase_metrics.corpus import short
from keyphrase_metrics.measures.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.registry import Metric
from keyphrase_metrics.signature import Signature

NOT_COMPARABLE = 1
_RECORDS = (".yaml", ".yml")
_EPILOG = """A and B are records in YAML (--template writes an empty one), or JSON that
"keyphrase-metrics score --output" wrote: its signature answers Q-1 to Q-3 and what the evaluator did,
--answers or its own "q10" the rest.
The exit status is 0 when all answers are the same, 1 when some differ or are not said, 2 for wrong input.

examples:
  keyphrase-metrics q10 --template paper.yaml
  keyphrase-metrics q10 scores.json paper.yaml --answers ours.yaml
  keyphrase-metrics q10 scores.json paper.yaml --rescore run.jsonl --references test.jsonl"""


def add_parser(commands: Any) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "q10",
        help="say by the ten questions of Q-10 whether two published numbers are comparable",
        usage="%(prog)s A B [options]\n       %(prog)s --template [FILE]",
        description="Compare what two records answer to the ten questions of Q-10 (Popova, 2025).",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("records", metavar="A B", nargs="*", type=Path, help="two records: .yaml, or scores as .json")
    parser.add_argument(
        "--answers",
        metavar="FILE",
        nargs="+",
        type=Path,
        default=[],
        help="record with what only you know about the scores in JSON; with two, the first is A's and the second B's",
    )
    parser.add_argument(
        "--metric",
        metavar="SPEC",
        nargs="+",
        default=[],
        help="which metric of the JSON, as its file writes it (default: the only one, else keyphrase_f1); with two, "
        "A's and B's",
    )
    parser.add_argument(
        "--template", metavar="FILE", nargs="?", const="", help="write an empty record, to standard output without FILE"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    _add_rescoring(
        parser.add_argument_group(
            "rescoring", "Score your own predictions as A does, as B does, and as F, F+ and S do."
        )
    )


def _add_rescoring(group: Any) -> None:
    """Add those options of ``score`` that rescoring needs, under the same names."""
    group.add_argument("--rescore", metavar="FILE", nargs="+", default=[], help="predictions, as for score")
    group.add_argument("--references", metavar="FILE", help="file with the references and texts, joined by id")
    group.add_argument("--system", metavar="NAME", nargs="+", default=[], help="systems to rescore (default: all)")
    group.add_argument("--cutoffs", metavar="K", nargs="+", help="cut-offs (default: 5 10 M)")
    for side in ("predictions", "id"):
        group.add_argument(f"--{side}-field", metavar="FIELD", help=f"the field with the {side}, as for score")
    for side in ("references", "source"):
        usual = {"metavar": "FIELD", "nargs": "+", "default": []}
        group.add_argument(f"--{side}-field", help=f"the fields with the {side}, as for score", **usual)
    group.add_argument("--subset", action="store_true", help="let the predictions cover some of the references only")
    group.add_argument("--by-order", action="store_true", help="join by order of the lines even where there are ids")


def run(options: argparse.Namespace) -> int:
    """Write the template, or compare two records, rescore, and show what was found."""
    if options.template is not None:
        return _write_template(options)
    collected = Collected()
    _check(options, collected)
    collected.raise_if_any()
    metrics, answers = _each(options.metric), _each(options.answers)
    sides = zip(options.records, metrics, answers, strict=True)
    a, b = (collected.attempt(read_record, *side) for side in sides)
    collected.raise_if_any()
    assert a is not None
    assert b is not None
    comparison = q10.compare(a, b)
    rescored = _rescore(options, a, b) if options.rescore else None
    if options.json:
        sys.stdout.write(f"{io.to_json(_as_json(a, b, comparison, rescored))}\n")
    else:
        _show(options, comparison, rescored)
    return 0 if comparison.verdict == Verdict.COMPARABLE else NOT_COMPARABLE


def _check(options: argparse.Namespace, collected: Collected) -> None:
    """Note which options are missing or of no use."""
    if len(options.records) != 2:
        collected.problems.append(f"q10 compares two records, A and B, but {len(options.records)} are given")
    scores = [path for path in options.records if path.suffix not in _RECORDS]
    for name, given in (("--answers", options.answers), ("--metric", options.metric)):
        if len(given) > 2:
            collected.problems.append(f"{name} takes one or two values, A's and B's, but {len(given)} are given")
        if given and len(scores) < min(len(given), 2):
            collected.problems.append(f"{name} is for scores in JSON; records in YAML speak for themselves")
    rescoring = ("references", "system", "cutoffs", "predictions_field", "id_field", "references_field", "source_field")
    if not options.rescore:
        unused = [name for name in (*rescoring, "subset", "by_order") if getattr(options, name)]
        collected.problems += [f"--{name.replace('_', '-')} is for --rescore, which is not given" for name in unused]


def _each(given: Sequence[Any]) -> tuple[Any, Any]:
    """Return A's and B's value of an option that may be given once for both."""
    return (given[0], given[-1]) if given else (None, None)


def _write_template(options: argparse.Namespace) -> int:
    if options.records:
        raise io.InputError("--template writes an empty record and compares none; give it alone")
    if not options.template:
        sys.stdout.write(q10.template())
        return 0
    path = Path(options.template)
    io.check_output(path, _RECORDS)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(q10.template())
    except FileExistsError:
        raise io.InputError(f"{path}: is there already and is not overwritten") from None
    return 0


def read_record(path: Path, metric: str | None = None, answers: Path | None = None) -> Record:
    """Read a record, or make it from scores in JSON and the answers that go with them.

    Args:
        path: ``.yaml``, ``.yml`` or ``.json``.
        metric: which metric of the JSON.
        answers: a record in YAML that adds to the JSON's.

    Raises:
        InputError: for what cannot be read, is ambiguous, or is answered twice and differently.
    """
    if path.suffix in _RECORDS:
        return q10.read(path)
    if path.suffix != ".json":
        raise io.InputError(f"{path}: its suffix is not known; use {', '.join(_RECORDS)} or .json")
    value = _read_json(path)
    try:
        record = _record_of_scores(value, metric)
    except ValueError as error:
        raise io.InputError(*(f"{path}: {problem}" for problem in getattr(error, "problems", [error]))) from None
    if answers is None:
        return record
    added = q10.read(answers)
    try:
        return record.merged(added)
    except io.InputError as error:
        raise io.InputError(*(f"{path} and {answers}: {problem}" for problem in error.problems)) from None


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode(), parse_constant=_refuse)
    except OSError as error:
        raise io.InputError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise io.InputError(f"{path}: is no JSON ({error})") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _record_of_scores(value: object, metric: str | None) -> Record:
    """Return what a file of scores answers: the chosen metric's signature, and the record under "q10"."""
    if not isinstance(value, dict):
        raise ValueError(f"it is a {type(value).__name__}, not an object")
    results, travelling = _results(value), value.get("q10")
    if not results:
        if travelling is None:
            raise ValueError("it has neither scores with a 'signature' nor a 'q10' record")
        return Record(travelling)
    name = _pick_metric(results, metric)
    signature, *others = (result.get("signature") for result in results[name])
    if not isinstance(signature, str) or any(other != signature for other in others):
        raise ValueError(f"its systems do not all have one and the same 'signature' for {name}")
    if isinstance(travelling, dict) and name in travelling:  # a record for each metric
        travelling = travelling[name]
    return Record.of(Signature.parse(signature), None if travelling is None else Record(travelling))


def _results(value: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Return each metric's results, one for each system; none where a file holds a record only."""
    if "systems" not in value:
        return {str(value["signature"]).partition("|")[0]: [value]} if "signature" in value else {}
    systems = value["systems"]
    if not isinstance(systems, dict) or not all(isinstance(metrics, dict) for metrics in systems.values()):
        raise ValueError("'systems' must map each system to its metrics")
    results: dict[str, list[Mapping[str, Any]]] = {}
    for system, metrics in systems.items():
        for metric, result in metrics.items():
            if not isinstance(result, dict):
                raise ValueError(f"{metric} of {short(system)} is {short(result)}, not an object")
            results.setdefault(metric, []).append(result)
    if not results:
        raise ValueError("it has no system with a metric")
    return results


def _pick_metric(results: Mapping[str, object], metric: str | None) -> str:
    known = ", ".join(results)
    if metric is not None:
        if metric not in results:
            raise ValueError(f"it has no metric {metric!r}; its metrics are {known}")
        return metric
    of_f1 = [name for name in results if name.partition("(")[0] == KeyphraseF1.name]
    candidates = of_f1 if len(of_f1) == 1 else list(results)
    if len(candidates) > 1:
        raise ValueError(f"it has several metrics ({known}); choose one with --metric")
    return candidates[0]


@dataclass(frozen=True)
class Rescored:
    """The user's own predictions, scored under both answers, and by the paper's methods where there are texts.

    Attributes:
        a, b: keyphrase_f1 as A and as B use it.
        notes: what was assumed.
        scores: system -> key -> A's score and B's.
        methods: system -> key -> one score for each of :data:`q10.METHODS`; empty without texts.
    """

    a: Metric
    b: Metric
    notes: list[str]
    scores: dict[str, dict[str, tuple[float | None, float | None]]]
    methods: dict[str, dict[str, tuple[float | None, ...]]]


def _rescore(options: argparse.Namespace, a: Record, b: Record) -> Rescored:
    progress, collected = Progress(), Collected()
    *both, notes = q10.rescoring(a, b)
    ours, theirs = (_metric(letter, parameters) for letter, parameters in zip("AB", both, strict=True))
    shared = {key: both[0][key] for key in ("lowercase", "hyphens", "tokenizer", "stemmer", "deduplicate")}
    methods = [Metric.of(KeyphraseF1.name, preset=preset, **shared) for preset in q10.METHODS]
    with told_warnings(), progress.shown():
        metrics, systems = read_inputs(_as_of_score(options, {str(ours), str(theirs)}), collected, progress)
        collected.raise_if_any()
        cutoffs = metrics[0].measure.cutoffs  # type: ignore[attr-defined]
        found = {name: _scored(system, [ours, theirs], cutoffs) for name, system in systems.items()}
        with_texts = {name: system for name, system in systems.items() if system.documents.sources is not None}
        by_method = {name: _scored(system, methods, cutoffs) for name, system in with_texts.items()}
    tell_subsets(systems)
    if len(with_texts) < len(systems):
        notes.append("there are no texts, so methods F+ and S, which need them, are left out")
    pairs = {name: {key: (row[0], row[1]) for key, row in rows.items()} for name, rows in found.items()}
    if not any(pairs.values()):
        notes.append("A and B give scores under different keys, so there is none to compare")
    return Rescored(ours, theirs, notes, pairs, by_method)


def _metric(letter: str, parameters: Mapping[str, Any]) -> Metric:
    try:
        return Metric.of(KeyphraseF1.name, **parameters)
    except ValueError as error:
        raise io.InputError(f"{letter}: {error}") from None


def _as_of_score(options: argparse.Namespace, metrics: set[str]) -> argparse.Namespace:
    """Return the options with which ``score`` would read the same files."""
    parser = argparse.ArgumentParser()
    add_shared(parser)
    given = {name: value for name, value in vars(options).items() if name not in ("metric", "records", "rescore")}
    return argparse.Namespace(
        **{**vars(parser.parse_args([])), **given, "files": options.rescore, "metrics": sorted(metrics)}
    )


def _scored(
    system: System, metrics: Sequence[Metric], cutoffs: Sequence[int | str]
) -> dict[str, tuple[float | None, ...]]:
    """Return key -> the score that each metric gives; keys that not all of them have are left out."""
    distinct = {
        str(metric): Metric.of(metric.measure.name, **dict(metric.named), cutoffs=cutoffs) for metric in metrics
    }
    results = system.score(list(distinct.values()))
    scores = [results[str(distinct[str(metric)])].scores for metric in metrics]
    return {key: tuple(score[key] for score in scores) for key in scores[0] if all(key in score for score in scores)}


def _means(rows: Mapping[str, Mapping[str, Sequence[float | None]]]) -> dict[str, list[float | None]]:
    """Return key -> the mean over systems of the symmetric percent differences to the first score, as the paper."""
    means = {}
    for key in next(iter(rows.values()), {}):
        found = [_percents(of[key]) for of in rows.values()]
        means[key] = [
            None if any(value is None for value in column) else fmean(value for value in column if value is not None)
            for column in zip(*found, strict=True)
        ]
    return means


def _percents(scores: Sequence[float | None]) -> list[float | None]:
    first, *others = scores
    return [q10.symmetric_percent_difference(first, other) for other in others]


def _difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else b - a


def _as_json(a: Record, b: Record, comparison: Comparison, rescored: Rescored | None) -> dict[str, Any]:
    value = {
        "keyphrase_metrics": importlib.metadata.version("keyphrase-metrics"),
        "verdict": str(comparison.verdict),
        "comparable": {Verdict.COMPARABLE: True, Verdict.NOT_COMPARABLE: False}.get(comparison.verdict),
        "questions": [
            {
                "question": found.question.key,
                "title": found.question.title,
                "finding": str(found.finding),
                "not_said_by": list(found.not_said_by),
                "meaning": found.question.meaning,
                "answers": {
                    part.part.name: {"a": part.a, "b": part.b, "asked": part.asked, "finding": str(part.finding)}
                    for part in found.parts
                },
            }
            for found in comparison.questions
        ],
        "a": a.to_dict(),
        "b": b.to_dict(),
    }
    return value if rescored is None else {**value, "rescored": _rescored_as_json(rescored)}


def _rescored_as_json(rescored: Rescored) -> dict[str, Any]:
    return {
        "a": str(rescored.a.measure.signature()),
        "b": str(rescored.b.measure.signature()),
        "notes": rescored.notes,
        "systems": {
            system: {
                key: {"a": a, "b": b, "difference": _difference(a, b), "symmetric_percent": _percents((a, b))[0]}
                for key, (a, b) in rows.items()
            }
            for system, rows in rescored.scores.items()
        },
        "mean_symmetric_percent": {key: mean for key, (mean,) in _means(rescored.scores).items()},
        "methods": {
            system: {
                key: {
                    "scores": dict(zip(q10.METHODS, row, strict=True)),
                    "symmetric_percent": dict(zip(q10.METHODS[1:], _percents(row), strict=True)),
                }
                for key, row in rows.items()
            }
            for system, rows in rescored.methods.items()
        },
        "methods_mean_symmetric_percent": {
            key: dict(zip(q10.METHODS[1:], row, strict=True)) for key, row in _means(rescored.methods).items()
        },
    }


def _show(options: argparse.Namespace, comparison: Comparison, rescored: Rescored | None) -> None:
    screen = Screen()
    for letter, path in zip("AB", options.records, strict=True):
        screen.line(visible(f"{letter}: {path}"))
    screen.line()
    rows = [row for found in comparison.questions for row in _question_rows(found)]
    screen.table(["question", "asked", "A", "B", "finding"], rows, text_columns=5)
    if comparison.verdict != Verdict.COMPARABLE:
        screen.heading("what that means")
    for found in comparison.questions:
        if found.finding != Finding.SAME:
            screen.paragraph(
                f"{found.question.key} {_finding(found.finding, found.not_said_by)}: {found.question.meaning}"
            )
    screen.heading(_verdict(comparison))
    if rescored is not None:
        _show_rescored(screen, rescored)
    screen.show()


def _question_rows(found: QuestionFinding) -> Iterator[list[str]]:
    for index, part in enumerate(found.parts):
        first = "" if index else f"{found.question.key} {found.question.title}"
        finding = _finding(part.finding, part.not_said_by) if part.asked else "not asked"
        yield [first, part.part.name, _cell(part.a), _cell(part.b), finding]


def _cell(answer: Any) -> str:
    return DASH if answer is None else visible(q10.answer_text(answer))


def _finding(finding: Finding, not_said_by: Sequence[str]) -> str:
    return f"{finding} by {' and '.join(not_said_by)}" if finding == Finding.NOT_SAID else str(finding)


def _verdict(comparison: Comparison) -> str:
    reasons = [
        f"{finding}: {', '.join(keys)}"
        for finding in (Finding.DIFFERENT, Finding.NOT_SAID)
        if (keys := comparison.keys(finding))
    ]
    words = {Verdict.NOT_COMPARABLE: "NOT comparable", Verdict.CANNOT_BE_TOLD: "comparable? cannot be told"}
    return f"{words.get(comparison.verdict, 'comparable')}" + (f" ({'; '.join(reasons)})" if reasons else "")


def _show_rescored(screen: Screen, rescored: Rescored) -> None:
    """Show how far the methods alone move the scores of the user's predictions."""
    screen.heading("rescored: the same predictions as A scores them and as B does")
    rows = [
        [visible(system) if not index else "", key, number(a), number(b), *_changes(a, b)]
        for system, of in rescored.scores.items()
        for index, (key, (a, b)) in enumerate(of.items())
    ]
    rows += [["mean", key, "", "", "", _percent(mean)] for key, (mean,) in _means(rescored.scores).items()][
        : None if len(rescored.scores) > 1 else 0
    ]
    if rows:
        screen.table(["system", "key", "A", "B", "B − A", "sym. %"], rows, text_columns=2)
    if rescored.methods:
        _show_methods(screen, rescored)
    for note in rescored.notes:
        screen.line(visible(f"note: {note}"))
    screen.line("sym. %: symmetric percent difference, 200·(B − A)/(A + B)")


def _show_methods(screen: Screen, rescored: Rescored) -> None:
    screen.heading("the same predictions by the methods of the paper, prepared as A prepares them")
    f1 = [
        [visible(system), key, *map(number, row), *map(_percent, _percents(row))]
        for system, of in rescored.methods.items()
        for key, row in of.items()
        if key.startswith("f1@")
    ]
    means = [["mean", key, "", "", "", *map(_percent, row)] for key, row in _means(rescored.methods).items()]
    shown = [row for row in means if row[1].startswith("f1@")] if len(rescored.methods) > 1 else []
    headers = [*q10.METHODS, *(f"{method} to {q10.METHODS[0]} %" for method in q10.METHODS[1:])]
    screen.table(["system", "key", *headers], [*f1, *shown], text_columns=2)
    screen.line()


def _changes(a: float | None, b: float | None) -> list[str]:
    difference = _difference(a, b)
    return [DASH if difference is None else f"{difference:+.4f}", _percent(_percents((a, b))[0])]


def _percent(value: float | None) -> str:
    return DASH if value is None else f"{value:+.1f}"
