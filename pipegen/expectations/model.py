"""The expectations in a file of tests."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.plan.model.facts import StartEvent
from pipegen.source.text import Located, Span
from pipegen.structs import SpannedStruct

Names = tuple[Located[str], ...]


class Expectation(SpannedStruct, kw_only=True):
    """A test: an event, and the stages that it starts.

    Attributes:
        name: the name of the test.
        event, inputs, variables: the run; other inputs have their defaults.
        pipeline: the pipeline that the test is about; None in a config with one pipeline.
        runs, never: stages that run, and stages that do not.
        only: all stages that run; None if others may run too.
        approvals: all stages that run and wait for an approval; None if the test does not say.
        failed, success: all stages that run for this result of the pipeline only; None if the test does not say.
        order: lists of stages that run one after the other.
        values: the output, `stage.name`, and a glob for its value.
    """

    name: str
    event: StartEvent
    inputs: tuple[tuple[Located[str], str], ...]
    variables: Mapping[str, str]
    pipeline: Located[str] | None
    runs: Names
    never: Names
    only: Names | None
    approvals: Names | None
    failed: Names | None
    success: Names | None
    order: tuple[Names, ...]
    values: tuple[tuple[Located[str], str], ...]
    span: Span

    @property
    def is_empty(self) -> bool:
        """Whether the test expects nothing: an empty `only` expects that no stage runs."""
        names = (self.runs, self.never, self.order, self.values)
        exact = (self.only, self.approvals, self.failed, self.success)
        return not any(names) and all(stages is None for stages in exact)
