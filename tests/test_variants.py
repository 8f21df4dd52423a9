"""References of several variants, and weights: METRICS.md's section 10, worked out anew in a few slow lines."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import inside, sources, stems

from keyphrase_metrics import Fingerprint, score
from keyphrase_metrics.inputs import Data
from keyphrase_metrics.scoring import configure, score_shard

pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")

phrases = st.lists(st.sampled_from(["solar", "power", "powers", "wind", "farm"]), min_size=1, max_size=3).map(" ".join)
variants = st.one_of(phrases, st.sampled_from(["", " "]))
references = st.lists(st.one_of(phrases, st.lists(variants, max_size=3)), max_size=5)
documents = st.lists(st.tuples(st.lists(phrases, max_size=6), references, sources), min_size=1, max_size=3)


def prepared(given_references, *, deduplicate=True):
    """Each reference left as its variants left, a list of (stems, text)."""
    seen, kept = set(), []
    for reference in given_references:
        own = {}
        for variant in [reference] if isinstance(reference, str) else reference:
            identity = stems(variant)
            if identity and not (deduplicate and identity in seen):
                own.setdefault(identity, variant.strip())
        seen |= own.keys()
        if own:
            kept.append(list(own.items()))
    return kept


def hits_of(predictions, wanted):
    """The reference that each prediction hits, or None."""
    found, before = [], set()
    for phrase in predictions:
        owner = next((i for i, reference in enumerate(wanted) if phrase in dict(reference)), None)
        free = owner is not None and owner not in found and phrase not in before
        found.append(owner if free else None)
        before.add(phrase)
    return found


def predicted(phrases, *, deduplicate=True):
    identities = [stems(phrase) for phrase in phrases]
    return list(dict.fromkeys(identities)) if deduplicate else identities


def per_document(docs, metric, **more):
    p, r, s = ([*column] for column in zip(*docs, strict=True))
    return next(iter(score(p, r, s, metrics=metric, per_document=True, **more).values())).per_document


def dcg(gains):
    return sum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains, 1))


@pytest.mark.parametrize("deduplicate", [True, False])
@settings(max_examples=25)
@given(documents)
def test_what_follows_from_hits(deduplicate, docs):
    f1 = per_document(docs, f"keyphrase_f1(cutoffs=[2,M],deduplicate={deduplicate})")
    ranked = per_document(docs, f"keyphrase_ndcg(deduplicate={deduplicate})")
    exact = per_document(docs, f"r_precision(deduplicate={deduplicate})")["r_precision"]
    for d, (p, r, _) in enumerate(docs):
        wanted, p = prepared(r, deduplicate=deduplicate), predicted(p, deduplicate=deduplicate)
        hits = [owner is not None for owner in hits_of(p, wanted)]
        size, count = len(wanted), sum(hits)
        assert f1["precision@M"][d] == pytest.approx(count / len(p) if p and size else 0)
        assert f1["recall@M"][d] == pytest.approx(count / size if size else 0)
        assert f1["f1@2"][d] == pytest.approx(2 * sum(hits[:2]) / (len(p[:2]) + size) if count else 0)
        assert ranked["ndcg"][d] == pytest.approx(dcg(hits) / dcg([1] * size) if size else 0)
        at = [rank for rank, hit in enumerate(hits, 1) if hit]
        assert ranked["map"][d] == pytest.approx(sum(i / rank for i, rank in enumerate(at, 1)) / size if at else 0)
        assert ranked["mrr"][d] == pytest.approx(1 / at[0] if at else 0)
        assert exact[d] == pytest.approx(sum(hits[:size]) / size if size else 0)


@pytest.mark.parametrize("keyphrases", ["present", "absent"])
@settings(max_examples=25)
@given(documents)
def test_present_and_absent(keyphrases, docs):
    got = per_document(docs, f"keyphrase_f1(keyphrases={keyphrases},filter_predictions=False,cutoffs=[M])")["f1@M"]
    for d, (p, r, source) in enumerate(docs):
        text = tuple(stem for word in source.split() for stem in stems(word))
        if keyphrases == "present":
            wanted = [[each for each in reference if inside(each[0], text)] for reference in prepared(r)]
        else:
            wanted = [one for one in prepared(r) if not any(inside(identity, text) for identity, _ in one)]
        wanted = [reference for reference in wanted if reference]
        count = sum(owner is not None for owner in hits_of(predicted(p), wanted))
        assert got[d] == pytest.approx(2 * count / (len(predicted(p)) + len(wanted)) if count else 0)


def contains(a, b):
    return inside(a, b) or inside(b, a)


def head_noun(prediction, variant):
    weights = [1 / (1 + i) for i in range(len(variant))]
    pairs = zip(weights, reversed(variant), reversed(prediction), strict=False)
    return sum(weight for weight, a, b in pairs if a == b) / sum(weights)


@pytest.mark.parametrize("deduplicate", [True, False])
@settings(max_examples=25)
@given(documents)
def test_r_precision(deduplicate, docs):
    loose = per_document(docs, f"r_precision(deduplicate={deduplicate})")
    strict = per_document(docs, f"r_precision(one_to_one=True,deduplicate={deduplicate})")
    for d, (p, r, _) in enumerate(docs):
        wanted = prepared(r, deduplicate=deduplicate)
        top = predicted(p, deduplicate=deduplicate)[: len(wanted)]
        fresh = list(dict.fromkeys(top))  # a repeat earns nothing
        for key, credit in (("approximate", contains), ("head_noun", head_noun)):
            rows = [[max(float(credit(one, each)) for each, _ in reference) for reference in wanted] for one in fresh]
            best = sum(map(max, rows)) / len(wanted) if rows else 0
            orders = permutations(range(len(wanted)), len(fresh))
            matched = max((sum(row[j] for row, j in zip(rows, order, strict=True)) for order in orders), default=0)
            assert loose[f"r_precision_{key}"][d] == pytest.approx(best)
            assert strict[f"r_precision_{key}"][d] == pytest.approx(matched / len(wanted) if wanted else 0)


def vector(text):
    """Vectors of which the cosines differ, some below 0."""
    parts = text.lower().split()
    return [len(parts), parts.count("solar") - 1.5, parts.count("power") - parts.count("farm"), len(text) % 3 - 1]


def encoder(texts):
    return np.array([vector(text) for text in texts], dtype=float)


def cosine(a, b):
    a, b = np.array(vector(a), float), np.array(vector(b), float)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def graded(docs):
    """Each document's predictions (stems, text) and references."""
    for p, r, _ in docs:
        firsts = {}
        for phrase in p:
            firsts.setdefault(stems(phrase), phrase)
        yield list(firsts.items()), prepared(r)


