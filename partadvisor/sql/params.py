"""Parameters where the grammar wants a literal: pg_stat_statements prints ``$1`` for every constant, allowed or not.

libpg_query takes ``$n`` in most such places (``interval $1``, ``DATE $1``). In the rest the parameter is replaced by
a literal of the same length, so that positions in the tree stay those of the text.
"""

from __future__ import annotations

import re

_PARAMETER = re.compile(r"\$[0-9]+")


def with_literal(text: str, at: int) -> str | None:
    """``text`` with the parameter at character ``at`` as a string literal, None when there is no parameter."""
    match = _PARAMETER.match(text, at) if at >= 0 else None
    if match is None:
        return None
    length = match.end() - at
    return f"{text[:at]}'{'x' * (length - 2)}'{text[match.end() :]}"
