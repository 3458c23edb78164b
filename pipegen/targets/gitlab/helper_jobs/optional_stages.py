"""Helpers of stages that are optional in some runs: later jobs wait for the helper, which is only in the others.

GitLab skips a job that needs a manual job which nobody starts:
https://gitlab.com/gitlab-org/gitlab/-/blob/master/lib/gitlab/ci/status/composite.rb
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipegen.emit.yaml import Data
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.drafts import DraftJob
from pipegen.targets.gitlab.model import (
    IS_HELPER,
    NO_CHECKOUT,
    ArtifactKeys,
    GitLabJob,
    ImageKeys,
    NeedEntry,
    RuleEntry,
    ScriptEntry,
    VariableEntry,
)

# Files of a dotenv report are not in the workspace of the helper, which cannot pass them on.
_FILES = ("paths", "exclude", "untracked")
_OF_CHECKOUT = "GIT_"
_MANUAL, _NEVER = "manual", "never"


def is_optional_in_some_runs(draft: DraftJob) -> bool:
    """Return whether a person starts the job of *draft* in some runs, without others waiting for it, but not in all."""
    rules = _raw_rules(draft.raw)
    if rules is not None:
        is_allowed = _allows_failure(draft)
        starting = [_is_optional(rule, is_allowed=is_allowed) for rule in rules if _when(rule) != _NEVER]
        return any(starting) and not all(starting)
    approval = draft.job.deployment.approval
    return approval is not None and approval.is_optional and approval.condition is not None


def waiting_job(draft: DraftJob, job: GitLabJob, name: str, image: ImageKeys | None) -> GitLabJob:
    """Return the helper *name* of *job*, of *draft*: it passes on the files, and is not in runs with a manual start."""
    raw = _raw_rules(job.raw)
    is_allowed = _allows_failure(draft)
    raw_artifacts = _raw_artifacts(job)
    read = _read(job, repr((image, job.rules, raw, job.artifacts, raw_artifacts)))
    return GitLabJob(
        name=name,
        image=image,
        stage=job.stage,
        # GitLab may evaluate the rules of both jobs differently.
        needs=(NeedEntry(job.name, artifacts=_leaves_files(job), is_optional=raw is not None),),
        rules=_rules(job.rules) if raw is None else (),
        variables=_variables(job, read),
        script=(ScriptEntry("true"),),
        artifacts=job.artifacts,
        artifact_keys=ArtifactKeys(access=job.artifact_keys.access),
        raw={
            **({} if raw is None else {"rules": [_raw_rule(rule, is_allowed=is_allowed) for rule in raw]}),
            **_raw_variables(job, read),
            **({"artifacts": raw_artifacts} if raw_artifacts else {}),
        },
    )


def _read(job: GitLabJob, text: str) -> set[str]:
    """Return the variables of *job* for the checkout, the words of *text*, and those of the values of these variables.

    A helper with other files in its checkout would pass them on.
    """
    raw = job.raw.get("variables")
    values = {variable.name: variable.value for variable in job.variables}
    values |= {name: repr(value) for name, value in raw.items()} if isinstance(raw, dict) else {}
    words: set[str] = set()
    texts = [text, *(name for name in values if name.startswith(_OF_CHECKOUT))]
    while texts:
        new = {*re.findall(r"\w+", texts.pop())} - words
        words |= new
        texts += [values[word] for word in new if word in values]
    return words


def _variables(job: GitLabJob, read: set[str]) -> tuple[VariableEntry, ...]:
    """Return the variables of the helper of *job*, with those among *read* if raw rules of the job may test them."""
    own = _own_variables(job)
    names = read - {variable.name for variable in own}
    tested = job.variables if "rules" in job.raw else ()
    return (*(variable for variable in tested if variable.name in names), *own)


def _raw_variables(job: GitLabJob, read: set[str]) -> dict[str, Data]:
    """Return the raw variables of *job* that are among *read*."""
    variables = job.raw.get("variables")
    names = read - {variable.name for variable in _own_variables(job)}
    tested = {key: value for key, value in variables.items() if key in names} if isinstance(variables, dict) else {}
    return {"variables": tested} if tested else {}


def _own_variables(job: GitLabJob) -> tuple[VariableEntry, ...]:
    """Return the variables that the helper of *job* has in any case."""
    return (IS_HELPER,) if _leaves_files(job) else (IS_HELPER, NO_CHECKOUT)


def _leaves_files(job: GitLabJob) -> bool:
    return bool(job.artifacts or _raw_artifacts(job))


def _raw_artifacts(job: GitLabJob) -> dict[str, Data]:
    """Return the raw keys of *job* that say which files it leaves."""
    artifacts = job.raw.get("artifacts")
    return {key: artifacts[key] for key in _FILES if key in artifacts} if isinstance(artifacts, dict) else {}


def _rules(rules: Sequence[RuleEntry]) -> tuple[RuleEntry, ...]:
    """Return *rules* of a stage for its helper; a run in which none matches needs no rule that says so."""
    entries = tuple(map(_rule, rules))
    return entries[:-1] if len(entries) > 1 and entries[-1] == RuleEntry("", _NEVER) else entries


def _rule(rule: RuleEntry) -> RuleEntry:
    """Return *rule* of a stage for its helper."""
    is_optional = rule.when == _MANUAL and rule.allow_failure is True
    when = _NEVER if is_optional or rule.when == _NEVER else ""
    return replace(rule, when=when, start_in="", variables=(), allow_failure=None)


def _raw_rules(raw: Mapping[str, Data]) -> list[Data] | None:
    rules = raw.get("rules")
    return rules if isinstance(rules, list) else None


def _raw_rule(rule: Data, *, is_allowed: bool) -> Data:
    if not isinstance(rule, dict):
        return rule
    conditions: dict[str, Data] = {key: rule[key] for key in ("if", "changes", "exists") if key in rule}
    is_never = _when(rule) == _NEVER or _is_optional(rule, is_allowed=is_allowed)
    return {**conditions, "when": _NEVER if is_never else "on_success"}


def _is_optional(rule: Data, *, is_allowed: bool) -> bool:
    """Return whether others do not wait for a job that runs by *rule*, whose failures *is_allowed* if no rule says."""
    allowed = rule.get("allow_failure", is_allowed) if isinstance(rule, dict) else False
    return _when(rule) == _MANUAL and allowed is True


def _when(rule: Data) -> Data:
    return rule.get("when") if isinstance(rule, dict) else None


def _allows_failure(draft: DraftJob) -> bool:
    """Return whether a failure of the job of *draft* does not count, unless a rule says so."""
    allowed = draft.job.limits.allow_failure
    of_config = allowed is not None and not allowed.exit_codes and allowed.condition is None
    return draft.raw.get("allow_failure", of_config) is True
