"""The most recently inserted rows of the hot tables, from the tail of their heaps.

Statistics describe the rows a table holds; the write spread of a key depends on the rows that arrive now, and
on which of them arrive together. ``xmin`` tells the transaction, ``xmin`` with ``cmin`` the statement. The tail
is read by ``ctid``, newest pages first, a few at a time, and never more than a fixed number of pages: bulk
extension leaves empty pages at the end. An update writes its new row version like an insert does, so a table
that is also updated shows those too.
"""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.io.collect.session import Session, marked
from partadvisor.model.activity import RecentRows
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import ServerError
from partadvisor.pg.quote import quote_idents, quote_qualified

_CHUNK_PAGES = 16
_MAX_PAGES = 1024
_MAX_FILLED_PAGES = 256
_MAX_COLUMNS = 16
_NARROW_BYTES = 64
_TUPLES_PER_PAGE = 291  # MaxHeapTuplesPerPage of 8 kB pages
_XIDS = 2**32

RawRow = tuple[int, int, tuple[str | None, ...]]


def read_recent_rows(
    session: Session, relation: Relation, limit: int, *, since_xid: int | None = None
) -> RecentRows | None:
    """About ``limit`` recent rows; None, and mostly a note, when they cannot be read. Runs its own transactions.

    ``since_xid`` is the oldest transaction id of the window: when few rows are younger, the table reuses space
    elsewhere, and that is noted.

    Raises:
        ServerError: the connection is lost.
    """
    name = relation.qualified_name
    if relation.kind != "table" or relation.access_method not in ("heap", None):
        session.note(f"recent rows of {name}: not a heap")
        return None
    with session.transaction():
        columns = _key_candidates(session, relation)
    if columns is None:
        return None
    if not columns:
        session.note(
            f"recent rows of {name}: no readable column that could be a key; "
            f"GRANT SELECT ON {quote_qualified(relation.schema, relation.name)}"
        )
        return None
    rows, pages, next_xid = _read_tail(session, relation, columns, limit)
    if since_xid is not None and rows:
        young = sum(_age(next_xid, row[0]) <= next_xid - since_xid for row in rows)
        if young * 10 < len(rows):
            session.note(
                f"recent rows of {name}: only {young} of the last {len(rows)} rows of the heap are of the window;"
                " new rows fill space freed elsewhere"
            )
    return _numbered(name, columns, rows, pages, next_xid) if rows else None


def _key_candidates(session: Session, relation: Relation) -> tuple[str, ...] | None:
    """Readable columns that could be a key: those of constraints and indexes first, then other narrow ones.

    None when the table has been dropped.
    """
    found = session.rows("hashable_columns", {"oids": [relation.oid]})
    if not found and not session.rows("storage_parts", {"oids": [relation.oid]}):
        return None
    usable = [row["name"] for row in found if row["readable"]]
    used = {c for k in relation.constraints if k.kind != "check" for c in k.columns if k.kind != "not_null"}
    used |= {c for index in relation.indexes for c in index.columns if c}
    declared = {row["name"] for row in found if row["narrow"]}
    ranked = [c for c in usable if c in used]
    ranked += [c for c in usable if c not in used and _narrow(relation, c, c in declared)]
    kept = set(ranked[:_MAX_COLUMNS])
    return tuple(c for c in usable if c in kept)


def _narrow(relation: Relation, name: str, declared: bool) -> bool:
    column = relation.column(name)
    return column.statistics.avg_width <= _NARROW_BYTES if column and column.statistics else declared


def _read_tail(
    session: Session, relation: Relation, columns: Sequence[str], limit: int
) -> tuple[list[RawRow], int, int]:
    """Rows, number of pages read, and the next transaction id; what was read before a failure is kept."""
    rows: list[RawRow] = []
    pages = filled = next_xid = 0
    try:
        # one snapshot: a row newer than the next transaction id we compare with would look ages old
        with session.transaction(repeatable=True):
            session.rows_of("SELECT set_config('enable_seqscan', 'off', true)")
            next_xid, end = _bounds(session, relation)
            while end > 0 and len(rows) < limit and pages < _MAX_PAGES and filled < _MAX_FILLED_PAGES:
                begin = max(0, end - _CHUNK_PAGES)
                found = _read_pages(session, relation, columns, begin, end)
                rows.extend(found)
                pages += end - begin
                filled += end - begin if found else 0
                end = begin
    except ServerError as error:
        if session.lost:
            raise
        session.note(f"recent rows of {relation.qualified_name}: {error.detail}")
    return rows, pages, next_xid


def _bounds(session: Session, relation: Relation) -> tuple[int, int]:
    """The next transaction id, and the number of pages."""
    row = session.rows_of(
        "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8 AS next_xid,"
        " coalesce(pg_relation_size(%(oid)s::int8::oid::regclass), 0) / current_setting('block_size')::int AS pages",
        {"oid": relation.oid},
    )[0]
    return row["next_xid"], row["pages"]


def _read_pages(session: Session, relation: Relation, columns: Sequence[str], begin: int, end: int) -> list[RawRow]:
    """Rows of pages ``begin`` to ``end`` - 1, values as their types print them, later rows first."""
    if session.major >= 14:
        place = f"t.ctid >= '({begin},0)'::tid AND t.ctid < '({end},0)'::tid"
    else:
        places = f"generate_series({begin}, {end - 1}) AS p, generate_series(1, {_TUPLES_PER_PAGE}) AS o"
        place = f"t.ctid = ANY (ARRAY(SELECT format('(%s,%s)', p, o)::tid FROM {places}))"  # noqa: S608
    text = (
        f"SELECT t.xmin, t.cmin, {quote_idents(list(columns))}"  # noqa: S608  (quoted)
        f" FROM ONLY {quote_qualified(relation.schema, relation.name)} t WHERE {place}"
    )
    cursor = session.connection.execute(marked(text).encode())
    result = cursor.pgresult
    if result is None:
        return []
    found = []
    for i in reversed(range(result.ntuples)):
        words = [result.get_value(i, j) for j in range(result.nfields)]
        values = tuple(None if w is None else w.decode("utf-8", "replace") for w in words[2:])
        found.append((int(words[0] or b"0"), int(words[1] or b"0"), values))
    return found


def _age(next_xid: int, xmin: int) -> int:
    """Transactions since ``xmin``, whose epoch is not stored."""
    return (next_xid - xmin) % _XIDS


def _numbered(name: str, columns: tuple[str, ...], rows: list[RawRow], pages: int, next_xid: int) -> RecentRows:
    """Rows in the order of their transactions and statements, which are numbered from 0."""
    rows.reverse()  # as they lie in the heap, which a stable sort keeps within a statement
    ordered = sorted(rows, key=lambda row: (-_age(next_xid, row[0]), row[1]))
    transactions: dict[int, int] = {}
    statements: dict[tuple[int, int], int] = {}
    for xmin, cmin, _ in ordered:
        transactions.setdefault(xmin, len(transactions))
        statements.setdefault((xmin, cmin), len(statements))
    return RecentRows(
        table=name,
        columns=columns,
        rows=tuple(values for _, _, values in ordered),
        transactions=tuple(transactions[xmin] for xmin, _, _ in ordered),
        statements=tuple(statements[(xmin, cmin)] for xmin, cmin, _ in ordered),
        pages_read=pages,
    )
