"""The table becomes one partition of a new one: strategies *attach* and *ahead*.

Nothing is copied, and no step under a strong lock grows with the table. That all rows belong to the partition is
proved by a CHECK that is validated while clients go on, so that ATTACH does not scan.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.model.base import Value
from partadvisor.model.catalog import Relation
from partadvisor.model.plan import Phase, Step
from partadvisor.pg.quote import fit_identifier, quote_ident, quote_literal, quote_qualified
from partadvisor.planner import belongings, build, foreign_keys, guard
from partadvisor.planner.copy import Job, bootstrap, disown_step, drop_new, locked_step, others, text_of
from partadvisor.planner.frame import drop_guards, guards_step, own_step, validate_inbound_steps
from partadvisor.planner.identity import give_identity, move_identity
from partadvisor.planner.names import TRIGGER_PREFIX
from partadvisor.planner.obstacles import Obstacle, outbound
from partadvisor.planner.sync import dollar_quote

MAX_ROWS_BACK = 200_000
"""Rows written since the swap that a rollback moves under its lock; about a second."""


class Held(Value, frozen=True, kw_only=True):
    """The partition that the table becomes.

    ``name`` is plain, ``suffix`` what its indexes' names get; ``check`` is true for the rows that belong there,
    ``outside`` for the others, in a form that an index can serve. ``remedy`` says what to do when there are any.
    """

    name: str
    suffix: str
    bound: str
    check: str
    outside: str
    remedy: str


def attach_phases(job: Job, held: Held) -> tuple[Phase, ...]:
    """Prepare, verify, swap and finish; there is nothing to fill. The job's layout is without ``held``."""
    return (
        Phase(name="prepare", title="Make the partitioned table for new rows", steps=_prepare(job, held)),
        Phase(name="verify", title=f"Prove that all rows belong to partition {held.name}", steps=_verify(job)),
        Phase(name="swap", title="Make the table a partition of the new one", steps=_swap(job, held)),
        Phase(name="finish", title="Forget the way back", steps=_finish(job)),
    )


def stay_obstacles(relation: Relation) -> list[Obstacle]:
    """What these strategies cannot do although *copy* could."""
    found = []
    if relation.kind == "partitioned_table":
        found.append(Obstacle(reason="it is partitioned already", remedy="Use a scheme that copies"))
    for constraint in outbound(relation):
        if constraint.references == relation.qualified_name:
            reason = f'foreign key "{constraint.name}" references the table itself'
            found.append(Obstacle(reason=reason, remedy="Use a scheme that copies, such as hash(…) into N"))
    if relation.replica_identity == "index":
        found.append(Obstacle(reason="its replica identity is an index", remedy="Set it to DEFAULT or FULL"))
    return found


def _bound(job: Job) -> str:
    return quote_ident(f"{TRIGGER_PREFIX}{job.names.plan_id}_bound")


def _prepare(job: Job, held: Held) -> tuple[Step, ...]:
    names, relation = job.names, job.relation
    foreign = foreign_keys.add_outbound_checked(relation, names.new)
    check = f"ALTER TABLE {names.source} ADD CONSTRAINT {_bound(job)} CHECK ({held.check}) NOT VALID"
    steps = [
        bootstrap(job),
        *disown_step(job),
        locked_step(
            job, "table", f"Make the partitioned table with {len(job.layout.leaves)} partitions for new rows",
            "create_like", build.create_table(names, relation, job.layout, job.major),
            grows_with="number of partitions", undo_sql=drop_new(names),
        ),
        guards_step(job),
    ]  # fmt: skip
    if foreign:
        release = [f"SELECT {names.state('locks_write')}()"] if others(relation, "referenced") else []
        steps.append(
            locked_step(job, "foreign", "Give the empty table its foreign keys", "add_foreign", [*release, *foreign])
        )
    return (
        *steps,
        locked_step(
            job, "headroom", "Look for rows that do not belong to the partition", "read",
            [_assert_fits(job, held)], duration_class="scan", grows_with="rows, without an index",
        ),
        locked_step(
            job, "check", "Promise that no row of another partition comes until the swap", "add_check",
            [f"SELECT {names.state('lock_table')}()", check],
            undo_sql=text_of(
                [
                    f"SELECT {names.state('lock_table')}()",
                    f"ALTER TABLE {names.source} DROP CONSTRAINT IF EXISTS {_bound(job)}",
                ]
            ),
        ),
    )  # fmt: skip


def _assert_fits(job: Job, held: Held) -> str:
    body = f"""BEGIN
  IF EXISTS (SELECT FROM {job.names.source} WHERE {held.outside}) THEN
    RAISE EXCEPTION 'the table has rows beyond the bound already'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = {quote_literal(held.remedy)};
  END IF;
END"""
    return f"DO {dollar_quote(body)}"


def _verify(job: Job) -> tuple[Step, ...]:
    names = job.names
    return (
        locked_step(
            job, "validate", "Check all rows against the bound", "validate_check",
            [f"ALTER TABLE {names.source} VALIDATE CONSTRAINT {_bound(job)}", guard.remember_digest(names)],
            duration_class="scan", grows_with="rows", lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS,
        ),
    )  # fmt: skip


def _swap(job: Job, held: Held) -> tuple[Step, ...]:
    names = job.names
    return (
        locked_step(
            job, "swap", "Put the partitioned table over the old one", "attach_swap", _forward(job, held),
            undo_sql=text_of(_backward(job, held)), grows_with="number of partitions",
        ),
        *own_step(job),
        *validate_inbound_steps(job),
        locked_step(
            job, "complete", "Every index of the new table covers all partitions", "read", [],
            check_sql=f"SELECT 'index is not valid', indexrelid::regclass::text FROM pg_index\n"
            f"WHERE indrelid = {quote_literal(names.source)}::regclass AND NOT indisvalid",
        ),
    )  # fmt: skip


