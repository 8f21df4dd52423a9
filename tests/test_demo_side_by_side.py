"""Side by side: two lists or two settings for one document, with the phrases that make the difference; two systems."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from support.demo import LIMITS
from support.visits import choose, upload

import keyphrase_metrics
from keyphrase_metrics.demo import document_tab, messages, side_by_side
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import options_of
from keyphrase_metrics.models.weights import MINILM

pytest.importorskip("gradio")

FIRST, SECOND, WANTED = (
    ["fog", "tidal power"],
    ["Tidal Powers", "sea wall", "wind"],
    ["tidal power", "sea wall", "hail"],
)
FIRST_OF_PAGE = ["fog", "tidal powers", "seawall"]
HOSTILE = "<img src=x onerror=alert(1)> {{7*7}}"


def answer(name, second=(), first=FIRST, references=WANTED, limits=LIMITS, others="", **settings):
    options = options_of(name)
    typed = {"predictions": first, "references": references, "sources": ["Fog."], document_tab.SECOND: second}
    boxes = ["\n".join(typed.get(role, ())) for role in document_tab.inputs_of(options)]
    controls = [settings.get(control.name, control.default) for control in options.controls]
    return document_tab.answer(options, [*boxes, *controls, others], limits).markup


def parsed(markup):
    return ET.fromstring(str(markup).replace("<wbr>", ""))


def beside(markup, sides=side_by_side.LISTS):
    """The text of the sentences, and the rows of each table, that show two lists or settings side by side."""
    (section,) = (one for one in parsed(markup).iter("section") if one.findtext("h3") == sides.title)
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
    record = json.loads(parsed(markup).get("data-record"))
    assert [record["scores"], record["second"]["scores"]] == of_each
    assert [record["document"]["predictions"], record["second"]["document"]["predictions"]] == [FIRST, SECOND]
    assert side_by_side.LISTS.title not in answer(name, [])


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
    assert not {"img", "script"} & {one.tag for one in parsed(markup).iter()}
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
    answer.get_by_role("heading", name=side_by_side.LISTS.title).wait_for()
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
    page.locator("#keyphrase_ndcg-answer").get_by_role("heading", name=side_by_side.LISTS.title).wait_for()
    page.set_viewport_size({"width": 390, "height": 900})
    opened = page.context.new_page()
    opened.goto(link)
    opened.locator("#r_precision-answer").get_by_role("heading", name=side_by_side.LISTS.title).wait_for()
    assert HOSTILE in opened.get_by_label("Second list").locator("visible=true").input_value()  # is unfolded
    opened.close()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    box("Second list").fill("")
    page.locator("#keyphrase_ndcg-answer").get_by_role("heading", name=side_by_side.LISTS.title).wait_for(
        state="detached"
    )


def under(text, name="keyphrase_f1", **given):
    return beside(answer(name, others=text, **given), side_by_side.SETTINGS)


def test_other_settings_by_hand():
    (said, found, _), (differs, scores, phrases) = under("stemmer=None", first=["fog", "tidal powers"], cutoffs="M")
    assert ["stemmer", "porter", "None"] in differs
    assert scores[0] == ["f1@M", "0.4000", "0.0000", "−0.4000"]  # 2 * 1 / (2 + 3), and no hit
    assert said.startswith("Other settings: 0 of 3 references found by 2 predictions")
    assert found == (
        "References found under these settings alone: tidal power; under neither: sea wall, hail. As f1@M counts."
    )
    assert phrases == [
        ["tidal powers", "0.4000 rank 2", "0.0000 rank 2", "−0.4000"],
        ["fog", "0.0000 rank 1", "0.0000 rank 1", "+0.0000"],
        ["Sum", "0.4000", "0.0000", "−0.4000"],
    ]


def test_settings_that_have_no_score_in_common():
    (same, *_), (scores, phrases) = under("cutoffs=[1]", cutoffs="M")
    assert same == "The signatures are the same, and so is every score that both have."
    assert [row[:1] + row[3:] for row in scores] == [
        ["f1@M / f1@1", "−0.4000"],
        ["precision@M", "–"],
        ["recall@M", "–"],
        ["precision@1", "–"],
        ["recall@1", "–"],
    ]
    assert phrases[0] == ["tidal power", "0.4000 rank 2", "0.0000 rank 2", "−0.4000"]
    _, (_, _, every, present, absent) = under("keyphrases=present_and_absent", cutoffs="M")
    assert every[-1] == ["Sum", "0.4000", "–", "–"]
    assert present == [["fog", "–", "0.0000 rank 1", "–"], ["Sum", "–", "0.0000", "–"]]
    assert absent[0] == ["tidal power", "–", "0.5000 rank 1", "–"]  # 2 * 1 / (1 + 3)


@pytest.mark.parametrize(
    ("name", "others", "spec"),
    [
        ("keyphrase_f1", "cutoffs=[2,M], stemmer=None", "keyphrase_f1(cutoffs=[2,M],stemmer=None)"),
        ("keyphrase_f1", " preset = kpeval,\n lowercase=False", "keyphrase_f1(preset=kpeval,lowercase=False)"),
        ("keyphrase_ndcg", "ideal=retrieved, cutoffs=2", "keyphrase_ndcg(ideal=retrieved,cutoffs=[2])"),
        ("r_precision", "one_to_one=True", "r_precision(one_to_one=True)"),
        ("keyphrase_rouge", "rouge_tokenizer='unicode'", "keyphrase_rouge(rouge_tokenizer=unicode)"),
    ],
)
def test_the_other_column_is_what_the_library_gives(name, others, spec):
    (wanted,) = keyphrase_metrics.score([FIRST], [WANTED], metrics=spec).values()
    markup = answer(name, SECOND, others=others)
    _, tables = beside(markup, side_by_side.SETTINGS)
    scores = next(rows for rows in tables if len(rows[0]) == 4)
    found = {row[0].rpartition(" / ")[2]: row[2] for row in scores if row[2] != "–"}
    assert found == {key: f"{value:.4f}" for key, value in wanted.scores.items()}
    record = json.loads(parsed(markup).get("data-record"))
    assert record["other_settings"]["scores"] == wanted.scores
    assert record["other_settings"]["signature"] == str(wanted.signature)
    assert beside(markup)[1]  # the second list is compared for itself


@pytest.mark.parametrize(
    ("name", "others", "said"),
    [
        ("keyphrase_f1", "stemmer", "'stemmer' cannot be read; write parameter=value"),
        ("keyphrase_f1", "stemmer=None, stemmer=porter", "'stemmer=porter' cannot be read"),
        ("keyphrase_f1", "stemer=None", "has no parameter 'stemer' (did you mean 'stemmer'?)"),
        ("keyphrase_f1", "stemmer=lancaster", "stemmer: 'lancaster' is not a choice; choose porter, None"),
        ("keyphrase_f1", "cutoffs=[0]", "cutoffs: [0] is not allowed"),
        ("keyphrase_f1", f"cutoffs={[*range(1, 22)]}", "cutoffs: at most 20 values are allowed here"),
        ("keyphrase_f1", f"cutoffs={'[' * 400}{']' * 400}", "cutoffs: "),
        ("keyphrase_f1", "preset=nothing", "'nothing' is not a preset; choose defaults, F"),
        ("keyphrase_f1", "x" * 1001, "1001 characters; at most 1000"),
        ("keyphrase_f1", ["stemmer"], "is not a text"),
        ("keyphrase_f1", "keyphrases=present, sources=x", "has no parameter 'sources'"),
        ("semr_p", "encoder=/etc/passwd, k=0", "encoder: '/etc/passwd' is not a choice; choose "),
        ("semr_p", "encoder=/etc/passwd, k=0", "k: 0 is not allowed; give an integer ≥ 1."),
        ("semr_p", "cache_dir=/tmp", "cache_dir is for the owner of this server to set."),
        ("keyphrase_bertscore", "num_layers=1", "num_layers is for the owner of this server to set."),
        ("r_precision", "preset=kpeval, <img src=x>=1", "'<img src=x>=1' cannot be read"),
    ],
)
def test_other_settings_that_are_none_are_said_beside_the_score(name, others, said, monkeypatch, caplog):
    monkeypatch.setenv("KEYPHRASE_METRICS_ENCODERS", "org/one")
    pair = {"first": ["fog"], "references": ["fog"]}
    if name in ("semr_p", "keyphrase_bertscore"):  # whose models are not asked before the settings are read
        with pytest.raises(messages.UserError) as error:
            options = options_of(name)
            options.other_metric([control.default for control in options.controls], others, LIMITS)
        assert said in str(error.value)
        return
    markup = answer(name, others=others, **pair)
    (alert,) = (one for one in parsed(markup).iter("div") if one.get("role") == "alert")
    assert said in "".join(alert.itertext())
    assert "data-score" in markup  # what the controls say is scored
    assert not caplog.records


@pytest.mark.browser
@pytest.mark.model
def test_other_settings_on_the_page_are_kept_and_in_the_link(visit, serious_findings):
    page = visit()
    box = lambda label: page.get_by_role("textbox", name=label).locator("visible=true")  # noqa: E731
    box("Predicted keyphrases").fill("\n".join(FIRST_OF_PAGE))
    box("Reference keyphrases").fill("\n".join(WANTED))
    page.get_by_role("button", name="Compare with other settings").locator("visible=true").click()
    box("Other settings").fill("k=1, stemmer=None")
    answer = page.locator("#semr_p-answer")
    answer.get_by_role("heading", name=side_by_side.SETTINGS.title).wait_for()
    scores = [
        next(iter(keyphrase_metrics.score([FIRST_OF_PAGE], [WANTED], metrics=spec).values())).scores["semr_p"]
        for spec in (f"semr_p(encoder={MINILM})", f"semr_p(encoder={MINILM},k=1,stemmer=None)")
    ]
    expected = [f"{value:.4f}" for value in scores]
    assert answer.locator("[data-list=semr_p]").all_inner_texts() == expected
    assert expected[0] != expected[1]
    assert serious_findings(page) == []
    page.get_by_role("button", name="Copy scores").locator("visible=true").click()
    page.get_by_text("Scores copied.").locator("visible=true").wait_for()
    copied = [line.split("\t") for line in page.evaluate("navigator.clipboard.readText()").splitlines()]
    assert [f"{float(value):.4f}" for _, key, value in filter(lambda line: line[1:2] == ["semr_p"], copied)] == expected
    assert len([line for line in copied if line[0] == "signature"]) == 2
    page.get_by_role("button", name="Copy link").locator("visible=true").click()
    page.get_by_text("Link copied.").locator("visible=true").wait_for()
    opened = page.context.new_page()
    opened.set_viewport_size({"width": 360, "height": 900})
    opened.goto(page.evaluate("navigator.clipboard.readText()"))
    opened.locator("#semr_p-answer [data-list=semr_p]", has_text=expected[1]).wait_for()
    others = opened.get_by_role("textbox", name="Other settings").locator("visible=true")
    assert others.input_value() == "k=1, stemmer=None"
    assert opened.evaluate("document.documentElement.scrollWidth") == 360
    choose(opened, "r_precision")  # whose scores have long names
    opened.get_by_role("button", name="Compare with other settings").locator("visible=true").click()
    others.fill("stemmer=None")
    opened.locator("#r_precision-answer [data-list=r_precision]").first.wait_for()
    beside = opened.locator("#r_precision-answer .scroll:has(.km-beside)")
    assert beside.evaluate_all("all => all.map((one) => one.scrollWidth - one.clientWidth)") == [0, 0]
    opened.close()
    page.reload()
    answer.locator("[data-list=semr_p]", has_text=expected[1]).wait_for()
    choose(page, "r_precision")  # which has settings of its own
    page.locator("#r_precision-answer [data-score]").first.wait_for()
    assert page.locator("#r_precision-answer [data-list]").count() == 0
    choose(page, "semr_p")
    box("Other settings").fill("k=")
    answer.get_by_role("alert").get_by_text("k: '' is not allowed").wait_for()
    assert answer.locator("[data-score=semr_p]").inner_text() == expected[0]


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
