"""Layouts, bounds and privileges: what a plan is made of, without a server."""

import pytest

from partadvisor.model.catalog import Column, ColumnStatistics, Index, Relation
from partadvisor.model.errors import UsageError
from partadvisor.pg.grants import grant_statements, parse_acl_item
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.planner.definitions import index_on
from partadvisor.planner.key import schema_of
from partadvisor.planner.partitions import layout_of


def relation(low: str, high: str, kind: str = "timestamp with time zone", name: str = "t") -> Relation:
    at = Column(name="at", number=1, type=kind, base_type=kind, statistics=ColumnStatistics(histogram=(low, high)))
    key = Column(name="k", number=2, type="integer", base_type="integer", not_null=True)
    return Relation(oid=1, schema="public", name=name, kind="table", columns=(at, key))


def test_calendar_partitions_cover_the_known_range_and_some_ahead() -> None:
    table = relation("2024-11-03 10:00:00+00", "2025-01-20 00:00:00+00")
    parts = layout_of(parse_scheme("range(at) by month"), table).parts
    assert parts[0].bound == "FOR VALUES FROM ('2024-11-01 00:00:00+00') TO ('2024-12-01 00:00:00+00')"
    assert [part.name for part in parts[:3]] == ["t_p20241101", "t_p20241201", "t_p20250101"]
    assert parts[-1].bound == "DEFAULT"
    assert sum(part.name > "t_p20250120" for part in parts if part.bound != "DEFAULT") >= 4


@pytest.mark.parametrize(
    ("by", "first", "second"),
    [
        ("hour", "2024-02-29 23:00:00", "2024-03-01 00:00:00"),
        ("day", "2024-02-29 00:00:00", "2024-03-01 00:00:00"),
        ("week", "2024-02-26 00:00:00", "2024-03-04 00:00:00"),
        ("quarter", "2024-01-01 00:00:00", "2024-04-01 00:00:00"),
        ("year", "2024-01-01 00:00:00", "2025-01-01 00:00:00"),
    ],
)
def test_interval_bounds(by: str, first: str, second: str) -> None:
    table = relation("2024-02-29 23:30:00", "2024-02-29 23:45:00", "timestamp without time zone")
    bound = layout_of(parse_scheme(f"range(at) by {by}"), table).parts[0].bound
    assert bound == f"FOR VALUES FROM ('{first}') TO ('{second}')"


def test_two_levels_and_numbers() -> None:
    table = relation("-15", "25", "integer")
    layout = layout_of(parse_scheme("range(at) by 10, hash(k) into 2"), table)
    assert layout.parts[0].bound == "FOR VALUES FROM ('-20') TO ('-10')"
    assert layout.parts[0].name == "t_pm20"
    assert [leaf.name for leaf in layout.parts[0].leaves()] == ["t_pm20_p0", "t_pm20_p1"]
    assert layout.parts[0].key == 'HASH ("k")'


def test_too_many_partitions_and_unknown_ranges_are_refused() -> None:
    with pytest.raises(UsageError, match="partitions"):
        layout_of(parse_scheme("range(at) by hour"), relation("2020-01-01", "2024-01-01", "date"))
    with pytest.raises(UsageError, match="not known"):
        layout_of(parse_scheme("range(k) by 10"), relation("1", "2"))
    with pytest.raises(UsageError, match="does not exist"):
        layout_of(parse_scheme("range(nope) by 10"), relation("1", "2"))


def test_privileges_with_odd_names() -> None:
    item = parse_acl_item('"we""ird=role"=r*w/owner')
    assert (item.grantee, item.privileges, item.grantable) == ('we"ird=role', ("UPDATE",), ("SELECT",))
    made = grant_statements(("=r/owner", "app=a/owner"), "TABLE x", "owner", "col")
    assert made == ['GRANT SELECT ("col") ON TABLE x TO PUBLIC', 'GRANT INSERT ("col") ON TABLE x TO "app"']


def test_index_definitions_move_to_another_table() -> None:
    rest = "USING btree (lower((a || ' USING '::text))) WHERE (b > 0)"
    text = f'CREATE UNIQUE INDEX "i USING x" ON ONLY public."t ON y" {rest}'
    index = Index(name="i USING x", definition=text, columns=(None,), unique=True)
    assert index_on(index, '"new"."t"') == f'CREATE UNIQUE INDEX "i USING x" ON "new"."t" {rest}'


@pytest.mark.parametrize(
    ("text", "schema"),
    [("integer", None), ("public.citext", "public"), ('"Odd.Schema".t(3)', "Odd.Schema"), ("numeric(10,2)", None)],
)
def test_schema_of_a_type(text: str, schema: str | None) -> None:
    assert schema_of(text) == schema
