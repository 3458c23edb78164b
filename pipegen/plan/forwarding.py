"""Exports that only rename or join other bindings; their readers read those bindings directly."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.config.model import StageConfig
from pipegen.plan.model import Export, Output
from pipegen.plan.runs.parameters import Parameters
from pipegen.plan.values import relative_to


class KnownValues:
    """Compile-time values of names that the *stages* of *pipeline* bind, and of *parameters*.

    *is_certain* returns whether a stage binds all its outputs in every run.
    """

    def __init__(
        self,
        pipeline: str,
        stages: Mapping[str, StageConfig],
        parameters: Parameters,
        is_certain: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._pipeline = pipeline
        self._stages = stages
        self._parameters = parameters
        self._is_certain = is_certain
        self._exports: dict[Output, Text] = {}

    def accepts(self, stage: str, export: Export) -> bool:
        """Return whether *export* of *stage* is forwarded; if its value may differ between jobs, it is not.

        An export of a stage that may be skipped or fail is not forwarded: its readers must see that it is absent.
        """
        if not _is_lasting(export.value) or not self._is_certain(stage):
            return False
        self._exports[Output(stage, export.name)] = export.value
        return True

    def forwarded(self, stage: str) -> tuple[tuple[str, Text], ...]:
        """Return the names and values of the exports of *stage* that are forwarded, in order."""
        return tuple((output.name, value) for output, value in self._exports.items() if output.stage == stage)

    def known(self, reference: Reference) -> Text | None:
        """Return the value of *reference*; None if it is known only at run time."""
        match reference.scope:
            case Scope.STAGE | Scope.OWN:
                return self._bound(reference)
            case Scope.SETUP if reference.name == "pipeline":
                return Text((self._pipeline,), reference.span)
            case Scope.INPUT:
                fixed = self._parameters.constant(reference.name)
                return None if fixed is None else Text((fixed,) if fixed else (), reference.span)
            case _:
                return None

    def _bound(self, reference: Reference) -> Text | None:
        stage = reference.namespace or ""
        if reference.name == "stage":
            return Text((self._stages[stage].own_name,), reference.span)
        value = self._exports.get(Output(stage, reference.name)) if self._exports else None
        return value if value is None or reference.scope is Scope.OWN else relative_to(value, "")


def _is_lasting(value: Text) -> bool:
    """Return whether *value* is the same in all jobs of a run; on some engines each job has its own log URL."""
    return all(
        reference.scope in (Scope.OWN, Scope.STAGE, Scope.INPUT)
        or (reference.scope is Scope.SETUP and reference.name != "logURL")
        for reference in value.references()
    )
