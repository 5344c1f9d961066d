"""Tables that share a key are advised together, with the server's own conditions for a partitionwise join."""

from __future__ import annotations

import msgspec
import psycopg
import pytest

from partadvisor.advise.advise import advise_on
from partadvisor.model.advice import Advice
from partadvisor.model.catalog import Relation
from partadvisor.model.workload import AccessPattern, AllOf, Join, QueryFamily, TableAccess, Workload
from partadvisor.render.advice_text import advice_text
from tests.advise.builders import column, equals, foreign_key, query, snapshot, statistics, table, uniform, window
from tests.advise.snapshots import samples
from tests.majors import ON_MAJORS


def orders(type_: str = "integer") -> Relation:
    return table(
        "orders",
        [column("o_w", type_, stats=uniform(100)), column("o_id", type_, stats=statistics(-1))],
        key=("o_w", "o_id"),
    )


def lines() -> Relation:
    return table(
        "lines",
        [column("l_w", stats=uniform(60)), column("l_o", stats=statistics(-0.1)), column("l_n", stats=uniform(10))],
        key=("l_w", "l_o", "l_n"),
        constraints=(foreign_key("lines_order", ("l_w", "l_o"), "public.orders", ("o_w", "o_id")),),
    )


def joined(name: str, *, pinned: bool, calls: float, columns: tuple[tuple[str, str], ...]) -> QueryFamily:
    condition = AllOf(parts=(equals("o_w"),)) if pinned else AllOf()
    here = tuple(Join(column=o, other_table="public.lines", other_alias="l", other_column=x) for o, x in columns)
    there = tuple(Join(column=x, other_table="public.orders", other_alias="o", other_column=o) for o, x in columns)
    accesses = (
        TableAccess(table="public.orders", alias="o", role="read", condition=condition, joins=here),
        TableAccess(table="public.lines", alias="l", role="read", joins=there),
    )
    return QueryFamily(
        fingerprint=name, text=name, name=name, calls=calls * 60, calls_per_second=calls, mean_ms=1.0,
        pattern=AccessPattern(kind="select", tables=accesses),
    )  # fmt: skip


WHOLE = (("o_w", "l_w"), ("o_id", "l_o"))


def advice(
    *joins: QueryFamily, first: Relation | None = None, second: Relation | None = None, table: str | None = None
) -> Advice:
    relations = first or orders(), second or lines()
    families = [query(r, f"add to {r.name}", role="insert", calls=1000, rows=1.0) for r in relations]
    families += [
        query(relations[0], "get order", equals("o_w"), equals("o_id")),
        query(relations[1], "get lines", equals("l_w"), equals("l_o")),
    ]
    queues = {r.qualified_name: (r.qualified_name, "heap", 0.5) for r in relations}
    seen = window(relations[0], samples=50)
    hot = msgspec.structs.replace(seen, samples=samples({"Lock:extend": 0.85}, relations=queues, n=300))  # type: ignore[arg-type]
    return advise_on(snapshot(*relations, seen=hot), Workload(families=(*families, *joins)), table=table)


def schemes(answer: Advice) -> dict[str, str]:
    return {t.table: t.candidates[t.recommended - 1].scheme for t in answer.tables if t.recommended}


def test_tables_joined_on_their_keys_take_the_same_number_of_partitions() -> None:
    answer = advice(joined("report", pinned=False, calls=30, columns=WHOLE))
    (group,) = answer.groups
    assert {m.table for m in group.members} == {"public.orders", "public.lines"}
    chosen = schemes(answer)
    assert {chosen["public.orders"].split(" into ")[1], chosen["public.lines"].split(" into ")[1]} == {
        str(group.partitions)
    }
    assert {m.table: m.scheme for m in group.members} == chosen
    assert {t.group for t in answer.tables} == {group.name}
    assert "or none" in answer.tables[0].reason
    assert [j.statement for j in group.joins] == ["report", "foreign key lines_order"]


