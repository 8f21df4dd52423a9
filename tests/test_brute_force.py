"""Each measure against the definition in METRICS.md, worked out anew in a few slow lines."""

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import columns, documents, inside, stems, unique_stems

from keyphrase_metrics import score

pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")


def lists(docs):
    return [(unique_stems(p), unique_stems(r), tuple(map(stems, s.split()))) for p, r, s in docs]


def per_document(docs, metric, key):
    predictions, references, sources = columns(docs)
    return score(predictions, references, sources, metrics=metric, per_document=True)[metric].per_document[key]


def means(values):
    return sum(values) / len(values) if values else 0.0


@given(documents())
def test_micro_from_counts(docs):
    hits = predicted = wanted = 0
    for p, r, _ in lists(docs):
        hits += len([x for x in p[:3] if x in r])
        predicted += len(p[:3])
        wanted += len(r)
    got = score(*columns(docs), metrics="keyphrase_f1(average=micro,cutoffs=[3])")
    scores = next(iter(got.values())).scores
    assert scores["precision@3"] == pytest.approx(hits / predicted if predicted else 0)
    assert scores["recall@3"] == pytest.approx(hits / wanted if wanted else 0)
    assert scores["f1@3"] == pytest.approx(2 * hits / (predicted + wanted) if hits else 0)


def shared(a, b):
    """The F1 of two multisets of stems."""
    return 2 * (Counter(a) & Counter(b)).total() / (len(a) + len(b))


def largest_sum(predicted, wanted):
    """The largest sum of credits over all ways to pair each prediction with one reference (its variants), or none."""
    size = max(len(predicted), len(wanted))
    credit = [[max(shared(p, variant) for variant in reference) for reference in wanted] for p in predicted]
    padded = [[*row, *[0.0] * (size - len(row))] for row in [*credit, *[[]] * (size - len(predicted))]]
    return max(sum(padded[i][j] for i, j in enumerate(order)) for order in permutations(range(size)))


words = st.sampled_from("abcd")
phrases = st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), max_size=5)
some_references = st.lists(
    st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=2), max_size=4
)


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("variants", [False, True])
@given(docs=st.lists(st.tuples(phrases, some_references), min_size=1, max_size=3))
def test_partial_credit_is_the_pairing_with_the_largest_sum(average, variants, docs):
    predictions = [list(dict.fromkeys(p)) for p, _ in docs]
    references = [[r if variants else r[:1] for r in wanted] for _, wanted in docs]
    given_references = references if variants else [[r[0] for r in wanted] for wanted in references]
    how = {"metrics": f"keyphrase_f1(cutoffs=[2,M],partial=True,average={average},deduplicate=False)"}
    (result,) = score(predictions, given_references, **how, per_document=True, explain=True).values()
    for k in (2, "M"):
        lists = [
            (
                [p.split() for p in ranked[: 5 if k == "M" else k]],
                [[v.split() for v in variants] for variants in wanted],
            )
            for ranked, wanted in zip(predictions, references, strict=True)
        ]
        sums = [largest_sum(*each) for each in lists]
        of_documents = [
            2 * total / (len(p) + len(r)) if total else 0 for total, (p, r) in zip(sums, lists, strict=True)
        ]
        assert result.per_document[f"partial_f1@{k}"] == pytest.approx(of_documents)
        assert result.per_document[f"partial_recall@{k}"] == pytest.approx(
            [total / len(r) if r else 0 for total, (_, r) in zip(sums, lists, strict=True)]
        )
        if average == "micro":
            sizes = sum(len(p) + len(r) for p, r in lists)
            assert result.scores[f"partial_f1@{k}"] == pytest.approx(2 * sum(sums) / sizes if sum(sums) else 0)
        else:
            assert result.scores[f"partial_f1@{k}"] == pytest.approx(means(of_documents))
        assert result.scores[f"partial_f1@{k}"] >= result.scores[f"f1@{k}"] - 1e-12
        earned = [sum(row["credit"][f"partial_f1@{k}"] for row in one["predictions"]) for one in result.explanation]
        assert earned == pytest.approx(of_documents)


def test_an_exact_match_is_given_up_for_a_larger_sum():
    metric = "keyphrase_f1(cutoffs=[M],partial=True)"
    found = score([["a b c", "a b"]], [["a b c", "c d"]], metrics=metric)[metric]
    assert found.scores["partial_recall@M"] == pytest.approx(max(1, 2 / 5 + 4 / 5) / 2), "the exact match is given up"
    assert found.scores["recall@M"] == 0.5
    assert "partial" not in str(found.signature), "which only adds scores"


@pytest.mark.parametrize("pad", [True, False])
@given(documents())
def test_padded_micro_with_and_without_empty_predictions(pad, docs):
    for pad_empty in (True, False):
        hits = sum(len([x for x in p[:3] if x in r]) for p, r, _ in lists(docs))
        if pad:
            predicted = sum(3 for p, _, _ in lists(docs) if p or pad_empty)
        else:
            predicted = sum(len(p[:3]) for p, _, _ in lists(docs))
        metric = f"keyphrase_f1(average=micro,cutoffs=[3],pad={pad},pad_empty={pad_empty})"
        assert score(*columns(docs), metrics=metric)[metric].scores["precision@3"] == pytest.approx(
            hits / predicted if predicted else 0
        )


