"""Phrases that a model's tokenizer or ROUGE's does not read are counted, said once, or refused."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.command_line import lines
from support.models import toy_encoder

from keyphrase_metrics import score
from keyphrase_metrics.batch.plain import from_plain, to_plain
from keyphrase_metrics.inputs import Data
from keyphrase_metrics.models import encoders, forward
from keyphrase_metrics.models.encoders import encoder_for
from keyphrase_metrics.models.tokens import TokenReader
from keyphrase_metrics.models.weights import MINILM
from keyphrase_metrics.scoring import configure, score_shard
from keyphrase_metrics.training import reward_function

pytestmark = pytest.mark.model
APPLE, WAR, PEACE = "苹果", "战争", "和平"
SEMANTIC = ["sem_f1", "semr_p", "keyphrase_ndcg(relevance=semantic)"]


def said(*arguments, **options):
    """Score; return the scores and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = score(*arguments, **options)
    return scores, [str(warning.message) for warning in caught]


def unread(result):
    counts = result.counts.summary()
    return counts.get("unread_predictions"), counts.get("unread_references")


# Models


def test_unknown_phrases_score_1_with_one_warning_and_are_counted():
    scores, told = said([[APPLE]], [[WAR]], metrics=[*SEMANTIC, "keyphrase_f1"], encoder=MINILM)
    assert scores["sem_f1"].scores["sem_f1"] == pytest.approx(1.0)  # which is why it must be said
    (message,) = told
    assert message.startswith(f"1 of 1 predictions and 1 of 1 references, such as {APPLE!r}, ")
    assert f"unknown token of the tokenizer of {MINILM}" in message and "look alike" in message
    for metric in SEMANTIC:
        assert unread(scores[metric]) == (1, 1)
    preparation = scores.to_dict()["sem_f1"]["preparation"]
    assert (preparation["unread_predictions"], preparation["unread_references"]) == (1, 1)
    assert "unread_predictions" not in scores.to_dict()["keyphrase_f1"]["preparation"]


def test_half_of_the_tokens_is_enough_and_less_is_not(bert):
    reader = encoder_for(MINILM)._reader
    texts = ["fog", "苹 12", "苹 sea wall", "naïve Bayes", "β decay", "😀", "c++", ""]
    assert reader.read(texts).unknown.tolist() == [False, True, False, False, False, True, False, True]
    known = encoder_for(bert)
    assert known.unknown(["fog", "fog quux", "quux fog zebra", "quux"]).tolist() == [False, True, False, True]


def test_phrases_in_a_script_without_words_in_the_vocabulary_are_unknown():
    known = encoder_for(MINILM).unknown
    foreign = ["теплица", "война", "مدرسة", "사과", "μήλο", "სახლი", "सेब", "日本", "和平 studies"]
    assert known(foreign).tolist() == [True] * 8 + [False]
    latin = ["naïve Bayes", "β decay", "α", "Łódź", "Đà Nẵng", "χ2 test", "№ 5"]
    assert known(latin).tolist() == [False] * 7


@pytest.mark.parametrize(
    ("words", "byte_level", "unknown"), [(12_000, False, False), (50, False, True), (50, True, False)]
)
def test_a_script_with_words_in_the_vocabulary_is_known(words, byte_level, unknown):
    from tokenizers import Tokenizer, models, pre_tokenizers

    pieces = ["[UNK]", *"война", *(["Ġ"] if byte_level else []), *(f"слово{number}" for number in range(words))]
    pieces += [f"word{number}" for number in range(12_000 - words)]
    numbered = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordLevel(numbered, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    reader = TokenReader.of(fast(tokenizer, unk_token="[UNK]"))
    assert reader.read(["война"]).unknown.tolist() == [unknown]


def test_known_phrases_are_counted_as_none_and_nothing_is_said():
    scores, told = said([["fog"]], [["mist"]], metrics=SEMANTIC, encoder=MINILM)
    assert [unread(scores[metric]) for metric in SEMANTIC] == [(0, 0)] * 3
    assert not told


def test_of_a_callable_nobody_knows():
    scores, told = said([[APPLE]], [[WAR]], metrics=SEMANTIC, encoder=toy_encoder)
    assert [unread(scores[metric]) for metric in SEMANTIC] == [(None, None)] * 3
    assert not told


def fast(model, **names):
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_object=model, **names)


