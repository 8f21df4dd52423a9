"""FEM-KP: can the phrases rebuild the document's summary, and find the document in a corpus?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.core.explanation import NONE, WHOLE_LIST, Row
from keyphrase_metrics.core.parameters import Kind, choice, integer, number, optional, parameter, text
from keyphrase_metrics.core.statistics import Column, Statistics, Unread, ratio
from keyphrase_metrics.core.synopsis import BY_MEANING, Clause, rounded
from keyphrase_metrics.core.unread import first_of
from keyphrase_metrics.errors import Arg, Message, Part
from keyphrase_metrics.formatting import count
from keyphrase_metrics.metrics import bm25
from keyphrase_metrics.metrics.base import empty_document
from keyphrase_metrics.metrics.examples import TIDAL_TEXT, WorkedExample
from keyphrase_metrics.metrics.similarity import ENCODER, SemanticMeasure
from keyphrase_metrics.models.encoders import Encoder, encoder_for
from keyphrase_metrics.models.generation import SERIALIZE, Generator, generator_for
from keyphrase_metrics.models.weights import MINILM
from keyphrase_metrics.text.analyzer import installed_version, normalize
from keyphrase_metrics.text.arrays import Floats, Ints, Mask, gather

DEFAULT_GENERATOR = "facebook/bart-large-cnn"
BUILTIN, LIBRARY = "builtin", "rank_bm25"
PRESENT = "present"
MAX_K1 = 1000.0


def _check_generator(value: Any) -> Any:
    return value if callable(value) else text("").check(value)


@dataclass(frozen=True)
class FemKp(SemanticMeasure):
    """What the phrases of a document are good for, without reference keyphrases.

    ``reconstruction``: a model writes a summary from the phrases alone; its embedding's cosine to that of the gold
    summary. ``retrieval``: the phrases are a BM25 query against a corpus; 1 over the rank at which they find their
    own document, 0 beyond ``max_rank``. ``fem_kp`` is their sum, weighted by ``beta`` and ``delta``.

    Source: Ajallouda & Zellou (2026), eqs. 15 to 20.
    """

    name = "fem_kp"
    title = "FEM-KP"
    summary = "Whether the phrases rebuild the summary of their document, and find it in a corpus; needs no references."
    citation = """@article{ajallouda2026femkp,
  title = {{FEM-KP}: A Functional Evaluation Metric for Keyphrase Prediction Models},
  author = {Ajallouda, Lahbib and Zellou, Ahmed},
  journal = {International Journal of Advanced Computer Science and Applications},
  volume = {17},
  number = {4},
  year = {2026},
  doi = {10.14569/IJACSA.2026.0170426}
}"""
    outputs = {
        "reconstruction": "in [-1, 1], in practice in [0, 1]: cosine of the rebuilt summary and the gold summary",
        "retrieval": "in [0, 1]: 1 over the rank of the document in the corpus, 0 beyond max_rank",
        "fem_kp": "in [-1, 1], in practice in [0, 1]: beta times reconstruction plus delta times retrieval",
    }
    scale = BY_MEANING
    inputs = ("summaries", "sources", "corpus")
    examples = (
        WorkedExample(
            "Tidal power",
            "The phrases are to rebuild the summary, and to find their document among the others.",
            ["tidal power", "breakwater", "turbines", "fog"],
            texts={
                "summaries": "Turbines in the breakwater of a harbour are to supply a town with tidal power.",
                "sources": TIDAL_TEXT,
                "corpus": "Fog closed the harbour for three days, and the ferries waited behind the breakwater.\n\n"
                "Offshore wind turbines lose the smooth edge of their blades to rain.\n\n"
                "A heat wave doubled what the solar farms of the valley fed into the grid.",
            },
        ),
        WorkedExample(
            "Phrases that fit any document",
            "General phrases rebuild little, and the others in the corpus answer to them just as well.",
            ["harbour", "town", "fog"],
            texts={
                "summaries": "Turbines in the breakwater of a harbour are to supply a town with tidal power.",
                "sources": TIDAL_TEXT,
                "corpus": "Fog closed the harbour for three days, and the town ran out of fresh fish.\n\n"
                "The harbour of the town is old; fog and harbour are its two sights.",
            },
        ),
    )

    on_empty: str = parameter(
        "zero",
        choice("zero", "skip", "error"),
        "what a document without summary, or without words in its text, does: score 0, be left out, fail",
    )
    encoder: Any = parameter(MINILM, ENCODER, "what turns a summary into a vector", signed=False)
    revision: str | None = parameter(
        None, optional(text("a revision")), "revision of the generator on the Hub", signed=False
    )
    device: str | None = parameter(
        None, optional(text("a device such as 'cpu' or 'cuda:0'")), "where generator and encoder run", signed=False
    )
    batch_size: int = parameter(16, integer(1), "texts that go through a model at once", signed=False)
    encoder_revision: str | None = parameter(
        None, optional(text("a revision")), "revision of the encoder on the Hub", signed=False
    )
    generator: Any = parameter(
        DEFAULT_GENERATOR,
        Kind("a model name or path, 'serialize' or a callable list[list[str]] -> list[str]", _check_generator),
        "what writes a summary from the phrases; 'serialize' takes the phrases themselves",
        signed=False,
    )
    num_beams: int = parameter(4, integer(1), "beams of the generator's search", signed=False)
    max_new_tokens: int = parameter(142, integer(1), "longest summary that the generator writes", signed=False)
    unit: str = parameter("phrase", choice("phrase", "token"), "what a term of the query is: a phrase, or a token")
    retriever: str = parameter(
        BUILTIN, choice(BUILTIN, LIBRARY), "who ranks: this package, or the library rank_bm25 with unit='token'"
    )
    k1: float = parameter(1.5, number(0, MAX_K1), "how slowly repeated occurrences saturate in BM25")
    b: float = parameter(0.75, number(0, 1), "how far BM25 corrects for the length of a document")
    max_rank: int = parameter(100, integer(1), "the last rank that earns anything")
    beta: float = parameter(0.5, number(0, 1), "weight of reconstruction; with delta it adds up to 1")
    delta: float = parameter(0.5, number(0, 1), "weight of retrieval")

    @classmethod
    def conflicts(cls, named: Mapping[str, Any]) -> list[Message]:
        """Refuse weights that do not add up to 1, and the library with phrases as terms."""
        problems = super().conflicts(named)
        beta, delta = named.get("beta", cls.beta), named.get("delta", cls.delta)
        if all(isinstance(weight, Real) for weight in (beta, delta)) and not abs(beta + delta - 1) <= 1e-9:
            total = f"={delta!r} add up to {beta + delta:g}; they must add up to 1"
            problem: tuple[Part, ...] = Arg("beta"), f"={beta!r} and ", Arg("delta"), total
            problems.append(Message("wrong-sum", problem, argument="beta", value=beta, subject=False))
        if named.get("retriever") == LIBRARY and named.get("unit", cls.unit) != "token":
            problem = Arg("retriever"), "='rank_bm25' ranks by tokens only; name ", Arg("unit"), "='token' beside it"
            problems.append(Message("exclusive", problem, argument="retriever", value=LIBRARY, subject=False))
        return problems

    @property
    def loaded_encoder(self) -> Encoder:
        """The encoder, loaded on first use."""
        return encoder_for(self.encoder, revision=self.encoder_revision, device=self._device(), dtype=self.dtype)

    @property
    def loaded_generator(self) -> Generator:
        """The generator, loaded on first use."""
        device = None if self.generator == SERIALIZE or callable(self.generator) else self.device
        return generator_for(self.generator, revision=self.revision, device=device)

    def _device(self) -> str | None:
        """Return the device for an encoder that is loaded here; one that came loaded stays where it is."""
        return self.device if isinstance(self.encoder, str) else None

    def empty_reason(self, group: str) -> str:
        """Return why no score is defined for a document, as what it has."""
        return "no summary or no words in their text"

    def signed(self) -> dict[str, str]:
        """Add what identifies the generator, how it decodes, and the library that ranks."""
        signed = super().signed()
        if "revision" in signed:
            signed["encoder_revision"] = signed.pop("revision")
        signed |= self.loaded_generator.signed(num_beams=self.num_beams, max_new_tokens=self.max_new_tokens)
        if self.retriever == LIBRARY:
            signed["rank_bm25"] = installed_version("rank-bm25")
        return signed

    def statistics(self, corpus: PreparedCorpus) -> Statistics:
        """Score both tracks of each document."""
        usable = self._usable(corpus)
        rebuilt, ranking = self._rebuilt(corpus, usable), self._ranking(corpus, self._terms(corpus))
        notes = {
            "retrieval_rank": _objects([rank or None for rank in np.where(usable, ranking.rank, 0).tolist()]),
            "summary": _objects(rebuilt.summaries),
        }
        retrieval = np.where(usable, self._reciprocal(ranking.rank), 0.0)
        total = self.beta * rebuilt.cosine + self.delta * retrieval
        scores = {"reconstruction": rebuilt.cosine, "retrieval": retrieval, "fem_kp": total}
        return Statistics(self.columns(usable.astype(np.int64), scores), notes=notes, unread=rebuilt.unread)

    def clauses(self, scores: Mapping[str, Any], explained: Mapping[str, Any]) -> list[Clause]:
        """Say at which rank the phrases find their document, and how near the rebuilt summary is to the gold one."""
        if not explained["predictions"]:
            return ["There is nothing to rebuild a summary from, or none to compare it with"]
        rank, cosine = scores["retrieval_rank"], rounded(scores["reconstruction"])
        terms = [row for row in explained["predictions"] if row["kind"] == NONE]
        return [
            f"The phrases find their document at rank {count(rank)}" if rank else "No phrase finds its document",
            f"beyond max_rank = {count(self.max_rank)} a rank earns nothing" if (rank or 0) > self.max_rank else "",
            f"the cosine of the rebuilt and the gold summary is {cosine}",
            ("not in its text", [row["phrase"] for row in terms]),
        ]

    def _reciprocal(self, rank: Ints) -> Floats:
        """Turn ranks into scores (eq. 19); rank 0 means that the document was not found."""
        found = (rank > 0) & (rank <= self.max_rank)
        return np.asarray(ratio(found, rank))

    def _usable(self, corpus: PreparedCorpus) -> Mask:
        """(n,) whether a document has a summary, and words in its text. Raises InputError with ``on_empty="error"``."""
        summaries = corpus.summaries or []
        summarised = np.fromiter((bool(summary.strip()) for summary in summaries), np.bool_, len(summaries))
        worded = corpus.document_ids >= 0
        if self.on_empty == "error":
            for name, there, what in (("summaries", summarised, "is blank"), ("sources", worded, "has no words")):
                if not there.all():
                    raise empty_document(name, int(there.argmin()), what)
        return summarised & worded

    def _rebuilt(self, corpus: PreparedCorpus, usable: Mask) -> _Rebuilt:
        """Write a summary for each usable document that has phrases, and compare it with the gold one."""
        summaries, cosine = [""] * len(corpus), np.zeros(len(corpus))
        lists = corpus.phrases(corpus.predictions)
        asked = np.flatnonzero(usable & (corpus.predictions.counts > 0)).tolist()
        if asked:
            written = self.loaded_generator.generate(
                [lists[row] for row in asked],
                batch_size=self.batch_size,
                num_beams=self.num_beams,
                max_new_tokens=self.max_new_tokens,
            )
            for row, summary in zip(asked, written, strict=True):
                summaries[row] = summary
        rows = [row for row in asked if summaries[row]]
        gold = [normalize((corpus.summaries or [])[row]) for row in rows]
        texts = [*(summaries[row] for row in rows), *gold]
        if rows:
            vectors = self.loaded_encoder.encode(texts, batch_size=self.batch_size, cache_dir=self.cache_dir)
            rebuilt, expected = vectors[: len(rows)].astype(np.float64), vectors[len(rows) :].astype(np.float64)
            cosine[rows] = np.einsum("ij,ij->i", rebuilt, expected).clip(-1.0, 1.0)
        return _Rebuilt(summaries, cosine, self._unread_summaries(texts, rows, len(corpus)))

    def _unread_summaries(self, texts: Sequence[str], rows: Sequence[int], documents: int) -> Unread | None:
        """Count the summaries that look alike to the encoder: first all rebuilt ones, then all gold ones of rows."""
        flags = self.loaded_encoder.unknown(texts)
        if flags is None:
            return None
        document_counts = {name: np.zeros(documents, np.int64) for name in ("unread_predictions", "unread_references")}
        for tally, part in zip(document_counts.values(), np.split(flags, 2), strict=True):
            tally[list(rows)] = part
        return Unread(document_counts, first_of(texts, flags))

    def _terms(self, corpus: PreparedCorpus) -> bm25.Terms:
        return bm25.Terms.of(corpus.index, corpus.predictions, corpus.vocabulary, unit=self.unit)

    def _ranking(self, corpus: PreparedCorpus, terms: bm25.Terms) -> bm25.Ranking:
        rank = bm25.rank if self.retriever == BUILTIN else bm25.rank_with_library
        return rank(corpus.index, terms, corpus.document_ids, k1=self.k1, b=self.b)

    def explain(self, corpus: PreparedCorpus) -> list[_Explanation]:
        """Show each document's rebuilt summary, and what each term does for finding the document."""
        usable = self._usable(corpus)
        rebuilt, terms = self._rebuilt(corpus, usable), self._terms(corpus)
        ranking = self._ranking(corpus, terms)
        retrieval = np.where(usable, self._reciprocal(ranking.rank), 0.0)
        return [_Explanation(self, corpus, usable, rebuilt, terms, ranking, retrieval)]


