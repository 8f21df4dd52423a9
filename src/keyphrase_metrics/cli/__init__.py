"""The command ``keyphrase-metrics``: one sub-command a file, and what happens on errors.

A sub-command is a file with ``add_parser``, and a line in ``_COMMANDS``.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from keyphrase_metrics.cli.wording import CLI
from keyphrase_metrics.errors import InputError

PROGRAM = "keyphrase-metrics"
WRONG_INPUT, INTERRUPTED, PIPE_CLOSED = 2, 130, 141
_EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are raised, to be reported like all others; it knows whole options only."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """Raise InputError."""
        raise InputError(f"{message}; see {self.prog} --help", code="usage")


_COMMANDS: dict[str, dict[str, Any]] = {
    "score": {"help": "score one or several systems"},
    "explain": {"help": "show how the phrases of one document are credited"},
    "index": {"help": "index a corpus for fem_kp"},
    "list": {"help": "list the metrics, or explain one"},
    "compare": {"help": "compare systems, with intervals and tests; or say whether two results are comparable"},
    "agree": {"help": "do metrics agree with people? with judgements of lists, phrases, references or pairs"},
    "analyze": {"help": "analyze metrics: agreement, factors, sensitivity, SemR-p over k, …", "aliases": ["analyse"]},
    "q10": {"help": "say by the ten questions of Q-10 whether two published numbers are comparable"},
    "published": {"help": "say which published numbers may stand beside one's own"},
    "model-card": {"help": "write scores into the card of a model on the Hub"},
    "publish": {"help": "publish a module and its demo as a Space"},
}


def build_parser(argv: Sequence[str] | None = None) -> Parser:
    """Return the parser of the whole command; with arguments one that knows the options only of the command in them.

    So a command does not wait for the modules of the others.
    """
    named = None if argv is None else next((word for word in argv if not word.startswith("-")), "")
    parser = Parser(
        PROGRAM,
        description="Score keyphrases so that the numbers can be compared across papers.",
        epilog=f'"{PROGRAM} COMMAND --help" explains a command.',
    )
    version = importlib.metadata.version("keyphrase-metrics")
    parser.add_argument("-V", "--version", action="version", version=f"{PROGRAM} {version}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for name, listed in _COMMANDS.items():
        if named is None or named in (name, *listed.get("aliases", ())):
            module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
            as_written = argparse.RawDescriptionHelpFormatter
            command = commands.add_parser(name, **listed, **module.TEXTS, formatter_class=as_written)
            command.set_defaults(run=module.run)
            module.add_options(command)
        else:
            commands.add_parser(name, **listed)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments; ``None`` takes the process's own.

    Returns:
        The exit status: 0; 1 where ``compare`` or ``q10`` finds scores that are not comparable; 2 for wrong input,
        after one line on standard error; 130 after Ctrl-C; 141 where the reader of the output went away.
    """
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered goes nowhere
        return PIPE_CLOSED
    except Exception as error:
        if sys.flags.dev_mode and not isinstance(error, InputError):
            raise
        sys.stderr.write(f"{PROGRAM}: error: {_one_line(_describe(error))}\n")
        return WRONG_INPUT


def _run(argv: Sequence[str] | None) -> int:
    try:
        words = [*(sys.argv[1:] if argv is None else argv)]
        options = build_parser(words).parse_args(words)
        options.argv = words
        status: int = options.run(options)
    except SystemExit as leaving:  # after --help and --version
        status = int(leaving.code or 0)
    sys.stdout.flush()  # here, where a closed pipe can still be met quietly
    return status


def _describe(error: Exception) -> str:
    if isinstance(error, InputError):
        return "; ".join(error.worded(CLI))
    if isinstance(error, FileNotFoundError) and error.filename is None and not _has_working_folder():
        return "the folder in which the command was started is no longer there; change into another"
    if isinstance(error, _EXPECTED) and str(error):
        return str(error)
    return f"unexpected {type(error).__name__}: {error} (python -X dev -m keyphrase_metrics … shows where)"


def _has_working_folder() -> bool:
    try:
        return bool(os.getcwd())
    except FileNotFoundError:
        return False


def _one_line(text: str) -> str:
    line = re.sub(r"\s*[\r\n]\s*", " ", text.strip())
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in line)
