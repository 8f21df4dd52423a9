"""Worked examples of each metric: a paper's where it has one, with its source, and our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class DemoExample:
    """A document to load with one click.

    Attributes:
        title: what the button says.
        note: where it is from, and what to see in it.
        predictions, references: phrases.
        texts: ``sources``, ``summaries`` and ``corpus``; the last one's texts are apart by blank lines.
        settings: parameter -> value, where they are not the defaults.
    """

    title: str
    note: str
    predictions: Sequence[str]
    references: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def box(self, name: str) -> str:
        """Return what stands in the box of an input."""
        if name in ("predictions", "references"):
            return "\n".join(self.predictions if name == "predictions" else self.references)
        return self.texts.get(name, "")


_TIDAL = ("tidal power", "breakwater", "solar farms", "fog"), ("tidal power", "solar farm", "sea wall")
_TIDAL_TEXT = (
    "A breakwater off the harbour now carries eight turbines. The town hopes that tidal power will fill the gap "
    "when its solar farms stand in fog."
)
_KEYWORDS = tuple(f"keyword {number}" for number in "ABCDEFG")


def _schluter(title: str, hits: Sequence[int], note: str) -> DemoExample:
    found = iter(_KEYWORDS)
    ranked = [next(found) if rank in hits else f"candidate {rank}" for rank in range(1, 16)]
    return DemoExample(title, note, ranked, _KEYWORDS)


_SYSTEM_1 = _schluter(
    "Schluter, system 1",
    (3, 4, 5, 8, 9, 10, 14),
    "Table 1 of Schluter (2015): seven keywords, at ranks 3, 4, 5, 8, 9, 10 and 14. Its Table 2 gives NDCG 0.681.",
)
_SYSTEM_2 = _schluter(
    "Schluter, system 2",
    (1, 2, 3, 6, 7, 8, 11),
    "Table 1 of Schluter (2015): seven keywords, at ranks 1, 2, 3, 6, 7, 8 and 11. Its Table 2 gives NDCG 0.939.",
)
_CASE_2 = DemoExample(
    "SemR-p paper, case 2",
    "As in case 2 of Table 3 of Venturini & Kinkel (2025): all three references are found, but behind three others. "
    "F1@M is 2 · 3/(10 + 3) = 0.4615.",
    ["harbour", "tourism", "ferry timetable", "tidal power", "solar farm", "sea wall", "fog", "storm", "quay", "crane"],
    _TIDAL[1],
)

_EXAMPLES: dict[str, tuple[DemoExample, ...]] = {
    "semr_p": (
        DemoExample(
            "SemR-p paper, Table 1",
            "Table 1 of Venturini & Kinkel (2025): R = 3, so the first three predictions count. With the similarities "
            "printed there the scores are 1.00, 0.67 and 0.67, and SemR-p is 0.78; another encoder gives others.",
            ["machine translation", "AI systems", "neural computation", "language modelling", "translation quality"],
            ["neural networks", "machine translation", "deep learning"],
        ),
        DemoExample(
            "Tidal power",
            "The card's example: “solar farms” matches by stems, “breakwater” by meaning; “fog” at rank 4 is not "
            "looked at.",
            *_TIDAL,
        ),
        DemoExample(
            "One reference, many ways to say it",
            "With k = 1, as here, SemR-p pays for each of three ways to say one thing; SemR-p-Div pays each reference "
            "once.",
            ["wind turbine", "wind turbines at sea", "wind power plant"],
            ["wind turbine", "blade erosion", "rain"],
            settings={"k": 1},
        ),
    ),
    "sem_f1": (
        DemoExample(
            "Tidal power",
            "The card's example: a phrase earns 1 for a stem match, else its best cosine to the other side. “fog” is "
            "wrong and still earns something.",
            *_TIDAL,
        ),
        DemoExample(
            "With a threshold",
            "A threshold of 0.35 takes from “fog” what it earned without being right.",
            *_TIDAL,
            settings={"threshold": 0.35},
        ),
    ),
    "r_precision": (
        DemoExample(
            "Three ways to match",
            "The card's example: R = 3. The head noun “plant” and the word before it match, which earns part of a "
            "point.",
            ["solar farms", "coal power plant", "fog", "sea wall"],
            ["tidal power plant", "solar farm", "wall"],
        ),
        DemoExample(
            "SemR-p paper, case 6",
            "Case 6 of Table 3 of Venturini & Kinkel (2025): three single words, each part of a reference, score 1.0 "
            "in the approximate R-Precision; one to one they score 2/3.",
            ["mobile", "information", "networks", "delivery"],
            ["mobile ad hoc networks", "optimal stopping theory", "quality information delivery"],
        ),
        DemoExample(
            "SemR-p paper, case 5",
            "Case 5 of the same table: one word within the phrase keeps it from including its reference.",
            ["fuzzy less strongly semiopen set"],
            ["fuzzy topology", "fuzzy strongly semiopen set"],
        ),
    ),
    "keyphrase_ndcg": (
        _SYSTEM_2,
        _SYSTEM_1,
        DemoExample(
            "Graded by meaning",
            "With semantic relevance a prediction takes the nearest reference that is left, and gains its cosine.",
            *_TIDAL,
            settings={"relevance": "semantic", "cutoffs": (2,)},
        ),
    ),
    "keyphrase_f1": (
        replace(
            _SYSTEM_2,
            note="Table 1 of Schluter (2015): seven keywords, at ranks 1, 2, 3, 6, 7, 8 and 11. F1 is highest, 0.8, at "
            "k = 8.",
        ),
        _CASE_2,
        DemoExample(
            "Present and absent",
            "Of three references two stand in the text. With “present and absent” both kinds have scores of their own.",
            *_TIDAL,
            texts={"sources": _TIDAL_TEXT},
            settings={"keyphrases": "present_and_absent", "cutoffs": (5, "M")},
        ),
    ),
    "fem_kp": (
        DemoExample(
            "Tidal power",
            "The phrases are to rebuild the summary, and to find their document among the others.",
            ["tidal power", "breakwater", "turbines", "fog"],
            texts={
                "summaries": "Turbines in the breakwater of a harbour are to supply a town with tidal power.",
                "sources": _TIDAL_TEXT,
                "corpus": "Fog closed the harbour for three days, and the ferries waited behind the breakwater.\n\n"
                "Offshore wind turbines lose the smooth edge of their blades to rain.\n\n"
                "A heat wave doubled what the solar farms of the valley fed into the grid.",
            },
        ),
        DemoExample(
            "Phrases that fit any document",
            "General phrases rebuild little, and the others in the corpus answer to them just as well.",
            ["harbour", "town", "fog"],
            texts={
                "summaries": "Turbines in the breakwater of a harbour are to supply a town with tidal power.",
                "sources": _TIDAL_TEXT,
                "corpus": "Fog closed the harbour for three days, and the town ran out of fresh fish.\n\n"
                "The harbour of the town is old; fog and harbour are its two sights.",
            },
        ),
    ),
    "keyphrase_rouge": (
        DemoExample(
            "Tidal power",
            "The card's example: stemmed, four of six words are shared, and two of five pairs of neighbours.",
            *_TIDAL,
        ),
        DemoExample(
            "Other order",
            "The same phrases in another order: ROUGE-1 stays, ROUGE-L falls.",
            _TIDAL[0][::-1],
            _TIDAL[1],
        ),
    ),
    "keyphrase_bertscore": (
        DemoExample("Tidal power", "The card's example: two lists, each joined to one text with commas.", *_TIDAL),
        DemoExample(
            "Other order",
            "The same phrases in another order: every token has another context, so the score moves.",
            _TIDAL[0][::-1],
            _TIDAL[1],
        ),
    ),
    "keyphrase_diversity": (
        DemoExample(
            "Said again",
            "The card's example: one phrase of four repeats another, and four of eight tokens came before.",
            ["tidal power", "tidal power plant", "Tidal Powers", "fog"],
            settings={"pairwise_similarity": True},
        ),
        DemoExample(
            "Four different things",
            "Nothing is said twice; only the meanings are more or less near to one another.",
            ["tidal power", "breakwater", "solar farm", "fog"],
            settings={"pairwise_similarity": True},
        ),
    ),
}
_USUAL = DemoExample("Tidal power", "Four predictions, of which two have the stems of a reference.", *_TIDAL)


def examples_of(metric: str) -> tuple[DemoExample, ...]:
    """Return the examples of a metric, the one to start with first.

    >>> examples_of("semr_p")[0].box("references").splitlines()
    ['neural networks', 'machine translation', 'deep learning']
    """
    return _EXAMPLES.get(metric, (_USUAL,))
