"""What the verbs share: which config, which targets, and how diagnostics are shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO, TypeVar

import typer

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.revisions import is_no_commit, known_revision
from pipegen.cli.streams import say
from pipegen.compiler import Analysed, analyse
from pipegen.config.files.load import USUAL_NAMES, find, load, repository_root
from pipegen.config.files.project import read_project
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped, listed
from pipegen.plan.changes.narrow import narrow, unfiltered_plans
from pipegen.plan.changes.report import report_whole
from pipegen.source.text import SourceFile
from pipegen.structs import replace
from pipegen.targets import registry
from pipegen.targets.base import Target

T = TypeVar("T")


class Format(StrEnum):
    """How diagnostics are shown."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    GITLAB = "gitlab"
    GITHUB = "github"
    JUNIT = "junit"

    @property
    def is_report(self) -> bool:
        """Whether it is a document that programs read, whole."""
        return self not in (Format.TEXT, Format.CONCISE)


ConfigArgument = Annotated[
    Path | None,
    typer.Argument(metavar="CONFIG", show_default=False, help=f"The config. Default: {', '.join(USUAL_NAMES)}."),
]
FormatOption = Annotated[Format, typer.Option("--format", "--diagnostics-format", help="The format of diagnostics.")]
# Of verbs that show something else, which has formats of its own.
DiagnosticsOption = Annotated[Format, typer.Option("--diagnostics-format", help="The format of diagnostics.")]
PipelineOption = Annotated[
    list[str] | None,
    typer.Option("--pipeline", metavar="NAME", show_default=False, help="Only this pipeline; can be repeated."),
]
TargetOption = Annotated[
    list[str] | None,
    typer.Option("--target", "-t", metavar="TARGET", show_default=False, help="A target; can be repeated."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        show_default=False,
        help="Fix an input for all runs; can be repeated.",
    ),
]
ChangedSinceOption = Annotated[
    str | None,
    typer.Option(
        "--changed-since",
        metavar="REF",
        show_default=False,
        help="Only stages affected by files changed since this commit, branch or tag.",
    ),
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]


def config_path(given: Path | None) -> Path:
    """Return the config that the user means, or end with wrong usage."""
    if given is None:
        found = find(Path())
        if found is None:
            raise WrongUsage(f"no config here: looked for {', '.join(USUAL_NAMES)}")
        return found
    if given.is_dir():
        found = find(given)
        raise WrongUsage(f'"{given}" is a folder: ' + (f'its config is "{found}"' if found else "it holds no config"))
    if not given.exists():
        raise WrongUsage(f'"{given}" does not exist')
    if os.fspath(given) != os.fsencode(given).decode(errors="replace"):
        raise WrongUsage(f'the name "{given}" is not UTF-8: generated files could not hold it')
    return given


def load_targets(names: Sequence[str]) -> tuple[Target, ...]:
    """Return the targets *names*, each once, or end with wrong usage."""
    try:
        return tuple(registry.load(name) for name in dict.fromkeys(names))
    except registry.TargetError as error:
        raise WrongUsage(str(error)) from error


def named_targets(analysed: Analysed) -> tuple[Target, ...]:
    """Return the targets that the config names, else those of the project's settings, or end with wrong usage."""
    names, place = tuple(analysed.settings), analysed.file.path
    if not names and analysed.file.absolute_path is not None:
        project = read_project(analysed.file.absolute_path, Report())
        names, place = project.targets, str(project.path)
    try:
        return load_targets(names)
    except WrongUsage as error:
        raise WrongUsage(f'"targets" in {place}: {error}') from error


