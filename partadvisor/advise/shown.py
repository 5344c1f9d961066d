"""A scored scheme as it is shown: with the queries that get worse, and the statements to look at first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from partadvisor.advise import explain
from partadvisor.advise.compatibility import incompatibilities
from partadvisor.advise.query_effects import worse
from partadvisor.advise.scoring import Scored, Scorer
from partadvisor.model.advice import Candidate, Incompatibility

_MOST_WORSE = 5
_MOST_OF_A_RULE = 20


def candidate(scored: Scored, rank: int, scorer: Scorer, pareto: bool, details: bool) -> Candidate:
    """The scheme with everything known about it; all of its queries only with ``details``."""
    note = explain.spread_note(scored, scorer.subject)
    cautions = [f"{o.text}; {o.fix}" for o in scored.obstacles if not o.blocks]
    effects = scorer.effects(scored)
    losers = worse(effects)
    found = incompatibilities(scorer.subject, scored.scheme, effects)
    return Candidate(
        rank=rank,
        scheme=scored.text,
        strategy=scored.strategy,
        columns=scored.scheme.columns,
        partitions=scored.leaves,
        feasible=scored.feasible,
        blockers=tuple(o.blocker for o in scored.obstacles if o.blocks),
        warnings=tuple([note, *cautions] if note else cautions),
        migration=scored.migration,
        write=scored.write,
        throughput_ratio=scored.gain,
        read=scored.read,
        locks=scored.locks,
        pareto=pareto,
        sensitivity=explain.sensitivity(scored),
        named_by_user=scored.named_by_user,
        worse=losers if details else losers[:_MOST_WORSE],
        worse_queries=len(losers),
        compatibility=found if details else _most_frequent(found),
        incompatible=len(found),
        queries=tuple(effects) if details else None,
    )


def _most_frequent(found: Sequence[Incompatibility]) -> tuple[Incompatibility, ...]:
    """Of each rule the statements that run most; what blocks is kept whole. They are in order already."""
    seen: Counter[str] = Counter()
    kept = []
    for one in found:
        seen[one.rule] += 1
        if one.change_first or seen[one.rule] <= _MOST_OF_A_RULE:
            kept.append(one)
    return tuple(kept)
