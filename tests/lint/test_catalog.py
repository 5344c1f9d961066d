"""What a snapshot tells a review of a table."""

from __future__ import annotations

from partadvisor.lint.catalog import of_snapshot
from partadvisor.lint.engine import ALL_VERSIONS, Options, review_text
from partadvisor.model.activity import TableDelta, Window
from partadvisor.model.catalog import PartitionKeyInfo, Relation, TableActivity, Trigger
from partadvisor.model.snapshot import ServerInfo, Snapshot


def relation(name: str, **more: object) -> Relation:
    kind = more.pop("kind", "table")
    return Relation(oid=1, schema="public", name=name, kind=kind, **more)  # type: ignore[arg-type]


def snapshot(*relations: Relation, inserted: int = 0) -> Snapshot:
    quiet = [TableDelta(table=r.qualified_name, inserted=0) for r in relations[:-1]]
    last = TableDelta(table=relations[-1].qualified_name, inserted=inserted)
    window = Window(started_at="2026-11-01 00:00:00+00", seconds=10.0, interval_ms=100, tables=(*quiet, last))
    server = ServerInfo(version="18.1", version_num=180001, database="d")
    return Snapshot(tool_version="0", taken_at="now", server=server, relations=relations, window=window)


def partitioned(**leaf: object) -> tuple[Relation, Relation]:
    key = PartitionKeyInfo(strategy="range", definition="RANGE (k)", columns=("k",))
    bound = "FOR VALUES FROM (0) TO (10)"
    parent = relation("p", kind="partitioned_table", partition_key=key)
    return parent, relation("p_1", parent="public.p", partition_bound=bound, **leaf)


def findings(text: str, taken: Snapshot) -> list[str]:
    options = Options(versions=ALL_VERSIONS, tables=of_snapshot(taken))
    return [f.rule for f in review_text("m.sql", text, options).findings]


DETACH = "SET lock_timeout = '1s'; ALTER TABLE p DETACH PARTITION p_1;"


def test_a_partitioned_table_is_as_large_and_busy_as_its_partitions() -> None:
    p = of_snapshot(snapshot(*partitioned(heap_bytes=5_000, rows=70.0), inserted=300)).get("public.p")
    assert p is not None
    assert (p.bytes, p.rows, p.writes_per_second) == (5_000, 70.0, 30.0)


def test_locks_on_a_busy_partitioned_table_are_told_and_on_an_idle_one_not() -> None:
    assert "PA110" in findings(DETACH, snapshot(*partitioned(), inserted=300))
    assert "PA110" in findings(DETACH, snapshot(*partitioned(activity=TableActivity(seq_scan=9))))
    assert "PA110" not in findings(DETACH, snapshot(*partitioned()))


def test_the_owners_own_privileges_are_no_grants() -> None:
    table = relation("t", owner="me", grants=("me=arwdDxt/me", "app=r/me"))
    found = of_snapshot(snapshot(table)).get("public.t")
    assert found is not None
    assert found.grants == ("app=r/me",)


def test_triggers_that_no_partition_may_have() -> None:
    parent, leaf = partitioned()
    trigger = Trigger(name="g", definition="…", row=True, transition_tables=True)
    other = relation("t", triggers=(trigger,))
    text = "ALTER TABLE p ATTACH PARTITION t FOR VALUES FROM (10) TO (20);"
    assert "PA106" in findings(text, snapshot(parent, leaf, other))


def test_privileges_that_a_swap_loses_are_shown_to_be_given_again() -> None:
    table = relation("t", owner="me", grants=("me=arwd/me", "app=ar*/me", "=r/me"))
    text = "CREATE TABLE n (LIKE t);\nBEGIN;\nALTER TABLE t RENAME TO o;\nALTER TABLE n RENAME TO t;\nCOMMIT;"
    options = Options(versions=ALL_VERSIONS, tables=of_snapshot(snapshot(table)))
    finding = next(f for f in review_text("m.sql", text, options).findings if f.rule == "PA401")
    assert finding.recipe.splitlines() == [
        'GRANT INSERT ON TABLE n TO "app";',
        'GRANT SELECT ON TABLE n TO "app" WITH GRANT OPTION;',
        "GRANT SELECT ON TABLE n TO PUBLIC;",
    ]


def test_times_are_the_same_however_they_are_written() -> None:
    key = PartitionKeyInfo(strategy="range", definition="RANGE (at)", columns=("at",))
    parent = relation("p", kind="partitioned_table", partition_key=key)
    bound = "FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00')"
    taken = snapshot(parent, relation("p_1", parent="public.p", partition_bound=bound))
    add = "CREATE TABLE p_2 (LIKE p); ALTER TABLE p ATTACH PARTITION p_2 FOR VALUES FROM ('{}') TO ('2026-03-01');"
    assert "PA128" not in findings(add.format("2026-02-01 00:00+00"), taken)
    assert "PA128" not in findings(add.format("2026-02-01"), taken)
    assert "PA128" in findings(add.format("2026-01-31 23:59:59+00"), taken)
    assert "PA131" not in findings(add.format("2026-02-01 00:00+00"), taken)
    assert "PA131" in findings(add.format("2026-02-01 00:00:01+00"), taken)
