"""Feasibility: every rule's facts, and every example of the rules on a real server."""

from __future__ import annotations

import psycopg
import pytest

from partadvisor.advise.feasibility import CHECKS, obstacles
from partadvisor.advise.rulebook import FeasibilityRule, feasibility_rules
from partadvisor.advise.subject import Subject
from partadvisor.model.catalog import Constraint, Dependent, Publication, Trigger
from partadvisor.pg.scheme_text import parse_scheme
from tests.advise.builders import column, foreign_key, query, statistics, subject, table
from tests.advise.tpcc import PRIMARY_KEYS, WAREHOUSE_COLUMN, tpcc_table


def blocked(who: Subject, scheme: str) -> list[str]:
    return [o.rule for o in obstacles(who, parse_scheme(scheme)) if o.blocks]


def warned(who: Subject, scheme: str) -> list[str]:
    return [o.rule for o in obstacles(who, parse_scheme(scheme)) if not o.blocks]


@pytest.mark.parametrize("name", [n for n in PRIMARY_KEYS if n in WAREHOUSE_COLUMN])
def test_the_warehouse_column_is_feasible_for_every_tpcc_table_that_has_one(name: str) -> None:
    assert blocked(subject(tpcc_table(name)), f"hash({WAREHOUSE_COLUMN[name]}) into 16") == []


@pytest.mark.parametrize(
    ("name", "scheme", "rules"),
    [
        ("order_line", "hash(ol_i_id) into 16", ["PF101"]),
        ("order_line", "range(ol_delivery_d) by month", ["PF101", "PF204"]),
        ("order_line", "hash(ol_w_id, ol_o_id) into 16", []),
        ("history", "hash(h_c_id) into 8", []),
        ("history", "range(h_date) by month", []),
        ("item", "hash(i_id) into 8", []),
    ],
)
def test_tpcc_keys(name: str, scheme: str, rules: list[str]) -> None:
    assert blocked(subject(tpcc_table(name)), scheme) == rules


def test_the_fix_names_the_extended_primary_key() -> None:
    orders = table("orders", [column("id", "bigint"), column("w_id")], key=("id",))
    (found,) = obstacles(subject(orders), parse_scheme("hash(w_id) into 8"))
    assert found.rule == "PF101"
    assert "PRIMARY KEY (id, w_id)" in found.fix


def test_users_with_a_unique_email_cannot_be_split_by_tenant() -> None:
    users = table(
        "users", [column("tenant"), column("id"), column("email", "text")], key=("tenant", "id"), unique=[("email",)]
    )
    assert blocked(subject(users), "hash(tenant) into 8") == ["PF102"]
    expression = table("users", [column("tenant"), column("id")], key=("tenant", "id"), unique=[(None,)])
    assert blocked(subject(expression), "hash(tenant) into 8") == ["PF103"]


def test_inbound_foreign_key_must_reference_the_partition_key() -> None:
    key = Constraint(
        name="fk",
        kind="foreign_key",
        definition="",
        table="public.payment",
        columns=("order_id",),
        referenced_columns=("id",),
    )
    orders = table("orders", [column("id"), column("w_id")], key=("id",), referenced_by=(key,))
    assert blocked(subject(orders), "hash(w_id) into 8") == ["PF101", "PF106"]
    assert blocked(subject(orders), "hash(id) into 8") == []
    assert blocked(subject(orders, major=11), "hash(id) into 8") == ["PF107"]


def test_outbound_foreign_keys_do_not_matter() -> None:
    lines = table(
        "line",
        [column("w_id"), column("id")],
        key=("w_id", "id"),
        constraints=(foreign_key("f", ("w_id",), "public.w", ("id",)),),
    )
    assert blocked(subject(lines), "hash(w_id) into 8") == []


def test_exclusion_constraints_depend_on_the_version() -> None:
    exclusion = Constraint(
        name="no_overlap", kind="exclusion", definition="EXCLUDE USING gist (room WITH =, during WITH &&)"
    )
    booking = table("booking", [column("room"), column("during", "tsrange")], constraints=(exclusion,))
    assert blocked(subject(booking, major=16), "hash(room) into 8") == ["PF104"]
    assert blocked(subject(booking, major=17), "hash(room) into 8") == []
    assert blocked(subject(booking, major=17), "hash(during) into 8") == ["PF105"]


