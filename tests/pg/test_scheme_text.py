"""Schemes read and written: both directions, and errors that point at the place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import HashLevel, Interval, Level, ListLevel, RangeLevel, Scheme
from partadvisor.pg.scheme_text import parse_scheme, scheme_text


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("hash(w_id) into 16", [HashLevel(columns=("w_id",), modulus=16)]),
        ("HASH ( A , b ) INTO 2", [HashLevel(columns=("a", "b"), modulus=2)]),
        ('hash("W Id""x") into 3', [HashLevel(columns=('W Id"x',), modulus=3)]),
        ("range(created_at) by month", [RangeLevel(columns=("created_at",), interval="month")]),
        ("range(id) by 1_000_000", [RangeLevel(columns=("id",), step=1_000_000)]),
        ("range(id) at (100, -2.5)", [RangeLevel(columns=("id",), at=("100", "-2.5"))]),
        (
            "range(d) at (2026-01-01, '2026-02-01 00:00')",
            [RangeLevel(columns=("d",), at=("2026-01-01", "2026-02-01 00:00"))],
        ),
        (
            "range(id) from 300000, hash(id) into 8",
            [RangeLevel(columns=("id",), start="300000"), HashLevel(columns=("id",), modulus=8)],
        ),
        ("range(id) from now", [RangeLevel(columns=("id",), start="")]),
        ("range(id) from 'now'", [RangeLevel(columns=("id",), start="now")]),
        ("list(region)", [ListLevel(columns=("region",))]),
        (
            "list(region) in ((EU, uk), (null), ('null'))",
            [ListLevel(columns=("region",), values=(("EU", "uk"), (None,), ("null",)))],
        ),
        ("list(region), hash(id) into 4", [ListLevel(columns=("region",)), HashLevel(columns=("id",), modulus=4)]),
    ],
)
def test_reads(text: str, levels: list[Level]) -> None:
    scheme = parse_scheme(text)
    assert list(scheme.levels) == levels
    assert parse_scheme(scheme_text(scheme)) == scheme


@pytest.mark.parametrize(
    ("text", "says", "caret", "hint"),
    [
        ("", 'expected "hash", "range" or "list", found the end', 0, "hash(w_id) into 16"),
        ("hsh(a) into 4", 'expected "hash"', 0, "hash(w_id) into 16"),
        ("hash a into 4", 'expected "(", found "a"', 5, "hash("),
        ("hash(a)", 'expected "into", found the end', 7, "into 16"),
        ("hash(a) into 1", "at least 2 partitions", 13, "hash("),
        ("hash(a) into many", "expected a number of partitions", 13, "hash("),
        ("hash(a) into -4", "expected a number of partitions", 13, "hash("),
        ("hash(a, a) into 4", 'column "a" is named twice', 8, "hash("),
        ("hash() into 4", 'expected a column name, found ")"', 5, "hash("),
        ('hash("") into 4', "expected a column name", 5, "hash("),
        ('hash("a) into 4', "unterminated quote", 5, "hash("),
        ("hash(a;b) into 4", "unexpected character ';'", 6, "hash("),
        ("range(ts)", 'expected "by", "at" or "from"', 9, "by month"),
        ("range(ts) by mnth", "expected an interval or a step", 13, "Did you mean: by month"),
        ("range(ts) by fortnight", "expected an interval or a step", 13, "hour, day, week"),
        ("range(ts) by 0", "a step is at least 1", 13, "hash("),
        ("range(id) at (1, null)", "cannot be null", 21, "hash("),
        ("list(a, b)", "a list key is one column", 4, "hash("),
        ("list(a) in (1, 2)", 'expected "(", found "1"', 12, "hash("),
        ("list(a) in ((1), (1))", "'1' is in the list twice", 4, "hash("),
        ("hash(a) into 2 hash(b) into 2", 'expected ","', 15, "hash("),
        ("hash(a) into 2,", "found the end", 15, "hash("),
        ("hash(a) into 2, hash(b) into 2, hash(c) into 2", "at most two levels", 30, "hash("),
        ("hash(a) into 2, range(b) from 5", "first level only", 16, "hash("),
    ],
)
def test_error_points_at_the_place(text: str, says: str, caret: int, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_scheme(text)
    assert says in error.value.message
    assert error.value.detail is not None
    assert error.value.detail.splitlines()[-1] == " " * caret + "^"
    assert hint in (error.value.hint or "")


_names = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1, max_size=12)
_columns = st.lists(_names, min_size=1, max_size=3, unique=True).map(tuple)
_values = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8) | st.integers().map(str)
_hash_levels = st.builds(lambda c, m: HashLevel(columns=c, modulus=m), _columns, st.integers(2, 10_000))
_cut_levels = st.one_of(
    st.builds(
        lambda c, i: RangeLevel(columns=c, interval=i),
        _columns,
        st.sampled_from(tuple[Interval, ...](("hour", "day", "week", "month", "quarter", "year"))),
    ),
    st.builds(lambda c, s: RangeLevel(columns=c, step=s), _columns, st.integers(1, 10**12)),
    st.builds(lambda c, a: RangeLevel(columns=c, at=tuple(a)), _columns, st.lists(_values, min_size=1, max_size=4)),
)
_ahead_levels = st.builds(lambda c, v: RangeLevel(columns=c, start=v), _columns, _values)


@st.composite
def _list_levels(draw: st.DrawFn) -> ListLevel:
    every = draw(st.lists(_values | st.none(), max_size=6, unique=True))
    cut = draw(st.integers(0, len(every)))
    groups = tuple(tuple(group) for group in (every[:cut], every[cut:]) if group)
    return ListLevel(columns=(draw(_names),), values=groups)


_second = st.one_of(_hash_levels, _cut_levels, _list_levels())


@given(st.one_of(_second, _ahead_levels), st.lists(_second, max_size=1))
def test_text_and_value_convert_both_ways(first: Level, rest: list[Level]) -> None:
    scheme = Scheme(levels=(first, *rest))
    text = scheme_text(scheme)
    assert parse_scheme(text) == scheme
    assert scheme_text(parse_scheme(text)) == text
