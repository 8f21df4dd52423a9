"""The demo within a page of another site, as the Hub shows a Space: it works there, and nowhere else."""

from contextlib import suppress

import pytest
from support.visits import ANSWERS_WITHIN, leaves

pytestmark = pytest.mark.browser

pytest.importorskip("gradio")
Error = pytest.importorskip("playwright.sync_api").Error

LINK = "metric=r_precision&predictions=fog&references=fog%0Asea+wall"
HUB, SPACE, OTHER = "https://huggingface.co", "https://org-space.hf.space", "https://example.org"


@pytest.fixture
def embedded(browser, server):
    """A function that opens a page of a site, which no network is asked for, with the demo in a frame."""
    contexts = []

    def show(site, width=1280):
        context = browser.new_context(viewport={"width": width, "height": 900})
        context.set_default_timeout(ANSWERS_WITHIN)
        with suppress(Error):  # of a browser that does not know it, and so lets a site embed this machine's servers
            context.grant_permissions(["local-network-access"])
        contexts.append(context)
        framed = f"<title>Space</title><iframe title=demo src='{server}/#{LINK}' width=100% height=800></iframe>"
        context.route(f"{site}/**", lambda route: route.fulfill(content_type="text/html", body=framed))
        page, wrong = context.new_page(), []
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request", lambda one: wrong.append(one.url) if leaves(one.url, server) and site not in one.url else None
        )
        page.goto(f"{site}/spaces/org/space")
        return page, wrong

    yield show
    for context in contexts:
        context.close()


@pytest.mark.parametrize(("site", "width"), [(HUB, 1280), (SPACE, 360)])
def test_within_a_page_of_the_hub_it_scores_what_is_typed(embedded, server, site, width):
    page, wrong = embedded(site, width)
    demo = page.frame_locator("iframe")
    score = demo.locator("#r_precision-answer [data-score=r_precision]")
    score.get_by_text("0.5000").wait_for()
    assert page.evaluate("location.origin") == site != server
    box = demo.get_by_label("Predicted keyphrases").locator("visible=true")
    assert box.input_value() == "fog"  # from the link, which the Hub hands on
    box.press_sequentially("\nsea wall")
    score.get_by_text("1.0000").wait_for()
    demo.get_by_role("tab", name="F1", exact=True).click()
    demo.locator('#keyphrase_f1-answer [data-score="f1@M"]', has_text="1.0000").wait_for()
    assert demo.locator("html").evaluate("root => root.scrollWidth <= root.clientWidth")
    assert wrong == []
    demo.get_by_role("button", name="Copy link").locator("visible=true").click()
    link = demo.get_by_label("Copy it from here")  # since the page around it does not let it copy
    assert link.input_value() == f"{server}/#metric=keyphrase_f1&predictions=fog%0Asea+wall&references=fog%0Asea+wall"


def test_within_a_page_of_anybody_else_it_is_not_shown(embedded):
    page, wrong = embedded(OTHER)
    page.wait_for_function("document.querySelector('iframe').contentDocument === null")  # it is no blank one any more
    (frame,) = page.frames[1:]
    assert frame.url == "chrome-error://chromewebdata/"
    assert frame.locator("textarea").count() == 0
    assert any("frame-ancestors" in said for said in wrong)
