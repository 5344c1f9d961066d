"""Where a script is cut: as psql cuts it, losing nothing."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partadvisor.sql.lex import tokens
from partadvisor.sql.split import split


def texts(script: str) -> list[str]:
    return [s.text for s in split(script).statements]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        (" ;;\n-- only a comment\n; /* ; */", []),
        ("select 1;select 2", ["select 1", "select 2"]),
        ("select $1,$2;select $1;", ["select $1,$2", "select $1"]),
        ("select ';', ''';';x", ["select ';', ''';'", "x"]),
        (r"select E'\';', E'\\';x", [r"select E'\';', E'\\'", "x"]),
        (r"select 'a\';x", [r"select 'a\'", "x"]),
        ('select ";""", U&";";x', ['select ";""", U&";"', "x"]),
        ("select $$;$$, $a$;$$;$a$, a$b$;x$b$", ["select $$;$$, $a$;$$;$a$, a$b$", "x$b$"]),
        ("select 1 -- ;\n+ 1;x", ["select 1 -- ;\n+ 1", "x"]),
        ("/* a /* ; */ ; */ select 1; x", ["select 1", "x"]),
        ("create rule r as on insert to t do (a; b); x", ["create rule r as on insert to t do (a; b)", "x"]),
        (
            "create or replace function f() returns int begin atomic select case when a then 1 end; b; end; x",
            ["create or replace function f() returns int begin atomic select case when a then 1 end; b; end", "x"],
        ),
        ("create procedure p() as $$ begin; end $$; x", ["create procedure p() as $$ begin; end $$", "x"]),
        ("begin; x; end; case; y", ["begin", "x", "end", "case", "y"]),
        ("select 1; select 'unclosed; x", ["select 1", "select 'unclosed; x"]),
        ("select 1; select $q$unclosed; x", ["select 1", "select $q$unclosed; x"]),
        ("select 1; select /* unclosed; x", ["select 1", "select"]),
        ("selec broken ) ) ; x", ["selec broken ) )", "x"]),
        ("select 1 \\; select 2; x", ["select 1", "select 2", "x"]),
    ],
)
def test_statements(script: str, expected: list[str]) -> None:
    assert texts(script) == expected


def test_places_and_comments() -> None:
    script = "-- name: a\n/* b */\n  select\n 1; -- c\n\n  ü; x -- d"
    first, second, third = split(script).statements
    assert [(c.text, c.line, c.column) for c in first.comments] == [("-- name: a", 1, 1), ("/* b */", 2, 1)]
    assert (first.text, first.line, first.column, first.start_offset) == ("select\n 1", 3, 3, 21)
    assert [c.text for c in second.comments] == ["-- c"]
    assert (second.line, second.column) == (6, 3)
    assert (third.text, third.line, third.column) == ("x", 6, 6)


def test_psql_commands_are_recorded() -> None:
    script = "\\set x 1\nselect 1\n\\gexec\nselect\n\\echo hi; there\n 2;\n\\q"
    found = split(script)
    assert [(s.text, s.line) for s in found.skipped] == [
        ("\\set x 1", 1), ("\\gexec", 3), ("\\echo hi; there", 5), ("\\q", 7),
    ]  # fmt: skip
    assert [" ".join(s.text.split()) for s in found.statements] == ["select 1", "select 2"]
    assert found.statements[1].text == "select\n" + " " * len("\\echo hi; there") + "\n 2"


def test_copy_data_is_no_sql() -> None:
    script = "copy t (a, b) from stdin with (format csv);\n1;2\n\\set\n'x\n\\.\nselect 1;"
    found = split(script)
    assert [s.text for s in found.statements] == ["copy t (a, b) from stdin with (format csv)", "select 1"]
    assert [(s.kind, s.text, s.line) for s in found.skipped] == [("COPY data", "1;2\n\\set\n'x\n", 2)]
    assert texts("copy t from 'file';\nselect 1") == ["copy t from 'file'", "select 1"]
    assert texts("copy t from stdin;\n1\n2") == ["copy t from stdin"]


@given(st.text(st.sampled_from(list("ab;'\"$1\\/*-(),. \n")) | st.characters(blacklist_categories=["Cs"]), max_size=60))
def test_tokens_cover_every_text(text: str) -> None:
    at = 0
    for token in tokens(text):
        assert token.start == at
        assert token.end > at
        at = token.end
    assert at == len(text)


@given(st.text(st.sampled_from(list("ab;'\"$1/*-(), \n")), max_size=60))
def test_nothing_is_lost(script: str) -> None:
    """What is in no statement is spaces, semicolons and comments."""
    at = 0
    rest = ""
    for statement in split(script).statements:
        assert script[statement.start_offset : statement.start_offset + len(statement.text)] == statement.text
        rest += script[at : statement.start_offset]
        at = statement.start_offset + len(statement.text)
    rest += script[at:]
    kinds = {t.kind for t in tokens(rest) if rest[t.start : t.end] != ";"}
    assert kinds <= {"space", "comment"}


@pytest.mark.parametrize("piece", ["select 'a''b';", "$a$", "/* ", "'", '"', "(", "-- x\n", "\\x\n", "1.5e+3 "])
def test_time_is_linear(piece: str) -> None:
    """Sixteen times the text takes less than sixty-four times as long, whatever is repeated."""

    def seconds(count: int) -> float:
        script = piece * count
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            split(script)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(16_000) < 64 * max(seconds(1_000), 5e-4)
