"""Local execution: each attempt is a sequence of processes."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pipegen.plan.model import Failure, Job, Output, Plan
from pipegen.run.clocks.real import RealClock
from pipegen.run.executors.base import OnEnd
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local import shell_variables as names
from pipegen.run.local.executors.container import NOT_STARTED, Containers, ImageNameError, WrappedCommand
from pipegen.run.local.executors.marks import MarkFile
from pipegen.run.local.executors.process import Invocation, Process
from pipegen.run.local.executors.texts import Texts
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.local.scripts import StageScript
from pipegen.run.local.workspace import Tree, Trees
from pipegen.run.model import Attempt, AttemptResult, Outcome, Task, TaskId
from pipegen.shell import marks
from pipegen.shell.host import ShellEnvironment
from pipegen.structs import Struct

# The kernel limits arguments to 128 KiB; a character takes at most four bytes.
_LONGEST_ARGUMENT = 32_000
_NOT_MADE = "its tree or container could not be created"


class LocalTask(Struct, kw_only=True):
    """The work of a stage in a local run: its scripts, secret variables, paths of secret files, and redactor."""

    script: StageScript
    secrets: Mapping[str, str]
    files: tuple[str, ...]
    redactor: Redactor


class LocalExecutor:
    """Runs attempts as process groups, in containers if their stages have images.

    *environment* holds the variables of every process, *variables* those of scripts; *containers* is None if all
    stages run directly on this machine. *warn* is called if a file cannot be written.
    """

    def __init__(
        self,
        *,
        clock: RealClock,
        folder: RunFolder,
        trees: Trees,
        hosts: Mapping[str, ShellEnvironment],
        work: Mapping[TaskId, LocalTask],
        environment: Mapping[str, str],
        variables: Mapping[str, str],
        containers: Containers | None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.clock, self.folder, self.trees, self.containers = clock, folder, trees, containers
        self.environment = {**environment, **variables}
        self.variables, self.warn = variables, warn
        self.work = work
        self._hosts = hosts
        self.logs, self.after_values, self.values = str(folder.logs), str(folder.after_values), str(folder.values)
        self._scripts = str(folder.scripts)
        self._running: dict[TaskId, _RunningAttempt] = {}
        self.programs = {name: shutil.which(name) or name for name in ("sh", "bash")}

    def start(self, attempt: Attempt, on_end: OnEnd) -> None:
        """Start *attempt*; call *on_end* once, when it has ended and none of its processes run."""
        task = attempt.task

        def over(outcome: Outcome) -> None:
            del self._running[task.id]
            on_end(attempt, outcome)

        try:
            self._running[task.id] = _RunningAttempt(self, attempt, over)
        except (OSError, ImageNameError) as error:
            reason = f"its script: {error}" if isinstance(error, OSError) else str(error)
            outcome = Outcome(result=AttemptResult.FAILED, failure=Failure.SYSTEM, reason=reason)
            self.clock.at(self.clock.now(), partial(on_end, attempt, outcome))
        else:
            self._running[task.id].begin()

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it; nothing if it has ended."""
        running = self._running.get(attempt.task.id)
        if running is not None:
            running.stop(kill=kill)

    def close(self) -> None:
        """Kill running attempts."""
        for running in tuple(self._running.values()):
            running.stop(kill=True)

    def call(self, task: Task, shell: str, kind: str) -> tuple[str, ...]:
        """Return the command by which *shell* runs the script of *task*; *kind* is "" or ".after"."""
        script = self.work[task.id].script
        text = script.after if kind else script.main
        if len(text) < _LONGEST_ARGUMENT:
            return (shell, "-ec", text, task.job.slug)
        return (shell, "-e", self._written(task, kind, text))

    def show(self, task: Task) -> None:
        """Write the scripts of *task* for the user, to examine a failure."""
        script = self.work[task.id].script
        try:
            for kind, text in (("", script.main), (".after", script.after)):
                if text:
                    self._written(task, kind, marks.unmarked(text))
        except OSError as error:
            self.warn(f"{error.filename or self._scripts}: {error.strerror}: the script is not saved")

    def host(self, plan: Plan) -> ShellEnvironment:
        """Return the shell environment of *plan*."""
        return self._hosts[plan.name]

    def value(self, plan: Plan, output: Output) -> str:
        """Return an output of an earlier stage; "" if it has not run."""
        return (self.trees.value(plan.job(output.stage), output.name) or b"").decode(errors="surrogateescape")

    def _written(self, task: Task, kind: str, text: str) -> str:
        """Write the script *text* of *task* to a file, and return its path."""
        path = Path(self._scripts, f"{task.job.slug}{kind}.sh")
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return str(path)


