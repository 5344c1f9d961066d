"""What somebody who signs a migration off has to know about it beside its steps: costs, waits, and what not to do."""

from __future__ import annotations

from partadvisor.model.plan import MigrationPlan
from partadvisor.planner.attach import MAX_ROWS_BACK

_COPY = """\
- From step `triggers` to step `unmirror` writes cost more: an INSERT also writes to the copy, UPDATE and DELETE note
  their keys. The copy itself writes as much WAL as a load of the table.
- A step that blocks somebody asks for its locks for at most its lock timeout, gives up, and tries again: nobody queues
  for longer at a time. Under psql alone it tries for some minutes, then the file fails and is run again.
- The swap waits for transactions that are older than the finished copy, since they cannot see its rows. The role needs
  pg_read_all_stats (or pg_monitor) to notice those of other roles; without it, a REPEATABLE READ or SERIALIZABLE
  transaction that is open across the swap may miss rows.
- REPEATABLE READ and SERIALIZABLE clients may meet serialization failures (SQLSTATE 40001) around the swap and have to
  retry, as always.
- **From the swap until `finish`, write through the table, never to a partition by its own name.** What INSERT, COPY,
  UPDATE, DELETE or TRUNCATE do to a partition directly, and DETACH or DROP of one, is not mirrored to the old table: a
  rollback would undo it.
"""
_COPY_FOREIGN = """\
- Between `swap` and `release`, and in a rollback until the partitioned table is dropped, the foreign keys of the copy
  that is no longer used still act: deleting a referenced row fails when its last referencing rows were deleted in that
  time, until it is tried again afterwards.
"""
_ATTACH = f"""\
- From step `check` to the swap, rows that belong to another partition are **refused** (SQLSTATE 23514). Make no long
  pause there, and of rows beyond a bound, run them well before clients reach it.
- A step that blocks somebody asks for its locks for at most its lock timeout, gives up, and tries again: nobody queues
  for longer at a time. Under psql alone it tries for some minutes, then the file fails and is run again.
- A rollback after the swap moves the rows of all other partitions back under its lock, and refuses when there are more
  than {MAX_ROWS_BACK:,}.
"""
_REWRITE = """\
- Everything happens in one transaction under the table's lock: clients wait for as long as its rows take to be written,
  and see the partitioned table or, if anything fails, the old one.
- A REPEATABLE READ or SERIALIZABLE transaction that first looks at the table during the rewrite finds it **empty**
  afterwards, as with every rewriting ALTER TABLE. One that is open before is waited for, if the role may see it
  (pg_read_all_stats). Use --strategy copy where clients use these levels.
- A rollback before `finish` rewrites the table back in the same way, with all rows written since.
"""
_BOTH = """\
- Do not change the table's definition, grants or foreign keys before the swap: it would refuse, and the migration would
  have to be rolled back and planned again. What is changed after it is lost by a rollback.
"""


def plan_notes(plan: MigrationPlan) -> str:
    """A markdown list."""
    if plan.strategy in {"ahead", "attach"}:
        return _ATTACH + _BOTH
    if plan.strategy == "rewrite":
        return _REWRITE + _BOTH
    has_foreign_keys = any(step.id == "release" for step in plan.steps)
    return _COPY + (_COPY_FOREIGN if has_foreign_keys else "") + _BOTH