def test_tokenizers_that_know_every_text_have_nothing_unknown():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    letters = pre_tokenizers.ByteLevel.alphabet()
    numbered = {letter: number for number, letter in enumerate(["<s>", "</s>", "<unk>", *sorted(letters)])}
    tokenizer = Tokenizer(models.BPE(numbered, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    around = {"bos_token": "<s>", "eos_token": "</s>"}
    roberta = TokenReader.of(fast(tokenizer, unk_token="<unk>", **around)).read([APPLE, "fog"])
    assert roberta.unknown.tolist() == [False, False]
    assert roberta.lengths.tolist() == [8, 5]  # six bytes and three, with what stands around them
    assert TokenReader.of(fast(tokenizer, unk_token="</s>", **around)).read([APPLE]).unknown is None  # as GPT-2 has it
    assert TokenReader.of(fast(tokenizer, **around)).read([APPLE]).unknown is None


def test_the_mark_of_a_space_before_an_unknown_piece_tells_nothing_apart():
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁", -1.0), ("▁fog", -1.0)], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    reader = TokenReader.of(fast(tokenizer, unk_token="<unk>"))
    assert reader.read([APPLE, "fog", "fog fog 😀"]).unknown.tolist() == [True, False, False]


def test_static_embeddings_have_a_tokenizer_of_another_kind():
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "fog": 1, "wall": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=4)])
    scores, told = said([["quux", "fog"]], [["corge", "wall"]], metrics="sem_f1", encoder=model)
    assert unread(scores["sem_f1"]) == (1, 1) and len(told) == 1


def test_a_phrase_is_cut_into_tokens_once_and_remembered(bert, tmp_path, monkeypatch):
    from transformers import PreTrainedTokenizerFast

    asked = []
    real = PreTrainedTokenizerFast.__call__

    def counted(self, texts=None, *arguments, **options):
        if not options.get("padding"):  # with which the model itself asks
            asked.extend(texts if isinstance(texts, list) else [texts])
        return real(self, texts, *arguments, **options)

    encoders._loaded.clear()
    monkeypatch.setattr(PreTrainedTokenizerFast, "__call__", counted)
    lists = [["quux"], ["fog"]], [["corge"], ["fog"]]
    for _ in range(2):
        scores, told = said(*lists, metrics=["sem_f1", "semr_p"], encoder=bert, cache_dir=str(tmp_path))
        assert unread(scores["sem_f1"]) == (1, 1) and len(told) == 1
    for probe in forward.PROBES:  # with which it is found out how the model takes tokens
        asked.remove(probe)
    assert sorted(asked) == ["corge", "fog", "quux"]
    encoders._loaded.clear()  # as a new process, which finds the vectors on the disk
    assert unread(said(*lists, metrics="sem_f1", encoder=bert, cache_dir=str(tmp_path))[0]["sem_f1"]) == (1, 1)


def test_an_encoder_without_room_for_vectors_counts_all_the_same(bert, monkeypatch):
    encoder = encoder_for(bert)
    monkeypatch.setattr(encoder, "_cache", type(encoder._cache)(0))
    assert unread(said([["quux", "fog"]], [["corge"]], metrics="sem_f1", encoder=bert)[0]["sem_f1"]) == (1, 1)


def test_a_loaded_model_is_known_too(bert):
    from sentence_transformers import SentenceTransformer

    scores, told = said([["quux"]], [["corge"]], metrics="sem_f1", encoder=SentenceTransformer(bert))
    assert unread(scores["sem_f1"]) == (1, 1) and len(told) == 1


def test_diversity_counts_the_lists_that_it_encodes():
    lists = [[APPLE, WAR, "fog"], [PEACE]]
    metric = "keyphrase_diversity(pairwise_similarity=True)"
    scores, told = said(lists, metrics=["keyphrase_diversity", metric], encoder=MINILM)
    assert unread(scores[metric]) == (2, None) and unread(scores["keyphrase_diversity"]) == (None, None)
    assert told[0].startswith(f"2 of 4 predictions, such as {APPLE!r}, ") and len(told) == 1


