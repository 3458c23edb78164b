"""The execution of a prepared run: its progress, its summary and its reports."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pipegen.cli.events import EventOptions
from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import write
from pipegen.cli.terminal import prompt
from pipegen.cli.terminal.colours import PROGRESS, coloured
from pipegen.cli.terminal.streams import has_colour, say, show_text
from pipegen.plan.model import Job
from pipegen.run.files.run_folder import RunFolder, dead, forget, home, make
from pipegen.run.journal import Journal
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.durations import add_durations, known_durations
from pipegen.run.local.execution import Execution, pipeline_runs
from pipegen.run.local.prepare import Prepared, RunRequest
from pipegen.run.local.resume import EarlierRun, last_run, plan_digest
from pipegen.run.local.selection import SelectedPipeline
from pipegen.run.local.watchdog import clean
from pipegen.run.model import RunMachine, TaskId
from pipegen.run.report.follow import LogFollower
from pipegen.run.report.formats import About, report_format
from pipegen.run.report.live import Live
from pipegen.run.report.plain import Plain
from pipegen.run.report.record import RunRecord
from pipegen.run.report.summary import summary
from pipegen.run.scheduling.scheduler import scheduler
from pipegen.structs import Struct
from pipegen.visible import visible


class RunOptions(Struct, kw_only=True):
    """The options of a run."""

    slots: int
    stages: tuple[str, ...]
    first: tuple[str, ...]
    is_fail_fast: bool | None
    is_isolated: bool
    is_on_host: bool
    ignores_cache: bool
    is_resumed: bool
    is_followed: bool
    is_dry: bool
    since: str | None
    event: EventOptions
    allows_effects: bool
    reports: tuple[Path, ...]
    logs: Path | None


class PreparedRun(Struct, kw_only=True):
    """A run, which can start if it *is_possible*."""

    selected: tuple[SelectedPipeline, ...]
    prepared: Prepared
    checkout: LocalCheckout
    context: RunContext
    request: RunRequest
    is_possible: bool

    def wants(self, job: Job) -> bool:
        """Return whether *job* runs when its predecessors have ended."""
        return self.request.wants(job, self.context)


def execute(ready: PreparedRun, options: RunOptions, path: Path) -> Exit:
    """Run, show the progress, and write reports; return the exit status."""
    # Existing objects stay until the end, so a long run collects only garbage among new ones.
    gc.freeze()
    gc.enable()
    runs_folder = home(ready.checkout.root, os.environ)
    plan, times = plan_digest(ready.selected, ready.prepared, ready.request), known_durations(runs_folder)
    folder, earlier = _folder(runs_folder, ready, options, plan)
    machine = _this_machine(options.slots)
    runs = pipeline_runs(
        ready.selected, lambda name, stage: times.get(TaskId(name, stage), 0.0), machine, options.is_fail_fast
    )
    record = RunRecord(runs, earlier.ended)
    with (
        Execution(
            ready.selected, ready.prepared, checkout=ready.checkout, request=ready.request, folder=folder, warn=say
        ) as execution,
        Journal(folder.journal, plan, say, ready.prepared.redactor.hides) as journal,
    ):
        view = _view(record, execution)
        follower = LogFollower(record, folder, view.say)
        if options.is_followed:
            follower.begin(execution.clock)
        prompter = prompt.Prompter(execution.clock, view.say)
        try:
            execution.run(
                runs,
                scheduler=scheduler((machine,)),
                listeners=(journal, record, *((follower,) if options.is_followed else ()), view),
                ended=earlier.ended,
                is_wanted=lambda task: ready.wants(task.job),
                ask=(lambda _, answer: answer(True)) if options.allows_effects else prompter.ask,
                interrupted=lambda kill: view.say(
                    "killing running stages"
                    if kill
                    else "no further stages start; interrupt again to kill running stages"
                ),
            )
        finally:
            follower.close()
            view.close()
        status = "interrupted" if execution.is_interrupted else "success" if record.is_success else "failed"
    if earlier.folder is None:
        add_durations(runs_folder, folder, record.durations())
    about = About(
        config=path.as_posix(), started=ready.request.started, folder=folder, machines=(machine,), status=status
    )
    _report(record, about, options.reports)
    return {"interrupted": Exit.INTERRUPTED, "success": Exit.FINE}.get(status, Exit.PROBLEMS)


def _this_machine(slots: int) -> RunMachine:
    """Return this machine with *slots*, all of its processors, and its memory in bytes."""
    return RunMachine(
        name="here",
        slots=slots,
        cpu=(os.cpu_count() or 1) * 1000,
        memory=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
    )


def _report(record: RunRecord, about: About, paths: Sequence[Path]) -> None:
    """Show the summary, and write the reports to *paths*."""
    for line in summary(record, about.folder):
        show_text(visible(line), colours=PROGRESS)
    for path in paths:
        write(path, report_format(path.suffix).render(record, about))


def _folder(runs_folder: Path, ready: PreparedRun, options: RunOptions, plan: str) -> tuple[RunFolder, EarlierRun]:
    """Return a new folder in *runs_folder*, and the run to resume; clean up dead runs."""
    for dead_run in dead(runs_folder):
        clean(dead_run.id, ready.prepared.program)
        dead_run.take_up()
        dead_run.close(is_done=False)
    earlier = EarlierRun()
    if options.is_resumed:
        earlier = last_run(runs_folder, plan, ready.selected, is_isolated=options.is_isolated)
        for note in earlier.notes:
            say(note)
    if options.is_resumed and earlier.folder is None:
        raise WrongUsage("there is no earlier run with the same stages and options: omit --resume")
    folder = make(runs_folder, ready.request.started, options.logs)
    if earlier.folder is not None:
        folder.go_on(earlier.folder)
    forget(runs_folder)
    return folder, earlier


def _view(record: RunRecord, execution: Execution) -> Live | Plain:
    """Return the view of the running stages: a live display on a terminal, else lines."""
    if not sys.stdout.isatty() or os.environ.get("TERM") in (None, "", "dumb") or os.environ.get("CI"):
        return Plain(record, partial(show_text, colours=PROGRESS if has_colour(sys.stdout) else None))
    live = Live(record, sys.stdout, partial(coloured, pattern=PROGRESS) if has_colour(sys.stdout) else str)
    live.begin(execution.clock)
    return live
