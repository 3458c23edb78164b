"""Helper jobs that send mail, with their script in a hidden job if it differs only in the name of the stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipegen.numbering import unique_name
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.model import STAGE, Document, GitLabJob, ScriptEntry, VariableEntry

_PLACEHOLDER, _SEPARATOR = "\0", "\1"
# Text without a meaning in double quotes, for the shell and for GitLab.
_PLAIN_NAME = r"[^\"$%`\\'\n]+"
# The parts of a script in which the shell does or does not expand variables: text in quotes, or none.
_QUOTED = re.compile(r"""(?s)'[^']*'|"(?:[^"\\]|\\.)*"|(?:[^'"\\]|\\.)+""")


class _Key(Struct):
    """What mail jobs share: some *fields*, and the *template* of the script, for one *stage*, or "" for all."""

    fields: tuple[object, ...]
    template: tuple[ScriptEntry, ...]
    stage: str


def with_shared_mails(document: Document) -> Document:
    """Return *document* with the scripts that mail jobs share in hidden jobs."""
    groups: dict[_Key, list[GitLabJob]] = {}
    for job in document.jobs:
        if job.mail_of:
            template = _template(job)
            stage = "" if all(map(_is_expanded, template)) else job.mail_of
            groups.setdefault(_Key((job.image, job.variables, job.when), template, stage), []).append(job)
    taken = document.names()
    jobs: dict[str, tuple[GitLabJob, ...]] = {}
    for key, members in _with_single_mails(groups, {job.name: index for index, job in enumerate(document.jobs)}):
        first, *others = members
        if not others:
            continue
        # A stage with a trigger has two jobs, which need no variable.
        is_one_stage = all(job.mail_of == first.mail_of for job in others)
        hidden = replace(
            first,
            name=unique_name(".mail", taken),
            has_stage_of_extended=True,
            needs=(),
            rules=(),
            script=first.script if is_one_stage else tuple(map(_entry, key.template)),
        )
        jobs |= {job.name: (_extending(job, hidden),) for job in members}
        jobs[first.name] = (hidden, *jobs[first.name])
    return replace(document, jobs=tuple(each for job in document.jobs for each in jobs.get(job.name, (job,))))


def _with_single_mails(
    groups: dict[_Key, list[GitLabJob]], order: Mapping[str, int]
) -> Iterator[tuple[_Key, list[GitLabJob]]]:
    """Yield *groups*; the largest also has the single jobs whose script is its template for the name of a stage.

    Other words of a script may contain the name of its stage, and the mail about an image names a stage that uses it.
    *order* is that of the jobs in the file.
    """
    largest: dict[tuple[object, ...], _Key] = {}
    for key, members in groups.items():
        other = largest.get(key.fields)
        is_named = not key.stage and any(_PLACEHOLDER in entry.text for entry in key.template)
        if is_named and (other is None or _size(key, members) > _size(other, groups[other])):
            largest[key.fields] = key
    singles = [(key, members[0]) for key, members in groups.items() if len(members) == 1]
    for key, job in singles:
        group = largest.get(key.fields, key)
        if group != key and (stage := _stage(job.script, group.template)):
            groups[group].append(replace(job, mail_of=stage))
            del groups[key]
    for key, members in groups.items():
        yield key, sorted(members, key=lambda job: order[job.name])


def _size(key: _Key, members: Sequence[GitLabJob]) -> tuple[int, int]:
    """Return the number of *members*, and how few words of the template of *key* are the name of a stage."""
    return len(members), -sum(entry.text.count(_PLACEHOLDER) for entry in key.template)


def _stage(script: tuple[ScriptEntry, ...], template: tuple[ScriptEntry, ...]) -> str:
    """Return the name of the stage for which *template* is *script*, "" if there is none."""
    if [entry.comment for entry in script] != [entry.comment for entry in template]:
        return ""
    first, *others = map(re.escape, _SEPARATOR.join(entry.text for entry in template).split(_PLACEHOLDER))
    if not others:
        return ""
    pattern = f"{first}({_PLAIN_NAME})" + r"\1".join(others)
    match = re.fullmatch(pattern, _SEPARATOR.join(entry.text for entry in script))
    return match[1] if match else ""


def _template(job: GitLabJob) -> tuple[ScriptEntry, ...]:
    """Return the script of the mail *job* with a placeholder for its stage, if a variable can hold its name."""
    if re.fullmatch(_PLAIN_NAME, job.mail_of) is None:
        return job.script
    return tuple(replace(entry, text=entry.text.replace(job.mail_of, _PLACEHOLDER)) for entry in job.script)


def _is_expanded(entry: ScriptEntry) -> bool:
    """Return whether the stage in *entry* is only in quotes, where a variable may be in its place."""
    is_quoted = all(part[0] in "\"'" for part in _QUOTED.findall(entry.text) if _PLACEHOLDER in part)
    return _PLACEHOLDER not in entry.comment and is_quoted


def _entry(entry: ScriptEntry) -> ScriptEntry:
    """Return *entry* with a variable in place of its stage."""
    return replace(entry, text=_QUOTED.sub(_with_variable, entry.text))


def _with_variable(quoted: re.Match[str]) -> str:
    """Return the part *quoted* of a script with a variable in place of its stage; it is in single or double quotes."""
    if quoted[0].startswith("'"):
        return quoted[0].replace(_PLACEHOLDER, f"'\"${STAGE}\"'")
    return re.sub(r"\0(?=(\w?))", _variable, quoted[0])


def _variable(match: re.Match[str]) -> str:
    return f"${{{STAGE}}}" if match[1] else f"${STAGE}"


def _extending(job: GitLabJob, hidden: GitLabJob) -> GitLabJob:
    """Return the mail *job*, which extends *hidden*."""
    is_named = any(STAGE in entry.text for entry in hidden.script)
    return replace(
        job,
        extends=hidden.name,
        image=None,
        when="",
        variables=(VariableEntry(STAGE, job.mail_of),) if is_named else (),
        script=(),
    )
