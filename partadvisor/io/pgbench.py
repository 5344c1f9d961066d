"""Client load by ``pgbench``: it holds many clients busy with little CPU and logs every transaction.

The log gives throughput and latency of any window afterwards, so one run can be measured before, during and after
a migration without stopping the clients.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from partadvisor.io.server import SUPERUSER, Server
from partadvisor.model.base import Value
from partadvisor.model.errors import CheckFailed

_LOG_PREFIX = "transactions"
_ENDLESS_SECONDS = 24 * 3600
_ERROR_LINES = 8


class Latencies(Value, frozen=True, kw_only=True):
    """Transactions that ended within a window: their number a second, and latency percentiles in ms."""

    tps: float
    p50: float
    p95: float
    p99: float
    longest: float


class Load:
    """``clients`` sessions that run ``scripts`` until ``stop``.

    Args:
        server: where to.
        database: its database.
        scripts: pgbench scripts with their weights (whole numbers from 1 on).
        folder: where the transaction logs and messages go; made when absent.
        clients: concurrent sessions.
        variables: pgbench ``-D`` variables.
        threads: pgbench worker threads.
        user: role that the sessions connect as.
    """

    def __init__(
        self,
        server: Server,
        database: str,
        scripts: Mapping[Path, int],
        folder: Path,
        *,
        clients: int,
        variables: Mapping[str, int] | None = None,
        threads: int = 1,
        user: str = SUPERUSER,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder.resolve()
        self._errors = self._folder / "pgbench.err"
        defined = [word for name, value in (variables or {}).items() for word in ("-D", f"{name}={value}")]
        self._command = [
            str(server.program("pgbench")), "-n", "-M", "prepared", *_files(scripts), "-c", str(clients),
            "-j", str(threads), "-T", str(_ENDLESS_SECONDS), "-l", "--log-prefix", _LOG_PREFIX, *defined,
            server.dsn(database, user),
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,  # Ctrl-C in the terminal is for us; we then stop it
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def check(self) -> None:
        """See that all clients still run.

        Raises:
            CheckFailed: a client met an error; the detail has pgbench's words.
        """
        errors = self._errors.read_text(errors="replace").strip()
        failed = [line for line in errors.splitlines() if "error:" in line or "aborted" in line]
        if failed or (self._process is not None and self._process.poll() is not None):
            raise CheckFailed("a client of the load failed", detail="\n".join((failed or [errors])[-_ERROR_LINES:]))

    def stop(self) -> None:
        """End all clients; transactions under way are rolled back by the server."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def latencies(self, start: float, end: float) -> Latencies:
        """What ended between two moments (``time.time()`` seconds), by the transaction logs written so far.

        Raises:
            CheckFailed: nothing ended in that window.
        """
        found = sorted(self._ended_between(start, end))
        if not found:
            raise CheckFailed("the load finished no transaction in the measured window")
        return Latencies(
            tps=len(found) / (end - start),
            p50=_percentile(found, 0.50),
            p95=_percentile(found, 0.95),
            p99=_percentile(found, 0.99),
            longest=found[-1],
        )

    def _ended_between(self, start: float, end: float) -> list[float]:
        found = []
        for log in self._folder.glob(f"{_LOG_PREFIX}.*"):
            with log.open("rb") as lines:
                for line in lines:
                    # client, transaction, latency in µs, script, epoch s, µs; the last line may be cut short
                    fields = line.split()
                    if line.endswith(b"\n") and start <= int(fields[4]) + int(fields[5]) / 1e6 < end:
                        found.append(int(fields[2]) / 1000)
        return found


def _files(scripts: Mapping[Path, int]) -> list[str]:
    return [word for file, weight in scripts.items() for word in ("-f", f"{file}@{weight}")]


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def wait_for_log() -> None:
    """Wait a moment: pgbench writes its log through a buffer, which a busy client soon fills."""
    time.sleep(1.0)
