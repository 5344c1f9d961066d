"""Queries that get worse and statements to change, in words."""

from __future__ import annotations

from partadvisor.model.advice import Candidate, Incompatibility, Locks, QueryEffect, ReadCost, WriteSpread
from partadvisor.model.diagnosis import GainLimit
from partadvisor.render.query_text import compatibility_lines, worse_lines
from partadvisor.render.style import Style


def effect(name: str, ratio: float, ms: float) -> QueryEffect:
    return QueryEffect(
        name=name, fingerprint=name, calls_per_second=40.0, partitions_touched=16, partitions=16, when="never",
        why="no condition on w_id", time_ratio=ratio, added_ms=ms, added_ms_per_second=40 * ms,
        causes=("a lookup by id without w_id searches the index of 16 partitions, 36 us more",),
    )  # fmt: skip


def finding(rule: str, statement: str, *, change_first: bool = False) -> Incompatibility:
    return Incompatibility(
        rule=rule, effect="wrong" if change_first else "fails", statement=statement, fingerprint=statement,
        text=f"{statement} breaks", remedy="write it otherwise", change_first=change_first,
    )  # fmt: skip


def candidate(**more: object) -> Candidate:
    return Candidate(
        rank=1, scheme="hash(w_id) into 16", strategy="hash", columns=("w_id",), partitions=16, feasible=True,
        write=WriteSpread(effective_partitions=13, max_share=0.1, partitions_per_statement=1),
        throughput_ratio=GainLimit(low=1, expected=2, high=3, next_bottleneck="cpu"),
        read=ReadCost(partitions_per_query=1, cost_ratio=1, unpruned_share=0),
        locks=Locks(per_query_max=4, fast_path_slots=16),
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def text(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def test_how_much_slower_comes_first() -> None:
    chosen = candidate(worse=(effect("by id", 4.94, 0.12), effect("small", 1.02, 0.004)), worse_queries=9)
    said = text(worse_lines(chosen, 100, Style(False)))
    assert said.startswith("get worse 4.9x by id: 0.12 ms a call more, 40/s = 4.8 ms/s; a lookup by id without w_id")
    assert "+2.0 % small: 4 us a call more" in said
    assert "and 7 more that lose less (--details)" in said


def test_nothing_gets_worse() -> None:
    assert text(worse_lines(candidate(), 100, Style(False))) == "get worse none of the known queries"


def test_one_paragraph_for_a_rule_and_what_must_change_is_marked() -> None:
    found = (
        finding("PF410", "purge", change_first=True),
        *(finding("PF414", f"export {n}") for n in range(6)),
    )
    lines = compatibility_lines(candidate(compatibility=found, incompatible=9), 100, Style(False))
    said = text(lines)
    assert said.startswith("change first purge breaks. Remedy: write it otherwise [PF410]")
    assert "will fail export 0 breaks; also export 1, export 2, export 3 and 2 more. Remedy" in said
    assert said.endswith("and 2 more that run less often (--details)")
    assert max(len(line) for line in lines) <= 100
