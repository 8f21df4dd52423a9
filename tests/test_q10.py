import json
import re
import tomllib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyphrase_metrics import score
from keyphrase_metrics.compare import q10
from keyphrase_metrics.compare.q10 import QUESTIONS, Difference, Record, Verdict
from keyphrase_metrics.core.signature import Signature
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.metrics.spec import Metric

PRESETS = list(KeyphraseF1.presets)
FILLED = {
    "Q-1": {"gold_standard": "short"},
    "Q-2": {
        "score": "F1",
        "average": "macro",
        "without_references": "removed",
        "predictions": "all",
        "short_lists": "as_given",
    },
    "Q-3": {"lowercased": True, "stemmed": True, "stemmer": "porter"},
    "evaluator": {"tokenizer": "word", "hyphens": "keep", "repeated": "dropped"},
    "Q-4": {"candidates": "ADJ* NOUN+", "same_for_all": True, "single_words": "kept"},
    "Q-5": {"stop_words": "NLTK", "changes": "none"},
    "Q-6": {
        "position": None,
        "hyphens": "kept",
        "tokenizer": "spaCy",
        "sentences": "spaCy",
        "tagger": "spaCy",
        "other": "none",
    },
    "Q-7": {"test_set": "Inspec, test", "documents": 500},
    "Q-8": {"variant": "uncontrolled", "variants": "none"},
    "Q-9": {"length": "short", "texts": "title and abstract"},
    "Q-10": {"assigned_by": "readers"},
}
USERS = {key: answers for key, answers in FILLED.items() if key not in ("Q-1", "Q-2", "Q-3", "evaluator")}
# Three documents: half of the first's references occur in its text, all of the second's, none of the third's.
ROWS = [
    {"id": "a", "predictions": ["tidal power", "sea"], "references": ["tidal power", "moon"], "text": "Tidal power."},
    {"id": "b", "predictions": ["fog"], "references": ["fog", "rain"], "text": "fog and rain"},
    {"id": "c", "predictions": ["mist"], "references": ["dew"], "text": "Mist."},
]
# At M without references in the text left out, and at all. F: F1 1/2, 2/3, 0. F+: 2/3, 2/3; S: P 3/4, R 3/4.
WORKED_OUT = {"F": (1 / 2 + 2 / 3) / 3, "F+": 2 / 3, "S": 3 / 4}


def changed(question, **answers):
    return Record({**FILLED, question: {**FILLED[question], **answers}})


def record_of(preset):
    return Record.of(Metric.of("keyphrase_f1", preset=preset).measure.signature())


def found(comparison, key):
    (question,) = (found for found in comparison.questions if found.question.key == key)
    return question


def answers_to(part):
    if part.kind.choices:
        return st.sampled_from(part.kind.choices)
    return (
        st.integers(1, 3)
        if part.name in ("documents", "first_predictions")
        else st.sampled_from(["F1", "f1", "none", "porter"])
    )


answered = st.fixed_dictionaries(
    {
        question.key: st.fixed_dictionaries({part.name: answers_to(part) for part in question.parts})
        for question in QUESTIONS
    }
)
records = answered.map(Record)
sparse = st.tuples(records, st.sets(st.sampled_from([question.key for question in QUESTIONS]))).map(
    lambda pair: Record({key: answers for key, answers in pair[0].answers.items() if key not in pair[1]})
)


# records


@pytest.mark.parametrize(
    ("preset", "gold", "average", "without"),
    [
        ("F", "long", "macro", "kept"),
        ("F+", "short", "macro", "removed"),
        ("S", "short", "macro_of_means", "removed"),
    ],
)
def test_the_methods_of_the_papers_table_1(preset, gold, average, without):
    answers = record_of(preset).answers
    assert answers["Q-1"] == {"gold_standard": gold}
    assert answers["Q-2"]["average"] == average
    assert answers["Q-2"]["without_references"] == without
    assert answers["Q-3"] == {"lowercased": True, "stemmed": True, "stemmer": "porter"}
    said = {key: answer for key, answer in answers["evaluator"].items() if answer is not None}
    marks = {"marks": "fold", "punctuation": "keep", "given_as_stems": "no"}
    assert said == {"tokenizer": "word", "hyphens": "keep", "repeated": "dropped", **marks}
    assert all(answer is None for key in USERS for answer in answers[key].values())


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_comes_back_from_its_answers(preset):
    measure = Metric.of("keyphrase_f1", preset=preset).measure
    back = Metric.of("keyphrase_f1", **record_of(preset).f1_parameters()).measure
    assert back.signature() == measure.signature()


