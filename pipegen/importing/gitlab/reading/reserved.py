"""Jobs that become stages with other names: those with reserved names, and those in place of one of several files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import is_elsewhere, whole_name
from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.source.tree import Entry, Node, Scalar, ScalarKind
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.structs import replace

# Keys of a job, and keys in these, that name other jobs, each with the keys in its value that do; "" is a text in it.
_REFERENCES: Mapping[str, tuple[str, ...]] = {
    "needs": ("", "job"),
    "dependencies": ("",),
    "environment": ("on_stop",),
    "trigger": ("include", "job"),
    "rules": ("needs",),
    "include": ("job",),
    "job": ("",),
    "on_stop": ("",),
}


def with_alternatives(source: SourcePipeline, alternatives: Mapping[str, tuple[str, ...]]) -> SourcePipeline:
    """Return *source* in which needs and dependencies on jobs of several files are on all *alternatives* for them."""
    if not alternatives:
        return source
    jobs = {name: _with_references(job, alternatives) for name, job in source.jobs.items()}
    return replace(source, jobs=jobs)


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
    new = {reserved: (name,) for reserved, name in names.items()}
    jobs = (_with_references(job, new) for job in source.jobs.values())
    renamed = [replace(job, name=names.get(job.name, job.name)) for job in jobs]
    return replace(source, jobs={job.name: job for job in renamed})


def _with_references(job: SourceJob, names: Mapping[str, tuple[str, ...]]) -> SourceJob:
    entries = {
        key: Entry(entry.key, _renamed(entry.value, key, names)) if key in _REFERENCES else entry
        for key, entry in job.entries.items()
    }
    return replace(job, entries=entries)


def _renamed(node: Node, key: str, names: Mapping[str, tuple[str, ...]]) -> Node:
    """Return *node*, the value of *key*, with the new *names* of jobs: a list if a job has several."""
    if isinstance(node, TreeSequence):
        return replace(node, items=tuple(chain.from_iterable(_for_names(item, key, names) for item in node.items)))
    first, *others = _for_names(node, key, names)
    return TreeSequence((first, *others), node.span) if others else first


def _for_names(node: Node, key: str, names: Mapping[str, tuple[str, ...]]) -> Iterator[Node]:
    """Yield *node* in the value of *key* with each of the new *names* of a job; one of several needs may be missing."""
    keys = _REFERENCES[key]
    match node:
        case Scalar() if "" in keys and (whole := whole_name(node.text, names)) in names:
            texts = [replace(node, text=name + node.text.removeprefix(whole)) for name in names[whole]]
            maps = [TreeMapping((Entry(Scalar("job", text.span), text),), text.span) for text in texts]
            yield from map(_optional, maps) if key == "needs" and len(maps) > 1 else texts
        case TreeSequence():
            yield _renamed(node, key, names)
        case TreeMapping() if not is_elsewhere(node):
            entries = [
                [Entry(entry.key, value) for value in _for_names(entry.value, entry.key.text, names)]
                if entry.key.text in keys
                else [entry]
                for entry in node.entries
            ]
            maps = [replace(node, entries=chosen) for chosen in product(*entries)]
            yield from map(_optional, maps) if key == "needs" and len(maps) > 1 else maps
        case _:
            yield node


def _optional(need: TreeMapping) -> TreeMapping:
    """Return *need* as one on a job that may be missing."""
    if text_of(need.get("optional")) == "true":
        return need
    others = (entry for entry in need.entries if entry.key.text != "optional")
    value = Scalar("true", need.span, ScalarKind.BOOLEAN)
    return replace(need, entries=(*others, Entry(Scalar("optional", need.span), value)))
