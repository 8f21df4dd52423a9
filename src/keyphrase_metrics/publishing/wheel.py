"""The package as a wheel: built from a checkout to the same bytes every time, and read."""

from __future__ import annotations

import importlib.resources
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from functools import cached_property
from io import BytesIO
from pathlib import Path

from keyphrase_metrics.errors import Arg, InputError

DISTRIBUTION = "keyphrase-metrics"
_PACKAGE = "keyphrase_metrics"
_SOURCES = ("LICENSE", "README.md", "metrics", "pyproject.toml", "setup.cfg", "spaces", "src")  # what a build reads
_NO_SOURCES = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")
_EPOCH = "315532800"  # 1980, the first year that a zip file can name: the bytes depend on the sources alone
_INSTEAD = (("name one with ", Arg("wheel")), ("leave it out with ", Arg("from_registry")))  # hints


@dataclass(frozen=True)
class Wheel:
    """A wheel of this package: the name and bytes of its file, and the files in it."""

    name: str
    content: bytes
    files: Mapping[str, bytes]

    @classmethod
    def open(cls, path: Path) -> Wheel:
        """Read a wheel. Raises InputError for a file that is none of this package."""
        from packaging.utils import InvalidWheelFilename, parse_wheel_filename

        try:
            distribution, *_ = parse_wheel_filename(path.name)
        except InvalidWheelFilename as error:
            raise InputError(f"is not a wheel ({error})", code="not-a-wheel", place=str(path)) from None
        if distribution != DISTRIBUTION:
            raise InputError(
                f"is a wheel of {distribution}; give one of {DISTRIBUTION}", code="not-a-wheel", place=str(path)
            )
        content = path.read_bytes()
        try:
            with zipfile.ZipFile(BytesIO(content)) as archive:
                files = {name: archive.read(name) for name in sorted(archive.namelist())}
        except zipfile.BadZipFile as error:
            raise InputError(f"cannot be read ({error})", code="unreadable", place=str(path)) from None
        if sum(map(_is_metadata, files)) != 1:
            raise InputError("does not say what it needs; build it anew", code="not-a-wheel", place=str(path))
        return cls(path.name, content, files)

    def read(self, path: str) -> bytes:
        """Return a file of the package. Raises InputError where there is none."""
        if (content := self.files.get(f"{_PACKAGE}/{path}")) is None:
            raise InputError(f"holds no {_PACKAGE}/{path}; build it anew", code="not-found", place=str(self.name))
        return content

    @cached_property
    def metadata(self) -> Message:
        """What the wheel says of itself."""
        (path,) = filter(_is_metadata, self.files)
        return message_from_bytes(self.files[path])


def _is_metadata(path: str) -> bool:
    return path.endswith(".dist-info/METADATA")


def read_installed(path: str) -> bytes:
    """Return a file of the package as it is installed, such as ``spaces/semr_p/app.py``."""
    folder, _, rest = path.partition("/")
    return importlib.resources.files(f"{_PACKAGE}.{folder}").joinpath(rest).read_bytes()


def build_wheel(folder: Path) -> Path:
    """Build the wheel of the checkout that the package runs from; equal sources give equal bytes.

    Args:
        folder: where to put it.

    Raises:
        InputError: where the package does not run from a checkout, or what builds it is not installed.
    """
    root = Path(__file__).resolve().parents[3]
    if absent := [name for name in _SOURCES if not (root / name).exists()]:
        raise InputError(
            f"a wheel is built in a checkout, and {root} has no {', '.join(absent)}", code="wheel", hints=_INSTEAD
        )
    try:
        from build import BuildBackendException, ProjectBuilder
    except ImportError:
        raise InputError(
            "the wheel cannot be built without the package build", code="wheel", hints=("install it", *_INSTEAD)
        ) from None
    with tempfile.TemporaryDirectory() as scratch:
        builder = ProjectBuilder(_copied(root, Path(scratch)), runner=_run)
        try:
            if unmet := builder.check_dependencies("wheel"):
                needed = ", ".join(chain[-1] for chain in sorted(unmet))
                raise InputError(
                    f"the wheel cannot be built without {needed}", code="wheel", hints=("install it", *_INSTEAD)
                )
            return Path(builder.build("wheel", folder))
        except BuildBackendException as error:
            said = getattr(error.exception, "stderr", b"").decode(errors="replace").strip().splitlines()
            raise InputError(
                f"the wheel cannot be built in {root}: {said[-1] if said else error}", code="wheel"
            ) from None


def _copied(root: Path, scratch: Path) -> Path:
    """Copy what a build reads: what an earlier one left beside it, and the modes of files, would be in the wheel."""
    for name in _SOURCES:
        if (root / name).is_dir():
            shutil.copytree(root / name, scratch / name, ignore=_NO_SOURCES, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(root / name, scratch / name)
    for path in scratch.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return scratch


def _run(cmd: Sequence[str], cwd: str | None = None, extra_environ: Mapping[str, str] | None = None) -> None:
    environment = {**os.environ, **(extra_environ or {}), "SOURCE_DATE_EPOCH": _EPOCH}
    subprocess.run(cmd, cwd=cwd, env=environment, umask=0o022, check=True, capture_output=True)
