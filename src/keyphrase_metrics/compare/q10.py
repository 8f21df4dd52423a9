"""The ten questions of Q-10: a record of how a number came about, and whether two numbers may be compared.

Source: Popova (2025), sections 3.2 and 3.3 and Tables 1 to 5.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from keyphrase_metrics.corpus import short
from keyphrase_metrics.encoders import needs
from keyphrase_metrics.io import InputError
from keyphrase_metrics.measures.keyphrase_f1 import KeyphraseF1
from keyphrase_metrics.parameters import Kind, choice, flag, integer, parameters_of, write
from keyphrase_metrics.parameters import read as read_value
from keyphrase_metrics.registry import measure_class, measure_names
from keyphrase_metrics.signature import CUSTOM, Signature
from keyphrase_metrics.text import normalise

EVALUATOR = "evaluator"
METHODS = ("F", "F+", "S")  # the paper's ways to compute F1 from the same predictions, as presets of keyphrase_f1
_F1 = "F1"
_LARGEST = 100_000  # bytes of a record; a filled-in template has some thousand


def _prose() -> Kind:
    """A text, which is compared without regard to case and white space."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise ValueError
        return normalise(value)

    return Kind("a text (in quotes where YAML would read a number, a date, yes or no)", check)


@dataclass(frozen=True)
class Part:
    """One thing that a question asks.

    Attributes:
        name: its key in a record.
        kind: what can be answered.
        only_if: the part of the same record, and the answers to it, with which alone this is asked.
    """

    name: str
    kind: Kind
    only_if: tuple[str, str, tuple[Any, ...]] | None = None

    def asked(self, record: Record) -> bool:
        """Whether it is asked, given the other answers; where those are not known it is."""
        if self.only_if is None:
            return True
        question, part, answers = self.only_if
        return _plain(record.answers[question][part]) in (None, *map(_plain, answers))


@dataclass(frozen=True)
class Question:
    """A question, and what it means for two published numbers that its answers differ."""

    key: str
    title: str
    parts: tuple[Part, ...]
    meaning: str


_NOT_LONG = ("Q-1", "gold_standard", ("short", "absent", "present_and_absent"))
_OF_F1 = ("Q-2", "score", (_F1,))

