"""Generated documentation is current."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generate import SCHEMAS, rule_pages, schema_text

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.parametrize("name", SCHEMAS)
def test_json_schema_is_current(name: str) -> None:
    assert (DOCS / "schemas" / f"{name}.json").read_text(encoding="utf-8") == schema_text(SCHEMAS[name]), (
        'run "make docs"'
    )


def test_rule_pages_are_current() -> None:
    wanted = rule_pages()
    found = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "rules").glob("*.md")}
    assert found.keys() == wanted.keys(), 'run "make docs"'
    assert [name for name in wanted if found[name] != wanted[name]] == [], 'run "make docs"'
