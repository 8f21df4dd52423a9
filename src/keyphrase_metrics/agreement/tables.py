"""What was found as tables: for the terminal, the page, and papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from keyphrase_metrics.agreement.estimates import Estimate
from keyphrase_metrics.agreement.phrase_level import PHRASE_STATISTICS
from keyphrase_metrics.agreement.ranking import DOCUMENT_LEVEL, STATISTICS, SYSTEM_LEVEL
from keyphrase_metrics.agreement.study import MetaEvaluation
from keyphrase_metrics.compare.plain_tables import Table, for_paper
from keyphrase_metrics.formatting import DASH, count, number, p_value, percent, signed

_SHOWN = 24  # rows of tests up to which the table is not folded
_SHORT = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall": "Kendall’s τ-b",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
    "document_kendall": "Kendall’s τ-b",
    "document_accuracy": "pairwise accuracy",
    "rank_correlation": "Spearman’s ρ",
    "auc": "AUC",
}


def tables(found: MetaEvaluation) -> dict[str, list[Table]]:
    """Return lists, phrases, tests, disagreements and left_out, as far as there is something -> its tables."""
    rows = [[what, str(n), ", ".join(found.examples[what]) or DASH] for what, n in found.left_out.items()]
    parts = {
        "lists": list(_levels(found)),
        "phrases": list(_phrases(found)),
        "tests": list(_tests(found)),
        "disagreements": list(_disagreements(found)),
        "left_out": [Table("Left out", ["what", "number", "for instance"], rows)] if rows else [],
    }
    return {name: part for name, part in parts.items() if part}


def _levels(found: MetaEvaluation) -> Iterator[Table]:
    if any(each.value is not None for of in found.lists.values() for each in of.values()):
        names = "Systems: agreement with people on their order", "Within documents: agreement on the order of systems"
        for title, names_of in zip(names, (SYSTEM_LEVEL, DOCUMENT_LEVEL), strict=True):
            rows = [[key, *(_with_interval(of[name]) for name in names_of)] for key, of in found.lists.items()]
            header = ["score", *map(_SHORT.__getitem__, names_of)]
            if names_of is DOCUMENT_LEVEL:
                header.append("tied up to")
                rows = [[*row, number(found.thresholds[row[0]])] for row in rows]
            yield Table(title, header, rows)


def _phrases(found: MetaEvaluation) -> Iterator[Table]:
    if not found.phrases:
        return
    rows = [
        [
            key,
            kind,
            str(of.n),
            number(of.mean_credit, 3),
            _with_interval(of.mean_rating),
            *(_with_interval(of.statistics[name]) for name in PHRASE_STATISTICS),
        ]
        for key, level in found.phrases.items()
        for kind, of in level.kinds.items()
    ]
    header = ["score", "kind of match", "phrases", "mean credit", "mean rating", "Spearman’s ρ", "AUC"]
    good = next(iter(found.phrases.values())).good
    title = f"Phrases: what a score pays, and what people think of it (AUC: of those rated {good:g} or more)"
    yield Table(title, header, rows, text_columns=2)
    curve = [
        [key, _range(each.low, each.high), str(each.n), number(each.mean_credit, 3), _with_interval(each.mean_rating)]
        for key, level in found.phrases.items()
        for each in level.calibration
    ]
    header = ["score", "credit", "phrases", "mean credit", "mean rating"]
    yield Table("Calibration: the rating of phrases that are paid alike", header, curve, text_columns=2, folded=True)


def _tests(found: MetaEvaluation) -> Iterator[Table]:
    rows = [
        [
            {**STATISTICS, **PHRASE_STATISTICS}[name],
            each.a,
            each.b,
            signed(None if each.test is None else each.test.difference, 2),
            p_value(None if each.test is None else each.test.p),
            p_value(each.corrected),
        ]
        for name, pairs in found.tests.items()
        for each in pairs
    ]
    if rows:
        header = ["statistic", "a", "b", "a − b", "p", "p (Holm)"]
        title = "Which score agrees better (permutation test, PERM-BOTH)"
        yield Table(title, header, rows, text_columns=3, folded=len(rows) > _SHOWN)


def _disagreements(found: MetaEvaluation) -> Iterator[Table]:
    if found.disagreements:
        rows = [
            [
                found.ids[each.document],
                *each.systems,
                *map(number, each.scores),
                *(number(rating, 2) for rating in each.ratings),
            ]
            for each in found.disagreements
        ]
        key = found.disagreements[0].key
        header = ["document", "a", "b", f"{key}: a", "b", "people: a", "b"]
        yield Table(f"Documents in which {key} and people prefer different systems", header, rows, text_columns=3)
    if found.phrase_disagreements:
        rows = [
            [
                found.ids[each.document],
                each.system,
                each.phrase,
                each.kind,
                number(each.credit, 3),
                number(each.rating, 2),
            ]
            for each in found.phrase_disagreements
        ]
        key = found.phrase_disagreements[0].key
        header = ["document", "system", "phrase", "kind of match", f"credit ({key})", "rating"]
        yield Table("Phrases that are paid much and rated low, or the other way round", header, rows, text_columns=4)


def _with_interval(estimate: Estimate) -> str:
    if estimate.value is None:
        return DASH
    return f"{number(estimate.value, 2)} [{number(estimate.low, 2)}, {number(estimate.high, 2)}]"


def _range(low: float, high: float) -> str:
    return number(low, 3) if low == high else f"{number(low, 3)} to {number(high, 3)}"


def made_how(found: MetaEvaluation) -> str:
    """Return the sentence about intervals and tests."""
    settings = found.settings
    return (
        f"{count(found.n_judgements)} judgements of {found.kind}; {percent(settings.confidence, None)} intervals from "
        f"{count(settings.resamples)} bootstrap resamples of documents and systems, "
        f"{count(settings.permutations)} permutations, seed {settings.seed}."
    )


def raters(found: MetaEvaluation) -> str:
    """Return the sentence about raters."""
    if found.alpha.value is None:
        return f"Agreement among raters is not known: {found.alpha.reason}."
    alpha = f"{len(found.raters)} raters, Krippendorff’s α ({found.settings.level}) {_with_interval(found.alpha)}"
    return f"{alpha}, over resamples of documents."


def written_tables(found: MetaEvaluation, form: str) -> str:
    """Return the tables for a paper: LaTeX (for ``booktabs``) or Markdown; or CSV, a row for each number, in full.

    Raises:
        InputError: for another form.
    """
    said = [made_how(found), raters(found), *found.notes]
    signatures = [[signature] for signature in found.signatures.values()]
    return for_paper(form, chain.from_iterable(tables(found).values()), said, signatures, csv_rows(found))


def csv_rows(found: MetaEvaluation) -> Iterator[Sequence[object]]:
    """Yield a header, then level, score, kind, statistic, value, low, high and reason of every estimate."""
    yield ["level", "score", "kind", "statistic", "value", "low", "high", "reason"]
    yield ["raters", "", "", "krippendorff_alpha", *found.alpha]
    for key, of in found.lists.items():
        for level, names in (("systems", SYSTEM_LEVEL), ("documents", DOCUMENT_LEVEL)):
            yield from ([level, key, "", name, *of[name]] for name in names)
    for key, phrases in found.phrases.items():
        for kind, each in phrases.kinds.items():
            estimates: Mapping[str, Estimate] = {"mean_rating": each.mean_rating, **each.statistics}
            yield from (["phrases", key, kind, name, *estimate] for name, estimate in estimates.items())
