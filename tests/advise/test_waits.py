"""The wait classes are data: every spelling in it must be one that a server really uses."""

import psycopg
import pytest

from partadvisor.advise.waits import CLASSES, by_class, classify, events_of, label
from partadvisor.pg import knowledge
from tests.majors import major_binaries


def test_every_event_listed_for_18_is_one_of_the_server(db: str) -> None:
    with psycopg.connect(db) as connection:
        real = {f"{kind}:{name}" for kind, name in connection.execute("SELECT type, name FROM pg_wait_events")}
    assert set(events_of(18)) - real == set()


def test_every_lwlock_and_file_event_of_18_that_an_insert_meets_is_classified(db: str) -> None:
    met = ("IO:DataFile%", "IO:Wal%Sync", "IO:Wal%Write", "LWLock:WAL%", "LWLock:Buffer%", "LWLock:Lock%", "Lock:t%")
    with psycopg.connect(db) as connection:
        rows = connection.execute(
            "SELECT type || ':' || name FROM pg_wait_events WHERE type || ':' || name LIKE ANY (%s)", [list(met)]
        ).fetchall()
    background = {
        "IO:DataFileTruncate",
        "LWLock:WALSummarizer",
        *(f"IO:Wal{what}" for what in ("BootstrapSync", "BootstrapWrite", "CopySync", "CopyWrite", "SummaryWrite")),
    }
    assert {name for (name,) in rows} - set(events_of(18)) == background


@pytest.mark.matrix
@pytest.mark.parametrize("major", [11, 12, 13, 14, 15, 16, 17])
def test_every_spelling_is_in_the_server_program_of_its_major(major: int) -> None:
    program = major_binaries(major).program("postgres").read_bytes()
    names = {event.partition(":")[2] for event in events_of(major)}
    assert {name for name in names if name.encode() + b"\0" not in program} == set()


def test_a_class_in_the_data_is_a_class_in_the_code() -> None:
    assert set(knowledge.load("wait_events.toml")["class"]) == set(CLASSES)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("CPU", "cpu"),
        ("Lock:extend", "extend"),
        ("IO:DataFileExtend", "extend"),
        ("IO:WALSync", "wal"),  # 16
        ("IO:WalSync", "wal"),  # 18
        ("LWLock:buffer_content", "leaf"),  # 12
        ("LWLock:BufferContent", "leaf"),
        ("Client:SslOpenServer", "client"),
        ("idle in transaction", "client"),
        ("Timeout:NeverHeardOf", "other"),
        ("Extension:Custom", "other"),
    ],
)
def test_class_of_an_event(event: str, expected: str) -> None:
    assert classify(event) == expected


def test_no_event_is_in_two_classes() -> None:
    names = [e["name"] for entry in knowledge.load("wait_events.toml")["class"].values() for e in entry["events"]]
    assert len(names) == len(set(names))


def test_counts_are_summed_by_class() -> None:
    sums = by_class({"Lock:extend": 3, "IO:DataFileExtend": 1, "CPU": 2})
    assert sums == {"extend": 4, "cpu": 2}
    assert label("extend") == "relation extension"