@given(
    st.builds(
        KeyphraseF1,
        lowercase=st.booleans(),
        hyphens=st.sampled_from(["keep", "split"]),
        tokenizer=st.sampled_from(["word", "whitespace"]),
        stemmer=st.sampled_from(["porter", None]),
        deduplicate=st.booleans(),
        on_empty=st.sampled_from(["zero", "skip", "error"]),
        average=st.sampled_from(["macro", "micro", "macro_of_means"]),
        pad=st.booleans(),
        pad_empty=st.booleans(),
        keyphrases=st.sampled_from(["all", "present", "absent", "present_and_absent"]),
        filter_predictions=st.booleans(),
    )
)
def test_every_signature_comes_back_from_its_answers(measure):
    record = Record.of(Signature.parse(str(measure.signature())))
    assert Metric.of("keyphrase_f1", **record.f1_parameters()).measure.signature() == measure.signature()
    assert {name.partition(".")[0] for name in record.unsaid()} == set(USERS)


def test_other_metrics_answer_what_applies():
    answers = Record.of(semr_p()).answers
    assert answers["Q-1"]["gold_standard"] == "long"
    assert answers["Q-2"]["score"] == "semr_p(k=1, denominator=references)"
    assert answers["Q-2"]["average"] == "macro"
    assert answers["Q-2"]["short_lists"] is None
    assert "Q-2.short_lists" not in Record.of(semr_p()).unsaid()
    fem = Record.of(Signature.parse("fem_kp|lowercase:True|unit:phrase|version:1"))
    assert fem.answers["Q-1"]["gold_standard"] == "unused"
    assert Record.of(Signature.parse("other|version:1")).answers["Q-1"]["gold_standard"] is None


def semr_p():
    return Signature.parse(
        "semr_p|lowercase:True|marks:fold|hyphens:keep|punctuation:keep|tokenizer:word|stemmer:porter"
        "|stemmed:no|deduplicate:True|on_empty:zero|k:1|denominator:references|nltk:3.9|version:0.1.0"
    )


@given(sparse)
def test_a_record_survives_json(record):
    assert Record(json.loads(json.dumps(record.to_dict()))) == record


def test_what_a_record_tells():
    told = Record({**FILLED, "Q-5": {"changes": "none"}, "Q-8": None}).told()
    assert list(told) == [f"{question.key} {question.title}" for question in QUESTIONS]
    assert told["Q-1 gold standard"] == ("gold_standard: short", "signature")
    assert told["Q-5 stop words"] == ("changes: none; stop_words: not said", "user")
    assert told["Q-8 variant of the references"] == ("not said", "")
    assert "position" not in told["Q-6 position and tools"][0]


def test_answers_are_added_and_must_not_contradict():
    signature = Metric.of("keyphrase_f1", preset="F+").measure.signature()
    marks = {"marks": "fold", "punctuation": "keep", "given_as_stems": "no"}
    assert Record.of(signature, Record(USERS)) == Record({**FILLED, "evaluator": {**FILLED["evaluator"], **marks}})
    with pytest.raises(InputError) as raised:
        Record.of(signature, Record({"Q-1": {"gold_standard": "long"}, "Q-2": {"score": "f1", "average": "micro"}}))
    assert tuple(map(str, raised.value.messages)) == (
        "Q-1.gold_standard is answered twice: 'short' and 'long'",
        "Q-2.average is answered twice: 'macro' and 'micro'",
    )


def test_all_that_is_wrong_is_named():
    with pytest.raises(InputError) as raised:
        Record(
            {
                "Q-11": None,
                "Q-1": {"gold_standard": "full"},
                "Q-3": {"stemmed": "yes", "stems": True},
                "Q-5": {"stop_words": False, "changes": "  "},
                "Q-7": {"documents": 0},
                "Q-8": "only one",
            }
        )
    problems = "\n".join(tuple(map(str, raised.value.messages)))
    assert problems.count("\n") == 7
    for said in (
        "'Q-11' is not a question of a record; those are Q-1, Q-2, Q-3, evaluator, Q-4,",
        "Q-1.gold_standard is 'full'; leave it out (not said) or answer 'long', 'short', 'absent', ",
        "Q-3 has no answer 'stems'; it has lowercased, stemmed, stemmer",
        "Q-3.stemmed is 'yes'; leave it out (not said) or answer True or False",
        "Q-5.stop_words is False; leave it out (not said) or answer a text, in quotes",
        "Q-5.changes is '  '",
        "Q-7.documents is 0; leave it out (not said) or answer an integer ≥ 1",
        "Q-8 is 'only one'; it should hold variant, variants",
    ):
        assert said in problems


