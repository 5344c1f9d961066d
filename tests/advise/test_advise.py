"""The advice as a whole: workloads with a known answer."""

from __future__ import annotations

import pytest

from partadvisor.advise.advise import advise_on
from partadvisor.advise.targets import find_table
from partadvisor.io.collect.redact import redact
from partadvisor.model.advice import Advice, Candidate, TableAdvice
from partadvisor.model.catalog import PartitionKeyInfo, Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.workload import QueryFamily, Workload
from partadvisor.render.advice_text import advice_text
from tests.advise.builders import (
    column,
    compare_range,
    equals,
    query,
    recent,
    snapshot,
    statistics,
    table,
    uniform,
    window,
)
from tests.advise.tpcc import PRIMARY_KEYS, WAREHOUSE_COLUMN, order_lines, tpcc_table


def line_queries(lines: Relation) -> list[QueryFamily]:
    order = [equals("ol_w_id"), equals("ol_d_id"), equals("ol_o_id")]
    return [
        query(lines, "add lines", role="insert", calls=1000, constant_columns=("ol_w_id", "ol_d_id", "ol_o_id")),
        query(lines, "order status", *order, calls=200),
        query(lines, "delivery", *order, role="update", calls=100, set_columns=("ol_delivery_d",)),
        query(
            lines, "stock level", equals("ol_w_id"), equals("ol_d_id"), compare_range("ol_o_id"), calls=50, mean_ms=2.0
        ),
    ]


def run(*families: QueryFamily, **inputs: object) -> Advice:
    options = {k: inputs.pop(k) for k in ("table", "keys", "top", "details", "clients", "target_major") if k in inputs}
    relations = inputs.pop("relations")
    return advise_on(snapshot(*relations, **inputs), Workload(families=families), **options)  # type: ignore[arg-type, misc]


def first(advice: Advice) -> TableAdvice:
    assert advice.tables
    return advice.tables[0]


def chosen(advice: Advice) -> Candidate:
    answer = first(advice)
    assert answer.recommended is not None, answer.reason
    return answer.candidates[answer.recommended - 1]


def order_line_advice(seed: int = 1, **more: object) -> Advice:
    lines = tpcc_table("order_line")
    inputs = {"relations": [lines], "seen": window(lines), "rows": [order_lines(lines, seed=seed)], **more}
    return run(*line_queries(lines), **inputs)


def test_order_entry_is_split_by_warehouse() -> None:
    advice = order_line_advice()
    best = chosen(advice)
    assert first(advice).verdict == "partition"
    assert best.scheme == "hash(ol_w_id) into 16"
    assert best.write.partitions_per_statement == 1
    assert best.read.partitions_per_query == 1
    assert best.throughput_ratio.expected > 1.2


@pytest.mark.parametrize("extend", [20, 30, 45, 60])
@pytest.mark.parametrize("busy", [0.55, 0.66, 0.8])
def test_repeated_measurements_agree_on_the_scheme(extend: int, busy: float) -> None:
    lines = tpcc_table("order_line")
    advice = order_line_advice(seed=extend, seen=window(lines, extend=extend, busy=busy))
    assert chosen(advice).scheme == "hash(ol_w_id) into 16"


@pytest.mark.parametrize("name", [n for n in PRIMARY_KEYS if n not in ("item", "warehouse", "order_line")])
def test_every_other_table_of_the_schema_takes_the_warehouse_too(name: str) -> None:
    relation = tpcc_table(name)
    key = WAREHOUSE_COLUMN[name]
    families = [query(relation, "read", equals(key)), query(relation, "add", role="insert", constant_columns=(key,))]
    best = chosen(run(*families, relations=[relation], seen=window(relation)))
    assert best.columns == (key,)
    assert best.strategy == "hash"


def test_a_storage_bound_server_is_told_so() -> None:
    lines = tpcc_table("order_line")
    waits = {"IO:DataFileRead": 33, "IO:WalSync": 19}
    advice = run(*line_queries(lines), relations=[lines], seen=window(lines, extend=5, other=waits))
    answer = first(advice)
    assert answer.verdict == "do_not_partition"
    assert answer.recommended is None
    assert "Instead:" in answer.reason


def test_a_full_cpu_is_no_reason_to_partition() -> None:
    lines = tpcc_table("order_line")
    advice = run(relations=[lines], seen=window(lines, extend=10, cpu=20, busy=0.98))
    assert first(advice).verdict == "do_not_partition"


