"""What reaches Gradio: no endless requests, no files but uploaded ones, none of the parts that demos do not use."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from keyphrase_metrics.demo.visitors import is_name

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

UPLOAD, _HEARTBEAT = "/gradio_api/upload", "/gradio_api/heartbeat/"
_UNUSED = (
    "/gradio_api/process_recording",
    "/gradio_api/vibe",
    "/gradio_api/undo-vibe",
    "/gradio_api/proxy=",
    "/gradio_api/dev/",
    "/gradio_api/deep_link",
    "/gradio_api/run/",
    "/gradio_api/api/",
    "/gradio_api/call/v2/",
    "/gradio_api/stream/",
    "/gradio_api/component_server",
    "/monitoring",
)
_MESSAGES, _BY_NAME = "/gradio_api/queue/data", "/gradio_api/call/"
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)  # Gradio makes functions of texts, and styles and scripts in the page
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"content-security-policy", _POLICY.encode()),
]
_HEAD_OF_UPLOAD = 20_000  # bytes of a multipart request beside the files
_MAX_DEPTH = 50
_NOT_TAKEN = "The request is none that this demo takes."


class Guard:
    """ASGI middleware in front of Gradio, which reads bodies of any size, and fetches what a "file" names by its URL.

    Args:
        app: what comes behind.
        folder: where uploads are kept.
        body_bytes, upload_bytes: the largest requests.
        kept_bytes: of uploads in all; above it there are no more until old ones are deleted.
        takes: says whether a request of this path and JSON value is one that the app can answer.
        admit: says whether the visitor of this name, whose request has this scope, may ask for more.
        knows: says whether there may be messages for the visitor of this name, or an answer with this id.
    """

    def __init__(
        self,
        app: Any,
        *,
        folder: Path,
        body_bytes: int,
        upload_bytes: int,
        kept_bytes: int,
        takes: Callable[[str, Any], bool],
        admit: Callable[[str | None, Scope], bool],
        knows: Callable[[str], bool],
    ) -> None:
        self._app, self._folder = app, folder
        self._takes, self._admit, self._knows = takes, admit, knows
        self._coming = 0  # bytes of uploads that are being received
        self._body_bytes, self._upload_bytes, self._kept_bytes = body_bytes, upload_bytes, kept_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        await self._answer(scope, receive, with_headers)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].rstrip("/")
        if path.startswith(_UNUSED):
            await _refuse(send, 404, "This demo has no such part.")
        elif path.startswith(_HEARTBEAT) and not is_name(path.removeprefix(_HEARTBEAT)):
            await _refuse(send, 400, _NOT_TAKEN)
        elif scope["method"] == "GET" and not self._knows_who_asks(path, scope.get("query_string", b"")):
            await _refuse(send, 404, "There is no answer for this visitor.")
        elif scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
        elif path == UPLOAD:
            await self._upload(scope, receive, send)
        else:
            await self._call(scope, receive, send)

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        length = dict(scope["headers"]).get(b"content-length", b"")
        if not length.isdigit():
            await _refuse(send, 411, "An upload must say how long it is.")
        elif int(length) > self._upload_bytes + _HEAD_OF_UPLOAD:
            await _refuse(send, 413, f"A file may have {self._upload_bytes / 1e6:g} MB at most.")
        elif _size(self._folder) + self._coming + int(length) > self._kept_bytes:
            await _refuse(send, 503, "There is no room for files now; try again in some minutes.")
        else:
            self._coming += int(length)
            try:
                await self._app(scope, receive, send)
            finally:
                self._coming -= int(length)

    def _knows_who_asks(self, path: str, query: bytes) -> bool:
        """Say whether a request is for messages that there may be, or for something else: Gradio logs the others."""
        if path == _MESSAGES:
            names = parse_qs(query.decode("latin-1")).get("session_hash", [""])
            return self._knows(names[-1])
        return not path.startswith(_BY_NAME) or self._knows(path.rpartition("/")[2])

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            if len(body) > self._body_bytes:
                await _refuse(send, 413, f"A request may have {self._body_bytes / 1e6:g} MB at most.")
                return
            if not message.get("more_body"):
                break
        try:
            value = json.loads(body) if body.strip() else None
        except (ValueError, RecursionError):
            await _refuse(send, 400, _NOT_TAKEN)
            return
        visitor = value.get("session_hash") if isinstance(value, dict) else None
        if not is_name(visitor) or not self._sound(value) or not self._takes(scope["path"].rstrip("/"), value):
            await _refuse(send, 400, _NOT_TAKEN)
        elif not self._admit(visitor, scope):
            await _refuse(send, 429, "Wait for the answers that you have asked for, and fetch them; then ask for more.")
        else:
            await self._app(scope, _once(bytes(body), receive), send)

    def _sound(self, value: Any) -> bool:
        """Say whether a JSON value is not too deep, and every file in it an uploaded one."""
        folder = os.path.realpath(self._folder)
        for item, depth in _parts(value):
            if depth > _MAX_DEPTH:
                return False
            if isinstance(item, dict) and ("path" in item or "url" in item):
                path = item.get("path")
                if not isinstance(path, str) or "\0" in path:
                    return False
                if not Path(os.path.realpath(path)).is_relative_to(folder):
                    return False
        return True


def _parts(value: Any) -> Iterator[tuple[Any, int]]:
    """Yield a JSON value, and all within it, with their depths."""
    left = [(value, 0)]
    while left:
        item, depth = left.pop()
        yield item, depth
        if depth <= _MAX_DEPTH:
            within = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
            left.extend((one, depth + 1) for one in within)


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue
    return total


def _once(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body that was read, and then what else there is."""
    given = False

    async def again() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"detail": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