def similarity(one, reference):
    """(1 for a stem match, best cosine) of a prediction and a reference."""
    return one[0] in dict(reference), max(cosine(one[1], text) for _, text in reference)


@settings(max_examples=25)
@given(documents)
def test_sem_f1_and_semr_p(docs):
    sem = per_document(docs, "sem_f1", encoder=encoder)
    ranked = per_document(docs, "semr_p(k=2)", encoder=encoder)
    for d, (p, wanted) in enumerate(graded(docs)):
        table = [[similarity(one, reference) for reference in wanted] for one in p]
        if not p or not wanted:
            assert sem["sem_f1"][d] == ranked["semr_p"][d] == ranked["semr_p_div"][d] == 0
            continue
        credit = [[1 if exact else max(cos, 0) for exact, cos in row] for row in table]
        assert sem["sem_p"][d] == pytest.approx(sum(map(max, credit)) / len(p), abs=1e-6)
        columns = zip(*credit, strict=True)
        assert sem["sem_r"][d] == pytest.approx(sum(map(max, columns)) / len(wanted), abs=1e-6)
        top, total = table[: len(wanted)], 0
        for row in top:
            nearest = sorted((cos for _, cos in row), reverse=True)[:2]
            total += 1 if any(exact for exact, _ in row) else sum(nearest) / len(nearest)
        assert ranked["semr_p"][d] == pytest.approx(total / len(wanted), abs=1e-6)
        orders = permutations(range(len(wanted)), len(top))
        best = max(sum(row[j] for row, j in zip(credit, order, strict=False)) for order in orders)
        assert ranked["semr_p_div"][d] == pytest.approx(best / len(wanted), abs=1e-6)


