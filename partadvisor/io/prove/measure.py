"""Runs the replay on one variant for a while and measures it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import msgspec

from partadvisor.advise.waits import event_shares
from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.pgbench import Load, wait_for_log
from partadvisor.io.prove.build import ROLE
from partadvisor.io.server import Server
from partadvisor.model.run import MeasuredWait, Run
from partadvisor.model.snapshot import Snapshot

_WARM_UP_SECONDS = 2.0
_INTERVAL_MS = 100


class Round(msgspec.Struct, frozen=True):
    """One run of one variant, with what a collector saw meanwhile."""

    run: Run
    snapshot: Snapshot


def measure(
    server: Server,
    database: str,
    scripts: Mapping[Path, int],
    folder: Path,
    *,
    name: str,
    scheme: str | None,
    clients: int,
    seconds: float,
    progress: Callable[[str, float | None], None],
) -> Round:
    """Clients run the scripts; what ends within ``seconds`` after a warm-up counts.

    Raises:
        CheckFailed: a client met an error.
    """
    with Load(server, database, scripts, folder, clients=clients, user=ROLE) as load:
        time.sleep(_WARM_UP_SECONDS)
        load.check()
        start = time.time()
        options = CollectOptions(duration=seconds, interval_ms=_INTERVAL_MS)
        snapshot = collect(server.dsn(database), options, progress=progress)
        window = snapshot.window
        end = start + (window.seconds if window else seconds)
        load.check()
        wait_for_log()
        seen = load.latencies(start, end)
    shares = event_shares(window.samples) if window else {}
    extends = window.io.extend_ops / window.seconds if window and window.io else None
    return Round(
        run=Run(
            name=name,
            scheme=scheme,
            tps=seen.tps,
            p50=seen.p50,
            p95=seen.p95,
            p99=seen.p99,
            waits=tuple(MeasuredWait(wait_class=event, share=share) for event, share in shares.items()),
            extends_per_second=extends,
        ),
        snapshot=snapshot,
    )


def pooled(rounds: list[Run]) -> Run:
    """Several rounds of one variant as one run: medians, and mean shares of the waits."""
    first = rounds[0]
    events = dict.fromkeys(w.wait_class for run in rounds for w in run.waits)
    means = {e: sum(w.share for run in rounds for w in run.waits if w.wait_class == e) / len(rounds) for e in events}
    extends = [run.extends_per_second for run in rounds if run.extends_per_second is not None]
    return Run(
        name=first.name,
        scheme=first.scheme,
        tps=median(run.tps for run in rounds),
        p50=median(run.p50 for run in rounds),
        p95=median(run.p95 for run in rounds),
        p99=median(run.p99 for run in rounds),
        waits=tuple(
            MeasuredWait(wait_class=e, share=share) for e, share in sorted(means.items(), key=lambda item: -item[1])
        ),
        extends_per_second=median(extends) if extends else None,
    )
