"""The locks a statement takes on every relation, those it never names included.

The forms and their modes are measured (``rules/locks/``); here a statement's facts choose the form, and the scope says
which relations play its roles.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Literal, cast

from partadvisor.lint.context import Versions
from partadvisor.lint.lock_alter import alter_uses
from partadvisor.lint.lock_graph import neighbours
from partadvisor.lint.lock_other import other_uses, row_uses
from partadvisor.lint.lock_roles import in_words, roles, stand_in
from partadvisor.lint.lock_table import Form, form
from partadvisor.lint.lock_use import Use
from partadvisor.lint.scope import Scope
from partadvisor.lint.session import Lock
from partadvisor.lint.tables import Table
from partadvisor.model import ddl
from partadvisor.pg.locks import CONFLICTS, strongest

Work = Literal["", "scan", "rewrite", "index build", "wait"]

_UNSEEN = {
    "default partition": "the default partition of {}",
    "partition": "every partition of {}",
    "parent": "the table that {} is a partition of",
    "referenced": "every table that {} references",
    "referencing": "every table that references {}",
    "view": "every view of {}",
    "child": "every table that inherits from {}",
}
"""Relations that are locked if there are any, when nothing is known of the named one."""
_BUILDS = ("create_index", "add_primary_key", "add_unique", "add_exclusion", "reindex")


def locks_of(facts: ddl.Facts, scope: Scope, versions: Versions, position: int) -> tuple[Lock, ...]:
    """Locks of one statement, the strongest over the versions.

    An index is listed where its table is not locked as strongly. Of relations that nothing is known of there is one
    entry a role, not ``certain``, whose ``relation`` is a description.
    """
    found = [k for use in uses(facts, scope) for k in _of_use(use, scope, versions, position)]
    return tuple(_without_idle_indexes(_merged(found), scope))


def uses(facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    """The forms that make up a statement."""
    for action in facts.actions:
        if isinstance(action, ddl.AlterTable):
            yield from alter_uses(action, scope)
        else:
            yield from other_uses(action, facts, scope)
    yield from row_uses(facts, scope)


def _of_use(use: Use, scope: Scope, versions: Versions, position: int) -> Iterator[Lock]:
    entry = form(use.form, versions)
    known = {*entry.locks, *entry.unlocked}
    few = functools.partial(neighbours, scope, crowds=False)
    for relation, role in roles(use.anchors, functools.partial(neighbours, scope), few, known).items():
        measured = stand_in(role, known)
        for mode in entry.locks.get(measured, ()):
            yield Lock(
                relation=relation,
                role=in_words(role),
                mode=cast("ddl.LockMode", mode),
                work=_work(entry, measured),
                statement=position,
                certain=measured not in entry.partly,
            )
    yield from _unseen(use, entry, scope, position)


def _work(entry: Form, role: str) -> Work:
    if role in entry.rewrites:
        return "rewrite"
    if role in entry.scans:
        return "index build" if entry.name.startswith(_BUILDS) else "scan"
    return ""


def _unseen(use: Use, entry: Form, scope: Scope, position: int) -> Iterator[Lock]:
    for anchor, names in use.anchors.items():
        for name in names:
            table = scope.table(name)
            if table.known or table.created is not None or scope.tables.complete:
                continue
            for edge, text in _UNSEEN.items():
                if edge == "default partition" and f"{anchor}/partition" in entry.locks:
                    continue  # it is one of them
                for mode in entry.locks.get(f"{anchor}/{edge}", ()):
                    if "ROW EXCLUSIVE" in CONFLICTS[mode] and not _has(table, edge, scope):
                        yield Lock(
                            relation=text.format(name),
                            role=in_words(f"{anchor}/{edge}"),
                            mode=cast("ddl.LockMode", mode),
                            statement=position,
                            certain=False,
                        )


def _has(table: Table, edge: str, scope: Scope) -> bool:
    if edge == "partition" and set(table.partitions) > {table.default_partition}:
        return True
    if edge == "referencing":
        return bool(table.referenced_by)
    return bool(neighbours(scope, table.name, crowds=False).get(edge))


def _merged(locks: Iterable[Lock]) -> list[Lock]:
    """One entry a relation and mode, the modes that add nothing left out."""
    modes: dict[str, set[str]] = {}
    first: dict[tuple[str, str], Lock] = {}
    for lock in locks:
        modes.setdefault(lock.relation, set()).add(lock.mode)
        key = lock.relation, lock.mode
        known = first.setdefault(key, lock)
        if (lock.work and not known.work) or (lock.certain and not known.certain):
            first[key] = lock
    return [lock for (name, mode), lock in first.items() if mode in strongest(modes[name])]


def _without_idle_indexes(locks: list[Lock], scope: Scope) -> Iterator[Lock]:
    """Who cannot get at a table does not wait for its index."""
    held: dict[str, list[str]] = {}
    for lock in locks:
        held.setdefault(lock.relation, []).append(lock.mode)
    for lock in locks:
        index = None if scope.tables.get(lock.relation) else scope.index(lock.relation)
        if index is None or not any(CONFLICTS[lock.mode] <= CONFLICTS[mode] for mode in held.get(index.table, ())):
            yield lock
