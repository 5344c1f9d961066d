"""The feasibility rules as data: ``rules/feasibility/*.toml``, each with its text, reason, fix and examples."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

from partadvisor.pg import knowledge

_TOPICS = ("keys", "types", "relations", "statements")


@dataclass(frozen=True, slots=True)
class FeasibilityRule:
    """One rule. ``text`` and ``fix`` are templates; ``since`` and ``until`` are majors, both inclusive.

    ``bad`` is SQL that the newest server refuses with ``sqlstate``, ``good`` its legal counterpart.
    """

    id: str
    slug: str
    title: str
    severity: Literal["blocker", "warning"]
    text: str
    fix: str
    why: str
    source: str
    since: int = 0
    until: int = 999
    bad: str = ""
    good: str = ""
    sqlstate: str = ""

    def applies_to(self, major: int) -> bool:
        """Whether the rule holds on that major version."""
        return self.since <= major <= self.until


@functools.cache
def feasibility_rules() -> dict[str, FeasibilityRule]:
    """All rules by id."""
    entries = (entry for topic in _TOPICS for entry in knowledge.load(f"feasibility/{topic}.toml")["rule"])
    return {entry["id"]: FeasibilityRule(**entry) for entry in entries}
