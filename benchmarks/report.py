"""Time and size of a report and of tables, printed with their conditions; nothing is asserted.

    python benchmarks/report.py [--systems 20] [--documents 20000] [--scores 10] [--fields 2] [--groups 5] [--runs 1]
                                [--write report.html]

Scores per document, intervals and tests are made up: what is measured starts where the comparison has ended.
"""

import argparse
import platform

import numpy as np
from lexical import best, peak

from keyphrase_metrics.compare.study import Contrast, MetricStudy, Settings, Slice, Study
from keyphrase_metrics.compare.tables import FORMS, table
from keyphrase_metrics.core.counts import Counts
from keyphrase_metrics.core.signature import Fingerprint
from keyphrase_metrics.core.statistics import Statistics
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.reports.comparison import render
from keyphrase_metrics.results import Result, Scores
from keyphrase_metrics.stats.bootstrap import Interval

METRIC = Metric.parse("r_precision")


def made_scores(systems, documents, scores):
    """Hits among a few references, so that scores repeat as real ones do, and a score of many values."""
    draw = np.random.default_rng(0)
    references, easy = draw.integers(1, 12, documents), draw.beta(2, 4, documents)
    found = {}
    for system in systems:
        columns = {"documents": np.ones(documents, np.int64), "empty": np.zeros(documents, np.int64)}
        for number in range(scores):
            hits = draw.binomial(references, easy) / references
            columns[f"score@{number}"] = hits if number % 2 else hits * draw.random(documents)
        statistics = Statistics(columns)
        data = Fingerprint(documents, {"references": 1})
        result = Result(METRIC, statistics.sums(), Counts(documents), data, METRIC.measure.signature(), statistics)
        found[system] = Scores([result])
    return found


def around(value):
    return Interval(value, value - 0.004, value + 0.004, "bca")


def made_study(scores, fields, groups):
    """A study of the means, with the same interval everywhere."""
    systems, results = list(scores), {system: of["r_precision"] for system, of in scores.items()}
    baseline, *others = systems
    means = {system: result.scores for system, result in results.items()}
    intervals = {system: {key: around(value) for key, value in of.items()} for system, of in means.items()}
    differences = {
        system: {key: around(value - means[baseline][key]) for key, value in means[system].items()} for system in others
    }
    contrasts = {
        system: {key: Contrast(interval, 0.01, 0.04, False, 0.01, 0.1) for key, interval in of.items()}
        for system, of in differences.items()
    }
    first = results[baseline]
    part = {"r_precision": intervals}, {"r_precision": differences}
    slices = {
        f"field {field}": [Slice(f"group {group}", first.n_documents // groups, *part) for group in range(groups)]
        for field in range(fields)
    }
    one = MetricStudy(first.signature, first.data, first.n_documents, intervals, contrasts)
    return Study(systems, baseline, Settings(), {"r_precision": one}, slices)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {
        "systems": 20,
        "documents": 20_000,
        "scores": 10,
        "fields": 2,
        "groups": 5,
        "runs": 1,
    }.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--write", metavar="FILE", help="keep the report")
    options = parser.parse_args()
    systems = [f"system {number}" for number in range(options.systems)]
    scores = made_scores(systems, options.documents, options.scores)
    study = made_study(scores, options.fields, options.groups)
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, best of {options.runs}")
    print(
        f"{options.systems} systems, {options.documents:,} documents, {options.scores} scores, {options.fields} fields "
        f"of {options.groups} groups"
    )
    before, ids = peak(), [f"document-{number}" for number in range(options.documents)]
    seconds = best(options.runs, lambda: render(study, scores, ids=ids))
    page = render(study, scores, ids=ids)
    print(f"report: s {seconds:.4g}, MB {len(page.encode()) / 1e6:.4g}, peak, MB {peak():.4g} (before {before:.4g})")
    for form in FORMS:
        seconds = best(options.runs, lambda form=form: table(study, form))
        print(f"{form}: s {seconds:.4g}, KB {len(table(study, form).encode()) / 1e3:.4g}")
    if options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
