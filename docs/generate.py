"""Writes the generated parts of docs/: JSON Schemas of every JSON output. A test checks that they are current."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from partadvisor.model.advice import Advice
from partadvisor.model.diagnosis import Diagnosis
from partadvisor.model.plan import MigrationPlan
from partadvisor.model.proof import ProveReport
from partadvisor.model.run import DemoReport
from partadvisor.model.snapshot import Snapshot

SCHEMAS: dict[str, type[msgspec.Struct]] = {
    "advise": Advice,
    "demo": DemoReport,
    "diagnose": Diagnosis,
    "plan": MigrationPlan,
    "prove": ProveReport,
    "snapshot": Snapshot,
}
"""File name (without ``.json``) → type whose JSON form it describes."""


def schema_text(kind: type[msgspec.Struct]) -> str:
    """The JSON Schema (2020-12) of a type, as indented text."""
    return json.dumps(msgspec.json.schema(kind), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all generated files."""
    folder = Path(__file__).parent / "schemas"
    folder.mkdir(exist_ok=True)
    for name, kind in SCHEMAS.items():
        (folder / f"{name}.json").write_text(schema_text(kind), encoding="utf-8")


if __name__ == "__main__":
    main()
