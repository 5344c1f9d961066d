"""What to do about a verdict, in sentences filled with the server's own numbers.

The sentences are data (``rules/remedies.toml``). One that needs a number the snapshot does not have is left out:
advice is never about somebody else's server.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

from partadvisor.advise.evidence import Evidence
from partadvisor.advise.facts import conditions, numbers
from partadvisor.model.diagnosis import GainLimit, Verdict
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg import knowledge


def remedies(snapshot: Snapshot, evidence: Evidence, verdict: Verdict, limit: GainLimit | None) -> tuple[str, ...]:
    """Sentences for this verdict that this snapshot can fill, in the order of the data."""
    known, facts = numbers(snapshot, evidence, limit), conditions(snapshot, evidence)
    items: list[dict[str, Any]] = knowledge.load("remedies.toml").get(verdict, [])
    return tuple(i["text"].format_map(known) for i in items if _applies(i, facts) and names(i["text"]) <= known.keys())


def names(text: str) -> set[str]:
    """Names in braces of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _applies(item: Mapping[str, Any], facts: Mapping[str, bool | None]) -> bool:
    required = all(facts[name] is True for name in item.get("when", ()))
    return required and all(facts[name] is False for name in item.get("unless", ()))
