"""The advisor: from a snapshot to a verdict, ranked candidates and a reason for each hot table."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.advise.assess import Assessment, Known, assess, table_advice
from partadvisor.advise.at_once import at_once
from partadvisor.advise.diagnose import diagnose
from partadvisor.advise.groups import grouped
from partadvisor.advise.join_graph import KeyGraph
from partadvisor.advise.notes import assumptions, not_understood, other_tables, strangers
from partadvisor.advise.requests import requests_by_table
from partadvisor.advise.subject import uses_by_table
from partadvisor.advise.table_waits import roots
from partadvisor.advise.targets import find_table, worth_a_look
from partadvisor.model.advice import Advice
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.pg.scheme_text import parse_scheme


def advise(
    snapshot: Snapshot,
    *,
    table: str | None = None,
    keys: Sequence[str] = (),
    top: int = 5,
    clients: int | None = None,
    target_major: int | None = None,
    details: bool = False,
) -> Advice:
    """Verdict and candidates for the hot tables, hottest first, or for the one named.

    Args:
        snapshot: everything known.
        table: ``schema.table``, or a table name that occurs once.
        keys: schemes to score beside the found ones, as text.
        top: candidates to keep for each table; the user's own are always kept.
        clients: concurrent writers to predict for; None for those of the snapshot.
        target_major: version the table will live on; None for the snapshot's.
        details: list every query for each candidate.

    Raises:
        UsageError: the table or a column of a key does not exist, or a scheme cannot be read.
    """
    return advise_on(
        snapshot,
        workload_of(snapshot),
        table=table,
        keys=keys,
        top=top,
        clients=clients,
        target_major=target_major,
        details=details,
    )


def workload_of(snapshot: Snapshot) -> Workload:
    """The snapshot's statements, analysed."""
    if not any(s.entries for s in snapshot.statements):
        return Workload()
    from partadvisor.sql.names import SchemaNames
    from partadvisor.workload.families import build_workload

    return build_workload(snapshot.statements, SchemaNames.from_relations(snapshot.relations))


def advise_on(
    snapshot: Snapshot,
    workload: Workload,
    *,
    table: str | None = None,
    keys: Sequence[str] = (),
    top: int = 5,
    clients: int | None = None,
    target_major: int | None = None,
    details: bool = False,
) -> Advice:
    """As ``advise``, with the statements analysed already."""
    diagnosis = diagnose(snapshot)
    named = None if table is None else find_table(snapshot, table)
    uses = uses_by_table(workload)
    hot = worth_a_look(snapshot, diagnosis, uses)
    wanted = hot if named is None or named in hot else [named]  # hot tables are judged together, also for one of them
    schemes = [parse_scheme(text) for text in keys]
    if schemes and not wanted:
        raise UsageError("no table to score the keys for", hint="Name one with --table schema.table.")
    graph = KeyGraph(snapshot.relations, workload) if wanted else KeyGraph((), Workload())
    requests = requests_by_table(snapshot, workload) if wanted else {}
    known = Known(snapshot, diagnosis, uses, requests, graph.related(), roots(snapshot))
    major = target_major or snapshot.server.major
    own = {r.qualified_name: schemes if r is (named or wanted[0]) else [] for r in wanted}

    def judged(relation: Relation, together: frozenset[str] = frozenset()) -> Assessment:
        return assess(known, relation, own[relation.qualified_name], major=major, clients=clients, together=together)

    assessments = at_once([judged(r) for r in wanted], judged)
    assessments, groups = grouped(assessments, graph, diagnosis)
    shown = [a for a in assessments if named is None or a.subject.relation is named]
    tables = tuple(table_advice(a, top=top, details=details) for a in shown)
    return Advice(
        diagnosis=diagnosis,
        tables=tables,
        groups=tuple(g for g in groups if named is None or named.qualified_name in {m.table for m in g.members}),
        others=None if named else other_tables(snapshot, diagnosis, tables),
        coverage=workload.coverage if workload.coverage.families else None,
        assumptions=assumptions(diagnosis, tables, uses),
        missing=(*diagnosis.missing, *not_understood(workload), *strangers(snapshot, workload)),
    )
