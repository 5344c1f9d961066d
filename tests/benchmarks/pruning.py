"""Pruning of 10,000 queries under 30 candidates, beside compiled sqlglot merely parsing the same texts, in one run."""

from __future__ import annotations

import random
import resource
import time

import sqlglot

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.equivalence import completed_conditions
from partadvisor.advise.predictor import Predictor
from partadvisor.advise.prune import Tree, tree_of
from partadvisor.model.scheme import HashLevel, RangeLevel
from partadvisor.model.workload import AccessPattern, Condition
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames, TableNames

QUERIES, CANDIDATES, MAJOR = 10_000, 30, 18
_TYPES = ("bigint", "integer", "text", "uuid", "date", "timestamp with time zone", "numeric")
_COLUMNS = {f"c{n}": ColumnFacts(type=_TYPES[n % len(_TYPES)], not_null=n % 3 > 0) for n in range(21)}
_SHAPES = (
    "SELECT c{a} FROM t WHERE c{b} = $1 AND c{c} > $2 ORDER BY c{c} DESC LIMIT $3",
    "SELECT c{a}, c{b} FROM t WHERE c{c} = $1 AND c{d} IN ($2, $3, $4)",
    "SELECT c{a} FROM t WHERE c{b} BETWEEN $1 AND $2 AND (c{c} = $3 OR c{d} IS NULL)",
    "UPDATE t SET c{a} = $1 WHERE c{b} = $2 AND c{c} = $3 AND c{d} < $4",
    "DELETE FROM t WHERE c{a} = $1 AND c{b} = ANY ($2)",
    "SELECT count(*) FROM t WHERE c0 = {n} AND c{b} = $1",
    "SELECT c{a} FROM t WHERE c1 = {n} AND c{b} <> $1 AND c{c} = $2",
    "SELECT x.c{a} FROM t AS x JOIN u ON u.id = x.c{b} WHERE u.name = $1 AND x.c{c} = $2",
)
_MONTHS = ", ".join(f"'2026-{m:02}-01'" for m in range(2, 13))


def _texts() -> list[str]:
    draw = random.Random(1)
    found: dict[str, None] = {}
    while len(found) < QUERIES:
        a, b, c, d = draw.sample(range(len(_COLUMNS)), 4)
        found[draw.choice(_SHAPES).format(a=a, b=b, c=c, d=d, n=draw.randrange(5_000))] = None
    return list(found)


def _candidates() -> list[Tree]:
    texts = [f"hash(c{n}) into {m}" for n, m in zip((0, 1, 2, 3, 6, 7, 8, 9, 10), (8, 16, 32) * 3, strict=True)]
    texts += [f"hash(c{a}, c{b}) into 16" for a, b in ((0, 1), (1, 7), (0, 9), (3, 8), (7, 8))]
    texts += [f"range(c{n}) at ({_MONTHS})" for n in (4, 5, 11, 12)]
    texts += [f"range(c{n}) by month" for n in (4, 5)]
    texts += [f"range(c{n}) at ({', '.join(str(v * 500) for v in range(1, 10))})" for n in (0, 1, 8)]
    texts += [
        "list(c2)",
        "list(c9)",
        f"range(c5) at ({_MONTHS}), hash(c0) into 8",
        "range(c4) by month, hash(c1) into 8",
    ]
    texts += ["range(c0) from 2500, hash(c1) into 8", "range(c1) from 2500, hash(c1) into 16", "hash(c14) into 64"]
    assert len(texts) == CANDIDATES, len(texts)
    return [_tree(text) for text in texts]


def _tree(text: str) -> Tree:
    scheme = parse_scheme(text)
    sizes = []
    for level in scheme.levels:
        bounds = len(level.at) + 1 if isinstance(level, RangeLevel) and level.at else 12
        sizes.append(level.modulus if isinstance(level, HashLevel) else 2 if scheme.is_ahead else bounds)
    return tree_of(scheme, sizes, _COLUMNS)


def _conditions(texts: list[str]) -> list[tuple[Condition, bool]]:
    tables = {"public.t": TableNames(tuple(_COLUMNS)), "public.u": TableNames(("id", "name"))}
    names = SchemaNames(tables=tables, by_name={"t": ("public.t",), "u": ("public.u",)})
    found = []
    for text in texts:
        pattern = access_pattern(text, names)
        assert isinstance(pattern, AccessPattern), text
        conditions = completed_conditions(pattern.tables)
        access = next(a for a in pattern.tables if a.table == "public.t")
        found.append((conditions[access.alias], access.role != "read"))
    return found


def main() -> None:
    """Print seconds, ratios and memory for every query under every candidate."""
    texts = _texts()
    start = time.process_time()
    for text in texts:
        sqlglot.parse_one(text, dialect="postgres")
    parsed = time.process_time() - start
    conditions = _conditions(texts)
    before = _peak()
    start = time.process_time()
    candidates = _candidates()
    predictor = Predictor(_COLUMNS, MAJOR)
    demands = [predictor.demand(condition, writes) for condition, writes in conditions]
    touches = [predictor.touches(demands, tree) for tree in candidates]
    spent = time.process_time() - start
    pairs = sum(len(one) for one in touches)
    different = sum(len({id(t) for t in one}) for one in touches)
    pruned = sum(t.executed < t.total for one in touches for t in one)
    print(f"{len(texts):,} distinct texts; compiled sqlglot parses them in {parsed:.2f} s of processor time")
    print(f"{pairs:,} pairs of query and candidate: {spent:.2f} s, {spent / parsed:.2f} times that")
    print(f"{different:,} of them were different, {pruned:,} prune; {spent / pairs * 1e6:.1f} µs a pair")
    print(f"peak memory {_peak():.0f} MB, {before:.0f} MB of it before the first prediction")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
