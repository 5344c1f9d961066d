"""Pruning, predicted: the shapes of the reference table, each with its number of leaves and its stage."""

from __future__ import annotations

import pytest

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.equivalence import completed_conditions
from partadvisor.advise.operands import Setting
from partadvisor.advise.prune import Touch, touch, tree_of
from partadvisor.model.scheme import HashLevel
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Join, Not, Opaque, Operand, TableAccess
from partadvisor.pg.scheme_text import parse_scheme

COLUMNS = {
    "w": ColumnFacts(type="integer"),
    "d": ColumnFacts(type="integer"),
    "at": ColumnFacts(type="timestamp with time zone"),
    "name": ColumnFacts(type="text"),
}


def const(value: object, type_: str | None = None) -> Operand:
    return Operand(kind="constant", value=str(value), type=type_)


PARAM = Operand(kind="parameter", value="$1")
NOW = Operand(kind="stable", value="now()")


def compare(column: str, operator: str, *operands: Operand, wrapped: bool = False) -> Comparison:
    return Comparison(column=column, operator=operator, operands=operands, wrapped=wrapped)  # type: ignore[arg-type]


def both(*parts: Condition) -> AllOf:
    return AllOf(parts=parts)


def either(*parts: Condition) -> AnyOf:
    return AnyOf(parts=parts)


def touched(
    condition: Condition, scheme: str, *, major: int = 18, writes: bool = False, generic: bool = False
) -> Touch:
    parsed = parse_scheme(scheme)
    sizes = [level.modulus if isinstance(level, HashLevel) else 2 if parsed.is_ahead else 12 for level in parsed.levels]
    return touch(
        condition, tree_of(parsed, sizes, COLUMNS), COLUMNS, Setting(major=major, writes=writes, generic=generic)
    )


HASH = "hash(w) into 8"
PAIR = "hash(w, d) into 8"
MONTHS = "range(at) by month"


@pytest.mark.parametrize(
    ("condition", "scheme", "leaves", "when"),
    [
        (compare("w", "=", const(5, "integer")), HASH, 1, "plan"),
        (compare("w", "=", PARAM), HASH, 1, "plan"),
        (compare("w", "=", Operand(kind="folded", value="5 + 1")), HASH, 1, "plan"),
        (compare("w", "=", const(5, "bigint")), HASH, 1, "plan"),
        (compare("w", "=", const("5.0", "numeric")), HASH, 8, "never"),
        (compare("w", "=", Operand(kind="parameter", value="$1", type="numeric")), HASH, 8, "never"),
        (compare("w", "=", PARAM, wrapped=True), HASH, 8, "never"),
        (compare("w", "=", NOW), HASH, 1, "start"),
        (compare("w", "=", Operand(kind="volatile")), HASH, 8, "never"),
        (compare("w", "=", Operand(kind="subquery")), HASH, 1, "loop"),
        (compare("w", "is_null"), HASH, 1, "plan"),
        (compare("w", "<", const(5)), HASH, 8, "never"),
        (compare("w", "<>", const(5)), HASH, 8, "never"),
        (both(), HASH, 8, "never"),
        (both(Opaque(reason="function"), compare("w", "=", PARAM)), HASH, 1, "plan"),
        (either(compare("w", "=", const(1)), compare("w", "=", const(2))), HASH, 2, "plan"),
        (either(compare("w", "=", const(1)), compare("w", "=", const(1))), HASH, 1, "plan"),
        (either(compare("w", "=", const(1)), compare("d", "=", const(2))), HASH, 8, "never"),
        (
            both(compare("d", "=", const(1)), either(compare("w", "=", const(1)), compare("w", "=", PARAM))),
            HASH,
            1.875,
            "plan",
        ),
        (compare("w", "=", const(1)), PAIR, 8, "never"),
        (both(compare("w", "=", const(1)), compare("d", "=", PARAM)), PAIR, 1, "plan"),
        (both(compare("w", "=", const(1)), compare("d", "is_null")), PAIR, 1, "plan"),
        (both(compare("w", "in", const(1), const(2)), compare("d", "=", PARAM)), PAIR, 8, "never"),
        (
            both(compare("w", "=", const(1)), either(compare("d", "=", const(1)), compare("d", "=", const(2)))),
            PAIR,
            8,
            "never",
        ),
        (compare("at", "=", PARAM), MONTHS, 1, "plan"),
        (both(compare("at", ">=", const("2026-01-01")), compare("at", "<", const("2026-01-20"))), MONTHS, 1, "plan"),
        (compare("at", ">", NOW), MONTHS, 2, "start"),
        (Not(part=compare("at", "<", NOW)), MONTHS, 2, "start"),
        (compare("at", ">=", const("2026-01-01", "date")), MONTHS, 3.96, "start"),
        (compare("at", "<>", PARAM), MONTHS, 12, "never"),
        (compare("w", "=", PARAM), MONTHS, 12, "never"),
        (compare("w", "=", PARAM), "range(at) by month, hash(w) into 4", 12, "plan"),
        (both(compare("at", "=", PARAM), compare("w", "=", PARAM)), "range(at) by month, hash(w) into 4", 1, "plan"),
        (compare("w", "=", PARAM), "range(d) from now, hash(w) into 4", 2, "plan"),
        (both(compare("d", "=", PARAM), compare("w", "=", PARAM)), "range(d) from now, hash(w) into 4", 1, "plan"),
        (both(), "range(d) from now, hash(w) into 4", 5, "never"),
        (compare("w", "=", PARAM), "list(w)", 1, "plan"),
        (compare("w", "<>", PARAM), "list(w)", 11, "plan"),
    ],
)
def test_leaves_and_stage(condition: Condition, scheme: str, leaves: float, when: str) -> None:
    found = touched(condition, scheme)
    assert found.executed == pytest.approx(leaves, abs=0.05)
    assert found.when == when


