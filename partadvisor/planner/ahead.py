"""Strategy *ahead*: the table becomes one partition of a new one, and only new rows are spread.

Nothing is copied, and no step under a strong lock grows with the table. The table's rows are proved to lie below the
bound by a CHECK that is validated while clients go on, so that ATTACH does not scan.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.model.catalog import Relation
from partadvisor.model.plan import Phase, Step
from partadvisor.pg.quote import fit_identifier, quote_ident, quote_literal
from partadvisor.planner import belongings, build, foreign_keys, guard
from partadvisor.planner.copy import Job, bootstrap, disown_step, drop_new, locked_step, others, own_sequences, text_of
from partadvisor.planner.names import TRIGGER_PREFIX
from partadvisor.planner.obstacles import Obstacle, outbound
from partadvisor.planner.partitions import BEFORE
from partadvisor.planner.sync import dollar_quote

MAX_ROWS_BACK = 200_000
"""Rows written since the swap that a rollback moves under its lock; about a second."""


def ahead_obstacles(relation: Relation, column: str) -> list[Obstacle]:
    """What this strategy cannot do although *copy* could."""
    found = []
    key = relation.column(column)
    if key is not None and not key.not_null:
        found.append(Obstacle(reason=f'column "{column}" can be NULL', remedy="SET NOT NULL first"))
    for constraint in outbound(relation):
        if constraint.references == relation.qualified_name:
            reason = f'foreign key "{constraint.name}" references the table itself'
            found.append(Obstacle(reason=reason, remedy="Use a scheme that copies, such as hash(…) into N"))
    if relation.replica_identity == "index":
        found.append(Obstacle(reason="its replica identity is an index", remedy="Set it to DEFAULT or FULL"))
    return found


def ahead_phases(job: Job, column: str, start: str) -> tuple[Phase, ...]:
    """Prepare, verify, swap and finish; there is nothing to fill."""
    return (
        Phase(name="prepare", title="Make the partitioned table for new rows", steps=_prepare(job, column, start)),
        Phase(name="verify", title="Prove that all rows lie below the bound", steps=_verify(job)),
        Phase(name="swap", title="Make the table a partition of the new one", steps=_swap(job, start)),
        Phase(name="finish", title="Forget the way back", steps=_finish(job)),
    )


def before_name(relation: Relation) -> str:
    """The table's name once it is a partition."""
    return fit_identifier(relation.name, BEFORE)


def _bound(job: Job) -> str:
    return quote_ident(f"{TRIGGER_PREFIX}{job.names.plan_id}_bound")


def _prepare(job: Job, column: str, start: str) -> tuple[Step, ...]:
    names, relation = job.names, job.relation
    name, literal = quote_ident(column), quote_literal(start)
    foreign = [s.removesuffix(" NOT VALID") for s in foreign_keys.add_outbound(relation, names.new)]
    check = f"ALTER TABLE {names.source} ADD CONSTRAINT {_bound(job)} CHECK ({name} < {literal}) NOT VALID"
    steps = [
        bootstrap(job),
        *disown_step(job),
        locked_step(
            job, "table", f"Make the partitioned table with {len(job.layout.leaves)} partitions for new rows",
            "create_like", build.create_table(names, relation, job.layout, job.major),
            grows_with="number of partitions", undo_sql=drop_new(names),
        ),
        locked_step(
            job, "guards", "Make the functions that take locks", "work_tables", _guards(job),
            undo_sql=text_of(_drop_guards(job)),
        ),
    ]  # fmt: skip
    if foreign:
        release = [f"SELECT {names.state('locks_write')}()"] if others(relation, "referenced") else []
        steps.append(
            locked_step(job, "foreign", "Give the empty table its foreign keys", "add_foreign", [*release, *foreign])
        )
    return (
        *steps,
        locked_step(
            job, "headroom", "Look how far the largest value is from the bound", "read",
            [_assert_headroom(job, column, start)], duration_class="scan", grows_with="rows, without an index",
        ),
        locked_step(
            job, "check", "Promise that rows stay below the bound until the swap", "add_check",
            [f"SELECT {names.state('lock_table')}()", check],
            undo_sql=text_of(
                [
                    f"SELECT {names.state('lock_table')}()",
                    f"ALTER TABLE {names.source} DROP CONSTRAINT IF EXISTS {_bound(job)}",
                ]
            ),
        ),
    )  # fmt: skip


