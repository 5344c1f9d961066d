"""Tells a connection string from a file name; loads no driver."""

from __future__ import annotations

import re
from pathlib import Path


def is_dsn(text: str) -> bool:
    """True for a connection string: ``postgresql://…`` or ``key=value`` pairs."""
    return bool(re.match(r"^postgres(ql)?://", text) or re.match(r"^\s*[a-z_]+\s*=", text)) and not Path(text).exists()