def test_a_late_choice_keeps_all_partitions_in_the_plan() -> None:
    assert touched(compare("w", "=", NOW), HASH).planned == 8
    assert touched(compare("w", "=", PARAM), HASH).planned == 1
    assert touched(compare("w", "=", PARAM), HASH, generic=True).planned == 8


def test_an_array_parameter_prunes_in_custom_plans_only() -> None:
    array = compare("w", "in", Operand(kind="array_parameter", value="$1"))
    assert touched(array, HASH).when == "plan"
    assert touched(array, HASH, generic=True).when == "never"


def test_updates_prune_late_from_14_on() -> None:
    late = compare("w", "=", NOW)
    assert touched(late, HASH, writes=True, major=13).when == "never"
    assert touched(late, HASH, writes=True, major=14).when == "start"
    assert touched(late, HASH, major=13).when == "start"


def test_in_with_many_values_fills_the_table() -> None:
    few = touched(compare("w", "in", const(1), const(2)), HASH)
    assert 1 < few.executed <= 2
    assert touched(compare("w", "in", *(const(i) for i in range(100))), HASH).executed == pytest.approx(8, abs=0.01)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (compare("w", "=", const("1.5", "numeric")), "another operator family"),
        (compare("w", "=", PARAM, wrapped=True), "wrapped"),
        (compare("w", ">", PARAM), "equality only"),
        (compare("d", "=", PARAM), "no condition on w"),
    ],
)
def test_the_reason_is_in_words(condition: Condition, words: str) -> None:
    assert words in touched(condition, HASH).why


def test_a_constant_on_the_other_side_of_a_join_prunes_this_side() -> None:
    orders = TableAccess(table="public.orders", alias="o", role="read", condition=both(compare("w", "=", PARAM)))
    join = Join(column="w", other_table="public.orders", other_alias="o", other_column="w")
    lines = TableAccess(table="public.line", alias="l", role="read", joins=(join,))
    conditions = completed_conditions([orders, lines])
    assert touched(conditions["l"], HASH).when == "plan"


def test_an_outer_join_passes_no_constant_to_the_preserved_side() -> None:
    orders = TableAccess(table="public.orders", alias="o", role="read", condition=both(compare("w", "=", PARAM)))
    join = Join(column="w", other_table="public.orders", other_alias="o", other_column="w", outer=True)
    lines = TableAccess(table="public.line", alias="l", role="read", joins=(join,))
    assert touched(completed_conditions([orders, lines])["l"], HASH).when == "loop"


def test_a_join_without_a_constant_prunes_for_each_outer_row() -> None:
    orders = TableAccess(table="public.orders", alias="o", role="read", condition=both(compare("id", "=", PARAM)))
    join = Join(column="w", other_table="public.orders", other_alias="o", other_column="w")
    lines = TableAccess(table="public.line", alias="l", role="read", joins=(join,))
    assert touched(completed_conditions([orders, lines])["l"], HASH).when == "loop"
    everything = TableAccess(table="public.orders", alias="o", role="read")
    assert touched(completed_conditions([everything, lines])["l"], HASH).when == "never"


def test_null_and_not_of_a_boolean_do_not_contradict_for_the_planner() -> None:
    columns = {"k": ColumnFacts(type="integer"), "o": ColumnFacts(type="boolean")}
    tree = tree_of(parse_scheme("hash(k) into 4"), [4], columns)

    def planned(*parts: Condition) -> float:
        return touch(both(*parts), tree, columns, Setting(major=18)).planned

    no, yes = compare("o", "=", const("false", "boolean")), compare("o", "=", const("true", "boolean"))
    assert planned(compare("o", "is_null"), no) == 4
    assert planned(compare("o", "is_null"), yes) == 0


def test_a_contradiction_that_shows_at_execution_drops_nothing_more() -> None:
    columns = {"d": ColumnFacts(type="date")}
    tree = tree_of(parse_scheme("range(d) at ('2026-01-01')"), [3], columns)
    late = compare("d", "=", const("2026-02-01", "timestamp with time zone"))
    found = touch(both(compare("d", "is_null"), late), tree, columns, Setting(major=18))
    assert found.planned == 1
    assert found.executed == 1


def test_a_list_of_many_constants_is_looked_at_once() -> None:
    values = [const(n, "integer") for n in range(10_000)]
    assert touched(compare("w", "in", *values), "hash(w) into 4").planned == 4