def test_types_that_cannot_be_keys() -> None:
    odd = table(
        "odd",
        [
            column("doc", "json"),
            column("place", "point"),
            column("sum", generated="stored"),
            column("mood", "mood"),
            column("name", "text", collation_deterministic=False),
            column("at", "date", not_null=False, stats=statistics(10, nulls=0.25)),
            column("day", "date", not_null=False, stats=statistics(10)),
        ],
    )
    who = subject(odd)
    assert blocked(who, "hash(doc) into 4") == ["PF201"]
    assert blocked(who, "list(place)") == ["PF202"]
    assert blocked(who, "hash(sum) into 4") == ["PF203"]
    assert blocked(who, "range(at) by month") == ["PF204"]
    assert blocked(who, "range(day) by month") == []
    assert blocked(who, "range(day) by 1000") == ["PF209"]
    assert blocked(who, "range(name) by month") == ["PF209"]
    assert warned(who, "range(day) by month") == ["PF205"]
    assert warned(who, "hash(name) into 4") == ["PF207"]
    assert warned(who, "hash(mood) into 4") == ["PF208"]


def test_relations_that_cannot_be_converted() -> None:
    columns = [column("k")]
    assert blocked(subject(table("t", columns, persistence="temporary")), "hash(k) into 4") == ["PF302"]
    assert blocked(subject(table("t", columns, has_inheritance_children=True)), "hash(k) into 4") == ["PF303"]
    assert blocked(subject(table("t", columns, extension="postgis")), "hash(k) into 4") == ["PF304"]
    unlogged = table("t", columns, persistence="unlogged")
    assert warned(subject(unlogged), "hash(k) into 4") == ["PF309"]
    assert warned(subject(unlogged, major=17), "hash(k) into 4") == []


def test_triggers_rules_and_publications() -> None:
    columns = [column("k")]
    transition = Trigger(name="g", definition="", transition_tables=True)
    before = Trigger(name="b", definition="", timing="before")
    assert blocked(subject(table("t", columns, triggers=(transition,))), "hash(k) into 4") == ["PF306"]
    assert warned(subject(table("t", columns, triggers=(before,))), "hash(k) into 4") == ["PF308"]
    assert blocked(subject(table("t", columns, triggers=(before,)), major=12), "hash(k) into 4") == ["PF307"]
    bound = table("t", columns, rules=(Dependent(kind="rule", name="r"),), publications=(Publication(name="p"),))
    assert warned(subject(bound, major=12), "hash(k) into 4") == ["PF310", "PF311"]


def test_a_statement_that_the_key_breaks_stands_in_its_way_and_one_that_any_key_breaks_does_not() -> None:
    orders = table("orders", [column("id"), column("w_id")], key=("w_id", "id"))
    narrow = query(orders, "narrow", role="insert", conflict_columns=("id",), conflict_action="nothing")
    assert blocked(subject(orders, families=[narrow]), "hash(w_id) into 8") == ["PF401"]
    assert blocked(subject(orders, families=[narrow]), "hash(id) into 8") == []
    seen = query(orders, "seen", role="insert", returning_system_columns=("xmax",))
    assert blocked(subject(orders, families=[seen]), "hash(w_id) into 8") == []


WITH_EXAMPLES = [r for r in feasibility_rules().values() if r.bad and r.applies_to(18)]


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=lambda r: r.slug)
def test_the_server_refuses_the_bad_example_and_takes_the_good_one(rule: FeasibilityRule, server, make_db) -> None:  # type: ignore[no-untyped-def]
    with psycopg.connect(make_db(server), autocommit=True) as connection:
        with pytest.raises(psycopg.Error) as refused, connection.transaction():
            connection.execute(rule.bad.encode())
        assert refused.value.sqlstate == rule.sqlstate
        connection.execute(rule.good.encode())


def test_every_rule_has_a_check_and_words() -> None:
    assert set(CHECKS) == set(feasibility_rules())
    assert len({r.slug for r in feasibility_rules().values()}) == len(feasibility_rules())
