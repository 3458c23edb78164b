"""The commands of the program, each imported on first use, so that help and other commands start faster.

Annotations that typer reads are types, not strings: it would evaluate each string four times.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Any, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup


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


def function(name: str) -> Callable[..., None]:
    """Return the function of the command *name*."""
    module = import_module(f"pipegen.cli.commands.{name}{'_' if iskeyword(name) else ''}")
    return cast("Callable[..., None]", getattr(module, VERBS[name].function))


def add_to(app: typer.Typer) -> None:
    """Add a placeholder for each command to *app*, a group of the class `Verbs`."""
    for name, verb in VERBS.items():
        app.command(name, short_help=verb.summary)(_nothing)


class Verbs(TyperGroup):
    """The commands; each replaces its placeholder on first use."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, TyperCommand | None, list[str]]:
        """Return the name of the command in *args*, the command, and the remaining arguments."""
        resolved = cast("tuple[str | None, TyperCommand | None, list[str]]", super().resolve_command(ctx, args))
        name, command, rest = resolved
        return (name, command, rest) if name is None else (name, _loaded(name), rest)


def _loaded(name: str) -> TyperCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name)(function(name))
    return cast("TyperCommand", typer.main.get_command(app))


def _nothing() -> None:
    """Do nothing: a placeholder of a command."""
