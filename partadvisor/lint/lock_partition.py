"""Which forms of ``rules/locks/`` it is to make, attach, detach and drop a partition."""

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.lint.lock_graph import foreign_keys
from partadvisor.lint.lock_use import Use, use
from partadvisor.lint.partition_index import lacks
from partadvisor.lint.proofs import proves_bound
from partadvisor.lint.scope import Scope
from partadvisor.lint.tables import ConstraintState, Table
from partadvisor.model import ddl


def attach_uses(action: ddl.AttachPartition, scope: Scope) -> Iterator[Use]:
    """What the bound, the CHECKs, and the foreign keys on both sides make of it."""
    parent, partition = scope.table(action.table), scope.table(action.partition)
    if action.bound.strategy == "default":
        yield use("attach_default_partition", scope, parent=action.table, partition=action.partition)
    elif proves_bound(partition, parent.partition_by, action.bound) is not True:
        yield use("attach_partition", scope, parent=action.table, partition=action.partition)
    else:
        builds = any(lacks(partition, index) for index in parent.indexes.values())
        name = "attach_partition_checked_builds_index" if builds else "attach_partition_checked"
        yield use("attach_partition_checked", scope, parent=action.table, partition=action.partition)
        yield use(name, scope, parent=action.table, partition=action.partition)
    for name in dict.fromkeys(_with_key(k, partition, scope) for k in foreign_keys(scope, parent)):
        yield use(name, scope, parent=action.table, partition=action.partition)


def _with_key(key: ConstraintState, partition: Table, scope: Scope) -> str:
    there = [k for k in partition.of_kind("foreign_key") if (k.references, k.columns) == (key.references, key.columns)]
    suffix = "_to_partitioned" if key.references and scope.table(key.references).partitioned else ""
    if any(k.validated for k in there):
        return f"attach_partition_own_foreign_key{suffix}"
    return "attach_partition_foreign_key_not_valid" if there and not suffix else f"attach_partition_foreign_key{suffix}"


def detach_use(action: ddl.DetachPartition, scope: Scope) -> Use:
    """DETACH in its forms; FINALIZE is the second half of CONCURRENTLY."""
    parent, partition = scope.table(action.table), scope.table(action.partition)
    return use(_detach_form(action, parent, partition, scope), scope, parent=action.table, partition=action.partition)


def _detach_form(action: ddl.DetachPartition, parent: Table, partition: Table, scope: Scope) -> str:
    if action.concurrently or action.finalize:
        return "detach_referenced_partition_concurrently" if parent.referenced_by else "detach_partition_concurrently"
    if parent.referenced_by:
        return "detach_referenced_partition"
    if parent.default_partition == partition.name:
        return "detach_default_partition"
    keys = [k.references for k in foreign_keys(scope, parent) if k.references]
    if any(scope.table(k).partitioned for k in keys):
        return "detach_partition_foreign_key_to_partitioned"
    rows = set(parent.triggers) - set(parent.statement_triggers)
    return "detach_partition_row_trigger" if rows else "detach_partition"


def drop_table_form(action: ddl.Drop, table: Table, scope: Scope) -> str:
    """DROP TABLE: what it takes along depends on the table's place in a tree and on its foreign keys."""
    parent = scope.table(table.parent) if table.parent else None
    keys = [k.references for k in foreign_keys(scope, table) if k.references]
    if action.cascade:
        return "drop_referenced_partition_cascade" if parent and parent.referenced_by else "drop_table_cascade"
    if parent is not None and keys:
        return "drop_partition_inherited_foreign_key"
    if table.partitioned and keys:
        return "drop_partitioned_table_foreign_key"
    if any(scope.table(k).partitioned for k in keys):
        return "drop_table_foreign_key_to_partitioned"
    return "drop_table"
