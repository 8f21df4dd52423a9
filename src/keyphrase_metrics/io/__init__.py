"""Read predictions, references and texts from files and data sets, join them, and write results.

A file or data set is opened as an :class:`Input`, of which :func:`resolve` picks the fields and
:func:`read_table` keeps what is needed; :func:`join` brings predictions and references together. What is
wrong is an :class:`InputError` that says where, and speaks of the command's options.
"""

from keyphrase_metrics.io.inputs import Input, InputError, Problems, is_input, open_dataset, open_file
from keyphrase_metrics.io.joining import Documents, differing, join
from keyphrase_metrics.io.outputs import atomic, check_output, to_json, write_columns
from keyphrase_metrics.io.tables import (
    PREDICTIONS,
    REFERENCES,
    SEPARATOR,
    SOURCES,
    SUMMARIES,
    Columns,
    Fields,
    Table,
    read_table,
    read_texts,
    resolve,
)

__all__ = [
    "PREDICTIONS",
    "REFERENCES",
    "SEPARATOR",
    "SOURCES",
    "SUMMARIES",
    "Columns",
    "Documents",
    "Fields",
    "Input",
    "InputError",
    "Problems",
    "Table",
    "atomic",
    "check_output",
    "differing",
    "is_input",
    "join",
    "open_dataset",
    "open_file",
    "read_table",
    "read_texts",
    "resolve",
    "to_json",
    "write_columns",
]
