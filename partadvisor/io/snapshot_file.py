"""Reads and writes snapshot files: JSON, plain or gzip, written whole or not at all."""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import SNAPSHOT_VERSION, Snapshot

UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""From a version to the function that turns its plain data into the next version's."""

_GZIP_MAGIC = b"\x1f\x8b"
_HINT = "Make it again with: partadvisor collect DSN -o FILE."


def check_writable(path: Path) -> None:
    """Fails before the work rather than after it.

    Raises:
        UsageError: ``path`` cannot be written: no such directory, or no permission.
    """
    if path.is_dir():
        raise UsageError(f'could not write snapshot "{path}"', detail="It is a directory.")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            return
    except OSError as error:
        raise UsageError(f'could not write snapshot "{path}"', detail=f"{error.strerror}.") from error


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Writes a temporary file beside ``path`` and renames it; a name that ends in ``.gz`` is compressed.

    Raises:
        UsageError: the file cannot be written.
    """
    data = msgspec.json.encode(snapshot) + b"\n"
    if path.suffix == ".gz":
        data = gzip.compress(data)
    try:
        _replace(path, data)
    except OSError as error:
        raise UsageError(f'could not write snapshot "{path}"', detail=f"{error.strerror}.") from error


def _replace(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        temporary.chmod(0o644 if not path.exists() else path.stat().st_mode & 0o777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_snapshot(path: Path) -> Snapshot:
    """Reads a snapshot of this version, or of an earlier one, which is upgraded.

    Raises:
        UsageError: unreadable, truncated, not JSON, not a snapshot, or of a newer version; names the place.
    """
    data = _read(path)
    try:
        plain = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise _not_json(path, data, error) from error
    version = plain.get("snapshot_version") if isinstance(plain, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise UsageError(f'"{path}" is not a snapshot', detail='It is JSON, but has no "snapshot_version".', hint=_HINT)
    if version > SNAPSHOT_VERSION:
        raise UsageError(
            f'snapshot "{path}" is of version {version}, newer than this program understands ({SNAPSHOT_VERSION})',
            hint="Upgrade partadvisor, or collect again with this one.",
        )
    while version < SNAPSHOT_VERSION:
        if version not in UPGRADES:
            raise UsageError(f'snapshot "{path}" is of unknown version {version}', hint=_HINT)
        plain = UPGRADES[version](plain)
        version += 1
        plain["snapshot_version"] = version
    try:
        return msgspec.convert(plain, Snapshot)
    except msgspec.ValidationError as error:
        raise UsageError(f'"{path}" is not a valid snapshot', detail=f"{error}.", hint=_HINT) from error


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(_GZIP_MAGIC) else data
    except EOFError as error:
        raise UsageError(
            f'snapshot "{path}" is truncated', detail="The compressed data ends early.", hint=_HINT
        ) from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f'snapshot "{path}" is damaged', detail=f"{error}.", hint=_HINT) from error
    except OSError as error:
        raise UsageError(f'could not read snapshot "{path}"', detail=f"{error.strerror}.") from error


def _not_json(path: Path, data: bytes, error: msgspec.DecodeError) -> UsageError:
    if not data.strip():
        return UsageError(f'snapshot "{path}" is empty', hint=_HINT)
    if "truncated" in str(error):
        detail = f"The JSON ends early, at byte {len(data)}."
        return UsageError(f'snapshot "{path}" is truncated', detail=detail, hint=_HINT)
    return UsageError(f'"{path}" is not a snapshot', detail=f"{error}.", hint=_HINT)
