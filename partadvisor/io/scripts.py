"""Reading the scripts to review: files, folders of them, or standard input."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from partadvisor.model.base import Value
from partadvisor.model.errors import UsageError

_SKIPPED = frozenset((".git", ".venv", "node_modules", "__pycache__"))


class Script(Value, frozen=True, kw_only=True):
    """A script's text under the path to show. ``encoding`` is what it was read as."""

    file: str
    text: str
    encoding: str = "utf-8"


def read_scripts(paths: tuple[str, ...], *, exclude: tuple[str, ...] = (), stdin_name: str = "") -> Iterator[Script]:
    """The scripts of files, of folders (every ``*.sql`` below), and of ``-``, each path once.

    Raises:
        UsageError: a path does not exist or cannot be read, or a folder holds no script.
    """
    seen: set[str] = set()
    for given in paths:
        for path in _files(given):
            shown = stdin_name or "stdin" if path == "-" else _shown(path)
            if shown in seen or any(fnmatch(shown, pattern) for pattern in exclude):
                continue
            seen.add(shown)
            data = sys.stdin.buffer.read() if path == "-" else _read(Path(path))
            yield _decoded(shown, data)


def _files(given: str) -> list[str]:
    path = Path(given)
    if given == "-" or not path.is_dir():
        return [given]
    found = sorted(p for p in path.rglob("*.sql") if p.is_file() and not _SKIPPED.intersection(p.parts))
    if not found:
        raise UsageError(f'no script in "{given}"', detail="The folder holds no file that ends in .sql.")
    return [str(p) for p in found]


def _shown(path: str) -> str:
    """Relative to the working folder where that is possible, with forward slashes."""
    whole, here = Path(path), Path.cwd()
    relative = whole.relative_to(here) if whole.is_absolute() and whole.is_relative_to(here) else whole
    return relative.as_posix()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).rstrip(".")
        raise UsageError(f'could not read script "{path}"', detail=f"{reason}.") from error


def _decoded(file: str, data: bytes) -> Script:
    """UTF-8, or UTF-16 with its mark; anything else byte by byte, which reads all but the letters right."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return Script(file=file, text=data.decode("utf-16"), encoding="utf-16")
        except UnicodeDecodeError:
            return Script(file=file, text=data.decode("latin-1"), encoding="latin-1")
    try:
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
        return Script(file=file, text=data.decode(encoding), encoding=encoding)
    except UnicodeDecodeError:
        return Script(file=file, text=data.decode("latin-1"), encoding="latin-1")
