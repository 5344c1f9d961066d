"""A migration plan for people: markdown to paste into a change request, and plain text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.model.plan import MigrationPlan, Step
from partadvisor.render.plan_notes import plan_notes

_ROW = "| {} | {} | {} | {} | {} |"


def plan_markdown(plan: MigrationPlan) -> str:
    """Summary, how to run it, and every step with its locks."""
    notes = ["## What to know before it runs\n", plan_notes(plan)]
    return "\n".join([*_summary(plan), _HOW, *notes, *_steps(plan), *_upkeep(plan)]) + "\n"


def plan_text(plan: MigrationPlan) -> str:
    """A short summary with the steps that stop anybody."""
    lines = [f"{plan.table} to {plan.scheme}: strategy {plan.strategy} ({plan.reason})", ""]
    for phase in plan.phases:
        lines.append(f"{phase.name}: {phase.title}")
        for step in phase.steps:
            lines.append(f"  {step.id:<20} {step.title}")
            if step.blocks not in {"", "nothing"}:
                lines.append(f"  {'':<20} {_blocks(step)}; gives up after {step.lock_timeout_ms} ms, tries again")
            if step.point_of_no_return:
                lines.append(f"  {'':<20} no way back after this step")
    if plan.disk_bytes_needed:
        lines += ["", f"disk needed: about {plan.disk_bytes_needed / 1e6:,.0f} MB"]
    if plan.upkeep:
        lines += ["", f"schedule when it is finished: {', '.join(file.name for file in plan.upkeep)}"]
    lines += [f"warning: {warning}" for warning in plan.warnings]
    return "\n".join(lines) + "\n"


def _blocks(step: Step) -> str:
    nobody = step.blocks.startswith("nothing; ")
    return f"blocks only {step.blocks.removeprefix('nothing; ')}" if nobody else f"blocks {step.blocks}"


def _summary(plan: MigrationPlan) -> Iterator[str]:
    yield f"# Partition {plan.table} by {plan.scheme}"
    yield ""
    yield f"- strategy: **{plan.strategy}**, because {plan.reason}"
    yield f"- made for: PostgreSQL {plan.server_version // 10000}, schema fingerprint `{plan.fingerprint[:16]}`"
    yield f"- plan: `{plan.plan_id}`, made by partadvisor {plan.tool_version}"
    if plan.rows_expected is not None:
        yield f"- rows: about {plan.rows_expected:,.0f}"
    if plan.disk_bytes_needed:
        yield f"- disk needed beside the table: about {plan.disk_bytes_needed / 1e6:,.0f} MB"
    for warning in plan.warnings:
        yield f"- **warning**: {warning}"
    yield ""


_HOW = """## How to run it

- `partadvisor apply DIR DSN --dry-run` checks that the plan still fits the server, and changes nothing.
- `partadvisor apply DIR DSN` runs everything up to the swap; the same command resumes it after any interruption.
- `partadvisor status DIR DSN` shows how far it is.
- `partadvisor rollback DIR DSN` undoes it; after the swap it keeps every row written since.
- `partadvisor apply DIR DSN --finish` runs the last phase as well. **There is no way back** after its first step.

The numbered files do the same with `psql -X -f`, one after the other: stop before the first `finish` file, and look at
the application first. A file that failed or was interrupted is run again; one that is done says so. Keep this folder
until the migration is finished or rolled back.
"""


def _steps(plan: MigrationPlan) -> Iterator[str]:
    for phase in plan.phases:
        yield f"## {phase.name}: {phase.title}"
        yield ""
        yield _ROW.format("step", "what", "locks", "blocks", "duration")
        yield _ROW.format("---", "---", "---", "---", "---")
        for step in phase.steps:
            cells = (step.id, _title(step), _locks(step), step.blocks or "nothing", _duration(step))
            yield _ROW.format(*(cell.replace("|", "\\|").replace("\n", " ") for cell in cells))
        yield ""


def _upkeep(plan: MigrationPlan) -> Iterator[str]:
    if not plan.upkeep:
        return
    yield "## Afterwards"
    yield ""
    yield "The scheme needs partitions for tomorrow. Schedule these; their heads have the lines for cron and pg_cron."
    yield ""
    yield from (f"- `{file.name}`" for file in plan.upkeep)
    yield ""


def _title(step: Step) -> str:
    return f"{step.title} **(no way back)**" if step.point_of_no_return else step.title


def _locks(step: Step) -> str:
    return "<br>".join(f"{lock.mode} on {lock.relation} ({lock.role})" for lock in step.locks) or "none"


def _duration(step: Step) -> str:
    return f"{step.duration_class}, grows with {step.grows_with}" if step.grows_with else step.duration_class