@pytest.mark.parametrize("relevance", ["approximate", "semantic"])
@settings(max_examples=25)
@given(documents, st.data())
def test_graded_and_weighted_ndcg(relevance, docs, data):
    sizes = [len(r) for _, r, _ in docs]
    weights = [data.draw(st.lists(st.sampled_from([1, 2, 3.5]), min_size=n, max_size=n)) for n in sizes]
    metric = f"keyphrase_ndcg(relevance={relevance},weighted=True,gain=exponential)"
    got = per_document(docs, metric, reference_weights=weights, encoder=encoder)["ndcg"]
    for d, (p, wanted) in enumerate(graded(docs)):
        heavy = merged_weights(docs[d][1], weights[d])
        free, gains = set(range(len(wanted))), []
        for one in p:
            grades = {}
            for j in free:
                exact, cos = similarity(one, wanted[j])
                near = float(any(contains(one[0], each) for each, _ in wanted[j]))
                grades[j] = (1.0 if exact else near if relevance == "approximate" else max(cos, 0), exact, -j)
            best = max(grades.values(), default=(0, False, 0))
            gains.append(2 ** (best[0] * heavy[-best[2]]) - 1 if best[0] > 0 else 0)
            free -= {-best[2]} if best[0] > 0 else set()
        ideal = dcg(2**weight - 1 for weight in sorted(heavy, reverse=True))
        assert got[d] == pytest.approx(dcg(gains) / ideal if wanted else 0, abs=1e-6)


def merged_weights(given_references, weights):
    """The weight of each reference left."""
    owner, kept = {}, {}
    for i, (reference, weight) in enumerate(zip(given_references, weights, strict=True)):
        own = list(filter(None, map(stems, [reference] if isinstance(reference, str) else reference)))
        if own and all(identity in owner for identity in own):
            kept[owner[own[0]]] = max(kept[owner[own[0]]], weight)
            continue
        for identity in own:
            owner.setdefault(identity, i)
        if own:
            kept[i] = weight
    return list(kept.values())


@settings(max_examples=25)
@given(documents)
def test_alpha_ndcg(docs):
    got = per_document(docs, "keyphrase_ndcg(relevance=approximate,alpha_ndcg=True)")["alpha_ndcg"]
    for d, (p, wanted) in enumerate(graded(docs)):

        def covered(identity, wanted=wanted):
            return [j for j, one in enumerate(wanted) if any(contains(identity, each) for each, _ in one)]

        found = [covered(identity) for identity, _ in p]
        missed = [one[0][0] for one in wanted if not dict(one).keys() & dict(p).keys()]
        pool, seen, ideal = found + [covered(identity) for identity in missed], [], []
        while pool:
            best = max(pool, key=lambda nuggets: sum(0.5 ** seen.count(j) for j in nuggets))
            ideal.append(sum(0.5 ** seen.count(j) for j in best))
            pool.remove(best)
            seen += best
        seen, gains = [], []
        for nuggets in found:
            gains.append(sum(0.5 ** seen.count(j) for j in nuggets))
            seen += nuggets
        assert got[d] == pytest.approx(dcg(gains) / dcg(ideal) if sum(gains) else 0)


@settings(max_examples=25)
@given(documents, st.floats(1e-300, 1e300))
def test_equal_weights_change_nothing(docs, weight):
    weights = [[weight] * len(r) for _, r, _ in docs]
    for settled in ("cutoffs=[2]", "relevance=approximate", "ideal=retrieved", "deduplicate=False"):
        plain = per_document(docs, f"keyphrase_ndcg({settled})")
        got = per_document(docs, f"keyphrase_ndcg(weighted=True,{settled})", reference_weights=weights)
        assert got == {key: pytest.approx(values) for key, values in plain.items()}


@settings(max_examples=25)
@given(documents, st.data())
def test_a_new_variant_never_lowers_recall(docs, data):
    more = []
    for p, r, s in docs:
        r = [[text for _, text in one] for one in prepared(r)]  # a reference that others cover would count anew
        known = {stems(each) for one in r for each in one}
        if r:
            chosen = r[data.draw(st.integers(0, len(r) - 1))]
            added = data.draw(phrases.filter(lambda phrase, known=known: stems(phrase) not in known))
            chosen.insert(data.draw(st.integers(0, len(chosen))), added)
        more.append((p, r, s))
    for metric, key in (
        ("keyphrase_f1(cutoffs=[M])", "recall@M"),
        ("r_precision", "r_precision"),
        ("r_precision", "r_precision_approximate"),
        ("sem_f1", "sem_r"),
    ):
        named = {"encoder": encoder} if metric == "sem_f1" else {}
        before, after = (per_document(each, metric, **named)[key] for each in (docs, more))
        assert all(b <= a + 1e-6 for b, a in zip(before, after, strict=True))  # cosines are of 32 bits


