"""What understanding statements costs, beside compiled sqlglot merely parsing the same texts, in one run.

Times are processor time; peaks are the process's resident memory. The log is streamed from a generator, so that what it
adds to the peak is what reading keeps.
"""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Iterator

import sqlglot

from partadvisor.model.activity import StatementDelta
from partadvisor.model.catalog import Column, Relation
from partadvisor.model.snapshot import Statements
from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames
from partadvisor.workload.families import build_workload
from partadvisor.workload.server_log import read_log

TEXTS, TABLES, COLUMNS = 10_000, 200, 12
LOG_LINES = 300_000
_SHAPES = (
    "SELECT c{a}, c{b} FROM t{t} WHERE c{c} = $1 AND c{d} > $2 ORDER BY c{d} DESC LIMIT $3",
    "SELECT x.c{a}, y.c{b} FROM t{t} AS x JOIN t{u} AS y ON x.c{c} = y.c{c} WHERE x.c{d} = $1 AND y.c{a} IN ($2, $3)",
    "INSERT INTO t{t} (c{a}, c{b}, c{c}) VALUES ($1, $2, $3), ($1, $4, $5) ON CONFLICT (c{a}) DO NOTHING",
    "UPDATE t{t} SET c{a} = c{a} + $1, c{b} = $2 WHERE c{c} = $3 AND (c{d} IS NULL OR c{d} < $4)",
    "DELETE FROM t{t} WHERE c{a} = $1 AND EXISTS (SELECT 1 FROM t{u} WHERE t{u}.c{b} = t{t}.c{b})",
    (
        "WITH w AS (SELECT c{a} AS k, count(*) AS n FROM t{t} WHERE c{b} BETWEEN $1 AND $2 GROUP BY c{a}) "
        "SELECT w.k, w.n, u.c{c} FROM w JOIN t{u} AS u ON u.c{a} = w.k WHERE w.n > $3"
    ),
)


def _texts() -> list[str]:
    draw = random.Random(1)
    found: dict[str, None] = {}
    while len(found) < TEXTS:
        a, b, c, d = draw.sample(range(COLUMNS), 4)
        text = draw.choice(_SHAPES).format(a=a, b=b, c=c, d=d, t=draw.randrange(TABLES), u=draw.randrange(TABLES))
        found[text] = None
    return list(found)


def _schema() -> SchemaNames:
    columns = tuple(Column(name=f"c{n}", number=n + 1, type="bigint", base_type="bigint") for n in range(COLUMNS))
    tables = [Relation(oid=n + 1, schema="public", name=f"t{n}", kind="table", columns=columns) for n in range(TABLES)]
    return SchemaNames.from_relations(tables)


def _log_lines(texts: list[str], count: int) -> Iterator[bytes]:
    """Lines of a log of one hour: bound statements with their parameters, and as many with literals of their own."""
    for n in range(count // 4):
        at = f"2026-11-30 12:{n * 60 * 4 // count:02d}:{n % 60:02d}.{n % 1000:03d} UTC [{n % 97 + 1000}] shop@shop "
        text = texts[n % len(texts)]
        yield f"{at}LOG:  duration: 0.{n % 1000:03d} ms  execute S_1: {text}\n".encode()
        yield f"{at}DETAIL:  Parameters: $1 = '{n}', $2 = 'value {n}', $3 = NULL\n".encode()
        yield f"{at}LOG:  duration: 1.{n % 1000:03d} ms  statement: SELECT c1, c2\n".encode()
        yield f"\tFROM t{n % TABLES} WHERE c3 = {n} AND c4 = 'value {n}'\n".encode()


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print seconds and ratios for 10,000 distinct texts, then the rate and memory of reading a log."""
    texts, schema = _texts(), _schema()
    start = time.process_time()
    for text in texts:
        sqlglot.parse_one(text, dialect="postgres")
    parsed, before = time.process_time() - start, _peak_mb()
    start = time.process_time()
    understood = [access_pattern(text, schema) for text in texts]
    analysed = time.process_time() - start
    entries = tuple(StatementDelta(query_id=str(n), text=text, calls=1.0) for n, text in enumerate(texts))
    start = time.process_time()
    workload = build_workload((Statements(source="file", seconds=1.0, entries=entries),), schema)
    built, after = time.process_time() - start, _peak_mb()
    print(f"{len(texts):,} distinct texts; compiled sqlglot parses them in {parsed:.2f} s of processor time")
    print(f"access patterns: {analysed:.2f} s, {analysed / parsed:.2f} times that ({len(understood):,} texts)")
    print(f"workload of {len(workload.families):,} families: {built:.2f} s, {built / parsed:.2f} times that")
    print(f"peak memory: {after:.0f} MB, of which {after - before:.0f} MB since sqlglot had parsed")
    start, size = time.process_time(), sum(len(line) for line in _log_lines(texts, LOG_LINES)) / 2**20
    making = time.process_time() - start
    start = time.process_time()
    read = read_log("log", _log_lines(texts, LOG_LINES), "stderr")
    reading = time.process_time() - start - making
    calls = sum(e.calls for e in read.entries)
    print(f"log of {size:.0f} MB: {size / reading:.1f} MB/s, {calls / reading:,.0f} executions/s, {calls:,.0f} counted")
    print(f"peak memory: {_peak_mb():.0f} MB, of which {_peak_mb() - after:.0f} MB for {len(read.entries):,} texts")
