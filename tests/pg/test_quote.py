"""Quoting means to the server what its own quoting functions mean."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partadvisor.io.server import Server
from partadvisor.model.errors import UsageError
from partadvisor.pg.quote import fit_identifier, quote_ident, quote_idents, quote_literal, quote_qualified

_TEXT = st.text(
    st.sampled_from(list("'\"\\aB é$;\n%E")) | st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])
)
_ODD = ["", "'", "''", "\\", "\\'", "a\\b'c", "E'", " ", "%s", "$1", "\n", "ü", "select", "x" * 200]


@pytest.fixture(scope="module")
def connection(server: Server, make_db: Callable[[Server], str]) -> Iterator[psycopg.Connection]:
    with psycopg.connect(make_db(server), autocommit=True) as opened:
        yield opened


def _check(connection: psycopg.Connection, values: list[str]) -> None:
    """The server reads our literals as the values, and writes the same literals itself."""
    for conforming in ("on", "off"):
        connection.execute(f"SET standard_conforming_strings = {conforming}")
        connection.execute("SET escape_string_warning = off")
        row = connection.execute("SELECT " + ", ".join(map(quote_literal, values))).fetchone()
        assert row is not None
        assert list(row) == values
    connection.execute("SET standard_conforming_strings = on")
    theirs = connection.execute("SELECT array(SELECT quote_literal(x) FROM unnest(%s::text[]) x)", [values]).fetchone()
    assert theirs is not None
    assert [quote_literal(v).strip() for v in values] == [t.strip() for t in theirs[0]]


def test_odd_literals(connection: psycopg.Connection) -> None:
    _check(connection, _ODD)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(values=st.lists(_TEXT, min_size=1, max_size=20))
def test_literals(connection: psycopg.Connection, values: list[str]) -> None:
    _check(connection, values)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(names=st.lists(_TEXT.filter(lambda n: 0 < len(n.encode()) < 64), min_size=1, max_size=20, unique=True))
def test_identifiers(connection: psycopg.Connection, names: list[str]) -> None:
    """As column names they come back as they were; the server quotes them alike whenever it quotes at all."""
    columns = ", ".join(f"1 AS {quote_ident(n)}" for n in names)
    found = connection.execute("SELECT " + columns).description
    assert found is not None
    assert [c.name for c in found] == names
    theirs = connection.execute("SELECT array(SELECT quote_ident(x) FROM unnest(%s::text[]) x)", [names]).fetchone()
    assert theirs is not None
    assert all(quote_ident(n) == t for n, t in zip(names, theirs[0], strict=True) if t.startswith('"'))
    parsed = connection.execute("SELECT parse_ident(%s)", [quote_qualified(names[0], names[-1])]).fetchone()
    assert parsed == ([names[0], names[-1]],)


def test_lists_and_null() -> None:
    assert quote_idents(("a", 'b"c')) == '"a", "b""c"'
    assert quote_literal(None) == "NULL"


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_no_identifier(name: str) -> None:
    with pytest.raises(UsageError, match="invalid identifier"):
        quote_ident(name)


def test_no_literal() -> None:
    with pytest.raises(UsageError, match="NUL"):
        quote_literal("a\0b")


@given(st.text(st.characters(blacklist_categories=["Cs"])), st.sampled_from(["", "_p1", "_old"]))
def test_fitted_names_fit(base: str, suffix: str) -> None:
    fitted = fit_identifier(base, suffix)
    assert len(fitted.encode()) <= 63
    assert fitted.endswith(suffix)
    assert base.startswith(fitted.removesuffix(suffix)) or not suffix
