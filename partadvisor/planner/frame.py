"""Steps that several strategies have in common besides those of *copy*: lock functions, sequences, inbound keys."""

from __future__ import annotations

from partadvisor.model.plan import Step
from partadvisor.planner import foreign_keys, guard
from partadvisor.planner.copy import Job, locked_step, others, own_sequences, text_of


def guards_step(job: Job) -> Step:
    """Functions that take locks, and a table for the schema's digest."""
    names, relation = job.names, job.relation
    made = [
        f"CREATE TABLE {names.state('fact')} (name text PRIMARY KEY, value text NOT NULL)",
        *guard.lock_functions(
            names, others(relation, "referencing"), others(relation, "referenced"), job.lock_timeout_ms
        ),
        guard.digest_function(names),
    ]
    return locked_step(
        job, "guards", "Make the functions that take locks", "work_tables", made, undo_sql=text_of(drop_guards(job))
    )


def drop_guards(job: Job) -> list[str]:
    """Undo of :func:`guards_step`."""
    names = job.names
    return [
        *(f"DROP FUNCTION IF EXISTS {names.state(name)}()" for name in guard.LOCK_FUNCTIONS),
        f"DROP FUNCTION IF EXISTS {names.state('digest')}(regclass)",
        f"DROP TABLE IF EXISTS {names.state('fact')}",
    ]


def own_step(job: Job) -> tuple[Step, ...]:
    """After the swap: a serial column's sequence belongs to the table that has the name now."""
    owned = own_sequences(job)
    if not owned:
        return ()
    none = [f"{statement.rpartition(' OWNED BY ')[0]} OWNED BY NONE" for statement in owned]
    return (
        locked_step(
            job, "own", "Tie the sequence to the table again", "disown_sequence", owned, undo_sql=text_of(none)
        ),
    )


def validate_inbound_steps(job: Job) -> tuple[Step, ...]:
    """Other tables' foreign keys were added unchecked under the lock; each is checked on its own."""
    return tuple(
        locked_step(
            job, f"validate_inbound_{n}", "Check a foreign key to the table", "validate_inbound", [statement],
            duration_class="scan", grows_with="rows of the referencing table",
            lock_timeout_ms=guard.PATIENT_LOCK_TIMEOUT_MS,
        )
        for n, statement in enumerate(foreign_keys.validate_inbound(job.relation), start=1)
    )  # fmt: skip
