"""Hidden jobs: keys that several jobs share, written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.tools import JobTools
from pipegen.targets.gitlab.model import Document, GitLabJob, Hidden


class Share(Struct):
    """The hidden job *extends* of a job, "" for none, and the keys that the job writes itself."""

    extends: str
    own: JobTools


class Sharing(Struct):
    """The hidden jobs of a file, and the share of each job by its tools."""

    hidden: tuple[Hidden, ...]
    shares: Mapping[JobTools, Share]


def sharing(used: Iterable[JobTools]) -> Sharing:
    """Return the hidden jobs for the tools in *used*: every repeated value is in a hidden job."""
    counts = Counter(used)
    groups: dict[JobTools, list[JobTools]] = {}
    for tools in counts:
        groups.setdefault(replace(tools, before_script=()), []).append(tools)
    hidden: list[Hidden] = []
    shares: dict[JobTools, Share] = {}
    numbers: Counter[str] = Counter()
    for common, members in groups.items():
        values = _shared(common, [tools for tools in members if counts[tools] > 1], len(members))
        hidden_by_tools = {tools: _hidden(tools, number) for number, tools in enumerate(values, numbers[common.kind])}
        numbers[common.kind] += len(values)
        hidden += hidden_by_tools.values()
        shares |= {tools: _share(tools, common, hidden_by_tools) for tools in members}
    return Sharing(tuple(hidden), shares)


def without_single_users(document: Document) -> Document:
    """Return *document* without the hidden jobs that only one job extends, which has their keys itself."""
    counts = Counter([job.extends for job in document.jobs])
    return _without([hidden for hidden in document.hidden if counts[hidden.name] == 1], document)


def without_single_images(document: Document) -> Document:
    """Return *document* without the hidden jobs that are only an image, which is as short in the jobs themselves."""
    return _without([hidden for hidden in document.hidden if hidden == _only_image(hidden)], document)


def _only_image(hidden: Hidden) -> Hidden:
    return Hidden(name=hidden.name, image=hidden.image)


def _without(removed: Sequence[Hidden], document: Document) -> Document:
    """Return *document* with the keys of the *removed* hidden jobs in the jobs that extend them."""
    if not removed:
        return document
    by_name = {hidden.name: hidden for hidden in removed}
    return replace(
        document,
        hidden=tuple(hidden for hidden in document.hidden if hidden.name not in by_name),
        jobs=tuple(
            replace(with_tools(job, by_name[job.extends]), extends="") if job.extends in by_name else job
            for job in document.jobs
        ),
    )


def with_tools(job: GitLabJob, hidden: Hidden | None) -> GitLabJob:
    """Return *job* with the keys of the *hidden* job that it extends, if any."""
    if hidden is None:
        return job
    return replace(
        job,
        image=job.image or hidden.image,
        services=job.services or hidden.services,
        variables=(*hidden.variables, *job.variables),
        before_script=job.before_script or hidden.before_script,
        after_script=job.after_script or hidden.after_script,
    )


def _shared(common: JobTools, repeated: Sequence[JobTools], members: int) -> list[JobTools]:
    """Return the *repeated* tools, or those that several *members* have in *common*."""
    empty = JobTools(kind=common.kind)
    return [tools for tools in repeated if tools != empty] or ([common] if members > 1 and common != empty else [])


def _hidden(tools: JobTools, number: int) -> Hidden:
    """Return the hidden job for *tools*, after a *number* of others of the same kind."""
    return Hidden(
        name=f".{tools.kind} {number + 1}" if number else f".{tools.kind}",
        image=tools.image,
        services=tools.services,
        variables=tools.variables,
        before_script=tools.before_script,
        after_script=tools.after_script,
    )


def _share(tools: JobTools, common: JobTools, hidden_by_tools: Mapping[JobTools, Hidden]) -> Share:
    if tools in hidden_by_tools:
        return Share(hidden_by_tools[tools].name, JobTools(kind=tools.kind))
    if hidden_by_tools and tools.before_script and common != JobTools(kind=tools.kind):
        # Its own before_script replaces that of the hidden job.
        first = next(iter(hidden_by_tools.values()))
        return Share(first.name, JobTools(kind=tools.kind, before_script=tools.before_script))
    return Share("", tools)
