"""Statements that fail or act differently on a partitioned table: rules find them, and the server agrees."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from partadvisor.advise.checks.plans import PLAN_CHECKS
from partadvisor.advise.checks.statements import STATEMENT_CHECKS
from partadvisor.advise.compatibility import incompatibilities
from partadvisor.advise.requests import requests_by_table
from partadvisor.advise.rulebook import CompatibilityRule, compatibility_rules, feasibility_rules
from partadvisor.advise.scoring import Scorer
from partadvisor.advise.subject import Subject
from partadvisor.io.server import Server
from partadvisor.model.activity import StatementDelta
from partadvisor.model.advice import Incompatibility
from partadvisor.model.catalog import Constraint, Relation, Trigger
from partadvisor.model.diagnosis import GainLimit
from partadvisor.model.snapshot import Statements
from partadvisor.model.workload import Comparison, Operand, QueryFamily
from partadvisor.pg import knowledge
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.sql.names import SchemaNames
from partadvisor.workload.families import build_workload
from tests.advise.builders import column, equals, query, snapshot, subject, table
from tests.majors import MAJORS, ON_MAJORS

ORDERS = table(
    "orders",
    [column("w_id"), column("id"), column("status", "text"), column("note", "text"), column("paid", "boolean")],
    key=("w_id", "id"),
)
KEY = "hash(w_id) into 8"


def findings(who: Subject, scheme: str = KEY) -> list[Incompatibility]:
    scorer = Scorer(who, lambda _: GainLimit(low=1, expected=1, high=1, next_bottleneck="cpu"))
    scored = scorer.score(parse_scheme(scheme))
    return list(incompatibilities(who, scored.scheme, scorer.effects(scored)))


def found(*families: QueryFamily, scheme: str = KEY, relation: Relation = ORDERS, major: int = 18) -> list[str]:
    return sorted({f.rule for f in findings(subject(relation, families=families, major=major), scheme)})


def of_text(*texts: str, relation: Relation = ORDERS, scheme: str = KEY, major: int = 18) -> list[Incompatibility]:
    """What is found when these statements are the whole workload, read as the tool reads them."""
    entries = tuple(
        StatementDelta(query_id=str(n), text=text, calls=100.0, rows=100, total_ms=10.0) for n, text in enumerate(texts)
    )
    taken = snapshot(relation)
    taken = type(taken)(
        **{f: getattr(taken, f) for f in taken.__struct_fields__}
        | {"statements": (Statements(source="file", seconds=10.0, entries=entries),)}
    )
    workload = build_workload(taken.statements, SchemaNames.from_relations(taken.relations))
    requests = requests_by_table(taken, workload)
    who = subject(relation, families=workload.families, major=major, requests=requests.get(relation.qualified_name, ()))
    return findings(who, scheme)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("INSERT INTO orders (w_id, id) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", {"PF401"}),
        ("INSERT INTO orders (w_id, id) VALUES ($1, $2) ON CONFLICT (w_id, id) DO NOTHING", set()),
        ("INSERT INTO orders (w_id, id) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT orders_pkey DO NOTHING", set()),
        ("INSERT INTO orders (w_id, id) VALUES ($1, $2) RETURNING (xmax = 0)", {"PF404", "PF420"}),
        ("UPDATE orders SET note = $1 WHERE w_id = $2 AND id = $3 RETURNING xmin", {"PF424"}),
        (
            "INSERT INTO orders (w_id, id) VALUES ($1, $2) ON CONFLICT (w_id, id) DO UPDATE SET w_id = excluded.w_id",
            set(),
        ),
        ("UPDATE orders SET status = $1, note = $2, paid = $3 WHERE w_id = $4 AND id = $5", {"PF424"}),
        ("DELETE FROM orders WHERE ctid IN (SELECT ctid FROM orders WHERE status = $1 LIMIT 100)", {"PF410"}),
        ("DELETE FROM orders WHERE ctid = ANY (ARRAY(SELECT ctid FROM orders WHERE status = 'x'))", {"PF410"}),
        ("DELETE FROM orders WHERE w_id = 1 AND ctid IN (SELECT ctid FROM orders WHERE w_id = 1 LIMIT 10)", set()),
        ("DELETE FROM orders a USING orders b WHERE a.ctid < b.ctid AND a.w_id = b.w_id AND a.id = b.id", set()),
        ("DELETE FROM orders WHERE (tableoid, ctid) IN (SELECT tableoid, ctid FROM orders LIMIT 10)", {"PF419"}),
        ("SELECT * FROM orders WHERE ctid = '(0,1)'", {"PF411"}),
        ("SELECT ctid, * FROM orders WHERE w_id = 1", set()),
        ("SELECT count(*) FROM ONLY orders", {"PF412"}),
        ("UPDATE ONLY orders SET note = 'x' WHERE w_id = 1 AND id = 2", {"PF412"}),
        ('SELECT $2 FROM ONLY "public"."orders" x WHERE "id" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x', set()),
        ("TRUNCATE ONLY orders", {"PF413"}),
        ("TRUNCATE orders", set()),
        ("COPY orders TO STDOUT", {"PF414"}),
        ("COPY (SELECT * FROM orders WHERE w_id = 1) TO STDOUT", set()),
        ("COPY orders FROM STDIN (FREEZE)", {"PF415", "PF420"}),
        ("CREATE INDEX CONCURRENTLY i ON public.orders (note)", {"PF416"}),
        ("CREATE INDEX i ON orders (note)", set()),
        ("CLUSTER orders USING orders_pkey", set()),
        ("ALTER TABLE orders SET (fillfactor = 70)", {"PF418"}),
        ("ALTER TABLE orders ADD COLUMN x int", set()),
        ("SELECT o.tableoid::regclass FROM orders o WHERE o.w_id = 1", {"PF419"}),
        ("SELECT * FROM orders WHERE w_id = ANY ($1::int[])", {"PF421"}),
        ("SELECT * FROM orders WHERE w_id IN ($1, $2)", {"PF424"}),
        ("SELECT * FROM orders WHERE w_id = $1::numeric", {"PF422"}),
        ("SELECT * FROM orders WHERE w_id::text = $1", {"PF423"}),
        ("SELECT * FROM orders WHERE w_id = $1", {"PF424"}),
        ("SELECT * FROM orders WHERE w_id = 7", set()),
        ("SELECT * FROM orders TABLESAMPLE SYSTEM (1)", set()),
        ("UPDATE orders SET note = $1 WHERE CURRENT OF c", set()),
    ],
)
def test_a_statement_is_judged_by_its_text(text: str, rules: set[str]) -> None:
    said = {f.rule for f in of_text(text)}
    assert said - {"PF411"} == rules - {"PF411"}
    assert ("PF411" in said) == ("PF411" in rules)


def test_what_depends_on_the_target_version() -> None:
    clustered = "CLUSTER orders USING orders_pkey"
    assert {f.rule for f in of_text(clustered, major=14)} == {"PF417"}
    assert {f.rule for f in of_text(clustered, major=15)} == set()
    seen = query(ORDERS, "seen", role="insert", returning_system_columns=("xmax",), conflict_action="nothing")
    assert found(seen, major=12) == ["PF404"]
    assert found(seen, major=11) == []
    merged = query(ORDERS, "merge", role="merge", returning_system_columns=("xmin",), columns=("id",))
    assert "PF404" in found(merged, major=17)


def test_an_updated_key_is_a_blocker_only_when_it_happens_often() -> None:
    insert = query(ORDERS, "add", role="insert", calls=100, conflict_action="nothing")
    often = query(ORDERS, "advance", role="update", calls=100, set_columns=("status",))
    rarely = query(ORDERS, "repair", role="update", calls=0.1, set_columns=("status",))
    assert found(insert, often, scheme="list(status)") == ["PF402", "PF409"]
    assert found(insert, often) == []
    assert found(insert, rarely, scheme="list(status)") == ["PF403", "PF409"]


def test_a_mapper_that_writes_whole_rows_does_not_rule_the_key_out() -> None:
    insert = query(ORDERS, "add", role="insert", calls=100, conflict_action="nothing")
    save = query(ORDERS, "save", equals("id"), role="update", calls=100, set_columns=("w_id", "status", "note", "paid"))
    assert found(insert, save) == ["PF406"]


def test_moved_rows_with_foreign_keys_and_triggers() -> None:
    key = Constraint(
        name="line_fk", kind="foreign_key", definition="", table="public.line", on_delete="CASCADE",
        columns=("o_w", "o_id"), referenced_columns=("w_id", "id"),
    )  # fmt: skip
    fields = {f: getattr(ORDERS, f) for f in ORDERS.__struct_fields__}
    audited = Relation(**fields | {"referenced_by": (key,), "triggers": (Trigger(name="audit", definition=""),)})
    mover = query(audited, "move", role="update", calls=0.1, set_columns=("w_id",))
    insert = query(audited, "add", role="insert", calls=100, conflict_action="nothing")
    told = {f.rule: f for f in findings(subject(audited, families=[insert, mover], major=14))}
    assert set(told) == {"PF403", "PF407", "PF408", "PF409"}
    assert told["PF407"].blocks
    assert "rows that reference it are deleted" in told["PF407"].text
    assert set(found(insert, mover, relation=audited, major=15)) == {"PF403", "PF408", "PF409"}


def test_each_finding_names_statement_and_remedy_and_what_blocks_comes_first() -> None:
    told = of_text(
        "SELECT * FROM orders WHERE w_id = $1",
        "DELETE FROM orders WHERE ctid IN (SELECT ctid FROM orders WHERE status = $1 LIMIT 100)",
        "COPY orders TO STDOUT",
    )
    assert [f.rule for f in told][:2] == ["PF410", "PF414"]
    assert [f.change_first for f in told[:2]] == [True, False]
    assert not told[0].blocks
    assert told[0].statement.startswith("DELETE FROM orders WHERE ctid")
    assert told[0].calls_per_second == 10
    assert "tableoid" in told[0].remedy
    locks = next(f for f in told if f.rule == "PF424")
    assert "locks 9 relations" in locks.text


def test_an_array_that_is_pruned_by_another_column_is_no_matter() -> None:
    array = Comparison(column="id", operator="=", operands=(Operand(kind="array_parameter", value="$1"),))
    assert "PF421" not in found(query(ORDERS, "lines", equals("w_id"), array))


def test_every_rule_has_a_check_and_an_example() -> None:
    rules = compatibility_rules()
    assert set(rules) == set(STATEMENT_CHECKS) | set(PLAN_CHECKS)
    assert not set(rules) & set(feasibility_rules())
    assert all(rule.example for rule in rules.values())
    slugs = [r.slug for r in (*rules.values(), *feasibility_rules().values())]
    assert len(set(slugs)) == len(slugs)


# What real servers do.

TABLE = "(k int, id int, v int, PRIMARY KEY (k, id))"
PARTS = "; ".join(f"CREATE TABLE t{i} PARTITION OF t FOR VALUES IN ({i})" for i in (1, 2))
ROWS = "INSERT INTO t VALUES (1, 1, 1), (1, 2, 2), (2, 1, 1), (2, 2, 2)"
MAKE = {
    "plain": f"CREATE TABLE t {TABLE}; {ROWS}",
    "partitioned": f"CREATE TABLE t {TABLE} PARTITION BY LIST (k); {PARTS}; {ROWS}",
}
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def databases(make_db: Callable[[Server], str]) -> Callable[[Server], str]:
    """One database of each server for all examples; every run has a schema of its own in it."""
    made: dict[Server, str] = {}

    def database(server: Server) -> str:
        if server not in made:
            made[server] = make_db(server)
        return made[server]

    return database


def opened(dsn: str, schema: str) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(dsn, autocommit=True, options=f"-c search_path={schema}", connect_timeout=10)


def outcome(connection: psycopg.Connection[tuple[Any, ...]], statement: str) -> str:
    """A SQLSTATE with the constraint's name if there is one, the first row, or the number of rows."""
    cursor = connection.cursor()
    try:
        if statement.startswith("COPY"):
            with cursor.copy(statement.encode()) as copy:
                if "STDIN" in statement:
                    copy.write("1\t8\t8\n")
                else:
                    list(copy)
            return "copied"
        cursor.execute(statement.encode())
    except psycopg.Error as error:
        return " ".join(filter(None, (error.sqlstate, error.diag.constraint_name)))
    if cursor.description is None:
        return str(cursor.rowcount)
    row = cursor.fetchone()
    return "" if row is None else ", ".join(str(v) for v in row)


