"""Statements that would fail or act differently on the partitioned table, each with its remedy.

The facts come from the checks, the words from ``rules/compatibility``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partadvisor.advise.checks.common import Facts
from partadvisor.advise.checks.plans import PLAN_CHECKS
from partadvisor.advise.checks.statements import STATEMENT_CHECKS
from partadvisor.advise.rulebook import CompatibilityRule, compatibility_rules
from partadvisor.advise.subject import Subject
from partadvisor.model.advice import Effect, Incompatibility, QueryEffect
from partadvisor.model.scheme import Scheme
from partadvisor.model.workload import QueryFamily

_ORDER: tuple[Effect, ...] = ("fails", "wrong", "retry", "slower", "differs")


def statement_findings(subject: Subject, scheme: Scheme) -> Iterator[Incompatibility]:
    """What statements say about the scheme without a look at their plans, in the order of the rules."""
    for rule_id, check in STATEMENT_CHECKS.items():
        rule = compatibility_rules()[rule_id]
        if rule.applies_to(subject.major):
            for family, facts in check(subject, scheme):
                yield _finding(rule, family, facts)


def incompatibilities(subject: Subject, scheme: Scheme, effects: Sequence[QueryEffect]) -> tuple[Incompatibility, ...]:
    """Everything to look at before the change: what fails first, then by calls.

    Args:
        subject: the table.
        scheme: a candidate.
        effects: what is predicted for each of the table's queries under it, in any order.
    """
    found = [*statement_findings(subject, scheme), *_plan_findings(subject, scheme, effects)]
    found.sort(
        key=lambda f: (not f.blocks, not f.change_first, _ORDER.index(f.effect), f.rule, -(f.calls_per_second or 0.0))
    )
    return tuple(dict.fromkeys(found))


def _plan_findings(subject: Subject, scheme: Scheme, effects: Sequence[QueryEffect]) -> Iterator[Incompatibility]:
    by_query = {(e.fingerprint, e.name): e for e in effects}
    rules = [r for r in compatibility_rules().values() if r.id in PLAN_CHECKS and r.applies_to(subject.major)]
    for use in subject.uses:
        effect = by_query[use.family.fingerprint, use.name]
        for rule in rules:
            for facts in PLAN_CHECKS[rule.id](subject, scheme, use, effect):
                yield _finding(rule, use.family, facts)


def _finding(rule: CompatibilityRule, family: QueryFamily | None, facts: Facts) -> Incompatibility:
    return Incompatibility(
        rule=rule.id,
        effect=rule.effect,
        statement=facts.get("query", ""),
        fingerprint="" if family is None else family.fingerprint,
        calls_per_second=None if family is None else family.calls_per_second,
        text=rule.text.format(**facts),
        remedy=rule.fix.format(**facts),
        blocks=rule.severity == "blocker",
        change_first=rule.severity != "warning",
    )
