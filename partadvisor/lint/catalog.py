"""The tables before the script: from a snapshot, or from the text of a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from partadvisor.lint.context import Versions
from partadvisor.lint.scope import Tables
from partadvisor.lint.tables import ColumnState, ConstraintState, IndexState, Table
from partadvisor.model import ddl
from partadvisor.model.catalog import Constraint, Index, Relation
from partadvisor.model.ddl_parts import Bound, CheckExpression, PartitionBy
from partadvisor.model.snapshot import Snapshot
from partadvisor.sql.ddl.facts import facts_of
from partadvisor.sql.parse import Unparsed


def of_snapshot(snapshot: Snapshot) -> Tables:
    """The tables of a snapshot with sizes and traffic; each is translated when it is first asked for."""
    return Tables(_Lazy(snapshot), complete=True)


def of_schema(text: str, versions: Versions) -> Tables:
    """The tables that a schema's script makes, as they are after it. They are in use and may hold rows."""
    from partadvisor.lint.simulate import simulate

    run = simulate("schema", text, versions=versions, in_transaction=False)
    tables = [t for s in run.scripts for t in s.final.tables]
    return Tables({t.name: _settled(t) for t in tables}, complete=True)


def _settled(table: Table) -> Table:
    constraints = {n: replace(c, created=None) for n, c in table.constraints.items()}
    indexes = {n: replace(i, created=None) for n, i in table.indexes.items()}
    return replace(table, created=None, live=True, filled=True, constraints=constraints, indexes=indexes)


class _Lazy(Mapping[str, Table]):
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._relations = {r.qualified_name: r for r in snapshot.relations}
        self._partitions: dict[str, list[str]] = {}
        for relation in snapshot.relations:
            if relation.parent:
                self._partitions.setdefault(relation.parent, []).append(relation.qualified_name)
        self._children: dict[str, list[str]] = {}
        self._bases: dict[str, list[str]] = {}
        for relation in snapshot.relations:
            for parent in relation.inheritance_parents:
                self._children.setdefault(parent, []).append(relation.qualified_name)
            for dependent in relation.dependents:
                if "view" in dependent.kind:
                    self._bases.setdefault(dependent.name, []).append(relation.qualified_name)
        self._made: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._made:
            self._made[name] = self._table(self._relations[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._relations)

    def __len__(self) -> int:
        return len(self._relations)

    def __contains__(self, name: object) -> bool:
        return name in self._relations

    def _table(self, relation: Relation) -> Table:
        partitions = tuple(self._partitions.get(relation.qualified_name, ()))
        default = [p for p in partitions if self._relations[p].partition_bound == "DEFAULT"]
        reads, writes = _traffic(self._snapshot, relation)
        table = Table(
            name=relation.qualified_name,
            kind=relation.kind.replace("_", " "),  # type: ignore[arg-type]
            known=True,
            columns={c.name: _column(c) for c in relation.columns},
            constraints={c.name: _constraint(relation, c) for c in relation.constraints},
            indexes={i.name: _index(relation, i) for i in relation.indexes},
            triggers=tuple(t.name for t in relation.triggers),
            statement_triggers=tuple(t.name for t in relation.triggers if not t.row),
            row_transition_triggers=tuple(t.name for t in relation.triggers if t.row and t.transition_tables),
            partition_by=_key(relation),
            parent=relation.parent,
            bound=_bound(relation),
            partitions=partitions,
            default_partition=default[0] if default else None,
            inherits=relation.inheritance_parents,
            children=tuple(self._children.get(relation.qualified_name, ())),
            bases=tuple(self._bases.get(relation.qualified_name, ())),
            referenced_by=tuple(dict.fromkeys(c.table for c in relation.referenced_by if c.table)),
            row_security=relation.row_security,
            policies=tuple(p.name for p in relation.policies),
            grants=tuple(g for g in relation.grants if not g.startswith(f"{relation.owner}=")),
            publications=tuple(p.name for p in relation.publications),
            statistics=tuple(s.name for s in relation.extended_statistics),
            of_type=relation.of_type,
            replica_identity=relation.replica_identity,
            views=tuple(d.name for d in relation.dependents if "view" in d.kind),
            owned_sequences=tuple(c.owned_sequence for c in relation.columns if c.owned_sequence),
            rows=relation.rows if relation.rows >= 0 else None,
            bytes=relation.heap_bytes + relation.index_bytes + relation.toast_bytes,
            reads_per_second=reads,
            writes_per_second=writes,
        )
        return replace(table, **_totals([self[p] for p in partitions])) if partitions else table


def _totals(partitions: list[Table]) -> dict[str, Any]:
    """Sizes and traffic of a partitioned table: it has none of its own. Unknown of one is unknown of all."""
    fields = ("rows", "bytes", "reads_per_second", "writes_per_second")
    values = {f: [getattr(p, f) for p in partitions] for f in fields}
    return {f: None if None in v else sum(v) for f, v in values.items()}


def _traffic(snapshot: Snapshot, relation: Relation) -> tuple[float | None, float | None]:
    """Reads and rows written a second during the window; None: unknown, as reads are unless there were none."""
    window = snapshot.window
    delta = None if window is None else next((d for d in window.tables if d.table == relation.qualified_name), None)
    if window is None or delta is None or window.seconds <= 0:
        return None, None
    written = delta.inserted + delta.updated + delta.deleted
    never_read = relation.activity.seq_scan + relation.activity.idx_scan == 0
    return 0.0 if never_read else None, written / window.seconds


def _column(column: Any) -> ColumnState:
    return ColumnState(
        name=column.name,
        type=column.type,
        not_null=column.not_null,
        default=column.default,
        identity=column.identity,
        generated=column.generated,
        sequence=column.owned_sequence,
    )


def _constraint(relation: Relation, constraint: Constraint) -> ConstraintState:
    return ConstraintState(
        name=constraint.name,
        kind=constraint.kind,  # type: ignore[arg-type]
        columns=constraint.columns,
        check=_check(relation, constraint),
        references=constraint.references,
        referenced_columns=constraint.referenced_columns,
        validated=constraint.validated,
        no_inherit=constraint.no_inherit,
        deferrable=constraint.deferrable,
    )


def _check(relation: Relation, constraint: Constraint) -> CheckExpression | None:
    if constraint.kind != "check":
        return None
    facts = facts_of(f"ALTER TABLE {relation.name!r} ADD {constraint.definition}".replace("'", '"', 2))
    if isinstance(facts, Unparsed):
        return CheckExpression(text=constraint.definition, complete=False)
    added = [a for a in facts.actions if isinstance(a, ddl.AddConstraint)]
    return added[0].constraint.check if added else None


def _index(relation: Relation, index: Index) -> IndexState:
    return IndexState(
        name=index.name,
        table=relation.qualified_name,
        columns=index.columns,
        included=index.included,
        unique=index.unique,
        valid=index.valid,
        where=index.predicate,
        constraint=index.constraint is not None,
        method=index.method,
    )


def _key(relation: Relation) -> PartitionBy | None:
    key = relation.partition_key
    return None if key is None else PartitionBy(strategy=key.strategy, columns=key.columns)


def _bound(relation: Relation) -> Bound | None:
    if relation.partition_bound is None:
        return None
    facts = facts_of(f"ALTER TABLE p ATTACH PARTITION c {relation.partition_bound}")
    attached = [] if isinstance(facts, Unparsed) else [a for a in facts.actions if isinstance(a, ddl.AttachPartition)]
    return attached[0].bound if attached else None
