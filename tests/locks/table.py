"""From what was observed to the lock table: one entry a form that all its cases agree on, or contradictions."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from partadvisor.lint.lock_roles import roles, stand_in
from tests.locks.cases import Case
from tests.locks.graph import Node
from tests.locks.observe import Observed

NONE: tuple[str, ...] = ()
T = TypeVar("T")


class ByRole(msgspec.Struct, frozen=True, kw_only=True):
    """One case on one version, with relations replaced by their roles. ``partly``: only some of that role."""

    locks: dict[str, tuple[str, ...]]
    scanned: dict[str, bool]
    rewritten: dict[str, bool]
    partly: frozenset[str]


class Contradiction(Exception):
    """Relations of one role, or cases of one form, are not treated alike."""


def by_role(case: Case, schema: str, seen: Observed, graph: Mapping[str, Node]) -> ByRole:
    """Every relation that the roles reach, locked or not.

    Raises:
        Contradiction: a relation that no role reaches is locked, or two of one role are not treated alike.
    """
    anchors = {role: [f"{schema}.{name}"] for role, name in case.anchors.items()}
    given = roles(anchors, lambda name: graph[name].edges if name in graph else {})
    stray = [name for name, modes in seen.locks.items() if name not in given and _told(modes, graph[name].kind)]
    if stray:
        raise Contradiction(f"no role reaches {stray}, locked {seen.locks[stray[0]]}")
    some = frozenset(role for role in case.some.split(";") if role)
    locks: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for name, role in given.items():
        locks[role].add(_told(seen.locks.get(name, NONE), graph[name].kind))
    partly = frozenset(role for role in some if NONE in locks[role] and len(locks[role]) > 1)
    for role in partly:
        locks[role].discard(NONE)
    mixed = {role: modes for role, modes in locks.items() if len(modes) > 1}
    if mixed:
        raise Contradiction(f"not alike: {mixed}")
    stored = {name: role for name, role in given.items() if not graph[name].kind.startswith("partitioned")}
    return ByRole(
        locks={role: next(iter(modes)) for role, modes in locks.items()},
        scanned=_any(stored, seen.scanned),
        rewritten=_any(stored, seen.rewritten),
        partly=partly,
    )


def _told(modes: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """ACCESS SHARE on an index says no more than that the planner looked at it; it depends on the plan."""
    return NONE if "index" in kind and modes == ("ACCESS SHARE",) else modes


def _any(given: Mapping[str, str], names: frozenset[str]) -> dict[str, bool]:
    found: dict[str, bool] = dict.fromkeys(given.values(), False)
    for name in names:
        found[given[name]] = True
    return found


class Entry(msgspec.Struct, kw_only=True):
    """A form, by major: locks by role, roles scanned, rewritten and only partly locked, the server's refusal."""

    form: str
    example: str
    topic: str
    outside: bool
    cases: int = 0
    locks: dict[int, dict[str, tuple[str, ...]]] = msgspec.field(default_factory=dict)
    scans: dict[int, dict[str, bool]] = msgspec.field(default_factory=dict)
    rewrites: dict[int, dict[str, bool]] = msgspec.field(default_factory=dict)
    partly: dict[int, set[str]] = msgspec.field(default_factory=dict)
    refused: dict[int, str] = msgspec.field(default_factory=dict)


def add(entry: Entry, major: int, case: Case, seen: ByRole) -> None:
    """Merges a case into its form's entry.

    Raises:
        Contradiction: an earlier case of the form was treated otherwise.
    """
    entry.cases += 1
    partly = entry.partly.setdefault(major, set())
    partly |= seen.partly
    _agree("locks", entry.locks.setdefault(major, {}), seen.locks)
    _agree("rewrites", entry.rewrites.setdefault(major, {}), seen.rewritten)
    scans = entry.scans.setdefault(major, {})
    if not case.scans_vary and case.topic != "rows":
        _agree("scans", scans, seen.scanned)
    for role, is_so in seen.scanned.items():
        scans[role] = is_so or scans.get(role, False)


def _agree(what: str, known: dict[str, T], found: Mapping[str, T]) -> None:
    for role, value in found.items():
        if known.setdefault(role, value) != value:
            raise Contradiction(f"{what} of {role}: {known[role]} before, now {value}")


def write(entries: Iterable[Entry], topic: str) -> str:
    """The text of one file of ``rules/locks/``."""
    head = (
        f"# Locks of statement forms: {topic}. Measured on real servers and written by: python -m tests.locks write\n"
    )
    return head + "".join(_section(entry) for entry in entries)


def _section(entry: Entry) -> str:
    majors = sorted(entry.locks) or sorted(entry.refused)
    lines = [
        f"\n[{entry.form}]",
        f"example = {json.dumps(entry.example)}",
        f'versions = "{_range(majors)}"',
    ]
    if entry.outside:
        lines.append("transaction = false")
    if entry.refused:
        lines.append(f"refused = {_ranges(entry.refused)}")
    lines += _table("locks", {m: {r: " + ".join(v) for r, v in t.items() if v} for m, t in entry.locks.items()})
    lines += _table("scans", {m: {r: "yes" for r, v in t.items() if v} for m, t in entry.scans.items()}, entry)
    lines += _table("rewrites", {m: {r: "yes" for r, v in t.items() if v} for m, t in entry.rewrites.items()})
    unlocked = _unlocked(entry)
    if unlocked:
        lines.append(f"unlocked = {json.dumps(unlocked)}")
    partly = sorted({role for roles_ in entry.partly.values() for role in roles_})
    if partly:
        lines.append(f"partly = {json.dumps(partly)}")
    return "\n".join(lines) + "\n"


def _unlocked(entry: Entry) -> list[str]:
    """Roles that another would stand in for, if they had not been seen to be left alone."""
    seen = {role for roles_ in entry.locks.values() for role in roles_}
    locked = {role for roles_ in entry.locks.values() for role, modes in roles_.items() if modes}
    return sorted(role for role in seen - locked if stand_in(role, locked) != role)


def _table(name: str, by_major: dict[int, dict[str, str]], entry: Entry | None = None) -> list[str]:
    if entry is not None and entry.topic == "rows":
        return []
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for major, table in by_major.items():
        for role, value in table.items():
            found[role][major] = value
    if name == "locks":
        return [f"locks.{json.dumps(role)} = {_ranges(values)}" for role, values in found.items()]
    words = [f"{json.dumps(role)} = {json.dumps(_range(sorted(values)))}" for role, values in found.items()]
    return [f"{name} = {{ {', '.join(words)} }}"] if words else []


def _ranges(values: dict[int, str]) -> str:
    """``{ "11" = "A", "12-18" = "B" }``: neighbouring majors with the same value are one range."""
    runs: list[tuple[list[int], str]] = []
    for major in sorted(values):
        if runs and runs[-1][1] == values[major] and runs[-1][0][-1] == major - 1:
            runs[-1][0].append(major)
        else:
            runs.append(([major], values[major]))
    return "{ " + ", ".join(f"{json.dumps(_range(run))} = {json.dumps(value)}" for run, value in runs) + " }"


def _range(majors: list[int]) -> str:
    """``11-18``, ``14``; gaps are written with commas."""
    runs: list[list[int]] = []
    for major in majors:
        if runs and runs[-1][-1] == major - 1:
            runs[-1].append(major)
        else:
            runs.append([major])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
