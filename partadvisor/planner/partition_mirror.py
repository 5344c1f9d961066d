"""Mirrors what clients write to a partition by its own name: the parent's statement triggers do not fire for that.

TRUNCATE of the parent fires the partitions' triggers as well, which then note rows in vain.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.planner import sync
from partadvisor.planner.names import Names

TRUNCATE = "truncate_part"
_WRITES = ("insert", "update", "delete")


def truncate_function(names: Names, pair: sync.Pair) -> str:
    """Statement trigger before a partition is emptied: notes the keys of all its rows."""
    keys = sync.keys_as(pair)
    body = f"""BEGIN
  EXECUTE format($pa$INSERT INTO {names.state("changes")} SELECT {keys} FROM %s$pa$, TG_RELID::regclass);
  RETURN NULL;
END"""
    return sync.plpgsql_function(names.state(TRUNCATE), "", "trigger", body, pair.path, " SECURITY DEFINER")


def triggers(names: Names) -> list[str]:
    """The triggers on every partition."""
    functions = {event: names.state(event) for event in _WRITES}
    statements = []
    for part in names.partitions:
        table = names.part_before(part)
        statements += sync.triggers(names, table, functions)
        statements.append(
            f"CREATE TRIGGER {names.trigger('truncate')} BEFORE TRUNCATE ON {table}\n"
            f"  FOR EACH STATEMENT EXECUTE FUNCTION {names.state(TRUNCATE)}()"
        )
        statements.append(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {names.trigger('truncate')}")
    return statements


def drop_triggers(names: Names) -> list[str]:
    """Undoes :func:`triggers`."""
    return [
        f"DROP TRIGGER IF EXISTS {names.trigger(event)} ON {names.part_before(part)}"
        for part in names.partitions
        for event in (*_WRITES, "truncate")
    ]