QUESTIONS = (
    Question(
        "Q-1",
        "gold standard",
        (Part("gold_standard", choice("long", "short", "absent", "present_and_absent", "unused")),),
        "Never compare a long with a short gold standard: the short one drops what no extractor can find. Together "
        "with Q-2 that moved F1 by 7 % to 36 %, as the paper sums up methods F and S on six data sets (12 % on Inspec; "
        "its table of SemEval 2010 comes to 39 %): the more, the more references are absent.",
    ),
    Question(
        "Q-2",
        "calculation",
        (
            Part("score", _prose()),
            Part("average", choice("micro", "macro", "macro_of_means")),
            Part("without_references", choice("kept", "removed", "refused")),
            Part("predictions", choice("all", "restricted"), _NOT_LONG),
            Part("short_lists", choice("as_given", "padded", "padded_unless_empty"), _OF_F1),
        ),
        "Micro and macro averages are not comparable, nor are the two that are called macro: with all else equal, F1 "
        "of the mean precision and recall exceeds the mean of F1 by 4 % to 7 % (F+ and S, worked out from Tables 3 and "
        "4). Removing documents without references raises every average over documents.",
    ),
    Question(
        "Q-3",
        "stemming and case",
        (
            Part("lowercased", flag()),
            Part("stemmed", flag()),
            Part("stemmer", _prose(), ("Q-3", "stemmed", (True,))),
        ),
        "Without stemming or lower-casing fewer phrases match. Both are usual and often not stated; the paper gives "
        "no size.",
    ),
    Question(
        EVALUATOR,
        "preparation",
        (
            Part("tokenizer", _prose()),
            Part("hyphens", choice("keep", "split")),
            Part("repeated", choice("dropped", "kept")),
        ),
        "How the evaluator cuts phrases into words decides which of them match; the paper gives no size and expects "
        "less than from stop words. Rescoring shows it.",
    ),
    Question(
        "Q-4",
        "candidates",
        (
            Part("candidates", _prose()),
            Part("same_for_all", flag()),
            Part("single_words", choice("kept", "removed", "penalised")),
        ),
        "Candidates bound recall, so a difference says nothing about the ranking alone. Another pattern and more stop "
        "words, without single words where readers assigned the keyphrases, gave 10 % to 22 % there (S and S++), most "
        "on Inspec.",
    ),
    Question(
        "Q-5",
        "stop words",
        (Part("stop_words", _prose()), Part("changes", _prose())),
        "An extended list alone can make one system pass another: some 5 % in one published comparison, 4.5 % to 6 % "
        "on average in another study, and most of the 3 % to 6 % between S and S-+ on author-assigned keyphrases.",
    ),
    Question(
        "Q-6",
        "position and tools",
        (
            Part("position", choice("none", "weak", "strong"), ("Q-9", "length", ("long",))),
            Part("hyphens", _prose()),
            Part("tokenizer", _prose()),
            Part("sentences", _prose()),
            Part("tagger", _prose()),
            Part("other", _prose()),
        ),
        "On whole articles a positional feature can decide everything: without it one extractor fell from a micro F1 "
        "of 14.2 to 3.7 on SemEval 2010. Tools are expected to matter less than stop words; the paper gives no size.",
    ),
    Question(
        "Q-7",
        "test set",
        (Part("test_set", _prose()), Part("documents", integer(1))),
        "Numbers on different documents are not comparable, even from one data set; some papers picked the documents "
        "whose references all occur in the text. The paper gives no size.",
    ),
    Question(
        "Q-8",
        "variant of the references",
        (Part("variant", _prose()),),
        "Different reference sets of one data set (Inspec's two, SemEval 2010's authors and readers, or both joined) "
        "are different targets. The paper gives no size.",
    ),
    Question(
        "Q-9",
        "length of the texts",
        (Part("length", choice("short", "long", "short_from_long")), Part("texts", _prose())),
        "Results on abstracts or cut texts are not comparable with results on whole articles: on SemEval 2010 TextRank "
        "has 3.5 on articles and 15.8 on abstracts, Tfidf 17.7 and 16.8 (Table 5).",
    ),
    Question(
        "Q-10",
        "assigned by",
        (Part("assigned_by", choice("readers", "authors", "authors_and_readers", "others")),),
        "Readers and authors assign different keyphrases: trained systems beat the others by 46 % to 74 % with "
        "authors' keyphrases, by -8 % to 15 % where readers took part.",
    ),
)
_SIGNED = ("Q-1", "Q-2", "Q-3", EVALUATOR)
_BY_KEY = {question.key: question for question in QUESTIONS}


