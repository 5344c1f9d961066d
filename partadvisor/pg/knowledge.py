"""Reads the knowledge in ``rules/``: data that changes more often than code.

In a checkout the files are in ``rules/`` beside the package, in an installed wheel in ``partadvisor/_rules``.
They ship with the program and do not change while it runs, so reading them once keeps callers pure.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent.parent


def rules_directory() -> Path:
    """The folder with the knowledge files."""
    shipped = _PACKAGE / "_rules"
    return shipped if shipped.is_dir() else _PACKAGE.parent / "rules"


@functools.cache
def load(relative_path: str) -> dict[str, Any]:
    """One TOML file below ``rules/``, as plain data; callers must not change it.

    Raises:
        FileNotFoundError: the installation is incomplete.
        tomllib.TOMLDecodeError: the file is not TOML.
    """
    return tomllib.loads((rules_directory() / relative_path).read_text(encoding="utf-8"))
