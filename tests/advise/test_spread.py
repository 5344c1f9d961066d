"""Write spread: known shares, small samples, statements that are shattered, keys that grow."""

from __future__ import annotations

import random

import pytest

from partadvisor.advise.monotone import monotone_columns
from partadvisor.advise.spread import SpreadModel
from partadvisor.advise.subject import Subject
from partadvisor.model.activity import RecentRows
from partadvisor.model.advice import WriteSpread
from partadvisor.pg.hashing.routing import hash_values, to_stored
from partadvisor.pg.scheme_text import parse_scheme
from tests.advise.builders import column, query, recent, statistics, subject, table, uniform
from tests.advise.tpcc import order_lines, tpcc_table


def spread(who: Subject, scheme: str) -> WriteSpread:
    return SpreadModel(who).spread(parse_scheme(scheme))


@pytest.mark.parametrize(
    ("modulus", "largest", "effective"),
    [(4, 0.300, 3.9), (8, 0.180, 7.2), (10, 0.140, 9.5), (16, 0.100, 13.2), (32, 0.080, 20.8), (64, 0.060, 28.4)],
)
def test_fifty_warehouses_have_the_shares_measured_on_a_server(modulus: int, largest: float, effective: float) -> None:
    found = spread(subject(tpcc_table("order_line")), f"hash(ol_w_id) into {modulus}")
    assert found.max_share == pytest.approx(largest)
    assert found.effective_partitions == pytest.approx(effective, abs=0.05)
    assert sum(found.shares) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(8))
def test_a_small_sample_does_not_exaggerate_the_largest_share(seed: int) -> None:
    lines = tpcc_table("order_line")
    found = spread(subject(lines, rows=order_lines(lines, 60, seed=seed)), "hash(ol_w_id) into 16")
    assert found.max_share == pytest.approx(0.100, abs=0.005)


def test_without_statistics_the_values_seen_stand_for_all() -> None:
    bare = table("line", [column("w_id"), column("n")], key=("w_id", "n"))
    rows = recent(bare, ("w_id", "n"), 400, lambda c, t: [(c.randint(1, 50), n) for n in range(5)])
    found = spread(subject(bare, rows=rows), "hash(w_id) into 16")
    assert found.source == "recent_rows"
    assert found.max_share == pytest.approx(0.100, abs=0.01)


def test_a_hot_key_of_the_last_minute_overrules_uniform_statistics() -> None:
    lines = tpcc_table("order_line")
    hot = recent(lines, ("ol_w_id",), 200, lambda c, t: [(7 if c.random() < 0.8 else c.randint(1, 50),)])
    found = spread(subject(lines, rows=hot), "hash(ol_w_id) into 16")
    assert found.source == "recent_rows"
    assert found.max_share > 0.7


def test_one_bulk_load_says_nothing_about_concurrent_inserts() -> None:
    lines = tpcc_table("order_line")
    load = recent(lines, ("ol_w_id",), 1, lambda c, t: [(7,)] * 500)
    assert spread(subject(lines, rows=load), "hash(ol_w_id) into 16").max_share == pytest.approx(0.100)


def test_a_whale_caps_the_gain_at_its_own_share() -> None:
    tenants = statistics(10_000, [(1, 0.4), *((i, 0.0006) for i in range(2, 100))])
    events = table(
        "events", [column("tenant", stats=tenants), column("id", "bigint", stats=statistics(-1))], key=("tenant", "id")
    )
    assert spread(subject(events), "hash(tenant) into 64").max_share == pytest.approx(0.41, abs=0.02)
    assert spread(subject(events), "hash(tenant, id) into 64").max_share < 0.03


def test_a_value_that_differs_by_row_shatters_the_statement() -> None:
    lines = tpcc_table("order_line")
    who = subject(lines, rows=order_lines(lines))
    assert spread(who, "hash(ol_w_id) into 16").partitions_per_statement == 1
    assert spread(who, "hash(ol_number) into 16").partitions_per_statement > 6
    assert spread(who, "hash(ol_w_id, ol_number) into 16").partitions_per_statement > 6


def test_texts_stand_in_where_no_rows_were_read() -> None:
    lines = tpcc_table("order_line")
    insert = query(
        lines, "add", role="insert", rows=20.0, constant_columns=("ol_w_id",), varying_columns=("ol_number",)
    )
    who = subject(lines, families=[insert])
    assert spread(who, "hash(ol_w_id) into 16").partitions_per_statement == 1
    assert spread(who, "hash(ol_number) into 16").partitions_per_statement == pytest.approx(11.6, abs=0.1)


