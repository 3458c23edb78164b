"""A job as one POSIX script, in the parts that targets lay out."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from pipegen.plan.model import (
    BuildImage,
    Commands,
    Copy,
    Credential,
    EngineText,
    Export,
    Image,
    Job,
    Leave,
    Output,
    Plan,
    Promote,
    PublishImage,
    RunContainer,
    Step,
    TriggerJob,
)
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.images import is_pulled, is_pushed
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import variables
from pipegen.shell.prelude import expanded_variables, prelude
from pipegen.shell.quote import operand, quote, shell_text
from pipegen.shell.steps.archive import has_archive, publish_archive
from pipegen.shell.steps.commands import commands
from pipegen.shell.steps.leave import leave
from pipegen.shell.uses import Uses, job_words, uses
from pipegen.shell.values.after import after_environment, after_job, remove_after_values
from pipegen.shell.values.inputs import engine_variables
from pipegen.shell.values.read import clear_folder, input_commands, status_commands
from pipegen.shell.values.transfers import packs_container_paths, transferred_paths
from pipegen.shell.values.write import direct_outputs, make_output_folder, mark_success, output_commands
from pipegen.shell.words.text import assignment, own_variable
from pipegen.structs import Struct, replace

__all__ = ["Command", "StageScriptParts", "script"]

# Steps with their own credentials.
_WITH_CREDENTIALS = frozenset((RunContainer, Promote))


_NAME = attrgetter("name")

# Steps that always call the container program.
_CONTAINER_STEPS = (BuildImage, RunContainer, PublishImage)


class StageScriptParts(Struct, kw_only=True):
    """The parts of a script; one shell runs them all in this order, with `set -e` in force.

    Attributes:
        prelude: the start of a script with values or containers; the same for all jobs with the same needs.
        bind: reads of values and secrets.
        login: the login to the registry; the same for all jobs that log in.
        steps: the steps of the stage.
        outputs: the values that other jobs read, written last.
        setup: the setup names that the parts use, in order of first use.
        inputs: the inputs that the parts use, in order of first use.
        credentials: the credentials that must be bound to variables around the script.
        uses_containers: whether it calls the container program.
        uses_helm: whether it calls helm.
        uses_git: whether it calls git (and python3, for the charts' own script).
        carries: paths under `.pipegen` that it leaves for other jobs; folders end with a slash.
        archives: whether it leaves files in `.pipegen/archive`.
        after: the script that another shell runs when this one ends, whatever its result; its own status is ignored.
    """

    prelude: tuple[Command, ...]
    bind: tuple[Command, ...]
    login: tuple[Command, ...]
    steps: tuple[Command, ...]
    outputs: tuple[Command, ...]
    setup: tuple[str, ...]
    inputs: tuple[str, ...]
    credentials: tuple[Credential, ...]
    uses_containers: bool
    uses_helm: bool
    uses_git: bool
    carries: tuple[str, ...]
    archives: bool
    after: StageScriptParts | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to run."""
        return not (self.steps or self.outputs or self.bind or self.prelude)

    @property
    def commands(self) -> tuple[Command, ...]:
        """All commands in order."""
        return (*self.prelude, *self.bind, *self.login, *self.steps, *self.outputs)


def script(
    job: Job, plan: Plan, producers: Mapping[str, Job], host: ShellEnvironment, set_by_engine: Collection[str] = ()
) -> StageScriptParts:
    """Return the script of *job*; *producers* holds the pipeline's jobs by stage.

    It assigns no variable in *set_by_engine*.
    """
    parts = _script(job, plan, producers, host, set_by_engine)
    if not job.after:
        return parts
    after = _script(after_job(job), plan, producers, after_environment(job, host), set_by_engine)
    return replace(
        parts,
        setup=tuple(dict.fromkeys((*parts.setup, *after.setup))),
        inputs=tuple(dict.fromkeys((*parts.inputs, *after.inputs))),
        credentials=tuple(dict.fromkeys((*parts.credentials, *after.credentials))),
        after=replace(after, bind=(*after.bind, *remove_after_values(job, host))),
    )


class _Body(Struct):
    """The commands of the *steps*, and those that write the *outputs* that other jobs read."""

    steps: tuple[Command, ...]
    outputs: tuple[Command, ...]


def _script(
    job: Job, plan: Plan, producers: Mapping[str, Job], host: ShellEnvironment, set_by_engine: Collection[str]
) -> StageScriptParts:
    used = _with_lists_of_matrices(uses(job, host), producers)
    lowering = _lowering(job, plan, producers, host, used, set_by_engine)
    kinds = {type(step) for step in used.steps}
    credentials = job.secrets if kinds.isdisjoint(_WITH_CREDENTIALS) else _credentials(job, used.steps, host)
    if not used.steps:
        # Secrets of a stage with steps of Jenkins only: the target binds them around these.
        credentials = ()
    login = _login(host) if _pushes_or_pulls(job, kinds, used.steps, host) else ()
    bind = input_commands(used.outputs, used.setup, lowering)
    if used.statuses:
        bind += status_commands(used.statuses, lowering)
    bind += clear_folder(used.all_outputs, lowering)
    if credentials:
        bind += _secrets(credentials, host)
    variables_used = expanded_variables((*bind, *login))
    body = _body(used.steps, lowering, has_own_folder="pipegen" in variables_used)
    variables_used |= expanded_variables((*body.steps, *body.outputs))
    uses_containers = _uses_containers(job, kinds, used.steps, host)
    return StageScriptParts(
        prelude=prelude(job, used.steps, variables_used, host, uses_containers=uses_containers),
        login=login,
        bind=tuple(bind),
        steps=body.steps,
        outputs=body.outputs,
        setup=used.setup,
        inputs=used.inputs,
        credentials=credentials,
        uses_containers=uses_containers,
        uses_helm="HELM" in variables_used,
        uses_git=Promote in kinds,
        carries=transferred_paths(job, host),
        archives=has_archive(job, host),
    )


def _with_lists_of_matrices(used: Uses, producers: Mapping[str, Job]) -> Uses:
    """Return *used* with the lists of combinations of one matrix; other outputs may differ in how they are read."""
    if not used.lists:
        return used
    lists = [outputs for outputs in used.lists if len({producers[output.stage].title for output in outputs}) == 1]
    if len(lists) == len(used.lists):
        return used
    others = chain.from_iterable(outputs for outputs in used.lists if outputs not in lists)
    return replace(used, outputs=tuple(dict.fromkeys((*used.outputs, *others))), lists=tuple(lists))


def _lowering(
    job: Job,
    plan: Plan,
    producers: Mapping[str, Job],
    host: ShellEnvironment,
    used: Uses,
    set_by_engine: Collection[str],
) -> Lowering:
    direct = direct_outputs(job, used.read, host)
    own = [Output(job.stage, name) for name in job.binds if name in used.own and name not in direct]
    words = job_words(job)
    return Lowering(
        job=job,
        plan=plan,
        producers=producers,
        host=host,
        variables=variables(
            (*used.outputs, *own),
            used.setup,
            used.defaults,
            used.inputs,
            used.statuses,
            words=words,
            direct=engine_variables(used, host, words) if used.inputs else {},
            engine=[*map(_NAME, plan.inputs), *set_by_engine],
            titles=_titles(job, used.all_outputs, producers),
            lists={outputs: producers[outputs[0].stage].title for outputs in used.lists},
        ),
        needed=used.own,
        optional=used.optional,
        words=words,
        direct=direct,
    )


def _titles(job: Job, outputs: Sequence[Output], producers: Mapping[str, Job]) -> dict[str, str]:
    """Return the matrix stages of *job* and of *outputs*, by combination, where these have one of each matrix."""
    combinations: dict[str, set[str]] = {}
    if job.combination is not None:
        combinations[job.combination.stage] = {job.stage}
    for output in outputs:
        combination = producers[output.stage].combination
        if combination is not None:
            combinations.setdefault(combination.stage, set()).add(output.stage)
    return {stages.pop(): title for title, stages in combinations.items() if len(stages) == 1}


def _body(job_steps: Sequence[Step], lowering: Lowering, *, has_own_folder: bool) -> _Body:
    """Return the commands of *job_steps*; *has_own_folder* is whether a temporary folder is removed at the end."""
    job, host = lowering.job, lowering.host
    first_outputs = [publish_archive()] if has_archive(job, host) else []
    first_outputs += make_output_folder(lowering)
    last_outputs = output_commands(lowering)
    if job.stage in host.marked:
        last_outputs.append(mark_success(job, host))
    is_alone = len(job_steps) == 1 and not first_outputs and not last_outputs and not has_own_folder
    steps: list[Command] = []
    direct: list[Command] = []
    for step in job_steps:
        match step:
            case Commands():
                step_commands, direct = commands(step, lowering, is_alone=is_alone)
                steps += step_commands
            case Export():
                steps.append(Command((assignment(own_variable(step.name, lowering), step.value, lowering),)))
            case Leave():
                steps += leave(step, lowering)
            case TriggerJob() | EngineText():
                # The engine starts the other job, or reads the text; the script only leaves the values for that.
                pass
            case _:
                from pipegen.shell.steps import pipelinelib  # noqa: PLC0415 - for scripts that have such steps

                steps += pipelinelib.lower(step, lowering)
    outputs = [*first_outputs, *direct, *last_outputs]
    if steps and job.directory != ".":
        steps.insert(0, Command((f"cd {quote(operand(job.directory))}",)))
        outputs[:0] = [Command(('cd "$OLDPWD"',))] if outputs else []
    return _Body(tuple(steps), tuple(outputs))


def _credentials(job: Job, steps: Sequence[Step], host: ShellEnvironment) -> tuple[Credential, ...]:
    credentials = dict.fromkeys(job.secrets)
    for step in steps:
        if isinstance(step, RunContainer):
            credentials |= dict.fromkeys(step.credentials)
        if isinstance(step, Promote) and host.promote_credential is not None:
            credentials[host.promote_credential] = None
    return tuple(credentials)


def _secrets(credentials: Sequence[Credential], host: ShellEnvironment) -> Iterator[Command]:
    for credential in credentials:
        for line in host.credential(credential):
            yield Command((line,))


def _uses_containers(job: Job, kinds: set[type[Step]], steps: Sequence[Step], host: ShellEnvironment) -> bool:
    """Return whether *steps*, of these *kinds*, call the container program: not for files that another job packed."""
    if not kinds.isdisjoint(_CONTAINER_STEPS) or packs_container_paths(job, host):
        return True
    return Copy in kinds and any(
        file.container.producer in (None, job.stage) or host.shares_daemon
        for step in steps
        if isinstance(step, Copy)
        for file in step.entries
    )


def _pushes_or_pulls(job: Job, kinds: Container[type[Step]], steps: Sequence[Step], host: ShellEnvironment) -> bool:
    if PublishImage in kinds or is_pushed(job, host):
        return True
    if RunContainer not in kinds:
        return False
    images: list[Image] = [step.image for step in steps if isinstance(step, RunContainer)]
    return any(is_pulled(image, job, host) for image in images)


def _login(host: ShellEnvironment) -> tuple[Command, ...]:
    """Return the commands that log in to the registry; the credentials are removed with the job."""
    login = host.login
    if login is None:
        return ()
    user, registry = quote(shell_text(login.username)), quote(shell_text(login.registry))
    password = quote(shell_text(login.password))
    return (
        *(Command((line,)) for line in login.setup),
        *(() if host.is_disposable else (Command(('export DOCKER_CONFIG="$pipegen/docker"',)),)),
        Command((f"printf %s {password} | {host.docker} login --username {user} --password-stdin {registry}",)),
    )