def log_of(folder: RunFolder, job: Job, number: int) -> Path:
    """Return the path of the log of attempt *number* of *job*."""
    return folder.logs / _log_name(job, number)


def _log_name(job: Job, number: int) -> str:
    return f"{job.slug}.log" if number == 1 else f"{job.slug}.{number}.log"


class _RunningAttempt:
    """A running attempt: its tree and services are created, its scripts run, and everything is removed."""

    def __init__(self, executor: LocalExecutor, attempt: Attempt, over: Callable[[Outcome], None]) -> None:
        self._executor, self._attempt, self._over = executor, attempt, over
        self._work = executor.work[attempt.task.id]
        self._process: Process | None = None
        self._outcome: Outcome | None = None
        self._is_stopped = False
        self._is_killed = False
        self._is_cleaning = False
        self._name = f"{executor.environment[names.RUN]}-{attempt.task.order}-{attempt.number}"
        self._log = f"{executor.logs}/{_log_name(attempt.task.job, attempt.number)}"
        self._marks = MarkFile(
            executor.values, attempt.task.job, attempt.number, marks.is_marked(self._work.script.main)
        )
        self._marks.create_folder()
        self._tree: Tree = executor.trees.tree(attempt)
        self._variables = self._own_variables()
        self._command = self._wrapped("")

    def begin(self) -> None:
        """Start the first process."""
        before = (*self._tree.before, *self._command.before)
        if before:
            self._run_commands(before, self._prepared)
        else:
            self._main()

    def stop(self, *, kill: bool) -> None:
        """Ask the running process to end, or *kill* it; cleanup is not interrupted."""
        self._is_stopped = True
        self._is_killed |= kill
        if self._process is not None and not self._is_cleaning and (kill or self._outcome is None):
            self._process.stop(kill=kill)

    def _prepared(self, status: int) -> None:
        if self._is_stopped:
            self._clean()
        elif status:
            self._outcome = Outcome(result=AttemptResult.FAILED, failure=Failure.SYSTEM, reason=_NOT_MADE)
            self._clean()
        else:
            self._main()

    def _main(self) -> None:
        self._run(self._command.arguments, self._tree.folder, self._ran)

    def _ran(self, status: int) -> None:
        """Set the outcome by the exit status of the script, and run the `after` script."""
        if self._is_stopped:
            self._outcome = Outcome(result=AttemptResult.CANCELLED, exit_code=status, reason=self._marks.location())
        elif status == 0:
            self._outcome = Outcome(result=AttemptResult.SUCCESS, exit_code=0)
        elif status == NOT_STARTED and self._command.is_container:
            self._outcome = Outcome(
                result=AttemptResult.FAILED,
                failure=Failure.SYSTEM,
                exit_code=status,
                reason="its container did not start",
            )
        else:
            self._outcome = Outcome(
                result=AttemptResult.FAILED,
                failure=Failure.SCRIPT,
                exit_code=status,
                reason=f"exit status {status} {self._marks.location()}".rstrip(),
            )
        if not self._work.script.after or self._is_killed:
            self._store_files(0)
            return
        try:
            command = self._wrapped(".after")
        except OSError as error:
            self._executor.warn(f"the after script of {self._attempt.task.job.title} is not run: {error}")
            self._store_files(0)
        else:
            self._run(command.arguments, self._tree.folder, self._store_files)

    def _store_files(self, _: int) -> None:
        succeeded = self._outcome is not None and self._outcome.result is AttemptResult.SUCCESS
        if not succeeded:
            self._executor.show(self._attempt.task)
        try:
            self._executor.trees.keep(self._attempt, self._tree, succeeded=succeeded)
            if succeeded:
                outputs = tuple(self._outputs())
                self._outcome = Outcome(result=AttemptResult.SUCCESS, exit_code=0, outputs=outputs)
        except OSError as error:
            reason = f"its files could not be stored: {error}"
            self._outcome = Outcome(result=AttemptResult.FAILED, failure=Failure.SYSTEM, reason=reason)
        self._clean()

    def _clean(self) -> None:
        self._is_cleaning = True
        commands = (
            *(self._command.removal if self._is_stopped and not self._command.after else ()),
            *self._command.after,
            *self._tree.after,
        )
        if commands:
            self._run_commands(commands, self._cleaned)
        else:
            self._cleaned(0)

    def _cleaned(self, _: int) -> None:
        self._process = None
        self._over(self._outcome or Outcome(result=AttemptResult.CANCELLED))

    def _outputs(self) -> Sequence[tuple[str, bytes]]:
        job = self._attempt.task.job
        values = [(name, self._executor.trees.value(job, name)) for name in job.outputs]
        missing = next((name for name, value in values if value is None), None)
        if missing is not None:
            raise FileNotFoundError(errno.ENOENT, f'output "{missing}" is missing')
        return [(name, value) for name, value in values if value is not None]

    def _wrapped(self, kind: str) -> WrappedCommand:
        """Return the script of that *kind* with the commands around it."""
        executor, task = self._executor, self._attempt.task
        shell = "bash" if self._work.script.is_bash else "sh"
        if executor.containers is None or task.job.machine.image is None:
            return WrappedCommand(arguments=executor.call(task, executor.programs[shell], kind))
        texts = Texts(
            host=executor.host(task.plan),
            job=task.job,
            value=partial(executor.value, task.plan),
            variables={**executor.variables, **self._variables},
        )
        name = f"pipegen-{self._name}-stage{kind.replace('.', '-')}"
        return executor.containers.wrap(
            task.job, name, self._tree.folder, executor.call(task, shell, kind), texts, self._work.files
        )

    def _own_variables(self) -> dict[str, str]:
        """Return the variables of this attempt."""
        job = self._attempt.task.job
        slugs = {plan_job.stage: plan_job.slug for plan_job in self._attempt.task.plan.jobs} if job.statuses else {}
        statuses = {
            names.status_variable(slugs[stage] if stage else ""): status.value
            for stage, status in self._attempt.statuses
        }
        return {
            names.JOB_ID: self._name,
            names.LOG_URL: f"file://{self._log}",
            names.FILES_URL: f"file://{self._tree.user_files}",
            marks.VARIABLE: self._marks.path,
            names.AFTER_VALUES: f"{self._executor.after_values}/{self._name}",
            **statuses,
            **self._work.secrets,
        }

    def _run_commands(self, commands: Sequence[str], ended: Callable[[int], None]) -> None:
        """Start *commands* that create or remove the tree and services, outside the tree."""
        self._run(("/bin/sh", "-ec", "\n".join(commands)), "/", ended)

    def _run(self, arguments: Sequence[str], folder: str, ended: Callable[[int], None]) -> None:
        """Start a process in *folder*; if that fails, the attempt ends, by a call of the clock."""
        executor = self._executor
        invocation = Invocation(
            arguments=arguments,
            environment={**executor.environment, **self._variables},
            folder=folder,
            log=self._log,
            redactor=self._work.redactor,
            warn=executor.warn,
        )
        try:
            self._process = Process(invocation, executor.clock, ended)
        except OSError as error:
            self._outcome = Outcome(
                result=AttemptResult.FAILED, failure=Failure.SYSTEM, reason=f"{arguments[0]}: {error}"
            )
            self._process = None
            executor.clock.at(executor.clock.now(), partial(self._cleaned, 0))
