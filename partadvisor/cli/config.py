"""Settings of a project: ``[tool.partadvisor]`` of ``pyproject.toml``, or ``partadvisor.toml``.

The nearest file upwards from the working folder counts, as linters are used to.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from partadvisor.model.errors import UsageError


class ReviewConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """``[review]``. ``exclude`` are patterns of paths as in ``fnmatch``; ``severity`` is by rule id."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    severity: dict[str, Literal["error", "warning", "info"]] = {}
    fail_on: Literal["error", "warning", "never"] | None = None
    baseline: str | None = None
    snapshot: str | None = None
    schema: str | None = None
    in_transaction: bool | None = None
    max_locks_per_transaction: int | None = None
    rules_url: str | None = None


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """All settings. ``target_pg`` is a major, or a range ``"14-17"``."""

    target_pg: int | str | None = None
    review: ReviewConfig = ReviewConfig()


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The settings and the file they come from; None when there is none. Relative paths start at its folder."""

    config: Config
    path: Path | None

    def resolve(self, name: str) -> Path:
        """A path that the file gives."""
        return Path(name) if self.path is None else self.path.parent / name


def find(start: Path) -> Found:
    """The settings that hold in a folder.

    Raises:
        UsageError: the file cannot be read, or holds a setting that does not exist.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        own = folder / "partadvisor.toml"
        if own.is_file():
            return Found(config=_config(_toml(own), own), path=own)
        shared = folder / "pyproject.toml"
        if shared.is_file():
            table = _toml(shared).get("tool", {}).get("partadvisor")
            if table is not None:
                return Found(config=_config(table, shared), path=shared)
    return Found(config=Config(), path=None)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f'"{path}" is not TOML', detail=f"{error}.") from error


def _config(table: Any, path: Path) -> Config:
    try:
        return msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        raise UsageError(f'invalid setting in "{path}"', detail=f"{error}.", hint=_nearest(str(error))) from error


def _nearest(message: str) -> str | None:
    unknown = re.search(r"unknown field `([^`]+)`", message)
    if unknown is None:
        return None
    inside = ReviewConfig if "$.review" in message else Config
    names = [f.encode_name for f in msgspec.structs.fields(inside)]
    near = difflib.get_close_matches(unknown[1], names, n=1)
    return f"Did you mean {near[0]}?" if near else f"Settings there are: {', '.join(names)}."


def versions(text: int | str) -> tuple[int, int]:
    """``16`` or ``"14-17"`` as oldest and newest major.

    Raises:
        UsageError: it is neither.
    """
    found = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", str(text))
    oldest, newest = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not found or not 10 <= oldest <= newest <= 99:
        raise UsageError(f'"{text}" is no target version', hint="Give a major such as 16, or a range such as 14-17.")
    return oldest, newest
