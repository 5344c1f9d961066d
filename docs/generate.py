"""Writes the generated parts of docs/: JSON Schemas of every JSON output, and a page a rule. A test checks them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from partadvisor.lint.registry import rules
from partadvisor.model.advice import Advice
from partadvisor.model.diagnosis import Diagnosis
from partadvisor.model.finding import Review
from partadvisor.model.plan import MigrationPlan
from partadvisor.model.proof import ProveReport
from partadvisor.model.run import DemoReport
from partadvisor.model.snapshot import Snapshot
from partadvisor.render.rule_pages import index_page, rule_page

SCHEMAS: dict[str, type[msgspec.Struct]] = {
    "advise": Advice,
    "demo": DemoReport,
    "diagnose": Diagnosis,
    "plan": MigrationPlan,
    "prove": ProveReport,
    "review": Review,
    "snapshot": Snapshot,
}
"""File name (without ``.json``) → type whose JSON form it describes."""


def schema_text(kind: type[msgspec.Struct]) -> str:
    """The JSON Schema (2020-12) of a type, as indented text."""
    return json.dumps(msgspec.json.schema(kind), indent=1, ensure_ascii=False) + "\n"


def rule_pages() -> dict[str, str]:
    """File name below ``docs/rules`` → text, for every rule and the list of them."""
    known = rules().values()
    return {"README.md": index_page(known), **{rule.url(""): rule_page(rule) for rule in known}}


def main() -> None:
    """Write all generated files."""
    folder = Path(__file__).parent / "schemas"
    folder.mkdir(exist_ok=True)
    for name, kind in SCHEMAS.items():
        (folder / f"{name}.json").write_text(schema_text(kind), encoding="utf-8")
    pages, current = Path(__file__).parent / "rules", rule_pages()
    pages.mkdir(exist_ok=True)
    for old in pages.glob("*.md"):
        if old.name not in current:
            old.unlink()
    for name, text in current.items():
        (pages / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
