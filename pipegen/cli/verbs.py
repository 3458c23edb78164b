"""The verbs of the program, each imported when it is called for: help and the others start without it.

What typer reads of functions are types and not texts: it would evaluate each text four times.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup


class Verb(NamedTuple):
    """Where a verb is defined, and the first sentence of its help."""

    function: str
    summary: str


# In the order of the help.
VERBS: Mapping[str, Verb] = {
    "init": Verb("init", "Create a starter config, and the schema for editors."),
    "compile": Verb("compile_", "Generate a Jenkinsfile or a .gitlab-ci.yml from a config."),
    "check": Verb("check", "Report errors and probable mistakes in a config."),
    "graph": Verb("graph", "Draw the graph of stages."),
    "plan": Verb("plan", "Show frames, jobs, needs and bindings of each pipeline."),
    "diff": Verb("diff", "Show changes in meaning between two versions of a config."),
    "run": Verb("run", "Run the pipeline on this machine."),
    "simulate": Verb("simulate", "Simulate a run: its duration, and which stage waits for what."),
    "explain": Verb("explain", "Explain a diagnostic: its cause, its impact, and how to fix it."),
    "targets": Verb("targets", "Show the targets and the language features that each supports."),
    "schema": Verb("schema", "Print the JSON Schema of a config, for editors."),
}


def function(name: str) -> Callable[..., None]:
    """Return what carries out the verb *name*."""
    module = import_module(f"pipegen.cli.commands.{name}")
    return cast("Callable[..., None]", getattr(module, VERBS[name].function))


def add_to(app: typer.Typer) -> None:
    """Give *app*, a group of the class `Verbs`, a place for each verb."""
    for name, verb in VERBS.items():
        app.command(name, short_help=verb.summary)(_nothing)


class Verbs(TyperGroup):
    """The verbs; each takes its place when it is called for."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, TyperCommand | None, list[str]]:
        """Return the verb that *args* begin with, its name, and what follows it."""
        found = cast("tuple[str | None, TyperCommand | None, list[str]]", super().resolve_command(ctx, args))
        name, command, rest = found
        return (name, command, rest) if name is None else (name, _loaded(name), rest)


def _loaded(name: str) -> TyperCommand:
    made = typer.Typer(add_completion=False, rich_markup_mode=None)
    made.command(name)(function(name))
    return cast("TyperCommand", typer.main.get_command(made))


def _nothing() -> None:
    """Hold the place of a verb."""
