"""The JSON form of any result: the values themselves, two spaces deep."""

from __future__ import annotations

import msgspec


def json_text(value: msgspec.Struct) -> str:
    """``value`` as indented JSON, ending in a newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def plain_json(value: object) -> str:
    """Plain data as indented JSON, ending in a newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"
