"""Owns stdout and stderr: results go to stdout, everything else to stderr, colour only where it is wanted.

Every failure ends here, so that each gives one clear message in PostgreSQL's shape and the right exit code.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn, TextIO

from partadvisor.model.errors import PartadvisorError

Report = Callable[[str, float | None], None]
"""Tells progress: what is being done, and the finished share of it (0..1, None when unknown)."""

EXIT_INTERRUPTED = 130
"""Interrupted where there is nothing to resume, as shells report SIGINT."""


def colour_wanted(stream: TextIO) -> bool:
    """True on a terminal, unless ``NO_COLOR`` is set (no-color.org); ``FORCE_COLOR`` overrules the terminal check."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def output_width() -> int:
    """Columns for text output: the terminal's, at least 60 and at most 120; 100 when there is no terminal."""
    if not sys.stdout.isatty():
        return 100
    return max(60, min(120, shutil.get_terminal_size((100, 24)).columns))


def emit(text: str) -> None:
    """Write a result to stdout."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """Write one line that is not the result to stderr."""
    print(text, file=sys.stderr, flush=True)


def show_error(error: PartadvisorError) -> None:
    """Write an error in PostgreSQL's shape to stderr."""
    red, reset = ("\033[31m", "\033[0m") if colour_wanted(sys.stderr) else ("", "")
    note(f"partadvisor: {red}error:{reset} {error.message}")
    if error.detail:
        note(f"detail: {error.detail}")
    if error.hint:
        note(f"hint: {error.hint}")


def is_live() -> bool:
    """True when progress can be redrawn in place: stderr is a terminal and this is not a CI log."""
    return sys.stderr.isatty() and not os.environ.get("CI")


@contextlib.contextmanager
def progress(title: str) -> Iterator[Report]:
    """A progress bar on a terminal; elsewhere one plain line each time the activity changes."""
    if is_live():
        with _bar(title) as report:
            yield report
    else:
        yield _lines(title)


def _lines(title: str) -> Report:
    last = ""

    def report(what: str, _share: float | None) -> None:
        nonlocal last
        if what != last:
            note(f"{title}: {what}")
            last = what

    return report


@contextlib.contextmanager
def _bar(title: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[what]}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0, what="")

        def report(what: str, share: float | None) -> None:
            bar.update(task, what=what, completed=share or 0.0, total=None if share is None else 1.0)

        yield report


class StopRequest:
    """Turns the first Ctrl-C or SIGTERM into a flag that long work looks at; the second one interrupts at once."""

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[int, object] = {}

    def __call__(self) -> bool:
        """True once the user asked to stop."""
        return self.requested

    def __enter__(self) -> StopRequest:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_exc: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        note("stopping; once more to stop at once")


def run(action: Callable[[], object]) -> NoReturn:
    """Run a command and leave with its exit code; a closed pipe and an interrupt are not crashes."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        action()
        sys.stdout.flush()
        code = 0
    except PartadvisorError as error:
        show_error(error)
        code = error.exit_code
    except KeyboardInterrupt:
        note("partadvisor: interrupted")
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
