"""The advisor: from a snapshot to a verdict, ranked candidates and a reason for each hot table."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from partadvisor.advise import explain
from partadvisor.advise.candidates import candidate_schemes
from partadvisor.advise.count import choose_count
from partadvisor.advise.diagnose import diagnose
from partadvisor.advise.judge import Judgement, judge, wait_saved
from partadvisor.advise.monotone import monotone_columns
from partadvisor.advise.pareto import pareto_front
from partadvisor.advise.preference import ordered
from partadvisor.advise.requests import Requests, requests_by_table
from partadvisor.advise.scoring import Scored, Scorer
from partadvisor.advise.shown import candidate
from partadvisor.advise.subject import Subject, Uses, key_families, uses_by_table
from partadvisor.advise.table_waits import roots
from partadvisor.advise.targets import find_table, worth_a_look
from partadvisor.advise.throughput import calibrate, predict
from partadvisor.model.advice import Advice, TableAdvice, WriteSpread
from partadvisor.model.catalog import Relation
from partadvisor.model.diagnosis import Diagnosis, GainLimit, TableWait
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import Scheme
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.pg.scheme_text import parse_scheme

_LISTED_STATEMENTS = 10
_COSTLY_READS = 0.05  # share of the saved waiting that unpruned reads may cost before fewer partitions are taken


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
        _workload(snapshot),
        table=table,
        keys=keys,
        top=top,
        clients=clients,
        target_major=target_major,
        details=details,
    )


def _workload(snapshot: Snapshot) -> Workload:
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
    wanted = [named] if named is not None else worth_a_look(snapshot, diagnosis, uses)
    schemes = [parse_scheme(text) for text in keys]
    if schemes and not wanted:
        raise UsageError("no table to score the keys for", hint="Name one with --table schema.table.")
    families = key_families(snapshot.relations, workload) if wanted else {}
    requests = requests_by_table(snapshot, workload) if wanted else {}
    advices = []
    for relation in wanted:
        subject = _subject(snapshot, relation, uses, requests, families, diagnosis, target_major)
        own = schemes if named is not None or relation is wanted[0] else []
        advices.append(_table_advice(snapshot, diagnosis, subject, own, top=top, clients=clients, details=details))
    return Advice(
        diagnosis=diagnosis,
        tables=tuple(advices),
        assumptions=_assumptions(diagnosis, workload, advices, uses),
        missing=(*diagnosis.missing, *_not_understood(workload), *_strangers(snapshot, workload)),
    )


def _subject(
    snapshot: Snapshot,
    relation: Relation,
    uses: Uses,
    requests: Requests,
    families: Mapping[tuple[str, str], int],
    diagnosis: Diagnosis,
    target_major: int | None,
) -> Subject:
    name = relation.qualified_name
    recent = snapshot.rows_of(name)
    wait = _wait(diagnosis, snapshot, relation)
    return Subject(
        relation=relation,
        major=target_major or snapshot.server.major,
        uses=uses.get(name, ()),
        requests=requests.get(name, ()),
        recent=recent,
        related={c.name: families[name, c.name] for c in relation.columns if (name, c.name) in families},
        monotone=monotone_columns(relation, recent),
        encoding=snapshot.server.encoding,
        max_locks=int(snapshot.server.settings.get("max_locks_per_transaction", "64")),
        inserts_per_second=wait.inserts_per_second if wait else None,
    )


def _wait(diagnosis: Diagnosis, snapshot: Snapshot, relation: Relation) -> TableWait | None:
    top = roots(snapshot).get(relation.qualified_name, relation.qualified_name)
    return next((w for w in diagnosis.tables if w.table == top), None)


def _table_advice(
    snapshot: Snapshot,
    diagnosis: Diagnosis,
    subject: Subject,
    schemes: Sequence[Scheme],
    *,
    top: int,
    clients: int | None,
    details: bool,
) -> TableAdvice:
    wait = _wait(diagnosis, snapshot, subject.relation)
    calibration = calibrate(snapshot, diagnosis, subject.name)

    def expected(write: WriteSpread) -> GainLimit:
        return predict(calibration, write.shares, clients or calibration.clients, write.partitions_per_statement)

    scorer = Scorer(subject, expected)
    own = [_checked(scheme, subject) for scheme in schemes]
    ranked = ordered(_scored(scorer, own, wait_saved(diagnosis, wait)), subject)
    judgement = judge(subject, diagnosis, wait, ranked)
    shown = _shown(ranked, judgement, top)
    front = pareto_front(ranked)
    chosen = judgement.chosen
    return TableAdvice(
        table=subject.name,
        verdict=judgement.verdict,
        reason=judgement.reason,
        recommended=None if chosen is None else shown.index(chosen) + 1,
        rows=subject.relation.rows if subject.relation.rows >= 0 else None,
        inserts_per_second=subject.inserts_per_second,
        candidates=tuple(candidate(s, i, scorer, s.text in front, details) for i, s in enumerate(shown, 1)),
        losses=explain.losses(chosen, subject) if chosen else (),
    )


def _checked(scheme: Scheme, subject: Subject) -> Scheme:
    names = [c.name for c in subject.relation.columns]
    for column in scheme.columns:
        if column not in names:
            near = difflib.get_close_matches(column, names, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"It has {', '.join(names)}."
            raise UsageError(f'column "{column}" of table {subject.name} does not exist', hint=hint)
    return scheme


def _scored(scorer: Scorer, own: Sequence[Scheme], saved_ms: float) -> list[Scored]:
    """The user's schemes, and the found ones with their number of partitions chosen; each scheme once."""
    possible = _possible_gain(scorer)

    def too_costly(scheme: Scheme) -> bool:
        added = scorer.added_ms(scheme)
        return saved_ms > 0 and added is not None and added > _COSTLY_READS * saved_ms

    found = [choose_count(s, scorer.spreads, possible, too_costly) for s in candidate_schemes(scorer.subject)]
    return [scorer.score(s, named_by_user=s in own) for s in dict.fromkeys((*own, *found))]


