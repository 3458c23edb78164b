"""What the names that a stage may read mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from pipegen.bindings.groups import Groups, plain_stages
from pipegen.bindings.names import Bound, in_tag, providers
from pipegen.config.model import StageConfig
from pipegen.source.text import Span
from pipegen.structs import Struct, field


class Namespaces(Struct, dict=True, gc=True):
    """What a pipeline's stages bind, and which pipelines hold a stage of another name.

    *stages* holds all stages of the pipeline, *bound* what they bind by name, *homes* all stages
    of the file, each with its pipelines. *inputs* are the names of the file's parameters,
    *final* the finally stages with the places that name them.
    *absence* tells why a stage may have left nothing when another one, which comes after it,
    runs; None where it cannot.
    """

    stages: Mapping[str, StageConfig]
    bound: Mapping[str, Mapping[str, Bound]]
    homes: Mapping[str, tuple[str, ...]]
    inputs: Collection[str] = ()
    final: Mapping[str, Span] = field(default_factory=dict)
    absence: Callable[[str, str], Span | None] = lambda _, __: None

    @cached_property
    def groups(self) -> Groups:
        """What the user's names of stages mean."""
        return Groups.of(self.stages.values())

    @cached_property
    def plain(self) -> frozenset[str]:
        """The stages of which a reference mostly means the one thing."""
        return plain_stages(self.stages, self.final)

    @cached_property
    def providers(self) -> Mapping[str, tuple[str, ...]]:
        """The stages that have each step that binds names."""
        return providers(self.bound)

    @cached_property
    def tags(self) -> Counter[str]:
        """How many stages have each name in the tag of an image, in small letters as tags are."""
        return Counter([in_tag(stage.own_name).lower() for stage in self.stages.values()])
