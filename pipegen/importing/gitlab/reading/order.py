"""The order of jobs: stages and needs as predecessors, and the jobs whose files each job gets."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, suggestion
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.tree import items_of, text_of, texts_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node
from pipegen.structs import Struct

# The end of the name of a combination: https://docs.gitlab.com/ci/yaml/#parallelmatrix
_COMBINATION = re.compile(r"(?:: \[.*\]| \d+/\d+)$")


class Need(Struct, kw_only=True):
    """A need on the job *name*: whether its files arrive, and whether it may be missing."""

    name: str
    has_files: bool
    is_optional: bool
    node: Node
    has_combinations: bool = False


class Order(Struct):
    """The jobs directly before each job, and the jobs whose files it gets, by name; both in text order."""

    before: Mapping[str, frozenset[str]]
    files: Mapping[str, tuple[str, ...]]


def needs_of(job: SourceJob, source: SourcePipeline) -> tuple[Need, ...] | None:
    """Return the needs of *job* on jobs of *source*; None if its stage decides."""
    node = job.get("needs")
    if node is None:
        return None
    needs = []
    for item in items_of(node):
        keys = item if isinstance(item, TreeMapping) else None
        if keys is not None and (keys.get("pipeline") or keys.get("project") or not keys.get("job")):
            continue
        name = text_of(keys.get("job") if keys is not None else item)
        whole = _COMBINATION.sub("", name) if name not in source.jobs else name
        is_combination = whole in source.jobs and whole != name
        needs.append(
            Need(
                name=whole if is_combination else name,
                has_files=keys is None or text_of(keys.get("artifacts")) != "false",
                is_optional=keys is not None and text_of(keys.get("optional")) == "true",
                node=item,
                has_combinations=is_combination or (keys is not None and keys.get("parallel") is not None),
            )
        )
    # Only needs on other pipelines: the stage decides, as in GitLab's bridges with `needs: pipeline`.
    return tuple(needs) if needs or not items_of(node) else ()


def order_of(source: SourcePipeline, names: Collection[str], awaited: Collection[str]) -> Order:
    """Return the order of the jobs *names*; later stages wait only for the *awaited* ones."""
    before: dict[str, frozenset[str]] = {}
    files: dict[str, tuple[str, ...]] = {}
    for name in names:
        job = source.jobs[name]
        earlier = tuple(one for one in names if source.jobs[one].stage_number < job.stage_number)
        needs = needs_of(job, source)
        if needs is None:
            before[name] = frozenset(one for one in earlier if one in awaited)
            files[name] = earlier
        else:
            before[name] = frozenset(need.name for need in needs if need.name in names and need.name != name)
            files[name] = tuple(need.name for need in needs if need.has_files and need.name in names)
        dependencies = job.entries.get("dependencies")
        if dependencies is not None and needs is None:
            chosen = texts_of(dependencies.value)
            files[name] = tuple(one for one in earlier if one in chosen)
        elif dependencies is not None:
            chosen = texts_of(dependencies.value)
            files[name] = tuple(one for one in files[name] if one in chosen)
    return Order(before, files)


def report_needs(
    job: SourceJob, source: SourcePipeline, names: Collection[str], accounting: Accounting, report: Report
) -> None:
    """Account for `needs` and `dependencies` of *job*, and report the needs that are left out."""
    for key in ("needs", "dependencies"):
        if key in job.entries:
            accounting.mark(job.entries[key], KeyOutcome.TRANSLATED)
    for item in items_of(job.get("needs")):
        if isinstance(item, TreeMapping) and (item.get("pipeline") or item.get("project")):
            accounting.mark_value(item, KeyOutcome.REPORTED)
            report.add(
                codes.NOT_IMPORTED,
                f'the need of job "{job.name}" on another pipeline is left out',
                at=item.span,
                hint="download the files in the script",
            )
    for need in needs_of(job, source) or ():
        if need.has_combinations:
            accounting.mark_value(need.node, KeyOutcome.REPORTED)
            report.add(
                codes.NOT_IMPORTED,
                f'job "{job.name}" waits for all combinations of "{need.name}", not only for some',
                at=need.node.span,
                hint='use a matrix with "from" if each combination needs the same combination',
            )
        if need.name not in names:
            _report_missing(job, need, source, accounting, report)


def _report_missing(job: SourceJob, need: Need, source: SourcePipeline, accounting: Accounting, report: Report) -> None:
    if need.name in source.jobs:
        return  # a job that is left out has been reported
    accounting.mark_value(need.node, KeyOutcome.REPORTED)
    if not need.is_optional:
        similar = suggestion(need.name, source.jobs)
        report.add(
            codes.NOT_IMPORTED if source.is_complete else codes.INCLUDE_NOT_READ,
            f'the need of job "{job.name}" on "{need.name}" is left out: the job is not in the files',
            at=need.node.span,
            hint=f'write "{similar}"' if similar and source.is_complete else "add the job as a stage",
        )