# the file


def test_the_template_asks_all_there_is_and_says_nothing(tmp_path):
    path = tmp_path / "template.toml"
    path.write_text(q10.template(), encoding="utf-8")
    assert q10.read(path) == Record({})
    path.write_text(re.sub(r"^#(\w+ = )", r"\1", q10.template(), flags=re.M), encoding="utf-8")
    asked = {key: list(answers) for key, answers in tomllib.loads(path.read_text(encoding="utf-8")).items()}
    assert asked == {question.key: [part.name for part in question.parts] for question in QUESTIONS}
    assert list(asked) == [question.key for question in QUESTIONS]
    assert q10.read(path).unsaid() == []  # each example is an answer
    for question in QUESTIONS:
        for part in question.parts:
            assert all(str(choice).lower() in q10.template() for choice in part.kind.choices), part.name


BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("record.toml", BOM + '[Q-10]\r\nassigned_by = "readers"\r\n[Q-5]\r\n[Q-8]\r\nvariant = " Réf"\r\n'),
        ("record.yaml", BOM + "Q-10: {assigned_by: readers}\nQ-5:\nQ-8:\n  variant:  Réf\n"),
        ("record.yml", "Q-10: {assigned_by: readers}\r\nQ-5: {stop_words: null}\r\nQ-8:\r\n  variant:  Réf\r\n"),
    ],
)
def test_a_filled_template_is_read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content.encode())
    record = q10.read(path)
    assert record.answers["Q-10"]["assigned_by"] == "readers"
    assert record.answers["Q-8"]["variant"] == "Réf"
    assert record.answers["Q-5"] == {"stop_words": None, "changes": None}


BOMB = "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
NOT_PLAIN = "anchors, aliases, tags and deep nesting are not allowed in a record"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.yaml", "", "a record maps questions to answers, but this is None"),
        ("a.yaml", "- Q-1\n", "a record maps questions to answers, but this is ['Q-1']"),
        ("a.yaml", "just text", "a record maps questions to answers, but this is 'just text'"),
        ("a.yaml", BOMB, f"is not valid YAML in line 1: {NOT_PLAIN}"),
        ("a.yaml", "Q-1: *a", f"is not valid YAML in line 1: {NOT_PLAIN}"),
        ("a.yaml", "Q-1:\n  gold_standard: !!python/name:os.system ''", f"is not valid YAML in line 2: {NOT_PLAIN}"),
        ("a.yaml", "Q-1: !!timestamp x", f"is not valid YAML in line 1: {NOT_PLAIN}"),
        ("a.yaml", "Q-1: " + "[" * 50_000, f"is not valid YAML in line 1: {NOT_PLAIN}"),
        ("a.yaml", "Q-1: {gold_standard: long}\nQ-1: {}\n", "is not valid YAML in line 1: a key is given twice"),
        ("a.yml", "Q-3:\n  stemmed: true\n  'stemmed': false\n", "is not valid YAML in line 2: a key is given twice"),
        ("a.yaml", "Q-1: [a\n", "is not valid YAML in line 2: "),
        ("a.yaml", "Q-1: {}\n---\nQ-2: {}\n", "is not valid YAML in line 2: but found another document"),
        ("a.yaml", "Q-7: {documents: 2020-99-99}", "is not valid YAML: month must be in 1..12"),
        ("a.yaml", "Q-7: {documents: " + "9" * 5000 + "}", "is not valid YAML: Exceeds the limit"),
        ("a.yaml", "{[Q-1]: x}", "is not valid YAML in line 1: found unhashable key"),
        ("a.yaml", "Q-1: \x00", "is not valid YAML: "),
        ("a.yaml", "true: {}", "True is not a question of a record"),
        ("a.yaml", b"Q-1: \xff", "is not in UTF-8 (byte 5)"),
        ("a.toml", b"[Q-1]\n#\xff", "is not in UTF-8 (byte 7)"),
        ("a.toml", "#" * 100_001, "has more than 100,000 bytes, so it is not a record"),
        ("a.toml", "[Q-1]\n[Q-1]\n", "is not valid TOML: Cannot declare ('Q-1',) twice (at line 2"),
        (
            "a.toml",
            "[Q-3]\nstemmed = true\nstemmed = false\n",
            "is not valid TOML: Cannot overwrite a value (at line 3",
        ),
        ("a.toml", "Q-1 = " + "[" * 50_000, "is not valid TOML: "),
        ("a.toml", "Q-7.documents = " + "9" * 5000, "is not valid TOML: Exceeds the limit"),
        ("a.toml", "Q-1: {gold_standard: long}", "is not valid TOML: Expected '=' after a key"),
        ("a.toml", "Q-7.documents = 2020-09-09", "Q-7.documents is datetime.date(2020, 9, 9); leave it out"),
        ("a.txt", "", "its suffix is not known; a record is .toml, .yaml or .yml"),
    ],
)
def test_hostile_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as raised:
        q10.read(path)
    assert f"{path}: {message}" in str(raised.value)


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        q10.read(tmp_path / "none.toml")


