"""``partadvisor plan``: the migration as numbered SQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from partadvisor.cli import streams
from partadvisor.cli.inputs import input_options, load_input
from partadvisor.model.errors import CheckFailed, UsageError

if TYPE_CHECKING:
    from partadvisor.model.advice import TableAdvice
    from partadvisor.model.scheme import Scheme
    from partadvisor.model.snapshot import Snapshot


@click.command("plan")
@input_options
@click.option("--table", required=True, help="The table to partition (schema.name).")
@click.option("--candidate", type=click.IntRange(min=1), help="Rank of the candidate in the output of advise.")
@click.option("--key", metavar="SCHEME", help="Use this scheme instead of the recommended one.")
@click.option(
    "--strategy",
    type=click.Choice(["auto", "ahead", "attach", "copy", "rewrite"]),
    default="auto",
    show_default=True,
    help="How the table gets there; auto takes the gentlest that fits.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the plan."
)
def command(table: str, candidate: int | None, key: str | None, strategy: str, output: Path, **source: Any) -> None:
    """Write the online migration of a table: plan.json for apply, numbered SQL for psql, a README to read first.

    Without --key or --candidate the recommended scheme of advise is taken. Every step states its locks, whom it
    blocks, how it grows, its lock timeout and how to undo it.

    \b
    Example:
      partadvisor plan shop.json --table public.order_line -o migration
      partadvisor plan shop.json --table public.order_line --key "hash(ol_w_id) into 16" -o migration
    """  # noqa: D301 - click's mark for "do not wrap"
    if key and candidate:
        raise UsageError("--key and --candidate exclude each other")
    snapshot = load_input(**source)
    from partadvisor.advise.targets import find_table
    from partadvisor.io.plan_files import write_plan
    from partadvisor.planner.plan import plan_migration
    from partadvisor.render.plan_text import plan_text

    table = find_table(snapshot, table).qualified_name
    plan = plan_migration(snapshot, table, chosen_scheme(snapshot, table, key, candidate), strategy)
    write_plan(plan, output)
    streams.emit(plan_text(plan))
    streams.note(f"wrote {output}; next: partadvisor apply {output} DSN --dry-run")


def chosen_scheme(snapshot: Snapshot, table: str, key: str | None, candidate: int | None) -> Scheme:
    """The scheme the user named, or the candidate of that rank, or the recommended one.

    Raises:
        UsageError: there is no candidate of that rank, or it is infeasible.
        CheckFailed: nothing is recommended for the table.
    """
    from partadvisor.advise.advise import advise
    from partadvisor.pg.scheme_text import parse_scheme

    if key:
        return parse_scheme(key)
    (found,) = (t for t in advise(snapshot, table=table, top=max(5, candidate or 0)).tables if t.table == table)
    return parse_scheme(_pick(found, candidate))


def _pick(found: TableAdvice, rank: int | None) -> str:
    wanted = rank or found.recommended
    if wanted is None:
        raise CheckFailed(
            f'no scheme is recommended for table "{found.table}"',
            detail=found.reason,
            hint='Name one yourself with --key "hash(column) into 16".',
        )
    candidate = next((c for c in found.candidates if c.rank == wanted), None)
    if candidate is None:
        raise UsageError(f"there is no candidate {wanted} for table {found.table}", hint="See the ranks in advise.")
    if not candidate.feasible:
        raise UsageError(
            f"candidate {wanted}, {candidate.scheme}, is not feasible",
            detail=" ".join(blocker.text for blocker in candidate.blockers),
        )
    return candidate.scheme
