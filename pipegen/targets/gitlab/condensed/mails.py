"""Helper jobs that send mail, with their script in a hidden job if it differs only in the name of the stage."""

from __future__ import annotations

import re

from pipegen.numbering import unique_name
from pipegen.structs import replace
from pipegen.targets.gitlab.model import Document, GitLabJob, ScriptEntry, VariableEntry

# The variable with the name of the stage. A variable of the project could replace another name.
_STAGE = "PIPEGEN_STAGE"
_PLACEHOLDER = "\0"
# Text without a meaning in double quotes, for the shell and for GitLab.
_PLAIN_NAME = r"[^\"$%`\\'\n]+"
# The parts of a script in which the shell does or does not expand variables: text in quotes, or none.
_QUOTED = re.compile(r"""(?s)'[^']*'|"(?:[^"\\]|\\.)*"|(?:[^'"\\]|\\.)+""")


def with_shared_mails(document: Document) -> Document:
    """Return *document* with the scripts that mail jobs share in hidden jobs."""
    groups: dict[tuple[object, ...], list[GitLabJob]] = {}
    for job in document.jobs:
        if job.mail_of:
            template = _template(job)
            stage = "" if all(map(_is_expanded, template)) else job.mail_of
            groups.setdefault((job.image, job.variables, job.when, template, stage), []).append(job)
    taken = document.names()
    jobs: dict[str, tuple[GitLabJob, ...]] = {}
    for members in groups.values():
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
            script=first.script if is_one_stage else tuple(map(_entry, _template(first))),
        )
        jobs |= {job.name: (_extending(job, hidden),) for job in members}
        jobs[first.name] = (hidden, *jobs[first.name])
    return replace(document, jobs=tuple(each for job in document.jobs for each in jobs.get(job.name, (job,))))


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
        return quoted[0].replace(_PLACEHOLDER, f"'\"${_STAGE}\"'")
    return re.sub(r"\0(?=(\w?))", _variable, quoted[0])


def _variable(match: re.Match[str]) -> str:
    return f"${{{_STAGE}}}" if match[1] else f"${_STAGE}"


def _extending(job: GitLabJob, hidden: GitLabJob) -> GitLabJob:
    """Return the mail *job*, which extends *hidden*."""
    is_named = any(_STAGE in entry.text for entry in hidden.script)
    return replace(
        job,
        extends=hidden.name,
        image=None,
        when="",
        variables=(VariableEntry(_STAGE, job.mail_of),) if is_named else (),
        script=(),
    )