@dataclass(frozen=True)
class Record:
    """The answers to the ten questions and on the evaluator: question -> part -> answer, ``None`` for "not said".

    Questions and parts that are left out are not said.

    Raises:
        InputError: listing every unknown key and every answer of a wrong type or value.

    >>> record = Record({"Q-1": {"gold_standard": "short"}})
    >>> record.answers["Q-1"], record.answers["Q-10"]
    ({'gold_standard': 'short'}, {'assigned_by': None})
    """

    answers: Mapping[str, Mapping[str, Any]]

    def __post_init__(self) -> None:
        problems: list[str] = []
        object.__setattr__(self, "answers", _checked(self.answers, problems))
        if problems:
            raise InputError(*problems)

    @classmethod
    def of(cls, signature: Signature, answers: Record | None = None) -> Record:
        """Return what a signature answers, Q-1 to Q-3 and the evaluator's own preparation, and a user adds.

        A metric other than keyphrase_f1 is named with all that sets it, and averages over documents.

        Raises:
            InputError: naming every key that the two answer differently.

        >>> signature = Signature.parse("keyphrase_f1|stemmer:None|average:micro|version:0.1.0")
        >>> record = Record.of(signature)
        >>> record.answers["Q-2"]["average"], record.answers["Q-3"]["stemmed"]
        ('micro', False)
        """
        values = {key: read_value(value) for key, value in signature.values.items()}
        of_f1 = signature.metric == KeyphraseF1.name
        stemmer = values.get("stemmer", "")
        record = cls(
            {
                "Q-1": {"gold_standard": _gold(signature.metric, values)},
                "Q-2": {
                    "score": _F1 if of_f1 else _score(signature),
                    "average": values.get("average") if of_f1 else "macro",
                    "without_references": _said(_EMPTY, values.get("on_empty")),
                    "predictions": _said(_FILTERED, values.get("filter_predictions")),
                    "short_lists": _short_lists(values) if of_f1 else None,
                },
                "Q-3": {
                    "lowercased": values.get("lowercase"),
                    "stemmed": None if stemmer == "" else stemmer is not None,
                    "stemmer": stemmer or None,
                },
                EVALUATOR: {
                    "tokenizer": signature.values.get("tokenizer"),
                    "hyphens": values.get("hyphens"),
                    "repeated": _said(_REPEATED, values.get("deduplicate")),
                },
            }
        )
        return record if answers is None else record.merged(answers)

    def merged(self, other: Record) -> Record:
        """Return the answers of both. Raises InputError naming every key that they answer differently."""
        problems = []
        merged: dict[str, dict[str, Any]] = {}
        for question, part, ours, theirs in _pairs(self, other):
            name = f"{question.key}.{part.name}"
            if ours is not None and theirs is not None and _plain(ours) != _plain(theirs):
                problems.append(f"{name} is answered twice: {short(ours)} and {short(theirs)}")
            merged.setdefault(question.key, {})[part.name] = theirs if ours is None else ours
        if problems:
            raise InputError(*problems)
        return Record(merged)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the answers as plain JSON, from which ``Record`` makes the same record."""
        return {question: dict(answers) for question, answers in self.answers.items()}

    def told(self) -> dict[str, tuple[str, str]]:
        """Return question -> the answers in one text, and who gives them in a record of scores: signature or user.

        >>> Record({"Q-3": {"lowercased": True, "stemmed": False}}).told()["Q-3 stemming and case"]
        ('lowercased: yes; stemmed: no', 'signature')
        >>> Record({}).told()["Q-10 assigned by"]
        ('not said', '')
        """
        told = {}
        for question in QUESTIONS:
            asked = [part for part in question.parts if part.asked(self)]
            answers = [(part.name, self.answers[question.key][part.name]) for part in asked]
            said = [f"{name}: {answer_text(answer)}" for name, answer in answers if answer is not None]
            unsaid = [f"{name}: not said" for name, answer in answers if answer is None] if said else []
            who = "signature" if question.key in _SIGNED else "user"
            told[f"{question.key} {question.title}"] = "; ".join([*said, *unsaid]) or "not said", who if said else ""
        return told

    def unsaid(self) -> list[str]:
        """Name what is asked and not said."""
        return [
            f"{question.key}.{part.name}"
            for question, part, answer, _ in _pairs(self, self)
            if part.asked(self) and not _known(answer)
        ]

    def f1_parameters(self) -> dict[str, Any]:
        """Return the parameters of keyphrase_f1 that these answers set; what is not said is left out.

        Raises:
            InputError: for answers that keyphrase_f1 cannot follow: another score, unknown tokenisers and stemmers.

        >>> Record({"Q-1": {"gold_standard": "short"}, "Q-3": {"stemmed": False}}).f1_parameters()
        {'keyphrases': 'present', 'stemmer': None}
        """
        answers = self.answers
        problems = []
        if _plain(answers["Q-2"]["score"]) not in (None, _plain(_F1)):
            problems.append(f"Q-2.score: only {_F1} can be rescored, not {short(answers['Q-2']['score'])}")
        if answers["Q-1"]["gold_standard"] == "unused":
            problems.append("Q-1.gold_standard: without references nothing can be rescored")
        without = answers["Q-3"]["stemmed"] is False
        parameters: dict[str, Any] = {
            "keyphrases": _said(_backwards(_GOLD), answers["Q-1"]["gold_standard"]),
            "average": answers["Q-2"]["average"],
            "on_empty": _said(_backwards(_EMPTY), answers["Q-2"]["without_references"]),
            "filter_predictions": _said(_backwards(_FILTERED), answers["Q-2"]["predictions"]),
            **_PADDING.get(answers["Q-2"]["short_lists"], {}),
            "lowercase": answers["Q-3"]["lowercased"],
            "stemmer": None if without else answers["Q-3"]["stemmer"],
            "tokenizer": answers[EVALUATOR]["tokenizer"],
            "hyphens": answers[EVALUATOR]["hyphens"],
            "deduplicate": _said(_backwards(_REPEATED), answers[EVALUATOR]["repeated"]),
        }
        said = {key: value for key, value in parameters.items() if value is not None or (key == "stemmer" and without)}
        for name, key in (("stemmer", "Q-3.stemmer"), ("tokenizer", f"{EVALUATOR}.tokenizer")):
            try:
                parameters_of(KeyphraseF1)[name].check(said.get(name, parameters_of(KeyphraseF1)[name].default))
            except ValueError as error:
                problems.append(f"{key}: {error}")
        if problems:
            raise InputError(*problems)
        return said


# What keyphrase_f1 calls it, and what a record calls it.
_GOLD = {"all": "long", "present": "short", "absent": "absent", "present_and_absent": "present_and_absent"}
_EMPTY = {"zero": "kept", "skip": "removed", "error": "refused"}
_FILTERED = {False: "all", True: "restricted"}
_REPEATED = {True: "dropped", False: "kept"}
_PADDING = {
    "as_given": {"pad": False},
    "padded": {"pad": True, "pad_empty": True},
    "padded_unless_empty": {"pad": True, "pad_empty": False},
}


def _said(names: Mapping[Any, Any], value: Any) -> Any:
    return None if value is None else names.get(value)


def _backwards(names: Mapping[Any, Any]) -> dict[Any, Any]:
    return {value: key for key, value in names.items()}


def _short_lists(values: Mapping[str, Any]) -> str | None:
    if "pad" not in values:
        return None
    if not values["pad"]:
        return "as_given"
    return "padded" if values.get("pad_empty", True) else "padded_unless_empty"


def _gold(metric: str, values: Mapping[str, Any]) -> str | None:
    if metric == KeyphraseF1.name:
        return _GOLD.get(values.get("keyphrases", ""))
    if metric not in measure_names():
        return None
    return "long" if "references" in measure_class(metric).inputs else "unused"


_SAID_ELSEWHERE = frozenset(
    {"lowercase", "hyphens", "tokenizer", "stemmer", "deduplicate", "on_empty", "average", "nltk"}
)


def _score(signature: Signature) -> str:
    own = [f"{key}={value}" for key, value in signature.values.items() if key not in _SAID_ELSEWHERE]
    return f"{signature.metric}({', '.join(own)})" if own else signature.metric


def _checked(given: object, problems: list[str]) -> dict[str, dict[str, Any]]:
    """Return every answer, canonical; note what is wrong."""
    if not isinstance(given, Mapping):
        problems.append(f"a record maps questions to answers, but this is {short(given)}")
        return {}
    known = ", ".join(_BY_KEY)
    problems += [f"{short(key)} is no question of a record; those are {known}" for key in given if key not in _BY_KEY]
    return {key: _checked_question(question, given.get(key), problems) for key, question in _BY_KEY.items()}


def _checked_question(question: Question, given: object, problems: list[str]) -> dict[str, Any]:
    answers: dict[str, Any] = {part.name: None for part in question.parts}
    if given is None:
        return answers
    if not isinstance(given, Mapping):
        problems.append(f"{question.key} is {short(given)}; it should hold {', '.join(answers)}")
        return answers
    for key in given:
        if key not in answers:
            problems.append(f"{question.key} has no answer {short(key)}; it has {', '.join(answers)}")
    for part in question.parts:
        value = given.get(part.name)
        if value is None:
            continue
        try:
            answers[part.name] = part.kind.check(value)
        except ValueError:
            what = f"{question.key}.{part.name} is {short(value)}"
            problems.append(f"{what}; answer null (not said) or {part.kind.description}")
    return answers


class Finding(StrEnum):
    """What two records say to a question, or a part of it."""

    SAME = "same"
    DIFFERENT = "different"
    NOT_SAID = "not said"


class Verdict(StrEnum):
    """Whether two numbers may be compared."""

    COMPARABLE = "comparable"
    NOT_COMPARABLE = "not comparable"
    CANNOT_BE_TOLD = "cannot be told"


@dataclass(frozen=True)
class PartFinding:
    """A part of a question in two records; ``not_said_by`` names the records, ``"A"`` or ``"B"``, that lack it.

    ``asked`` is ``False`` where the other answers of a record make it meaningless; if only of one, then those answers
    differ, or are not said, themselves. It then counts as the same.
    """

    part: Part
    a: Any
    b: Any
    finding: Finding
    not_said_by: tuple[str, ...] = ()
    asked: bool = True


@dataclass(frozen=True)
class QuestionFinding:
    """A question in two records."""

    question: Question
    parts: tuple[PartFinding, ...]

    @property
    def finding(self) -> Finding:
        """Different where a part differs, else not said where one is not said, else the same."""
        found = {part.finding for part in self.parts}
        return next((f for f in (Finding.DIFFERENT, Finding.NOT_SAID) if f in found), Finding.SAME)

    @property
    def not_said_by(self) -> tuple[str, ...]:
        """The records that leave something out."""
        return tuple(sorted({letter for part in self.parts for letter in part.not_said_by}))


@dataclass(frozen=True)
class Comparison:
    """Two records, question by question."""

    questions: tuple[QuestionFinding, ...]

    @property
    def verdict(self) -> Verdict:
        """Comparable only where all is said and the same."""
        if self.keys(Finding.DIFFERENT):
            return Verdict.NOT_COMPARABLE
        return Verdict.CANNOT_BE_TOLD if self.keys(Finding.NOT_SAID) else Verdict.COMPARABLE

    def keys(self, finding: Finding) -> list[str]:
        """Name the questions with a finding."""
        return [found.question.key for found in self.questions if found.finding == finding]


def compare(a: Record, b: Record) -> Comparison:
    """Say question by question whether two records agree.

    Texts are compared as they are written, without regard to case and white space. A callable of the evaluator
    (``custom:…`` in its signature) counts as not said: nobody can tell whether two are the same.

    >>> a, b = (Record({"Q-1": {"gold_standard": gold}}) for gold in ("long", "short"))
    >>> comparison = compare(a, b)
    >>> str(comparison.verdict), comparison.keys(Finding.DIFFERENT), str(compare(a, a).verdict)
    ('not comparable', ['Q-1'], 'cannot be told')
    """
    parts: dict[str, list[PartFinding]] = {}
    for question, part, ours, theirs in _pairs(a, b):
        parts.setdefault(question.key, []).append(_compare_part(part, (a, b), ours, theirs))
    return Comparison(tuple(QuestionFinding(question, tuple(parts[question.key])) for question in QUESTIONS))


def _compare_part(part: Part, records: tuple[Record, Record], a: Any, b: Any) -> PartFinding:
    if not all(part.asked(record) for record in records):
        return PartFinding(part, a, b, Finding.SAME, asked=False)
    silent = tuple(letter for letter, answer in zip("AB", (a, b), strict=True) if not _known(answer))
    if silent:
        return PartFinding(part, a, b, Finding.NOT_SAID, silent)
    return PartFinding(part, a, b, Finding.SAME if _plain(a) == _plain(b) else Finding.DIFFERENT)


def _pairs(a: Record, b: Record) -> Iterator[tuple[Question, Part, Any, Any]]:
    for question in QUESTIONS:
        for part in question.parts:
            yield question, part, a.answers[question.key][part.name], b.answers[question.key][part.name]


def _known(answer: Any) -> bool:
    return answer is not None and not str(answer).startswith(CUSTOM)


def answer_text(answer: Any) -> str:
    """Write an answer that is said."""
    return {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else str(answer)


def _plain(answer: Any) -> Any:
    return answer.casefold() if isinstance(answer, str) else answer


def symmetric_percent_difference(a: float | None, b: float | None) -> float | None:
    """Return 200·(b − a)/(a + b), as Tables 3 and 4 have it: positive where b is larger, 0 where both are 0.

    >>> round(symmetric_percent_difference(30.1, 33.4), 1)
    10.4
    """
    if a is None or b is None:
        return None
    return 200 * (b - a) / (a + b) if a + b else 0.0


def rescoring(a: Record, b: Record) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the parameters of keyphrase_f1 under which two records differ in nothing but their answers.

    What one record does not say is taken from the other; what neither says is as usual (all predictions count,
    else keyphrase_f1's defaults).

    Returns:
        A's parameters, B's, and a note for each answer that was assumed.

    Raises:
        InputError: where :meth:`Record.f1_parameters` does, naming the record.
    """
    records = {"A": a, "B": b}
    said: dict[str, dict[str, Any]] = {}
    problems = []
    for letter, record in records.items():
        try:
            said[letter] = record.f1_parameters()
        except InputError as error:
            problems += [f"{letter}: {problem}" for problem in error.problems]
    if problems:
        raise InputError(*problems)
    full = {letter: _completed(letter, records, said) for letter in records}
    notes = {
        (letter, parameter): f"{letter} does not say {name}; assumed: {parameter}={write(full[letter][parameter])}"
        for letter, record in records.items()
        for name, parameter in _RESCORED.items()
        if name in record.unsaid() and parameter not in said[letter]
    }
    return full["A"], full["B"], list(notes.values())


