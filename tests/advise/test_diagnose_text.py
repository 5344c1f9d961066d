"""The page about a diagnosis: complete, within the width, with colours only when asked."""

import pytest

from partadvisor.advise.diagnose import diagnose
from partadvisor.render.diagnosis_text import diagnosis_text
from partadvisor.render.style import Style, bar, interval_bar, pad, percent, quantity, visible_length, wrapped
from tests.advise.snapshots import LINES, observed, samples
from tests.advise.test_diagnose import CASES


@pytest.mark.parametrize("verdict", CASES)
@pytest.mark.parametrize("width", [60, 80, 140])
def test_every_verdict_fits_the_width(verdict: str, width: int) -> None:
    found = diagnose(CASES[verdict])  # type: ignore[index]
    text = diagnosis_text(found, width=width, colour=False)
    assert text.endswith("\n")
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= width
    flat = " ".join(text.split())
    for sentence in (found.reason, *found.advice, *found.missing, *found.assumptions):
        assert " ".join(sentence.split()) in flat


def test_colour_only_adds_codes() -> None:
    found = diagnose(CASES["extension"])
    plain, painted = (diagnosis_text(found, width=100, colour=c) for c in (False, True))
    assert "\x1b[" in painted
    assert [visible_length(line) for line in painted.splitlines()] == [len(line) for line in plain.splitlines()]


def test_the_evidence_is_on_the_page() -> None:
    queue = {"public.order_line_pkey": (LINES, "index", 1.0)}
    drawn = samples({"Lock:extend": 0.6, "IO:DataFileExtend": 0.1}, relations=queue)  # type: ignore[arg-type]
    text = diagnosis_text(diagnose(observed(cpu=0.73, cores=2, drawn=drawn)), width=120, colour=False)
    assert text.startswith("Inserts queue to extend a table  verdict extension, confidence 98 %")
    for piece in ("200 samples", "CPU 73 % busy of 2 cores", "relation extension", "Lock:extend", "IO:DataFileExtend"):
        assert piece in text
    for piece in ("index public.order_line_pkey", "10,000", "├", "●", "then the next limit is the CPU", "  1. "):
        assert piece in text


def test_bars() -> None:
    assert bar(0.5, 8) == "████    "
    assert bar(0.5625, 8) == "████▌   "
    assert bar(2, 4) == "████"
    assert interval_bar(0.25, 0.5, 0.75, 8) == "██▓▓░░  "


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.0001, "<0.1 %"), (0.042, "4.2 %"), (0.62, "62 %"), (1, "100 %")]
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.25, "0.25"), (5, "5"), (5.5, "5.5"), (42.25, "42.2"), (12000, "12,000")]
)
def test_quantity(value: float, text: str) -> None:
    assert quantity(value) == text


def test_lines_are_wrapped_with_a_hanging_indent() -> None:
    assert wrapped("one two three four five six 62 % seven", 28, first="1. ") == [
        "1. one two three four five",
        "   six 62 % seven",
    ]
    assert wrapped("", 40, first="- ") == ["-"]


def test_styles() -> None:
    style = Style(True)
    assert style.bold("x") == "\x1b[1mx\x1b[0m"
    assert Style(False).red("x") == "x"
    assert style.green("") == ""
    assert pad(style.yellow("x"), 3) == "\x1b[33mx\x1b[0m  "
    assert pad("7", 3, right=True) == "  7"