# comparing


@given(records)
def test_a_record_is_comparable_with_itself(record):
    comparison = q10.compare(record, record)
    assert comparison.verdict == Verdict.COMPARABLE
    assert all(question.finding == Difference.SAME for question in comparison.questions)


@given(sparse, sparse)
def test_comparing_is_symmetric(a, b):
    there, back = q10.compare(a, b), q10.compare(b, a)
    assert there.verdict == back.verdict
    letters = {"A": "B", "B": "A"}
    for one, other in zip(there.questions, back.questions, strict=True):
        assert one.finding == other.finding
        assert set(one.not_said_by) == {letters[letter] for letter in other.not_said_by}
        assert [(part.a, part.b, part.asked) for part in one.parts] == [(p.b, p.a, p.asked) for p in other.parts]


@given(sparse, sparse)
def test_only_what_is_all_said_and_the_same_is_comparable(a, b):
    if q10.compare(a, b).verdict == Verdict.COMPARABLE:
        assert not a.unsaid()
        assert not b.unsaid()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_one_question_decides(question):
    whole = Record(FILLED)
    silent = Record({**FILLED, question.key: None})
    comparison = q10.compare(whole, silent)
    assert comparison.verdict == Verdict.CANNOT_BE_TOLD
    assert comparison.keys(Difference.NOT_SAID) == [question.key]
    assert found(comparison, question.key).not_said_by == ("B",)
    part = question.parts[-1] if question.key != "Q-2" else question.parts[1]
    other = {"Q-1": "absent", "Q-2": "micro", "Q-7": 499, "Q-10": "authors", "evaluator": "kept", "Q-4": "removed"}
    other["Q-8"] = "matched"
    comparison = q10.compare(whole, changed(question.key, **{part.name: other.get(question.key, "x")}))
    assert comparison.verdict == Verdict.NOT_COMPARABLE
    assert comparison.keys(Difference.DIFFERENT) == [question.key]


def test_what_differs_outweighs_what_is_not_said():
    comparison = q10.compare(record_of("F"), record_of("S"))
    assert comparison.verdict == Verdict.NOT_COMPARABLE
    assert comparison.keys(Difference.DIFFERENT) == ["Q-1", "Q-2"]
    assert comparison.keys(Difference.NOT_SAID) == list(USERS)
    assert q10.compare(record_of("F+"), record_of("S")).keys(Difference.DIFFERENT) == ["Q-2"]


def test_texts_are_compared_as_words():
    assert q10.compare(Record(FILLED), changed("Q-5", stop_words=" nltk\n")).verdict == Verdict.COMPARABLE
    assert q10.compare(Record(FILLED), changed("Q-2", score="f1")).verdict == Verdict.COMPARABLE


def test_position_is_asked_of_long_texts_only():
    short = changed("Q-6", position="strong")
    assert q10.compare(Record(FILLED), short).verdict == Verdict.COMPARABLE
    a, b = (
        Record({**r.answers, "Q-9": {"length": "long", "texts": "articles"}})
        for r in (short, changed("Q-6", position="weak"))
    )
    assert q10.compare(a, b).keys(Difference.DIFFERENT) == ["Q-6"]
    unknown = Record({**FILLED, "Q-9": {"texts": "title and abstract"}})
    assert q10.compare(unknown, unknown).keys(Difference.NOT_SAID) == ["Q-6", "Q-9"]


