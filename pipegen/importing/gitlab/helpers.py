"""Helpers in a generated file that only wait for other jobs: a config has none, and the compiler adds them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import is_elsewhere, needs_of
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.readback.gitlab_file import HELPER
from pipegen.source.tree import Entry, Node, Scalar, ScalarKind, child
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.structs import replace

# Parts of the names of those that wait for an optional stage, and that combine needs: `targets/gitlab/pipelines.py`
# and `targets/gitlab/helper_jobs/collectors.py`.
_WAIT_FOR, _COLLECT_FOR = "wait for ", "collect for "


def without_waiting_jobs(source: SourcePipeline, accounting: Accounting) -> SourcePipeline:
    """Return *source* without these helpers: jobs that need a helper need those for which it waits instead."""
    helpers = {job.name: flat_items(job.get("needs")) for job in source.jobs.values() if _only_waits(job, source)}
    if not helpers:
        return source
    for name in helpers:
        for entry in source.jobs[name].entries.values():
            accounting.mark(entry, KeyOutcome.TRANSLATED)
    jobs = {job.name: _without(helpers, job) for job in source.jobs.values() if job.name not in helpers}
    return replace(source, jobs=jobs)


def awaited(name: str, job: Node, jobs: Mapping[str, Node]) -> str:
    """Return the job for which *job* is the helper that is not in runs in which it is optional, "" for others."""
    is_waiting = name.startswith(_WAIT_FOR) and _is_helper(job, jobs)
    first = next(iter(flat_items(job.get("needs"))), None) if isinstance(job, TreeMapping) and is_waiting else None
    return "" if first is None else _job(first)


def _is_helper(job: Node | None, jobs: Mapping[str, Node]) -> bool:
    """Return whether *job*, or one of *jobs* that it extends, has the variable of helpers."""
    if not isinstance(job, TreeMapping):
        return False
    variables = job.get("variables")
    if isinstance(variables, TreeMapping) and variables.get(HELPER) is not None:
        return True
    return any(_is_helper(jobs.get(base), jobs) for base in texts_of(job.get("extends")))


def _only_waits(job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether *job* is such a helper."""
    is_named = HELPER in job.own_variables and any(words in job.name for words in (_WAIT_FOR, _COLLECT_FOR))
    needs = needs_of(job, source) if is_named and texts_of(job.get("script")) == ("true",) else None
    return bool(needs) and all(need.name in source.jobs for need in needs or ())


def _without(helpers: Mapping[str, Iterable[Node]], job: SourceJob) -> SourceJob:
    """Return *job* with the needs of *helpers* in place of these."""
    entries = dict(job.entries)
    if (needs := entries.get("needs")) is not None:
        entries["needs"] = Entry(needs.key, _sequence(_once(_expanded(flat_items(needs.value), helpers)), needs.value))
    if (dependencies := entries.get("dependencies")) is not None:
        expanded = _expanded(flat_items(dependencies.value), helpers)
        names = {_job(item): item for item in expanded if not _lacks_files(item)}
        items = (Scalar(name, item.span) for name, item in names.items())
        entries["dependencies"] = Entry(dependencies.key, _sequence(items, dependencies.value))
    return replace(job, entries=entries)


def _sequence(items: Iterable[Node], node: Node) -> Node:
    """Return *items* in place of those of *node*; a value that is not a list stays the same."""
    return TreeSequence(tuple(items), node.span) if isinstance(node, TreeSequence) else node


def _expanded(needs: Iterable[Node], helpers: Mapping[str, Iterable[Node]]) -> Iterator[Node]:
    """Yield *needs* with those of *helpers* in place of needs on these."""
    for need in needs:
        name = _job(need)
        if name not in helpers or is_elsewhere(need):
            yield need
            continue
        for inner in _expanded(helpers[name], helpers):
            yield _combined(inner, need)


def _combined(inner: Node, outer: Node) -> Node:
    """Return *inner*, a need of a helper that is needed as *outer*: both say whether it has files, and is optional."""
    keys = {} if not isinstance(inner, TreeMapping) else {entry.key.text: entry for entry in inner.entries}
    keys.setdefault("job", _entry("job", Scalar(_job(inner), inner.span)))
    for key, text in (("artifacts", "false"), ("optional", "true")):
        if text_of(child(outer, key)) == text:
            keys[key] = _entry(key, Scalar(text, inner.span, ScalarKind.BOOLEAN))
    return inner if keys.keys() == {"job"} else TreeMapping(tuple(keys.values()), inner.span)


def _entry(key: str, value: Scalar) -> Entry:
    return Entry(Scalar(key, value.span), value)


def _once(needs: Iterable[Node]) -> Iterator[Node]:
    """Return *needs* without a second one on the same job, unless only this one gets its files."""
    result: dict[str, Node] = {}
    for need in needs:
        name = f"{_job(need)} {need.get('parallel')!r}" if isinstance(need, TreeMapping) else f"{_job(need)} None"
        name = f"{number} of others" if (number := len(result)) and is_elsewhere(need) else name
        if name not in result or (_lacks_files(result[name]) and not _lacks_files(need)):
            result[name] = need
    return iter(result.values())


def _lacks_files(need: Node) -> bool:
    return text_of(child(need, "artifacts")) == "false"


def _job(need: Node) -> str:
    return text_of(need.get("job") if isinstance(need, TreeMapping) else need)
