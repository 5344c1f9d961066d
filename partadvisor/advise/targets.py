"""Which tables to advise on: the one that is named, or those that own the queue."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from partadvisor.advise.judge import is_hot
from partadvisor.advise.subject import Use, Uses
from partadvisor.model.catalog import Relation
from partadvisor.model.diagnosis import Diagnosis
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg import knowledge
from partadvisor.pg.scheme_text import fold

_SQL_NAME = re.compile(r'(?:(?P<schema>"(?:[^"]|"")+"|[^\W\d][\w$]*)\s*\.\s*)?(?P<table>"(?:[^"]|"")+"|[^\W\d][\w$]*)')


def find_table(snapshot: Snapshot, name: str) -> Relation:
    """The relation called ``name``, with or without its schema; a partition stands for itself.

    Raises:
        UsageError: there is none, or several.
    """
    exact = snapshot.relation(name)
    if exact is not None:
        return exact
    found = [r for r in snapshot.relations if r.name == name] or _as_sql(snapshot, name)
    if len(found) == 1:
        return found[0]
    if found:
        choices = ", ".join(r.qualified_name for r in found)
        raise UsageError(f'table name "{name}" is ambiguous', detail=f"There are {choices}.", hint="Name its schema.")
    known = {r.qualified_name: r for r in snapshot.relations}
    bare = {r.name: r.qualified_name for r in snapshot.relations}
    near = difflib.get_close_matches(name, known, n=1) or [bare[m] for m in difflib.get_close_matches(name, bare, n=1)]
    hint = f"Did you mean {near[0]}?" if near else "The hot tables are listed without --table."
    if not known:
        raise UsageError(f'table "{name}" does not exist in the snapshot', detail="The snapshot has no table at all.")
    count = "1 relation" if len(known) == 1 else f"{len(known)} relations"
    detail = f"The snapshot has {count}, such as {', '.join(sorted(known)[:5])}."
    raise UsageError(f'table "{name}" does not exist in the snapshot', detail=detail, hint=hint)


def _as_sql(snapshot: Snapshot, name: str) -> list[Relation]:
    """Relations of that name as SQL writes it: ``"My Schema"."Orders"``, ``ORDERS``."""
    parts = _SQL_NAME.fullmatch(name)
    if parts is None:
        return []
    schema, table = (_identifier(parts[group]) if parts[group] else None for group in ("schema", "table"))
    return [r for r in snapshot.relations if r.name == table and schema in (None, r.schema)]


def _identifier(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else fold(text)


def worth_a_look(snapshot: Snapshot, diagnosis: Diagnosis, uses: Uses) -> list[Relation]:
    """Hot tables; without any, the one with most inserts; without measurements those the statements insert into."""
    limits = knowledge.load("advice.toml")
    known = {r.qualified_name: r for r in snapshot.relations}
    present = [w for w in diagnosis.tables if w.table in known]
    hot = [known[w.table] for w in present if is_hot(w, diagnosis)]
    if hot:
        return hot[: int(limits["hot_tables"])]
    if present:
        busiest = max(present, key=lambda w: (w.extension_share, w.inserts_per_second or 0.0))
        return [known[busiest.table]]
    tables = [r for r in snapshot.relations if r.kind in ("table", "partitioned_table") and r.parent is None]
    load = {r.qualified_name: _rows_inserted(uses.get(r.qualified_name, ())) for r in tables}
    told = sorted((r for r in tables if load[r.qualified_name] > 0), key=lambda r: -load[r.qualified_name])
    if told:
        return told[: int(limits["unmeasured_tables"])]
    busy = [r for r in tables if r.activity.inserted > 0]
    return [max(busy, key=lambda r: r.activity.inserted)] if busy else tables[:1] if len(tables) == 1 else []


def _rows_inserted(uses: Sequence[Use]) -> float:
    """Rows inserted, by the texts and weights of the statements; only comparisons between tables count."""
    return sum(
        use.weight * max(1.0, access.rows or use.family.rows_per_call)
        for use in uses
        for access in use.accesses
        if access.role == "insert"
    )
