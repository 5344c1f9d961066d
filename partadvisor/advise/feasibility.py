"""Hard feasibility: what the server, or a statement of the workload, would refuse on the partitioned table.

Each check finds the facts for one rule of ``rules/feasibility``; the words come from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from partadvisor.advise.rulebook import feasibility_rules
from partadvisor.advise.subject import Subject
from partadvisor.model.advice import Blocker
from partadvisor.model.catalog import Column, Index
from partadvisor.model.scheme import ListLevel, RangeLevel, Scheme
from partadvisor.pg import knowledge
from partadvisor.pg.hashing.types import base_name, is_hashable
from partadvisor.pg.type_families import has_class

Facts = dict[str, str]
Check = Callable[[Subject, Scheme], Iterator[Facts]]

_KINDS = {
    "foreign_table": "foreign table",
    "view": "view",
    "materialized_view": "materialized view",
}
_BUILT_IN_UNROUTABLE = ("range", "multirange", "[]")


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A rule that applies, in words."""

    rule: str
    text: str
    fix: str
    blocks: bool

    @property
    def blocker(self) -> Blocker:
        """As it is shown."""
        return Blocker(rule=self.rule, text=f"{self.text}; fix: {self.fix}")


def obstacles(subject: Subject, scheme: Scheme) -> tuple[Obstacle, ...]:
    """Everything in the way of ``scheme``, in the order of the rules."""
    found: list[Obstacle] = []
    for rule_id, check in _CHECKS.items():
        rule = feasibility_rules()[rule_id]
        if not rule.applies_to(subject.major):
            continue
        found += [
            Obstacle(rule_id, rule.text.format(**facts), rule.fix.format(**facts), rule.severity == "blocker")
            for facts in check(subject, scheme)
        ]
    return tuple(found)


def _missing(columns: tuple[str | None, ...], scheme: Scheme) -> list[str]:
    return [c for c in scheme.columns if c not in columns]


def _names(columns: tuple[str | None, ...] | list[str]) -> str:
    return ", ".join(c or "(expression)" for c in columns)


def _index_facts(index: Index, scheme: Scheme) -> Facts:
    missing = _missing(index.columns, scheme)
    return {
        "name": index.constraint or index.name,
        "what": "constraint" if index.constraint else "index",
        "columns": _names(index.columns),
        "missing": _names(missing),
        "extended": _names([*(c for c in index.columns if c), *missing]),
    }


def _primary_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for index in subject.unique_indexes:
        if index.primary and _missing(index.columns, scheme):
            yield _index_facts(index, scheme)


