"""Which stages run for an event, and why the others do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipegen.plan.changes.choice import AffectedStages
from pipegen.plan.changes.stages import with_stages
from pipegen.plan.known_values import ValuesBeforeRun
from pipegen.plan.model import NEVER, AreEqual, Atom, Condition, Event, Fact, Job, Matches, Plan, Selection, Subject
from pipegen.plan.model.facts import DEFAULT_BRANCH, RunFacts, StartEvent
from pipegen.plan.model.logic import atoms
from pipegen.plan.model.patterns import Pattern
from pipegen.plan.stage.words import words
from pipegen.structs import Struct, replace

_WILDCARD = re.compile(r"\*\*/|\*\*|\*|\?")
# A name that patterns of real configs do not match.
_OTHER = "other"
_IF_STOPPED = "only when its environment is stopped"


class StageStart(Struct, kw_only=True):
    """Whether *stage* runs for an event, in words; *runs* is None if only the engine can tell.

    *reason* says why it does not run, *condition* when it does; both are "" without one.
    """

    stage: str
    runs: bool | None
    waits_for_approval: bool
    on_status: str = ""
    is_final: bool = False
    reason: str
    condition: str


class PipelineStart(Struct, kw_only=True):
    """The stages of the pipeline *name* that an event starts; *reason* says why it does not run, "" if it does.

    With *is_refused*, the engine reports an error for this event. *values* are outputs of the stages that run, as far
    as they are known before.
    """

    name: str
    reason: str
    is_refused: bool = False
    stages: tuple[StageStart, ...]
    condition: str = ""
    values: tuple[tuple[str, str], ...] = ()


class StageAnswer(Struct, kw_only=True):
    """Whether the stage of *job* runs in a run with *facts*.

    *obstacle* is a reason that does not depend on the condition of the stage, "" without one.
    """

    job: Job
    facts: RunFacts
    runs: bool
    obstacle: str

    @property
    def reason(self) -> str:
        """Why the stage does not run, "" if it does."""
        return "" if self.runs else self.obstacle or _reason(self.job.condition, self.facts)

    @property
    def waits_for_approval(self) -> bool:
        """Whether the stage runs, once it is approved."""
        return self.runs and self.job.deployment.approval is not None

    @property
    def start(self) -> StageStart:
        """Whether the stage runs, with its reason and its condition in words."""
        job = self.job
        return StageStart(
            stage=job.stage,
            runs=self.runs,
            waits_for_approval=self.waits_for_approval,
            on_status=job.on_status,
            is_final=job.is_final,
            reason=self.reason,
            condition=", ".join(
                filter(None, (_when(job.condition), _IF_STOPPED if job.deployment.stops_environment else ""))
            ),
        )


class EventAnswer(Struct, kw_only=True):
    """The stages of *plan* in a run with *facts*; *reason* says why the pipeline does not run, "" if it does."""

    plan: Plan
    facts: RunFacts
    reason: str
    stages: tuple[StageAnswer, ...]

    @property
    def start(self) -> PipelineStart:
        """The stages that the event starts, with reasons and conditions in words."""
        return PipelineStart(
            name=self.plan.name,
            reason=self.reason,
            stages=tuple(answer.start for answer in self.stages),
            condition=_when(self.plan.condition),
            values=tuple(self._values()),
        )

    def _values(self) -> Iterator[tuple[str, str]]:
        known = ValuesBeforeRun(self.plan, self.facts)
        for answer in self.stages:
            if answer.runs:
                yield from ((f"{answer.job.stage}.{name}", value) for name, value in known.of(answer.job))


def absence(reason: str) -> str:
    """Return that something does not run for *reason*, which may be a condition."""
    return f"runs only {reason}" if reason.startswith("when ") else f"does not run: {reason}"


def _when(condition: Condition | None) -> str:
    return "" if condition is None else f"when {words(condition)}"


def answers(plans: Sequence[Plan], facts: RunFacts, selected: Sequence[str] = ()) -> tuple[EventAnswer, ...]:
    """Return what each of *plans* runs in a run with *facts*; pipelines that are *selected* run in any case."""
    return tuple(_answer(plan, facts, is_selected=plan.name in selected) for plan in plans)


def _answer(plan: Plan, facts: RunFacts, *, is_selected: bool) -> EventAnswer:
    plan = replace(plan, jobs=tuple(job.in_case(facts.holds) for job in plan.jobs))
    reason = "" if is_selected else _pipeline_reason(plan, facts)
    obstacle = f"pipeline {plan.name} {absence(reason)}" if reason else ""
    stages = tuple(_stage_answer(job, facts, obstacle) for job in plan.jobs)
    return EventAnswer(plan=plan, facts=facts, reason=reason, stages=stages)


def _stage_answer(job: Job, facts: RunFacts, obstacle: str) -> StageAnswer:
    if not obstacle and job.deployment.stops_environment:
        obstacle = _IF_STOPPED
    return StageAnswer(job=job, facts=facts, runs=not obstacle and facts.holds(job.condition), obstacle=obstacle)


def _pipeline_reason(plan: Plan, facts: RunFacts) -> str:
    if plan.selection is Selection.ON_DEMAND:
        return "only on demand"
    return _reason(plan.condition, facts)


def _reason(condition: Condition | None, facts: RunFacts) -> str:
    if condition is None or facts.holds(condition):
        return ""
    return "never" if condition == NEVER else f"when {words(facts.unmet(condition))}"


def plans_that_run(answers_: Iterable[EventAnswer]) -> tuple[Plan, ...]:
    """Return the plans that run, each with only the stages that run, and without references to the others."""
    return tuple(
        _with_running_stages(answer) for answer in answers_ if any(stage_answer.runs for stage_answer in answer.stages)
    )


def _with_running_stages(answer: EventAnswer) -> Plan:
    conditions: dict[str, Condition | None] = {
        stage_answer.job.stage: None for stage_answer in answer.stages if stage_answer.runs
    }
    left_out = tuple(stage_answer.job for stage_answer in answer.stages if not stage_answer.runs)
    return with_stages(answer.plan, AffectedStages(conditions, left_out))


def conditions_of(plans: Sequence[Plan]) -> list[Condition | None]:
    """Return the conditions of *plans* and their stages."""
    conditions = [plan.condition for plan in plans]
    return conditions + [condition for plan in plans for job in plan.jobs for condition in job.conditions]


def usual_events(plans: Sequence[Plan]) -> Iterator[StartEvent]:
    """Yield the events that the conditions of *plans* distinguish.

    These are a push to each branch that a condition names and to another one, a merge request, each tag and another
    one, a schedule, and a start by a person and by a program.
    """
    known = atoms(*conditions_of(plans))
    branches = _examples(known, Subject.BRANCH, plans)
    main = branches[0] if branches else DEFAULT_BRANCH
    for branch in (*(branches or [main]), *([_other(known, Subject.BRANCH)] if branches else [])):
        yield StartEvent(kind=Event.PUSH, branch=branch)
    yield StartEvent(kind=Event.MERGE_REQUEST)
    tags = _examples(known, Subject.TAG, plans)
    for tag in (*tags, _other(known, Subject.TAG)):
        yield StartEvent(kind=Event.TAG, tag=tag)
    for kind in (Event.SCHEDULE, Event.MANUAL, Event.API):
        yield StartEvent(kind=kind, branch=main)


def _examples(known: Iterable[Atom], subject: Subject, plans: Sequence[Plan]) -> list[str]:
    """Return a text for each glob that the conditions match *subject* with, in their order.

    The defaults of inputs that are compared with it follow.
    """
    defaults = {Fact(Subject.INPUT, input_.name): input_.default or "" for plan in plans for input_ in plan.inputs}
    texts = [_example(pattern) for pattern in patterns(known, subject) if not pattern.is_regex]
    texts += [
        defaults.get(atom.facts[1], "")
        for atom in known
        if isinstance(atom, AreEqual) and atom.facts[0].subject is subject
    ]
    return list(dict.fromkeys(text for text in texts if text))


def _example(pattern: Pattern) -> str:
    """Return a text that the glob *pattern* matches; "" if none is found."""
    text = _WILDCARD.sub(lambda wildcard: "" if wildcard[0] == "**/" else "1", pattern.text)
    return text if pattern.matches(text) else ""


def _other(known: Sequence[Atom], subject: Subject) -> str:
    """Return a name that no pattern for *subject* matches, if there is a simple one."""
    excluded = tuple(patterns(known, subject))
    names = (_OTHER, f"{_OTHER}/1", f"{_OTHER}-1", "x")
    return next((name for name in names if not any(pattern.matches(name) for pattern in excluded)), _OTHER)


def patterns(known: Iterable[Atom], subject: Subject) -> Iterator[Pattern]:
    """Yield the patterns for *subject* in *known*."""
    for atom in known:
        if isinstance(atom, Matches) and atom.subject is subject:
            yield from atom.patterns
