"""The rules against a key as data: ``rules/feasibility`` and ``rules/compatibility``, with text, reason and fix."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, Literal

from partadvisor.model.advice import Effect
from partadvisor.pg import knowledge

_FEASIBILITY = ("keys", "types", "relations")
_COMPATIBILITY = ("statements", "plans")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``text`` and ``fix`` are templates; ``since`` and ``until`` are majors, both inclusive.

    A ``blocker`` rules a key out, a ``change`` is a statement to be changed first whatever the key.
    """

    id: str
    slug: str
    title: str
    severity: Literal["blocker", "change", "warning"]
    text: str
    fix: str
    why: str
    source: str
    since: int = 0
    until: int = 999

    def applies_to(self, major: int) -> bool:
        """Whether the rule holds on that major version."""
        return self.since <= major <= self.until


@dataclass(frozen=True, slots=True)
class FeasibilityRule(Rule):
    """A rule about the table. ``bad`` is SQL that the newest server refuses with ``sqlstate``, ``good`` is legal."""

    bad: str = ""
    good: str = ""
    sqlstate: str = ""


@dataclass(frozen=True, slots=True)
class CompatibilityRule(Rule):
    """A rule about a statement; ``example`` are runs on a plain and a partitioned table with their outcomes."""

    effect: Effect = "fails"
    example: tuple[dict[str, Any], ...] = field(default_factory=tuple)


@functools.cache
def feasibility_rules() -> dict[str, FeasibilityRule]:
    """The rules about tables, by id."""
    entries = (entry for topic in _FEASIBILITY for entry in knowledge.load(f"feasibility/{topic}.toml")["rule"])
    return {entry["id"]: FeasibilityRule(**entry) for entry in entries}


@functools.cache
def compatibility_rules() -> dict[str, CompatibilityRule]:
    """The rules about statements, by id."""
    entries = (entry for topic in _COMPATIBILITY for entry in knowledge.load(f"compatibility/{topic}.toml")["rule"])
    return {entry["id"]: CompatibilityRule(**entry | {"example": tuple(entry["example"])}) for entry in entries}
