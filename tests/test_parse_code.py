"""Answers in code, JSON within JSON, scores, hashtags and slashes; and the strings of a list."""

import gc
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.parsing import clean_items, parse_keyphrases

pytestmark = pytest.mark.slow

SEA = ["tidal power", "sea wall"]
LIST = json.dumps(SEA)
OBJECT = json.dumps({"keyphrases": SEA})


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(LIST),
        json.dumps(OBJECT),
        json.dumps(json.dumps(LIST)),
        json.dumps(json.dumps(OBJECT, indent=1)),
        json.dumps(json.dumps(SEA, indent=2)),
        json.dumps({"keyphrases": LIST}),
        json.dumps({"answer": OBJECT}),
        json.dumps({"result": json.dumps({"answer": LIST})}),
        json.dumps([LIST]),
        json.dumps({"output": OBJECT, "model": "x"}),
        f"```json\n{json.dumps(LIST)}\n```",
        json.dumps(f"```json\n{LIST}\n```"),
        LIST.replace('"', '\\"'),
        OBJECT.replace('"', '\\"'),
        f"Here you go: {json.dumps({'keyphrases': LIST})}",
    ],
)
def test_json_within_json(text):
    parsed = parse_keyphrases(text)
    assert (parsed, parsed.form, parsed.reason) == (SEA, "json", None)


@pytest.mark.parametrize("levels", range(8))
def test_json_within_json_is_bounded(levels):
    text = LIST
    for _ in range(levels):
        text = json.dumps(text)
    parsed = parse_keyphrases(text)
    if levels < 4:
        assert parsed == SEA


def test_json_within_json_that_breaks_off():
    parsed = parse_keyphrases(json.dumps(LIST)[:-6])
    assert (parsed, parsed.form) == (["tidal power"], "json")
    assert "'sea wa" in parsed.reason


def test_a_string_that_only_looks_like_json():
    phrases = ["[a] vowel", "{x} set", "[draft]", "array [i]"]
    assert parse_keyphrases(json.dumps(phrases)) == phrases


@pytest.mark.parametrize(
    "text",
    [
        '```python\nkeyphrases = ["tidal power", "sea wall"]\n```',
        '```python\nprint(["tidal power", "sea wall"])\n```',
        "print(['tidal power', 'sea wall'])",
        'keyphrases: list[str] = ["tidal power", "sea wall"]\nfor kp in keyphrases:\n    print(kp)',
        'def answer():\n    return ["tidal power", "sea wall"]',
        '```js\nconst k = ["tidal power", "sea wall"];\nconsole.log(k);\n```',
        "let k = ['tidal power', 'sea wall'];",
        'const k = new Set(["tidal power", "sea wall"]);',
        'const data = { keyphrases: ["tidal power", "sea wall"] };',
        'keyphrases = ("tidal power", "sea wall")',
        'keyphrases = {"tidal power", "sea wall"}',
        'keyphrases = [\n    "tidal power",  # the topic\n    "sea wall",  # a defence\n]',
        'const k = [\n  "tidal power", // the topic\n  "sea wall", // a defence\n];',
        'k <- c("tidal power", "sea wall")',
        'List<String> k = Arrays.asList("tidal power", "sea wall");',
        'var k = List.of("tidal power", "sea wall");',
        '$k = array("tidal power", "sea wall");',
        'let k = vec!["tidal power", "sea wall"];',
        'k = {"tidal power" => 0.9, "sea wall" => 0.5}',
        "```yaml\nkeyphrases:\n  - tidal power\n  - sea wall\n```",
        'keyphrases:\n  - "tidal power"\n  - "sea wall"',
        "keyphrases: [tidal power, sea wall]",
        "---\nkeywords:\n- tidal power\n- sea wall\n---",
    ],
)
def test_code(text):
    assert parse_keyphrases(text) == SEA


