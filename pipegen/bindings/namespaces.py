"""What the names that a stage may read mean."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pipegen.bindings.groups import Groups
from pipegen.bindings.names import Bound
from pipegen.config.model import Stage
from pipegen.source.text import Span
from pipegen.structs import Struct, field


class Namespaces(Struct):
    """What a pipeline's stages bind, and which pipelines hold a stage of another name.

    *stages* holds all stages of the pipeline, *bound* their names in order, *providers* the
    stages that have a step, *homes* all stages of the file, each with its pipelines; *groups*
    says what the user's names of stages mean. *inputs* are the names of the file's parameters,
    *final* the finally stages with the places that name them.
    *absence* tells why a stage may have left nothing when another one, which comes after it,
    runs; None where it cannot. *plain* are the `plain_stages`, where they are known.
    """

    stages: Mapping[str, Stage]
    bound: Mapping[str, tuple[Bound, ...]]
    providers: Mapping[str, tuple[str, ...]]
    homes: Mapping[str, tuple[str, ...]]
    groups: Groups
    inputs: Collection[str] = ()
    final: Mapping[str, Span] = field(default_factory=dict)
    absence: Callable[[str, str], Span | None] = lambda _, __: None
    plain: Collection[str] = ()
