"""``prove``: builds the variants, lets them take turns under the replayed workload, compares with the prediction.

The prediction is made from what a collector sees on the *baseline of the scratch server*, before any candidate has
run: only so do the two numbers speak of the same machine. What the snapshot predicts for its own server stands beside.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from partadvisor.advise.advise import advise
from partadvisor.advise.monotone import monotone_columns
from partadvisor.io.binaries import find_binaries
from partadvisor.io.connect import connect
from partadvisor.io.prove.build import ROLE, bare, build_variant, left_out, make_role, variant_layout
from partadvisor.io.prove.measure import Round, measure
from partadvisor.io.prove.options import BASELINE, ProveOptions
from partadvisor.io.prove.report import Predicted, prove_report
from partadvisor.io.prove.settings import scratch_settings
from partadvisor.io.prove.types import parameter_types
from partadvisor.io.server import Server, start_server
from partadvisor.model.errors import UsageError
from partadvisor.model.proof import ProveReport
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import QueryFamily, Workload
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.sql.names import SchemaNames
from partadvisor.workload.families import build_workload
from partadvisor.workload.replay.replay import Replay, heaviest, replay, tables_of
from partadvisor.workload.replay.tables import TableValues, table_values, unmakeable

_NOTHING_KNOWN = 100_000
"""Rows of a table of unknown size."""

Progress = Callable[[str, float | None], None]


class _Variant(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    scheme: str | None
    database: str


class _Step(msgspec.Struct, frozen=True):
    """Progress of one turn as part of the whole."""

    progress: Progress
    what: str
    turn: int
    turns: int

    def __call__(self, stage: str, share: float | None) -> None:
        """Only the watching takes time; what a collector does before and after it would jump back."""
        if stage == "sampling":
            self.progress(self.what, (self.turn + (share or 0.0)) / self.turns)


def prove(
    snapshot: Snapshot, table: str, schemes: Sequence[str], options: ProveOptions, *, progress: Progress
) -> ProveReport:
    """Measures the table as it is against each scheme.

    Args:
        snapshot: with statements that use the table.
        table: ``schema.table``.
        schemes: candidates as text, feasible ones.
        options: how long and how large.
        progress: called with what is being done, and how far that is (0..1) when known.

    Raises:
        UsageError: no statement of the table is known, or its rows cannot be made up.
        CheckFailed: a client of the load met an error.
        ServerError: the scratch server did not start, or went away.
    """
    workload = build_workload(snapshot.statements, SchemaNames.from_relations(snapshot.relations))
    families = heaviest(workload.families, table)
    if not families:
        raise UsageError(
            f"no statement of the workload uses table {table}",
            hint="Collect with pg_stat_statements installed, or give statements with --queries.",
        )
    tables = _tables(snapshot, families, table, options.rows)
    variants = [
        _Variant(name=BASELINE, scheme=None, database=BASELINE),
        *(_Variant(name=s, scheme=s, database=f"candidate_{n}") for n, s in enumerate(schemes, start=1)),
    ]
    with (
        start_server(
            find_binaries(options.pg_bin),
            settings=scratch_settings(snapshot, options.clients),
            preload=["pg_stat_statements"],
        ) as server,
        tempfile.TemporaryDirectory(prefix="partadvisor-prove-") as folder,
    ):
        notes = _build(server, variants, tables, table, list(snapshot.server.extensions), progress)
        found = _replay(server, families, _calls(workload, table), tables)
        files = _written(found, Path(folder))
        rounds, predicted = _take_turns(server, variants, files, Path(folder), table, options, progress)
        version = server.execute("SHOW server_version")[0][0]
    yours = _predicted(snapshot, table, schemes, options.clients) if _was_measured(snapshot) else None
    notes = [*_taken_away(snapshot, list(tables)), *notes]
    return prove_report(table, version, options, tables, rounds, predicted, yours, found, notes)


def _tables(snapshot: Snapshot, families: Sequence[QueryFamily], table: str, most: int) -> dict[str, TableValues]:
    made = {}
    for name in dict.fromkeys((table, *tables_of(families))):
        relation = snapshot.relation(name)
        if relation is None or relation.kind not in ("table", "partitioned_table"):
            continue
        recent = snapshot.rows_of(name)
        rows = max(1, min(most, round(relation.rows) if relation.rows > 0 else _NOTHING_KNOWN))
        plain = msgspec.structs.replace(bare(relation), parent=None, partition_key=None, kind="table")
        made[name] = table_values(plain, recent, monotone_columns(relation, recent), rows)
        bad = unmakeable(made[name])
        if bad:
            raise UsageError(
                f"values of column {bad[0].name} of table {name} cannot be made up",
                detail=f"It is of type {bad[0].type} and has no statistics with plain values.",
            )
    return made


def _calls(workload: Workload, table: str) -> float:
    own = (f for f in workload.families if f.pattern and any(t.table == table for t in f.pattern.tables))
    return sum(f.calls if f.calls_per_second is None else f.calls_per_second for f in own)


def _build(
    server: Server,
    variants: Sequence[_Variant],
    tables: dict[str, TableValues],
    table: str,
    extensions: Sequence[str],
    progress: Progress,
) -> list[str]:
    make_role(server)
    notes: list[str] = []
    for number, variant in enumerate(variants):
        layouts = {} if variant.scheme is None else {table: variant_layout(parse_scheme(variant.scheme), tables[table])}
        done = number / len(variants)
        made = build_variant(server, variant.database, list(tables.values()), layouts, extensions, progress, done)
        notes += [note for note in made if note not in notes]
    # one for all, and no other soon: pages written whole after it would weigh on whoever runs next
    server.execute("CHECKPOINT")
    return notes


def _replay(server: Server, families: Sequence[QueryFamily], calls: float, tables: dict[str, TableValues]) -> Replay:
    with connect(server.dsn(BASELINE, ROLE), read_only=False) as connection:
        found = replay(families, calls, tables, parameter_types(connection))
    if not found.scripts:
        reasons = "; ".join(f"{one.name}: {one.reason}" for one in found.skipped[:3])
        raise UsageError("no statement of the table can be replayed", detail=f"{reasons}.")
    return found


def _written(found: Replay, folder: Path) -> dict[Path, int]:
    files = {}
    for number, (script, weight) in enumerate(zip(found.scripts, found.weights, strict=True)):
        file = folder / f"{number}.pgbench"
        file.write_text(script.text + "\n", encoding="utf-8")
        files[file] = weight
    return files


def _take_turns(
    server: Server,
    variants: Sequence[_Variant],
    files: dict[Path, int],
    folder: Path,
    table: str,
    options: ProveOptions,
    progress: Progress,
) -> tuple[dict[str, list[Round]], Predicted]:
    """A B C, A B C …: what drifts on the machine drifts for all. The prediction follows the first baseline."""
    rounds: dict[str, list[Round]] = {v.name: [] for v in variants}
    schemes = [v.scheme for v in variants if v.scheme is not None]
    total = options.rounds * len(variants)
    for turn in range(total):
        variant = variants[turn % len(variants)]
        step = _Step(progress, f"round {turn // len(variants) + 1} of {options.rounds}: {variant.name}", turn, total)
        rounds[variant.name].append(
            measure(
                server,
                variant.database,
                files,
                folder / str(turn),
                name=variant.name,
                scheme=variant.scheme,
                clients=options.clients,
                seconds=options.seconds / options.rounds,
                progress=step,
            )
        )
        if turn == 0:
            predicted = _predicted(rounds[BASELINE][0].snapshot, table, schemes, options.clients)
    return rounds, predicted


def _predicted(snapshot: Snapshot, table: str, schemes: Sequence[str], clients: int) -> Predicted:
    found = advise(snapshot, table=table, keys=schemes, top=1, clients=clients)
    by_scheme = {parse_scheme(c.scheme): c.throughput_ratio for c in found.tables[0].candidates}
    return Predicted(
        limit=found.diagnosis.verdict, ratios={scheme: by_scheme[parse_scheme(scheme)] for scheme in schemes}
    )


def _was_measured(snapshot: Snapshot) -> bool:
    return bool((snapshot.window and snapshot.window.samples) or (snapshot.assumed and snapshot.assumed.waits))


def _taken_away(snapshot: Snapshot, names: Sequence[str]) -> list[str]:
    """What the copies of these tables lack, in sentences."""
    relations = [r for name in names if (r := snapshot.relation(name)) is not None]
    return [f"{r.qualified_name} without {', '.join(left_out(r))}." for r in relations if left_out(r)]
