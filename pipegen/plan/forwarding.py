"""Exports that only rename or join other bindings; their readers read those bindings directly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pipegen.bindings.expression import Defaulted, Part, Reference, Scope, Text
from pipegen.config.model import StageConfig
from pipegen.plan.model import Export
from pipegen.plan.runs.parameters import Parameters
from pipegen.structs import Struct, replace

# The forwarded exports of a stage: values by name, in the order of the config.
Forwarded = Mapping[str, Text]
NO_EXPORTS: Forwarded = MappingProxyType({})


class KnownValues(Struct, kw_only=True):
    """Compile-time values of references in a stage of *pipeline*, with its *parameters*.

    *exports* returns the forwarded exports of an earlier stage; *own* are those of the stage itself, as far as it has
    bound them at the moment of the read.
    """

    pipeline: str
    stages: Mapping[str, StageConfig]
    parameters: Parameters
    exports: Callable[[str], Forwarded]
    own: Forwarded = NO_EXPORTS

    def after(self, name: str, value: Text) -> KnownValues:
        """Return the known values after the stage has bound its export *name* to *value*."""
        return replace(self, own={**self.own, name: value})

    def known(self, reference: Reference) -> Text | None:
        """Return the value of *reference*; None for a run-time value."""
        match reference.scope:
            case Scope.OWN if reference.name != "stage":
                return self.own.get(reference.name)
            case Scope.STAGE | Scope.OWN:
                return self._bound(reference)
            case Scope.SETUP if reference.name == "pipeline":
                return Text((self.pipeline,), reference.span)
            case Scope.INPUT:
                fixed = self.parameters.constant(reference.name)
                return None if fixed is None else Text((fixed,) if fixed else (), reference.span)
            case _:
                return None

    def _bound(self, reference: Reference) -> Text | None:
        stage = reference.namespace or ""
        if reference.name == "stage":
            return Text((self.stages[stage].own_name,), reference.span)
        value = self.exports(stage).get(reference.name)
        return None if value is None else _of_another_stage(value)


def is_forwarded(export: Export, *, is_certain: bool) -> bool:
    """Return whether readers of *export* read the parts of its value; if it may differ between jobs, they do not.

    An export of a stage that may be skipped or fail, so not *is_certain*, is not forwarded: its readers must see that
    it is absent.
    """
    return is_certain and _is_lasting(export.value)


def _is_lasting(value: Text) -> bool:
    """Return whether *value* is the same in all jobs of a run; on some engines each job has its own log URL."""
    return all(
        reference.scope in (Scope.OWN, Scope.STAGE, Scope.INPUT)
        or (reference.scope is Scope.SETUP and reference.name != "logURL")
        for reference in value.references()
    )


def _of_another_stage(value: Text) -> Text:
    """Return *value*, in which a stage reads its own outputs, as other stages read it."""
    return replace(value, parts=tuple(map(_part_of_another_stage, value.parts)))


def _part_of_another_stage(part: Part) -> Part:
    if isinstance(part, Defaulted):
        return replace(part, text=_of_another_stage(part.text))
    return replace(part, scope=Scope.STAGE) if isinstance(part, Reference) and part.scope is Scope.OWN else part
