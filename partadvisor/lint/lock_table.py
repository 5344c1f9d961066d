"""The lock tables in ``rules/locks/``: what each statement form locks, by role and version.

Only the sections that are asked for are parsed: the tables are large, and a review shall start at once.
"""

from __future__ import annotations

import functools
import re
import tomllib
from typing import Any

from partadvisor.lint.context import Versions
from partadvisor.model.base import Value
from partadvisor.pg.knowledge import rules_directory
from partadvisor.pg.locks import strongest

_SECTION = re.compile(r"^\[(\w+)\]$", re.MULTILINE)
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


class Form(Value, frozen=True, kw_only=True):
    """A statement form, over the versions asked for: modes by role, and roles that are scanned or written anew.

    ``unlocked``: roles that are left alone though others like them are not. ``partly``: roles of which only the
    relations that hold the statement's rows are locked. ``refused`` is the server's message where it always refuses.
    """

    name: str
    locks: dict[str, tuple[str, ...]]
    scans: frozenset[str]
    rewrites: frozenset[str]
    partly: frozenset[str]
    unlocked: frozenset[str]
    transaction: bool
    refused: str = ""


@functools.cache
def form(name: str, versions: Versions) -> Form:
    """What the form does on the versions, the strongest of them where they differ.

    Raises:
        KeyError: there is no such form.
    """
    entry = _entry(name)
    locks = {role: strongest(_values(ranges, versions)) for role, ranges in entry.get("locks", {}).items()}
    return Form(
        name=name,
        locks={role: modes for role, modes in locks.items() if modes},
        scans=_during(entry.get("scans", {}), versions),
        rewrites=_during(entry.get("rewrites", {}), versions),
        partly=frozenset(entry.get("partly", ())),
        unlocked=frozenset(entry.get("unlocked", ())),
        transaction=bool(entry.get("transaction", True)),
        refused="" if "locks" in entry else next(iter(entry.get("refused", {}).values()), ""),
    )


def form_names() -> tuple[str, ...]:
    """Every form there is."""
    return tuple(_sections())


@functools.cache
def _sections() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted((rules_directory() / "locks").glob("*.toml")):
        _, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
        found.update(zip(parts[::2], parts[1::2], strict=True))
    return found


@functools.cache
def _entry(name: str) -> dict[str, Any]:
    return tomllib.loads(_sections()[name])


def _values(ranges: dict[str, str], versions: Versions) -> list[str]:
    return [mode for text, modes in ranges.items() if _meets(text, versions) for mode in modes.split(" + ")]


def _during(table: dict[str, str], versions: Versions) -> frozenset[str]:
    return frozenset(role for role, text in table.items() if _meets(text, versions))


def _meets(text: str, versions: Versions) -> bool:
    """Whether a range such as ``11-13,18`` has one of the versions in it."""
    return any(versions.any(int(low), int(high or low)) for low, high in _RANGE.findall(text))
