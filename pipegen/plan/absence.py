"""Stages whose outputs may be absent when later stages run: stages that may be skipped or may fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Condition, Container, Copy, Image, PublishImage, RunContainer, Step
from pipegen.plan.model.logic import implies
from pipegen.source.text import Span
from pipegen.source.tree import is_false
from pipegen.structs import Struct

# Steps that use images and containers of other stages.
_READERS = frozenset((RunContainer, PublishImage, Copy))


class Absence(Struct):
    """Known facts about *stages* before they run, with their parsed *conditions*.

    *final* maps each finally stage to the span that names it; finally stages run even if all others have failed.
    """

    stages: Mapping[str, StageConfig]
    conditions: Mapping[str, Condition]
    final: Mapping[str, Span]

    def cause(self, producer: str, reader: str) -> Span | None:
        """Return the span of the reason why *producer* may have no outputs when *reader* runs, or None."""
        stage = self.stages[producer]
        if reader in self.final:
            return self.final[reader]
        if _may_fail(stage):
            cause = stage.approve if stage.has_optional_approval else stage.allow_failure
            return cause.span if cause is not None else None
        if stage.when is None or implies(self.conditions.get(reader), self.conditions.get(producer)):
            return None
        return stage.when.span

    def is_certain(self, stage: str) -> bool:
        """Return whether *stage* binds all its outputs in every run that continues after it."""
        return stage not in self.conditions and not _may_fail(self.stages[stage])

    def check_resources(self, stage: str, steps: Sequence[Step], report: Report) -> None:
        """Report images and containers that may be absent; a default cannot replace an image."""
        for step in steps:
            if type(step) not in _READERS:
                continue
            resources: list[Image | Container] = [step.image] if isinstance(step, RunContainer | PublishImage) else []
            if isinstance(step, Copy):
                resources += [file.container for file in step.entries]
            for resource in resources:
                reference = (resource.id if isinstance(resource, Image) else resource.name).reference
                if (
                    resource.producer is None
                    or resource.producer == stage
                    or reference is None
                    or reference.default is None
                ):
                    continue
                cause = self.cause(resource.producer, stage)
                if cause is not None:
                    producer = self.stages[resource.producer].display_name
                    report.add(
                        codes.MAY_BE_ABSENT,
                        f'"{reference}" may be absent, and a default cannot replace an output of stage "{producer}"',
                        at=reference.span,
                        related=[Label(cause, "its outputs may be absent")],
                        hint=f'give stage "{self.stages[stage].display_name}" the same "when"',
                    )


def _may_fail(stage: StageConfig) -> bool:
    """Return whether the stages after *stage* run even if it fails."""
    node = stage.allow_failure.node if stage.allow_failure else None
    return stage.has_optional_approval or (node is not None and not is_false(node))
