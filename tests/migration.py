"""What the tests of migrations share: plans from a live server, dumps to compare, rows as multisets."""

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg

from partadvisor.io.binaries import find_binaries
from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from partadvisor.io.plan_files import write_plan
from partadvisor.model.plan import MigrationPlan
from partadvisor.pg.quote import quote_ident, quote_qualified
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.planner.plan import plan_migration

ROLES = ("pa_app", "pa_reader", "pa_owner")


def run(dsn: str, sql: str) -> list[tuple[Any, ...]]:
    """Statements in autocommit; the rows of the last one that has any."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(sql.encode())
        rows: list[tuple[Any, ...]] = []
        while True:
            if cursor.description:
                rows = cursor.fetchall()
            if not cursor.nextset():
                return rows


def make_roles(dsn: str) -> None:
    """Roles belong to the whole server; tests share it."""
    for role in ROLES:
        run(dsn, f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$")


def make_plan(dsn: str, table: str, scheme: str, directory: Path, strategy: str | None = None) -> MigrationPlan:
    """Collects, plans and writes the plan's files; unless asked, never by the rewrite that suits small tables."""
    snapshot, parsed = collect(dsn, CollectOptions(duration=0)), parse_scheme(scheme)
    usual = "ahead" if parsed.is_ahead else "copy"
    plan = plan_migration(snapshot, table, parsed, strategy or usual)
    write_plan(plan, directory)
    return plan


def rows_of(dsn: str, table: str) -> Counter[str]:
    """All rows as text, with their multiplicity. ``table`` is quoted."""
    return Counter(str(row[0]) for row in run(dsn, f"SELECT t::text FROM {table} t"))


def program(name: str) -> str:
    """A client program of the embedded installation; the other majors come without, and it serves them all."""
    return str(find_binaries().program(name))


def dump(dsn: str) -> str:
    """Schema of everything but the migration's own."""
    command = [program("pg_dump"), "--schema-only", "--exclude-schema=partadvisor*", f"--dbname={dsn}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def statements(text: str) -> list[str]:
    """The statements of a dump, without comments, in sorted order: a dump orders equal kinds by OID."""
    kept = [line for line in text.splitlines() if not line.startswith(("--", "\\restrict", "\\unrestrict"))]
    return sorted(part.strip() for part in "\n".join(kept).split(";\n") if part.strip())


def load(dsn: str, text: str) -> None:
    """Runs a script by psql; any error fails the test. Older servers do not know all settings of a dump."""
    text = text.replace("SET transaction_timeout = 0;\n", "")
    command = [program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", dsn]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def built_directly(text: str, schema: str, table: str, key: str, parts: list[tuple[str, str]]) -> str:
    """A dump of the plain table, edited into one that makes the partitioned table from the start.

    ``parts`` are plain names and bounds of leaves. Storage parameters move to the leaves.
    """
    name = _dumped_name(schema, table)
    pattern = rf"(CREATE TABLE {re.escape(name)} \(\n.*?\n\))(\nWITH \([^\n]*\))?;\n"
    found = re.search(pattern, text, re.DOTALL)
    assert found, f"no {name} in the dump"
    storage = found[2] or ""
    made = f"{found[1]}\nPARTITION BY {key};\n"
    for part, bound in parts:
        made += f"CREATE TABLE {quote_qualified(schema, part)} PARTITION OF {name} {bound}{storage};\n"
    text = text[: found.start()] + made + text[found.end() :]
    text = re.sub(rf"ALTER TABLE ONLY {re.escape(name)}(?=\s)", f"ALTER TABLE {name}", text)
    everywhere = [name, *(quote_qualified(schema, part) for part, _ in parts)]
    for line in re.findall(
        rf"ALTER TABLE {re.escape(name)} (?:OWNER TO|REPLICA IDENTITY (?:FULL|NOTHING))[^\n]*;", text
    ):
        each = [line.replace(f"ALTER TABLE {name} ", f"ALTER TABLE {target} ") for target in everywhere]
        text = text.replace(line, "\n".join(each))
    return text


def _dumped_name(schema: str, table: str) -> str:
    """As pg_dump writes it: quoted only where needed."""
    return ".".join(n if re.fullmatch("[a-z_][a-z0-9_]*", n) else quote_ident(n) for n in (schema, table))
