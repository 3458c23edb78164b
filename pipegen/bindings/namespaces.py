"""The names that the stages of a pipeline can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from pipegen.bindings.groups import Groups
from pipegen.bindings.names import Bound, in_tag, providers
from pipegen.config.model import StageConfig
from pipegen.source.text import Span
from pipegen.structs import Struct, field


class Namespaces(Struct, dict=True, gc=True):
    """The stages of a pipeline, the names that they bind, and the other names in the file.

    *bound* maps stages to the names that they bind, *homes* all stages of the file to their pipelines. *inputs* are the
    names of the file's inputs, *final* the finally stages with the spans that name them.
    *absence* takes a stage and a later one, and returns the cause why the first may not have run when the second runs;
    None if it always has.
    """

    stages: Mapping[str, StageConfig]
    bound: Mapping[str, Mapping[str, Bound]]
    homes: Mapping[str, tuple[str, ...]]
    inputs: Collection[str] = ()
    final: Mapping[str, Span] = field(default_factory=dict)
    absence: Callable[[str, str], Span | None] = lambda _, __: None

    @cached_property
    def groups(self) -> Groups:
        """The stages by display name."""
        return Groups.of(self.stages.values())

    @cached_property
    def providers(self) -> Mapping[str, tuple[str, ...]]:
        """The stages that have each name-binding step, by step."""
        return providers(self.bound)

    @cached_property
    def tags(self) -> Counter[str]:
        """The number of stages that share each image tag, in lower case as tags are."""
        return Counter([in_tag(stage.own_name).lower() for stage in self.stages.values()])
