"""`before_script` and `after_script`: the commands that the scripts of several jobs share.

GitLab runs `before_script` and `script` as one script: https://docs.gitlab.com/ci/yaml/#before_script
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.condensed.conditions import (
    EXTRA_LINES,
    LEAST_SAVED_LINES,
    saved_lines,
)
from pipegen.targets.gitlab.condensed.names import hidden_name
from pipegen.targets.gitlab.model import Document, GitLabJob, Hidden, ScriptEntry

Script: TypeAlias = tuple[ScriptEntry, ...]
# Keys in the user's own text that replace scripts, or that give a job those of others.
_OF_SCRIPTS = frozenset({"extends", "inherit", "before_script", "script", "after_script", "run", "trigger"})


class _Start(Struct):
    """The *entries* with which the scripts of the jobs *names* begin, and the lines that are *saved* without copies."""

    entries: tuple[ScriptEntry, ...]
    names: frozenset[str]
    saved: int


def may_share_scripts(document: Document) -> bool:
    """Return whether jobs of *document* may get scripts from others, which replace none of the user's own text."""
    return not document.external and all(_OF_SCRIPTS.isdisjoint(job.raw) for job in document.jobs)


def _are_most(count: int, others: int) -> bool:
    """Return whether so many jobs with a script are enough for a default, which *others* replace by an empty value."""
    return count > 2 * others


def shared_script(own: Sequence[Script], values: Sequence[Script]) -> Script:
    """Return the script in *own* that nearly all jobs share, () if none; *values* include those of hidden jobs."""
    if not any(own):
        return ()
    ((script, count),) = Counter([each for each in own if each]).most_common(1)
    others = values.count(()) + sum(each not in ((), script) for each in own)
    return script if count > 1 and _are_most(count, others) else ()


def with_starts(document: Document, pipelines: Mapping[str, str]) -> Document:
    """Return *document* with the commands with which several scripts of a pipeline begin in `before_script`.

    Each job still has its own one. *pipelines* are the pipelines of jobs, none for jobs of the only one.
    """
    hidden = document.hidden_by_name()
    members: dict[str, list[GitLabJob]] = {}
    for job in document.base_jobs():
        if job.runs_stage and not _has_before_script(job, hidden.get(job.extends)):
            members.setdefault(pipelines.get(job.name, ""), []).append(job)
    lengths = {name: len(start.entries) for jobs in members.values() for start in _starts(jobs) for name in start.names}
    if not lengths:
        return document
    return replace(
        document,
        jobs=tuple(_split(job, lengths[job.name]) if job.name in lengths else job for job in document.jobs),
    )


def with_tool_starts(document: Document) -> Document:
    """Return *document* with the commands with which all scripts after that of a hidden job begin in this job."""
    starts: dict[str, Script] = {}
    for hidden in document.hidden:
        users = [job for job in document.jobs if job.extends == hidden.name and not job.before_script]
        start = _common_start([job.script for job in users]) if hidden.before_script and len(users) > 1 else ()
        if (len(users) - 1) * line_count(start) >= LEAST_SAVED_LINES:
            starts[hidden.name] = start
    if not starts:
        return document
    return replace(
        document,
        hidden=tuple(
            replace(hidden, before_script=(*hidden.before_script, *starts.get(hidden.name, ())))
            for hidden in document.hidden
        ),
        jobs=tuple(
            replace(job, script=job.script[len(starts[job.extends]) :])
            if job.extends in starts and not job.before_script
            else job
            for job in document.jobs
        ),
    )


def with_hidden_scripts(document: Document, whole: Document) -> Document:
    """Return *document* with the scripts that several jobs share in hidden jobs, where that saves lines.

    Other jobs have the whole scripts that they have in *whole*, unless these would begin with the commands of others.
    """
    by_start: dict[tuple[ScriptEntry, ...], list[GitLabJob]] = {}
    by_end: dict[tuple[ScriptEntry, ...], list[GitLabJob]] = {}
    for job in document.base_jobs():
        if job.runs_stage:
            if job.before_script:
                by_start.setdefault(job.before_script, []).append(job)
            elif job.after_script:
                by_end.setdefault(job.after_script, []).append(job)
    taken = document.names()
    hidden_jobs: list[Hidden] = []
    extending: dict[str, GitLabJob] = {}
    for jobs in (*by_start.values(), *by_end.values()):
        before, after = jobs[0].before_script, jobs[0].after_script
        if any(job.after_script != after for job in jobs):
            after = ()
        lines = sum(1 + line_count(script) for script in (before, after) if script)
        if saved_lines(lines, len(jobs)) >= LEAST_SAVED_LINES:
            name = hidden_name("scripts", jobs, taken)
            hidden_jobs.append(Hidden(name=name, before_script=before, after_script=after))
            extending |= {
                job.name: replace(
                    job, scripts_from=name, before_script=(), after_script=() if after else job.after_script
                )
                for job in jobs
            }
    split = {job.name for job in whole.jobs if not job.before_script}
    inherited = {hidden.name for hidden in document.hidden if hidden.before_script}
    return replace(
        document,
        hidden=(*document.hidden, *hidden_jobs),
        jobs=tuple(
            _joined(job)
            if job.before_script
            and job.name in split
            and inherited.isdisjoint(job.extended)
            and not document.defaults.before_script
            else job
            for job in (extending.get(job.name, job) for job in document.jobs)
        ),
    )


