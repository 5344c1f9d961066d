"""Whether ALTER COLUMN … TYPE writes the table anew (``rules/type_changes.toml``)."""

from __future__ import annotations

import re

from partadvisor.pg import knowledge

_FILE = "type_changes.toml"
_MODIFIED = re.compile(r"(?P<name>[^(]+?)\s*(?:\((?P<modifiers>[\d,\s-]+)\)(?P<rest>.*))?")
_MOST = 6
"""Digits of a second's fraction, also of a type that says nothing about them."""


def parts_of(type_text: str) -> tuple[str, tuple[int, ...]]:
    """``character varying(20)``, ``timestamp(3) without time zone``: name and modifiers without idle ones."""
    found = _MODIFIED.fullmatch(type_text.strip())
    if found is None:
        return type_text, ()
    modifiers = tuple(int(m) for m in (found["modifiers"] or "").split(",") if m.strip())
    name = f"{found['name']}{found['rest'] or ''}"
    return name, () if name.startswith("time") and modifiers == (_MOST,) else modifiers


def type_text(name: str, modifiers: tuple[str, ...]) -> str:
    """The type as ``format_type`` prints it."""
    first, space, rest = name.partition(" with") if name.startswith("time") else (name, "", "")
    return f"{first}({','.join(modifiers)}){space}{rest}" if modifiers else name


def rewrites(old: str, new: str, utc: bool = False) -> bool:
    """Whether the table is written anew, for types as ``format_type`` prints them; ``utc``: TimeZone is UTC."""
    (name, had), (other, has) = parts_of(old), parts_of(new)
    data = knowledge.load(_FILE)
    if name == other and had == has:
        return False
    if utc and [name, other] in data["utc"] and not has:
        return False
    if name == other and name in data["growing"] and has:
        return not _grows(name, had, has)
    return has != () or [name, other] not in data["free"]


def _grows(name: str, had: tuple[int, ...], has: tuple[int, ...]) -> bool:
    if name == "numeric":
        scales = [m[1] if len(m) > 1 else 0 for m in (had, has) if m]
        return len(scales) == 2 and scales[0] == scales[1] and has[0] >= had[0]
    if not had:
        return name == "interval" and has[0] >= _MOST
    return has[0] >= had[0]


def telling(new: str) -> bool:
    """Whether the new type alone makes it all but sure that the table is written anew."""
    return parts_of(new)[0] in knowledge.load(_FILE)["telling"]
