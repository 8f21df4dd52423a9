"""The site: built strictly, without a broken link, and used in a browser without a network."""

import functools
import http.server
import importlib
import inspect
import re
import subprocess
import sys
import threading
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

import pytest
from support.documents import ROOT

pytestmark = pytest.mark.browser

for needed in ("zensical", "mkdocstrings", "latex2mathml"):
    pytest.importorskip(needed)


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.places |= {named["id"]} if "id" in named else set()
        if "href" in named:
            (self.links if tag == "a" else self.loaded).append(named["href"])
        if "src" in named:
            self.loaded.append(named["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "docs/site/build.py", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site):
    """Path -> what is in it; without the page that a host shows for a wrong address, whose links begin at the root."""
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}


@pytest.fixture(scope="module")
def served(site):
    """The address of a plain server of files."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_every_page_and_card_is_in_the_navigation(site, pages):
    linked = {urldefrag(link)[0].removeprefix("./") for link in pages[site / "index.html"].links}
    cards = {f"metrics/{path.parent.name}.html" for path in (ROOT / "metrics").glob("*/README.md")}
    assert {f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")} | cards | {"changelog.html"} <= linked


def test_every_link_leads_to_a_place_and_nothing_is_loaded_from_elsewhere(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, place = urldefrag(unquote(link))
            if target.startswith(("https://", "http://")):
                continue
            found = (path.parent / target).resolve() if target else path
            if not found.exists() or (place and found.suffix == ".html" and place not in pages[found].places):
                broken.append((str(path.relative_to(site)), link))
        loaded = [path.parent / unquote(urldefrag(one)[0]) for one in page.loaded if not one.startswith("data:")]
        broken += [(str(path.relative_to(site)), str(one)) for one in loaded if not one.exists()]
    assert not broken


def test_formulas_are_mathml_on_every_card(site):
    for path in (ROOT / "metrics").glob("*/README.md"):
        html = (site / "metrics" / f"{path.parent.name}.html").read_text(encoding="utf-8")
        assert html.count("<math ") == len(re.findall(r"\$\$.+?\$\$", path.read_text(encoding="utf-8"), re.DOTALL)) > 0
        assert "$$" not in html


def test_the_api_pages_hold_what_is_public_each_with_a_docstring(site, pages):
    rooms = [path for path in pages if path.parent.name == "api"]
    assert rooms
    for path in rooms:
        named = {place for place in pages[path].places if place.startswith("keyphrase_metrics")}
        assert not [name for name in named if re.search(r"\._", name)]
        room = importlib.import_module(path.stem)
        assert set(getattr(room, "__all__", ())) <= {name.rpartition(".")[2] for name in named}
        assert "doc-symbol-module" not in path.read_text(encoding="utf-8"), "a module in the place of what it holds"
        for name in getattr(room, "__all__", ()):
            public = getattr(room, name)
            members = vars(public).items() if inspect.isclass(public) else ()
            for member, value in [(name, public), *members]:
                if callable(value) and not member.startswith("_") and not inspect.isclass(value) | (value is object):
                    assert inspect.getdoc(value), f"{path.stem}.{name}.{member}"
        html = path.read_text(encoding="utf-8")
        assert ":class:" not in html
        assert "<blockquote>" not in html, "an example that is not code"


@pytest.fixture
def reader(browser, served):
    """A page that notes what its console says and whom it asks, and the notes."""
    context = browser.new_context(reduced_motion="reduce")
    page, noted = context.new_page(), []
    page.on("console", lambda message: noted.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.on("request", lambda request: noted.append(request.url) if not request.url.startswith(served) else None)
    yield page, noted
    context.close()


def test_no_page_has_an_error_asks_another_host_or_scrolls_sideways(site, pages, served, reader):
    page, noted = reader
    for path in pages:
        address = path.relative_to(site)
        page.goto(f"{served}/{address}", wait_until="load")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            room = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert room <= 0, f"{address} at {width} px"
        assert not noted, address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_a_page_of_each_kind(served, reader, serious_findings, scheme):
    page, _ = reader
    page.emulate_media(color_scheme=scheme)
    for address in ("index", "metrics/keyphrase_ndcg", "published", "api/keyphrase_metrics.parsing"):
        page.goto(f"{served}/{address}.html")
        assert not serious_findings(page), address


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from a disk"])
def test_search_finds_a_metric_without_a_network(site, served, browser, from_disk):
    context = browser.new_context()
    context.set_offline(from_disk)
    page = context.new_page()
    page.goto((site / "index.html").as_uri() if from_disk else f"{served}/index.html")
    typed_in = page.locator("input:focus")
    while not typed_in.count():  # until the page listens to its keys
        page.keyboard.press("Control+k")
        page.wait_for_timeout(500)
    page.keyboard.type("bpref")
    found = page.locator("a", has=page.locator("mark")).first
    found.wait_for()
    found.click()
    page.wait_for_url("**/*.html*")
    assert "bpref" in page.locator("article").inner_text()
    context.close()


REGISTRIES = r"pypi|pythonhosted|npmjs|unpkg|jsdelivr|deb\.debian|crates\.io|conda\.anaconda|proxy\.golang"


def test_no_file_holds_the_address_of_a_package_registry():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout of git")
    address = re.compile(rf"//[\w.-]*(?:{REGISTRIES})[\w.-]*/")
    for name in filter(None, listed.stdout.split("\0")):
        if (path := ROOT / name).is_file() and path.suffix not in (".png", ".csv"):
            found = address.findall(path.read_text(encoding="utf-8", errors="ignore"))
            assert not found, f"{name}: {found}; name the package, not where it is kept"
