"""A Hub of one model, over HTTP: as much of its interface as reading and committing a card needs."""

import base64
import http.server
import json
import threading
from contextlib import contextmanager

MODEL = "acme/keys"


class ModelHub(http.server.ThreadingHTTPServer):
    """Serves the card of ``acme/keys``, takes commits of it, and keeps them in ``commits``."""

    def __init__(self, card, *, valid=True, moved=False):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.card, self.valid, self.moved = card, valid, moved
        self.commits, self.asked = [], []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def sha(self):
        return f"{len(self.commits):040d}"

    def commit(self, lines):
        header, *files = (line["value"] for line in map(json.loads, lines.splitlines()))
        if self.moved or header["parentCommit"] != self.sha:
            return 412, {"error": "A commit has happened since"}
        (file,) = files
        assert (file["path"], file["encoding"]) == ("README.md", "base64")
        self.card = base64.b64decode(file["content"])
        self.commits.append(header["summary"])
        return 200, {"success": True, "commitUrl": f"{self.address}/{MODEL}/commit/{self.sha}", "commitOid": self.sha}


class _Handler(http.server.BaseHTTPRequestHandler):
    def _answer(self):
        hub, body = self.server, self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        hub.asked.append((self.command, path))
        if path == "/api/whoami-v2":
            return self._send(200, {"type": "user", "name": "ada", "orgs": []})
        if path == f"/api/models/{MODEL}":
            return self._send(200, {"id": MODEL, "modelId": MODEL, "sha": hub.sha, "tags": [], "downloads": 0})
        if path == f"/{MODEL}/resolve/{hub.sha}/README.md" and hub.card is not None:
            return self._send(200, hub.card, {"ETag": f'"{hub.sha}"', "X-Repo-Commit": hub.sha})
        if path.startswith(f"/{MODEL}/resolve/"):
            return self._send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
        if path == "/api/validate-yaml":
            assert json.loads(body)["repoType"] == "model"
            return self._send(200, {}) if hub.valid else self._send(400, b'"model-index" is not allowed')
        if path == f"/api/models/{MODEL}/preupload/main":
            files = [{"path": file["path"], "uploadMode": "regular"} for file in json.loads(body)["files"]]
            return self._send(200, {"files": [{**file, "shouldIgnore": False} for file in files]})
        if path == f"/api/models/{MODEL}/commit/main":
            return self._send(*hub.commit(body))
        return self._send(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})

    do_GET = do_HEAD = do_POST = _answer

    def _send(self, status, content, headers=()):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *args):
        pass


@contextmanager
def serving(card, **options):
    """Run a hub while the block runs."""
    with ModelHub(card, **options) as hub:
        thread = threading.Thread(target=hub.serve_forever, daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            hub.shutdown()
            thread.join()
