"""The `chattygen` command: finds the command's own file when it is called, draws expected errors, sets exit codes.

Commands are imported only when used, so that `--help` answers at once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import TracebackType

import click

from chattygen import __version__
from chattygen.errors import ChattygenError, Interrupted

COMMANDS = {
    "serve-models": ("models", "Start the local model servers and wait until they answer."),
    "stop-models": ("models", "Stop the servers that serve-models started."),
    "status": ("models", "Show what runs, where it logs, what it holds."),
    "list-models": ("models", "List the models of models.toml, their roles and weights."),
    "pull-model": ("models", "Download the weights of a model and verify them."),
    "check-model": ("models", "Load a model, let it speak, check that it obeys a grammar."),
    "load-kg": ("load", "Load a graph from files into a local store."),
    "attach-kg": ("attach", "Attach a graph that a SPARQL endpoint already holds."),
    "list-kgs": ("kgs", "List the loaded graphs."),
    "describe-kg": ("kgs", "Show a graph's classes, kept and dropped, and its predicates."),
    "drop-kg": ("kgs", "Delete a loaded graph."),
    "generate": ("generate", "Generate a dialogue benchmark from a graph."),
    "resume": ("generate", "Go on with a run that was stopped, killed or cut off; no model call is made twice."),
    "list-runs": ("runs", "List the runs and what became of them."),
    "show-run": ("runs", "Show the dialogues of a run as a person reads them."),
    "review": ("review", "Judge the dialogues of a run: accept or reject, with a reason."),
    "audit": ("audit", "Judge a random sample of the turns of a run, and say how many are right."),
    "report": ("report", "Show success, errors by rule, time and tokens of a run; as a web page with --html."),
    "compare-runs": ("compare", "Compare two runs over the same seeds, with intervals; let a model judge."),
    "evaluate": ("evaluate", "Play a run to a model or a chatbot, and say how many replies are right."),
    "recheck": ("recheck", "Run every stored query of a run again and list what has changed."),
    "export": ("export", "Write the dialogues of a run in a format that other tools read."),
    "doctor": ("doctor", "Check machine, graphs, models, servers and what listens; end what was left behind."),
}
"""command name -> (module in chattygen.cli, one line of help); the order is that of the help page."""


class Commands(click.Group):
    """Looks a command up in COMMANDS and imports its module only then."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"chattygen.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"auto_envvar_prefix": "CHATTYGEN", "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="chattygen")
def chattygen() -> None:
    """Generate dialogue benchmarks from a knowledge graph, on this machine, with local models.

    \b
    chattygen pull-model qwen2.5-coder-1.5b-instruct
    chattygen load-kg --recipe kg-loaders/nobel.toml
    chattygen generate --kg nobel --dialogues 5
    chattygen export RUN --to jsonl
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 failed, 2 wrong use, 3 short of the request, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in arguments
    if not debug:
        sys.excepthook = _draw_fault
    try:
        chattygen.main([a for a in arguments if a != "--debug"], prog_name="chattygen", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        _draw(Interrupted("stopped", "run the command again"), debug)
    except ChattygenError as error:
        _draw(error, debug)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


def _draw(error: ChattygenError, debug: bool) -> None:
    """Print an expected error in two lines, its notes (a server's command and log) below, and exit with its code."""
    if debug:
        raise error
    _print(error.message, error.hint, *getattr(error, "__notes__", []))
    sys.exit(error.exit_code)


def _draw_fault(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """Print an error that nobody expected, in two lines too; Python then exits with 1."""
    what = " ".join(f"{kind.__name__}: {error}".split())
    _print(what, "this is a fault of chattygen; run again with --debug and report it")


def _print(what: str, *details: str) -> None:
    from chattygen.cli import show

    show.note(f"chattygen: {what}")
    for line in filter(None, details):
        show.note(f"  {line}")
