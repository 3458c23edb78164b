"""Functions of all commands: the config, the targets, and the output of diagnostics."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TextIO, TypeVar

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.parameters import PATH, EnumChoice, beginning_with
from pipegen.cli.terminal.redaction import without_tokens
from pipegen.cli.terminal.streams import has_colour, say
from pipegen.compiler import Analysed, analyse
from pipegen.config.files.load import USUAL_NAMES, find, load
from pipegen.config.files.project import read_project
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped, listed, suggestion
from pipegen.source.text import SourceFile
from pipegen.targets import registry
from pipegen.targets.base import Target

T = TypeVar("T")


class Format(StrEnum):
    """The format of diagnostics."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    GITLAB = "gitlab"
    GITHUB = "github"
    JUNIT = "junit"

    @property
    def is_report(self) -> bool:
        """Whether it is a single document for programs."""
        return self not in (Format.TEXT, Format.CONCISE)


config_argument = click.argument(
    "config", required=False, type=PATH, help=f"The config. Default: {', '.join(USUAL_NAMES)}."
)
format_option = click.option(
    "--format",
    "--diagnostics-format",
    "form",
    type=EnumChoice(Format),
    default=Format.TEXT.value,
    help="The format of diagnostics.",
)
# For commands whose main output has other formats.
diagnostics_option = click.option(
    "--diagnostics-format",
    "diagnostics",
    type=EnumChoice(Format),
    default=Format.TEXT.value,
    help="The format of diagnostics.",
)
pipeline_option = click.option("--pipeline", multiple=True, metavar="NAME", help="Only this pipeline; can be repeated.")
target_option = click.option(
    "--target",
    "-t",
    multiple=True,
    metavar="TARGET",
    help="A target; can be repeated.",
    shell_complete=beginning_with(registry.names),
)
set_option = click.option(
    "--set", "inputs", multiple=True, metavar="NAME=VALUE", help="Fix an input for all runs; can be repeated."
)
changed_since_option = click.option(
    "--changed-since", metavar="REF", help="Only stages affected by files changed since this commit, branch or tag."
)
first_option = click.option(
    "--first",
    multiple=True,
    metavar="NAME",
    help="Start this stage, and the stages before it, before others that are ready; can be repeated, in order.",
)
strict_option = click.option("--strict", is_flag=True, help="Treat warnings as errors.")


def config_path(path: Path | None) -> Path:
    """Return the path of the config; raise `WrongUsage` if there is none."""
    if path is None:
        usual = find(Path())
        if usual is None:
            raise WrongUsage(
                f"no config in this folder: looked for {', '.join(USUAL_NAMES)}; create one with pipegen init"
            )
        return usual
    if path.is_dir():
        usual = find(path)
        raise WrongUsage(
            f'"{path}" is a folder: ' + (f'name its config "{usual}"' if usual else "it contains no config")
        )
    if not path.exists():
        raise WrongUsage(f'"{path}" does not exist')
    if os.fspath(path) != os.fsencode(path).decode(errors="replace"):
        raise WrongUsage(f'the name "{path}" is not UTF-8: generated files cannot contain it')
    return path


def load_targets(names: Sequence[str]) -> tuple[Target, ...]:
    """Return the targets *names* without duplicates; raise `WrongUsage` if one fails to load."""
    try:
        return tuple(registry.load(name) for name in dict.fromkeys(names))
    except registry.TargetError as error:
        raise WrongUsage(str(error)) from error


def named_targets(analysed: Analysed) -> tuple[Target, ...]:
    """Return the targets of the config, else those of the project settings; raise `WrongUsage` on failure."""
    names, origin = tuple(analysed.settings), analysed.file.path
    if not names and analysed.file.absolute_path is not None:
        project = read_project(analysed.file.absolute_path, Report())
        names, origin = project.targets, str(project.path)
    try:
        return load_targets(names)
    except WrongUsage as error:
        raise WrongUsage(f'"targets" in {origin}: {error}') from error


def attempt(path: Path, report: Report, work: Callable[[SourceFile], T]) -> T | None:
    """Return the result of *work* on the config at *path*; None if errors are reported.

    *report* follows the settings of the project.
    """
    try:
        report.apply_policy(read_project(path, report).policy)
        file = load(path, report)
        report.stop_if_errors()
        return work(file)
    except Stopped:
        return None
    except OSError as error:
        # Errors while reading an open file have no file name.
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def analysed_since(
    file: SourceFile,
    names: Sequence[str],
    report: Report,
    inputs: Mapping[str, str],
    since: str | None,
    after: Callable[[Analysed, Report], object] | None = None,
) -> Analysed:
    """Return the analysis of *file*, narrowed to changes *since* a revision unless it is None."""
    analysed = analyse(file, names, report, inputs, after)
    if since is None:
        return analysed
    from pipegen.cli.history.changed_since import narrowed  # noqa: PLC0415 - most calls start faster without it

    return narrowed(analysed, since, report)


def fixed_inputs(options: Sequence[str]) -> dict[str, str]:
    """Return the values of inputs from the *options* `--set`; raise `WrongUsage` if one is invalid."""
    values: dict[str, str] = {}
    for option in options:
        name, separator, value = option.partition("=")
        if not (name and separator):
            raise WrongUsage(f'--set takes NAME=VALUE, not "{option}"')
        if values.setdefault(name, value) != value:
            raise WrongUsage(f'--set sets "{name}" to two values')
        if "\0" in value:
            raise WrongUsage(f'the value of "{name}" contains a NUL character, which cannot be passed to programs')
        if os.fsencode(value).decode(errors="replace") != value:
            raise WrongUsage(f'the value of "{name}" is not UTF-8: generated files cannot contain it')
    return values


def show_result(config: Path | None, work: Callable[[SourceFile, Report], T], form: Format) -> T:
    """Return the result of *work* on the config, and show its diagnostics; exit if there are errors."""
    path = config_path(config)
    return reported(lambda report: attempt(path, report, lambda file: work(file, report)), Report(), form)


def reported(read: Callable[[Report], T | None], report: Report, form: Format) -> T:
    """Return what *read* returns, and show the diagnostics in *report*; exit if it stops or returns None."""
    value = None
    with suppress(Stopped):
        value = read(report)
    show(report.diagnostics(), form, sys.stderr)
    if value is None:
        raise click.exceptions.Exit(Exit.PROBLEMS)
    return value


def show(diagnostics: Sequence[Diagnostic], form: Format, stream: TextIO) -> None:
    """Write *diagnostics* to *stream*, in colour on a terminal."""
    if not diagnostics and form is Format.TEXT:
        return  # saves importing the renderers
    if diagnostics:
        diagnostics = without_tokens(diagnostics)
    shown = FORMATS[form.value](diagnostics, colour=has_colour(stream))
    if shown:
        stream.write(shown if shown.endswith("\n") else f"{shown}\n")


def end(status: Exit) -> None:
    """Exit with *status* unless it is FINE."""
    if status is not Exit.FINE:
        raise click.exceptions.Exit(status)


def inform(form: Format, words: str) -> None:
    """Show *words* to the user, only if diagnostics are text."""
    if form is Format.TEXT:
        say(words)


def wrong_option(option: str, value: str, allowed: Sequence[str]) -> WrongUsage:
    """Return the exception for a value of an option that is not in *allowed*."""
    similar = suggestion(value, allowed)
    hint = f'; did you mean "{similar}"?' if similar else ""
    return WrongUsage(f'{option} takes {listed(allowed)}, not "{value}"{hint}')
