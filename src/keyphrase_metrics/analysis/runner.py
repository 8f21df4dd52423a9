"""The analyses by name, and running them one after the other.

An analysis is a module of this package with ``run(given: AnalysisInput) -> AnalysisResult``, and a line below. Its
charts are a module of the same name in ``reports.analysis``, with
``drawings(finding, slug)``, and their captions a template of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from keyphrase_metrics import scoring
from keyphrase_metrics.analysis.base import AnalysisInput, AnalysisResult, plain
from keyphrase_metrics.analysis.error_kinds import THRESHOLD
from keyphrase_metrics.analysis.phrase_errors import check_threshold
from keyphrase_metrics.analysis.scores import DataSet, ScoreTable, check_listed
from keyphrase_metrics.analysis.scoring import KS, METRICS, Watch, score_table
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.optional import needs

ANALYSES = {
    "ablation": "SemR-p over k",
    "sensitivity": "What scores depend on",
    "agreement": "Rankings of systems, and how metrics agree",
    "factors": "What metrics have in common",
    "stability": "How stable rankings are over data sets",
    "curves": "Precision, recall and F1 along the list",
    "consistency": "How consistently systems are told apart",
    "q10_tables": "The same lists under F, F+ and S",
    "annotators": "How far annotators agree, and systems with them",
    "missed": "What is missed: errors by kind",
}
"""Name -> title of every analysis."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What all analyses found.

    Attributes:
        table: the scores that they read.
        findings: name of the analysis -> what it found.
    """

    table: ScoreTable
    findings: Mapping[str, AnalysisResult]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        table = self.table
        return {
            "datasets": {
                name: {
                    "documents": table.documents(name),
                    "systems": table.systems_of(name),
                    "data": list(table.data[name]),
                    "scores": {
                        system: {key: plain(of[place]) for key, place in _places(table)} for system, of in whole.items()
                    },
                }
                for name, whole in table.corpus.items()
            },
            "signatures": dict(table.signatures),
            "notes": list(table.notes),
            "analyses": {
                name: {"title": ANALYSES[name], "notes": list(found.notes), **found.to_dict()}
                for name, found in self.findings.items()
            },
        }


def _places(table: ScoreTable) -> list[tuple[str, int]]:
    return list(zip(table.all_keys, table.places(table.all_keys).tolist(), strict=True))


def analyze(
    datasets: Sequence[DataSet],
    metrics: str | Metric | Sequence[str | Metric] = METRICS,
    *,
    only: Sequence[str] = (),
    keys: Sequence[str] = (),
    ks: Sequence[int] = KS,
    seed: int = 0,
    same_meaning: float = THRESHOLD,
    watch: Watch | None = None,
    step: Callable[[Sequence[str]], Iterator[str]] = iter,
    **shared: Any,
) -> Analysis:
    """Make the papers' analyses of metrics on any systems and data sets.

    Args:
        datasets: what is scored.
        metrics: names, ``"name(key=value,…)"``, or :class:`Metric` values.
        only: names of analyses, of :data:`ANALYSES`; by default all.
        keys: the scores that take part; by default all that the metrics give.
        ks: of the ablation of SemR-p.
        seed: of random numbers.
        same_meaning: the cosine above which ``missed`` takes two phrases for the same.
        watch: as :func:`~keyphrase_metrics.analysis.score_table` takes it.
        step: is given the names of the analyses, and yields them: a progress bar.
        **shared: parameters given to every metric that has them.

    Raises:
        TypeError, ValueError: as :func:`~keyphrase_metrics.analysis.score_table`; for an unknown analysis.
        ImportError: for a factor analysis without the extra ``compare``.

    >>> lists = [["solar power", "fog"], ["wind"], ["hail"]]
    >>> day = DataSet("day", {"all": lists, "first": [phrases[:1] for phrases in lists]}, lists)
    >>> found = analyze([day], ["r_precision", "keyphrase_ndcg"], only=["agreement"])
    >>> found.findings["agreement"].rankings["day"]["ndcg"]
    {'all': 1.0, 'first': 2.0}
    """
    names = chosen_analyses(only)
    check_threshold(same_meaning, "same_meaning")
    if "factors" in names:
        with needs("sklearn", "compare"):  # said before everything is scored, not after
            import sklearn  # noqa: F401
    configured = scoring.configure(metrics, **shared)
    table = score_table(datasets, configured, keys=keys, ks=ks, watch=watch)
    given = AnalysisInput(table, datasets, shared, configured, seed, same_meaning)
    return Analysis(table, {name: run(name, given) for name in step(names)})


def chosen_analyses(only: Sequence[str]) -> list[str]:
    """Return the names of the analyses to make, in their order. Raises TypeError, ValueError for anything else."""
    check_listed("only", only)
    if unknown := [name for name in only if name not in ANALYSES]:
        raise InputError(
            f"only names {', '.join(map(repr, unknown))}; choose of {', '.join(ANALYSES)}", code="unknown-name"
        )
    return [name for name in ANALYSES if name in only or not only]


def run(name: str, given: AnalysisInput) -> AnalysisResult:
    """Make one analysis."""
    found: AnalysisResult = import_module(f"keyphrase_metrics.analysis.{name}").run(given)
    return found
