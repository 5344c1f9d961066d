"""Makes the catalog's own definition texts apply to another table, without parsing or re-printing SQL.

Only the head of ``pg_get_indexdef`` names the table, in a fixed form; everything after it stays as it is.
"""

from __future__ import annotations

import re

from partadvisor.model.catalog import Index
from partadvisor.model.errors import UsageError
from partadvisor.pg.quote import quote_ident

_NAME = r'(?:"(?:[^"]|"")+"|[^\s".]+)'
_INDEX = re.compile(
    rf"CREATE (?P<unique>UNIQUE )?INDEX {_NAME} ON (?:ONLY )?{_NAME}(?:\.{_NAME})? (?P<rest>USING .*)", re.DOTALL
)
_STORAGE = re.compile(r" WITH \([^()]*\)$")


def index_on(index: Index, table: str) -> str:
    """``CREATE INDEX`` of the same name and definition on ``table`` (quoted).

    Raises:
        UsageError: the snapshot's definition has an unknown form.
    """
    return f"CREATE {_head(index)['unique'] or ''}INDEX {quote_ident(index.name)} ON {table} {index_body(index)}"


def index_body(index: Index) -> str:
    """What follows the table's name: method, columns, options, tablespace, predicate.

    Raises:
        UsageError: the snapshot's definition has an unknown form.
    """
    rest = _head(index)["rest"]
    return _with_tablespace(rest, f" TABLESPACE {quote_ident(index.tablespace)}") if index.tablespace else rest


def _with_tablespace(rest: str, tablespace: str) -> str:
    """A partial index's predicate comes last; the server prints no tablespace itself."""
    body, where, predicate = rest.partition(" WHERE (")
    return f"{body}{tablespace}{where}{predicate}"


def _head(index: Index) -> re.Match[str]:
    found = _INDEX.fullmatch(index.definition)
    if not found:
        raise UsageError(f'the definition of index "{index.name}" cannot be understood', detail=index.definition)
    return found


def index_storage(index: Index) -> str:
    """`` WITH (…)`` and `` USING INDEX TABLESPACE`` of a constraint's index, or nothing."""
    found = _STORAGE.search(_head(index)["rest"])
    tablespace = f" USING INDEX TABLESPACE {quote_ident(index.tablespace)}" if index.tablespace else ""
    return (found[0] if found else "") + tablespace
