"""What belongs to a table and is not data: privileges, row security, comments, triggers, views, publications.

Every function gives the statements that make ``table`` (quoted) have them; they run inside the swap, when the
new table already has the old one's name, so the catalog's own definition texts apply as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.model.catalog import Policy, Relation, Trigger
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.grants import grant_statements
from partadvisor.pg.quote import quote_ident, quote_idents, quote_literal, quote_qualified
from partadvisor.planner.names import Names
from partadvisor.planner.partitions import Layout


def privileges(relation: Relation, table: str) -> list[str]:
    """Table and column privileges."""
    statements = grant_statements(relation.grants, f"TABLE {table}", relation.owner)
    for column in relation.columns:
        statements += grant_statements(column.grants, f"TABLE {table}", relation.owner, column.name)
    return statements


def row_security(relation: Relation, table: str) -> list[str]:
    """Policies first, then the switches, so that no moment has security without policies."""
    statements = [statement for policy in relation.policies for statement in _policy(policy, table)]
    if relation.row_security:
        statements.append(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    if relation.force_row_security:
        statements.append(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    return statements


def _policy(policy: Policy, table: str) -> Iterator[str]:
    roles = ", ".join("PUBLIC" if role == "public" else quote_ident(role) for role in policy.roles)
    kind = "PERMISSIVE" if policy.permissive else "RESTRICTIVE"
    using = f" USING ({policy.using})" if policy.using else ""
    check = f" WITH CHECK ({policy.check})" if policy.check else ""
    name = quote_ident(policy.name)
    yield f"CREATE POLICY {name} ON {table} AS {kind} FOR {policy.command} TO {roles}{using}{check}"
    if policy.comment:
        yield f"COMMENT ON POLICY {name} ON {table} IS {quote_literal(policy.comment)}"


def table_comment(relation: Relation, table: str) -> list[str]:
    """The table's own comment; those of columns and checks came with LIKE."""
    return [f"COMMENT ON TABLE {table} IS {quote_literal(relation.comment)}"] if relation.comment else []


def triggers(relation: Relation, names: Names, layout: Layout | None) -> list[str]:
    """The user's triggers. Before 15 switching one off does not reach its copies on the partitions."""
    tables = [names.source, *(names.in_schema(part.name) for part in (layout.tree if layout else ()))]
    return [s for trigger in relation.triggers for s in _trigger(trigger, names.source, tables)]


_SWITCH = {"D": "DISABLE", "R": "ENABLE REPLICA", "A": "ENABLE ALWAYS"}


def _trigger(trigger: Trigger, table: str, tables: list[str]) -> Iterator[str]:
    name = quote_ident(trigger.name)
    yield trigger.definition
    switch = _SWITCH.get(trigger.enabled)
    for each in (tables if trigger.row else [table]) if switch else []:
        yield f"ALTER TABLE {each} {switch} TRIGGER {name}"
    if trigger.comment:
        yield f"COMMENT ON TRIGGER {name} ON {table} IS {quote_literal(trigger.comment)}"


def silence_triggers(relation: Relation, table: str, partitions: list[str]) -> list[str]:
    """The retired table mirrors the new one; its triggers must not act a second time."""
    return [
        f"ALTER TABLE {each} DISABLE TRIGGER {quote_ident(trigger.name)}"
        for trigger in relation.triggers
        for each in (table, *(partitions if trigger.row else ()))
    ]


def wake_triggers(relation: Relation, table: str, partitions: list[str]) -> list[str]:
    """Undoes :func:`silence_triggers`."""
    return [
        f"ALTER TABLE {each} {_SWITCH.get(trigger.enabled, 'ENABLE')} TRIGGER {quote_ident(trigger.name)}"
        for trigger in relation.triggers
        if trigger.enabled != "D"
        for each in (table, *(partitions if trigger.row else ()))
    ]


