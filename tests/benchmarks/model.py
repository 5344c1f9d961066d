"""The throughput model against measurement: clients × rows a statement × regime × partitions, in one run.

Each cell measures the plain table and three partitioned ones in turns; the prediction is made from what a collector
sees on the plain table before the others have run. None of these cells was used to set the model's constants.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import msgspec

from partadvisor.advise.advise import advise
from partadvisor.io.binaries import find_binaries
from partadvisor.io.prove.build import ROLE, make_role
from partadvisor.io.prove.measure import Round, measure
from partadvisor.io.server import Server, start_server
from partadvisor.model.diagnosis import GainLimit
from tests.benchmarks.lab import Delays, SlowIo

SCHEMES = {
    "hash(w_id) into 4": ("w_id", 4),
    "hash(w_id) into 16": ("w_id", 16),
    "hash(n) into 8": ("n", 8),
}
CLIENTS = (8, 32, 128)
ROWS = (1, 20)
TURNS = 2
SECONDS = 3.0
_PLAIN = "plain"
_TABLE = (
    "CREATE TABLE line (w_id int NOT NULL, o_id bigint NOT NULL, n int NOT NULL, pad text,"
    " PRIMARY KEY (w_id, o_id, n)){key} {options}"
)
_COMMON = {"max_wal_size": "16GB", "checkpoint_timeout": "1h", "track_io_timing": "on", "max_connections": "150"}


class Regime(msgspec.Struct, frozen=True, kw_only=True):
    """Settings, delays and row width that put the limit somewhere else."""

    name: str
    settings: dict[str, str]
    delays: Delays = Delays()
    row_bytes: int = 60
    options: str = ""


REGIMES = (
    Regime(
        name="dear extension",
        settings={"shared_buffers": "512MB", "synchronous_commit": "off"},
        delays=Delays(extend=1500, extend_page=300),
        row_bytes=200,
    ),
    Regime(
        name="one page at a time",
        settings={"shared_buffers": "16MB", "synchronous_commit": "off"},
        row_bytes=1800,
        options="WITH (fillfactor = 50)",
    ),
    Regime(name="dear flush", settings={"shared_buffers": "256MB"}, delays=Delays(sync=4000)),
    Regime(name="busy CPU", settings={"shared_buffers": "512MB", "synchronous_commit": "off"}),
)


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration with its outcome; ratios are to the plain table."""

    regime: str
    clients: int
    rows: int
    scheme: str
    predicted: GainLimit
    measured: float
    verdict: str

    @property
    def error(self) -> float:
        """Relative error of the expected ratio."""
        return abs(self.predicted.expected / self.measured - 1)

    @property
    def inside(self) -> bool:
        """Whether the measured ratio lies in the predicted range."""
        return self.predicted.low <= self.measured <= self.predicted.high


def main() -> None:
    """Measure and print the whole table, then what the model is judged by."""
    if shutil.which("gcc") is None:
        sys.exit("the lab needs gcc")
    cells: list[Cell] = []
    print(f"{'regime':20}{'clients':>8}{'rows':>5}  {'scheme':22}{'low':>6}{'exp':>6}{'high':>6}{'meas':>6}  verdict")
    for regime in REGIMES:
        for cell in _regime(regime):
            cells.append(cell)
            print(_line(cell), flush=True)
    _judge(cells)


def _line(cell: Cell) -> str:
    p = cell.predicted
    mark = "" if cell.inside else "  outside"
    return (
        f"{cell.regime:20}{cell.clients:8}{cell.rows:5}  {cell.scheme:22}{p.low:6.2f}{p.expected:6.2f}{p.high:6.2f}"
        f"{cell.measured:6.2f}  {cell.verdict}{mark}"
    )


def _judge(cells: list[Cell]) -> None:
    errors = [c.error for c in cells]
    promised = [c for c in cells if c.predicted.expected > 1.3 and c.measured < 1.1]
    print(f"configurations {len(cells)}")
    print(f"median absolute error of the ratio {median(errors):.1%}, largest {max(errors):.0%}")
    print(f"measured inside the predicted range {sum(c.inside for c in cells) / len(cells):.0%}")
    ranks = kendall([c.predicted.expected for c in cells], [c.measured for c in cells])
    print(f"Kendall tau of predicted and measured ratio {ranks:.2f}")
    print(f"gains above 1.3 promised where less than 1.1 was measured: {len(promised)}")


