"""How a job starts: in which runs, and whether automatically, manually or after a delay."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from pipegen.emit.yaml import Data, Value
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import needs_of
from pipegen.importing.gitlab.reading.rules import ALWAYS as ALWAYS_STARTS
from pipegen.importing.gitlab.reading.rules import DELAYED, MANUAL, ON_FAILURE, ON_SUCCESS, Rule, formula_of, rules_of
from pipegen.importing.gitlab.reading.rules import NEVER as NEVER_STARTS
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.stages.cases import VariablesOfRules, variables_of_rules
from pipegen.importing.gitlab.stages.conditions import Names, condition
from pipegen.importing.gitlab.stages.keys.base import WithoutEffect, duration
from pipegen.importing.gitlab.stages.keys.matrices import variables_of
from pipegen.importing.gitlab.stages.keys.variables import exported
from pipegen.importing.gitlab.stages.rule_conditions import condition_of, condition_of_any_combination, deciding_tests
from pipegen.importing.gitlab.stages.texts import names_in, read_by_rules, rule_variables
from pipegen.importing.logic import (
    ALWAYS,
    NEVER,
    Condition,
    Conjunction,
    Opposite,
    StageTest,
    flat,
    in_pipelines,
    simplified,
    tests,
)
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.importing.when import as_when
from pipegen.source.tree import Entry, entries_of, whole_number
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, field, replace

# The variable of a branch with open merge requests; tags have none.
OPEN_MERGE_REQUESTS = "CI_OPEN_MERGE_REQUESTS"
_POSSIBLE = Opposite(Conjunction((StageTest("tag"), StageTest("env", OPEN_MERGE_REQUESTS))))
_STAGE_NAME = re.compile(r"\$(?:CI_JOB_STAGE\b|\{CI_JOB_STAGE\})")


class Start(Struct, kw_only=True):
    """The *condition* for which a job runs, the keys of its stage that say how it starts, and its raw keys.

    The condition also has the tests that a config can express of rules that stay raw, unless it *is_unknown*.
    *env* are variables of rules that apply in all its runs, or if no case does. If not *is_awaited*, jobs of later
    stages do not wait for it. *reason* says why rules stay raw, "" if they do not.
    A failure counts unless *allows_failure*, and some do not count with *has_exit_codes*; with *says_failures*, the
    keys say that. If it *is_elsewhere*, the rules only concern a job of a file that cannot be read.
    """

    condition: Condition
    keys: dict[str, Data]
    raw: dict[str, Data]
    is_awaited: bool = True
    reason: str = ""
    is_unknown: bool = False
    allows_failure: bool = False
    has_exit_codes: bool = False
    says_failures: bool = False
    is_elsewhere: bool = False
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def constants(self) -> Mapping[str, str]:
        """The variables of rules whose values do not depend on the run."""
        return {name: text for name, text in self.env.items() if "cases" not in self.keys and "$" not in text}


def never_started(job: SourceJob) -> Start:
    """Return how *job* starts, whose rules never let it run: without them, one of this name in another file would."""
    return Start(
        condition=ALWAYS,
        keys={},
        raw={},
        is_awaited=False,
        reason="they keep a job of a file that only GitLab reads from running",
        is_unknown=True,
        is_elsewhere=job.get("script") is None,
    )


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
    reason = missing = _not_inherited(job, source)
    try:
        runs = condition_of(rules, names)
    except UntranslatableError as error:
        reason = reason or str(error)
        runs = condition_of_any_combination(rules, replace(names, may_differ=True))
    if simplified(runs, known) == NEVER:
        if not reason:
            return Start(condition=NEVER, keys={}, raw={})
        runs = ALWAYS
    starting = [rule for rule in rules if rule.when != NEVER_STARTS]
    is_awaited = not all(rule.when == ON_FAILURE or (rule.when == MANUAL and rule.allow_failure) for rule in starting)
    extra = next((key for rule in starting for key in rule.extra if key != "variables"), "")
    reason = reason or (f'the key "{extra}" of a rule' if extra else "")
    if not starting:
        return Start(condition=NEVER, keys={}, raw={})
    start = Start(condition=runs, keys={}, raw={}, is_awaited=is_awaited, reason=reason, is_unknown=bool(missing))
    try:
        return start if reason else _with_keys(start, job, rules, names, Conjunction((known, runs)), forced)
    except UntranslatableError as error:
        return replace(start, reason=str(error))


def _with_keys(
    start: Start, job: SourceJob, rules: Sequence[Rule], names: Names, known: Condition, forced: Collection[str]
) -> Start:
    """Return *start* with the keys that *rules* say; *known* holds in all its runs.

    Raise `UntranslatableError` if a stage cannot say them.
    """
    rules = _deciding(rules, names, known)
    starting = [rule for rule in rules if rule.when != NEVER_STARTS]
    variables = VariablesOfRules()
    if any(rule.variables for rule in starting):
        variables = _variables(job, rules, names, known, forced)
    if len({_mode(rule) for rule in starting}) == 1:
        start = _uniform(job, starting[0], start)
    else:
        automatic = next((rule for rule in starting if rule.when != MANUAL), starting[0])
        start = _uniform(job, replace(automatic, allow_failure=False), start)
        start = replace(start, keys=_by_run(job, rules, names, known, forced), says_failures=True)
    if variables.cases:
        start.keys["cases"] = list(variables.cases)
    return replace(start, env=variables.env)


def _deciding(rules: Sequence[Rule], names: Names, known: Condition) -> Sequence[Rule]:
    """Return those of *rules* that decide in a run for which *known* holds, all if none starts a job in one."""
    numbers = _deciding_numbers(tuple([condition(rule.formula, names) for rule in rules]), known)
    deciding = [rules[number] for number in numbers]
    return deciding if any(rule.when != NEVER_STARTS for rule in deciding) else rules


@lru_cache(maxsize=1_000)
def _deciding_numbers(conditions: Sequence[Condition], known: Condition) -> tuple[int, ...]:
    """Return the numbers of those of *conditions* that hold, and none before, in a run for which *known* holds.

    Many jobs have the same rules.
    """
    numbers = []
    for number, own in enumerate(conditions):
        if simplified(Conjunction((known, own))) != NEVER:
            numbers.append(number)
            known = flat(Conjunction((known, Opposite(own))))
    return tuple(numbers)


def _not_inherited(job: SourceJob, source: SourcePipeline) -> str:
    """Return why rules of *job* stay raw: for them a variable of the file has no value."""
    keys = [entry for rule in flat_items(job.get("rules")) for entry in entries_of(rule)]
    names = {name for entry in keys if entry.key.text == "if" for name in names_in(text_of(entry.value))}
    missing = next((name for name in source.variables if name in names and name not in job.variables), "")
    return f"the job does not inherit {missing}" if missing else ""


def _mode(rule: Rule) -> tuple[str, bool, tuple[str, ...], str]:
    """Return how a job starts by *rule*, whether it may fail, the exit codes with which it may, and its delay."""
    return rule.when, rule.allow_failure, rule.exit_codes, rule.start_in if rule.when == DELAYED else ""


def _by_run(
    job: SourceJob, rules: Sequence[Rule], names: Names, known: Condition, forced: Collection[str]
) -> dict[str, Data]:
    """Return in which runs a person starts *job*, and in which it may fail, if its *rules* differ in nothing else."""
    starting = [rule for rule in rules if rule.when != NEVER_STARTS]
    by_hand = [rule for rule in starting if rule.when == MANUAL]
    others = [rule for rule in starting if rule.when != MANUAL]
    is_optional = any(rule.allow_failure for rule in by_hand)
    if (
        len({rule.allow_failure for rule in by_hand}) > 1
        or len({rule.when for rule in others}) != 1
        or others[0].when != ON_SUCCESS
        or not {"approve", "allow_failure"}.isdisjoint(forced)
    ):
        raise UntranslatableError("its rules start it in several ways")
    keys: dict[str, Data] = {}
    if by_hand:
        message = text_of(job.get("manual_confirmation"))
        approve: dict[str, Data] = {"message": message} if message else {}
        if is_optional:
            approve["optional"] = True
        approve["when"] = as_when(_runs_of(by_hand, rules, names, known))
        keys["approve"] = approve
    failing = [rule for rule in others if rule.allow_failure or rule.exit_codes]
    if not failing:
        return keys
    if (
        len({rule.exit_codes for rule in failing}) > 1
        or (is_optional and len(failing) < len(others))
        or (by_hand and any(rule.exit_codes for rule in failing))
    ):
        raise UntranslatableError("its rules allow several failures")
    numbers = [whole_number(code) for code in failing[0].exit_codes]
    if None in numbers:
        raise UntranslatableError("allow_failure")
    allowed: dict[str, Data] = {"exit_codes": list(numbers)} if numbers else {}
    if not is_optional and len(failing) < len(starting):
        runs = _runs_of(failing, rules, names, known)
        if any(test.key in ("changes", "exists") for test in tests(runs)):
            raise UntranslatableError("a rule that tests files decides whether it may fail")
        allowed["when"] = as_when(runs)
    return {**keys, "allow_failure": allowed or True}


def _runs_of(chosen: Sequence[Rule], rules: Sequence[Rule], names: Names, known: Condition) -> Condition:
    """Return the runs in which one of *rules* that is *chosen* decides; *known* holds in all runs.

    Rules that keep the job from running make no difference to how it starts.
    """
    starting = [rule for rule in rules if rule.when != NEVER_STARTS]
    deciding = [rule if rule in chosen else replace(rule, when=NEVER_STARTS) for rule in starting]
    whole = deciding_tests(chosen, starting, names)
    runs = in_pipelines(condition_of(deciding, names) if whole == ALWAYS else whole, known)
    if runs in (ALWAYS, NEVER):
        raise UntranslatableError("its rules start it in several ways")
    return runs


def _is_first(job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether *job* waits for no other, so that it makes no difference whether others fail."""
    needs = needs_of(job, source)
    return (
        not needs
        if needs is not None
        else all(job.stage_number <= other.stage_number for other in source.jobs.values())
    )


