"""Indexes built after the fill: an interrupted build goes on, and leaf indexes have the names the server would give."""

from pathlib import Path

import pytest

from partadvisor.io.migrate import ApplyOptions, Progress, apply
from partadvisor.model.errors import Stopped
from tests.migration import make_plan, run

QUICK = ApplyOptions(pause=0, second_comparison=False)
TABLE = """
CREATE TABLE t (k int, at date, e text, PRIMARY KEY (k, at));
INSERT INTO t SELECT i, date '2024-01-01' + i % 60, 'e' || i FROM generate_series(1, 500) i;
CREATE INDEX plain ON t (e); CREATE INDEX lowered ON t (lower(e)) WHERE k > 5; CREATE INDEX again ON t (e DESC);
CREATE INDEX dated ON t (at) INCLUDE (k); COMMENT ON INDEX dated IS 'kept'; ANALYZE t;
"""
LEAVES = """
SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_class r ON r.oid = i.indrelid WHERE r.relname LIKE 't\\_%' ORDER BY 1
"""


@pytest.mark.parametrize("scheme", ["hash(k) into 3", "range(at) by month, hash(k) into 2"])
def test_an_interrupted_build_goes_on(db: str, tmp_path: Path, scheme: str) -> None:
    run(db, TABLE)
    plan = make_plan(db, "public.t", scheme, tmp_path, "copy")
    built: list[str] = []

    def listen(progress: Progress) -> None:
        if progress.step == "build_indexes" and progress.message:
            built.append(progress.message)

    with pytest.raises(Stopped):
        apply(tmp_path, db, progress=listen, stop=lambda: len(built) > 2, options=QUICK)
    half = [name for name, _ in run(db, LEAVES) if name.endswith("_p0_at_k_idx")]
    assert half  # as an interruption leaves it
    run(db, f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{half[0]}'::regclass")
    built.clear()
    assert apply(tmp_path, db, progress=listen, options=QUICK).state == "swapped"
    assert any(f"DROP INDEX CONCURRENTLY public.{half[0]}" in message for message in built)
    left = run(db, LEAVES)
    run(db, f"DROP SCHEMA partadvisor_{plan.plan_id}_old CASCADE")
    _build_directly(db)
    assert run(db, LEAVES) == left
    assert run(db, "SELECT bool_and(indisvalid) FROM pg_index WHERE indrelid = 't'::regclass") == [(True,)]


def _build_directly(dsn: str) -> None:
    """Makes the indexes anew as one would, on the table as a whole."""
    made = run(
        dsn, "SELECT indexdef FROM pg_indexes WHERE tablename = 't' AND indexname <> 't_pkey' ORDER BY indexname"
    )
    run(dsn, "DROP INDEX plain, lowered, again, dated")
    for (definition,) in made:
        run(dsn, definition.replace(" ON ONLY ", " ON "))
