"""``partadvisor advise``: which key, how many partitions, or why not."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from partadvisor.cli import streams
from partadvisor.cli.formats import report_format_option, send
from partadvisor.cli.inputs import as_typed, input_options, load_input

if TYPE_CHECKING:
    from partadvisor.model.advice import Advice
    from partadvisor.model.snapshot import Snapshot
    from partadvisor.model.workload import Workload


@click.command("advise")
@input_options
@click.option("--table", help="Only this table (schema.name).")
@click.option("--key", "keys", multiple=True, metavar="SCHEME", help="Score this scheme too; may be given again.")
@click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="Candidates to show a table.")
@click.option("--clients", type=click.IntRange(1, 262_143), help="Concurrent writers to predict for.")
@click.option("--target-pg", type=click.IntRange(11, 18), help="Major version the table will live on.")
@click.option("--details", is_flag=True, help="List for every query how many partitions it touches, and why.")
@click.option(
    "--verify",
    type=click.Choice(["none", "shadow"]),
    default="none",
    show_default=True,
    help="shadow: have PostgreSQL 18 plan every query on each candidate, by the statistics alone.",
)
@report_format_option
def command(
    table: str | None,
    keys: tuple[str, ...],
    top: int,
    clients: int | None,
    target_pg: int | None,
    details: bool,
    verify: str,
    form: str,
    **source: Any,
) -> None:
    """Rank partition keys for the hot tables by write spread against read cost, or say "do not partition".

    A SCHEME is written: hash(w_id) into 16; range(created_at) by month; range(created_at) by month, hash(id) into 8;
    list(region); range(id) from 300000, hash(id) into 8 (old rows stay where they are, new ones are spread).

    \b
    Example:
      partadvisor advise shop.json
      partadvisor advise shop.json --format html > advice.html
      partadvisor advise shop.json --table public.order_line --key "hash(ol_i_id) into 16" --details
    """  # noqa: D301 - click's mark for "do not wrap"
    snapshot = load_input(**source)
    from partadvisor.advise.advise import advise_on, workload_of
    from partadvisor.render.advice_text import advice_text
    from partadvisor.render.html.advice import advice_html

    workload = workload_of(snapshot)
    advice = advise_on(
        snapshot, workload, table=table, keys=keys, top=top, clients=clients, target_major=target_pg, details=details
    )
    if verify == "shadow":
        advice = _verified(snapshot, advice, workload, details, source["pg_bin"])
    typed = as_typed(*(source[k] for k in ("source", "schema", "queries", "stats", "log_line_prefix")))
    send(advice, form, functools.partial(advice_text, source=typed), functools.partial(advice_html, source=typed))


def _verified(snapshot: Snapshot, advice: Advice, workload: Workload, details: bool, pg_bin: Path | None) -> Advice:
    from partadvisor.io.shadow.run import verify

    with streams.progress("planner") as report:
        return verify(snapshot, advice, workload, progress=report, details=details, pg_bin=pg_bin)
