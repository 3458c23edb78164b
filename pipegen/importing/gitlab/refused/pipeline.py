"""Pipelines that GitLab refuses: keys and values of another form, and jobs that cannot refer to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.reading.files import Files
from pipegen.importing.gitlab.reading.jobs import GLOBAL_KEYS, SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import Need, is_elsewhere, is_later, needs_of, values_in, whole_name
from pipegen.importing.gitlab.reading.sites import published
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.refused.forms import Wrong
from pipegen.importing.gitlab.refused.keys import wrong_in_file, wrong_in_header, wrong_in_job
from pipegen.importing.gitlab.runnable import combinations_of
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Node, child, entries_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.other_files import crowded_needs

_NOT_WITH_RULES = ("only", "except", "start_in")


def report_refused(files: Files, source: SourcePipeline, report: Report) -> tuple[Entry, ...]:
    """Report why GitLab refuses *source*, the jobs of *files*; each value once, even if several jobs have it.

    Return the keys that it refuses.
    """
    refused: list[Entry | None] = []
    for_all = replace(
        files.tree, entries=tuple(entry for entry in files.tree.entries if entry.key.text not in source.jobs)
    )
    for wrong in (
        *chain.from_iterable(map(wrong_in_header, files.trees)),
        *_jobs_named_as_keys(for_all),
        *wrong_in_file(for_all),
    ):
        refused.append(wrong.entry)
        _add(f'"{":".join(wrong.path)}"', wrong, report)
    known = set[Span]()
    checked: dict[int, Entry] = {}  # by the identity of values: those of templates are shared
    for job in source.jobs.values():
        new = {id(entry.value): entry for entry in job.entries.values() if id(entry.value) not in checked}
        checked |= new
        keys = TreeMapping(tuple(new.values()), job.span)
        for wrong in (*wrong_in_job(keys), *_combined(job), *_elsewhere(job), *_references(job, source)):
            refused.append(wrong.entry)
            if wrong.span not in known:
                known.add(wrong.span)
                _add(f'"{":".join(wrong.path)}" of job "{job.name}"', wrong, report)
    if not source.jobs and source.is_complete:
        start = Span(files.tree.span.file, 0, 0)
        _add("the pipeline", Wrong(start, "it has no job", "add a job whose name does not begin with a dot"), report)
    return tuple(entry for entry in refused if entry is not None)


def _jobs_named_as_keys(tree: TreeMapping) -> Iterator[Wrong]:
    """Yield entries of *tree* that have a script, but the name of a key for all jobs, such as `image`."""
    for entry in tree.entries:
        name = entry.key.text
        if name in GLOBAL_KEYS and child(entry.value, "script") is not None:
            yield Wrong(entry.key.span, "a job cannot have the name of this key", "rename the job", (name,), entry)


def _add(subject: str, wrong: Wrong, report: Report) -> None:
    report.add(codes.NOT_IMPORTED, f"GitLab refuses {subject}: {wrong.reason}", at=wrong.span, hint=wrong.hint)


def _combined(job: SourceJob) -> Iterator[Wrong]:
    """Yield keys of *job* that GitLab does not accept together."""
    if job.get("rules") is not None:
        for key in _NOT_WITH_RULES:
            if job.get(key) is not None:
                yield _wrong(job, key, 'it is not allowed with "rules"', "remove one of them")
    elif (text_of(job.get("when")) == "delayed") != (job.get("start_in") is not None):
        key, reason = (
            ("start_in", 'it needs "when: delayed"') if job.get("start_in") else ("when", 'it needs "start_in"')
        )
        yield _wrong(job, key, reason, "add it")
    if job.get("trigger") is not None and job.get("script") is not None:
        yield _wrong(job, "script", 'it is not allowed with "trigger"', "remove one of them")
    artifacts = job.get("artifacts")
    if isinstance(artifacts, TreeMapping):
        yield from _combined_artifacts(artifacts)
    if job.get("publish") is not None and not published(job.name, job.entries):
        yield _wrong(job, "publish", 'it needs "pages"', 'write "pages: { publish: FOLDER }"')


def _combined_artifacts(keys: TreeMapping) -> Iterator[Wrong]:
    """Yield keys of artifacts that GitLab does not accept together: https://docs.gitlab.com/ci/yaml/#artifactspublic."""
    public, link = keys.entry("public"), keys.entry("expose_as")
    if public is not None and keys.get("access") is not None:
        path = ("artifacts", "public")
        yield Wrong(public.key.span, 'it is not allowed with "access"', "remove one of them", path, public)
    paths = texts_of(keys.get("paths"))
    if link is not None and (not paths or any("*" in path for path in paths)):
        reason = 'it needs "paths"' if not paths else 'it is not allowed with "*" in "paths"'
        yield Wrong(link.key.span, reason, "name the paths, or remove it", ("artifacts", "expose_as"), link)


