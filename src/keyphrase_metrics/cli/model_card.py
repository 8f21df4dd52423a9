"""``keyphrase-metrics model-card``: scores as evaluation results in the card of a model on the Hugging Face Hub."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from keyphrase_metrics import io
from keyphrase_metrics.cli.outputs import add_keys
from keyphrase_metrics.cli.terminal import print_warnings_at_exit
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from huggingface_hub import EvalResult

_TASKS = ("keyphrase-extraction", "keyphrase-generation")

TEXTS = {
    "usage": "%(prog)s SCORES.json --model ORG/NAME [options]",
    "description": "Write scores as evaluation results into the card of a model on the Hugging Face Hub.",
    "epilog": """\
Each score becomes a result of the card's model-index, with its signature, the fingerprint of its data and
the answers to Q-10 that are known: what signature and data answer, and the record that --answers names. A result that
is there already, with the same signature, data and system, is replaced; all else in the card stays as it is.

Updating a card needs a token that may write to ORG ("hf auth login", or HF_TOKEN).

examples:
  keyphrase-metrics score run.jsonl --references test.jsonl --output scores.json
  keyphrase-metrics model-card scores.json --model ORG/NAME --dataset taln-ls2n/inspec --dry-run card.md
  keyphrase-metrics model-card scores.json --model ORG/NAME --answers ours.toml --keys f1@10 r_precision""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.add_argument("scores", metavar="SCORES.json", type=Path, help='what "keyphrase-metrics score" wrote as JSON')
    parser.add_argument("--model", metavar="ORG/NAME", required=True, help="the repository of the model")
    parser.add_argument("--system", metavar="NAME", help="the system that is the model, where the file has several")
    add_keys(parser, "which scores: f1@5, all of a metric as keyphrase_f1, or keyphrase_f1/f1@5 (default: all)")
    parser.add_argument("--answers", metavar="FILE", type=Path, help="record with what only you know of Q-10, in TOML")
    parser.add_argument(
        "--dataset",
        metavar="NAME",
        help="the data set, as the Hub names it (default: the test set that Q-7 is answered with)",
    )
    parser.add_argument("--dataset-config", metavar="CONFIG", help="its configuration")
    parser.add_argument("--split", metavar="SPLIT", help="its split")
    parser.add_argument("--task", choices=_TASKS, default=_TASKS[0], help=f"what the model does (default: {_TASKS[0]})")
    parser.add_argument("--dry-run", metavar="FILE", type=Path, help="write the card into this file, upload nothing")
    parser.add_argument(
        "--card",
        metavar="FILE",
        type=Path,
        help="with --dry-run: the card that the results are added to (default: a new one)",
    )


def run(options: argparse.Namespace) -> int:
    """Make the results, and write or upload the card."""
    from keyphrase_metrics.compare import q10
    from keyphrase_metrics.publishing import eval_results, read_scores, update_model_card
    from keyphrase_metrics.publishing.repositories import owner_and_name

    owner_and_name(options.model, "model")
    card = _read_card(options)
    scores = read_scores(options.scores)
    answers = None if options.answers is None else q10.read(options.answers)
    with print_warnings_at_exit():
        try:
            results = eval_results(
                scores,
                system=options.system,
                keys=options.keys,
                answers=answers,
                dataset=options.dataset,
                dataset_config=options.dataset_config,
                split=options.split,
                task=options.task,
            )
        except InputError as error:
            raise error.within_file(visible(str(options.scores))) from None
    if options.dry_run is None:
        where, done = update_model_card(options.model, results), "uploaded"
    else:
        where, done = _write_card(options, card, results), "nothing was uploaded"
    number = f"{len(results)} result{'s' * (len(results) != 1)}"
    sys.stdout.write(f"{where}: {number} of {options.model} on {results[0].dataset_name}; {done}\n")
    _tell_unsaid(results)
    return 0


def _read_card(options: argparse.Namespace) -> str:
    """Return the card to add to, after checks that the new one may be written."""
    if options.dry_run is None:
        if options.card is not None:
            raise InputError("--card is for --dry-run; without it the card on the Hub is added to", code="exclusive")
        return ""
    io.check_output(options.dry_run, [".md"])
    same = options.card is not None and os.path.realpath(options.card) == os.path.realpath(options.dry_run)
    if options.dry_run.exists() and not same:
        again = visible(str(options.dry_run))
        raise InputError(
            f"is there already and is not overwritten; to add to it, name it with --card {again} too",
            code="file-exists",
            place=str(options.dry_run),
        )
    if options.card is None:
        return ""
    try:
        return str(options.card.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{error.strerror or error}", code="unreadable", place=str(options.card)) from None
    except UnicodeDecodeError as error:
        raise InputError(f"is not in UTF-8 (byte {error.start})", code="not-utf8", place=str(options.card)) from None


def _write_card(options: argparse.Namespace, card: str, results: Sequence[EvalResult]) -> str:
    from keyphrase_metrics.publishing import with_results

    try:
        text = with_results(card, options.model, results)
    except InputError as error:
        raise error.within_file(str(options.card)) from None
    with io.atomic(options.dry_run) as file:
        file.write(text.encode())
    return visible(str(options.dry_run))


def _tell_unsaid(results: Sequence[EvalResult]) -> None:
    """Say which questions of Q-10 the card leaves open."""
    from keyphrase_metrics.compare.q10 import Record

    unsaid = dict.fromkeys(
        name.partition(".")[0]
        for result in results
        for name in Record((result.metric_args or {}).get("q10", {})).unsaid()
    )
    if unsaid:
        sys.stderr.write(
            f"note: not all is said of {', '.join(unsaid)} of Q-10; --answers FILE adds a record, which "
            "keyphrase-metrics q10 --template begins\n"
        )
