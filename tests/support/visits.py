"""A demo that runs, as visitors have it: all metrics, without a network, in a real browser or over HTTP."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

STARTS_WITHIN, ANSWERS_WITHIN = 180, 20_000  # seconds; thousandths of them


@contextmanager
def served(log, *command):
    """The address at which a Python program serves until the block ends; it must leave no traceback in its log."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
    kept = log.parent / "kept"
    kept.mkdir()
    environment["TMPDIR"] = str(kept)
    with log.open("w") as out:
        running = subprocess.Popen([sys.executable, *command], stdout=out, stderr=subprocess.STDOUT, env=environment)
    try:
        for _ in range(STARTS_WITHIN * 4):
            assert running.poll() is None, log.read_text()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).close()
                break
            except OSError:
                time.sleep(0.25)
        else:
            pytest.fail(f"the server does not answer: {log.read_text()}")
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(300)
    assert "Traceback" not in log.read_text()
    assert not list(kept.glob("keyphrase-metrics-demo-*"))  # where uploads are


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a server of all metrics."""
    code = "from keyphrase_metrics import demo; demo.launch()"
    with served(tmp_path_factory.mktemp("demo") / "log", "-c", code) as address:
        yield address


@pytest.fixture
def visit(browser, server):
    """A function that opens the server in a new window; what should not happen there fails the test."""
    opened = []

    def go(*, width=1280, colours="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=colours,
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(ANSWERS_WITHIN)
        page, wrong = context.new_page(), []
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: wrong.append(request.url) if leaves(request.url, server) else None)
        page.goto(f"{server}/#metric=semr_p")
        page.wait_for_selector("#semr_p-answer [data-score]")
        opened.append((context, wrong))
        return page

    yield go
    for context, wrong in opened:
        context.close()
        assert wrong == []


def leaves(url, server):
    return not url.startswith((server, "data:", "blob:"))


def choose(page, name, part=None):
    """Go to the tab of a metric, and to a part of its page."""
    from keyphrase_metrics.demo.app import tab_title

    page.get_by_role("tab", name=tab_title(name), exact=True).click()
    if part is not None:
        page.get_by_role("tab", name=part, exact=True).locator("visible=true").click()


def box(page, label):
    return page.get_by_label(label).locator("visible=true")


def shown(page, name, key, value):
    """Wait until the answer of a metric has a score of this value."""
    page.locator(f'#{name}-answer [data-score="{key}"]', has_text=value).wait_for()


def upload(page, predictions, references=None):
    """Upload files, and wait for the fields that they have."""
    given = {"Predictions, with references beside them": predictions}
    if references is not None:
        given["References, if they are in a file of their own"] = references
    for label, path in given.items():
        box = page.locator(".block", has=page.get_by_text(label)).locator("visible=true")
        box.locator("input[type=file]").set_input_files(path)
        box.get_by_text(path.suffix).wait_for()
    page.get_by_text("hold for files too").wait_for()
    page.get_by_role("button", name="Score the file").locator("visible=true").click()


def call(server, path, body):
    """Status and text of a request as no browser sends it."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"{server}/gradio_api/{path}", data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def values_of(name, **boxes):
    """What a call of a metric holds: what is typed, and all else as the page has it at first."""
    from keyphrase_metrics.demo.document_tab import inputs_of, lists_of
    from keyphrase_metrics.demo.options import options_of

    options = options_of(name)
    typed = [boxes.get(role, "") for role in inputs_of(options)]
    return [*typed, *(control.default for control in options.controls), "", *[True] * len(lists_of(options))]


def result_of(server, name, values):
    """What the endpoint of a metric answers."""
    status, said = call(server, f"call/{name}", {"data": values})
    assert status == 200, said
    with urllib.request.urlopen(
        f"{server}/gradio_api/call/{name}/{json.loads(said)['event_id']}", timeout=60
    ) as events:
        return events.read().decode()
