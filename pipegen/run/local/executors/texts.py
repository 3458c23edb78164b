"""Evaluation of texts with references outside a shell, for names of images."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipegen.bindings.expression import Reference, Scope, Text, evaluate
from pipegen.plan.model import Job, Output
from pipegen.run.local.shell_variables import input_variable
from pipegen.shell.host import ShellEnvironment
from pipegen.structs import Struct


class Texts(Struct):
    """Values of references: *value* returns an output of a stage, *variables* are those of the job's script."""

    host: ShellEnvironment
    job: Job
    value: Callable[[Output], str]
    variables: Mapping[str, str]

    def evaluate(self, text: Text) -> str:
        """Return the value of *text* in this run."""
        return evaluate(text, self._reference) or ""

    def _reference(self, reference: Reference) -> str:
        match reference.scope:
            case Scope.STAGE:
                return self.value(Output(reference.namespace or "", reference.name))
            case Scope.INPUT:
                return self.variables.get(input_variable(reference.name), "")
            case Scope.SETUP:
                value = self.host.setup(reference.name) or ""
                return self.variables.get(value.removeprefix("$"), "") if value.startswith("$") else value
        raise ValueError(f"{reference} has no value outside the script of its stage")
