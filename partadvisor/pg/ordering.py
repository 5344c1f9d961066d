"""Values as keys that sort and compare in Python as they do in PostgreSQL's btree operator classes.

Literals come as a statement writes them, bounds as the catalog prints them: both forms give one key. Types of one
operator family (``int4`` and ``int8``, ``date`` and ``timestamptz``) give keys that compare with each other. A text
without an offset is taken in the session's time zone, which is assumed to be UTC.
"""

from __future__ import annotations

import datetime
import functools
import ipaddress
import math
import re
import uuid
from collections.abc import Callable, Hashable
from decimal import Decimal, InvalidOperation
from typing import Any

from partadvisor.pg.arrays import array_elements
from partadvisor.pg.hashing.types import COLLATED, base_name

_DAY = 86_400 * 1_000_000
_WHOLE = re.compile(r"[+-]?\d+(?:_\d+)*")
_STAMP = re.compile(
    r"(?P<year>\d{4,7})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:[ T](?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,6}))?)?)?"
    r" ?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?(?P<era> BC)?"
)
_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,6}))?)?")
_SPAN = re.compile(r"([+-]?\d+) ?(years?|mons?|months?|weeks?|days?|hours?|minutes?|mins?|seconds?|secs?)\b")
_SPAN_UNITS = {"y": 360 * _DAY, "mo": 30 * _DAY, "w": 7 * _DAY, "d": _DAY, "h": 3_600_000_000, "mi": 60_000_000}
_BOOLEANS = {
    **dict.fromkeys(("t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"), True),
    **dict.fromkeys(("f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"), False),
}
_BYTE_ORDERS = frozenset(["c", "posix", "ucs_basic", "pg_c_utf8", "c.utf-8", "c.utf8"])
_DAYS_BEFORE_ORDINALS = 306  # day 1 of datetime is 0001-01-01
_ENDS = {"infinity": math.inf, "-infinity": -math.inf, "inf": math.inf, "-inf": -math.inf}


@functools.lru_cache(maxsize=65_536)
def order_key(type_name: str, text: str, labels: tuple[str, ...] = ()) -> Any:
    """A key for one value, None where the order of the type or this spelling is not known here.

    Args:
        type_name: of the value, as ``format_type`` or ``typname`` prints it; of a domain, its base type.
        text: what the statement or the catalog says, without quotes.
        labels: of an enum type, in order.

    Text sorts by its bytes, as under the collation "C".
    """
    name = base_name(type_name)
    if labels:
        return labels.index(text) if text in labels else None
    if name.endswith("[]"):
        return _array(name.removesuffix("[]"), text)
    reader = _READERS.get(name)
    if reader is None:
        return None
    try:
        return reader(text)
    except (ValueError, InvalidOperation):
        return None


def equality_key(type_name: str, text: str, labels: tuple[str, ...] = ()) -> Hashable:
    """The same for equal values of a type; of types without a known order the text itself."""
    key = order_key(type_name, text, labels)
    return ("text", text) if key is None else key


def output_text(type_name: str, text: str) -> str:
    """The value as the server would print it, for the types whose hash is computed from that; else as it is."""
    name = base_name(type_name)
    key = order_key(type_name, text)
    if key is None or isinstance(key, float):
        return text.strip().lower() if isinstance(key, float) else text
    writer = _WRITERS.get(name)
    return text if writer is None else writer(key)


def is_text(type_name: str) -> bool:
    """Whether the type's values compare under a collation."""
    return base_name(type_name) in COLLATED


def sorts_like_bytes(collation: str) -> bool:
    """Whether a collation, as SQL writes it, orders text by its bytes."""
    return collation.rsplit('."', 1)[-1].strip('"').lower() in _BYTE_ORDERS


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError(text)
    return int(text)


def _numeric(text: str) -> tuple[int, Decimal]:
    value = Decimal(text.strip().replace("_", ""))
    if value.is_nan():
        return 2, Decimal(0)
    return (0, value) if value.is_finite() else (1 if value > 0 else -1, Decimal(0))


def _double(text: str) -> tuple[int, float]:
    value = float(text.strip())
    return (1, 0.0) if math.isnan(value) else (0, value)


def _single(text: str) -> tuple[int, float]:
    import numpy as np

    rank, value = _double(text)
    return rank, float(np.float32(value))


def _boolean(text: str) -> bool:
    key = _BOOLEANS.get(text.strip().lower())
    if key is None:
        raise ValueError(text)
    return key


def _stamp(text: str) -> float | int:
    return _moment(text, with_zone=False)


def _zoned_stamp(text: str) -> float | int:
    return _moment(text, with_zone=True)


