"""The plan for people: it names locks, what they block, the undo and the point of no return."""

from pathlib import Path

from partadvisor.render.plan_text import plan_text
from tests.migration import make_plan, run


def test_readme_and_files_say_what_happens(db: str, tmp_path: Path) -> None:
    run(db, "CREATE TABLE r (id int PRIMARY KEY); CREATE TABLE t (k int PRIMARY KEY, r int REFERENCES r); ANALYZE")
    plan = make_plan(db, "public.t", "hash(k) into 2", tmp_path)
    readme = (tmp_path / "README.md").read_text()
    assert "ACCESS EXCLUSIVE on public.t (target)<br>SHARE ROW EXCLUSIVE on public.r (referenced)" in readme
    assert "no way back" in readme
    swap = next(tmp_path.glob("*-swap-swap.sql")).read_text()
    assert "-- lock: ACCESS EXCLUSIVE on public.t (target)" in swap
    assert "-- undo, after that of every later file." in swap
    assert '--   SELECT "partadvisor"."locks_back_' in swap
    assert "SET lock_timeout = 500;" in swap
    assert len(list(tmp_path.glob("*.sql"))) == len(plan.steps)
    assert "NO WAY BACK" in next(tmp_path.glob("*-finish-unmirror.sql")).read_text()
    assert "strategy copy" in plan_text(plan)