@pytest.mark.parametrize(
    "text",
    [
        '[{"keyword": "tidal power", "score": 0.9}, {"keyword": "sea wall", "score": 0.1}]',
        '[{"keyword": "sea wall", "score": 0.1}, {"keyword": "tidal power", "score": 0.9}]',
        '{"keyphrases": [{"phrase": "sea wall", "relevance": "0.1"}, {"phrase": "tidal power", "relevance": "0.9"}]}',
        '{"result": [{"term": "sea wall", "confidence": 10}, {"term": "tidal power", "confidence": 95}]}',
        '{"keyword": "sea wall", "score": 0.1}\n{"keyword": "tidal power", "score": 0.9}',
        '[["sea wall", 0.1], ["tidal power", 0.9]]',
        "[('sea wall', 0.1), ('tidal power', 0.9)]",
        '{"sea wall": 0.1, "tidal power": 0.9}',
        '{"keywords": [["sea wall", 0.1], ["tidal power", 0.9]]}',
        '[{"score": "10%", "text": "sea wall"}, {"score": "90%", "text": "tidal power"}]',
        json.dumps(json.dumps([{"keyword": "sea wall", "score": 0.1}, {"keyword": "tidal power", "score": 0.9}])),
        "('sea wall', 0.1)\n('tidal power', 0.9)",
    ],
)
def test_the_highest_score_comes_first(text):
    assert parse_keyphrases(text) == SEA


def test_the_order_of_scores():
    ties = [{"keyword": phrase, "score": 0.5} for phrase in ("fog", "sea", "dam")]
    assert parse_keyphrases(json.dumps(ties)) == ["fog", "sea", "dam"]
    some = [{"keyword": "fog", "score": 0.1}, {"keyword": "sea"}, {"keyword": "dam", "score": 0.9}]
    assert parse_keyphrases(json.dumps(some)) == ["fog", "sea", "dam"]  # not every phrase has a score
    words = [{"keyword": "fog", "score": "low"}, {"keyword": "sea", "score": "high"}]
    assert parse_keyphrases(json.dumps(words)) == ["fog", "sea"]
    rising = parse_keyphrases('[["fog", 0.1], ["sea", 0.2], ["dam", 0.9]]')
    assert rising == ["dam", "sea", "fog"]
    assert "ascending order" in rising.reason


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("#tidal #seawall", ["tidal", "seawall"]),
        ("#TidalPower #SeaWall", ["Tidal Power", "Sea Wall"]),
        ("#TidalPower", ["Tidal Power"]),
        ("#tidal_power, #sea_wall", ["tidal power", "sea wall"]),
        ("#NLP #GPT4 #eBay", ["NLP", "GPT4", "eBay"]),
        ("#NLPMethods\n#DeepLearning", ["NLP Methods", "Deep Learning"]),
        ("Hashtags: #Tidal #Sea", ["Tidal", "Sea"]),
        ("Here are the keyphrases:\n\n#TidalPower #SeaWall", ["Tidal Power", "Sea Wall"]),
        ("- #TidalPower\n- #SeaWall", ["Tidal Power", "Sea Wall"]),
        ('["#TidalPower", "#SeaWall"]', ["Tidal Power", "Sea Wall"]),
        ("#潮汐能 #海堤", ["潮汐能", "海堤"]),
        ("#समुद्री #ऊर्जा", ["समुद्री", "ऊर्जा"]),
        ("#ÉnergieBleue #Marée", ["Énergie Bleue", "Marée"]),
        ("#1 tidal power\n#2 sea wall", SEA),
        ("F# programming; #hashtag use", ["F# programming", "#hashtag use"]),
        ("tidal power / sea wall / fog", [*SEA, "fog"]),
        ("Keywords: tidal power / sea wall / TCP/IP", [*SEA, "TCP/IP"]),
        ("TCP/IP / and/or / I/O", ["TCP/IP", "and/or", "I/O"]),
        ("input / output", ["input / output"]),
        ("TCP/IP; and/or; input / output / sink", ["TCP/IP", "and/or", "input / output / sink"]),
        ("client/server", ["client/server"]),
        ("km/h, m/s", ["km/h", "m/s"]),
        ("潮汐能 / 海堤 / 雾", ["潮汐能", "海堤", "雾"]),
    ],
)
def test_hashtags_and_slashes(text, phrases):
    assert parse_keyphrases(text) == phrases


