"""Tables that should share a key: the same hash key under its names, the same number of partitions, all or none.

PostgreSQL joins two partitioned tables partition by partition only when the join equates their whole keys, the key
columns are of one type and the bounds are the same, which for hash means the modulus; and only with
enable_partitionwise_join, which is off by default. Tried on 13 and 18.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import networkx as nx

from partadvisor.advise.assess import Assessment
from partadvisor.advise.candidates import with_modulus
from partadvisor.advise.group_words import described
from partadvisor.advise.join_graph import KeyGraph, Place, Tie
from partadvisor.advise.preference import contenders
from partadvisor.advise.scoring import Scored
from partadvisor.model.advice import KeyGroup
from partadvisor.model.diagnosis import Diagnosis
from partadvisor.model.scheme import HashLevel
from partadvisor.pg.hashing.types import base_name

_Key = tuple[int, ...]  # key families of the hash columns, in their order


@dataclass(frozen=True, slots=True)
class Member:
    """A table with the scheme by which it can join a group."""

    assessed: Assessment
    option: Scored

    @property
    def table(self) -> str:
        """``schema.table``."""
        return self.assessed.subject.name

    @property
    def places(self) -> tuple[Place, ...]:
        """The key's columns."""
        return tuple((self.table, column) for column in self.option.scheme.columns)


def grouped(
    assessments: Sequence[Assessment], graph: KeyGraph, diagnosis: Diagnosis
) -> tuple[list[Assessment], tuple[KeyGroup, ...]]:
    """The assessments, those of a group with its scheme chosen, and the groups, the most joined first."""
    result = {a.subject.name: a for a in assessments}
    groups: list[KeyGroup] = []
    for key, members in _found(assessments, graph):
        free = [m for m in members if result[m.table].group is None]
        if len(free) < 2:
            continue
        chosen = _same_modulus(free)
        if chosen is None:
            continue
        name = _name(key, chosen, graph)
        holders = [t for number in key[:1] for t in graph.tables(number) if t not in {m.table for m in chosen}]
        group = described(name, chosen, ties_of(chosen, graph), holders)
        groups.append(group)
        for member in chosen:
            assessed = result[member.table]
            remarks = (*assessed.remarks, _remark(member, group))
            result[member.table] = replace(assessed.choosing(member.option, diagnosis), group=name, remarks=remarks)
    return list(result.values()), tuple(groups)


def _name(key: _Key, members: Sequence[Member], graph: KeyGraph) -> str:
    """The key's columns as the members call them, or, where they differ, its shortest name anywhere."""
    spelled = {m.option.scheme.columns for m in members}
    return " and ".join(spelled.pop() if len(spelled) == 1 else (graph.family_name(number) for number in key))


def _remark(member: Member, group: KeyGroup) -> str:
    others = [m.table for m in group.members if m.table != member.table]
    return f"it shares the key with {', '.join(others)}: take {group.partitions} partitions for all of them, or none"


def _found(assessments: Sequence[Assessment], graph: KeyGraph) -> list[tuple[_Key, list[Member]]]:
    """Tables joined on a key that each of them could take, the heaviest joins first."""
    by_key: dict[_Key, list[Member]] = {}
    for assessed in assessments:
        for key, option in _options(assessed, graph).items():
            by_key.setdefault(key, []).append(Member(assessed, option))
    found = [(key, group) for key, members in by_key.items() for group in _joined(members, graph)]
    return sorted(found, key=lambda pair: -sum(t.calls for _, _, t in ties_of(pair[1], graph)))


def _options(assessed: Assessment, graph: KeyGraph) -> dict[_Key, Scored]:
    """Near-best schemes of a table by one hash level whose columns all are a key of other tables, too."""
    if assessed.judgement.verdict != "partition" or assessed.judgement.chosen is None:
        return {}
    chosen, found = assessed.judgement.chosen, dict[_Key, Scored]()
    near = contenders([s for s in assessed.ranked if s.feasible])
    for option in (chosen, *near):
        levels = option.scheme.levels
        if len(levels) > 1 or not isinstance(levels[0], HashLevel) or _reads_lose(assessed, chosen, option):
            continue
        families = [graph.family((assessed.subject.name, column)) for column in levels[0].columns]
        key = tuple(f for f in families if f is not None)
        if len(key) == len(families):
            found.setdefault(key, option)
    return found


def _reads_lose(assessed: Assessment, chosen: Scored, option: Scored) -> bool:
    """Whether the table's own reads are clearly better off with its own choice."""
    if option.read.unpruned_share > chosen.read.unpruned_share + 0.05:
        return True
    return option is not chosen and assessed.too_costly(option.scheme)


def _joined(members: Sequence[Member], graph: KeyGraph) -> Iterator[list[Member]]:
    """The members in sets that joins or foreign keys hold together, of one type each."""
    tables: nx.Graph[str] = nx.Graph()
    for one, other, _ in ties_of(members, graph):
        if _types(one) == _types(other):
            tables.add_edge(one.table, other.table)
    for component in nx.connected_components(tables):
        yield [m for m in members if m.table in component]


def _types(member: Member) -> tuple[str, ...]:
    return tuple(base_name(member.assessed.subject.column(c).base_type) for c in member.option.scheme.columns)


def ties_of(members: Sequence[Member], graph: KeyGraph) -> list[tuple[Member, Member, Tie]]:
    """What joins the members pairwise on their whole keys."""
    found = []
    for one, other in itertools.combinations(members, 2):
        ties = [graph.between(a, b) for a, b in zip(one.places, other.places, strict=True)]
        whole = [t for t in ties if t is not None]
        if whole and len(whole) == len(ties):
            found.append((one, other, min(whole, key=lambda t: t.calls)))
    return found


def _same_modulus(members: Sequence[Member]) -> list[Member] | None:
    """All members with one number of partitions: the largest wanted that no member's reads pay too dearly."""
    wanted = sorted({m.option.leaves for m in members}, reverse=True)
    for modulus in wanted:
        moved = [_with(m, modulus) for m in members]
        if modulus == wanted[-1] or not any(m.assessed.too_costly(m.option.scheme) for m in moved):
            return moved if all(m.option.feasible for m in moved) else None
    return None


def _with(member: Member, modulus: int) -> Member:
    scheme = with_modulus(member.option.scheme, modulus)
    same = next((s for s in member.assessed.ranked if s.scheme == scheme), None)
    return Member(member.assessed, same or member.assessed.scorer.score(scheme))
