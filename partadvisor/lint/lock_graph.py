"""How relations hang together, as far as a script's scope knows: the edges along which locks spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partadvisor.lint.scope import Scope
from partadvisor.lint.tables import ConstraintState, IndexState, Table


def neighbours(scope: Scope, name: str, *, crowds: bool = True) -> Mapping[str, Sequence[str]]:
    """Relations connected to ``name`` (a table, view, sequence or index, ``schema.name``), by edge.

    Without ``crowds`` the partitions, other than the default one, and the referencing tables are left out: they may be
    thousands.
    """
    table = scope.tables.get(name)
    if table is not None:
        tree = _of_tree(scope, table, table.partitions if crowds else ())
        return {**tree, **_of_table(scope, table, table.referenced_by if crowds else ())}
    index = scope.index(name)
    return {"table": owners(scope, name)} if index is None else _of_index(scope, index)


def _of_tree(scope: Scope, table: Table, partitions: Sequence[str]) -> dict[str, Sequence[str]]:
    default = [scope.table(table.default_partition)] if table.default_partition else []
    others = [scope.table(p) for p in partitions if p != table.default_partition]
    children = [*table.children, *scope.tables.pointing("inherits", table.name)]
    return {
        "default partition": [t.name for t in default if not t.partitioned],
        "partitioned default partition": [t.name for t in default if t.partitioned],
        "partition": [t.name for t in others if not t.partitioned],
        "partitioned partition": [t.name for t in others if t.partitioned],
        "parent": [table.parent] if table.parent else [],
        "child": list(dict.fromkeys(children)),
        "inherited": table.inherits,
    }


def _of_table(scope: Scope, table: Table, referenced_by: Sequence[str]) -> dict[str, Sequence[str]]:
    bases = [*table.bases, *scope.tables.pointing("views", table.name)]
    return {
        "partitioned index" if table.partitioned else "index": [index_name(i) for i in table.indexes.values()],
        "sequence": table.owned_sequences,
        "referenced": _referenced(scope, table),
        "referencing": [name for name in referenced_by if table.name in _referenced(scope, scope.table(name))],
        "view": table.views,
        "base": list(dict.fromkeys(bases)),
        "table": owners(scope, table.name) if table.kind == "sequence" else [],
    }


def foreign_keys(scope: Scope, table: Table) -> list[ConstraintState]:
    """Without the copies that the catalog has of a key to a partitioned table, one for each of its partitions."""
    keys = [c for c in table.of_kind("foreign_key") if c.references]
    there = {(c.columns, c.references) for c in keys}
    return [c for c in keys if (c.columns, scope.table(c.references or "").parent) not in there]


def _referenced(scope: Scope, table: Table) -> list[str]:
    return list(dict.fromkeys(c.references for c in foreign_keys(scope, table) if c.references))


def owners(scope: Scope, sequence: str) -> list[str]:
    """The table whose column owns the sequence, if that is known."""
    return scope.tables.pointing("owned_sequences", sequence)


def _of_index(scope: Scope, index: IndexState) -> dict[str, Sequence[str]]:
    table = scope.table(index.table)
    found: dict[str, Sequence[str]] = {"table": [index.table]}
    if table.partitioned:
        for partition in scope.partitions_of(index.table):
            edge = "partitioned partition index" if partition.partitioned else "partition index"
            found[edge] = [*found.get(edge, ()), *(index_name(i) for i in _heirs(partition, index))]
    elif table.parent:
        above = scope.table(table.parent)
        found["parent index"] = [index_name(i) for i in above.indexes.values() if index in _heirs(table, i)]
    return found


def _heirs(partition: Table, index: IndexState) -> list[IndexState]:
    """The partition's index that is part of its parent's: attached by the script, or the first that is alike."""
    attached = [i for i in partition.indexes.values() if i.name in index.attached]
    alike = [i for i in partition.indexes.values() if _shape(i) == _shape(index)]
    return attached or (alike[:1] if index.valid else [])


def _shape(index: IndexState) -> tuple[object, ...]:
    return index.columns, index.included, index.unique, index.constraint, index.method, bool(index.where)


def index_name(index: IndexState) -> str:
    """``schema.name``: an index is in the schema of its table."""
    return f"{index.table.rpartition('.')[0]}.{index.name}"
