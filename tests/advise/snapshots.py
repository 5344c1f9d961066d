"""Snapshots with known wait shares, for tests of the diagnosis and the models behind it."""

import random
from collections.abc import Mapping

from partadvisor.advise.table_waits import Via
from partadvisor.model.activity import ActivitySample, ExtensionWait, IoDelta, LogWait, TableDelta, WalDelta, Window
from partadvisor.model.catalog import Index, Relation
from partadvisor.model.snapshot import Assumed, AssumedTable, AssumedWait, ServerInfo, Snapshot

LINES = "public.order_line"
RELATIONS = (
    Relation(
        oid=100,
        schema="public",
        name="order_line",
        kind="table",
        indexes=(Index(name="order_line_pkey", definition="", columns=("w_id",)),),
    ),
    Relation(oid=200, schema="public", name="orders", kind="table"),
)


def server(version: int = 180006, cores: int | None = 16, settings: Mapping[str, str] | None = None) -> ServerInfo:
    return ServerInfo(
        version=str(version // 10000),
        version_num=version,
        database="shop",
        cores=cores,
        settings=dict(settings or {}),
    )


def samples(
    shares: Mapping[str, float],
    *,
    sessions: int = 64,
    n: int = 200,
    relations: Mapping[str, tuple[str, Via, float]] | None = None,
    seed: int = 1,
) -> tuple[ActivitySample, ...]:
    """``n`` samples in which each session is drawn to be in one of the events; the rest of the share is CPU.

    ``relations`` says where extension waiters queue: relation -> (table, via, weight).
    """
    rng = random.Random(seed)
    events, weights = [*shares, "CPU"], [*shares.values(), max(0.0, 1 - sum(shares.values()))]
    made = []
    for number in range(n):
        drawn = rng.choices(events, weights, k=sessions)
        counts = {event: drawn.count(event) for event in set(drawn)}
        idle = counts.pop("idle in transaction", 0)
        waiting = counts.get("Lock:extend", 0)
        queue = tuple(
            ExtensionWait(
                relation=name, table=table, via=via, waiters=round(waiting * weight), holders=int(waiting > 0)
            )
            for name, (table, via, weight) in (relations or {LINES: (LINES, "heap", 1.0)}).items()
        )
        made.append(ActivitySample(at_ms=100.0 * number, waits=counts, idle_in_transaction=idle, extension=queue))
    return tuple(made)


def observed(
    shares: Mapping[str, float] | None = None,
    *,
    cpu: float | None = None,
    cores: int | None = 16,
    version: int = 180006,
    settings: Mapping[str, str] | None = None,
    drawn: tuple[ActivitySample, ...] | None = None,
    io: IoDelta | None = None,
    wal: WalDelta | None = None,
    tables: tuple[TableDelta, ...] = (TableDelta(table=LINES, inserted=200_000, heap_bytes=40_960_000),),
    transactions: int = 20_000,
    log: tuple[LogWait, ...] = (),
) -> Snapshot:
    """A snapshot of 20 s under load."""
    window = Window(
        seconds=20.0,
        interval_ms=100.0,
        started_at="2026-01-01T00:00:00Z",
        samples=samples(shares or {}) if drawn is None else drawn,
        transactions=transactions,
        tables=tables,
        io=io,
        wal=wal,
        host_cpu_busy=cpu,
    )
    return bare(version=version, cores=cores, settings=settings, window=window, log=log)


def told(
    shares: Mapping[str, float],
    *,
    clients: int | None = 128,
    cores: int | None = 16,
    cpu: float | None = None,
    relation: str | None = LINES,
    version: int = 180006,
) -> Snapshot:
    """A snapshot made from a --stats file."""
    assumed = Assumed(
        clients=clients,
        host_cpu_busy=cpu,
        waits=tuple(
            AssumedWait(event=e, share=s, relation=relation if e == "Lock:extend" else None) for e, s in shares.items()
        ),
        tables=(AssumedTable(table=LINES, inserts_per_second=12_000),),
    )
    return bare(version=version, cores=cores, assumed=assumed)


def bare(
    *,
    version: int = 180006,
    cores: int | None = None,
    settings: Mapping[str, str] | None = None,
    window: Window | None = None,
    assumed: Assumed | None = None,
    log: tuple[LogWait, ...] = (),
) -> Snapshot:
    return Snapshot(
        tool_version="0",
        taken_at="2026-01-01T00:00:20Z",
        server=server(version, cores, settings),
        relations=RELATIONS,
        window=window,
        assumed=assumed,
        log_waits=log,
    )


def log_line(wait_ms: float, *, queue: int = 0, relation: str = LINES, table: str = LINES) -> LogWait:
    return LogWait(
        at="2026-01-01 00:00:01 UTC",
        pid=7,
        relation=relation,
        table=table,
        via="heap" if relation == table else "index",
        wait_ms=wait_ms,
        ended=True,
        queue=queue,
    )


def bursty(on: float, off: float, n: int, inside: float, outside: float, seed: int) -> tuple[ActivitySample, ...]:
    """64 sessions in Lock:extend with one of two chances, in episodes of mean length ``on`` and ``off``."""
    rng = random.Random(seed)
    high = rng.random() < on / (on + off)
    made = []
    for number in range(n):
        if rng.random() < 1 / (on if high else off):
            high = not high
        waiting = sum(rng.random() < (inside if high else outside) for _ in range(64))
        queue = ExtensionWait(relation=LINES, table=LINES, via="heap", waiters=waiting, holders=1)
        waits = {"Lock:extend": waiting, "CPU": 64 - waiting}
        made.append(ActivitySample(at_ms=100.0 * number, waits=waits, extension=(queue,) if waiting else ()))
    return tuple(made)
