"""Which partitions of one level a condition leaves: the planner's partition pruning, predicted.

A condition tree is reduced to a *pick*. No pick means that the level is scanned whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partadvisor.advise.level_view import LevelView
from partadvisor.advise.pick import Pick, empty, intersection, union
from partadvisor.advise.refute import with_null
from partadvisor.advise.steps import own_pick
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, Opaque

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "is_null": "is_not_null", "is_not_null": "is_null", "<>": "="}


def select(condition: Condition, at: LevelView) -> Pick | None:
    """The partitions a condition leaves at one level, None for all."""
    match condition:
        case AllOf():
            return _conjunction(flat(condition), at)
        case AnyOf(parts=parts):
            return _disjunction(parts, at)
        case Not(part=part):
            opposite = _negated(part)
            return None if opposite is None else select(opposite, at)
        case Comparison():
            return _conjunction([condition], at)
        case Opaque(parameter=str(parameter)) if at.has_value(parameter):
            return empty("the parameter is not NULL")
        case _:
            return None


def flat(condition: AllOf) -> list[Condition]:
    """Terms of nested ANDs."""
    parts: list[Condition] = []
    for part in condition.parts:
        parts += flat(part) if isinstance(part, AllOf) else [part]
    return parts


def _conjunction(parts: Sequence[Condition], at: LevelView, *, elements: bool = False) -> Pick | None:
    """AND: the key's own comparisons together, then every part with a choice of its own.

    ``elements``: they are comparisons with elements of a list, which the planner does not simplify.
    """
    if any(with_null(part) for part in parts):
        return empty("nothing compares with NULL")
    if at.outside(parts):
        return empty("the condition contradicts the partition's bounds")
    own = []
    picks: list[Pick | None] = []
    for part in _pulled_out(parts):
        if not isinstance(part, Comparison):
            picks.append(select(part, at))
            continue
        if not elements and at.hides(part):
            continue
        part = part if elements else at.simplified(part)
        if not at.usable(part):
            continue
        if part.operator in ("in", "not_in"):
            picks.append(_members(part, at))
        else:
            own.append(part)
    picks.append(own_pick(own, at))
    return intersection([p for p in picks if p is not None], at.parts)


def _pulled_out(parts: Sequence[Condition]) -> Iterator[Condition]:
    """The terms of an AND, with what all arms of an OR share beside them."""
    for part in parts:
        common, arms = _factored(part.parts) if isinstance(part, AnyOf) else ((), ())
        if common:
            yield from _pulled_out(common)
            if arms:
                yield AnyOf(parts=arms)
        else:
            yield part


def _members(comparison: Comparison, at: LevelView) -> Pick | None:
    """``IN`` as the planner expands it: a comparison for each element, each in an arm of its own."""
    elements = at.elements(comparison)
    present = [o for o in elements if not at.is_null(comparison.column, o)]
    if elements and not present and comparison.operator == "in":  # without any step to make the planner gives up
        return None
    if comparison.operator == "not_in":
        if not at.excludes_values:
            return None
        if len(present) < len(elements):  # nothing differs from NULL
            return empty(at.because(comparison))
        return _conjunction([at.single(comparison, "<>", o) for o in present], at, elements=True)
    if any(o.kind in ("array_parameter", "subquery") for o in present) or (
        len(present) > 1 and at.all_unknown(present)
    ):
        return at.several_unknown(comparison, present)
    found = union([_conjunction([at.single(comparison, "=", o)], at, elements=True) for o in present], at.parts)
    return None if found is None else Pick(found.count, at.because(comparison), found.offsets, found.certain)


def _disjunction(arms: Sequence[Condition], at: LevelView) -> Pick | None:
    common, _ = _factored(arms)
    if common:
        return _conjunction([AnyOf(parts=tuple(arms))], at)
    return union([select(arm, at) for arm in arms], at.parts)


def _factored(arms: Sequence[Condition]) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
    """Terms that every arm of an OR has, and the arms without them; no arms when one of them is used up.

    The planner takes them out first (find_duplicate_ors in prepqual.c), so an arm may no longer fix every key column.
    """
    terms = [flat(arm) if isinstance(arm, AllOf) else [arm] for arm in arms]
    common = tuple(t for t in terms[0] if all(t in others for others in terms[1:])) if len(terms) > 1 else ()
    if not common:
        return (), tuple(arms)
    rests = [tuple(t for t in one if t not in common) for one in terms]
    return common, () if () in rests else tuple(r[0] if len(r) == 1 else AllOf(parts=r) for r in rests)


def _negated(condition: Condition) -> Condition | None:
    """NOT of one comparison as its opposite; other negations do not prune."""
    if isinstance(condition, Comparison) and condition.operator in _OPPOSITE:
        return Comparison(
            column=condition.column,
            operator=_OPPOSITE[condition.operator],  # type: ignore[arg-type]
            operands=condition.operands,
            wrapped=condition.wrapped,
        )
    return None
