"""A measured run of a workload: the shape that ``prove`` and ``demo`` report before and after in."""

from __future__ import annotations

import msgspec

from partadvisor.model.advice import Advice
from partadvisor.model.base import Value


class MeasuredWait(Value, frozen=True, kw_only=True):
    """Share of active session time in a wait class, 0..1."""

    wait_class: str = msgspec.field(name="class")
    share: float


class Run(Value, frozen=True, kw_only=True):
    """Throughput (transactions/s), latency percentiles (ms) and waits of one run."""

    name: str
    scheme: str | None
    tps: float
    p50: float
    p95: float
    p99: float
    waits: tuple[MeasuredWait, ...] = ()
    extends_per_second: float | None = None


class MigrationOutcome(Value, frozen=True, kw_only=True):
    """How a migration went; ``longest_block_ms`` is the longest time a client had to wait because of it."""

    strategy: str
    scheme: str
    longest_block_ms: float
    rows_copied: int
    seconds: float = 0.0


class DemoReport(Value, frozen=True, kw_only=True):
    """``partadvisor demo --json``: before and after, and what was lost (must be nothing)."""

    schema_version: int = 1
    regime: str
    before: Run
    after: Run | None
    advice: Advice
    migration: MigrationOutcome | None
    lost_rows: int
    duplicated_rows: int