def with_ends(document: Document) -> Document:
    """Return *document* with what comes before the same commands in `before_script`, where that saves lines.

    Then the jobs have the same script, which is in a hidden job.
    """
    if document.defaults.before_script:
        return document
    inherited = {hidden.name for hidden in document.hidden if hidden.before_script}
    groups: dict[ScriptEntry, list[GitLabJob]] = {}
    for job in document.base_jobs():
        if len(job.script) > 1 and not job.before_script and job.runs_stage and inherited.isdisjoint(job.extended):
            groups.setdefault(job.script[-1], []).append(job)
    lengths: dict[str, int] = {}
    for group in groups.values():
        sharing, length = _end(group) if len(group) > 1 else ((), 0)
        lengths |= {job.name: len(job.script) - length for job in sharing}
    return replace(
        document,
        jobs=tuple(_split(job, lengths[job.name]) if lengths.get(job.name) else job for job in document.jobs),
    )


def _end(jobs: Sequence[GitLabJob]) -> tuple[Sequence[GitLabJob], int]:
    """Return those of *jobs*, whose scripts end alike, that save most lines if they share an end, and its length."""
    best: tuple[Sequence[GitLabJob], int] = ((), 0)
    sharing, length, lines, most_saved = jobs, 1, 1, LEAST_SAVED_LINES - 1
    while len(sharing) > 1:
        lines += line_count([sharing[0].script[-length]])
        longer = [job for job in sharing if len(job.script) > length]
        # The same jobs extend the hidden job for their image.
        images = len(sharing) - 1 if sharing[0].image and len({job.image for job in sharing}) == 1 else 0
        saved = saved_lines(lines, len(sharing)) + images - len(longer)
        if saved > most_saved:
            best, most_saved = (sharing, length), saved
        length += 1
        counts = Counter([job.script[-length] for job in longer])
        entry = counts.most_common(1)[0][0] if counts else None
        sharing = [job for job in longer if job.script[-length] == entry]
    return best


def line_count(entries: Collection[ScriptEntry]) -> int:
    """Return the number of lines of *entries*."""
    return sum(
        1 + entry.text.rstrip("\n").count("\n") + ("\n" in entry.text) + bool(entry.comment) for entry in entries
    )


def _common_start(scripts: Sequence[Script]) -> Script:
    """Return the entries with which all *scripts* begin; each has at least one more."""
    first = scripts[0][: max(min(map(len, scripts)) - 1, 0)]
    lengths = (length for length, entry in enumerate(first) if any(script[length] != entry for script in scripts))
    return first[: next(lengths, len(first))]


def _has_before_script(job: GitLabJob, hidden: Hidden | None) -> bool:
    return bool(job.before_script or (hidden is not None and hidden.before_script))


def _starts(jobs: Sequence[GitLabJob]) -> Iterator[_Start]:
    """Yield the starts that several scripts of *jobs* share, at most one for each first command."""
    groups: dict[ScriptEntry, list[GitLabJob]] = {}
    for job in jobs:
        # A script has at least one command of its own.
        if len(job.script) > 1:
            groups.setdefault(job.script[0], []).append(job)
    for group in groups.values():
        start = _start(group, len(jobs)) if len(group) > 1 else None
        if start is None:
            continue
        # Equal scripts stay whole, for a hidden job, unless they share more with others.
        ((whole, count),) = Counter([job.script for job in group]).most_common(1)
        others = [job for job in group if job.script != whole]
        saved = saved_lines(1 + line_count(whole), count)
        if saved >= start.saved or (saved >= LEAST_SAVED_LINES and start.names.isdisjoint(job.name for job in others)):
            start = _start(others, len(jobs) - count)
        if start is not None:
            yield start


def _start(jobs: Sequence[GitLabJob], total: int) -> _Start | None:
    """Return the start of *jobs*, of *total* ones, that saves most lines; None if none saves enough."""
    best, most_saved = None, LEAST_SAVED_LINES - 1
    sharing, length = jobs, 1
    while len(sharing) > 1:
        start = sharing[0].script[:length]
        # A single command is on the line of its key.
        single = sum(len(job.script) == length + 1 for job in sharing)
        saved = (len(sharing) - 1) * line_count(start) + single - 1
        others = total - len(sharing)
        saved -= others if _are_most(len(sharing), others) else len(sharing) + EXTRA_LINES
        if saved > most_saved:
            best, most_saved = _Start(start, frozenset([job.name for job in sharing]), saved), saved
        longer = [job for job in sharing if len(job.script) > length + 1]
        counts = Counter([job.script[length] for job in longer])
        entry = counts.most_common(1)[0][0] if counts else None
        sharing = [job for job in longer if job.script[length] == entry]
        length += 1
    return best


def _split(job: GitLabJob, length: int) -> GitLabJob:
    return replace(job, before_script=job.script[:length], script=job.script[length:])


def _joined(job: GitLabJob) -> GitLabJob:
    return replace(job, before_script=(), script=(*job.before_script, *job.script))
