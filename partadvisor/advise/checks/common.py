"""What the checks share: the form of a check, and column lists in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from partadvisor.advise.subject import Subject
from partadvisor.model.scheme import Scheme
from partadvisor.pg.readable import readable_ident

Facts = dict[str, str]
Check = Callable[[Subject, Scheme], Iterator[Facts]]
"""Yields, for each time the rule applies, the values its texts need."""


def missing(columns: Sequence[str | None], scheme: Scheme) -> list[str]:
    """Key columns of the scheme that are not among ``columns``."""
    return [c for c in scheme.columns if c not in columns]


def names(columns: Sequence[str | None]) -> str:
    """``a, "B"``, as SQL writes them; an expression in their midst is called so."""
    return ", ".join("(expression)" if c is None else readable_ident(c) for c in columns)
