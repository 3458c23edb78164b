"""Variables of the file that are inputs of a config."""

from __future__ import annotations

from collections.abc import Collection

from pipegen.emit.yaml import Value
from pipegen.importing.gitlab.reading.expressions import tested_names, tests_in
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.rules import formulas_of
from pipegen.importing.gitlab.reading.tree import text_of, texts_of
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.base import present
from pipegen.importing.gitlab.workflow_variables import set_by_workflow

# Names that engines, shells or the runner use: no inputs.
_RESERVED = ("CI_", "GIT_", "GITLAB_", "DOCKER_", "KUBERNETES_", "FF_", "RUNNER_", "PIPEGEN_", "PATH", "HOME")


def inputs_of(source: SourcePipeline, refused: Collection[str]) -> dict[str, Variable]:
    """Return the variables of the file that are inputs: with a description or options, or tested or set by rules.

    A config does not accept the names *refused*, and compares no input with a variable.
    """
    tests = [test for formula in formulas_of(source) for test in tests_in(formula)]
    tested = {name for test in tests for name in tested_names(test)}
    for test in tests:
        if len(names := tested_names(test)) > 1:
            tested.difference_update(names)
    replaced = set_by_workflow(source)
    return {
        name: variable
        for name, variable in source.variables.items()
        if not name.startswith(_RESERVED)
        and name not in refused
        and "$" not in variable.text
        and "\n" not in variable.text
        and (present(variable.entry.value).keys() & {"description", "options"} or name in tested or name in replaced)
    }


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
