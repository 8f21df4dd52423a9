"""Paths wherever they are: on this machine, or at any address that fsspec knows (``s3://…``, ``https://…``)."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import cast

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.optional import importing


def place_of(path: str | Path) -> Path:
    """Return a path; for an address what can be used as one. Raises InputError for an address that nobody knows."""
    text = str(path)
    if "://" not in text:
        return Path(path)
    with importing():
        import upath

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a file system that has no class of its own there
            place = upath.UPath(text, use_listings_cache=False)  # others write there too
            _ = place.fs
    except (ValueError, ImportError) as error:  # an unknown protocol, or one whose package is missing
        raise InputError(str(error), code="failed", place=text) from None
    return Path(place.path) if place.protocol in ("file", "local") else cast(Path, place)


def is_local(place: Path) -> bool:
    """Say whether a place is on this machine, or at least seems so."""
    return isinstance(place, Path)


def is_shared(place: Path) -> bool:
    """Say whether other processes reach a place."""
    return is_local(place) or getattr(place, "protocol", "") != "memory"
