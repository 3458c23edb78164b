"""What the user wrote, as things with names.

Where PipelineLib interpolates a value, the model holds its node of the tree;
None stands for what the user left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise, product
from typing import ClassVar

from pipegen.source.text import Located, SourceFile, Span
from pipegen.source.tree import Mapping, Node
from pipegen.structs import SpannedStruct, Struct


class BuildStep(SpannedStruct, kw_only=True):
    """The `build` step; *variant* None builds the variant named as the stage."""

    variant: Node | None = None
    context: Node | None = None
    excludes: Node | None = None
    pull_policy: Node | None = None
    span: Span


class RunStep(SpannedStruct, kw_only=True):
    """The `run` step."""

    image: Node | None = None
    arguments: Node | None = None
    env: Node | None = None
    credentials: Node | None = None
    tail: int = 0
    span: Span


class PublishStep(SpannedStruct, kw_only=True):
    """The `publish.image` step."""

    id: Node | None = None
    name: Node | None = None
    tag: Node | None = None
    tags: Node | None = None
    span: Span


class DeployStep(SpannedStruct, kw_only=True):
    """The `deploy` step."""

    image: Node | None = None
    tag: Node | None = None
    chart_name: Node | None = None
    chart_version: Node | None = None
    test: bool = True
    timeout: Node | None = None
    overrides: Node | None = None
    span: Span


class TriggerStep(SpannedStruct, kw_only=True):
    """The `trigger` step."""

    name: Located[str]
    parameters: tuple[tuple[Located[str], Node], ...] = ()
    propagate: bool = True
    wait: bool = False
    span: Span


class Email(SpannedStruct, kw_only=True):
    """Who is told by mail when a stage fails, and how."""

    to: Node | None = None
    subject: Node | None = None
    body: Node | None = None
    span: Span


class StepValue(SpannedStruct):
    """A step that is one value, with the place of its key."""

    node: Node
    span: Span


class CombinationOf(Struct, kw_only=True):
    """Which combination of a matrix stage a stage is.

    Attributes:
        stage: the stage as the user named it.
        values: the combination's axes, each with its value.
        axes: the axes that any combination of the stage has.
        like: the stage whose combinations these are, whose combinations those are, and so on.
    """

    stage: str
    values: tuple[tuple[str, str], ...]
    axes: tuple[str, ...]
    like: tuple[str, ...] = ()


class StageConfig(SpannedStruct, kw_only=True):
    """A stage; *promote* with no node raises the version of the project's own chart.

    What is a `Value` here is read where the plan is built: by the module of `plan` that is named as the key, or as
    what it belongs to. A stage of a pipeline that runs in the place of another stage stands *within* that one:
    `stage / `, which its name begins with. What it says of other stages, it says of those that stand there too.
    """

    UNCOMPARED: ClassVar = ("body",)

    name: Located[str]
    within: str = ""
    combination: CombinationOf | None = None
    body: Mapping | None = None
    pipeline: StepValue | None = None
    directory: Located[str] | None = None
    shell: Located[str] | None = None
    image: StepValue | None = None
    services: StepValue | None = None
    agent: StepValue | None = None
    resources: StepValue | None = None
    secrets: StepValue | None = None
    when: StepValue | None = None
    matrix: StepValue | None = None
    retry: StepValue | None = None
    timeout: StepValue | None = None
    allow_failure: StepValue | None = None
    approve: StepValue | None = None
    environment: StepValue | None = None
    lock: StepValue | None = None
    interruptible: StepValue | None = None
    script: StepValue | None = None
    after: StepValue | None = None
    reports: StepValue | None = None
    cache: StepValue | None = None
    reuse: StepValue | None = None
    raw: StepValue | None = None
    env: StepValue | None = None
    outputs: StepValue | None = None
    artifacts: StepValue | None = None
    files_from: StepValue | None = None
    blubberfile: Node | None = None
    build: BuildStep | None = None
    run: RunStep | None = None
    copy: StepValue | None = None
    publish: PublishStep | None = None
    promote: StepValue | None = None
    deploy: DeployStep | None = None
    exports: tuple[tuple[Located[str], Node], ...] = ()
    trigger: TriggerStep | None = None
    email: Email | None = None

    @property
    def own_name(self) -> str:
        """The name that it has in its own pipeline."""
        return self.name.value.removeprefix(self.within)

    @property
    def said(self) -> str:
        """The name by which the user knows it: the combinations of a matrix stage share it."""
        return self.combination.stage if self.combination is not None else self.name.value.removeprefix(self.within)


class Arc(SpannedStruct):
    """Stages that run one after the other; those of one group run side by side."""

    groups: tuple[tuple[Located[str], ...], ...]
    span: Span

    @property
    def stages(self) -> tuple[Located[str], ...]:
        """All stages, as they are written."""
        return tuple(chain.from_iterable(self.groups))

    def pairs(self) -> Iterator[tuple[Located[str], Located[str]]]:
        """Yield each stage with each that comes directly after it."""
        return chain.from_iterable(product(earlier, later) for earlier, later in pairwise(self.groups))


class Fetch(Struct, kw_only=True):
    """How the repository is fetched, with PipelineLib's defaults."""

    shallow: bool = True
    depth: int = 20
    submodules: bool = True
    tags: bool = False


class PipelineConfig(Struct, kw_only=True):
    """A pipeline; *arcs* None is the order in which the stages are written.

    Arcs, and values that name stages, do so as the user does, also once *stages* are combinations.
    """

    name: Located[str]
    stages: tuple[StageConfig, ...]
    arcs: tuple[Arc, ...] | None = None
    blubberfile: Node | None = None
    directory: Located[str] | None = None
    fetch: Fetch | None = None
    email: Email | None = None
    workspace: Located[str] | None = None
    when: StepValue | None = None
    schedule: StepValue | None = None
    concurrency: StepValue | None = None
    fail_fast: StepValue | None = None
    finally_: StepValue | None = None


class Config(SpannedStruct, kw_only=True):
    """A whole config: its pipelines in the user's order, its parameters, and the settings of targets by name."""

    UNCOMPARED: ClassVar = ("file",)

    file: SourceFile
    pipelines: tuple[PipelineConfig, ...]
    inputs: tuple[tuple[Located[str], Node], ...] = ()
    targets: tuple[tuple[Located[str], Mapping], ...] = ()
