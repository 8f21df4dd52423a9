"""A metric as a reward, called as TRL's trainers call it: keywords only, lists per completion, and more besides."""

import pickle
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from support.strategies import columns, documents

from keyphrase_metrics import Metric, score
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.parsing import parse_keyphrases
from keyphrase_metrics.training import reward_function

COMPLETIONS = [
    "1. tidal power\n2. sea wall",
    "tidal power; fog; sea walls; fog",
    '```json\n["fog"]\n```',
    "I'm sorry, but I can't help with that.",
    "<think>fog?</think>**sea wall**",
]
REFERENCES = [["tidal power", "sea wall"], ["tidal power", "sea wall"], ["sun"], ["sun"], ["tidal power", "sea wall"]]
SOURCES = ["Tidal power at the sea wall", "Tidal power and fog", "Sun", "", "A sea wall"]
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def as_trl_calls(reward, completions, **data):
    """Call a reward with all that GRPOTrainer gives it."""
    return reward(
        prompts=["Name the keyphrases."] * len(completions),
        completions=completions,
        completion_ids=[[1, 2, 3]] * len(completions),
        **data,
        trainer_state=SimpleNamespace(global_step=3),
        log_extra=lambda name, values: None,
        log_metric=lambda name, value: None,
        environments=None,
    )


def scored(metric, key, references=REFERENCES, sources=None, **shared):
    predictions = [parse_keyphrases(text) for text in COMPLETIONS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = score(predictions, references, sources, metrics=metric, per_document=True, **shared)
    return next(iter(scores.values())).per_document[key]


@pytest.mark.parametrize(
    ("metric", "key", "shared"),
    [
        ("keyphrase_f1", "f1@M", {}),
        ("keyphrase_f1", "recall@5", {"stemmer": None}),
        ("keyphrase_f1(average=micro)", "f1@10", {}),
        ("keyphrase_f1(preset=kpeval)", "f1@5", {}),
        ("keyphrase_f1(oracle=True)", "oracle_f1", {}),
        ("keyphrase_f1(preset=catseq_table)", "absent_recall@5", {}),
        ("keyphrase_f1(preset=F+)", "f1@M", {}),
        (Metric.of("keyphrase_ndcg", cutoffs=[5]), "ndcg@5", {}),
        ("r_precision", "r_precision_approximate", {}),
        pytest.param("semr_p", "semr_p", {"encoder": MINILM}, marks=pytest.mark.model),
        pytest.param("sem_f1", "sem_p", {"encoder": MINILM}, marks=pytest.mark.model),
    ],
)
def test_rewards_are_the_documents_scores(metric, key, shared):
    reward = reward_function(metric, "keyphrases", key=key, source_column="text", **shared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rewards = as_trl_calls(reward, COMPLETIONS, keyphrases=REFERENCES, text=SOURCES, year=[1] * 5)
    sources = SOURCES if reward.metric.measure.needs_sources else None
    assert rewards == scored(metric, key, sources=sources, **shared)
    assert all(value is None or type(value) is float for value in rewards)


@given(documents(references_from=1))
def test_rewards_of_any_documents(docs):
    predictions, references, _ = columns(docs)
    reward = reward_function("keyphrase_ndcg", "keyphrases")
    expected = score(predictions, references, metrics="keyphrase_ndcg", per_document=True)["keyphrase_ndcg"]
    completions = ["; ".join(phrases) for phrases in predictions]
    assert as_trl_calls(reward, completions, keyphrases=references) == expected.per_document["ndcg"]


def test_a_refusal_is_an_empty_list():
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M")
    assert as_trl_calls(reward, COMPLETIONS, keyphrases=REFERENCES) == [1.0, 0.8, 0.0, 0.0, 2 / 3]


CHATS = [
    [{"role": "assistant", "content": "tidal power; sea wall"}],
    [{"content": "tidal power; sea wall"}],
    [
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "tidal power; "}, {"type": "text", "text": "sea wall"}],
        }
    ],
    [{"role": "assistant", "content": ["tidal power; ", {"type": "image"}, "sea wall"]}],
    [
        {"role": "assistant", "content": None, "tool_calls": [{"name": "look_up"}]},
        {"role": "tool", "name": "look_up", "content": "fog"},
        {"role": "assistant", "content": "tidal power; sea wall"},
    ],
    [{"role": "assistant", "content": "fog"}, {"role": "assistant", "content": "tidal power; sea wall"}],
    [{"role": "assistant", "content": "tidal power; sea wall"}, {"role": "user", "content": "fog"}],
    {"role": "assistant", "content": "tidal power; sea wall"},
    "tidal power; sea wall",
]


@pytest.mark.parametrize("chat", CHATS)
def test_chats(chat):
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M")
    assert as_trl_calls(reward, [chat], keyphrases=[["tidal power", "sea wall"]]) == [1.0]