def test_the_stemmer_is_asked_where_there_is_one():
    without = changed("Q-3", stemmed=False, stemmer=None)
    assert q10.compare(without, without).verdict == Verdict.COMPARABLE
    vague = changed("Q-3", stemmer=None)
    assert q10.compare(vague, Record(FILLED)).verdict == Verdict.CANNOT_BE_TOLD
    assert q10.compare(vague, without).verdict == Verdict.NOT_COMPARABLE


def test_what_hardly_anybody_says_counts_as_usual_and_is_marked():
    said, silent = Record({"evaluator": {"marks": "fold", "first_predictions": 200}}), Record({})
    parts = {part.part.name: part for found in q10.compare(said, silent).questions for part in found.parts}
    assert (parts["marks"].finding, parts["marks"].usual_of, parts["marks"].b) == (Difference.SAME, ("B",), "fold")
    assert (parts["first_predictions"].finding, parts["first_predictions"].usual_of) == (Difference.DIFFERENT, ("B",))
    assert (parts["hyphens"].finding, parts["hyphens"].usual_of) == (Difference.NOT_SAID, ())


def test_nobody_can_tell_whether_two_callables_are_the_same():
    custom = changed("evaluator", tokenizer="custom:mine.cut")
    assert q10.compare(custom, custom).verdict == Verdict.CANNOT_BE_TOLD


# rescoring


@pytest.mark.parametrize(
    ("f", "s", "printed"),  # single rows of the paper's Tables 3 and 4; the last is symmetric by definition
    [(30.1, 33.4, 10.4), (36.0, 41.2, 13.5), (15.1, 20.3, 29.4), (1.0, 3.0, 100.0)],
)
def test_symmetric_percent_difference(f, s, printed):
    assert q10.symmetric_percent_difference(f, s) == pytest.approx(printed, abs=0.05)
    assert q10.symmetric_percent_difference(s, f) == -q10.symmetric_percent_difference(f, s)


def test_symmetric_percent_difference_of_nothing():
    assert q10.symmetric_percent_difference(0.0, 0.0) == 0.0
    assert q10.symmetric_percent_difference(0.0, 0.5) == 200.0
    assert q10.symmetric_percent_difference(None, 0.5) is None


def test_what_one_does_not_say_is_taken_from_the_other():
    said = {"Q-1": {"gold_standard": "long"}, "Q-3": {"stemmed": True}, "evaluator": {"hyphens": "split"}}
    a, b, notes = q10.rescoring(Record(said), record_of("S"))
    assert a == {**b, "keyphrases": "all", "hyphens": "split"}
    assert Metric.of("keyphrase_f1", **b).measure.signed() == KeyphraseF1(**KeyphraseF1.presets["S"]).signed()
    assert "A does not say Q-2.average; assumed: average=macro_of_means" in notes
    assert "A does not say Q-3.stemmer; assumed: stemmer=porter" in notes
    assert not [note for note in notes if note.startswith("B") or "hyphens" in note or "predictions" in note]
    a, b, _ = q10.rescoring(Record({"Q-3": {"stemmed": True}}), Record({"Q-3": {"stemmed": False}}))
    assert (a["stemmer"], b["stemmer"]) == ("porter", None)
    a, b, notes = q10.rescoring(Record({}), Record({}))
    assert a == b
    assert len(notes) == len(set(notes)) == 2 * 10


def test_what_cannot_be_rescored_is_named():
    odd = Record(
        {
            "Q-1": {"gold_standard": "unused"},
            "Q-2": {"score": "R-precision"},
            "Q-3": {"stemmed": True, "stemmer": "lovins"},
            "evaluator": {"tokenizer": "spaCy"},
        }
    )
    with pytest.raises(InputError) as raised:
        q10.rescoring(record_of("F"), odd)
    assert [problem.partition(":")[2].split(":")[0].strip() for problem in tuple(map(str, raised.value.messages))] == [
        "Q-2.score",
        "Q-1.gold_standard",
        "Q-3.stemmer",
        "evaluator.tokenizer",
    ]
    assert all(problem.startswith("B: ") for problem in tuple(map(str, raised.value.messages)))


# the command


@pytest.fixture
def cli(cli):
    """Run ``q10``; return status, standard output, standard error."""
    return partial(cli, "q10")


def record_file(path, answers):
    """Write a record: in TOML, which has no null, or as JSON, which is YAML."""
    lines = []
    for question, parts in answers.items():
        said = {key: value for key, value in (parts or {}).items() if value is not None}
        lines += [f"[{question}]", *(f"{key} = {json.dumps(value)}" for key, value in said.items())]
    path.write_text("\n".join(lines) if path.suffix == ".toml" else json.dumps(answers))
    return path