def _guards(job: Job) -> list[str]:
    names, relation = job.names, job.relation
    return [
        f"CREATE TABLE {names.state('fact')} (name text PRIMARY KEY, value text NOT NULL)",
        *guard.lock_functions(
            names, others(relation, "referencing"), others(relation, "referenced"), job.lock_timeout_ms
        ),
        guard.digest_function(names),
    ]


def _drop_guards(job: Job) -> list[str]:
    names = job.names
    return [
        *(f"DROP FUNCTION IF EXISTS {names.state(name)}()" for name in guard.LOCK_FUNCTIONS),
        f"DROP FUNCTION IF EXISTS {names.state('digest')}(regclass)",
        f"DROP TABLE IF EXISTS {names.state('fact')}",
    ]


def _assert_headroom(job: Job, column: str, start: str) -> str:
    body = f"""BEGIN
  IF EXISTS (SELECT FROM {job.names.source} WHERE {quote_ident(column)} >= {quote_literal(start)}) THEN
    RAISE EXCEPTION 'the table has rows at or beyond the bound already'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Roll back and plan again with a later bound.';
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


def _swap(job: Job, start: str) -> tuple[Step, ...]:
    names, relation = job.names, job.relation
    steps = [
        locked_step(
            job, "swap", "Put the partitioned table over the old one", "attach_swap", _forward(job, start),
            undo_sql=text_of(_backward(job)), grows_with="number of partitions",
        ),
    ]  # fmt: skip
    owned = own_sequences(job)
    if owned:
        none = [f"{statement.rpartition(' OWNED BY ')[0]} OWNED BY NONE" for statement in owned]
        steps.append(
            locked_step(job, "own", "Tie the sequence to the table again", "disown_sequence", owned,
                        undo_sql=text_of(none))
        )  # fmt: skip
    steps += [
        locked_step(job, f"validate_inbound_{n}", "Check a foreign key to the table", "validate_inbound", [statement],
                    duration_class="scan", grows_with="rows of the referencing table",
                    lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS)
        for n, statement in enumerate(foreign_keys.validate_inbound(relation), start=1)
    ]  # fmt: skip
    steps.append(
        locked_step(
            job, "complete", "Every index of the new table covers all partitions", "read", [],
            check_sql=f"SELECT 'index is not valid', indexrelid::regclass::text FROM pg_index\n"
            f"WHERE indrelid = {quote_literal(names.source)}::regclass AND NOT indisvalid",
        )
    )  # fmt: skip
    return tuple(steps)


def _forward(job: Job, start: str) -> list[str]:
    names, relation = job.names, job.relation
    before = names.in_schema(before_name(relation))
    bound = f"FOR VALUES FROM (MINVALUE) TO ({quote_literal(start)})"
    return [
        f"SELECT {names.state('locks_attach')}()",
        guard.assert_same_schema(names),
        *belongings.publications(relation, names.source, None),
        *(f"DROP TRIGGER {quote_ident(t.name)} ON {names.source}" for t in relation.triggers),
        *foreign_keys.drop_inbound(relation),
        *_rename(job, names.table, before_name(relation)),
        *_move_identity(job, before, names.new),
        f"ALTER TABLE {names.new} SET SCHEMA {quote_ident(names.schema)}",
        f"ALTER TABLE {names.source} ATTACH PARTITION {before} {bound}",
        f"ALTER TABLE {before} DROP CONSTRAINT {_bound(job)}",
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


def _backward(job: Job) -> list[str]:
    names, relation = job.names, job.relation
    old, parted = names.in_schema(before_name(relation)), names.new
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
        *_give_identity(job, parted, old),
        *_rename(job, before_name(relation), names.table),
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


def _rename(job: Job, old: str, new: str) -> list[str]:
    """The table and its indexes between their own names and those of a partition."""
    names, relation = job.names, job.relation
    table, to_partition = names.in_schema(old), new != relation.name
    statements = [f"ALTER TABLE {table} RENAME TO {quote_ident(new)}"]
    for index in relation.indexes:
        pair = (index.name, fit_identifier(index.name, BEFORE))
        source, target = pair if to_partition else pair[::-1]
        statements.append(f"ALTER INDEX {names.in_schema(source)} RENAME TO {quote_ident(target)}")
    for item in relation.extended_statistics:
        schema, _, name = item.name.partition(".")
        both = (name, fit_identifier(name, BEFORE))
        source, target = both if to_partition else both[::-1]
        qualified = f"{quote_ident(schema)}.{quote_ident(source)}"
        statements.append(f"ALTER STATISTICS {qualified} RENAME TO {quote_ident(target)}")
    return statements


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


def _move_identity(job: Job, giver: str, taker: str) -> list[str]:
    """The value goes over, then the partition gives up its own identity, which 17 and later do not allow."""
    return [
        _TAKE.format(giver=quote_literal(giver), taker=quote_literal(taker), column=quote_literal(column.name),
                     drop=f"ALTER TABLE {giver} ALTER COLUMN {quote_ident(column.name)} DROP IDENTITY")
        for column in job.relation.columns
        if column.identity
    ]  # fmt: skip


_TAKE = """DO $partadvisor$
DECLARE old text := pg_get_serial_sequence({giver}, {column}); last bigint; called boolean; step bigint;
BEGIN
  SELECT seqincrement INTO step FROM pg_sequence WHERE seqrelid = old::regclass;
  EXECUTE format('ALTER SEQUENCE %s INCREMENT BY %s', old, step);
  EXECUTE format('SELECT last_value, is_called FROM %s', old) INTO last, called;
  PERFORM setval(pg_get_serial_sequence({taker}, {column}), last, called);
