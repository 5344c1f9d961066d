"""Which relations can be turned into a partitioned table, and with what."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.advise.checks.common import Check, Facts, names
from partadvisor.advise.subject import Subject
from partadvisor.model.scheme import Scheme

_KINDS = {
    "foreign_table": "foreign table",
    "view": "view",
    "materialized_view": "materialized view",
}


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
            yield {"name": trigger.name, "key": names(list(scheme.columns))}


def _unlogged(subject: Subject, _: Scheme) -> Iterator[Facts]:
    if subject.relation.persistence == "unlogged":
        yield {"table": subject.name}


def _rewrite_rules(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for rule in subject.relation.rules:
        yield {"name": rule.name, "table": subject.name}


def _publication(subject: Subject, _: Scheme) -> Iterator[Facts]:
    for publication in subject.relation.publications:
        yield {"name": publication.name}


CHECKS: dict[str, Check] = {
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
}