def attempt(path: Path, report: Report, work: Callable[[SourceFile], T]) -> T | None:
    """Return what *work* makes of the config at *path*; None when diagnostics stop it.

    *report* tells of it as the settings of the project ask.
    """
    try:
        report.apply_policy(read_project(path, report).policy)
        file = load(path, report)
        report.stop_if_errors()
        return work(file)
    except Stopped:
        return None
    except OSError as error:
        # To read a file that is open may fail without its name.
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def analysed_since(
    file: SourceFile,
    names: Sequence[str],
    report: Report,
    given: Mapping[str, str],
    since: str | None,
    after: Callable[[Analysed, Report], object] | None = None,
) -> Analysed:
    """Return what *file* says, as `analyse` does; of that, what has changed *since* a revision, if one is given."""
    analysed = analyse(file, names, report, given, after)
    if since is None:
        return analysed
    from pipegen.cli.session import narrowed  # noqa: PLC0415 - most calls start faster without it

    return narrowed(analysed, since, report)


def fixed_inputs(options: Sequence[str] | None) -> dict[str, str]:
    """Return the values of the inputs that the *options* `--set` fix, or end with wrong usage."""
    found: dict[str, str] = {}
    for option in options or ():
        name, is_given, value = option.partition("=")
        if not is_given:
            raise WrongUsage(f'--set takes NAME=VALUE, not "{option}"')
        if found.setdefault(name, value) != value:
            raise WrongUsage(f'--set gives "{name}" two values')
        if os.fsencode(value).decode(errors="replace") != value or "\0" in value:
            raise WrongUsage(f'the value of "{name}" is not UTF-8: generated files could not hold it')
    return found


def show_made(given: Path | None, work: Callable[[SourceFile, Report], T], form: Format = Format.TEXT) -> T:
    """Return what *work* makes of the config that the user means, with its diagnostics shown; end without that."""
    path, report = config_path(given), Report()
    made = attempt(path, report, lambda file: work(file, report))
    show(report.diagnostics(), form, sys.stderr)
    if made is None:
        raise typer.Exit(Exit.PROBLEMS)
    return made


def show(diagnostics: Sequence[Diagnostic], form: Format, stream: TextIO) -> None:
    """Write *diagnostics* to *stream*, with colour when a person looks at it."""
    if not diagnostics and form is Format.TEXT:
        return  # a person is told nothing: that is known without what would draw it
    if diagnostics:
        from pipegen.cli.redaction import without_tokens  # noqa: PLC0415 - most calls have nothing to show

        diagnostics = without_tokens(diagnostics)
    shown = FORMATS[form.value](diagnostics, colour=_has_colour(stream))
    if shown:
        stream.write(shown if shown.endswith("\n") else f"{shown}\n")


def end(status: Exit) -> None:
    """End the verb with *status*."""
    if status is not Exit.FINE:
        raise typer.Exit(status)


def tell(form: Format, words: str) -> None:
    """Tell a person what was done; programs read nothing but diagnostics."""
    if form is Format.TEXT:
        say(words)


def wrong_option(option: str, value: str, allowed: Sequence[str]) -> WrongUsage:
    """Return what to raise for an option's value that is not among *allowed*."""
    return WrongUsage(f'{option} takes {listed(allowed)}, not "{value}"')


def _has_colour(stream: TextIO) -> bool:
    # https://no-color.org
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


_OPTION = "--changed-since"


def narrowed(analysed: Analysed, since: str, report: Report) -> Analysed:
    """Return *analysed* with what has changed *since* a revision alone; end with wrong usage where git knows none."""
    if not since:
        raise WrongUsage(f"{_OPTION} takes a commit, a branch or a tag, and there is no name: is a variable empty?")
    plans = analysed.plans
    if not plans:
        return analysed
    if is_no_commit(since):
        report_whole(plans[0].span, "there is no earlier commit to compare with", report)
        return replace(analysed, plans=unfiltered_plans(plans))
    place = analysed.file.absolute_path
    root = repository_root(place) if place is not None else Path()
    files = known_revision(root, since, _OPTION).changed()
    own = next((source for source in analysed.sources if source.from_root in files), None)
    if own is not None:
        report_whole(plans[0].span, f'the config itself has changed since "{since}", in {own.path}', report)
        return replace(analysed, plans=unfiltered_plans(plans))
    return replace(analysed, plans=narrow(plans, files, since, report, chosen=bool(analysed.selected)))
