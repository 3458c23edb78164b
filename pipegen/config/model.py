"""The model of the user's config.

Values in which PipelineLib interpolates references are kept as nodes of the tree; None means that the key is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise, product
from typing import ClassVar

from pipegen.source.text import Located, SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, child, entries_of, is_true
from pipegen.structs import SpannedStruct, Struct

# Keys of `artifacts` that also say how reports are retained.
RETENTION_OF_REPORTS = frozenset({"expire", "access"})
# The name of a stage and the text in brackets, as in a reference.
_SELECTION = re.compile(r"(.+)\[([^\]{}\n]*)\]")


class BuildStep(SpannedStruct, kw_only=True):
    """The `build` step; without *variant*, it builds the variant with the stage's name."""

    variant: Node | None
    context: Node | None = None
    excludes: Node | None = None
    pull_policy: Node | None = None
    span: Span


class RunStep(SpannedStruct, kw_only=True):
    """The `run` step."""

    image: Node | None
    arguments: Node | None
    env: Node | None
    credentials: Node | None
    tail: int
    span: Span


class PublishStep(SpannedStruct, kw_only=True):
    """The `publish.image` step."""

    id: Node | None
    name: Node | None
    tag: Node | None
    tags: Node | None
    span: Span


class DeployStep(SpannedStruct, kw_only=True):
    """The `deploy` step."""

    image: Node | None
    tag: Node | None
    chart_name: Node | None
    chart_version: Node | None
    test: bool
    timeout: Node | None
    overrides: Node | None
    span: Span


class TriggerFile(Struct):
    """A file of a child pipeline: the *path* in the repository, or in the artifacts of *stage*."""

    path: Located[str]
    stage: Located[str] | None = None


class TriggerStep(SpannedStruct, kw_only=True):
    """The `trigger` step; *name* is "" for a child pipeline of the files *include*."""

    name: Located[str]
    include: tuple[TriggerFile, ...]
    forward: bool
    parameters: tuple[tuple[Located[str], Node], ...]
    propagate: bool
    wait: bool
    span: Span


class Email(SpannedStruct, kw_only=True):
    """The email that is sent when a stage fails."""

    to: Node | None
    subject: Node | None
    body: Node | None
    span: Span


class StepValue(SpannedStruct):
    """A step with a single value; *span* is that of its key."""

    node: Node
    span: Span


class CombinationOf(Struct, kw_only=True):
    """The combination of a matrix that a stage runs.

    Attributes:
        stage: the user's name of the matrix stage.
        values: the combination's axes, each with its value.
        axes: the axes that some combination of the stage has.
        sources: the stage that it takes its combinations from, the stage that this one takes them from, and so on.
    """

    stage: str
    values: tuple[tuple[str, str], ...]
    axes: tuple[str, ...]
    sources: tuple[str, ...]


class StageConfig(SpannedStruct, kw_only=True):
    """A stage; *promote* with no node raises the version of the project's own chart.

    Each `StepValue` is parsed when the plan is built, by the module of `plan` with the name of the key or its subject.
    A stage of a called pipeline has the calling stage in *within*, as the prefix `stage / ` of its name. Its references
    to other stages are to those with the same prefix.
    """

    UNCOMPARED: ClassVar = ("body", "templates")
    RESERVED_NAMES: ClassVar = ("setup", "teardown")

    name: Located[str]
    within: str = ""
    combination: CombinationOf | None = None
    # The webhook of a stage whose name no reference to its result can contain.
    unreadable_webhook: Span | None = None
    # Whether it only posts the result of the pipeline, as the user's webhook.
    posts: bool = False
    # The status of the pipeline for which it runs at the end, "" for any.
    on_status: str = ""
    body: Mapping | None = None
    # The names of the templates that it extends, directly or through others.
    templates: tuple[str, ...] = ()
    pipeline: StepValue | None = None
    directory: Located[str] | None = None
    fetch: StepValue | None = None
    shell: Located[str] | None = None
    image: StepValue | None = None
    services: StepValue | None = None
    agent: StepValue | None = None
    resources: StepValue | None = None
    runner_variables: StepValue | None = None
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
    before: StepValue | None = None
    after: StepValue | None = None
    reports: StepValue | None = None
    cache: StepValue | None = None
    reuse: StepValue | None = None
    tools: StepValue | None = None
    steps: StepValue | None = None
    raw: StepValue | None = None
    env: StepValue | None = None
    cases: StepValue | None = None
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
    def is_optional(self) -> bool:
        """Whether it runs only if a person starts it, and no stage waits for it."""
        return self.has_optional_approval and self.approval_condition is None

    @property
    def has_optional_approval(self) -> bool:
        """Whether it is optional, at least in some runs."""
        if self.approve is None:
            return False
        body = self.approve.node
        return is_true(child(body, "optional"))

    @property
    def approval_condition(self) -> Entry | None:
        """The runs in which it needs an approval; None if these are all."""
        body = self.approve.node if self.approve is not None else None
        return body.entry("when") if isinstance(body, Mapping) else None

    @property
    def own_name(self) -> str:
        """The name in its own pipeline, without the prefix of the calling stage."""
        return self.name.value.removeprefix(self.within)

    @property
    def display_name(self) -> str:
        """The name in the user's config, shared by all combinations of a matrix stage."""
        return self.combination.stage if self.combination is not None else self.name.value.removeprefix(self.within)


