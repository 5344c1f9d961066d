"""What a review finds, and its JSON form. Lines and columns count from 1, columns in characters."""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value
from partadvisor.model.ddl import LockMode
from partadvisor.model.ddl_parts import Span
from partadvisor.model.trace import Trace

Severity = Literal["error", "warning", "info"]
"""error: an outage, a failure or lost data is to be expected; warning: likely under load; info: good to know."""
Confidence = Literal["high", "medium", "low"]
"""high: follows from the file and the catalog; medium: from the file alone; low: a guess from its shape."""

REVIEW_VERSION = 1


class RelationLock(Value, frozen=True, kw_only=True):
    """A lock that a statement takes. ``name`` is qualified where it could be resolved."""

    name: str
    lock_mode: LockMode


class Edit(Value, frozen=True, kw_only=True):
    """Replace the characters of ``span`` by ``text``."""

    span: Span
    text: str


class Fix(Value, frozen=True, kw_only=True):
    """A repair of the file. ``safe``: the result does the same, and may be applied without asking."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


class Finding(Value, frozen=True, kw_only=True):
    """One finding. ``blocked`` says who waits and ``duration`` for how long, both empty when nobody does.

    ``recipe`` is SQL to do it safely, with the user's names. ``fingerprint`` stays the same when lines move.
    """

    rule: str
    slug: str
    severity: Severity
    confidence: Confidence
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    hint: str = ""
    blocked: str = ""
    duration: str = ""
    recipe: str = ""
    relations: tuple[RelationLock, ...] = ()
    section: str = ""
    fix: Fix | None = None
    fingerprint: str
    url: str


class StatementLock(Value, frozen=True, kw_only=True):
    """A lock of a statement: on which relation, in which role, how strong."""

    relation: str
    role: str
    mode: LockMode


class ReviewedStatement(Value, frozen=True, kw_only=True):
    """A statement that was looked at, with the locks it takes."""

    file: str
    line: int
    text: str
    locks: tuple[StatementLock, ...] = ()


class NotAnalysed(Value, frozen=True, kw_only=True):
    """A piece that could not be looked into."""

    file: str
    line: int
    column: int = 1
    reason: str


class Review(Value, frozen=True, kw_only=True):
    """The result of ``partadvisor review``; ``trace`` with ``--trace``.

    ``suppressed`` counts findings hidden by comments and the baseline.
    """

    schema_version: int = REVIEW_VERSION
    target_versions: tuple[int, ...]
    files: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    statements: tuple[ReviewedStatement, ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()
    suppressed: int = 0
    assumptions: tuple[str, ...] = ()
    trace: Trace | None = None
