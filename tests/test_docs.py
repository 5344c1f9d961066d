"""Generated documentation is current."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generate import SCHEMAS, schema_text

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.parametrize("name", SCHEMAS)
def test_json_schema_is_current(name: str) -> None:
    assert (DOCS / "schemas" / f"{name}.json").read_text(encoding="utf-8") == schema_text(SCHEMAS[name]), (
        'run "make docs"'
    )
