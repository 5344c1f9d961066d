"""``partadvisor rules``: what the reviewer knows, rule by rule."""

from __future__ import annotations

import sys

import click

from partadvisor.cli import streams
from partadvisor.model.errors import UsageError


@click.command("rules")
@click.argument("rule", required=False, metavar="[ID]")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output form."
)
def command(rule: str | None, form: str) -> None:
    """Show a rule of the reviewer: what it finds, why that hurts, and how to do it safely. Without ID: all of them.

    \b
    Example:
      partadvisor rules
      partadvisor rules PA101
    """  # noqa: D301 - click's mark for "do not wrap"
    from partadvisor.lint.registry import rules
    from partadvisor.render.rule_pages import rule_entry, rule_text, rules_list

    known = rules()
    chosen = [r for r in known.values() if rule is None or rule.upper() == r.id or rule.lower() == r.slug]
    if not chosen:
        import difflib

        near = difflib.get_close_matches(str(rule), [*known, *(r.slug for r in known.values())], n=1)
        hint = f'Did you mean "partadvisor rules {near[0]}"?' if near else 'All rules: "partadvisor rules".'
        raise UsageError(f'rule "{rule}" does not exist', hint=hint)
    if form == "json":
        from partadvisor.render.json import plain_json

        entries = [rule_entry(r) for r in chosen]
        streams.emit_json(plain_json(entries if rule is None else entries[0]).encode())
        return
    colour, width = streams.colour_wanted(sys.stdout), streams.output_width()
    if rule is None:
        streams.emit(rules_list(chosen, width=width, colour=colour))
    else:
        streams.emit(rule_text(chosen[0], width=width, colour=colour))