@pytest.mark.parametrize(
    "chat",
    [
        [],
        [{"role": "assistant", "content": None}],
        [{"role": "tool", "content": "tidal power"}],
        [{"role": "assistant"}],
    ],
)
def test_a_chat_in_which_nothing_is_said(chat):
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M")
    assert as_trl_calls(reward, [chat], keyphrases=[["tidal power"]]) == [0.0]


@pytest.mark.parametrize("same", ["tidal power; sea wall", '["tidal power", "sea wall"]', ("tidal power", "sea wall")])
def test_references_in_other_dress(same):
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M")
    assert as_trl_calls(reward, COMPLETIONS[:2], keyphrases=[same, np.array(["tidal power", "sea wall"])]) == [1.0, 0.8]


def test_no_reward_without_references():
    reward = reward_function("keyphrase_f1(on_empty=error)", "keyphrases", key="f1@M")
    assert as_trl_calls(reward, COMPLETIONS[:3], keyphrases=[None, ["tidal power"], None]) == [None, 0.5, None]
    assert as_trl_calls(reward, COMPLETIONS[:2], keyphrases=[None, None]) == [None, None]
    assert as_trl_calls(reward, [], keyphrases=[]) == []


def test_none_without_references_to_be_found():
    present = reward_function("keyphrase_f1(preset=F+)", "keyphrases", key="f1@M", source_column="text")
    given = {"keyphrases": [["fog"], None, ["tidal power"]], "text": ["no such", None, "tidal power"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_trl_calls(present, [*COMPLETIONS[:2], "tidal power"], **given) == [None, None, 1.0]


def test_documents_without_references_are_told_of_once():
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M")
    with pytest.warns(
        UserWarning, match="keyphrase_f1_f1_M: there are documents with no references; .* said once"
    ) as told:
        for _ in range(3):
            assert as_trl_calls(reward, COMPLETIONS[:2], keyphrases=[[], ["fog"]])[0] == 0.0
    assert len(told) == 1
    assert told[0].filename == __file__


def test_only_the_documents_that_its_score_is_about_are_told_of():
    both = "keyphrase_f1(preset=catseq_table)"
    given = {"keyphrases": [["tidal power"]], "text": ["tidal power"]}
    present = reward_function(both, "keyphrases", key="present_f1@5", source_column="text")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_trl_calls(present, COMPLETIONS[:1], **given)
    with pytest.warns(UserWarning, match="documents with no absent references"):
        as_trl_calls(
            reward_function(both, "keyphrases", key="absent_f1@5", source_column="text"), COMPLETIONS[:1], **given
        )


@pytest.mark.parametrize(
    ("metric", "shared", "key"),
    [
        ("keyphrase_ndcg", {}, "ndcg"),
        ("r_precision", {}, "r_precision"),
        pytest.param("semr_p", {"encoder": MINILM}, "semr_p", marks=pytest.mark.model),
        pytest.param("sem_f1", {"encoder": MINILM}, "sem_f1", marks=pytest.mark.model),
    ],
)
def test_the_score_that_the_metric_is_called_after(metric, shared, key):
    assert reward_function(metric, "keyphrases", **shared).key == key


def test_names():
    f1 = reward_function("keyphrase_f1(cutoffs=[M])", "keyphrases", key="f1@M")
    assert f1.__name__ == "keyphrase_f1_f1_M"
    assert reward_function("r_precision", "keyphrases").__name__ == "r_precision"
    assert reward_function("keyphrase_ndcg", "keyphrases").__name__ == "keyphrase_ndcg_ndcg"
    assert repr(f1) == "<reward keyphrase_f1_f1_M: f1@M of keyphrase_f1(cutoffs=[M]) against column 'keyphrases'>"
    f1.__name__ = "another"
    assert pickle.loads(pickle.dumps(f1)).__name__ == "another"


def test_it_can_be_pickled():
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M", stemmer=None)
    again = pickle.loads(pickle.dumps(reward))
    assert as_trl_calls(again, COMPLETIONS, keyphrases=REFERENCES) == as_trl_calls(
        reward, COMPLETIONS, keyphrases=REFERENCES
    )


def test_another_parser():
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M", parse=lambda text: text.split(" + "))
    assert as_trl_calls(reward, ["tidal power + sea wall"], keyphrases=[["tidal power", "sea wall"]]) == [1.0]
    wrong = reward_function("keyphrase_f1", "keyphrases", key="f1@M", parse=str.strip)
    with pytest.raises(InputError, match=r"parse gave 'fog' for completions\[0\]; it must give a list"):
        as_trl_calls(wrong, ["fog"], keyphrases=[["fog"]])


WRONG = [
    ((["keyphrase_f1"], "keyphrases"), {}, "wrong-type", "give one metric by name or as Metric"),
    (("keyphrase_f1", None), {"key": "f1@M"}, "wrong-type", "reference_column is None"),
    (("keyphrase_f1", "keyphrases"), {"source_column": 1}, "wrong-type", "source_column is 1"),
    (("keyphrase_f1", "keyphrases"), {"parse": ";"}, "wrong-type", "parse is ';'"),
    (("keyphrase_f2", "keyphrases"), {}, "unknown-metric", "did you mean 'keyphrase_f1'"),
    (("keyphrase_f1", "keyphrases"), {"stemer": None}, "unknown-parameter", "no metric has a parameter 'stemer'"),
    (("keyphrase_f1", "keyphrases"), {}, "missing", "several scores; choose one with key=: precision@5, recall@5"),
    (("keyphrase_f1", "keyphrases"), {"key": "f1@7"}, "not-allowed", "'f1@7' is not a score of keyphrase_f1; .*f1@10"),
    (("keyphrase_f1(preset=F+)", "keyphrases"), {"key": "f1@M"}, "missing", "source_column is missing"),
]


@pytest.mark.parametrize(("arguments", "options", "code", "message"), WRONG)
def test_what_is_wrong_is_said_before_the_training(arguments, options, code, message):
    with pytest.raises(InputError, match=message) as caught:
        reward_function(*arguments, **options)
    assert caught.value.code == code


WRONG_CALLS = [
    ({}, "missing", "column 'keyphrases' is missing; the data set has 'keywords'"),
    ({"keyphrases": [["fog"]]}, "lengths-differ", "completions has 2, column 'keyphrases' has 1"),
    ({"keyphrases": [["fog"], 5]}, "not-a-list", r"keyphrases\[1\] is 5"),
    ({"keyphrases": [None, ["fog", 5]]}, "not-a-string", r"keyphrases\[1\] holds 5 \(int\) at position 1"),
    ({"keyphrases": [["fog"]] * 2, "completions": [5, "fog"]}, "not-a-completion", r"completions\[0\] is 5"),
    ({"keyphrases": [["fog"]] * 2, "completions": ["fog", [5]]}, "not-a-completion", r"completions\[1\] is \[5\]"),
    ({"keyphrases": [["fog"]] * 2, "completions": ["fog", [{"content": 5}]]}, "not-a-completion", "has the content 5"),
    ({"keyphrases": [["fog"]] * 2, "completions": "fog"}, "wrong-type", "completions is 'fog'"),
]


@pytest.mark.parametrize(("given", "code", "message"), WRONG_CALLS)
def test_what_is_wrong_in_a_call(given, code, message):
    reward = reward_function("keyphrase_f1", "keyphrases", key="f1@M")
    with pytest.raises(InputError, match=message) as caught:
        as_trl_calls(reward, given.pop("completions", ["fog", "sun"]), keywords=[1, 2], **given)
    assert caught.value.code == code


def test_texts_that_are_missing():
    reward = reward_function("keyphrase_f1(keyphrases=present)", "keyphrases", key="f1@M", source_column="text")
    with pytest.raises(ValueError, match="column 'text' is missing; the data set has 'keyphrases'"):
        as_trl_calls(reward, ["fog"], keyphrases=[["fog"]])
    with pytest.raises(InputError, match=r"text\[1\] is None"):
        as_trl_calls(reward, ["fog", "fog"], keyphrases=[["fog"]] * 2, text=["fog", None])


def test_the_prompt_may_be_the_text():
    reward = reward_function("keyphrase_f1(keyphrases=present)", "keyphrases", key="f1@M", source_column="prompts")
    assert reward(
        prompts=["Keyphrases of: tidal power"], completions=["tidal power"], keyphrases=[["tidal power"]]
    ) == [1.0]


@pytest.mark.slow
def test_importing_it_takes_neither_torch_nor_transformers():
    code = (
        "import sys, keyphrase_metrics.training as t; t.reward_function, t.parse_keyphrases; dir(t);"
        "t.reward_function('keyphrase_f1', 'x', key='f1@M')(['a'], x=[['a']]);"
        "sys.exit(', '.join({'torch', 'transformers', 'trl'} & sys.modules.keys()) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_names_of_the_package():
    from keyphrase_metrics import training

    assert set(training.__all__) <= set(dir(training))
    assert training.parse_keyphrases is parse_keyphrases
    with pytest.raises(AttributeError, match="no attribute 'Seq2Seq'"):
        training.Seq2Seq  # noqa: B018


def test_references_that_are_one_joined_string_each_are_told_of_once():
    reward = reward_function("keyphrase_f1(cutoffs=[M])", "wanted", key="f1@M")
    joined = [[f"wave {number}; sea wall"] for number in range(12)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            as_trl_calls(reward, ["sea wall"] * 8, wanted=[["fog, dense"]] * 8)
        as_trl_calls(reward, ["sea wall"] * 8, wanted=joined[:8])
    with pytest.warns(UserWarning, match="f1_M: the references of 13 of the 13 documents"):
        as_trl_calls(reward, ["sea wall"] * 4, wanted=np.array(joined[8:], object))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_trl_calls(reward, ["sea wall"] * 12, wanted=joined)
        separate = reward_function("keyphrase_f1(cutoffs=[M])", "wanted", key="f1@M")
        as_trl_calls(separate, ["sea wall"] * 12, wanted=[[*each[0].split("; ")] for each in joined])
