"""Limits of a job: attempts, time, failures, locks, and whether a newer pipeline cancels it."""

from __future__ import annotations

from pipegen.emit.yaml import Data, Value
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.tree import text_of, texts_of
from pipegen.importing.gitlab.stages.keys.base import KeyContext, Translation, duration, in_words, present, raw_data
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.model import Failure
from pipegen.source.tree import Scalar, ScalarKind, whole_number
from pipegen.targets.gitlab.jobs.limits import RETRY_REASONS, SCRIPT_TIMEOUT, SYSTEM_REASONS, script_seconds

_OF_SYSTEM = {reason: failure.value for failure, reason in SYSTEM_REASONS.items()}
_KINDS = {**_OF_SYSTEM, "script_failure": "script", "job_execution_timeout": "timeout"}


def retry(context: KeyContext) -> Translation:
    """Return the number of attempts and the failures to retry."""
    node = context.job.get("retry")
    if node is None:
        return Translation()
    if isinstance(node, Scalar):
        return Translation({"retry": _count(text_of(node))})
    entries = present(node)
    if set(entries) - {"max", "when"}:
        raise UntranslatableError("retry with exit codes")
    count = _count(text_of(entries["max"].value)) if "max" in entries else 2
    reasons = texts_of(entries["when"].value) if "when" in entries else ("always",)
    if "always" in reasons:
        return Translation({"retry": count})
    unknown = [reason for reason in reasons if reason not in _KINDS]
    if unknown:
        raise UntranslatableError(f'retry after "{unknown[0]}"')
    of_system = RETRY_REASONS[Failure.SYSTEM]
    is_whole = set(of_system) == set(reasons) & _OF_SYSTEM.keys()
    kinds = list(dict.fromkeys("system" if is_whole and reason in of_system else _KINDS[reason] for reason in reasons))
    return Translation({"retry": {"count": count, "on": kinds[0] if len(kinds) == 1 else list(kinds)}})


def _count(text: str) -> int:
    if (number := whole_number(text)) is None:
        raise UntranslatableError(f'retry "{text}"')
    return number


def timeout(context: KeyContext) -> Translation:
    """Return the time limit."""
    node, of_script = context.job.get("timeout"), script_timeout(context.job)
    if of_script:
        return Translation({"timeout": in_words(of_script)})
    text = duration(context.texts.constant(text_of(node), "timeout")) if node is not None else ""
    return Translation({"timeout": text} if text else {})


def script_timeout(job: SourceJob) -> int:
    """Return the seconds that a generated *job* gives its script, so that after_script still runs; 0 for no limit."""
    variable = job.variables.get(SCRIPT_TIMEOUT) if job.get("after_script") is not None else None
    return script_seconds(text_of(job.get("timeout")), variable.text) if variable is not None else 0


def interruptible(context: KeyContext) -> Translation:
    """Return whether a newer pipeline may cancel the job."""
    node = context.job.get("interruptible")
    if node is None:
        return Translation()
    if not isinstance(node, Scalar) or node.kind is not ScalarKind.BOOLEAN:
        raise UntranslatableError("interruptible")
    return Translation({"interruptible": bool(node.value)})


def keep_running(keys: dict[str, Value], raw: dict[str, Data]) -> None:
    """Let no newer pipeline cancel a job with these *keys* and *raw* keys, unless it is interruptible."""
    if "interruptible" not in (*keys, *raw):
        keys["interruptible"] = False


def lock(context: KeyContext) -> Translation:
    """Return the resource group as a lock."""
    node = context.job.get("resource_group")
    if node is None:
        return Translation()
    name = context.texts.constant(text_of(node), "resource_group")
    return Translation({"lock": name})


def allow_failure(context: KeyContext) -> Translation:
    """Return whether the job may fail."""
    node = context.job.get("allow_failure")
    if node is None:
        return Translation()
    if isinstance(node, Scalar):
        return Translation({"allow_failure": True} if text_of(node) == "true" else {})
    if "trigger" in context.job.entries:
        raise UntranslatableError("GitLab refuses exit codes for a trigger")
    entries = present(node)
    exit_codes = raw_data(entries["exit_codes"].value) if "exit_codes" in entries else None
    value: Data = {"exit_codes": exit_codes}
    if exit_codes is None:
        raise UntranslatableError("allow_failure")
    return Translation({"allow_failure": value})
