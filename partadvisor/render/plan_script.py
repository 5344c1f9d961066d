"""The numbered SQL files of a plan: the same statements as ``apply`` runs, for psql alone.

Each file can be run again after an interruption. One that is done already says so and changes nothing.
"""

# ruff: noqa: S608  (names come from planner.names, values are quoted)

from __future__ import annotations

from partadvisor.model.plan import MigrationPlan, Phase, Step
from partadvisor.pg.quote import quote_literal
from partadvisor.planner.journal import mark, unmark
from partadvisor.planner.names import JOURNAL
from partadvisor.planner.sync import dollar_quote

_SETTINGS = """\\set ON_ERROR_STOP on
SET application_name = 'partadvisor/psql';
SET default_transaction_read_only = off;
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
    parts = [_header(plan, phase, step), _SETTINGS, _skip_if_done(plan, step)]
    parts.append(f"SET lock_timeout = {step.lock_timeout_ms};\n")
    for batch, isolation in ((step.repeat_sql, step.isolation), (step.prelude_sql, "repeatable read")):
        if batch:
            parts.append(_loop(batch, isolation))
    if step.each_sql:
        parts.append(_each(step.each_sql))
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
        f"lock_timeout: {step.lock_timeout_ms} ms; if it is reached, run this file again"
        if step.lock_timeout_ms
        else "lock_timeout: none, as no client waits for these locks or behind them",
        *_undo(plan, step),
    ]
    if step.point_of_no_return:
        lines.append("THERE IS NO WAY BACK AFTER THIS FILE.")
    return "".join(f"-- {line}\n" for text in lines for line in text.split("\n"))


def _undo(plan: MigrationPlan, step: Step) -> list[str]:
    """What takes the step back, for somebody who has to do it by hand; nothing after the point of no return."""
    steps = plan.steps
    final = next((n for n, other in enumerate(steps) if other.point_of_no_return), len(steps))
    if steps.index(step) >= final:
        return ["undo: impossible"]
    lines = ["undo, after that of every later file, in one transaction:"]
    if step.undo_prelude_sql:
        lines = [
            "undo, after that of every later file. First, until it gives 0, each in a REPEATABLE READ transaction:",
            f"  {step.undo_prelude_sql};",
            "Then in one READ COMMITTED transaction:",
        ]
    statements = f"{step.undo_sql or ''}{unmark(plan, step.id)};"
    return lines + [f"  {line}" for line in statements.split("\n")]


def _skip_if_done(plan: MigrationPlan, step: Step) -> str:
    """Ends psql when the journal says that the step is done; the journal itself may not be there yet."""
    return f"""SELECT to_regclass({quote_literal(JOURNAL)}) IS NOT NULL AS pa_journal \\gset
\\if :pa_journal
  SELECT EXISTS (SELECT FROM {JOURNAL} WHERE plan_id = {quote_literal(plan.plan_id)}
    AND step = {quote_literal(step.id)} AND state = 'done') AS pa_done \\gset
  \\if :pa_done
    \\echo step {step.id} is done already
    \\quit
  \\endif
\\endif
"""


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


def _each(query: str) -> str:
    """Runs what the query gives, outside a transaction; twice, since dropping what an interruption left comes first."""
    left = f"""BEGIN
  IF EXISTS ({query}) THEN
    RAISE EXCEPTION 'statements of this step are left to run' USING HINT = 'Run this file again.';
  END IF;
END"""
    return f"{query}\n\\gexec\n{query}\n\\gexec\nDO {dollar_quote(left)};\n"


def _check(check: str) -> str:
    body = f"""BEGIN
  IF EXISTS ({check}) THEN
    RAISE EXCEPTION 'the table and its copy differ' USING HINT = 'Nothing is lost: undo the migration.';
  END IF;
END"""
    return f"DO {dollar_quote(body)};\n"
