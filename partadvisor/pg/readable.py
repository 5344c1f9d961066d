"""Names as people write them: quoted only where the server itself would.

For text to read; SQL that we run is quoted by ``pg.quote`` without exception.
"""

from __future__ import annotations

import functools
import re

from partadvisor.pg import knowledge
from partadvisor.pg.quote import quote_ident

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


@functools.cache
def _keywords() -> frozenset[str]:
    return frozenset(knowledge.load("keywords.toml")["words"].split())


def readable_ident(name: str) -> str:
    """``orders``, but ``"Orders"`` and ``"order"``: what ``quote_ident`` of the server gives."""
    return name if _PLAIN.fullmatch(name) and name not in _keywords() else quote_ident(name)


def readable_name(name: str) -> str:
    """The same for ``schema.name``; only the first dot separates."""
    return ".".join(readable_ident(part) for part in name.split(".", 1))
