"""The metrics that compare by meaning, against their definitions, their libraries and the papers' examples."""

import json
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models import orthogonal_encoder, toy_encoder
from support.strategies import columns, documents, stems

from keyphrase_metrics import score
from keyphrase_metrics.inputs import Data
from keyphrase_metrics.scoring import configure, score_shard

pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore:.*documents have no")]
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def per_document(docs, metric, key, encoder=toy_encoder):
    predictions, references, _ = columns(docs)
    return score(predictions, references, metrics=metric, per_document=True, encoder=encoder)[metric].per_document[key]


def unique(phrases):
    first = {}
    for phrase in phrases:
        first.setdefault(stems(phrase), phrase)
    return list(first.values())


def cosine(a, b):
    (x,), (y,) = toy_encoder([a]), toy_encoder([b])
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def credit(phrase, others, threshold=0.0, exact=True):
    if exact and stems(phrase) in map(stems, others):
        return 1.0
    best = max((cosine(phrase, other) for other in others), default=-2.0)
    return best if best > threshold else 0.0


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


@pytest.mark.parametrize(
    ("options", "threshold", "exact"),
    [("", 0, True), ("(threshold=0.4,exact_recall=False)", 0.4, False), ("(threshold=-0.5)", -0.5, True)],
)
@settings(max_examples=25)
@given(docs=documents())
def test_sem_f1(options, threshold, exact, docs):
    precision, recall, f1 = [], [], []
    for p, r, _ in docs:
        p, r = unique(p), unique(r)
        precision.append(mean(credit(x, r, threshold) for x in p) if r else 0.0)
        recall.append(mean(credit(y, p, threshold, exact) for y in r))
        either = min(precision[-1], recall[-1]) <= 0
        f1.append(0.0 if either else 2 * precision[-1] * recall[-1] / (precision[-1] + recall[-1]))
    for key, expected in (("sem_p", precision), ("sem_r", recall), ("sem_f1", f1)):
        assert per_document(docs, f"sem_f1{options}", key) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "k_of", "by_predictions"),
    [
        ("", lambda r: 3, False),
        ("(k=1,denominator=predictions)", lambda r: 1, True),
        ("(k_fraction=0.5)", lambda r: -(-r // 2), False),
        ("(k_fraction=1)", lambda r: r, False),
    ],
)
@settings(max_examples=25)
@given(docs=documents())
def test_semr_p(options, k_of, by_predictions, docs):
    expected, one_to_one = [], []
    for p, r, _ in docs:
        r = unique(r)
        p = unique(p)[: len(r)]
        k = min(k_of(len(r)), len(r))
        earned = [
            1.0 if stems(x) in map(stems, r) else mean(sorted((cosine(x, y) for y in r), reverse=True)[:k]) for x in p
        ]
        divisor = len(p) if by_predictions else len(r)
        expected.append(sum(earned) / divisor if divisor else 0.0)
        weight = {(x, y): 1.0 if stems(x) == stems(y) else max(cosine(x, y), 0) for x in p for y in r}
        best = max(sum(weight[x, y] for x, y in zip(p, order, strict=True)) for order in permutations(r, len(p)))
        one_to_one.append(best / len(r) if r else 0.0)
    assert per_document(docs, f"semr_p{options}", "semr_p") == pytest.approx(expected, abs=1e-5)
    assert per_document(docs, f"semr_p{options}", "semr_p_div") == pytest.approx(one_to_one, abs=1e-5)


@settings(max_examples=25)
@given(docs=documents())
def test_graded_ndcg_by_cosine(docs):
    expected = []
    for p, r, _ in docs:
        p, free = unique(p), unique(r)
        gained = 0.0
        ideal = sum(1 / np.log2(2 + i) for i in range(len(free)))
        for i, x in enumerate(p):
            gains = [1.0 if stems(x) == stems(y) else max(cosine(x, y), 0.0) for y in free]
            if gains and max(gains) > 0:
                same = [j for j, y in enumerate(free) if stems(x) == stems(y)]
                taken = same[0] if same else int(np.argmax(gains))
                gained += gains[taken] / np.log2(2 + i)
                del free[taken]
        expected.append(gained / ideal if ideal else 0.0)
    assert per_document(docs, "keyphrase_ndcg(relevance=semantic)", "ndcg") == pytest.approx(expected, abs=1e-5)


@given(docs=documents())
def test_semr_p_never_rises_with_k(docs):
    by_k = [per_document(docs, f"semr_p(k={k})", "semr_p") for k in (1, 2, 3, 4, 9)]
    for one, other in pairwise(by_k):
        assert all(a >= b - 1e-6 for a, b in zip(one, other, strict=True))


@given(docs=documents())
def test_one_to_one_earns_no_more_than_the_nearest_reference(docs):
    def positive(phrases):
        return np.abs(toy_encoder(phrases))  # no cosine below 0, so nothing is clipped on one side only

    nearest = per_document(docs, "semr_p(k=1)", "semr_p", positive)
    assert all(
        a <= b + 1e-6 for a, b in zip(per_document(docs, "semr_p(k=1)", "semr_p_div", positive), nearest, strict=True)
    )


@given(docs=documents(), seed=st.randoms())
def test_the_order_of_references_does_not_matter(docs, seed):
    shuffled = [(p, seed.sample(r, len(r)), s) for p, r, s in docs]
    for metric, key in (("sem_f1", "sem_f1"), ("semr_p", "semr_p"), ("semr_p", "semr_p_div")):
        assert per_document(shuffled, metric, key, orthogonal_encoder) == pytest.approx(
            per_document(docs, metric, key, orthogonal_encoder), abs=1e-6
        )


@given(docs=documents())
def test_an_orthogonal_encoder_leaves_only_lexical_matches(docs):
    predictions, references, _ = columns(docs)
    lexical = score(predictions, references, metrics="keyphrase_f1(cutoffs=[M])", per_document=True)
    lexical = next(iter(lexical.values())).per_document
    for ours, theirs in (("sem_p", "precision@M"), ("sem_r", "recall@M"), ("sem_f1", "f1@M")):
        assert per_document(docs, "sem_f1", ours, orthogonal_encoder) == pytest.approx(lexical[theirs], abs=1e-6)


# SemR-p, Table 1: the cosines of two predictions to the three references
REFERENCES = ["neural networks", "machine translation", "deep learning"]
PREDICTIONS = ["machine translation", "AI systems", "neural computation", "language modelling", "translation quality"]
COSINES = {"AI systems": [0.68, 0.61, 0.72], "neural computation": [0.76, 0.60, 0.66]}


def encoder_of_table_1(phrases):
    """Vectors with the printed cosines: the rows of a Cholesky factor of the matrix of all cosines."""
    names = [*REFERENCES, *COSINES]
    matrix = np.full((5, 5), 0.6)
    for row, name in enumerate(COSINES, 3):
        matrix[row, :3] = matrix[:3, row] = COSINES[name]
    np.fill_diagonal(matrix, 1.0)
    factor = np.linalg.cholesky(matrix)
    return np.stack([factor[names.index(phrase)] if phrase in names else np.ones(5) for phrase in phrases])


def test_table_1_of_semr_p():
    scores = score([PREDICTIONS], [REFERENCES], metrics="semr_p", encoder=encoder_of_table_1, explain=True)
    result = scores["semr_p"]
    assert round(result.scores["semr_p"], 2) == 0.78
    rows = result.explanation[0]["predictions"]
    assert [(row["rank"], row["phrase"], row["kind"]) for row in rows] == [
        (1, "machine translation", "exact"),
        (2, "AI systems", "semantic"),
        (3, "neural computation", "semantic"),
    ]
    assert [round(3 * row["credit"]["semr_p"], 2) for row in rows] == [1.0, 0.67, 0.67]
    compared = [[(match["reference"], round(match["similarity"], 2)) for match in row["compared"]] for row in rows]
    assert compared == [
        [("machine translation", 1.0)],
        [("deep learning", 0.72), ("neural networks", 0.68), ("machine translation", 0.61)],
        [("neural networks", 0.76), ("deep learning", 0.66), ("machine translation", 0.6)],
    ]
    assert json.loads(json.dumps(result.explanation, allow_nan=False)) == result.explanation


def test_table_3_of_semr_p_cases_2_and_3():
    late = [
        "cost",
        "speed",
        "vending",
        "rail safety",
        "signal boxes",
        "block sections",
        "routes",
        "joints",
        "ties",
        "spans",
    ]
    references = ["rail safety", "signal boxes", "block sections"]
    scores = score([late], [references], metrics=["semr_p", "keyphrase_f1"], encoder=MINILM)
    assert scores["semr_p"].scores["semr_p"] < 0.35
    assert scores["keyphrase_f1"].scores["f1@M"] == pytest.approx(0.4615, abs=5e-5)
    early = ["art", "sculptural", "grounds for sculpture", "a name"]
    found = score([early], [["grounds for sculpture", "art", "sculpture"]], metrics="semr_p", encoder=toy_encoder)
    assert found["semr_p"].scores == {"semr_p": 1.0, "semr_p_div": 1.0}


def test_parameters_of_the_semantic_metrics():
    given_ = [["solar"]], [["wind"]]
    for metric, words in (
        ("semr_p(k=0)", ["k=0", "integer ≥ 1"]),
        ("semr_p(k=2,k_fraction=0.5)", ["k=2", "k_fraction=0.5", "exclude each other"]),
        ("semr_p(k_fraction=0)", ["k_fraction=0", "(0, 1]"]),
        ("sem_f1(threshold=2)", ["threshold=2", "[-1, 1]"]),
        ("sem_f1(dtype=float16)", ["dtype='float16'", "bfloat16"]),
        ("keyphrase_ndcg(relevance=semantic,alpha_ndcg=True)", ["alpha_ndcg=True", "semantic"]),
        ("keyphrase_bertscore(num_layers=0)", ["num_layers=0"]),
    ):
        with pytest.raises(ValueError) as error:  # noqa: PT011  the words are checked below
            score(*given_, metrics=metric)
        assert all(word in str(error.value) for word in words), error.value
    with pytest.raises(ValueError, match="encoder=3"):
        score(*given_, metrics="sem_f1", encoder=3)


def test_signatures_of_the_semantic_metrics():
    def signature(metric, **options):
        return next(iter(score([["solar"]], [["wind"]], metrics=metric, **options).values())).signature

    named = signature("semr_p", encoder=MINILM)
    assert (named.values["encoder"], named.values["weights"]) == (MINILM, "53aa51172d14")
    assert {"k", "denominator", "dtype"} <= set(named.values)
    assert not {"k_fraction", "device", "batch_size", "cache_dir"} & set(named.values)
    assert not named.diff(signature("semr_p(batch_size=2)", encoder=MINILM))
    assert set(named.diff(signature("semr_p(k_fraction=0.5)", encoder=MINILM))) == {"k", "k_fraction"}
    assert signature("sem_f1", encoder=toy_encoder).values["encoder"].startswith("custom:")
    assert "encoder" not in signature("keyphrase_ndcg").values
    assert signature("keyphrase_ndcg(relevance=semantic)", encoder=MINILM).values["weights"] == "53aa51172d14"
    assert "rouge_score" in signature("keyphrase_rouge").values


def test_rouge_is_the_librarys():
    from rouge_score.rouge_scorer import RougeScorer

    predictions = [["Solar farms", "fog"], ["wind"], [], ["tidal power plant"]]
    references = [["solar farm", "hydro dam"], ["wind turbine"], ["fog"], ["tidal power"]]
    scores = score(predictions, references, metrics="keyphrase_rouge", per_document=True)["keyphrase_rouge"]
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    for row, (p, r) in enumerate(zip(predictions, references, strict=True)):
        for kind, expected in scorer.score("\n".join(r), "\n".join(p)).items():
            assert scores.per_document[kind][row] == pytest.approx(expected.fmeasure)
            assert scores.per_document[f"{kind}_recall"][row] == pytest.approx(expected.recall)
    unstemmed = "keyphrase_rouge(stemmer=None)"
    assert score(predictions, references, metrics=unstemmed)[unstemmed].scores["rouge1"] < scores.scores["rouge1"]


def test_bertscore_is_the_librarys(bert):
    from bert_score import BERTScorer

    predictions = [["solar farms", "wind"], ["fog"], [], ["tidal power", "tidal powers"]]
    references = [["solar farm"], ["wind", "zebra"], ["fog"], ["tidal power"]]
    metric = "keyphrase_bertscore(num_layers=1)"
    result = score(predictions, references, metrics=metric, model=bert, per_document=True)[metric]
    scorer = BERTScorer(model_type=bert, num_layers=1)
    expected = scorer.score(["solar farms, wind", "fog", "tidal power"], ["solar farm", "wind, zebra", "tidal power"])
    for key, values in zip(("precision", "recall", "f1"), expected, strict=True):
        assert [result.per_document[key][row] for row in (0, 1, 3)] == pytest.approx(values.tolist(), abs=1e-5)
        assert result.per_document[key][2] == 0.0
    assert result.signature.values["model"] == "bert0" and len(result.signature.values["weights"]) == 12


def test_bertscore_takes_minilm_from_its_package():
    metric = f"keyphrase_bertscore(model={MINILM},num_layers=6)"
    result = score([["solar farms"]], [["solar farms"]], metrics=metric)[metric]
    assert result.scores["f1"] == pytest.approx(1.0, abs=1e-5)
    assert (result.signature.values["model"], result.signature.values["weights"]) == (MINILM, "53aa51172d14")


@settings(max_examples=5)
@given(docs=documents(references_from=1))
def test_laws_of_bertscore(bert, docs):
    metrics = configure("keyphrase_bertscore(num_layers=1)", model=bert)
    name = str(metrics[0])
    whole = score_shard(Data(*columns(docs)), metrics, per_document=True)[name]
    parts = [score_shard(Data(*columns(part)), metrics) for part in (docs[:1], docs[1:])]
    assert (parts[0] + parts[1])[name].scores == pytest.approx(whole.scores, abs=1e-5)
    same = score_shard(Data(*columns([(r, r, s) for _, r, s in docs])), metrics)[name]
    assert same.scores == pytest.approx(dict.fromkeys(("precision", "recall", "f1"), 1.0), abs=1e-5)
    backwards = score_shard(Data(*columns(docs[::-1])), metrics, per_document=True)[name]
    assert backwards.per_document["f1"][::-1] == pytest.approx(whole.per_document["f1"], abs=1e-5)


def test_a_result_keeps_the_signature_of_the_weights_that_scored_it(bert, tmp_path):
    import shutil

    import torch
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "model"
    shutil.copytree(bert, folder)
    given_ = [["solar farms", "wind"]], [["solar power"]]
    metric = "keyphrase_bertscore(num_layers=1)"
    before = score(*given_, metrics=metric, model=str(folder))[metric]
    weights = load_file(folder / "model.safetensors")
    torch.manual_seed(1)
    save_file({name: torch.randn_like(value) for name, value in weights.items()}, folder / "model.safetensors")
    after = score(*given_, metrics=metric, model=str(folder))[metric]
    assert before.scores != after.scores
    assert set(before.differences(after)) == {"weights"}
    shutil.rmtree(folder)
    assert "weights" in before.signature.values


def test_explanations_call_a_repeated_match_exact():
    for metric in ("sem_f1(deduplicate=False)", "semr_p(deduplicate=False)"):
        result = score([["wind", "winds"]], [["wind", "sun"]], metrics=metric, encoder=toy_encoder, explain=True)[
            metric
        ]
        assert [row["kind"] for row in result.explanation[0]["predictions"]] == ["exact", "exact"]


def test_encoders_that_are_no_names():
    for wrong in ("", 3, None):
        with pytest.raises(ValueError, match="encoder="):
            score([["solar"]], [["wind"]], metrics="sem_f1", encoder=wrong)
    with pytest.raises(ValueError, match="num_layers=99 is not possible"):
        score([["solar"]], [["wind"]], metrics=f"keyphrase_bertscore(model={MINILM},num_layers=99)")
