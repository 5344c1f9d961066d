"""A group of tables in words: what joins it, what the joins cost with one table alone, and what has to be set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from partadvisor.advise.join_graph import Tie, calls_of
from partadvisor.model.advice import GroupMember, KeyGroup, QueryEffect, SharedJoin

if TYPE_CHECKING:
    from partadvisor.advise.groups import Member

_MOST_JOINS = 5
_MOST_HOLDERS = 4

Ties = Sequence[tuple["Member", "Member", Tie]]


def described(name: str, members: Sequence[Member], ties: Ties, holders: Sequence[str]) -> KeyGroup:
    """The group as it is shown; ``holders`` are further tables with the key that need no partitions."""
    effects = {m.table: {e.fingerprint: e for e in m.assessed.scorer.effects(m.option)} for m in members}
    joins = sorted(_joins(ties), key=lambda j: -(j.calls_per_second or 0.0))
    open_joins = _open(ties, effects)
    partitions = members[0].option.leaves
    return KeyGroup(
        name=name,
        members=tuple(GroupMember(table=m.table, scheme=m.option.text) for m in members),
        partitions=partitions,
        joins=tuple(joins[:_MOST_JOINS]),
        why=_why(name, members, ties, partitions) + _others(holders),
        alone=_alone(members, ties, effects, open_joins),
        settings=_settings(open_joins),
    )


def _joins(ties: Ties) -> list[SharedJoin]:
    found = []
    for one, other, tie in ties:
        columns = (_spelled(one), _spelled(other))
        for family in tie.statements.values():
            named = family.name or " ".join(family.text.split())[:60]
            found.append(SharedJoin(statement=named, columns=columns, calls_per_second=family.calls_per_second))
        found += [
            SharedJoin(statement=f"foreign key {key}", columns=columns) for key in dict.fromkeys(tie.foreign_keys)
        ]
    return found


def _spelled(member: Member) -> str:
    return ", ".join(f"{table}.{column}" for table, column in member.places)


def _open(ties: Ties, effects: dict[str, dict[str, QueryEffect]]) -> list[tuple[float, str]]:
    """Joining statements that do not fix the key, so that whole tables are joined: calls and fingerprint."""
    found: dict[str, float] = {}
    for one, other, tie in ties:
        for fingerprint, family in tie.statements.items():
            touched = [effects[m.table].get(fingerprint) for m in (one, other)]
            if all(e is not None and e.when == "never" and e.partitions > 1 for e in touched):
                found[fingerprint] = calls_of(family)
    return sorted(((calls, f) for f, calls in found.items()), reverse=True)


def _why(name: str, members: Sequence[Member], ties: Ties, partitions: int) -> str:
    statements = {f: family for _, _, tie in ties for f, family in tie.statements.items()}
    keys = {k for _, _, tie in ties for k in tie.foreign_keys}
    timed = sum(f.calls_per_second or 0.0 for f in statements.values())
    rate = f" ({timed:,.0f} a second)" if timed >= 1 else ""
    parts = []
    if statements:
        parts.append(f"{_number(len(statements), 'statement')} {_verb(len(statements), 'join')} them on it{rate}")
    if keys:
        parts.append(f"{_number(len(keys), 'foreign key')} {_verb(len(keys), 'tie')} them")
    tables = ", ".join(m.table for m in members)
    return (
        f"{name} is one key in {tables}: {' and '.join(parts)}; with {partitions} hash partitions each, rows that "
        "belong together lie in partitions of the same number"
    )


def _others(holders: Sequence[str]) -> str:
    if not holders:
        return ""
    if len(holders) == 1:
        return f"; {holders[0]} holds it, too, and can stay as it is"
    named = ", ".join(holders[:_MOST_HOLDERS])
    rest = f" and {len(holders) - _MOST_HOLDERS} more" if len(holders) > _MOST_HOLDERS else ""
    return f"; {named}{rest} hold it, too, and can stay as they are"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _verb(count: int, verb: str) -> str:
    return f"{verb}s" if count == 1 else verb


def _alone(
    members: Sequence[Member],
    ties: Ties,
    effects: dict[str, dict[str, QueryEffect]],
    open_joins: Sequence[tuple[float, str]],
) -> str:
    statements = {f for _, _, tie in ties for f in tie.statements}
    if not statements:
        return (
            "no known statement joins them; a foreign key check fixes the key and prunes whichever side is partitioned"
        )
    first = members[0]
    added = sum(
        calls * (e.added_ms if (e := effects[first.table].get(fingerprint)) else 0.0)
        for calls, fingerprint in open_joins
    )
    if not open_joins:
        return (
            "every joining statement fixes the key, so each side prunes by itself and one table alone costs no join "
            "anything; a join of whole tables would then still not go partition by partition"
        )
    count = len(open_joins)
    return (
        f"{_number(count, 'statement')} {_verb(count, 'join')} whole tables without fixing the key: with {first.table} "
        f"alone partitioned that reads all {first.option.leaves} partitions, {added:,.1f} ms a second more, and can "
        "never go partition by partition; a different number of partitions has the same effect"
    )


def _settings(open_joins: Sequence[tuple[float, str]]) -> tuple[str, ...]:
    said = (
        "enable_partitionwise_join is off by default: SET enable_partitionwise_join = on where whole tables are "
        "joined; it costs planning time, and memory for each pair of partitions"
    )
    return (said,) if open_joins else ()
