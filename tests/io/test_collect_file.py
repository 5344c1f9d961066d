"""Snapshot files: what is written is read back, and what cannot be read says where and what to do."""

import gzip
from pathlib import Path

import msgspec
import psycopg
import pytest

from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.snapshot_file import check_writable, read_snapshot, write_snapshot
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import ServerInfo, Snapshot

EMPTY = Snapshot(tool_version="0", taken_at="now", server=ServerInfo(version="18", version_num=180000, database="d"))


def test_round_trip(db: str, tmp_path: Path) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 99); ANALYZE")
    snapshot = collect(db, CollectOptions(duration=0.2, interval_ms=20))
    for name in ("a.json", "a.json.gz"):
        write_snapshot(tmp_path / name, snapshot)
        assert read_snapshot(tmp_path / name) == snapshot
    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == (tmp_path / "a.json").read_bytes()


def test_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_snapshot(path, EMPTY)
    before = path.read_bytes()
    broken = msgspec.structs.replace(EMPTY, missing=(object(),))
    with pytest.raises(TypeError):
        write_snapshot(path, broken)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "a.json", tmp_path):
        with pytest.raises(UsageError, match="could not write"):
            check_writable(path)
    with pytest.raises(UsageError, match="could not write"):
        write_snapshot(tmp_path / "no" / "a.json", EMPTY)


def test_bad_files(tmp_path: Path) -> None:
    good = msgspec.json.encode(EMPTY)
    newer = good.replace(b'"snapshot_version":1', b'"snapshot_version":99')
    wrong = good.replace(b'"database":"d"', b'"database":7')
    packed = gzip.compress(good)
    cases: list[tuple[bytes, str, str]] = [
        (good[:-40], "is truncated", "byte"),
        (b"", "is empty", ""),
        (b"not json", "is not a snapshot", "byte"),
        (b"[1, 2]", "is not a snapshot", "snapshot_version"),
        (b'{"snapshot_version": "1"}', "is not a snapshot", "snapshot_version"),
        (newer, "version 99, newer", ""),
        (wrong, "not a valid snapshot", r"$.server.database"),
        (packed[:-20], "is truncated", ""),
        (packed[:30] + b"xxxx" + packed[34:], "is damaged", ""),
    ]
    for data, primary, detail in cases:
        path = tmp_path / "bad.json"
        path.write_bytes(data)
        with pytest.raises(UsageError, match=primary) as caught:
            read_snapshot(path)
        assert "bad.json" in caught.value.message
        assert detail in (caught.value.detail or "")
    with pytest.raises(UsageError, match="could not read"):
        read_snapshot(tmp_path / "none.json")
