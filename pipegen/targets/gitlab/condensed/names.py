"""Names of hidden jobs: what they have, and the words that the names of their users share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipegen.numbering import unique_name
from pipegen.structs import Struct
from pipegen.targets.gitlab.model import GitLabJob

# Characters of the name of a job that are not in names of hidden jobs, and the longest part of it there.
_SEPARATORS, _LONGEST = r"[^\w.]+", 60
# Names of templates that are part of a name of a hidden job as they are.
_PLAIN = r"[A-Za-z0-9][\w.-]{0,59}"


def hidden_name(content: str, jobs: Sequence[GitLabJob], taken: set[str]) -> str:
    """Return a name for the hidden job with the *content* of *jobs*, and add it to *taken*.

    It has the words that all their names share. Without such words, or if they are the name of another hidden job, such
    as that of their pipeline, it has the name of the first stage, or of the first job.
    """
    words = _distinct_words(jobs, taken)
    if not words:
        stage_job = next((job for job in jobs if job.runs_stage), jobs[0])
        words = re.sub(_SEPARATORS, "-", stage_job.name.lstrip(".")).strip("-")
    return unique_name(f".{content}-{words[:_LONGEST]}".rstrip("-"), taken)


def _part_of_name(template: str) -> str:
    """Return the name of *template* as a part of the name of a hidden job, "" if none of its characters can be one."""
    if re.fullmatch(_PLAIN, template):
        return template
    return re.sub(_SEPARATORS, "-", template)[:_LONGEST].strip("-.")


class TemplateNames(Struct):
    """The templates of the config: each by the names of the jobs whose stages extend it, of all of these *jobs*."""

    jobs: Mapping[frozenset[str], str]

    @classmethod
    def of(cls, templates: Mapping[str, Sequence[str]]) -> TemplateNames:
        """Return the names for hidden jobs if *templates* are those of each job, by its name."""
        users: dict[str, list[str]] = {}
        for job, names in templates.items():
            for name in names:
                users.setdefault(name, []).append(job)
        # Of templates with the same users, the last is the one that extends the others.
        named = ((_part_of_name(template), jobs) for template, jobs in users.items())
        return cls({frozenset(jobs): name for name, jobs in named if name})

    def of_jobs(self, jobs: Sequence[GitLabJob]) -> str:
        """Return the name of the template of *jobs*, "" if there is none."""
        return self.jobs.get(frozenset([job.name for job in jobs]), "") if self.jobs else ""


def shared_name(
    content: str, jobs: Sequence[GitLabJob], taken: set[str], templates: TemplateNames, *, has_prefix: bool
) -> str:
    """Return a name for the hidden job with the *content* of *jobs*, "" for several keys, and add it to *taken*.

    It has the name of their template, one of *templates*, or else the words that the names of *jobs* share. With
    *has_prefix*, because other files may have a job with these words, it says first what the job has.
    """
    if template := templates.of_jobs(jobs):
        prefix = f"{content or 'shared'}-"
        # The template may be that of an import of this hidden job.
        is_plain = template.startswith(prefix) or (not has_prefix and f".{template}" not in taken)
        return unique_name(f".{template}" if is_plain else f".{prefix}{template}", taken)
    if content or has_prefix:
        return hidden_name(content or "shared", jobs, taken)
    if words := _distinct_words(jobs, taken):
        return unique_name(f".{words}", taken)
    return unique_name(".helpers", taken) if jobs[0].is_helper else hidden_name("shared", jobs, taken)


def _distinct_words(jobs: Sequence[GitLabJob], taken: set[str]) -> str:
    """Return the words that the names of *jobs* share, "" if another hidden job has them as its name."""
    words = _common_words([job.name for job in jobs])
    return "" if f".{words}" in taken else words


def _common_words(names: Sequence[str]) -> str:
    """Return the words with which all *names* begin, or else end, as a part of the name of a hidden job."""
    # As in "mail when build fails".
    first_words = _first_words(names).removesuffix("-when")
    return first_words or _first_words([name[::-1] for name in names])[::-1]


def _first_words(names: Sequence[str]) -> str:
    lengths = (length for length, characters in enumerate(zip(*names, strict=False)) if len({*characters}) > 1)
    length = next(lengths, min(map(len, names)))
    prefix = names[0][:length]
    if any(re.match(r"\w", name[length:]) for name in names):
        prefix = re.sub(r"[^\W_]+$", "", prefix)
    return re.sub(_SEPARATORS, "-", prefix).strip("-_.")