def ran(dsn: str, kind: str, example: dict[str, Any], statement: str) -> str:
    """The statement's outcome in a fresh copy of the table; ``beside`` commits while it waits."""
    schema = f"e{next(_numbers)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
    with opened(dsn, schema) as connection:
        setup = [MAKE[kind], example.get("setup", ""), example.get("plain_setup", "") if kind == "plain" else ""]
        for part in "; ".join(s for s in setup if s).split(";"):
            connection.execute(part.replace("@", ";").encode())
        if "beside" not in example:
            return outcome(connection, statement)
        with opened(dsn, schema) as other, other.transaction():
            other.execute(example["beside"].encode())
            said: list[str] = []
            waiting = threading.Thread(target=lambda: said.append(outcome(connection, statement)))
            waiting.start()
            until_it_waits(dsn, connection.info.backend_pid)
        waiting.join(timeout=30)
        return said[0]


def until_it_waits(dsn: str, pid: int) -> None:
    deadline = time.monotonic() + 20
    with psycopg.connect(dsn, autocommit=True) as watcher:
        while time.monotonic() < deadline:
            held = watcher.execute("SELECT wait_event_type FROM pg_stat_activity WHERE pid = %s", (pid,)).fetchone()
            if held is not None and held[0] == "Lock":
                return
            time.sleep(0.01)
    raise AssertionError("the statement does not wait")


