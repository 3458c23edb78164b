"""Compares expectations with the stages that a config runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.expectations.model import Expectation, Names
from pipegen.plan.events import EventAnswer, absence, answers
from pipegen.plan.known_values import UNKNOWN, ValuesBeforeRun
from pipegen.plan.model import Job, Plan
from pipegen.plan.model.facts import RepositoryFiles, RunFacts, StartEvent
from pipegen.source.text import Located, Span
from pipegen.structs import Struct

_NONE: Mapping[str, str] = {}
_UNKNOWN_VALUE = 'remove it: a test knows only values under "exports", except those of outputs and of the run itself'


class ConfigUnderTest(Struct, kw_only=True):
    """The config of the tests: its *plans*, the default values of inputs, and the files of its repository."""

    plans: Sequence[Plan]
    inputs: Mapping[str, str]
    repository: RepositoryFiles

    def facts(
        self, event: StartEvent, inputs: Mapping[str, str] = _NONE, variables: Mapping[str, str] = _NONE
    ) -> RunFacts:
        """Return the facts of a run for *event*, where *inputs* have other values."""
        values = {**self.inputs, **inputs}
        return RunFacts(event=event, inputs=values, variables=variables, repository=self.repository)


def check(expectation: Expectation, config: ConfigUnderTest, report: Report) -> None:
    """Report each difference between *expectation* and what *config* runs."""
    plan = _plan(expectation, config.plans, report)
    if plan is None or not _are_known(expectation, plan, report):
        return
    inputs = {name.value: value for name, value in expectation.inputs}
    facts = config.facts(expectation.event, inputs, expectation.variables)
    (answer,) = answers((plan,), facts)
    _check_stages(expectation, answer, report)
    _check_approvals(expectation, answer, report)
    _check_results(expectation, answer, report)
    _check_order(expectation, plan, report)
    _check_values(expectation, answer, report)


def _plan(expectation: Expectation, plans: Sequence[Plan], report: Report) -> Plan | None:
    """Return the plan that *expectation* is about; None if it is reported that there is none."""
    names = [plan.name for plan in plans]
    if expectation.pipeline is None:
        if len(plans) == 1:
            return plans[0]
        report.add(
            codes.UNKNOWN_TEST_NAME,
            f'the config has {len(plans)} pipelines: test "{expectation.name}" names none',
            at=expectation.span,
            hint=f"add pipeline: {names[0]}" if names else "add a pipeline to the config",
        )
        return None
    _check_name(expectation.pipeline, names, "pipeline", report)
    return next((plan for plan in plans if plan.name == expectation.pipeline.value), None)


def _are_known(expectation: Expectation, plan: Plan, report: Report) -> bool:
    """Return whether the plan has all stages, outputs and inputs that *expectation* names; report the others."""
    names = list(dict.fromkeys(name for job in plan.jobs for name in (job.stage, job.title)))
    exact = (expectation.only, expectation.approvals, expectation.failed, expectation.success)
    named = (*expectation.runs, *expectation.never, *(name for stages in exact for name in stages or ()))
    chained = (name for chain in expectation.order for name in chain)
    outputs = [f"{job.stage}.{name}" for job in plan.jobs for name in job.binds]
    are_known = [_check_name(name, names, "stage", report) for name in (*named, *chained)]
    are_known += [_check_name(name, outputs, "output", report) for name, _ in expectation.values]
    are_known += [_check_input(name, value, plan, report) for name, value in expectation.inputs]
    return all(are_known)


def _check_input(name: Located[str], value: str, plan: Plan, report: Report) -> bool:
    inputs = {input_.name: input_ for input_ in plan.inputs}
    if not _check_name(name, list(inputs), "input", report):
        return False
    choices = inputs[name.value].words
    if not choices or value in choices:
        return True
    message = f'"{value}" is not a value of input "{name.value}"'
    report.add(codes.UNKNOWN_TEST_NAME, message, at=name.span, hint=f"its values are {listed(choices)}")
    return False


def _check_name(name: Located[str], known: Sequence[str], noun: str, report: Report) -> bool:
    if name.value in known:
        return True
    similar = suggestion(name.value, known)
    report.add(
        codes.UNKNOWN_TEST_NAME,
        f'the config has no {noun} "{name.value}"',
        at=name.span,
        hint=f'write "{similar}"'
        if similar
        else f"the {noun}s are {listed(known)}"
        if known
        else f"remove it: the config has no {noun}s",
    )
    return False


def _check_stages(expectation: Expectation, answer: EventAnswer, report: Report) -> None:
    reasons = {stage_answer.job.stage: stage_answer.reason for stage_answer in answer.stages}
    jobs = {stage_answer.job.stage: stage_answer.job for stage_answer in answer.stages}
    for name in (*expectation.runs, *(expectation.only or ())):
        for stage in _stages(name.value, jobs.values()):
            if reasons[stage]:
                _fail(expectation, f'stage "{stage}" {absence(reasons[stage])}', name.span, jobs[stage].span, report)
    for name in expectation.never:
        for stage in _stages(name.value, jobs.values()):
            if not reasons[stage]:
                _fail(expectation, f'stage "{stage}" runs', name.span, jobs[stage].span, report)
    if expectation.only is not None:
        expected = _all_stages(expectation.only, jobs.values())
        for stage, reason in reasons.items():
            if not reason and stage not in expected:
                _fail(expectation, f'stage "{stage}" runs too', _first(expectation.only, expectation), None, report)


def _check_approvals(expectation: Expectation, answer: EventAnswer, report: Report) -> None:
    waiting = {stage_answer.job.stage for stage_answer in answer.stages if stage_answer.waits_for_approval}
    words = "waits for an approval too", "waits for no approval"
    _check_exact(expectation, expectation.approvals, answer, waiting, words, report)


def _check_results(expectation: Expectation, answer: EventAnswer, report: Report) -> None:
    for status, names, result in (
        ("failed", expectation.failed, "failed"),
        ("success", expectation.success, "succeeded"),
    ):
        of_status = {
            stage_answer.job.stage
            for stage_answer in answer.stages
            if stage_answer.runs and stage_answer.job.on_status == status
        }
        after = f"only if the pipeline has {result}"
        words = f"runs {after}", f"does not run {after}"
        _check_exact(expectation, names, answer, of_status, words, report)


def _check_exact(
    expectation: Expectation,
    names: Names | None,
    answer: EventAnswer,
    actual: Collection[str],
    words: tuple[str, str],
    report: Report,
) -> None:
    """Report stages that are in *actual* or in *names* only, with *words* for the two cases."""
    if names is None:
        return
    at = _first(names, expectation)
    expected = _all_stages(names, [stage_answer.job for stage_answer in answer.stages])
    for stage_answer in answer.stages:
        stage = stage_answer.job.stage
        if (stage in actual) != (stage in expected):
            what = words[0] if stage in actual else words[1]
            _fail(expectation, f'stage "{stage}" {what}', at, stage_answer.job.span, report)


def _check_order(expectation: Expectation, plan: Plan, report: Report) -> None:
    finals = {job.stage for job in plan.jobs if job.is_final}
    for chain in expectation.order:
        for first, second in pairwise(chain):
            for earlier in _stages(first.value, plan.jobs):
                for later in _stages(second.value, plan.jobs):
                    is_ordered = earlier not in finals and (later in finals or earlier in plan.graph.ancestors(later))
                    if not is_ordered:
                        _fail(expectation, f'stage "{later}" does not wait for "{earlier}"', second.span, None, report)


def _check_values(expectation: Expectation, answer: EventAnswer, report: Report) -> None:
    known = ValuesBeforeRun(answer.plan, answer.facts)
    answers_by_stage = {stage_answer.job.stage: stage_answer for stage_answer in answer.stages}
    for output, expected in expectation.values:
        stage, _, name = output.value.rpartition(".")
        value = known.known_parts(stage, name)
        if not (stage_answer := answers_by_stage[stage]).runs:
            message = f'{output.value} has no value: stage "{stage}" {absence(stage_answer.reason)}'
            _fail(expectation, message, output.span, stage_answer.job.span, report)
        elif set(value) == {UNKNOWN}:
            message = f"the value of {output.value} is not known before the run"
            _fail(expectation, message, output.span, None, report, hint=_UNKNOWN_VALUE)
        elif not _matches(expected, value):
            shown = value.replace(UNKNOWN, "*")
            _fail(expectation, f'{output.value} is "{shown}", not "{expected}"', output.span, None, report)


def _matches(glob: str, text: str) -> bool:
    """Return whether *glob*, in which `*` stands for any characters, matches the whole of *text*."""
    first, *parts = glob.split("*")
    if not parts:
        return glob == text
    *parts, last = parts
    at = len(first)
    if not text.startswith(first):
        return False
    for part in parts:
        at = text.find(part, at) + len(part)
        if at < len(part):
            return False
    return text.endswith(last) and at <= len(text) - len(last)


def _all_stages(names: Names, jobs: Iterable[Job]) -> set[str]:
    known = tuple(jobs)
    return {stage for name in names for stage in _stages(name.value, known)}


def _stages(name: str, jobs: Iterable[Job]) -> list[str]:
    """Return the stage *name*, or all combinations of the matrix stage *name*."""
    return [job.stage for job in jobs if name in (job.stage, job.title)]


def _first(names: Names, expectation: Expectation) -> Span:
    return names[0].span if names else expectation.span


def _fail(
    expectation: Expectation,
    message: str,
    at: Span,
    stage: Span | None,
    report: Report,
    hint: str = "correct the config; or the test, if this is intended",
) -> None:
    report.add(
        codes.FAILED_TEST,
        f'test "{expectation.name}": {message}',
        at=at,
        related=[Label(stage, "the stage")] if stage is not None else [],
        hint=hint,
    )
