"""What does nothing: stages without a step, and steps with an empty value, which PipelineLib takes for none."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Entry, Mapping, Node, Sequence, is_empty, plain

# What to write for a step that does something. An empty list asks for nothing, and says so.
_INSTEAD = {
    "build": "build: VARIANT",
    "run": "run: true",
    "publish": "publish: {image: true}",
    "publish.image": "image: true",
    "deploy": "deploy: {chart: {name: CHART}}",
    "trigger.name": "name: JOB",
}

# Keys by which a stage does something, if only to wait for a person or to take the name of an environment.
_ACTS = (
    "script",
    "build",
    "run",
    "copy",
    "publish",
    "promote",
    "deploy",
    "exports",
    "trigger",
    "pipeline",
    "approve",
    "environment",
    "raw",
)
# Keys that a stage without a step may have, as it may with PipelineLib.
_ASIDE = ("name", "description", "directory", "blubberfile", "notify")


def check_idle_stages(tree: Node, report: Report) -> None:
    """Report each stage in the config *tree* that has no step; all stages are written out."""
    for stage in _stages(tree):
        name, keys = stage.entry("name"), [entry.key.text for entry in stage.entries if entry.key.text not in _ASIDE]
        if name is not None and keys and not set(keys) & set(_ACTS):
            report.add(
                codes.IDLE_STAGE,
                f'stage "{plain(name.value)}" has no step, and does nothing',
                at=name.value.span,
                hint='add "script"; or "build" and "run", which a stage has by itself while it has nothing but a name',
            )


def check_empty_steps(tree: Node, report: Report) -> None:
    """Report each step in the config *tree* that is written and does nothing; the schema has accepted the tree."""
    for stage in _stages(tree):
        for path, instead in _INSTEAD.items():
            entry = _entry(stage, path)
            if entry is None or isinstance(entry.value, Sequence) or not is_empty(entry.value):
                continue
            step, written = path.partition(".")[0], entry.value.span.text
            report.add(
                codes.EMPTY_STEP,
                f'"{entry.key.text}: {written}" makes "{step}" do nothing'
                if step != path
                else f'"{step}: {written}" does nothing',
                at=entry.value.span,
                label="empty, and so as if it were not there",
                hint=f'write "{instead}", or remove "{step}"',
            )


def _stages(tree: Node) -> Iterator[Mapping]:
    pipelines = tree.get("pipelines") if isinstance(tree, Mapping) else None
    for entry in pipelines.entries if isinstance(pipelines, Mapping) else ():
        stages = entry.value.get("stages") if isinstance(entry.value, Mapping) else None
        items = stages.items if isinstance(stages, Sequence) else ()
        yield from (stage for stage in items if isinstance(stage, Mapping))


def _entry(stage: Mapping, path: str) -> Entry | None:
    """Return the entry at *path*, keys with dots between."""
    *outer, key = path.split(".")
    body: Node | None = stage
    for name in outer:
        body = body.get(name) if isinstance(body, Mapping) else None
    return body.entry(key) if isinstance(body, Mapping) else None