class StageName(Located[str]):
    """The name of a stage, and of its *combinations* the text in brackets; None for all of them."""

    combinations: str | None = None

    @classmethod
    def read(cls, name: Located[str], *, is_whole: bool) -> StageName:
        """Return *name*, without the brackets at its end unless it *is_whole*, the name of a stage."""
        match = None if is_whole else _SELECTION.fullmatch(name.value)
        return cls(match[1], name.span, match[2]) if match is not None else cls(name.value, name.span)

    @property
    def written(self) -> str:
        """The name with the brackets."""
        return self.value if self.combinations is None else f"{self.value}[{self.combinations}]"


class Arc(SpannedStruct):
    """Groups of stages that run one after the other; the stages of a group run in parallel."""

    groups: tuple[tuple[StageName, ...], ...]
    span: Span

    @property
    def stages(self) -> tuple[StageName, ...]:
        """All stages, in written order."""
        return tuple(chain.from_iterable(self.groups))

    @property
    def has_selections(self) -> bool:
        """Whether it names single combinations of a matrix stage."""
        return any(name.combinations is not None for name in self.stages)

    def pairs(self) -> Iterator[tuple[StageName, StageName]]:
        """Yield each stage with each stage of the next group."""
        return chain.from_iterable(product(earlier, later) for earlier, later in pairwise(self.groups))


class Fetch(Struct, kw_only=True):
    """How the repository is fetched, with PipelineLib's defaults."""

    shallow: bool = True
    depth: int = 20
    submodules: bool | str = True
    submodule_depth: int | None = None
    tags: bool = False
    clone: bool | None = None
    path: str = ""


class PipelineConfig(Struct, kw_only=True):
    """A pipeline; with *arcs* None, the stages run in written order.

    Arcs, and values that name stages, keep the user's names even after matrix *stages* are expanded to combinations.
    """

    name: Located[str]
    stages: tuple[StageConfig, ...]
    arcs: tuple[Arc, ...] | None
    blubberfile: Node | None
    directory: Located[str] | None
    fetch: Fetch | None
    email: Email | None
    workspace: Located[str] | None
    when: StepValue | None
    schedule: StepValue | None
    concurrency: StepValue | None
    fail_fast: StepValue | None
    timeout: StepValue | None
    finally_: StepValue | None


class Config(SpannedStruct, kw_only=True):
    """A config: its pipelines in the user's order, its inputs, and the settings of targets by name."""

    UNCOMPARED: ClassVar = ("file",)

    file: SourceFile
    pipelines: tuple[PipelineConfig, ...]
    inputs: tuple[tuple[Located[str], Node], ...] = ()
    targets: tuple[tuple[Located[str], Mapping], ...] = ()


def has_report_files(reports: Node) -> bool:
    """Return whether *reports* of a stage have files: a percentage of the coverage is from the log."""
    return any(
        entry.key.text != "coverage" or not isinstance(entry.value, Mapping) or entry.value.get("path") is not None
        for entry in entries_of(reports)
    )