def _variables(
    job: SourceJob, rules: Sequence[Rule], names: Names, known: Condition, forced: Collection[str]
) -> VariablesOfRules:
    """Return the variables that *rules* set; raise `UntranslatableError` for a stage that cannot have them."""
    own = [name for rule in rules for name, _ in rule.variables]
    if "trigger" in job.entries or not {"cases", *(f"env.{name}" for name in own)}.isdisjoint(forced):
        raise UntranslatableError('the key "variables" of a rule')
    if replaced := next((name for name in own if name in variables_of(job)), ""):
        raise UntranslatableError(f"a rule sets ${replaced}, which the matrix sets, too")
    return variables_of_rules(job, rules, names, known, has_script="script" not in forced)


def _uniform(job: SourceJob, rule: Rule, start: Start) -> Start:
    """Return *start* of *job* by *rule*."""
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
    return replace(start, keys=keys, raw=raw, allows_failure=rule.allow_failure, has_exit_codes=bool(rule.exit_codes))


def set_start(start: Start, keys: dict[str, Value], raw: dict[str, Data], *, is_needed: bool) -> None:
    """Add *start* to the *keys* and the *raw* keys of a stage, also whether a failure counts, which rules decide, too.

    If it *is_needed*, other stages wait for it even if it is manual and may fail.
    """
    if start.says_failures:
        keys.pop("allow_failure", None)
    keys |= start.keys
    raw |= start.raw
    if start.says_failures:
        return
    if start.allows_failure:
        keys["allow_failure"] = True
    elif not start.has_exit_codes:
        keys.pop("allow_failure", None)
    if "approve" not in keys or (allowed := keys.pop("allow_failure", None)) is None:
        return
    approval = keys["approve"]
    if is_needed or isinstance(approval, dict) or isinstance(allowed, dict):
        raw["allow_failure"] = {**allowed} if isinstance(allowed, dict) else True
    else:
        keys["approve"] = {**({"message": approval} if isinstance(approval, str) else {}), "optional": True}


