"""Writing result files: whole or not at all, and checked before the work rather than after it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from partadvisor.model.errors import UsageError


def check_writable(path: Path) -> None:
    """Fail before long work whose result could not be kept.

    Raises:
        UsageError: ``path`` cannot be written: a directory, no such folder, or no permission.
    """
    if path.is_dir():
        raise UsageError(f'could not write "{path}"', detail="It is a directory.", hint="Name a file.")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            return
    except OSError as error:
        raise UsageError(f'could not write "{path}"', detail=f"{error.strerror}.") from error


def write_file(path: Path, data: bytes) -> None:
    """Write a temporary file beside ``path`` and rename it, so that a reader sees the old or the new whole.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise UsageError(f'could not write "{path}"', detail=f"{error.strerror}.") from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise UsageError(f'could not write "{path}"', detail=f"{error.strerror}.") from error
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
