"""The network behind the throughput model: CPU, extension locks, index leaves and what does not split.

The lock's time depends on its queue: 16 and later (and, by another way, 9.6 to 15) add more pages at once the more
sessions wait, so a shorter queue costs more lock time for each page. The recursion takes each server's time at the
queue it finds, as in mean value analysis of load-dependent servers, in one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import mul

import msgspec

from partadvisor.advise.thresholds import threshold


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """A network in units of one transaction at today's throughput, so a server's demand is its busy share today.

    ``lock``, ``leaf``, ``unsplit`` and ``cpu`` are busy shares today; a transaction further spends ``parallel`` on
    cores that nobody has to wait for and ``delay`` outside all queues. ``queue`` of the ``clients`` are at the lock.
    ``run_queue`` (0..1) scales the CPU's queue: 1 is a queue of random arrivals.
    """

    delay: float
    lock: float
    cpu: float
    parallel: float
    queue: float
    clients: int
    run_queue: float = 1.0
    leaf: float = 0.0
    leaf_splits: bool = True
    unsplit: float = 0.0
    relief: float = 0.0
    pages: float = 1.0
    bulk_loss: float = 0.0


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A solved network: throughput as a multiple of today's, sessions at all locks, how busy each server is."""

    throughput: float
    queue: float
    busy: dict[str, float]


def solve(
    fit: Fit,
    clients: int,
    groups: tuple[tuple[float, int], ...],
    *,
    added_cpu: float = 0.0,
    relief: float | None = None,
) -> Point:
    """Throughput with ``groups`` of partitions (share of the inserts, number of such partitions).

    ``added_cpu`` is CPU that the candidate adds to a transaction, as a share of today's.
    """
    demands, counts = [fit.lock * share for share, _ in groups], [count for _, count in groups]
    leaf_demands, leaf_counts = _leaves(fit, groups)
    queues, leaf_queues = [0.0] * len(counts), [0.0] * len(leaf_counts)
    stretched, cpu_factor = _lock_time(fit), _cpu_factor(fit, fit.relief if relief is None else relief, sum(counts))
    delay, parallel, cpu, run_queue, unsplit = fit.delay, fit.parallel, fit.cpu, fit.run_queue, fit.unsplit
    more, throughput, unsplit_queue, cpu_queue, queue = 1 + added_cpu, 0.0, 0.0, 0.0, 0.0
    for n in range(1, clients + 1):
        times = [d * (1 + q) for d, q in zip(stretched(demands, queues), queues)]  # noqa: B905 - the inner loop
        factor = cpu_factor(queue, n) * more
        at_locks, at_leaves, leaf_times = sum(map(mul, times, counts)), 0.0, leaf_demands
        if leaf_demands:
            leaf_times = [d * (1 + q) for d, q in zip(leaf_demands, leaf_queues)]  # noqa: B905
            at_leaves = sum(map(mul, leaf_times, leaf_counts))
        unsplit_time, cpu_time = unsplit * (1 + unsplit_queue), cpu * factor * (1 + run_queue * cpu_queue)
        throughput = n / (delay + parallel * factor + cpu_time + unsplit_time + at_locks + at_leaves)
        queues, leaf_queues = [throughput * t for t in times], [throughput * t for t in leaf_times]
        unsplit_queue, cpu_queue, queue = throughput * unsplit_time, throughput * cpu_time, throughput * at_locks
    busy = {
        "extension": throughput * max(*stretched(demands, queues), unsplit),
        "cpu": throughput * cpu * cpu_factor(queue, clients) * more,
        "index_leaf": throughput * max(leaf_demands, default=0.0),
    }
    return Point(throughput=throughput, queue=queue, busy=busy)


def _leaves(fit: Fit, groups: tuple[tuple[float, int], ...]) -> tuple[list[float], list[int]]:
    if fit.leaf <= 0:
        return [], []
    if not fit.leaf_splits:
        return [fit.leaf], [1]
    return [fit.leaf * share for share, _ in groups], [count for _, count in groups]


def _lock_time(fit: Fit) -> Callable[[list[float], list[float]], list[float]]:
    """Demands as they are at these queues. Fewer waiters: fewer pages at once, more hand-overs for each page."""
    if fit.pages < threshold("extension.bulk_pages") or fit.queue <= 0:
        return lambda demands, _: demands
    once = threshold("extension.hold_us") + threshold("extension.handoff_us")
    page, growth = threshold("extension.page_us"), (fit.pages - 1) / fit.queue
    today = page + once / fit.pages
    page, once = page / today, once / today
    return lambda demands, queues: [d * (page + once / (1 + growth * q)) for d, q in zip(demands, queues)]  # noqa: B905


def _cpu_factor(fit: Fit, relief: float, locks: int) -> Callable[[float, int], float]:
    """CPU of a transaction ÷ today's, from the sessions at all locks and their total number.

    Who does not queue does not sleep and wake, which saves CPU; but shorter queues lose bulk extension, which costs.
    """
    if fit.queue <= 0:
        return lambda _queue, _clients: 1.0
    loss = fit.bulk_loss if fit.pages >= threshold("extension.bulk_pages") else 0.0
    waiting, each = fit.clients / fit.queue, 1 / (locks * fit.queue)

    def factor(queue: float, clients: int) -> float:
        return 1 - relief * max(0.0, 1 - queue / clients * waiting) + loss * max(0.0, 1 - queue * each)

    return factor


def fit(
    *,
    clients: int,
    lock: float,
    lock_busy: float | None,
    leaf: float,
    leaf_splits: bool,
    unsplit: float,
    cpu: float,
    cores: float,
    relief: float,
    pages: float,
    bulk_loss: float,
) -> Fit:
    """The network with a throughput of 1 and ``lock``, ``leaf``, ``unsplit`` of the ``clients`` in these queues.

    ``cpu`` is the busy share of all ``cores``. ``lock_busy``, where given, is the lock's measured busy share, which
    its demand cannot exceed. Solved in closed form with Schweitzer's estimate of the queue an arriving client finds,
    within 3 % of the exact solution from 16 clients on. Several cores are one server as fast as all of them plus the
    time a transaction spends on its own core (Seidmann). A CPU busier than its sessions can make it has no queue.
    """
    seen = (clients - 1) / clients  # of a queue, by a client that arrives
    demand = lock / (1 + lock * seen)
    if lock_busy is not None and lock_busy < demand:
        demand = lock_busy
    lock_now = demand / (1 - demand * seen) if demand * seen < 1 else lock
    room = max(0.0, clients - lock_now - leaf - unsplit)
    at_cpu = min(cpu / max(1 - cpu * seen, 1e-9), room)
    run_queue = max(0.0, (at_cpu / cpu - 1) / (at_cpu * seen)) if cpu > 0 and at_cpu > 0 and seen > 0 else 0.0
    parallel = min(cpu * (cores - 1), max(0.0, room - max(at_cpu, cpu)))
    return Fit(
        delay=max(0.0, room - at_cpu - parallel),
        lock=demand,
        cpu=cpu,
        parallel=parallel,
        queue=lock_now,
        clients=clients,
        run_queue=min(1.0, run_queue),
        leaf=leaf / (1 + leaf * seen),
        leaf_splits=leaf_splits,
        unsplit=unsplit / (1 + unsplit * seen),
        relief=relief,
        pages=pages,
        bulk_loss=bulk_loss,
    )
