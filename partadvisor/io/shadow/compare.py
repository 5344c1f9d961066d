"""The plans of a table's queries before and after, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from partadvisor.advise.subject import Use
from partadvisor.io.connect import Connection
from partadvisor.io.shadow import plans
from partadvisor.io.shadow.explain import NotPlanned, Planned, plan, prepared
from partadvisor.io.shadow.predict import level_sizes, predicted_partitions
from partadvisor.io.shadow.values import Chooser
from partadvisor.io.shadow.world import Candidate
from partadvisor.model.advice import ReadCost
from partadvisor.model.catalog import Relation
from partadvisor.model.shadow import PlannedQuery, Verification
from partadvisor.pg import knowledge
from partadvisor.render.style import quantity
from partadvisor.sql.server_text import server_text

_DIFFERENCES_SHOWN = 10
_LOOKUP_COST = 8.4
"""What the planner says of a lookup of one row by an index, with its default costs."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one world says of one query: its plans, or why there are none. ``values`` are of its parameters."""

    planned: Planned | None
    values: tuple[str | None, ...] = ()
    problem: str = ""


def ask(connection: Connection, use: Use, chooser: Chooser, values: Sequence[str | None] | None) -> Answer:
    """The plans of a query for ``values``, or for typical ones when those are None."""
    try:
        text = server_text(use.family.text)
        with prepared(connection, text) as statement:
            chosen = tuple(chooser.values(use.family, text, statement.types) if values is None else values)
            return Answer(plan(connection, statement, chosen), chosen)
    except NotPlanned as error:
        return Answer(None, tuple(values or ()), str(error))


def compared(use: Use, before: Answer, after: Answer, relation: Relation, candidate: Candidate) -> PlannedQuery:
    """One query on both worlds."""
    found = PlannedQuery(
        name=use.name,
        fingerprint=use.family.fingerprint,
        calls_per_second=use.family.calls_per_second,
        weight=use.weight,
        reads=any(a.role != "insert" for a in use.accesses),
    )
    if before.planned is None:
        return msgspec.structs.replace(found, problem=before.problem)
    old = plans.Target(frozenset([(relation.schema, relation.name)]))
    found = msgspec.structs.replace(
        found,
        cost_before=plans.cost(before.planned.custom, old),
        planning_ms_before=before.planned.planning_ms,
        locks_before=before.planned.locks,
    )
    if after.planned is None:
        return msgspec.structs.replace(found, problem=after.problem, fails=True)
    target = target_of(candidate)
    custom, generic = after.planned.custom, after.planned.generic
    return msgspec.structs.replace(
        found,
        cost_after=plans.cost(custom, target),
        planning_ms_after=after.planned.planning_ms,
        partitions=len(list(plans.scans(custom, target))),
        partitions_generic=len(list(plans.scans(generic, target))) + plans.removed(generic),
        predicted=predicted_partitions(use, candidate, after.values),
        locks=after.planned.locks,
        locks_generic=after.planned.generic_locks,
    )


def target_of(candidate: Candidate) -> plans.Target:
    """What to look for in plans of the candidate."""
    leaves = [(candidate.relation.schema, leaf.name) for leaf in candidate.layout.leaves]
    columns = [level.columns for level in candidate.scheme.levels]
    levels = tuple(zip(columns, level_sizes(candidate.layout), strict=True))
    return plans.Target(frozenset(leaves), levels, leaves[0] if candidate.scheme.is_ahead else None)


def verification(
    queries: Sequence[PlannedQuery], read: ReadCost, times: Mapping[str, float], notes: Sequence[str]
) -> Verification:
    """The answers together. ``times`` are measured ms a call by fingerprint, for weights; 0 where unknown."""
    planned = [q for q in queries if q.cost_ratio is not None and q.reads]
    per_unit = float(knowledge.load("read_cost.toml")["lookup_us"]) / 1000 / _LOOKUP_COST
    before = {id(q): times.get(q.fingerprint) or (q.cost_before or 0.0) * per_unit for q in planned}
    shares = [q.weight * before[id(q)] for q in planned]
    old_planning = sum(q.weight * (q.planning_ms_before or 0.0) for q in planned)
    new_planning = sum(q.weight * (q.planning_ms_after or 0.0) for q in planned)
    loss = {q.fingerprint + q.name: s * ((q.cost_ratio or 1.0) - 1) for q, s in zip(planned, shares, strict=True)}
    total = sum(shares)
    different = [q for q in queries if _differs(q)]
    return Verification(
        cost_ratio=1 + sum(loss.values()) / total if total > 0 else None,
        time_ratio=1 + (sum(loss.values()) + new_planning - old_planning) / total if total > 0 else None,
        predicted_cost_ratio=read.cost_ratio,
        planning_time_ratio=new_planning / old_planning if old_planning > 0 else None,
        locks_max=max((q.locks for q in planned if q.locks is not None), default=None),
        locks_generic_max=max((q.locks_generic for q in planned if q.locks_generic is not None), default=None),
        planned=len(planned),
        compared_partitions=sum(q.predicted is not None for q in queries),
        different_partitions=len(different),
        differences=_named(different),
        notes=tuple(notes),
        queries=tuple(sorted(queries, key=lambda q: (not q.fails, -loss.get(q.fingerprint + q.name, 0.0)))),
    )


def _differs(query: PlannedQuery) -> bool:
    counted = query.predicted is not None and query.partitions is not None
    return counted and abs((query.predicted or 0.0) - (query.partitions or 0)) > 0.5


def _named(different: Sequence[PlannedQuery]) -> tuple[str, ...]:
    found = [
        f"{q.name}: the planner scans {q.partitions} partitions, the model says {quantity(q.predicted or 0.0)}"
        for q in different[:_DIFFERENCES_SHOWN]
    ]
    more = len(different) - _DIFFERENCES_SHOWN
    return (*found, *((f"and {more} more queries",) if more > 0 else ()))
