"""The canonical form of a stage: without names of stages and pipelines.

Stages that do the same with the same values have the same canonical form, whatever their names and the origin of the
values. (BuildKit identifies an input by its index alone: solver/types.go, `CacheMap`.)
"""

from __future__ import annotations

from pipegen.bindings.expression import Reference, Scope
from pipegen.bindings.script.model import PlacedReference
from pipegen.plan.model import Job, Limits, Line, Machine, Output, Plan, SharedResources
from pipegen.plan.rewriting import rewritten
from pipegen.run.local.scripts import StageScript, stage_script
from pipegen.shell.host import ShellEnvironment
from pipegen.structs import Struct, replace

# The names in canonical forms: of the stage itself, of its inputs, and of references in scripts.
_OWN, _INPUT, _WRITTEN = "stage", "input", "value"


class Canonical(Struct):
    """The canonical form of a stage: its *job*, and its *inputs* in the order of first use."""

    job: Job
    inputs: tuple[Output, ...]

    def script(self, plan: Plan, host: ShellEnvironment) -> StageScript:
        """Return the script of the stage for *host*, in which values are named by the indexes of their inputs."""
        return stage_script(self.job, plan, {_INPUT: self._producer} if self.inputs else {}, host)

    @property
    def _producer(self) -> Job:
        """A stage that binds all inputs and always runs; reading a value depends on nothing else."""
        return replace(
            self.job,
            stage=_INPUT,
            slug=_INPUT,
            steps=(),
            after=(),
            artifacts=(),
            outputs=tuple(str(number) for number in range(len(self.inputs))),
            condition=None,
            limits=Limits(),
            machine=Machine(),
        )


def canonical(job: Job) -> Canonical:
    """Return the canonical form of *job*."""
    names = _Names()
    steps, after, machine = rewritten((job.steps, job.after, job.machine), names.change)
    inputs = tuple(names.inputs)
    nameless = replace(
        job,
        stage=_OWN,
        pipeline=_OWN,
        slug=_OWN,
        combination=None,
        needs=(),
        reads=(),
        inputs=tuple(Output(_INPUT, str(number)) for number in range(len(inputs))),
        # Files of other stages are in the tree before the script starts.
        files=(),
        mail=None,
        condition=None,
        shared=SharedResources(),
        steps=steps,
        after=after,
        machine=machine,
    )
    return Canonical(nameless, inputs)


class _Names:
    """Numbers that replace names, in the order of first use."""

    def __init__(self) -> None:
        self.inputs: dict[Output, int] = {}
        self._written: dict[tuple[str | None, ...], int] = {}

    def change(self, part: object) -> object:
        match part:
            case Line(script=script, values=values):
                return Line(
                    rewritten(script, self._change_written),
                    tuple((self._named(reference), rewritten(text, self.change)) for reference, text in values),
                )
            case Reference(scope=Scope.STAGE, namespace=stage, name=name):
                number = self.inputs.setdefault(Output(stage or "", name), len(self.inputs))
                return replace(part, namespace=_INPUT, name=str(number))
            case Reference(scope=Scope.OWN):
                return replace(part, namespace=_OWN)
        return part

    def _change_written(self, part: object) -> object:
        return PlacedReference(self._named(part.reference), part.context) if isinstance(part, PlacedReference) else part

    def _named(self, reference: Reference) -> Reference:
        """Return a reference in a script with its name replaced by a number; its value is listed separately."""
        written = (reference.namespace, reference.combinations, reference.name, reference.default)
        number = self._written.setdefault(written, len(self._written))
        return replace(reference, namespace=_WRITTEN, name=str(number), combinations=None)