@settings(max_examples=25)
@given(documents, st.data())
def test_perfect_predictions(docs, data):
    wanted = [prepared(r) for _, r, _ in docs]
    chosen = [[data.draw(st.sampled_from(one))[1] for one in document] for document in wanted]
    full = [(p, r, s) for p, (_, r, s) in zip(chosen, docs, strict=True) if p]
    if not full:
        return
    found = per_document(full, "keyphrase_f1(cutoffs=[M,O])") | per_document(full, "keyphrase_ndcg")
    found |= per_document(full, "r_precision") | per_document(full, "semr_p", encoder=encoder)
    found |= per_document(full, "sem_f1", encoder=encoder)
    for key, values in found.items():
        assert values == pytest.approx([1.0] * len(full)), key
    firsts = [([one[0][1] for one in prepared(r)], r, s) for _, r, s in full]
    assert per_document(firsts, "keyphrase_rouge")["rougeL"] == pytest.approx([1.0] * len(full))
    weights = [[data.draw(st.integers(1, 9)) for _ in r] for _, r, _ in full]
    heavy = [merged_weights(r, each) for (_, r, _), each in zip(full, weights, strict=True)]
    falling = [
        ([p for _, p in sorted(zip(w, p, strict=True), key=lambda pair: -pair[0])], r, s)
        for w, (p, r, s) in zip(heavy, full, strict=True)
    ]
    scores = per_document(falling, "keyphrase_ndcg(weighted=True)", reference_weights=weights)
    assert scores["ndcg"] == pytest.approx([1.0] * len(full))


@settings(max_examples=25)
@given(documents, st.booleans())
def test_the_rule_of_jcdl_2020(docs, deduplicate):
    """Gallina et al. (2020): distinct references matched ÷ candidates and ÷ references, the mean of F1."""
    values, kept = [], []
    for p, r, s in docs:
        candidates = list(dict.fromkeys(p)) if deduplicate else p
        candidates = list({stems(phrase): phrase for phrase in candidates}.values()) if deduplicate else p
        own = [[text for _, text in one] for one in prepared(r)]
        kept.append((candidates, own, s))
        matched = {i for i, one in enumerate(own) for each in one if stems(each) in map(stems, candidates)}
        precision = len(matched) / len(candidates) if candidates else 0
        recall = len(matched) / len(own) if own else 0
        values.append(2 * precision * recall / (precision + recall) if matched else 0)
    got = per_document(kept, f"keyphrase_f1(preset=F,cutoffs=[M],deduplicate={deduplicate})")["f1@M"]
    assert got == pytest.approx(values)


@settings(max_examples=25)
@given(documents)
def test_lists_of_one_variant_are_flat_lists(docs):
    flat = [(p, [each for one in r for each in ([one] if isinstance(one, str) else one)], s) for p, r, s in docs]
    listed = [(p, [[each] for each in r], s) for p, r, s in flat]
    for metric in ("keyphrase_f1", "keyphrase_ndcg(alpha_ndcg=True)", "r_precision(one_to_one=True)"):
        results = []
        for each in (flat, listed):
            p, r, s = ([*column] for column in zip(*each, strict=True))
            (result,) = score(p, r, s, metrics=metric, per_document=True, explain=True).values()
            results.append((result.to_dict(per_document=True), result.counts, result.order))
        assert results[0] == results[1]


@settings(max_examples=25)
@given(documents)
def test_shards_add_up(docs):
    p, r, s = ([*column] for column in zip(*docs, strict=True))
    weights = [[1 + i for i, _ in enumerate(document)] for document in r]
    metrics = configure(["keyphrase_f1", "keyphrase_ndcg(weighted=True)", "keyphrase_f1(preset=catseq_table)"])
    whole, *parts = (
        score_shard(Data(p[rows], r[rows], s[rows], reference_weights=weights[rows]), metrics)
        for rows in (slice(None), *(slice(i, i + 1) for i in range(len(p))))
    )
    added = parts[0]
    for part in parts[1:]:
        added = added + part
    assert {name: result.counts for name, result in added.items()} == {n: one.counts for n, one in whole.items()}
    for name, result in whole.items():
        assert added[name].scores == {key: pytest.approx(value) for key, value in result.scores.items()}
        assert added[name].data == result.data
        assert Fingerprint.parse(str(result.data)) == result.data
