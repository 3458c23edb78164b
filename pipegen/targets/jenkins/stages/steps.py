"""The steps of a stage on its agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.bindings.expression import Text
from pipegen.plan.model import Case, Condition, Credential, CredentialKind, Job, PluginCall, TriggerJob, Workspace
from pipegen.shell.command import Command, with_heading
from pipegen.shell.script import StageScriptParts
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import literals
from pipegen.targets.jenkins.named_jobs import NamedJob, PlanScripts, ScriptedPlans
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages import plugin_steps
from pipegen.targets.jenkins.stages.agents.agents import agent_of
from pipegen.targets.jenkins.stages.agents.images import in_image
from pipegen.targets.jenkins.stages.agents.pods import in_container, pod_of
from pipegen.targets.jenkins.stages.agents.tools import with_common_tools, with_tools
from pipegen.targets.jenkins.stages.files.caches import CacheNames, cached
from pipegen.targets.jenkins.stages.files.post_actions import ReportKinds, archived_on_success, with_post_actions
from pipegen.targets.jenkins.stages.files.stashes import Stashes
from pipegen.targets.jenkins.stages.guards.conditions import ConditionWriter
from pipegen.targets.jenkins.stages.raw import wrapped
from pipegen.targets.jenkins.stages.scripts.preludes import Preludes
from pipegen.targets.jenkins.stages.scripts.shell_variables import REGISTRY_PASSWORD, REGISTRY_USERNAME, SHARED_VALUES
from pipegen.targets.jenkins.stages.scripts.statuses import Statuses
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts, is_known

ARCHIVE = ".pipegen/archive"


class StepContext(Struct):
    """The values shared by the steps of all jobs.

    *common* are the variables that are set for all of them. If it *is_guarded*, a change from a fork ends the build
    before any of them.
    """

    work: ScriptedPlans
    preludes: Preludes
    stashes: Stashes
    statuses: Statuses
    reports: ReportKinds
    caches: CacheNames
    common: tuple[model.EnvironmentVariable, ...]
    is_guarded: bool

    def has_directives(self, named: NamedJob) -> bool:
        """Return whether a stage can have directives: those in `post` cannot."""
        return self.statuses.is_declarative and not named.job.is_final

    def own_variables(self, named: NamedJob) -> tuple[model.EnvironmentVariable, ...]:
        """Return the variables that Jenkins sets for the script of a stage and not for all."""
        variables = (model.EnvironmentVariable(name, value) for name, value in named.variables)
        return tuple(variable for variable in variables if variable not in self.common)


def steps(named: NamedJob, values: GroovyTexts, shared: StepContext) -> tuple[model.Step, ...]:
    """Return the steps of a stage; one without a script and a job to start only writes to the log.

    They run on its agent, which a stage that waits for another job releases first: see `takes_agent`.
    """
    is_kept = needs_agent(named) and _waits_for_job(named.job)
    started_jobs = tuple(_started_jobs(named.job, values, is_kept=is_kept)) if _starts_jobs(named.job) else ()
    inner = wrapped(
        named.job,
        (*_StepWriter(named, values, shared).agent_steps(), *_kept_parameters(started_jobs)),
    )
    if is_kept:
        pod = pod_of(named)
        agent = agent_of(named, shared.work.settings)
        return (model.InPod(pod, inner) if pod is not None else model.OnAgent(agent, inner), *started_jobs)
    return (*inner, *started_jobs) or (
        model.Echo("Nothing to do: the values that this stage exports are computed where they are read."),
    )


def takes_agent(named: NamedJob) -> bool:
    """Return whether the steps of a stage need an agent around all of them."""
    return needs_agent(named) and pod_of(named) is None and not _waits_for_job(named.job)


def taken_pod(named: NamedJob) -> model.PodAgent | None:
    """Return the pod that the steps of a stage need around all of them, None if there is none."""
    return pod_of(named) if needs_agent(named) and not _waits_for_job(named.job) else None


def needs_agent(named: NamedJob) -> bool:
    """Return whether a stage needs its own agent."""
    has_work = not named.script.is_empty or plugin_steps.needs_agent(named.job) or bool(named.job.machine.tools)
    return has_work and named.plan.workspace is Workspace.ISOLATED


def script_steps(commands: tuple[Command, ...], prelude: str = "") -> model.Sh:
    """Return the shell step of *commands*, with their comments."""
    lines: list[str] = []
    for command in commands:
        if command.comment:
            lines.append(f"# {command.comment}")
        lines += command.lines
    return model.Sh(prelude=prelude, lines=tuple(lines))


class _StepWriter(Struct):
    """Writes the steps of a stage; its texts have *values*."""

    named: NamedJob
    values: GroovyTexts
    shared: StepContext

    def agent_steps(self) -> list[model.Step]:
        """Return the steps of a stage on its agent, those of plugins among them."""
        calls = self.named.job.plugin_steps
        lists = (calls.before, calls.after, calls.always, calls.failure) if calls is not None else ()
        prepared: list[model.Step] = []
        if needs_agent(self.named):
            prepared += _checkout(self.named, self.shared.work)
            if self.named.pins:
                prepared.append(model.PinAgent())
            prepared += self.shared.stashes.read_by(self.named)
        first, last, always, failure = [self._plugin_steps(calls) for calls in lists] or [()] * 4
        inner = (*first, *last) if self.named.script.is_empty else tuple(self._script_steps(first, last))
        inner = plugin_steps.ensured(inner, always, failure)
        return [*prepared, *self._enclosed(inner)]

    def _plugin_steps(self, calls: Sequence[PluginCall]) -> tuple[model.Step, ...]:
        own: tuple[model.Step, ...] = plugin_steps.plugin_steps(calls, self.values)
        if not own or _has_blocks(self.named):
            return own
        own = self._with_values(self.named.job.cases, own)
        if self._need_tools(calls):
            own = self._with_tools(own)
        if not plugin_steps.reads_status(self.named.job, calls):
            return own
        return self.shared.statuses.with_statuses(self.named, own)

    def _need_tools(self, calls: Sequence[PluginCall]) -> bool:
        """Return whether *calls* of the stage have its tools; those of the settings only if they may run programs."""
        has_agent = needs_agent(self.named) or self.named.plan.workspace is Workspace.SHARED
        runs_programs = has_agent and plugin_steps.run_programs(calls, self.shared.work.settings)
        return bool(self.named.job.machine.tools) or runs_programs

    def _have_tools_around(self) -> bool:
        """Return whether the tools of the stage are around its blocks of plugins."""
        calls = self.named.job.plugin_steps
        return calls is not None and bool(calls.around) and self._need_tools(calls.calls)

    def _with_tools(self, own: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
        return with_tools(self.named.job, own, self.shared.work.settings)

    def _enclosed(self, inner: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
        """Return *inner* inside the blocks of plugins, if there are any, and these inside all values of the stage."""
        if not _has_blocks(self.named) or not inner:
            return inner
        inner = plugin_steps.enclosed(self.named.job, inner, self.values)
        inner = self._with_values(self.named.job.numbered_cases, inner)
        if self._have_tools_around():
            inner = self._with_tools(inner)
        return self.shared.statuses.with_statuses(self.named, inner)

    def _with_values(self, cases: Sequence[Case], own: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
        """Return steps with the credentials and variables of their stage, and those of its *cases*.

        Each can read those before it.
        """
        own = self._with_cases(cases, own)
        for variables in reversed(plugin_steps.set_together(self._env())):
            own = (model.Wrapped(f"withEnv({plugin_steps.settings(variables, self.values)})", own),)
        if bindings := tuple(map(_binding, self.named.job.secrets)):
            own = (model.WithCredentials(bindings, own),)
        return own

    def _env(self) -> tuple[tuple[str, Text], ...]:
        """Return the variables of a stage for its steps of plugins that are not set around all of its steps."""
        own = self.shared.own_variables(self.named) if self.shared.has_directives(self.named) else ()
        outside = (*self.shared.common, *own)
        env = self.named.job.plugin_steps.env if self.named.job.plugin_steps is not None else ()
        return tuple(
            (name, text) for name, text in env if model.EnvironmentVariable(name, text.constant or "") not in outside
        )

    def _script_steps(self, first: tuple[model.Step, ...], last: tuple[model.Step, ...]) -> list[model.Step]:
        """Return the steps with the script of a stage between *first* and *last*, and those that leave its files."""
        is_isolated = self.named.plan.workspace is Workspace.ISOLATED
        run_steps = self._run_steps(first, last)
        complete_steps = with_post_actions(self.named.job, run_steps, self.shared.reports, self.values)
        steps_ = [*cached(self.named.job, self.shared.caches, self.values, complete_steps)]
        if self.named.script.archives:
            steps_.append(model.Archive("**", ARCHIVE, is_removed=not is_isolated))
        stash = self.shared.stashes.left_by(self.named, self.values) if is_isolated else None
        if stash is not None:
            steps_.append(stash)
        steps_ += archived_on_success(self.named.job, self.values)
        return steps_

    def _run_steps(self, first: tuple[model.Step, ...], last: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
        """Return the step with the script of a stage between *first* and *last*, and its `after` script.

        This follows all of them, or only the script if it needs what is around that.
        """
        sh, after = _sh(self.named.script, self.shared.preludes), self.named.script.after
        script_step = self._script_step(sh)
        if after is None:
            return with_common_tools((*first, *script_step, *last))
        after_sh = _sh(after, self.shared.preludes)
        if script_step == (sh,):
            return (model.WithAfter(after_sh, (*first, sh, *last)),)
        # It needs what is around the script, such as its container.
        script_step = self._script_step(model.WithAfter(after_sh, (sh,)))
        return with_common_tools((*first, *script_step, *last))

    def _script_step(self, step: model.Step) -> tuple[model.Step, ...]:
        """Return *step*, which runs a script of a stage, where and with what it runs.

        Inside blocks of plugins, it has most of its values already.
        """
        job, settings, is_enclosed = self.named.job, self.shared.work.settings, _has_blocks(self.named)
        cases = () if is_enclosed else job.engine_cases
        (step,) = self._with_cases(cases, (step,))
        step = _bound(self.named.script, step, settings, known=job.secrets if is_enclosed else ())
        if not self.shared.has_directives(self.named) and not is_enclosed:
            step = _with_variables(self.shared.own_variables(self.named), step)
        if job.machine.pod is not None and pod_of(self.named) is not None:
            step = in_container(job.machine.pod, step)
        else:
            if not self._have_tools_around():
                (step,) = self._with_tools((step,))
            step = in_image(job.machine, self.values, step)
        return (step,) if is_enclosed else self.shared.statuses.with_statuses(self.named, (step,))

    def _with_cases(self, cases: Sequence[Case], inner: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
        """Return the *inner* steps with the variables of the first of *cases* of the stage whose condition holds."""
        groups = [plugin_steps.set_together(case.variables) for case in cases]
        for level in reversed(range(max(map(len, groups), default=0))):
            last = max(number for number, group in enumerate(groups, 1) if len(group) > level)
            chosen = [
                (case.condition, group[level] if len(group) > level else ())
                for case, group in zip(cases[:last], groups, strict=False)
            ]
            inner = (model.Wrapped(f"withEnv({self._choice(chosen)})", inner),)
        return inner

    def _choice(self, cases: Sequence[tuple[Condition | None, Sequence[tuple[str, Text]]]]) -> str:
        """Return the list of the variables of the first of *cases* whose condition holds, in Groovy."""
        writer, choices, otherwise = ConditionWriter(self.named.plan.inputs), [], "[]"
        for condition, variables in cases:
            settings = plugin_steps.settings(variables, self.values)
            if condition is None:
                otherwise = settings
            else:
                choices.append(f"{writer.decision(condition)} ? {settings} :")
        if len(choices) < 2:  # noqa: PLR2004 - several
            return " ".join((*choices, otherwise))
        return "".join(f"\n    {line}" for line in (*choices, otherwise)) + "\n"


def _checkout(named: NamedJob, work: ScriptedPlans) -> tuple[model.Step, ...]:
    """Return the step that fetches the repository for a stage, or empties its workspace; none for a webhook.

    `deleteDir` would remove the folder itself, which is mounted into the container of the stage.
    """
    if named.name in work.checkouts.skipping:
        uses_files = bool(named.job.reads) or not named.job.posts
        return (model.Sh(lines=("rm -rf -- ..?* .[!.]* *",)),) if uses_files else ()
    return (model.Checkout(work.checkouts.of(named.plan, named.job)),)


def _has_blocks(named: NamedJob) -> bool:
    """Return whether blocks of plugins are around the steps of a stage."""
    return named.job.plugin_steps is not None and bool(named.job.plugin_steps.around)


def _sh(script: StageScriptParts, preludes: Preludes) -> model.Sh:
    function = preludes.function(script.prelude)
    prelude = () if function or not script.prelude else (*script.prelude, Command(("",)))
    body = (*script.bind, *script.login, *script.steps)
    outputs = with_heading(script.outputs) if body else script.outputs
    return script_steps((*prelude, *body, *outputs), function)


def _bound(
    script: StageScriptParts, step: model.Step, settings: JenkinsSettings, known: Sequence[Credential]
) -> model.Step:
    """Return *step* inside the credentials that it needs in addition to those *known* to it."""
    bindings = [_binding(credential) for credential in script.credentials if credential not in known]
    if script.login and settings.registry_credential:
        login = (("usernameVariable", REGISTRY_USERNAME), ("passwordVariable", REGISTRY_PASSWORD))
        bindings.append(model.Binding("usernamePassword", settings.registry_credential, login))
    return model.WithCredentials(tuple(bindings), (step,)) if bindings else step


def _with_variables(variables: Sequence[model.EnvironmentVariable], step: model.Step) -> model.Step:
    settings = [f"{variable.name}={variable.value}" for variable in variables]
    return model.Wrapped(f"withEnv({literals(settings)})", (step,)) if settings else step


def _binding(credential: Credential) -> model.Binding:
    variables = credential.variables
    match credential.kind:
        case CredentialKind.TEXT:
            return model.Binding("string", credential.id, (("variable", variables[0]),))
        case CredentialKind.FILE:
            return model.Binding("file", credential.id, (("variable", variables[0]),))
        case CredentialKind.SSH_KEY:
            return model.Binding("sshUserPrivateKey", credential.id, (("keyFileVariable", variables[0]),))
        case CredentialKind.PASSWORD:
            pair = (("usernameVariable", variables[0]), ("passwordVariable", variables[1]))
            return model.Binding("usernamePassword", credential.id, pair)


def _starts_jobs(job: Job) -> bool:
    return TriggerJob in map(type, job.steps)


def _waits_for_job(job: Job) -> bool:
    return _starts_jobs(job) and any(isinstance(step, TriggerJob) and step.wait for step in job.steps)


def _kept_parameters(started: Sequence[model.StartJob]) -> Iterator[model.Keep]:
    """Yield the step that reads the parameters of *started* jobs before the agent is released."""
    paths = tuple(value.path for job in started for _, value in job.parameters if isinstance(value, model.NoteText))
    if paths:
        yield model.Keep(paths)


def _started_jobs(job: Job, values: GroovyTexts, *, is_kept: bool) -> Iterator[model.StartJob]:
    def value(number: int, text: Text) -> model.Value:
        is_written = not is_known(text, job, values.plan, values.jobs)
        return values.trigger_parameter(number, is_kept=is_kept) if is_written else values.value(text)

    for step in job.steps:
        if isinstance(step, TriggerJob):
            parameters = enumerate(step.parameters)
            yield model.StartJob(
                job=step.name.value,
                parameters=tuple((name, value(number, text)) for number, (name, text) in parameters),
                propagate=step.propagate,
                wait=step.wait,
                # `build` throws an interruption, whose result `catchError` passes on to the build (`CatchErrorStep` of
                # the plugin workflow-basic-steps).
                is_checked=step.propagate and step.wait and job.limits.allow_failure is not None,
            )


def prepare(scripts: PlanScripts, checkout: str) -> tuple[model.Step, ...]:
    """Return the steps before all stages: a checkout by the function *checkout*, and the removal of old values."""
    commands = (
        command
        for script in scripts.scripts.values()
        for command in (*script.prelude, *script.bind, *script.steps, *script.outputs)
    )
    has_values = any(SHARED_VALUES in line for command in commands for line in command.lines)
    return (model.Checkout(checkout), *((model.Sh(lines=(f'rm -rf "{SHARED_VALUES}"',)),) if has_values else ()))
