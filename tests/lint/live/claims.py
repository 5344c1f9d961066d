"""Holds what happened against what was claimed; every difference is a line of text."""

from __future__ import annotations

from collections.abc import Iterator

from tests.lint.live.case import Case
from tests.lint.live.sessions import DEADLOCK
from tests.lint.live.trial import Outcome


def differences(case: Case, outcome: Outcome) -> list[str]:
    """Where the server did not do as claimed; empty when the claim is true."""
    return [*_common(case, outcome), *(_bad if case.bad else _good)(case, outcome)]


def _common(case: Case, outcome: Outcome) -> Iterator[str]:
    claim = case.claim
    victim = claim.deadlocks and outcome.error == DEADLOCK  # the server chooses which of the two it is
    if outcome.error != claim.fails and not victim:
        yield f"the script ended with {outcome.error}, claimed {claim.fails}"
    if outcome.deadlocked != claim.deadlocks:
        yield f"deadlock: {outcome.deadlocked}, claimed {claim.deadlocks}"
    for probe in {*outcome.interrupted} | {*claim.interrupts}:
        met = outcome.interrupted.get(probe)
        if met != claim.interrupts.get(probe):
            yield f"in between {probe} fails with {met}, claimed {claim.interrupts.get(probe)}"
    for query in claim.keeps:
        if outcome.answers[query] != outcome.expected[query]:
            yield f"not kept: {query}: {outcome.answers[query]} instead of {outcome.expected[query]}"
    for probe in {*outcome.broken} | {*claim.breaks}:
        if outcome.broken.get(probe) != claim.breaks.get(probe):
            yield f"afterwards {probe} fails with {outcome.broken.get(probe)}, claimed {claim.breaks.get(probe)}"


def _bad(case: Case, outcome: Outcome) -> Iterator[str]:
    claim = case.claim
    for probe in claim.blocks:
        if probe not in outcome.blocked:
            yield f"{probe} is not blocked (those that are: {sorted(outcome.blocked)})"
        elif missing := {*claim.reading} - outcome.blocked[probe]:
            yield f"{probe} does not wait for work on {sorted(missing)}, but on {sorted(outcome.blocked[probe])}"
    for query in claim.loses:
        if outcome.answers[query] == outcome.expected[query]:
            yield f"nothing lost: {query} gives {outcome.answers[query]}"


def _good(case: Case, outcome: Outcome) -> Iterator[str]:
    for probe, work in sorted(outcome.blocked.items()):
        if probe not in case.claim.brief:
            yield f"{probe} is blocked"
        elif work := work - {*case.claim.reading}:
            yield f"{probe} is blocked for as long as the work on {sorted(work)} takes"