def _elsewhere(job: SourceJob) -> Iterator[Wrong]:
    """Yield needs of *job* on more jobs of other projects or pipelines than GitLab allows."""
    node = job.get("needs")
    reason = crowded_needs(
        {entry.key.text for entry in entries_of(need)} for need in flat_items(node) if is_elsewhere(need)
    )
    if node is not None and reason:
        yield Wrong(node.span, reason, "download the files of some in the script", ("needs",))


def _references(job: SourceJob, source: SourcePipeline) -> Iterator[Wrong]:
    """Yield the references of *job* to other jobs that GitLab refuses, except needs on jobs that do not exist."""
    needs = needs_of(job, source) or ()
    yield from _needs(needs, job, source)
    yield from _dependencies(needs, job, source)
    yield from _stops(job, source)


def _needs(needs: Sequence[Need], job: SourceJob, source: SourcePipeline) -> Iterator[Wrong]:
    """Yield *needs* of *job* on jobs of later stages, on combinations that do not exist, and those named twice."""
    named = set[str]()
    for need in needs:
        if is_later(need.name, job, source):
            yield _later(need.node, "needs", need.name)
        elif need.name in source.jobs and need.combinations is not None and not need.own_axes:
            existing = {values_in(name) for name, _ in combinations_of(source.jobs[need.name], has_numbers=False)}
            for name in need.combinations:
                if values_in(name) not in existing:
                    yield Wrong(need.node.span, f'there is no job "{name}"', "name values of its matrix", ("needs",))
        if need.combinations is None and not need.own:
            if need.name in named:
                yield Wrong(need.node.span, f'it names "{need.name}" twice', "name it once", ("needs",))
            named.add(need.name)


def _dependencies(needs: Sequence[Need], job: SourceJob, source: SourcePipeline) -> Iterator[Wrong]:
    """Yield `dependencies` of *job* on jobs that do not exist, of later stages, and of none of its *needs*."""
    needed = {text_of(need.node.get("job") if isinstance(need.node, TreeMapping) else need.node) for need in needs}
    has_others = any(map(is_elsewhere, flat_items(job.get("needs"))))
    for item in flat_items(job.get("dependencies")):
        name = text_of(item)
        if whole_name(name, source.jobs) not in source.jobs and source.is_complete:
            yield Wrong(item.span, f'there is no job "{name}"', "name a job of an earlier stage", ("dependencies",))
        elif is_later(whole_name(name, source.jobs), job, source):
            yield _later(item, "dependencies", name)
        elif (needed or has_others) and name not in needed:
            reason = f'"needs" does not name "{name}"'
            yield Wrong(item.span, reason, 'add it to "needs", or remove it here', ("dependencies",))


def _stops(job: SourceJob, source: SourcePipeline) -> Iterator[Wrong]:
    """Yield why the job that *job* names cannot stop its environment."""
    environment = job.get("environment")
    stop = child(environment, "on_stop")
    if stop is None or not isinstance(environment, TreeMapping) or not source.is_complete:
        return
    name = text_of(stop)
    other = source.jobs[name].get("environment") if name in source.jobs else None
    is_same = isinstance(other, TreeMapping) and text_of(other.get("name")) == text_of(environment.get("name"))
    if not is_same or not isinstance(other, TreeMapping) or text_of(other.get("action")) != "stop":
        reason = f'"{name}" is not a job that stops this environment'
        yield Wrong(
            stop.span, reason, f'add "action: stop" and this environment to "{name}"', ("environment", "on_stop")
        )


def _later(node: Node, key: str, name: str) -> Wrong:
    return Wrong(node.span, f'"{name}" is in a later stage', "name a job of the same or an earlier stage", (key,))


def _wrong(job: SourceJob, key: str, reason: str, hint: str) -> Wrong:
    entry = job.entries[key]
    return Wrong(entry.key.span, reason, hint, (key,), entry)
