"""``keyphrase-metrics published``: of all published numbers on a data set, which are comparable with mine?"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from keyphrase_metrics import published
from keyphrase_metrics.cli.outputs import add_json, print_json
from keyphrase_metrics.cli.published_json import as_json, overview_as_json
from keyphrase_metrics.cli.published_report import PublishedQuery, show, show_datasets, show_scores
from keyphrase_metrics.cli.published_rows import FOLDERS, load_registry
from keyphrase_metrics.cli.q10_inputs import pick_metric, read_record
from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.comparability import read_scores
from keyphrase_metrics.compare.q10 import Difference
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.published import Compared, Registry
from keyphrase_metrics.published.entries import as_known


@dataclass(frozen=True)
class Own:
    """What published scores are compared with.

    Attributes:
        dataset: the key of its data set.
        compared: the answers.
        name: what to call it.
        values: system -> score such as ``f1@10`` -> value in percent; empty for a method.
    """

    dataset: str
    compared: Compared
    name: str
    values: dict[str, dict[str, float]] = field(default_factory=dict)


TEXTS = {
    "description": "List published scores, and say which are comparable with one's own, which are not, and why.",
    "epilog": f"""Without DATASET the data sets are listed, without --score the scores that a data set has.
--like takes scores in JSON as "keyphrase-metrics score --output" wrote them, a record in TOML
("keyphrase-metrics q10 --template" writes an empty one), or a source's own method. Each row then has two
verdicts: on the evaluation (Q-1 to Q-3, Q-7 to Q-10 of Popova, 2025) and on the extraction of candidates
(Q-4 to Q-6). Without it, rows whose evaluations are answered alike stand together.
{FOLDERS} names folders as --add does.

examples:
  keyphrase-metrics published inspec
  keyphrase-metrics published inspec --score f1@10
  keyphrase-metrics published inspec:uncontrolled --score f1@10 --like popova2025q10:F
  keyphrase-metrics published --score f1@10 --like scores.json --answers ours.toml
  keyphrase-metrics published inspec --like scores.json --system KeyBART""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.add_argument("dataset", metavar="DATASET", nargs="?", help="name, or NAME:REFERENCES (inspec:uncontrolled)")
    parser.add_argument("--score", metavar="KEY", help="such as f1@10, f1@M, map, present_f1@5")
    parser.add_argument("--like", metavar="WHAT", help="compare with this: SCORES.json, RECORD.toml or SOURCE:METHOD")
    parser.add_argument("--metric", metavar="SPEC", help="which metric of SCORES.json, as its file writes it")
    parser.add_argument("--answers", metavar="FILE", type=Path, help="record with what only you know about SCORES.json")
    parser.add_argument(
        "--system", metavar="NAME", nargs="+", default=[], help="these systems only, and every score that they have"
    )
    parser.add_argument("--all", action="store_true", help="also list scores that repeat a row which is here")
    parser.add_argument("--same", action="store_true", help="list rows of the same evaluation only")
    parser.add_argument(
        "--add",
        metavar="FOLDER",
        nargs="+",
        default=[],
        help="more published scores, from folders that are laid out as docs/published.md says",
    )
    parser.add_argument("--bibtex", action="store_true", help="print the citations of the listed rows only")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """List data sets, scores of one, or the rows of a score."""
    registry = load_registry(options.add)
    _check(options)
    own = None if options.like is None else _read_own(registry, options)
    if own is None and options.dataset is None:
        if options.json:
            print_json(overview_as_json(registry))
        else:
            show_datasets(registry)
        return 0
    dataset, references = (own.dataset, None) if own is not None else published.named(registry, options.dataset)
    systems = [registry.system(name).name for name in options.system]
    scores = _scores(registry, dataset, options.score, systems)
    compared = None if own is None else own.compared
    question = PublishedQuery(registry, None if own is None else own.name, compared, {} if own is None else own.values)
    if len(scores) > 1 and not systems:
        if options.json:
            print_json(overview_as_json(registry, dataset))
        else:
            show_scores(question, dataset)
        return 0
    listings = [
        published.find(
            registry, dataset, score, compared, references=references, systems=systems, quotations=options.all
        )
        for score in scores
    ]
    if options.same:
        listings = [replace(listing, rows=tuple(listing.with_finding(Difference.SAME))) for listing in listings]
    if options.bibtex:
        sources = {row.score.source for listing in listings for row in listing.rows}
        sys.stdout.write("\n\n".join(registry.sources[key].citation for key in sorted(sources)) + "\n")
    elif options.json:
        print_json(as_json(question, listings))
    else:
        show(question, listings)
    return 0


def _check(options: argparse.Namespace) -> None:
    is_json = options.like is not None and options.like.endswith(".json")
    if options.same and options.like is None:
        raise InputError("--same is for --like, which is not given", code="exclusive")
    for name in ("metric", "answers"):
        if getattr(options, name) is not None and not is_json:
            raise InputError(f"--{name} is for --like SCORES.json", code="exclusive")
    if options.dataset is None and (options.score or options.system) and not is_json:
        raise InputError("name the data set first; without any, they are listed", code="missing-argument")


def _scores(registry: Registry, dataset: str, score: str | None, systems: list[str]) -> list[str]:
    """Return the scores to list: the one that is asked for, else all that there are."""
    known = published.scores_of(registry, dataset, systems)
    if score is None:
        return list(known)
    scope, name = published.split(score)
    name = as_known(name, known)
    if name not in known:
        names = ", ".join(known) or "none"
        of = f"{dataset} has no published {score}" + (f" of {', '.join(systems)}" if systems else "")
        raise InputError(f"{of}; it has {names}", code="unknown-score", argument="score", value=score, subject=False)
    return [name if scope is None else f"{scope}_{name}"]


def _read_own(registry: Registry, options: argparse.Namespace) -> Own:
    """Return what ``--like`` names."""
    like = options.like
    if like.endswith(".json"):
        return _own_scores(registry, Path(like), options)
    if options.dataset is None:
        raise InputError("name the data set that is meant", code="missing-argument", argument="dataset")
    if like.endswith(q10.SUFFIXES):
        return Own(*published.of_record(registry, q10.read(Path(like)), options.dataset), like)
    method = registry.method(like)
    return Own(*published.of_method(registry, method, options.dataset), method.id)


def _own_scores(registry: Registry, path: Path, options: argparse.Namespace) -> Own:
    found = read_scores(path)
    asked = options.metric
    if asked is None and options.score is not None:  # the metric that has the score, where only one has it
        score = options.score.casefold()
        having = [
            name
            for name, of in found.items()
            if any(score == key.casefold() for scores in of.systems.values() for key in scores)
        ]
        asked = having[0] if len(having) == 1 else None
    metric = pick_metric(found, asked)
    record = read_record(path, metric, options.answers)
    scored = found[metric]
    dataset, compared = published.of_scores(registry, scored.signature, scored.data, None, options.dataset, record)
    values = {
        system: {key: 100 * value for key, value in scores.items() if value is not None}
        for system, scores in scored.systems.items()
    }
    return Own(dataset, compared, f"{metric} of {path}", values)