def test_what_one_table_alone_costs_is_said_with_its_price() -> None:
    group = advice(joined("report", pinned=False, calls=30, columns=WHOLE)).groups[0]
    assert "ms a second more" in group.alone
    assert "0.0 ms a second" not in group.alone
    assert any("off by default" in s for s in group.settings)


def test_joins_that_fix_the_key_do_not_need_each_other_and_that_is_said() -> None:
    group = advice(joined("order with lines", pinned=True, calls=300, columns=WHOLE)).groups[0]
    assert "costs no join anything" in group.alone
    assert group.settings == ()


def test_a_foreign_key_alone_ties_tables() -> None:
    group = advice().groups[0]
    assert "foreign key" in group.why
    assert "no known statement joins them" in group.alone


def test_keys_of_different_types_are_no_group() -> None:
    assert advice(joined("report", pinned=False, calls=30, columns=WHOLE), first=orders("bigint")).groups == ()


def test_two_queues_as_long_are_ended_together_or_not_at_all() -> None:
    answer = advice()
    assert {t.verdict for t in answer.tables} == {"partition"}
    assert answer.tables[0].together == ("public.lines",)
    assert "only together with public.lines" in answer.tables[0].reason
    fixed = table("lines", [column("l_w"), column("l_n", "text")], key=("l_n",), unique=[("l_w",)])
    assert {t.verdict for t in advice(second=fixed).tables} <= {"do_not_partition", "no_feasible_key"}


def test_a_named_table_gets_the_answer_it_gets_among_the_others() -> None:
    every = {t.table: t for t in advice().tables}
    (one,) = advice(table="public.lines").tables
    assert one == every["public.lines"]


def test_tables_that_nothing_joins_are_no_group() -> None:
    plain = msgspec.structs.replace(lines(), constraints=())
    answer = advice(second=plain)
    assert answer.groups == ()
    assert {t.group for t in answer.tables} == {None}


def test_the_text_shows_the_group_before_its_tables() -> None:
    answer = advice(joined("report", pinned=False, calls=30, columns=WHOLE))
    text = advice_text(answer, width=100)
    assert text.index("all or none") < text.index("public.orders: partition by")
    assert "report: " in text
    assert max(len(line) for line in text.splitlines() if "partadvisor plan" not in line) <= 100


SIDES = {
    "a": ("int", 4), "same": ("int", 4), "more": ("int", 8), "wider": ("bigint", 4),
}  # fmt: skip


@ON_MAJORS
@pytest.mark.parametrize(
    ("other", "condition", "together"),
    [
        ("same", "a.w = b.w AND a.id = b.id", True),
        ("same", "a.id = b.id", False),
        ("more", "a.w = b.w AND a.id = b.id", False),
        ("wider", "a.w = b.w AND a.id = b.id", False),
    ],
)
def test_the_server_joins_by_partition_only_under_these_conditions(  # type: ignore[no-untyped-def]
    other: str, condition: str, together: bool, major: int, major_server, make_db
) -> None:
    with psycopg.connect(make_db(major_server(major)), autocommit=True) as connection:
        for name in ("a", other):
            type_, modulus = SIDES[name]
            connection.execute(f"CREATE TABLE {name} (w {type_}, id int) PARTITION BY HASH (w)".encode())
            for i in range(modulus):
                part = f"CREATE TABLE {name}{i} PARTITION OF {name} FOR VALUES WITH (MODULUS {modulus}, REMAINDER {i})"
                connection.execute(part.encode())
            connection.execute(f"INSERT INTO {name} SELECT i % 50, i FROM generate_series(1, 2000) AS i".encode())
            connection.execute(f"ANALYZE {name}".encode())

        def joins() -> int:
            plan = connection.execute(f"EXPLAIN SELECT * FROM a JOIN {other} AS b ON {condition}".encode()).fetchall()
            return sum("Join" in line or "Nested Loop" in line for (line,) in plan)

        assert joins() == 1, "partitionwise joins are off by default"
        connection.execute("SET enable_partitionwise_join = on")
        assert (joins() > 1) == together
