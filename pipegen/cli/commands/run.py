"""`pipegen run`: runs the pipeline on this machine."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from pipegen.cli.events import EventOptions, event_options
from pipegen.cli.execute_run import PreparedRun, RunOptions, execute
from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import check_writable
from pipegen.cli.parameters import EXISTING_FILE, PATH
from pipegen.cli.session import (
    Format,
    analysed_since,
    attempt,
    changed_since_option,
    config_argument,
    config_path,
    diagnostics_option,
    end,
    first_option,
    fixed_inputs,
    pipeline_option,
    show,
)
from pipegen.cli.terminal import prompt
from pipegen.cli.terminal.streams import say, show_text
from pipegen.config.files.load import MAX_BYTES, read_opened, repository_root
from pipegen.diagnostics.report import Report, Stopped
from pipegen.run.files.dotenv import DotenvError, read_dotenv
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.dry_run import forecast
from pipegen.run.local.effects import effects
from pipegen.run.local.prepare import RunRequest, gather
from pipegen.run.local.reuse import limit
from pipegen.run.report.formats import EXTENSIONS, report_format
from pipegen.visible import visible

# As on GitLab and Jenkins: names of pipelines separated by commas, or "all".
_PIPELINES = "PIPEGEN_PIPELINE"
_ALL = "all"


@click.command("run")
@config_argument
@pipeline_option
@click.option(
    "--stage",
    multiple=True,
    metavar="NAME",
    help="Only this stage and the stages whose values and files it uses, regardless of conditions; can be repeated.",
)
@first_option
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of stages that run in parallel. Default: the number of processors.",
)
@click.option("--set", "inputs", multiple=True, metavar="NAME=VALUE", help="Set an input; can be repeated.")
@changed_since_option
@event_options
@click.option(
    "--env-file",
    type=EXISTING_FILE,
    metavar="FILE",
    help="Variables and secrets, one NAME=VALUE per line.",
)
@click.option(
    "--report",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Write a report: a .html page, .json, or JUnit .xml; can be repeated.",
)
@click.option("--log-dir", type=PATH, metavar="FOLDER", help="The folder for the logs of stages.")
@diagnostics_option
@click.option(
    "--fail-fast/--keep-going",
    default=None,
    help="Whether no stage starts after a failure. Default: as the pipeline defines.",
)
@click.option("--isolated", is_flag=True, help="Run each stage in a clean copy of the committed and staged files.")
@click.option("--host", is_flag=True, help="Run all stages directly on this machine, and ignore images.")
@click.option(
    "--allow-effects", is_flag=True, help="Do not ask before stages that publish, promote, deploy, or need an approval."
)
@click.option("--no-cache", is_flag=True, help="Do not reuse results of earlier runs; store results for later runs.")
@click.option("--resume", is_flag=True, help="Resume the last run; stages that succeeded are not run again.")
@click.option(
    "--follow", "-v", is_flag=True, help="Show the output of running stages, each line with the name of its stage."
)
@click.option("--dry-run", is_flag=True, help="Show the stages that would run, in order.")
def run(
    config: Path | None,
    pipeline: tuple[str, ...],
    stage: tuple[str, ...],
    first: tuple[str, ...],
    jobs: int | None,
    inputs: tuple[str, ...],
    changed_since: str | None,
    event: EventOptions,
    env_file: Path | None,
    report: tuple[Path, ...],
    log_dir: Path | None,
    diagnostics: Format,
    *,
    fail_fast: bool | None,
    isolated: bool,
    host: bool,
    allow_effects: bool,
    no_cache: bool,
    resume: bool,
    follow: bool,
    dry_run: bool,
) -> None:
    """Run the pipeline on this machine.

    The stages run the same scripts as on the engines.
    """
    options = RunOptions(
        slots=jobs or os.cpu_count() or 1,
        stages=stage,
        first=first,
        is_fail_fast=fail_fast,
        is_isolated=isolated,
        is_on_host=host,
        ignores_cache=no_cache,
        is_resumed=resume,
        is_followed=follow,
        is_dry=dry_run,
        since=changed_since,
        event=event,
        allows_effects=allow_effects,
        reports=tuple(path.absolute() for path in report),
        logs=log_dir.absolute() if log_dir is not None else None,
    )
    path, environment = _config(config), _environment(env_file)
    _check_reports(options.reports)
    _check_cache(environment)
    prepare = partial(_prepare, path, pipeline, fixed_inputs(inputs), options, environment)
    _start(_shown(prepare, diagnostics), options, path)


def _config(path: Path | None) -> Path:
    """Return the path of the config; raise `WrongUsage` if there is none, with a hint for the name of a stage."""
    if path is not None and not path.suffix and not path.exists():
        raise WrongUsage(f'"{path}" does not exist; to run only a stage, write --stage "{path}"')
    return config_path(path)


def _start(ready: PreparedRun | None, options: RunOptions, path: Path) -> None:
    """Run *ready*, or show the dry run, or why no pipeline runs; it is None if errors were reported."""
    if ready is None:
        end(Exit.PROBLEMS)
    elif not ready.selected:
        say("no pipeline runs, because all conditions are false: name a pipeline with --pipeline")
    elif options.is_dry:
        for line in forecast(ready.selected, ready.wants, ready.context, on_host=options.is_on_host):
            show_text(visible(line))
        end(Exit.FINE if ready.is_possible else Exit.PROBLEMS)
    else:
        _ask_first(ready, options)
        end(execute(ready, options, path))


def _check_reports(paths: Sequence[Path]) -> None:
    for path in paths:
        if path.suffix not in EXTENSIONS:
            raise WrongUsage(f'--report takes a file with the extension {", ".join(EXTENSIONS)}, not "{path.name}"')
        check_writable(path)
        # Imported now: a stage may change the files of a local installation.
        report_format(path.suffix)


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


def _shown(prepare: Callable[[Report], PreparedRun | None], diagnostics: Format) -> PreparedRun | None:
    """Return the run that *prepare* returns, and show the diagnostics that it reports."""
    report = Report()
    ready = prepare(report)
    show(report.diagnostics(), diagnostics, sys.stderr)
    return ready


def _prepare(
    path: Path,
    pipeline: Sequence[str],
    fixed: Mapping[str, str],
    options: RunOptions,
    environment: Mapping[str, str],
    report: Report,
) -> PreparedRun | None:
    """Return the prepared run; None if errors are reported."""
    names = list(pipeline) or [name for name in environment.get(_PIPELINES, "").split(",") if name]
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
        first=options.first,
        is_isolated=options.is_isolated,
        is_on_host=options.is_on_host,
        ignores_cache=options.ignores_cache,
        allows_effects=options.allows_effects or options.is_dry or prompt.is_interactive(),
        is_dry=options.is_dry,
        environment=environment,
        started=datetime.now(UTC),
    )
    try:
        selected, prepared = gather(analysed.plans, named, context, request, report)
    except Stopped:
        return None
    return PreparedRun(
        selected=selected,
        prepared=prepared,
        checkout=checkout,
        context=context,
        request=request,
        is_possible=not report.has_errors(),
    )


def _ask_first(ready: PreparedRun, options: RunOptions) -> None:
    """Ask the user to allow effects outside this machine; exit if the answer is no."""
    requested = tuple(effects(job for selection in ready.selected for job in selection.jobs if ready.wants(job)))
    if requested and not options.allows_effects and not prompt.allows(requested):
        say("no stage was run")
        end(Exit.PROBLEMS)
