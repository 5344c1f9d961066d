"""The process between us and a scratch server: it outlives us just long enough to clean up.

Run as a script; imported only for its types. However the parent ends (return, exception, SIGTERM, even
SIGKILL), its end of our standard input closes, and the server is stopped and its directory removed. Signal
handlers in the parent could not do that for SIGKILL, and a parent-death signal set straight on the server
would fire when the *thread* that started it ends.

Argument: the directory to remove. Standard input: one line of JSON, the job; later at most one line, how to
end; end of file means the parent is gone. Standard output: the line ``ready`` once the server takes
connections, and nothing else. Exit status: 0 after an end that was asked for, else that of the command that
failed.

Only the standard library is loaded, with ``-I -S``, so that this starts in about 20 ms.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from io import FileIO
from pathlib import Path
from typing import TypedDict

# pg_ctl's shutdown modes, as the signals the postmaster takes them by; initdb ends by either
_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}
_PATIENCE = 60.0  # seconds a stop may take before a harder one, as in pg_ctl
_PR_SET_PDEATHSIG = 1


class Command(TypedDict):
    """One program to run to its end, its output appended to ``log``."""

    argv: list[str]
    log: str


class Job(TypedDict):
    """What to run: ``commands``, one after the other; the last is the server of ``data_dir``.

    ``user`` and ``group`` are None to stay who we are.
    """

    commands: list[Command]
    data_dir: str
    user: int | None
    group: int | None
    env: dict[str, str]
    parent: int


class Order(TypedDict):
    """How to end: a shutdown mode, and whether the directory goes too."""

    mode: str
    remove: bool


_PID = os.getpid()
_PARENT_GONE: Order = {"mode": "immediate", "remove": True}


def _die_with_keeper() -> None:
    """Has the kernel stop the server if even this process is killed.

    Runs in the child after setuid, which would undo it. This process has one thread, so forking is safe, and
    the signal does not come early.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != _PID:
            os._exit(1)  # killed between fork and prctl


def _start(command: Command, job: Job) -> subprocess.Popen[bytes]:
    with Path(command["log"]).open("ab") as log:
        return subprocess.Popen(
            command["argv"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=job["env"],
            cwd="/",
            user=job["user"],
            group=job["group"],
            extra_groups=None if job["user"] is None else [],
            start_new_session=True,
            preexec_fn=_die_with_keeper,
        )


def _is_ready(data_dir: str, pid: int) -> bool:
    """Line 1 of postmaster.pid is the process, line 8 its state (PostgreSQL 10+). A stale file has another pid."""
    try:
        lines = Path(data_dir, "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _read_line() -> bytes:
    """Reads no further than the line, so that select() sees an order that arrives together with the job."""
    return FileIO(0, closefd=False).readline()


def _order(readable: bool, parent: int) -> Order | None:
    if readable:
        line = _read_line()
        order: Order = json.loads(line) if line else _PARENT_GONE
        return order
    # a child forked by the parent may hold our standard input open
    return None if os.getppid() == parent else _PARENT_GONE


def _watch(child: subprocess.Popen[bytes], job: Job, wake: int, *, server: bool) -> Order | None:
    """Waits for an order, or None once the child has ended by itself."""
    announced = not server
    while child.poll() is None:
        if not announced and _is_ready(job["data_dir"], child.pid):
            with contextlib.suppress(BrokenPipeError):  # the parent is gone, as the next select() tells
                os.write(1, b"ready\n")
            announced = True
        readable, _, _ = select.select([0, wake], [], [], 1.0 if announced else 0.01)
        if wake in readable:
            os.read(wake, 64)
        order = _order(0 in readable, job["parent"])
        if order:
            return order
    return None


def _end(child: subprocess.Popen[bytes], mode: str) -> None:
    for harder in (_SIGNALS[mode], signal.SIGQUIT, signal.SIGKILL):
        # Not to the group: initdb first lets its own server process end, which else leaks shared memory.
        child.send_signal(harder)
        try:
            child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            continue
        return


def _leave(order: Order) -> int:
    """Removes the directory if asked to: again while something is left, made by a process that was ending."""
    directory = Path(sys.argv[1])
    for _ in range(100):
        if not order["remove"] or not directory.exists():
            break
        shutil.rmtree(directory, ignore_errors=True)
        time.sleep(0.01)
    return 0


def _wake_on_child_end() -> int:
    """A descriptor that becomes readable when a child ends."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reader


def _run(job: Job) -> int:
    wake = _wake_on_child_end()
    for number, command in enumerate(job["commands"], start=1):
        child = _start(command, job)
        order = _watch(child, job, wake, server=number == len(job["commands"]))
        if order:
            _end(child, order["mode"])
            return _leave(order)
        if child.returncode:
            return child.returncode if child.returncode > 0 else 128 - child.returncode
    return 0


def main() -> int:
    """Reads the job and does it; returns the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # we end when the parent does, not before; a handler, since the server would inherit SIG_IGN
        signal.signal(number, lambda *_: None)
    line = _read_line()
    if not line.endswith(b"\n"):
        return _leave(_PARENT_GONE)
    message = json.loads(line)
    if "commands" not in message:
        return _leave(message)  # told to end before there was a job
    try:
        return _run(message)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
