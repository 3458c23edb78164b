"""`rules` that several jobs share, in hidden jobs that these extend."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pipegen.numbering import unique_name
from pipegen.structs import replace
from pipegen.targets.gitlab.model import Document, GitLabJob, Hidden, RuleEntry

_BRANCH = r'\$CI_COMMIT_BRANCH == "([A-Za-z0-9][A-Za-z0-9_./-]*)"'
_NAMES = {
    "$CI_COMMIT_TAG": ".on-tag",
    '$CI_PIPELINE_SOURCE == "merge_request_event"': ".on-merge-request",
    '$CI_PIPELINE_SOURCE == "schedule"': ".on-schedule",
}
# Characters of the name of a job that are not in names of hidden jobs, and the longest part of it there.
SEPARATORS, _LONGEST = r"[^\w.]+", 60
# The lines of a hidden job without its keys: its name, and a blank line.
EXTRA_LINES = 2
# Scripts and other keys in a hidden job that save fewer lines stay in the jobs.
LEAST_SAVED_LINES = 3


def with_shared_rules(document: Document) -> Document:
    """Return *document* with the rules that several jobs share in hidden jobs, where that saves lines."""
    # Raw rules replace them, and would not if they were in another job.
    jobs = [job for job in document.jobs if job.rules and "rules" not in job.raw]
    counts = Counter([job.rules for job in jobs])
    shared = [rules for rules, count in counts.items() if saved_lines(count_lines(rules), count) > 0]
    if not shared:
        return document
    taken = document.names()
    names: dict[tuple[RuleEntry, ...], str] = {}
    for rules in shared:
        names[rules] = unique_name(_name(rules, [job for job in jobs if job.rules == rules]), taken)
    sharing = {job.name for job in jobs if job.rules in names}
    return replace(
        document,
        hidden=(*document.hidden, *(Hidden(name=name, rules=rules) for rules, name in names.items())),
        jobs=tuple(
            replace(job, rules=(), rules_from=names[job.rules]) if job.name in sharing else job for job in document.jobs
        ),
    )


def saved_lines(lines: int, jobs: int) -> int:
    """Return the lines that so many *jobs* save if each extends a hidden job with keys of so many *lines*."""
    return jobs * lines - (jobs + lines + EXTRA_LINES)


def count_lines(rules: Sequence[RuleEntry]) -> int:
    """Return the number of lines of the key `rules`."""
    return 1 + sum(map(_lines, rules)) if rules else 0


def _lines(rule: RuleEntry) -> int:
    keys: tuple[object, ...] = (rule.condition, rule.when, rule.changes, rule.exists, rule.variables)
    return max(1, sum(map(bool, keys)) + (rule.allow_failure is not None)) + len(rule.variables)


def _name(rules: Sequence[RuleEntry], jobs: Sequence[GitLabJob]) -> str:
    """Return the name of the hidden job for *rules*: a usual condition, or the first stage of its *jobs*."""
    first = rules[0]
    name = _condition_name(first.condition)
    if not name or len(rules) > 1 or first != RuleEntry(first.condition, first.when):
        return hidden_name("rules", jobs)
    return f"{name}-{first.when}" if first.when else name


def hidden_name(content: str, jobs: Sequence[GitLabJob]) -> str:
    """Return the name of the hidden job with the *content* of *jobs*, after their first stage."""
    stage_job = next((job for job in jobs if job.runs_stage), jobs[0])
    words = re.sub(SEPARATORS, "-", stage_job.name.lstrip(".")).strip("-")
    return f".{content}-{words[:_LONGEST]}".rstrip("-")


def _condition_name(condition: str) -> str:
    """Return the name for *condition*, "" if it is not a usual one."""
    branch = re.fullmatch(_BRANCH, condition)
    return f".on-{branch[1]}" if branch is not None else _NAMES.get(condition, "")
