"""Looks before anything is touched: is it still the schema of the plan, may we, and what could go wrong.

Gives lines for the operator; anything that would make the migration fail or lose something is an error here.
"""

# ruff: noqa: S608  (names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.io.collect.catalog import read_catalog
from partadvisor.io.collect.session import Session
from partadvisor.io.migrate.journal import Journal, state_of
from partadvisor.io.migrate.replication import replication
from partadvisor.io.migrate.room import room
from partadvisor.io.migrate.worker import Worker
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.plan import MigrationPlan
from partadvisor.pg.quote import quote_literal, quote_qualified
from partadvisor.planner.foreign_keys import other_tables
from partadvisor.planner.foreign_keys import qualified as quoted
from partadvisor.planner.names import JOURNAL, STATE_SCHEMA
from partadvisor.planner.partitioned import partitions_of
from partadvisor.planner.plan import schema_fingerprint

_LONG_S = 60


def preflight(worker: Worker, plan: MigrationPlan, journal: Journal) -> list[str]:
    """Notes for the operator.

    Raises:
        UsageError: the plan does not fit this server or its present schema, or something is missing that it needs.
    """
    _same_server(worker, plan)
    _no_other_plan(worker, plan)
    notes = []
    if state_of(plan, journal) in {"not_started", "running"}:
        relation = _same_schema(worker, plan)
        problems = _rights(worker, relation) + _bound_objects(worker, plan)
        if problems:
            raise UsageError(f'table "{plan.table}" cannot be migrated now', detail="\n".join(problems))
        notes = room(worker, plan, _relations(plan, relation)) + replication(worker)
    return notes + _long_transactions(worker)


def _relations(plan: MigrationPlan, relation: Relation) -> int:
    """Tables, indexes and TOAST of both copies: what dropping or renaming the partitioned one locks at once."""
    each = 1 + len(relation.indexes) + (2 if relation.toast_oid else 0)
    return each * (plan.partitions + 1)


def _same_server(worker: Worker, plan: MigrationPlan) -> None:
    planned, found = plan.server_version // 10000, worker.version // 10000
    if planned != found:
        raise UsageError(
            f"the plan is for PostgreSQL {planned}, the server is {found}", hint="Make the plan from this server."
        )
    if worker.read("SELECT pg_is_in_recovery()")[0][0]:
        raise UsageError("the server is a standby", hint="Connect to the primary.")


def _no_other_plan(worker: Worker, plan: MigrationPlan) -> None:
    """Two migrations of one table would mirror into each other's way."""
    if not worker.read(f"SELECT to_regclass({quote_literal(JOURNAL)}) IS NOT NULL")[0][0]:
        return
    rows = worker.read(
        f"SELECT DISTINCT plan_id FROM {JOURNAL} WHERE table_name = {quote_literal(plan.table)}\n"
        f"AND plan_id <> {quote_literal(plan.plan_id)}\n"
        f"AND to_regnamespace('{STATE_SCHEMA}_' || plan_id || '_new') IS NOT NULL"
    )
    if rows:
        raise UsageError(
            f'another plan is migrating table "{plan.table}" already',
            detail=f"That is plan {rows[0][0]}; this one is {plan.plan_id}.",
            hint="Roll that one back, or finish it, first.",
        )


def _same_schema(worker: Worker, plan: MigrationPlan) -> Relation:
    session = Session(worker.connection, statement_timeout_ms=60_000, lock_timeout_ms=2_000)
    worker.connection.read_only = True
    try:
        relations = read_catalog(session)
    finally:
        worker.connection.read_only = None
        worker.connection.isolation_level = None
    relation = next((r for r in relations if (r.schema, r.name) == (plan.scope, plan.relation)), None)
    if relation is None:
        database = worker.connection.info.dbname
        raise UsageError(
            f'table "{plan.table}" does not exist in database "{database}"',
            hint="Name the server and database that the plan was made for.",
        )
    if schema_fingerprint(relation, partitions_of(relations, relation)) != plan.fingerprint:
        raise UsageError(
            f'the definition of table "{plan.table}" is not the one the plan was made for',
            hint="Collect again and make a new plan.",
        )
    return relation


