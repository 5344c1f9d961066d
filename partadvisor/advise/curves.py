"""The chosen scheme seen along two lines: more partitions, and more clients.

Both answer "where does it stop paying": the count at which further partitions buy nothing, and the number of clients
at which throughput stops rising, today and with the scheme.
"""

from __future__ import annotations

from partadvisor.advise.candidates import with_modulus
from partadvisor.advise.scoring import Scored, Scorer
from partadvisor.advise.throughput import Calibration, curve
from partadvisor.model.advice import ClientPoint, CountPoint
from partadvisor.model.scheme import HashLevel
from partadvisor.pg import knowledge

_MOST_CLIENTS = 1024
_BEYOND = 4
"""The curve goes on to so many times the clients of today."""
_TOP = 0.95
"""Share of the largest throughput from which on a curve counts as flat."""


def count_curve(scorer: Scorer, chosen: Scored) -> tuple[CountPoint, ...]:
    """The scheme with other numbers of hash partitions; empty when it has none."""
    level = next((x for x in chosen.scheme.levels if isinstance(x, HashLevel)), None)
    if level is None:
        return ()
    counts = sorted({2, level.modulus, *map(int, knowledge.load("advice.toml")["ladder"])})
    scored = [(count, scorer.score(with_modulus(chosen.scheme, count))) for count in counts]
    return tuple(
        CountPoint(
            partitions=count,
            max_share=s.write.max_share,
            throughput_ratio=s.gain,
            partitions_per_query=s.read.partitions_per_query,
            cost_ratio=s.read.cost_ratio,
            locks=s.locks.per_query_max,
        )
        for count, s in scored
    )


def client_curve(calibration: Calibration, chosen: Scored) -> tuple[ClientPoint, ...]:
    """Throughput of the table today and with the scheme, by clients, in units of today's throughput."""
    most = min(_MOST_CLIENTS, max(8, _BEYOND * calibration.clients))
    ladder = {2**n for n in range(most.bit_length()) if 2**n <= most} | {calibration.clients, most}
    touched = chosen.write.partitions_per_statement
    return tuple(
        ClientPoint(clients=n, today=today, candidate=candidate)
        for n, today, candidate in curve(calibration, chosen.write.shares, sorted(ladder), touched)
    )


def knee(points: tuple[ClientPoint, ...], *, today: bool) -> int | None:
    """Clients from which on the throughput is at its top; None when it still rises at the end of the curve."""
    values = [p.today if today else p.candidate for p in points]
    place = next(n for n, value in enumerate(values) if value >= _TOP * max(values))
    return None if place == len(points) - 1 else points[place].clients
