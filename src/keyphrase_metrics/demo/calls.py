"""Which calls an app takes: of its own functions, with as many values as they want. Gradio logs what others hold."""

from __future__ import annotations

from typing import Any

_JOIN, _BY_NAME = "/gradio_api/queue/join", "/gradio_api/call/"


def takes(blocks: Any, path: str, value: Any) -> bool:
    """Say whether a request is a call that an app takes, or no call at all.

    Args:
        blocks: the app, as ``gradio.Blocks``.
        path: of the request.
        value: its body, a JSON value.
    """
    if path != _JOIN and not path.startswith(_BY_NAME):
        return True
    if not isinstance(value, dict):
        return False
    functions = [each for each in blocks.fns.values() if each.fn is not None]  # others run in the browser
    if path == _JOIN:
        chosen = [each for each in functions if each._id == value.get("fn_index")]
    else:
        chosen = [each for each in functions if each.api_name == path.removeprefix(_BY_NAME)]
    data = value.get("data")
    return bool(chosen) and isinstance(data, list) and len(data) == len(chosen[0].inputs)
