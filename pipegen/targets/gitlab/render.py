"""The model as text: the order of keys, and which values stand on one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.emit.header import header
from pipegen.emit.yaml import Commented, Data, Flow, Value, with_header
from pipegen.targets.gitlab.model import (
    PLAINLY_KEPT,
    UNLIMITED,
    ArtifactKeys,
    CacheEntry,
    ChildPipeline,
    CoverageReport,
    Document,
    EnvironmentKeys,
    GitLabJob,
    Hidden,
    IdTokenEntry,
    ImageKeys,
    NeedEntry,
    RetryKeys,
    RuleEntry,
    ScriptEntry,
    ServiceKeys,
    TriggerKeys,
    VariableEntry,
)
from pipegen.targets.gitlab.settings import Release


def headed(body: str, source: str, notes: Iterable[str]) -> str:
    """Return the text of a file with the keys in *body*, made from *source*; *notes* go in its header."""
    return with_header(header(source, notes, body), body)


def around(document: Document) -> dict[str, Value]:
    """Return the keys that stand before the jobs of *document*: what holds for all of them, and hidden jobs."""
    return _written(
        {
            "stages": Flow(document.stages) if document.stages else None,
            "include": [{"local": path} for path in document.includes] or None,
            "workflow": _workflow(document) or None,
            "default": _default(document) or None,
            "variables": _variables(document.variables) if document.variables else None,
            **{hidden.name: _hidden(hidden) for hidden in document.hidden},
        }
    )


def _workflow(document: Document) -> dict[str, Value]:
    refusals = [_rule(rule) for rule in document.refusals]
    rules = [*refusals, *document.settings.rules, *(_rule(rule) for rule in document.workflow)]
    cancel = {"on_new_commit": "interruptible"} if document.cancels else None
    return _written({"name": document.settings.name or None, "auto_cancel": cancel, "rules": rules or None})


def _default(document: Document) -> dict[str, Value]:
    tokens = {name: {"aud": _one(audience)} for name, audience in document.id_tokens}
    return _written({"tags": Flow(document.tags) if document.tags else None, "id_tokens": tokens or None})


def _one(texts: tuple[str, ...]) -> Value:
    return texts[0] if len(texts) == 1 else Flow(texts)


def _hidden(hidden: Hidden) -> dict[str, Value]:
    return _written(
        {
            "image": _image(hidden.image) if hidden.image else None,
            "services": [_service(service) for service in hidden.services] if hidden.services else None,
            "variables": _variables(hidden.variables) if hidden.variables else None,
            "before_script": script_data(hidden.before_script),
        }
    )


def job_data(job: GitLabJob, script: Value) -> dict[str, Value]:
    """Return a job's keys: where and when it runs, with what, what it does (its *script*), what it leaves."""
    written = _written(
        {
            "extends": job.extends or None,
            "image": _image(job.image) if job.image else None,
            "services": [_service(service) for service in job.services] if job.services else None,
            "tags": Flow(job.tags) if job.tags else None,
            "stage": job.stage,
            "needs": [_need(need) for need in job.needs] if job.needs else None,
            "dependencies": None if job.dependencies is None else Flow(job.dependencies),
            "rules": [_rule(rule) for rule in job.rules] if job.rules else None,
            "when": job.when or None,
            "start_in": job.start_in or None,
            "manual_confirmation": job.manual_confirmation or None,
            "environment": _environment(job.environment) if job.environment else None,
            "resource_group": job.resource_group or None,
            "allow_failure": None if job.limits is UNLIMITED and not job.is_blocking else _allow_failure(job),
            "retry": _retry(job.limits.retry) if job.limits.retry else None,
            "timeout": job.limits.timeout or None,
            "interruptible": job.interruptible or None,
            "inherit": None if job.inherits_tokens and job.inherits_variables else _inherit(job),
            "variables": _variables(job.variables) if job.variables else None,
            "id_tokens": {token.variable: _audiences(token) for token in job.id_tokens} if job.id_tokens else None,
            "before_script": script_data(job.before_script) if job.before_script else None,
            "script": script,
            "after_script": script_data(job.after_script) if job.after_script else None,
            "coverage": job.kept.coverage or None,
            "cache": _caches(job.caches) if job.caches else None,
            "artifacts": _artifacts(job.artifacts, job.kept),
            "pages": {"publish": job.pages.publish} if job.pages else None,
            "release": _release(job.release) if job.release else None,
            "trigger": _trigger(job.trigger) if job.trigger else None,
        }
    )
    return _merged(written, job.raw) if job.raw else written


def _inherit(job: GitLabJob) -> Value:
    said: dict[str, Data] = {} if job.inherits_tokens else {"default": ["tags"]}
    said |= {} if job.inherits_variables else {"variables": False}
    return Flow(said) if said else None


