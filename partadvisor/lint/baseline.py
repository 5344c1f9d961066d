"""Known findings, by file and fingerprint: a project with old scripts starts clean and only hears of new ones."""

from __future__ import annotations

import msgspec

from partadvisor.model.base import Value
from partadvisor.model.errors import UsageError
from partadvisor.model.finding import Finding

BASELINE_VERSION = 1


class Known(Value, frozen=True, kw_only=True):
    """A finding that is known; ``rule`` and ``message`` are for people who read the file."""

    file: str
    fingerprint: str
    rule: str
    message: str


class Baseline(Value, frozen=True, kw_only=True):
    """The file of ``--baseline``."""

    baseline_version: int = BASELINE_VERSION
    findings: tuple[Known, ...] = ()


def of_findings(findings: tuple[Finding, ...]) -> Baseline:
    """A baseline that knows all of these."""
    known = (Known(file=f.file, fingerprint=f.fingerprint, rule=f.rule, message=f.message) for f in findings)
    return Baseline(findings=tuple(sorted(known, key=lambda k: (k.file, k.rule, k.fingerprint))))


def parsed(data: bytes, name: str) -> Baseline:
    """The baseline of a file's bytes.

    Raises:
        UsageError: it is not one.
    """
    try:
        found = msgspec.json.decode(data, type=Baseline)
    except msgspec.DecodeError as error:
        hint = "Make one with --write-baseline."
        raise UsageError(f'"{name}" is no baseline', detail=f"{error}.", hint=hint) from error
    if found.baseline_version > BASELINE_VERSION:
        raise UsageError(f'"{name}" is a baseline of a newer partadvisor', hint="Upgrade partadvisor.")
    return found


def without_known(findings: tuple[Finding, ...], baseline: Baseline) -> tuple[Finding, ...]:
    """The findings that the baseline does not know."""
    known = {(k.file, k.fingerprint) for k in baseline.findings}
    return tuple(f for f in findings if (f.file, f.fingerprint) not in known)
