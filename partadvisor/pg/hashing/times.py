"""Hashes of dates, times and intervals.

Values are the server's text output with DateStyle ISO and IntervalStyle postgres. Each function raises ValueError
for text that is not. Inside the server these types are integers: days or microseconds since 2000-01-01.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from partadvisor.pg.hashing.mixing import I64, U64, hash_int64, hash_uint32

_SECOND = 1_000_000  # microseconds
_DAY = 86_400 * _SECOND

# Fields of fixed width stay together in one group: they are taken apart for all values at once.
_DATE_PART = r"(\d{4,7})-((?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))"
_TIME_PART = r"((?:[01]\d|2[0-4]):[0-5]\d:[0-5]\d)(?:\.(\d{1,6}))?"
_ZONE_PART = r"([+-]\d\d(?::\d\d(?::\d\d)?)?)"
_DATE = re.compile(rf"{_DATE_PART}( BC)?")
_TIME = re.compile(_TIME_PART)
_TIME_ZONED = re.compile(_TIME_PART + _ZONE_PART)
_STAMP = re.compile(rf"{_DATE_PART}[ T]{_TIME_PART}( BC)?")
_STAMP_ZONED = re.compile(rf"{_DATE_PART}[ T]{_TIME_PART}{_ZONE_PART}( BC)?")
_INTERVAL = re.compile(
    r"(?=.)(?:([+-]?\d+) years?)? ?(?:([+-]?\d+) mons?)? ?(?:([+-]?\d+) days?)? ?"
    r"(?:([+-]?)(\d{2,10}):([0-5]\d:[0-5]\d)(?:\.(\d{1,6}))?)?"
)

_DATE_ENDS = {"infinity": 2**31 - 1, "-infinity": -(2**31)}
_STAMP_ENDS = {"infinity": 2**63 - 1, "-infinity": -(2**63)}


def _wrapped(value: int) -> int:
    """The low 64 bits as a signed number: the server cuts its 128-bit interval length the same way."""
    return (value + 2**63) % 2**64 - 2**63


def _interval_length(months: int, days: int, microseconds: int) -> int:
    return _wrapped(microseconds + (30 * months + days) * _DAY)


# Since 17: every field at its limit.
_INTERVAL_ENDS = {
    "infinity": _interval_length(2**31 - 1, 2**31 - 1, 2**63 - 1),
    "-infinity": _interval_length(-(2**31), -(2**31), -(2**63)),
}


def hash_dates(values: Sequence[str]) -> U64:
    """Date."""
    return hash_int64(_with_ends(values, _DATE_ENDS, _days))


def hash_stamps(values: Sequence[str]) -> U64:
    """Timestamp without time zone."""
    return hash_int64(_with_ends(values, _STAMP_ENDS, _stamps))


def hash_zoned_stamps(values: Sequence[str]) -> U64:
    """Timestamp with time zone; the text must carry its offset from UTC."""
    return hash_int64(_with_ends(values, _STAMP_ENDS, _zoned_stamps))


def hash_times(values: Sequence[str]) -> U64:
    """Time without time zone."""
    return hash_int64(_clock(*_fields(_TIME, values)))


def hash_zoned_times(values: Sequence[str]) -> U64:
    """Time with time zone: local time and zone are hashed apart, so equal instants may differ."""
    *clock, zone = _fields(_TIME_ZONED, values)
    west = (-_offsets(zone)).astype(np.int32).view(np.uint32)
    return hash_int64(_clock(*clock)) ^ hash_uint32(west)


def hash_intervals(values: Sequence[str]) -> U64:
    """Interval: its length with months of 30 days, so '1 mon' and '30 days' are one."""
    return hash_int64(_with_ends(values, _INTERVAL_ENDS, _interval_lengths))


def _with_ends(values: Sequence[str], ends: dict[str, int], parse: Callable[[Sequence[str]], I64]) -> I64:
    """Parse the finite values; the infinities have fixed numbers."""
    finite = [v for v in values if v not in ends]
    if len(finite) == len(values):
        return parse(values)
    numbers = np.fromiter((ends.get(v, 0) for v in values), np.int64, len(values))
    numbers[[v not in ends for v in values]] = parse(finite)
    return numbers


def _fields(pattern: re.Pattern[str], values: Sequence[str]) -> list[tuple[str, ...]]:
    """One tuple of texts for each group of the pattern, "" where an optional one is absent."""
    rows = []
    for value in values:
        match = pattern.fullmatch(value)
        if match is None:
            raise ValueError(value)
        rows.append(match.groups(""))
    return list(zip(*rows, strict=True)) if rows else [()] * pattern.groups


def _integers(texts: Sequence[str]) -> I64:
    """Numbers of any width; "" is 0."""
    return np.fromiter((int(t or 0) for t in texts), np.int64, len(texts))


def _pairs(texts: Sequence[str], count: int) -> list[I64]:
    """The two-digit numbers of texts like ``12:30:59``, all with ``count`` of them: one array for each place."""
    codes = np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(len(texts), 3 * count - 1)
    digits = codes.astype(np.int64) - ord("0")
    return [10 * digits[:, i] + digits[:, i + 1] for i in range(0, 3 * count, 3)]


def _days(values: Sequence[str]) -> I64:
    return _calendar(*_fields(_DATE, values))


def _stamps(values: Sequence[str]) -> I64:
    years, month_days, clocks, fractions, eras = _fields(_STAMP, values)
    return _calendar(years, month_days, eras) * _DAY + _clock(clocks, fractions)


def _zoned_stamps(values: Sequence[str]) -> I64:
    years, month_days, clocks, fractions, zones, eras = _fields(_STAMP_ZONED, values)
    local = _calendar(years, month_days, eras) * _DAY + _clock(clocks, fractions)
    return local - _offsets(zones) * _SECOND


def _calendar(years: Sequence[str], month_days: Sequence[str], eras: Sequence[str]) -> I64:
    """Days from 2000-01-01 in the proleptic Gregorian calendar; 1 BC is the year 0.

    Years are counted from March, so that the leap day is the last of its year.
    """
    year = _integers(years)
    month, day = _pairs(month_days, 2)
    before_christ = np.fromiter(map(bool, eras), np.bool_, len(eras))
    year = np.where(before_christ, 1 - year, year) - (month <= 2)
    leap_days = year // 4 - year // 100 + year // 400
    since_year_0 = 365 * year + leap_days + (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return since_year_0 - 730_425  # 2000-01-01 by the same count


def _clock(clocks: Sequence[str], fractions: Sequence[str]) -> I64:
    """Microseconds since midnight of ``HH:MM:SS`` and the digits of a fraction."""
    hours, minutes, seconds = _pairs(clocks, 3)
    return ((hours * 60 + minutes) * 60 + seconds) * _SECOND + _microseconds(fractions)


def _microseconds(fractions: Sequence[str]) -> I64:
    return np.fromiter((int(f.ljust(6, "0")) if f else 0 for f in fractions), np.int64, len(fractions))


def _offsets(zones: Sequence[str]) -> I64:
    return np.fromiter(map(_offset, zones), np.int64, len(zones))


@lru_cache(maxsize=256)
def _offset(zone: str) -> int:
    """Seconds east of UTC of ``+HH[:MM[:SS]]``."""
    parts = [int(p) for p in zone[1:].split(":")]
    east = sum(p * unit for p, unit in zip(parts, (3600, 60, 1), strict=False))
    return -east if zone[0] == "-" else east


def _interval_lengths(values: Sequence[str]) -> I64:
    years, months, days, signs, hours, minutes_seconds, fractions = _fields(_INTERVAL, values)
    minutes, seconds = _pairs([t or "00:00" for t in minutes_seconds], 2)
    time = ((_integers(hours) * 60 + minutes) * 60 + seconds) * _SECOND + _microseconds(fractions)
    time = np.where(np.array(signs) == "-", -time, time)
    whole_days = (_integers(years) * 12 + _integers(months)) * 30 + _integers(days)
    return time + whole_days * _DAY  # wraps around at 64 bits as the server's does
