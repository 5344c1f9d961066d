"""From a snapshot to the verdict: what limits the server, how sure that is, what its removal would buy, what to do."""

from __future__ import annotations

from partadvisor.advise import gain
from partadvisor.advise.evidence import Evidence, gather
from partadvisor.advise.latency import latency_split
from partadvisor.advise.log_timeline import log_timeline
from partadvisor.advise.remedies import remedies
from partadvisor.advise.thresholds import threshold
from partadvisor.advise.verdict import Finding, decide
from partadvisor.advise.waits import WaitClass
from partadvisor.model.diagnosis import Diagnosis, GainLimit, Verdict
from partadvisor.model.snapshot import Snapshot

# what is gone when the verdict's queue is gone; for the others the question is what partitioning could buy
_REMOVED: dict[Verdict, tuple[WaitClass, ...]] = {
    "storage_reads": ("read", "write"),
    "wal": ("wal",),
    "row_locks": ("row",),
    "index_leaf": ("leaf",),
    "lock_manager": ("lock_manager",),
    "client": ("client",),
}
_MOST_CERTAIN = 0.98


def diagnose(snapshot: Snapshot) -> Diagnosis:
    """The diagnosis of a snapshot; of a poor one too, then the verdict is ``insufficient`` and says what to run."""
    evidence = gather(snapshot)
    finding = decide(evidence)
    limit = _limit(evidence, finding)
    return Diagnosis(
        verdict=finding.verdict,
        confidence=round(confidence(evidence, finding), 2),
        reason=finding.reason,
        samples=evidence.samples,
        effective_samples=evidence.effective,
        seconds=evidence.seconds,
        active_sessions=evidence.active,
        transactions_per_second=evidence.transactions_per_second,
        host_cpu_busy=evidence.cpu_busy,
        cores=evidence.cores,
        pages_per_extension=evidence.pages_per_extension,
        waits=evidence.waits,
        tables=evidence.tables,
        latency=latency_split(snapshot, evidence),
        log=log_timeline(snapshot.log_waits),
        gain_limit=limit,
        advice=remedies(snapshot, evidence, finding.verdict, limit),
        assumptions=(*snapshot.assumptions, *_assumptions(evidence, finding)),
        missing=(*snapshot.missing, *_missing(snapshot, evidence)),
    )


def confidence(evidence: Evidence, finding: Finding) -> float:
    """Chance, 0..1, that another window of this load gives the same verdict.

    The certainty of the deciding comparison, lowered when its inputs were told instead of sampled, come from the
    log only, or lack the one number that tells a real queue from a symptom: the host's CPU load. An ``insufficient``
    has confidence 0: nothing was decided.
    """
    if finding.verdict == "insufficient":
        return 0.0
    trust = 1.0
    if evidence.source in ("assumed", "log"):
        trust = threshold(f"diagnosis.{evidence.source}_trust")
    if finding.verdict in ("extension", "index_leaf") and evidence.cpu_busy is None:
        trust *= threshold("diagnosis.unknown_cpu_trust")
    return min(_MOST_CERTAIN, finding.certainty) * trust


def _limit(evidence: Evidence, finding: Finding) -> GainLimit | None:
    if not evidence.shares or finding.verdict == "insufficient":
        return None
    return gain.gain_limit(evidence, _REMOVED.get(finding.verdict, ("extend",)))


def _assumptions(evidence: Evidence, finding: Finding) -> list[str]:
    said = []
    if evidence.source == "assumed":
        half = 100 * threshold("diagnosis.assumed_half_width")
        said.append(f"The wait shares are the ones given, nobody sampled them: taken as ± {half:.0f} points.")
    if evidence.cpu_busy is None and evidence.shares and finding.verdict != "insufficient":
        low, mid, high = (100 * threshold("gain.unknown_cpu", e) for e in ("low", "value", "high"))
        said.append(
            f"The host's CPU load is not known: {mid:.0f} % busy taken for the expected gain, "
            f"{low:.0f} % for the low end, {high:.0f} % for the high end."
        )
    if evidence.thinking > evidence.sessions and evidence.shares:
        said.append(
            f"{evidence.thinking:.0f} connections were idle outside transactions; the low end of the gain "
            "takes them for clients that think, not for a pool's reserve."
        )
    return said


def _missing(snapshot: Snapshot, evidence: Evidence) -> list[str]:
    lacking = []
    if evidence.cpu_busy is None:
        lacking.append("The host's CPU load (--host-cpu): it tells a queue that limits from one that shows a full CPU.")
    if evidence.share("extend") > threshold("diagnosis.lock_share"):
        if not any(t.extension_share for t in evidence.tables):
            lacking.append("The relation the sessions queue for: pg_locks was not readable, or none was given.")
        if evidence.pages_per_extension is None and snapshot.server.major >= 16:
            lacking.append("Pages per extension (pg_stat_io of 18 and later): whether bulk extension works.")
    if evidence.source == "log":
        lacking.append("Sampled sessions: what share of the time the logged waits were.")
    return lacking
