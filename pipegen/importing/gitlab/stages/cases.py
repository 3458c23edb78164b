"""Variables that rules set, as `cases` and `env` of a stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.rules import NEVER as NEVER_STARTS
from pipegen.importing.gitlab.reading.rules import Rule
from pipegen.importing.gitlab.stages.conditions import Names, condition
from pipegen.importing.gitlab.stages.keys.machines import read_by_services
from pipegen.importing.gitlab.stages.keys.scripts import is_powershell
from pipegen.importing.gitlab.stages.keys.variables import is_expandable
from pipegen.importing.gitlab.stages.texts import names_in, names_in_values, rule_variables, with_variables
from pipegen.importing.logic import ALWAYS, NEVER, Condition, Conjunction, Opposite, in_pipelines, simplified, tests
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.importing.when import as_when
from pipegen.plan.model import Case
from pipegen.source.tree import scalars
from pipegen.structs import Struct, field, replace
from pipegen.targets.gitlab.runner_variables import is_for_runners

_Cases: TypeAlias = Sequence[tuple[Condition, Mapping[str, str]]]

# Variables with other values in a generated file.
_OF_FILE = frozenset({"CI_JOB_STAGE"})
_OF_PART = frozenset({"CI_JOB_NAME", "CI_JOB_NAME_SLUG"})
# The keys whose variables the shell expands, and those that this module reads.
_IN_SHELL = ("before_script", "script", "after_script", "variables", "rules")


class VariablesOfRules(Struct):
    """The variables that rules of a job set: *cases*, and those in *env*, which no rule replaces."""

    cases: tuple[dict[str, Data], ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def variables_of_rules(
    job: SourceJob, rules: Sequence[Rule], names: Names, known: Condition, *, has_script: bool
) -> VariablesOfRules:
    """Return the variables that *rules* of *job* set in its runs, for all of which *known* holds.

    Raise `UntranslatableError` if a config cannot set them. *has_script* is whether the config has the script.
    """
    has_script &= job.get("script") is not None and not job.unknown and not is_powershell(job)
    has_script &= not read_by_services(job, rule_variables(job))
    defaults = _defaults(job, rules, names, has_script=has_script)
    rules = [
        replace(rule, variables=tuple([(name, with_variables(text)) for name, text in rule.variables]))
        for rule in rules
    ]
    cases: list[tuple[Condition, Mapping[str, str]]] = []
    others: list[Condition] = []
    without_cases = known
    for rule in rules:
        own = condition(rule.formula, names)
        if rule.when == NEVER_STARTS or not rule.variables:
            others.append(Opposite(own))
        else:
            chosen = in_pipelines(simplified(Conjunction((own, *others)), without_cases), known)
            if any(test.key in ("changes", "exists") for test in tests(chosen)):
                raise UntranslatableError("a rule that tests files sets variables")
            if chosen == ALWAYS:
                return _with_last(cases, rule, Conjunction((own, *others)), defaults)
            if chosen != NEVER:
                cases.append((chosen, dict(rule.variables)))
                without_cases = Conjunction((without_cases, Opposite(chosen)))
    return VariablesOfRules(_written(cases))


def _defaults(job: SourceJob, rules: Sequence[Rule], names: Names, *, has_script: bool) -> Mapping[str, str]:
    """Return the values in `env` of *job* for variables that *rules* set.

    If it *has_script*, which only the shell reads, this can compute variables.
    """
    defaults: dict[str, str] = {}
    computed: list[str] = []
    for name, value in (variable for rule in rules for variable in rule.variables):
        default = job.variables.get(name)
        if name in names.inputs:
            raise UntranslatableError(f"a rule sets the variable {name}")
        if not Case.can_set(value) or not Case.can_set(default.text if default is not None else ""):
            computed.append(name)
        if default is not None:
            defaults[name] = with_variables(default.text) if default.is_expanded else default.text
    for name in dict.fromkeys(computed):
        if not has_script:
            raise UntranslatableError(f"a rule sets the variable {name}, which the script of a stage cannot compute")
        _check_computed(name, job, rules)
    return defaults


def _check_computed(name: str, job: SourceJob, rules: Sequence[Rule]) -> None:
    """Raise `UntranslatableError` unless the script of *job* can compute its variable *name*, which *rules* set.

    Only the commands of the script get its value, which contains only variables that are set earlier.
    """
    values = [text for rule in rules for own, text in rule.variables if own == name]
    read = names_in_values(job)
    readers = {other for other in read if name in _reached(other, read)}
    if is_for_runners(name):
        raise UntranslatableError(f"a rule sets the variable {name}, which the runner reads")
    differing = _OF_FILE | _OF_PART if "parallel" in job.entries else _OF_FILE
    if other := next((other for other in read[name] if other in differing), ""):
        raise UntranslatableError(f"a rule sets the variable {name} to a text with {other}, which is another one")
    if not all(map(_is_computable, values)):
        raise UntranslatableError(f"a rule sets the variable {name} to several lines, or to a text with a double $")
    if name in readers or (name not in job.variables and readers):
        raise UntranslatableError(f"a rule sets the variable {name}, which other variables contain")
    for key, entry in job.entries.items():
        texts = scalars(entry.value) if key not in _IN_SHELL else ()
        if any(not {name, *readers}.isdisjoint(names_in(scalar.text)) for scalar in texts):
            raise UntranslatableError(f'a rule sets the variable {name}, which "{key}" reads')


def _is_computable(text: str) -> bool:
    """Return whether the script of a stage can set a variable to *text*, in which GitLab expands variables."""
    return is_expandable(text) and not ("\n" in text and "$" in text)


def _reached(name: str, read: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the variables in the values of the variable *name*, and in their values; *read* are those in each."""
    pending, seen = [*read.get(name, ())], set[str]()
    while pending:
        inner = pending.pop()
        if inner not in seen:
            seen.add(inner)
            pending += read.get(inner, ())
            yield inner


def _with_last(cases: _Cases, rule: Rule, chosen: Condition, defaults: Mapping[str, str]) -> VariablesOfRules:
    """Return *cases*, and the variables of *rule*, which holds in all other runs, as `env`.

    If not all cases have a value for these, they are another case, which is *chosen*.
    """
    last = dict(rule.variables)
    if all(name in variables or name in defaults for _, variables in cases for name in last):
        missing = {name: defaults[name] for name in last if name in defaults}
        whole = [(other, {**missing, **variables}) for other, variables in cases]
        return VariablesOfRules(_written(whole), last)
    chosen = simplified(chosen)
    if chosen == ALWAYS:
        raise UntranslatableError("only some rules set the variables of the last one")
    return VariablesOfRules(_written([*cases, (chosen, last)]))


def _written(cases: _Cases) -> tuple[dict[str, Data], ...]:
    return tuple({"when": as_when(chosen), "env": dict(variables)} for chosen, variables in cases)
