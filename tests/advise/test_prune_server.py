"""Pruning against the planner itself: random conditions, the leaves it keeps and when it drops the others."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.operands import Setting
from partadvisor.advise.prune import touch, tree_of
from partadvisor.io.server import Server
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, Opaque, Operand
from partadvisor.pg.scheme_text import parse_scheme

COLUMNS = {name: ColumnFacts(type="integer", not_null=name != "x") for name in ("w", "d", "x")}
STABLE = "current_setting('test.value')::int"
CASES = 250

SCHEMES = {
    "hash(w) into 8": (
        (8,),
        ["PARTITION BY HASH (w)", *(f"p{i} FOR VALUES WITH (MODULUS 8, REMAINDER {i})" for i in range(8))],
    ),
    "hash(w, d) into 8": (
        (8,),
        ["PARTITION BY HASH (w, d)", *(f"p{i} FOR VALUES WITH (MODULUS 8, REMAINDER {i})" for i in range(8))],
    ),
    "range(d) at (10, 20, 30)": (
        (4,),
        [
            "PARTITION BY RANGE (d)",
            "p0 FOR VALUES FROM (MINVALUE) TO (10)",
            "p1 FOR VALUES FROM (10) TO (20)",
            "p2 FOR VALUES FROM (20) TO (30)",
            "p3 FOR VALUES FROM (30) TO (MAXVALUE)",
        ],
    ),
    "list(w) in ((1, 2), (3, 4), (5))": (
        (4,),
        [
            "PARTITION BY LIST (w)",
            "p0 FOR VALUES IN (1, 2)",
            "p1 FOR VALUES IN (3, 4)",
            "p2 FOR VALUES IN (5)",
            "p3 DEFAULT",
        ],
    ),
}


def constant(chance: random.Random) -> Operand:
    return Operand(
        kind="constant", value=str(chance.choice([1, 2, 3, 4, 5, 9, 10, 15, 20, 25, 30, 40])), type="integer"
    )


def leaf(chance: random.Random, column: str) -> Condition:
    kind = chance.random()
    if kind < 0.1:
        return Comparison(column=column, operator="=", operands=(constant(chance),), wrapped=True)
    if kind < 0.2:
        return Comparison(column=column, operator="=", operands=(Operand(kind="stable"),))
    if kind < 0.35:
        return Comparison(column=column, operator="in", operands=tuple(constant(chance) for _ in range(3)))
    if kind < 0.5 and column == "d":
        operator = chance.choice(["<", "<=", ">", ">="])
        comparison = Comparison(column=column, operator=operator, operands=(constant(chance),))  # type: ignore[arg-type]
        return Not(part=comparison) if chance.random() < 0.3 else comparison
    if kind < 0.55:
        return Opaque(reason="an expression of another column", columns=("x",))
    return Comparison(column=column, operator="=", operands=(constant(chance),))


def conjunction(chance: random.Random) -> AllOf:
    """At most one term a column: contradictions between terms are the planner's business, not pruning's."""
    columns = chance.sample(["w", "d"], chance.randint(1, 2))
    other = (Opaque(reason="an expression of another column", columns=("x",)),) if chance.random() < 0.3 else ()
    return AllOf(parts=(*(leaf(chance, c) for c in columns), *other))


def condition(chance: random.Random) -> Condition:
    shape = chance.random()
    if shape < 0.5:
        return conjunction(chance)
    arms = AnyOf(parts=tuple(conjunction(chance) for _ in range(2)))
    return arms if shape < 0.8 else AllOf(parts=(leaf(chance, "x"), arms))


def sql(one: Condition) -> str:
    match one:
        case AllOf(parts=parts):
            return "(" + " AND ".join(sql(p) for p in parts) + ")"
        case AnyOf(parts=parts):
            return "(" + " OR ".join(sql(p) for p in parts) + ")"
        case Not(part=part):
            return f"NOT ({sql(part)})"
        case Opaque():
            return "x % 7 = 3"
        case Comparison():
            values = [STABLE if o.kind == "stable" else str(o.value) for o in one.operands]
            column = f"{one.column} + 0" if one.wrapped else one.column
            return (
                f"{column} IN ({', '.join(values)})" if one.operator == "in" else f"{column} {one.operator} {values[0]}"
            )


def leaves(plan: dict[str, Any]) -> tuple[int, int]:
    """Leaves that stay, and subplans removed at the start of execution."""
    kept, removed = int("Relation Name" in plan), int(plan.get("Subplans Removed", 0))
    for child in plan.get("Plans", ()):
        more = leaves(child)
        kept, removed = kept + more[0], removed + more[1]
    return kept, removed


@pytest.fixture(scope="module")
def connection(server: Server, make_db: Callable[[Server], str]):  # type: ignore[no-untyped-def]
    with psycopg.connect(make_db(server), autocommit=True) as opened:
        opened.execute("SET test.value = '3'")
        opened.execute("SET enable_seqscan = on")
        yield opened


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_planner_agrees_on_every_random_condition(scheme: str, connection: psycopg.Connection[Any]) -> None:
    sizes, (by, *partitions) = SCHEMES[scheme]
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TABLE t (w int NOT NULL, d int NOT NULL, x int) {by}".encode())
    for partition in partitions:
        name, bound = partition.split(" ", 1)
        connection.execute(f"CREATE TABLE {name} PARTITION OF t {bound}".encode())
    chance = random.Random(scheme)
    wrong = []
    for _ in range(CASES):
        where = condition(chance)
        found = touch(where, tree_of(parse_scheme(scheme), sizes, COLUMNS), COLUMNS, Setting(major=18))
        row = connection.execute(f"EXPLAIN (FORMAT JSON) SELECT * FROM t WHERE {sql(where)}".encode()).fetchone()
        assert row is not None
        kept, removed = leaves(row[0][0]["Plan"])
        when = "never" if kept + removed == found.total and not removed else "start" if removed else "plan"
        late = STABLE in sql(where)  # which partition such a value falls into is a guess, when it is known is not
        right = found.planned == kept + removed and (late or (found.executed, found.when) == (kept, when))
        if not right or (late and removed and found.when != "start"):
            wrong.append((sql(where), found, kept, removed))
    assert wrong == []
