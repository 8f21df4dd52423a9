"""The tables of ``docs/published.md``, from the registry; ``keyphrase_metrics.publishing.cards`` writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from keyphrase_metrics import published
from keyphrase_metrics.formatting import count, percent, signed
from keyphrase_metrics.published import Listing, Registry

_MOST = 15  # pairs of data set and score in the table


def with_tables(page: str) -> str:
    """Return the page with its tables renewed; each stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``."""
    registry = published.load()
    for name, made in _TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, middle, rest = page.partition(begin)
        _, closing, after = rest.partition(end)
        assert middle, f"no {begin} in the page"
        assert closing, f"no {end} in the page"
        page = "".join([before, begin, made(registry), "\n", end, after])
    return page


def datasets(registry: Registry) -> str:
    """Return the table of data sets."""
    numbers = Counter(row.dataset for row in registry.scores)
    sources = {key: {row.source for row in registry.scores if row.dataset == key} for key in numbers}
    known = {
        key: any(of.fingerprints for of in dataset.references.values()) for key, dataset in registry.datasets.items()
    }
    rows = [
        [
            f"`{key}`",
            f"{of.name} ({of.citation})",
            ", ".join(of.references),
            count(numbers[key]),
            str(len(sources.get(key, ()))),
            "yes" if known[key] else "",
        ]
        for key, of in sorted(registry.datasets.items(), key=lambda item: -numbers[item[0]])
    ]
    return markdown_table(["data set", "name", "references", "scores", "sources", "recognised"], rows)


def sources(registry: Registry) -> str:
    """Return the table of sources and their methods."""
    numbers = Counter(row.source for row in registry.scores)
    again = Counter(identifier.partition("#")[0] for identifier in registry.recomputed)
    rows = []
    for key, source in sorted(registry.sources.items(), key=lambda item: -numbers[item[0]]):
        for place, method in enumerate(source.methods.values()):
            exact = method.spec is not None and not method.not_followed
            computed = f"`{method.spec}`{'' if exact else ', but for a rule'}" if method.spec else "no"
            first = [f"`{key}`", count(numbers[key]), str(again[key] or "")] if place == 0 else ["", "", ""]
            rows.append([*first, f"`{method.key}`", method.title, computed])
    return markdown_table(["source", "scores", "recomputed", "method", "what it is", "computed here by"], rows)


def comparable(registry: Registry) -> str:
    """Return the table of how many rows are mutually comparable."""
    rows = []
    for listing in _listings(registry)[:_MOST]:
        sizes = Counter(row.group for row in listing.rows if row.group is not None)
        known = [sizes[number] for number, unknown in enumerate(listing.groups, 1) if not unknown]
        cells = (listing.dataset, listing.score, len(listing.rows), sum(known), len(known), max(known, default=0))
        rows.append([f"`{cells[0]}`", f"`{cells[1]}`", *map(str, cells[2:])])
    return markdown_table(["data set", "score", "rows", "evaluation known", "groups of these", "largest group"], rows)


def effects(registry: Registry) -> str:
    """Return the table of how far differences moved scores."""
    rows = []
    for effect in registry.effects:
        size = published.effect_size(registry, effect)
        rows.append(
            [
                f"`{effect.dataset}`",
                f"`{effect.from_method}`",
                f"`{effect.to_method}`",
                ", ".join(effect.questions),
                "" if effect.printed is None else f"{effect.printed:g} %",
                "" if size is None else f"{size:.1f} %",
                f"{effect.source}, {effect.table}",
            ]
        )
    return markdown_table(["data set", "from", "to", "questions", "printed", "from its rows", "source"], rows)


def surprises(registry: Registry) -> str:
    """Return what one would not expect of published numbers, with its figures."""
    listings = _listings(registry)
    shown = sum(len(listing.rows) for listing in listings)
    unknown = sum(bool(listing.groups[(row.group or 1) - 1]) for listing in listings for row in listing.rows)
    quotations = sum(row.quotes is not None for row in registry.scores)
    repeated = sum(row.original is not None for row in registry.scores)
    textrank = [
        row.value
        for row in registry.scores
        if (row.dataset, row.system, row.score) == ("inspec", "TextRank", "f1@10")
        and row.scope != "absent"
        and row.references in (None, "uncontrolled")
    ]
    apart = {
        method: [
            registry.recomputed[row.id].value - row.value
            for row in registry.scores
            if row.method == method and row.id in registry.recomputed and row.original is None
        ]
        for method in ("popova2025q10:F", "popova2025q10:F+", "popova2025q10:S", "boudin2022pkebench:readme")
    }
    means = ", ".join(f"{signed(sum(values) / len(values), 1)} for `{method}`" for method, values in apart.items())
    lines = [
        f"Of {count(shown)} rows that repeat no other, {count(unknown)} ({percent(unknown / shown, 0)}) leave open at "
        "least one question about their evaluation, so that nothing may be put beside them with certainty.",
        f"{count(quotations)} figures are second hand, and {count(repeated)} of these repeat a row that is here too.",
        f"TextRank's F1@10 on Inspec is published {len(textrank)} times, from {min(textrank):.1f} to "
        f"{max(textrank):.1f}: references, averages, candidates and tools differ, the system's name does not.",
        "The same lists, scored here by the methods of two sources, come out apart from the published numbers by "
        f"{means} (mean difference in percent, Inspec, f1@10 and f1@5). Under F the paper's numbers are higher than "
        "pke's own and ours; under F+ and S, of the same table, they agree.",
        "Two of the paper's six mean differences between F and S, and between S and S++, do not follow from its own "
        "cells, both on SemEval-2010 (the table of effects shows both numbers).",
        "Three cells of the KeyBART card for absent keyphrases on SemEval-2010 are those of NUS in the paper that it "
        "quotes.",
    ]
    return "\n".join(f"- {line}" for line in lines)


@lru_cache(maxsize=1)
def _listings(registry: Registry) -> Sequence[Listing]:
    """Return every data set's scores in groups, those with most rows first."""
    found = [
        published.find(registry, dataset, score)
        for dataset in registry.datasets
        for score in published.scores_of(registry, dataset)
    ]
    return sorted(found, key=lambda listing: -len(listing.rows))


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |" for cells in lines)


_TABLES: dict[str, Callable[[Registry], str]] = {
    "datasets": datasets,
    "sources": sources,
    "comparable": comparable,
    "effects": effects,
    "surprises": surprises,
}
