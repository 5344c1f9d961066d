"""How many times faster a table gets when its inserts fall on several partitions: a calibrated queueing network.

Today's load fixes the network: so many clients, so many of them at the table's extension lock, so much of the CPU
busy. A candidate replaces the one lock by one for each partition with its share of the inserts; everything else stays
as measured, and so becomes the next limit. Time is counted in units of one transaction at today's throughput, so a
throughput of 1 is today's and the result is the ratio new ÷ old. The ratio is of what clients without pause can do;
an application that sends a fixed number of requests gains response time instead.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

import msgspec

from partadvisor.advise.evidence import gather
from partadvisor.advise.gain import cpu_relief
from partadvisor.advise.network import Fit, Point, fit, solve
from partadvisor.advise.queueing import grouped
from partadvisor.advise.thresholds import threshold
from partadvisor.model.diagnosis import Diagnosis, GainLimit, TableWait
from partadvisor.model.snapshot import Snapshot

End = Literal["low", "value", "high"]
_ENDS: tuple[End, ...] = ("low", "value", "high")
_DEFAULT_CLIENTS = 64  # concurrent sessions when nobody knows
_DEFAULT_CORES = 8


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Today's load of one table as three networks: the least, the likely and the most that is to be gained.

    ``clients`` are the sessions at work today; ``largest_rest`` names the largest wait besides the queue; ``bound`` is
    what the diagnosis says the end of the queue could buy them.
    """

    clients: int
    low: Fit
    value: Fit
    high: Fit
    largest_rest: str = "client"
    bound: float | None = None


def calibrate(
    snapshot: Snapshot, diagnosis: Diagnosis, table: str, together: frozenset[str] = frozenset()
) -> Calibration:
    """The network of one table (``schema.name``) as measured, told or, where nothing is known, assumed.

    ``together`` are tables that are partitioned at the same time: their queues count as one with the table's, which
    promises a little less than several locks split at once really give.
    Without any wait shares the ends are "no queue at all" and "nothing but the queue", with "no queue" as likely.
    """
    clients = max(1, round(_sessions(snapshot, diagnosis)))
    wait = _together(diagnosis, next((t for t in diagnosis.tables if t.table == table), None), together)
    evidence = gather(snapshot)
    reliefs = {end: cpu_relief(evidence, end) for end in _ENDS}
    fits = {end: _fit(snapshot, diagnosis, wait, clients, end, together, reliefs[end]) for end in _ENDS}
    return Calibration(
        clients=clients,
        low=fits["low"],
        value=fits["value"],
        high=fits["high"],
        largest_rest=_largest_rest(diagnosis),
        bound=diagnosis.gain_limit.high if diagnosis.gain_limit and diagnosis.verdict == "extension" else None,
    )


def predict(
    calibration: Calibration, shares: Sequence[float], clients: int, partitions_per_statement: float
) -> GainLimit:
    """Ratio new ÷ old of throughput with ``clients`` at work, and what limits it then.

    ``shares`` are the partitions' shares of the inserts within a short time (not over the table's life), in any
    order; ``partitions_per_statement`` how many of them one INSERT statement touches.
    """
    normal = [s / sum(shares) for s in shares]
    fine, coarse = tuple(grouped(normal)), tuple(grouped(normal, tolerance=0.5))
    points = {
        end: _point(calibration, fine if end == "value" else coarse, clients, partitions_per_statement, end)
        for end in _ENDS
    }
    ratios = {end: point.throughput / _today(calibration, clients, end).throughput for end, point in points.items()}
    expected = ratios["value"]
    error = max(0.03, threshold("model.error") * min(1.0, abs(expected - 1)))
    high = min(max(ratios["high"], expected) * (1 + error), max(1 / max(normal), expected * (1 + error)))
    if calibration.bound is not None and clients == calibration.clients:
        high = min(high, max(calibration.bound, expected))
    return GainLimit(
        low=min(ratios["low"], expected) * (1 - error),
        expected=expected,
        high=high,
        next_bottleneck=_next(calibration, points["value"]),
    )


def curve(
    calibration: Calibration, shares: Sequence[float], clients: Sequence[int], partitions_per_statement: float = 1.0
) -> list[tuple[int, float, float]]:
    """(clients, today's table, candidate) throughput in units of today's throughput: where the knees are."""
    touched = partitions_per_statement
    groups = tuple(grouped([s / sum(shares) for s in shares]))
    return [
        (n, _today(calibration, n, "value").throughput, _point(calibration, groups, n, touched, "value").throughput)
        for n in clients
    ]


@functools.lru_cache(maxsize=256)
def _today(calibration: Calibration, clients: int, end: End) -> Point:
    return solve(getattr(calibration, end), clients, ((1.0, 1),))


