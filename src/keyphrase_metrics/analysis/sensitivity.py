"""Two-way analysis of variance of documents' scores: how much depends on the system, how much on the data set.

Source: Venturini & Kinkel (2025), sections 4.2 and 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from keyphrase_metrics.analysis.base import AnalysisInput, Table
from keyphrase_metrics.analysis.scores import ScoreTable
from keyphrase_metrics.formatting import count, number, p_value
from keyphrase_metrics.stats.correlations import DECIMALS
from keyphrase_metrics.text.arrays import Floats

SYSTEM, DATASET, INTERACTION, RESIDUAL = "system", "data set", "interaction", "documents"


@dataclass(frozen=True)
class Effect:
    """A row of an analysis of variance.

    Attributes:
        squares: the sum of squares, of type II.
        df: degrees of freedom.
        f: the F ratio to the residual; ``None`` for the residual, and where that is 0.
        p: of it.
        eta: eta squared, the share of the total sum of squares.
        partial_eta: the share of what is not explained by other effects; ``None`` for the residual.
    """

    squares: float
    df: int
    f: float | None
    p: float | None
    eta: float
    partial_eta: float | None


@dataclass(frozen=True)
class Sensitivity:
    """What the analyses of variance found.

    Attributes:
        effects: key -> effect (``system``, ``data set``, ``interaction``, ``documents``) -> row of the table.
        counts: key -> how many scores there were.
        notes: what was left out and why.
    """

    effects: Mapping[str, Mapping[str, Effect]]
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return the shares of all metrics, and the tables they come from."""
        if not self.effects:
            return []
        present = [name for name in (SYSTEM, DATASET, INTERACTION) if any(name in of for of in self.effects.values())]
        rows = [
            [
                key,
                *(number(of[name].eta if name in of else None, 3) for name in [*present, RESIDUAL]),
                *(p_value(of[name].p if name in of else None) for name in present),
            ]
            for key, of in self.effects.items()
        ]
        header = ["score", *(f"η² {name}" for name in [*present, RESIDUAL]), *(f"p {name}" for name in present)]
        return [Table("Shares of the variance of documents’ scores", header, rows), self._full()]

    def _full(self) -> Table:
        rows = [
            [
                key,
                name,
                number(one.squares, 3),
                count(one.df),
                number(one.f, 2),
                p_value(one.p) if name != RESIDUAL else "",
                number(one.eta),
                number(one.partial_eta) if name != RESIDUAL else "",
            ]
            for key, of in self.effects.items()
            for name, one in of.items()
        ]
        header = ["score", "effect", "sum of squares", "df", "F", "p", "η²", "partial η²"]
        return Table("Analysis of variance", header, rows, text_columns=2, folded=True)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        effects = {key: {name: asdict(one) for name, one in of.items()} for key, of in self.effects.items()}
        return {"type": "II", "counts": dict(self.counts), "effects": effects}


def run(given: AnalysisInput) -> Sensitivity:
    """Make the analysis for every score.

    >>> from keyphrase_metrics.analysis import DataSet, score_table
    >>> lists = [["solar power", "fog"], ["wind"], ["hail", "rain"]]
    >>> day = DataSet("day", {"all": lists, "first": [phrases[:1] for phrases in lists]}, lists)
    >>> found = run(AnalysisInput(score_table([day], "keyphrase_f1(cutoffs=[M])"), [day]))
    >>> round(found.effects["recall@M"]["system"].eta, 4), found.effects["recall@M"]["documents"].df
    (0.5, 4)
    """
    table = given.table
    effects, counts, none, flat, thin = {}, {}, [], [], []
    for place, key in enumerate(table.keys):
        cells = {
            (system, dataset): kept
            for dataset, of in table.columns.items()
            for system, scores in of.items()
            if len(kept := _kept(scores[:, table.places()[place]]))
        }
        if not cells:
            none.append(key)
        elif np.ptp(np.round(np.concatenate(list(cells.values())), DECIMALS)) == 0:
            flat.append(key)
        elif sum(map(len, cells.values())) == len(cells):
            thin.append(key)
        elif found := analysis_of_variance(cells):
            effects[key], counts[key] = found, sum(map(len, cells.values()))
    return Sensitivity(effects, counts, list(_notes(table, effects, none, flat, thin)))


def _kept(scores: Floats) -> Floats:
    return scores[~np.isnan(scores)]


