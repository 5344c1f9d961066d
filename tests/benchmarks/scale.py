"""``advise`` on big snapshots: up to 1,000 tables and 10,000 query families, time and memory of the whole command.

Each size is a process of its own that reads the snapshot from a file, analyses every text, advises and writes text and
JSON. Prints the curve, and how processor time grows from the smallest size to the largest.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from partadvisor.io.snapshot_file import read_snapshot, write_snapshot
from partadvisor.model.activity import ActivitySample, ExtensionWait, StatementDelta, TableDelta, Window
from partadvisor.model.catalog import Column, ColumnStatistics, Constraint, Index, Relation
from partadvisor.model.snapshot import ServerInfo, Snapshot, Statements

SIZES = (100, 200, 400, 1000)
QUERIES_A_TABLE = 10
COLUMNS = 12
HOT = 8  # tables that share the extension queue
_SHAPES = (
    "SELECT c{a}, c{b} FROM {t} WHERE tenant = $1 AND id = $2 AND c{a} > $3 ORDER BY c{b} LIMIT $4",
    "SELECT x.c{a}, y.c{b} FROM {t} AS x JOIN {u} AS y ON x.tenant = y.tenant AND x.id = y.id WHERE x.c{a} = $1",
    "INSERT INTO {t} (tenant, id, c{a}, c{b}) VALUES ($1, $2, $3, $4) ON CONFLICT (tenant, id) DO NOTHING",
    "UPDATE {t} SET c{a} = c{a} + $1, c{b} = $2 WHERE tenant = $3 AND id = $4",
    "DELETE FROM {t} WHERE tenant = $1 AND c{a} < $2 AND c{b} IN ($3, $4, $5)",
    "SELECT count(*) FROM {t} WHERE c{a} = ANY ($1::bigint[]) AND (c{b} IS NULL OR c{b} < $2)",
    "WITH w AS (SELECT tenant, max(c{a}) AS m FROM {t} GROUP BY tenant) SELECT * FROM w JOIN {u} u USING (tenant)",
    "SELECT * FROM {t} WHERE c{a} = $1 AND c{b} BETWEEN $2 AND $3 FOR UPDATE",
)


def _column(name: str, number: int, draw: random.Random) -> Column:
    values = draw.choice((3, 50, 500, 100_000))
    common = tuple((str(v), 1 / values) for v in range(min(values, 100)))
    histogram = tuple(str(v) for v in range(0, values, max(1, values // 100))) if values > 100 else ()
    return Column(
        name=name, number=number, type="bigint", base_type="bigint", not_null=number < 3,
        statistics=ColumnStatistics(n_distinct=values, most_common=common, histogram=histogram, correlation=0.1),
    )  # fmt: skip


def _table(number: int, tables: int, draw: random.Random) -> Relation:
    name = f"t{number}"
    names = ["tenant", "id", *(f"c{i}" for i in range(COLUMNS))]
    key = Index(name=f"{name}_pkey", definition="", columns=("tenant", "id"), unique=True, primary=True)
    other = Index(name=f"{name}_c0", definition="", columns=("c0",))
    foreign = Constraint(
        name=f"{name}_fk", kind="foreign_key", definition="", columns=("tenant", "id"),
        references=f"public.t{draw.randrange(tables)}", referenced_columns=("tenant", "id"),
    )  # fmt: skip
    return Relation(
        oid=16_384 + number, schema="public", name=name, kind="table", rows=1e7, heap_bytes=10**9,
        columns=tuple(_column(n, i, draw) for i, n in enumerate(names, 1)),
        indexes=(key, other), constraints=(foreign,) if number % 3 == 0 else (),
    )  # fmt: skip


def _texts(tables: int, draw: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < tables * QUERIES_A_TABLE:
        a, b = draw.sample(range(COLUMNS), 2)
        t, u = f"t{draw.randrange(tables)}", f"t{draw.randrange(tables)}"
        found[draw.choice(_SHAPES).format(a=a, b=b, t=t, u=u)] = None
    return list(found)


def snapshot(tables: int) -> Snapshot:
    """A server with so many tables, ten times as many statements, and a queue on some of the tables."""
    draw = random.Random(7)
    relations = tuple(_table(n, tables, draw) for n in range(tables))
    hot = [f"public.t{n}" for n in range(HOT)]
    waits = tuple(ExtensionWait(relation=n, table=n, via="heap", waiters=40 // HOT, holders=1) for n in hot)
    samples = tuple(
        ActivitySample(at_ms=300.0 * i, waits={"Lock:extend": 40, "CPU": 5}, extension=waits) for i in range(200)
    )
    deltas = tuple(TableDelta(table=r.qualified_name, inserted=600_000 // (n + 1)) for n, r in enumerate(relations))
    entries = tuple(
        StatementDelta(query_id=str(n), text=text, calls=draw.random() * 1000, total_ms=draw.random() * 1e4, rows=1)
        for n, text in enumerate(_texts(tables, draw))
    )
    return Snapshot(
        tool_version="0",
        taken_at="2026-01-01T00:00:00Z",
        server=ServerInfo(version="18", version_num=180006, database="shop", cores=16),
        relations=relations,
        window=Window(
            seconds=60.0, interval_ms=300.0, started_at="2026-01-01T00:00:00Z", samples=samples, transactions=60_000,
            tables=deltas, host_cpu_busy=0.6, host_cpu_source="given",
        ),
        statements=(Statements(source="pg_stat_statements", seconds=60.0, entries=entries),),
    )  # fmt: skip


def measure(path: Path) -> None:
    """One run in this process.

    Prints seconds, processor seconds, megabytes, families, tables shown, groups, lines of text and bytes of JSON.
    """
    from partadvisor.advise.advise import advise
    from partadvisor.render.advice_text import advice_text
    from partadvisor.render.json import json_text

    start, began = time.perf_counter(), time.process_time()
    taken = read_snapshot(path)
    advice = advise(taken)
    text, data = advice_text(advice), json_text(advice)
    seconds, processor = time.perf_counter() - start, time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    entries = sum(len(s.entries) for s in taken.statements)
    lines = text.count("\n")
    print(f"{seconds} {processor} {peak} {entries} {len(advice.tables)} {len(advice.groups)} {lines} {len(data)}")


def main() -> None:
    """Print the curve."""
    print("tables  families  seconds  CPU s  MB peak  CPU ms a table  shown  groups  lines  JSON kB")
    curve: list[tuple[int, float]] = []
    for tables in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "snapshot.json"
            write_snapshot(path, snapshot(tables))
            command = [sys.executable, "-m", "tests.benchmarks.scale", str(path)]
            said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        seconds, processor, peak, entries, shown, groups, lines, data = (float(word) for word in said)
        curve.append((tables, processor))
        print(
            f"{tables:6} {entries:9,.0f} {seconds:8.2f} {processor:6.2f} {peak:8.0f} "
            f"{1000 * processor / tables:15.1f} {shown:6.0f} {groups:7.0f} {lines:6.0f} {data / 1000:8.0f}"
        )
    (least, fewest), (most, longest) = curve[0], curve[-1]
    print(
        f"{most // least} times the tables: {longest / fewest:.1f} times the processor time "
        "(limit for 1,000: 20 s, 700 MB)"
    )


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
