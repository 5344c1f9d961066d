"""A scratch PostgreSQL server: started in a second, private, and gone afterwards whatever happens.

The shadow planner, ``prove``, ``review --trace``, ``demo`` and the tests run on it. It listens on a Unix
socket only, in a directory of its own that only its account (and root) can enter.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from partadvisor.io import keeper
from partadvisor.io.account import Account, can_use, copy_installation, server_account
from partadvisor.io.binaries import Binaries
from partadvisor.model.errors import ServerError, UsageError
from partadvisor.pg.quote import quote_ident

SUPERUSER = "postgres"
_SOCKET_PATH_MAX = 103  # bytes, sun_path without its NUL on macOS; 107 on Linux
_LOG_TAIL_LINES = 20

StopMode = Literal["fast", "immediate"]


def start_server(
    binaries: Binaries,
    *,
    settings: Mapping[str, str] | None = None,
    preload: Sequence[str] = (),
    data_dir: Path | None = None,
    port: int = 5432,
    initdb: Sequence[str] = (),
) -> Server:
    """Makes a database cluster, starts a server on it and waits until it takes connections.

    Use the result in a ``with`` statement, or call its ``close``.

    Args:
        binaries: what to run.
        settings: configuration parameters, given on the server's command line.
        preload: ``shared_preload_libraries``.
        data_dir: where to keep the cluster (made there when absent or empty); by default a temporary
            directory that ``close`` removes.
        port: only names the socket, unless ``settings`` has ``listen_addresses``.
        initdb: further options of ``initdb``.

    Raises:
        ServerError: initdb failed or the server did not start; the detail has the end of its log.
        UsageError: ``data_dir`` holds something else, or we are root and cannot become another user.
    """
    account = server_account()
    scratch = _scratch_dir(account)
    server = Server(binaries, account, scratch, data_dir, port, _parameters(settings, preload), initdb)
    try:
        server.restart()
    except BaseException:
        server.close()
        raise
    return server


def _parameters(settings: Mapping[str, str] | None, preload: Sequence[str]) -> dict[str, str]:
    libraries = {"shared_preload_libraries": ",".join(preload)} if preload else {}
    return {**libraries, **(settings or {})}


def _scratch_dir(account: Account | None) -> Path:
    """A new private directory, short enough for a socket and owned by the server's account."""
    base = Path(tempfile.gettempdir()).resolve()
    if len(os.fsencode(base)) + len("/partadvisor-12345678/.s.PGSQL.65535.lock") > _SOCKET_PATH_MAX or not can_use(
        base, account
    ):
        base = Path("/tmp").resolve()  # noqa: S108  (mkdtemp below makes the private directory in it)
    scratch = Path(tempfile.mkdtemp(prefix="partadvisor-", dir=base))
    _give(scratch, account)
    return scratch


def _give(directory: Path, account: Account | None) -> None:
    """Makes an empty directory the account's own."""
    if account is None:
        return
    try:
        os.chown(directory, account.uid, account.gid)
    except OSError as error:
        directory.rmdir()
        raise UsageError(
            "cannot run a server as another user than root",
            detail=f'Giving "{directory}" to user {account.uid} failed: {error.strerror}.',
            hint="Run partadvisor as an unprivileged user.",
        ) from error


