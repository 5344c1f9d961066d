"""Strategy *copy*: a new partitioned table is filled and mirrored beside the old one, compared, and swapped in."""

from __future__ import annotations

from partadvisor.model.base import Value
from partadvisor.model.catalog import Relation
from partadvisor.model.plan import SECOND_COMPARISON, Phase, Step
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner import (
    build,
    compare,
    fill,
    foreign_keys,
    guard,
    late_indexes,
    partition_mirror,
    reconcile,
    swap,
    sync,
)
from partadvisor.planner.key import backward, forward
from partadvisor.planner.locking import Surroundings, blocks_of, locks_of
from partadvisor.planner.names import JOURNAL, STATE_SCHEMA, Names
from partadvisor.planner.partitions import Layout

BATCH_ROWS = 20_000
"""At most; fewer of wide rows or of a small table, so that a batch is over soon and an interruption loses little."""
_BATCH_BYTES = 16_000_000
_BATCHES = 100
_LEAST_ROWS = 1000
COMPARE_ROWS = 20000


class Job(Value, frozen=True, kw_only=True):
    """Everything the steps of one migration are made from."""

    snapshot: Snapshot
    relation: Relation
    layout: Layout
    names: Names
    around: Surroundings
    lock_timeout_ms: int = 500

    @property
    def major(self) -> int:
        """Server version."""
        return self.snapshot.server.major


def text_of(statements: list[str]) -> str:
    """Statements as one script."""
    return "".join(f"{statement};\n" for statement in statements)


def locked_step(job: Job, step_id: str, title: str, form: str, statements: list[str], **more: object) -> Step:
    """A step with the locks, and what they block, of a statement form."""
    fields: dict[str, object] = {
        "id": step_id,
        "title": title,
        "sql": text_of(statements),
        "locks": locks_of(form, job.around),
        "blocks": blocks_of(form, job.around),
        "lock_timeout_ms": job.lock_timeout_ms,
        **more,
    }
    return Step(**fields)  # type: ignore[arg-type]


def copy_phases(job: Job) -> tuple[Phase, ...]:
    """The five phases of a copy."""
    return (
        Phase(name="prepare", title="Make the partitioned table and mirror writes into it", steps=_prepare(job)),
        Phase(name="fill", title="Copy the rows that were there before", steps=_fill(job)),
        Phase(name="verify", title="Compare both tables bit for bit", steps=_verify(job)),
        Phase(name="swap", title="Give the name to the partitioned table", steps=_swap(job)),
        Phase(name="finish", title="Stop mirroring and drop the old table", steps=_finish(job)),
    )


def bootstrap(job: Job) -> Step:
    """Schemas and journal, made by the role that runs the plan and open to the table's owner."""
    names = job.names
    schemas = (quote_ident(STATE_SCHEMA), names.new_schema, names.old_schema)
    statements = [_schema(schema, job.relation.owner) for schema in schemas]
    statements.append(
        f"CREATE TABLE IF NOT EXISTS {JOURNAL} (plan_id text NOT NULL, step text NOT NULL, state text NOT NULL,\n"
        "  started timestamptz NOT NULL DEFAULT clock_timestamp(), finished timestamptz, rows bigint,\n"
        "  table_name text NOT NULL, PRIMARY KEY (plan_id, step))"
    )
    validate = foreign_keys.validate_old(job.relation, names, job.major) + foreign_keys.validate_inbound(job.relation)
    return locked_step(
        job, "schemas", "Make the schemas for the work and its journal", "none", statements,
        # The way back adds foreign keys unchecked; they are checked last, when the other table and its keys are gone.
        undo_sql=text_of([f"DROP SCHEMA IF EXISTS {s} CASCADE" for s in schemas[1:]] + validate),
        lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS,
    )  # fmt: skip


def _schema(schema: str, owner: str) -> str:
    """A schema that the table's owner may use: triggers run as the owner, in the transactions of clients."""
    name, role = quote_literal(schema), quote_literal(owner)
    allowed = " AND ".join(
        f"has_schema_privilege({role}, to_regnamespace({name}), {right})" for right in ("'USAGE'", "'CREATE'")
    )
    body = f"""BEGIN
  IF to_regnamespace({name}) IS NULL THEN
    CREATE SCHEMA {schema};
  END IF;
  IF NOT ({allowed}) THEN
    GRANT ALL ON SCHEMA {schema} TO {quote_ident(owner)};
  END IF;
  IF NOT ({allowed}) THEN
    RAISE EXCEPTION 'the owner of the table may not use schema %', {name} USING ERRCODE = 'insufficient_privilege',
      HINT = {quote_literal(f"GRANT ALL ON SCHEMA {schema} TO {quote_ident(owner)}, as the owner of the schema.")};
  END IF;
END"""
    return f"DO {sync.dollar_quote(body)}"


