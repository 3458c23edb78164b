"""A stage as a job: its steps, conditions, order, inputs and outputs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from pipegen.bindings.expression import Bare, Expression, Items, Text
from pipegen.plan.model.checkouts import StageFetch
from pipegen.plan.model.conditions import Condition
from pipegen.plan.model.deployments import Deployment
from pipegen.plan.model.limits import Limits
from pipegen.plan.model.machine import Machine
from pipegen.plan.model.retention import DEFAULT_RETENTION, NO_REPORTS, Cache, Reports, Retention, Reuse
from pipegen.plan.model.steps import Case, Commands, Credential, IdToken, Line, Output, Step
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import SpannedStruct, Struct, replace

# Defaults.
_MACHINE = Machine()
_LIMITS = Limits()
_DEPLOYMENT = Deployment()
# The start of a condition in Groovy.
_CONDITION = re.compile(r"if\s*\(")


class Mail(SpannedStruct, kw_only=True):
    """A mail that is sent if a stage fails; it reads no output of that stage."""

    to: Items[Text]
    subject: Text
    body: Text
    span: Span


class Artifact(SpannedStruct, kw_only=True):
    """Files that a job leaves for its descendants: a path relative to the checkout.

    *path* is None for a run-time value that engines cannot insert. *overwrites* is whether an ancestor leaves the same
    path, so that these files must be fetched after those. A path contains `*` and `**` only as wildcards, and `$` only
    in references to setup values. *is_declared* is whether the path is in `artifacts`, not a result of a step.
    *is_kept* is whether people can download the files; *travels* is whether other jobs get them. *is_folder* is whether
    the path certainly names a folder. *may_overlap* is whether other jobs may leave the same path without an order
    between them, if they allow it too.
    """

    path: str | None
    span: Span
    overwrites: bool = False
    is_declared: bool = False
    is_kept: bool = False
    travels: bool = True
    is_folder: bool = False
    may_overlap: bool = False


class SharedResources(Struct, kw_only=True):
    """Resources of a job that outlive it because other jobs use them."""

    image: bool = False
    container: bool = False
    release: bool = False
    # Paths that other jobs copy out of the job's container, in order, for engines whose jobs share no daemon.
    container_paths: tuple[Text, ...] = ()

    @property
    def needs_daemon(self) -> bool:
        """Whether readers need the same daemon that the job used (or a registry)."""
        return self.image or self.container


class Combination(Struct):
    """A combination of a matrix: the matrix stage, and each axis with its value."""

    stage: str
    values: tuple[tuple[str, str], ...]


class PluginCall(SpannedStruct):
    """A step of a plugin: the name *text* with *arguments*, or complete Groovy without them."""

    text: str
    arguments: Expression | None
    span: Span


class PluginSteps(SpannedStruct, kw_only=True):
    """Steps of Jenkins' plugins and libraries: *before* and *after* the script, and blocks *around* all of these.

    Steps in *always* follow in any case, those in *failure* after a failure. All have the variables *env*. Other
    engines leave them out if *is_skipped_elsewhere*, and otherwise refuse them.
    """

    around: tuple[PluginCall, ...]
    before: tuple[PluginCall, ...]
    after: tuple[PluginCall, ...]
    always: tuple[PluginCall, ...]
    failure: tuple[PluginCall, ...]
    env: tuple[tuple[str, Text], ...]
    is_skipped_elsewhere: bool
    span: Span

    @property
    def calls(self) -> tuple[PluginCall, ...]:
        """All steps."""
        return (*self.around, *self.before, *self.after, *self.always, *self.failure)


class Job(SpannedStruct, kw_only=True):
    """What one stage does.

    Attributes:
        stage: the stage's name.
        pipeline: the name of its pipeline.
        slug: letters, digits, `-`, `_` and `.`; unique in the file; for paths and names.
        span: the value of the stage's `name` key.
        frame: its frame in the graph, from 0; None for finally stages.
        needs: the arcs' direct predecessors, in the order the arcs name them.
        reads: other stages' outputs as the user wrote them.
        binds: the names that it binds, in order, without `stage`.
        forwarded: the exports whose readers read the parts of the value directly, so that no step binds them.
        inputs: other stages' outputs whose values its steps and mail use, with forwarded exports resolved.
        expanded: its outputs in image names, which an engine itself expands.
        outputs: its own outputs that are an input of another job, in the order it binds them.
        files: ancestors whose artifacts are in its workspace, in an order that the arcs allow.
        raw_files: ancestors that leave files by keys for one target (`raw`), which are in its workspace there.
        artifacts: the files that it leaves.
        directory: where its steps run, relative to the root of the repository; "." is the root.
        fetch: how it fetches the repository; None is as the pipeline does.
        containers: other stages whose containers it copies files from; `container` is then no input.
        cases: variables of its script by condition; the first case whose condition holds applies.
        condition: the condition to run it; None always holds. A job whose condition does not hold is skipped,
            and later jobs run as if it had succeeded, in the same order.
        machine: where it runs.
        secrets: the credentials of its script, not of other steps.
        id_tokens: identity tokens that the engine issues for the run.
        after: commands that always run after its steps, in a separate shell.
        limits: retries, timeout and allowed failures.
        deployment: approval, delay, locks and environment.
        retention: how its artifacts are retained.
        reports: reports that the engine displays.
        caches: files that later runs restore.
        posts: whether it only posts the result of the pipeline.
        statuses: the stages whose status it reads, "" for the pipeline; only finally stages do.
        on_status: the status of the pipeline for which it runs, "" for any; only finally stages have one.
        combination: its combination of a matrix; None for a stage without a matrix.
        plugin_steps: steps of plugins of Jenkins, None if there are none.
        raw: keys for one target only, by target.
        reuse: the dependencies of a result that later runs may reuse; None if its result is never reused.
        templates: the templates that the stage extends, of which generated names remind people.
    """

    UNCOMPARED: ClassVar = ("span", "templates")

    stage: str
    pipeline: str
    slug: str
    span: Span
    frame: int | None
    needs: tuple[str, ...]
    reads: tuple[Output, ...]
    binds: tuple[str, ...]
    inputs: tuple[Output, ...]
    outputs: tuple[str, ...]
    files: tuple[str, ...]
    artifacts: tuple[Artifact, ...]
    directory: str
    steps: tuple[Step, ...]
    mail: Mail | None
    shared: SharedResources
    fetch: StageFetch | None = None
    containers: tuple[str, ...] = ()
    expanded: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    condition: Condition | None = None
    machine: Machine = _MACHINE
    secrets: tuple[Credential, ...] = ()
    id_tokens: tuple[IdToken, ...] = ()
    after: tuple[Line, ...] = ()
    limits: Limits = _LIMITS
    deployment: Deployment = _DEPLOYMENT
    retention: Retention = DEFAULT_RETENTION
    reports: Reports = NO_REPORTS
    caches: tuple[Cache, ...] = ()
    posts: bool = False
    statuses: tuple[str, ...] = ()
    on_status: str = ""
    combination: Combination | None = None
    plugin_steps: PluginSteps | None = None
    raw: tuple[tuple[str, TreeMapping], ...] = ()
    raw_files: tuple[str, ...] = ()
    forwarded: tuple[tuple[str, Text], ...] = ()
    reuse: Reuse | None = None
    templates: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[Condition | None, ...]:
        """Its condition, and those of its cases, its allowed failures and its approval."""
        allowed, approval = self.limits.allow_failure, self.deployment.approval
        others = [
            setting.condition
            for setting in (allowed, approval)
            if setting is not None and setting.condition is not None
        ]
        return (self.condition, *(case.condition for case in self.cases), *others)

    @property
    def case_names(self) -> tuple[str, ...]:
        """The names of the variables that its cases set."""
        return Case.names(self.cases)

    @property
    def computed_names(self) -> tuple[str, ...]:
        """The names of the variables of its cases that its script sets: an engine cannot set all of their values.

        A default that is the variable itself leaves the value of the engine.
        """
        if not self.cases:
            return ()
        texts = [variable for case in self.cases for variable in case.variables]
        for step in self.steps:
            for name, text in step.env if isinstance(step, Commands) else ():
                if not (len(text.parts) == 1 and isinstance(text.parts[0], Bare) and text.parts[0].name == name):
                    texts.append((name, text))
        computed = {name for name, text in texts if not Case.can_set(text.constant)}
        return tuple(name for name in self.case_names if name in computed)

    @property
    def engine_cases(self) -> tuple[Case, ...]:
        """Its cases with the variables that the engine sets; the script sets others by the number of the case."""
        computed = self.computed_names
        if not computed:
            return self.cases
        cases = []
        for number, case in enumerate(self.cases, 1):
            variables = [variable for variable in case.variables if variable[0] not in computed]
            variables.append((Case.NUMBER, Text((str(number),), case.span)))
            cases.append(replace(case, variables=tuple(variables)))
        return tuple(cases)

    @property
    def numbered_cases(self) -> tuple[Case, ...]:
        """Its cases with all of their variables, and with the number of the case if its script reads that."""
        return tuple(
            replace(case, variables=tuple(dict.fromkeys((*case.variables, *engine.variables))))
            for case, engine in zip(self.cases, self.engine_cases, strict=True)
        )

    def in_case(self, holds: Callable[[Condition | None], bool]) -> Job:
        """Return the job in a run: with the variables of its first case whose condition *holds*, and without cases.

        In the run, a failure is allowed or not, and a person starts the job or not.
        """
        job, allowed, approval = self, self.limits.allow_failure, self.deployment.approval
        if allowed is not None and allowed.condition is not None:
            allowed = replace(allowed, condition=None) if holds(allowed.condition) else None
            job = replace(job, limits=replace(job.limits, allow_failure=allowed))
        if approval is not None and approval.condition is not None:
            approval = replace(approval, condition=None) if holds(approval.condition) else None
            job = replace(job, deployment=replace(job.deployment, approval=approval))
        if not job.cases:
            return job
        chosen = dict(next((case.variables for case in job.cases if holds(case.condition)), ()))
        chosen = {name: chosen[name] for name in job.case_names if name in chosen}
        steps = (
            replace(step, env=tuple({**dict(step.env), **chosen}.items())) if isinstance(step, Commands) else step
            for step in job.steps
        )
        return replace(job, cases=(), steps=tuple(steps))

    def raw_for(self, target: str) -> TreeMapping | None:
        """Return its keys for *target* only, None if it has none."""
        return dict(self.raw).get(target) if self.raw else None

    @property
    def groovy_condition(self) -> PluginCall | None:
        """The first block around its script that is a condition in Groovy, which only Jenkins evaluates."""
        around = self.plugin_steps.around if self.plugin_steps is not None and (self.steps or self.after) else ()
        return next((call for call in around if _CONDITION.match(call.text)), None)

    @property
    def is_final(self) -> bool:
        """Whether it is a finally stage, which runs once after all others."""
        return self.frame is None

    def follows(self, status: str) -> bool:
        """Return whether it runs at the end of a pipeline with *status*."""
        return self.on_status in ("", status)

    @property
    def title(self) -> str:
        """The stage as the user names it; for a combination, the matrix stage."""
        return self.combination.stage if self.combination is not None else self.stage