def _rights(worker: Worker, relation: Relation) -> list[str]:
    table = quote_literal(quote_qualified(relation.schema, relation.name))
    schema = quote_literal(relation.schema)
    owner, create, in_schema, states, active, superuser = worker.read(
        f"""SELECT pg_has_role(c.relowner, 'USAGE'), has_database_privilege(current_database(), 'CREATE'),
  has_schema_privilege(c.relowner, {schema}, 'CREATE') AND has_schema_privilege({schema}, 'CREATE'),
  CASE WHEN to_regnamespace('{STATE_SCHEMA}') IS NULL THEN true
    ELSE has_schema_privilege('{STATE_SCHEMA}', 'CREATE,USAGE') END,
  row_security_active(c.oid), (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
FROM pg_class c WHERE c.oid = {table}::regclass"""
    )[0]
    if superuser:
        return []
    journal = f"to_regclass({quote_literal(JOURNAL)})"
    kept = worker.read(
        f"SELECT {journal} IS NULL OR bool_and(has_table_privilege({journal}, p)) IS NOT FALSE\n"
        "FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p"
    )[0][0]
    found = [
        (owner, f'the role is not the owner of the table: GRANT "{relation.owner}" TO it, or connect as the owner'),
        (create, "the role may not make schemas: GRANT CREATE ON DATABASE … TO it"),
        (in_schema, f'the role may not create in schema "{relation.schema}": GRANT CREATE ON SCHEMA … TO it'),
        (states, f'the role may not use schema "{STATE_SCHEMA}": GRANT ALL ON SCHEMA {STATE_SCHEMA} TO it'),
        (kept, f"the role may not write {JOURNAL}, which another role made: GRANT ALL ON {JOURNAL} TO it"),
        (not active, "row security hides rows from the owner: let a role with BYPASSRLS run it"),
    ]
    problems = [text for allowed, text in found if not allowed]
    for name, role in other_tables(relation):
        problems += _foreign_rights(worker, name, role)
    return problems


def _foreign_rights(worker: Worker, name: str, role: str) -> list[str]:
    table = quote_literal(quoted(name))
    owner, references = worker.read(
        f"SELECT pg_has_role(relowner, 'USAGE'), has_table_privilege(oid, 'REFERENCES') FROM pg_class "
        f"WHERE oid = {table}::regclass"
    )[0]
    if role == "referencing" and not owner:
        return [f'table "{name}" references this one, and only its owner may renew the foreign key']
    if role == "referenced" and not (owner or references):
        return [f'the role may not reference table "{name}": GRANT REFERENCES … TO it']
    return []


def _bound_objects(worker: Worker, plan: MigrationPlan) -> list[str]:
    """Objects that point at the table itself, not at its name, and that no plan can move."""
    table = quote_literal(quote_qualified(plan.scope, plan.relation))
    rows = worker.read(
        f"""SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM pg_depend d
WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = {table}::regclass AND d.classid = 'pg_policy'::regclass
  AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.oid = d.objid AND p.polrelid = {table}::regclass)
UNION
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM pg_depend d JOIN pg_class c ON c.oid = {table}::regclass
WHERE d.refclassid = 'pg_type'::regclass
  AND d.refobjid IN (c.reltype, (SELECT t.typarray FROM pg_type t WHERE t.oid = c.reltype)) AND d.deptype = 'n'
UNION
SELECT 'subscription ' || s.srsubid FROM pg_subscription_rel s WHERE s.srrelid = {table}::regclass"""
    )
    return [f"{what} is bound to the table itself and would stay with the old one: drop it first" for (what,) in rows]


def _long_transactions(worker: Worker) -> list[str]:
    rows = worker.read(
        f"""SELECT pid, coalesce(usename, backend_type), state, extract(epoch FROM clock_timestamp() - xact_start)::int
FROM pg_stat_activity WHERE xact_start < clock_timestamp() - interval '{_LONG_S} seconds' AND pid <> pg_backend_pid()
  AND datname = current_database() ORDER BY xact_start LIMIT 5"""
    )
    notes = [
        f"process {pid} ({user}) has been in a transaction for {age} s ({state}); if it used the table, the swap waits"
        for pid, user, state, age in rows
    ]
    prepared = worker.read("SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()")[0][0]
    if prepared:
        notes.append(f"{prepared} prepared transactions exist; one that used the table blocks the swap until it ends")
    return notes