def _prepare(job: Job) -> tuple[Step, ...]:
    names, relation = job.names, job.relation
    return (
        bootstrap(job),
        *disown_step(job),
        locked_step(
            job, "table", f"Make the partitioned table with {len(job.layout.leaves)} partitions", "create_like",
            build.create_table(names, relation, job.layout, job.major, late_indexes.late_indexes(relation)),
            grows_with="number of partitions", undo_sql=drop_new(names),
        ),
        locked_step(
            job, "sync", "Make the work tables and functions", "work_tables", _sync_objects(job),
            undo_sql=text_of(_drop_sync(job)),
        ),
        locked_step(
            job, "rehearse", "Write a few rows to the new table as clients will, and take them back", "read",
            [f"SELECT {names.state('rehearse')}()"],
        ),
        locked_step(
            job, "triggers", "Mirror every write from here on", "create_trigger",
            [f"SELECT {names.state('weak_lock')}()", *sync.triggers(names, names.source, _forward_functions(names)),
             *partition_mirror.triggers(names)],
            undo_sql=text_of([f"SELECT {names.state('lock_table')}()", *swap.drop_triggers(names, names.source),
                              *partition_mirror.drop_triggers(names)]),
        ),
    )  # fmt: skip


def drop_new(names: Names) -> str:
    """Undo of making the partitioned table."""
    return text_of([guard.outlast(names.new), f"DROP TABLE IF EXISTS {names.new}"])


def disown_step(job: Job) -> tuple[Step, ...]:
    """A serial column's sequence stays; it would otherwise follow the old table away."""
    owned = [c for c in job.relation.columns if c.owned_sequence and not c.identity]
    if not owned:
        return ()
    give = [f"ALTER SEQUENCE {foreign_keys.qualified(str(c.owned_sequence))} OWNED BY NONE" for c in owned]
    return (
        locked_step(
            job, "sequence", "Keep the sequence apart from the table", "disown_sequence", give,
            undo_sql=text_of(own_sequences(job)),
        ),
    )  # fmt: skip


def own_sequences(job: Job) -> list[str]:
    """Ties sequences to whatever table has the name now."""
    return [
        f"ALTER SEQUENCE {foreign_keys.qualified(c.owned_sequence)} OWNED BY {job.names.source}.{quote_ident(c.name)}"
        for c in job.relation.columns
        if c.owned_sequence and not c.identity
    ]


def _forward_functions(names: Names) -> dict[str, str]:
    return {event: names.state(event) for event in ("insert", "update", "delete", "truncate")}


def _reverse_functions(names: Names) -> dict[str, str]:
    return {event: names.state(f"back_{event}") for event in ("insert", "update", "delete", "truncate")}


def _sync_objects(job: Job) -> list[str]:
    names, relation = job.names, job.relation
    ahead, back = forward(relation, names), backward(relation, names)
    changes, reverse = names.state("changes"), names.state("reverse")
    old, new = ("pa_old_rows",), ("pa_new_rows",)
    functions = [
        sync.insert_function(names.state("insert"), ahead, changes),
        sync.note_function(names.state("update"), ahead, changes, old + new),
        sync.note_function(names.state("delete"), ahead, changes, old),
        sync.truncate_function(names.state("truncate"), ahead),
        sync.note_function(names.state("back_insert"), back, reverse, new),
        sync.note_function(names.state("back_update"), back, reverse, old + new),
        sync.note_function(names.state("back_delete"), back, reverse, old),
        sync.truncate_function(names.state("back_truncate"), back),
    ]
    if names.partitions:
        functions.append(partition_mirror.truncate_function(names, ahead))
    owner = quote_ident(relation.owner)
    triggered = [*_forward_functions(names).values(), *_reverse_functions(names).values(), names.state("rehearse")]
    triggered += [names.state(partition_mirror.TRUNCATE)] if names.partitions else []
    return [
        *sync.work_tables(names, ahead),
        *(f"ALTER TABLE {table} OWNER TO {owner}" for table in (changes, reverse)),
        *functions,
        sync.rehearse_function(names.state("rehearse"), ahead),
        *(f"ALTER FUNCTION {function}() OWNER TO {owner}" for function in triggered),
        fill.fill_function(names.state("fill"), names, ahead),
        reconcile.reconcile_function(names.state("reconcile"), names, ahead, "changes", "new"),
        reconcile.reconcile_function(names.state("back_reconcile"), names, back, "reverse", "old"),
        compare.compare_function(names.state("compare"), names, ahead, "changes", "before"),
        compare.compare_kept_function(names.state("back_compare"), names, back, reverse, "after"),
        late_indexes.attach_function(names),
        *guard.lock_functions(
            names, others(relation, "referencing"), others(relation, "referenced"), job.lock_timeout_ms
        ),
        guard.digest_function(names),
        guard.remember_digest(names),
    ]  # fmt: skip


