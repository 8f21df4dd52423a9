"""Time and memory of the retrieval half of FEM-KP, printed with their conditions; nothing is asserted.

    python benchmarks/retrieval.py [--data FOLDER] [--runs 3] [--most 100000]

FOLDER holds ``kp20k_1000.jsonl`` (one JSON object a line: ``title``, ``text``, ``predictions`` by system). Without it,
documents are made from ``examples/``. Larger corpora are those texts and, after them, texts made of their sentences,
shuffled. Queries are always the predictions for the first texts, up to 1,000.

The libraries get the stems of this package as integers, and the same k1 and b. ``rank_bm25`` (as it is) and ``bm25s``
(method and IDF of Lucene; its scores are eq. 18's without the factor k1 + 1, in 32 bits) give all documents' scores, by
``get_scores``; the rank is then counted as here. bm25s is left out where it is not installed. "From tokens" is what
is left without the preparation of texts and phrases, which is the same work for all.

Every figure is the best of some runs in a process of its own; import time is left out.
"""

import argparse
import json
import os
import platform
import random
import re
import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

from lexical import ROOT, best, figures_of, load, peak

SIZES = [1_000, 10_000, 100_000]
K1, B = 1.5, 0.75
UNITS = ("phrase", "token")


def documents(folder):
    rows, source = load(folder, "kp20k_1000", 1_000)
    system = next((s for s in rows[0]["predictions"] if "TopicRank" in s), "a")
    texts = [f"{row['title']} {row['text']}" for row in rows]
    return texts, [row["predictions"][system] for row in rows], f"{source}, {system}"


