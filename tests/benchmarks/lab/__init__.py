"""The lab: an honest way to make extension, flush and read dear on a machine with two cores.

A small library, built with gcc where that is present, is loaded into the server and delays the file calls.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partadvisor.model.base import Value

_SOURCE = Path(__file__).with_name("slow_io.c")


class Delays(Value, frozen=True, kw_only=True):
    """Microseconds that a call sleeps before it does its work; ``extend_page`` for each page added."""

    extend: int = 0
    extend_page: int = 0
    sync: int = 0
    read: int = 0


class SlowIo:
    """The built library and the file it reads its delays from; ``folder`` must be readable by the server."""

    def __init__(self, folder: Path) -> None:
        self._library = folder / "slow_io.so"
        self._delays = folder / "delays"
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", str(self._library), str(_SOURCE), "-ldl"], check=True)
        self.set(Delays())
        self._delays.chmod(0o644)

    @contextmanager
    def loaded(self) -> Iterator[None]:
        """A server started in this block has the library; programs started by us meanwhile have it too."""
        ours = {"LD_PRELOAD": str(self._library), "PARTADVISOR_LAB": str(self._delays)}
        before = {name: os.environ.get(name) for name in ours}
        os.environ.update(ours)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def set(self, delays: Delays) -> None:
        """From now on; running sessions take part at once."""
        packed = struct.pack("=4I", delays.extend, delays.extend_page, delays.sync, delays.read)
        with self._delays.open("r+b" if self._delays.exists() else "wb") as file:
            file.write(packed)


def can_be_built() -> bool:
    """Whether there is a compiler."""
    return shutil.which("gcc") is not None
