"""Candidates, scores and the recommendation. The JSON form is part of the command-line contract."""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value
from partadvisor.model.diagnosis import Diagnosis, GainLimit
from partadvisor.model.shadow import Verification
from partadvisor.model.workload import Coverage

TableVerdict = Literal["partition", "do_not_partition", "already_partitioned", "no_feasible_key", "insufficient"]
Strategy = Literal["hash", "range", "list"]
Migration = Literal["ahead", "attach", "copy"]
PruningStage = Literal["plan", "start", "loop", "never"]
Merge = Literal["none", "append", "ordered", "merge", "sort"]
Effect = Literal["fails", "wrong", "retry", "differs", "slower"]


class Blocker(Value, frozen=True, kw_only=True):
    """A hard reason against a candidate; ``rule`` is an id of ``rules/``."""

    rule: str
    text: str


class WriteSpread(Value, frozen=True, kw_only=True):
    """How concurrent inserts fall on the partitions.

    ``effective_partitions`` is 1/Σp² of recent inserts, ``max_share`` the largest p (its inverse bounds the
    speed-up), ``partitions_per_statement`` the mean number of partitions one INSERT statement touches.
    ``source`` says where the shares come from: recent rows, statistics, or an assumption.
    """

    effective_partitions: float
    max_share: float
    partitions_per_statement: float
    source: Literal["recent_rows", "statistics", "assumed"] = "assumed"
    shares: tuple[float, ...] = ()


class ReadCost(Value, frozen=True, kw_only=True):
    """Reads under the candidate. ``partitions_per_query`` and ``unpruned_share`` are weighted by calls.

    ``cost_ratio`` is new ÷ old time of the table's queries, planning included, below 1 when they gain; ``verified``
    when the planner confirmed it. Then it is new ÷ old cost in the planner's units, and ``planning_time_ratio`` new ÷
    old planning time.
    """

    partitions_per_query: float
    cost_ratio: float
    unpruned_share: float
    verified: bool = False
    added_ms_per_second: float | None = None
    planning_time_ratio: float | None = None


class Locks(Value, frozen=True, kw_only=True):
    """Relation locks of the worst query against the lock slots a backend has without the shared table."""

    per_query_max: int
    fast_path_slots: int


class QueryEffect(Value, frozen=True, kw_only=True):
    """One query under a candidate; ``partitions_touched`` is summed over every reference to the table.

    ``time_ratio`` is new ÷ old time of one call, the old one taken as an index lookup of one row unless ``time_known``;
    ``added_ms`` what a call gains in time, ``planning_ms`` the part of
    it that is planning. ``merge`` says how the rows of the partitions come together: ``ordered`` one partition after
    the other in the wanted order, ``merge`` from all at once, ``sort`` after reading them, ``append`` in no order.
    ``locks`` are relation locks of one execution with a plan of its own, ``generic_locks`` and
    ``generic_partitions`` what a generic plan locks and scans. ``causes`` are the reasons for the added time, the
    dearest first.
    """

    name: str
    fingerprint: str
    calls_per_second: float | None
    partitions_touched: float
    partitions: int
    when: PruningStage
    why: str
    time_ratio: float = 1.0
    time_known: bool = True
    added_ms: float = 0.0
    planning_ms: float = 0.0
    added_ms_per_second: float | None = None
    merge: Merge = "none"
    locks: int = 0
    generic_locks: int = 0
    generic_partitions: float = 0.0
    causes: tuple[str, ...] = ()


class Incompatibility(Value, frozen=True, kw_only=True):
    """A statement that fails or acts differently on the partitioned table; ``rule`` is an id of ``rules/``.

    ``effect``: ``fails`` always, ``wrong`` gives another result without an error, ``retry`` fails now and then beside
    others (SQLSTATE 40001), ``differs`` in labels only, ``slower``. ``statement`` and ``fingerprint`` are empty where
    the table as a whole is concerned. ``blocks`` when the key is ruled out by it, ``change_first`` when the statement
    has to be changed before the table is partitioned.
    """

    rule: str
    effect: Effect
    statement: str
    fingerprint: str
    calls_per_second: float | None = None
    text: str
    remedy: str
    blocks: bool = False
    change_first: bool = False


