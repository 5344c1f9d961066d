"""Every failure a user can meet, in PostgreSQL's shape: a primary line, a detail, a hint.

The exit codes are part of the command-line contract: 1 a check failed, 2 wrong usage or unreadable
input, 3 the server is unreachable, refused us or went away, 4 stopped half-way with the state kept.
"""

from __future__ import annotations


class PartadvisorError(Exception):
    """A failure to be shown without a traceback.

    Args:
        message: primary line, lower case, without a period, naming the object.
        detail: one or more sentences with what was found.
        hint: a sentence with what to type or do next.
    """

    exit_code = 2

    def __init__(self, message: str, *, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint


class UsageError(PartadvisorError):
    """Wrong usage, or an input that cannot be read."""


class CheckFailed(PartadvisorError):
    """A verification found a difference, or findings are at or above the asked level."""

    exit_code = 1


class ServerError(PartadvisorError):
    """The server is unreachable, refused the connection or went away."""

    exit_code = 3


class Stopped(PartadvisorError):
    """Work stopped half-way; the state is kept and the same command resumes it."""

    exit_code = 4
