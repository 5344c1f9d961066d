"""Strategy *rewrite*: a small table is partitioned in one transaction, with nothing mirrored and nothing half done.

Everything happens under the table's lock, so it suits tables whose rows are written in less time than clients can
wait. The old table stays as it was until ``finish``; the way back empties it and fills it from the new one.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.model.catalog import Relation
from partadvisor.model.plan import Phase, Step
from partadvisor.pg import knowledge
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner import build, foreign_keys, guard, swap
from partadvisor.planner.copy import Job, bootstrap, disown_step, locked_step, text_of
from partadvisor.planner.frame import drop_guards, guards_step, own_step, validate_inbound_steps
from partadvisor.planner.names import Names
from partadvisor.planner.sync import dollar_quote

_FILE = "migration.toml"


def total_bytes(relation: Relation) -> int:
    """The table with its indexes and TOAST."""
    return relation.heap_bytes + relation.index_bytes + relation.toast_bytes


def size_limit() -> int:
    """Bytes up to which a table is rewritten without being asked for it."""
    return int(knowledge.load(_FILE)["rewrite"]["bytes"]["value"])


def rewrite_phases(job: Job) -> tuple[Phase, ...]:
    """Prepare, swap and finish; filling is part of the swap's transaction."""
    return (
        Phase(name="prepare", title="Make the schemas and functions for the work", steps=_prepare(job)),
        Phase(name="swap", title="Partition the table in one transaction", steps=_swap(job)),
        Phase(name="finish", title="Drop the old table", steps=_finish(job)),
    )


def _prepare(job: Job) -> tuple[Step, ...]:
    remember = locked_step(
        job, "remember", "Write down the table's definition, to see that nobody changes it", "read",
        [guard.remember_digest(job.names)],
    )  # fmt: skip
    return (bootstrap(job), *disown_step(job), guards_step(job), remember)


def _swap(job: Job) -> tuple[Step, ...]:
    names = job.names
    title = f"Make {len(job.layout.leaves)} partitions, copy all rows into them, and swap the tables"
    return (
        locked_step(
            job, "rewrite", title, "rewrite_swap", _forward(job), undo_sql=text_of(_backward(job)),
            duration_class="copy", grows_with="rows",
        ),
        locked_step(
            job, "analyze", "Gather statistics of the new table", "analyze_swapped", [f"ANALYZE {names.source}"],
            duration_class="scan", grows_with="number of partitions", lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS,
        ),
        *own_step(job),
        *validate_inbound_steps(job),
    )  # fmt: skip


def _forward(job: Job) -> list[str]:
    """The new table is made before the lock, since that needs none; it is filled and swapped in under it."""
    names, relation = job.names, job.relation
    exchanged = swap.exchange(job.snapshot, relation, job.layout, names, job.major, check_rows=True)
    return [
        *build.create_table(names, relation, job.layout, job.major),
        f"SELECT {names.state('locks_attach')}()",
        guard.assert_same_schema(names),
        guard.assert_alone(),
        _assert_size(job),
        _copy_all(relation, names.source, names.new, f"INSERT INTO {names.state('fact')} VALUES ('rows', pa_copied)"),
        *foreign_keys.drop_outbound(relation, names.source, to_itself=False),
        *exchanged,
    ]


def _backward(job: Job) -> list[str]:
    names, relation = job.names, job.relation
    return [
        f"SELECT {names.state('locks_back')}()",
        guard.assert_alone(),
        _assert_size(job),
        f"DELETE FROM {names.state('fact')} WHERE name = 'rows'",
        f"TRUNCATE {names.old}",
        _copy_all(relation, names.source, names.old),
        *foreign_keys.restore_outbound(relation, names, job.major),
        *swap.exchange_back(job.snapshot, relation, names),
        f"DROP TABLE {names.new}",
    ]


def rewritten_sql(names: Names) -> str:
    """One row: rows copied, and no changes to carry over."""
    return f"SELECT coalesce((SELECT value::bigint FROM {names.state('fact')} WHERE name = 'rows'), 0), 0::bigint"


def _copy_all(relation: Relation, source: str, target: str, then: str = "") -> str:
    """Copies every row, and fails when the two tables do not have as many."""
    after = f"\n  {then};" if then else ""
    columns = ", ".join(quote_ident(c.name) for c in relation.columns if not c.generated)
    body = f"""DECLARE pa_there bigint; pa_copied bigint;
BEGIN
  SELECT count(*) INTO pa_there FROM {source};
  INSERT INTO {target} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {source};
  GET DIAGNOSTICS pa_copied = ROW_COUNT;
  IF pa_copied <> pa_there THEN
    RAISE EXCEPTION '% rows were copied of %', pa_copied, pa_there USING ERRCODE = 'data_exception';
  END IF;{after}
END"""
    return f"DO {dollar_quote(body)}"


def _assert_size(job: Job) -> str:
    """What was small when it was planned may not be small any more."""
    growth = int(knowledge.load(_FILE)["rewrite"]["growth"]["value"])
    limit = growth * max(size_limit(), total_bytes(job.relation))
    source = quote_literal(job.names.source)
    body = f"""DECLARE pa_bytes bigint := (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
  WHERE c.oid = {source}::regclass OR c.oid IN (SELECT relid FROM pg_partition_tree({source}::regclass)));
BEGIN
  IF pa_bytes > {limit} THEN
    RAISE EXCEPTION 'the table has grown to % since the plan was made', pg_size_pretty(pa_bytes)
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Rewriting it would stop its clients for long. '
        'Before the swap: roll back and plan again. After it: keep the partitioned table.';
  END IF;
END"""
    return f"DO {dollar_quote(body)}"


def _finish(job: Job) -> tuple[Step, ...]:
    names = job.names
    return (
        locked_step(
            job, "drop", "Drop the old table", "none",
            [
                f"DROP TABLE {names.old}",
                f"DROP SCHEMA {names.new_schema}",
                f"DROP SCHEMA {names.old_schema}",
                *drop_guards(job),
            ],
            point_of_no_return=True, lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS,
        ),
    )  # fmt: skip
