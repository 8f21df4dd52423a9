"""What is wrong with what users give, as data: each front end words it for its own readers.

A library file says what is wrong and names arguments by their Python names; it knows no option of the command line and
no label of a page. A :class:`Wording` turns those names into what a reader knows. A code is given where the error is
raised, and says which rule is broken; :class:`Message` has the fields.

>>> error = InputError(
...     "has no field 'id'", code="unknown-field", place="a.jsonl", hints=[("name it with ", Arg("id_field"))]
... )
>>> str(error)
"a.jsonl: has no field 'id'; name it with id_field"
>>> error.worded(Wording(lambda name: f"--{name.replace('_', '-')}"))
["a.jsonl: has no field 'id'; name it with --id-field"]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


class Arg(str):
    """The Python name of an argument inside a message; each front end writes what its readers know it by."""

    __slots__ = ()


Part = str | Arg  # of a sentence


@dataclass(frozen=True)
class Message:
    """One thing that is wrong, or that a warning is about.

    Attributes:
        code: what kind of thing it is, in lower case with hyphens; it stays the same when the words change.
        parts: what is said of the subject, such as ``("must be a string",)``; names of arguments among it are
            :class:`Arg`.
        argument: the Python name of the argument that it is about.
        document: index of the document that it is about, within that argument.
        value: what was given.
        place: where it stands, such as ``"a.jsonl, line 3"``.
        hints: what would help, each a text in parts. A hint is left out where the reader has none of its arguments.
        subject: whether the argument (with its document) is the sentence's subject; otherwise the parts have their own.
    """

    code: str
    parts: tuple[Part, ...]
    argument: str | None = None
    document: int | None = None
    value: Any = field(default=None, compare=False)
    place: str | None = None
    hints: tuple[tuple[Part, ...], ...] = ()
    subject: bool = True

    def at(self, place: str) -> Message:
        """Return the message with the place where it stands."""
        return replace(self, place=place)

    def within_file(self, name: str) -> Message:
        """Return the message with a name before its place, for one that knows its line alone, or nothing."""
        return replace(self, place=name if self.place is None else f"{name}: {self.place}")

    def within(self, *parts: Part) -> Message:
        """Return the message said of a part of what is given, which is named before it, such as a field."""
        return replace(self, parts=(*parts, *self.parts))

    def renamed(self, names: Mapping[str, str]) -> Message:
        """Return the message with other names of arguments, for a caller whose arguments have these."""

        def parts(of: Iterable[Part]) -> tuple[Part, ...]:
            return tuple(Arg(names.get(part, part)) if isinstance(part, Arg) else part for part in of)

        argument = None if self.argument is None else names.get(self.argument, self.argument)
        return replace(self, argument=argument, parts=parts(self.parts), hints=tuple(map(parts, self.hints)))

    def text(self, wording: Wording | None = None) -> str:
        """Return the message as a sentence without a full stop; Python's names where no wording is given."""
        return (wording or PYTHON).sentence(self)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True)
class Wording:
    """How a front end says what is wrong.

    Attributes:
        name: Python's name of an argument -> what the reader knows it by; ``None`` where the reader cannot give it.
        numbers_documents: whether the reader knows documents by their index; else a subject has the argument alone.
        subject: the same as ``name`` for an argument that a sentence begins with, where that differs.
    """

    name: Callable[[str], str | None]
    numbers_documents: bool = True
    subject: Callable[[str], str | None] | None = None

    def sentence(self, message: Message) -> str:
        """Return the message as a sentence without a full stop."""
        hints = [self._joined(hint) for hint in message.hints if self._can(hint)]
        predicate = "; ".join(filter(None, [self._joined(message.parts), ", or ".join(hints)]))
        return f"{self._start(message)}{predicate}"

    def _start(self, message: Message) -> str:
        """Return what stands before the predicate: the place and the subject.

        The place of a document stands for its index: ``a.jsonl, line 3, references: has ...``.
        """
        place = "" if message.place is None else f"{message.place}: "
        if message.argument is None or not message.subject:
            return place
        name = (self.subject or self.name)(message.argument) or message.argument
        if message.document is None:
            return f"{place}{name} "
        if message.place is not None:
            return f"{message.place}, {name}: "
        return f"{name}[{message.document}] " if self.numbers_documents else f"{name} "

    def _joined(self, parts: Sequence[Part]) -> str:
        return "".join((self.name(part) or part) if isinstance(part, Arg) else part for part in parts)

    def _can(self, hint: Sequence[Part]) -> bool:
        names = [part for part in hint if isinstance(part, Arg)]
        return not names or any(self.name(name) is not None for name in names)


