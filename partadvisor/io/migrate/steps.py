"""Runs one step: a transaction that is tried until it gets its locks, or a batch that is repeated to its end."""

# ruff: noqa: S608  (names and values are quoted by the planner)

from __future__ import annotations

import random
import time

import psycopg
from psycopg import errors

from partadvisor.io.migrate.blockers import who_blocks
from partadvisor.io.migrate.progress import ApplyOptions, OnProgress, Progress
from partadvisor.io.migrate.rate import Rate
from partadvisor.io.migrate.throttle import Throttle
from partadvisor.io.migrate.worker import RETRY_ERRORS, Worker, failure
from partadvisor.model.errors import CheckFailed, ServerError
from partadvisor.model.plan import MigrationPlan, Phase, Step
from partadvisor.planner.guard import ASKED_SETTING
from partadvisor.planner.journal import mark
from partadvisor.planner.reconcile import RECONCILE_ROWS

_FIRST_WAIT_S = 0.2
_LONGEST_WAIT_S = 5.0
_MAX_DRAINS = 20


class Tally:
    """What a run adds up."""

    def __init__(self) -> None:
        self.longest_block_ms = 0.0
        self.retries = 0
        self.steps: list[str] = []


class StepRunner:
    """Runs steps of one plan on one connection."""

    def __init__(self, worker: Worker, plan: MigrationPlan, options: ApplyOptions, progress: OnProgress) -> None:
        self.worker = worker
        self.plan = plan
        self.options = options
        self.progress = progress
        self.tally = Tally()
        self.throttle = Throttle(worker, options)

    def run(self, phase: Phase, step: Step) -> None:
        """Runs a step to its end and writes that down.

        Raises:
            Stopped: on request; committed work is kept.
            CheckFailed: the step is a comparison and found differences.
            ServerError: the server refused a statement or is gone.
        """
        self._say(phase, step)
        if step.repeat_sql:
            self._once(phase, step, mark(self.plan, step.id, "running"))
            self._repeat(phase, step, step.repeat_sql)
        if step.each_sql:
            self._once(phase, step, mark(self.plan, step.id, "running"))
            self._each(phase, step, step.each_sql)
        if step.check_sql:
            self._check(step.check_sql)
        self._once(phase, step, step.sql + mark(self.plan, step.id, "done"), step.prelude_sql)
        self.tally.steps.append(step.id)

    def undo(self, phase: Phase, step: Step, forget: str) -> None:
        """Runs a step's undo, and ``forget`` in the same transaction."""
        self._say(phase, step, f"undo: {step.title}")
        self._once(phase, step, (step.undo_sql or "") + forget, step.undo_prelude_sql)
        self.tally.steps.append(step.id)

    def _once(self, phase: Phase, step: Step, sql: str, prelude: str | None = None) -> None:
        """One transaction, tried again as long as only locks or a concurrent change stood in the way."""
        began, attempt = time.monotonic(), 0
        while True:
            if prelude:
                self._drain(phase, step, prelude)
            try:
                return self._try(step, sql)
            except RETRY_ERRORS as error:
                attempt += 1
                self._after_failure(phase, step, error, attempt, began)
            except psycopg.Error as error:
                raise failure(self.worker, error) from error

    def _try(self, step: Step, sql: str) -> None:
        with self.worker.transaction(step.isolation, step.lock_timeout_ms):
            self.worker.execute(sql)
            asked = self.worker.execute(
                f"SELECT extract(epoch FROM clock_timestamp() - nullif(current_setting('{ASKED_SETTING}', true), '')\n"
                "::timestamptz)::float8 * 1000"
            )[0][0]
            committing = time.monotonic()
        if asked is not None:
            self._blocked(asked + (time.monotonic() - committing) * 1000)

    def _after_failure(self, phase: Phase, step: Step, error: psycopg.Error, attempt: int, began: float) -> None:
        self.tally.retries += 1
        if isinstance(error, errors.LockNotAvailable):
            self._blocked(step.lock_timeout_ms)
        limit = self.options.give_up_after_s
        if limit is not None and time.monotonic() - began > limit:
            raise ServerError(
                f'step "{step.id}" did not get its locks within {limit:g} s',
                detail=self._obstacle(step, error),
                hint="What was done is kept. Run apply again to go on, or rollback to undo it.",
            ) from error
        self._say(phase, step, f"attempt {attempt}: {self._obstacle(step, error)}")
        wait = min(_FIRST_WAIT_S * 2 ** min(attempt, 10), _LONGEST_WAIT_S)
        self.worker.sleep(wait * (0.5 + random.random() / 2))

    def _obstacle(self, step: Step, error: psycopg.Error) -> str:
        if isinstance(error, errors.ObjectInUse):  # its message names the session already
            return _first_line(error)
        return who_blocks(self.worker, step) or _first_line(error)

    def _blocked(self, milliseconds: float) -> None:
        self.tally.longest_block_ms = max(self.tally.longest_block_ms, milliseconds)

    def _drain(self, phase: Phase, step: Step, sql: str) -> None:
        """Leaves little to do under the lock; under a flood of changes the attempt itself decides."""
        tries = 0
        while tries < _MAX_DRAINS and (done := self._batch(phase, step, sql, "repeatable read")):
            tries += done < RECONCILE_ROWS  # full batches are a backlog, which does get shorter
            self._say(phase, step, f"{done} changes carried over before the locks are asked for")

    def _repeat(self, phase: Phase, step: Step, sql: str) -> None:
        rate = Rate(self.progress, phase, step, self.plan.rows_expected, self._already(step))
        while True:
            if step.throttled:
                self.throttle.before(rate.tell)
            began = time.monotonic()
            done = self._batch(phase, step, sql, step.isolation)
            if not done:
                return
            rate.add(done, self.throttle.reason() if step.throttled else None)
            if step.throttled:
                self.throttle.after(time.monotonic() - began, rate.tell)

    def _already(self, step: Step) -> int:
        """Rows that an earlier run has copied."""
        return int(self.worker.read(self.plan.status_sql)[0][0]) if step.id == "fill" and self.plan.status_sql else 0

    def _each(self, phase: Phase, step: Step, query: str) -> None:
        """Runs what the query gives until it gives nothing; what was interrupted it gives again."""
        began, attempt, done = time.monotonic(), 0, 0
        while found := self.worker.read(query):
            total = done + len(found)
            try:
                for (sql,) in found:
                    done += 1
                    self._say(phase, step, f"{done} of {total}: {sql}")
                    self.worker.execute_alone(sql)
            except RETRY_ERRORS as error:
                attempt += 1
                self._after_failure(phase, step, error, attempt, began)
            except psycopg.Error as error:
                raise failure(self.worker, error) from error

    def _batch(self, phase: Phase, step: Step, sql: str, isolation: str) -> int:
        """One batch in one transaction, repeated when it met a concurrent change."""
        attempt = 0
        while True:
            try:
                with self.worker.transaction(
                    "repeatable read" if isolation == "repeatable read" else "read committed", step.lock_timeout_ms
                ):
                    return int(self.worker.execute(sql)[0][0])
            except (*RETRY_ERRORS, errors.UniqueViolation) as error:
                attempt += 1
                if attempt > 50 and isinstance(error, errors.UniqueViolation):
                    raise failure(self.worker, error) from error
                self._say(phase, step, f"batch tried again: {_first_line(error)}")
                self.worker.sleep(min(0.05 * 2 ** min(attempt, 6), 2.0) * (0.5 + random.random() / 2))
            except psycopg.Error as error:
                raise failure(self.worker, error) from error

    def _check(self, sql: str) -> None:
        found = self.worker.read(sql)
        if found:
            raise CheckFailed(
                f'table "{self.plan.table}" and its copy differ',
                detail="\n".join(f"{problem}: {key}" for problem, key in found),
                hint="Nothing is lost: rollback undoes the migration. Please report this.",
            )

    def _say(self, phase: Phase, step: Step, message: str | None = None) -> None:
        self.progress(Progress(phase=phase.name, step=step.id, title=step.title, message=message))


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", maxsplit=1)[0]
