"""Bounds of range partitions by calendar interval or number step, from the smallest to beyond the largest known value.

The known values are the histogram's ends: rows outside fall into the DEFAULT partition, never into an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from partadvisor.model.catalog import Column
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import Interval, RangeLevel

AHEAD = 4
"""Intervals made beyond the newest known value: time to set up the upkeep."""
_MAX_BOUNDS = 1000
_TIME = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?: (\d{2}):(\d{2}))?")
_INTEGERS = ("smallint", "integer", "bigint", "numeric")


def calendar_bounds(level: RangeLevel, column: Column, table: str) -> Iterator[tuple[str, str, str]]:
    """Label, lower and upper bound (text values, upper excluded) of each partition.

    Raises:
        UsageError: nothing is known of the column's values, or there would be far too many partitions.
    """
    low, high = _known_range(column, table)
    bounds = _steps(level.step, low, high) if level.step else _intervals(level.interval or "month", column, low, high)
    for number, bound in enumerate(bounds):
        if number > _MAX_BOUNDS:
            raise UsageError(
                f'the scheme makes more than {_MAX_BOUNDS} range partitions of table "{table}"',
                detail=f'Column "{column.name}" goes from {low} to {high}.',
                hint="Choose a longer interval or step.",
            )
        yield bound


def _known_range(column: Column, table: str) -> tuple[str, str]:
    statistics = column.statistics
    values = [] if statistics is None or statistics.values_hashed else list(statistics.histogram)
    if not values and statistics and not statistics.values_hashed:
        values = sorted((value for value, _ in statistics.most_common), key=_order(column))
    finite = [value for value in values if not value.lstrip("-").startswith(("infinity", "NaN"))]
    if not finite:
        raise UsageError(
            f'the range of column "{column.name}" of table "{table}" is not known',
            hint=f"ANALYZE the table and collect again, or give the bounds: range({column.name}) at (…, …).",
        )
    return finite[0], finite[-1]


def _order(column: Column) -> type[str] | type[float]:
    return float if column.base_type in _INTEGERS else str


def _steps(step: int, low: str, high: str) -> Iterator[tuple[str, str, str]]:
    start = int(float(low)) // step * step
    while start <= int(float(high)) + AHEAD * step:
        yield str(start).replace("-", "m"), str(start), str(start + step)
        start += step


def _intervals(interval: Interval, column: Column, low: str, high: str) -> Iterator[tuple[str, str, str]]:
    first, last = _moment(low, column), _moment(high, column)
    at = _floor(first, interval)
    beyond = 0
    while beyond <= AHEAD:
        following = _next(at, interval)
        yield at.strftime("%Y%m%d%H" if interval == "hour" else "%Y%m%d"), _text(at, column), _text(following, column)
        beyond += at > last
        at = following


def _moment(value: str, column: Column) -> datetime:
    found = _TIME.match(value)
    if not found or value.endswith("BC"):
        raise UsageError(
            f'column "{column.name}" cannot be partitioned by calendar interval',
            detail=f'Its type is {column.type}, and a value is "{value}".',
        )
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    return datetime(year, month, day, hour, minute)


def _text(at: datetime, column: Column) -> str:
    if column.base_type == "date":
        return at.date().isoformat()
    zone = "+00" if column.base_type == "timestamp with time zone" else ""
    return at.isoformat(sep=" ") + zone


def _floor(at: datetime, interval: Interval) -> datetime:
    day = datetime.combine(at.date(), datetime.min.time())
    if interval == "hour":
        return at.replace(minute=0)
    if interval == "day":
        return day
    if interval == "week":
        return day - timedelta(days=day.weekday())
    month = {"month": at.month, "quarter": (at.month - 1) // 3 * 3 + 1, "year": 1}[interval]
    return day.replace(month=month, day=1)


def _next(at: datetime, interval: Interval) -> datetime:
    if interval in {"hour", "day", "week"}:
        return at + {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}[interval]
    months = {"month": 1, "quarter": 3, "year": 12}[interval]
    count = at.year * 12 + at.month - 1 + months
    return datetime.combine(date(count // 12, count % 12 + 1, 1), datetime.min.time())