_RESCORED = {
    "Q-1.gold_standard": "keyphrases",
    "Q-2.average": "average",
    "Q-2.without_references": "on_empty",
    "Q-2.predictions": "filter_predictions",
    "Q-2.short_lists": "pad",
    "Q-3.lowercased": "lowercase",
    "Q-3.stemmer": "stemmer",
    "Q-3.stemmed": "stemmer",
    f"{EVALUATOR}.tokenizer": "tokenizer",
    f"{EVALUATOR}.hyphens": "hyphens",
    f"{EVALUATOR}.repeated": "deduplicate",
}


def _completed(letter: str, records: Mapping[str, Record], said: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return one record's parameters, with the other's and the usual ones where it says nothing."""
    (other,) = (said[name] for name in said if name != letter)
    other = dict(other)
    if records[letter].answers["Q-3"]["stemmed"] and other.get("stemmer", "") is None:
        del other["stemmer"]  # the other does not stem, so it cannot say with which stemmer this one does
    defaults = {name: parameter.default for name, parameter in parameters_of(KeyphraseF1).items() if parameter.signed}
    return {**defaults, "filter_predictions": False, **other, **said[letter]}


def template() -> str:
    """Return the commented YAML file in which a record is written."""
    return importlib.resources.files(__package__).joinpath("q10_template.yaml").read_text(encoding="utf-8")


def read(path: str | Path) -> Record:
    """Read a record from a YAML file, such as the filled-in template.

    Raises:
        InputError: for a file that cannot be read, is no YAML or no record; every problem is named with its key.
        ImportError: without the extra ``compare``.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if len(data) > _LARGEST:
        raise InputError(f"{path}: has more than {_LARGEST:,} bytes, so it is no record")
    try:
        return Record(_parsed(data))
    except InputError as error:
        raise InputError(*(f"{path}: {problem}" for problem in error.problems)) from None


def _parsed(data: bytes) -> Any:
    """Return the value of a YAML text; aliases, tags, keys given twice and what is too deep are errors."""
    with needs("yaml", "compare"):
        import yaml  # type: ignore[import-untyped]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not in UTF-8 (byte {error.start})") from None
    try:
        _check_events(yaml, yaml.parse(text, Loader=yaml.SafeLoader))
        _check_keys(yaml, yaml.compose(text, Loader=yaml.SafeLoader))
        return yaml.safe_load(text)
    except InputError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f" in line {mark.line + 1}"
        raise InputError(f"is no YAML{line}: {getattr(error, 'problem', None) or error}") from None


_DEEPEST = 3  # the record, its questions, and what is no answer, which a better error names


def _check_events(yaml: Any, events: Iterable[Any]) -> None:
    depth = 0
    for event in events:
        line = f"line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise InputError(f"{line}: anchors and aliases are not allowed in a record")
        if getattr(event, "tag", None) is not None:
            raise InputError(f"{line}: tags are not allowed in a record")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise InputError(f"{line}: is nested too deeply for a record")


def _check_keys(yaml: Any, node: Any, path: str = "") -> None:
    """Raise InputError for the keys that a mapping has twice, of which YAML would silently keep the last."""
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    problems = []
    for key, value in node.value:
        name = f"{path}{key.value}"
        if isinstance(key, yaml.ScalarNode) and name in seen:
            problems.append(f"line {key.start_mark.line + 1}: {name} is given twice")
        seen.add(name)
        try:
            _check_keys(yaml, value, f"{name}.")
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
