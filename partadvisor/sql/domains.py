"""What is demanded of each table: conditions projected onto it, and equalities followed as the planner follows them.

Conditions are kept as trees whose leaves say what they mean for every table they mention; projecting such a tree
onto one table gives the condition that pruning of that table can use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Join, Opaque, Operand
from partadvisor.sql.scope import Domain, Place, Reference

PARAMETERS_ONLY = "depends on parameters only"
OTHER_TABLES = "a condition on other tables"
NULL_EXTENDED = "IS NULL on the nullable side of an outer join"
_CLASS_KINDS = frozenset({"constant", "folded", "parameter", "stable", "subquery", "column"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A condition without AND or OR: what it says about each table. ``equates`` are two columns it makes equal.

    ``parameter`` is set when it says that this parameter is NULL.
    """

    about: dict[Reference, Comparison | Opaque]
    equates: tuple[Place, Place] | None = None
    parameter: str | None = None


@dataclass(frozen=True, slots=True)
class Junction:
    """AND, or with ``either`` OR."""

    parts: tuple[Tree, ...]
    either: bool = False


Tree = Leaf | Junction


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A condition that must hold. ``only``: of an outer join, so it filters these tables and no others."""

    tree: Tree
    only: frozenset[Reference] | None = None
    is_join: bool = False


@dataclass(slots=True)
class Classes:
    """Columns that are equal to each other, and the value a class is equal to."""

    parents: dict[Place, Place] = field(default_factory=dict)
    values: dict[Place, Operand] = field(default_factory=dict)
    edges: list[tuple[Place, Place]] = field(default_factory=list)

    def root(self, place: Place) -> Place:
        """The class's representative."""
        path = []
        while (parent := self.parents.get(place, place)) != place:
            path.append(place)
            place = parent
        for step in path:
            self.parents[step] = place
        return place

    def join(self, left: Place, right: Place) -> None:
        """Make two columns equal."""
        self.parents.setdefault(left, left)
        self.parents.setdefault(right, right)
        self.parents[self.root(left)] = self.root(right)

    def value(self, place: Place) -> Operand | None:
        """What the column is equal to, if that follows."""
        own = self.values.get(self.root(place))
        if own is not None:
            return own
        for preserved, nullable in self.edges:
            if nullable == place:
                return self.values.get(self.root(preserved))
        return None

    def places(self) -> Iterator[Place]:
        """Every column that some equality mentions."""
        yield from self.parents
        yield from (nullable for _, nullable in self.edges if nullable not in self.parents)


def flat(tree: Tree) -> Iterator[Tree]:
    """Parts of nested ANDs."""
    if isinstance(tree, Junction) and not tree.either:
        for part in tree.parts:
            yield from flat(part)
    else:
        yield tree


def classes_of(domain: Domain) -> Classes:
    """Equivalence classes of a domain's columns."""
    classes = Classes()
    conjuncts = [c for c in domain.conjuncts if isinstance(c, Conjunct)]
    for conjunct in conjuncts:
        for leaf in flat(conjunct.tree):
            if not isinstance(leaf, Leaf) or leaf.equates is None:
                continue
            if conjunct.only is None:
                classes.join(*leaf.equates)
            else:
                _add_edges(classes, leaf.equates, conjunct.only)
    for conjunct in conjuncts:
        for leaf in flat(conjunct.tree):
            if isinstance(leaf, Leaf) and conjunct.only is None:
                _add_value(classes, leaf)
    return classes


def _add_edges(classes: Classes, equates: tuple[Place, Place], only: frozenset[Reference]) -> None:
    """In an outer join a value passes to the nullable side; inside that side it passes both ways."""
    left, right = equates
    if left[0] in only and right[0] in only:
        classes.join(left, right)
    elif right[0] in only:
        classes.edges.append((left, right))
    elif left[0] in only:
        classes.edges.append((right, left))


def _add_value(classes: Classes, leaf: Leaf) -> None:
    for reference, said in leaf.about.items():
        if (
            isinstance(said, Comparison)
            and said.operator == "="
            and not said.wrapped
            and len(leaf.about) == 1
            and said.operands[0].kind in _CLASS_KINDS
        ):
            classes.values.setdefault(classes.root((reference, said.column)), said.operands[0])


def finish(domain: Domain) -> Classes:
    """Settle what is demanded of every table of the domain, and of the derived items' tables in turn."""
    classes = classes_of(domain)
    trees = [c for c in domain.conjuncts if isinstance(c, Conjunct)]
    for conjunct in trees:
        _record(conjunct, domain)
    for place in classes.places():
        reference, column = place
        value = classes.value(place)
        if value is not None and not _already(reference, column, value):
            reference.conditions.append(Comparison(column=column, operator="=", operands=(value,)))
    for reference in domain.references:
        if reference.output is not None:
            _sink(reference, domain, trees, classes)
    return classes


