"""From values to partitions: the column hashes, their combination, and the remainder.

Follows ``compute_partition_hash_value`` (partbounds.c): a row's hash starts at 0, takes in every key column that is not
NULL, and the partition is the one whose remainder it has for its modulus.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from partadvisor.model.errors import UsageError
from partadvisor.pg.hashing import bytestrings, numbers, times
from partadvisor.pg.hashing.mixing import I64, U64
from partadvisor.pg.hashing.types import InvalidKeyValue, check_hashable

Mask = NDArray[np.bool_]
HashedColumn = tuple[U64, Mask]
"""The hash of each value of a column, and where the value is NULL (the hash is then 0 and means nothing)."""

_COMBINE = 0x49A0F4DD15E5A8E3
_MAX_MODULUS = 2**31 - 1

_HASHERS: dict[str, Callable[[Sequence[str]], U64]] = {
    **dict.fromkeys(("int2", "int4", "int8"), numbers.hash_integers),
    **dict.fromkeys(("oid", "xid", "cid"), numbers.hash_unsigned),
    "xid8": numbers.hash_wide_unsigned,
    "pg_lsn": numbers.hash_log_positions,
    "bool": numbers.hash_booleans,
    "numeric": numbers.hash_numerics,
    "float4": numbers.hash_singles,
    "float8": numbers.hash_doubles,
    "date": times.hash_dates,
    "time": times.hash_times,
    "timetz": times.hash_zoned_times,
    "timestamp": times.hash_stamps,
    "timestamptz": times.hash_zoned_stamps,
    "interval": times.hash_intervals,
    "bytea": bytestrings.hash_byteas,
    "uuid": bytestrings.hash_uuids,
    **dict.fromkeys(("inet", "cidr"), bytestrings.hash_networks),
    "macaddr": bytestrings.hash_macaddrs,
    "macaddr8": bytestrings.hash_macaddrs8,
    "char": bytestrings.hash_single_bytes,
    "tid": bytestrings.hash_tids,
    "oidvector": bytestrings.hash_oidvectors,
}

_TEXT_HASHERS: dict[str, Callable[[Sequence[str], str], U64]] = {
    **dict.fromkeys(("text", "varchar", "name"), bytestrings.hash_text),
    "bpchar": bytestrings.hash_blank_padded,
}


def hash_values(
    type_name: str, values: Sequence[str | None], *, encoding: str = "UTF8", deterministic: bool = True
) -> HashedColumn:
    """The partition hash of each value: the hash operator class's second support function with the partition seed.

    Args:
        type_name: as ``format_type`` or ``typname`` prints it; of a domain, its base type.
        values: text output of the type (ISO dates, postgres intervals, hexadecimal bytea), None for NULL.
        encoding: of the database; concerns text types only.
        deterministic: whether the column's collation is.

    Raises:
        UnroutableType: when the type's hash cannot be computed here.
        InvalidKeyValue: when a value is not text output of the type.
    """
    name = check_hashable(type_name, deterministic=deterministic)
    hasher = _hasher(name, encoding)
    nulls = np.fromiter((v is None for v in values), np.bool_, len(values))
    present = [v for v in values if v is not None]
    try:
        present_hashes = hasher(present)
    except _MALFORMED as error:
        bad = _first_malformed(hasher, present)
        raise InvalidKeyValue(f'"{bad}" is not a value of type {type_name} as the server prints it') from error
    hashes = np.zeros(len(values), dtype=np.uint64)
    hashes[~nulls] = present_hashes
    return hashes, nulls


def combine(columns: Sequence[HashedColumn]) -> U64:
    """The hash of each row over its key columns, in key order."""
    rows = np.zeros(_common_length([hashes for hashes, _ in columns]), dtype=np.uint64)
    for hashes, nulls in columns:
        mixed = rows ^ (hashes + _COMBINE + (rows << 54) + (rows >> 7))
        rows = np.where(nulls, rows, mixed)
    return rows


def combine_hashes(columns: Sequence[Sequence[str | int | None]]) -> U64:
    """The hash of each row from stored column hashes (see ``from_stored``), None for NULL."""
    return combine([from_stored(column) for column in columns])


def route(columns: Sequence[HashedColumn], modulus: int) -> I64:
    """The remainder of each row, 0 to modulus - 1."""
    if not 1 <= modulus <= _MAX_MODULUS:
        raise UsageError(f"modulus {modulus} is not between 1 and {_MAX_MODULUS}")
    return (combine(columns) % np.uint64(modulus)).astype(np.int64)


def route_hash(
    type_names: Sequence[str],
    columns: Sequence[Sequence[str | None]],
    modulus: int,
    *,
    encoding: str = "UTF8",
) -> I64:
    """The remainder of each row of a hash partitioned table whose key has these types, 0 to modulus - 1.

    ``columns`` holds the values of each key column, in key order. An all-NULL key has remainder 0.

    Raises:
        UnroutableType, InvalidKeyValue: as ``hash_values``.
        UsageError: for a modulus no table can have, or columns of different lengths.
    """
    hashed = [hash_values(t, c, encoding=encoding) for t, c in zip(type_names, columns, strict=True)]
    return route(hashed, modulus)


def to_stored(column: HashedColumn) -> list[str | None]:
    """A column's hashes as redacted snapshots keep them: unsigned decimal text, None for NULL."""
    hashes, nulls = column
    return [None if null else str(h) for h, null in zip(hashes.tolist(), nulls.tolist(), strict=True)]


def from_stored(values: Sequence[str | int | None]) -> HashedColumn:
    """A column from stored hashes; negative ones, as the server's bigint prints them, count as the same bits."""
    nulls = np.fromiter((v is None for v in values), np.bool_, len(values))
    return np.array([int(v or 0) % 2**64 for v in values], dtype=np.uint64), nulls


_MALFORMED = (ValueError, KeyError, ArithmeticError)


def _hasher(name: str, encoding: str) -> Callable[[Sequence[str]], U64]:
    if name not in _TEXT_HASHERS:
        return _HASHERS[name]
    hash_text, codec = _TEXT_HASHERS[name], bytestrings.codec_of(encoding)
    return lambda values: hash_text(values, codec)


def _first_malformed(hasher: Callable[[Sequence[str]], U64], values: Sequence[str]) -> str:
    """The first value the hasher refuses, by halving."""
    while len(values) > 1:
        head, tail = values[: len(values) // 2], values[len(values) // 2 :]
        try:
            hasher(head)
        except _MALFORMED:
            values = head
        else:
            values = tail
    return values[0]


def _common_length(arrays: Sequence[U64]) -> int:
    lengths = {len(a) for a in arrays}
    if len(lengths) != 1:
        raise UsageError(f"key columns hold different numbers of values: {sorted(lengths)}")
    return lengths.pop()
