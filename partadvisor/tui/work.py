"""The work behind the stages, as functions that run in a thread: the same calls that the commands make.

Each gives a ``Finished`` whose change is applied to the state of that later moment.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from partadvisor.model.advice import TableAdvice
from partadvisor.model.errors import UsageError
from partadvisor.model.plan import ApplyReport, MigrationPlan
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.tui.messages import Finished
from partadvisor.tui.state import Opening, Walk

if TYPE_CHECKING:
    from partadvisor.io.migrate.progress import OnProgress  # loads the driver

Report = Callable[[str, float | None], None]
Stop = Callable[[], bool]
Seen = Callable[[dict[str, int]], None]


def open_source(opening: Opening, report: Report, stop: Stop, seen: Seen) -> Finished:
    """Read or collect a snapshot, diagnose it and advise on it."""
    from partadvisor.io.source import is_dsn

    live = opening.source is not None and is_dsn(opening.source)
    snapshot = _watched(opening, report, stop, seen) if live else _read(opening, report)
    return _answered(snapshot, opening.source if live else None, _name(opening, snapshot, live=live), report)


def _watched(opening: Opening, report: Report, stop: Stop, seen: Seen) -> Snapshot:
    from partadvisor.io.collect.run import CollectOptions, collect

    options = CollectOptions(
        duration=opening.duration, queries=opening.queries, log_line_prefix=opening.log_line_prefix
    )
    return collect(opening.source or "", options, progress=report, stop=stop, seen=seen)


def _read(opening: Opening, report: Report) -> Snapshot:
    if opening.schema is not None:
        from partadvisor.io.offline import offline_snapshot

        return offline_snapshot(
            opening.schema,
            opening.queries,
            opening.stats,
            pg_bin=opening.pg_bin,
            log_line_prefix=opening.log_line_prefix,
            progress=report,
        )
    from partadvisor.io.snapshot_file import read_snapshot

    report("reading the snapshot", None)
    return read_snapshot(Path(opening.source or "").expanduser())


def _name(opening: Opening, snapshot: Snapshot, *, live: bool) -> str:
    """The source in words without secrets."""
    if live:
        return f"database {snapshot.server.database}"
    return str(opening.schema or opening.source or "")


def _answered(snapshot: Snapshot, dsn: str | None, name: str, report: Report) -> Finished:
    from partadvisor.advise.advise import advise_on, workload_of

    report("analysing the statements", None)
    workload = workload_of(snapshot)
    report("scoring partition keys", None)
    advice = advise_on(snapshot, workload)
    first = next((t for t in advice.tables if t.recommended is not None), next(iter(advice.tables), None))
    scheme = None if first is None else _recommended(first)
    fresh = Walk(
        source=name, dsn=dsn, snapshot=snapshot, workload=workload, diagnosis=advice.diagnosis, advice=advice,
        table=first.table if first else None, scheme=scheme,
    )  # fmt: skip

    def change(walk: Walk) -> Walk:
        """A new snapshot: plan, script and exports stay, as stale ones."""
        return msgspec.structs.replace(
            fresh, plan=walk.plan, plan_of=walk.plan_of and ("", "", ""), plan_dir=walk.plan_dir, script=walk.script,
            script_file=walk.script_file, review=walk.review, review_of=walk.review_of, exported=walk.exported,
            exported_of=walk.exported_of,
        )  # fmt: skip

    return Finished("source", change, f"{len(snapshot.relations)} relations read")


def _recommended(table: TableAdvice) -> str | None:
    from partadvisor.render.overview_text import chosen_of

    chosen = chosen_of(table)
    return chosen.scheme if chosen else None


def _opened(walk: Walk) -> tuple[Snapshot, Workload]:
    if walk.snapshot is None or walk.workload is None:
        raise UsageError("no source is open", hint="Open one in stage source.")
    return walk.snapshot, walk.workload


def advise_table(walk: Walk, table: str, keys: tuple[str, ...]) -> Finished:
    """The answer for one table with the user's own schemes; the last of them becomes the chosen one."""
    from partadvisor.advise.advise import advise_on
    from partadvisor.pg.scheme_text import parse_scheme, scheme_text

    snapshot, workload = _opened(walk)
    keys = tuple(dict.fromkeys(scheme_text(parse_scheme(text)) for text in keys))
    advice = advise_on(snapshot, workload, table=table, keys=keys)
    found = next(t for t in advice.tables)

    def change(now: Walk) -> Walk:
        others = [t for t in (now.advice.tables if now.advice else ()) if t.table != found.table]
        known = now.advice or advice
        names = [t.table for t in known.tables]
        place = names.index(found.table) if found.table in names else len(others)
        tables = (*others[:place], found, *others[place:])
        scheme = keys[-1] if keys else _recommended(found)
        return msgspec.structs.replace(
            now, advice=msgspec.structs.replace(known, tables=tables), table=found.table, scheme=scheme, keys=keys
        )

    return Finished("candidates", change, f"{found.table}: {len(found.candidates)} candidates")


