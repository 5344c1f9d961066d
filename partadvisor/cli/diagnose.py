"""``partadvisor diagnose``: where the time goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from partadvisor.cli.formats import report_format_option, send
from partadvisor.cli.inputs import input_options, load_input

if TYPE_CHECKING:
    from partadvisor.model.snapshot import Snapshot


@click.command("diagnose")
@input_options
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Server log with waits for extension locks; alone or beside INPUT, may be given again.",
)
@report_format_option
def command(form: str, logs: tuple[Path, ...], **source: Any) -> None:
    """Show where active sessions spend their time, per wait class and per table, and what would help.

    INPUT is a snapshot file or a DSN. The verdict names the limit: extension lock, storage reads, WAL, row locks,
    index leaf, lock manager, CPU, client, or nothing at all. From a log alone it shows which relation, when, how
    long and how many waited.

    \b
    Example:
      partadvisor diagnose shop.json
      partadvisor diagnose "host=db1 dbname=shop" --duration 30
      partadvisor diagnose --log postgresql-2026-11-27.log.gz
      partadvisor diagnose shop.json --format html > diagnosis.html
    """  # fmt: skip # noqa: D301 - click's mark for "do not wrap"
    snapshot = _snapshot(source, logs)
    from partadvisor.advise.diagnose import diagnose
    from partadvisor.render.diagnosis_text import diagnosis_text
    from partadvisor.render.html.diagnosis import diagnosis_html

    send(diagnose(snapshot), form, diagnosis_text, diagnosis_html)


def _snapshot(source: dict[str, Any], logs: tuple[Path, ...]) -> Snapshot:
    from partadvisor.io.log_file import log_snapshot, with_logs

    if logs and source["source"] is None and source["schema"] is None:
        return log_snapshot(logs)
    snapshot = load_input(**source)
    return with_logs(snapshot, logs) if logs else snapshot
