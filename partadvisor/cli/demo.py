"""``partadvisor demo``: the main job on a scratch server, with nothing decided beforehand.

The advice comes from the snapshot collected here, the migration runs while the clients keep ordering, and what was
measured before is measured again after.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from partadvisor.cli import streams
from partadvisor.cli.migrating import on_progress
from partadvisor.model.errors import CheckFailed, UsageError

if TYPE_CHECKING:
    from partadvisor.io.demo.regimes import Regime
    from partadvisor.io.demo.shop import Shop
    from partadvisor.io.pgbench import Load
    from partadvisor.model.advice import Advice, TableAdvice
    from partadvisor.model.run import DemoReport, MigrationOutcome, Run
    from partadvisor.model.snapshot import Snapshot

_WARM_UP_SECONDS = 3.0
_INTERVAL_MS = 100


@click.command("demo")
@click.option("--seconds", type=click.FloatRange(min=3), default=12.0, show_default=True, help="Length of each look.")
@click.option("--clients", type=click.IntRange(1, 140), default=64, show_default=True, help="Concurrent writers.")
@click.option(
    "--regime",
    type=click.Choice(["extension", "cpu"]),
    default="extension",
    show_default=True,
    help="What limits the load: the extension lock, or the processors.",
)
@click.option("--json", "report_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the result here.")
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path, file_okay=False), help="Folder for the files of the run."
)
@click.option(
    "--pg-bin", type=click.Path(path_type=Path, file_okay=False), help="Use the PostgreSQL programs of this folder."
)
def command(
    seconds: float, clients: int, regime: str, report_file: Path | None, folder: Path | None, pg_bin: Path | None
) -> None:
    """Show the main job on an embedded PostgreSQL: a hot order-entry load, diagnosis, advice, online migration.

    The clients keep ordering during the migration; then the load is measured again. With --regime cpu the
    processors are the limit, and the advice is not to partition.

    \b
    Example:
      partadvisor demo
      partadvisor demo --regime cpu --seconds 10
    """  # noqa: D301 - click's mark for "do not wrap"
    from partadvisor.io.binaries import find_binaries
    from partadvisor.io.demo.regimes import REGIMES
    from partadvisor.io.demo.shop import Shop
    from partadvisor.io.files import check_writable, write_file

    chosen, binaries = REGIMES[regime], find_binaries(pg_bin)
    if report_file:
        check_writable(report_file)
    _check_disk(chosen)
    folder = folder or Path(f"partadvisor-demo-{time.strftime('%Y%m%d-%H%M%S')}")
    folder.mkdir(parents=True, exist_ok=True)
    streams.emit(f"PostgreSQL {binaries.version} on a scratch server, an order-entry schema, {clients} clients.")
    streams.emit(f"Regime {chosen.name}: {chosen.why}.\n")
    with Shop(binaries, chosen) as shop:
        report = _run(shop, folder, clients, seconds)
    if report_file:
        from partadvisor.render.json import json_text

        write_file(report_file, json_text(report).encode())
    streams.emit(f"\nThe files of this run (snapshots, plan, numbered SQL) are in {folder}/")
    if report.lost_rows or report.duplicated_rows:
        raise CheckFailed(f"the ledger differs: {report.lost_rows} rows lost, {report.duplicated_rows} duplicated")


def _check_disk(regime: Regime) -> None:
    place = tempfile.gettempdir()
    free = shutil.disk_usage(place).free
    if free < regime.disk_bytes:
        raise UsageError(
            f"the demo may write {regime.disk_bytes / 1e9:.0f} GB, and {place} has {free / 1e9:.0f} GB free",
            hint="Name a roomier place with TMPDIR=…, or use --regime cpu.",
        )


def _run(shop: Shop, folder: Path, clients: int, seconds: float) -> DemoReport:
    with streams.progress("demo") as report:
        report("loading the schema", None)
        shop.load_schema()
    with shop.clients(folder / "load", clients) as load:
        before, snapshot = _look(shop, load, folder / "before.json", seconds, "before", None)
        advice = _show_advice(snapshot)
        hot = _to_partition(advice)
        if hot is None:
            after, outcome = None, None
        else:
            outcome = _migrate(shop, load, snapshot, hot, folder / "migration")
            after, _later = _look(shop, load, folder / "after.json", seconds, "after", outcome.scheme)
        load.check()
    return _close(shop, before, after, advice, outcome)


def _look(shop: Shop, load: Load, file: Path, seconds: float, name: str, scheme: str | None) -> tuple[Run, Snapshot]:
    """Watch the server for a while, as any user would, and measure the clients over the same time."""
    from partadvisor.io.collect.run import CollectOptions, collect
    from partadvisor.io.snapshot_file import write_snapshot

    time.sleep(_WARM_UP_SECONDS)
    load.check()
    start = time.time()
    with streams.progress(f"measuring {name}") as report:
        snapshot = collect(shop.dsn, CollectOptions(duration=seconds, interval_ms=_INTERVAL_MS), progress=report)
    end = start + (snapshot.window.seconds if snapshot.window else seconds)
    write_snapshot(file, snapshot)
    load.check()
    return _measured(load, snapshot, name, scheme, start, end), snapshot


def _measured(load: Load, snapshot: Snapshot, name: str, scheme: str | None, start: float, end: float) -> Run:
    from partadvisor.advise.waits import event_shares
    from partadvisor.io.pgbench import wait_for_log
    from partadvisor.model.run import MeasuredWait, Run

    wait_for_log()
    seen = load.latencies(start, end)
    window = snapshot.window
    extends = window.io.extend_ops / window.seconds if window and window.io else None
    shares = event_shares(window.samples) if window else {}
    return Run(
        name=name,
        scheme=scheme,
        tps=seen.tps,
        p50=seen.p50,
        p95=seen.p95,
        p99=seen.p99,
        waits=tuple(MeasuredWait(wait_class=event, share=share) for event, share in shares.items()),
        extends_per_second=extends,
    )


def _show_advice(snapshot: Snapshot) -> Advice:
    from partadvisor.advise.advise import advise
    from partadvisor.render.advice_text import advice_text
    from partadvisor.render.diagnosis_text import diagnosis_text

    advice = advise(snapshot)
    _heading("Diagnosis")
    width, colour = streams.output_width(), streams.colour_wanted(sys.stdout)
    streams.emit(diagnosis_text(advice.diagnosis, width=width, colour=colour))
    _heading("Advice")
    streams.emit(advice_text(advice, width=width, colour=colour))
    return advice


def _heading(text: str) -> None:
    from partadvisor.render.style import Style

    line = f"── {text} " + "─" * (streams.output_width() - len(text) - 4)
    streams.emit("\n" + Style(streams.colour_wanted(sys.stdout)).cyan(line) + "\n")


def _to_partition(advice: Advice) -> TableAdvice | None:
    return next((table for table in advice.tables if table.recommended is not None), None)


def _migrate(shop: Shop, load: Load, snapshot: Snapshot, hot: TableAdvice, folder: Path) -> MigrationOutcome:
    from partadvisor.io.migrate.apply import apply
    from partadvisor.io.migrate.progress import ApplyOptions
    from partadvisor.io.plan_files import write_plan
    from partadvisor.model.run import MigrationOutcome
    from partadvisor.pg.scheme_text import parse_scheme
    from partadvisor.planner.plan import plan_migration
    from partadvisor.render.plan_text import plan_text

    scheme = next(c.scheme for c in hot.candidates if c.rank == hot.recommended)
    # The demonstration is about doing it under load, however small its table still is.
    strategy = "ahead" if parse_scheme(scheme).is_ahead else "copy"
    plan = plan_migration(snapshot, hot.table, parse_scheme(scheme), strategy)
    write_plan(plan, folder)
    _heading("Plan")
    streams.emit(plan_text(plan))
    # The ledger is the second comparison: all orders, at the end.
    options = ApplyOptions(pause=0.0, max_slowdown=None, second_comparison=False)
    with streams.progress("apply, while the clients keep ordering") as report:
        done = apply(folder, shop.dsn, progress=on_progress(report), options=options)
    load.check()
    with streams.progress("apply --finish") as report:
        finished = apply(folder, shop.dsn, finish=True, progress=on_progress(report), options=options)
    return MigrationOutcome(
        strategy=done.strategy,
        scheme=done.scheme,
        longest_block_ms=max(done.longest_block_ms, finished.longest_block_ms),
        rows_copied=done.rows_copied,
        seconds=done.seconds + finished.seconds,
    )


def _close(shop: Shop, before: Run, after: Run | None, advice: Advice, outcome: MigrationOutcome | None) -> DemoReport:
    from partadvisor.model.run import DemoReport
    from partadvisor.render.demo_text import before_after_text

    with streams.progress("demo") as progress:
        progress("comparing every order with its lines", None)
        ledger = shop.ledger()
    report = DemoReport(
        regime=shop.regime.name,
        before=before,
        after=after,
        advice=advice,
        migration=outcome,
        lost_rows=ledger.lost,
        duplicated_rows=ledger.duplicated,
    )
    _heading("Measured" if after is None else "Before and after")
    streams.emit(before_after_text(report, colour=streams.colour_wanted(sys.stdout)))
    return report
