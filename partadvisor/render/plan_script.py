"""The numbered SQL files of a plan: the same statements as ``apply`` runs, for psql alone.

Each file can be run again after an interruption. One that is done already says so and changes nothing.
"""

from __future__ import annotations

from partadvisor.model.plan import MigrationPlan, Phase, Step
from partadvisor.planner.journal import mark
from partadvisor.planner.sync import dollar_quote

_SETTINGS = """\\set ON_ERROR_STOP on
SET application_name = 'partadvisor/psql';
SET search_path = pg_catalog, pg_temp;
SET datestyle = 'ISO, YMD';
SET timezone = 'UTC';
SET intervalstyle = postgres;
SET xmloption = content;
SET row_security = off;
SET statement_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET default_tablespace = '';
"""


def numbered_files(plan: MigrationPlan) -> dict[str, str]:
    """File name to text: ``01-prepare-schemas.sql`` and so on, in the order they run in."""
    named = [(phase, step) for phase in plan.phases for step in phase.steps]
    width = max(2, len(str(len(named))))
    return {
        f"{number:0{width}}-{phase.name}-{step.id}.sql": step_file(plan, phase, step)
        for number, (phase, step) in enumerate(named, start=1)
    }


def step_file(plan: MigrationPlan, phase: Phase, step: Step) -> str:
    """One step with its header, settings, statements and journal entry."""
    parts = [_header(plan, phase, step), _SETTINGS, f"SET lock_timeout = {step.lock_timeout_ms};\n"]
    for batch, isolation in ((step.repeat_sql, step.isolation), (step.prelude_sql, "repeatable read")):
        if batch:
            parts.append(_loop(batch, isolation))
    if step.check_sql:
        parts.append(_check(step.check_sql))
    parts.append(f"BEGIN;\n{step.sql}{mark(plan, step.id, 'done')};\nCOMMIT;\n")
    return "\n".join(parts)


def _header(plan: MigrationPlan, phase: Phase, step: Step) -> str:
    lines = [
        f"partadvisor: {phase.title}",
        f"table {plan.table} to {plan.scheme}, strategy {plan.strategy}, plan {plan.plan_id}",
        f"step {step.id}: {step.title}",
        *(f"lock: {lock.mode} on {lock.relation} ({lock.role})" for lock in step.locks),
        f"blocks: {step.blocks or 'nothing'}",
        f"duration: {step.duration_class}{f', grows with {step.grows_with}' if step.grows_with else ''}",
        f"lock_timeout: {step.lock_timeout_ms} ms; if it is reached, run this file again",
        "undo: none needed" if not step.undo_sql else "undo:",
    ]
    if step.undo_sql:
        lines += [f"  {line}" for line in step.undo_sql.rstrip().split("\n")]
    if step.point_of_no_return:
        lines.append("THERE IS NO WAY BACK AFTER THIS FILE.")
    return "".join(f"-- {line}\n" for text in lines for line in text.split("\n"))


def _loop(batch: str, isolation: str) -> str:
    """Repeats a batch until it gives 0, committing each; one that met a concurrent change is tried again."""
    body = f"""DECLARE
  pa_done bigint := 1;
BEGIN
  WHILE pa_done <> 0 LOOP
    BEGIN
      EXECUTE {dollar_quote(batch)} INTO pa_done;
    EXCEPTION WHEN serialization_failure OR deadlock_detected OR lock_not_available OR unique_violation THEN
      PERFORM pg_sleep(0.1);
    END;
    COMMIT;
  END LOOP;
END"""
    tagged = dollar_quote(body)
    return f"SET default_transaction_isolation = '{isolation}';\nDO {tagged};\nRESET default_transaction_isolation;\n"


def _check(check: str) -> str:
    body = f"""BEGIN
  IF EXISTS ({check}) THEN
    RAISE EXCEPTION 'the table and its copy differ' USING HINT = 'Nothing is lost: undo the migration.';
  END IF;
END"""
    return f"DO {dollar_quote(body)};\n"
