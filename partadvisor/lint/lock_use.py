"""A statement form in use: the form, and the relations that play its parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from partadvisor.lint.scope import Scope
from partadvisor.model.ddl_parts import Name


@dataclass(frozen=True, slots=True)
class Use:
    """``anchors``: relations (``schema.name``) by the part the statement gives them, as in ``rules/locks/``."""

    form: str
    anchors: dict[str, tuple[str, ...]] = field(default_factory=dict)


def use(form: str, scope: Scope, **parts: Name | str | tuple[Name, ...] | None) -> Use:
    """With the names resolved; parts that are None are left out."""
    anchors: dict[str, tuple[str, ...]] = {}
    for part, names in parts.items():
        listed = names if isinstance(names, tuple) else (names,)
        found = tuple(scope.resolve(n) for n in listed if n is not None)
        if found:
            anchors[part] = found
    return Use(form, anchors)
