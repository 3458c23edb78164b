"""`rules` that several jobs share, in hidden jobs that these extend."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pipegen.numbering import unique_name
from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.names import hidden_name
from pipegen.targets.gitlab.jobs.raw import AFTER_FAILURES
from pipegen.targets.gitlab.model import Document, GitLabJob, Hidden, RuleEntry

_BRANCH = r'\$CI_COMMIT_BRANCH == "([A-Za-z0-9][A-Za-z0-9_./-]*)"'
_NAMES = {
    "$CI_COMMIT_TAG": ".on-tag",
    '$CI_PIPELINE_SOURCE == "merge_request_event"': ".on-merge-request",
    '$CI_PIPELINE_SOURCE == "schedule"': ".on-schedule",
}
# The lines of a hidden job without its keys: its name, and a blank line.
EXTRA_LINES = 2
# Scripts and other keys in a hidden job that save fewer lines stay in the jobs.
LEAST_SAVED_LINES = 3


def with_common_when(document: Document) -> Document:
    """Return *document* with `when: on_failure` or `always` in a job, not in each of its rules.

    The job can then share its rules with jobs that start otherwise, and gets the rules of a job that it extends.
    https://docs.gitlab.com/ci/yaml/#ruleswhen: a rule without `when` has that of the job.
    """
    jobs = [_with_common_when(job) for job in document.jobs]
    rules = {job.name: job.rules for job in jobs}
    return replace(
        document,
        jobs=tuple(replace(job, rules=()) if job.when and rules.get(job.extends) == job.rules else job for job in jobs),
    )


def _with_common_when(job: GitLabJob) -> GitLabJob:
    starting = [rule for rule in job.rules if rule.when != "never"]
    whens = {rule.when for rule in starting}
    if job.raw or job.when or len(whens) != 1 or not whens <= AFTER_FAILURES:
        return job
    # A rule needs a key.
    if not all(rule.condition or rule.changes or rule.exists for rule in starting):
        return job
    rules = tuple(replace(rule, when="") if rule.when in whens else rule for rule in job.rules)
    return replace(job, when=whens.pop(), rules=rules)


def with_shared_rules(document: Document) -> Document:
    """Return *document* with the rules that several jobs share in hidden jobs, where that saves lines."""
    # Raw rules replace them, and would not if they were in another job.
    jobs = [job for job in document.jobs if job.rules and "rules" not in job.raw]
    counts = Counter([job.rules for job in jobs])
    # Hidden jobs of pipelines that have nothing but rules.
    names = {hidden.rules: hidden.name for hidden in document.hidden if hidden == _with_rules(hidden)}
    shared = [rules for rules, count in counts.items() if saved_lines(count_lines(rules), count) > 0]
    if not shared and names.keys().isdisjoint(counts):
        return document
    taken = document.names()
    new = {
        rules: _name(rules, [job for job in jobs if job.rules == rules], taken)
        for rules in shared
        if rules not in names
    }
    names |= new
    sharing = {job.name for job in jobs if job.rules in names}
    return replace(
        document,
        hidden=(*document.hidden, *(Hidden(name=name, rules=rules) for rules, name in new.items())),
        jobs=tuple(
            replace(job, rules=(), rules_from=names[job.rules]) if job.name in sharing else job for job in document.jobs
        ),
    )


def _with_rules(hidden: Hidden) -> Hidden:
    return Hidden(name=hidden.name, rules=hidden.rules)


def saved_lines(lines: int, jobs: int) -> int:
    """Return the lines that so many *jobs* save if each extends a hidden job with keys of so many *lines*."""
    return jobs * lines - (jobs + lines + EXTRA_LINES)


def count_lines(rules: Sequence[RuleEntry]) -> int:
    """Return the number of lines of the key `rules`."""
    return 1 + sum(map(_lines, rules)) if rules else 0


def _lines(rule: RuleEntry) -> int:
    keys: tuple[object, ...] = (rule.condition, rule.when, rule.changes, rule.exists, rule.variables)
    return max(1, sum(map(bool, keys)) + (rule.allow_failure is not None)) + len(rule.variables)


def _name(rules: Sequence[RuleEntry], jobs: Sequence[GitLabJob], taken: set[str]) -> str:
    """Return a name for the hidden job with *rules*: a usual condition, or after its *jobs*; and add it to *taken*."""
    first = rules[0]
    name = _condition_name(first.condition)
    if not name or len(rules) > 1 or first != RuleEntry(first.condition, first.when):
        return hidden_name("rules", jobs, taken)
    return unique_name(f"{name}-{first.when}" if first.when else name, taken)


def _condition_name(condition: str) -> str:
    """Return the name for *condition*, "" if it is not a usual one."""
    branch = re.fullmatch(_BRANCH, condition)
    return f".on-{branch[1]}" if branch is not None else _NAMES.get(condition, "")
