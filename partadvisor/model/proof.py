"""What ``prove`` found: each variant as measured, and the prediction that was made before it was."""

from __future__ import annotations

from partadvisor.model.base import Value
from partadvisor.model.diagnosis import GainLimit, Verdict
from partadvisor.model.run import Run


class Compared(Value, frozen=True, kw_only=True):
    """A candidate's predicted and measured throughput ratio to the baseline.

    ``measured`` is the median of the rounds' ratios, ``measured_low`` and ``measured_high`` their ends; ``inside`` when
    the median lies in the predicted range. ``yours`` is the prediction for the snapshot's own server.
    """

    scheme: str
    predicted: GainLimit
    measured: float
    measured_low: float
    measured_high: float
    inside: bool
    yours: GainLimit | None = None


class NotReplayed(Value, frozen=True, kw_only=True):
    """A statement of the workload that was left out; ``calls_share`` is its share of the table's calls."""

    name: str
    calls_share: float
    reason: str


class ProveReport(Value, frozen=True, kw_only=True):
    """Runs in the order of the variants, baseline first. ``rounds`` are the throughputs of each, in order of time.

    ``seconds`` is the measured time of a variant, over all rounds; ``replayed_share`` the share of the table's calls
    that the replay stands for. ``limit`` is the verdict on the scratch server's baseline, ``your_limit`` that on the
    snapshot's server, where it was measured.
    """

    schema_version: int = 1
    table: str
    server_version: str
    clients: int
    seconds: float
    rows: int
    limit: Verdict
    your_limit: Verdict | None = None
    runs: tuple[Run, ...]
    compared: tuple[Compared, ...] = ()
    rounds: dict[str, tuple[float, ...]] = {}
    statements: int = 0
    replayed_share: float = 1.0
    not_replayed: tuple[NotReplayed, ...] = ()
    assumptions: tuple[str, ...] = ()
