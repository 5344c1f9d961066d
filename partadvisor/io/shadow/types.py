"""Types and collations that the scratch server lacks: extensions where it has them, else stand-ins.

A snapshot holds no definitions of types. A domain becomes a domain over its base type; an enum or a type of an unknown
extension becomes a domain over text, so that casts and comparisons in statements still work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import psycopg

from partadvisor.io.connect import Connection
from partadvisor.model.catalog import Column, Relation
from partadvisor.pg.quote import quote_ident, quote_literal

_MODIFIER = re.compile(r"\(\d+(,-?\d+)?\)")
_OWN_NAME = re.compile(r'^(?:(?P<schema>"(?:[^"]|"")+"|[a-z_][\w$]*)\.)?(?:"(?:[^"]|"")+"|[a-z_][\w$]*)$')


def make_extensions(superuser: Connection, extensions: Iterable[str], relations: Sequence[Relation]) -> None:
    """Makes the extensions that the scratch server has, in the schema their type is used in."""
    rows = superuser.execute("SELECT name FROM pg_catalog.pg_available_extensions").fetchall()
    available = {name for (name,) in rows} - {"plpgsql"}
    types = {_bare(c.base_type) for r in relations for c in r.columns}
    for name in sorted(available & set(extensions)):
        schema = next((t.rpartition(".")[0] for t in types if t.rpartition(".")[2] == name and "." in t), "public")
        quoted = schema if schema.startswith('"') else quote_ident(schema)
        superuser.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted}".encode())
        superuser.execute(f"CREATE EXTENSION IF NOT EXISTS {quote_ident(name)} SCHEMA {quoted} CASCADE".encode())


def make_types(connection: Connection, relations: Sequence[Relation]) -> list[str]:
    """Makes domains for the unknown types of the relations' columns; names those of which nothing is known."""
    bases = {_bare(c.type): _bare(c.base_type) for r in relations for c in r.columns}
    unknown = _unknown(connection, "to_regtype", [*bases, *bases.values()])
    stand_ins = []
    for name, base in sorted(bases.items()):
        if name not in unknown or not _OWN_NAME.match(name):
            continue
        known_base = base != name and base not in unknown
        if not known_base:
            stand_ins.append(name)
        _make_domain(connection, name, base if known_base else "text")
    return stand_ins


def column_type(connection: Connection, columns: Iterable[Column]) -> Mapping[str, str]:
    """For each declared type what to declare here: itself, or text when no stand-in could be made."""
    types = {c.type for c in columns}
    unknown = _unknown(connection, "to_regtype", types)
    return {t: "text" if t in unknown else t for t in types}


def unknown_collations(connection: Connection, columns: Iterable[Column]) -> set[str]:
    """Collations that this server lacks."""
    return _unknown(connection, "to_regcollation", {c.collation for c in columns if c.collation})


def _make_domain(connection: Connection, name: str, base: str) -> None:
    found = _OWN_NAME.match(name)
    schema = found["schema"] if found else None
    if schema:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
    try:
        connection.execute(f"CREATE DOMAIN {name} AS {base}".encode())
    except psycopg.errors.DuplicateObject:
        return  # its name was listed with two base types


def _unknown(connection: Connection, function: str, names: Iterable[str]) -> set[str]:
    wanted = sorted(set(names))
    listed = ", ".join(quote_literal(n) for n in wanted)
    if not wanted:
        return set()
    query = f"SELECT n FROM unnest(ARRAY[{listed}]) AS n WHERE {function}(n) IS NULL"  # noqa: S608  (quoted)
    return {name for (name,) in connection.execute(query.encode()).fetchall()}


def _bare(type_text: str) -> str:
    """A type without modifiers and array brackets."""
    return " ".join(_MODIFIER.sub("", type_text).replace("[]", "").split())
