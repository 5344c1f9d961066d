"""A shop under load on a scratch server: warehouses, districts, customers, orders, order lines, history.

Each order is one transaction that inserts its row in ``orders`` and all its lines in ``order_line``. The ``orders``
row keeps the number and the sum of the lines, written in the same transaction: that is the ledger the lines are
compared with afterwards.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from partadvisor.io.binaries import Binaries
from partadvisor.io.demo.regimes import Regime
from partadvisor.io.pgbench import Load
from partadvisor.io.server import Server, start_server
from partadvisor.model.base import Value

DATABASE = "shop"
_FOLDER = Path(__file__).parent
_SCHEMA = _FOLDER / "schema.sql"
_LEDGER = _FOLDER / "ledger.sql"


class LedgerDifference(Value, frozen=True, kw_only=True):
    """What the ledger says: lines that are missing, lines that are there twice or belong to no order."""

    orders: int
    lines: int
    lost: int
    duplicated: int


class Shop:
    """A started server with the schema loaded. Use in a ``with`` statement."""

    def __init__(self, binaries: Binaries, regime: Regime) -> None:
        self.regime = regime
        self.server: Server = start_server(binaries, settings=regime.settings, preload=["pg_stat_statements"])
        self.dsn = self.server.dsn(DATABASE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.close()

    def load_schema(self) -> None:
        """Make the tables and fill them for the regime."""
        self.server.create_database(DATABASE)
        self.server.execute("CREATE EXTENSION pg_stat_statements", DATABASE)
        for statement in _SCHEMA.read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                self.server.execute(self.regime.fill_in(statement), DATABASE)

    def clients(self, folder: Path, clients: int) -> Load:
        """The load of the regime, not yet started."""
        script = folder.resolve() / "clients.pgbench"
        folder.mkdir(parents=True, exist_ok=True)
        script.write_text(self.regime.fill_in((_FOLDER / self.regime.script).read_text(encoding="utf-8")))
        return Load(self.server, DATABASE, {script: 1}, folder, clients=clients)

    def ledger(self) -> LedgerDifference:
        """Compare every order's lines with what its own transaction wrote down."""
        rows = self.server.execute(_LEDGER.read_text(encoding="utf-8"), DATABASE)
        orders, lines, lost, duplicated = (int(n) for n in rows[0])
        return LedgerDifference(orders=orders, lines=lines, lost=lost, duplicated=duplicated)
