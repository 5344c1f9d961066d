"""Hard feasibility: what the server, or a statement of the workload, would refuse on the partitioned table.

Each check finds the facts for one rule of ``rules/feasibility``; the words come from there. Statements that a key
breaks (``rules/compatibility``) stand in its way as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from partadvisor.advise.checks import keys, relations, types
from partadvisor.advise.checks.common import Check
from partadvisor.advise.compatibility import statement_findings
from partadvisor.advise.rulebook import feasibility_rules
from partadvisor.advise.subject import Subject
from partadvisor.model.advice import Blocker
from partadvisor.model.scheme import Scheme

CHECKS: dict[str, Check] = {**keys.CHECKS, **types.CHECKS, **relations.CHECKS}
"""The check of each rule, in the order of the rules."""


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
    """Everything in the way of ``scheme``, in the order of the rules; of statements only what blocks."""
    found: list[Obstacle] = []
    for rule_id, check in CHECKS.items():
        rule = feasibility_rules()[rule_id]
        if not rule.applies_to(subject.major):
            continue
        found += [
            Obstacle(rule_id, rule.text.format(**facts), rule.fix.format(**facts), rule.severity == "blocker")
            for facts in check(subject, scheme)
        ]
    found += [Obstacle(f.rule, f.text, f.remedy, True) for f in statement_findings(subject, scheme) if f.blocks]
    return tuple(found)
