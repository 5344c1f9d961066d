"""A statement as a server can be asked to plan it.

Drivers' placeholders become parameters; ``interval $1``, which pg_stat_statements prints and no server takes, becomes a
cast.
"""

from __future__ import annotations

import re

from partadvisor.sql.lex import tokens
from partadvisor.sql.parse import reads_as

_TYPES = "interval|date|timestamp|timestamptz|time|timetz|numeric|decimal|inet|cidr|uuid|json|jsonb|point|bytea"
_TYPED = re.compile(
    rf"\b(?P<type>(?:{_TYPES})(?:\s*\(\s*\d+\s*\))?(?:\s+(?:with|without)\s+time\s+zone)?|double\s+precision)"
    r"\s+(?P<parameter>\$\d+)(?P<fields>(?:\s+(?:year|month|day|hour|minute|second))(?:\s+to\s+(?:month|hour|minute|second))?)?",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\b(?P<what>limit|offset|first|next)\s+(?P<parameter>\$\d+)", re.IGNORECASE)


def server_text(text: str) -> str:
    """The text with ``$n`` for placeholders and ``CAST($n AS type)`` for typed ones; otherwise as it was written."""
    read = reads_as(text)
    masked = _masked(read)
    parts: list[str] = []
    at = 0
    for found in _TYPED.finditer(masked):
        fields = found["fields"] or ""
        parts += [read[at : found.start()], f"CAST({found['parameter']} AS {found['type']}{fields})"]
        at = found.end()
    return "".join([*parts, read[at:]]).strip().rstrip(";")


def counted_parameters(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The parameters that say how many rows are wanted, and those that say how many are skipped."""
    limits: set[str] = set()
    offsets: set[str] = set()
    for found in _COUNTED.finditer(_masked(text)):
        (offsets if found["what"].lower() == "offset" else limits).add(found["parameter"])
    return frozenset(limits), frozenset(offsets)


def _masked(text: str) -> str:
    """The text with blanks for what stands in quotes and comments, character for character."""
    parts = []
    for token in tokens(text):
        piece = text[token.start : token.end]
        parts.append(" " * len(piece) if token.kind in ("string", "quoted", "comment") else piece)
    return "".join(parts)