def _possible_gain(scorer: Scorer) -> float:
    """Throughput ratio if inserts were spread over very many partitions: what the next queue allows."""
    many = 1024
    spread = WriteSpread(
        effective_partitions=many, max_share=1 / many, partitions_per_statement=1.0, shares=(1 / many,) * many
    )
    return scorer.predicted(spread).expected


def _shown(ranked: Sequence[Scored], judgement: Judgement, top: int) -> list[Scored]:
    """The best ``top``, one infeasible one that blocks the way, and all that the user named; in rank order."""
    kept = list(ranked[:top])
    if judgement.verdict == "no_feasible_key" and all(s.feasible for s in kept):
        kept += [s for s in ranked if not s.feasible][:1]
    return [s for s in ranked if s in kept or s.named_by_user or s is judgement.chosen]


def _not_understood(workload: Workload) -> tuple[str, ...]:
    """The heaviest statements that could not be analysed, with the reason and, from a file, the place."""
    failed = [f for f in workload.families if f.not_analysed is not None]
    said = [f"not analysed: {_short(f.name or f.text)}: {f.not_analysed}" for f in failed[:_LISTED_STATEMENTS]]
    if len(failed) > _LISTED_STATEMENTS:
        said.append(f"not analysed: {len(failed) - _LISTED_STATEMENTS} more statements")
    return tuple(said)


def _strangers(snapshot: Snapshot, workload: Workload) -> tuple[str, ...]:
    """Tables that the user's statements name and the snapshot lacks; a server also counts other databases' tables."""
    if any(s.source != "file" for s in snapshot.statements):
        return ()
    known = {r.qualified_name for r in snapshot.relations}
    views = {d.name for r in snapshot.relations for d in r.dependents}
    named = {t.table: f for f in workload.families if f.pattern for t in f.pattern.tables}
    said = []
    for table, family in named.items():
        if table in known | views or table.startswith(("pg_", "information_schema.")):
            continue
        near = difflib.get_close_matches(table if "." in table else f"public.{table}", known, n=1)
        meant = f"; perhaps {near[0]} is meant" if near else ""
        said.append(f"table {table} of statement {_short(family.name or family.text)} is not in the schema{meant}")
    return tuple(said[:_LISTED_STATEMENTS])


def _short(text: str, width: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _assumptions(
    diagnosis: Diagnosis, workload: Workload, tables: Sequence[TableAdvice], uses: Uses
) -> tuple[str, ...]:
    said = list(diagnosis.assumptions)
    silent = [t.table for t in tables if not uses.get(t.table)]
    if silent:
        said.append(f"No query of {', '.join(silent)} is known: reads are taken to cost what they cost now.")
    unknown = sorted({c for t in tables for s in t.candidates if s.write.source == "assumed" for c in s.columns})
    if unknown:
        said.append(f"Values of {', '.join(unknown)} are not known: taken as many and equally frequent.")
    coverage = workload.coverage
    if coverage.families > coverage.understood_families:
        missed = coverage.families - coverage.understood_families
        said.append(
            f"{missed} of {coverage.families} query families could not be analysed "
            f"({explain.percent(1 - coverage.time_share)} of the time); their reads are not counted."
        )
    return tuple(said)
