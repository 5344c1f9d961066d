"""The pages: complete, escaped, self-contained, and with the numbers they are about."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import msgspec
import pytest

from partadvisor.advise.advise import advise
from partadvisor.advise.diagnose import diagnose
from partadvisor.model.diagnosis import Diagnosis, GainLimit
from partadvisor.model.proof import Compared, NotReplayed, ProveReport
from partadvisor.model.run import MeasuredWait, Run
from partadvisor.model.snapshot import Snapshot
from partadvisor.render.html.advice import advice_html
from partadvisor.render.html.diagnosis import diagnosis_html
from partadvisor.render.html.prove import prove_html
from tests.advise.builders import snapshot, window
from tests.advise.snapshots import observed
from tests.advise.test_diagnose import CASES
from tests.advise.tpcc import tpcc_table

HOSTILE = "<script>alert(1)</script> & \"q\" '$a_b$' {{ 7*7 }} é\u202e"
_ALLOWED = re.compile(r"http://www\.w3\.org/(2000/svg|1999/xlink)")


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data

    @property
    def flat(self) -> str:
        return " ".join(self.words.split())


def check(text: str) -> Page:
    """Nothing runs, nothing is fetched, no id occurs twice, no stand-in colour is left."""
    page = Page(text)
    names = {tag for tag, _ in page.tags}
    assert {"html", "title", "svg", "table"} <= names
    assert not names & {"script", "link", "img", "iframe", "object", "base"}
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    assert "://" not in _ALLOWED.sub("", text)
    assert not re.search(r"#010[12][0-9a-f]{2}", text)
    ids = [a["id"] for _, a in page.tags if a.get("id")]
    assert len(ids) == len(set(ids))
    assert all((a.get("viewbox") or "").startswith("0 0 ") for tag, a in page.tags if tag == "svg")
    return page


@pytest.mark.parametrize("verdict", [v for v in CASES if v != "insufficient"])
def test_every_verdict_has_its_page(verdict: str) -> None:
    found = diagnose(CASES[verdict])  # type: ignore[index]
    page = check(diagnosis_html(found))
    for sentence in (found.reason, *found.advice, *found.assumptions, *found.missing):
        assert " ".join(sentence.split()) in page.flat
    pictures = {a.get("aria-label") for tag, a in page.tags if tag == "svg"}
    assert "Share of session time by wait class" in pictures


def test_a_diagnosis_without_waits_is_still_a_page() -> None:
    found = diagnose(CASES["insufficient"])
    assert found.reason in Page(diagnosis_html(found)).words


def hostile(value: Diagnosis) -> Diagnosis:
    """Every text of a diagnosis with a name made to break out."""
    tables = tuple(msgspec.structs.replace(t, table=HOSTILE, relation=HOSTILE) for t in value.tables)
    waits = tuple(msgspec.structs.replace(w, events={HOSTILE: 1.0, "b": 2.0}) for w in value.waits)
    return msgspec.structs.replace(
        value, reason=HOSTILE, tables=tables, waits=waits, advice=(HOSTILE,), assumptions=(HOSTILE,), missing=(HOSTILE,)
    )


def test_hostile_names_stay_text() -> None:
    page = check(diagnosis_html(hostile(diagnose(observed({"Lock:extend": 0.6}, cpu=0.5)))))
    assert page.words.count("<script>alert(1)</script>") >= 6
    assert page.words.count("{{ 7*7 }}") >= 6


def proof(scheme: str) -> ProveReport:
    gain = GainLimit(low=0.9, expected=1.4, high=2.0, next_bottleneck="cpu")
    waits = (MeasuredWait(wait_class="Lock:extend", share=0.7),)
    runs = tuple(
        Run(name=name, scheme=s, tps=tps, p50=1.0, p95=2.0, p99=3.0, waits=waits, extends_per_second=12.0)
        for name, s, tps in (("baseline", None, 100.0), (scheme, scheme, 150.0))
    )
    compared = Compared(
        scheme=scheme, predicted=gain, measured=1.5, measured_low=1.4, measured_high=1.6, inside=True, yours=gain
    )
    return ProveReport(
        table=HOSTILE, server_version="18", clients=4, seconds=2, rows=100, limit="wal", your_limit="extension",
        runs=runs, compared=(compared,), rounds={"baseline": (1.0, 2.0), scheme: (1.0, 2.0)},
        not_replayed=(NotReplayed(name=HOSTILE, calls_share=0.1, reason=HOSTILE),), assumptions=(HOSTILE,),
    )  # fmt: skip


def test_a_proof_shows_predicted_and_measured() -> None:
    page = check(prove_html(proof(HOSTILE)))
    for number in (
        "1.40",
        "0.90 to 2.00",
        "1.50",
        "1.40 to 1.60",
        "Lock:extend 70 %",
        "1 of 1 candidates as predicted",
    ):
        assert number in page.flat
    assert "what that queue costs does not show here" in page.flat


def hot() -> Snapshot:
    """The order-entry lines with most sessions in the queue."""
    lines = tpcc_table("order_line")
    return snapshot(lines, seen=window(lines))


def test_the_advice_of_a_hot_table() -> None:
    advice = advise(hot(), table="public.order_line", keys=["hash(ol_d_id) into 4"])
    page = check(advice_html(advice, source="shop.json"))
    (table,) = advice.tables
    for candidate in table.candidates:
        assert candidate.scheme in page.flat
        assert f"{candidate.throughput_ratio.expected:.2f}" in page.flat
    assert table.reason in page.flat


def test_hostile_advice_stays_text() -> None:
    advice = advise(hot(), table="public.order_line", keys=["hash(ol_d_id) into 4"])
    (table,) = advice.tables
    candidates = tuple(msgspec.structs.replace(c, scheme=HOSTILE, warnings=(HOSTILE,)) for c in table.candidates)
    bad = msgspec.structs.replace(table, table=HOSTILE, reason=HOSTILE, candidates=candidates, recommended=1)
    page = check(advice_html(msgspec.structs.replace(advice, tables=(bad, bad))))
    assert page.words.count("<script>alert(1)</script>") >= 8