def kendall(a: list[float], b: list[float]) -> float:
    """Kendall's tau-b."""
    same, ties_a, ties_b, pairs = 0, 0, 0, 0
    for (x1, y1), (x2, y2) in itertools.combinations(zip(a, b, strict=True), 2):
        product = (x1 - x2) * (y1 - y2)
        same += (product > 0) - (product < 0)
        ties_a += x1 == x2
        ties_b += y1 == y2
        pairs += 1
    return float(same / ((pairs - ties_a) * (pairs - ties_b)) ** 0.5)


def _regime(regime: Regime) -> Iterator[Cell]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        slow = SlowIo(folder)
        with slow.loaded():
            server = start_server(
                find_binaries(), settings={**_COMMON, **regime.settings}, preload=["pg_stat_statements"]
            )
        with server:
            _build(server, regime)
            slow.set(regime.delays)
            for rows, clients in itertools.product(ROWS, CLIENTS):
                yield from _cells(server, regime, folder, clients, rows)


def _build(server: Server, regime: Regime) -> None:
    make_role(server)
    for database, (column, count) in {_PLAIN: ("", 0), **SCHEMES}.items():
        server.create_database(database)
        server.execute("CREATE EXTENSION pg_stat_statements", database)
        key = f" PARTITION BY HASH ({column})" if count else ""
        server.execute(_TABLE.format(key=key, options="" if count else regime.options), database)
        for number in range(count):
            bound = f"FOR VALUES WITH (MODULUS {count}, REMAINDER {number}) {regime.options}"
            server.execute(f"CREATE TABLE line_{number} PARTITION OF line {bound}", database)
        server.execute("CREATE SEQUENCE numbers CACHE 50", database)
        server.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {ROLE}", database)
        server.execute(f"GRANT ALL ON SEQUENCE numbers TO {ROLE}", database)


def _script(regime: Regime, rows: int) -> str:
    """One statement: the warehouse is the same in all its rows, the number differs."""
    insert, pad = "INSERT INTO line (w_id, o_id, n, pad)", f"repeat('x', {regime.row_bytes})"
    if rows == 1:
        draw = "\\set n random(1, 15)\n"
        values = f"VALUES (:w, nextval('numbers'), :n, {pad})"
    else:
        draw = ""
        values = f"SELECT :w, (SELECT nextval('numbers')), n, {pad} FROM generate_series(1, {rows}) AS n"
    return f"\\set w random(1, 50)\n{draw}{insert} {values};\n"


def _cells(server: Server, regime: Regime, folder: Path, clients: int, rows: int) -> Iterator[Cell]:
    script = folder / f"{rows}.sql"
    script.write_text(_script(regime, rows))
    rounds: dict[str, list[Round]] = {database: [] for database in (_PLAIN, *SCHEMES)}
    for database in rounds:
        server.execute("TRUNCATE line", database)
        server.execute("SELECT pg_stat_statements_reset()", database)
    for turn, database in itertools.product(range(TURNS), rounds):
        place = folder / f"{clients}-{rows}-{turn}-{database.replace(' ', '_')}"
        rounds[database].append(
            measure(
                server, database, {script: 1}, place, name=database, scheme=None, clients=clients, seconds=SECONDS,
                progress=lambda _what, _share: None,
            )
        )  # fmt: skip
    advice = advise(rounds[_PLAIN][0].snapshot, table="public.line", keys=list(SCHEMES), top=1, clients=clients)
    predicted = {c.scheme: c.throughput_ratio for c in advice.tables[0].candidates}
    for scheme in SCHEMES:
        ratios = [b.run.tps / a.run.tps for a, b in zip(rounds[_PLAIN], rounds[scheme], strict=True)]
        yield Cell(
            regime=regime.name, clients=clients, rows=rows, scheme=scheme, predicted=predicted[scheme],
            measured=median(ratios), verdict=advice.diagnosis.verdict,
        )  # fmt: skip
