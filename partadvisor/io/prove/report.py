"""From the rounds to the report: what was measured beside what was predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from partadvisor.io.prove.measure import Round, pooled
from partadvisor.io.prove.options import BASELINE, ProveOptions
from partadvisor.model.diagnosis import GainLimit, Verdict
from partadvisor.model.proof import Compared, NotReplayed, ProveReport
from partadvisor.workload.replay.replay import Replay
from partadvisor.workload.replay.tables import TableValues


class Predicted(msgspec.Struct, frozen=True):
    """What advise says of one server: its limit, and the throughput ratio of each scheme."""

    limit: Verdict
    ratios: dict[str, GainLimit]


def prove_report(
    table: str,
    version: str,
    options: ProveOptions,
    tables: Mapping[str, TableValues],
    rounds: Mapping[str, list[Round]],
    predicted: Predicted,
    yours: Predicted | None,
    found: Replay,
    notes: Sequence[str],
) -> ProveReport:
    """The report of a finished proof; ``yours`` are predictions for the snapshot's own server, if it was measured."""
    runs = {name: [one.run for one in turns] for name, turns in rounds.items()}
    weights = [s.weight for s in found.scripts] + [s.weight for s in found.skipped]
    total = sum(weights) or 1.0
    return ProveReport(
        table=table,
        server_version=version,
        clients=options.clients,
        seconds=options.seconds,
        rows=tables[table].rows,
        limit=predicted.limit,
        your_limit=yours.limit if yours else None,
        runs=tuple(pooled(turns) for turns in runs.values()),
        compared=tuple(
            _compared(scheme, ratio, [r.tps for r in runs[BASELINE]], [r.tps for r in runs[scheme]], yours)
            for scheme, ratio in predicted.ratios.items()
        ),
        rounds={name: tuple(run.tps for run in turns) for name, turns in runs.items()},
        statements=len(found.scripts),
        replayed_share=found.share,
        not_replayed=tuple(
            NotReplayed(name=s.name, calls_share=s.weight / total, reason=s.reason) for s in found.skipped
        ),
        assumptions=tuple(_assumptions(tables, found, notes)),
    )


def _compared(
    scheme: str,
    predicted: GainLimit,
    baseline: Sequence[float],
    candidate: Sequence[float],
    yours: Predicted | None,
) -> Compared:
    ratios = sorted(b / a for a, b in zip(baseline, candidate, strict=True))
    middle = median(ratios)
    return Compared(
        scheme=scheme,
        predicted=predicted,
        measured=middle,
        measured_low=ratios[0],
        measured_high=ratios[-1],
        inside=predicted.low <= middle <= predicted.high,
        yours=yours.ratios[scheme] if yours else None,
    )


def _assumptions(tables: Mapping[str, TableValues], found: Replay, notes: Sequence[str]) -> list[str]:
    said = ["Each statement is a transaction of its own; columns are drawn independently of each other."]
    for name, table in tables.items():
        said.append(f"{name}: {table.rows:,} rows made up from statistics.")
    guessed = sum(one.guessed for one in found.scripts)
    if guessed:
        said.append(f"{guessed} parameters are compared with no column and got plausible values.")
    return [*said, *notes]
