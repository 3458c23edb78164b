"""The forms of the values of GitLab's keys: https://docs.gitlab.com/ci/yaml/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from urllib.parse import unquote_plus

from pipegen.diagnostics.report import closest
from pipegen.importing.gitlab.reading.jobs import DEFAULT_KEYS
from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.importing.gitlab.refused.forms import (
    NONE,
    Form,
    Problem,
    Wrong,
    anything,
    anything_in,
    at_most,
    boolean,
    choice,
    duration,
    expression,
    filled,
    is_text,
    list_or,
    mapping,
    mapping_or,
    matching,
    named,
    number,
    regex,
    scalar,
    sequence,
    sequence_or,
    text,
    text_or_regex,
    texts,
    unquoted,
    whole,
    with_key,
)
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence, entries_of, items_of
from pipegen.structs import replace

_MOST_TRIES = 2
# https://docs.gitlab.com/ci/yaml/#parallel
_MOST_JOBS, _MOST_LEVELS = 200, 10
# https://docs.gitlab.com/ci/yaml/: `rules:changes`, `tags`, `cache`, `cache:key:files`, `cache:fallback_keys`.
_MOST_PATHS, _MOST_TAGS, _MOST_CACHES, _MOST_KEY_FILES, _MOST_FALLBACKS = 50, 49, 4, 2, 5
_COMMANDS = texts(level=_MOST_LEVELS)
_ENTRYPOINT = texts(may_be_single=False)
_PULL_POLICY = choice("always", "never", "if-not-present")
_IMAGE_KEYS = {
    "pull_policy": sequence_or(_PULL_POLICY, _PULL_POLICY),
    **anything_in("docker", "kubernetes", "ports"),
}
_VARIABLE = {"value": scalar, "expand": boolean}
_RULE_VARIABLES = named(scalar)
_JOB_VARIABLES = named(mapping_or(mapping(_VARIABLE), scalar))
_FILE_VARIABLES = named(
    mapping_or(
        mapping({**_VARIABLE, "description": text, "options": texts(may_be_single=False)}),
        scalar,
    )
)
_NEED = mapping(
    {
        "job": text,
        "artifacts": boolean,
        "optional": boolean,
        **anything_in("parallel", "pipeline", "project", "ref"),
    },
    ("job", "pipeline"),
)
_NEEDS = sequence_or(mapping_or(_NEED, text), _NEED)
_PATHS = at_most(_MOST_PATHS, texts(may_be_single=False))
_CHANGES = mapping_or(mapping({"paths": _PATHS, "compare_to": text}, ("paths",)), _PATHS)
_EXISTS_ELSEWHERE = mapping({"paths": _PATHS, "project": text, "ref": text}, ("paths",))


def _exists(node: Node) -> Iterator[Wrong]:
    """Yield what is wrong in a map of `exists`, which is in another project if it has a branch."""
    yield from _EXISTS_ELSEWHERE(node)
    ref = node.entry("ref") if isinstance(node, TreeMapping) else None
    if ref is not None and isinstance(node, TreeMapping) and node.entry("project") is None:
        yield Wrong(ref.key.span, 'it needs "project"', "add it, or remove the key", ("ref",), ref)


_EXISTS = mapping_or(_exists, at_most(_MOST_PATHS, texts()))
_RULE: Mapping[str, Form] = {
    "if": expression,
    "changes": _CHANGES,
    "exists": _EXISTS,
    "variables": _RULE_VARIABLES,
}
_STARTS = ("on_success", "on_failure", "always", "manual", "delayed")
_JOB_RULE = mapping(
    {
        **_RULE,
        "when": choice(*_STARTS, "never"),
        "start_in": duration(has_variables=False, longest="1 week"),
        "allow_failure": boolean,
        "needs": _NEEDS,
        "interruptible": boolean,
    }
)


def _job_rule(node: Node) -> Iterator[Wrong]:
    """Yield what is wrong in a rule of a job, and whether it has only one of the keys for a delay."""
    yield from _JOB_RULE(node)
    entries = {entry.key.text: entry for entry in entries_of(node)}
    if ("start_in" in entries) != (text_of(entries["when"].value) == "delayed" if "when" in entries else False):
        has_time = "start_in" in entries
        entry = entries["start_in" if has_time else "when"]
        reason = 'it needs "when: delayed"' if has_time else 'it needs "start_in"'
        yield Wrong(entry.key.span, reason, "add it", (entry.key.text,), entry)


_JOB_RULES = filled(sequence(filled(_job_rule)))
_CHANGED = texts(may_be_single=False)
_REFS = texts(may_be_single=False, item_form=text_or_regex)
_POLICY = mapping_or(
    filled(
        mapping({"refs": _REFS, "variables": sequence(expression), "changes": _CHANGED, "kubernetes": choice("active")})
    ),
    _REFS,
)
_POLICIES = choice("pull-push", "push", "pull")


def _axis_value(node: Node) -> Iterable[Wrong]:
    """Return why *node* is not a value of a matrix: GitLab accepts texts and numbers."""
    is_boolean = isinstance(node, Scalar) and node.kind is ScalarKind.BOOLEAN
    return text(node) if is_boolean else scalar(node)


def _cache_policy(node: Node) -> Iterable[Wrong]:
    return NONE if "$" in text_of(node) else _POLICIES(node)


def _cache_key(node: Node) -> Iterator[Wrong]:
    """Yield why *node* is not a key of a cache: `KeyValidator` in `lib/gitlab/config/entry/validators.rb` of GitLab."""
    key = unquote_plus(text_of(node))
    if not is_text(node):
        yield from text(node)
    elif "/" in key:
        yield Wrong(node.span, 'it contains "/"', "write another character")
    elif key in (".", ".."):
        yield Wrong(node.span, "it is only dots", "write a name")


_FILES = at_most(_MOST_KEY_FILES, filled(texts(may_be_single=False)))
_CACHE_KEY = mapping(
    {"files": _FILES, "files_commits": _FILES, "prefix": _cache_key},
    ("files", "files_commits"),
)
_CACHE = mapping(
    {
        "key": mapping_or(_CACHE_KEY, _cache_key),
        "paths": texts(may_be_single=False),
        "policy": _cache_policy,
        "when": choice("on_success", "on_failure", "always"),
        "untracked": boolean,
        "unprotect": boolean,
        "fallback_keys": at_most(_MOST_FALLBACKS, texts(may_be_single=False)),
    }
)


_COVERAGE = mapping(
    {"coverage_format": choice("cobertura", "jacoco"), "path": text},
    ("coverage_format",),
    ("path",),
)
# `ALLOWED_KEYS` in `lib/gitlab/ci/config/entry/reports.rb` of GitLab, and `cobertura`, which older versions have.
_PATH_REPORTS = (
    *("junit", "codequality", "sast", "secret_detection", "dependency_scanning", "container_scanning", "dast"),
    *("performance", "browser_performance", "load_performance", "license_scanning", "license_management", "metrics"),
    *("lsif", "dotenv", "terraform", "accessibility", "coverage_fuzzing", "api_fuzzing", "cluster_image_scanning"),
    *("requirements", "requirements_v2", "cyclonedx", "annotations", "repository_xray", "sarif", "cobertura"),
)
_REPORTS = mapping({**dict.fromkeys(_PATH_REPORTS, texts()), "coverage_report": _COVERAGE})
_ARTIFACTS = mapping(
    {
        "paths": texts(may_be_single=False),
        "exclude": texts(may_be_single=False),
        "name": text,
        "expose_as": matching(r"[\w -]*", "a text of letters, digits, blanks, dashes and underscores"),
        "untracked": boolean,
        "public": boolean,
        "when": choice("on_success", "on_failure", "always"),
        "expire_in": duration(may_be_endless=True),
        "reports": _REPORTS,
        "access": choice("none", "all", "developer", "maintainer"),
    }
)
_CODES = sequence_or(whole, whole)
# `failure_reasons` in `app/models/concerns/enums/ci/commit_status.rb` of GitLab, with gitlab-org/cli!3632
_FAILURES = (
    *("always", "unknown_failure", "script_failure", "api_failure", "stuck_or_timeout_failure"),
    *("runner_system_failure", "missing_dependency_failure", "runner_unsupported", "stale_schedule"),
    *("job_execution_timeout", "archived_failure", "unmet_prerequisites", "scheduler_failure", "runner_interrupted"),
    *("data_integrity_failure", "forward_deployment_failure", "user_blocked", "project_deleted", "ci_quota_exceeded"),
    *("pipeline_loop_detected", "no_matching_runner", "trace_size_exceeded", "builds_disabled"),
    *("environment_creation_failure", "deployment_rejected", "failed_outdated_deployment_job"),
    *("job_execution_server_timeout", "protected_environment_failure", "insufficient_bridge_permissions"),
    *("downstream_bridge_project_not_found", "invalid_bridge_trigger", "upstream_bridge_project_not_found"),
    *("insufficient_upstream_permissions", "bridge_pipeline_is_child_pipeline", "downstream_pipeline_creation_failed"),
    *("secrets_provider_not_found", "reached_max_descendant_pipelines_depth", "ip_restriction_failure"),
    *("reached_max_pipeline_hierarchy_size", "reached_downstream_pipeline_trigger_rate_limit"),
    *("duo_workflow_not_allowed", "job_router_failure", "job_token_expired", "runner_external_dependency_failure"),
)


def _failure(node: Node) -> Iterator[Wrong]:
    """Yield why *node* is not a failure after which GitLab runs a job again."""
    if text_of(node) not in _FAILURES:
        similar = closest(text_of(node), _FAILURES, cutoff=0.9)
        hint = f'write "{similar}"' if similar else "see https://docs.gitlab.com/ci/yaml/#retrywhen"
        yield Wrong(node.span, "GitLab has no such failure", hint, problem=Problem.TYPO if similar else Problem.UNKNOWN)


_RETRIES = number(0, _MOST_TRIES)
# `environment_name_regex` in `lib/gitlab/regex.rb` of GitLab.
_ENVIRONMENT_NAME = matching(
    r"[\w${}. -](?:[\w/${}. -]*[\w${}. -])?",
    "a name of letters, digits, blanks and -_/${}. without a slash at its start or end",
)
_ENVIRONMENT = mapping(
    {
        "name": _ENVIRONMENT_NAME,
        "url": text,
        "on_stop": text,
        "kubernetes": mapping(
            anything_in("namespace", "agent", "flux_resource_path", "managed_resources", "dashboard")
        ),
        "action": choice("start", "prepare", "stop", "verify", "access"),
        "auto_stop_in": duration(may_be_endless=True, may_be_zero=True),
        "deployment_tier": choice("production", "staging", "testing", "development", "other"),
    },
    ("name",),
)
_TRIGGER = mapping(
    {
        "project": text,
        "branch": text,
        "include": anything,
        "forward": mapping(anything_in("yaml_variables", "pipeline_variables")),
        "strategy": choice("depend", "mirror"),
        "inputs": anything,
    },
    ("project", "include"),
)
_AXES = sequence(filled(named(list_or(filled(sequence(_axis_value)), _axis_value))))


def _matrix(node: Node) -> Iterator[Wrong]:
    """Yield what is wrong in a matrix, and whether it has more jobs than GitLab allows."""
    yield from _AXES(node)
    maps = items_of(node)
    axes = [[entry.value for entry in entries_of(item)] for item in maps]
    jobs = sum(prod(len(axis.items) if isinstance(axis, Sequence) else 1 for axis in each) for each in axes if each)
    if jobs > _MOST_JOBS:
        yield Wrong(node.span, f"it has {jobs} jobs, and GitLab allows {_MOST_JOBS}", "remove some values")


_DEFAULTS = (*DEFAULT_KEYS, "timeout")
# https://docs.gitlab.com/ci/yaml/#job-keywords
_JOB: Mapping[str, Form] = {
    "script": filled(_COMMANDS),
    "before_script": _COMMANDS,
    "after_script": _COMMANDS,
    "variables": _JOB_VARIABLES,
    "rules": _JOB_RULES,
    "only": _POLICY,
    "except": _POLICY,
    "when": choice(*_STARTS),
    "start_in": duration(has_variables=False, longest="1 week"),
    "stage": text,
    "extends": texts(),
    "needs": _NEEDS,
    "dependencies": texts(may_be_single=False),
    "image": mapping_or(
        mapping({"name": filled(text), "entrypoint": _ENTRYPOINT, **_IMAGE_KEYS}, ("name",)), filled(text)
    ),
    "services": sequence(
        mapping_or(
            mapping(
                {
                    "name": text,
                    "alias": text,
                    "entrypoint": _ENTRYPOINT,
                    "command": _COMMANDS,
                    "variables": _JOB_VARIABLES,
                    **_IMAGE_KEYS,
                },
                ("name",),
            ),
            text,
        )
    ),
    "tags": at_most(_MOST_TAGS, texts(may_be_single=False)),
    "cache": at_most(_MOST_CACHES, sequence_or(_CACHE, _CACHE)),
    "artifacts": _ARTIFACTS,
    "coverage": regex,
    "environment": mapping_or(_ENVIRONMENT, _ENVIRONMENT_NAME),
    "retry": mapping_or(
        mapping({"max": _RETRIES, "when": sequence_or(_failure, _failure), "exit_codes": _CODES}), unquoted(_RETRIES)
    ),
    "parallel": mapping_or(mapping({"matrix": _matrix}, ("matrix",)), unquoted(number(1, _MOST_JOBS))),
    "timeout": duration(has_variables=False, longest="1 month"),
    "interruptible": boolean,
    "allow_failure": mapping_or(mapping({"exit_codes": _CODES}), boolean),
    "resource_group": text,
    "trigger": mapping_or(_TRIGGER, text),
    "inherit": mapping(
        {
            "default": sequence_or(choice(*_DEFAULTS), boolean),
            "variables": sequence_or(text, boolean),
        }
    ),
    "id_tokens": named(mapping({"aud": texts()}, ("aud",))),
    "hooks": mapping({"pre_get_sources_script": _COMMANDS}),
    "manual_confirmation": text,
    **anything_in("dast_configuration", "identity", "inputs"),
    "pages": mapping_or(mapping(anything_in("publish", "path_prefix", "expire_in")), boolean),
    "publish": text,
    "release": mapping(
        {
            "tag_name": filled(text),
            "tag_message": text,
            "description": filled(text),
            "milestones": texts(),
            "released_at": matching(r"\d{4}.*", "a date such as 2026-01-31T12:00:00Z"),
            "assets": mapping({"links": filled(sequence(named(anything)))}, ("links",)),
            **anything_in("name", "ref"),
        },
        ("tag_name",),
        ("description",),
    ),
    **anything_in("run", "secrets"),
}
_FILE: Mapping[str, Form] = {
    "stages": texts(may_be_single=False, level=_MOST_LEVELS),
    "variables": _FILE_VARIABLES,
    "default": mapping(anything_in(*_DEFAULTS)),
    "workflow": mapping(
        {
            "name": text,
            "auto_cancel": anything,
            "rules": sequence(mapping({**_RULE, "when": choice("always", "never"), "auto_cancel": anything})),
        }
    ),
}
# https://docs.gitlab.com/ci/yaml/#header-keywords
_INPUT_KEYS = mapping(
    {
        "rules": sequence(filled(with_key(mapping(anything_in("if", "options", "default")), "default"))),
        **anything_in("default", "description", "options", "regex", "type"),
    }
)


def _input(node: Node) -> Iterator[Wrong]:
    """Yield what is wrong in an input, and the keys that are not allowed with its rules."""
    yield from _INPUT_KEYS(node)
    entries = {entry.key.text: entry for entry in entries_of(node)}
    for key in ("options", "default") if "rules" in entries else ():
        if key in entries:
            yield Wrong(
                entries[key].key.span, 'it is not allowed with "rules"', "add it to a rule", (key,), entries[key]
            )


_HEADER: Mapping[str, Form] = {
    "spec": mapping({"inputs": named(_input), **anything_in("component", "include")}),
}


def wrong_in_job(keys: TreeMapping) -> Iterable[Wrong]:
    """Return what GitLab refuses in the *keys* of a job."""
    return mapping(_JOB)(keys)


def wrong_in_file(keys: TreeMapping) -> Iterable[Wrong]:
    """Return what GitLab refuses in the *keys* of a file that are for all jobs."""
    return _wrong_in(keys, _FILE)


def wrong_in_header(keys: TreeMapping) -> Iterable[Wrong]:
    """Return what GitLab refuses in the header among the *keys* of a file."""
    return _wrong_in(keys, _HEADER)


def _wrong_in(keys: TreeMapping, forms: Mapping[str, Form]) -> Iterable[Wrong]:
    own = tuple(entry for entry in keys.entries if entry.key.text in forms)
    return mapping(forms)(replace(keys, entries=own))
