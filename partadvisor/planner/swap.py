"""The statements under the exclusive lock, forth and back. Everything in here is a change of the catalog only."""

from __future__ import annotations

from partadvisor.model.catalog import Relation
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner import belongings, foreign_keys, guard, partition_mirror, sync
from partadvisor.planner.names import Names
from partadvisor.planner.partitions import Layout


def drop_triggers(names: Names, table: str) -> list[str]:
    """Our triggers on a table, whichever direction they mirror."""
    events = ("insert", "update", "delete", "truncate")
    return [f"DROP TRIGGER IF EXISTS {names.trigger(event)} ON {table}" for event in events]


def forward_statements(
    snapshot: Snapshot, relation: Relation, layout: Layout, names: Names, major: int, functions: dict[str, str]
) -> list[str]:
    """Locks, applies the last changes, exchanges the tables and carries over all that belongs to them."""
    return [
        guard.assert_seen(names, "new"),
        f"SELECT {names.state('locks')}()",
        guard.assert_ready(names),
        f"SELECT {names.state('reconcile')}(true)",
        *drop_triggers(names, names.source),
        *partition_mirror.drop_triggers(names),
        *exchange(snapshot, relation, layout, names, major),
        *sync.triggers(names, names.source, functions),
    ]


def exchange(
    snapshot: Snapshot, relation: Relation, layout: Layout, names: Names, major: int, *, check_rows: bool = False
) -> list[str]:
    """The tables change places, and all that belongs to the table goes over.

    Foreign keys to other tables are added unchecked, or with ``check_rows`` as valid ones, which reads the new table.
    """
    foreign = foreign_keys.add_outbound_partitioned(relation, names, layout, major)
    if check_rows:
        foreign = foreign_keys.add_outbound_checked(relation, names.source)
    return [
        *belongings.publications(relation, names.source, None),
        *foreign_keys.drop_outbound(relation, names.source, to_itself=True),
        f"ALTER TABLE {names.source} SET SCHEMA {names.old_schema}",
        *(f"ALTER TABLE {names.part_before(part)} SET SCHEMA {names.old_schema}" for part in names.partitions),
        f"ALTER TABLE {names.new} SET SCHEMA {quote_ident(names.schema)}",
        *move_identity(relation, names.old, names.source),
        *_retire(relation, names),
        *belongings.table_comment(relation, names.source),
        *foreign,
        *foreign_keys.drop_inbound(relation),
        *foreign_keys.add_inbound(relation),
        *belongings.extended_statistics(relation, names.old_schema),
        *belongings.triggers(relation, names, layout),
        *belongings.replica_identity(relation, names, layout),
        *belongings.cluster_mark(relation, names),
        *belongings.publications(relation, None, names.source),
        *belongings.privileges(relation, names.source),
        *belongings.row_security(relation, names.source),
        *belongings.views(snapshot, relation),
    ]


def _retire(relation: Relation, names: Names) -> list[str]:
    """The old table only mirrors from now on: no triggers, and its owner sees all its rows."""
    statements = belongings.silence_triggers(relation, names.old, [names.part_after(p) for p in names.partitions])
    if relation.force_row_security:
        statements.append(f"ALTER TABLE {names.old} NO FORCE ROW LEVEL SECURITY")
    return statements


def backward_statements(snapshot: Snapshot, relation: Relation, names: Names) -> list[str]:
    """The old table gets its name back, with every row written since; the other one is dropped afterwards."""
    return [
        guard.assert_seen(names, "old"),
        f"SELECT {names.state('locks_back')}()",
        guard.assert_few_left(names),
        f"SELECT {names.state('back_reconcile')}(true)",
        *drop_triggers(names, names.source),
        *exchange_back(snapshot, relation, names),
    ]


def exchange_back(snapshot: Snapshot, relation: Relation, names: Names) -> list[str]:
    """Undoes :func:`exchange`, except for foreign keys to other tables."""
    force = [f"ALTER TABLE {names.source} FORCE ROW LEVEL SECURITY"] if relation.force_row_security else []
    return [
        *belongings.publications(relation, names.source, None),
        f"ALTER TABLE {names.source} SET SCHEMA {names.new_schema}",
        f"ALTER TABLE {names.old} SET SCHEMA {quote_ident(names.schema)}",
        *(f"ALTER TABLE {names.part_after(p)} SET SCHEMA {quote_ident(p.schema)}" for p in names.partitions),
        *move_identity(relation, names.new, names.source),
        *belongings.views(snapshot, relation),
        *foreign_keys.drop_inbound(relation),
        *foreign_keys.add_inbound(relation),
        *belongings.restore_statistics(relation, names.old_schema),
        *foreign_keys.add_outbound(relation, names.source, to_itself=True),
        *belongings.wake_triggers(relation, names.source, [names.part_before(p) for p in names.partitions]),
        *belongings.publications(relation, None, names.source),
        *force,
    ]


def move_identity(relation: Relation, giver: str, taker: str) -> list[str]:
    """The next value goes on where the other table's sequence is; both are locked here by the renames."""
    return [
        _CONTINUE.format(giver=quote_literal(giver), taker=quote_literal(taker), column=quote_literal(column.name))
        for column in relation.columns
        if column.identity
    ]


_CONTINUE = """DO $partadvisor$
DECLARE last bigint; called boolean;
BEGIN
  EXECUTE format('SELECT last_value, is_called FROM %s', pg_get_serial_sequence({giver}, {column})) INTO last, called;
  PERFORM setval(pg_get_serial_sequence({taker}, {column}), last, called);
END $partadvisor$"""
