"""Reads and writes snapshot files: JSON, plain or gzip."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from partadvisor.io import files
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
    files.check_writable(path, "snapshot")


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Writes the whole file or nothing; a name that ends in ``.gz`` is compressed.

    Raises:
        UsageError: the file cannot be written.
    """
    data = snapshot_bytes(snapshot)
    files.write_file(path, gzip.compress(data) if path.suffix == ".gz" else data, "snapshot")


def snapshot_bytes(snapshot: Snapshot) -> bytes:
    """The JSON of a snapshot, one line."""
    return msgspec.json.encode(snapshot) + b"\n"


def read_snapshot(path: Path) -> Snapshot:
    """Reads a snapshot of this version, or of an earlier one, which is upgraded; ``-`` is standard input.

    Raises:
        UsageError: unreadable, truncated, not JSON, not a snapshot, or of a newer version; names the place.
    """
    data = _read(path)
    try:
        plain = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise _not_json(path, data, error) from error
    except RecursionError as error:
        raise UsageError(f'"{path}" is not a snapshot', detail="The JSON nests too deeply.", hint=_HINT) from error
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
        snapshot = msgspec.convert(plain, Snapshot)
    except msgspec.ValidationError as error:
        raise UsageError(f'"{path}" is not a valid snapshot', detail=f"{error}.", hint=_HINT) from error
    _check_trees(path, snapshot)
    return snapshot


def _check_trees(path: Path, snapshot: Snapshot) -> None:
    """A partition that is its own ancestor: readers walk up to the root."""
    parents = {r.qualified_name: r.parent for r in snapshot.relations if r.parent}
    for name in parents:
        above, seen = parents.get(name), {name}
        while above is not None and above not in seen:
            seen.add(above)
            above = parents.get(above)
        if above is not None:
            detail = f'Relation "{name}" is a partition of itself.'
            raise UsageError(f'"{path}" is not a valid snapshot', detail=detail, hint=_HINT)


def _read(path: Path) -> bytes:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
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
