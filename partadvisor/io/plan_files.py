"""A plan as a directory: ``plan.json`` for apply, numbered SQL for psql, ``README.md`` for people."""

from __future__ import annotations

from pathlib import Path

import msgspec

from partadvisor.model.errors import UsageError
from partadvisor.model.plan import MigrationPlan
from partadvisor.render.json import json_text
from partadvisor.render.plan_script import numbered_files
from partadvisor.render.plan_text import plan_markdown

PLAN_FILE = "plan.json"
README_FILE = "README.md"
_SUPPORTED = 1


def write_plan(plan: MigrationPlan, directory: Path) -> None:
    """Writes the plan's files.

    Raises:
        UsageError: the directory holds something else, or cannot be written.
    """
    files = {PLAN_FILE: json_text(plan), README_FILE: plan_markdown(plan), **numbered_files(plan)}
    files |= {upkeep.name: upkeep.text for upkeep in plan.upkeep}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        strange = sorted(path.name for path in directory.iterdir() if not _is_ours(path))
        if strange:
            raise UsageError(
                f'directory "{directory}" is not empty', detail=f"It holds {strange[0]}.", hint="Name a new directory."
            )
        _refuse_other_plan(plan, directory)
        for path in directory.iterdir():
            path.unlink()
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f'could not write the plan to "{directory}"', detail=f"{error.strerror}.") from error


def _is_ours(path: Path) -> bool:
    numbered = path.suffix == ".sql" and path.name[:2].isdigit()
    upkeep = path.suffix == ".sql" and path.name.startswith("upkeep-")
    return path.is_file() and (numbered or upkeep or path.name in {PLAN_FILE, README_FILE})


def _refuse_other_plan(plan: MigrationPlan, directory: Path) -> None:
    """Without its files a migration that has begun could not be rolled back."""
    if not (directory / PLAN_FILE).exists():
        return
    other = read_plan(directory)
    if other.plan_id != plan.plan_id:
        raise UsageError(
            f'directory "{directory}" holds another plan',
            detail=f"That is plan {other.plan_id}: {other.table} to {other.scheme}.",
            hint="Name a new directory; the files of a plan are needed until it is finished or rolled back.",
        )


def read_plan(directory: Path) -> MigrationPlan:
    """The plan that ``write_plan`` wrote.

    Raises:
        UsageError: there is none, it is damaged, or it is of a newer version.
    """
    path = directory / PLAN_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f'could not read "{path}"', detail=f"{error.strerror}.", hint="Name the directory that plan wrote."
        ) from error
    try:
        version = msgspec.json.decode(content, type=_Version).schema_version
        if version > _SUPPORTED:
            raise UsageError(f'"{path}" was written by a newer partadvisor', hint="Update partadvisor.")
        return msgspec.json.decode(content, type=MigrationPlan)
    except msgspec.MsgspecError as error:
        raise UsageError(f'"{path}" is not a migration plan', detail=f"{error}.") from error


class _Version(msgspec.Struct):
    schema_version: int
