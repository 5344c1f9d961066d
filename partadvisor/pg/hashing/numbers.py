"""Hashes of numbers: integers, identifiers that are integers inside, numeric and floating point.

Values are the server's text output. Each function raises ValueError or OverflowError for text that is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from partadvisor.pg.hashing.mixing import PARTITION_SEED, U64, hash_bytes, hash_int64, hash_uint32

F64 = NDArray[np.float64]

_BOOLEANS = {"t": 1, "f": 0, "true": 1, "false": 0}
_LOWEST_FLOAT4 = 2.0**-126  # smallest normal single-precision number
_NUMERIC = re.compile(r"[+-]?(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d{1,6}))?")
_NUMERIC_SPECIALS = frozenset({"nan", "infinity", "-infinity"})
_MAX_EXPONENT = 200_000  # beyond what numeric can hold, and short enough to write the zeros out


def hash_integers(values: Sequence[str]) -> U64:
    """Int2, int4 and int8. A value too wide for its own type hashes as in the wider one, as pruning does."""
    return hash_int64(np.fromiter(map(int, values), np.int64, len(values)))


def hash_unsigned(values: Sequence[str]) -> U64:
    """Oid, xid and cid: 32 bits without sign."""
    return hash_uint32(np.array(list(map(int, values)), dtype=np.uint32))


def hash_wide_unsigned(values: Sequence[str]) -> U64:
    """Xid8: 64 bits, hashed as if signed."""
    return hash_int64(np.array(list(map(int, values)), dtype=np.uint64).view(np.int64))


def hash_log_positions(values: Sequence[str]) -> U64:
    """Pg_lsn, written as two hexadecimal halves."""
    halves = [v.split("/") for v in values]
    return hash_wide_unsigned([str(int(high, 16) << 32 | int(low, 16)) for high, low in halves])


def hash_booleans(values: Sequence[str]) -> U64:
    """Bool."""
    return hash_uint32(np.fromiter((_BOOLEANS[v] for v in values), np.uint32, len(values)))


def hash_doubles(values: Sequence[str]) -> U64:
    """Float8."""
    return _hash_float_bits(np.fromiter(map(float, values), np.float64, len(values)))


def hash_singles(values: Sequence[str]) -> U64:
    """Float4, which the server widens to float8 first."""
    with np.errstate(over="raise"):
        return _hash_float_bits(_nearest_singles(values).astype(np.float64))


def _hash_float_bits(numbers: F64) -> U64:
    """Zero of either sign hashes to the seed; all NaNs are one."""
    canonical = np.where(np.isnan(numbers), np.nan, numbers).astype("<f8")
    hashes = hash_bytes(canonical.tobytes(), np.full(len(numbers), 8, dtype=np.int64))
    return np.where(numbers == 0, np.uint64(PARTITION_SEED), hashes)


def _nearest_singles(values: Sequence[str]) -> NDArray[np.float32]:
    """Decimal text rounded once to single precision.

    Going through a double rounds twice, which differs where the double falls on the middle between two singles:
    those are moved off the middle to the side of the exact decimal. Subnormals have their middles elsewhere, so
    all of them are treated.
    """
    doubles = np.fromiter(map(float, values), np.float64, len(values))
    middle = (doubles.view(np.uint64) & 0x1FFFFFFF) == 0x10000000
    tiny = (np.abs(doubles) < _LOWEST_FLOAT4) & (doubles != 0)
    for i in np.flatnonzero((middle | tiny) & np.isfinite(doubles)).tolist():
        exact, rounded = Fraction(values[i]), Fraction(float(doubles[i]))
        if exact != rounded:
            doubles[i] = np.nextafter(doubles[i], np.inf if exact > rounded else -np.inf)
    return doubles.astype(np.float32)


def hash_numerics(values: Sequence[str]) -> U64:
    """Numeric: the base-10000 digits without outer zero groups, then the weight; neither scale nor sign counts."""
    hashes = np.full(len(values), PARTITION_SEED, dtype=np.uint64)  # NaN and the infinities
    kept, weights, groups = [], [], []
    for i, value in enumerate(values):
        if value.lower() in _NUMERIC_SPECIALS:
            continue
        digits, weight = _digit_groups(value)
        kept.append(i)
        weights.append(weight)
        groups.append(digits)
    counts = np.fromiter(map(len, groups), np.int64, len(groups)) // 4
    decimals = np.frombuffer("".join(groups).encode("ascii"), np.uint8).reshape(-1, 4) - ord("0")
    words = (decimals.astype(np.int64) @ np.array([1000, 100, 10, 1])).astype("<i2")
    digit_hashes = hash_bytes(words.tobytes(), 2 * counts) ^ np.array(weights, dtype=np.int64).view(np.uint64)
    hashes[kept] = np.where(counts == 0, np.uint64(PARTITION_SEED - 1), digit_hashes)
    return hashes


def _digit_groups(value: str) -> tuple[str, int]:
    """Decimal digits in whole groups of four aligned at the point, outer zero groups removed, and the weight.

    The weight is that of the first group, in powers of 10000. Zero gives no digits.
    """
    whole, fraction = _point_split(value)
    padded = "0" * (-len(whole) % 4) + whole + fraction + "0" * (-len(fraction) % 4)
    stripped = padded.lstrip("0")
    leading = (len(padded) - len(stripped)) // 4
    trailing = (len(padded) - len(padded.rstrip("0"))) // 4
    weight = (len(whole) + 3) // 4 - 1 - leading
    return (padded[4 * leading : len(padded) - 4 * trailing], weight) if stripped else ("", 0)


def _point_split(value: str) -> tuple[str, str]:
    """The digits before and after the point; an exponent is written out."""
    whole, _, fraction = value.removeprefix("-").partition(".")
    if (whole + fraction).isdecimal():  # what the server prints; other forms come from query texts
        return whole, fraction
    match = _NUMERIC.fullmatch(value)
    if match is None:
        raise ValueError(value)
    whole, fraction, bare_fraction, exponent = match.groups()
    whole, fraction = whole or "", fraction or bare_fraction or ""
    shift = int(exponent or 0)
    if abs(shift) > _MAX_EXPONENT:
        raise ValueError(value)
    if shift >= 0:
        fraction = fraction.ljust(shift, "0")
        return whole + fraction[:shift], fraction[shift:]
    whole = whole.rjust(-shift, "0")
    return whole[:shift], whole[shift:] + fraction
