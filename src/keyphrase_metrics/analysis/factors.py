"""Exploratory factor analysis: how many things metrics measure, and which metric measures which.

Source: Venturini & Kinkel (2025), sections 4.2 and 5.4, Figure 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

import numpy as np
from scipy import stats

from keyphrase_metrics.analysis.base import AnalysisInput, Table, plain
from keyphrase_metrics.analysis.scores import ScoreTable
from keyphrase_metrics.formatting import count, number, p_value, percent
from keyphrase_metrics.optional import importing
from keyphrase_metrics.stats.correlations import constant, unknown
from keyphrase_metrics.text.arrays import Floats

_DRAWS = 1_000
_PERCENTILE = 95
_SAME = 1e-8  # of 1 less a correlation
_NO_NOISE = 0.005
_TOLERANCE, _ITERATIONS = 1e-8, 5_000  # of the log-likelihood of the few rows


@dataclass(frozen=True)
class Adequacy:
    """Whether correlations are worth a factor analysis.

    Attributes:
        kmo: Kaiser, Meyer and Olkin's measure of sampling adequacy; above 0.6 is usually asked for.
        bartlett: chi squared of Bartlett's test that no two scores are correlated.
        df: of it.
        p: of it.
    """

    kmo: float
    bartlett: float
    df: int
    p: float


@dataclass(frozen=True)
class Factors:
    """What the factor analysis found.

    Attributes:
        keys: the scores that took part.
        rows: how many scores of each there were: documents of all systems and data sets.
        correlations: (keys, keys) Pearson's r.
        eigenvalues: (keys,) of the correlations, largest first.
        thresholds: (keys,) the 95th percentile of those of random numbers.
        loadings: (keys, factors) after varimax rotation, the factor that explains most first.
        shares: (factors,) of the variance of all scores.
        uniqueness: (keys,) share of each score's variance that no factor explains.
        adequacy: ``None`` where it is not defined.
        notes: what was left out and why.
    """

    keys: Sequence[str] = ()
    rows: int = 0
    correlations: Floats | None = None
    eigenvalues: Floats | None = None
    thresholds: Floats | None = None
    loadings: Floats | None = None
    shares: Floats | None = None
    uniqueness: Floats | None = None
    adequacy: Adequacy | None = None
    notes: Sequence[str] = ()

    @property
    def number(self) -> int:
        """How many factors were kept."""
        return 0 if self.loadings is None else self.loadings.shape[1]

    def tables(self) -> list[Table]:
        """Return loadings, eigenvalues and correlations."""
        tables = []
        if self.loadings is not None and self.uniqueness is not None and self.shares is not None:
            rows = [
                [key, *(number(value, 2) for value in self.loadings[at]), number(float(self.uniqueness[at]), 2)]
                for at, key in enumerate(self.keys)
            ]
            rows.append(["share of variance", *(percent(share) for share in self.shares), ""])
            header = ["score", *(f"factor {at + 1}" for at in range(self.number)), "unique"]
            tables.append(Table("Loadings after varimax rotation", header, rows))
        if self.eigenvalues is not None and self.thresholds is not None:
            pairs = zip(self.eigenvalues.tolist(), self.thresholds.tolist(), strict=True)
            rows = [[str(at + 1), number(value, 3), number(least, 3)] for at, (value, least) in enumerate(pairs)]
            header = ["component", "eigenvalue", f"{_PERCENTILE} % of random"]
            tables.append(Table("Parallel analysis", header, rows, folded=True))
        if self.correlations is not None:
            rows = [[key, *(number(value, 2) for value in self.correlations[at])] for at, key in enumerate(self.keys)]
            tables.append(Table("Pearson’s r between documents’ scores", ["score", *self.keys], rows, folded=True))
        return tables

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        arrays = ("correlations", "eigenvalues", "thresholds", "loadings", "shares", "uniqueness")
        return {
            "keys": list(self.keys),
            "rows": self.rows,
            "factors": self.number,
            **{name: None if (found := getattr(self, name)) is None else found.tolist() for name in arrays},
            "adequacy": None if self.adequacy is None else {k: plain(v) for k, v in asdict(self.adequacy).items()},
        }


def run(given: AnalysisInput) -> Factors:
    """Analyze the scores of all documents by all systems on all data sets together, as the paper does.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> lists = [["solar power", "fog"], ["wind"], ["hail", "rain"]]
    >>> day = DataSet("day", {"all": lists}, lists)
    >>> run(AnalysisInput(score_table([day], "keyphrase_f1(cutoffs=[M])"), [day])).notes[0]
    'Left out as constant: precision@M, recall@M, f1@M.'
    """
    table = given.table
    keys = list(table.quality)
    notes = []
    if left := [key for key in table.keys if key not in keys]:
        notes.append(f"Left out, as a higher value is not a better one: {', '.join(left)}.")
    scores = _pooled(table, keys)
    none, flat = np.array(unknown(scores), bool), np.array(constant(scores), bool)
    if none.any():
        notes.append(f"Left out, as no document has a score: {', '.join(compress(keys, none))}.")
    if flat.any():
        notes.append(f"Left out as constant: {', '.join(compress(keys, flat))}.")
    kept = ~(none | flat)
    keys, scores = list(compress(keys, kept)), scores[:, kept]
    scores, left_out = _complete(scores)
    notes += left_out
    if len(keys) < 3:
        return Factors(
            keys, len(scores), notes=[*notes, f"A factor analysis needs three scores; there are {len(keys)}."]
        )
    if len(scores) <= len(keys):
        few = f"There are {len(scores)} scores of each of {len(keys)} kinds; a factor analysis needs more than kinds."
        return Factors(keys, len(scores), notes=[*notes, few])
    return _analyzed(keys, scores, given.seed, notes)


def _pooled(table: ScoreTable, keys: Sequence[str]) -> Floats:
    places = table.places(keys)
    return np.concatenate([scores[:, places] for of in table.columns.values() for scores in of.values()])


def _complete(scores: Floats) -> tuple[Floats, list[str]]:
    """Return the rows that have all scores, and what is said of the others."""
    whole = ~np.isnan(scores).any(axis=1)
    if whole.all():
        return scores, []
    lost = int(np.count_nonzero(~whole))
    return scores[whole], [
        f"{count(lost)} of {count(len(scores))} documents’ scores lack one by some metric and are left out."
    ]


def _analyzed(keys: list[str], scores: Floats, seed: int, notes: list[str]) -> Factors:
    if any(constant(scores)):  # in the rows that are left
        flat = list(compress(keys, constant(scores)))
        return Factors(keys, len(scores), notes=[*notes, f"Constant where all others are known: {', '.join(flat)}."])
    correlations: Floats = np.atleast_2d(np.corrcoef(scores, rowvar=False))
    twin = _twins(correlations)
    if twin:
        notes.append(
            "Left out, as they say the same: "
            + ", ".join(f"{keys[at]} ({keys[first]})" for at, first in twin.items())
            + "."
        )
        kept = [at for at in range(len(keys)) if at not in twin]
        keys, correlations = [keys[at] for at in kept], correlations[np.ix_(kept, kept)]
    if len(keys) < 3:
        few = f"A factor analysis needs three scores that differ; there are {len(keys)}."
        return Factors(keys, len(scores), correlations, notes=[*notes, few])
    eigenvalues: Floats = np.linalg.eigvalsh(correlations)[::-1].astype(np.float64)
    thresholds = random_eigenvalues(len(scores), len(keys), seed)
    above, most = above_random(eigenvalues, thresholds), most_factors(len(keys))
    number = min(above, most)
    if above > most:
        notes.append(
            f"Parallel analysis finds {above} factors, but {len(keys)} scores have correlations for {most} only "
            "(Ledermann’s bound), and so many are kept."
        )
    if eigenvalues[-1] < 1e-10:
        notes.append("Some scores follow exactly from others, so that adequacy is not defined.")
    adequacy = _adequacy(correlations, len(scores)) if eigenvalues[-1] >= 1e-10 else None
    if not number:
        notes.append("No component explains more than random numbers do, so that no factor is kept.")
        return Factors(keys, len(scores), correlations, eigenvalues, thresholds, adequacy=adequacy, notes=notes)
    loadings, uniqueness = varimax_factors(correlations, number)
    shares = (loadings**2).mean(axis=0)
    notes += _notes(keys, len(scores), number, shares, uniqueness, adequacy)
    return Factors(
        keys, len(scores), correlations, eigenvalues, thresholds, loadings, shares, uniqueness, adequacy, notes
    )


def _twins(correlations: Floats) -> dict[int, int]:
    """Return which scores are perfectly correlated with one before."""
    twins: dict[int, int] = {}
    for at in range(len(correlations)):
        first = next((one for one in range(at) if abs(correlations[one, at]) > 1 - _SAME and one not in twins), None)
        if first is not None:
            twins[at] = first
    return twins


def random_eigenvalues(rows: int, keys: int, seed: int = 0) -> Floats:
    """Return the 95th percentile of the eigenvalues of random numbers' correlations, largest first.

    The scatter matrix of normal numbers about their means has a Wishart distribution, from which it is drawn: that
    is exact, and costs nothing for the rows.

    Args:
        rows: how many numbers of each kind.
        keys: how many kinds.
        seed: of the random numbers.

    Returns:
        (keys,) thresholds of Horn's parallel analysis.

    Source: Horn (1965), A rationale and test for the number of factors in factor analysis; the percentile after
    Glorfeld (1995).
    """
    drawn = stats.wishart.rvs(rows - 1, np.eye(keys), size=_DRAWS, random_state=seed)
    spread = np.sqrt(np.diagonal(drawn, axis1=1, axis2=2))
    eigenvalues = np.linalg.eigvalsh(drawn / spread[:, :, None] / spread[:, None, :])
    thresholds: Floats = np.percentile(eigenvalues[:, ::-1], _PERCENTILE, axis=0)
    return thresholds


def above_random(eigenvalues: Floats, thresholds: Floats) -> int:
    """Return how many eigenvalues, from the largest on, are above random ones."""
    return int(np.minimum.accumulate(eigenvalues > thresholds).sum())


def most_factors(keys: int) -> int:
    """Return of how many factors a model of so many scores can be: it has no more parameters than correlations.

    Source: Ledermann (1937), On the rank of the reduced correlational matrix in multiple-factor analysis.

    >>> [most_factors(keys) for keys in (3, 4, 5, 6, 8, 10, 15)]
    [1, 1, 2, 3, 4, 6, 10]
    """
    return max(number for number in range(keys) if (keys - number) ** 2 >= keys + number)


def varimax_factors(correlations: Floats, number: int) -> tuple[Floats, Floats]:
    """Return loadings after varimax rotation, and what is left of each score: maximum-likelihood factor analysis.

    The model depends on the data only through their correlations, so that it is fitted to a few rows that have the
    same ones.

    Args:
        correlations: (keys, keys), of scores of which none is constant.
        number: of factors.

    Returns:
        (keys, number) loadings, the factor that explains most first, each with mostly positive loadings; and (keys,)
        uniqueness.

    Source: ``sklearn.decomposition.FactorAnalysis``; Kaiser (1958), The varimax criterion.
    """
    with importing():
        from sklearn.decomposition import FactorAnalysis
        from sklearn.exceptions import ConvergenceWarning

    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(values.clip(0.0)) @ vectors.T * np.sqrt(len(values))
    rows = np.concatenate([root, -root])
    rotation = "varimax" if number > 1 else None
    model = FactorAnalysis(number, rotation=rotation, svd_method="lapack", tol=_TOLERANCE, max_iter=_ITERATIONS)
    with warnings.catch_warnings():  # where a score is almost all factor, it is reached ever more slowly
        warnings.simplefilter("ignore", ConvergenceWarning)
        loadings = model.fit(rows).components_.T
    loadings = loadings[:, np.argsort(-(loadings**2).sum(axis=0), kind="stable")]
    return loadings * np.where(loadings.sum(axis=0) < 0, -1.0, 1.0), model.noise_variance_


def _adequacy(correlations: Floats, rows: int) -> Adequacy:
    keys = len(correlations)
    inverse = np.linalg.inv(correlations)
    spread = np.sqrt(np.diagonal(inverse))
    partial = inverse / spread[:, None] / spread
    off = ~np.eye(keys, dtype=bool)
    squares = float((correlations[off] ** 2).sum())
    kmo = squares / (squares + float((partial[off] ** 2).sum()))
    statistic = float(-(rows - 1 - (2 * keys + 5) / 6) * np.linalg.slogdet(correlations)[1])
    df = keys * (keys - 1) // 2
    return Adequacy(kmo, statistic, df, float(stats.chi2.sf(statistic, df)))


def _notes(
    keys: Sequence[str], rows: int, number: int, shares: Floats, uniqueness: Floats, adequacy: Adequacy | None
) -> Iterator[str]:
    each = ", ".join(percent(share) for share in shares)
    yield (
        f"Parallel analysis keeps {number} factor{'s' * (number != 1)} of {len(keys)} scores, which explain "
        f"{percent(float(shares.sum()))} of their variance{f' ({each})' * (number > 1)}; {count(rows)} documents’ "
        "scores by all systems on all data sets, standardised together. They are treated as independent, which they "
        "are not: scores of one document are alike, so that fewer factors may hold than are kept."
    )
    if adequacy is not None:
        yield (
            f"Sampling adequacy (KMO) {adequacy.kmo:.2f}; Bartlett’s test: χ² = {adequacy.bartlett:,.0f}, "
            f"df = {adequacy.df}, p {'= ' * (adequacy.p >= 0.0001)}{p_value(adequacy.p)}."
        )
        if adequacy.kmo < 0.6:
            yield "A KMO below 0.6 is usually held to be too low for a factor analysis."
    alone = [key for key, value in zip(keys, uniqueness, strict=True) if value < _NO_NOISE]
    if alone:
        yield (
            f"Almost nothing of {', '.join(alone)} is left unexplained (a Heywood case): as a rule because a score "
            "nearly follows from others, such as F1 from precision and recall. Leave some of them out with keys to see "
            "whether the factors hold."
        )
