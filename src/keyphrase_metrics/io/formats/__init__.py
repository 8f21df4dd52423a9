"""The layouts of files that are known; the first that matches a file's content is taken.

A layout is a file with a class (``matches``, ``open`` and what turns lines or the whole into rows), and a line here.
"""

from __future__ import annotations

from collections.abc import Collection

from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.io.formats.as_they_are import KangNLPResult, MidasHF, TalnHF
from keyphrase_metrics.io.formats.base import FileHead, Format, OpenOptions, Role
from keyphrase_metrics.io.formats.csv_cells import CSVCells
from keyphrase_metrics.io.formats.headerless_tsv import HeaderlessTSV
from keyphrase_metrics.io.formats.json_array import JsonArray
from keyphrase_metrics.io.formats.json_documents import JsonDocuments
from keyphrase_metrics.io.formats.json_lines import Converter, JsonLinesFormat
from keyphrase_metrics.io.formats.kenchan_text import KenchanText
from keyphrase_metrics.io.formats.key_folder import KeyFolder
from keyphrase_metrics.io.formats.kpcrowd_counts import KPCrowdCounts
from keyphrase_metrics.io.formats.kpeval_jsonl import KPEvalJsonLines
from keyphrase_metrics.io.formats.memray_json import MemrayJson
from keyphrase_metrics.io.formats.openkp_jsonl import OpenKPJsonLines
from keyphrase_metrics.io.formats.opennmt_kpg_pred import OpenNMTPred
from keyphrase_metrics.io.formats.semeval_final import SemEvalFinal
from keyphrase_metrics.io.inputs import Convert
from keyphrase_metrics.metrics.registry import suggest

__all__ = ["NAMES", "FileHead", "Format", "OpenOptions", "Role", "find", "json_convert", "named"]

JSON_LINES: tuple[JsonLinesFormat, ...] = (
    KPEvalJsonLines(),
    OpenKPJsonLines(),
    OpenNMTPred(),
    MemrayJson(),
    KangNLPResult(),
    MidasHF(),
    TalnHF(),
)
FORMATS: tuple[Format, ...] = (
    KPCrowdCounts(),
    KeyFolder(),
    JsonDocuments(),
    JsonArray(),
    *JSON_LINES,
    HeaderlessTSV(),
    CSVCells(),
    SemEvalFinal(),
    KenchanText(),
)
NAMES = tuple(sorted(name for each in FORMATS for name in each.names))


def named(name: str) -> Format:
    """Return the layout of a name. Raises InputError for a name that none has."""
    for each in FORMATS:
        if name in each.names:
            return each
    what = f"={name!r} is not known{suggest(name.lower(), NAMES)}; choose {', '.join(NAMES)}"
    raise InputError((Arg("format"), what), code="unknown-layout", argument="format", value=name, subject=False)


def find(file: FileHead, options: OpenOptions, among: Collection[Format] = FORMATS) -> Format | None:
    """Return the layout that a file's content shows; ``None`` where none does, as for plain JSON lines."""
    return next((each for each in among if each.matches(file, options)), None)


def json_convert(fields: Collection[str], options: OpenOptions = OpenOptions()) -> Convert | None:  # noqa: B008
    """Return what layouts make of rows with some fields; ``None`` where they are left as they are."""
    fitting = [each for each in JSON_LINES if each.changes_rows and (each.fits(fields) or options.format in each.names)]
    return Converter(fitting, options) if fitting else None
