"""Several hot tables: one alone gains little while the others queue as much, all at once gain what each promises.

Each table is judged alone first. Those that would gain too little alone are judged again with all hot tables split at
the same time; that verdict holds only if at least two of them then are worth it, and is given together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from partadvisor.advise import explain
from partadvisor.advise.assess import Assessment
from partadvisor.model.catalog import Relation
from partadvisor.pg import knowledge

Judge = Callable[[Relation, frozenset[str]], Assessment]


def at_once(alone: Sequence[Assessment], judge: Judge) -> list[Assessment]:
    """The assessments, those that are worth it only together with others marked so."""
    hot = [a for a in alone if _could_spread(a)]
    if len(hot) < 2 or all(a.judgement.verdict == "partition" for a in hot):
        return list(alone)
    names = frozenset(a.subject.name for a in hot)
    again = {a.subject.name: judge(a.subject.relation, names - {a.subject.name}) for a in hot}
    worth = [name for name, a in again.items() if a.judgement.verdict == "partition"]
    if set(worth) != names:  # one of them stays as it is, and so does its queue
        return list(alone)
    return [_marked(again[a.subject.name], a, names) if a.subject.name in names else a for a in alone]


def _could_spread(assessed: Assessment) -> bool:
    """Whether the table has a share of the queue and a feasible key that spreads its inserts."""
    if assessed.judgement.verdict not in ("partition", "do_not_partition") or assessed.saved_ms <= 0:
        return False
    calm = float(knowledge.load("advice.toml")["partitions_per_statement"])
    return any(
        s.feasible and s.write.max_share <= 0.5 and s.write.partitions_per_statement <= calm for s in assessed.ranked
    )


def _marked(together: Assessment, alone: Assessment, names: frozenset[str]) -> Assessment:
    others = tuple(sorted(names - {together.subject.name}))
    text = together.judgement.chosen.text if together.judgement.chosen else ""
    gain = next((s.gain.expected for s in alone.ranked if s.text == text), 1.0)
    return replace(together, together=others, remarks=(explain.only_together(others, gain),))