@pytest.mark.model
def test_bertscore_counts_them(bert):
    metric = "keyphrase_bertscore(num_layers=1)"
    scores, told = said([["quux", "fog"], []], [["fog"], []], metrics=metric, model=bert)
    assert unread(scores[metric]) == (1, 0)
    assert told[-1].startswith("1 of 2 predictions, such as 'quux', ") and "bert0" in told[-1]


def test_fem_kp_counts_summaries():
    metric = "fem_kp(generator=serialize)"
    given = {"sources": ["a wall", "fog"], "summaries": [WAR, "fog"], "encoder": MINILM}
    scores, told = said([[APPLE], ["fog"]], metrics=metric, **given)
    assert unread(scores[metric]) == (1, 1)
    assert told[-1].startswith(f"1 of 2 rebuilt summaries and 1 of 2 gold summaries, such as {APPLE!r}, ")


def test_a_reward_says_it_once():
    reward = reward_function("sem_f1", "keyphrases", encoder=MINILM)
    with pytest.warns(UserWarning, match="sem_f1: 1 predictions and 1 references, such as '苹果', .* is said once"):
        assert reward(completions=[APPLE], keyphrases=[[WAR]])[0] == pytest.approx(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reward(completions=[PEACE], keyphrases=[[WAR]])


METRICS = ["sem_f1", "semr_p", "keyphrase_rouge", "r_precision"]
PREDICTED = [["fog", APPLE, "fog bank"], ["wall", WAR], [], ["häuser"]]
WANTED = [["fog"], [WAR, "wall"], [PEACE], ["naïve wall"]]


def test_counts_add_up_over_shards():
    metrics = configure(METRICS, encoder=MINILM)
    whole = score_shard(Data(PREDICTED, WANTED), metrics)
    assert {name: unread(whole[name]) for name in METRICS} == {
        "sem_f1": (2, 2),  # the characters of 和平 are known, but no words of their script
        "semr_p": (1, 2),  # the first R of a list only
        "keyphrase_rouge": (3, 3),
        "r_precision": (None, None),
    }
    parts = [score_shard(Data([p], [w]), metrics) for p, w in zip(PREDICTED, WANTED, strict=True)]
    added = parts[0] + parts[1] + parts[2] + parts[3]
    again = from_plain(to_plain(whole), metrics)
    for name in METRICS:
        assert added[name].counts == whole[name].counts == again[name].counts
        assert again[name].unread_example == whole[name].unread_example
    assert (added["sem_f1"].unread_example, added["r_precision"].unread_example) == (APPLE, "")


def test_the_command_says_it_once_over_all_shards(tmp_path, cli):
    path = lines(
        tmp_path / "lists.jsonl",
        [
            {"id": str(i), "predictions": p, "references": w}
            for i, (p, w) in enumerate(zip(PREDICTED, WANTED, strict=True))
        ],
    )
    expected = "2 of 6 predictions and 2 of 5 references, such as '苹果', consist"
    for how in ([], ["--shard-size", "1"]):
        status, _, err = cli("score", path, "--metrics", "sem_f1", "semr_p", "--encoder", MINILM, *how)
        assert status == 0 and err.count(expected) == err.count("unknown token") == 1


def test_the_demo_shows_it():
    from keyphrase_metrics.demo import document_tab
    from keyphrase_metrics.demo.limits import Limits
    from keyphrase_metrics.demo.options import options_of

    options = options_of("sem_f1")
    settings = [MINILM if control.name == "encoder" else control.default for control in options.controls]
    boxes = [{"predictions": APPLE, "references": WAR}.get(box, "") for box in document_tab.inputs_of(options)]
    page = document_tab.answer(options, [*boxes, *settings], Limits()).markup
    assert "1 of 1 predictions and 1 of 1 references" in page and "unknown token" in page


# ROUGE

SCRIPTS = [
    "潮汐能",
    "возобновляемая энергия",
    "ανανεώσιμη ενέργεια",
    "नवीकरणीय ऊर्जा",
    "الطاقة المتجددة",
    "พลังงาน",
    "조력",
    "😀",
]


@pytest.mark.parametrize("phrase", SCRIPTS)
def test_the_same_list_in_any_script_scores_1_or_is_refused(phrase):
    lists = [["fog"], [phrase]]
    with pytest.raises(ValueError, match=rf"^references\[1\] has nothing .*'{phrase}'.*rouge_tokenizer='unicode'"):
        score(lists, lists, metrics="keyphrase_rouge")
    metric = "keyphrase_rouge(rouge_tokenizer=unicode)"
    scores, told = said(lists, lists, metrics=metric, per_document=True)
    assert scores[metric].per_document["rouge1"] == scores[metric].per_document["rougeL"] == [1.0, 1.0]
    assert not told and unread(scores[metric]) == (None, None)


def test_unicode_counts_the_tokens_of_the_preparation():
    metric = "keyphrase_rouge(rouge_tokenizer=unicode)"
    found = score([["潮汐发电"]], [["潮汐能"]], metrics=metric)[metric].scores
    assert (found["rouge1_precision"], found["rouge1_recall"]) == (2 / 4, 2 / 3)  # 潮, 汐
    assert (found["rouge2_precision"], found["rouge2_recall"]) == (1 / 3, 1 / 2)  # 潮汐
    assert (found["rougeL_precision"], found["rougeL_recall"]) == (2 / 4, 2 / 3)
    russian = [["нейронные сети"]], [["нейронная сеть"]]
    snowball = "keyphrase_rouge(rouge_tokenizer=unicode,stemmer=snowball:russian)"
    assert score(*russian, metrics=metric)[metric].scores["rouge1"] == 0.0
    assert score(*russian, metrics=snowball)[snowball].scores["rouge1"] == 1.0
    assert score([["H user"]], [["Häuser"]], metrics=metric)[metric].scores["rouge1"] == 0.0
    assert score([[], ["fog"]], [["fog"], []], metrics=metric, per_document=True)[metric].per_document["rouge1"] == [
        0,
        0,
    ]


LATIN = [
    (["naïve Bayes", "multi-agent systems"], ["naive Bayes", "multi agent system"], True),
    (["Poisson's equation", "C++"], ["poissons equation", "c"], False),
    (["潮汐能", "fog"], ["tidal power", "fog"], True),
    (["潮汐能"], ["tidal power"], True),
    (["++"], ["++", "fog"], True),
]


@pytest.mark.parametrize(("predicted", "wanted", "warned"), LATIN)
def test_by_default_the_librarys_numbers_stay_and_losses_are_said(predicted, wanted, warned):
    from rouge_score.rouge_scorer import RougeScorer

    scores, told = said([predicted], [wanted], metrics="keyphrase_rouge")
    expected = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score(
        "\n".join(wanted), "\n".join(predicted)
    )
    for kind, values in expected.items():
        found = scores["keyphrase_rouge"].scores
        assert (found[f"{kind}_precision"], found[f"{kind}_recall"], found[kind]) == tuple(values)
    assert len(told) == warned
    assert all("letters that rouge-score drops" in message and "'unicode'" in message for message in told)


@settings(max_examples=100)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), min_size=1, max_size=4))
def test_no_list_scores_less_than_1_against_itself_without_a_word(phrases):
    try:
        scores, told = said([phrases], [phrases], metrics="keyphrase_rouge")
    except ValueError as error:
        assert "rouge_tokenizer='unicode'" in str(error)
    else:
        assert scores["keyphrase_rouge"].scores["rouge1"] == pytest.approx(1.0) or told
    metric = "keyphrase_rouge(rouge_tokenizer=unicode)"
    found = said([phrases], [phrases], metrics=metric)[0][metric]
    assert found.scores["rougeL"] == pytest.approx(1.0 if found.counts.references else 0.0)


def test_the_tokenizer_of_rouge_is_signed():
    one, other = (
        score([["fog"]], [["fog"]], metrics=m) for m in ("keyphrase_rouge", "keyphrase_rouge(rouge_tokenizer=unicode)")
    )
    (one,), (other,) = one.values(), other.values()
    assert one.differences(other) == {"rouge_tokenizer": ("rouge_score", "unicode")}
