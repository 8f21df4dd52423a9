"""A comparison over data sets as tables: for the terminal, the page, and papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from keyphrase_metrics.compare.datasets import DataSetStudy
from keyphrase_metrics.compare.plain_tables import Table, for_paper
from keyphrase_metrics.compare.rankings import SystemRanking
from keyphrase_metrics.compare.study import Contrast, mark
from keyphrase_metrics.compare.table_notes import notes as notes_on
from keyphrase_metrics.compare.tables import provenance
from keyphrase_metrics.formatting import DASH, count, number, p_value, signed
from keyphrase_metrics.stats.concordance import Inversion

_MOST_NAMED = 12  # inversions that are shown; JSON has all


def score_tables(found: DataSetStudy, label: str) -> list[Table]:
    """Return systems by data sets, the comparison with the baseline, and all pairs, by one score."""
    tables = [_scores(found, label)]
    if found.baseline is not None:
        tables.append(_against(found, label))
    if nemenyi := found.rankings[label].nemenyi:
        systems = [one for one in found.rankings[label].mean_ranks if one in nemenyi]
        rows = [[a, *(DASH if a == b else p_value(nemenyi[a][b]) for b in systems)] for a in systems]
        title = f"{label}: p of all pairs over data sets (Nemenyi)"
        tables.append(Table(title, ["system", *systems], rows, folded=len(systems) > 6))
    return tables


def other_tables(found: DataSetStudy) -> list[Table]:
    """Return the inversions between data sets and between scores, and the documents that data sets share."""
    tables = [
        _inversions("Data sets that rank two systems in opposite order", "score", "data sets", found.inversions),
        _inversions("Scores that rank two systems in opposite order", "data set", "scores", found.score_inversions),
    ]
    if found.shared:
        rows = [[*one.datasets, f"{count(one.documents)} of {count(one.given)}", one.by] for one in found.shared]
        header = ["data set", "another", "documents of the first in it", "known by"]
        tables.append(Table("Documents that are in two data sets", header, rows, text_columns=4))
    return [table for table in tables if table.rows]


def _scores(found: DataSetStudy, label: str) -> Table:
    metric, key = found.columns[label]
    ranking = found.rankings[label]
    means = ranking.mean_ranks
    rows = []
    for system in found.systems:
        cells = []
        for dataset, of in found.studies.items():
            one = of.metrics[metric]
            value = ranking.scores[dataset].get(system)
            contrast = one.contrasts.get(system, {}).get(key)
            deviation = None if value is None else one.deviation(system, key)
            rank = ranking.ranks[dataset].get(system)
            parts = [
                number(value) + ("" if contrast is None else mark(contrast, of.settings)),
                "" if deviation is None else f"± {number(deviation)}",
                "" if rank is None else f"({rank:g})",
            ]
            cells.append(" ".join(part for part in parts if part))
        role = " (baseline)" if system == found.baseline else ""
        rows.append([system + role, number(means.get(system), 2), *cells])
    return Table(f"{label}: scores and ranks on each data set", ["system", "mean rank", *found.studies], rows)


def _against(found: DataSetStudy, label: str) -> Table:
    ranking, baseline = found.rankings[label], str(found.baseline)
    rows = []
    for system in (one for one in found.systems if one != baseline):
        contrasts = _contrasts(found, label, system)
        known = [one.difference.estimate for one in contrasts.values() if one and one.difference is not None]
        counts = [sum(value > 0 for value in known), sum(value < 0 for value in known)]
        rows.append(
            [
                system,
                signed(sum(known) / len(known) if len(known) == len(contrasts) else None),
                f"{counts[0]} / {counts[1]} / {len(known) - sum(counts)}",
                p_value(ranking.against.get(system)),
                *(_contrast(one) for one in contrasts.values()),
            ]
        )
    header = ["system", "mean Δ", "above / below / equal", "p (Holm)"]
    title = f"{label}: differences to {baseline}, with Cliff’s δ of the documents"
    return Table(title, [*header, *(f"Δ {dataset} (δ)" for dataset in found.studies)], rows)


def _contrasts(found: DataSetStudy, label: str, system: str) -> dict[str, Contrast | None]:
    metric, key = found.columns[label]
    return {dataset: one.metrics[metric].contrasts.get(system, {}).get(key) for dataset, one in found.studies.items()}


def _contrast(one: Contrast | None) -> str:
    if one is None or one.difference is None:
        return DASH
    return f"{signed(one.difference.estimate)} ({signed(one.delta, 2)})"


def _inversions(title: str, by: str, where: str, found: Sequence[Inversion]) -> Table:
    known = sorted(found, key=lambda one: (one.clear is False, one.clear is None, -one.count))
    rows = [
        [
            one.key,
            " / ".join(one.systems),
            ", ".join(one.ahead),
            ", ".join(one.behind),
            DASH if one.clear is None else "yes" if one.clear else "no",
        ]
        for one in known[:_MOST_NAMED]
    ]
    more = f" ({len(rows)} of {len(found)})" if len(found) > len(rows) else ""
    header = [by, "systems", f"{where} with the first ahead", "with the second ahead", "beyond chance"]
    return Table(f"{title}{more}", header, rows, text_columns=5)


def said_of_tests(label: str, ranking: SystemRanking, named: Callable[[str], str]) -> str:
    """Return the sentence about the tests over data sets."""
    m, n = len(ranking.ranks), len(next(iter(ranking.ranks.values())))
    if ranking.wilcoxon is not None:
        return f"{label}: Wilcoxon's signed-rank test over {m} data sets, p = {p_value(ranking.wilcoxon)}."
    if ranking.test is None:
        return ""
    ways = "all orders" if ranking.test.exact else "random orders"
    said = (
        f"{label}: Friedman's χ²({n - 1}) = {number(ranking.test.chi2, 2)} over {m} data sets and {n} systems, "
        f"p = {p_value(ranking.test.p)} ({ways}); Kendall's W = {number(ranking.w, 2)}."
    )
    if ranking.critical_difference is not None:
        groups = "; ".join(", ".join(map(named, group)) for group in ranking.groups) or "no two systems"
        said += (
            f" Critical difference of mean ranks (Nemenyi): {number(ranking.critical_difference, 2)}; not apart: "
            f"{groups}."
        )
    return said


def notes(found: DataSetStudy, named: Callable[[str], str] = str) -> list[str]:
    """Return the sentences that the tables need to be understood.

    Args:
        found: what the tables show.
        named: how the name of a system or data set is written.
    """
    sentences = [said_of_tests(label, ranking, named) for label, ranking in found.rankings.items()]
    sentences += _of_rankings(found.rankings)
    sentences += _shared(found, named)
    if found.inversions or found.score_inversions:
        sentences.append(
            "“Beyond chance”: on each side one sets the two apart by more than 1.96 standard errors of the mean "
            "difference of documents."
        )
    for dataset, one in found.studies.items():
        first, *rest = notes_on(one, named, bold=False)
        sentences.append(f"{named(dataset)}: {first}")
        sentences += rest
    return list(dict.fromkeys(filter(None, sentences)))


def _of_rankings(rankings: Mapping[str, SystemRanking]) -> Iterator[str]:
    """Yield the notes on rankings, with the score before what is not said of all."""
    for note in dict.fromkeys(note for one in rankings.values() for note in one.notes):
        labels = [label for label, one in rankings.items() if note in one.notes]
        yield note if len(labels) == len(rankings) else f"{', '.join(labels)}: {note}"


def _shared(found: DataSetStudy, named: Callable[[str], str]) -> Iterator[str]:
    for one in found.shared:
        a, b = map(named, one.datasets)
        yield (
            f"{count(one.documents)} of the {count(one.given)} documents of {a} are in {b} (the same {one.by}): the "
            "two are not independent, as the tests over data sets take them to be."
        )


def written(found: DataSetStudy, form: str) -> str:
    """Return the tables for a paper: LaTeX (for ``booktabs``) or Markdown; or CSV, a row for each score and system.

    Raises:
        InputError: for another form.
    """
    tables = [table for label in found.rankings for table in score_tables(found, label)] + other_tables(found)
    made_of = [f"{dataset}: {line}" for dataset, one in found.studies.items() for line in provenance(one)]
    return for_paper(form, tables, notes(found), [made_of], csv_rows(found))


def csv_rows(found: DataSetStudy) -> Iterator[Sequence[object]]:
    """Yield a header, and a row for each score, data set and system, with the tests over all data sets."""
    yield [
        *("score", "metric", "key", "dataset", "system", "value", "low", "high", "runs_deviation", "rank"),
        *("baseline", "difference", "difference_low", "difference_high", "p_corrected", "cliffs_delta"),
        *("mean_rank", "p_over_datasets_holm", "friedman_chi2", "friedman_p", "kendall_w", "critical_difference"),
    ]
    for label, (metric, key) in found.columns.items():
        ranking = found.rankings[label]
        test = ranking.test
        for dataset, one in found.studies.items():
            for system in one.systems:
                contrast = one.metrics[metric].contrasts.get(system, {}).get(key)
                difference = None if contrast is None else contrast.difference
                yield [
                    *(label, metric, key, dataset, system),
                    *((one.metrics[metric].scores[system][key] or (None,) * 3)[:3]),
                    one.metrics[metric].deviation(system, key),
                    ranking.ranks[dataset].get(system),
                    found.baseline,
                    *((difference or (None,) * 3)[:3]),
                    contrast and contrast.p_corrected,
                    contrast and contrast.delta,
                    ranking.mean_ranks.get(system),
                    ranking.against.get(system),
                    test and test.chi2,
                    test and test.p,
                    ranking.w,
                    ranking.critical_difference,
                ]
