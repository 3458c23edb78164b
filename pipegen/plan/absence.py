"""Which stages may leave nothing although those after them run: skipped ones, and those that may fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.files.readers import copied
from pipegen.plan.model import Condition, Container, Copy, Image, PublishImage, RunContainer, Step
from pipegen.plan.model.logic import implies
from pipegen.source.text import Span
from pipegen.source.tree import Scalar, ScalarKind
from pipegen.structs import Struct, field

# The steps that use images and containers which others may have made.
_USERS = frozenset((RunContainer, PublishImage, Copy))


class Absence(Struct):
    """What is known of the *stages*, whose *conditions* are read, before they run.

    *final* are the finally stages, with the places that name them: they run also where all others have failed.
    """

    stages: Mapping[str, StageConfig]
    conditions: Mapping[str, Condition]
    final: Mapping[str, Span] = field(default_factory=dict)

    def cause(self, producer: str, reader: str) -> Span | None:
        """Return why *producer* may have left nothing when *reader* runs, None where it has left all that it binds."""
        stage = self.stages[producer]
        if reader in self.final:
            return self.final[reader]
        if _may_fail(stage):
            return stage.allow_failure.span if stage.allow_failure else None
        if stage.when is None or implies(self.conditions.get(reader), self.conditions.get(producer)):
            return None
        return stage.when.span

    def is_certain(self, stage: str) -> bool:
        """Return whether *stage* leaves all that it binds in each run that goes on."""
        return stage not in self.conditions and not _may_fail(self.stages[stage])

    def check_made(self, stage: str, steps: Sequence[Step], report: Report) -> None:
        """Report images and containers that may not be there; a default stands for no image."""
        for step in steps:
            if type(step) not in _USERS:
                continue
            used: list[Image | Container] = [step.image] if isinstance(step, RunContainer | PublishImage) else []
            if isinstance(step, Copy):
                used += [file.container for file in copied(step.files)]
            for one in used:
                reference = (one.id if isinstance(one, Image) else one.name).reference
                if one.producer is None or one.producer == stage or reference is None or reference.default is None:
                    continue
                cause = self.cause(one.producer, stage)
                if cause is not None:
                    maker = self.stages[one.producer].said
                    report.add(
                        codes.MAY_BE_ABSENT,
                        f'"{reference}" may not be there, and no default stands for what stage "{maker}" makes',
                        at=reference.span,
                        also=[Label(cause, "it may leave nothing")],
                        hint=f'give stage "{self.stages[stage].said}" the same "when"',
                    )


def _may_fail(stage: StageConfig) -> bool:
    """Return whether stages after *stage* run although it has failed."""
    node = stage.allow_failure.node if stage.allow_failure else None
    return node is not None and not (
        isinstance(node, Scalar) and node.kind is ScalarKind.BOOLEAN and node.value is False
    )
