"""Conditions in a local run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pipegen.plan.model import Condition, Event
from pipegen.plan.model.facts import RunFacts, StartEvent
from pipegen.run.local.checkout import LocalCheckout
from pipegen.structs import Struct


class RunContext(Struct, dict=True, gc=True):
    """The data for conditions: checkout, values of inputs by name, and environment variables.

    Without a *requested* event, a user starts the run for the branch or tag that is checked out.
    """

    checkout: LocalCheckout
    inputs: Mapping[str, str]
    variables: Mapping[str, str]
    requested: StartEvent | None = None

    @cached_property
    def event(self) -> StartEvent:
        """The event that starts the run; git is called only for a run that reads it."""
        by_user = StartEvent(kind=Event.MANUAL, branch=self.checkout.branch, tag=self.checkout.tag)
        return self.requested or by_user

    def holds(self, condition: Condition | None) -> bool:
        """Return whether *condition* holds in this run."""
        return condition is None or self._facts.holds(condition)

    @cached_property
    def _facts(self) -> RunFacts:
        return RunFacts(event=self.event, inputs=self.inputs, variables=self.variables, repository=self.checkout)