def _unique(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for index in subject.unique_indexes:
        if not index.primary and None not in index.columns and _missing(index.columns, scheme):
            yield _index_facts(index, scheme)


def _unique_expression(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for index in subject.unique_indexes:
        if None in index.columns and _missing(index.columns, scheme):
            yield _index_facts(index, scheme)


def _exclusion(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for constraint in subject.exclusions:
        yield {"name": constraint.name}


def _exclusion_lacks_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for constraint in subject.exclusions:
        missing = [c for c in scheme.columns if not _excludes_by_equality(constraint.definition, c)]
        if missing:
            yield {"name": constraint.name, "missing": _names(missing)}


def _excludes_by_equality(definition: str, column: str) -> bool:
    spelled = (f"{column} WITH =", f'"{column}" WITH =')
    return any(f"{start}{s}" in definition for s in spelled for start in ("(", " "))


def _inbound_foreign_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for key in subject.relation.referenced_by:
        missing = _missing(key.referenced_columns, scheme)
        if missing:
            yield {
                "name": key.name,
                "table": key.table or "another table",
                "columns": _names(key.referenced_columns),
                "missing": _names(missing),
                "extended": _names([*key.referenced_columns, *missing]),
            }


def _any_inbound_foreign_key(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for key in subject.relation.referenced_by:
        yield {"name": key.name, "table": key.table or "another table"}


def _columns(subject: Subject, scheme: Scheme, *, hashed: bool) -> Iterator[Column]:
    """Key columns of the hash levels, or of the others."""
    for level in scheme.levels:
        if hashed != isinstance(level, RangeLevel | ListLevel):
            yield from (subject.column(c) for c in level.columns)


def _no_hash_class(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=True):
        if not has_class(column.base_type, "hash"):
            yield {"column": column.name, "type": column.type}


def _no_btree_class(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=False):
        if not has_class(column.base_type, "btree"):
            yield {"column": column.name, "type": column.type}


def _generated(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for name in scheme.columns:
        if subject.column(name).generated:
            yield {"column": name}


def _range_columns(subject: Subject, scheme: Scheme) -> Iterator[Column]:
    for level in scheme.levels:
        if isinstance(level, RangeLevel):
            yield from (subject.column(c) for c in level.columns)


def _null_range_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _range_columns(subject, scheme):
        nulls = column.statistics.null_fraction if column.statistics else 0.0
        if not column.not_null and nulls > 0:
            yield {"column": column.name, "share": f"{100 * nulls:.1f} %"}


def _nullable_range_key(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _range_columns(subject, scheme):
        if not column.not_null and not (column.statistics and column.statistics.null_fraction > 0):
            yield {"column": column.name}


def _list_of_columns(_: Subject, scheme: Scheme) -> Iterator[Facts]:
    for level in scheme.levels:
        if isinstance(level, ListLevel) and len(level.columns) > 1:
            yield {"count": str(len(level.columns))}


def _nondeterministic(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=True):
        if not column.collation_deterministic:
            yield {"column": column.name}


def _user_type(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for column in _columns(subject, scheme, hashed=True):
        name = base_name(column.base_type)
        built_in = name.endswith(_BUILT_IN_UNROUTABLE) or name in {"jsonb", "record", "aclitem"}
        if not is_hashable(column.base_type) and has_class(column.base_type, "hash") and not built_in:
            yield {"column": column.name}


def _not_a_table(subject: Subject, _: Scheme) -> Iterator[Facts]:
    if subject.relation.kind in _KINDS:
        yield {"table": subject.name, "kind": _KINDS[subject.relation.kind]}


def _temporary(subject: Subject, _: Scheme) -> Iterator[Facts]:
    if subject.relation.persistence == "temporary":
        yield {"table": subject.name}


def _inheritance(subject: Subject, _: Scheme) -> Iterator[Facts]:
    relation = subject.relation
    partitioned = relation.kind == "partitioned_table" or relation.parent is not None
    if not partitioned and (relation.has_inheritance_children or relation.inheritance_parents):
        yield {"table": subject.name}


def _extension_member(subject: Subject, _: Scheme) -> Iterator[Facts]:
    if subject.relation.extension:
        yield {"table": subject.name, "extension": subject.relation.extension}


def _old_server(_: Subject, __: Scheme) -> Iterator[Facts]:
    yield {}


def _transition_tables(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for trigger in subject.relation.triggers:
        if trigger.row and trigger.transition_tables:
            yield {"name": trigger.name}


def _before_trigger(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for trigger in subject.relation.triggers:
        if trigger.row and trigger.timing == "before":
            yield {"name": trigger.name, "key": _names(list(scheme.columns))}


def _unlogged(subject: Subject, _: Scheme) -> Iterator[Facts]:
    if subject.relation.persistence == "unlogged":
        yield {"table": subject.name}


def _rewrite_rules(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for rule in subject.relation.rules:
        yield {"name": rule.name, "table": subject.name}


def _publication(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for publication in subject.relation.publications:
        yield {"name": publication.name}


def _conflict_columns(subject: Subject, constraint: str | None, columns: tuple[str, ...] | None) -> tuple[str, ...]:
    """The columns an ON CONFLICT clause names, also through its constraint; empty for none."""
    if columns:
        return columns
    for index in subject.unique_indexes:
        if constraint and constraint in (index.constraint, index.name):
            return tuple(c for c in index.columns if c)
    return ()


def _on_conflict(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for use, access in subject.inserts:
        columns = _conflict_columns(subject, access.conflict_constraint, access.conflict_columns)
        missing = _missing(columns, scheme)
        if columns and missing:
            yield {
                "query": use.name,
                "columns": _names(list(columns)),
                "missing": _names(missing),
                "extended": _names([*columns, *missing]),
            }


def _key_updates(subject: Subject, scheme: Scheme) -> Iterator[tuple[Facts, bool]]:
    """Updates of key columns, and whether they are frequent against the inserts."""
    inserts = sum(use.weight for use, _ in subject.inserts)
    limit = float(knowledge.load("advice.toml")["frequent_update_share"])
    for use in subject.uses:
        for access in use.accesses:
            if access.role not in ("update", "merge"):
                continue
            for column in access.set_columns:
                if column in scheme.columns:
                    calls = use.family.calls_per_second
                    rate = f"{use.family.calls:,.0f} times" if calls is None else f"{calls:,.1f} times a second"
                    yield {"query": use.name, "column": column, "rate": rate}, use.weight > limit * inserts


def _key_updated_often(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    yield from (facts for facts, frequent in _key_updates(subject, scheme) if frequent)


def _key_updated(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    yield from (facts for facts, frequent in _key_updates(subject, scheme) if not frequent)


def _returning_system_columns(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for use, access in subject.inserts:
        failing = [c for c in access.returning_system_columns if c in ("xmin", "xmax", "cmin", "cmax")]
        if failing:
            yield {"query": use.name, "columns": _names(failing)}


def _upsert_moves_row(subject: Subject, scheme: Scheme) -> Iterator[Facts]:
    for use, access in subject.inserts:
        if access.conflict_action == "update":
            same = _conflict_columns(subject, access.conflict_constraint, access.conflict_columns)
            moved = [c for c in access.set_columns if c in scheme.columns and c not in same]
            yield from ({"query": use.name, "column": c} for c in moved)


_CHECKS: dict[str, Check] = {
    "PF101": _primary_key,
    "PF102": _unique,
    "PF103": _unique_expression,
    "PF104": _exclusion,
    "PF105": _exclusion_lacks_key,
    "PF106": _inbound_foreign_key,
    "PF107": _any_inbound_foreign_key,
    "PF201": _no_hash_class,
    "PF202": _no_btree_class,
    "PF203": _generated,
    "PF204": _null_range_key,
    "PF205": _nullable_range_key,
    "PF206": _list_of_columns,
    "PF207": _nondeterministic,
    "PF208": _user_type,
    "PF301": _not_a_table,
    "PF302": _temporary,
    "PF303": _inheritance,
    "PF304": _extension_member,
    "PF305": _old_server,
    "PF306": _transition_tables,
    "PF307": _before_trigger,
    "PF308": _before_trigger,
    "PF309": _unlogged,
    "PF310": _rewrite_rules,
    "PF311": _publication,
    "PF401": _on_conflict,
    "PF402": _key_updated_often,
    "PF403": _key_updated,
    "PF404": _returning_system_columns,
    "PF405": _upsert_moves_row,
}
