"""``partadvisor review``: is this migration safe on our server?"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from partadvisor.cli import streams
from partadvisor.model.errors import CheckFailed, UsageError

if TYPE_CHECKING:
    from partadvisor.cli.config import Found
    from partadvisor.io.scripts import Script
    from partadvisor.lint.engine import Options
    from partadvisor.model.finding import Review

_FILE = click.Path(path_type=Path, dir_okay=False)
_FORMATS = ("text", "json", "sarif", "github", "gitlab")
_LEVELS = {"error": ("error",), "warning": ("error", "warning"), "never": ()}


@click.command("review")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--target-pg", metavar="V", help="Major version of the server, or a range such as 14-17.")
@click.option("--snapshot", type=_FILE, help="Snapshot of the server: sizes, traffic, constraints, partitions.")
@click.option("--schema", type=_FILE, help="The schema as SQL, where there is no snapshot.")
@click.option(
    "--in-transaction/--no-transaction",
    "in_transaction",
    default=None,
    help="Each script runs in one transaction, or does not; by default as its migration tool does.",
)
@click.option("--trace", is_flag=True, help="Run the scripts on a scratch server too, and show what it did.")
@click.option("--fail-on", type=click.Choice(list(_LEVELS)), help="Exit with 1 from this level on.  [default: error]")
@click.option("--select", "select", multiple=True, metavar="RULE", help="Only these rules: PA101, PA1, a name.")
@click.option("--ignore", "ignore", multiple=True, metavar="RULE", help="Not these rules.")
@click.option("--baseline", type=_FILE, help="File of known findings, which are not shown.")
@click.option("--write-baseline", is_flag=True, help="Write all findings of this run to the baseline.")
@click.option("--fix", is_flag=True, help="Repair the scripts where that is safe.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix and --diff: repairs that need a look, too.")
@click.option("--stdin-filename", default="", metavar="NAME", help="Path that PATH - is shown and judged as.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", show_default=True, help="Output form.")
def command(paths: tuple[str, ...], form: str, fail_on: str | None, **given: Any) -> None:
    """Find the locks and hazards of migration scripts before they meet the server.

    PATH is a script, a folder of scripts, or - for standard input. A statement is judged in its session: transaction,
    timeouts, and what the script did before. With --snapshot the findings know sizes and traffic.
    A comment "-- partadvisor: ignore PA101 because …" hides a finding of its statement.

    \b
    Example:
      partadvisor review migrations/
      partadvisor review 0042_attach.sql --snapshot shop.json --target-pg 16
    """  # fmt: skip  # noqa: D301 - click's mark for "do not wrap"
    from partadvisor.cli.config import find
    from partadvisor.io.scripts import read_scripts

    found = find(Path.cwd())
    options, assumptions = _options(found, given)
    scripts = list(read_scripts(paths, exclude=found.config.review.exclude, stdin_name=given["stdin_filename"]))
    review = _reviewed(scripts, options, assumptions)
    review = _with_baseline(review, found, given)
    if given["fix"] or given["diff"]:
        review, scripts = _repaired(review, scripts, options, assumptions, given)
    if given["trace"]:
        from partadvisor.cli.review_trace import traced

        review = traced(review, scripts, *_sources(found, given), options.in_transaction)
    _send(review, form, {s.file: s.text for s in scripts})
    _judge(review, fail_on or found.config.review.fail_on or "error")


def _options(found: Found, given: Mapping[str, Any]) -> tuple[Options, tuple[str, ...]]:
    from partadvisor.cli.config import versions as range_of
    from partadvisor.lint.context import Versions
    from partadvisor.lint.engine import ALL_VERSIONS, Options
    from partadvisor.lint.registry import RULE_PAGES

    config = found.config.review
    stated = given["target_pg"] or found.config.target_pg
    versions = Versions(oldest=range_of(stated)[0], newest=range_of(stated)[1], stated=True) if stated else None
    snapshot, schema = _sources(found, given)
    tables, own, locks, assumptions = _catalog(snapshot, schema, versions or ALL_VERSIONS)
    select, ignore = (*given["select"], *config.select), (*given["ignore"], *config.ignore)
    _check_rules((*select, *ignore, *config.severity))
    inside = given["in_transaction"] if given["in_transaction"] is not None else config.in_transaction
    options = Options(
        versions=versions or own or ALL_VERSIONS,
        tables=tables,
        in_transaction=inside,
        max_locks=config.max_locks_per_transaction or locks,
        select=select,
        ignore=ignore,
        severity=config.severity,
        pages=config.rules_url or RULE_PAGES,
    )
    return options, assumptions


def _sources(found: Found, given: Mapping[str, Any]) -> tuple[Path | None, Path | None]:
    """The files of ``--snapshot`` and ``--schema``, or those the configuration names."""
    config = found.config.review
    snapshot = given["snapshot"] or (config.snapshot and not given["schema"] and found.resolve(config.snapshot)) or None
    schema = given["schema"] or (config.schema and not snapshot and found.resolve(config.schema)) or None
    if snapshot and schema:
        raise UsageError("--snapshot and --schema exclude each other", hint="A snapshot holds the schema.")
    return snapshot, schema


def _catalog(snapshot: Path | None, schema: Path | None, versions: Any) -> tuple[Any, Any, int | None, tuple[str, ...]]:
    """Tables, versions and lock limit that are known, and what is taken for granted."""
    from partadvisor.lint.catalog import of_schema, of_snapshot
    from partadvisor.lint.context import Versions
    from partadvisor.lint.scope import Tables

    if snapshot is not None:
        from partadvisor.io.snapshot_file import read_snapshot

        known = read_snapshot(snapshot)
        major = known.server.major
        limit = known.server.settings.get("max_locks_per_transaction", "")
        own = Versions(oldest=major, newest=major, stated=True)
        return of_snapshot(known), own, int(limit) if limit.isdigit() else None, ()
    if schema is not None:
        from partadvisor.io.scripts import read_scripts

        text = next(read_scripts((str(schema),))).text
        return of_schema(text, versions), None, None, ()
    return Tables(), None, None, ()


def _check_rules(names: tuple[str, ...]) -> None:
    from partadvisor.lint.registry import rules

    known = rules()
    for name in names:
        if not any(r.id.startswith(name.upper()) or r.slug == name for r in known.values()):
            import difflib

            near = difflib.get_close_matches(name, [*known, *(r.slug for r in known.values())], n=1)
            hint = f"Did you mean {near[0]}?" if near else 'All rules: "partadvisor rules".'
            raise UsageError(f'rule "{name}" does not exist', hint=hint)


def _reviewed(scripts: list[Script], options: Options, assumptions: tuple[str, ...]) -> Review:
    from partadvisor.lint.engine import review_text
    from partadvisor.model.finding import Review

    reviews = [review_text(s.file, s.text, options) for s in scripts]
    odd = [f"{s.file} is not UTF-8 but {s.encoding}." for s in scripts if not s.encoding.startswith("utf-8")]
    return Review(
        target_versions=tuple(range(options.versions.oldest, options.versions.newest + 1)),
        files=tuple(s.file for s in scripts),
        findings=tuple(f for r in reviews for f in r.findings),
        statements=tuple(s for r in reviews for s in r.statements),
        not_analysed=tuple(n for r in reviews for n in r.not_analysed),
        suppressed=sum(r.suppressed for r in reviews),
        assumptions=(*assumptions, *odd),
    )


def _with_baseline(review: Review, found: Found, given: Mapping[str, Any]) -> Review:
    """Without what is known; with ``--write-baseline`` all of it becomes known."""
    import msgspec

    from partadvisor.lint import baseline as known

    named = found.config.review.baseline
    path: Path | None = given["baseline"] or (found.resolve(named) if named else None)
    if path is None:
        if given["write_baseline"]:
            raise UsageError("--write-baseline needs --baseline FILE", hint="Or set baseline in partadvisor.toml.")
        return review
    if given["write_baseline"]:
        from partadvisor.io.files import write_file
        from partadvisor.render.json import json_text

        write_file(path, json_text(known.of_findings(review.findings)).encode(), "baseline")
        streams.note(f"{len(review.findings)} findings written to {path}")
        return msgspec.structs.replace(review, findings=(), suppressed=review.suppressed + len(review.findings))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f'could not read baseline "{path}"', detail=f"{error.strerror}.") from error
    kept = known.without_known(review.findings, known.parsed(data, str(path)))
    hidden = len(review.findings) - len(kept)
    return msgspec.structs.replace(review, findings=kept, suppressed=review.suppressed + hidden)


def _repaired(
    review: Review, scripts: list[Script], options: Options, assumptions: tuple[str, ...], given: Mapping[str, Any]
) -> tuple[Review, list[Script]]:
    """After ``--fix`` the review of what is left; ``--diff`` only notes the changes on stderr."""
    import msgspec

    from partadvisor.io.files import write_file
    from partadvisor.lint.fixes import fixed_text

    changed = []
    for script in scripts:
        mine = [f for f in review.findings if f.file == script.file]
        text, count = fixed_text(script.text, mine, unsafe=given["unsafe_fixes"])
        if not count or (given["fix"] and not Path(script.file).is_file()):
            continue
        if given["diff"]:
            _show_diff(script, text)
        else:
            write_file(Path(script.file), text.encode(script.encoding), "script")
            streams.note(f"{script.file}: {count} repaired")
            changed.append(msgspec.structs.replace(script, text=text))
    if not changed:
        return review, scripts
    new = {s.file: s for s in changed}
    scripts = [new.get(s.file, s) for s in scripts]
    return _reviewed(scripts, options, assumptions), scripts


def _show_diff(script: Script, text: str) -> None:
    import difflib

    before, after = script.text.splitlines(keepends=True), text.splitlines(keepends=True)
    for line in difflib.unified_diff(before, after, script.file, script.file):
        sys.stderr.write(line if line.endswith("\n") else line + "\n\\ no newline at end of file\n")


def _send(review: Review, form: str, texts: Mapping[str, str]) -> None:
    if form == "json":
        from partadvisor.render.json import json_text

        streams.emit_json(json_text(review).encode())
    elif form == "sarif":
        from partadvisor import __version__
        from partadvisor.lint.registry import rules
        from partadvisor.render.sarif import sarif_text

        streams.emit_json(sarif_text(review, rules(), texts, tool_version=__version__).encode())
    elif form in ("github", "gitlab"):
        from partadvisor.render.review_formats import github_text, gitlab_text

        streams.emit_json((github_text if form == "github" else gitlab_text)(review).encode())
    else:
        from partadvisor.render.review_text import review_text

        colour = streams.colour_wanted(sys.stdout)
        streams.emit(review_text(review, texts, width=streams.output_width(), colour=colour))


def _judge(review: Review, fail_on: str) -> None:
    counted = [f for f in review.findings if f.severity in _LEVELS[fail_on]]
    if counted:
        files = len({f.file for f in counted})
        raise CheckFailed(
            f"{len(counted)} finding{'' if len(counted) == 1 else 's'} of level {fail_on}"
            f"{' or above' if fail_on != 'error' else ''} in {files} file{'' if files == 1 else 's'}"
        )
