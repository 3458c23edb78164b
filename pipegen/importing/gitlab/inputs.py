"""Variables of the file that are inputs of a config."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pipegen.emit.yaml import Value
from pipegen.importing.gitlab.expressions import (
    Comparison,
    EveryOf,
    ExpressionError,
    Formula,
    HasValue,
    Negation,
    SomeOf,
    VariableName,
)
from pipegen.importing.gitlab.jobs import SourcePipeline, Variable
from pipegen.importing.gitlab.keys.base import present
from pipegen.importing.gitlab.rules import rules_of, workflow_rules
from pipegen.importing.gitlab.tree import text_of, texts_of
from pipegen.source.tree import Mapping as TreeMapping

# Names that engines, shells or the runner use: no inputs.
_RESERVED = ("CI_", "GIT_", "GITLAB_", "DOCKER_", "KUBERNETES_", "FF_", "RUNNER_", "PIPEGEN_", "PATH", "HOME")


def inputs_of(source: SourcePipeline, refused: Collection[str]) -> dict[str, Variable]:
    """Return the variables of the file that are inputs: with a description or options, or tested by rules.

    A config does not accept the names *refused*.
    """
    tested = set(_tested(source))
    return {
        name: variable
        for name, variable in source.variables.items()
        if not name.startswith(_RESERVED)
        and name not in refused
        and "$" not in variable.text
        and "\n" not in variable.text
        and (isinstance(variable.entry.value, TreeMapping) or name in tested)
    }


def _tested(source: SourcePipeline) -> Iterator[str]:
    for job in source.jobs.values():
        try:
            rules = rules_of(job, source)
        except ExpressionError:
            continue
        for rule in rules:
            yield from _names(rule.formula)
    try:
        for rule in workflow_rules(source):
            yield from _names(rule.formula)
    except ExpressionError:
        return


def _names(formula: Formula) -> Iterator[str]:
    match formula:
        case HasValue():
            yield formula.name
        case Comparison():
            yield from (one.name for one in (formula.left, formula.right) if isinstance(one, VariableName))
        case Negation():
            yield from _names(formula.part)
        case EveryOf() | SomeOf():
            for part in formula.parts:
                yield from _names(part)


def as_input(variable: Variable) -> Value:
    """Return the value of an input: its default, or a map."""
    keys = present(variable.entry.value)
    value: dict[str, Value] = {}
    if "description" in keys:
        value["description"] = " ".join(text_of(keys["description"].value).split())
    options = list(texts_of(keys["options"].value)) if "options" in keys else []
    if options and variable.text in options:
        value["choices"] = list(options)
    value["default"] = variable.text
    return value if len(value) > 1 else variable.text
