"""BM25 ranks against equation 18 worked out anew in a few slow lines, and against the library rank_bm25."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.processes import run_program
from support.strategies import odd_phrases, phrases, sources

from keyphrase_metrics.core.corpus import PreparedCorpus
from keyphrase_metrics.metrics import bm25
from keyphrase_metrics.metrics.bm25 import Terms, rank, rank_with_library
from keyphrase_metrics.retrieval import occurrences
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.text.analyzer import Analyzer

ANALYZERS = [
    Analyzer(),
    Analyzer(tokenizer="whitespace", stemmer=None, lowercase=False),
    Analyzer(hyphens="split", stemmer="snowball:english"),
    Analyzer(tokenizer=lambda text: list(text), stemmer=None),  # letters
]

texts = st.one_of(sources, st.sampled_from(["", " ", "Café-solar ½ wind", "太陽光 power 太陽光", "c++ c + +", "-"]))
corpora = st.lists(texts, min_size=1, max_size=8)
lists = st.lists(st.one_of(phrases, odd_phrases, st.just("unheard of"), st.just("power power")), max_size=6)
parameters = st.tuples(st.sampled_from([0.0, 0.4, 1.5]), st.sampled_from([0.0, 0.75, 1.0]))
sizes = st.sampled_from(
    [{}, {"_POSTINGS_AT_ONCE": 1}, {"_POSTINGS_AT_ONCE": 9, "_SCORES_AT_ONCE": 1}, {"_WEIGHTS_AT_ONCE": 2}]
)


def query_terms(predictions, analyzer, unit):
    """Each document's terms as tuples of stems."""
    unique = [[p for p in dict.fromkeys(map(analyzer.stems, document)) if p] for document in predictions]
    if unit == "phrase":
        return unique
    return [[(stem,) for phrase in document for stem in phrase] for document in unique]


def equation_18(corpus, query, analyzer, k1, b):
    """{text: (score, {term: (credit, fr, df)})}"""
    documents = {text: stems for text in corpus if (stems := analyzer.stems(text))}
    average = sum(map(len, documents.values())) / max(len(documents), 1)

    def fr(term, stems):
        return sum(stems[i : i + len(term)] == term for i in range(len(stems)))

    scored = {}
    for text, stems in documents.items():
        parts = {}
        for term in query:
            df, f = sum(fr(term, other) > 0 for other in documents.values()), fr(term, stems)
            idf = math.log((len(documents) + 1) / (df + 0.5))
            length = 1 - b + b * len(stems) / average
            parts[term] = (idf * f / (f + k1 * length) * (k1 + 1) if f else 0.0, f, df)
        scored[text] = sum(parts[term][0] for term in query), parts
    return scored


def ranked(corpus, predictions, own, analyzer, unit, ranker=rank, **options):
    prepared = PreparedCorpus.prepare(predictions, [[] for _ in predictions], analyzer=analyzer)
    index = Index.build(corpus, analyzer)
    terms = Terms.of(index, prepared.predictions, prepared.vocabulary, unit=unit)
    return ranker(index, terms, index.locate(own), **options), terms


