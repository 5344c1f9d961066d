"""Recognises a server's messages about statements and their parameters, in the languages they come in.

The texts are those of ``exec_simple_query``, ``exec_parse_message``, ``exec_bind_message`` and
``exec_execute_message``; each is matched from its first character, because a statement may quote any of them.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Literal, NamedTuple

from partadvisor.pg.knowledge import load

_PARTS = {
    "ms": r"(?P<ms>\d+(?:[.,]\d+)?)",
    "name": r"(?P<name>[^\n]*?)",
    "text": r"(?P<text>.*)",
}
_ERROR_CODE = re.compile(r"[0-9A-Z]{5}: ")
_PLAN = re.compile(r"duration: \d+\.\d+ ms  plan:\n")
_PARAMETER = re.compile(r"\$(?P<number>\d+) = (?:(?P<null>NULL)|'(?P<text>(?:[^']|'')*+)')(?:, |$)")
CUT_VALUE = "..."
"""At the end of a value that log_parameter_max_length shortened."""

Event = Literal["run", "begun", "fetch", "step", "duration", "plan"]


class Logged(NamedTuple):
    """What a message says.

    ``run``: a statement that took ``ms``; ``begun``: one whose duration comes in a message of its own, if at all;
    ``fetch``: more rows of a portal that ran before; ``step``: parsing or binding of a prepared statement, ``ms`` of
    planning; ``duration``: ``ms`` of something not named; ``plan``: what auto_explain writes beside the others.
    ``prepared`` when it came by the extended protocol, where parse and bind have durations too.
    """

    event: Event
    ms: float | None = None
    text: str = ""
    prepared: bool = False


def find_statement(message: str) -> Logged | None:
    """What a message says of a statement, None when it is about something else."""
    if _ERROR_CODE.match(message):  # log_error_verbosity = verbose
        message = message[7:]
    if not message.startswith(_heads()):
        return None
    if _PLAN.match(message):
        return Logged("plan")
    for event, prepared, frame in _frames():
        found = frame.fullmatch(message)
        if found is not None:
            parts = found.groupdict()
            ms = parts.get("ms")
            return Logged(event, float(ms.replace(",", ".")) if ms else None, parts.get("text") or "", prepared)
    return None


def parameters(detail: str) -> tuple[str | None, ...] | None:
    """Values of ``$1``, ``$2``, … that a DETAIL lists, None for NULL; None when it lists none, or cut ones."""
    head = _parameter_heads().match(detail)
    if head is None:
        return None
    values: list[str | None] = []
    at = head.end()
    while at < len(detail):
        found = _PARAMETER.match(detail, at)
        if found is None or int(found["number"]) != len(values) + 1:
            return None
        value = None if found["null"] else found["text"].replace("''", "'")
        if value is not None and value.endswith(CUT_VALUE):
            return None
        values.append(value)
        at = found.end()
    return tuple(values) or None


@functools.cache
def labels() -> dict[str, str]:
    """Words that begin the parts of a message → ``log``, ``detail``, ``part``, ``error`` or ``severity``."""
    return {
        word: kind for language in _languages() for kind, words in language.get("labels", {}).items() for word in words
    }


def _languages() -> list[dict[str, Any]]:
    languages: list[dict[str, Any]] = load("log_messages.toml")["language"]
    return [language for language in languages if "duration" in language]


@functools.cache
def _frames() -> tuple[tuple[Event, bool, re.Pattern[str]], ...]:
    """Every message of every language, the most telling first."""
    return tuple(frame for language in _languages() for frame in _frames_of(language))


def _frames_of(language: dict[str, Any]) -> list[tuple[Event, bool, re.Pattern[str]]]:
    fetch, execute = language["execute"]
    timed, bare = language["duration_execute"], "{execute} {name}: {text}"
    shapes: list[tuple[Event, bool, str, str]] = [
        ("run", False, language["duration_statement"], ""),
        ("fetch", True, timed, fetch),
        ("run", True, timed, execute),
        ("step", True, language["bind"], ""),
        ("step", True, language["parse"], ""),
        ("duration", False, language["duration"], ""),
        ("begun", False, language["statement"], ""),
        ("fetch", True, bare, fetch),
        ("begun", True, bare, execute),
    ]
    return [(event, prepared, _compiled(template, word)) for event, prepared, template, word in shapes]


def _compiled(template: str, execute: str) -> re.Pattern[str]:
    words = re.split(r"\{(\w+)\}", template)
    parts = {**_PARTS, "execute": re.escape(execute)}
    return re.compile("".join(parts[w] if n % 2 else re.escape(w) for n, w in enumerate(words)), re.DOTALL)


@functools.cache
def _heads() -> tuple[str, ...]:
    """What such messages begin with: a cheap look before the patterns."""
    found = {h for language in _languages() for h in language["execute"]}
    for language in _languages():
        found |= {language[k].split("{")[0] for k in ("duration", "duration_execute", "duration_statement")}
        found.add(language["statement"].split("{")[0])
    return tuple(found)


@functools.cache
def _parameter_heads() -> re.Pattern[str]:
    heads = {t.split("{")[0] for language in _languages() for t in language["parameters"]}
    return re.compile("|".join(map(re.escape, sorted(heads))))