class Server:
    """A scratch server. ``data_dir`` and ``log_path`` may be read while it is stopped, until ``close``."""

    def __init__(
        self,
        binaries: Binaries,
        account: Account | None,
        scratch: Path,
        data_dir: Path | None,
        port: int,
        settings: Mapping[str, str],
        initdb: Sequence[str] = (),
    ) -> None:
        self.binaries = binaries
        self.data_dir = scratch / "data" if data_dir is None else data_dir.resolve()
        self.log_path = scratch / "server.log"
        self._initdb_log = scratch / "initdb.log"
        self._keeper_log = scratch / "keeper.log"
        self._bin_dir = binaries.bin_dir
        self._account = account
        self._scratch = scratch
        self._port = port
        self._settings = settings
        self._initdb_options = tuple(initdb)
        self._keeper: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether the server process is there."""
        return self._keeper is not None and self._keeper.poll() is None

    def dsn(self, database: str = "postgres", user: str = SUPERUSER) -> str:
        """A libpq connection string (keyword form); pgbench and psql take it as database name too."""
        words = {"host": self._scratch, "port": self._port, "dbname": database, "user": user}
        return " ".join(f"{key}={_conninfo_value(str(value))}" for key, value in words.items())

    def program(self, name: str) -> Path:
        """Path of a client program of the same installation, e.g. ``pgbench``.

        Raises:
            UsageError: the installation does not have it.
        """
        return self.binaries.program(name)

    def stop(self, mode: StopMode = "fast") -> None:
        """Stops the server and keeps its data, for ``restart``."""
        self._end(mode, remove=False)

    def kill(self) -> None:
        """Ends the server as a crash would: no checkpoint, sessions cut. ``restart`` then recovers."""
        self.stop("immediate")

    def restart(self) -> None:
        """Stops the server if it runs; starts it on the same socket and data, and waits for it to recover.

        Raises:
            ServerError: it did not start; the detail has the end of its log.
        """
        self.stop()
        self._keeper = _start_keeper(self._scratch, self._keeper_log)
        if not (_tell(self._keeper, self._job()) and _hear(self._keeper)):
            raise self._start_failure()

    def close(self) -> None:
        """Ends the server and removes its files; ``data_dir`` stays if the caller chose it."""
        throw_away = self.data_dir.is_relative_to(self._scratch)
        self._end("immediate" if throw_away else "fast", remove=True)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs one statement as the superuser, outside a transaction block; returns its rows if any.

        Raises:
            ServerError: the server refused or failed it.
        """
        import psycopg

        try:
            with psycopg.connect(self.dsn(database), autocommit=True) as connection:
                cursor = connection.execute(statement.encode())
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise ServerError("the scratch server failed a statement", detail=str(error).strip()) from error

    def create_database(self, name: str, template: str | None = None) -> None:
        """Makes a database, as a copy of ``template`` (which nobody may be using) when given; about 30 ms.

        Raises:
            ServerError: the name is taken, or the template is missing or in use.
        """
        copied = f" TEMPLATE {quote_ident(template)}" if template else ""
        self.execute(f"CREATE DATABASE {quote_ident(name)}{copied}")

    def _job(self) -> keeper.Job:
        self._make_reachable()
        commands = [self._postgres()]
        if not (self.data_dir / "PG_VERSION").exists():
            self._make_data_dir()
            commands.insert(0, self._initdb())
        return {
            "commands": commands,
            "data_dir": str(self.data_dir),
            "user": self._account.uid if self._account else None,
            "group": self._account.gid if self._account else None,
            "env": _environment(),
            "parent": os.getpid(),
        }

    def _make_reachable(self) -> None:
        """Copies the installation when the server's account cannot enter it, as with a checkout in /root."""
        if not can_use(self._bin_dir, self._account):
            self._bin_dir = copy_installation(self._bin_dir, self._scratch / "postgresql")

    def _make_data_dir(self) -> None:
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(self.data_dir.iterdir()):
            raise UsageError(f'directory "{self.data_dir}" is neither empty nor a database cluster')
        _give(self.data_dir, self._account)

    def _initdb(self) -> keeper.Command:
        words = ["--pgdata", str(self.data_dir), "--username", SUPERUSER, "--auth", "trust", "--no-sync"]
        words += ["--encoding", "UTF8", "--locale", _locale(), *self._initdb_options]
        return {"argv": [str(self._bin_dir / "initdb"), *words], "log": str(self._initdb_log)}

    def _postgres(self) -> keeper.Command:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": f'"{self._scratch}"',
            "port": str(self._port),
            "cluster_name": "partadvisor",
            **self._settings,
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        argv = [str(self._bin_dir / "postgres"), "-D", str(self.data_dir), *options]
        return {"argv": argv, "log": str(self.log_path)}

    def _end(self, mode: StopMode, *, remove: bool) -> None:
        if self._keeper is None:
            return
        order: keeper.Order = {"mode": mode, "remove": remove}
        _tell(self._keeper, order)
        self._keeper.wait()
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            if pipe:
                pipe.close()
        self._keeper = None

    def _start_failure(self) -> ServerError:
        for message, log in (
            ("could not run the programs of the scratch server", self._keeper_log),
            (f'server of data directory "{self.data_dir}" did not start', self.log_path),
            (f'initdb failed for data directory "{self.data_dir}"', self._initdb_log),
        ):
            if log.exists() and log.stat().st_size:
                return ServerError(message, detail=_tail(log))
        return ServerError("the scratch server ended while it was starting")


def _start_keeper(scratch: Path, log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as errors:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, scratch],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl-C in the terminal is for us; we then tell the keeper
        )


def _tell(process: subprocess.Popen[bytes], message: keeper.Job | keeper.Order) -> bool:
    """Sends a line; False when the keeper has ended."""
    assert process.stdin  # noqa: S101  (Popen was given PIPE)
    try:
        process.stdin.write(json.dumps(message).encode() + b"\n")
    except BrokenPipeError:
        return False
    return True


def _hear(process: subprocess.Popen[bytes]) -> bool:
    """Waits for the line ``ready``; False when the keeper ended instead."""
    assert process.stdout  # noqa: S101  (Popen was given PIPE)
    return process.stdout.readline() == b"ready\n"


def _tail(path: Path) -> str:
    return "\n".join(path.read_text(errors="replace").splitlines()[-_LOG_TAIL_LINES:])


def _conninfo_value(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _environment() -> dict[str, str]:
    """Ours without libpq's and the server's variables, and with messages in English."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return {**inherited, "LC_ALL": "C"}


@functools.cache
def _locale() -> str:
    """``C.UTF-8`` where the system has it, else ``C``. Asked in a process of its own: setlocale is process-wide."""
    probe = "import locale; locale.setlocale(locale.LC_ALL, 'C.UTF-8')"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", probe], stderr=subprocess.DEVNULL, check=False)
    return "C.UTF-8" if done.returncode == 0 else "C"
