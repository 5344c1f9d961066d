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

from partadvisor.model.errors import PartadvisorError, UsageError

Report = Callable[[str, float | None], None]
"""Tells progress: what is being done, and the finished share of it (0..1, None when unknown)."""

EXIT_INTERRUPTED = 130
"""Interrupted where there is nothing to resume, as shells report SIGINT."""

EXIT_DEFECT = 70
"""A defect of the program: none of the contract's codes, so that nobody takes it for findings (EX_SOFTWARE)."""


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
    """Write a result for people to stdout."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def emit_json(data: bytes) -> None:
    """Write a result for programs to stdout: UTF-8 whatever the locale says."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Write one line that is not the result to stderr."""
    print(text, file=sys.stderr, flush=True)


def show_error(error: PartadvisorError) -> None:
    """Write an error in PostgreSQL's shape to stderr."""
    red, reset = ("\033[31m", "\033[0m") if colour_wanted(sys.stderr) else ("", "")
    note(f"partadvisor: {red}error:{reset} {error.message}")
    if error.detail:
        note(_labelled("detail: ", error.detail))
    if error.hint:
        note(_labelled("hint: ", error.hint))


def _labelled(label: str, text: str) -> str:
    """Further lines are indented like the first one, so that a caret stays under its place."""
    first, *rest = text.splitlines() or [""]
    return "\n".join([label + first, *(" " * len(label) + line.removeprefix("\t") for line in rest)])


def _show_defect(error: Exception) -> None:
    """What should not happen: where it was, for a report; the traceback only for who asks, as it may hold values."""
    if os.environ.get("PARTADVISOR_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    tb = error.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    place = f" at {os.path.basename(tb.tb_frame.f_code.co_filename)}:{tb.tb_lineno}" if tb else ""  # noqa: PTH119
    show_error(
        PartadvisorError(
            f"internal error: {type(error).__name__}{place}",
            detail=f"{error}" or None,
            hint="This is a defect of partadvisor. PARTADVISOR_TRACEBACK=1 shows more of it for a report.",
        )
    )


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
            # stopping already: an impatient Ctrl-C must not hit the saving of the state, or the end of the process
            signal.signal(number, signal.SIG_IGN if self.requested else handler)  # type: ignore[arg-type]

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        note("stopping; once more to stop at once")


def run(action: Callable[[], object]) -> NoReturn:
    """Run a command and leave with its exit code; a closed pipe and an interrupt are not crashes."""
    signal.signal(signal.SIGTERM, _terminate)
    _prepare()
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
        _abandon_stdout()
        code = 0
    except OSError as error:
        _abandon_stdout()
        show_error(UsageError(_os_message(error), detail=f"{error.filename}." if error.filename else None))
        code = UsageError.exit_code
    except Exception as error:  # noqa: BLE001 - the last resort: one clear message for this, too
        _show_defect(error)
        code = EXIT_DEFECT
    sys.exit(code)


def _prepare() -> None:
    """Streams that cannot fail on a character or for being closed (``>&-``)."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - open until the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _abandon_stdout() -> None:
    """What is left in the buffer must not fail again at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _os_message(error: OSError) -> str:
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
