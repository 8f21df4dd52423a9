"""References by annotator: several people's keyphrases of the same documents, kept apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keyphrase_metrics.core.references import Reference, check_references
from keyphrase_metrics.errors import Arg, InputError, not_allowed
from keyphrase_metrics.formatting import first_few
from keyphrase_metrics.validation import check_lengths, short, wrong_type

Annotated = Sequence[Reference] | None  # one annotator's references of a document; None where they did not annotate it
ByAnnotator = Mapping[str, Sequence[Annotated]]
ANNOTATORS = ("union",)  # ways to make one list of references of several annotators'


def union(lists: Iterable[Annotated]) -> list[Reference]:
    """Return the references of one document that any annotator gave, in the order in which they were given first.

    References that are written alike are one; those that only their preparation makes alike merge there.

    >>> union([["fog", "sea"], None, ["sea", ["tcp", "transmission control protocol"]]])
    ['fog', 'sea', ['tcp', 'transmission control protocol']]
    """
    found: dict[object, Reference] = {}
    for references in lists:
        for reference in references or ():
            found.setdefault(reference if isinstance(reference, str) else tuple(reference), reference)
    return list(found.values())


def united(references: Any, annotators: object) -> Any:
    """Return one list of references per document, as metrics take them.

    Args:
        references: n lists of references, or annotator -> n lists, ``None`` where they did not annotate a document.
        annotators: ``"union"`` to take all annotators' references together; ``None`` for references without annotators.

    Raises:
        InputError: for references by annotator without ``annotators="union"``, and the other way round; for lists of
            unequal lengths; as :func:`check_annotators`.

    >>> united({"author": [["fog"]], "reader": [["sea"]]}, "union")
    [['fog', 'sea']]
    """
    if annotators not in (None, *ANNOTATORS):
        raise not_allowed("annotators", annotators, "choose 'union' or None")
    if isinstance(references, Mapping):
        if annotators is None:
            raise InputError(
                f"are by annotator ({first_few(references, 4)}), which is several lists for a document",
                code="by-annotator",
                argument="references",
                value=references,
                hints=[
                    (
                        Arg("annotators"),
                        "='union' takes them together, and keyphrase_metrics.analysis.human_ceiling compares them",
                    )
                ],
            )
        return [union(lists) for lists in zip(*check_annotators(references).values(), strict=True)]
    if annotators is not None:
        raise InputError(
            "is given, but the references are not by annotator: {'author': […], 'reader': […]}",
            code="not-by-annotator",
            argument="annotators",
            value=annotators,
        )
    return references


def check_annotators(references: object) -> dict[str, list[Annotated]]:
    """Return annotator -> n lists of references, checked.

    Raises:
        InputError: for what is not a mapping, an annotator whose name is not a string, and what is not a reference,
            naming annotator, document and value; for no annotator, one whose name is blank, and annotators with unequal
            numbers of documents.
    """
    if not isinstance(references, Mapping):
        raise wrong_type("references", references, "it must map each annotator to a list per document")
    if not references:
        raise InputError("names no annotator", code="empty", argument="references", value=references)
    for name in references:
        if not isinstance(name, str):
            problem = f"names the annotator {short(name)}; a name must be a string"
            raise InputError(problem, code="not-a-name", argument="references", value=name)
        if not name.strip():
            problem = f"names the annotator {name!r}, which is blank"
            raise InputError(problem, code="not-a-name", argument="references", value=name)
    checked: dict[str, list[Annotated]] = {}
    for name, given in references.items():
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise wrong_type(f"references[{name!r}]", given, "it must be a list with an item per document")
        lists = list(given)
        read = check_references(f"references[{name!r}]", [[] if each is None else each for each in lists])
        checked[name] = [None if each is None else found for each, found in zip(lists, read, strict=True)]
    check_lengths(**{f"references[{name!r}]": lists for name, lists in checked.items()})
    return checked


def first_variants(references: Iterable[Reference]) -> list[str]:
    """Return references as the predictions that they would be: of variants, the first.

    >>> first_variants(["fog", ["tcp", "transmission control protocol"], []])
    ['fog', 'tcp']
    """
    return [one if isinstance(one, str) else one[0] for one in references if isinstance(one, str) or len(one)]
