"""Values of outputs that are known before a run starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.bindings.expression import Reference, Scope, Text, evaluate
from pipegen.plan.model import Export, Job, Plan
from pipegen.plan.model.facts import RunFacts

# In place of parts that only the run knows; no config contains this character.
UNKNOWN = "\0"

_BRANCH_NAMES = frozenset(("branch", "GIT_BRANCH", "GIT_LOCAL_BRANCH"))


def exports(job: Job) -> Iterator[tuple[str, Text]]:
    """Yield the names and values of the exports of *job*."""
    yield from job.forwarded
    for step in job.steps:
        if isinstance(step, Export):
            yield step.name, step.value


class ValuesBeforeRun:
    """The values of the exports of *plan* in a run with *facts*, as far as they are known before it starts."""

    def __init__(self, plan: Plan, facts: RunFacts) -> None:
        self._plan = plan
        self._facts = facts
        self._exports: Mapping[tuple[str, str], Text] = {
            (job.stage, name): value for job in plan.jobs for name, value in exports(job)
        }

    def of(self, job: Job) -> Iterator[tuple[str, str]]:
        """Yield the known exports of *job* by name."""
        for name, _ in exports(job):
            if (value := self.value(job.stage, name)) is not None:
                yield name, value

    def value(self, stage: str, name: str) -> str | None:
        """Return the value of the output *name* of *stage*; None if only the run knows it."""
        text = self._exports.get((stage, name))
        return evaluate(text, self._reference) if text is not None else None

    def known_parts(self, stage: str, name: str) -> str:
        """Return the value of the output *name* of *stage*, with `UNKNOWN` for each part that only the run knows."""
        text = self._exports.get((stage, name))
        return UNKNOWN if text is None else evaluate(text, self._known_part) or ""

    def _known_part(self, reference: Reference) -> str:
        if reference.scope in (Scope.STAGE, Scope.OWN):
            return self.known_parts(reference.namespace or "", reference.name)
        value = self._reference(reference)
        return UNKNOWN if value is None else value

    def _reference(self, reference: Reference) -> str | None:
        match reference.scope:
            case Scope.INPUT:
                return self._facts.inputs.get(reference.name)
            case Scope.SETUP:
                return self._setup(reference.name)
            case Scope.STAGE | Scope.OWN:
                return self.value(reference.namespace or "", reference.name)
        return None

    def _setup(self, name: str) -> str | None:
        if name in _BRANCH_NAMES:
            return self._facts.event.branch
        return {"tag": self._facts.event.tag, "pipeline": self._plan.name}.get(name)