END $partadvisor$;
{drop}"""


def _give_identity(job: Job, giver: str, taker: str) -> list[str]:
    """Makes the old table's identity again, like the partitioned table's, and goes on where that is."""
    return [
        _GIVE.format(
            giver=quote_literal(giver), taker=quote_literal(taker), column=quote_literal(column.name),
            kind="ALWAYS" if column.identity == "always" else "BY DEFAULT", schema=quote_literal(job.names.schema),
        )
        for column in job.relation.columns
        if column.identity
    ]  # fmt: skip


_GIVE = """DO $partadvisor$
DECLARE
  old text := pg_get_serial_sequence({giver}, {column});
  made text; s record; last bigint; called boolean; item record;
BEGIN
  SELECT q.*, c.relname INTO s FROM pg_sequence q JOIN pg_class c ON c.oid = q.seqrelid
  WHERE q.seqrelid = old::regclass;
  EXECUTE format('ALTER TABLE %s ALTER COLUMN %I ADD GENERATED {kind} AS IDENTITY '
    '(SEQUENCE NAME %I.%I INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s %s)',
    {taker}, {column}, {schema}, s.relname, s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache,
    CASE WHEN s.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END);
  made := pg_get_serial_sequence({taker}, {column});
  EXECUTE format('SELECT last_value, is_called FROM %s', old) INTO last, called;
  PERFORM setval(made, last, called);
  FOR item IN SELECT a.* FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = old::regclass AND a.grantee <> c.relowner LOOP
    EXECUTE format('GRANT %s ON SEQUENCE %s TO %s%s', item.privilege_type, made,
      CASE WHEN item.grantee = 0 THEN 'PUBLIC' ELSE format('%I', pg_get_userbyid(item.grantee)) END,
      CASE WHEN item.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
  END LOOP;
  EXECUTE format('COMMENT ON SEQUENCE %s IS %L', made, obj_description(old::regclass, 'pg_class'));
END $partadvisor$"""


def _finish(job: Job) -> tuple[Step, ...]:
    names = job.names
    return (
        locked_step(
            job, "drop", "Drop the work tables; there is no old table to drop", "none",
            [f"DROP SCHEMA {names.new_schema}", f"DROP SCHEMA {names.old_schema}", *_drop_guards(job)],
            point_of_no_return=True,
        ),
    )  # fmt: skip
