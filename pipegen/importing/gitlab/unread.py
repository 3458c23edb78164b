"""Files that only GitLab reads: it includes them, and the generated file has the stages of their jobs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
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


# GitLab ignores `timeout` there.
_OF_DEFAULT = ("image", "services", "cache", "before_script", "after_script")


def report_keys_of_all_jobs(
    source: SourcePipeline, tree: TreeMapping, generated: Collection[Entry], report: Report
) -> None:
    """Report defaults and variables of *tree* that jobs of unread files get, but not from the *generated* file.

    *source* has the jobs of *tree*.
    """
    if not source.unread:
        return
    values = {entry.key.text: entry.value for entry in generated}
    defaults, variables = present(values.get("default")), present(values.get("variables"))
    for entry in tree.entries:
        keys = {entry.key.text: entry} if entry.key.text in _OF_DEFAULT else {}
        if entry.key.text == "default":
            keys = {key: each for key, each in present(entry.value).items() if key != "timeout"}
        lost = [
            key
            for key, each in keys.items()
            if key not in defaults or raw_data(each.value) != raw_data(defaults[key].value)
        ]
        _report_lost("default", lost, entry.key.span, report)
    texts = {name: _text(entry) for name, entry in variables.items()}
    lost_variables = {
        name: variable
        for name, variable in source.variables.items()
        if name not in texts or with_variables(variable.text) != with_variables(texts[name])
    }
    if lost_variables:
        first = next(iter(lost_variables.values()))
        _report_lost("variable", [*lost_variables], first.entry.key.span, report)


def _text(variable: Entry) -> str:
    keys = present(variable.value)
    return text_of(keys["value"].value if "value" in keys else variable.value)


def _report_lost(kind: str, names: Sequence[str], at: Span, report: Report) -> None:
    """Report that jobs of unread files no longer get the *names*, which are all of this *kind*."""
    if names:
        others = f" and {len(names) - 1} other{'s' if names[2:] else ''}" if names[1:] else ""
        report.add(
            codes.NOT_IMPORTED,
            f'jobs of files that are not read do not get the {kind} "{names[0]}"{others}',
            at=at,
            hint='write what they need to a file of the repository, and add it to "include" of the target',
        )
