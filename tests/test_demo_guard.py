"""What requests reach the demos: which are passed on, and whose they are."""

import asyncio
import json

import pytest

from keyphrase_metrics.demo.guard import Guard
from keyphrase_metrics.demo.visitors import address_of

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path):
    """Where the server keeps uploads."""
    (tmp_path / "uploads").mkdir()
    return tmp_path / "uploads"


def ask(folder, path, body=b"", method="POST", headers=(), **limits):
    """What the guard answers, and the body that reached the app behind it (``None`` if none did)."""
    reached, answers = [], []

    async def app(scope, receive, send):
        reached.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        answers.append(message)

    bounds = {"body_bytes": 1000, "upload_bytes": 100, "kept_bytes": 50_000, **limits}
    bounds = {"takes": lambda path, value: True, "admit": lambda *asked: True, "knows": bool, **bounds}
    scope = {"type": "http", "path": path, "method": method, "headers": list(headers)}
    asyncio.run(Guard(app, folder=folder, **bounds)(scope, receive, send))
    return answers[0]["status"], reached[0] if reached else None


class TestGuard:
    def test_calls_pass_as_they_are(self, folder):
        body = json.dumps({"data": ["a", None, 3, {"path": str(folder / "x" / "run.csv"), "meta": {}}]}).encode()
        assert ask(folder, "/gradio_api/queue/join", body) == (200, body)
        assert ask(folder, "/gradio_api/cancel") == (200, b"")
        assert ask(folder, "/", method="GET") == (200, b"")

    @pytest.mark.parametrize(
        "file",
        [
            {"path": "/etc/passwd"},
            {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}},
            {"path": "https://example.org/large.csv", "meta": {"_type": "gradio.FileData"}},
            {"path": "uploads/../../etc/passwd"},
            {"path": ["/etc/passwd"]},
            {"path": "a\0b"},
            {"url": "https://example.org/large.csv"},
            {"deep": [{"path": "/etc/passwd"}]},
        ],
    )
    def test_files_that_were_not_uploaded(self, folder, file):
        assert ask(folder, "/gradio_api/queue/join", json.dumps({"data": [file]}).encode()) == (400, None)

    @pytest.mark.parametrize("body", [b"nonsense", b"[" * 400, b'{"a":' * 100 + b"1" + b"}" * 100, b"\xff"])
    def test_what_is_no_sound_json(self, folder, body):
        assert ask(folder, "/gradio_api/queue/join", body) == (400, None)

    @pytest.mark.parametrize("name", ["", "x" * 101, 7, ["x"], {}, False])
    def test_names_of_visitors_that_no_client_makes(self, folder, name):
        assert ask(folder, "/gradio_api/queue/join", json.dumps({"session_hash": name}).encode()) == (400, None)

    def test_who_fetches_nothing_gets_no_more(self, folder):
        for name, status in (("one", 429), ("another", 200), (None, 200)):
            body = json.dumps({"data": [], "session_hash": name}).encode()
            assert ask(folder, "/gradio_api/queue/join", body, admit=lambda name, scope: name != "one")[0] == status

    def test_sizes(self, folder):
        assert ask(folder, "/gradio_api/queue/join", b" " * 1001) == (413, None)
        upload = "/gradio_api/upload"
        assert ask(folder, upload) == (411, None)
        assert ask(folder, upload, headers=[(b"content-length", b"30000")]) == (413, None)
        assert ask(folder, upload, headers=[(b"content-length", b"200")])[0] == 200
        (folder / "much.csv").write_bytes(b"x" * 49_900)
        assert ask(folder, upload, headers=[(b"content-length", b"200")]) == (503, None)

    @pytest.mark.parametrize(
        "path",
        ["process_recording", "vibe-edit/", "undo-vibe-edit", "proxy=https://example.org", "dev/reload", "deep_link"],
    )
    def test_parts_that_the_demos_do_not_use(self, folder, path):
        for method in ("GET", "POST"):
            assert ask(folder, f"/gradio_api/{path}", method=method) == (404, None)


@pytest.mark.parametrize(
    ("client", "forwarded", "proxies", "address"),
    [
        ("8.8.8.8", "", 0, "8.8.8.8"),
        ("8.8.8.8", "1.1.1.1", 0, "8.8.8.8"),  # what it says of itself is not believed
        ("10.0.0.7", "1.1.1.1", 0, None),  # a proxy's is not that of all behind it
        ("127.0.0.1", "", 0, None),
        ("10.0.0.7", "6.6.6.6, 1.1.1.1", 1, "1.1.1.1"),
        ("10.0.0.7", "6.6.6.6, 1.1.1.1, 10.0.0.8", 2, "1.1.1.1"),
        ("10.0.0.7", "", 1, None),
        ("10.0.0.7", "nonsense", 1, None),
        ("2a00:1450:4001:81b::200e", "", 0, "2a00:1450:4001:81b::/64"),
    ],
)
def test_whose_request_it_is(client, forwarded, proxies, address):
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    assert address_of({"client": (client, 1), "headers": headers}, proxies) == address


def test_parallel_uploads_share_what_room_there_is(folder):
    """Each alone has room; together they have not."""

    async def app(scope, receive, send):
        await asyncio.sleep(0.05)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def main():
        guard = Guard(
            app, folder=folder, body_bytes=9, upload_bytes=900, kept_bytes=1000, takes=bool, admit=bool, knows=bool
        )
        statuses = []

        async def send(message):
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        headers = [(b"content-length", b"400")]
        scope = {"type": "http", "path": "/gradio_api/upload", "method": "POST", "headers": headers}
        await asyncio.gather(*(guard(dict(scope), None, send) for _ in range(5)))
        await guard(dict(scope), None, send)
        return statuses

    assert sorted(asyncio.run(main())) == [200, 200, 200, 503, 503, 503]
