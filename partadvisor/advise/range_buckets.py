"""Which range partition a value falls into, for bounds that are known from the scheme itself."""

from __future__ import annotations

import bisect
import datetime

from partadvisor.model.scheme import RangeLevel

_PREFIX = {"year": 4, "month": 7, "day": 10, "hour": 13}


def bucket_of(value: str | None, level: RangeLevel) -> object:
    """A label equal for values of one partition; None for NULL, the text itself when it cannot be told."""
    if value is None:
        return None
    if level.interval is not None:
        return _calendar_bucket(value, level.interval)
    number = as_number(value)
    if level.step:
        return value if number is None else int(number // level.step)
    if level.at:
        bounds = [as_number(b) for b in level.at]
        if number is not None and None not in bounds:
            return bisect.bisect_right([b for b in bounds if b is not None], number)
        return bisect.bisect_right(list(level.at), value)
    return value


def _calendar_bucket(value: str, interval: str) -> object:
    if interval in _PREFIX:
        return value[: _PREFIX[interval]]
    try:
        day = datetime.date.fromisoformat(value[:10])
    except ValueError:
        return value
    return (day.year, (day.month - 1) // 3) if interval == "quarter" else day.isocalendar()[:2]


def as_number(value: str) -> float | None:
    """The value as a number, or None."""
    try:
        return float(value)
    except ValueError:
        return None
