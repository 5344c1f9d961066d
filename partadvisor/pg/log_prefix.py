"""``log_line_prefix``: what stands before the label of a line, read by the setting or by what prefixes look like.

Only the session, the database and the time matter here: they tie a duration to the statement it belongs to.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from partadvisor.pg.knowledge import load
from partadvisor.pg.log_lines import timestamp

_DATE, _ZONE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", r" [A-Za-z0-9+:_/-]+"
_ESCAPES = {
    "a": r".*?", "u": r".*?", "d": r"(?P<database>.*?)", "r": r"\S*?", "h": r"\S*?", "L": r"\S*?", "b": r".*?",
    "p": r"(?P<pid>\d+)", "P": r"\d*", "t": f"(?P<time>{_DATE}{_ZONE})", "m": rf"(?P<time>{_DATE}[.,]\d+{_ZONE})",
    "n": r"(?P<time>\d+\.\d+)", "i": r".*?", "e": r"[0-9A-Z]{5}", "c": r"(?P<session>[0-9a-f]+\.[0-9a-f]+)",
    "l": r"\d+", "s": _DATE + _ZONE, "v": r"[\d/]*", "x": r"\d*", "Q": r"-?\d+",
}  # fmt: skip
_ESCAPE = re.compile(r"%(?P<pad>-?\d+)?(?P<letter>[a-zA-Z%])")
_PID = re.compile(r"\[(\d+)\]|\bpid[=:](\d+)|(?<![\d.:-])(\d{2,7})(?![\d.:-])")
_SESSION = re.compile(r"\b[0-9a-f]{6,8}\.[0-9a-f]{1,6}\b")
_DATABASE = re.compile(r"\b(?:db|database)=([^,\s\]]*)|\b\w+@(\w+)\b")
_ENOUGH = 0.8
UNKNOWN = "[unknown]"


class Origin(NamedTuple):
    """Who wrote a line, and when; None for what the prefix does not tell."""

    session: str | None = None
    database: str | None = None
    at: str = ""


class Prefix(NamedTuple):
    """A way to read prefixes; without a pattern whatever looks like a session and a time is taken for it."""

    pattern: re.Pattern[str] | None = None

    def read(self, text: str) -> Origin:
        """What the text before a label says."""
        found = self.pattern.fullmatch(text) if self.pattern else None
        if found is None:
            return _guessed(text)
        parts = found.groupdict()
        database = parts.get("database")
        return Origin(
            parts.get("session") or parts.get("pid"),
            None if database in (None, "", UNKNOWN) else database,
            parts.get("time") or "",
        )


def of_setting(setting: str) -> Prefix:
    """The reader for a value of ``log_line_prefix``."""
    return Prefix(_compiled(setting))


def detect(prefixes: Sequence[str]) -> Prefix:
    """The reader for prefixes seen: the best known setting that fits most of them, else a guess for each line."""
    for setting in load("log_messages.toml")["prefixes"]:
        pattern = _compiled(setting)
        if prefixes and sum(pattern.fullmatch(p) is not None for p in prefixes) >= _ENOUGH * len(prefixes):
            return Prefix(pattern)
    return Prefix()


@functools.cache
def _compiled(setting: str) -> re.Pattern[str]:
    parts: list[str] = []
    optional, at, seen = False, 0, set[str]()
    for escape in _ESCAPE.finditer(setting):
        parts.append(re.escape(setting[at : escape.start()]))
        at = escape.end()
        letter = escape["letter"]
        if letter == "q":
            optional = True
            parts.append("(?:")
        elif letter == "%":
            parts.append("%")
        else:
            body = _ESCAPES.get(letter, "")
            if letter in seen:
                body = re.sub(r"\?P<\w+>", "?:", body)  # a group's name may occur once
            seen |= {"t", "m", "n"} if letter in "tmn" else {letter}
            parts.append(f" *{body} *" if escape["pad"] else body)
    parts.append(re.escape(setting[at:]))
    return re.compile("".join(parts) + (")?" if optional else ""))


def _guessed(text: str) -> Origin:
    at = timestamp(text)
    rest = text.replace(at, " ") if at else text
    session, pid, database = _SESSION.search(rest), _PID.search(rest), _DATABASE.search(rest)
    number = next((g for g in pid.groups() if g), None) if pid else None
    name = next((g for g in database.groups() if g), None) if database else None
    return Origin(session.group() if session else number, None if name == UNKNOWN else name, at)
