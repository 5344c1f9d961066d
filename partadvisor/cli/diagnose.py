"""``partadvisor diagnose``: where the time goes."""

from __future__ import annotations

from typing import Any

import click

from partadvisor.cli.formats import report_format_option, send
from partadvisor.cli.inputs import input_options, load_input


@click.command("diagnose")
@input_options
@report_format_option
def command(form: str, **source: Any) -> None:
    """Show where active sessions spend their time, per wait class and per table, and what would help.

    INPUT is a snapshot file or a DSN. The verdict names the limit: extension lock, storage reads, WAL, row locks,
    index leaf, lock manager, CPU, client, or nothing at all.

    \b
    Example:
      partadvisor diagnose shop.json
      partadvisor diagnose "host=db1 dbname=shop" --duration 30
      partadvisor diagnose shop.json --format html > diagnosis.html
    """  # noqa: D301 - click's mark for "do not wrap"
    snapshot = load_input(**source)
    from partadvisor.advise.diagnose import diagnose
    from partadvisor.render.diagnosis_text import diagnosis_text
    from partadvisor.render.html.diagnosis import diagnosis_html

    send(diagnose(snapshot), form, diagnosis_text, diagnosis_html)
