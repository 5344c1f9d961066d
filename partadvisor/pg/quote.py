"""The one place where identifiers and literals become SQL text.

Identifiers are always quoted: no keyword list to keep in step with the server, and nothing that a name could
smuggle in. Needs no libpq, so the pure core can use it; a test compares it with the server's own functions.
"""

from __future__ import annotations

from partadvisor.model.errors import UsageError

MAX_IDENTIFIER_BYTES = 63
"""NAMEDATALEN - 1; longer names are silently cut by the server, so we cut them ourselves, visibly."""


def quote_ident(name: str) -> str:
    """``name`` as a delimited identifier.

    Raises:
        UsageError: the name is empty or holds a NUL character, which no identifier can.
    """
    if not name or "\0" in name:
        raise UsageError(f"invalid identifier {name!r}", detail="Identifiers are not empty and hold no NUL character.")
    return '"' + name.replace('"', '""') + '"'


def quote_qualified(schema: str, name: str) -> str:
    """``"schema"."name"``."""
    return f"{quote_ident(schema)}.{quote_ident(name)}"


def quote_idents(names: tuple[str, ...] | list[str]) -> str:
    """A comma-separated list of quoted identifiers."""
    return ", ".join(quote_ident(n) for n in names)


def quote_literal(value: str | None) -> str:
    """``value`` as a string literal that means the same whatever ``standard_conforming_strings`` is; None is NULL.

    Raises:
        UsageError: the value holds a NUL character, which no text value can.
    """
    if value is None:
        return "NULL"
    if "\0" in value:
        raise UsageError("a text value holds a NUL character", detail="PostgreSQL cannot store it.")
    doubled = value.replace("'", "''")
    if "\\" in doubled:
        return " E'" + doubled.replace("\\", "\\\\") + "'"
    return f"'{doubled}'"


def fit_identifier(base: str, suffix: str) -> str:
    """``base + suffix`` cut inside ``base``, on a character boundary, to the server's 63 bytes."""
    room = MAX_IDENTIFIER_BYTES - len(suffix.encode())
    kept = base.encode()[:room].decode(errors="ignore")
    return kept + suffix
