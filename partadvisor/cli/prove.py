"""``partadvisor prove``: predicted beside measured, on a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from partadvisor.cli import streams
from partadvisor.cli.formats import report_format_option, send
from partadvisor.cli.inputs import input_options, load_input
from partadvisor.model.errors import CheckFailed

if TYPE_CHECKING:
    from partadvisor.model.snapshot import Snapshot

_DEFAULT_CLIENTS = 32
_MOST_CLIENTS = 256


@click.command("prove")
@input_options
@click.option("--table", required=True, help="The table to partition (schema.name).")
@click.option("--candidate", "ranks", multiple=True, type=click.IntRange(min=1), help="Rank of a candidate of advise.")
@click.option("--key", "keys", multiple=True, metavar="SCHEME", help="Prove this scheme; may be given again.")
@click.option("--seconds", type=click.FloatRange(min=1), default=20.0, show_default=True, help="Measured, a variant.")
@click.option("--rounds", type=click.IntRange(1, 20), default=3, show_default=True, help="Turns of each variant.")
@click.option("--clients", type=click.IntRange(1, _MOST_CLIENTS), help="Concurrent sessions. [default: the snapshot's]")
@click.option("--rows", type=click.IntRange(min=1), default=200_000, show_default=True, help="Rows to fill at most.")
@report_format_option
def command(
    table: str,
    ranks: tuple[int, ...],
    keys: tuple[str, ...],
    seconds: float,
    rounds: int,
    clients: int | None,
    rows: int,
    form: str,
    **source: Any,
) -> None:
    """Measure the table as it is against candidates, on a scratch server, under the workload's own statements.

    The tables are filled from the statistics, the statements run with their weights from many clients, and the
    variants take turns. Without --candidate or --key the recommended scheme is proved.

    \b
    Example:
      partadvisor prove shop.json --table public.order_line
      partadvisor prove shop.json --table public.order_line --key "hash(ol_w_id) into 16" --key "range(ol_o_id) by 1000000"
    """  # noqa: D301, E501 - click's mark for "do not wrap"
    snapshot = load_input(**source)
    from partadvisor.advise.targets import find_table
    from partadvisor.io.prove.options import ProveOptions
    from partadvisor.io.prove.run import prove
    from partadvisor.render.html.prove import prove_html
    from partadvisor.render.prove_text import prove_text

    name = find_table(snapshot, table).qualified_name
    options = ProveOptions(
        clients=clients or _sessions(snapshot), seconds=seconds, rounds=rounds, rows=rows, pg_bin=source["pg_bin"]
    )
    with streams.progress("prove") as report:
        found = prove(snapshot, name, _schemes(snapshot, name, ranks, keys), options, progress=report)
    send(found, form, prove_text, prove_html)


def _sessions(snapshot: Snapshot) -> int:
    """Clients as many as the snapshot saw at work."""
    samples = snapshot.window.samples if snapshot.window else ()
    seen = sum(s.active + s.idle_in_transaction for s in samples) / len(samples) if samples else 0
    told = snapshot.assumed.clients if snapshot.assumed else None
    return min(_MOST_CLIENTS, max(1, round(seen or told or _DEFAULT_CLIENTS)))


def _schemes(snapshot: Snapshot, table: str, ranks: tuple[int, ...], keys: tuple[str, ...]) -> list[str]:
    """The named schemes, or the recommended one; each once, as canonical text."""
    from partadvisor.cli.plan import chosen_scheme
    from partadvisor.pg.scheme_text import parse_scheme, scheme_text

    wanted = [chosen_scheme(snapshot, table, None, rank) for rank in ranks] + [parse_scheme(key) for key in keys]
    if not wanted:
        wanted = [_recommended(snapshot, table)]
    return list(dict.fromkeys(scheme_text(scheme) for scheme in wanted))


def _recommended(snapshot: Snapshot, table: str) -> Any:
    from partadvisor.cli.plan import chosen_scheme

    try:
        return chosen_scheme(snapshot, table, None, None)
    except CheckFailed as error:
        hint = 'Prove that with --key "hash(column) into 16", which should not gain.'
        raise CheckFailed(error.message, detail=error.detail, hint=hint) from error
