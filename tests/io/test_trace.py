"""Scripts on a scratch server: what they lock, read, write anew, make and lose, beside what review says."""

from pathlib import Path

import psycopg

from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from partadvisor.io.scripts import Script
from partadvisor.io.trace.run import trace_scripts
from partadvisor.lint.catalog import of_schema, of_snapshot
from partadvisor.lint.context import Versions
from partadvisor.lint.engine import Options, review_text
from partadvisor.lint.scope import Tables
from partadvisor.model.finding import Review
from partadvisor.model.trace import TracedStatement

SCHEMA = """
CREATE ROLE trace_reader;
CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE orders (id bigint NOT NULL, customer_id int REFERENCES customer, at timestamptz NOT NULL, note text,
  PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE orders_10 PARTITION OF orders FOR VALUES FROM ('2026-10-01') TO ('2026-11-01');
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
CREATE TABLE plain (id int, note text);
CREATE TABLE plain_new (id bigint, note text);
GRANT SELECT ON plain TO trace_reader;
CREATE INDEX plain_note ON plain (note);
CREATE VIEW latest AS SELECT id FROM orders;
"""
SCRIPT = """
CREATE TABLE orders_11 PARTITION OF orders FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
BEGIN;
ALTER TABLE plain RENAME TO plain_old;
ALTER TABLE plain_new RENAME TO plain;
COMMIT;
CREATE INDEX CONCURRENTLY plain_id ON plain_old (id);
ALTER TABLE plain_old ALTER id TYPE bigint;
VACUUM plain_old;
ALTER TABLE orders ADD COLUMN x int, ADD CONSTRAINT positive CHECK (id > 0);
DO $$ BEGIN EXECUTE format('ALTER TABLE %I ADD COLUMN x int', 'customer'); END $$;
DROP TABLE orders_10;
TRUNCATE nothing_there;
SELECT 1;
"""
_NOW = Versions(oldest=18, newest=18)


def _review(tables: Tables, text: str = SCRIPT) -> Review:
    said = review_text("m.sql", text, Options(versions=_NOW, tables=tables))
    return Review(target_versions=(18,), files=("m.sql",), findings=said.findings, statements=said.statements)


def _check(statements: tuple[TracedStatement, ...]) -> None:
    by_text = {s.text.split(" FOR VALUES")[0]: s for s in statements}
    created = by_text["CREATE TABLE orders_11 PARTITION OF orders"]
    assert {(k.relation, k.mode) for k in created.locks} == {
        ("public.customer", "SHARE ROW EXCLUSIVE"),
        ("public.orders", "ACCESS EXCLUSIVE"),
        ("public.orders_rest", "ACCESS EXCLUSIVE"),
    }
    assert created.scanned == ("public.orders_rest",)
    assert "public.orders_11" in created.created
    swap = by_text["ALTER TABLE plain_new RENAME TO plain"]
    assert [(p.relation, p.privilege, p.role) for p in swap.lost_privileges] == [
        ("public.plain", "SELECT", "trace_reader")
    ]
    concurrent = by_text["CREATE INDEX CONCURRENTLY plain_id ON plain_old (id)"]
    assert [(k.relation, k.mode) for k in concurrent.locks] == [("public.plain_old", "SHARE UPDATE EXCLUSIVE")]
    assert by_text["ALTER TABLE plain_old ALTER id TYPE bigint"].rewritten == ("public.plain_old",)
    assert [k.mode for k in by_text["VACUUM plain_old"].locks if k.relation == "public.plain_old"] == [
        "SHARE UPDATE EXCLUSIVE"
    ]
    last = statements[-1]
    assert (last.outcome, last.text) == ("failed", "TRUNCATE nothing_there")
    assert last.error == 'relation "nothing_there" does not exist'
    hidden = [s for s in statements if s.differences]
    assert [s.text[:2] for s in hidden] == ["DO"]
    assert [(d.relation, d.said, d.took) for d in hidden[0].differences] == [
        ("public.customer", (), ("ACCESS EXCLUSIVE",))
    ]


def test_from_a_schema_file() -> None:
    trace = trace_scripts(
        [Script(file="m.sql", text=SCRIPT)], _review(of_schema(SCHEMA, _NOW)), schema=(Path("schema.sql"), SCHEMA)
    )
    assert trace.notes == ()
    _check(trace.statements)


def test_from_a_snapshot(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS trace_reader")
        connection.execute(SCHEMA.encode())
    snapshot = collect(db, CollectOptions(duration=0))
    trace = trace_scripts([Script(file="m.sql", text=SCRIPT)], _review(of_snapshot(snapshot)), snapshot=snapshot)
    assert trace.notes == ()
    _check(trace.statements)


def test_a_lock_that_review_names_in_vain_is_a_difference() -> None:
    said = _review(of_schema(SCHEMA, _NOW), "ALTER TABLE plain ADD COLUMN x int;")
    trace = trace_scripts(
        [Script(file="m.sql", text="SELECT 1;\nSELECT 2;\n")],
        Review(
            target_versions=(18,),
            files=("m.sql",),
            statements=tuple(type(s)(file="m.sql", line=1, text="SELECT 1", locks=s.locks) for s in said.statements),
        ),
        schema=(Path("schema.sql"), SCHEMA),
    )
    found = [(s.line, d.relation, d.said, d.took) for s in trace.statements for d in s.differences]
    assert found == [(1, "public.plain", ("ACCESS EXCLUSIVE",), ())]