@pytest.mark.parametrize("keyphrases", ["present", "absent"])
@pytest.mark.parametrize("filter_predictions", [True, False])
@given(documents())
def test_present_and_absent(keyphrases, filter_predictions, docs):
    expected = []
    for p, r, source in lists(docs):
        source = tuple(stem for token in source for stem in token)

        def wanted(phrase, source=source):
            return inside(phrase, source) == (keyphrases == "present")

        r = list(filter(wanted, r))
        p = list(filter(wanted, p)) if filter_predictions else p
        h = len(set(p) & set(r))
        expected.append(2 * h / (len(p) + len(r)) if h else 0.0)
    metric = f"keyphrase_f1(keyphrases={keyphrases},filter_predictions={filter_predictions},cutoffs=[M])"
    assert per_document(docs, metric, "f1@M") == pytest.approx(expected)


def f1_at(k, p, r):
    h = len([x for x in p[:k] if x in r])
    return Fraction(2 * h, min(k, len(p)) + len(r)) if h else Fraction(0)


@given(documents())
def test_oracle_of_each_document(docs):
    best, ks = [], []
    for p, r, _ in lists(docs):
        by_k = [f1_at(k, p, r) for k in range(1, len(p) + 1)]
        best.append(max(by_k, default=Fraction(0)))
        ks.append(1 + by_k.index(best[-1]) if best[-1] else None)
    metric = "keyphrase_f1(oracle=True)"
    result = score(*columns(docs), metrics=metric, per_document=True)[metric]
    assert result.per_document["oracle_f1"] == pytest.approx([float(value) for value in best])
    assert result.per_document["oracle_k"] == ks
    found = [k for k in ks if k]
    assert result.scores["oracle_k"] == (pytest.approx(means(found)) if found else None)


@pytest.mark.parametrize("average", ["macro", "macro_of_means", "micro"])
@given(documents())
def test_oracle_at_one_k(average, docs):
    prepared = lists(docs)

    def corpus_f1(k):
        h = [len([x for x in p[:k] if x in r]) for p, r, _ in prepared]
        m = [min(k, len(p)) for p, _, _ in prepared]
        n = [len(r) for _, r, _ in prepared]
        if average == "micro":
            return Fraction(2 * sum(h), sum(m) + sum(n)) if sum(h) else Fraction(0)
        if average == "macro":
            return means([f1_at(k, p, r) for p, r, _ in prepared])
        precision = means([Fraction(a, b) if b else Fraction(0) for a, b in zip(h, m, strict=True)])
        recall = means([Fraction(a, b) if b else Fraction(0) for a, b in zip(h, n, strict=True)])
        return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)

    by_k = [corpus_f1(k) for k in range(1, 1 + max(len(p) for p, _, _ in prepared))]
    best = max(by_k, default=Fraction(0))
    metric = f"keyphrase_f1(oracle=True,average={average})"
    scores = score(*columns(docs), metrics=metric)[metric].scores
    assert scores["oracle_f1_fixed_k"] == pytest.approx(float(best))
    assert scores["oracle_k_fixed"] == (1 + by_k.index(best) if best else None)


@given(documents())
def test_binary_ranking_measures(docs):
    expected = {"map": [], "mrr": [], "bpref": [], "ndcg": [], "ndcg@2": []}
    for p, r, _ in lists(docs):
        hits = [i for i, x in enumerate(p, 1) if x in r]
        expected["map"].append(means([]) if not r else sum(n / i for n, i in enumerate(hits, 1)) / len(r))
        expected["mrr"].append(1 / hits[0] if hits else 0)
        expected["bpref"].append(means([1 - (i - n) / len(p) for n, i in enumerate(hits, 1)]))
        for key, k in (("ndcg", 99), ("ndcg@2", 2)):
            ideal = sum(1 / math.log2(1 + i) for i in range(1, 1 + min(k, len(r))))
            expected[key].append(sum(1 / math.log2(1 + i) for i in hits if i <= k) / ideal if r else 0)
    for key, values in expected.items():
        assert per_document(docs, "keyphrase_ndcg(cutoffs=[2])", key) == pytest.approx(values)


def related(p, y):
    return inside(p, y) or inside(y, p)


def graded(p, r):
    gains, free = [], list(r)
    for x in p:
        best = x if x in free else next((y for y in free if related(x, y)), None)
        gains.append(0.0 if best is None else 1.0)
        if best is not None:
            free.remove(best)
    return gains


@pytest.mark.parametrize("ideal", ["references", "retrieved"])
@given(documents())
def test_graded_gains(ideal, docs):
    expected = []
    for p, r, _ in lists(docs):
        gains = graded(p, r)
        best = [1.0] * len(r) if ideal == "references" else sorted(gains, reverse=True)
        dcg, idcg = (sum(g / math.log2(2 + i) for i, g in enumerate(x)) for x in (gains, best))
        expected.append(dcg / idcg if idcg else 0.0)
    metric = f"keyphrase_ndcg(relevance=approximate,ideal={ideal})"
    assert per_document(docs, metric, "ndcg") == pytest.approx(expected)
    exponential = f"keyphrase_ndcg(relevance=approximate,ideal={ideal},gain=exponential)"
    assert per_document(docs, exponential, "ndcg") == pytest.approx(expected)


