"""``keyphrase-metrics q10``: may two published numbers be compared, and how far do their methods alone move a score?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keyphrase_metrics import io
from keyphrase_metrics.cli.outputs import add_json, print_json
from keyphrase_metrics.cli.q10_inputs import read_record
from keyphrase_metrics.cli.q10_report import as_json, show
from keyphrase_metrics.cli.q10_rescoring import rescore
from keyphrase_metrics.cli.terminal import ErrorCollector
from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.q10 import Verdict
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible

NOT_COMPARABLE = 1

TEXTS = {
    "usage": "%(prog)s A B [options]\n       %(prog)s --template [FILE]",
    "description": "Compare what two records answer to the ten questions of Q-10 (Popova, 2025).",
    "epilog": """A and B are records in TOML or YAML (--template writes an empty one), or JSON that
"keyphrase-metrics score --output" wrote: its signature answers Q-1 to Q-3 and what the evaluator did,
--answers or its own "q10" the rest.
The exit status is 0 when all answers are the same, 1 when some differ or are not said, 2 for wrong input.

examples:
  keyphrase-metrics q10 --template paper.toml
  keyphrase-metrics q10 scores.json paper.toml --answers ours.toml
  keyphrase-metrics q10 scores.json paper.toml --rescore run.jsonl --references test.jsonl""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.add_argument(
        "records", metavar="A B", nargs="*", type=Path, help="two records: .toml or .yaml, or scores as .json"
    )
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
    add_json(parser)
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
    collected = ErrorCollector()
    _check(options, collected)
    collected.raise_if_any()
    metrics, answers = _each(options.metric), _each(options.answers)
    sides = zip(options.records, metrics, answers, strict=True)
    a, b = (collected.attempt(read_record, *side) for side in sides)
    collected.raise_if_any()
    assert a is not None
    assert b is not None
    comparison = q10.compare(a, b)
    rescored = rescore(options, a, b) if options.rescore else None
    if options.json:
        print_json(as_json(a, b, comparison, rescored))
    else:
        show(options.records, comparison, rescored)
    return 0 if comparison.verdict == Verdict.COMPARABLE else NOT_COMPARABLE


def _check(options: argparse.Namespace, collected: ErrorCollector) -> None:
    """Note which options are missing or of no use."""
    if len(options.records) != 2:
        collected.problems.append(f"q10 compares two records, A and B, but {len(options.records)} are given")
    scores = [path for path in options.records if path.suffix not in q10.SUFFIXES]
    for name, given in (("--answers", options.answers), ("--metric", options.metric)):
        if len(given) > 2:
            collected.problems.append(f"{name} takes one or two values, A's and B's, but {len(given)} are given")
        if given and len(scores) < min(len(given), 2):
            collected.problems.append(f"{name} is for scores in JSON; records speak for themselves")
    rescoring = ("references", "system", "cutoffs", "predictions_field", "id_field", "references_field", "source_field")
    if not options.rescore:
        unused = [name for name in (*rescoring, "subset", "by_order") if getattr(options, name)]
        collected.problems += [f"--{name.replace('_', '-')} is for --rescore, which is not given" for name in unused]


def _each(given: Sequence[Any]) -> tuple[Any, Any]:
    """Return A's and B's value of an option that may be given once for both."""
    return (given[0], given[-1]) if given else (None, None)


def _write_template(options: argparse.Namespace) -> int:
    if options.records:
        raise InputError("--template writes an empty record and compares none; give it alone", code="exclusive")
    if not options.template:
        sys.stdout.write(q10.template())
        return 0
    path = Path(options.template)
    io.check_output(path, (q10.SUFFIX,))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(q10.template())
    except FileExistsError:
        raise InputError("is there already and is not overwritten", code="file-exists", place=str(path)) from None
    sys.stdout.write(f"{visible(str(path))}: an empty record; fill it in\n")
    return 0