def corpus(texts, size):
    """The texts, and then texts of as many of their sentences, until there are ``size``."""
    yield from texts[:size]
    chosen = random.Random(0)
    sentences = [sentence for text in texts for sentence in re.split(r"(?<=[.!?]) ", text)]
    if len(sentences) < 3 * len(texts):  # no sentences to speak of
        words = " ".join(texts).split()
        sentences = [" ".join(words[start : start + 20]) for start in range(0, len(words), 20)]
    for made in range(max(size - len(texts), 0)):
        place = made % len(texts)
        if place == 0:
            chosen.shuffle(sentences)
        first, last = (edge * len(sentences) // len(texts) for edge in (place, place + 1))
        yield " ".join(sentences[first:last])


def prepared(predictions):
    from keyphrase_metrics.core.corpus import PreparedCorpus
    from keyphrase_metrics.text.analyzer import Analyzer
    from keyphrase_metrics.text.vocabulary import _vocabularies

    _vocabularies.clear()
    return PreparedCorpus.prepare(predictions, [[] for _ in predictions], analyzer=Analyzer(tokenizer="whitespace"))


def warm():
    """Import what is imported late."""
    from keyphrase_metrics.metrics.bm25 import Terms, rank
    from keyphrase_metrics.retrieval.index import Index

    phrases = prepared([["solar power"]])
    index = Index.build(["solar power"], phrases.vocabulary.analyzer)
    rank(index, Terms.of(index, phrases.predictions, phrases.vocabulary), index.locate(["solar power"]))


def ranked(index, texts, phrases, unit):
    from keyphrase_metrics.metrics.bm25 import Terms, rank

    terms = Terms.of(index, phrases.predictions, phrases.vocabulary, unit=unit)
    return rank(index, terms, index.locate(texts), k1=K1, b=B)


def reciprocal(ranking):
    ranks = ranking.rank[ranking.rank > 0]
    return sum(1 / ranks[ranks <= 100]) / len(ranking.rank)


def whole_run(folder, runs, most):
    """Strings in, ranks out."""
    from keyphrase_metrics.retrieval.index import Index

    texts, predictions, source = documents(folder)
    figures = {"data": source, "documents": len(texts), "phrases": sum(map(len, predictions))}

    def run(unit):
        phrases = prepared(predictions)
        return ranked(Index.build(texts, phrases.vocabulary.analyzer), texts, phrases, unit)

    for unit in UNITS:
        figures[f"unit={unit}, s"] = best(runs, lambda unit=unit: run(unit))
        figures[f"mean reciprocal rank, {unit}"] = reciprocal(run(unit))
    return figures


def building(folder, runs, most):
    from keyphrase_metrics.retrieval.index import Index
    from keyphrase_metrics.text.analyzer import Analyzer

    texts, _, source = documents(folder)
    figures = {"data": source}
    for size in (size for size in SIZES if size <= most):
        made = list(corpus(texts, size))
        kept = []

        def build(made=made, kept=kept):
            kept[:] = [Index.build(made, Analyzer(tokenizer="whitespace"))]

        seconds = best(max(1, min(runs, 100_000 // size)), build)
        figures[f"{size:,} documents, s"] = seconds
        figures[f"{len(kept[0].positions):,} tokens, µs each"] = 1e6 * seconds / len(kept[0].positions)
    figures["peak memory, MB"] = peak()
    with tempfile.TemporaryDirectory() as folder:
        figures["save, s"] = best(1, lambda: kept[0].save(Path(folder) / "index"))
        figures["on disk, MB"] = sum(path.stat().st_size for path in (Path(folder) / "index").iterdir()) / 2**20
        figures["open, s"] = best(runs, lambda: Index.open(Path(folder) / "index"))
        figures["open without checksums, s"] = best(runs, lambda: Index.open(Path(folder) / "index", verify=False))
    return figures


def ranking(folder, runs, most, size=1_000):
    """The corpus goes in as a stream, as a user's would."""
    from keyphrase_metrics.retrieval.index import Index

    texts, predictions, source = documents(folder)
    phrases = prepared(predictions)
    index = Index.build(corpus(texts, size), phrases.vocabulary.analyzer)
    figures = {"data": source, "corpus": len(index), "queries": len(texts)}
    for unit in UNITS:
        figures[f"unit={unit}, s"] = best(runs, lambda unit=unit: ranked(index, texts, phrases, unit))
        figures[f"mean reciprocal rank, {unit}"] = reciprocal(ranked(index, texts, phrases, unit))
    figures["peak memory with building, MB"] = peak()
    return figures


def rank_bm25(folder, runs, most, size=1_000):
    """Whole runs at unit="token", the library's once."""
    from keyphrase_metrics.metrics.bm25 import Terms, rank_with_library
    from keyphrase_metrics.retrieval.index import Index

    texts, predictions, source = documents(folder)
    made = list(corpus(texts, size))
    parts = {}

    def run(ranker):
        start = time.perf_counter()
        phrases = prepared(predictions)
        index = Index.build(made, phrases.vocabulary.analyzer)
        own = index.locate(texts)
        begun = time.perf_counter()
        ranker(index, own, phrases)
        end = time.perf_counter()
        name = ranker.__name__
        parts[name] = min(parts.get(name, (end, end)), (end - start, end - begun))

    def library(index, own, phrases):
        terms = Terms.of(index, phrases.predictions, phrases.vocabulary, unit="token")
        rank_with_library(index, terms, own, k1=K1, b=B)

    def ours(index, own, phrases):
        ranked(index, texts, phrases, "token")

    for _ in range(runs):
        run(ours)
    run(library)
    return {
        "data": source,
        "corpus": size,
        "queries": len(texts),
        "whole run, s": parts["ours"][0],
        "rank_bm25 whole run, s": parts["library"][0],
        "times as fast": parts["library"][0] / parts["ours"][0],
        "from tokens, s": parts["ours"][1],
        "rank_bm25 from tokens, s": parts["library"][1],
        "times as fast from tokens": parts["library"][1] / parts["ours"][1],
    }


def bm25s(folder, runs, most, size=1_000):
    try:
        import bm25s as library
    except ModuleNotFoundError:
        return {"bm25s": "is not installed"}
    import numpy as np

    from keyphrase_metrics.metrics.bm25 import Terms
    from keyphrase_metrics.retrieval.index import Index

    texts, predictions, source = documents(folder)
    phrases = prepared(predictions)
    index = Index.build(corpus(texts, size), phrases.vocabulary.analyzer)
    own = index.locate(texts)
    terms = Terms.of(index, phrases.predictions, phrases.vocabulary, unit="token")
    flat, bounds = index.tokens.tolist(), index.offsets.tolist()
    rows = [flat[first : last - 1] for first, last in pairwise(bounds)]
    del flat
    vocabulary = {stem: number for number, stem in enumerate(index.stems)}
    asked = np.split(terms.tokens[terms.term], terms.offsets[1:-1])
    asked = [tokens[tokens >= 0].tolist() for tokens in asked]
    model = library.BM25(k1=K1, b=B, method="lucene", idf_method="lucene")
    ranks = np.zeros(len(own), np.int64)

    def indexed():
        model.index((rows, vocabulary), show_progress=False, create_empty_token=False)

    def scored():
        for query, tokens in enumerate(asked):
            if tokens:
                scores = model.get_scores(tokens)
                ranks[query] = np.count_nonzero(scores >= scores[own[query]] - 1e-9)

    many = runs if size <= 10_000 else 1
    figures = {"data": source, "corpus": len(index), "queries": len(texts)}
    figures["ranking, s"] = best(runs, lambda: ranked(index, texts, phrases, "token"))
    figures["bm25s index of token numbers, s"] = best(many, indexed)
    figures["bm25s scores and ranks, s"] = best(runs, scored)
    both = figures["bm25s index of token numbers, s"] + figures["bm25s scores and ranks, s"]
    figures["time over bm25s's index, scores and ranks"] = figures["ranking, s"] / both
    figures["time over bm25s's scores and ranks"] = figures["ranking, s"] / figures["bm25s scores and ranks, s"]
    figures["ranks that differ"] = int(np.count_nonzero(ranks != ranked(index, texts, phrases, "token").rank))
    return figures


def sized(case, sizes):
    """The cases of one kind by name, each with the size of its corpus."""
    return {f"{case.__name__}, 1,000 documents against {size:,}": (size, partial(case, size=size)) for size in sizes}


CASES = {
    "whole run, 1,000 documents against themselves": (0, whole_run),
    "building": (0, building),
    **sized(ranking, SIZES),
    **sized(rank_bm25, [1_000, 4_000]),
    **sized(bm25s, SIZES),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest corpus, in documents")
    parser.add_argument("--case", choices=CASES)
    options = parser.parse_args()
    if options.case:
        warm()
        print(json.dumps(CASES[options.case][1](options.data, options.runs, options.most)))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; best of {options.runs}")
    print(f"tokenizer=whitespace, stemmer=porter, k1={K1}, b={B}")
    for case in (name for name, (size, _) in CASES.items() if size <= options.most):
        print(figures_of(__file__, case, data=options.data, runs=options.runs, most=options.most), flush=True)


if __name__ == "__main__":
    main()
