"""From scored candidates to the verdict for one table: partition, do not, cannot, is already, or not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partadvisor.advise import explain
from partadvisor.advise.scoring import Scored
from partadvisor.advise.subject import Subject
from partadvisor.model.advice import TableVerdict
from partadvisor.model.diagnosis import Diagnosis, TableWait
from partadvisor.pg import knowledge

QUEUES = ("extension", "index_leaf")
"""Verdicts of the diagnosis that a write-spreading key can cure."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict with its reason, and the chosen scheme."""

    verdict: TableVerdict
    reason: str
    chosen: Scored | None = None


def judge(subject: Subject, diagnosis: Diagnosis, wait: TableWait | None, ranked: Sequence[Scored]) -> Judgement:
    """The verdict for one table. ``ranked`` is best first, as ``preference.ordered`` gives it."""
    relation = subject.relation
    if relation.kind == "partitioned_table" or relation.parent is not None:
        return Judgement("already_partitioned", explain.already_partitioned(subject))
    if diagnosis.verdict == "insufficient":
        return Judgement("insufficient", explain.insufficient(diagnosis, ranked))
    if diagnosis.verdict not in QUEUES:
        return Judgement("do_not_partition", explain.other_limit(diagnosis))
    if not is_hot(wait, diagnosis):
        if diagnosis.verdict == "extension" and not any(t.extension_share for t in diagnosis.tables):
            return Judgement("insufficient", explain.unknown_owner(diagnosis))
        return Judgement("do_not_partition", explain.not_hot(subject, wait))
    return _choice(subject, diagnosis, wait, ranked)


def is_hot(wait: TableWait | None, diagnosis: Diagnosis) -> bool:
    """Whether the table owns enough of the queue; where the queue has no known owner, a table that grows is suspect."""
    if wait is None:
        return False
    if wait.extension_share >= float(knowledge.load("advice.toml")["hot_share"]):
        return True
    if diagnosis.verdict == "index_leaf":  # the server does not tell whose leaf: the table with most inserts
        return wait == max(diagnosis.tables, key=lambda t: t.inserts_per_second or 0.0)
    nobody = not any(t.extension_share for t in diagnosis.tables)
    return nobody and (wait.relation is not None or wait == diagnosis.tables[0])


def _choice(subject: Subject, diagnosis: Diagnosis, wait: TableWait | None, ranked: Sequence[Scored]) -> Judgement:
    least = float(knowledge.load("advice.toml")["min_gain"])
    calm = float(knowledge.load("advice.toml")["partitions_per_statement"])
    feasible = [s for s in ranked if s.feasible]
    worthy = [s for s in feasible if s.gain.expected >= least and s.write.partitions_per_statement <= calm]
    if worthy:
        best = worthy[0]
        if _reads_cost_more(best, diagnosis, wait):
            return Judgement("do_not_partition", explain.reads_cost_more(best))
        return Judgement("partition", explain.partition(best, subject, wait, diagnosis), best)
    blocked = [s for s in ranked if not s.feasible and s.gain.expected >= least]
    if blocked:
        return Judgement("no_feasible_key", explain.no_feasible_key(blocked[0], feasible[0] if feasible else None))
    return Judgement("do_not_partition", explain.too_little(feasible[0] if feasible else None))


def _reads_cost_more(best: Scored, diagnosis: Diagnosis, wait: TableWait | None) -> bool:
    saved = wait_saved(diagnosis, wait)
    added = best.read.added_ms_per_second
    return saved > 0 and added is not None and added > saved


def wait_saved(diagnosis: Diagnosis, wait: TableWait | None) -> float:
    """Session time the table's extension queue takes, in ms a second of workload."""
    return 1000.0 * diagnosis.active_sessions * wait.extension_share if wait else 0.0