def analysis_of_variance(cells: Mapping[tuple[str, str], Floats]) -> dict[str, Effect]:
    """Return the two-way analysis of variance of scores in cells, with sums of squares of type II.

    The residual is what lies within cells; every other sum of squares is the difference of two models, each fitted to
    the cells' means with the cells' sizes as weights, which is the same as fitting it to all scores. Cells may be
    missing: then degrees of freedom are the ranks of the models.

    Args:
        cells: (system, data set) -> (n,) scores, at least one in each.

    Returns:
        effect -> row. An effect without degrees of freedom is left out.

    Source: Fisher; type II after Langsrud (2003), ANOVA for unbalanced data: Use Type II instead of Type III.
    """
    names = list(cells)
    sizes = np.array([len(of) for of in cells.values()], np.float64)
    means = np.array([of.mean() for of in cells.values()])
    within = sum(float(((of - of.mean()) ** 2).sum()) for of in cells.values())
    whole = float(np.average(means, weights=sizes))
    total = within + float((sizes * (means - whole) ** 2).sum())
    one, both = np.ones((len(names), 1)), [_columns([name[side] for name in names]) for side in (0, 1)]
    system, dataset, additive = both[0], both[1], np.hstack(both)
    models = {"mean": one, SYSTEM: system, DATASET: dataset, "additive": additive}
    fits = {name: _fit(design, means, sizes) for name, design in models.items()}
    differences = {
        SYSTEM: (fits[DATASET], fits["additive"]),
        DATASET: (fits[SYSTEM], fits["additive"]),
        INTERACTION: (fits["additive"], (0.0, len(names))),
    }
    df = int(sizes.sum()) - len(names)
    rows = {}
    for name, ((more, low), (less, high)) in differences.items():
        if high > low:
            rows[name] = _effect(max(more - less, 0.0), high - low, within, df, total)
    rows[RESIDUAL] = Effect(within, df, None, None, within / total, None)
    return rows


def _columns(values: Sequence[str]) -> Floats:
    """Return one column of 0 and 1 for each distinct value."""
    return np.array([[float(value == one) for one in dict.fromkeys(values)] for value in values])


def _fit(design: Floats, means: Floats, sizes: Floats) -> tuple[float, int]:
    """Return the weighted sum of squares that a model leaves, and its rank."""
    weights = np.sqrt(sizes)
    solution, _, rank, _ = np.linalg.lstsq(design * weights[:, None], means * weights)
    return float((sizes * (means - design @ solution) ** 2).sum()), int(rank)


def _effect(squares: float, df: int, within: float, rest: int, total: float) -> Effect:
    if within <= 1e-12 * total:
        return Effect(squares, df, None, None, squares / total, None)
    f = (squares / df) / (within / rest)
    return Effect(squares, df, f, float(stats.f.sf(f, df, rest)), squares / total, squares / (squares + within))


def _notes(
    table: ScoreTable, effects: Mapping[str, object], none: Sequence[str], flat: Sequence[str], thin: Sequence[str]
) -> Iterator[str]:
    systems, datasets = table.systems, table.datasets
    if none:
        yield f"No document has a score in {', '.join(none)}."
    if flat:
        yield f"Constant, so that there is no variance to share out: {', '.join(flat)}."
    if thin:
        yield f"One document in each cell, so that nothing is left to compare effects with: {', '.join(thin)}."
    if len(systems) == 1 and len(datasets) == 1:
        yield "One system on one data set: there are no effects, all variance is of documents."
    elif len(datasets) == 1:
        yield f"{datasets[0]} is the only data set, so that only systems are compared (one-way analysis of variance)."
    elif len(systems) == 1:
        yield f"{systems[0]} is the only system, so that only data sets are compared (one-way analysis of variance)."
    if not effects:
        return
    if lacking := table.without(systems):
        yield f"Not every system is on every data set: {lacking}. The interaction is that of the cells that are there."
        parts = _parts(table)
        if len(parts) < len(datasets):
            yield "Data sets are compared by the systems they share, in a model in which the effects add up."
        if len(parts) > 1:
            yield (
                "These groups share no system: "
                + " / ".join(", ".join(part) for part in parts)
                + ". What sets them apart cannot be told to be of the systems or of the data sets, and is counted for "
                "neither; so the shares do not add up to 1."
            )
    if len(systems) > 1 and len(datasets) > 1:
        yield (
            "Sums of squares are of type II: each main effect beside the other one. Where data sets have different "
            "sizes or lack systems, shares (η²) need not add up to 1: what system and data set explain together is "
            "counted for neither. With equal sizes types I, II and III are the same; type III is not used, as it has "
            "no meaning where cells are empty."
        )
    yield (
        "η² is the share of all variance, “documents” what neither system nor data set explains. As in the paper, "
        "scores of one document by several systems are treated as independent, which they are not: read p as rough."
    )


def _parts(table: ScoreTable) -> list[list[str]]:
    """Return the groups of data sets that are connected by systems."""
    groups: list[tuple[list[str], set[str]]] = []
    for dataset in table.datasets:
        names, systems = [dataset], set(table.systems_of(dataset))
        for group in [one for one in groups if one[1] & systems]:
            groups.remove(group)
            names, systems = [*group[0], *names], group[1] | systems
        groups.append((names, systems))
    place = {dataset: at for at, dataset in enumerate(table.datasets)}
    return sorted((sorted(names, key=place.__getitem__) for names, _ in groups), key=lambda names: place[names[0]])