def make_plan(walk: Walk) -> Finished:
    """The migration plan for the chosen scheme."""
    from partadvisor.pg.scheme_text import parse_scheme
    from partadvisor.planner.plan import plan_migration

    wanted = walk.wanted_plan
    if walk.snapshot is None or wanted is None:
        raise UsageError("no scheme is chosen", hint="Choose one in stage candidates, or type your own there.")
    plan = plan_migration(walk.snapshot, wanted[0], parse_scheme(wanted[1]), wanted[2])

    def change(now: Walk) -> Walk:
        return msgspec.structs.replace(now, plan=plan, plan_of=wanted, plan_dir=None)

    return Finished("migration", change, f"plan {plan.plan_id}: {len(plan.steps)} steps by strategy {plan.strategy}")


def review_script(walk: Walk, file: str, text: str | None) -> Finished:
    """Review a script against the snapshot's tables, or without any."""
    from partadvisor.io.scripts import read_scripts
    from partadvisor.lint.catalog import of_snapshot
    from partadvisor.lint.context import Versions
    from partadvisor.lint.engine import ALL_VERSIONS, Options, review_text
    from partadvisor.model.finding import Review

    if text is None:
        read = next(iter(read_scripts((str(Path(file).expanduser()),))))
        file, text = read.file, read.text
    versions, options = ALL_VERSIONS, Options()
    if walk.snapshot is not None:
        server = walk.snapshot.server
        limit = server.settings.get("max_locks_per_transaction", "")
        versions = Versions(oldest=server.major, newest=server.major, stated=True)
        locks = int(limit) if limit.isdigit() else None
        options = Options(versions=versions, tables=of_snapshot(walk.snapshot), max_locks=locks)
    found = review_text(file, text, options)
    review = Review(
        target_versions=tuple(range(versions.oldest, versions.newest + 1)), files=(file,), findings=found.findings,
        statements=found.statements, not_analysed=found.not_analysed, suppressed=found.suppressed,
    )  # fmt: skip
    snapshot, script, name = walk.snapshot, text, file

    def change(now: Walk) -> Walk:
        return msgspec.structs.replace(
            now, review=review, script=script, script_file=name, review_of=(id(snapshot), script)
        )

    return Finished("review", change, f"{len(found.findings)} findings")


def export(walk: Walk, kind: str, folder: Path) -> Finished:
    """Write files into a folder, which is made when absent."""
    from partadvisor.io.files import make_folder

    _opened(walk)
    make_folder(folder)
    kinds: tuple[str, ...] = ("snapshot", "advice", "diagnosis", "plan") if kind == "all" else (kind,)
    if kind == "all" and walk.plan is None:
        kinds = kinds[:-1]
    written = [_write(walk, one, folder) for one in kinds]

    def change(now: Walk) -> Walk:
        kept = now.exported if now.exported_of == now.answer else ()
        exported = tuple(dict.fromkeys((*kept, *map(str, written))))
        plan_dir = folder / "plan" if "plan" in kinds else now.plan_dir
        return msgspec.structs.replace(now, exported=exported, exported_of=now.answer, plan_dir=plan_dir)

    return Finished("export", change, f"wrote {', '.join(map(str, written))}")


def _write(walk: Walk, kind: str, folder: Path) -> Path:
    from partadvisor.io.files import write_file
    from partadvisor.io.plan_files import write_plan
    from partadvisor.io.snapshot_file import write_snapshot
    from partadvisor.render.html.advice import advice_html
    from partadvisor.render.html.diagnosis import diagnosis_html

    snapshot, _ = _opened(walk)
    if kind == "plan":
        if walk.plan is None:
            raise UsageError("there is no plan to export", hint="Go to stage migration first.")
        write_plan(walk.plan, folder / "plan")
        return folder / "plan"
    path = folder / ("snapshot.json" if kind == "snapshot" else f"{kind}.html")
    if kind == "snapshot":
        write_snapshot(path, snapshot)
    elif kind == "advice" and walk.advice is not None:
        write_file(path, advice_html(walk.advice, source=shlex.quote(str(folder / "snapshot.json"))).encode())
    elif kind == "diagnosis" and walk.diagnosis is not None:
        write_file(path, diagnosis_html(walk.diagnosis).encode())
    return path


def run_plan(plan: MigrationPlan, action: str, folder: Path, dsn: str, progress: OnProgress, stop: Stop) -> ApplyReport:
    """Write the plan's files, then do what the command of that name does: dry-run, apply, finish or rollback.

    Raises:
        PartadvisorError: as ``apply`` and ``rollback`` do.
    """
    from partadvisor.io.migrate.apply import apply
    from partadvisor.io.migrate.rollback import rollback
    from partadvisor.io.plan_files import write_plan

    write_plan(plan, folder)
    if action == "rollback":
        return rollback(folder, dsn, progress=progress, stop=stop)
    return apply(folder, dsn, dry_run=action == "dry-run", finish=action == "finish", progress=progress, stop=stop)
