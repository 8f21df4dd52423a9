"""Which calls an app takes: of its own functions, with as many values as they want. Gradio logs what others hold."""

from __future__ import annotations

from typing import Any

_JOIN, _BY_NAME = "/gradio_api/queue/join", "/gradio_api/call/"


class Calls:
    """The functions of an app.

    Args:
        blocks: the app, as ``gradio.Blocks``.
    """

    def __init__(self, blocks: Any) -> None:
        self._blocks = blocks

    def takes(self, path: str, value: Any) -> bool:
        """Say whether a request, whose body is a JSON value, is a call that the app takes, or no call at all."""
        if path != _JOIN and not path.startswith(_BY_NAME):
            return True
        if not isinstance(value, dict):
            return False
        functions = [one for one in self._blocks.fns.values() if one.fn is not None]  # others run in the browser
        if path == _JOIN:
            chosen = [one for one in functions if one._id == value.get("fn_index")]
        else:
            chosen = [one for one in functions if one.api_name == path.removeprefix(_BY_NAME)]
        data = value.get("data")
        return bool(chosen) and isinstance(data, list) and len(data) == len(chosen[0].inputs)
