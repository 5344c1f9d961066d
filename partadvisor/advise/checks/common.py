"""What the checks share: the form of a check, and column lists in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from partadvisor.advise.subject import Subject
from partadvisor.model.scheme import Scheme

Facts = dict[str, str]
Check = Callable[[Subject, Scheme], Iterator[Facts]]
"""Yields, for each time the rule applies, the values its texts need."""


def missing(columns: Sequence[str | None], scheme: Scheme) -> list[str]:
    """Key columns of the scheme that are not among ``columns``."""
    return [c for c in scheme.columns if c not in columns]


def names(columns: Sequence[str | None]) -> str:
    """``a, b``; an expression in their midst is called so."""
    return ", ".join(c or "(expression)" for c in columns)