def test_row_locks_stay_whatever_the_key() -> None:
    lines = tpcc_table("order_line")
    advice = run(relations=[lines], seen=window(lines, extend=5, other={"Lock:transactionid": 40}))
    assert first(advice).verdict == "do_not_partition"


def test_ten_samples_are_not_enough() -> None:
    lines = tpcc_table("order_line")
    answer = first(run(relations=[lines], seen=window(lines, samples=10)))
    assert answer.verdict == "insufficient"
    assert answer.candidates[0].scheme == "hash(ol_w_id) into 16"


def readings() -> Relation:
    return table(
        "readings",
        [
            column("device", stats=uniform(1000)),
            column("at", "timestamp with time zone", default="now()", stats=statistics(-0.9, correlation=1.0)),
            column("value", "double precision"),
        ],
        key=("device", "at"),
    )


def test_a_time_series_is_never_split_by_time_alone() -> None:
    relation = readings()
    families = [
        query(relation, "add", role="insert"),
        query(relation, "last hour", equals("device"), compare_range("at")),
    ]
    advice = run(*families, relations=[relation], seen=window(relation), keys=["range(at) by month"])
    best = chosen(advice)
    assert "device" in best.columns
    by_month = next(c for c in first(advice).candidates if c.scheme == "range(at) by month")
    assert by_month.write.max_share == 1
    assert by_month.throughput_ratio.expected < 1.05
    assert any("newest partition" in w for w in by_month.warnings)


def test_deleting_old_rows_puts_a_time_range_above_the_hash() -> None:
    relation = readings()
    purge = query(relation, "purge", compare_range("at", "<"), role="delete", calls=0.01)
    families = [query(relation, "add", role="insert"), query(relation, "read", equals("device")), purge]
    assert chosen(run(*families, relations=[relation], seen=window(relation))).scheme.startswith(
        "range(at) by month, hash(device)"
    )


def test_a_serial_key_is_hashed_when_each_insert_is_one_row() -> None:
    events = table(
        "events", [column("id", "bigint", default="nextval('s'::regclass)", stats=statistics(-1))], key=("id",)
    )
    families = [query(events, "add", role="insert", rows=1.0), query(events, "get", equals("id"))]
    best = chosen(run(*families, relations=[events], seen=window(events)))
    assert best.scheme == "hash(id) into 8"


def test_hashing_the_row_id_of_multi_row_inserts_loses() -> None:
    relation = table(
        "events",
        [
            column("tenant", stats=uniform(500)),
            column("id", "bigint", default="nextval('s'::regclass)", stats=statistics(-1)),
        ],
        key=("tenant", "id"),
    )
    numbers = iter(range(10**6))
    rows = recent(
        relation,
        ("tenant", "id"),
        100,
        lambda c, t: [(w, next(numbers)) for w in [c.randint(1, 500)] for _ in range(20)],
    )
    families = [
        query(relation, "add", role="insert", calls=1000),
        query(relation, "get", equals("tenant"), equals("id")),
    ]
    advice = run(*families, relations=[relation], seen=window(relation), rows=[rows], keys=["hash(id) into 16"])
    assert chosen(advice).columns == ("tenant",)
    shattered = next(c for c in first(advice).candidates if c.scheme == "hash(id) into 16")
    assert shattered.write.partitions_per_statement > 8
    assert shattered.throughput_ratio.expected < chosen(advice).throughput_ratio.expected
    assert any("each statement touches" in w for w in shattered.warnings)


def test_a_whale_is_named() -> None:
    tenants = statistics(10_000, [(1, 0.4), *((i, 0.0006) for i in range(2, 100))])
    relation = table(
        "events", [column("tenant", stats=tenants), column("id", "bigint", stats=statistics(-1))], key=("tenant", "id")
    )
    families = [query(relation, "add", role="insert"), query(relation, "get", equals("tenant"))]
    advice = run(*families, relations=[relation], seen=window(relation), keys=["hash(tenant) into 16"])
    plain = next(c for c in first(advice).candidates if c.scheme == "hash(tenant) into 16")
    assert plain.write.max_share > 0.4
    assert plain.throughput_ratio.expected < 2.6


def test_a_unique_email_leaves_no_feasible_key_and_the_fix_is_exact() -> None:
    users = table(
        "users",
        [
            column("id", "bigint", stats=statistics(-1)),
            column("tenant", stats=uniform(1000)),
            column("email", "text", stats=statistics(-1)),
        ],
        key=("id",),
        unique=[("email",)],
    )
    families = [
        query(users, "add", role="insert"),
        query(users, "login", equals("email")),
        query(users, "list", equals("tenant")),
    ]
    answer = first(run(*families, relations=[users], seen=window(users)))
    assert answer.verdict == "no_feasible_key"
    assert answer.recommended is None
    assert "fix:" in answer.candidates[0].blockers[0].text
    assert not any(c.feasible for c in answer.candidates)