def without_confirmation(job: SourceJob, start: Start) -> Iterator[WithoutEffect]:
    """Yield `manual_confirmation` of *job* if no person starts it."""
    entry, approval = job.entries.get("manual_confirmation"), start.keys.get("approve")
    is_manual = start.reason or (approval and not (isinstance(approval, dict) and "delay" in approval))
    if entry is not None and not is_manual:
        reason = f'job "{job.name}" does not start by hand'
        yield WithoutEffect(entry.key.span, f'"{entry.key.text}"', reason, (entry,))


def started_by(rules: Sequence[Rule], names: Names) -> Condition:
    """Return the condition of the pipelines that *rules* of the workflow start.

    Raise `UntranslatableError` if they start none, or as `condition_of` does.
    """
    known = simplified(condition_of(rules, names), _POSSIBLE)
    if known == NEVER:
        raise UntranslatableError("they start no pipeline")
    return known


def with_stage_name(rules: Data, stage: str) -> Data:
    """Return the *rules* of a job that stay raw with the name of its *stage*: a generated file has other stages."""
    if isinstance(rules, list):
        return [with_stage_name(rule, stage) for rule in rules]
    if not isinstance(rules, dict) or not isinstance(rules.get("if"), str) or '"' in stage:
        return rules
    return {**rules, "if": _STAGE_NAME.sub(lambda _: f'"{stage}"', str(rules["if"]))}


