"""Takes the values out of a snapshot and leaves what the advice is made of.

Goes: comments, literals in statement texts (they become parameters), logged parameters, literals in defaults, CHECK
constraints, partial index predicates, policies, triggers, rules and views (they become NULL), bodies of functions,
histograms.
Becomes its partition hash: most common values and recent rows, the latter with the rank of each value in its column.
A type whose hash only its server can compute (enum, for one) is hashed over its text instead: equal values stay equal.
Stays: names of everything, types, bounds of partitions, index expressions, numbers of rows, bytes, waits and calls,
settings, roles, grants.

A hash hides a value only as well as the value is hard to guess: who knows that a column holds ids from 1 to 50 can
tell which is which. Do not publish a redacted snapshot; it is for showing to somebody who may not see the data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

import msgspec

from partadvisor.model.activity import RecentRows, StatementDelta
from partadvisor.model.catalog import Column, ColumnStatistics, Constraint, Index, Policy, Relation
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.hashing.types import UnroutableType
from partadvisor.sql.lex import Token, tokens

_TYPES_WITH_MODIFIER = {
    "numeric", "decimal", "varchar", "char", "character", "varying", "bpchar", "bit", "varbit", "time", "timestamp",
    "timetz", "timestamptz", "interval", "float", "second",
}  # fmt: skip
_NUMERIC = {"smallint", "integer", "bigint", "numeric", "real", "double precision", "oid"}
_RESTRICTING = ("check", "exclusion")

Record = TypeVar("Record", bound=msgspec.Struct)


def redact(snapshot: Snapshot) -> Snapshot:
    """The snapshot without values; a redacted one comes back as it is."""
    if snapshot.redacted:
        return snapshot
    encoding = snapshot.server.encoding
    return msgspec.structs.replace(
        snapshot,
        relations=tuple(_relation(r, encoding) for r in snapshot.relations),
        statements=tuple(
            msgspec.structs.replace(s, entries=tuple(_statement(e) for e in s.entries)) for s in snapshot.statements
        ),
        recent_rows=tuple(_rows(r, snapshot.relation(r.table), encoding) for r in snapshot.recent_rows),
        redacted=True,
    )


def parameters_for_literals(statement: str) -> str:
    """A statement text with its literals replaced by parameters that are not yet used, and without comments."""
    used = [int(p) for p in re.findall(r"\$(\d+)", statement)]
    number = max(used, default=0)
    parts = []
    for token, text in _significant(statement):
        if _is_literal(token):
            number += 1
            parts.append(f"${number}")
        else:
            parts.append(text)
    return "".join(parts).strip()


def nulls_for_literals(definition: str | None) -> str | None:
    """A definition with its literals replaced by NULL, which is a value of every type; names of sequences stay."""
    if definition is None:
        return None
    kept = list(_significant(definition))
    parts = []
    for place, (token, text) in enumerate(kept):
        names_object = "".join(t for _, t in kept[place + 1 : place + 4]).startswith("::reg")
        parts.append("NULL" if _is_literal(token) and not names_object else text)
    return "".join(parts)


def _significant(text: str) -> Sequence[tuple[Token, str]]:
    """Tokens without comments; a number that is part of a type (``numeric(10,2)``) counts as a word."""
    found: list[tuple[Token, str]] = []
    type_depth = 0
    for token in tokens(text):
        written = text[token.start : token.end]
        if token.kind == "comment":
            found.append((token._replace(kind="space"), " "))
            continue
        if written == "(" and (type_depth or (found and found[-1][1].lower() in _TYPES_WITH_MODIFIER)):
            type_depth += 1
        elif written == ")" and type_depth:
            type_depth -= 1
        if token.kind == "number" and type_depth:
            token = token._replace(kind="word")
        found.append((token, written))
    return found


def _is_literal(token: Token) -> bool:
    return token.kind in ("string", "number")


def _statement(entry: StatementDelta) -> StatementDelta:
    return msgspec.structs.replace(entry, text=parameters_for_literals(entry.text), parameters=())


def _relation(relation: Relation, encoding: str) -> Relation:
    masked = nulls_for_literals
    return msgspec.structs.replace(
        relation,
        comment=None,
        columns=tuple(_column(c, encoding) for c in relation.columns),
        constraints=tuple(_constraint(c) for c in relation.constraints),
        referenced_by=tuple(_constraint(c) for c in relation.referenced_by),
        indexes=tuple(_index(i) for i in relation.indexes),
        triggers=tuple(_replace(t, comment=None, definition=masked(t.definition)) for t in relation.triggers),
        rules=tuple(_replace(r, definition=masked(r.definition)) for r in relation.rules),
        policies=tuple(_policy(p) for p in relation.policies),
        dependents=tuple(
            _replace(d, definition=None if d.kind == "function" else masked(d.definition)) for d in relation.dependents
        ),
        extended_statistics=tuple(_replace(x, comment=None) for x in relation.extended_statistics),
        publications=tuple(_replace(p, row_filter=masked(p.row_filter)) for p in relation.publications),
    )


def _replace(record: Record, **fields: Any) -> Record:
    return msgspec.structs.replace(record, **fields)


def _constraint(constraint: Constraint) -> Constraint:
    definition = constraint.definition
    if constraint.kind in _RESTRICTING:
        definition = nulls_for_literals(definition) or ""
    return msgspec.structs.replace(constraint, comment=None, definition=definition)


def _policy(policy: Policy) -> Policy:
    return msgspec.structs.replace(
        policy, comment=None, using=nulls_for_literals(policy.using), check=nulls_for_literals(policy.check)
    )


def _index(index: Index) -> Index:
    """Only the predicate: storage options and expressions of an index are its structure."""
    head, where, predicate = index.definition.rpartition(" WHERE ")
    definition = head + where + (nulls_for_literals(predicate) or "") if index.predicate and where else index.definition
    return msgspec.structs.replace(
        index, comment=None, definition=definition, predicate=nulls_for_literals(index.predicate)
    )


def _column(column: Column, encoding: str) -> Column:
    return msgspec.structs.replace(
        column,
        comment=None,
        default=nulls_for_literals(column.default),
        statistics=_statistics(column, encoding) if column.statistics else None,
    )


def _statistics(column: Column, encoding: str) -> ColumnStatistics:
    statistics = column.statistics or ColumnStatistics()
    hashes = _hashes(column, [value for value, _ in statistics.most_common], encoding)
    shares = [share for _, share in statistics.most_common]
    return msgspec.structs.replace(
        statistics,
        most_common=tuple((str(h), share) for h, share in zip(hashes, shares, strict=True)),
        histogram=(),
        values_hashed=True,
    )


def _hashes(column: Column | None, values: Sequence[str | None], encoding: str) -> list[str | None]:
    """Partition hash of each value as decimal text, None for NULL."""
    from partadvisor.pg.hashing.routing import hash_values, to_stored

    try:
        type_name = column.base_type if column else ""
        deterministic = column.collation_deterministic if column else True
        return to_stored(hash_values(type_name, values, encoding=encoding, deterministic=deterministic))
    except UnroutableType:
        return [None if v is None else str(_text_hash(v)) for v in values]


def _text_hash(value: str) -> int:
    return int.from_bytes(hashlib.sha256(value.encode()).digest()[:8], "big")


def _rows(recent: RecentRows, relation: Relation | None, encoding: str) -> RecentRows:
    columns = [relation.column(name) if relation else None for name in recent.columns]
    values = [[row[i] for row in recent.rows] for i in range(len(columns))]
    hashed = [_hashes(column, v, encoding) for column, v in zip(columns, values, strict=True)]
    return msgspec.structs.replace(
        recent,
        rows=tuple(zip(*hashed, strict=True)) if recent.rows else (),
        ranks=tuple(_ranks(column, v) for column, v in zip(columns, values, strict=True)),
        values_hashed=True,
    )


def _ranks(column: Column | None, values: Sequence[str | None]) -> tuple[int | None, ...]:
    """Place of each value among the distinct ones, from 0, in the order of numbers or of the printed text."""
    numeric = column is not None and column.base_type in _NUMERIC
    distinct = sorted({v for v in values if v is not None}, key=_number if numeric else _text)
    rank = {value: place for place, value in enumerate(distinct)}
    return tuple(None if v is None else rank[v] for v in values)


def _number(value: str) -> tuple[bool, Decimal]:
    """NaN sorts last, as on the server."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return True, Decimal(0)
    return number.is_nan(), Decimal(0) if number.is_nan() else number


def _text(value: str) -> str:
    return value
