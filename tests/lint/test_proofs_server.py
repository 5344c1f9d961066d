"""Whether a CHECK saves the scan: the reviewer says what a server does, for many conditions and bounds."""

# ruff: noqa: E501  (conditions read better many in a line)

from __future__ import annotations

from collections.abc import Callable

from partadvisor.io.server import Server
from partadvisor.lint.catalog import of_schema
from partadvisor.lint.context import Versions
from partadvisor.lint.exclusion import excludes_bound
from partadvisor.lint.proofs import proves_bound
from partadvisor.model.ddl import AttachPartition
from partadvisor.model.ddl_parts import Bound
from partadvisor.sql.ddl.facts import facts_of
from partadvisor.sql.parse import Unparsed
from tests.lint.live.sessions import Connection, session
from tests.majors import ON_MAJORS

INT = "FOR VALUES FROM (10) TO (20)"
DAY = "FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')"
# strategy, type of the key, bound, and conditions; each is tried with the key nullable and not
PARTITIONS = [
    ("RANGE", "int", INT, [
        "k >= 10 AND k < 20", "k >= 10 AND k <= 19", "k BETWEEN 10 AND 19", "k BETWEEN 10 AND 20", "k > 9 AND k < 20",
        "k >= 12 AND k < 15", "k >= 9 AND k < 20", "k >= 10", "k < 20", "k IN (10, 11)", "k IN (10, 20)", "k = 12",
        "k = ANY (ARRAY[10, 19])", "k IS NOT NULL AND k >= 10 AND k < 20", "k IS NOT NULL", "10 <= k AND 20 > k",
        "k >= 10::bigint AND k < 20", "k >= 10.0 AND k < 20", "NOT (k < 10) AND NOT (k >= 20)", "k + 0 >= 10 AND k + 0 < 20",
        "k >= 10 AND k < 20 AND v > 3", "(k >= 10 AND k < 20) OR k IS NULL", "k >= 10 AND k < 15 OR k >= 15 AND k < 20",
        "abs(k) >= 10 AND k < 20",
    ]),
    ("RANGE", "int", "FOR VALUES FROM (MINVALUE) TO (20)", ["k < 20", "k < 19", "k <= 20", "k IS NOT NULL AND k < 20"]),
    ("RANGE", "int", "FOR VALUES FROM (10) TO (MAXVALUE)", ["k >= 10", "k > 10", "k > 9", "k IS NOT NULL AND k >= 10"]),
    ("RANGE", "date", DAY, [
        "k >= '2026-01-01' AND k < '2026-02-01'", "k >= date '2026-01-01' AND k < date '2026-02-01'",
        "k >= '2026-01-01' AND k <= '2026-01-31'", "k >= '2025-12-31' AND k < '2026-02-01'", "k >= '2026-01-05' AND k < '2026-01-09'",
        "k BETWEEN '2026-01-01' AND '2026-01-31'", "extract(month FROM k) = 1", "k IS NOT NULL AND k >= '2026-01-01' AND k < '2026-02-01'",
    ]),
    ("RANGE", "timestamptz", "FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2026-02-01 00:00+00')", [
        "k >= '2026-01-01 00:00+00' AND k < '2026-02-01 00:00+00'", "k >= '2026-01-01' AND k < '2026-02-01'",
        "k >= '2026-01-02 00:00+00' AND k < '2026-01-30 00:00+00'", "k >= '2025-12-31 23:00+00' AND k < '2026-02-01 00:00+00'",
        "k >= '2026-01-01 00:00+00' AND k < '2026-02-01 01:00+00'",
        "k >= '2026-01-01 00:00:00+00' AND k < '2026-01-31 19:00-05'", "k >= '2026-01-01 00:00:00.000001+00' AND k < '2026-02-01 01:00+02'",
    ]),
    ("RANGE", "text", "FOR VALUES FROM ('a') TO ('m')", ["k >= 'a' AND k < 'm'", "k >= 'b' AND k < 'c'", "k >= 'a'"]),
    ("LIST", "text", "FOR VALUES IN ('a', 'b')", [
        "k = 'a'", "k IN ('a', 'b')", "k IN ('b')", "k IN ('a', 'c')", "k = 'a' OR k = 'b'", "k IS NOT NULL AND k = 'a'", "k <> 'c'",
        "k = ANY (ARRAY['a', 'b'])", "k IS NULL OR k = 'a'",
    ]),
    ("LIST", "text", "FOR VALUES IN ('a', NULL)", ["k = 'a'", "k IS NULL OR k = 'a'", "k IS NULL", "k IN ('a')"]),
    ("LIST", "int", "FOR VALUES IN (1, 2)", ["k = 1", "k IN (1, 2)", "k BETWEEN 1 AND 2", "k >= 1 AND k <= 2"]),
    ("HASH", "int", "FOR VALUES WITH (MODULUS 2, REMAINDER 0)", [
        "satisfies_hash_partition('p'::regclass, 2, 0, k)", "satisfies_hash_partition('p'::regclass, 2, 1, k)",
        "satisfies_hash_partition('p'::regclass, 4, 0, k)", "k % 2 = 0",
    ]),
]  # fmt: skip
DEFAULTS = [
    ("RANGE", "int", INT, [
        "k < 10 OR k >= 20", "k < 10", "k <= 9 OR k > 20", "k <= 10 OR k >= 20", "k >= 20", "k >= 19", "NOT (k >= 10 AND k < 20)",
        "k IS NULL OR k < 10 OR k >= 20", "k NOT IN (10, 11)", "k IN (1, 2)", "k = 12", "k IS NULL", "k < 10 OR k >= 20 AND v > 1",
        "k < 5 OR k > 100", "v > 3",
    ]),
    ("RANGE", "date", DAY, [
        "k < '2026-01-01' OR k >= '2026-02-01'", "k < date '2026-01-01' OR k >= date '2026-02-01'", "k < '2026-01-02' OR k >= '2026-02-01'",
    ]),
    ("LIST", "text", "FOR VALUES IN ('a', 'b')", [
        "k NOT IN ('a', 'b')", "k NOT IN ('a', 'b', 'c')", "k <> 'a'", "k <> 'a' AND k <> 'b'", "k IN ('c')", "k = 'd'", "k IS NULL",
        "k NOT IN ('a', 'b') OR k IS NULL", "k IS NULL OR k NOT IN ('a', 'b')",
    ]),
]  # fmt: skip


