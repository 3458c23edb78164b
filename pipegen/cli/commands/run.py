"""`pipegen run`: runs the pipeline on this machine."""

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pipegen.cli import prompt
from pipegen.cli.events import BranchOption, ChangedOption, EventOption, EventOptions, TagOption
from pipegen.cli.execute_run import PreparedRun, RunOptions, execute
from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import check_place
from pipegen.cli.session import (
    ChangedSinceOption,
    ConfigArgument,
    DiagnosticsOption,
    Format,
    PipelineOption,
    analysed_since,
    attempt,
    config_path,
    end,
    fixed_inputs,
    show,
)
from pipegen.cli.streams import say, show_text
from pipegen.config.files.load import MAX_BYTES, read_opened, repository_root
from pipegen.diagnostics.report import Report, Stopped
from pipegen.run.files.dotenv import DotenvError, read_dotenv
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.dry_run import forecast
from pipegen.run.local.effects import effects
from pipegen.run.local.prepare import RunRequest, gather
from pipegen.run.local.reuse import limit
from pipegen.run.report.formats import FORMATS
from pipegen.visible import visible

# As on GitLab and Jenkins: names of pipelines separated by commas, or "all".
_PIPELINES = "PIPEGEN_PIPELINE"
_ALL = "all"


_Stages = Annotated[
    list[str] | None,
    typer.Option(
        "--stage",
        metavar="NAME",
        show_default=False,
        help="Only this stage and the stages that it needs, regardless of conditions; can be repeated.",
    ),
]
_Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        show_default=False,
        help="The number of stages that run in parallel. Default: the number of processors.",
    ),
]
_Inputs = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", show_default=False, help="Set an input; can be repeated."),
]
_EnvFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        show_default=False,
        help="Variables and secrets, one NAME=VALUE per line.",
    ),
]
_Reports = Annotated[
    list[Path] | None,
    typer.Option(
        "--report",
        metavar="FILE",
        show_default=False,
        help="Write a report: a .html page, .json, or JUnit .xml; can be repeated.",
    ),
]
_LogFolder = Annotated[
    Path | None, typer.Option(metavar="FOLDER", show_default=False, help="The folder for the logs of stages.")
]
_FailFast = Annotated[
    bool | None,
    typer.Option(
        "--fail-fast/--keep-going",
        show_default=False,
        help="Whether no stage starts after a failure. Default: as the pipeline defines.",
    ),
]
_Isolated = Annotated[
    bool, typer.Option("--isolated", help="Run each stage in a clean copy of the committed and staged files.")
]
_OnHost = Annotated[bool, typer.Option("--host", help="Run all stages directly on this machine, and ignore images.")]
_Allow = Annotated[
    bool,
    typer.Option(
        "--allow-effects", help="Do not ask before stages that publish, promote, deploy, or need an approval."
    ),
]
_NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Do not reuse results of earlier runs; store results for later runs.")
]
_Resume = Annotated[
    bool, typer.Option("--resume", help="Resume the last run; stages that succeeded are not run again.")
]
_Follow = Annotated[
    bool,
    typer.Option("--follow", "-v", help="Show the output of running stages, each line with the name of its stage."),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the stages that would run, in order.")]


def run(
    config: ConfigArgument = None,
    pipeline: PipelineOption = None,
    stage: _Stages = None,
    jobs: _Jobs = None,
    inputs: _Inputs = None,
    changed_since: ChangedSinceOption = None,
    event: EventOption = None,
    branch: BranchOption = None,
    tag: TagOption = None,
    changed: ChangedOption = None,
    env_file: _EnvFile = None,
    report: _Reports = None,
    log_dir: _LogFolder = None,
    diagnostics: DiagnosticsOption = Format.TEXT,
    *,
    fail_fast: _FailFast = None,
    isolated: _Isolated = False,
    host: _OnHost = False,
    allow_effects: _Allow = False,
    no_cache: _NoCache = False,
    resume: _Resume = False,
    follow: _Follow = False,
    dry_run: _DryRun = False,
) -> None:
    """Run the pipeline on this machine.

    The stages run the same scripts as on the engines.
    """
    options = RunOptions(
        slots=jobs or os.cpu_count() or 1,
        stages=tuple(stage or ()),
        is_fail_fast=fail_fast,
        is_isolated=isolated,
        is_on_host=host,
        ignores_cache=no_cache,
        is_resumed=resume,
        is_followed=follow,
        is_dry=dry_run,
        since=changed_since,
        event=EventOptions(kind=event, branch=branch, tag=tag, changed=changed),
        allows_effects=allow_effects,
        reports=tuple(path.absolute() for path in report or ()),
        logs=log_dir.absolute() if log_dir is not None else None,
    )
    path, environment = config_path(config), _environment(env_file)
    _start(_checked(path, pipeline, fixed_inputs(inputs), options, environment, diagnostics), options, path)


def _start(ready: PreparedRun | None, options: RunOptions, path: Path) -> None:
    """Run *ready*, or show the dry run, or why no pipeline runs; it is None if errors were reported."""
    if ready is None:
        end(Exit.PROBLEMS)
    elif not ready.selected:
        say("no pipeline runs, because all conditions are false: name a pipeline with --pipeline")
    elif options.is_dry:
        for line in forecast(ready.selected, ready.wants, ready.context, on_host=options.is_on_host):
            show_text(visible(line))
    else:
        _ask_first(ready, options)
        end(execute(ready, options, path))


def _check_reports(paths: Sequence[Path]) -> None:
    for path in paths:
        if path.suffix not in FORMATS:
            raise WrongUsage(f'--report takes a file with the extension {", ".join(FORMATS)}, not "{path.name}"')
        check_place(path)


def _check_cache(environment: Mapping[str, str]) -> None:
    try:
        limit(environment)
    except ValueError as error:
        raise WrongUsage(str(error)) from error


def _environment(env_file: Path | None) -> dict[str, str]:
    """Return the environment variables, overridden by those of *env_file*."""
    if env_file is None:
        return dict(os.environ)
    # The user named the file, so links in its path may lead anywhere.
    handle = os.open(env_file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    data = read_opened(handle, env_file, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise WrongUsage(f"{env_file}: larger than {MAX_BYTES // 1024 // 1024} MiB")
    try:
        return {**os.environ, **read_dotenv(data.decode("utf-8", errors="surrogateescape"))}
    except DotenvError as error:
        raise WrongUsage(f"{env_file}: {error}") from error


def _checked(
    path: Path,
    pipeline: Sequence[str] | None,
    fixed: Mapping[str, str],
    options: RunOptions,
    environment: Mapping[str, str],
    diagnostics: Format,
) -> PreparedRun | None:
    """Return the prepared run, and show diagnostics; None if errors are among them."""
    _check_reports(options.reports)
    _check_cache(environment)
    report = Report()
    ready = _prepare(path, pipeline, fixed, options, environment, report)
    show(report.diagnostics(), diagnostics, sys.stderr)
    return ready


def _prepare(
    path: Path,
    pipeline: Sequence[str] | None,
    fixed: Mapping[str, str],
    options: RunOptions,
    environment: Mapping[str, str],
    report: Report,
) -> PreparedRun | None:
    """Return the prepared run; None if errors are reported."""
    names = pipeline or [name for name in environment.get(_PIPELINES, "").split(",") if name]
    checkout = LocalCheckout(repository_root(path), only_known=options.is_isolated)
    pipelines = [] if names == [_ALL] else names
    analysed = attempt(path, report, lambda file: analysed_since(file, pipelines, report, fixed, options.since))
    if analysed is None:
        return None
    named = [plan.name for plan in analysed.plans] if names == [_ALL] else names
    event = options.event.event(checkout) if options.event.is_used else None
    context = RunContext(checkout, analysed.input_values, environment, event)
    request = RunRequest(
        stages=options.stages,
        is_isolated=options.is_isolated,
        is_on_host=options.is_on_host,
        ignores_cache=options.ignores_cache,
        allows_effects=options.allows_effects or options.is_dry or prompt.is_interactive(),
        environment=environment,
        started=datetime.now(UTC),
    )
    try:
        selected, prepared = gather(analysed.plans, named, context, request, report)
    except Stopped:
        return None
    return PreparedRun(selected=selected, prepared=prepared, checkout=checkout, context=context, request=request)


def _ask_first(ready: PreparedRun, options: RunOptions) -> None:
    """Ask the user to allow effects outside of this machine; exit if the answer is no."""
    requested = tuple(effects(job for one in ready.selected for job in one.jobs if ready.wants(job)))
    if requested and not options.allows_effects and not prompt.allows(requested):
        say("no stage was run")
        end(Exit.PROBLEMS)
