"""One table through all the models: its candidates scored and ordered, and the verdict."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from partadvisor.advise import explain
from partadvisor.advise.bounds import check_bounds
from partadvisor.advise.candidates import candidate_schemes
from partadvisor.advise.count import choose_count
from partadvisor.advise.curves import client_curve, count_curve
from partadvisor.advise.judge import Judgement, judge, wait_saved
from partadvisor.advise.monotone import monotone_columns
from partadvisor.advise.pareto import pareto_front
from partadvisor.advise.preference import ordered
from partadvisor.advise.requests import Requests
from partadvisor.advise.scoring import Scored, Scorer
from partadvisor.advise.shown import candidate
from partadvisor.advise.subject import Subject, Uses
from partadvisor.advise.throughput import Calibration, calibrate, predict
from partadvisor.model.advice import TableAdvice, WriteSpread
from partadvisor.model.catalog import Relation
from partadvisor.model.diagnosis import Diagnosis, GainLimit, TableWait
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import Scheme
from partadvisor.model.snapshot import Snapshot

_COSTLY_READS = 0.05  # share of the saved waiting that unpruned reads may cost before fewer partitions are taken


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of all tables together, by table or by column of a table."""

    snapshot: Snapshot
    diagnosis: Diagnosis
    uses: Uses
    requests: Requests
    related: Mapping[tuple[str, str], int]
    roots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Assessment:
    """A table with its candidates, best first, and the verdict; ``remarks`` are further reasons.

    ``saved_ms`` is what its queue takes, in ms a second; ``group`` and ``together`` are as in ``TableAdvice``.
    """

    subject: Subject
    scorer: Scorer
    calibration: Calibration
    ranked: tuple[Scored, ...]
    judgement: Judgement
    saved_ms: float
    wait: TableWait | None = None
    group: str | None = None
    together: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def too_costly(self, scheme: Scheme) -> bool:
        """Whether the scheme's reads cost more than its spread is worth."""
        added = self.scorer.added_ms(scheme)
        return self.saved_ms > 0 and added is not None and added > _COSTLY_READS * self.saved_ms

    def choosing(self, scored: Scored, diagnosis: Diagnosis) -> Assessment:
        """With another scheme chosen, and the reason in its numbers."""
        ranked = (scored, *(s for s in self.ranked if s.scheme != scored.scheme))
        reason = explain.partition(scored, self.subject, self.wait, diagnosis)
        return replace(self, ranked=ranked, judgement=replace(self.judgement, chosen=scored, reason=reason))


def assess(
    known: Known,
    relation: Relation,
    schemes: Sequence[Scheme],
    *,
    major: int,
    clients: int | None,
    together: frozenset[str] = frozenset(),
) -> Assessment:
    """The table's candidates and verdict.

    Args:
        known: everything gathered from the snapshot.
        relation: the table.
        schemes: the user's own, scored beside the found ones.
        major: version the table will live on.
        clients: concurrent writers to predict for; None for those of the snapshot.
        together: other tables that are partitioned at the same time.

    Raises:
        UsageError: a scheme names a column the table has not.
    """
    top = known.roots.get(relation.qualified_name, relation.qualified_name)
    wait = next((w for w in known.diagnosis.tables if w.table == top), None)
    subject = _subject(known, relation, wait, major)
    calibration = calibrate(known.snapshot, known.diagnosis, subject.name, together)

    def expected(write: WriteSpread) -> GainLimit:
        return predict(calibration, write.shares, clients or calibration.clients, write.partitions_per_statement)

    own = [_checked(scheme, subject) for scheme in schemes]
    saved = wait_saved(known.diagnosis, wait)
    unranked = Assessment(
        subject, Scorer(subject, expected), calibration, (), Judgement("insufficient", ""), saved, wait
    )
    ranked = tuple(ordered(_scored(unranked, own), subject))
    return replace(unranked, ranked=ranked, judgement=judge(subject, known.diagnosis, wait, ranked))


def _subject(known: Known, relation: Relation, wait: TableWait | None, major: int) -> Subject:
    name = relation.qualified_name
    recent = known.snapshot.rows_of(name)
    server = known.snapshot.server
    return Subject(
        relation=relation,
        major=major,
        uses=known.uses.get(name, ()),
        requests=known.requests.get(name, ()),
        recent=recent,
        related={c.name: known.related[name, c.name] for c in relation.columns if (name, c.name) in known.related},
        monotone=monotone_columns(relation, recent),
        encoding=server.encoding,
        max_locks=int(server.settings.get("max_locks_per_transaction", "64")),
        inserts_per_second=wait.inserts_per_second if wait else None,
    )


def _checked(scheme: Scheme, subject: Subject) -> Scheme:
    names = [c.name for c in subject.relation.columns]
    for column in scheme.columns:
        if column not in names:
            near = difflib.get_close_matches(column, names, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"It has {', '.join(names)}."
            raise UsageError(f'column "{column}" of table {subject.name} does not exist', hint=hint)
    check_bounds(scheme, subject.relation)
    return scheme


def _scored(unranked: Assessment, own: Sequence[Scheme]) -> list[Scored]:
    """The user's schemes, and the found ones with their number of partitions chosen; each scheme once."""
    scorer = unranked.scorer
    possible = _possible_gain(scorer)
    schemes = candidate_schemes(scorer.subject)
    found = [choose_count(s, scorer.spreads, possible, unranked.too_costly) for s in schemes]
    return [scorer.score(s, named_by_user=s in own) for s in dict.fromkeys((*own, *found))]


def _possible_gain(scorer: Scorer) -> float:
    """Throughput ratio if inserts were spread over very many partitions: what the next queue allows."""
    many = 1024
    spread = WriteSpread(
        effective_partitions=many, max_share=1 / many, partitions_per_statement=1.0, shares=(1 / many,) * many
    )
    return scorer.predicted(spread).expected


def table_advice(assessed: Assessment, *, top: int, details: bool) -> TableAdvice:
    """The answer for the table, with the ``top`` candidates."""
    judgement, subject = assessed.judgement, assessed.subject
    shown = _shown(assessed, top)
    front = pareto_front(assessed.ranked)
    chosen = judgement.chosen
    return TableAdvice(
        table=subject.name,
        verdict=judgement.verdict,
        reason="; ".join((judgement.reason, *assessed.remarks)),
        recommended=None if chosen is None else shown.index(chosen) + 1,
        group=assessed.group,
        together=assessed.together,
        rows=subject.relation.rows if subject.relation.rows >= 0 else None,
        inserts_per_second=subject.inserts_per_second,
        candidates=tuple(candidate(s, i, assessed.scorer, s.text in front, details) for i, s in enumerate(shown, 1)),
        losses=explain.losses(chosen, subject) if chosen else (),
        counts=count_curve(assessed.scorer, chosen) if chosen else (),
        clients=client_curve(assessed.calibration, chosen) if chosen else (),
    )


def _shown(assessed: Assessment, top: int) -> list[Scored]:
    """The best ``top``, one infeasible one that blocks the way, and all that the user named; in rank order."""
    ranked, judgement = assessed.ranked, assessed.judgement
    kept = list(ranked[:top])
    if judgement.verdict == "no_feasible_key" and all(s.feasible for s in kept):
        kept += [s for s in ranked if not s.feasible][:1]
    return [s for s in ranked if s in kept or s.named_by_user or s is judgement.chosen]
