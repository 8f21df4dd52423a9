"""What is wrong, as data: it crosses processes, and each front end words it; a few sentences are pinned whole."""

import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keyphrase_metrics
from keyphrase_metrics.cli.wording import CLI
from keyphrase_metrics.demo.messages import UserError, as_user_errors
from keyphrase_metrics.errors import Arg, InputError, Message, Wording
from keyphrase_metrics.metrics.registry import measure_names
from keyphrase_metrics.training import reward_function
from keyphrase_metrics.user_warnings import warn_deprecated

TEXTS = st.text(max_size=20)
PARTS = st.lists(st.one_of(TEXTS, TEXTS.map(Arg)), max_size=4).map(tuple)
MESSAGES = st.builds(
    Message,
    code=TEXTS,
    parts=PARTS,
    argument=st.none() | TEXTS,
    document=st.none() | st.integers(0, 9),
    value=st.none() | st.integers() | TEXTS,
    place=st.none() | TEXTS,
    hints=st.lists(PARTS, max_size=3).map(tuple),
    subject=st.booleans(),
)
FIELDS = ("code", "parts", "argument", "document", "value", "place", "hints", "subject")


def fields(message):
    return [getattr(message, name) for name in FIELDS]


def refuse(number):
    raise InputError("is too large", code="not-allowed", argument="k", value=number, place="a.jsonl, line 3")


@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_an_error_keeps_all_that_it_knows_when_it_is_passed_on(messages):
    passed = pickle.loads(pickle.dumps(InputError(*messages)))
    assert list(map(fields, passed.messages)) == list(map(fields, messages))
    assert str(passed) == "; ".join(map(str, messages))


def test_an_error_of_a_worker_process_keeps_its_fields():
    with ProcessPoolExecutor(1) as pool, pytest.raises(InputError) as raised:
        pool.submit(refuse, 7).result()
    error = raised.value
    assert (error.code, error.argument, error.value, error.place) == ("not-allowed", "k", 7, "a.jsonl, line 3")


@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_what_several_errors_say_alike_is_said_once(messages):
    assert InputError.of([InputError(*messages), *messages]).messages == tuple(dict.fromkeys(messages))


def test_a_hint_that_a_reader_cannot_follow_is_left_out():
    message = Message("x", ("is wrong",), "id_field", hints=(("give ", Arg("id_field")), ("or ", Arg("parse"))))
    assert message.text() == "id_field is wrong; give id_field, or or parse"
    only_ids = Wording({"id_field": "the field"}.get)
    assert message.text(only_ids) == "the field is wrong; give the field"


@pytest.mark.parametrize(
    ("given", "code", "argument", "document", "text"),
    [
        (
            {"predictions": [["fog", 3]], "references": [["fog"]]},
            "not-a-string",
            "predictions",
            0,
            "predictions[0] holds 3 (int) at position 1; every phrase must be a string",
        ),
        (
            {"predictions": [["fog"]], "references": ["fog"]},
            "not-a-list",
            "references",
            0,
            "references[0] is 'fog' (str); it must be a list of phrases, such as ['fog']",
        ),
        (
            {"predictions": [["fog"]], "references": [["fog"]], "metrics": "r_precison"},
            "unknown-metric",
            "metrics",
            None,
            "metric 'r_precison' is not known (did you mean 'r_precision'?)",
        ),
    ],
)
def test_python_names_arguments_and_documents(given, code, argument, document, text):
    with pytest.raises(InputError) as raised:
        keyphrase_metrics.score(**{"metrics": "r_precision", **given})
    error = raised.value
    assert str(error).startswith(text)
    assert (error.code, error.argument, error.document) == (code, argument, document)


def test_the_command_line_names_options_and_places(one, error):
    said = error("score", one, "--id-field", "number")
    fields = "id, predictions, references, text"
    assert said == f"keyphrase-metrics: error: {one} has no field 'number' (--id-field); it has {fields}\n"
    message = Message("missing", ("has no ids",), place="a.jsonl", hints=(("join by order with ", Arg("by_order")),))
    assert message.text(CLI) == "a.jsonl: has no ids; join by order with --by-order"
    parameter = Message("not-allowed", ("=3 is not allowed",), "on_empty", subject=False)
    assert parameter.text(CLI) == "=3 is not allowed"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ([], "the following arguments are required: COMMAND; see keyphrase-metrics --help"),
        (["score"], "no FILE with predictions is given; files come before the options"),
        (["score", "{one}", "--workers", "0"], "argument --workers: '0' is not a whole number from 1 on; see {help}"),
        (["score", "{one}", "--set", "bad"], "--set 'bad' cannot be read; write KEY=VALUE"),
        (["score", "{one}", "--split", "test"], "--split is for --dataset, which is not given"),
        (["score", "{one}", "--output", "{one}x"], "{one}x: its suffix is not known; use .json or .csv"),
        (
            ["explain", "{one}", "--document", "c"],
            "--document 'c' is none of the 2 documents of {one}",
        ),
        (["compare", "{one}", "--baseline", "old"], "--baseline 'old' is not a system; the systems are 'one'"),
        (["analyze"], "no FOLDER or FILE with predictions is given; it comes before the options"),
        (["q10"], "q10 compares two records, A and B, but 0 are given"),
        (
            ["list", "semrp"],
            f"metric 'semrp' is not known (did you mean 'semr_p'?); known: {', '.join(measure_names())}",
        ),
        (
            ["publish", "semr_p", "--to", "ORG/x"],
            "--to 'ORG/x' cannot be used: evaluate.load(\"ORG/x\") looks for x.py in it, and the module is semr_p.py; "
            "name ORG/semr_p",
        ),
    ],
)
def test_sentences_of_the_command_line(one, error, command, said):
    told = error(*(argument.format(one=one) for argument in command))
    assert told == f"keyphrase-metrics: error: {said.format(one=one, help='keyphrase-metrics score --help')}\n"


def test_the_demo_names_what_stands_on_its_page():
    with pytest.raises(UserError) as raised, as_user_errors():
        raise InputError("is missing", code="missing", argument="sources", hints=[("give ", Arg("no_sources"))])
    (said,) = raised.value.messages
    assert "Document text" in said
    assert "no_sources" not in said


def test_a_reward_names_its_columns():
    reward = reward_function("r_precision", "keyphrases", key="r_precision")
    with pytest.raises(InputError) as raised:
        reward(completions=["fog"], keyphrases=[[3]])
    assert (raised.value.argument, raised.value.document) == ("keyphrases", 0)
    assert str(raised.value).startswith("keyphrases[0] holds 3 (int)")


def test_what_is_deprecated_is_told_at_the_line_of_the_user():
    library = {"__name__": "keyphrase_metrics.library", "warn": warn_deprecated}
    exec("def old(): warn('library.old()', 'library.new()', '1.1')", library)
    message = r"^library\.old\(\) is deprecated and is removed in version 1\.1; use library\.new\(\)$"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        library["old"]()
    assert caught[0].filename == __file__