def others(relation: Relation, role: str) -> tuple[str, ...]:
    """Quoted names of the tables that foreign keys connect in that role."""
    return tuple(foreign_keys.qualified(table) for table, found in foreign_keys.other_tables(relation) if found == role)


def _drop_sync(job: Job) -> list[str]:
    names = job.names
    tables = ("changes", "reverse", "position", "difference", "fact")
    signatures = {"fill": "integer", "compare": "integer", "back_compare": "integer",
                  "reconcile": "boolean", "back_reconcile": "boolean", "digest": "regclass"}  # fmt: skip
    functions = [*_forward_functions(names).values(), *_reverse_functions(names).values()]
    functions += [
        names.state(name) for name in ("rehearse", "attach_index", partition_mirror.TRUNCATE, *guard.LOCK_FUNCTIONS)
    ]
    return [
        *(f"DROP FUNCTION IF EXISTS {function}()" for function in functions),
        *(f"DROP FUNCTION IF EXISTS {names.state(name)}({kind})" for name, kind in signatures.items()),
        *(f"DROP TABLE IF EXISTS {names.state(table)}" for table in tables),
    ]


def batch_rows(relation: Relation) -> int:
    """Rows of a batch of the fill."""
    rows = max(int(relation.rows), 0)
    fitting = _BATCH_BYTES * rows // (relation.heap_bytes + relation.toast_bytes + 1) if rows else BATCH_ROWS
    return min(BATCH_ROWS, max(fitting, 1), max(rows // _BATCHES, _LEAST_ROWS)) if rows else BATCH_ROWS


def _fill(job: Job) -> tuple[Step, ...]:
    names = job.names
    ahead = forward(job.relation, names)
    return (
        locked_step(
            job, "bound", "Fix where the copy ends; later rows come by the mirror", "read",
            [fill.bound_statement(names, ahead)],
        ),
        locked_step(
            job, "fill", "Copy in key order, batch by batch", "read", [],
            repeat_sql=f"SELECT {names.state('fill')}({batch_rows(job.relation)})", duration_class="copy",
            grows_with="rows", throttled=True,
        ),
        *_index_steps(job),
        locked_step(
            job, "reconcile", "Apply updates and deletes made meanwhile", "read", [],
            repeat_sql=f"SELECT {names.state('reconcile')}()", isolation="repeatable read",
            duration_class="copy", grows_with="updates and deletes since the mirror began",
        ),
        locked_step(
            job, "analyze", "Gather statistics of the new table", "analyze", [f"ANALYZE {names.new}"],
            duration_class="scan", grows_with="number of partitions", lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS,
        ),
    )  # fmt: skip


def _index_steps(job: Job) -> tuple[Step, ...]:
    names, relation = job.names, job.relation
    if not late_indexes.late_indexes(relation):
        return ()
    return (
        locked_step(
            job, "declare_indexes", "Declare the indexes that were not needed by the fill", "none",
            late_indexes.declare(names, relation, job.layout), grows_with="number of indexes",
        ),
        locked_step(
            job, "build_indexes", "Build them, partition by partition; each waits for older transactions",
            "build_index", [],
            each_sql=late_indexes.build_query(names, relation), duration_class="scan", grows_with="rows",
            lock_timeout_ms=0,
        ),
        locked_step(
            job, "attach_indexes", "Make them parts of the table's indexes, one by one", "attach_index", [],
            repeat_sql=f"SELECT {names.state('attach_index')}()", grows_with="number of partitions and indexes",
        ),
    )  # fmt: skip


def _verify(job: Job) -> tuple[Step, ...]:
    names = job.names
    return (
        locked_step(
            job, "compare", "Every row of both tables, bit for bit", "read", [],
            repeat_sql=f"SELECT {names.state('compare')}({COMPARE_ROWS})",
            check_sql=compare.difference_query(names, "before"), duration_class="scan", grows_with="rows",
            throttled=True,
        ),
    )  # fmt: skip


def _swap(job: Job) -> tuple[Step, ...]:
    names, relation = job.names, job.relation
    steps = [
        locked_step(
            job, "swap", "Swap the tables", "swap",
            swap.forward_statements(job.snapshot, relation, job.layout, names, job.major, _reverse_functions(names)),
            prelude_sql=f"SELECT {names.state('reconcile')}()",
            undo_sql=text_of(swap.backward_statements(job.snapshot, relation, names)),
            undo_prelude_sql=f"SELECT {names.state('back_reconcile')}()",
            grows_with="changes of the last moment",
        ),
    ]  # fmt: skip
    drops = foreign_keys.drop_outbound(relation, names.old, to_itself=False)
    if drops:
        gate = [f"SELECT {names.state('locks_release')}()"] if others(relation, "referenced") else []
        steps.append(
            locked_step(job, "release", "Take the old table's foreign keys away", "release", [*gate, *drops],
                        undo_sql=text_of([guard.outlast(names.old, *others(relation, "referenced")),
                                          *foreign_keys.restore_outbound(relation, names, job.major)]))
        )  # fmt: skip
    owned = own_sequences(job)
    if owned:
        none = [f"{statement.rpartition(' OWNED BY ')[0]} OWNED BY NONE" for statement in owned]
        steps.append(
            locked_step(job, "own", "Tie the sequence to the table again", "disown_sequence", owned,
                        undo_sql=text_of(none))
        )  # fmt: skip
    steps.append(
        locked_step(
            job, SECOND_COMPARISON, "Every row of the old table in the new one, except rows written since", "read", [],
            repeat_sql=f"SELECT {names.state('back_compare')}({COMPARE_ROWS})",
            check_sql=compare.difference_query(names, "after"), duration_class="scan", grows_with="rows",
            throttled=True,
        )
    )  # fmt: skip
    return (*steps, *_validate_steps(job))


def _validate_steps(job: Job) -> list[Step]:
    names, relation = job.names, job.relation
    outbound = foreign_keys.validate_outbound(relation, names, job.layout, job.major)
    adopted = foreign_keys.adopt_outbound(relation, names, job.major)
    steps = [
        locked_step(job, f"validate_{n}", "Check a foreign key of the table", "validate_outbound", [statement],
                    duration_class="scan", grows_with="rows", lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS)
        for n, statement in enumerate(outbound, start=1)
    ]  # fmt: skip
    if adopted:
        steps.append(
            locked_step(job, "adopt", "Make the checked foreign keys the whole table's", "adopt_outbound",
                        [f"SELECT {names.state('locks_adopt')}()", *adopted])
        )  # fmt: skip
    steps += [
        locked_step(job, f"validate_inbound_{n}", "Check a foreign key to the table", "validate_inbound", [statement],
                    duration_class="scan", grows_with="rows of the referencing table",
                    lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS)
        for n, statement in enumerate(foreign_keys.validate_inbound(relation), start=1)
    ]  # fmt: skip
    return steps


def _finish(job: Job) -> tuple[Step, ...]:
    names = job.names
    return (
        locked_step(
            job, "unmirror", "Stop mirroring", "drop_trigger",
            [f"SELECT {names.state('lock_table')}()", *swap.drop_triggers(names, names.source)],
            point_of_no_return=True,
        ),
        # On its own: removing the files of a big table takes seconds, which nobody should spend under a lock.
        locked_step(
            job, "drop", "Drop the old table", "none",
            [
                f"DROP TABLE {names.old}",
                f"DROP SCHEMA {names.new_schema}",
                f"DROP SCHEMA {names.old_schema}",
                *_drop_sync(job),
            ],
            grows_with="size of the old table's files", lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS,
        ),
    )  # fmt: skip