def novelty(items, r, covers):
    seen, total = dict.fromkeys(r, 0), 0.0
    for rank, item in enumerate(items, 1):
        covered = [y for y in r if covers(item, y)]
        total += sum(0.5 ** seen[y] for y in covered) / math.log2(1 + rank)
        for y in covered:
            seen[y] += 1
    return total


def greedily(pool, r, covers):
    pool, order, seen = list(pool), [], dict.fromkeys(r, 0)
    while pool:
        best = max(pool, key=lambda item: sum(0.5 ** seen[y] for y in r if covers(item, y)))  # the first on ties
        pool.remove(best)
        order.append(best)
        for y in r:
            seen[y] += covers(best, y)
    return order


@pytest.mark.parametrize("ideal", ["references", "retrieved"])
@pytest.mark.parametrize(
    ("options", "covers"),
    [
        ("relevance=exact", lambda p, y: p == y),
        ("relevance=approximate", related),
        ("nuggets=characters", lambda p, y: " ".join(p) in " ".join(y)),
    ],
)
@given(documents())
def test_alpha_ndcg(ideal, options, covers, docs):
    expected = []
    for p, r, _ in lists(docs):
        pool = p if ideal == "retrieved" else [*p, *(y for y in r if y not in p)]
        best = novelty(greedily(pool, r, covers), r, covers)
        expected.append(novelty(p, r, covers) / best if best else 0.0)
    metric = f"keyphrase_ndcg(alpha_ndcg=True,ideal={ideal},{options})"
    assert per_document(docs, metric, "alpha_ndcg") == pytest.approx(expected)


def head_credit(p, y):
    matched = sum(1 / (i + 1) for i, (a, b) in enumerate(zip(p[::-1], y[::-1], strict=False)) if a == b)
    return matched / sum(1 / (i + 1) for i in range(len(y)))


CREDITS = {
    "r_precision": lambda p, y: float(p == y),
    "r_precision_approximate": lambda p, y: float(related(p, y)),
    "r_precision_head_noun": head_credit,
}


@pytest.mark.parametrize("key", CREDITS)
@given(documents())
def test_r_precision(key, docs):
    credit = CREDITS[key]
    expected = [
        sum(max(credit(x, y) for y in r) for x in p[: len(r)]) / len(r) if r else 0.0 for p, r, _ in lists(docs)
    ]
    assert per_document(docs, "r_precision", key) == pytest.approx(expected)


@pytest.mark.parametrize("key", CREDITS)
@given(documents())
def test_r_precision_one_to_one(key, docs):
    credit = CREDITS[key]
    expected = []
    for p, r, _ in lists(docs):
        p = p[: len(r)]
        matchings = (sum(map(credit, p, order)) for order in permutations(r, len(p)))
        expected.append(max(matchings) / len(r) if r else 0.0)
    assert per_document(docs, "r_precision(one_to_one=True)", key) == pytest.approx(expected)


def with_letters(p, y):
    a, b = " ".join(p), " ".join(y)
    return float(a in b or b in a)


@given(documents())
def test_r_precision_as_kpeval(docs):
    expected = []
    for p, r, source in lists(docs):
        source = tuple(stem for token in source for stem in token)
        p = sorted(p, key=lambda x: not inside(x, source))[: len(r)]
        expected.append(sum(max(with_letters(x, y) for y in r) for x in p) / len(r) if r else 0.0)
    assert per_document(docs, "r_precision(preset=kpeval)", "r_precision_approximate") == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["keyphrase_f1(cutoffs=[M])", "keyphrase_ndcg", "r_precision"])
@given(documents())
def test_on_empty(metric, docs):
    counting = [i for i, (_, r, _) in enumerate(docs) if r]
    name, _, rest = metric.partition("(")
    skipping = f"{name}({rest.rstrip(')')}{',' if rest else ''}on_empty=skip)"
    zero = score(*columns(docs), metrics=metric, per_document=True)[metric]
    if not counting:
        with pytest.warns(UserWarning, match="all documents have no references"):
            skipped = score(*columns(docs), metrics=skipping, per_document=True)[skipping]
        assert set(skipped.scores.values()) == {None}
        return
    skipped = score(*columns(docs), metrics=skipping, per_document=True)[skipping]
    for key, values in zero.per_document.items():
        assert all(values[i] == 0 for i in range(len(docs)) if i not in counting)
        assert skipped.per_document[key] == [v if i in counting else None for i, v in enumerate(values)]
        assert skipped.scores[key] == pytest.approx(sum(values) / len(counting))
        assert zero.scores[key] == pytest.approx(sum(values) / len(docs))
    if len(counting) < len(docs):
        first = min(set(range(len(docs))) - set(counting))
        with pytest.raises(ValueError, match=rf"references\[{first}\] has no references"):
            score(*columns(docs), metrics=metric, on_empty="error")
