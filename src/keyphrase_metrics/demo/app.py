"""Build and serve the demos, so that they can stand on the open internet."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from keyphrase_metrics.demo import all_scores_tab, live_page
from keyphrase_metrics.demo.calls import takes
from keyphrase_metrics.demo.files import swept
from keyphrase_metrics.demo.guard import Guard
from keyphrase_metrics.demo.layout import html, metric_page
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.visitors import Visitors, proxies_of
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.registry import all_classes, measure_class
from keyphrase_metrics.optional import needs
from keyphrase_metrics.signals import install_signal_handlers
from keyphrase_metrics.user_warnings import warn_user

_EVERY = 60  # seconds between two looks for what is to be deleted
_TOLD_EVERY = 1  # seconds between two messages to all who wait, which Gradio else sends each time that a call begins
_FOLDER = "GRADIO_TEMP_DIR"
# Nothing is sent. Nor is a table of the last 10,000 calls made anew at the end of each, for a page that is closed here.
_NO_ANALYTICS = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "GRADIO_ANALYTICS_MAX_EVENTS": "1",
    "GRADIO_ANALYTICS_CACHE_FREQUENCY": str(10**12),  # calls between two tables
}
_FIRST = ("semr_p", "sem_f1", "keyphrase_f1", "keyphrase_ndcg", "r_precision")  # of all; the others follow
_TITLE = "Keyphrase metrics"
_INTRODUCTION = "Score the keyphrases of one document or of a file, and see why they score that."


def build(names: str | Sequence[str] | None = None, limits: Limits | None = None) -> Any:
    """Return the app of one metric, or of several, each in a tab, as ``gradio.Blocks``.

    Args:
        names: a metric's name, or some; ``None`` means all.
        limits: how much visitors may ask; ``None`` takes them from the environment.

    Raises:
        ImportError: without the extra ``demo``.
        InputError: for an unknown metric, or a variable of the environment that sets no limit.
    """
    chosen = _all_names() if names is None else [names] if isinstance(names, str) else list(names)
    titles = {name: measure_class(name).title for name in chosen}
    if not titles:
        raise InputError("is empty; name at least one metric", code="empty", argument="names", value=names)
    limits = Limits.of() if limits is None else limits
    os.environ.update(_NO_ANALYTICS)  # before gradio is imported, which asks then
    with needs("gradio", "demo"):
        import gradio as gr
    title = next(iter(titles.values())) if len(titles) == 1 else _TITLE
    cache = (_EVERY, limits.keep_seconds)
    with gr.Blocks(title=title, analytics_enabled=False, delete_cache=cache) as blocks:
        if len(titles) == 1:
            metric_page(chosen[0], limits).filled_at(blocks.load, before=live_page.start(chosen))
        else:
            html(f"<h1>{_TITLE}</h1><p>{_INTRODUCTION}</p>", elem_classes="km-head")
            pages = {all_scores_tab.NAME: all_scores_tab.TITLE, **{name: tab_title(name) for name in titles}}
            begin = live_page.start(list(pages))
            with gr.Tabs(overflow_behavior="wrap") as tabs:
                for name, label in pages.items():
                    with gr.Tab(label, id=name, elem_id=f"{name}-tab") as tab:
                        made = (
                            metric_page(name, limits, level=2)
                            if name in titles
                            else all_scores_tab.page(chosen, limits)
                        )
                    made.filled_at(tab.select, before=begin)  # at first this comes before the load, or after it
            shown = f"() => ({{ __type__: 'update', selected: {begin} }})"
            blocks.load(None, None, tabs, js=shown, **live_page.IN_BROWSER)
    blocks.queue(
        status_update_rate=_TOLD_EVERY,
        max_size=limits.waiting,
        api_open=False,
        default_concurrency_limit=limits.documents_at_once,
    )
    return blocks


def _all_names() -> list[str]:
    """Return the names of all metrics in the order of their tabs; warn of those that cannot be used."""
    classes, problems = all_classes()
    for problem in problems:
        warn_user(problem.messages[0])
    return list(dict.fromkeys([*_FIRST, *classes]))


def tab_title(name: str) -> str:
    """Return what the tab of a metric says among others, which all are of keyphrases."""
    rest = measure_class(name).title.removeprefix("Keyphrase ")
    return f"{rest[0].upper()}{rest[1:]}"


def launch(names: str | Sequence[str] | None = None, *, limits: Limits | None = None, **options: Any) -> Any:
    """Serve the app of one metric, or of several, until it is stopped.

    Args:
        names: as for :func:`build`.
        limits: as for :func:`build`.
        **options: what ``gradio.Blocks.launch`` takes besides, such as ``server_name`` and ``server_port``.

    Returns:
        What ``gradio.Blocks.launch`` returns: the app, and where it is served.

    Raises:
        ImportError, InputError: as :func:`build`.
    """
    limits = Limits.of() if limits is None else limits
    folder = _own_folder()
    blocks = build(names, limits)
    from fastapi.middleware import Middleware

    from keyphrase_metrics.demo.theme import css, theme

    visitors = Visitors(
        blocks,
        sessions=limits.sessions,
        unfetched=limits.unfetched,
        waiting=limits.waiting_each,
        proxies=proxies_of(),
    )
    guard = Middleware(
        Guard,
        folder=folder,
        body_bytes=limits.body_bytes,
        upload_bytes=limits.upload_bytes,
        kept_bytes=limits.kept_bytes,
        takes=partial(takes, blocks),
        admit=visitors.admit,
        knows=visitors.knows,
    )
    _sweep(folder, limits.keep_seconds)
    install_signal_handlers()  # and so delete what visitors sent
    safe: dict[str, Any] = {
        "theme": theme(),
        "css": css(),
        "head": live_page.head(),
        "app_kwargs": {"middleware": [guard]},
        "max_file_size": limits.upload_bytes,
        "show_error": False,
        "run_history": False,
        "state_session_capacity": limits.sessions,
        "footer_links": [],
        "enable_monitoring": False,
        "mcp_server": False,
        "ssr_mode": False,
        "share": False,
    }
    return blocks.launch(**{**safe, **options})


def _own_folder() -> Path:
    """Return a folder for files of visitors that nobody else uses, and that goes when the server ends."""
    folder = Path(tempfile.mkdtemp(prefix="keyphrase-metrics-demo-")).resolve()
    os.environ[_FOLDER] = str(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _sweep(folder: Path, seconds: float) -> None:
    """Delete what is old in the folder from now on: Gradio itself leaves some files behind."""

    def sweep() -> None:
        while True:
            wait.wait(_EVERY)
            swept(folder, seconds)

    wait = threading.Event()
    threading.Thread(target=sweep, name="sweep", daemon=True).start()
