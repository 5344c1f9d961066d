"""Which schemes are worth scoring."""

from __future__ import annotations

from partadvisor.advise.candidates import candidate_schemes
from partadvisor.advise.subject import Subject
from partadvisor.pg.scheme_text import scheme_text
from tests.advise.builders import column, equals, foreign_key, query, statistics, subject, table, uniform
from tests.advise.tpcc import PRIMARY_KEYS, tpcc_table


def texts(who: Subject) -> list[str]:
    return [scheme_text(s) for s in candidate_schemes(who)]


def test_columns_of_the_primary_key_come_first() -> None:
    found = texts(subject(tpcc_table("order_line")))
    assert found[0] == "hash(ol_w_id) into 4"
    assert "hash(ol_w_id, ol_d_id) into 4" in found
    assert "list(ol_w_id)" in found


def test_the_number_of_candidates_is_bounded() -> None:
    for name in PRIMARY_KEYS:
        assert 1 <= len(texts(subject(tpcc_table(name)))) <= 40


def test_a_column_that_queries_fix_is_scored_even_if_the_primary_key_lacks_it() -> None:
    orders = table("orders", [column("id", "bigint"), column("w_id"), column("note", "text")], key=("id",))
    families = [query(orders, "by warehouse", equals("w_id"))]
    assert "hash(w_id) into 4" in texts(subject(orders, families=families))
    assert "hash(note) into 4" not in texts(subject(orders, families=families))


def test_foreign_key_columns_are_scored() -> None:
    lines = table(
        "line",
        [column("id"), column("order_id")],
        key=("id",),
        constraints=(foreign_key("f", ("order_id",), "public.o", ("id",)),),
    )
    assert "hash(order_id) into 4" in texts(subject(lines))


def test_time_columns_give_ranges_and_two_levels() -> None:
    readings = table(
        "readings",
        [column("at", "timestamp with time zone", default="now()"), column("device", stats=uniform(1000))],
        key=("device", "at"),
    )
    found = texts(subject(readings))
    assert "range(at) by month" in found
    assert "range(at) by month, hash(device) into 4" in found
    assert "range(at) from now, hash(device) into 4" in found


def test_a_growing_key_gives_the_way_that_keeps_old_rows() -> None:
    serial = table("t", [column("id", "bigint", default="nextval('s'::regclass)")], key=("id",))
    assert "range(id) from now, hash(id) into 4" in texts(subject(serial))
    nullable = table("t", [column("id", "bigint", default="nextval('s'::regclass)", not_null=False)])
    assert not any("from now" in text for text in texts(subject(nullable)))


def test_useless_columns_are_left_out() -> None:
    odd = table(
        "odd",
        [
            column("flag", "boolean"),
            column("same", stats=statistics(1)),
            column("sum", generated="stored"),
            column("doc", "json"),
            column("k"),
        ],
    )
    assert texts(subject(odd)) == ["hash(k) into 4"]
