"""The entry point: a group whose commands are imported only when they are called, so ``--help`` stays fast."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from partadvisor import __version__
from partadvisor.cli import streams
from partadvisor.model.errors import UsageError

COMMANDS = {
    "demo": ("The main job on an embedded PostgreSQL 18, start to finish.", "partadvisor.cli.demo"),
    "collect": (
        "Read a server's statistics and watch it for a while, into a snapshot file.",
        "partadvisor.cli.collect",
    ),
    "diagnose": ("Where the time goes, and whether partitioning can help at all.", "partadvisor.cli.diagnose"),
    "advise": ("Which key, how many partitions, what it costs; or why not.", "partadvisor.cli.advise"),
    "prove": ("Measure candidates against the table as it is, on a scratch server.", "partadvisor.cli.prove"),
    "plan": ("Write the online migration as numbered SQL.", "partadvisor.cli.plan"),
    "apply": ("Carry the migration out: lock timeouts, retries, resume, verification.", "partadvisor.cli.apply"),
    "rollback": ("Undo a migration, keeping every row written since.", "partadvisor.cli.rollback"),
    "status": ("Show how far a migration is.", "partadvisor.cli.status"),
    "review": ("Find the locks and hazards of migration scripts, in CI or by hand.", "partadvisor.cli.review"),
    "tui": ("Walk through all of it in the terminal, by keyboard.", "partadvisor.cli.tui"),
    "rules": ("What the reviewer knows, rule by rule.", "partadvisor.cli.rules"),
}
"""Command name → one-line help and module; kept here so that the overview needs no import."""


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is looked up."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All command names, in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name; its module holds it as ``command``."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][1]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As usual, but an unknown command gives the nearest name."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f'Did you mean "partadvisor {near[0]}"?' if near else 'Try "partadvisor --help".'
            raise UsageError(f'command "{args[0]}" does not exist', hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The overview, without importing a single command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (text, _module) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="partadvisor")
def cli() -> None:
    """Is PostgreSQL queueing for one table's extension lock, and which partition key would end that?

    partadvisor measures, decides, writes the migration and runs it while the application keeps writing.

    \b
    Example:
      partadvisor demo
      partadvisor collect postgresql://dba@db1/shop --duration 60 -o shop.json
      partadvisor advise shop.json
      partadvisor plan shop.json --table public.order_line -o migration
      partadvisor apply migration postgresql://dba@db1/shop
    """  # noqa: D301 - click's mark for "do not wrap"


def main(argv: list[str] | None = None) -> None:
    """Run the command line; always leaves through ``sys.exit`` with a code of the contract."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        from partadvisor.cli.secrets import hide_passwords

        hide_passwords(arguments)
    streams.run(lambda: _invoke(arguments))


def _invoke(arguments: list[str]) -> Any:
    try:
        return cli.main(args=arguments, prog_name="partadvisor", standalone_mode=False)
    except SystemExit as end:
        if end.code == 1:  # no command of ours exits; this is click's answer to a closed pipe
            raise BrokenPipeError from None
        raise
    except click.exceptions.NoArgsIsHelpError as error:
        streams.emit(error.format_message())
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "partadvisor"
        text = error.format_message().rstrip(".").replace(" is not a valid integer range", " is not a whole number")
        text = text.replace(" is not a valid float range", " is not a number")
        raise UsageError(text[:1].lower() + text[1:], hint=f'Try "{where} --help".') from error
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
