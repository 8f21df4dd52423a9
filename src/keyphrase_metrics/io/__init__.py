"""Read predictions, references and texts from files and data sets, join them, and write results.

A file or data set is opened as an :class:`Input`, of which :func:`resolve` picks the fields and
:func:`read_table` keeps what is needed; :func:`join` brings predictions and references together. What is
wrong is an :class:`~keyphrase_metrics.errors.InputError` that says where, and what would help.
"""

from keyphrase_metrics.io.annotators import FIELD, across, fields_by_annotator, files_by_annotator
from keyphrase_metrics.io.datasets import open_dataset
from keyphrase_metrics.io.fields import (
    PREDICTIONS,
    REFERENCES,
    SEPARATOR,
    SOURCES,
    SUMMARIES,
    Columns,
    Fields,
    resolve,
)
from keyphrase_metrics.io.formats import NAMES as FORMATS
from keyphrase_metrics.io.formats import OpenOptions
from keyphrase_metrics.io.inputs import Input, Problems
from keyphrase_metrics.io.joining import JoinedDocuments, differing, join, joined_by_id
from keyphrase_metrics.io.opening import is_input, open_file
from keyphrase_metrics.io.options import SCORE_ORDERS, ReadOptions
from keyphrase_metrics.io.outputs import (
    atomic,
    check_output,
    to_json,
    write_columns,
    write_csv,
    write_json_lines,
    write_whole,
)
from keyphrase_metrics.io.parts import open_files, takes_in
from keyphrase_metrics.io.places import is_local, is_shared, place_of
from keyphrase_metrics.io.report import ReadingReport
from keyphrase_metrics.io.sources import text_columns, with_texts_of
from keyphrase_metrics.io.tables import DocumentTable, PartialTable, identified, read_part, read_table, read_texts

__all__ = [
    "FIELD",
    "FORMATS",
    "PREDICTIONS",
    "REFERENCES",
    "SCORE_ORDERS",
    "SEPARATOR",
    "SOURCES",
    "SUMMARIES",
    "Columns",
    "DocumentTable",
    "Fields",
    "Input",
    "JoinedDocuments",
    "OpenOptions",
    "PartialTable",
    "Problems",
    "ReadOptions",
    "ReadingReport",
    "across",
    "atomic",
    "check_output",
    "differing",
    "fields_by_annotator",
    "files_by_annotator",
    "identified",
    "is_input",
    "is_local",
    "is_shared",
    "join",
    "joined_by_id",
    "open_dataset",
    "open_file",
    "open_files",
    "place_of",
    "read_part",
    "read_table",
    "read_texts",
    "resolve",
    "takes_in",
    "text_columns",
    "to_json",
    "with_texts_of",
    "write_columns",
    "write_csv",
    "write_json_lines",
    "write_whole",
]
