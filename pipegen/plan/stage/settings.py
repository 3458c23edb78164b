"""The settings of a stage, without its steps: artifacts, caches, deployment."""

from __future__ import annotations

from pipegen.bindings.names import START
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.files.artifacts import checked_path
from pipegen.plan.files.caches import caches
from pipegen.plan.files.retention import StageFiles, stage_files
from pipegen.plan.model import Cache, Deployment, PluginCall, PluginSteps, Reuse
from pipegen.plan.stage.commands import check_no_variables, variables
from pipegen.plan.stage.deployments import deployment
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, child, items_of, scalars_of
from pipegen.structs import Struct


class StageSettings(Struct, kw_only=True):
    """The settings of a stage, without its steps."""

    files: StageFiles
    caches: tuple[Cache, ...]
    deployment: Deployment
    plugin_steps: PluginSteps | None
    raw: tuple[tuple[str, Mapping], ...]
    reuse: Reuse | None


def stage_settings(stage: StageConfig, directory: str, values: StageValues) -> StageSettings:
    """Return the settings of *stage*, which runs in *directory*; its steps have been read."""
    _check_alone(stage, values.report)
    check_no_variables(stage, values.report)
    return StageSettings(
        files=stage_files(stage, directory, values),
        caches=caches(stage, directory, values),
        deployment=deployment(stage, values),
        plugin_steps=plugin_steps(stage, values),
        raw=raw(stage, values.report),
        reuse=reuse(stage, directory, values.report),
    )


def _check_alone(stage: StageConfig, report: Report) -> None:
    """Report artifacts, reports and caches of a stage without steps that could write files."""
    if any((stage.script, stage.build, stage.run, stage.copy, stage.publish, stage.promote, stage.deploy)):
        return
    for key, value in (("artifacts", stage.artifacts), ("reports", stage.reports), ("cache", stage.cache)):
        if value is not None:
            report.add(
                codes.MISSING_KEY,
                f'stage "{stage.display_name}" has "{key}" but no step that writes files',
                at=value.span,
                hint='add "script"',
            )


def plugin_steps(stage: StageConfig, values: StageValues) -> PluginSteps | None:
    """Return the steps of Jenkins' plugins of *stage*, None if it has none; *values* are those after its steps."""
    body = stage.steps.node if stage.steps is not None else None
    if stage.steps is None or not isinstance(body, Mapping):
        return None
    calls, elsewhere = body.get("jenkins"), body.get("elsewhere")
    after = calls.get("after") if isinstance(calls, Mapping) else calls
    around, before, always, failure = (child(calls, key) for key in ("around", "before", "always", "failure"))
    return PluginSteps(
        around=tuple(_call(item, values.at(START)) for item in items_of(around)),
        before=tuple(_call(item, values.at(START)) for item in items_of(before)),
        after=tuple(_call(item, values) for item in items_of(after)),
        always=tuple(_call(item, values.at(START)) for item in items_of(always)),
        failure=tuple(_call(item, values.at(START)) for item in items_of(failure)),
        env=variables(stage, values.at(START)),
        is_skipped_elsewhere=isinstance(elsewhere, Scalar) and elsewhere.text == "skip",
        span=stage.steps.span,
    )


def _call(node: Node, values: StageValues) -> PluginCall:
    """Return the step *node*: text in Groovy, or a map of its name to its parameters."""
    if isinstance(node, Mapping):
        entry = node.entries[0]
        return PluginCall(entry.key.text, values.value(entry.value), entry.key.span)
    is_text = isinstance(node, Scalar) and node.kind is ScalarKind.TEXT
    return PluginCall(node.text.strip() if isinstance(node, Scalar) and is_text else "", None, node.span)


def raw(stage: StageConfig, report: Report) -> tuple[tuple[str, Mapping], ...]:
    """Return the `raw` keys of *stage* for each target; a note says that they are not portable."""
    node = stage.raw.node if stage.raw else None
    if stage.raw is None or not isinstance(node, Mapping) or not node.entries:
        return ()
    names = " and ".join(f'"{entry.key.text}"' for entry in node.entries)
    report.add(
        codes.NOT_PORTABLE,
        f'"raw" contains settings that work only on {names}',
        at=stage.raw.span,
        hint="check that the stage works on other engines without them",
    )
    return tuple((entry.key.text, entry.value) for entry in node.entries if isinstance(entry.value, Mapping))


def reuse(stage: StageConfig, directory: str, report: Report) -> Reuse | None:
    """Return what the result of *stage* depends on; None if each run starts it again."""
    if stage.reuse is None or (isinstance(stage.reuse.node, Scalar) and stage.reuse.node.value is not True):
        return None
    node = stage.reuse.node
    paths = (checked_path(item.located(), directory, report) for item in scalars_of(child(node, "files")))
    return Reuse(
        files=tuple(path for path in paths if path is not None),
        env=tuple(item.text for item in scalars_of(child(node, "env"))),
        span=stage.reuse.span,
    )
