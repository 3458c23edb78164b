"""Jobs with names that a config reserves, which become stages with other names."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import is_elsewhere, whole_name
from pipegen.source.tree import Entry, Node, Scalar
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.structs import replace

# The keys of a job that name other jobs, each with the keys in its value that do; "" is a text in it.
_REFERENCES: Mapping[str, tuple[str, ...]] = {
    "needs": ("", "job"),
    "dependencies": ("",),
    "environment": ("on_stop",),
    "trigger": ("include", "job"),
    "rules": ("needs",),
}


def with_free_names(source: SourcePipeline, report: Report) -> SourcePipeline:
    """Return *source* with other names for the jobs whose names a config reserves, which are reported."""
    names: dict[str, str] = {}
    for reserved in StageConfig.RESERVED_NAMES:
        if reserved in source.jobs:
            name = f"{reserved}-job"
            while name in source.jobs:
                name += "-"
            names[reserved] = name
            report.add(
                codes.NOT_IMPORTED,
                f'job "{reserved}" becomes stage "{name}", because a config reserves its name',
                at=source.jobs[reserved].span,
                hint="use the new name where files of other projects name the job",
            )
    if not names:
        return source
    jobs = (_with_references(job, names) for job in source.jobs.values())
    renamed = [replace(job, name=names.get(job.name, job.name)) for job in jobs]
    return replace(source, jobs={job.name: job for job in renamed})


def _with_references(job: SourceJob, names: Mapping[str, str]) -> SourceJob:
    entries = {
        key: Entry(entry.key, _renamed(entry.value, _REFERENCES[key], names)) if key in _REFERENCES else entry
        for key, entry in job.entries.items()
    }
    return replace(job, entries=entries)


def _renamed(node: Node, keys: tuple[str, ...], names: Mapping[str, str]) -> Node:
    """Return *node* with the new *names* of jobs in its texts, if "" is one of *keys*, and in the values of *keys*."""
    match node:
        case Scalar() if "" in keys and (whole := whole_name(node.text, names)) in names:
            return replace(node, text=names[whole] + node.text.removeprefix(whole))
        case TreeSequence():
            return replace(node, items=tuple(_renamed(item, keys, names) for item in node.items))
        case TreeMapping() if not is_elsewhere(node):
            entries = (
                Entry(entry.key, _renamed(entry.value, _inner(entry.key.text), names))
                if entry.key.text in keys
                else entry
                for entry in node.entries
            )
            return replace(node, entries=tuple(entries))
    return node


def _inner(key: str) -> tuple[str, ...]:
    """Return the keys in the value of *key* that name jobs."""
    return {"needs": _REFERENCES["needs"], "include": ("job",)}.get(key, ("",))
