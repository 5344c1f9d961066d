"""The demonstration inside the walkthrough: a scratch server under load that lives until the program ends."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from pathlib import Path

from partadvisor.tui.work import Report, Stop

_CLIENTS = 32
_WARM_UP_SECONDS = 3.0


class Demo:
    """Started in a worker, closed when the program ends; ``dsn`` is the server's."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._lock = threading.Lock()
        self.dsn: str | None = None

    def start(self, report: Report, stop: Stop) -> str:
        """The DSN of the server; started with its load at the first call."""
        from partadvisor.io.binaries import find_binaries
        from partadvisor.io.demo.regimes import REGIMES
        from partadvisor.io.demo.shop import Shop

        with self._lock:
            if self.dsn is None:
                report("starting a scratch PostgreSQL", None)
                folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="partadvisor-demo-")))
                shop = self._stack.enter_context(Shop(find_binaries(), REGIMES["extension"]))
                report("loading the order-entry schema", None)
                shop.load_schema()
                load = self._stack.enter_context(shop.clients(folder / "load", _CLIENTS))
                report(f"{_CLIENTS} clients start ordering", None)
                _wait(_WARM_UP_SECONDS, stop)
                load.check()
                self.dsn = shop.dsn
            return self.dsn

    def close(self) -> None:
        """Stop the load and the server, and remove their files."""
        with self._lock:
            self._stack.close()
            self.dsn = None


def _wait(seconds: float, stop: Stop) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stop():
        time.sleep(0.1)