@pytest.fixture
def full(tmp_path):
    return record_file(tmp_path / "full.toml", FILLED)


@pytest.fixture
def predictions(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def scores_of(path, *metrics, q10=None, systems=("mine",)):
    results = {metric: {"f1@5": 0.5, "signature": str(Metric.parse(metric).measure.signature())} for metric in metrics}
    value = {"systems": dict.fromkeys(systems, results)}
    path.write_text(json.dumps(value if q10 is None else {**value, "q10": q10}))
    return path


def test_comparable(cli, tmp_path, full):
    status, out, err = cli(full, full)
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "comparable"
    assert "Q-1 gold standard" in out
    assert "what that means" not in out


def test_different_and_not_said(cli, tmp_path, full):
    other = record_file(tmp_path / "b.yml", {**FILLED, "Q-5": {"stop_words": "Fox"}, "Q-8": None})
    status, out, _ = cli(full, other)
    assert status == 1
    assert "Q-5 different: " in out
    assert "4.5 % to 6 %" in out
    assert "Q-8 not said by B: " in out
    assert out.splitlines()[-1] == "NOT comparable (different: Q-5; not said: Q-8)"
    other = record_file(tmp_path / "b.yml", {**FILLED, "Q-8": None})
    assert cli(full, other)[1].splitlines()[-1] == "comparable? cannot be told (not said: Q-8)"


def test_json_output(cli, tmp_path, full):
    status, out, _ = cli(full, record_file(tmp_path / "b.yaml", USERS), "--json")
    value = json.loads(out)
    assert status == 1
    assert (value["verdict"], value["comparable"]) == ("cannot be told", None)
    assert [question["question"] for question in value["questions"]] == [question.key for question in QUESTIONS]
    assert value["questions"][0]["answers"]["gold_standard"] == {
        "a": "short",
        "b": None,
        "asked": True,
        "finding": "not said",
        "usual_of": [],
    }
    assert value["questions"][0]["not_said_by"] == ["B"]
    assert Record(value["a"]) == Record(FILLED)
    assert json.loads(cli(full, full, "--json")[1])["comparable"] is True


def test_a_signature_and_answers_make_a_record(cli, tmp_path, full):
    answers = record_file(tmp_path / "answers.toml", USERS)
    plus, s = "keyphrase_f1(preset=F+)", "keyphrase_f1(preset=S)"
    scores = scores_of(tmp_path / "scores.json", "r_precision", plus, systems=("one", "two"))
    assert cli(scores, full, "--answers", answers)[0] == 0
    assert cli(scores, scores, "--answers", answers, answers)[0] == 0
    assert cli(scores, full)[1].endswith("not said: Q-4, Q-5, Q-6, Q-7, Q-8, Q-9, Q-10)\n")
    both = scores_of(tmp_path / "both.json", plus, s)
    assert "(different: Q-2)" in cli(both, both, "--metric", plus, s, "--answers", answers)[1]
    assert cli(both, full, "--metric", plus, "--answers", answers)[0] == 0
    assert "(different: Q-1, Q-2;" in cli(scores, full, "--metric", "r_precision")[1]


def test_scores_say_how_many_documents_they_are_of(cli, tmp_path):
    paths = [tmp_path / "two.json", tmp_path / "three.json"]
    for size, path in enumerate(paths, 2):
        result = score([["fog"]] * size, [["fog"]] * size, metrics="r_precision")
        path.write_text(json.dumps({"systems": {"mine": result.to_dict()}}))
    status, out, _ = cli(*paths)
    assert status == 1
    assert "different: Q-7;" in out
    answers = record_file(tmp_path / "answers.toml", {"Q-7": {"documents": 500}})
    assert "Q-7.documents is answered twice: 2 and 500" in cli(*paths, "--answers", answers)[2]


def test_records_travel_in_json(cli, tmp_path, full):
    plus = "keyphrase_f1(preset=F+)"
    assert cli(scores_of(tmp_path / "a.json", plus, q10=USERS), full)[0] == 0
    assert cli(scores_of(tmp_path / "a.json", plus, q10={plus: FILLED}), full)[0] == 0
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps({"q10": FILLED}))
    assert cli(alone, full)[0] == 0
    flat = {"f1@5": 1, "signature": str(Metric.parse(plus).measure.signature()), "q10": USERS}
    alone.write_text(json.dumps(flat))
    assert cli(alone, full)[0] == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "it is a list, not an object"),
        ("{", "is not valid JSON"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ("[" * 100_000, "is not valid JSON"),
        ("{}", "it has neither scores with a 'signature' nor a 'q10' record"),
        ('{"systems": []}', "'systems' must map each system to its metrics"),
        ('{"systems": {}}', "it has no system with a metric"),
        ('{"systems": {"s": {"m": 1}}}', "m of 's' is 1, not an object"),
        ('{"systems": {"s": {"m": {}}}}', "it has no 'signature'"),
        ('{"signature": "x"}', "'x' is not a signature"),
        ('{"signature": ["x"]}', "it has no 'signature'"),
        ('{"signature": "r_precision|version:1", "q10": 1}', "a record maps questions to answers, but this is 1"),
        ('{"q10": {"Q-0": 1}}', "'Q-0' is not a question"),
        (
            '{"systems": {"s": {"m": {"signature": "m|version:1"}}, "t": {"m": {"signature": "m|version:2"}}}}',
            "its systems have different signatures for m",
        ),
    ],
)
def test_wrong_json(error, tmp_path, full, content, message):
    path = tmp_path / "a.json"
    path.write_text(content)
    said = error(path, full)
    assert message in said
    assert f"{path}: " in said


