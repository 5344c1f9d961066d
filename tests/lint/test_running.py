"""How a script runs is told from the script and its path: the tool, its transaction, its ways up and down."""

from __future__ import annotations

import pytest

from partadvisor.lint.context import Context, ScriptContext
from partadvisor.lint.engine import ALL_VERSIONS
from partadvisor.lint.simulate import Simulated, simulate
from partadvisor.lint.tools import running

INDEX = "CREATE INDEX CONCURRENTLY i ON t (a);\n"
TABLE = "ALTER TABLE t ADD COLUMN b int;\n"


@pytest.mark.parametrize(
    ("path", "text", "tool", "sections"),
    [
        ("x.sql", TABLE, "psql", [("", False)]),
        ("db/V1.2__add.sql", TABLE, "flyway", [("", True)]),
        ("db/R__views.sql", TABLE, "flyway", [("", True)]),
        ("db/V3__index.sql", INDEX, "flyway", [("", False)]),
        ("Vacuum__notes.sql", TABLE, "psql", [("", False)]),
        (
            "1_a.sql",
            "-- +goose Up\n" + TABLE + "-- +goose Down\nDROP TABLE x;\n",
            "goose",
            [("up", True), ("down", True)],
        ),
        ("1_a.sql", "-- +goose NO TRANSACTION\n-- +goose Up\n" + INDEX, "goose", [("up", False)]),
        ("1_a.sql", "-- migrate:up\n" + TABLE + "-- migrate:down\n", "dbmate", [("up", True), ("down", True)]),
        ("1_a.sql", "-- migrate:up transaction:false\n" + INDEX, "dbmate", [("up", False)]),
        ("000001_a.up.sql", TABLE + TABLE, "golang-migrate", [("up", True)]),
        ("000001_a.up.sql", INDEX, "golang-migrate", [("up", False)]),
        ("000001_a.down.sql", TABLE + TABLE, "golang-migrate", [("down", True)]),
        ("deploy/a.sql", "-- Deploy shop:a to pg\nBEGIN;\n" + TABLE + "COMMIT;\n", "sqitch", [("up", False)]),
        ("revert/a.sql", "-- Revert shop:a from pg\nBEGIN;\n" + TABLE + "COMMIT;\n", "sqitch", [("down", False)]),
        ("a.sql", "BEGIN;\n\n-- Running upgrade 1 -> 2\n\n" + TABLE + "COMMIT;\n", "alembic", [("", False)]),
        ("a.sql", "BEGIN;\n--\n-- Add field b to t\n--\n" + TABLE + "COMMIT;\n", "django", [("", False)]),
    ],
)
def test_tool_and_transaction(path: str, text: str, tool: str, sections: list[tuple[str, bool]]) -> None:
    found = running(path, text)
    assert found.tool == tool
    assert [(s.name, s.in_transaction) for s in found.sections] == sections
    assert not any(s.in_transaction for s in running(path, text, in_transaction=False).sections)


def run(text: str, path: str = "x.sql") -> Simulated:
    return simulate(path, text, versions=ALL_VERSIONS)


def only(text: str, path: str = "x.sql") -> ScriptContext:
    (script,) = run(text, path).scripts
    return script


def at(script: ScriptContext, beginning: str) -> Context:
    """The statement that begins so."""
    return next(c for c in script.statements if c.facts.text.startswith(beginning))


TIMEOUTS: list[tuple[str, float | None]] = [
    ("SET lock_timeout = '2s'; SELECT 9;", 2000),
    ("SET lock_timeout = 500; SELECT 9;", 500),
    ("SET lock_timeout TO '1min'; RESET lock_timeout; SELECT 9;", None),
    ("SET lock_timeout = 0; SELECT 9;", 0),
    ("SET LOCAL lock_timeout = '2s'; SELECT 9;", None),
    ("BEGIN; SET LOCAL lock_timeout = '2s'; SELECT 9;", 2000),
    ("BEGIN; SET LOCAL lock_timeout = '2s'; COMMIT; SELECT 9;", None),
    ("BEGIN; SET lock_timeout = '2s'; COMMIT; SELECT 9;", 2000),
    ("BEGIN; SET lock_timeout = '2s'; ROLLBACK; SELECT 9;", None),
    ("SET lock_timeout = '1s'; BEGIN; SET LOCAL lock_timeout = '2s'; COMMIT; SELECT 9;", 1000),
    ("BEGIN; SAVEPOINT a; SET lock_timeout = '2s'; ROLLBACK TO a; SELECT 9;", None),
    ("SELECT set_config('lock_timeout', '3s', false); SELECT 9;", 3000),
    ("SELECT set_config('lock_timeout', '3s', true); SELECT 9;", None),
    ("SET lock_timeout = '2s'; DISCARD ALL; SELECT 9;", None),
    ("SET lock_timeout = '2s';\n\\c other\nSELECT 9;", None),
    ("DO $$ BEGIN SET LOCAL lock_timeout = '2s'; END $$; SELECT 9;", None),
    ("DO $$ BEGIN PERFORM set_config('lock_timeout', '2s', false); END $$; SELECT 9;", 2000),
]


