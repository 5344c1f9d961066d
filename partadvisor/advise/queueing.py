"""Closed queueing networks: N clients go round between a delay and single servers; exact mean value analysis.

Times are in any one unit, throughput in its inverse. A network of locks is such a network: a lock serves one session
at a time, and a client that finds it taken stands in its queue.
"""

from __future__ import annotations

from collections.abc import Sequence


def roaming(clients: int, delay: float, demands: Sequence[float]) -> tuple[float, list[float]]:
    """Throughput and mean number at each server when every client draws its servers anew each time round.

    ``demands`` is the time a client needs at each server per round (time per visit times probability of a visit).
    Exact for exponential service (Reiser and Lavenberg's recursion); pessimistic by up to 10 % for constant service.
    """
    queues = [0.0] * len(demands)
    throughput = 0.0
    for n in range(1, clients + 1):
        times = [demand * (1 + queue) for demand, queue in zip(demands, queues, strict=True)]
        throughput = n / (delay + sum(times))
        queues = [throughput * time for time in times]
    return throughput, queues


def sticky(clients: int, delay: float, demand: float, shares: Sequence[float]) -> float:
    """Throughput when each client always uses the same lock; ``shares`` of the clients at each.

    Locks then do not wait for each other: one network of a single lock for each, with its own clients.
    """
    return sum(
        roaming(count, delay, [demand])[0] for count in apportion(clients, [s for s in shares if s > 0]) if count
    )


def bounds(clients: int, delay: float, demand: float, largest_share: float) -> float:
    """What no network of roaming clients can exceed: all clients never waiting, or the busiest lock never idle."""
    return min(clients / (delay + demand), 1 / (demand * largest_share) if demand * largest_share > 0 else float("inf"))


def apportion(clients: int, shares: Sequence[float]) -> list[int]:
    """Whole clients in proportion to ``shares`` (largest remainder), adding up to ``clients``."""
    total = sum(shares)
    exact = [clients * share / total for share in shares]
    counts = [int(e) for e in exact]
    by_remainder = sorted(range(len(shares)), key=lambda i: counts[i] - exact[i])
    for i in by_remainder[: clients - sum(counts)]:
        counts[i] += 1
    return counts


def grouped(shares: Sequence[float], tolerance: float = 0.2) -> list[tuple[float, int]]:
    """Shares with how often they occur; those within ``tolerance`` below the largest of a group become their mean.

    The largest share keeps its own value: it decides the limit.
    """
    ordered = sorted((s for s in shares if s > 0), reverse=True)
    groups: list[list[float]] = []
    for share in ordered:
        same = bool(groups) and share >= groups[-1][0] * (1 - tolerance)
        first_differs = len(groups) == 1 and share < groups[0][0]
        if same and not first_differs:
            groups[-1].append(share)
        else:
            groups.append([share])
    return [(sum(group) / len(group), len(group)) for group in groups]
