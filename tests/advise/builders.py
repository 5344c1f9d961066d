"""Small snapshots made by hand: tables, statistics, recent rows, waits, queries."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from partadvisor.advise.monotone import monotone_columns
from partadvisor.advise.subject import Subject, Use
from partadvisor.model.activity import ActivitySample, ExtensionWait, RecentRows, TableDelta, Window
from partadvisor.model.catalog import Column, ColumnStatistics, Constraint, Index, Relation
from partadvisor.model.snapshot import ServerInfo, Snapshot
from partadvisor.model.workload import (
    AccessPattern,
    AllOf,
    Comparison,
    Condition,
    Operand,
    QueryFamily,
    TableAccess,
)


def statistics(
    n_distinct: float,
    common: Sequence[tuple[object, float]] = (),
    correlation: float | None = None,
    nulls: float = 0.0,
) -> ColumnStatistics:
    return ColumnStatistics(
        n_distinct=n_distinct,
        most_common=tuple((str(v), f) for v, f in common),
        correlation=correlation,
        null_fraction=nulls,
    )


def uniform(values: int) -> ColumnStatistics:
    """Statistics of a column with 1..values, all equally frequent."""
    return statistics(values, [(v, 1 / values) for v in range(1, values + 1)])


def column(
    name: str,
    type_: str = "integer",
    *,
    not_null: bool = True,
    stats: ColumnStatistics | None = None,
    default: str | None = None,
    **more: object,
) -> Column:
    return Column(
        name=name,
        number=1,
        type=type_,
        base_type=type_,
        not_null=not_null,
        default=default,
        statistics=stats,
        **more,  # type: ignore[arg-type]
    )


def index(name: str, columns: Sequence[str | None], *, primary: bool = False, constraint: bool = True) -> Index:
    return Index(
        name=name,
        definition=f"CREATE UNIQUE INDEX {name} ...",
        columns=tuple(columns),
        unique=True,
        primary=primary,
        constraint=name if constraint else None,
    )


def table(
    name: str,
    columns: Sequence[Column],
    *,
    key: Sequence[str] = (),
    unique: Sequence[Sequence[str | None]] = (),
    rows: float = 1_000_000,
    **more: object,
) -> Relation:
    numbered = tuple(
        Column(**{f: getattr(c, f) for f in c.__struct_fields__} | {"number": i}) for i, c in enumerate(columns, 1)
    )
    indexes = [index(f"{name}_pkey", key, primary=True)] if key else []
    indexes += [index(f"{name}_u{i}", u) for i, u in enumerate(unique)]
    return Relation(
        oid=abs(hash(name)) % 10_000,
        schema="public",
        name=name,
        kind="table",
        rows=rows,
        columns=numbered,
        indexes=tuple(indexes),
        **more,  # type: ignore[arg-type]
    )


def foreign_key(name: str, columns: Sequence[str], references: str, referenced: Sequence[str]) -> Constraint:
    return Constraint(
        name=name,
        kind="foreign_key",
        definition="",
        columns=tuple(columns),
        references=references,
        referenced_columns=tuple(referenced),
    )


def recent(
    relation: Relation,
    columns: Sequence[str],
    transactions: int,
    rows_of: Callable[[random.Random, int], Iterable[Sequence[object]]],
    *,
    seed: int = 1,
) -> RecentRows:
    """Recent rows: ``rows_of(random, t)`` gives the rows that transaction ``t`` inserted with one statement."""
    chance = random.Random(seed)
    rows, of_transaction = [], []
    for t in range(transactions):
        for row in rows_of(chance, t):
            rows.append(tuple(None if v is None else str(v) for v in row))
            of_transaction.append(t)
    return RecentRows(
        table=relation.qualified_name,
        columns=tuple(columns),
        rows=tuple(rows),
        transactions=tuple(of_transaction),
        statements=tuple(of_transaction),
    )


def equals(column_name: str, kind: str = "parameter", type_: str | None = None) -> Comparison:
    return Comparison(
        column=column_name,
        operator="=",
        operands=(Operand(kind=kind, value="$1", type=type_),),  # type: ignore[arg-type]
    )


def query(
    relation: Relation,
    name: str,
    *conditions: Condition,
    role: str = "read",
    calls: float = 100.0,
    mean_ms: float = 0.1,
    **access: object,
) -> QueryFamily:
    reference = TableAccess(
        table=relation.qualified_name,
        alias=relation.name,
        role=role,  # type: ignore[arg-type]
        condition=AllOf(parts=conditions),
        **access,  # type: ignore[arg-type]
    )
    kind = "select" if role == "read" else role
    return QueryFamily(
        fingerprint=name,
        text=name,
        name=name,
        calls=calls * 60,
        calls_per_second=calls,
        mean_ms=mean_ms,
        rows_per_call=1,
        pattern=AccessPattern(kind=kind, tables=(reference,)),  # type: ignore[arg-type]
    )


def subject(
    relation: Relation,
    *,
    families: Sequence[QueryFamily] = (),
    rows: RecentRows | None = None,
    major: int = 18,
    **more: object,
) -> Subject:
    uses = tuple(
        Use(f, tuple(a for a in f.pattern.tables if a.table == relation.qualified_name)) for f in families if f.pattern
    )
    return Subject(
        relation=relation,
        major=major,
        uses=uses,
        recent=rows,
        monotone=monotone_columns(relation, rows),
        **more,  # type: ignore[arg-type]
    )


def window(
    relation: Relation | None,
    *,
    extend: int = 40,
    cpu: int = 5,
    other: dict[str, int] | None = None,
    samples: int = 200,
    inserts: int = 600_000,
    busy: float = 0.6,
) -> Window:
    """A minute of samples: ``extend`` sessions wait to extend the table, ``cpu`` run, ``other`` wait elsewhere."""
    waits = {"Lock:extend": extend, "CPU": cpu, **(other or {})}
    holders = (
        (
            ExtensionWait(
                relation=relation.qualified_name,
                table=relation.qualified_name,
                via="heap",
                waiters=extend,
                holders=1,
            ),
        )
        if relation is not None and extend
        else ()
    )
    taken = tuple(
        ActivitySample(at_ms=300.0 * i, waits={k: v for k, v in waits.items() if v}, extension=holders)
        for i in range(samples)
    )
    deltas = (
        (TableDelta(table=relation.qualified_name, inserted=inserts, heap_bytes=inserts * 200),) if relation else ()
    )
    return Window(
        seconds=60.0,
        interval_ms=300.0,
        started_at="2026-01-01T00:00:00Z",
        samples=taken,
        transactions=60_000,
        tables=deltas,
        host_cpu_busy=busy,
        host_cpu_source="given",
    )


def snapshot(
    *relations: Relation,
    seen: Window | None = None,
    rows: Sequence[RecentRows] = (),
    version: int = 180006,
    **more: object,
) -> Snapshot:
    return Snapshot(
        tool_version="0",
        taken_at="2026-01-01T00:00:00Z",
        server=ServerInfo(
            version=str(version // 10000),
            version_num=version,
            database="shop",
            cores=16,
            settings={"max_locks_per_transaction": "64"},
        ),
        relations=relations,
        window=seen,
        recent_rows=tuple(rows),
        **more,  # type: ignore[arg-type]
    )


def compare_range(column_name: str, operator: str = ">") -> Comparison:
    return Comparison(column=column_name, operator=operator, operands=(Operand(kind="parameter", value="$1"),))  # type: ignore[arg-type]