def _point(
    calibration: Calibration, groups: tuple[tuple[float, int], ...], clients: int, touched: float, end: End
) -> Point:
    """The candidate's network. More partitions in a statement cost CPU, and sleeping and waking goes on."""
    network: Fit = getattr(calibration, end)
    partitions = sum(count for _, count in groups)
    if partitions == 1:
        groups = ((1.0, 1),)
    cost = _added_cpu(partitions, touched, end)
    relief = network.relief if end == "high" else network.relief / max(1.0, touched)
    return solve(network, clients, groups, added_cpu=cost, relief=relief)


def _added_cpu(partitions: int, touched: float, end: End) -> float:
    """CPU that routing and further partitions add to a transaction, as a share of what it takes today."""
    if partitions <= 1 and touched <= 1:
        return 0.0
    return threshold("model.route_share", end) + max(0.0, touched - 1) * threshold("model.partition_share", end)


def _sessions(snapshot: Snapshot, diagnosis: Diagnosis) -> float:
    known = sum(w.sessions for w in diagnosis.waits)
    told = snapshot.assumed.clients if snapshot.assumed else None
    queue = max((line.queue for line in snapshot.log_waits), default=0)
    return known or told or max(_DEFAULT_CLIENTS if not queue else 0, 2 * queue)


def _together(diagnosis: Diagnosis, wait: TableWait | None, together: frozenset[str]) -> TableWait | None:
    """The table's wait with those of the tables that go with it."""
    if wait is None or not together:
        return wait
    share = sum(t.extension_share for t in diagnosis.tables if t.table in together or t.table == wait.table)
    return msgspec.structs.replace(wait, extension_share=share)


def _fit(
    snapshot: Snapshot,
    diagnosis: Diagnosis,
    wait: TableWait | None,
    clients: int,
    end: End,
    together: frozenset[str],
    relief: float,
) -> Fit:
    share = _table_share(diagnosis, wait, end)
    waits = {w.wait_class: w for w in diagnosis.waits}
    elsewhere = sum(
        t.extension_share
        for t in diagnosis.tables
        if (wait is None or t.table != wait.table) and t.table not in together
    )
    busy, cores = diagnosis.host_cpu_busy, diagnosis.cores or _DEFAULT_CORES
    leaf = waits["leaf"].share if "leaf" in waits else 0.0
    events = waits["wal"].events if "wal" in waits else {}
    inserting = sum(n for event, n in events.items() if event in ("LWLock:WALInsert", "LWLock:wal_insert"))
    return fit(
        clients=clients,
        lock=share * clients,
        lock_busy=wait.lock_busy if wait is not None and end == "low" else None,
        leaf=leaf * clients,
        leaf_splits=end != "low",
        unsplit=elsewhere * clients + (inserting if end == "low" else 0.0),
        cpu=busy if busy is not None else threshold("gain.unknown_cpu", end),
        cores=cores,
        relief=relief,
        pages=_pages(snapshot, diagnosis, end, share * clients),
        bulk_loss=threshold("gain.bulk_loss") * {"low": 1.0, "value": 0.75, "high": 0.0}[end],
    )


def _table_share(diagnosis: Diagnosis, wait: TableWait | None, end: End) -> float:
    """Share of session time at the table's lock, at one end of its interval."""
    extend = next((w for w in diagnosis.waits if w.wait_class == "extend"), None)
    if not diagnosis.waits:
        return 0.95 if end == "high" else 0.0
    if extend is None or extend.share <= 0 or wait is None:
        return 0.0
    limit = {"low": extend.low, "value": extend.share, "high": extend.high}[end]
    return min(0.99, wait.extension_share * limit / extend.share)


def _pages(snapshot: Snapshot, diagnosis: Diagnosis, end: End, queue: float) -> float:
    """Pages of one extension today. Unknown: as the version would with this queue; for the high end one page."""
    if diagnosis.pages_per_extension is not None:
        return diagnosis.pages_per_extension
    if end == "high":
        return 1.0
    if snapshot.server.major < 16:
        return min(threshold("extension.old_max_pages"), max(1.0, threshold("extension.old_pages_per_waiter") * queue))
    return min(threshold("extension.max_pages"), max(1.0, queue))


def _largest_rest(diagnosis: Diagnosis) -> str:
    names = {"read": "storage_reads", "write": "storage_writes", "row": "row_locks", "xid": "transaction_ids"}
    rest = [w for w in diagnosis.waits if w.wait_class not in ("extend", "leaf", "cpu", "other") and w.share > 0]
    return names.get(rest[0].wait_class, rest[0].wait_class) if rest else "client"


def _next(calibration: Calibration, point: Point) -> str:
    """The busiest server if one is busy, else what the clients wait for besides."""
    busiest = max(point.busy, key=lambda name: point.busy[name])
    return busiest if point.busy[busiest] > 0.6 else calibration.largest_rest
