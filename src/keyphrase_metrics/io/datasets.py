"""Open splits of Hugging Face data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.formats import json_convert
from keyphrase_metrics.io.inputs import BATCH_ROWS, Input, Problems, Row
from keyphrase_metrics.optional import importing


def open_dataset(name: str, config: str | None = None, split: str | None = None) -> Input:
    """Open a split of a Hugging Face data set: a folder written by ``save_to_disk``, or what ``load_dataset`` takes.

    Args:
        name: the folder, or the name on the Hub.
        config: the data set's configuration.
        split: ``None`` means ``"test"``, or the only data set in the folder.

    Raises:
        InputError: in one line, for whatever keeps it from being loaded.
    """
    with importing():
        import datasets

    saved = any((Path(name) / marker).is_file() for marker in ("state.json", "dataset_dict.json"))
    if saved and config is not None:
        raise InputError(
            f"data set {name!r} is a saved folder, which has no configurations; leave out the one named",
            code="unused",
            argument="config",
            value=config,
            subject=False,
        )
    if name.startswith((".", "/")) and not Path(name).is_dir():
        raise InputError("there is no such folder", code="not-found", value=name, place=f"data set {name!r}")
    try:
        loaded = datasets.load_from_disk(name) if saved else datasets.load_dataset(name, config, split=split or "test")
    except Exception as error:  # the library and the network below it raise whatever they like
        reasons = [" ".join(str(reason).split()) for reason in (error, error.__cause__) if str(reason or "")]
        what = f"data set {name!r} cannot be loaded: {': '.join(reasons) or type(error).__name__}"
        raise InputError(what, code="cannot-load", value=name) from None
    if isinstance(loaded, datasets.DatasetDict):
        if (split or "test") not in loaded:
            what = f"data set {name!r} has no split {split or 'test'!r}; it has {', '.join(loaded)}"
            raise InputError(what, code="unknown-split", argument="split", value=split, subject=False)
        loaded = loaded[split or "test"]
    elif saved and split is not None and loaded.split is not None and str(loaded.split) != split:
        what = f"data set {name!r} holds the split {str(loaded.split)!r} only, not {split!r}"
        raise InputError(what, code="unknown-split", argument="split", value=split, subject=False)
    return _dataset_input(name, loaded)


def _dataset_input(name: str, dataset: Any) -> Input:
    def rows(columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, Row]]:
        batches = dataset.with_format(None).select_columns(list(columns)).iter(BATCH_ROWS)
        values = chain.from_iterable(zip(*batch.values(), strict=True) for batch in batches)
        found = ((number, dict(zip(columns, row, strict=True))) for number, row in enumerate(values, 1))
        return data.converted(found, problems)

    data = Input(f"data set {name!r}", dataset.column_names, rows, unit="row")
    data = replace(data, convert=json_convert(data.fields))
    return data
