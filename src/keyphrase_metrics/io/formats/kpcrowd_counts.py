"""500N-KPCrowd: ``NAME-CrowdCountskey``, phrases and how many workers chose each, which are their weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats.base import FileHead, OpenOptions, WholeFormat
from keyphrase_metrics.io.formats.key_folder import files_of, text_of
from keyphrase_metrics.io.inputs import Row

ENDING = "-CrowdCountskey"
_TITLE = "-justTitle.txt"


class KPCrowdCounts(WholeFormat):
    """A file of phrases with counts, or a folder of such files and their texts."""

    names = ("kpcrowd_counts",)
    roles = ("references", "sources")

    def matches(self, file: FileHead, options: OpenOptions) -> bool:
        """The names of its files say so."""
        if file.path.is_dir():
            return options.role != "predictions" and bool(files_of(file.path, ENDING))
        return file.path.name.endswith(ENDING)

    def records(self, file: FileHead, options: OpenOptions) -> Iterable[Row]:
        """Return a row for each document."""
        if not file.path.is_dir():
            name = file.path.name.removesuffix(ENDING)
            return [{"id": name, **_counted(text_of(file.path, file.name), file.name)}]
        titles, texts = files_of(file.path, _TITLE), files_of(file.path, ".txt")
        texts = {name: path for name, path in texts.items() if not path.name.endswith(_TITLE)}
        rows: list[dict[str, Any]] = []
        for name, path in files_of(file.path, ENDING).items():
            pieces = [text_of(each[name]).strip() for each in (titles, texts) if name in each]
            row = {"id": name, **_counted(text_of(path), str(path)), "text": " ".join(pieces) or None}
            rows.append(row if options.role == "references" else {"id": name, "text": row["text"]})
        if not any(row["text"] for row in rows):
            for row in rows:
                del row["text"]
        return rows


def _counted(text: str, name: str) -> dict[str, list[Any]]:
    phrases, counts = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        phrase, _, count = line.rpartition("\t")
        if not phrase.strip() or not count.strip().isdecimal() or int(count) == 0:
            what = "is not a phrase, a tab and how often it was chosen"
            raise InputError(what, code="wrong-type", value=line, place=f"{name}, line {number}")
        phrases.append(phrase.strip())
        counts.append(int(count))
    return {"references": phrases, "reference_weights": counts}
