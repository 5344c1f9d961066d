"""What a session holds, and what there is, before and after a statement."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from partadvisor.io.connect import Connection
from partadvisor.model.trace import LostPrivilege
from partadvisor.pg.locks import CONFLICTS, mode_name

_RELATIONS = """
SELECT c.oid::int8, n.nspname || '.' || c.relname, c.relkind::text, c.relfilenode::int8,
  ARRAY(SELECT a.privilege_type || ' ' || CASE a.grantee WHEN 0 THEN 'PUBLIC'
    ELSE pg_catalog.pg_get_userbyid(a.grantee) END
    FROM pg_catalog.aclexplode(c.relacl) a WHERE a.grantee <> c.relowner),
  i.indrelid::int8, pg_catalog.pg_stat_get_xact_numscans(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
WHERE c.oid >= 16384 AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
"""
_HELD = """
SELECT relation::int8, mode FROM pg_catalog.pg_locks
WHERE locktype = 'relation' AND granted AND pid = pg_catalog.pg_backend_pid() AND relation >= 16384
"""
_INDEXES = ("i", "I")
_STORED = ("r", "m")

Held = frozenset[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Seen:
    """A relation: ``kind`` as in ``pg_class``, its file, privileges (``SELECT app``), and sequential scans so far."""

    oid: int
    name: str
    kind: str
    file: int
    privileges: tuple[str, ...]
    table: int | None
    scans: int


@dataclass(frozen=True, slots=True)
class State:
    """All user relations by OID, and the locks the session holds as OID and mode (``SHARE``)."""

    relations: dict[int, Seen]
    held: Held


def look(connection: Connection) -> State:
    """The state now; reads nothing but catalogs."""
    held = frozenset((oid, mode_name(mode)) for oid, mode in connection.execute(_HELD).fetchall())
    rows = connection.execute(_RELATIONS).fetchall()
    return State({row[0]: _seen(*row) for row in rows}, held)


def _seen(oid: int, name: str, kind: str, file: int, privileges: list[str], table: int | None, scans: int) -> Seen:
    return Seen(oid, name, kind, file, tuple(privileges), table, scans)


def rewritten(before: State, after: State) -> tuple[str, ...]:
    """Tables with a new file."""
    return _changed(before, after, "file")


def scanned(before: State, after: State) -> tuple[str, ...]:
    """Tables that were read from end to end."""
    return _changed(before, after, "scans")


def _changed(before: State, after: State, field: str) -> tuple[str, ...]:
    stayed = [(old, after.relations[oid]) for oid, old in before.relations.items() if oid in after.relations]
    names = (old.name for old, new in stayed if old.kind in _STORED and getattr(new, field) != getattr(old, field))
    return tuple(sorted(names))


def created(before: State, after: State) -> tuple[str, ...]:
    """Relations that were not there."""
    return tuple(sorted(seen.name for oid, seen in after.relations.items() if oid not in before.relations))


def lost_privileges(before: State, after: State) -> tuple[LostPrivilege, ...]:
    """By name: clients name a table, so one that takes another's name loses what that had."""
    now = {seen.name: set(seen.privileges) for seen in after.relations.values()}
    return tuple(
        LostPrivilege(relation=old.name, privilege=privilege.partition(" ")[0], role=privilege.partition(" ")[2])
        for old in sorted(before.relations.values(), key=lambda seen: seen.name)
        if old.name in now
        for privilege in old.privileges
        if privilege not in now[old.name]
    )


def telling_locks(held: Iterable[tuple[int, str]], state: State, known: Collection[int]) -> dict[str, set[str]]:
    """Modes by name, of relations in ``known``; without indexes that their table's lock keeps idle anyway."""
    modes: dict[int, set[str]] = {}
    for oid, mode in held:
        if oid in known and oid in state.relations:
            modes.setdefault(oid, set()).add(mode)
    return {state.relations[o].name: m for o, m in modes.items() if not _idle(state.relations[o], m, modes)}


def _idle(seen: Seen, modes: set[str], all_modes: dict[int, set[str]]) -> bool:
    if seen.kind not in _INDEXES:
        return False
    of_table = all_modes.get(seen.table or 0, set())
    return modes == {"ACCESS SHARE"} or all(any(CONFLICTS[m] <= CONFLICTS[t] for t in of_table) for m in modes)