def replica_identity(relation: Relation, names: Names, layout: Layout) -> list[str]:
    """It does not reach partitions by itself; they are what is replicated."""
    kind = relation.replica_identity
    if kind == "default":
        return []
    tables = [names.source, *(names.in_schema(part.name) for part in layout.tree)]
    if kind in {"full", "nothing"}:
        return [f"ALTER TABLE {table} REPLICA IDENTITY {kind.upper()}" for table in tables]
    index = next(i.name for i in relation.indexes if i.replica_identity)
    return [
        f"ALTER TABLE {names.source} REPLICA IDENTITY USING INDEX {quote_ident(index)}",
        _PER_LEAF_INDEX.format(index=quote_literal(names.in_schema(index)), action="REPLICA IDENTITY USING INDEX"),
    ]


def cluster_mark(relation: Relation, names: Names) -> list[str]:
    """The index CLUSTER remembers; only leaves can have one."""
    return [
        _PER_LEAF_INDEX.format(index=quote_literal(names.in_schema(index.name)), action="CLUSTER ON")
        for index in relation.indexes
        if index.clustered
    ]


_PER_LEAF_INDEX = """DO $partadvisor$
DECLARE item record;
BEGIN
  FOR item IN SELECT i.indrelid::regclass AS leaf, c.relname FROM pg_partition_tree({index}) t
    JOIN pg_index i ON i.indexrelid = t.relid JOIN pg_class c ON c.oid = t.relid WHERE t.isleaf LOOP
    EXECUTE format('ALTER TABLE %s {action} %I', item.leaf, item.relname);
  END LOOP;
END $partadvisor$"""


def publications(relation: Relation, old: str | None, new: str | None) -> list[str]:
    """Takes ``old`` out of and puts ``new`` into the publications that name the table."""
    statements = []
    for publication in relation.publications:
        name = quote_ident(publication.name)
        columns = f" ({quote_idents(publication.columns)})" if publication.columns else ""
        where = f" WHERE ({publication.row_filter})" if publication.row_filter else ""
        if old:
            statements.append(f"ALTER PUBLICATION {name} DROP TABLE ONLY {old}")
        if new:
            statements.append(f"ALTER PUBLICATION {name} ADD TABLE ONLY {new}{columns}{where}")
    return statements


def views(snapshot: Snapshot, relation: Relation) -> list[str]:
    """Redefines the views that read the table: their text names it, their stored form points at the old one."""
    return [
        _view(snapshot, dependent.name, dependent.definition or "")
        for dependent in relation.dependents
        if dependent.kind == "view"
    ]


def _view(snapshot: Snapshot, qualified: str, definition: str) -> str:
    view = snapshot.relation(qualified)
    schema, _, name = qualified.partition(".")
    options = ""
    if view is not None:
        schema, name = view.schema, view.name
        words = ", ".join(f"{n} = {quote_literal(v)}" for n, _, v in (o.partition("=") for o in view.options))
        options = f" WITH ({words})" if words else ""
    return f"CREATE OR REPLACE VIEW {quote_qualified(schema, name)}{options} AS\n{definition.rstrip().rstrip(';')}"


def extended_statistics(relation: Relation, old_schema: str) -> list[str]:
    """Moves the old objects aside and makes them again on the new table."""
    statements = []
    for item in relation.extended_statistics:
        schema, _, name = item.name.partition(".")
        target = quote_qualified(schema, name)
        statements += [f"ALTER STATISTICS {target} SET SCHEMA {old_schema}", item.definition]
        if item.target is not None:
            statements.append(f"ALTER STATISTICS {target} SET STATISTICS {item.target}")
        if item.comment:
            statements.append(f"COMMENT ON STATISTICS {target} IS {quote_literal(item.comment)}")
    return statements


def restore_statistics(relation: Relation, old_schema: str) -> list[str]:
    """Undoes :func:`extended_statistics`."""
    statements = []
    for item in relation.extended_statistics:
        schema, _, name = item.name.partition(".")
        statements += [
            f"DROP STATISTICS {quote_qualified(schema, name)}",
            f"ALTER STATISTICS {old_schema}.{quote_ident(name)} SET SCHEMA {quote_ident(schema)}",
        ]
    return statements
