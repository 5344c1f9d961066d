"""Whatever the text is, the answer is a pattern or a reason."""

import random
from pathlib import Path

from partadvisor.model.workload import AccessPattern
from partadvisor.sql.access import access_pattern
from partadvisor.sql.lex import tokens
from partadvisor.sql.names import SchemaNames
from partadvisor.sql.parse import Unparsed
from partadvisor.sql.split import split
from tests.sql.test_planner_agrees import STATEMENTS

_FILE = Path(__file__).with_name("everyday_statements.sql")
_COUNT = 10_000


def _mutated(chooser: random.Random, statements: list[list[str]], words: list[str]) -> str:
    """A statement with one to three pieces cut, doubled, or taken from another."""
    found = list(chooser.choice(statements))
    for _ in range(chooser.randint(1, 3)):
        at = chooser.randrange(len(found) + 1)
        match chooser.randrange(4):
            case 0:
                del found[at : at + chooser.randint(1, 3)]
            case 1:
                found.insert(at, f" {chooser.choice(words)} ")
            case 2:
                other = chooser.choice(statements)
                start = chooser.randrange(len(other))
                found[at:at] = other[start : start + chooser.randint(2, 12)]
            case _:
                found[at : at + 1] = [chooser.choice(words)]
    return "".join(found)


def test_mutated_statements(names: SchemaNames) -> None:
    texts = [s.text for s in split(_FILE.read_text()).statements] + STATEMENTS
    statements = [[text[t.start : t.end] for t in tokens(text)] for text in texts]
    words = [w for one in statements for w in one if w.strip()]
    chooser = random.Random(7)
    found = [access_pattern(_mutated(chooser, statements, words), names) for _ in range(_COUNT)]
    assert all(isinstance(p, AccessPattern | Unparsed) for p in found)
    assert sum(isinstance(p, AccessPattern) and bool(p.tables) for p in found) > _COUNT / 20


def test_odd_but_valid(names: SchemaNames) -> None:
    for text in (
        "select from t where id in (select from u)",
        "select * from t where id in (select * from u where k = 5)",
        "select from rows from (generate_series(1, 3)) as f(a)",
        "select t from t where t is not null",
        "select count(*) from (select) x",
        "insert into t select",
        "select * from t where (select true)",
        "select * from t as x(a, b, c, d, e, f) where a = 1",
        "with t as (select 1 as k) select * from t where k = 1",
        "select * from t order by 7 limit 0",
        "update t set a[1] = 2, b = default where current of c",
    ):
        assert isinstance(access_pattern(text, names), AccessPattern), text
