"""Which relations a step locks, and how: the facts of ``rules/locks.toml`` applied to one table's surroundings."""

from __future__ import annotations

from typing import Any

from partadvisor.model.base import Value
from partadvisor.model.catalog import Relation
from partadvisor.model.plan import LockImpact
from partadvisor.pg import knowledge
from partadvisor.planner.foreign_keys import other_tables

_FILE = "locks.toml"


class Surroundings(Value, frozen=True, kw_only=True):
    """Plain qualified names of the relations a step may lock, by role."""

    major: int
    roles: dict[str, tuple[str, ...]]


def surroundings(relation: Relation, major: int, partitions: tuple[str, ...] = ()) -> Surroundings:
    """The table with its partitions, what its foreign keys connect, its views and its own sequences."""
    others = other_tables(relation)
    return Surroundings(
        major=major,
        roles={
            "target": (relation.qualified_name, *partitions),
            "referenced": tuple(name for name, role in others if role == "referenced"),
            "referencing": tuple(name for name, role in others if role == "referencing"),
            "view": tuple(d.name for d in relation.dependents if d.kind == "view"),
            "sequence": tuple(c.owned_sequence for c in relation.columns if c.owned_sequence and not c.identity),
        },
    )


def locks_of(form: str, around: Surroundings) -> tuple[LockImpact, ...]:
    """The locks of a statement form on every relation there is of each role."""
    return tuple(
        LockImpact(relation=relation, role=role, mode=mode)
        for role, mode in _fact(form, around.major)["locks"]
        for relation in around.roles.get(role, ())
    )


def blocks_of(form: str, around: Surroundings) -> str:
    """What clients cannot do while the locks are held."""
    return str(_fact(form, around.major)["blocks"])


def _fact(form: str, major: int) -> dict[str, Any]:
    by_version: dict[str, dict[str, Any]] = knowledge.load(_FILE)[form]
    since = max(int(version) for version in by_version if int(version) <= major)
    return by_version[str(since)]
