"""What the sub-commands share: problems collected until they are raised (``main`` prints them), tables, progress."""

from __future__ import annotations

import io
import shutil
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from keyphrase_metrics.cli.wording import CLI
from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.formatting import visible
from keyphrase_metrics.user_warnings import InputWarning

if TYPE_CHECKING:
    from rich.measure import Measurement
    from rich.table import Table

    from keyphrase_metrics.compare import plain_tables

T = TypeVar("T")

DASH = "–"
PROGRESS_DELAY_S = 1.0  # seconds of work before progress is shown
LOG_INTERVAL_S = 30.0  # seconds between two lines on progress where standard error is no terminal
_UNBOUNDED = 100_000
_WIDTH_OF_FILES = 100
_EVERY = 1000  # rows between two updates of the progress


class ErrorCollector:
    """Gathers what is wrong, so that one error can list all of it."""

    def __init__(self) -> None:
        self.problems: list[str | Message] = []

    def attempt(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T | None:
        """Return the result of a call, or note why there is none."""
        try:
            return function(*args, **kwargs)
        except InputError as error:
            self.problems += error.messages
        except ValueError as error:
            self.problems.append(str(error))
        return None

    def raise_if_any(self) -> None:
        """Raise one InputError of all that was noted."""
        if self.problems:
            raise InputError(*dict.fromkeys(self.problems))


def number(value: float | None) -> str:
    """Write a score: four decimals, whole numbers as they are, a dash for none."""
    if value is None:
        return DASH
    return str(value) if isinstance(value, int) else f"{value:.4f}"


@contextmanager
def print_warnings_at_exit() -> Iterator[None]:
    """After the block write its warnings to standard error, one line each, once each; not when it fails."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    messages = dict.fromkeys(
        _worded(warning.message) for warning in caught if issubclass(warning.category, UserWarning)
    )
    for message in messages:
        sys.stderr.write(f"warning: {visible(message)}\n")


def _worded(warning: Warning | str) -> str:
    return warning.data.text(CLI) if isinstance(warning, InputWarning) else str(warning)


class Screen:
    """Collects text and tables for standard output: styled on a terminal, plain elsewhere."""

    def __init__(self) -> None:
        from rich.console import Console

        self.styled = sys.stdout.isatty()
        self.width = shutil.get_terminal_size((_WIDTH_OF_FILES, 24)).columns
        self._buffer = io.StringIO()
        self._console = Console(
            file=self._buffer,
            width=_UNBOUNDED,
            force_terminal=self.styled,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def line(self, text: str = "", style: str | None = None) -> None:
        """Add a line, which the terminal may wrap."""
        self._console.print(text, style=style, soft_wrap=True)

    def heading(self, text: str) -> None:
        """Add a heading after an empty line."""
        self.line()
        self.line(text, style="bold")

    def section(self, title: str, lines: Iterable[object]) -> None:
        """Add lines below a heading."""
        self.heading(title)
        for line in lines:
            self.line(str(line))

    def paragraph(self, text: str) -> None:
        """Add text, wrapped on a terminal."""
        self._console.print(text, width=self.width if self.styled else _UNBOUNDED)

    def fits(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
        """Say whether a table is no wider than the terminal."""
        return self._measure(self._table(headers, rows, 1)).maximum <= self.width

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> None:
        """Add a table; the first ``text_columns`` are text and may wrap on a terminal, the others are numbers."""
        table = self._table(headers, rows, text_columns)
        needed = self._measure(table)
        self._console.print(table, width=max(self.width, needed.minimum) if self.styled else needed.maximum)

    def titled_table(self, table: plain_tables.Table, style: str | None = None) -> None:
        """Add a table of results below its title, names made visible; nothing of one that pages show folded."""
        if not table.folded:
            self.line()
            self.line(visible(table.title), style)
            rows = [[visible(cell) for cell in row] for row in table.rows]
            self.table([visible(cell) for cell in table.header], rows, table.text_columns)

    def _measure(self, table: Table) -> Measurement:
        from rich.measure import Measurement

        return Measurement.get(self._console, self._console.options, table)

    def _table(self, headers: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int) -> Table:
        from rich import box
        from rich.table import Table

        table = Table(
            box=box.SIMPLE_HEAD if self.styled else None,
            padding=(0, 1 if self.styled else 2, 0, 0),
            show_edge=False,
            pad_edge=False,
            header_style="none",
        )
        for index, header in enumerate(headers):
            if index < text_columns:
                table.add_column(header, overflow="fold", no_wrap=not self.styled)
            else:
                table.add_column(header, justify="right", no_wrap=True)
        for row in rows:
            table.add_row(*row)
        return table

    def show(self) -> None:
        """Write everything to standard output."""
        text = self._buffer.getvalue()
        if not self.styled:
            text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.removeprefix("\n").encode(encoding, "replace").decode(encoding))


class ShardProgress:
    """Shows how far the scoring of a file is: on a terminal as a bar, elsewhere by a line now and then."""

    def __init__(self, name: str, progress: Progress, update: Callable[..., None] | None) -> None:
        self._name, self._progress, self._update = name, progress, update
        self._start()

    def _start(self) -> None:
        self._began = self._logged = time.monotonic()
        self._done = self._fresh = 0
        self._share: float | None = 0.0

    def rows(self, name: str) -> Callable[[Iterator[T]], Iterator[T]]:
        """Return what watches the rows of an input."""
        return self._progress.rows(name)

    def shard(self, documents: int, share: float | None, *, kept: bool) -> None:
        """Count a finished shard; what was kept from before says nothing of the time that is left."""
        self._done += documents
        self._fresh += 0 if kept else documents
        now = time.monotonic()
        self._share = None if share is None or self._share is None else self._share + share
        total = max(round(self._done / self._share), self._done) if self._share else None
        speed = self._fresh / max(now - self._began, 1e-9)
        left = ""
        if total is not None and self._fresh and total > self._done:
            left = f", {_duration((total - self._done) / speed)} left"
        if self._update is not None:
            self._update(completed=self._done, total=total, rate=f"{speed:,.0f}/s{left}" if self._fresh else "")
        elif now - self._logged >= LOG_INTERVAL_S and total != self._done:
            self._logged = now
            of = "" if total is None else f" of about {total:,}"
            sys.stderr.write(f"{visible(self._name)}: {self._done:,}{of} documents, {speed:,.0f}/s{left}\n")
            sys.stderr.flush()

    def again(self, why: str) -> None:
        """Say why the shards begin anew, and count from the start."""
        self._start()
        sys.stderr.write(f"note: {visible(why)}\n")


def _duration(seconds: float) -> str:
    """Write a time to come, no more exact than it is known."""
    minutes, hours = seconds / 60, seconds / 3600
    if minutes < 1:
        return f"{max(seconds, 1):.0f} s"
    return f"{minutes:.0f} min" if hours < 2 else f"{hours:.0f} h"


class Progress:
    """Shows on standard error what takes long, when that is a terminal and the work has lasted a while."""

    def __init__(self) -> None:
        self._bars: Any = None

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show progress while the block runs, beginning after :data:`PROGRESS_DELAY_S` seconds."""
        if not sys.stderr.isatty():
            yield
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        description, rate = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[rate]}")
        columns = description, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), rate
        self._bars = Progress(*columns, console=Console(stderr=True), transient=True)
        timer = threading.Timer(PROGRESS_DELAY_S, self._bars.start)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            self._bars.stop()
            self._bars = None

    def watch(self, description: str, items: Iterable[T], total: int | None = None, every: int = 1) -> Iterator[T]:
        """Yield the items, counting them."""
        if self._bars is None:
            yield from items
            return
        task = self._bars.add_task(description, total=total, rate="")
        for done, item in enumerate(items):
            if done % every == 0:
                self._bars.update(task, completed=done)
            yield item
        self._bars.remove_task(task)

    @contextmanager
    def shards(self, name: str) -> Iterator[ShardProgress]:
        """Show how the scoring of a file in shards goes, while the block runs."""
        task = None if self._bars is None else self._bars.add_task(f"scoring {name}", total=None, rate="")
        yield ShardProgress(name, self, None if task is None else partial(self._bars.update, task))
        if task is not None:
            self._bars.remove_task(task)

    @contextmanager
    def models(self) -> Iterator[None]:
        """Show what goes through models while the block runs."""
        from keyphrase_metrics.models import encoders, generation

        encoding, writing = self._counted("encoding texts", "texts"), self._counted("writing summaries", "summaries")
        with encoders.watched(encoding), generation.watched(writing):
            yield

    def _counted(self, description: str, unit: str) -> Callable[[int, int], None]:
        """Return what shows how many texts have gone through a model, of how many, and how many a second."""
        running: tuple[Any, float, int] | None = None  # the bar, when it began, what was done by then

        def watcher(done: int, total: int) -> None:
            nonlocal running
            if self._bars is None:
                return
            now = time.monotonic()
            if running is None:  # the first batch has warmed the model up: it counts, its time does not
                running = self._bars.add_task(description, total=total, rate=""), now, done
            task, began, before = running
            rate = f"{(done - before) / (now - began):,.0f} {unit}/s" if now > began and done > before else ""
            self._bars.update(task, completed=done, rate=rate)
            if done >= total:
                self._bars.remove_task(task)
                running = None

        return watcher

    def rows(self, name: str) -> Callable[[Iterator[T]], Iterator[T]]:
        """Return what watches the rows of an input."""
        return lambda rows: self.watch(f"reading {name}", rows, every=_EVERY)