def test_a_range_over_time_sends_everything_to_one_partition() -> None:
    readings = table(
        "readings",
        [
            column("at", "timestamp with time zone", default="now()", stats=statistics(-1, correlation=1.0)),
            column("device", stats=uniform(1000)),
        ],
        key=("at", "device"),
    )
    alone = spread(subject(readings), "range(at) by month")
    assert alone.max_share == 1
    assert alone.effective_partitions == 1
    below = spread(subject(readings), "range(at) by month, hash(device) into 8")
    assert below.max_share < 0.2
    assert len(below.shares) == 8


def clock(chance: random.Random, t: int) -> str:
    return f"2026-01-01 00:{t // 60:02}:{t % 60:02}.{chance.randint(100, 999)}+00"


def test_growing_columns_are_found_from_recent_rows_or_from_their_default() -> None:
    relation = table(
        "t",
        [
            column("at", "timestamp with time zone"),
            column("v7", "uuid"),
            column("v4", "uuid"),
            column("serial", "bigint", default="nextval('s'::regclass)"),
            column("w_id", stats=statistics(50, correlation=0.99)),
        ],
    )

    def rows(chance: random.Random, t: int) -> list[tuple[object, ...]]:
        v7 = f"0190{t:04x}-0000-7000-8000-{chance.getrandbits(48):012x}"
        v4 = f"{chance.getrandbits(32):08x}-0000-4000-8000-{chance.getrandbits(48):012x}"
        return [(clock(chance, t), v7, v4, chance.randint(1, 50))]

    sample = recent(relation, ("at", "v7", "v4", "w_id"), 100, rows)
    assert monotone_columns(relation, sample) == {"at", "v7", "serial"}
    assert monotone_columns(relation, None) == {"serial"}  # 50 values in order are a table loaded group by group
    ordered = table("orders", [column("o_id", stats=statistics(30_000, correlation=0.97))])
    assert monotone_columns(ordered, None) == {"o_id"}


def test_uuid_version_7_is_like_a_serial_under_range_and_random_under_hash() -> None:
    events = table("events", [column("id", "uuid", stats=statistics(-1))], key=("id",))
    rows = recent(events, ("id",), 200, lambda c, t: [(f"0190{t:04x}-0000-7000-8000-{c.getrandbits(48):012x}",)])
    who = subject(events, rows=rows)
    assert "id" in who.monotone
    assert spread(who, "hash(id) into 16").max_share < 0.08


def redacted(rows: RecentRows, types: dict[str, str]) -> RecentRows:
    """What ``collect --redact`` keeps: partition hashes and ranks."""
    columns = list(zip(*rows.rows, strict=True))
    hashed = [to_stored(hash_values(types[c], v)) for c, v in zip(rows.columns, columns, strict=True)]
    ranks = tuple(tuple(sorted({int(v) for v in c}).index(int(v)) for v in c) for c in columns)
    return RecentRows(
        table=rows.table,
        columns=rows.columns,
        rows=tuple(zip(*hashed, strict=True)),
        transactions=rows.transactions,
        statements=rows.statements,
        values_hashed=True,
        ranks=ranks,
    )


@pytest.mark.parametrize("scheme", ["hash(ol_w_id) into 16", "hash(ol_w_id, ol_d_id) into 8", "hash(ol_number) into 8"])
def test_redacted_rows_give_the_same_spread(scheme: str) -> None:
    lines = tpcc_table("order_line")
    rows = order_lines(lines)
    types = {c.name: c.base_type for c in lines.columns}
    open_one, closed = subject(lines, rows=rows), subject(lines, rows=redacted(rows, types))
    assert spread(open_one, scheme) == spread(closed, scheme)
    assert open_one.monotone == closed.monotone


def test_statistics_of_a_growing_key_do_not_describe_its_new_values() -> None:
    orders = table("orders", [column("o_id", "bigint", stats=uniform(4))], key=("o_id",))
    rows = recent(orders, ("o_id",), 200, lambda c, t: [(1000 + t,)])
    found = spread(subject(orders, rows=rows), "hash(o_id) into 16")
    assert found.max_share < 0.08
    assert found.source == "recent_rows"
