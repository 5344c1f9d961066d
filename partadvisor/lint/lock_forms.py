"""The locks a statement takes, by the relation and its role."""

from __future__ import annotations

from partadvisor.lint.context import Versions
from partadvisor.lint.scope import Scope
from partadvisor.lint.session import Lock
from partadvisor.model import ddl


def locks_of(facts: ddl.Facts, scope: Scope, versions: Versions, position: int) -> tuple[Lock, ...]:
    """Locks of one statement, the strongest over the versions."""
    found: list[Lock] = []
    for action in facts.actions:
        found += _of_action(action, scope, versions, position)
    found += [
        Lock(relation=scope.resolve(r), role="read", mode="ACCESS SHARE", statement=position) for r in facts.reads
    ]
    return tuple(found)


def _of_action(action: ddl.Action, scope: Scope, versions: Versions, position: int) -> list[Lock]:
    def lock(name: object, mode: ddl.LockMode, role: str = "target") -> Lock:
        return Lock(relation=scope.resolve(name), role=role, mode=mode, statement=position)  # type: ignore[arg-type]

    match action:
        case ddl.AttachPartition():
            weak = versions.all(since=12)
            return [
                lock(action.table, "SHARE UPDATE EXCLUSIVE" if weak else "ACCESS EXCLUSIVE", "parent"),
                lock(action.partition, "ACCESS EXCLUSIVE", "partition"),
            ]
        case ddl.DetachPartition():
            weak_mode: ddl.LockMode = "SHARE UPDATE EXCLUSIVE" if action.concurrently else "ACCESS EXCLUSIVE"
            return [lock(action.table, weak_mode, "parent"), lock(action.partition, weak_mode, "partition")]
        case ddl.ValidateConstraint():
            return [lock(action.table, "SHARE UPDATE EXCLUSIVE")]
        case ddl.AddConstraint() if action.constraint.references is not None:
            return [
                lock(action.table, "SHARE ROW EXCLUSIVE"),
                lock(action.constraint.references, "SHARE ROW EXCLUSIVE", "referenced"),
            ]
        case ddl.AlterTable():
            return [lock(action.table, "ACCESS EXCLUSIVE")]
        case ddl.CreateTable(partition_of=parent) if parent is not None:
            return [lock(parent, "ACCESS EXCLUSIVE", "parent")]
        case ddl.CreateIndex():
            return [lock(action.table, "SHARE UPDATE EXCLUSIVE" if action.concurrently else "SHARE")]
        case ddl.Rename(table=table) if table is not None:
            return [lock(table, "ACCESS EXCLUSIVE")]
        case ddl.Truncate():
            return [lock(t, "ACCESS EXCLUSIVE") for t in action.tables]
        case ddl.Drop(kind="table"):
            return [lock(t, "ACCESS EXCLUSIVE") for t in action.names]
        case ddl.LockTable():
            return [lock(t, action.mode) for t in action.tables]
        case ddl.CreateTrigger():
            return [lock(action.table, "SHARE ROW EXCLUSIVE")]
        case ddl.Insert() | ddl.Update() | ddl.Delete() | ddl.Merge():
            return [lock(action.table, "ROW EXCLUSIVE")]
        case _:
            return []