def test_wrong_use(error, tmp_path, full, predictions):
    assert "q10 compares two records, A and B, but 1 are given" in error(full)
    assert "q10 compares two records, A and B, but 0 are given" in error()
    assert "its suffix is not known; use .toml, .yaml, .yml or .json" in error(full, tmp_path / "a.txt")
    assert "No such file" in error(full, tmp_path / "a.json")
    assert "--answers is for scores in JSON" in error(full, full, "--answers", full)
    assert "--metric is for scores in JSON" in error(full, full, "--metric", "x")
    scores = scores_of(tmp_path / "s.json", "keyphrase_f1", "keyphrase_f1(pad=True)")
    assert "--answers takes one or two values" in error(full, scores, "--answers", full, full, full)
    assert "--answers is for scores in JSON" in error(full, scores, "--answers", full, full)
    assert "it has several metrics (keyphrase_f1, keyphrase_f1(pad=True)); choose one with --metric" in error(
        scores, full
    )
    assert "it has no metric 'x'; its metrics are keyphrase_f1, keyphrase_f1(pad=True)" in error(
        scores, full, "--metric", "x"
    )
    assert "Q-1.gold_standard is answered twice: 'long' and 'short'" in error(
        scores, full, "--metric", "keyphrase_f1", "--answers", full
    )
    assert "--references is for --rescore, which is not given; --by-order is" in error(
        full, full, "--references", predictions, "--by-order"
    )
    both = error(tmp_path / "a.toml", tmp_path / "b.toml")
    assert "a.toml" in both
    assert "b.toml" in both


def test_the_template_is_written_once(cli, error, tmp_path, full):
    path = tmp_path / "new.toml"
    assert cli("--template") == (0, q10.template(), "")
    assert cli("--template", path) == (0, f"{path}: an empty record; fill it in\n", "")
    assert path.read_text(encoding="utf-8") == q10.template()
    path.write_text("mine")
    assert "is there already and is not overwritten" in error("--template", path)
    assert path.read_text() == "mine"
    for name in ("new.txt", "new.yaml"):
        assert "its suffix is not known" in error("--template", tmp_path / name)
    assert "there is no folder" in error("--template", tmp_path / "no" / "new.toml")
    assert "give it alone" in error(full, full, "--template")


def test_names_and_answers_cannot_steer_the_terminal(cli, tmp_path, full):
    other = record_file(tmp_path / "b\x1b[31m.toml", {**FILLED, "Q-8": {"variant": "\x1b[31m[bold]red"}})
    _, out, _ = cli(full, other)
    assert r"\x1b[31m[bold]red" in out
    assert "\x1b" not in out


