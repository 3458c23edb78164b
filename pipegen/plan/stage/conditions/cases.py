"""Variables of a script by condition: `cases`."""

from __future__ import annotations

from pipegen.config.model import StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.plan.model import NEVER, Case, Commands, Condition, Exists, Export, FilesChanged, Leave, Step
from pipegen.plan.model.logic import atoms
from pipegen.plan.stage.commands import variables_in
from pipegen.plan.stage.conditions.condition import condition
from pipegen.plan.values import StageValues
from pipegen.source.tree import Entry, Mapping, entries_of, items_of
from pipegen.structs import replace

# Steps that no variable of the script affects.
_OF_SCRIPT = (Commands, Export, Leave)


def cases(stage: StageConfig, steps: tuple[Step, ...], values: StageValues) -> tuple[Case, ...]:
    """Return the cases of *stage*, which has *steps*, up to the first that always applies."""
    if stage.cases is None:
        return ()
    _check_steps(stage, stage.cases, steps, values)
    cases_: list[Case] = []
    for item in items_of(stage.cases.node):
        case = _case(item, values) if isinstance(item, Mapping) else None
        if case is not None and case.condition != NEVER and all(earlier.condition is not None for earlier in cases_):
            cases_.append(case)
    return tuple(cases_)


def _case(body: Mapping, values: StageValues) -> Case | None:
    when, env = body.entry("when"), body.entry("env")
    if when is None or env is None:
        return None
    tested = condition_without_files(when, values, "no run gets these variables", "cases")
    # Diagnostics about a variable of cases are about its name.
    names = {entry.key.text: entry.key.span for entry in entries_of(env.value)}
    variables = variables_in(env.value, env.key.span, values)
    return Case(
        condition=tested,
        variables=tuple((name, replace(text, span=names.get(name, text.span))) for name, text in variables),
        span=when.key.span,
    )


def run_condition(when: Entry, values: StageValues, effect: str) -> Condition | None:
    """Return the condition of *when*; one that never holds has this *effect*."""
    return condition(
        StepValue(when.value, when.key.span),
        values.known.parameters,
        values.reader.namespaces.homes,
        values.report,
        effect=effect,
    )


def condition_without_files(when: Entry, values: StageValues, effect: str, key: str) -> Condition | None:
    """Return the condition of *when* in *key*, which cannot test files; one that never holds has this *effect*."""
    tested = run_condition(when, values, effect)
    for atom in atoms(tested):
        if isinstance(atom, FilesChanged | Exists):
            values.report.add(
                codes.INVALID_CASE,
                f'"{key}" cannot depend on files',
                at=atom.span,
                hint='test files in the script, or write two stages with "when"',
            )
    return tested


def _check_steps(stage: StageConfig, value: StepValue, steps: tuple[Step, ...], values: StageValues) -> None:
    """Report cases without a script, and next to steps that the variables would affect."""
    if stage.script is None:
        values.report.add(
            codes.MISSING_KEY,
            f'stage "{stage.display_name}" has "cases" but no script',
            at=value.span,
            hint='add "script"',
        )
    elif not all(isinstance(step, _OF_SCRIPT) for step in steps):
        values.report.add(
            codes.INVALID_CASE,
            "the variables of cases would also affect the other steps of the stage",
            at=value.span,
            hint='move the script and "cases" to their own stage',
        )