@pytest.mark.parametrize("unit", bm25.UNITS)
@pytest.mark.parametrize("analyzer", ANALYZERS)
@given(corpora, st.data(), parameters, sizes)
def test_equation_18(analyzer, unit, corpus, data, k1_b, bounds):
    k1, b = k1_b
    own = data.draw(st.lists(st.sampled_from([*corpus, "not in it"]), min_size=1, max_size=6))
    predictions = data.draw(st.lists(lists, min_size=len(own), max_size=len(own)))
    with pytest.MonkeyPatch.context() as patch:
        for name, size in bounds.items():
            patch.setattr(bm25, name, size)
        ranking, terms = ranked(corpus, predictions, own, analyzer, unit, k1=k1, b=b)
    for i, query in enumerate(query_terms(predictions, analyzer, unit)):
        scored = equation_18(corpus, query, analyzer, k1, b)
        mine = slice(terms.offsets[i], terms.offsets[i + 1])
        explained = (ranking.credit[mine], ranking.occurrences[mine], ranking.documents[mine])
        if own[i] not in scored:
            assert (ranking.rank[i], ranking.score[i], sum(ranking.credit[mine])) == (0, 0, 0)
            continue
        score, parts = scored[own[i]]
        wanted = sum(other >= score - 1e-9 for other, _ in scored.values()) if score > 0 else 0
        assert ranking.rank[i] == wanted
        assert ranking.score[i] == pytest.approx(score, abs=1e-12)
        assert [part[1:] for part in map(parts.get, query)] == list(
            zip(*map(np.ndarray.tolist, explained[1:]), strict=True)
        )
        assert explained[0].tolist() == pytest.approx([parts[term][0] for term in query], abs=1e-12)


def test_a_score_by_hand():
    ranking, terms = ranked(["a b", "a a a a", "c"], [["a b", "a"]], ["a b"], Analyzer(stemmer=None), "phrase")
    norm = 1.5 * (0.25 + 0.75 * 2 / (7 / 3))
    credit = [math.log(4 / 1.5) * 2.5 / (1 + norm), math.log(4 / 2.5) * 2.5 / (1 + norm)]
    assert ranking.credit.tolist() == pytest.approx(credit)
    assert (ranking.rank.tolist(), ranking.documents.tolist()) == ([1], [1, 2])
    assert terms.phrase.tolist() == [0, 1]


def test_ties_count_against_the_document():
    corpus = ["wind power", "power wind", "wind farm", "solar"]
    ranking, _ = ranked(corpus, [["wind"], ["wind", "power"], ["fog"]], corpus[:3], Analyzer(), "phrase")
    assert ranking.rank.tolist() == [3, 2, 0]


def test_tokens_keep_repeats_and_name_their_phrase():
    predictions = [["solar power", "wind power"], [], ["power"]]
    once, _ = ranked(["solar power", "wind"], [["power"]], ["solar power"], Analyzer(), "token")
    ranking, terms = ranked(["solar power", "wind"], predictions, ["solar power"] * 3, Analyzer(), "token")
    assert terms.phrase.tolist() == [0, 0, 1, 1, 2]
    assert ranking.credit[[1, 3, 4]].tolist() == once.credit.tolist() * 3
    assert ranking.score.tolist() == pytest.approx(
        [*np.add.reduceat(ranking.credit, [0]) - once.credit, 0, *once.credit]
    )
    assert ranking.rank.tolist() == [1, 0, 1]


