"""Texts as Groovy expressions, for use without a shell: in mails and in parameters of other jobs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.bindings.expression import Bare, Defaulted, Items, Loop, Part, Reference, Scope, Text
from pipegen.plan.model import EngineText, Export, Job, Plan, TriggerJob, Workspace
from pipegen.shell.values.absence import may_be_absent
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.stages.scripts.inputs import checked_input, input_value
from pipegen.targets.jenkins.stages.scripts.setup import LABELS, Source, setup_value
from pipegen.targets.jenkins.stages.scripts.statuses import variable

_LINE_BREAK = r"\r\n|\n|\r"
# Steps that take no agent.
_WITHOUT_AGENT = frozenset((EngineText, Export, TriggerJob))
# The names of each enclosing loop, the outermost first.
_LoopNames = tuple[tuple[str, ...], ...]


class GroovyTexts(Struct):
    """Expressions for the texts of one job.

    *jobs* are those of its pipeline, by stage; *output* is the function that reads an output of an earlier stage;
    with *checks_inputs*, a value that an input does not accept fails the stage; with *reads_environment*, `${NAME}` is
    a variable of the environment.
    """

    plan: Plan
    job: Job
    jobs: Mapping[str, Job]
    output: str
    checks_inputs: bool = False
    reads_environment: bool = False

    def name(self, text: Text) -> model.Value:
        """Return the expression of *text*, a name that is used before a script could check inputs."""
        return replace(self, checks_inputs=True).value(text)

    def value(self, text: Text, loops: _LoopNames = (), splits: tuple[bool, ...] = ()) -> model.Value:
        """Return the expression of *text*."""
        constant = text.constant
        has_variables = self.reads_environment and any(isinstance(part, Bare) for part in text.parts)
        if constant is not None and not has_variables:
            return constant
        parts = tuple(self._part(part, loops, splits) for part in text.parts)
        return parts[0] if len(parts) == 1 else model.Joined(parts)

    def one_line(self, text: Text) -> model.Value:
        """Return the expression of *text* with line breaks replaced by spaces."""
        constant = text.constant
        if constant is not None:
            return re.sub(_LINE_BREAK, " ", constant)
        value = self.value(text)
        return model.OneLine(value) if any(map(_is_free_text, text.references())) else value

    def items(self, items: Items[Text]) -> tuple[model.Value | model.SplitLoop, ...]:
        """Return the expressions of *items*."""
        return tuple(self._item(item, (), ()) for item in items)

    def trigger_parameter(self, number: int, *, is_kept: bool) -> model.Value:
        """Return the value that the script has written for a parameter of the job to start.

        With *is_kept*, the value was read before the agent with its file was released.
        """
        path = f"trigger/{self.job.slug}/{number}"
        if is_kept:
            return model.NoteText(path)
        return self._file(path)

    def _file(self, path: str) -> model.FileText:
        """Return the text of a file that the script has left at *path*."""
        is_shared = self.plan.workspace is Workspace.SHARED
        return model.FileText(f"/pipegen/{path}" if is_shared else f".pipegen/{path}", is_shared)

    def _item(
        self, item: Text | Loop[Text], loops: _LoopNames, splits: tuple[bool, ...]
    ) -> model.Value | model.SplitLoop:
        if isinstance(item, Text):
            return self.value(item, loops, splits)
        return model.SplitLoop(
            level=len(loops) + 1,
            source=self.value(item.source, loops, splits),
            delimiters=item.delimiters,
            words=len(item.names) if item.split else 0,
            body=self._item(item.body, (*loops, item.names), (*splits, item.split)),
        )

    def _part(self, part: Part, loops: _LoopNames, splits: tuple[bool, ...]) -> model.Value:
        match part:
            case str():
                return part
            case Bare():
                if not self.reads_environment:
                    return part.source
                return model.OrElse(model.GroovyCode(f"env.{part.name}", may_be_secret=True), "")
            case Defaulted():
                return model.OrElse(self.value(part.text, loops, splits), part.default)
            case Reference():
                value = self._reference(part, loops, splits)
                return value if part.default is None else model.OrElse(_bare(value), part.default)

    def _reference(self, reference: Reference, loops: _LoopNames, splits: tuple[bool, ...]) -> model.Value:
        match reference.scope:
            case Scope.LOOP:
                level = max(level for level, names in enumerate(loops) if reference.name in names)
                return model.Item(level + 1, loops[level].index(reference.name) if splits[level] else None)
            case Scope.SETUP:
                return self._setup(reference)
            case Scope.INPUT:
                input_ = next(input_ for input_ in self.plan.inputs if input_.name == reference.name)
                is_optional = reference.default is not None
                return checked_input(input_, may_be_empty=is_optional) if self.checks_inputs else input_value(input_)
            case Scope.STATUS:
                producer = self.jobs.get(reference.namespace or "")
                return model.GroovyCode(f"env.{variable(producer.slug if producer is not None else '')}")
            case Scope.OWN:
                return self._file(f"outputs/{self.job.slug}/{reference.name}")
            case Scope.STAGE:
                producer = self.jobs[reference.namespace or ""]
                function = f"{self.output}IfThere" if may_be_absent(producer, self.job) else self.output
                return model.FunctionCall(function, (producer.slug, reference.name))
            case _:
                raise ValueError(f"{reference} has no value outside the script of its stage")

    def _setup(self, reference: Reference) -> model.Value:
        if reference.name == "pipeline":
            return self.plan.name
        if reference.name == "imageLabels":
            return self._labels()
        value = setup_value(reference.name)
        if value is None:
            return ""
        if value.suffix:
            return model.GroovyCode(f"(env.{value.variable} ? env.{value.variable} + '{value.suffix}' : '')")
        code = model.GroovyCode(f"env.{value.variable}")
        return model.OrElse(code, "") if value.may_be_empty else code

    def _labels(self) -> model.Value:
        parts: list[model.Value] = []
        for label, source in LABELS:
            parts += [f"{label}=", model.GroovyCode(f"env.{source.removeprefix('$')}"), ","]
        return model.Joined((*parts, f"ci.pipeline={self.plan.name}"))


def is_known(text: Text, job: Job, plan: Plan, jobs: Mapping[str, Job]) -> bool:
    """Return whether Jenkins has the value of *text* of *job* without an agent, and no script must check an input.

    *jobs* are those of *plan* by stage.
    """
    return all(_is_known(reference, job, plan, jobs) for reference in text.references())


def _is_known(reference: Reference, job: Job, plan: Plan, jobs: Mapping[str, Job]) -> bool:
    if reference.scope is Scope.INPUT:
        declared = plan.input(reference.name)
        # Jenkins answers "Illegal choice for parameter" to any other value.
        is_given = declared.default is not None or reference.default is not None
        return is_given and (bool(declared.words) or declared.accepted is None)
    value = setup_value(reference.name) if reference.scope is Scope.SETUP else None
    if value is None or value.source is not Source.CHECKOUT:
        return value is not None and value.is_of_build
    return any(_has_checkout(jobs[need]) for need in job.needs)


def _has_checkout(job: Job) -> bool:
    """Return whether stages after *job* can rely on its checkout."""
    approval = job.deployment.approval
    always_runs = job.condition is None and (approval is None or not approval.is_optional)
    has_script = not _WITHOUT_AGENT.issuperset(map(type, job.steps))
    is_fetched = job.fetch is None or not job.fetch.is_skipped
    return always_runs and has_script and is_fetched and job.limits.allow_failure is None


def _is_free_text(reference: Reference) -> bool:
    """Return whether the value of *reference* may contain line breaks."""
    value = setup_value(reference.name) if reference.scope is Scope.SETUP else None
    return value is None or value.is_free_text


def _bare(value: model.Value) -> model.Value:
    """Return *value* without an empty default."""
    return value.value if isinstance(value, model.OrElse) and value.default == "" else value
