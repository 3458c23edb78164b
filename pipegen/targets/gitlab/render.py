"""The model as text: the order of keys, and which values share a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pipegen.emit.header import header
from pipegen.emit.yaml import Commented, Data, Flow, Value, with_header
from pipegen.targets.gitlab.jobs.raw import with_raw
from pipegen.targets.gitlab.model import (
    UNLIMITED,
    ChildPipeline,
    Combinations,
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
from pipegen.targets.gitlab.render_files import artifacts, caches, text_list, without_none
from pipegen.targets.gitlab.settings import Release, ReleaseLink

_EMPTY: Mapping[str, Value] = {
    "cache": [],
    "interruptible": False,
    "retry": 0,
    "before_script": [],
    "after_script": [],
}
# A command that needs no quotes between brackets.
_SHORT_COMMAND = re.compile(r"[A-Za-z./](?:[A-Za-z0-9 ./=_@%+-]{0,58}[A-Za-z0-9./_])?")
# An image whose service has its name as hostname: https://docs.gitlab.com/ci/services/#accessing-the-services
_PLAIN_IMAGE = r"[a-z0-9]+(-[a-z0-9]+)*(:[A-Za-z0-9_.-]+)?"


def with_file_header(body: str, source: str, notes: Iterable[str]) -> str:
    """Return the text of a file: *body* below a header that names *source* and contains *notes*."""
    return with_header(header(source, notes, body), body)


def shared_keys(document: Document) -> dict[str, Value]:
    """Return the keys before the jobs of *document*: those that hold for all jobs, and hidden jobs."""
    return without_none(
        {
            "stages": _stages(document.stages) if document.stages else None,
            "include": [*map(Flow, document.external), *({"local": path} for path in document.includes)] or None,
            "workflow": _workflow(document) or None,
            "default": _default(document) or None,
            "variables": _variables(document.variables) if document.variables else None,
            **{hidden.name: _hidden(hidden) for hidden in document.hidden},
        }
    )


def _workflow(document: Document) -> dict[str, Value]:
    refusals = [_rule(rule) for rule in document.refusals]
    # GitLab accepts no `on_success` here: https://docs.gitlab.com/ci/yaml/#workflowrules
    rules = [*refusals, *document.settings.rules, *(_rule(rule, otherwise="always") for rule in document.workflow)]
    cancel = {"on_new_commit": document.on_new_commit} if document.on_new_commit else None
    return without_none({"name": document.settings.name or None, "auto_cancel": cancel, "rules": rules or None})


def _default(document: Document) -> dict[str, Value]:
    tokens = {name: {"aud": _one_or_list(audience)} for name, audience in document.id_tokens}
    defaults = document.defaults
    return without_none(
        {
            "image": _image(defaults.image) if defaults.image else None,
            "services": _services(defaults.services) if defaults.services else None,
            "tags": Flow(tags) if (tags := document.tags or defaults.tags) else None,
            "retry": _retry(defaults.retry) if defaults.retry else None,
            "interruptible": defaults.interruptible or None,
            "cache": caches(defaults.cache) if defaults.cache else None,
            "before_script": script_data(defaults.before_script),
            "after_script": script_data(defaults.after_script),
            "id_tokens": tokens or None,
        }
    )


def _stages(names: Sequence[str]) -> Value:
    """Return *names* on one line, unless they are lists of jobs themselves."""
    return list(names) if any("," in name for name in names) else text_list(names)


def _one_or_list(texts: tuple[str, ...]) -> Value:
    return "" if not texts else texts[0] if len(texts) == 1 else Flow(texts)


def _hidden(hidden: Hidden) -> dict[str, Value]:
    return without_none(
        {
            "image": _image(hidden.image) if hidden.image else None,
            "services": _services(hidden.services) if hidden.services else None,
            "rules": [_rule(rule) for rule in hidden.rules] if hidden.rules else None,
            "retry": _retry(hidden.retry) if hidden.retry else None,
            "timeout": hidden.timeout or None,
            "interruptible": hidden.interruptible or None,
            "cache": caches(hidden.caches) if hidden.caches else None,
            "variables": _variables(hidden.variables) if hidden.variables else None,
            "before_script": script_data(hidden.before_script),
            "after_script": script_data(hidden.after_script),
        }
    )


def job_data(job: GitLabJob, script: Value) -> dict[str, Value]:
    """Return the keys of a job, with *script* as the value of `script`."""
    keys = without_none(
        {
            "extends": _one_or_list(job.extended) or None,
            "stage": None if job.has_stage_of_extended else job.stage,
            "parallel": _parallel(job.combinations) if job.combinations is not None else None,
            "image": _image(job.image) if job.image else None,
            "services": _services(job.services) if job.services else None,
            "tags": Flow(job.tags) if job.tags else None,
            "needs": text_list([*map(_need, job.needs), *job.other_files]) if job.needs or job.other_files else None,
            "dependencies": None if job.dependencies is None else text_list(job.dependencies),
            "rules": [_rule(rule) for rule in job.rules] if job.rules else None,
            "when": job.when or None,
            "start_in": job.start_in or None,
            "manual_confirmation": job.manual_confirmation or None,
            "environment": _environment(job.environment, job.raw) if job.environment else None,
            "resource_group": job.resource_group or None,
            "allow_failure": None if job.limits is UNLIMITED and not job.is_blocking else _allow_failure(job),
            "retry": _retry(job.limits.retry) if job.limits.retry else _empty(job, "retry"),
            "timeout": job.limits.timeout or None,
            "interruptible": job.interruptible or _empty(job, "interruptible"),
            "inherit": None if job.inherited is None and job.inherits_variables else _inherit(job),
            "cache": caches(job.caches) if job.caches else _empty(job, "cache"),
            "variables": _variables(job.variables) if job.variables else None,
            "id_tokens": {token.variable: _audiences(token) for token in job.id_tokens} if job.id_tokens else None,
            "before_script": script_data(job.before_script) if job.before_script else _empty(job, "before_script"),
            "script": script,
            "after_script": script_data(job.after_script) if job.after_script else _empty(job, "after_script"),
            "coverage": job.artifact_keys.coverage or None,
            "artifacts": artifacts(job.artifacts, job.artifact_keys),
            "pages": {"publish": job.pages.publish} if job.pages else None,
            "release": _release(job.release) if job.release else None,
            "trigger": _trigger(job.trigger) if job.trigger else None,
        }
    )
    if "trigger" in job.raw:
        # The kinds of pipelines that a job can start exclude each other.
        keys.pop("trigger", None)
    return with_raw(keys, job.raw) if job.raw else keys


def _empty(job: GitLabJob, key: str) -> Value:
    """Return the empty value of *key* if *job* has it in place of the default, else None."""
    return _EMPTY[key] if key in job.emptied else None


def _inherit(job: GitLabJob) -> Value:
    keys: dict[str, Data] = {} if job.inherited is None else {"default": job.inherited or False}
    return Flow(keys if job.inherits_variables else {**keys, "variables": False})


def _environment(environment: EnvironmentKeys, raw: Mapping[str, Data]) -> Value:
    """Return the keys of *environment*; its name is enough if there are no others, also none in *raw*."""
    keys = without_none(
        {
            "name": environment.name,
            "url": environment.url or None,
            "on_stop": environment.on_stop or None,
            "auto_stop_in": environment.auto_stop_in or None,
            "deployment_tier": environment.tier or None,
            "action": environment.action or None,
            "kubernetes": _kubernetes(environment),
        }
    )
    return keys if len(keys) > 1 or "environment" in raw else environment.name


def _kubernetes(environment: EnvironmentKeys) -> Value:
    values = {"agent": environment.kubernetes_agent, "namespace": environment.kubernetes_namespace}
    keys: dict[str, Data] = {key: value for key, value in values.items() if value}
    return Flow(keys) if keys else None


def _allow_failure(job: GitLabJob) -> Value:
    if codes := job.limits.exit_codes:
        return {"exit_codes": Flow(codes) if len(codes) > 1 else codes[0]}
    return False if job.is_blocking else job.limits.allow_failure or None


def _retry(retry: RetryKeys) -> Value:
    return {"max": retry.count, "when": text_list(retry.when)} if retry.when else retry.count


def _image(image: ImageKeys) -> Value:
    if image.is_plain:
        return image.name
    keys: dict[str, Data] = {"name": image.name}
    if image.has_entrypoint:
        keys["entrypoint"] = image.entrypoint
    if image.pull:
        keys["pull_policy"] = image.pull
    if image.user:
        keys["docker"] = {"user": image.user}
    return Flow(keys)


def _services(services: Sequence[ServiceKeys]) -> Value:
    entries = [_service(service) for service in services]
    names = [entry for entry in entries if isinstance(entry, str)]
    return text_list(names) if len(names) == len(entries) else entries


def _service(service: ServiceKeys) -> Value:
    has_own_name = re.fullmatch(_PLAIN_IMAGE, service.name) and service.name.partition(":")[0] == service.alias
    keys: dict[str, Value] = without_none(
        {
            "name": service.name,
            "alias": None if has_own_name else service.alias,
            "command": Flow(service.command) if service.command else None,
            "variables": dict(service.variables) or None,
        }
    )
    if len(keys) == 1:
        return service.name
    return keys if service.command or service.variables else Flow({"name": service.name, "alias": service.alias})


def _need(need: NeedEntry) -> Data:
    """Return *need*; without other keys, it fetches the artifacts."""
    if need.artifacts and not (need.is_optional or need.pipeline or need.combinations):
        return need.job
    keys: dict[str, Data] = {"pipeline": need.pipeline} if need.pipeline else {}
    keys["job"] = need.job
    if need.combinations:
        keys["parallel"] = {"matrix": [{**axes} for axes in axis_maps(map(dict, need.combinations))]}
    if not need.artifacts:
        keys["artifacts"] = False
    if need.is_optional:
        keys["optional"] = True
    return keys


def _parallel(combinations: Combinations) -> Value:
    """Return *combinations* as a map of lists if they are all combinations of the values, else as several maps.

    Parts are a number.
    """
    if combinations.are_parts:
        return len(combinations.values)
    maps = axis_maps(map(dict, combinations.values))
    if len(maps) > 1:
        return {"matrix": [Flow({**axes}) for axes in maps]}
    (axes,) = maps
    return {
        "matrix": [{axis: values if isinstance(values, str) else text_list(values) for axis, values in axes.items()}]
    }


def axis_maps(combinations: Iterable[Mapping[str, str]]) -> list[dict[str, str | list[str]]]:
    """Return *combinations* as few maps of a value or lists, in the same order: GitLab multiplies the lists of a map.

    https://docs.gitlab.com/ci/yaml/#parallelmatrix and https://docs.gitlab.com/ci/yaml/#needsparallelmatrix. It accepts
    an empty value only in a list (`validate_array_value_variables` in `lib/gitlab/config/entry`).
    """
    maps = [{axis: [value] for axis, value in values.items()} for values in combinations]
    for axis in reversed([*dict.fromkeys(axis for axes in maps for axis in axes)]):
        merged = maps[:1]
        for axes in maps[1:]:
            # GitLab names a combination by its values in the order of the axes.
            if axis in axes and [*{**axes, axis: merged[-1].get(axis)}.items()] == [*merged[-1].items()]:
                merged[-1] = {**axes, axis: merged[-1][axis] + axes[axis]}
            else:
                merged.append(axes)
        maps = merged
    return [
        {axis: values[0] if values[0] and len(values) == 1 else values for axis, values in axes.items()}
        for axes in maps
    ]


def _rule(rule: RuleEntry, *, otherwise: str = "on_success") -> dict[str, Value]:
    """Return the keys of *rule*; without any, it has *otherwise* as its `when`."""
    changes: Value = Flow(rule.changes)
    if rule.compare_to:
        changes = {"paths": changes, "compare_to": rule.compare_to}
    keys: dict[str, Value] = {
        "if": rule.condition or None,
        "changes": changes if rule.changes else None,
        "exists": Flow(rule.exists) if rule.exists else None,
        "when": rule.when or None,
        "start_in": rule.start_in or None,
        "allow_failure": rule.allow_failure,
        "variables": dict(rule.variables) or None,
    }
    return without_none(keys) or {"when": otherwise}


def _variables(variables: Iterable[VariableEntry]) -> Value:
    return {variable.name: _variable(variable) for variable in variables}


def _variable(variable: VariableEntry) -> Value:
    if not variable.description and not variable.options and not variable.is_raw:
        return variable.value
    more = without_none(
        {
            "description": variable.description or None,
            "options": text_list(variable.options) if variable.options else None,
            "expand": False if variable.is_raw else None,
        }
    )
    return {"value": variable.value, **more}


def _audiences(token: IdTokenEntry) -> Value:
    return Flow({"aud": token.audiences[0] if len(token.audiences) == 1 else list(token.audiences)})


def script_data(entries: Sequence[ScriptEntry]) -> Value:
    """Return the lines of a script, a single short command in brackets; None if it is empty."""
    if len(entries) == 1 and not entries[0].comment and _SHORT_COMMAND.fullmatch(entries[0].text):
        return Flow((entries[0].text,))
    return [Commented(entry.text, above=entry.comment) if entry.comment else entry.text for entry in entries] or None


def _link(link: ReleaseLink) -> dict[str, Data]:
    keys = {"name": link.name, "url": link.url, "filepath": link.filepath, "link_type": link.type}
    return {key: value for key, value in keys.items() if value is not None}


def _release(release: Release) -> dict[str, Value]:
    links: list[Value] = [Flow(_link(link)) for link in release.links]
    return without_none(
        {
            "tag_name": release.tag,
            "name": release.name,
            "description": release.description,
            "ref": release.ref,
            "milestones": Flow(release.milestones) if release.milestones else None,
            "assets": {"links": links} if links else None,
        }
    )


def _trigger(trigger: TriggerKeys | ChildPipeline) -> Value:
    if isinstance(trigger, ChildPipeline):
        return {
            "include": [Flow({"local": trigger.file})],
            "strategy": "depend",
            # Otherwise, variables that a person sets for a run would not reach its children.
            "forward": {"pipeline_variables": True},
        }
    keys: dict[str, Value] = {"project": trigger.project} if trigger.project else {}
    if trigger.include:
        keys["include"] = [
            Flow({"artifact": file.path, "job": file.job} if file.job else {"local": file.path})
            for file in trigger.include
        ]
    if trigger.branch is not None:
        keys["branch"] = trigger.branch
    if trigger.is_awaited:
        keys["strategy"] = "depend"
    forward = {
        **({} if trigger.passes_variables else {"yaml_variables": False}),
        **({"pipeline_variables": True} if trigger.forwards else {}),
    }
    return {**keys, "forward": forward} if forward else keys
