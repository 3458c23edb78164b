"""Stages as text: the code of each kind of step is written once, and each stage supplies texts."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.stages import Selected


class StepKind(Struct):
    """A kind of step, and its Groovy with `texts[0]` and so on for the texts of stages."""

    name: str
    code: str


class PipelineRange(Struct):
    """The tables of some pipelines: the numbers of the *first* and the *last*."""

    selected: Selected
    first: int
    last: int


class Tables(Struct, kw_only=True):
    """Stages as text.

    Attributes:
        texts: the tables; the first has the number 1.
        spans: the tables of each pipeline.
        calls: the spans by the function that declares their stages, () if that is done in place.
        steps: the kinds of steps, grouped by function.
        values: the kinds of arguments and conditions, grouped by function.
        words: the first words of the lines of stages, such as "agent".
        too_large: the stages with a step that is too large for a function.
    """

    texts: tuple[str, ...]
    spans: tuple[PipelineRange, ...]
    calls: tuple[tuple[PipelineRange, ...], ...] = ()
    steps: tuple[tuple[StepKind, ...], ...]
    values: tuple[tuple[StepKind, ...], ...]
    words: frozenset[str]
    too_large: tuple[str, ...]