def entries_of_when(entries: Collection[Entry]) -> Iterator[Entry]:
    """Yield the keys `when` of a job and of its rules, without those that stop it, among its *entries*."""
    for entry in entries:
        if entry.key.text == "when":
            yield entry
        elif entry.key.text == "rules":
            keywords = (keyword for rule in flat_items(entry.value) for keyword in entries_of(rule))
            yield from (each for each in keywords if each.key.text == "when" and text_of(each.value) != NEVER_STARTS)


def known_entries(job: SourceJob, source: SourcePipeline, entries: Collection[Entry], names: Names) -> Iterator[Entry]:
    """Yield the keys of raw rules of *job* among *entries* that the stage has, too.

    These are conditions that a config can express, and starts after success, as of each stage, or always if *job* waits
    for no other.
    """
    usual = (ON_SUCCESS, ALWAYS_STARTS) if _is_first(job, source) else (ON_SUCCESS,)
    for entry in entries:
        for rule in flat_items(entry.value) if entry.key.text == "rules" else ():
            yield from (
                keyword
                for keyword in entries_of(rule)
                if keyword.key.text == "when" and text_of(keyword.value) in usual
            )
            if isinstance(rule, TreeMapping) and _is_translatable(rule, names):
                yield from _conditions_in(rule)


def _conditions_in(rule: TreeMapping) -> Iterator[Entry]:
    """Yield the keys of *rule* that decide whether a job runs."""
    for entry in rule.entries:
        is_excluding = entry.key.text == "when" and text_of(entry.value) == NEVER_STARTS
        if is_excluding or entry.key.text in ("if", "changes", "exists"):
            yield entry


def _is_translatable(rule: TreeMapping, names: Names) -> bool:
    try:
        condition(formula_of(rule), names)
    except (UntranslatableError, ExpressionError):
        return False
    return True


def tested_variables(
    job: SourceJob, start: Start | None, known: Condition, inputs: Collection[str], *, is_read_elsewhere: bool
) -> Iterator[str]:
    """Yield the variables of *job* that its rules set or test; conditions of a config do not read `env` of stages.

    Raw rules also read those that a generated script would export, as it does with *inputs*. If its script
    *is_read_elsewhere*, also those that any condition tests.
    """
    if start is None or start.reason:
        yield from rule_variables(job)
        yield from exported((*read_by_rules(job), *rule_variables(job)), job, inputs)
    else:
        own = {*job.own_variables, *job.variables.keys() - inputs}
        yield from (test.name for test in tests(start.condition) if test.name in own)
    if is_read_elsewhere:
        has_own_rules = start is None or (start.reason != "" and "rules" in job.entries)
        conditions = (known,) if start is None or has_own_rules else (known, start.condition)
        yield from (test.name for condition in conditions for test in tests(condition))
