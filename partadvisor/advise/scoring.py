"""One scheme against everything that is known: feasibility, write spread, read cost, expected throughput."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from partadvisor.advise.feasibility import Obstacle, obstacles
from partadvisor.advise.prune import leaf_count
from partadvisor.advise.query_effects import query_effects
from partadvisor.advise.read_cost import ReadModel
from partadvisor.advise.sizes import level_sizes
from partadvisor.advise.spread import SpreadModel
from partadvisor.advise.subject import Subject
from partadvisor.model.advice import Locks, Migration, QueryEffect, ReadCost, Strategy, WriteSpread
from partadvisor.model.diagnosis import GainLimit
from partadvisor.model.scheme import HashLevel, ListLevel, Scheme
from partadvisor.pg.scheme_text import scheme_text

Predict = Callable[[WriteSpread], GainLimit]


@dataclass(frozen=True, slots=True)
class Scored:
    """A scheme with all its numbers. ``leaves`` counts leaf partitions."""

    scheme: Scheme
    text: str
    leaves: int
    obstacles: tuple[Obstacle, ...]
    write: WriteSpread
    gain: GainLimit
    read: ReadCost
    locks: Locks
    named_by_user: bool = False

    @property
    def feasible(self) -> bool:
        """Whether nothing forbids the scheme."""
        return not any(o.blocks for o in self.obstacles)

    @property
    def strategy(self) -> Strategy:
        """Kind of the level that spreads the inserts: the innermost."""
        level = self.scheme.levels[-1]
        return "hash" if isinstance(level, HashLevel) else "list" if isinstance(level, ListLevel) else "range"

    @property
    def migration(self) -> Migration:
        """How the table gets there: old rows stay ("ahead"), or are copied."""
        return "ahead" if self.scheme.is_ahead else "copy"


class Scorer:
    """Scores schemes of one table; what does not depend on the scheme is computed once."""

    def __init__(self, subject: Subject, predict: Predict) -> None:
        self.subject = subject
        self.spreads = SpreadModel(subject)
        self.reads = ReadModel(subject)
        self.predicted = predict

    def score(self, scheme: Scheme, *, named_by_user: bool = False) -> Scored:
        """All the numbers of one scheme."""
        sizes = level_sizes(scheme, self.subject)
        write = self.spreads.spread(scheme)
        totals = self.reads.totals(scheme, sizes, write.partitions_per_statement)
        return Scored(
            scheme=scheme,
            text=scheme_text(scheme),
            leaves=leaf_count(scheme, sizes),
            obstacles=obstacles(self.subject, scheme),
            write=write,
            gain=self.predicted(write),
            read=totals.cost,
            locks=totals.locks,
            named_by_user=named_by_user,
        )

    def added_ms(self, scheme: Scheme) -> float | None:
        """Milliseconds a second that the scheme adds to the reads, None when call rates are unknown."""
        return self.reads.added_ms(scheme, level_sizes(scheme, self.subject))

    def effects(self, scored: Scored) -> list[QueryEffect]:
        """Every query under the scheme, the one that loses most first."""
        sizes = level_sizes(scored.scheme, self.subject)
        return query_effects(self.reads, scored.scheme, sizes, scored.write.partitions_per_statement)
