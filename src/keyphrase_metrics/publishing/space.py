"""What a Space of the Hub consists of: module, app, card, requirements, and the package until it is on a registry."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from keyphrase_metrics.core.parameters import parameters_of
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import first_few
from keyphrase_metrics.metrics.other_packages import package_declaring
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.publishing.repositories import owner_and_name
from keyphrase_metrics.publishing.wheel import DISTRIBUTION, Wheel, read_installed

if TYPE_CHECKING:
    from packaging.requirements import Requirement

CARD = "README.md"
MAX_NAMED = 3  # of files that are in the way
_OWN = re.compile(r"keyphrase_metrics|keyphrase_metrics-[^/]+\.(whl|dist-info)|__pycache__|\.gitattributes")
_IMPORT = re.compile(r"^(import keyphrase_metrics\S*  # From: ).*$", re.MULTILINE)
_UNPUBLISHED = re.compile(
    r"Once\s+the\s+module\s+is\s+published\s+under\s+an\s+organisation\s+`ORG`\s+of\s+the\s+Hub,\s+"
    r'`evaluate\.load\("ORG/\w+"\)`\s+loads\s+it\s+from\s+there\.'
)
_OTHER_CARD = re.compile(r"\]\(\.\./(\w+)/README\.md\)")
_MODELS = frozenset(("encoder", "model"))


@dataclass(frozen=True)
class Repository:
    """A Space on the Hub, ``owner/name``, named like its module.

    >>> Repository.of("semr_p", "acme/semr_p").file("app.py").partition("/spaces/")[2]
    'acme/semr_p/resolve/main/app.py'
    """

    owner: str
    name: str

    @classmethod
    def of(cls, module: str, repository: str) -> Repository:
        """Return the repository. Raises InputError for one that the Hub or evaluate could not find."""
        owner, name = owner_and_name(repository, "to", module)
        if name != module:
            looks = f'evaluate.load("{repository}") looks for {name}.py in it, and the module is {module}.py'
            raise InputError(
                f"{repository!r} cannot be used: {looks}; name {owner}/{module}",
                code="repository-name",
                argument="to",
                value=repository,
            )
        return cls(owner, name)

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def page(self) -> str:
        """The address of the Space."""
        return self.file("").partition("/resolve/")[0]

    def file(self, name: str) -> str:
        """Return the address of one of its files."""
        from huggingface_hub import hf_hub_url

        return hf_hub_url(str(self), name, repo_type="space", revision="main")


def assemble(name: str, repository: str, folder: Path, *, wheel: Path | None) -> list[str]:
    """Write the Space of a metric: what :func:`keyphrase_metrics.publishing.upload` sends.

    The Hub installs a Space's requirements before it has the Space's other files, and for a private Space without the
    right to read them; so the requirements are those of the package, which itself lies unpacked beside the app. Its
    wheel is for those who load the module by evaluate, whose message on a missing package names it.

    Args:
        name: the metric's.
        repository: ``ORG/NAME`` on the Hub.
        folder: where to write; new, empty, or written by this function for the same metric, which is replaced.
        wheel: a wheel of the package; module, app and card are taken from it. ``None`` where a registry has the
            version of the package that runs.

    Returns:
        The paths of the files, relative to the folder.

    Raises:
        InputError: for an unknown metric or one of another package, a repository not named like the metric, a folder
            with other things in it, an unfit wheel.
    """
    files = _files(name, Repository.of(name, repository), None if wheel is None else Wheel.open(wheel))
    _make_room(folder, name)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return list(files)


def check_publishable(name: str) -> None:
    """Raise InputError for a metric that is not known, or whose module and demo another package has."""
    measure_class(name)
    if name not in measure_names():
        raise InputError(
            f"metric {name!r} is of {package_declaring(name)}, and only metrics of {DISTRIBUTION} can be published "
            "from here; upload its module and demo from where that package is developed",
            code="other-package",
            argument="name",
            value=name,
            subject=False,
        )


def foreign(paths: Iterable[str], name: str) -> list[str]:
    """Return what no Space of a metric has, of paths in a folder or repository; all of it where the module is missing.

    >>> foreign(["semr_p.py", "app.py", "README.md", "keyphrase_metrics/io/tables.py", "notes/a.txt"], "semr_p")
    ['notes']
    >>> foreign(["README.md"], "semr_p")
    ['README.md']
    """
    found = dict.fromkeys(path.split("/")[0] for path in sorted(paths))
    if f"{name}.py" not in found:
        return list(found)
    known = (f"{name}.py", "app.py", "requirements.txt", CARD)
    return [top for top in found if top not in known and not _OWN.fullmatch(top)]


def _make_room(folder: Path, name: str) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError("is not a folder", code="not-a-folder", place=str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    if strange := foreign((path.name for path in folder.iterdir()), name):
        raise InputError(
            f"holds {first_few(strange, MAX_NAMED)}, which no dry run of {name} wrote; name a new or empty folder",
            code="foreign-files",
            place=str(folder),
        )
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _files(name: str, repository: Repository, wheel: Wheel | None) -> dict[str, bytes]:
    check_publishable(name)
    read = wheel.read if wheel else read_installed
    module, app = read(f"modules/{name}/{name}.py").decode(), read(f"spaces/{name}/app.py")
    card, requirements = (read(f"modules/{name}/{file}").decode() for file in (CARD, "requirements.txt"))
    own, others = _parsed(requirements)
    install = f"{own} @ {repository.file(wheel.name)}" if wheel else str(own)
    files = {
        f"{name}.py": _from(module, install) if wheel else module,  # first: it tells that the folder is ours
        "app.py": app.decode(),
        CARD: _published(card, repository, install),
        "requirements.txt": _requirements(own.extras | _of_demo(name), others, card, wheel),
    }
    written = {path: text.encode() for path, text in files.items()}
    return {**written, **wheel.files, wheel.name: wheel.content} if wheel else written


def _parsed(requirements: str) -> tuple[Requirement, list[Requirement]]:
    """Return what a module requires of this package, and what else."""
    from packaging.requirements import Requirement

    found = [Requirement(line) for line in requirements.splitlines() if line.strip() and not line.startswith("#")]
    (own,) = (one for one in found if one.name == DISTRIBUTION)
    return own, [one for one in found if one is not own]


def _of_demo(name: str) -> set[str]:
    """Return the extras that a demo needs beside the module's: a model to choose that needs no download, too."""
    models = _MODELS & parameters_of(measure_class(name)).keys()
    return {"demo", "offline", "semantic"} if models else {"demo"}