def _record(conjunct: Conjunct, domain: Domain) -> None:
    references = list(dict.fromkeys(r for leaf in leaves(conjunct.tree) for r in leaf.about))
    for part in flat(conjunct.tree):
        if isinstance(part, Leaf) and part.equates is not None:
            _record_join(part.equates, conjunct)
        for reference in references:
            if conjunct.only is not None and reference not in conjunct.only:
                continue
            if _only_joins(part):
                continue
            weak = reference in domain.nullable and not conjunct.is_join
            said = project(part, reference, weak)
            if said is not None:
                reference.conditions.append(said)


def _only_joins(tree: Tree) -> bool:
    """An equality of two tables' columns is recorded as a join; with a derived item it stays a condition too."""
    if not isinstance(tree, Leaf) or tree.equates is None:
        return False
    tables = [place[0].table for place in tree.equates]
    return all(t is not None for t in tables) and all(
        isinstance(s, Comparison) and s.operator == "=" for s in tree.about.values()
    )


def _record_join(equates: tuple[Place, Place], conjunct: Conjunct) -> None:
    outer = conjunct.only is not None and not all(place[0] in conjunct.only for place in equates)
    for here, there in (equates, equates[::-1]):
        if here[0].table is None or there[0].table is None or here[0] is there[0]:
            continue
        join = Join(
            column=here[1], other_table=there[0].table, other_alias=there[0].alias, other_column=there[1], outer=outer
        )
        if join not in here[0].joins:
            here[0].joins.append(join)


def leaves(tree: Tree) -> Iterator[Leaf]:
    """All leaves of a tree."""
    if isinstance(tree, Leaf):
        yield tree
    else:
        for part in tree.parts:
            yield from leaves(part)


def project(tree: Tree, reference: Reference, weak: bool = False) -> Condition | None:
    """What ``tree`` says about one table, None for nothing. ``weak``: outer joins may fill its columns with NULL."""
    if isinstance(tree, Leaf):
        said = tree.about.get(reference)
        if weak and isinstance(said, Comparison) and said.operator in ("is_null", "is_unknown"):
            return Opaque(reason=NULL_EXTENDED, columns=(said.column,))
        return said
    parts = [project(part, reference, weak) for part in tree.parts]
    kept = tuple(p for p in parts if p is not None)
    if not kept:
        return None
    if not tree.either:
        return kept[0] if len(kept) == 1 else AllOf(parts=kept)
    arms = [_silent(t) if p is None else p for p, t in zip(parts, tree.parts, strict=True)]
    return arms[0] if len(arms) == 1 else AnyOf(parts=tuple(arms))


def _silent(tree: Tree) -> Opaque:
    """An arm of an OR that says nothing about the table."""
    if any(leaf.about for leaf in leaves(tree)):
        return Opaque(reason=OTHER_TABLES)
    return Opaque(reason=PARAMETERS_ONLY, parameter=tree.parameter if isinstance(tree, Leaf) else None)


def _already(reference: Reference, column: str, value: Operand) -> bool:
    return any(
        isinstance(c, Comparison) and c.column == column and c.operator == "=" and c.operands == (value,)
        for c in reference.conditions
    )


def _sink(reference: Reference, domain: Domain, conjuncts: list[Conjunct], classes: Classes) -> None:
    """Push what is demanded of a derived item into the queries behind it, as far as each column allows."""
    output = reference.output
    if output is None:
        return
    values = {
        place[1]: value for place in classes.places() if place[0] is reference and (value := classes.value(place))
    }
    for branch in output.branches:
        columns = dict(zip(output.names, zip(branch.targets, branch.pushable, strict=True), strict=False))
        for conjunct in conjuncts:
            if reference in domain.nullable and not conjunct.is_join:
                continue  # what would reject its NULL rows has already made the join an inner one
            for part in flat(conjunct.tree):
                if conjunct.only is None or reference in conjunct.only:
                    moved = _moved(part, reference, columns)
                    if moved is not None:
                        branch.domain.conjuncts.append(Conjunct(moved))
        for column, value in values.items():
            comparison = Comparison(column=column, operator="=", operands=(value,))
            moved = _moved(Leaf({reference: comparison}), reference, columns)
            if moved is not None:
                branch.domain.conjuncts.append(Conjunct(moved))


def _moved(tree: Tree, reference: Reference, columns: Mapping[str, tuple[object, bool]]) -> Tree | None:
    """The tree in terms of the inner query's columns, None when any part of it cannot sink."""
    if isinstance(tree, Junction):
        parts = [_moved(part, reference, columns) for part in tree.parts]
        kept = tuple(p for p in parts if p is not None)
        return Junction(kept, tree.either) if kept and len(kept) == len(parts) else None
    said = tree.about.get(reference)
    if not isinstance(said, Comparison) or len(tree.about) > 1:  # a join does not sink into a subquery
        return None
    target, pushable = columns.get(said.column, (None, False))
    if not pushable or not isinstance(target, tuple):
        return None
    inner, column = target
    return Leaf({inner: msgspec.structs.replace(said, column=column)})