def _date(text: str) -> float | int:
    moment = _moment(text, with_zone=False)
    return moment if isinstance(moment, float) else moment // _DAY * _DAY


def _moment(text: str, *, with_zone: bool) -> float | int:
    """Microseconds since 1 January of the year 0; a zone is looked at only by the type that has one."""
    bare = text.strip()
    if bare.lower() in _ENDS:
        return _ENDS[bare.lower()]
    match = _STAMP.fullmatch(bare)
    if match is None:
        raise ValueError(text)
    year = int(match["year"])
    days = _days(1 - year if match["era"] else year, int(match["month"]), int(match["day"]))
    east = _offset(match["zone"]) if with_zone and match["zone"] else 0
    return days * _DAY + _clock(match) - east


def _days(year: int, month: int, day: int) -> int:
    """Days in the proleptic Gregorian calendar; years count from March, so that the leap day is the last."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError(month, day)
    years = year - (month <= 2)
    return 365 * years + years // 4 - years // 100 + years // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day


def _clock(match: re.Match[str]) -> int:
    seconds = (int(match["hour"] or 0) * 60 + int(match["minute"] or 0)) * 60 + int(match["second"] or 0)
    return seconds * 1_000_000 + int((match["fraction"] or "").ljust(6, "0"))


def _offset(zone: str) -> int:
    if zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return (-minutes if zone[0] == "-" else minutes) * 60_000_000


def _time(text: str) -> int:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    return _clock(match)


def _interval(text: str) -> float | int:
    """Its length, with months of 30 days."""
    bare = text.strip().lower()
    if bare in _ENDS:
        return _ENDS[bare]
    length = 0
    for number, unit in _SPAN.findall(bare):
        length += int(number) * _SPAN_UNITS.get(unit[:2], _SPAN_UNITS.get(unit[0], 1_000_000))
    rest = _SPAN.sub("", bare).strip()
    if rest.lstrip("+-").isdigit():  # a bare number is seconds
        length += int(rest) * 1_000_000
    elif rest:
        length += -_time(rest[1:]) if rest[0] == "-" else _time(rest.lstrip("+"))
    return length


def _uuid(text: str) -> bytes:
    return uuid.UUID(text.strip()).bytes


def _bytes(text: str) -> bytes:
    if text.startswith("\\x"):
        return bytes.fromhex(text[2:])
    if "\\" in text:
        raise ValueError(text)
    return text.encode()


def _network(text: str) -> tuple[int, str, int, int]:
    """Family, the bits of the network, its length, the whole address: bits as text sort prefix by prefix."""
    face = ipaddress.ip_interface(text.strip())
    width = face.max_prefixlen
    bits = format(int(face.ip), f"0{width}b")
    return face.version, bits[: face.network.prefixlen], face.network.prefixlen, int(face.ip)


def _stamp_text(moment: int, zone: str = "") -> str:
    days, clock = divmod(moment, _DAY)
    seconds, fraction = divmod(clock, 1_000_000)
    date = datetime.date.fromordinal(days - _DAYS_BEFORE_ORDINALS)
    return f"{date} {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}{zone}"


def _hexadecimal(text: str) -> int:
    digits = re.sub(r"[:.\-]", "", text.strip())
    return int(digits, 16)


def _array(element: str, text: str) -> tuple[Any, ...] | None:
    """A one-dimensional array; a NULL element sorts last."""
    elements = array_elements(text)
    if elements is None:
        return None
    keys = [(1, None) if e is None else (0, order_key(element, e)) for e in elements]
    return None if (0, None) in keys else tuple(keys)


_READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("int2", "int4", "int8", "oid", "xid8"), _whole),
    "numeric": _numeric,
    "float8": _double,
    "float4": _single,
    "bool": _boolean,
    "date": _date,
    "timestamp": _stamp,
    "timestamptz": _zoned_stamp,
    "time": _time,
    "interval": _interval,
    "uuid": _uuid,
    "bytea": _bytes,
    **dict.fromkeys(("inet", "cidr"), _network),
    **dict.fromkeys(("macaddr", "macaddr8"), _hexadecimal),
    **dict.fromkeys(("text", "varchar", "name"), lambda text: text.encode()),
    "bpchar": lambda text: text.rstrip(" ").encode(),
}

_WRITERS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("int2", "int4", "int8", "oid", "xid8"), str),
    "bool": lambda value: "t" if value else "f",
    "uuid": lambda value: str(uuid.UUID(bytes=value)),
    "date": lambda moment: _stamp_text(moment)[:10],
    "timestamp": _stamp_text,
    "timestamptz": lambda moment: _stamp_text(moment, "+00"),
    "time": lambda clock: _stamp_text(clock + _days(2000, 1, 1) * _DAY)[11:],
}
