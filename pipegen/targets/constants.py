"""Constants of `env` as variables that the engine sets, in place of exports in a script.

On GitLab, a variable of the project or of a run wins over one of the file. So the names of inputs and secrets stay
exports, and so do names that the engine itself reads. GitLab expands a `$`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from pipegen.bindings.expression import Bare, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Case, Commands, Condition, EngineText, Export, Job, Leave, Plan
from pipegen.plan.model.logic import atoms, facts_of
from pipegen.shell.values.credentials import sources
from pipegen.structs import Struct, replace

# Steps that no constant of `env` affects.
_PLAIN_STEPS = (Commands, EngineText, Export, Leave)
# Names, as a pattern, with a meaning for a shell or for programs that fetch files.
READ_BY_SHELLS = (
    r"(?:.*_proxy|.*_PROXY|CDPATH|ENV|HOME|IFS|LANG|OLDPWD|PATH|POSIXLY_CORRECT|PS[0-4]|PWD|SHELL(?:OPTS)?|TERM|USER"
    r"|TMPDIR)"
)
# The directive `environment` of Jenkins fails with many variables.
_MOST = 50


def no_text(_: Text, _known: Collection[str]) -> None:
    """Return None: the engine expands nothing."""


class Constants(Struct):
    """The names and values of a job's *variables*, and the *job* without these in the `env` of its script."""

    variables: tuple[tuple[str, str], ...]
    job: Job

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, and of those that the engine sets in cases."""
        names = tuple([name for name, _ in self.variables])
        return names + Case.names(self.job.engine_cases) if self.job.cases else names


def constants(
    job: Job,
    plan: Plan,
    is_free_name: Callable[[str], bool],
    *,
    removes_empty: bool = False,
    read_by_rules: Collection[str] | None = None,
    values: Mapping[str, str] | None = None,
    expandable: Callable[[Text, Collection[str]], str | None] = no_text,
) -> Constants:
    """Return the constants in the `env` of *job* that may be variables; *is_free_name* says which names may be.

    Other values may be variables if *expandable* returns a text that the engine expands to them; it gets the names of
    the variables before.

    Those that cases replace always are: an export in the script would win over the case.
    If the engine *removes_empty* variables, the script exports the empty ones, and again those that can be empty.
    If the user writes the engine's rules of the job, which replace its conditions, these rules read its variables:
    those *read_by_rules* always are variables.
    If another script than that of the stage reads the variables, *values* are those that the engine can set, however
    many.
    """
    scripts = [step for step in job.steps if isinstance(step, Commands)]
    if len(scripts) != 1 or not scripts[0].env or not all(isinstance(step, _PLAIN_STEPS) for step in job.steps):
        return Constants((), job)
    (script,) = scripts
    reserved = _reserved_names(job, plan, job.conditions if read_by_rules is None else ())
    of_cases = Case.names(job.engine_cases)
    reserved |= set(job.computed_names)
    names = [name for name, _ in script.env]
    allowed = {name for name in names if names.count(name) == 1 and is_free_name(name) and name not in reserved}
    variables = (
        _settable(script.env, allowed, of_cases, expandable)
        if values is None
        else {name: values[name] for name in names if name in values and name in allowed}
    )
    exported: tuple[tuple[str, Text], ...] = ()
    if removes_empty:
        variables = {name: value for name, value in variables.items() if value or name in of_cases}
        exported = _possibly_empty(job, variables)
    if len(variables) > _MOST and values is None:
        allowed &= {*of_cases, *(read_by_rules or ())}
        variables = _settable(script.env, allowed, of_cases, expandable)
    if not variables:
        return Constants((), job)
    rest = replace(script, env=tuple((name, value) for name, value in script.env if name not in variables) + exported)
    return Constants(
        tuple(variables.items()),
        replace(job, steps=tuple(rest if step is script else step for step in job.steps)),
    )


def _settable(
    env: Iterable[tuple[str, Text]],
    allowed: Collection[str],
    of_cases: Collection[str],
    expandable: Callable[[Text, Collection[str]], str | None],
) -> dict[str, str]:
    """Return the texts to which an engine can set the *allowed* variables of *env*: constants and *expandable* ones.

    A variable that an earlier value reads is none of them, except *of_cases*: that value gets an outer variable.
    A value that reads a variable which only the script sets is none either: the engine would expand an outer one.
    """
    read: set[str] = set()
    set_by_script: set[str] = set()
    texts: dict[str, str] = {}
    for name, value in env:
        names = {part.name for part in value.parts if isinstance(part, Bare)}
        read |= names
        text = value.constant
        if not Case.can_set(text):
            text = None if names & set_by_script else expandable(value, texts)
        if text is not None and name in allowed and (name not in read or name in of_cases):
            texts[name] = text
        else:
            set_by_script.add(name)
    return texts


def check_cases(plan: Plan, is_free_name: Callable[[str], bool], engine: str, report: Report) -> None:
    """Report variables that cases of *plan* set, and that *engine*, a condition or an input reads or sets itself."""
    for job in plan.jobs:
        if not job.cases:
            continue
        reserved = _reserved_names(job, plan, job.conditions)
        if job.computed_names:
            _check_number(job, reserved, report)
        for name, text in [variable for case in job.engine_cases for variable in case.variables]:
            if name != Case.NUMBER and (name in reserved or not is_free_name(name)):
                report.add(
                    codes.CASE_VARIABLE,
                    f'cases cannot set "{name}": an input, a condition or a secret has this name'
                    if name in reserved
                    else f'cases cannot set "{name}" on {engine}, which may read or set it itself',
                    at=text.span,
                    hint="use another name, and export this one in the script",
                )


def _check_number(job: Job, reserved: Collection[str], report: Report) -> None:
    """Report another use of the variable by which the script of *job* chooses its case."""
    env = (name for step in job.steps if isinstance(step, Commands) for name, _ in step.env)
    if Case.NUMBER in {*reserved, *job.case_names, *env}:
        report.add(
            codes.CASE_VARIABLE,
            f'stage "{job.title}" uses "{Case.NUMBER}", by which its script chooses the case',
            at=job.cases[0].span,
            hint="use another name",
        )


def params_of(setup: Iterable[str]) -> frozenset[str]:
    """Return the names of variables of a run among the *setup* values that a script uses."""
    return frozenset(name.removeprefix("params.") for name in setup if name.startswith("params."))


def _reserved_names(job: Job, plan: Plan, conditions: Iterable[Condition | None]) -> set[str]:
    """Return the names of variables that *job* or its *conditions* read with another meaning."""
    names = {each.name for each in plan.inputs} | {token.variable for token in job.id_tokens}
    names |= {fact.name for atom in atoms(plan.condition, *conditions) for fact in facts_of(atom)}
    for secret in job.secrets:
        names |= {*secret.variables, *sources(secret)}
    return names


def _possibly_empty(job: Job, variables: Mapping[str, str]) -> tuple[tuple[str, Text], ...]:
    """Return exports of the variables that are empty in `env` or in a case of *job*, each with its own value."""
    texts = {name: text for case in job.engine_cases for name, text in case.variables}
    empty = {name for case in job.engine_cases for name, text in case.variables if not text.constant}
    empty |= {name for name, value in variables.items() if not value}
    return tuple(
        (name, Text(parts=(Bare(name=name, source=f"${{{name}}}"),), span=text.span))
        for name, text in texts.items()
        if name in empty
    )