@dataclass(frozen=True, eq=False)
class _Rebuilt:
    """The summaries that were written, (n,) their cosines to the gold ones, and which the encoder does not know."""

    summaries: Sequence[str]
    cosine: Floats
    unread: Unread | None


@dataclass(frozen=True, eq=False)
class _Explanation:
    """The rows of a document: its rebuilt summary, then the terms of the query that looks for it.

    A term's credit for retrieval is its share of the BM25 score of its own document.
    """

    measure: FemKp
    corpus: PreparedCorpus
    usable: Mask
    rebuilt: _Rebuilt
    terms: bm25.Terms
    ranking: bm25.Ranking
    retrieval: Floats

    def rows(self, document: int) -> tuple[list[Row], list[Row]]:
        """Return the rows of a document's predictions, and its gold summary."""
        gold = normalize((self.corpus.summaries or [])[document])
        if not self.usable[document] or not self.corpus.predictions.counts[document]:
            return [], [{"rank": 1, "phrase": gold}]
        cosine = float(self.rebuilt.cosine[document])
        summary: Row = {
            "group": "reconstruction",
            "rank": 1,
            "phrase": self.rebuilt.summaries[document],
            "kind": WHOLE_LIST,
            "compared": [{"reference": gold, "similarity": cosine}],
            "credit": {"reconstruction": cosine, "fem_kp": self.measure.beta * cosine},
        }
        return [summary, *self._terms_of(document)], [{"rank": 1, "phrase": gold}]

    def _terms_of(self, document: int) -> list[Row]:
        first, last = (int(offset) for offset in self.terms.offsets[document : document + 2])
        credit = self.ranking.credit[first:last]
        share = ratio(credit, math.fsum(credit.tolist())) * self.retrieval[document]
        return [
            {
                "group": "retrieval",
                "rank": 1 + place,
                "phrase": phrase,
                "kind": PRESENT if self.ranking.occurrences[first + place] else NONE,
                "compared": [],
                "occurrences": int(self.ranking.occurrences[first + place]),
                "documents": int(self.ranking.documents[first + place]),
                "bm25": float(credit[place]),
                "credit": {"retrieval": float(share[place]), "fem_kp": self.measure.delta * float(share[place])},
            }
            for place, phrase in enumerate(self._texts[first:last])
        ]

    @cached_property
    def _texts(self) -> list[str]:
        """The terms of all queries as strings: the phrases, or the stems of their tokens."""
        side, words = self.corpus.predictions, self.corpus.vocabulary
        if self.measure.unit == "phrase":
            return words.texts(side.phrase.tolist())
        strings = words.stem_strings()
        stems, _ = gather(*words.stems_by_id(), side.stem_id)
        return [strings[stem] for stem in stems.tolist()]


def _objects(values: Sequence[object]) -> Column:
    array = np.empty(len(values), object)
    array[:] = values
    return array
