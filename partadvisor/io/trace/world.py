"""The scratch database a script is traced in: made from a schema file, or from a snapshot. It holds no rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import psycopg

from partadvisor.io.connect import Connection
from partadvisor.io.schema_load import load_schema
from partadvisor.io.shadow.schema import Builder
from partadvisor.io.shadow.types import make_extensions
from partadvisor.model.catalog import Relation
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.grants import parse_acl_item
from partadvisor.pg.quote import quote_ident, quote_qualified
from partadvisor.planner.belongings import privileges

_TRIGGERS = "triggers of {} are not made on the scratch server: a snapshot does not hold their functions"


def from_schema(connection: Connection, path: Path, text: str) -> tuple[str, ...]:
    """Loads the schema; what it could not load, as lines ``file:line: …``."""
    loaded = load_schema(connection, path.name, text)
    return tuple(f"not loaded: {problem}" for problem in loaded.problems)


def from_snapshot(connection: Connection, snapshot: Snapshot) -> tuple[str, ...]:
    """Makes the relations of a snapshot with keys, foreign keys, views and privileges; what is missing from them."""
    relations = snapshot.relations
    make_extensions(connection, snapshot.server.extensions, relations)
    builder = Builder(connection)
    builder.build(relations, {})
    notes = [*builder.notes, *_validate(connection, relations), *_privileges(connection, relations)]
    with_triggers = [r.qualified_name for r in relations if r.triggers and r.parent is None]
    return (*notes, *(_TRIGGERS.format(name) for name in with_triggers))


def _validate(connection: Connection, relations: Iterable[Relation]) -> list[str]:
    """The builder leaves all constraints NOT VALID; whether they are decides what ATTACH and SET NOT NULL read."""
    notes = []
    for relation in relations:
        for constraint in relation.constraints:
            if constraint.validated and not constraint.inherited and constraint.kind in ("check", "foreign_key"):
                table = quote_qualified(relation.schema, relation.name)
                notes += _try(connection, f"ALTER TABLE {table} VALIDATE CONSTRAINT {quote_ident(constraint.name)}")
    return notes


def _privileges(connection: Connection, relations: Iterable[Relation]) -> list[str]:
    notes = []
    for relation in relations:
        if not relation.grants:
            continue
        items = [parse_acl_item(item) for item in relation.grants]
        for role in sorted({relation.owner, *(i.grantee for i in items)} - {""}):
            _make_role(connection, role)
        table = quote_qualified(relation.schema, relation.name)
        for statement in privileges(relation, table):
            notes += _try(connection, statement)
    return notes


def _make_role(connection: Connection, role: str) -> None:
    exists = connection.execute("SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = %s", [role]).fetchone()
    if not exists and not re.match("pg_", role):
        connection.execute(f"CREATE ROLE {quote_ident(role)}".encode())


def _try(connection: Connection, statement: str) -> list[str]:
    try:
        connection.execute(statement.encode())
    except psycopg.Error as error:
        if connection.closed or connection.broken:
            raise
        return [f"{statement}: {error.diag.message_primary or error}"]
    return []
