"""Files that only GitLab reads: it includes them, and the generated file has the stages of their jobs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.emit.yaml import Value
from pipegen.importing.arcs import depths
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.order import Order
from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.importing.gitlab.stages.keys.base import present, raw_data
from pipegen.importing.gitlab.stages.texts import with_variables
from pipegen.readback.gitlab_file import FIRST_STAGE, LAST_STAGE
from pipegen.source.text import Span
from pipegen.source.tree import Entry
from pipegen.source.tree import Mapping as TreeMapping


def include_settings(source: SourcePipeline, order: Order) -> dict[str, Value]:
    """Return the settings that include the unread files of *source*.

    Their jobs have stages of *source*, each of which comes after the last of the earlier jobs in *order*.
    """
    depth = depths(order.before)
    predecessors: dict[str, Value] = {}
    for number, stage in enumerate(source.stages):
        earlier = [name for name in order.before if source.jobs[name].stage_number < number]
        if stage not in (FIRST_STAGE, LAST_STAGE):
            predecessors[stage] = max(earlier, key=lambda name: depth[name], default=None)
    return {"include": [raw_data(item) for item in source.unread], "include_stages": predecessors}


# Keys of the file that are defaults, too.
_OF_DEFAULT = ("image", "services", "cache", "before_script", "after_script")


def report_keys_of_all_jobs(
    source: SourcePipeline, tree: TreeMapping, generated: Collection[Entry], report: Report
) -> None:
    """Report defaults and variables that jobs of unread files get only from *tree*, or only from the *generated* file.

    Report also if rules of the latter let those without rules run for merge requests. *source* has the jobs of *tree*.
    """
    if not source.unread:
        return
    values = {entry.key.text: entry.value for entry in generated}
    if "rules" in present(values.get("workflow")) and not source.has_workflow_rules:
        _report(
            "also start for merge requests if they have no rules",
            ["workflow"],
            source.unread[0].span,
            report,
            hint='add a "when" to each stage that has none, so that the generated file needs no "workflow"',
        )
    defaults, known = present(values.get("default")), set[str]()
    for entry in tree.entries:
        keys = {entry.key.text: entry} if entry.key.text in _OF_DEFAULT else {}
        if entry.key.text == "default" and "default" not in source.jobs:
            keys = present(entry.value)
        # GitLab ignores `timeout` there.
        lost = [key for key, each in keys.items() if key != "timeout" and not _has_value(defaults, each)]
        _report(f"do not get the default {listed(lost)}", lost, entry.key.span, report)
        known.update(keys)
    texts = {name: _text(entry) for name, entry in present(values.get("variables")).items()}
    variables = {
        name: variable.entry.key.span
        for name, variable in source.variables.items()
        if name not in texts or with_variables(variable.text) != with_variables(texts[name])
    }
    at = next(iter(variables.values()), source.unread[0].span)
    _report(f"do not get the variables {listed([*variables])}", variables, at, report)
    added = [key for key in defaults if key not in known]
    _report(f"get the default {listed(added)} of the generated file", added, source.unread[0].span, report)


def _has_value(defaults: Mapping[str, Entry], entry: Entry) -> bool:
    """Return whether *defaults* have the key of *entry* with the same value."""
    other = defaults.get(entry.key.text)
    return other is not None and raw_data(other.value) == raw_data(entry.value)


def _text(variable: Entry) -> str:
    keys = present(variable.value)
    return text_of(keys["value"].value if "value" in keys else variable.value)


def _report(
    difference: str,
    names: Collection[str],
    at: Span,
    report: Report,
    hint: str = 'write the keys of these jobs to a file of the repository, and add it to "include" of the target',
) -> None:
    """Report the *difference* of jobs of unread files, if it is about any *names*."""
    if names:
        report.add(
            codes.NOT_IMPORTED,
            f"jobs of files that are not read {difference}",
            at=at,
            hint=hint,
        )