PYTHON = Wording(lambda name: name)


class InputError(ValueError):
    """Input that cannot be used; ``messages`` has everything that is wrong with it.

    Args:
        *said: what is wrong, one message each: a text, a text in parts with :class:`Arg` among them, or a whole
            :class:`Message`. The fields beside it are those of :class:`Message`, for texts.
    """

    def __init__(
        self,
        *said: str | Sequence[Part] | Message,
        code: str = "",
        argument: str | None = None,
        document: int | None = None,
        value: Any = None,
        place: str | None = None,
        hints: Iterable[str | Sequence[Part]] = (),
        subject: bool = True,
    ) -> None:
        helpful = tuple(map(_parts, hints))
        self.messages = tuple(
            each
            if isinstance(each, Message)
            else Message(code, _parts(each), argument, document, value, place, helpful, subject)
            for each in said
        )
        super().__init__("; ".join(map(str, self.messages)))

    @classmethod
    def of(cls, errors: Iterable[InputError | Message]) -> InputError:
        """Return one error that has all messages of several, each once."""
        messages: dict[Message, None] = {}
        for each in errors:
            messages |= dict.fromkeys([each] if isinstance(each, Message) else each.messages)
        return cls(*messages)

    @property
    def code(self) -> str:
        """What kind of thing is wrong; of several the first."""
        return self.messages[0].code

    @property
    def argument(self) -> str | None:
        """The argument that the first message is about."""
        return self.messages[0].argument

    @property
    def document(self) -> int | None:
        """The index of the document that the first message is about."""
        return self.messages[0].document

    @property
    def value(self) -> Any:
        """What was given where the first message points."""
        return self.messages[0].value

    @property
    def place(self) -> str | None:
        """The file and line that the first message is about."""
        return self.messages[0].place

    def worded(self, wording: Wording) -> list[str]:
        """Return each message in a front end's words."""
        return [message.text(wording) for message in self.messages]

    def at(self, place: str) -> InputError:
        """Return the error with the place where all of it stands."""
        return type(self)(*(message.at(place) for message in self.messages))

    def within_file(self, name: str) -> InputError:
        """Return the error with a name before each place, for what knows its line alone, or nothing."""
        return type(self)(*(message.within_file(name) for message in self.messages))

    def within(self, *parts: Part) -> InputError:
        """Return the error said of a part of what is given, which is named before it, such as a field.

        >>> str(InputError("is null", code="missing").within("field 'title' "))
        "field 'title' is null"
        """
        return type(self)(*(message.within(*parts) for message in self.messages))

    def renamed(self, names: Mapping[str, str]) -> InputError:
        """Return the error with other names of arguments."""
        return type(self)(*(message.renamed(names) for message in self.messages))

    def __reduce__(self) -> tuple[type[InputError], tuple[Message, ...]]:
        """Let the error pass from a worker process to the main one, without values that might not."""
        plain = (str, int, float, type(None))
        return type(self), tuple(
            message if isinstance(message.value, plain) else replace(message, value=None) for message in self.messages
        )


def not_allowed(argument: str, value: object, *allowed: Part) -> InputError:
    """Return the error about a value that an argument cannot have; ``allowed`` says what it can.

    >>> str(not_allowed("oracle", "yes", "choose True or False"))
    "oracle='yes' is not allowed; choose True or False"
    """
    return wrong_value("not-allowed", argument, value, " is not allowed; ", *allowed)


def wrong_value(
    code: str, argument: str, value: object, *predicate: Part, hints: Iterable[str | Sequence[Part]] = ()
) -> InputError:
    """Return an error whose subject is an argument with its value.

    >>> str(wrong_value("cannot-load", "model", "x", " cannot be loaded"))
    "model='x' cannot be loaded"
    """
    said = Arg(argument), f"={value!r}", *predicate
    return InputError(said, code=code, argument=argument, value=value, hints=hints, subject=False)


def _parts(text: str | Sequence[Part]) -> tuple[Part, ...]:
    return (text,) if isinstance(text, str) else tuple(text)