class Candidate(Value, frozen=True, kw_only=True):
    """A scheme and all that is known about it; ``rank`` counts from 1, infeasible ones come last.

    ``worse`` are the queries that lose time, the costliest first, of ``worse_queries`` in all; ``compatibility`` are
    statements to look at before the change, ``incompatible`` their number where only the most frequent are listed;
    ``queries`` are all, with ``--details`` only.
    """

    rank: int
    scheme: str
    strategy: Strategy
    columns: tuple[str, ...]
    partitions: int
    feasible: bool
    blockers: tuple[Blocker, ...] = ()
    warnings: tuple[str, ...] = ()
    migration: Migration = "copy"
    write: WriteSpread
    throughput_ratio: GainLimit
    read: ReadCost
    locks: Locks
    pareto: bool = False
    sensitivity: str = ""
    named_by_user: bool = False
    worse: tuple[QueryEffect, ...] = ()
    worse_queries: int = 0
    compatibility: tuple[Incompatibility, ...] = ()
    incompatible: int = 0
    queries: tuple[QueryEffect, ...] | None = None
    verification: Verification | None = None


class SharedJoin(Value, frozen=True, kw_only=True):
    """Statements or a foreign key that join two tables of a group on their keys.

    ``columns`` are the joined columns, ``schema.table.column`` each. ``calls_per_second`` is None when unknown.
    """

    statement: str
    columns: tuple[str, str]
    calls_per_second: float | None = None


class GroupMember(Value, frozen=True, kw_only=True):
    """A table of a group with the scheme it takes there."""

    table: str
    scheme: str


class KeyGroup(Value, frozen=True, kw_only=True):
    """Tables that share a key under different names: the same kind of partitions for all, taken together or not at all.

    ``alone`` says what the joins cost if only one of them is partitioned, ``settings`` what has to be set.
    """

    name: str
    members: tuple[GroupMember, ...]
    partitions: int
    joins: tuple[SharedJoin, ...] = ()
    why: str
    alone: str
    settings: tuple[str, ...] = ()


class CountPoint(Value, frozen=True, kw_only=True):
    """The recommended scheme with another number of hash partitions."""

    partitions: int
    max_share: float
    throughput_ratio: GainLimit
    partitions_per_query: float
    cost_ratio: float
    locks: int


class ClientPoint(Value, frozen=True, kw_only=True):
    """Expected throughput with so many clients as a multiple of today's: the table as it is, and with the scheme."""

    clients: int
    today: float
    candidate: float


class TableAdvice(Value, frozen=True, kw_only=True):
    """The answer for one table; ``recommended`` is the rank of the chosen candidate, or None.

    ``group`` is the name of the ``KeyGroup`` the table belongs to; ``together`` are tables without which the promised
    throughput is not reached, because they queue as much. ``counts`` and ``clients`` are curves of the recommended
    candidate: over its number of hash partitions, and over concurrent clients.
    """

    table: str
    verdict: TableVerdict
    reason: str
    recommended: int | None = None
    group: str | None = None
    together: tuple[str, ...] = ()
    rows: float | None = None
    inserts_per_second: float | None = None
    candidates: tuple[Candidate, ...] = ()
    losses: tuple[str, ...] = ()
    counts: tuple[CountPoint, ...] = ()
    clients: tuple[ClientPoint, ...] = ()


class OtherTables(Value, frozen=True, kw_only=True):
    """Tables that are not looked at, with the one that waits most to be extended (share of session time)."""

    tables: int
    most_waiting: str | None = None
    extension_share: float = 0.0


class Advice(Value, frozen=True, kw_only=True):
    """Diagnosis and per-table answers, hottest table first; ``coverage`` is None when no statement is known."""

    schema_version: int = 1
    diagnosis: Diagnosis
    tables: tuple[TableAdvice, ...] = ()
    groups: tuple[KeyGroup, ...] = ()
    others: OtherTables | None = None
    coverage: Coverage | None = None
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