def test_rescoring_gives_what_was_worked_out_by_hand(cli, tmp_path, predictions):
    methods = [f"keyphrase_f1(preset={preset})" for preset in q10.METHODS]
    scores = scores_of(tmp_path / "s.json", *methods)
    argv = (scores, scores, "--metric", methods[0], methods[2], "--rescore", predictions, "--cutoffs", "M", "--json")
    status, out, err = cli(*argv)
    assert (status, err) == (1, "")
    value = json.loads(out)["rescored"]
    row = value["systems"]["run"]["f1@M"]
    f, s = WORKED_OUT["F"], WORKED_OUT["S"]
    assert row == {
        "a": pytest.approx(f),
        "b": pytest.approx(s),
        "difference": pytest.approx(s - f),
        "symmetric_percent": pytest.approx(200 * (s - f) / (s + f)),
    }
    assert value["systems"]["run"]["precision@M"]["a"] == pytest.approx((1 / 2 + 1) / 3)
    assert value["methods"]["run"]["f1@M"]["scores"] == pytest.approx(WORKED_OUT)
    assert value["methods"]["run"]["f1@M"]["symmetric_percent"]["S"] == pytest.approx(row["symmetric_percent"])
    assert value["mean_symmetric_percent"]["f1@M"] == pytest.approx(row["symmetric_percent"])
    assert [value["a"], value["b"]] == [str(Metric.parse(m).measure.signature()) for m in (methods[0], methods[2])]
    assert value["notes"] == []


def test_rescoring_is_shown(cli, tmp_path, predictions, full):
    scores = scores_of(tmp_path / "s.json", "keyphrase_f1(preset=F)")
    more = tmp_path / "more.jsonl"
    more.write_text(predictions.read_text())
    status, out, err = cli(scores, full, "--rescore", predictions, more, "--cutoffs", "M")
    assert (status, err) == (1, "")
    assert "rescored: the same predictions as A scores them and as B does" in out
    assert "S to F %" in out
    f, plus = WORKED_OUT["F"], WORKED_OUT["F+"]
    percent = f"{200 * (plus - f) / (plus + f):+.1f}"
    rows = [line.split() for line in out.splitlines()]
    assert ["run", "precision@M", "0.5000", "0.7500", "+0.2500", "+40.0"] in rows
    assert ["f1@M", f"{f:.4f}", f"{plus:.4f}", f"{plus - f:+.4f}", percent] in rows
    assert ["mean", "f1@M", percent] in rows


def test_rescoring_without_texts(cli, error, tmp_path, full):
    path = tmp_path / "bare.jsonl"
    path.write_text("".join(json.dumps({k: v for k, v in row.items() if k != "text"}) + "\n" for row in ROWS))
    scores = scores_of(tmp_path / "s.json", "keyphrase_f1", "keyphrase_f1(average=micro)")
    both = (scores, scores, "--metric", "keyphrase_f1", "keyphrase_f1(average=micro)", "--rescore", path)
    _, out, _ = cli(*both)
    assert "note: there are no texts, so methods F+ and S, which need them, are left out" in out
    assert "needs the documents' texts" in error(scores, full, "--metric", "keyphrase_f1", "--rescore", path)


def test_what_rescoring_assumes_is_said(cli, tmp_path, predictions, full):
    vague = record_file(tmp_path / "vague.toml", {"Q-1": {"gold_standard": "long"}})
    _, out, _ = cli(vague, full, "--rescore", predictions)
    assert "note: A does not say Q-2.average; assumed: average=macro" in out
    apart = record_file(tmp_path / "apart.toml", {"Q-1": {"gold_standard": "present_and_absent"}})
    assert "A and B give scores under different keys" in cli(apart, full, "--rescore", predictions)[1]


def test_wrong_rescoring(error, tmp_path, predictions, full):
    other = record_file(tmp_path / "b.toml", {**FILLED, "evaluator": {"tokenizer": "spaCy"}})
    assert "B: evaluator.tokenizer: tokenizer='spaCy' is not allowed" in error(full, other, "--rescore", predictions)
    case = {"lowercased": False, "stemmed": True, "stemmer": "snowball:german"}
    other = record_file(tmp_path / "b.toml", {**FILLED, "Q-3": case})
    assert "B: stemmer='snowball:german' with lowercase=False" in error(full, other, "--rescore", predictions)
    assert "there is no such file" in error(full, full, "--rescore", tmp_path / "none.jsonl")
    assert "cutoffs" in error(full, full, "--rescore", predictions, "--cutoffs", "0")
    assert "there is no system 'x'" in error(
        full, full, "--rescore", two(predictions, tmp_path), predictions, "--system", "x"
    )


def two(path, folder):
    copy = folder / "two.jsonl"
    copy.write_text(Path(path).read_text())
    return copy


def test_a_score_is_named_without_its_cut_off(tmp_path, error):
    path = tmp_path / "paper.toml"
    path.write_text('Q-2.score = "F1@5"\n')
    assert "the name of a score without its cut-off, such as F1" in error(path, path)
