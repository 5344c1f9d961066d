"""Makes one database a variant: the tables of the workload, one of them partitioned or not, filled from statistics.

What the snapshot says is run as a role without privileges, since a snapshot may come from anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from partadvisor.io.connect import Connection, connect
from partadvisor.io.server import Server
from partadvisor.io.shadow.schema import Builder
from partadvisor.io.shadow.types import make_extensions
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import RangeLevel, Scheme
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner.names import leaf_name
from partadvisor.planner.partitions import BEFORE, Layout, Partition, layout_of
from partadvisor.workload.replay.tables import TableValues, fill_text, sequences_text

ROLE = "partadvisor_prove"


def bare(relation: Relation) -> Relation:
    """The table without what would refuse or reroute made-up rows: foreign keys, checks, triggers, odd uniqueness."""
    indexes = tuple(i for i in relation.indexes if not i.exclusion and not (i.unique and _is_partial(relation, i.name)))
    kept = {i.constraint for i in indexes}
    constraints = tuple(c for c in relation.constraints if c.kind in ("primary_key", "unique") and c.name in kept)
    return msgspec.structs.replace(
        relation, indexes=indexes, constraints=constraints, referenced_by=(), triggers=(), policies=(), rules=()
    )


def left_out(relation: Relation) -> list[str]:
    """What ``bare`` takes away, in words."""
    names = {i.name for i in bare(relation).indexes}
    counted = {
        "foreign key": sum(c.kind == "foreign_key" for c in relation.constraints) + len(relation.referenced_by),
        "check": sum(c.kind == "check" for c in relation.constraints),
        "trigger": len(relation.triggers),
        "unusual unique constraint": sum(i.name not in names for i in relation.indexes),
    }
    return [f"{number} {what}{'s' * (number > 1)}" for what, number in counted.items() if number]


def _is_partial(relation: Relation, name: str) -> bool:
    index = next(i for i in relation.indexes if i.name == name)
    return index.predicate is not None or None in index.columns


def make_role(server: Server) -> None:
    """The account that owns the variants and runs their statements."""
    server.execute(f"CREATE ROLE {quote_ident(ROLE)} LOGIN")


def build_variant(
    server: Server,
    database: str,
    tables: Sequence[TableValues],
    layouts: Mapping[str, Layout],
    extensions: Sequence[str],
    progress: Callable[[str, float | None], None],
    done: float,
) -> list[str]:
    """Makes and fills ``database``; ``layouts`` by table name, ``done`` (0..1) is for progress.

    Returns notes on what could not be made.

    Raises:
        UsageError: the made-up rows do not fit the table.
        ServerError: the server is gone.
    """
    server.create_database(database)
    server.execute(f"ALTER DATABASE {quote_ident(database)} OWNER TO {quote_ident(ROLE)}")
    server.execute("CREATE EXTENSION pg_stat_statements", database)
    relations = [t.relation for t in tables]
    with connect(server.dsn(database), read_only=False) as superuser:
        make_extensions(superuser, extensions, relations)
    with connect(server.dsn(database, ROLE), read_only=False) as connection:
        builder = Builder(connection)
        builder.build(relations, layouts)
        for table in tables:
            progress(f"filling {table.relation.qualified_name} of {database}", done)
            _fill(connection, table)
    server.execute("VACUUM ANALYZE", database)
    return builder.notes


def _fill(connection: Connection, table: TableValues) -> None:
    import psycopg

    try:
        for statement in (*sequences_text(table), "SELECT setseed(0.5)", fill_text(table)):
            connection.execute(statement.encode())
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        raise UsageError(
            f"table {table.relation.qualified_name} cannot be filled from its statistics",
            detail=f"{error.diag.message_primary or error}.",
            hint="Leave this table to the planner: partadvisor advise --verify shadow.",
        ) from error


def variant_layout(scheme: Scheme, table: TableValues) -> Layout:
    """The partitions of a scheme for the filled table; an ahead scheme starts where the filled rows end.

    Raises:
        UsageError: an ahead scheme over a column that is not numbered.
    """
    first = scheme.levels[0]
    if not isinstance(first, RangeLevel) or first.start is None:
        return layout_of(scheme, table.relation)
    if first.columns[0] not in table.numbered:
        raise UsageError(
            f"an ahead scheme over {first.columns[0]} cannot be proved",
            detail="Its values are not numbers that grow, so the made-up rows have no point from which all are new.",
        )
    start = str(table.rows + 1)
    levels = (msgspec.structs.replace(first, start=start), *scheme.levels[1:])
    layout = layout_of(Scheme(levels=levels), table.relation)
    old = Partition(
        name=leaf_name(table.relation.name, BEFORE), bound=f"FOR VALUES FROM (MINVALUE) TO ({quote_literal(start)})"
    )
    return msgspec.structs.replace(layout, parts=(old, *layout.parts))