def test_the_fix_for_a_lacking_primary_key_is_spelled_out() -> None:
    orders = table(
        "orders", [column("status", "text", stats=uniform(3)), column("w_id", stats=uniform(50))], key=("status",)
    )
    families = [query(orders, "add", role="insert"), query(orders, "get", equals("w_id"))]
    rows = recent(orders, ("status", "w_id"), 200, lambda c, t: [("1", c.randint(1, 50))])
    answer = first(run(*families, relations=[orders], seen=window(orders), rows=[rows]))
    assert answer.verdict == "no_feasible_key"
    assert "PRIMARY KEY (status, w_id)" in answer.reason


def test_a_partitioned_table_is_recognised_and_other_keys_are_still_scored() -> None:
    key = PartitionKeyInfo(strategy="range", definition="RANGE (ol_o_id)", columns=("ol_o_id",))
    lines = tpcc_table("order_line")
    parted = Relation(
        **{f: getattr(lines, f) for f in lines.__struct_fields__} | {"kind": "partitioned_table", "partition_key": key}
    )
    answer = first(run(relations=[parted], seen=window(parted), keys=["hash(ol_w_id) into 8"]))
    assert answer.verdict == "already_partitioned"
    assert "RANGE (ol_o_id)" in answer.reason
    assert any(c.named_by_user and c.scheme == "hash(ol_w_id) into 8" for c in answer.candidates)


def test_a_named_table_always_gets_an_answer() -> None:
    item, lines = tpcc_table("item"), tpcc_table("order_line")
    advice = run(relations=[lines, item], seen=window(lines), table="item")
    assert [t.table for t in advice.tables] == ["public.item"]
    assert first(advice).verdict == "do_not_partition"
    assert first(advice).candidates


def test_cold_tables_are_left_out() -> None:
    relations = [tpcc_table(n) for n in PRIMARY_KEYS]
    hot = next(r for r in relations if r.name == "order_line")
    assert [t.table for t in run(relations=relations, seen=window(hot)).tables] == ["public.order_line"]


def test_an_unknown_table_offers_the_nearest() -> None:
    with pytest.raises(UsageError) as error:
        run(relations=[tpcc_table("order_line")], seen=None, table="order_lime")
    assert "order_line" in (error.value.hint or "")
    with pytest.raises(UsageError):
        find_table(snapshot(tpcc_table("item")), "zzz")


def test_an_unknown_key_column_offers_the_nearest() -> None:
    with pytest.raises(UsageError, match="ol_wid") as error:
        order_line_advice(keys=["hash(ol_wid) into 8"])
    assert "ol_w_id" in (error.value.hint or "")


def test_details_list_every_query() -> None:
    assert chosen(order_line_advice()).queries is None
    found = chosen(order_line_advice(details=True)).queries
    assert found is not None
    assert {q.name for q in found} == {"add lines", "order status", "delivery", "stock level"}


def test_queries_that_get_worse_come_with_their_reason() -> None:
    lines = tpcc_table("order_line")
    report = query(lines, "by item", equals("ol_i_id"), calls=5)
    best = chosen(run(*line_queries(lines), report, relations=[lines], seen=window(lines)))
    assert [w.name for w in best.worse] == ["by item"]
    assert best.worse[0].partitions_touched == best.partitions
    assert best.read.unpruned_share == pytest.approx(5 / 355)
    assert best.locks.per_query_max > best.partitions


def test_more_clients_and_an_older_target_are_taken_into_account() -> None:
    assert chosen(order_line_advice(target_major=17)).locks.fast_path_slots == 16
    assert chosen(order_line_advice()).locks.fast_path_slots == 64
    assert chosen(order_line_advice(clients=128)).scheme == "hash(ol_w_id) into 16"


def test_the_order_of_tables_and_renamed_columns_change_nothing() -> None:
    lines, item = tpcc_table("order_line"), tpcc_table("item")
    one = run(*line_queries(lines), relations=[lines, item], seen=window(lines))
    other = run(*reversed(line_queries(lines)), relations=[item, lines], seen=window(lines))
    assert [t.candidates for t in one.tables] == [t.candidates for t in other.tables]


