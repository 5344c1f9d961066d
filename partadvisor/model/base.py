"""The one base class of every value that is stored or passed between stages."""

from __future__ import annotations

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """An immutable record; fields are given by name, unknown fields in a file are an error."""
