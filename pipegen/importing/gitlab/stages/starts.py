"""How a job starts: for which runs, by itself, by a person, or after a delay."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.expressions import ExpressionError
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import needs_of
from pipegen.importing.gitlab.reading.rules import ALWAYS as ALWAYS_STARTS
from pipegen.importing.gitlab.reading.rules import DELAYED, MANUAL, ON_SUCCESS, Rule, rules_of
from pipegen.importing.gitlab.reading.rules import NEVER as NEVER_STARTS
from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.importing.gitlab.stages.cases import VariablesOfRules, variables_of_rules
from pipegen.importing.gitlab.stages.conditions import Names, condition
from pipegen.importing.gitlab.stages.keys.base import duration
from pipegen.importing.logic import NEVER, Condition, Conjunction, Disjunction, Opposite
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import Struct, field, replace

_MOST_RULES = 50


class Start(Struct, kw_only=True):
    """The *condition* for which a job runs, the keys of its stage that say how it starts, and its raw keys.

    *env* are variables of rules that apply in all its runs, or if no case does. If not *is_awaited*, jobs of later
    stages do not wait for it. *reason* says why rules stay raw, "" if they do not.
    """

    condition: Condition
    keys: dict[str, Data]
    raw: dict[str, Data]
    is_awaited: bool = True
    reason: str = ""
    allows_failure: bool = False
    env: Mapping[str, str] = field(default_factory=dict)


def start_of(
    job: SourceJob, source: SourcePipeline, names: Names, known: Condition, forced: Collection[str] = ()
) -> Start:
    """Return how *job* starts; raise `UntranslatableError` if a config cannot express for which runs.

    *known* holds in all runs; the keys in *forced* stay raw.
    """
    try:
        rules = rules_of(job, source)
    except ExpressionError as error:
        raise UntranslatableError(f'the condition "{error}"') from None
    if _is_first(job, source):
        rules = tuple(replace(rule, when=ON_SUCCESS) if rule.when == ALWAYS_STARTS else rule for rule in rules)
    reason = ""
    try:
        runs = condition_of(rules, names)
    except UntranslatableError as error:
        reason = str(error)
        runs = condition_of(rules, replace(names, may_differ=True))
    starting = [rule for rule in rules if rule.when != NEVER_STARTS]
    modes = {(rule.when, rule.allow_failure, rule.start_in if rule.when == DELAYED else "") for rule in starting}
    is_awaited = not all(rule.when == "on_failure" or (rule.when == MANUAL and rule.allow_failure) for rule in starting)
    extra = next((key for rule in starting for key in rule.extra if key != "variables"), "")
    variables = VariablesOfRules()
    if not reason and not extra and any(rule.variables for rule in starting):
        try:
            variables = _variables(job, rules, names, Conjunction((known, runs)), forced)
        except UntranslatableError as error:
            reason = str(error)
    if len(modes) > 1 or extra or reason:
        reason = reason or (f'the key "{extra}" of a rule' if extra else "its rules start it in several ways")
        return Start(condition=runs, keys={}, raw={}, is_awaited=is_awaited, reason=reason)
    if not starting:
        return Start(condition=NEVER, keys={}, raw={})
    start = _uniform(job, starting[0], runs, is_awaited=is_awaited)
    if variables.cases:
        start.keys["cases"] = list(variables.cases)
    return replace(start, env=variables.env)


def _is_first(job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether *job* waits for no other, so that it makes no difference whether others fail."""
    needs = needs_of(job, source)
    return not needs if needs is not None else all(job.stage_number <= one.stage_number for one in source.jobs.values())


def _variables(
    job: SourceJob, rules: Sequence[Rule], names: Names, known: Condition, forced: Collection[str]
) -> VariablesOfRules:
    """Return the variables that *rules* set; raise `UntranslatableError` for a stage that cannot have them."""
    own = [name for rule in rules for name, _ in rule.variables]
    if "trigger" in job.entries or not {"cases", *(f"env.{name}" for name in own)}.isdisjoint(forced):
        raise UntranslatableError('the key "variables" of a rule')
    return variables_of_rules(job, rules, names, known)


def _uniform(job: SourceJob, rule: Rule, runs: Condition, *, is_awaited: bool) -> Start:
    keys: dict[str, Data] = {}
    raw: dict[str, Data] = {}
    match rule.when:
        case "manual":
            keys["approve"] = text_of(job.get("manual_confirmation")) or True
        case "delayed":
            keys["approve"] = {"delay": duration(rule.start_in)}
        case "on_success":
            pass
        case _:
            raw["when"] = rule.when
    return Start(condition=runs, keys=keys, raw=raw, is_awaited=is_awaited, allows_failure=rule.allow_failure)


def condition_of(rules: Sequence[Rule], names: Names) -> Condition:
    """Return the condition under which the first of *rules* that holds lets the job run.

    Raise `UntranslatableError` if a config cannot express it, or not as briefly.
    """
    if len(rules) > _MOST_RULES:
        raise UntranslatableError(f"more than {_MOST_RULES} rules")
    result: Condition = NEVER
    for rule in reversed(rules):
        own = condition(rule.formula, names)
        result = Conjunction((Opposite(own), result)) if rule.when == NEVER_STARTS else Disjunction((own, result))
    return result
