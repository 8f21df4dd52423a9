"""``keyphrase-metrics index``: make the index of a corpus that ``score --index`` ranks documents in."""

from __future__ import annotations

import argparse
import sys
from itertools import chain
from pathlib import Path

from keyphrase_metrics import io
from keyphrase_metrics.cli.arguments import add_text_field
from keyphrase_metrics.cli.metric_arguments import add_language, add_parameter, stemmer_of
from keyphrase_metrics.cli.systems import texts_of
from keyphrase_metrics.cli.terminal import ErrorCollector, Progress
from keyphrase_metrics.core.parameters import read
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.formatting import count, visible
from keyphrase_metrics.text.analyzer import Analyzer

_PREPARATION = tuple(Analyzer().settings)

TEXTS = {
    "usage": "%(prog)s CORPUS [CORPUS ...] DIR [options]",
    "description": "Write the index of one or several files of texts into a new folder.",
    "epilog": """The documents to score must be in the index, character by character, beside the others;
so give their file too. The index serves every system and both units of fem_kp,
with the preparation it was made with.

examples:
  keyphrase-metrics index examples/references.jsonl abstracts.jsonl abstracts.index
  keyphrase-metrics score examples/extractor.jsonl --references examples/references.jsonl \\
      --metrics "fem_kp(generator=serialize)" --index abstracts.index""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.add_argument("files", metavar="CORPUS", nargs="+", help="file of texts, one document a line or row")
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to write, which must be new or empty")
    add_text_field(parser, "--source-field", "the text", io.SOURCES)
    for name in _PREPARATION:
        add_parameter(parser, name)
    add_language(parser)


def run(options: argparse.Namespace) -> int:
    """Build and write the index, and say what it holds."""
    from keyphrase_metrics.retrieval.index import Index
    from keyphrase_metrics.retrieval.index_storage import check_new

    progress, collected = Progress(), ErrorCollector()
    with progress.shown():
        named = {name: read(value) for name in _PREPARATION if (value := getattr(options, name)) is not None}
        if (stemmer := collected.attempt(stemmer_of, options)) is not None:
            named.setdefault("stemmer", stemmer)
        analyzer = collected.attempt(Analyzer, **named)
        collected.attempt(check_new, options.folder)
        texts = [collected.attempt(texts_of, path, options.source_field, progress) for path in options.files]
        collected.raise_if_any()
        index = Index.build(chain.from_iterable(part for part in texts if part is not None), analyzer)
        if not len(index):
            raise InputError(
                "no document has words, so there is nothing to index",
                code="not-found",
                place=str(", ".join(options.files)),
            )
        index.save(options.folder)
    tokens = int(index.lengths.sum())
    sys.stdout.write(f"{visible(str(options.folder))}: {count(len(index), 'document')}, {count(tokens, 'token')}\n")
    sys.stdout.write(f"corpus_documents:{len(index)}|corpus:{index.digest:032x}\n")
    return 0
