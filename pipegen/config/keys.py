"""The keys of a stage and of a pipeline, in the order of the schema: reading a config follows these tables."""

from __future__ import annotations

from pipegen.structs import Struct


class StageKey(Struct, kw_only=True):
    """A key of a stage.

    Attributes:
        name: the key; `parse.py` has a function for it, or keeps its value as it is in the field of `StageConfig`.
        is_work: whether it makes the stage do something.
        is_for_scripts: whether only scripts use it, so that stages without a script do not inherit it.
        is_local: whether an error in its value cannot change the plan of other stages.
        is_joined: whether a stage adds its commands to the inherited ones, and does not replace them.
        is_for_calls: whether a stage that runs another pipeline may have it; others are errors there.
        is_beside_short_hand: whether a stage with only such keys is the short-hand for `build` and `run`.
        is_plain_text: whether its text is used as it is, so that references in it are a mistake (`PG729`); a key whose
            schema has a pattern needs no such check.
        ignored_if_empty: the paths of values that do nothing if they are empty, each with an example.
        diff: the keys under which `pipegen diff` shows its value; none if it shows the result of another key.
    """

    name: str
    is_work: bool = False
    is_for_scripts: bool = False
    is_local: bool = False
    is_joined: bool = False
    is_for_calls: bool = False
    is_beside_short_hand: bool = False
    is_plain_text: bool = False
    ignored_if_empty: tuple[tuple[str, str], ...] = ()
    diff: tuple[str, ...] = ()


class PipelineKey(Struct):
    """A key of a pipeline.

    Attributes:
        is_local: whether an error in its value cannot change the plan of stages.
        is_for_run: whether it applies to a whole run, so that a pipeline in place of a stage shares it with its caller.
    """

    name: str
    is_local: bool = False
    is_for_run: bool = False


STAGE_KEYS = (
    StageKey(name="name", is_for_calls=True, is_beside_short_hand=True),
    StageKey(name="description", is_local=True, is_for_calls=True, is_beside_short_hand=True),
    StageKey(name="directory", is_beside_short_hand=True, is_plain_text=True, diff=("directory",)),
    StageKey(name="fetch", is_for_scripts=True, is_local=True, diff=("fetch",)),
    StageKey(name="script", is_work=True, diff=("script",)),
    StageKey(name="env", is_for_scripts=True, is_local=True, diff=("env",)),
    StageKey(name="cases", is_for_scripts=True, is_local=True, diff=("cases",)),
    StageKey(name="outputs", is_for_scripts=True, diff=("outputs",)),
    StageKey(name="artifacts", diff=("artifacts", "retention")),
    StageKey(name="files_from", diff=("files of",)),
    StageKey(name="extends"),
    StageKey(name="pipeline", is_work=True, is_for_calls=True),
    StageKey(name="before", is_for_scripts=True, is_joined=True),
    StageKey(name="after", is_for_scripts=True, is_local=True, diff=("after",)),
    StageKey(name="shell", is_for_scripts=True, diff=("shell",)),
    StageKey(name="image", is_for_scripts=True, diff=("image",)),
    StageKey(name="services", is_for_scripts=True, is_local=True, diff=("services",)),
    StageKey(name="agent", is_local=True, diff=("agent", "agent.kubernetes")),
    StageKey(name="resources", is_local=True, diff=("resources",)),
    StageKey(name="runner_variables", is_local=True, diff=("runner_variables",)),
    StageKey(name="secrets", is_for_scripts=True, diff=("secrets", "id_tokens")),
    StageKey(name="reports", is_local=True, diff=("reports",)),
    StageKey(name="cache", is_local=True, diff=("cache",)),
    StageKey(name="when", is_for_calls=True, diff=("when",)),
    StageKey(name="matrix"),
    StageKey(name="retry", is_local=True, diff=("retry",)),
    StageKey(name="timeout", is_local=True, diff=("timeout",)),
    StageKey(name="allow_failure", is_local=True, diff=("allow_failure",)),
    StageKey(name="approve", is_local=True, is_plain_text=True, diff=("approve",)),
    StageKey(name="environment", diff=("environment",)),
    StageKey(name="lock", is_local=True, is_plain_text=True, diff=("lock",)),
    StageKey(name="interruptible", is_local=True, diff=("interruptible",)),
    StageKey(name="reuse", is_local=True, diff=("reuse",)),
    StageKey(name="tools", is_for_scripts=True, is_local=True, diff=("tools",)),
    StageKey(name="steps", is_work=True, is_local=True, diff=("steps",)),
    StageKey(name="raw", is_local=True, diff=("raw",)),
    StageKey(name="blubberfile"),
    StageKey(name="build", is_work=True, ignored_if_empty=(("build", "build: VARIANT"),), diff=("build",)),
    StageKey(name="run", is_work=True, ignored_if_empty=(("run", "run: true"),), diff=("run",)),
    StageKey(name="copy", is_work=True, diff=("copy",)),
    StageKey(
        name="publish",
        is_work=True,
        ignored_if_empty=(("publish", "publish: {image: true}"), ("publish.image", "image: true")),
        diff=("publish",),
    ),
    StageKey(name="promote", is_work=True, diff=("promote",)),
    StageKey(
        name="deploy",
        is_work=True,
        ignored_if_empty=(("deploy", "deploy: {chart: {name: CHART}}"),),
        diff=("deploy",),
    ),
    StageKey(name="exports", is_work=True, diff=("exports",)),
    StageKey(name="trigger", is_work=True, ignored_if_empty=(("trigger.name", "name: JOB"),), diff=("trigger",)),
    StageKey(name="notify", is_local=True, diff=("notify",)),
)
WORK_KEYS = frozenset(key.name for key in STAGE_KEYS if key.is_work)

PIPELINE_KEYS = (
    PipelineKey("blubberfile"),
    PipelineKey("directory"),
    PipelineKey("fetch", is_local=True, is_for_run=True),
    PipelineKey("execution"),
    PipelineKey("stages"),
    PipelineKey("notify", is_local=True),
    PipelineKey("workspace", is_for_run=True),
    PipelineKey("defaults"),
    PipelineKey("when"),
    PipelineKey("schedule", is_local=True, is_for_run=True),
    PipelineKey("concurrency", is_local=True, is_for_run=True),
    PipelineKey("fail_fast", is_local=True, is_for_run=True),
    PipelineKey("timeout", is_local=True, is_for_run=True),
    PipelineKey("finally", is_for_run=True),
)