def test_the_text_says_the_answer_first_and_what_to_type_next() -> None:
    text = advice_text(order_line_advice(), width=100)
    lines = text.splitlines()
    assert lines[0].startswith("public.order_line: partition by hash(ol_w_id) into 16")
    assert "partadvisor plan" in text
    assert "--key 'hash(ol_w_id) into 16'" in text
    assert max(len(line) for line in lines) <= 110
    assert "\x1b" not in text
    assert "\x1b" in advice_text(order_line_advice(), colour=True)


def test_of_a_thousand_tables_the_hot_one_is_shown_and_the_others_are_counted() -> None:
    relations = [
        table(f"t{i}", [column("k", stats=uniform(500)), column("id", "bigint", stats=statistics(-1))], key=("k", "id"))
        for i in range(1000)
    ]
    families = [query(relations[i], f"q{i}", equals("k"), equals("id"), calls=i) for i in range(1000)]
    advice = run(*families, relations=relations, seen=window(relations[0]))
    assert first(advice).verdict == "partition"
    assert advice.others is not None
    assert advice.others.tables == 999
    assert "999 other tables" in advice_text(advice)


def test_without_measurements_the_tables_that_are_inserted_into_get_keys() -> None:
    lines, item = tpcc_table("order_line"), tpcc_table("item")
    advice = run(*line_queries(lines), relations=[item, lines], seen=None)
    answer = first(advice)
    assert [t.table for t in advice.tables] == ["public.order_line"]
    assert answer.verdict == "insufficient"
    assert answer.candidates[0].scheme == "hash(ol_w_id) into 16"
    assert "hash(ol_w_id) into 16" in answer.reason


def test_a_table_partitioned_by_a_growing_range_is_told_that_its_newest_partition_is_hot() -> None:
    key = PartitionKeyInfo(strategy="range", definition="RANGE (at)", columns=("at",))
    relation = readings()
    parted = Relation(
        **{f: getattr(relation, f) for f in relation.__struct_fields__}
        | {"kind": "partitioned_table", "partition_key": key}
    )
    assert "newest partition" in first(run(relations=[parted], seen=window(parted))).reason


def test_leaf_waits_point_to_the_table_with_most_inserts() -> None:
    events = table(
        "events", [column("id", "bigint", default="nextval('s'::regclass)", stats=statistics(-1))], key=("id",)
    )
    seen = window(events, extend=0, other={"LWLock:BufferContent": 45})
    advice = run(query(events, "add", role="insert", rows=1.0), relations=[events], seen=seen)
    assert advice.diagnosis.verdict == "index_leaf"
    assert chosen(advice).columns == ("id",)
    assert "leaf" in first(advice).reason


def test_a_key_with_too_few_values_yields_to_one_with_room() -> None:
    relation = table(
        "t", [column("shard", stats=uniform(4)), column("tenant", stats=uniform(5000))], key=("shard", "tenant")
    )
    families = [query(relation, "add", role="insert"), query(relation, "get", equals("shard"), equals("tenant"))]
    assert chosen(run(*families, relations=[relation], seen=window(relation))).columns == ("tenant",)


def test_a_redacted_snapshot_gives_the_same_advice() -> None:
    lines = tpcc_table("order_line")
    plain = snapshot(lines, seen=window(lines), rows=[order_lines(lines)])
    workload = Workload(families=tuple(line_queries(lines)))
    assert advise_on(redact(plain), workload).tables == advise_on(plain, workload).tables


def test_an_unpruned_query_never_raises_the_number_of_partitions() -> None:
    lines = tpcc_table("order_line")
    counts = []
    for calls in (0.1, 100, 10_000, 300_000):
        report = query(lines, "by item", equals("ol_i_id"), calls=calls)
        advice = run(*line_queries(lines), report, relations=[lines], seen=window(lines), keys=[])
        by_warehouse = next(c for c in first(advice).candidates if c.columns == ("ol_w_id",) and c.strategy == "hash")
        counts.append(by_warehouse.partitions)
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_reads_that_cost_more_than_the_queue_forbid_the_split() -> None:
    lines = tpcc_table("order_line")
    report = query(lines, "by item", equals("ol_i_id"), calls=10_000_000)
    answer = first(run(*line_queries(lines), report, relations=[lines], seen=window(lines)))
    assert answer.verdict == "do_not_partition"
    assert "every partition" in answer.reason


def test_unknown_values_are_said_to_be_assumed() -> None:
    bare = table("t", [column("k"), column("n")], key=("k", "n"))
    advice = run(query(bare, "add", role="insert"), relations=[bare], seen=window(bare))
    assert any("Values of k, n are not known" in a for a in advice.assumptions)