@pytest.mark.parametrize(
    ("items", "phrases", "form"),
    [
        (["1. Tidal power", "2. Sea wall."], ["Tidal power", "Sea wall"], "numbered"),
        (["0. tides", "1. dams"], ["tides", "dams"], "numbered"),
        (["(1) tides", "(2) dams"], ["tides", "dams"], "numbered"),
        (["1) tides (0.9)", "2) dams (0.5)"], ["tides", "dams"], "numbered"),
        (["#1 tides", "#2 dams"], ["tides", "dams"], "numbered"),
        (["1. **Tidal power** - the topic", "2. **Sea wall**: a defence"], ["Tidal power", "Sea wall"], "numbered"),
        (["1、潮汐能", "2、海堤"], ["潮汐能", "海堤"], "numbered"),
        (["1. 3D printing", "2. 5G"], ["3D printing", "5G"], "numbered"),
        (["- tides", "- dams."], ["tides", "dams"], "bulleted"),
        (["• tides", "•dams"], ["tides", "dams"], "bulleted"),
        (['* "tides"', "* `dams`"], ["tides", "dams"], "bulleted"),
        (["**tides**", "dams"], ["tides", "dams"], "list"),
        (["3D printing", "2. Bundesliga"], ["3D printing", "2. Bundesliga"], "list"),
        (["1. Bundesliga", "2. Bundesliga"], ["1. Bundesliga", "2. Bundesliga"], "list"),
        (["2. Bundesliga", "1. FC Köln"], ["2. Bundesliga", "1. FC Köln"], "list"),
        (["1.5 tesla", "2.5 tesla"], ["1.5 tesla", "2.5 tesla"], "list"),
        (["-omics", "-ase"], ["-omics", "-ase"], "list"),
        (["1,2-dichloroethane", "p53"], ["1,2-dichloroethane", "p53"], "list"),
        (["Paris, France", "C++: a primer"], ["Paris, France", "C++: a primer"], "list"),
        (["U.S.", "Smith et al."], ["U.S.", "Smith et al."], "list"),
        (["tides", "", "N/A", "dams"], ["tides", "dams"], "list"),
        (["1. tides\n2. dams"], ["tides", "dams"], "numbered"),
        (["N/A"], [], "none"),
        ([" "], [], "empty"),
        ([], [], "empty"),
    ],
)
def test_the_strings_of_a_list(items, phrases, form):
    cleaned = clean_items(items)
    assert (cleaned, cleaned.form) == (phrases, form)
    assert cleaned or cleaned.reason
    assert clean_items(tuple(items)) == phrases


@pytest.mark.parametrize("items", ["tides", None, 3, [1], ["tides", None], {"tides": 1}])
def test_what_is_not_a_list_of_strings(items):
    with pytest.raises(InputError, match="items"):
        clean_items(items)


def test_numbers_in_a_json_list_are_marks_too():
    assert parse_keyphrases('["1. Tidal power", "2. Sea wall."]') == ["Tidal power", "Sea wall"]
    assert parse_keyphrases('["2. Bundesliga", "1. FC Köln"]') == ["2. Bundesliga", "1. FC Köln"]


marked = st.text(st.sampled_from("12.)-•*#/:;\"'[]{}\\ \nabÉé键=,\ud800"), max_size=24)


@given(st.lists(marked, max_size=5))
def test_no_list_of_strings_is_an_error(items):
    cleaned = clean_items(items)
    assert cleaned or cleaned.reason
    "".join(cleaned).encode()


@given(st.one_of(st.text(), st.text(st.sampled_from("#/ab :,[]{}\"\\\n=('0.9"), max_size=60)))
@settings(max_examples=300)
def test_json_of_what_was_parsed_comes_back(text):
    once = parse_keyphrases(text)
    plain = [phrase for phrase in once if phrase.replace(" ", "").isalnum()]
    if len(plain) > 1 and not any(phrase.isdecimal() for phrase in plain):
        again = parse_keyphrases(json.dumps(plain))
        assert again == plain


PIECES = [
    '"[\\"a\\",',
    '\\"',
    '{"a":"{',
    '[["a",0.1],',
    '"[[',
    "#a ",
    "#aB",
    "#",
    "a / ",
    " /",
    "c(",
    "= (",
    "//",
    "# ",
    "//\n",
]
PIECES += [
    "từ khóa ",
    "anahtar kelime",
    "कीवर्ड",
    "a: b, c, d",
    "é: ",
    "aaa ",
    '"`',
    "```json",
    '"\\n',
    '{"a":1,',
    "[{",
    '["//"',
]


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_texts_take_linear_time(piece):
    def seconds(length):
        start = time.process_time()
        for before in ("", '["a', '"[\\"', "#a", "Märksõnad: "):
            parse_keyphrases(before + (piece * length)[:length])
        clean_items([(piece * length)[: length // 8]] * 8)
        return time.process_time() - start

    gc.disable()
    try:
        small, large = seconds(8_000), seconds(48_000)
    finally:
        gc.enable()
    assert large < 12 * small + 0.1  # 36 times as long if it were quadratic
