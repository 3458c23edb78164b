"""Recognition of the pipeline selection that pipegen adds to generated files, which no config needs to state."""

from __future__ import annotations

from pipegen.importing.gitlab.reading.expressions.formulas import (
    Comparison,
    EveryOf,
    Facts,
    Formula,
    HasValue,
    IsDefined,
    Known,
    Negation,
    Regex,
    SomeOf,
    VariableName,
    every,
    holds,
    negated,
    some,
    tests_in,
)
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.rules import rules_of, workflow_rules
from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.source.tree import Node, child, scalars
from pipegen.targets.gitlab.rules.selection import SECOND_PIPELINE, VARIABLE, named_by

_UNSET = Facts(variables={VARIABLE: ""})


def selected_pipeline(source: SourcePipeline) -> str:
    """Return the name of the only pipeline that the rules of the workflow select in *source*; "" if there is none."""
    variable = source.variables.get(VARIABLE)
    if variable is None or variable.text:
        return ""
    try:
        tests = [test for rule in workflow_rules(source) for test in _tests(rule.formula)]
    except ExpressionError:
        return ""
    if any(_is_tested(job, source) for job in source.jobs.values()):
        return ""
    patterns = [test.right for test in tests if isinstance(test, Comparison) and isinstance(test.right, Regex)]
    names = {named_by(pattern.source) for pattern in patterns}
    return names.pop() if len(names) == 1 else ""


def _is_tested(job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether rules of *job* test the variable."""
    try:
        return any(_tests(rule.formula) for rule in rules_of(job, source))
    except ExpressionError:
        rules = job.get("rules")
        return rules is not None and any(VARIABLE in scalar.text for scalar in scalars(rules))


def is_generated(rule: Node) -> bool:
    """Return whether pipegen adds *rule* to the workflow of a file with a variable that names pipelines."""
    condition = text_of(child(rule, "if"))
    return VARIABLE in condition or condition == SECOND_PIPELINE


def unselected(formula: Formula) -> Formula:
    """Return *formula* in a run that names no pipeline."""
    match formula:
        case Negation():
            return negated(unselected(formula.part))
        case EveryOf():
            return every(*map(unselected, formula.parts))
        case SomeOf():
            return some(*map(unselected, formula.parts))
    return Known(holds(formula, _UNSET)) if _is_test(formula) else formula


def _tests(formula: Formula) -> tuple[Formula, ...]:
    """Return the parts of *formula* that test the variable."""
    return tuple(part for part in tests_in(formula) if _is_test(part))


def _is_test(formula: Formula) -> bool:
    match formula:
        case HasValue() | IsDefined():
            return formula.name == VARIABLE
        case Comparison():
            return VariableName(VARIABLE) in (formula.left, formula.right)
    return False
