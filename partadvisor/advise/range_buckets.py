"""Which range partition a value falls into, for bounds that are known from the scheme itself."""

from __future__ import annotations

import bisect
import datetime

from partadvisor.model.scheme import Interval, RangeLevel

_SECONDS_A_DAY = 86_400


def bucket_of(value: str | None, level: RangeLevel) -> int | None:
    """Number of the partition, growing with the value; None for NULL and for what cannot be told."""
    place = _place(value, level)
    return None if place is None else place[0]


def is_lower_bound(value: str, level: RangeLevel) -> bool:
    """Whether a partition begins exactly at the value."""
    place = _place(value, level)
    return place is not None and place[1]


def _place(value: str | None, level: RangeLevel) -> tuple[int, bool] | None:
    """Partition number, and whether the value is its first one."""
    if value is None:
        return None
    if level.interval is not None:
        return _calendar_place(value, level.interval)
    number = as_number(value)
    if level.step:
        return None if number is None else (int(number // level.step), number % level.step == 0)
    if level.at:
        return _given_place(value, number, level.at)
    return None


def _given_place(value: str, number: float | None, at: tuple[str, ...]) -> tuple[int, bool]:
    numbers = [as_number(b) for b in at]
    if number is not None and None not in numbers:
        bounds = [b for b in numbers if b is not None]
        return bisect.bisect_right(bounds, number), number in bounds
    return bisect.bisect_right(list(at), value), value in at


def _calendar_place(value: str, interval: Interval) -> tuple[int, bool] | None:
    try:
        moment = datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
    day = moment.toordinal()
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    month, first_day = moment.year * 12 + moment.month - 1, moment.day == 1
    match interval:
        case "hour":
            return day * 24 + moment.hour, seconds % 3600 == 0
        case "day":
            return day, seconds == 0
        case "week":
            return (day - 1) // 7, (day - 1) % 7 == 0 and seconds == 0
        case "month":
            return month, first_day and seconds == 0
        case "quarter":
            return month // 3, month % 3 == 0 and first_day and seconds == 0
        case "year":
            return moment.year, month % 12 == 0 and first_day and seconds == 0


def as_number(value: str) -> float | None:
    """The value as a number, or None."""
    try:
        return float(value)
    except ValueError:
        return None
