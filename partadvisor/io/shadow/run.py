"""Verifies an advice: its best candidates are made in a scratch server and every query is planned before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import psycopg

from partadvisor.advise.subject import Use, uses_by_table
from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import Server
from partadvisor.io.shadow.assumed import with_assumed_values
from partadvisor.io.shadow.compare import Answer, ask, compared, verification
from partadvisor.io.shadow.subset import needed
from partadvisor.io.shadow.values import Chooser
from partadvisor.io.shadow.world import Candidate as Laid
from partadvisor.io.shadow.world import shadow_server, world
from partadvisor.model.advice import Advice, Candidate, TableAdvice
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import PartadvisorError, ServerError
from partadvisor.model.scheme import RangeLevel, Scheme
from partadvisor.model.shadow import PlannedQuery, Verification
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.pg.quote import fit_identifier, quote_literal
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.planner.ahead_bound import with_bound
from partadvisor.planner.partitions import BEFORE, Layout, Partition, layout_of

Progress = Callable[[str, float | None], None]

MOST_QUERIES = 200
"""Queries of one table that are planned, those that take most time first."""
_WORSE_FROM = 1.05


def verify(
    snapshot: Snapshot,
    advice: Advice,
    workload: Workload,
    *,
    progress: Progress,
    details: bool = False,
    pg_bin: Path | None = None,
) -> Advice:
    """The advice with the planner's answers for the feasible candidates of each table.

    With ``details`` every query is listed, else those that get dearer or have no plan.

    Raises:
        UsageError: the programs in ``pg_bin`` are too old.
        ServerError: the scratch server did not start or went away.
    """
    if not any(c.feasible for t in advice.tables for c in t.candidates):
        return advice
    progress("starting a scratch server", None)
    with shadow_server(find_binaries(pg_bin)) as server:
        return verify_on(server, snapshot, advice, workload, progress=progress, details=details)


def verify_on(
    server: Server, snapshot: Snapshot, advice: Advice, workload: Workload, *, progress: Progress, details: bool = False
) -> Advice:
    """As ``verify``, on a shadow server that runs."""
    uses = uses_by_table(workload)
    tables = [t for t in advice.tables if any(c.feasible for c in t.candidates)]
    checked = {
        t.table: _table(server, snapshot, t, uses.get(t.table, ()), _Steps(progress, number, len(tables)))
        for number, t in enumerate(tables)
    }
    answered = (checked.get(t.table, t) for t in advice.tables)
    return msgspec.structs.replace(advice, tables=tuple(t if details else _without_details(t) for t in answered))


def _without_details(table: TableAdvice) -> TableAdvice:
    def shortened(candidate: Candidate) -> Candidate:
        found = candidate.verification
        if found is None:
            return candidate
        kept = tuple(q for q in found.queries if q.problem is not None or (q.cost_ratio or 1.0) >= _WORSE_FROM)
        return msgspec.structs.replace(candidate, verification=msgspec.structs.replace(found, queries=kept))

    return msgspec.structs.replace(table, candidates=tuple(shortened(c) for c in table.candidates))


class _Steps:
    """Progress of one table among several."""

    def __init__(self, progress: Progress, number: int, tables: int) -> None:
        self._progress, self._number, self._tables = progress, number, tables

    def tell(self, what: str, done: int, steps: int) -> None:
        """Step ``done`` of ``steps`` of this table begins."""
        self._progress(what, (self._number + done / steps) / self._tables)


def _table(server: Server, snapshot: Snapshot, advice: TableAdvice, uses: Sequence[Use], steps: _Steps) -> TableAdvice:
    told = snapshot.relation(advice.table)
    if told is None or told.kind != "table" or told.parent is not None:
        return advice
    relation, assumed = with_assumed_values(told, _range_columns(advice), snapshot.taken_at[:10])
    chosen = sorted(uses, key=lambda u: -u.weight * (u.family.mean_ms or 1.0))[:MOST_QUERIES]
    left_out = [f"{len(uses) - len(chosen)} queries that take little time"] if len(uses) > len(chosen) else []
    names = {a.table for u in chosen for a in (u.family.pattern.tables if u.family.pattern else ())}
    known = tuple(relation if r is told else r for r in snapshot.relations)
    relations = needed(known, {advice.table, *names})
    chooser = Chooser({r.qualified_name: r for r in known}, snapshot.taken_at[:10])
    total = 1 + sum(c.feasible for c in advice.candidates)
    steps.tell(f"{advice.table} as it is", 0, total)
    try:
        with world(server, "before", snapshot.server, relations) as here:
            before = [ask(here.connection, use, chooser, None) for use in chosen]
            notes = (*assumed, *here.notes, *left_out)
    except psycopg.Error as error:
        reason = error.diag.message_primary or str(error)
        candidates = [_unverified(c, reason) if c.feasible else c for c in advice.candidates]
        return msgspec.structs.replace(advice, candidates=tuple(candidates))
    asked = _Asked(server, snapshot, relation, relations, chosen, before, chooser, notes)
    candidates = []
    for candidate in advice.candidates:
        if candidate.feasible:
            steps.tell(f"{advice.table} by {candidate.scheme}", len(candidates) + 1, total)
            candidates.append(asked.verified(candidate))
        else:
            candidates.append(candidate)
    return msgspec.structs.replace(advice, candidates=tuple(candidates))


def _range_columns(advice: TableAdvice) -> set[str]:
    """Columns by which a candidate has ranges whose bounds follow the values: all but those with given bounds."""
    levels = [level for c in advice.candidates if c.feasible for level in parse_scheme(c.scheme).levels]
    return {level.columns[0] for level in levels if isinstance(level, RangeLevel) and not (level.at or level.start)}


class _Asked:
    """One table with its queries as planned on the table as it is."""

    def __init__(
        self,
        server: Server,
        snapshot: Snapshot,
        relation: Relation,
        relations: Sequence[Relation],
        uses: Sequence[Use],
        before: Sequence[Answer],
        chooser: Chooser,
        notes: Sequence[str],
    ) -> None:
        self._server, self._snapshot, self._relation, self._relations = server, snapshot, relation, relations
        self._uses, self._before, self._chooser, self._notes = uses, before, chooser, notes

    def verified(self, candidate: Candidate) -> Candidate:
        """The candidate with the planner's answer, or with the reason why there is none."""
        try:
            laid = lay_out(self._snapshot, self._relation, parse_scheme(candidate.scheme))
            queries, notes = self._plan(laid)
        except ServerError:
            raise
        except PartadvisorError as error:
            return _unverified(candidate, error.message)
        except psycopg.Error as error:
            return _unverified(candidate, error.diag.message_primary or str(error))
        times = {u.family.fingerprint: u.family.mean_ms for u in self._uses}
        found = verification(queries, candidate.read, times, (*self._notes, *notes))
        return with_verification(candidate, found)

    def _plan(self, laid: Laid) -> tuple[list[PlannedQuery], tuple[str, ...]]:
        with world(self._server, "after", self._snapshot.server, self._relations, laid) as here:
            queries = []
            for use, before in zip(self._uses, self._before, strict=True):
                after = before if before.planned is None else ask(here.connection, use, self._chooser, before.values)
                queries.append(compared(use, before, after, self._relation, laid))
        return queries, tuple(n for n in here.notes if n not in self._notes)