def examples(kind: str) -> Iterator[Any]:
    for rule in compatibility_rules().values():
        for number, example in enumerate(rule.example, 1):
            if kind in example:
                yield pytest.param(rule, example, id=f"{rule.slug}-{number}")


def holds(rule: CompatibilityRule, example: dict[str, Any], major: int) -> bool:
    return int(example.get("since", 0)) <= major <= int(example.get("until", 999))


@ON_MAJORS
@pytest.mark.parametrize(("rule", "example"), list(examples("statement")))
def test_the_server_does_what_the_rule_says(  # type: ignore[no-untyped-def]
    rule: CompatibilityRule, example: dict[str, Any], major: int, major_server, databases
) -> None:
    assert any(holds(rule, example, m) for m in MAJORS)
    if not holds(rule, example, major):
        return
    dsn = databases(major_server(major))
    assert ran(dsn, "plain", example, example["statement"]) == example["plain"]
    affected = example["partitioned"] if rule.applies_to(major) else example["plain"]
    said = ran(dsn, "partitioned", example, example["statement"])
    assert said == affected
    if "instead" in example:
        assert ran(dsn, "partitioned", example, example["instead"]) == example["then"]


@ON_MAJORS
@pytest.mark.parametrize(("rule", "example"), list(examples("prepare")))
def test_plans_prune_and_lock_as_the_rule_says(  # type: ignore[no-untyped-def]
    rule: CompatibilityRule, example: dict[str, Any], major: int, major_server, databases
) -> None:
    dsn = databases(major_server(major))
    schema = f"e{next(_numbers)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
    with opened(dsn, schema) as connection:
        connection.execute(MAKE["partitioned"].encode())
        connection.prepare_threshold = None
        connection.execute(f"PREPARE q {example['prepare']}".encode())
        for mode in ("custom", "generic"):
            connection.execute(f"SET plan_cache_mode = force_{mode}_plan".encode())
            call = f"EXECUTE q ({example['argument']})"
            plan = connection.execute(f"EXPLAIN (COSTS off) {call}".encode()).fetchall()
            assert sum(" on t1 " in line or " on t2 " in line for (line,) in plan) == example[mode], plan
            with connection.transaction():
                connection.execute(call.encode())
                held = connection.execute(
                    "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation "
                    "WHERE l.pid = pg_backend_pid() AND c.relname IN ('t', 't1', 't2')"
                ).fetchone()
            assert held is not None
            assert held[0] == example.get(f"{mode}_locks", held[0])


@ON_MAJORS
@pytest.mark.parametrize("example", knowledge.load("compatibility/statements.toml")["unaffected"])
def test_what_no_rule_warns_of_works_as_before(  # type: ignore[no-untyped-def]
    example: dict[str, Any], major: int, major_server, databases
) -> None:
    dsn = databases(major_server(major))
    plain = ran(dsn, "plain", example, example["statement"])
    assert ran(dsn, "partitioned", example, example["statement"]) == plain
    assert not plain.startswith(("0A", "42")), plain
