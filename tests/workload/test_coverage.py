"""Coverage: shares, gaps, and the words for them."""

import msgspec
import pytest

from partadvisor.advise.advise import advise
from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.model.workload import Coverage, Gap, QueryFamily
from partadvisor.render.advice_text import advice_text
from partadvisor.render.coverage_text import coverage_lines
from partadvisor.render.style import Style
from partadvisor.workload.coverage import NOT_A_TABLE_ACCESS, Read, coverage
from tests.advise.snapshots import bare


def read(text: str, calls: float, ms: float, reason: str | None = None) -> Read:
    family = QueryFamily(fingerprint=text, text=text, calls=calls, mean_ms=ms / calls, not_analysed=reason)
    return Read(family, reason)


def test_shares_and_gaps() -> None:
    found = coverage(
        [
            read("a", 60, 10),
            read("b", 20, 30, "why"),
            read("c", 10, 50, "why"),
            read("d", 10, 10, "other"),
            read("begin", 1000, 1000, NOT_A_TABLE_ACCESS),
        ],
        ["a note"],
    )
    assert (found.families, found.understood_families, found.without_table) == (4, 1, 1)
    assert (found.calls_share, found.time_share) == (0.6, 0.1)
    assert found.gaps == (
        Gap(reason="why", families=2, calls_share=0.3, time_share=0.8, example="c"),
        Gap(reason="other", families=1, calls_share=0.1, time_share=0.1, example="d"),
    )
    assert found.notes == ("a note",)
    total = found.calls_share + sum(g.calls_share for g in found.gaps)
    assert total == pytest.approx(1)


def test_calls_stand_for_time_where_none_is_known() -> None:
    found = coverage([read("a", 3, 0), read("b", 1, 0, "why")])
    assert (found.time_share, found.gaps[0].time_share) == (0.75, 0.25)


def test_words() -> None:
    gaps = [Gap(reason=f"r{n}", families=2, calls_share=0.001, time_share=0.002, example="") for n in range(7)]
    found = Coverage(families=99, understood_families=85, calls_share=0.996, time_share=0.5, gaps=tuple(gaps))
    text = "\n".join(coverage_lines(found, 200, Style(False)))
    assert "85 of 99 query families are understood, with over 99 % of the calls and 50 % of the time" in text
    assert "2 query families, 0.1 % of the calls and 0.2 % of the time: r0" in text
    assert "4 query families for 2 more reasons" in text
    assert "r6" not in text
    assert "all understood: 3 query families" in coverage_lines(Coverage(families=3), 200, Style(False))[0]


def test_in_the_advice_as_text_and_json() -> None:
    entries = (
        StatementDelta(query_id="", text="select * from order_line where ol_w_id = $1", calls=99, total_ms=99.0),
        StatementDelta(query_id="", text="selec * from order_line", calls=1, total_ms=1.0),
    )
    snapshot = msgspec.structs.replace(
        bare(), statements=(Statements(source="log", seconds=10.0, entries=entries, notes=("log x: a note",)),)
    )
    advice = advise(snapshot)
    text = advice_text(advice)
    assert "1 of 2 query families are understood, with 99 % of the calls and 99 % of the time" in text
    assert 'syntax error at or near "selec"' in text
    assert "log x: a note" in text
    written = msgspec.json.decode(msgspec.json.encode(advice))
    assert written["coverage"]["time_share"] == 0.99
    assert written["coverage"]["gaps"][0]["families"] == 1
