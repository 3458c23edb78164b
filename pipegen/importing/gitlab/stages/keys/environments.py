"""Environments, and tokens for other services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import Order, needs_of
from pipegen.importing.gitlab.reading.rules import rules_of
from pipegen.importing.gitlab.reading.tree import text_of, texts_of
from pipegen.importing.gitlab.stages.keys.base import KeyContext, Translation, duration, present, raw_data
from pipegen.importing.gitlab.stages.texts import names_in
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import Entry, Node, Scalar
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import replace

_TIERS = ("production", "staging", "testing", "development", "other")
_ACTIONS = ("prepare", "verify", "access")
_STOPS = ("on_stop", "action")


def environment(context: KeyContext) -> Translation:
    """Return the environment that a job deploys to, or that it stops; keys that a config does not have stay raw."""
    node = context.job.get("environment")
    if node is None:
        return Translation()
    if isinstance(node, Scalar):
        return Translation({"environment": context.texts.name(text_of(node))})
    entries = present(node)
    if "name" not in entries:
        raise UntranslatableError("the environment has no name")
    # Other keys mean nothing without it.
    value = dict(_key("name", entries["name"].value, context))
    others: list[Entry] = []
    for key, entry in entries.items():
        try:
            value |= _key(key, entry.value, context)
        except UntranslatableError:
            others.append(entry)
    raw = {"environment": {entry.key.text: raw_data(entry.value) for entry in others}} if others else {}
    return Translation({"environment": value if len(value) > 1 else value["name"]}, raw, tuple(others))


def without_stopped(constants: Mapping[str, str], job: SourceJob) -> Mapping[str, str]:
    """Return *constants* that are not in the name of an environment that *job* stops, or another job for it.

    GitLab compares the texts of the names of both jobs, without the values of variables.
    """
    is_stopped = any(text_of(job.environment(key)) for key in _STOPS)
    names = names_in(text_of(job.environment("name"))) if is_stopped else ()
    return {name: text for name, text in constants.items() if name not in names}


def _key(key: str, node: Node, context: KeyContext) -> Mapping[str, Data]:  # noqa: PLR0911 - one for each key
    """Return *key* of an environment as keys of a config; raise `UntranslatableError` if there are none."""
    text = text_of(node)
    match key:
        case "name":
            return {key: context.texts.name(text)}
        case "url":
            return {key: context.texts.expanded(text)}
        case "auto_stop_in":
            return {key: duration(context.texts.constant(text, key))}
        case "deployment_tier" if text in _TIERS:
            return {"tier": text}
        case "action" if text in _ACTIONS:
            return {key: text}
        case "action" if text == "start" or is_stop(context.job, context.source):
            return {}
        case "on_stop" if text in context.source.jobs and is_stop(context.source.jobs[text], context.source):
            return {key: text}
        case "kubernetes" if isinstance(node, TreeMapping) and set(present(node)) <= {"agent", "namespace"}:
            return {key: {name: context.texts.name(text_of(entry.value)) for name, entry in present(node).items()}}
    raise UntranslatableError(key)


def is_stop(job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether *job* stops the environment of other jobs of *source*, and waits for the same jobs as they do.

    A config does not let it wait for these, since GitLab may start it after a failed deployment. No run waits for it.
    """
    starters = stopped_by(job, source)
    is_beside = all(_place(starter, source) == _place(job, source) for starter in starters)
    return bool(starters) and is_beside and not _is_awaited(job, source)


def _is_awaited(job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether a run of *source* waits until a person starts *job*."""
    with suppress(ExpressionError):
        return any(rule.when == "manual" and not rule.allow_failure for rule in rules_of(job, source))
    return False


def stop_of(job: SourceJob) -> str:
    """Return the name of the job that stops the environment of *job*, "" without one."""
    return text_of(job.environment("on_stop"))


def raw_stops(
    source: SourcePipeline, forced: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the jobs that stop environments that are *forced* to stay raw, which GitLab requires to say so."""
    for name, keys in forced.items():
        if "environment" in keys and name in source.jobs:
            yield stop_of(source.jobs[name]), {"environment": keys["environment"]}


def stopped_by(job: SourceJob, source: SourcePipeline) -> tuple[SourceJob, ...]:
    """Return the jobs of *source* whose environment *job* stops."""
    if text_of(job.environment("action")) != "stop":
        return ()
    return tuple(other for other in source.jobs.values() if stop_of(other) == job.name)


def _place(job: SourceJob, source: SourcePipeline) -> tuple[int, frozenset[str]]:
    """Return the number of the stage of *job*, or its needs."""
    needs = needs_of(job, source)
    return (job.stage_number, frozenset()) if needs is None else (0, frozenset(need.name for need in needs))


def id_tokens(context: KeyContext) -> Translation:
    """Return the ID tokens of a job as secrets."""
    secrets: dict[str, Data] = {}
    for name, entry in present(context.job.get("id_tokens")).items():
        audience = present(entry.value)
        if set(audience) != {"aud"}:
            raise UntranslatableError("an ID token without an audience")
        texts = [context.texts.constant(text, "an audience") for text in texts_of(audience["aud"].value)]
        secrets[name] = {"id_token": texts[0] if len(texts) == 1 else list(texts)}
    return Translation({"secrets": secrets} if secrets else {})


def with_stops(order: Order, source: SourcePipeline, forced: Mapping[str, Mapping[str, str]]) -> Order:
    """Return *order* in which the stages that stop environments come after those that deploy to them."""
    before = dict(order.before)
    for name in before:
        job = source.jobs[name]
        if is_stop(job, source) and "environment" not in forced.get(name, ()):
            before[name] |= {starter.name for starter in stopped_by(job, source) if starter.name in before}
    return replace(order, before=before)
