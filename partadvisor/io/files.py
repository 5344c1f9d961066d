"""Writing result files: whole or not at all, and checked before the work rather than after it.

A regular file is replaced by renaming, so that a reader sees the old or the new whole. A symbolic link stays one: the
file it points to is replaced. A device or a pipe is written to as it is; renaming would put a file in its place.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from partadvisor.model.errors import UsageError


def check_writable(path: Path, what: str = "file") -> None:
    """Fail before long work whose result could not be kept.

    Raises:
        UsageError: ``path`` cannot be written: a directory, no such folder, or no permission; ``what`` it would be.
    """
    if path.is_dir():
        raise UsageError(f'could not write {what} "{path}"', detail="It is a directory.", hint="Name a file.")
    try:
        if _is_special(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(None, "Permission denied")
            return
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            return
    except OSError as error:
        raise _unwritable(path, what, error) from error


def write_file(path: Path, data: bytes, what: str = "file") -> None:
    """Write ``data`` to ``path``; on failure an earlier file of that name is left as it was.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        if _is_special(path):
            path.write_bytes(data)
        else:
            _replace(path.resolve(), data)
    except OSError as error:
        raise _unwritable(path, what, error) from error


def _replace(path: Path, data: bytes) -> None:
    """Write a temporary file beside ``path`` and rename it."""
    descriptor, name = tempfile.mkstemp(prefix=".partadvisor.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _unwritable(path: Path, what: str, error: OSError) -> UsageError:
    reason = error.strerror or str(error)
    if isinstance(error, FileNotFoundError):
        reason = f'The folder "{path.parent}" does not exist'
    return UsageError(f'could not write {what} "{path}"', detail=f"{reason}.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def make_folder(path: Path) -> None:
    """Make a folder with those above it; one that is there stays as it is.

    Raises:
        UsageError: it cannot be made, or the name is taken by a file.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f'could not make folder "{path}"', detail=f"{error.strerror}.") from error
