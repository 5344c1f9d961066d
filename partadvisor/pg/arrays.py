"""Array literals, as statements write them and the server prints them."""

from __future__ import annotations


def array_elements(text: str) -> list[str | None] | None:
    """Elements of a one-dimensional array literal such as ``{1,"a,b",NULL}``; None when it is no such literal."""
    if not (text.startswith("{") and text.endswith("}")) or "{" in text[1:]:
        return None
    elements: list[str | None] = []
    at, end = 1, len(text) - 1
    while at < end:
        quoted = text[at] == '"'
        at += quoted
        value = ""
        while at < end and text[at] != ('"' if quoted else ","):
            at += text[at] == "\\"
            value += text[at]
            at += 1
        at += quoted
        elements.append(None if not quoted and value.strip().lower() == "null" else value if quoted else value.strip())
        at += 1
    return elements
