"""What a layout of files is, and what all layouts share."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.cut import Cut
from keyphrase_metrics.io.fields import SEPARATOR
from keyphrase_metrics.io.inputs import (
    Convert,
    Input,
    Problems,
    Records,
    Row,
    binary,
    bounded_lines,
    decode,
    no_documents,
    not_utf8,
    reading,
)
from keyphrase_metrics.io.json_objects import DECODER, too_deep

Role = Literal["predictions", "references", "sources"]

MARKERS = frozenset({"<peos>", "<eos>", "<sep>", "<present>", "<absent>", "[sep]"})
MARKER = "times a marker such as <peos> stood among the phrases; it is not a phrase and is left out"
MAX_WHOLE_BYTES = 256 * 1024**2  # of a file that is one JSON value


@dataclass(frozen=True)
class OpenOptions:
    """How a file is opened.

    Attributes:
        format: the name of its layout; ``None`` finds it by the file's content.
        role: what is read of it, where its layout does not name its fields.
        separator: what joins phrases in one string, where the user says so.
        named: the fields that the user named; a file that has them has no other layout.
        name: what errors call the file; ``None`` calls it by its path.
        may_differ: whether the layout was named for other files too, so that one whose content shows another has that.
    """

    format: str | None = None
    role: Role = "predictions"
    separator: str | None = None
    named: frozenset[str] = frozenset()
    name: str | None = None
    may_differ: bool = False

    @classmethod
    def of_role(
        cls,
        role: Role,
        layout: str | None,
        references_layout: str | None,
        separator: str | None,
        named: Iterable[str | None],
    ) -> OpenOptions:
        """Return how a file is opened, where one layout is named for all files, and perhaps one for references."""
        own = references_layout if role == "references" else None
        fields = frozenset(name for name in named if name is not None)
        return cls(own or layout, role, separator, fields, may_differ=role != "predictions" and not own)


@dataclass(frozen=True)
class FileHead:
    """A file or folder.

    Attributes:
        path: where it is.
        name: what errors call it.
        suffix: in lower case, without that of compression.
    """

    path: Path
    name: str
    suffix: str

    @cached_property
    def first(self) -> str:
        """The first line that is not blank; empty where there is none."""
        return self._head[0]

    @cached_property
    def lines(self) -> list[str]:
        """The first lines that are not blank, the last of which may be cut."""
        return [line for line in self._head if line.strip()]

    @cached_property
    def has_lines(self) -> bool:
        """Whether the file holds anything, be it a blank line."""
        with reading(self.name), binary(self.path) as file:
            return bool(file.read(1))

    @property
    def is_one_line(self) -> bool:
        """Whether only one line is not blank."""
        return len(self.lines) == 1

    @cached_property
    def _head(self) -> list[str]:
        with reading(self.name), binary(self.path) as file:
            first, number = b"", 0
            while not first.strip(b" \t\r\n\v\f\xef\xbb\xbf"):
                first = file.readline(MAX_WHOLE_BYTES + 1)
                if not first:
                    return [""]
                number += 1
            if len(first) > MAX_WHOLE_BYTES:
                what = f"is longer than {MAX_WHOLE_BYTES // 1024**2} MB"
                raise InputError(what, code="too-long", place=f"{self.name}, line {number}")
            rest = file.read(1 << 16)
        return [first.decode("utf-8-sig", "replace").strip("\r\n"), *rest.decode("utf-8", "replace").splitlines()]

    @cached_property
    def first_value(self) -> Any:
        """The JSON value of the first line; ``...`` where it begins one that goes on, ``None`` where it has none."""
        text = self.first.strip()
        if not text.startswith(("{", "[")):
            return None
        try:
            return DECODER.decode(text)
        except json.JSONDecodeError as error:
            return ... if error.pos >= len(text) else None
        except RecursionError:
            return None

    @cached_property
    def value(self) -> Any:
        """The JSON value that the whole file is; ``None`` where it is JSON lines, or not JSON.

        Raises:
            InputError: for one that is broken, or too large.
        """
        if self.first_value is None or (self.first_value is not ... and not self.is_one_line):
            return None
        if self.first_value is not ...:
            return self.first_value
        broken_line = any(_is_object(line) for line in self.lines[1:3])
        with reading(self.name), binary(self.path) as file:
            content = file.read(MAX_WHOLE_BYTES + 1)
        if len(content) > MAX_WHOLE_BYTES:
            if broken_line:
                return None
            what = f"is one JSON value of more than {MAX_WHOLE_BYTES // 1024**2} MB; write one JSON object per line"
            raise InputError(what, code="too-long", place=self.name)
        try:
            return DECODER.decode(content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise not_utf8(error).at(self.name) from None
        except json.JSONDecodeError as error:
            if broken_line or self.is_one_line:
                return None
            what = f"not valid JSON ({error.msg} at column {error.colno})"
            raise InputError(what, code="not-json", place=f"{self.name}, line {error.lineno}") from None
        except RecursionError:
            raise too_deep().at(self.name) from None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


class Format(ABC):
    """A layout of files; it has no state, so that it goes to other processes.

    Attributes:
        names: what users call it; several where the layouts of several tools have one shape.
        roles: what a file of it can be read for; its name is not for files that are read for something else.
    """

    names: ClassVar[tuple[str, ...]]
    roles: ClassVar[tuple[Role, ...]] = ("predictions", "references", "sources")

    def reads(self, name: str, role: Role) -> bool:
        """Say whether a file of the layout with one of the names can be read for something."""
        return role in self.roles

    @abstractmethod
    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """Say whether a file has this layout, by its content."""

    @abstractmethod
    def open(self, file: FileHead, options: OpenOptions) -> Input:
        """Open a file of this layout. Raises InputError where it is not one."""


class LineFormat(Format):
    """A layout of which every line is a document, so that a file can be cut anywhere between lines."""

    blank_lines: ClassVar[bool] = False

    def open(self, file: FileHead, options: OpenOptions) -> Input:
        """Open a file of this layout."""
        return line_input(file, self.fields(options), partial(self.records, options), self.blank_lines)

    @abstractmethod
    def fields(self, options: OpenOptions) -> list[str]:
        """Return the fields of its rows."""

    @abstractmethod
    def record(self, line: str, options: OpenOptions, notes: Counter[str]) -> Row:
        """Turn a line into a row. Raises InputError for what is wrong with it."""

    def records(
        self, options: OpenOptions, lines: Iterable[tuple[int, bytes]], problems: Problems
    ) -> Iterator[tuple[int, Row]]:
        """Turn numbered lines into numbered rows; what is wrong is noted."""
        for number, line in lines:
            row = None
            with problems.noting(number):
                text = decode(line, number).strip("\r\n")
                row = self.record(text, options, problems.notes) if self.blank_lines or text.strip() else None
            if row is not None:
                yield number, row


class WholeFormat(Format):
    """A layout that is read whole."""

    def open(self, file: FileHead, options: OpenOptions) -> Input:
        """Open a file of this layout."""
        records = list(self.records(file, options))
        if not records:
            raise no_documents(file.name)
        return listed(file, records)

    @abstractmethod
    def records(self, file: FileHead, options: OpenOptions) -> Iterable[Row]:
        """Return the rows of a file."""


def line_input(file: FileHead, fields: Sequence[str], records: Records, blank_lines: bool = False) -> Input:
    """Return an input of which every line is a document."""

    def rows(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        with reading(file.name), binary(file.path) as lines:
            yield from records(enumerate(bounded_lines(lines, file.name), 1), problems)

    return Input(file.name, fields, rows, path=file.path, records=records, blank_lines=blank_lines)


def listed(file: FileHead, records: Sequence[Row], convert: Convert | None = None) -> Input:
    """Return an input whose rows are in memory, with the fields of the first."""

    def rows(_: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        return data.converted(enumerate(records, 1), problems)

    data = Input(file.name, list(records[0]), rows, unit="document", convert=convert)
    return data


def text_field(options: OpenOptions) -> str:
    """Return the field of what a file is read for, where its layout does not name it."""
    return "text" if options.role == "sources" else options.role


def phrases_of(
    text: str, options: OpenOptions, notes: Counter[str], separator: str = SEPARATOR, inner: str | None = None
) -> Cut:
    """Return the phrases that a separator joins in a string, without blank ones and markers.

    Args:
        text: the string.
        options: which may name the separator.
        notes: counts the markers.
        separator: what joins phrases, where the options do not name it.
        inner: what joins the variants of a phrase.
    """
    separator = options.separator or separator
    pieces = (piece.strip() for piece in text.split(separator))
    return Cut(without_markers([piece for piece in pieces if piece], notes), text, separator, inner)


def without_markers(phrases: list[Any], notes: Counter[str]) -> list[Any]:
    """Return phrases without markers, which are counted; items that are not strings stay."""
    kept = [phrase for phrase in phrases if not is_marker(phrase)]
    notes[MARKER] += len(phrases) - len(kept)
    return kept


def is_marker(phrase: object) -> bool:
    """Say whether a phrase is a sign of its layout, such as that between present and absent phrases."""
    return isinstance(phrase, str) and phrase.strip().casefold() in MARKERS


def title_and_body(text: str, separator: str) -> str:
    """Return a text without the sign between title and body. Raises InputError where it stands there twice."""
    pieces = text.split(separator)
    if len(pieces) > 2:
        what = f"has {separator} {len(pieces) - 1} times; one parts the title from the text"
        raise InputError(what, code="repeated-sign", value=separator)
    return " ".join(piece for each in pieces if (piece := each.strip()))