def _unverified(candidate: Candidate, reason: str) -> Candidate:
    empty = Verification(predicted_cost_ratio=candidate.read.cost_ratio, notes=(f"not verified: {reason}",))
    return msgspec.structs.replace(candidate, verification=empty)


def lay_out(snapshot: Snapshot, relation: Relation, scheme: Scheme) -> Laid:
    """The scheme with all its partitions; an "ahead" one with the table itself as the first.

    Raises:
        UsageError: bounds cannot be made from what is known.
    """
    scheme = with_bound(snapshot, relation, scheme)
    layout = layout_of(scheme, relation)
    first = scheme.levels[0]
    if isinstance(first, RangeLevel) and first.start is not None:
        bound = f"FOR VALUES FROM (MINVALUE) TO ({quote_literal(first.start)})"
        old = Partition(name=fit_identifier(relation.name, BEFORE), bound=bound)
        layout = Layout(key=layout.key, parts=(old, *layout.parts))
    return Laid(relation, scheme, layout)


def with_verification(candidate: Candidate, found: Verification) -> Candidate:
    """The candidate with the planner's costs in place of the model's, and the queries that get worse by them."""
    verified = found.planned > 0 and not found.differences
    read = msgspec.structs.replace(
        candidate.read,
        verified=verified,
        cost_ratio=candidate.read.cost_ratio if found.cost_ratio is None else found.cost_ratio,
        planning_time_ratio=found.planning_time_ratio,
    )
    return msgspec.structs.replace(candidate, read=read, verification=found)
