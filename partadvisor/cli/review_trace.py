"""``partadvisor review --trace``: the scripts are run on a scratch server as well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from partadvisor.cli import streams

if TYPE_CHECKING:
    from partadvisor.io.scripts import Script
    from partadvisor.model.finding import Review

_EMPTY = "nothing was there before the scripts: give the schema with --snapshot or --schema"


def traced(
    review: Review, scripts: list[Script], snapshot: Path | None, schema: Path | None, in_transaction: bool | None
) -> Review:
    """The review with what the scripts were seen to do."""
    import msgspec

    from partadvisor.io.scripts import read_scripts
    from partadvisor.io.snapshot_file import read_snapshot
    from partadvisor.io.trace.run import trace_scripts

    streams.note("running the scripts on a scratch server")
    trace = trace_scripts(
        scripts,
        review,
        schema=(schema, next(read_scripts((str(schema),))).text) if schema else None,
        snapshot=read_snapshot(snapshot) if snapshot else None,
        in_transaction=in_transaction,
    )
    if snapshot is None and schema is None:
        trace = msgspec.structs.replace(trace, notes=(_EMPTY, *trace.notes))
    major = int(trace.server_version.partition(".")[0])
    if major not in review.target_versions:
        note = f"the scratch server is not one of the versions reviewed for: {major}"
        trace = msgspec.structs.replace(trace, notes=(note, *trace.notes))
    return msgspec.structs.replace(review, trace=trace)