def _forward(job: Job, held: Held) -> list[str]:
    names, relation = job.names, job.relation
    part = names.in_schema(held.name)
    return [
        f"SELECT {names.state('locks_attach')}()",
        guard.assert_same_schema(names),
        *belongings.publications(relation, names.source, None),
        *(f"DROP TRIGGER {quote_ident(t.name)} ON {names.source}" for t in relation.triggers),
        *foreign_keys.drop_inbound(relation),
        *_rename(job, held, to_partition=True),
        *move_identity(job, part, names.new),
        f"ALTER TABLE {names.new} SET SCHEMA {quote_ident(names.schema)}",
        f"ALTER TABLE {names.source} ATTACH PARTITION {part} {held.bound}",
        f"ALTER TABLE {part} DROP CONSTRAINT {_bound(job)}",
        *foreign_keys.add_inbound(relation),
        *_statistics(relation),
        *belongings.table_comment(relation, names.source),
        *belongings.triggers(relation, names, job.layout),
        *belongings.replica_identity(relation, names, job.layout),
        *belongings.publications(relation, None, names.source),
        *belongings.privileges(relation, names.source),
        *belongings.row_security(relation, names.source),
        *belongings.views(job.snapshot, relation),
    ]


def _backward(job: Job, held: Held) -> list[str]:
    names, relation = job.names, job.relation
    old, parted = names.in_schema(held.name), names.new
    columns = ", ".join(quote_ident(c.name) for c in relation.columns if not c.generated)
    return [
        f"SELECT {names.state('locks_back')}()",
        *foreign_keys.drop_inbound(relation),
        f"ALTER TABLE {names.source} DETACH PARTITION {old}",
        _assert_few(job),
        *belongings.publications(relation, names.source, None),
        *(f"DROP TRIGGER {quote_ident(t.name)} ON {names.source}" for t in relation.triggers),
        *(f"DROP TRIGGER IF EXISTS {quote_ident(t.name)} ON {old}" for t in relation.triggers),
        f"INSERT INTO {old} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {names.source}",
        *_drop_statistics(relation),
        f"ALTER TABLE {names.source} SET SCHEMA {names.new_schema}",
        *give_identity(job, parted, old),
        *_rename(job, held, to_partition=False),
        *foreign_keys.add_inbound(relation),
        *belongings.triggers(relation, names, None),
        *belongings.publications(relation, None, names.source),
        *belongings.views(job.snapshot, relation),
    ]


def _assert_few(job: Job) -> str:
    body = f"""BEGIN
  IF (SELECT count(*) FROM (SELECT FROM {job.names.source} LIMIT {MAX_ROWS_BACK + 1}) r) > {MAX_ROWS_BACK} THEN
    RAISE EXCEPTION 'more than {MAX_ROWS_BACK} rows were written since the swap'
      USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = 'Moving them back would stop the table for long. Keep the partitioned table.';
  END IF;
END"""
    return f"DO {dollar_quote(body)}"


def _rename(job: Job, held: Held, *, to_partition: bool) -> list[str]:
    """The table, its indexes and statistics between their own names and those of a partition."""
    names, relation = job.names, job.relation

    def renamed(kind: str, schema: str, name: str, other: str) -> str:
        old, new = (name, other) if to_partition else (other, name)
        return f"ALTER {kind} {quote_qualified(schema, old)} RENAME TO {quote_ident(new)}"

    statements = [renamed("TABLE", names.schema, relation.name, held.name)]
    statements += [
        renamed("INDEX", names.schema, i.name, _in_partition(relation, held, i.name)) for i in relation.indexes
    ]
    for item in relation.extended_statistics:
        schema, _, name = item.name.partition(".")
        statements.append(renamed("STATISTICS", schema, name, _in_partition(relation, held, name)))
    return statements


def _in_partition(relation: Relation, held: Held, name: str) -> str:
    """As the server names what a partition has: ``t_a_idx`` of ``t`` becomes ``t_p0_a_idx``."""
    head = f"{relation.name}_"
    if name.startswith(head):
        return fit_identifier(held.name, f"_{name.removeprefix(head)}")
    return fit_identifier(name, held.suffix)


def _statistics(relation: Relation) -> list[str]:
    statements = []
    for item in relation.extended_statistics:
        schema, _, name = item.name.partition(".")
        target = f"{quote_ident(schema)}.{quote_ident(name)}"
        statements.append(item.definition)
        if item.target is not None:
            statements.append(f"ALTER STATISTICS {target} SET STATISTICS {item.target}")
        if item.comment:
            statements.append(f"COMMENT ON STATISTICS {target} IS {quote_literal(item.comment)}")
    return statements


def _drop_statistics(relation: Relation) -> list[str]:
    return [f"DROP STATISTICS {foreign_keys.qualified(item.name)}" for item in relation.extended_statistics]


def _finish(job: Job) -> tuple[Step, ...]:
    names = job.names
    return (
        locked_step(
            job, "drop", "Drop the work tables; there is no old table to drop", "none",
            [f"DROP SCHEMA {names.new_schema}", f"DROP SCHEMA {names.old_schema}", *drop_guards(job)],
            point_of_no_return=True,
        ),
    )  # fmt: skip
