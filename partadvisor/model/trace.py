"""What a script was seen to do on a scratch server, statement by statement. Relations are ``schema.name``."""

from __future__ import annotations

from typing import Literal

from partadvisor.model.base import Value
from partadvisor.model.ddl import LockMode


class TracedLock(Value, frozen=True, kw_only=True):
    """A lock on a relation that was there before the script."""

    relation: str
    mode: LockMode


class LostPrivilege(Value, frozen=True, kw_only=True):
    """``role`` (PUBLIC, or not the owner) no longer has ``privilege`` (``SELECT``) on the relation of that name."""

    relation: str
    privilege: str
    role: str


class Difference(Value, frozen=True, kw_only=True):
    """Where review and server disagree on a relation. Empty modes: none at all."""

    relation: str
    said: tuple[LockMode, ...] = ()
    took: tuple[LockMode, ...] = ()


class TracedStatement(Value, frozen=True, kw_only=True):
    """One statement. ``locks`` are those it took itself, with those that a stronger one covers left out.

    ``outcome`` "failed": the server refused it, ``error`` is its message, and nothing after it in that file was run.
    """

    file: str
    line: int
    text: str
    outcome: Literal["ran", "failed", "skipped"] = "ran"
    error: str = ""
    locks: tuple[TracedLock, ...] = ()
    rewritten: tuple[str, ...] = ()
    scanned: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    lost_privileges: tuple[LostPrivilege, ...] = ()
    differences: tuple[Difference, ...] = ()


class Trace(Value, frozen=True, kw_only=True):
    """The scripts on a scratch server of ``server_version``. ``notes``: what that lacks beside the real one."""

    server_version: str
    statements: tuple[TracedStatement, ...] = ()
    notes: tuple[str, ...] = ()