def tried(table: list[tuple[str, str, str, list[str]]]) -> list[tuple[str, str, str, str, bool]]:
    return [(s, t, b, c, null) for s, t, b, checks in table for c in checks for null in (True, False)]


def schema(strategy: str, type_: str, check: str, *, nullable: bool, bound: str = "") -> str:
    null = "" if nullable else " NOT NULL"
    made = f"CREATE TABLE p (k {type_}{null}, v int) PARTITION BY {strategy} (k);\n"
    table = f"CREATE TABLE t (k {type_}{null}, v int, CHECK ({check}));\n"
    return made + table + (f"ALTER TABLE p ATTACH PARTITION t {bound};\n" if bound else "")


def bound_of(text: str) -> Bound:
    facts = facts_of(f"ALTER TABLE p ATTACH PARTITION t {text}")
    assert not isinstance(facts, Unparsed)
    (attach,) = (a for a in facts.actions if isinstance(a, AttachPartition))
    return attach.bound


def scans_t(connection: Connection, statements: str) -> bool:
    """Whether the last statement reads t; everything is taken back."""
    *first, last = [s for s in statements.split(";\n") if s.strip()]
    connection.execute("BEGIN")
    try:
        for statement in first:
            connection.execute(statement.encode())
        count = "SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_xact_user_tables WHERE relname = 't'"
        before = connection.execute(count).fetchall()
        connection.execute(last.encode())
        return connection.execute(count).fetchall() != before
    finally:
        connection.execute("ROLLBACK")


@ON_MAJORS
def test_a_check_proves_a_bound_where_the_server_says_so(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    wrong, unsure = [], 0
    versions = Versions(oldest=major, newest=major)
    with session(make_db(major_server(major))) as connection:
        for strategy, type_, bound, check, nullable in tried(PARTITIONS):
            text = schema(strategy, type_, check, nullable=nullable)
            tables = of_schema(text, versions)
            p, t = tables.get("public.p"), tables.get("public.t")
            assert p
            assert t
            said = proves_bound(t, p.partition_by, bound_of(bound))
            scanned = scans_t(connection, f"{text}ALTER TABLE p ATTACH PARTITION t {bound};\n")
            unsure += said is None
            if said is scanned:
                wrong.append((strategy, bound, check, nullable, f"said {said}, scanned {scanned}"))
    assert not wrong, "\n".join(map(str, wrong))
    assert unsure < len(tried(PARTITIONS)) / 4


@ON_MAJORS
def test_a_check_excludes_a_bound_where_the_server_says_so(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    wrong, unsure = [], 0
    versions = Versions(oldest=major, newest=major)
    with session(make_db(major_server(major))) as connection:
        for strategy, type_, bound, check, nullable in tried(DEFAULTS):
            if "IS NULL" in check and not nullable:
                continue
            text = schema(strategy, type_, check, nullable=nullable, bound="DEFAULT")
            tables = of_schema(text, versions)
            p, t = tables.get("public.p"), tables.get("public.t")
            assert p
            assert t
            said = excludes_bound(t, p.partition_by, bound_of(bound))
            scanned = scans_t(connection, f"{text}CREATE TABLE q PARTITION OF p {bound};\n")
            unsure += said is None
            if said is scanned:
                wrong.append((strategy, bound, check, nullable, f"said {said}, scanned {scanned}"))
    assert not wrong, "\n".join(map(str, wrong))
    assert unsure < len(tried(DEFAULTS)) / 4


def test_bound_texts_are_understood() -> None:
    assert {bound_of(b).strategy for _, _, b, _ in PARTITIONS} == {"range", "list", "hash"}
