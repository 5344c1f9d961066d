"""Recognises a server's messages about waits for a relation extension lock, in the languages they come in.

Only waits longer than ``deadlock_timeout`` are logged at all, and with OIDs instead of names. The messages are
searched for anywhere in a line, so that any ``log_line_prefix`` will do.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from partadvisor.model.base import Value
from partadvisor.pg.knowledge import load

MARK = "ExclusiveLock"
"""In every such message, whatever its language: the lock mode is not translated."""

_ENCODINGS = ("utf-8", "latin-1", "cp1251", "koi8-r", "euc-jp", "euc-kr", "gb18030")
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d(?::?\d\d)?|[A-Z][A-Za-z0-9+-]{1,5}))?"
)
_EPOCH = re.compile(r"(?<![\d.])\d{10}\.\d{3}(?![\d.])")
_NUMBERS = {"pid": r"(?P<pid>\d+)", "mode": MARK, "ms": r"(?P<ms>\d+[.,]\d{3})"}


class LoggedWait(Value, frozen=True, kw_only=True):
    """One message: process ``pid`` still waits, or (``ended``) has waited, ``wait_ms`` to extend a relation."""

    pid: int
    relation: int
    database: int
    wait_ms: float
    ended: bool


def find_wait(text: str) -> LoggedWait | None:
    """The message in a line, None when it is about something else."""
    if MARK not in text:
        return None
    frames, tags = _patterns()
    for ended, frame in frames:
        if found := frame.search(text):
            for tag in tags:
                if oids := tag.fullmatch(found["tag"]):
                    return LoggedWait(
                        pid=int(found["pid"]),
                        relation=int(oids["relation"]),
                        database=int(oids["database"]),
                        wait_ms=float(found["ms"].replace(",", ".")),
                        ended=ended,
                    )
    return None


def find_wait_in_bytes(raw: bytes) -> tuple[LoggedWait, str] | None:
    """The same for a line of unknown encoding, with the text as it was understood: logs are in the database's."""
    if MARK.encode() not in raw:
        return None
    for encoding in _ENCODINGS:
        text = raw.decode(encoding, "replace")
        if found := find_wait(text):
            return found, text
    return None


def queue_length(text: str) -> int | None:
    """Number of waiting processes that a DETAIL line names, None when it is no such line."""
    found = re.search(load("log_messages.toml")["detail"], text)
    return len(re.findall(r"\d+", found["queue"])) if found else None


def timestamp(text: str) -> str:
    """The first date and time in a line, or the first epoch time with milliseconds (``%n``); empty if there is none."""
    found = _TIMESTAMP.search(text) or _EPOCH.search(text)
    return found.group() if found else ""


@functools.cache
def _patterns() -> tuple[list[tuple[bool, re.Pattern[str]]], list[re.Pattern[str]]]:
    """Frames with whether the wait has ended, and the texts that may stand at their {tag}."""
    languages: list[dict[str, Any]] = load("log_messages.toml")["language"]
    oids = {"relation": r"(?P<relation>\d+)", "database": r"(?P<database>\d+)"}
    tags = [re.compile(_pattern(language["extension"], oids)) for language in languages]
    either = "|".join(_pattern(language["extension"], dict.fromkeys(oids, r"\d+")) for language in languages)
    frames = [
        (kind == "acquired", re.compile(_pattern(language[kind], {**_NUMBERS, "tag": f"(?P<tag>{either})"})))
        for language in languages
        for kind in ("waiting", "acquired")
        if kind in language
    ]
    return frames, tags


def _pattern(template: str, parts: dict[str, str]) -> str:
    """A template with its placeholders replaced and everything else taken literally."""
    words = re.split(r"\{(\w+)\}", template)
    return "".join(parts[word] if number % 2 else re.escape(word) for number, word in enumerate(words))