@pytest.mark.parametrize(("text", "lock_timeout"), TIMEOUTS)
def test_timeout_in_force(text: str, lock_timeout: float | None) -> None:
    assert at(only(text), "SELECT 9").timeout_ms() == lock_timeout


def test_servers_agree_on_timeouts(db: str) -> None:
    """The same scripts on a real server, asked with SHOW where the statement above stands."""
    import psycopg

    for text, expected in TIMEOUTS:
        if "\\c" in text:
            continue
        with psycopg.connect(db, autocommit=True) as connection:
            for statement in run(text).statements:
                if statement.text == "SELECT 9":
                    query = "SELECT setting::int FROM pg_settings WHERE name = 'lock_timeout'"
                    assert connection.execute(query).fetchone() == (expected or 0,), text
                else:
                    connection.execute(statement.text.encode())


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("SELECT 9;", False),
        ("BEGIN; SELECT 9; COMMIT;", True),
        ("BEGIN; COMMIT; SELECT 9;", False),
        ("BEGIN; COMMIT AND CHAIN; SELECT 9;", True),
        ("START TRANSACTION; ROLLBACK; SELECT 9;", False),
        ("BEGIN; SAVEPOINT s; RELEASE s; SELECT 9;", True),
        ("BEGIN; PREPARE TRANSACTION 'x'; SELECT 9;", False),
        ("\\set AUTOCOMMIT off\nSELECT 1; SELECT 9;", True),
        ("\\set AUTOCOMMIT off\nSELECT 1; COMMIT; SELECT 9;", True),
        ("DO $$ BEGIN PERFORM 1; END $$; SELECT 9;", False),
    ],
)
def test_transaction_block(text: str, inside: bool) -> None:
    assert at(only(text), "SELECT 9").in_transaction == inside


def test_locks_pile_up_until_the_transaction_ends() -> None:
    script = only(
        "BEGIN; ALTER TABLE a ADD COLUMN x int; SAVEPOINT s; ALTER TABLE b ADD COLUMN x int; ROLLBACK TO s; SELECT 1;"
        "COMMIT; SELECT 2;"
    )
    held = {k.relation for k in at(script, "SELECT 1").held_at_least("ACCESS EXCLUSIVE") if k.certain}
    assert held == {"public.a"}
    assert at(script, "SELECT 2").session.held == ()


def test_a_table_of_the_file_is_new_until_it_takes_a_name_in_use() -> None:
    script = only(
        "CREATE TABLE t_new (a int); INSERT INTO t_new SELECT 1; SELECT 1; ALTER TABLE t RENAME TO t_old;"
        "ALTER TABLE t_new RENAME TO t; SELECT 2; CREATE TABLE x (a int); ALTER TABLE x RENAME TO y; SELECT 3;"
    )
    before, after, other = (at(script, f"SELECT {n};"[:-1]) for n in (1, 2, 3))
    assert before.table("t_new").new
    assert not before.table("t_new").empty
    assert not after.table("t").new
    assert not after.table("t_old").new
    assert other.table("y").new
    assert other.table("y").empty


def test_rolled_back_work_leaves_nothing() -> None:
    script = only("BEGIN; CREATE TABLE a (x int); ROLLBACK; SELECT 1;")
    assert not at(script, "SELECT 1").table("a").known


def test_sections_are_sessions_of_their_own() -> None:
    up, down = run(
        "-- +goose Up\nSET lock_timeout = '1s';\nCREATE TABLE a (x int);\n-- +goose Down\nDROP TABLE a;\n"
    ).scripts
    assert (up.section, down.section) == ("up", "down")
    assert down.statements[0].timeout_ms() is None
    assert not down.statements[0].table("a").new


def test_inner_statements_know_where_they_are() -> None:
    text = (
        "DO $$\nBEGIN\n  IF true THEN\n    EXECUTE 'ALTER TABLE a ADD x int';\n  END IF;\n"
        "  ALTER TABLE b ADD x int;\nEND $$;\n"
        "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS 'BEGIN ALTER TABLE c ADD x int; END';\n"
    )
    script = only(text)
    first, second, third = (at(script, f"ALTER TABLE {n}") for n in "abc")
    assert (first.origin, first.conditional) == ("execute", True)
    assert (second.origin, second.conditional) == ("do block", False)
    assert third.origin == "routine"
    for context in (first, second, third):
        span = context.facts.span
        assert text[span.start : span.end] == context.facts.text
        assert context.in_transaction


def test_statement_outside_of_all_sections_is_told() -> None:
    found = run("SELECT 1;\n-- +goose Up\nSELECT 2;\n")
    assert [u.reason for u in found.unread] == ["outside of the parts that the migration tool runs"]