def _from(module: str, install: str) -> str:
    """Return a module whose import lines say where to get the package: evaluate prints it behind ``pip install``."""
    text, count = _IMPORT.subn(lambda line: f'{line[1]}"{install}"', module)
    if not count:
        raise InputError("the module has no line 'import keyphrase_metrics…  # From: …'", code="damaged-module")
    return text


def _published(card: str, repository: Repository, install: str) -> str:
    """Return a card that says how the module is loaded from this very repository."""
    loads = f'After `pip install "{install}"`, `evaluate.load("{repository}")` loads the module from here.'
    text, count = _UNPUBLISHED.subn(lambda _: loads, card)
    if count != 1:
        raise InputError(
            f"the card of {repository.name} must say once how the module is loaded when it is published",
            code="not-allowed",
        )
    return _OTHER_CARD.sub(lambda link: f"]({Repository(repository.owner, link[1]).page})", text)


def _requirements(extras: set[str], others: list[Requirement], card: str, wheel: Wheel | None) -> str:
    from huggingface_hub import SpaceCard

    space = SpaceCard(card).data.to_dict()  # type: ignore[no-untyped-call]
    gradio = space["sdk_version"]  # which the Hub installs
    lines = {f"gradio>={gradio},<{int(gradio.split('.')[0]) + 1}", *map(str, others)}
    listed = ",".join(sorted(extras))
    if wheel is None:
        return "\n".join([f"{DISTRIBUTION}[{listed}]=={importlib.metadata.version(DISTRIBUTION)}", *sorted(lines), ""])
    about = f"# What {DISTRIBUTION}[{listed}] {wheel.metadata['Version']} needs; the package itself is beside app.py."
    lines |= _dependencies(wheel, extras, space["python_version"])
    return "\n".join([about, *sorted(lines), ""])


def _dependencies(wheel: Wheel, extras: set[str], python: str) -> set[str]:
    """Return what a wheel with some extras depends on, as one installs it on a Space; gradio has a line of its own."""
    from packaging.requirements import Requirement

    found = set()
    for one in map(Requirement, wheel.metadata.get_all("Requires-Dist", [])):
        space = {"python_version": python, "sys_platform": "linux"}
        applies = not one.marker or any(one.marker.evaluate({**space, "extra": extra}) for extra in sorted(extras))
        if applies and one.name != "gradio":
            one.marker = None
            found.add(str(one))
    return found