@given(corpora, st.lists(lists, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_neither_order_matters(corpus, predictions, chosen):
    own = [chosen.choice(corpus) for _ in predictions]
    shuffled = [chosen.sample(document, len(document)) for document in predictions]
    again = chosen.sample(corpus, len(corpus))
    for unit in bm25.UNITS:
        first, _ = ranked(corpus, predictions, own, Analyzer(), unit)
        second, _ = ranked([*again, *corpus], shuffled, own, Analyzer(), unit)
        assert first.rank.tolist() == second.rank.tolist()
        assert first.score.tolist() == pytest.approx(second.score.tolist(), abs=1e-12)


@given(corpora, st.data(), parameters)
def test_the_library_ranks_as_it_scores(corpus, data, k1_b):
    from rank_bm25 import BM25Okapi

    k1, b = k1_b
    own = data.draw(st.lists(st.sampled_from([*corpus, "not in it"]), min_size=1, max_size=4))
    predictions = data.draw(st.lists(lists, min_size=len(own), max_size=len(own)))
    ranking, terms = ranked(corpus, predictions, own, Analyzer(), "token", rank_with_library, k1=k1 + 0.1, b=b)
    documents = {text: stems for text in corpus if (stems := Analyzer().stems(text))}
    library = BM25Okapi(list(documents.values()), k1=k1 + 0.1, b=b) if documents else None
    for i, query in enumerate(query_terms(predictions, Analyzer(), "token")):
        scores = dict(zip(documents, library.get_scores([stem for (stem,) in query]), strict=True)) if library else {}
        score = scores.get(own[i], 0)
        assert ranking.score[i] == pytest.approx(score, abs=1e-12)
        assert ranking.rank[i] == (sum(s >= score - 1e-9 for s in scores.values()) if score > 0 else 0)
        credit = ranking.credit[terms.offsets[i] : terms.offsets[i + 1]]
        assert sum(credit) == pytest.approx(score, abs=1e-12)


def test_the_library_and_this_agree_where_their_idf_does():
    """For a single term, IDF is one factor of all scores, and ranks do not depend on it where it is positive."""
    chosen = np.random.default_rng(0)
    words = [f"w{i}" for i in range(40)]
    corpus = [" ".join([*chosen.permutation(words[:20])[:5], *chosen.choice(words, 9)]) for _ in range(60)]
    predictions = [[word] for word in words]
    own = [corpus[i] for i in range(40)]
    analyzer = Analyzer(stemmer=None)
    ours, _ = ranked(corpus, predictions, own, analyzer, "token")
    theirs, _ = ranked(corpus, predictions, own, analyzer, "token", rank_with_library)
    has = (ours.score > 0) & (theirs.score > 0)
    assert has.sum() > 10
    assert ours.rank[has].tolist() == theirs.rank[has].tolist()


def test_refusals():
    with pytest.raises(ValueError, match=r"^unit='word' is not allowed; choose 'phrase' or 'token'"):
        ranked(["a"], [["a"]], ["a"], Analyzer(), "word")
    with pytest.raises(ValueError, match=r"use unit='token'"):
        ranked(["a b"], [["a b"]], ["a b"], Analyzer(), "phrase", rank_with_library)


@pytest.mark.slow
def test_the_library_is_named_where_it_is_missing():
    done = run_program("rank_without_library", check=True)
    assert done.stdout == "rank_bm25 is not installed; run pip install 'keyphrase-metrics[fem]'\n"


def test_no_work_at_import():
    done = run_program(
        "imported_with", "keyphrase_metrics.metrics.bm25", "scipy", "rank_bm25", "torch", "nltk", check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("unit", bm25.UNITS)
def test_memory_does_not_grow_with_the_lists(unit, monkeypatch):
    monkeypatch.setattr(bm25, "_POSTINGS_AT_ONCE", 20_000)
    monkeypatch.setattr(bm25, "_WEIGHTS_AT_ONCE", 10_000)
    monkeypatch.setattr(occurrences, "_CANDIDATES_AT_ONCE", 10_000)
    chosen = np.random.default_rng(0)
    words = [f"w{i}" for i in range(200)]
    corpus = [" ".join(chosen.choice(words, 60)) for _ in range(400)]
    corpus += [" ".join(words)]
    index = Index.build(corpus, Analyzer(stemmer=None))
    peaks = []
    for most in (100, 2_000):  # phrases of one document: far more postings than are allowed at once, in one query
        predictions = [[" ".join(chosen.choice(words, size)) for size in (1, 1, 2) * (most // 3)], [*words[:50]]] * 2
        prepared = PreparedCorpus.prepare(predictions, [[]] * 4, analyzer=index.analyzer, deduplicate=False)
        terms = Terms.of(index, prepared.predictions, prepared.vocabulary, unit=unit)
        own = index.locate([corpus[-1]] * 4)
        rank(index, terms, own)
        tracemalloc.start()
        ranking = rank(index, terms, own)
        peaks.append(tracemalloc.get_traced_memory()[1] - 200 * len(terms.term))
        tracemalloc.stop()
        assert (ranking.rank > 0).all()
    assert peaks[1] < 1.5 * peaks[0]