def _merged(lower: Mapping[str, Value], upper: Mapping[str, Data]) -> dict[str, Value]:
    """Return *upper* laid over *lower*: maps key by key, all else replaced."""
    merged = dict(lower)
    for key, value in upper.items():
        below = lower.get(key)
        merged[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _environment(environment: EnvironmentKeys) -> Value:
    return _written(
        {
            "name": environment.name,
            "url": environment.url or None,
            "on_stop": environment.on_stop or None,
            "action": "stop" if environment.stops else None,
        }
    )


def _caches(caches: tuple[CacheEntry, ...]) -> Value:
    found = [_cache(one) for one in caches]
    return found[0] if len(found) == 1 else found


def _cache(cache: CacheEntry) -> Value:
    files = _written({"files": cache.files, "prefix": cache.key or None})
    return _written(
        {
            "key": files if cache.files else cache.key or None,
            "paths": cache.paths,
            "policy": cache.policy or None,
            "fallback_keys": cache.fallback_keys or None,
        }
    )


def _allow_failure(job: GitLabJob) -> Value:
    if job.limits.exit_codes:
        return {"exit_codes": Flow(job.limits.exit_codes)}
    return False if job.is_blocking else job.limits.allow_failure or None


def _retry(retry: RetryKeys) -> Value:
    return {"max": retry.count, "when": retry.when} if retry.when else retry.count


def _artifacts(paths: tuple[str, ...], kept: ArtifactKeys) -> Value:
    """Return what a job leaves; how it is kept is nothing to say where nothing is."""
    if kept is PLAINLY_KEPT:
        return {"paths": paths} if paths else None
    reports = _written(
        {
            "junit": _one_or_more(kept.junit),
            "coverage_report": _coverage(kept.coverage_report),
            "codequality": _one_or_more(kept.codequality),
            "dotenv": _one_or_more(kept.dotenv),
        }
    )
    if not paths and not reports:
        return None
    return _written(
        {
            "name": kept.name or None,
            "paths": paths or None,
            "exclude": kept.exclude or None,
            "when": kept.when or None,
            "expire_in": kept.expire_in or None,
            "access": kept.access or None,
            "reports": reports or None,
        }
    )


def _coverage(report: CoverageReport | None) -> Value:
    return {"coverage_format": report.format, "path": report.path} if report is not None else None


def _one_or_more(paths: tuple[str, ...]) -> Value:
    return paths[0] if len(paths) == 1 else paths or None


def _written(keys: Mapping[str, Value]) -> dict[str, Value]:
    """Return *keys* without those that say nothing."""
    return {key: value for key, value in keys.items() if value is not None}


def _image(image: ImageKeys) -> Value:
    if not image.has_entrypoint and not image.pull:
        return image.name
    keys: dict[str, Data] = {"name": image.name}
    if image.has_entrypoint:
        keys["entrypoint"] = image.entrypoint
    if image.pull:
        keys["pull_policy"] = image.pull
    return Flow(keys)


def _service(service: ServiceKeys) -> Value:
    if not service.command and not service.variables:
        return Flow({"name": service.name, "alias": service.alias})
    return _written(
        {
            "name": service.name,
            "alias": service.alias,
            "command": Flow(service.command) if service.command else None,
            "variables": dict(service.variables) or None,
        }
    )


def _need(need: NeedEntry) -> Value:
    keys: dict[str, Data] = {"job": need.job, "artifacts": need.artifacts}
    if need.pipeline:
        keys = {"pipeline": need.pipeline, **keys}
    if need.is_optional:
        keys["optional"] = True
    return Flow(keys)


def _rule(rule: RuleEntry) -> dict[str, Value]:
    changes: Value = Flow(rule.changes)
    if rule.compare_to:
        changes = {"paths": changes, "compare_to": rule.compare_to}
    keys: dict[str, Value] = {
        "if": rule.condition or None,
        "changes": changes if rule.changes else None,
        "exists": Flow(rule.exists) if rule.exists else None,
        "when": rule.when or None,
        "start_in": rule.start_in or None,
    }
    # A rule that holds without a condition says when all the same.
    return _written(keys) or {"when": "on_success"}


def _variables(variables: Iterable[VariableEntry]) -> Value:
    return {variable.name: _variable(variable) for variable in variables}


def _variable(variable: VariableEntry) -> Value:
    if not variable.description and not variable.options and not variable.is_raw:
        return variable.value
    more = _written(
        {
            "description": variable.description or None,
            "options": list(variable.options) or None,
            "expand": False if variable.is_raw else None,
        }
    )
    return {"value": variable.value, **more}


def _audiences(token: IdTokenEntry) -> Value:
    return Flow({"aud": token.audiences[0] if len(token.audiences) == 1 else list(token.audiences)})


def script_data(entries: Sequence[ScriptEntry]) -> Value:
    """Return the lines of a script; None without any."""
    return [Commented(entry.text, above=entry.comment) if entry.comment else entry.text for entry in entries] or None


def _release(release: Release) -> dict[str, Value]:
    return _written({"tag_name": release.tag, "name": release.name, "description": release.description})


def _trigger(trigger: TriggerKeys | ChildPipeline) -> Value:
    if isinstance(trigger, ChildPipeline):
        return {
            "include": [Flow({"local": trigger.file})],
            "strategy": "depend",
            # Else what a person gives a run would not reach its children.
            "forward": {"pipeline_variables": True},
        }
    keys: dict[str, Data] = {"project": trigger.project}
    if trigger.branch is not None:
        keys["branch"] = trigger.branch
    if trigger.is_awaited:
        keys["strategy"] = "depend"
    if not trigger.passes_variables:
        keys["forward"] = {"yaml_variables": False}
    return keys
