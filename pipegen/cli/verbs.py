"""The commands of the program, each imported on first use, so that help and other commands start faster."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from keyword import iskeyword
from typing import NamedTuple, cast

import click

from pipegen.cli.exits import Exit
from pipegen.cli.terminal.streams import discard


class Verb(NamedTuple):
    """The function of a command, and the first sentence of its help."""

    function: str
    summary: str


# In the order of the help.
VERBS: Mapping[str, Verb] = {
    "init": Verb("init", "Create a starter config, and the schema for editors."),
    "import": Verb("import_pipeline", "Import a .gitlab-ci.yml or a Declarative Jenkinsfile as a config."),
    "compile": Verb("compile_", "Generate a Jenkinsfile or a .gitlab-ci.yml from a config."),
    "check": Verb("check", "Report errors and probable mistakes in a config."),
    "graph": Verb("graph", "Draw the graph of stages."),
    "plan": Verb("plan", "Show frames, jobs, needs and bindings of each pipeline."),
    "diff": Verb("diff", "Show changes in meaning between two versions of a config."),
    "run": Verb("run", "Run the pipeline on this machine."),
    "simulate": Verb("simulate", "Simulate a run: its duration, and which stage waits for what."),
    "test": Verb("check_tests", "Check which stages a config runs for which events."),
    "explain": Verb("explain", "Explain a diagnostic: its cause, its impact, and how to fix it."),
    "targets": Verb("targets", "Show the targets and the language features that each supports."),
    "schema": Verb("schema", "Print the JSON Schema of a config, for editors."),
}


class Verbs(click.Group):
    """The commands; help and completion of their names import none of them."""

    def __init__(self, **settings: object) -> None:
        placeholders = [click.Command(name, short_help=verb.summary) for name, verb in VERBS.items()]
        super().__init__(commands=placeholders, **settings)  # type: ignore[arg-type]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature that click calls
        """Return the names of the commands in the order of the help."""
        return list(VERBS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before a command; `--help` writes its text here."""
        with _closed_pipe():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        with _closed_pipe():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name of the command in *args*, the command, and the remaining arguments."""
        name, placeholder, rest = super().resolve_command(ctx, args)
        return name, placeholder if name is None else command(name), rest


@contextmanager
def _closed_pipe() -> Iterator[None]:
    """End with a status of its own if the reader of the output has ended; click itself would end with 1."""
    try:
        yield
    except BrokenPipeError:
        discard()
        raise click.exceptions.Exit(Exit.CLOSED_PIPE) from None


def command(name: str) -> click.Command:
    """Return the command *name*."""
    module = import_module(f"pipegen.cli.commands.{name}{'_' if iskeyword(name) else ''}")
    return cast("click.Command", getattr(module, VERBS[name].function))
