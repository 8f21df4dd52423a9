"""Side by side: two lists for one document, with the phrases that make the difference, and two systems of a file."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from support.demo import LIMITS
from support.visits import choose, upload

import keyphrase_metrics
from keyphrase_metrics.demo import document_tab, second_list
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import options_of

pytest.importorskip("gradio")

FIRST, SECOND, WANTED = (
    ["fog", "tidal power"],
    ["Tidal Powers", "sea wall", "wind"],
    ["tidal power", "sea wall", "hail"],
)
HOSTILE = "<img src=x onerror=alert(1)> {{7*7}}"


def answer(name, second, first=FIRST, references=WANTED, limits=LIMITS, **settings):
    options = options_of(name)
    typed = {"predictions": first, "references": references, document_tab.SECOND: second}
    boxes = ["\n".join(typed.get(role, ())) for role in document_tab.inputs_of(options)]
    controls = [settings.get(control.name, control.default) for control in options.controls]
    return document_tab.answer(options, [*boxes, *controls], limits).markup


def beside(markup):
    """The text of the sentences, and the rows of each table, that show two lists side by side."""
    root = ET.fromstring(markup.replace("<wbr>", ""))
    (section,) = (one for one in root.iter("section") if one.findtext("h3") == second_list.TITLE)
    rows = [
        [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")][1:] for table in section.iter("table")
    ]
    return ["".join(one.itertext()) for one in section.iter("p")], rows


def test_scores_and_phrases_by_hand():
    (said, found, _), (scores, phrases) = beside(answer("keyphrase_f1", SECOND, cutoffs="M"))
    assert scores == [
        ["f1@M", "0.4000", "0.6667", "+0.2667"],  # 2 * 1 / (2 + 3), 2 * 2 / (3 + 3)
        ["precision@M", "0.5000", "0.6667", "+0.1667"],
        ["recall@M", "0.3333", "0.6667", "+0.3333"],
    ]
    assert said == "Second list: 2 of 3 references found by 3 predictions; missed: hail. 0 is worst, 1 best."
    assert found == (
        "References found by both lists: tidal power; by the second alone: sea wall; by neither: hail. As f1@M counts."
    )
    assert phrases == [
        ["tidal power", "0.4000 rank 2", "–", "−0.4000"],
        ["Tidal Powers", "–", "0.3333 rank 1", "+0.3333"],  # written in another way, and so a line of its own
        ["sea wall", "–", "0.3333 rank 2", "+0.3333"],
        ["fog", "0.0000 rank 1", "–", "+0.0000"],
        ["wind", "–", "0.0000 rank 3", "+0.0000"],
        ["Sum", "0.4000", "0.6667", "+0.2667"],
    ]


def test_the_same_phrase_earns_more_at_an_earlier_rank():
    (_, found, _), (_, phrases) = beside(answer("keyphrase_ndcg", ["TIDAL POWER", "fog"], references=["tidal power"]))
    assert found == "References found by both lists: tidal power. As ndcg counts."
    assert phrases[0] == ["tidal power", "0.6309 rank 2", "1.0000 rank 1", "+0.3691"]  # 1 / log2(3)
    assert phrases[-1] == ["Sum", "0.6309", "1.0000", "+0.3691"]


def test_what_is_repeated_is_counted_as_often():
    repeated = ["wind farm", "wind farm", "wind farm"]
    _, (scores, phrases) = beside(answer("keyphrase_diversity", ["wind farm"], first=repeated))
    assert scores[0][:3] == ["duplicate_phrases", "0.6667", "0.0000"]
    assert [row[1:3] for row in phrases if row[0] == "wind farm"] == [
        ["0.3333 rank 2", "–"],
        ["0.3333 rank 3", "–"],
        ["0.0000 rank 1", "0.0000 rank 1"],
    ]


@pytest.mark.parametrize(
    "name", ["keyphrase_f1", "keyphrase_ndcg", "r_precision", "keyphrase_rouge", "keyphrase_diversity"]
)
def test_both_columns_are_what_the_library_gives(name):
    markup = answer(name, SECOND)
    of_each = [
        next(iter(keyphrase_metrics.score([one], [WANTED], metrics=name).values())).scores for one in (FIRST, SECOND)
    ]
    _, (scores, *_) = beside(markup)
    assert {row[0]: row[1:3] for row in scores} == {
        key: [f"{scores[key]:.4f}" for scores in of_each] for key in of_each[0]
    }
    assert set(re.findall(r'data-score="[^"]+">([^<]*)', markup)) == {f"{value:.4f}" for value in of_each[0].values()}
    root = ET.fromstring(markup.replace("<wbr>", ""))
    record = json.loads(root.get("data-record"))
    assert [record["scores"], record["second"]["scores"]] == of_each
    assert [record["document"]["predictions"], record["second"]["document"]["predictions"]] == [FIRST, SECOND]
    assert second_list.TITLE not in answer(name, [])


def test_each_group_of_phrases_has_its_own_table():
    options = options_of("keyphrase_f1")
    typed = {"predictions": "fog", "references": "fog\nwind", document_tab.SECOND: "wind\nfog", "sources": "Fog."}
    boxes = [typed[role] for role in document_tab.inputs_of(options)]
    settings = {"keyphrases": "present_and_absent", "cutoffs": "M"}
    controls = [settings.get(control.name, control.default) for control in options.controls]
    sentences, (_, present, absent) = beside(document_tab.answer(options, [*boxes, *controls], LIMITS).markup)
    assert present[0] == ["fog", "1.0000 rank 1", "1.0000 rank 1", "+0.0000"]
    assert absent[0] == ["wind", "–", "1.0000 rank 1", "+1.0000"]
    assert sentences[1:3] == [
        "Present references found by both lists: fog. As present_f1@M counts.",
        "Absent references found by the second alone: wind. As absent_f1@M counts.",
    ]


def test_what_was_typed_is_text_and_limits_hold_for_the_second_list_too():
    markup = answer("keyphrase_f1", [HOSTILE, "fog"], references=[HOSTILE])
    assert not {"img", "script"} & {one.tag for one in ET.fromstring(markup.replace("<wbr>", "")).iter()}
    assert HOSTILE in beside(markup)[0][1]
    for second, limits, said in (
        (["a"] * 201, LIMITS, "Second list: 201 phrases"),
        (["a b c d"] * 2, Limits(document_word_pairs=40), "have 66 pairs"),  # 8 by 6, and 3 by 6 of the first list
    ):
        assert said in answer(
            "r_precision", second, references=["tidal power", "sea wall", "solar farm"], limits=limits
        )
    only_second = answer("r_precision", ["fog"], first=[], references=[])
    assert "Type some phrases" in only_second


@pytest.mark.browser
def test_a_second_list_on_the_page_goes_along_and_is_kept(visit, serious_findings):
    page = visit()
    box = lambda label: page.get_by_label(label).locator("visible=true")  # noqa: E731
    choose(page, "r_precision")
    box("Predicted keyphrases").fill("\n".join(FIRST))
    box("Reference keyphrases").fill("\n".join(WANTED))
    page.get_by_role("button", name="Compare with another list").locator("visible=true").click()
    box("Second list").fill(f"['tidal power', '{HOSTILE}']")
    page.get_by_label("Read as a Python list").locator("visible=true").wait_for()
    answer = page.locator("#r_precision-answer")
    answer.get_by_role("heading", name=second_list.TITLE).wait_for()
    assert answer.locator("[data-list=r_precision]").all_inner_texts() == ["0.3333", "0.3333"]
    assert answer.locator("img").count() == 0
    assert serious_findings(page) == []
    page.get_by_role("button", name="Copy scores").locator("visible=true").click()
    page.get_by_text("Scores copied.").locator("visible=true").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied[0] == "r_precision\tr_precision\t0.3333333333333333\t0.3333333333333333"
    page.get_by_role("button", name="Copy link").locator("visible=true").click()
    page.get_by_text("Link copied.").locator("visible=true").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    choose(page, "keyphrase_ndcg")
    page.locator("#keyphrase_ndcg-answer").get_by_role("heading", name=second_list.TITLE).wait_for()
    page.set_viewport_size({"width": 390, "height": 900})
    opened = page.context.new_page()
    opened.goto(link)
    opened.locator("#r_precision-answer").get_by_role("heading", name=second_list.TITLE).wait_for()
    assert HOSTILE in opened.get_by_label("Second list").locator("visible=true").input_value()  # is unfolded
    opened.close()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    box("Second list").fill("")
    page.locator("#keyphrase_ndcg-answer").get_by_role("heading", name=second_list.TITLE).wait_for(state="detached")


@pytest.mark.browser
def test_two_systems_of_a_file_on_the_page(visit, serious_findings, tmp_path):
    predicted = {"<b>first": ["fog", "wind"], "second": ["hail", "rain"]}
    rows = [{"predictions": predicted, "references": ["fog", "wind"][: 1 + place % 2]} for place in range(20)]
    (tmp_path / "runs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    page = visit(width=390, colours="dark")
    choose(page, "r_precision", "A file")
    upload(page, tmp_path / "runs.jsonl")
    found = page.locator("#r_precision-systems")
    found.get_by_text("second less <b>first").wait_for()
    assert found.locator("svg").count() == 2
    assert found.get_by_role("row", name="second 0.0000 [0.0000, 0.0000] −1.0000↓").count() == 3
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious_findings(page) == []
