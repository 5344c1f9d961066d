"""Whatever a script holds, reviewing it ends soon, says something about all of it, and never falls over."""

from __future__ import annotations

import random
import time

import psycopg
import pytest

from partadvisor.lint.engine import FAILED, FileReview, Options, review_text
from partadvisor.lint.simulate import simulate
from partadvisor.sql.grammar import GrammarError, parse_tree
from partadvisor.sql.split import split
from tests.lint.scripts import corpus, mutated

QUICK = 400
LONG = 20_000
MOST_SECONDS = 1.0


def _check(seed: int) -> float:
    """Review one mutated script; the processor time it took."""
    text = mutated(seed)
    began = time.process_time()
    found = review_text(f"db/{seed}.sql", text, Options())
    taken = time.process_time() - began
    _holds_together(text, found)
    _nothing_dropped(text, found)
    return taken


def _holds_together(text: str, found: FileReview) -> None:
    lines = text.count("\n") + 1
    assert not [n for n in found.not_analysed if n.reason.startswith(FAILED)]
    for finding in found.findings:
        assert 1 <= finding.line <= finding.end_line <= lines
        assert finding.column >= 1
        assert finding.message


def _nothing_dropped(text: str, found: FileReview) -> None:
    """Each statement that was cut is among those reviewed or among those not analysed."""
    told = {s.text for s in found.statements}
    outside = {(n.line, n.column) for n in found.not_analysed}
    for statement in split(text).statements:
        assert statement.text in told or (statement.line, statement.column) in outside
    if "\\" in text or "stdin" in text.lower():
        return  # psql's commands and COPY data are no grammar's business
    try:
        counted = len(parse_tree(text).get("stmts", ()))
    except (GrammarError, RecursionError, UnicodeEncodeError):
        return
    if "\0" not in text:
        assert len(split(text).statements) == counted


def _run(seeds: range) -> None:
    slowest = max((_check(seed), seed) for seed in seeds)
    assert slowest[0] < MOST_SECONDS, f"seed {slowest[1]} takes {slowest[0]:.1f} s"


def test_mutated_scripts() -> None:
    _run(range(QUICK))


@pytest.mark.long
def test_many_mutated_scripts() -> None:
    _run(range(QUICK, QUICK + LONG))


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";;;",
        "\ufeff",
        "SELECT " + "(" * 5000 + "1" + ")" * 5000 + ";",
        "SELECT 1" + " + 1" * 30_000 + ";",
        "SELECT 1;" * 3000,
        "'" * 100_001,
        "/*" * 20_000,
        "$$" * 20_001,
        "BEGIN;" * 500,
        "SAVEPOINT s;" * 500 + "ROLLBACK TO s;" * 500,
        "DO $$ BEGIN " + "EXECUTE 'DO $x$ BEGIN END $x$';" * 200 + " END $$;",
        "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM f(); END $$; SELECT f();",
        "CREATE TABLE t (" + ", ".join(f"c{i} int" for i in range(1600)) + ");",
        "CREATE TABLE t (a int); ALTER TABLE t " + ", ".join(f"ADD COLUMN c{i} int" for i in range(1500)) + ";",
        "".join(f"ALTER TABLE t RENAME TO t{i}; ALTER TABLE t{i} RENAME TO t;" for i in range(200)),
        "".join(f"CREATE TABLE p{i} PARTITION OF p FOR VALUES FROM ({i}) TO ({i + 1});" for i in range(400)),
        "ALTER TABLE " + "a" * 100_000 + " ADD b int;",
    ],
    ids=lambda text: repr(text[:30]),
)
def test_extremes(text: str) -> None:
    began = time.process_time()
    found = review_text("x.sql", text, Options())
    assert time.process_time() - began < 5 * MOST_SECONDS
    _holds_together(text, found)
    _nothing_dropped(text, found)


_VALID = (
    "SELECT 1",
    'SELECT \';\', ";".a FROM (SELECT 1 AS a) ";"',
    "SELECT $$;$$, $x$ $$ ; $x$",
    "SELECT E'\\';', U&'\\0041;'",
    "SELECT 1 /* ; /* ; */ ; */ + 1 -- ; \n + 1",
    "DO $$ BEGIN PERFORM 1; PERFORM 2; END $$",
    "CREATE OR REPLACE FUNCTION pg_temp.f() RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN 1; END; $f$",
    "CREATE OR REPLACE FUNCTION pg_temp.g() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END",
    'CREATE TEMP TABLE IF NOT EXISTS "t;" (a int, "case" text DEFAULT \';\')',
    "SELECT '\n;\n', 'a''b;', b'1', x'f', n'x;'",
    "SET search_path = public",
    'SELECT CASE WHEN true THEN 1 ELSE 2 END AS "end"',
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "EXPLAIN SELECT 1",
    "VALUES (1, ';'), (2, $a$;$a$)",
    "SELECT 'begin', 'atomic'",
)
_BETWEEN = (";", ";\n", "; -- done; or not\n", ";;", " ;\n/* ; */\n", ";\r\n", ";\n\n;")


def _valid_script(chance: random.Random) -> str:
    return "".join(chance.choice(_VALID) + chance.choice(_BETWEEN) for _ in range(chance.randrange(1, 12)))


def _counted(connection: psycopg.Connection, text: str) -> int:
    """The statements the server itself found in a text: it answers each with one result."""
    link = connection.pgconn
    link.send_query(text.encode())
    count = 0
    while True:
        while link.is_busy():
            link.consume_input()
        result = link.get_result()
        if result is None:
            return count
        assert result.status in (psycopg.pq.ExecStatus.COMMAND_OK, psycopg.pq.ExecStatus.TUPLES_OK), text
        count += 1


@pytest.mark.parametrize("number", [150, pytest.param(2000, marks=pytest.mark.long)])
def test_as_many_statements_as_the_server_counts(db: str, number: int) -> None:
    chance = random.Random(number)
    with psycopg.connect(db, autocommit=True) as connection:
        for _ in range(number):
            text = _valid_script(chance)
            run = simulate("x.sql", text, versions=Options().versions)
            top = [c for s in run.scripts for c in s.statements if c.origin == "script"]
            assert len(run.statements) == len(top) == _counted(connection, text), text


def test_corpus_is_not_trivial() -> None:
    assert len(corpus()) > 100
    assert len({mutated(seed) for seed in range(200)}) > 190
