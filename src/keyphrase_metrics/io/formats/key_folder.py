"""Folders with a file for each document: ``keys/ID.key``, a phrase a line, and ``docsutf8/ID.txt``, its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.formatting import first_few
from keyphrase_metrics.io.formats.base import MAX_WHOLE_BYTES, FileHead, OpenOptions, WholeFormat
from keyphrase_metrics.io.inputs import NAMED, Row, decode, reading

KEYS, TEXTS = "keys", "docsutf8"


class KeyFolder(WholeFormat):
    """A folder of files of phrases or of texts, or one with both folders in it; or one file of phrases."""

    names = ("key_folder",)

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """It has files of its kind."""
        if not file.path.is_dir():
            return file.suffix == ".key"
        return bool(_has_both(file.path) or files_of(file.path, ".txt" if options.role == "sources" else ".key"))

    def records(self, file: FileHead, options: OpenOptions) -> Iterable[Row]:
        """Return a row for each document."""
        if not file.path.is_dir() and file.first_value is not None:
            alone = "where the references alone have the layout key_folder, name it with ", Arg("references_format")
            raise InputError(
                "is not a file of phrases, one a line", code="other-layout", place=file.name, hints=[alone]
            )
        if not file.path.is_dir():
            return [{"id": file.path.stem, options.role: phrases_in(file.path, file.name)}]
        if _has_both(file.path) and options.role != "predictions":
            return self._both(file)
        if options.role == "sources":
            return [{"id": key, "text": text_of(path)} for key, path in files_of(file.path, ".txt").items()]
        folder = file.path / KEYS if _has_both(file.path) else file.path
        keys = files_of(folder, ".key")
        return [{"id": key, options.role: phrases_in(path)} for key, path in keys.items()]

    def _both(self, file: FileHead) -> Iterator[Row]:
        keys, texts = files_of(file.path / KEYS, ".key"), files_of(file.path / TEXTS, ".txt")
        check_partners(file.name, {f"{KEYS}/{key}.key" for key in keys.keys() - texts.keys()}, "text")
        check_partners(file.name, {f"{TEXTS}/{key}.txt" for key in texts.keys() - keys.keys()}, "file of phrases")
        for key, path in keys.items():
            yield {"id": key, "references": phrases_in(path), "text": text_of(texts[key])}


def check_partners(name: str, alone: Iterable[str], what: str) -> None:
    """Raise InputError where files have no partner."""
    if files := sorted(alone):
        problem = f"there is no {what} for {first_few(files, NAMED)}"
        raise InputError(problem, code="not-found", value=files, place=name)


def _has_both(folder: Path) -> bool:
    return (folder / KEYS).is_dir() and (folder / TEXTS).is_dir()


def files_of(folder: Path, ending: str) -> Mapping[str, Path]:
    """Return the files of a folder whose names end alike, under their names without it, in the names' order."""
    with reading(folder):
        found = sorted(path for path in folder.iterdir() if path.name.endswith(ending) and path.is_file())
    return {path.name[: -len(ending)]: path for path in found if not path.name.startswith(".")}


def text_of(path: Path, name: str | None = None) -> str:
    """Return what a text file holds, which is bounded; ``name`` is what errors call it, if not by its path."""
    name = str(path) if name is None else name
    with reading(name), path.open("rb") as file:
        content = file.read(MAX_WHOLE_BYTES + 1)
    if len(content) > MAX_WHOLE_BYTES:
        what = f"is larger than {MAX_WHOLE_BYTES // 1024**2} MB, too large for one document"
        raise InputError(what, code="too-long", place=name)
    try:
        return decode(content, 1)
    except InputError as error:
        raise error.at(name) from None


def phrases_in(path: Path, name: str | None = None) -> list[str]:
    """Return the lines of a file that are not blank."""
    return [phrase for line in text_of(path, name).splitlines() if (phrase := line.strip())]
