"""Lists that visitors paste: what they are read as, and what the page says of it."""

import pytest

from keyphrase_metrics.demo.pasted import read_list, split
from keyphrase_metrics.metrics.registry import measure_class, measure_names


def test_phrases_are_in_lines_or_between_semicolons():
    assert split(" a b ;c\r\n\n d;; ") == ["a b", "c", "d"]


@pytest.mark.parametrize(
    ("text", "phrases", "words"),
    [
        ("[('sea wall', 0.7), ('fog', 0.2)]", ["sea wall", "fog"], "a Python list of pairs, 2 phrases; scores ignored"),
        ("[('sea wall', 0.2), ('fog', 0.7)]", ["fog", "sea wall"], "list of pairs, 2 phrases; the highest score comes"),
        ('["sea wall", "fog"]', ["sea wall", "fog"], "Read as a JSON list, 2 phrases."),
        ("['sea wall', 'fog']", ["sea wall", "fog"], "Read as a Python list, 2 phrases."),
        ('{"sea wall": 0.7, "fog": 0.2}', ["sea wall", "fog"], "Read as a JSON object, 2 phrases; scores ignored."),
        ("sea wall, fog", ["sea wall", "fog"], "Read as a list separated by “,”, 2 phrases."),
        ("1. sea wall\n2. fog", ["sea wall", "fog"], "Read as a numbered list, 2 phrases."),
        ("- sea wall (0.7)\n- fog (0.2)", ["sea wall", "fog"], "a bulleted list, 2 phrases; scores ignored"),
        ("sea wall (0.7)\nfog (0.2)", ["sea wall", "fog"], "around the phrases, 2 phrases; scores ignored."),
        (
            "Here they are:\n1. sea wall\n2. fog\nThat is all.",
            ["sea wall", "fog"],
            "Read as a numbered list, 2 phrases.",
        ),
        ("sea wall,\nfog,\nrain", ["sea wall", "fog", "rain"], "a list separated by “,”, 3 phrases."),
        ('["sea wall", 3, null]', ["sea wall"], "Read as a JSON list, 1 phrase; 2 items that are no phrases left out."),
        (
            "['sea wall', '', 'fog', 3,]",
            ["sea wall", "fog"],
            "Python list, 2 phrases; 2 items that are no phrases left",
        ),
        ('["sea, 3, wall", "None"]', ["sea, 3, wall"], "1 phrase; 1 item that is no phrase left out."),
        ('["sea wall", 0.7, "fog", 0.2]', ["sea wall", "fog"], "Read as a JSON list, 2 phrases; scores ignored."),
        ("[]", [], "Read as a JSON list, 0 phrases; the list in the text is empty."),
        ("#seawall #fog", ["seawall", "fog"], "Read as hashtags, 2 phrases."),
        ('["sea wall", "fo', ["sea wall"], "1 phrase; the text ends inside a string; the unfinished 'fo' is left out."),
    ],
)
def test_lists_are_read_as_what_they_look_like_and_said(text, phrases, words):
    found = read_list(text)
    assert (list(found.phrases), words in found.words) == (phrases, True), found
    plain = read_list(text, as_found=False)
    assert plain.phrases == split(text)
    assert plain.words.startswith("Read by lines and “;”, ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ;\n",
        "sea wall",
        "sea  wall\nfog",
        "sea wall; fog",
        "p(a|b)",
        "None",
        "I'm sorry, but I cannot",
        "x" * 200_000,
        "fog\nrecall-oriented evaluation of keyphrase lists\nsea wall",
        "list of keyphrases\nnone\nkeywords:\nthe model\nsea wall",
        "keyphrase evaluation\n1.5 tesla mri, brain\net al.\nu.s. navy",
        "fog\n- minus\nsea wall\n'quoted'",
        "x1. alpha\n1. one\nfog\n2. two",
        "sea wall (0.7)\nfog\nrain",
    ],
)
def test_what_can_be_read_in_one_way_only_is_not_spoken_of(text):
    assert read_list(text).words == ""
    assert read_list(text).phrases == split(text)


def test_variants_of_one_reference_are_no_list():
    assert read_list("tcp | transmission control protocol", variants=True).phrases == [
        "tcp | transmission control protocol"
    ]
    assert read_list("tcp | transmission control protocol").phrases == ["tcp", "transmission control protocol"]
    found = read_list('[["tcp", " transmission control protocol"], "fog", ["rain"]]', variants=True)
    assert found.phrases == ["tcp | transmission control protocol", "fog", "rain"]
    assert found.words == "Read as a list with lists of variants, 3 references."
    assert read_list("[['tcp'], ['fog', 'mist']]", as_found=False, variants=True).words == (
        "Read by lines and “;”, 1 phrase. Check to read a list with lists of variants, 2 references."
    )
    for document in ('[[["fog", "mist"], ["rain"]]]', "[('fog', 'mist'), ('rain',)]", '[["fog", "mist"], [], "rain"]'):
        assert read_list(document, variants=True).phrases == ["fog | mist", "rain"]
    assert read_list('[["fog", "mist"], []]', variants=True).phrases == ["fog | mist"]
    for nested in (
        '[["fog", "mist"]]',
        '[["fog", 0.7], ["mist", 0.2]]',
        '[["fog"], ["mist", null]]',
        '[["fog"], ["mist", ""]]',
    ):
        assert read_list(nested, variants=True).phrases == ["fog", "mist"]
    assert read_list('[["fog"], ["mist", "haze"]]').phrases == ["fog", "mist", "haze"]
    assert read_list("tcp | fog | rain", variants=True).phrases == ["tcp", "fog", "rain"]
    assert read_list("tcp | fog\nrain | hail", variants=True).words == ""


@pytest.mark.parametrize("name", measure_names())
def test_no_example_needs_a_note(name):
    for example in measure_class(name).examples:
        assert read_list(example.box("predictions")).words == ""
        assert read_list(example.box("references"), variants=True).words == ""
