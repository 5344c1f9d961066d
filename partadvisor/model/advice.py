"""Candidates, scores and the recommendation. The JSON form is part of the command-line contract."""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value
from partadvisor.model.diagnosis import Diagnosis, GainLimit

TableVerdict = Literal["partition", "do_not_partition", "already_partitioned", "no_feasible_key", "insufficient"]
Strategy = Literal["hash", "range", "list"]
Migration = Literal["ahead", "attach", "copy"]
PruningStage = Literal["plan", "start", "loop", "never"]


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

    ``cost_ratio`` is new ÷ old execution time of the table's queries; ``verified`` when the planner confirmed it.
    """

    partitions_per_query: float
    cost_ratio: float
    unpruned_share: float
    verified: bool = False
    added_ms_per_second: float | None = None


class Locks(Value, frozen=True, kw_only=True):
    """Relation locks of the worst query against the lock slots a backend has without the shared table."""

    per_query_max: int
    fast_path_slots: int


class QueryEffect(Value, frozen=True, kw_only=True):
    """One query under a candidate; ``partitions_touched`` is summed over every reference to the table."""

    name: str
    fingerprint: str
    calls_per_second: float | None
    partitions_touched: float
    partitions: int
    when: PruningStage
    why: str


class Candidate(Value, frozen=True, kw_only=True):
    """A scheme and all that is known about it; ``rank`` counts from 1, infeasible ones come last.

    ``worse`` are the queries that lose time, the costliest first; ``queries`` are all of them, with ``--details`` only.
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
    queries: tuple[QueryEffect, ...] | None = None


class TableAdvice(Value, frozen=True, kw_only=True):
    """The answer for one table; ``recommended`` is the rank of the chosen candidate, or None."""

    table: str
    verdict: TableVerdict
    reason: str
    recommended: int | None = None
    group: str | None = None
    rows: float | None = None
    inserts_per_second: float | None = None
    candidates: tuple[Candidate, ...] = ()
    losses: tuple[str, ...] = ()


class Advice(Value, frozen=True, kw_only=True):
    """Diagnosis and per-table answers, hottest table first."""

    schema_version: int = 1
    diagnosis: Diagnosis
    tables: tuple[TableAdvice, ...] = ()
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
