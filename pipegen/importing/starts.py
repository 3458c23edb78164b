"""The jobs or stages of a pipeline that an event starts, as its engine decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipegen.plan.events import PipelineStart
from pipegen.plan.model.facts import StartEvent
from pipegen.structs import Struct


class FileStart(Struct, kw_only=True):
    """The jobs or stages of each pipeline that an event starts, and those before each of them."""

    pipelines: tuple[PipelineStart, ...]
    before: Mapping[str, frozenset[str]]


class FileStarts(Struct, kw_only=True):
    """The events that the conditions of a file distinguish, and what each event starts."""

    events: tuple[StartEvent, ...]
    of: Callable[[StartEvent], FileStart]
