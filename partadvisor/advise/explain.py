"""The sentences of the advice, made from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.advise.scoring import Scored
from partadvisor.advise.subject import Subject
from partadvisor.advise.waits import queue_name
from partadvisor.model.diagnosis import Diagnosis, TableWait
from partadvisor.model.scheme import RangeLevel
from partadvisor.pg import knowledge, versions


def times(value: float) -> str:
    """``1.4``: a ratio."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def percent(share: float) -> str:
    """``62 %``."""
    return f"{100 * share:.0f} %" if share >= 0.095 or share == 0 else f"{100 * share:.1f} %"


def count(value: float) -> str:
    """``8``, ``2.4``: a mean number of things."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def columns(names: Sequence[str]) -> str:
    """``a and b``."""
    return " and ".join(names)


def partition(best: Scored, subject: Subject, wait: TableWait | None, diagnosis: Diagnosis) -> str:
    """Why this scheme."""
    parts = []
    if diagnosis.verdict == "index_leaf":
        parts.append("inserts of many sessions meet on the same index leaf pages, and this table has most inserts")
    elif wait is not None and wait.extension_share > 0:
        share = percent(wait.extension_share)
        parts.append(f"{share} of the session time waits to extend {wait.relation or subject.name}")
    parts.append(
        f"{_steadiness(best, subject)} spreads concurrent inserts so that the fullest of {best.leaves} partitions "
        f"takes {percent(best.write.max_share)} of them"
    )
    parts.append(_constraints(best, subject))
    parts.append(
        f"expected throughput {times(best.gain.low)} to {times(best.gain.high)} times; then "
        f"{queue_name(best.gain.next_bottleneck)} is the limit"
    )
    return "; ".join(p for p in parts if p)


def _steadiness(best: Scored, subject: Subject) -> str:
    """The key, and how it behaves within a statement as far as that is known."""
    key = columns(best.scheme.levels[-1].columns)
    per_statement = best.write.partitions_per_statement
    if per_statement > 1.05:
        return f"{key} takes {count(per_statement)} partitions a statement and"
    if subject.recent is None and not subject.inserts:
        return key
    if not steady(best, subject):
        return f"{key}, taken as constant within a statement because no text says whether it is,"
    return f"{key} is constant within a statement and"


def steady(scored: Scored, subject: Subject) -> bool:
    """Whether recent rows or the texts of the INSERTs show that one statement has one value of the key."""
    wanted = set(scored.scheme.levels[-1].columns)
    return subject.recent is not None or all(
        wanted <= set(access.constant_columns) or (access.rows is not None and access.rows <= 1)
        for _, access in subject.inserts
    )


def _constraints(best: Scored, subject: Subject) -> str:
    if not subject.unique_indexes:
        return "no unique key stands in the way"
    names = columns(best.scheme.columns)
    many = "every unique key contains" if len(subject.unique_indexes) > 1 else "the unique key contains"
    return f"{many} {names}"


def already_partitioned(subject: Subject) -> str:
    """What it is now."""
    relation = subject.relation
    key = relation.partition_key
    if key is not None:
        growing = key.strategy == "range" and key.columns and key.columns[0] in subject.monotone
        newest = f"; {key.columns[0]} grows with time, so all inserts go to its newest partition" if growing else ""
        return f"it is partitioned by {key.definition} already{newest}"
    return f"it is a partition of {relation.parent}"


def insufficient(diagnosis: Diagnosis, ranked: Sequence[Scored]) -> str:
    """Nothing measured; what structure alone says."""
    reason = diagnosis.reason.rstrip(".")
    best = next((s for s in ranked if s.feasible), None)
    if best is None:
        return reason
    if best.write.max_share > 0.5:
        return f"{reason}; by structure alone no key would spread concurrent inserts"
    return f"{reason}; by structure alone {best.text} would be the key to look at"


def other_limit(diagnosis: Diagnosis) -> str:
    """The limit is elsewhere: what to do instead."""
    reason = diagnosis.reason.rstrip(".")
    return f"{reason}. Instead: {' '.join(diagnosis.advice[:2])}" if diagnosis.advice else reason


def not_hot(subject: Subject, wait: TableWait | None) -> str:
    """Its share of the queue is too small."""
    share = wait.extension_share if wait else 0.0
    return f"{percent(share)} of the session time waits to extend {subject.name}: too little to gain from"


def unknown_owner(diagnosis: Diagnosis) -> str:
    """A queue, but nobody knows on what."""
    share = sum(w.share for w in diagnosis.waits if w.wait_class == "extend")
    return f"{percent(share)} of the session time waits to extend a table, but of which one is not known"


def reads_cost_more(best: Scored) -> str:
    """The cure is worse."""
    added = best.read.added_ms_per_second or 0.0
    return (
        f"the best key, {best.text}, would cost the reads {added:,.0f} ms a second, more than the whole queue takes: "
        f"{percent(best.read.unpruned_share)} of the reads would look into every partition"
    )


def too_little(best: Scored | None) -> str:
    """No candidate gains enough."""
    if best is None:
        return "no column of the table could be a key"
    if best.write.max_share > 0.5:
        return (
            f"no key spreads its concurrent inserts: even with {best.text} {percent(best.write.max_share)} of them go "
            "to one partition"
        )
    return (
        f"the best key, {best.text}, promises {times(best.gain.expected)} times the throughput; "
        f"{queue_name(best.gain.next_bottleneck)} is the limit right behind the lock"
    )


def no_feasible_key(blocked: Scored, best: Scored | None) -> str:
    """The exact fix for the best key that constraints forbid."""
    fixes = "; ".join(f"{o.text} ({o.fix})" for o in blocked.obstacles if o.blocks)
    spare = "" if best is None else f". What is allowed, such as {best.text}, would not spread the inserts"
    return f"{blocked.text} would spread the inserts, but {fixes}{spare}"


def only_together(others: Sequence[str], alone: float) -> str:
    """Why this table is not worth it without the others."""
    named = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    return f"only together with {named}, where sessions queue as well: alone it promises {alone:.1f} times"


def spread_note(scored: Scored, subject: Subject) -> str | None:
    """A sentence for schemes that look like they spread inserts and do not."""
    first = scored.scheme.levels[0]
    growing = isinstance(first, RangeLevel) and first.start is None and first.columns[0] in subject.monotone
    if growing and len(scored.scheme.levels) == 1:
        return (
            f"{first.columns[0]} grows with time: all inserts go to the newest partition, and the queue moves there "
            "with them"
        )
    if len(scored.scheme.levels) == 1 and isinstance(first, RangeLevel) and scored.write.max_share == 1:
        return f"new rows of {first.columns[0]} all lie in one partition as far as is known, and so does their queue"
    if scored.write.partitions_per_statement > float(knowledge.load("advice.toml")["partitions_per_statement"]):
        return (
            f"the rows of one INSERT differ in {columns(scored.scheme.columns)}: each statement touches "
            f"{count(scored.write.partitions_per_statement)} partitions with all their indexes"
        )
    return None


def sensitivity(scored: Scored) -> str:
    """Which measurement would change the answer."""
    if scored.gain.expected <= 1:
        return ""
    key = columns(scored.scheme.levels[-1].columns)
    cap = 1 / scored.gain.expected
    said = (
        f"the largest share of inserts is {percent(scored.write.max_share)}; above {percent(cap)} on one partition "
        f"(one hot {key}) the expected gain is out of reach"
    )
    if scored.gain.low < 1:
        following = queue_name(scored.gain.next_bottleneck)
        said += f"; the low end, {times(scored.gain.low)}, is what to expect if {following} is fuller than measured"
    return said


def losses(chosen: Scored, subject: Subject) -> tuple[str, ...]:
    """What the table's users give up with the scheme."""
    names = ", ".join(chosen.scheme.columns)
    said = [f"Every future unique constraint or index has to contain {names}."]
    if not subject.unique_indexes:
        said[0] = f"There is no unique key today; one added later has to contain {names}."
    if not versions.has("returning_system_columns", subject.major):
        said.append("INSERT ... RETURNING xmin or xmax through the table fails; ctid and tableoid still work.")
    if chosen.locks.per_query_max > chosen.locks.fast_path_slots:
        said.append(
            f"The query that touches most takes {chosen.locks.per_query_max} relation locks; beyond "
            f"{chosen.locks.fast_path_slots} they go through the shared lock table."
        )
    if not subject.uses:
        said.append(
            f"Generic plans of prepared statements lock all {chosen.leaves} partitions even when they read one; the "
            "planner keeps custom plans by default (plan_cache_mode)."
        )
    said.append("Autovacuum never analyses the partitioned table itself: schedule ANALYZE for it.")
    said.append(
        "The first plan of each session reads the partitions' catalogs: below a millisecond up to 64 partitions."
    )
    return tuple(said)
