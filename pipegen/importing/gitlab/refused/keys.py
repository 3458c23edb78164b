"""The forms of the values of GitLab's keys: https://docs.gitlab.com/ci/yaml/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote_plus

from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.importing.gitlab.refused.forms import (
    NONE,
    Form,
    Wrong,
    anything,
    anything_in,
    boolean,
    choice,
    duration,
    expression,
    filled,
    is_text,
    mapping,
    mapping_or,
    named,
    number,
    regex,
    scalar,
    sequence,
    sequence_or,
    text,
    texts,
)
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, entries_of
from pipegen.structs import replace

_MOST_TRIES = 2
_MOST_LEVELS = 10
_COMMANDS = texts(level=_MOST_LEVELS)
_ENTRYPOINT = texts(may_be_single=False)
_PULL = anything_in("pull_policy", "docker", "kubernetes", "ports")
_VARIABLE = {"value": scalar, "expand": boolean}
JOB_VARIABLES = named(mapping_or(mapping(_VARIABLE), scalar))
FILE_VARIABLES = named(
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
_CHANGES = mapping_or(
    mapping({"paths": texts(may_be_single=False), "compare_to": text}, ("paths",)),
    texts(may_be_single=False),
)
_EXISTS = mapping_or(
    mapping({"paths": texts(may_be_single=False), **anything_in("project", "ref")}, ("paths",)),
    texts(),
)
_RULE: Mapping[str, Form] = {
    "if": expression,
    "changes": _CHANGES,
    "exists": _EXISTS,
    "variables": JOB_VARIABLES,
}
_STARTS = ("on_success", "on_failure", "always", "manual", "delayed")
_JOB_RULES = filled(
    sequence(
        filled(
            mapping(
                {
                    **_RULE,
                    "when": choice(*_STARTS, "never"),
                    "start_in": duration(),
                    "allow_failure": mapping_or(anything, boolean),
                    "needs": _NEEDS,
                    "interruptible": boolean,
                }
            )
        )
    )
)
_POLICY = mapping_or(
    mapping({"refs": texts(), "variables": texts(), "changes": texts(), "kubernetes": anything}),
    texts(),
)
_POLICIES = choice("pull-push", "push", "pull")


def _cache_policy(node: Node) -> Iterable[Wrong]:
    return NONE if "$" in text_of(node) else _POLICIES(node)


def _cache_key(node: Node) -> Iterator[Wrong]:
    """Yield why *node* is no key of a cache: `KeyValidator` in `lib/gitlab/config/entry/validators.rb` of GitLab."""
    key = unquote_plus(text_of(node))
    if not is_text(node):
        yield from text(node)
    elif "/" in key:
        yield Wrong(node.span, 'it contains "/"', "write another character")
    elif key in (".", ".."):
        yield Wrong(node.span, "it is only dots", "write a name")


_FILES = filled(texts(may_be_single=False))
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
        "fallback_keys": texts(may_be_single=False),
    }
)


def _reports(node: Node) -> Iterator[Wrong]:
    """Yield what is wrong in reports: most have paths, which GitLab accepts in several forms."""
    names = [entry.key.text for entry in entries_of(node)]
    yield from mapping({**anything_in(*names), "coverage_report": _COVERAGE})(node)


_COVERAGE = mapping(
    {"coverage_format": choice("cobertura", "jacoco"), "path": text},
    ("coverage_format",),
    ("path",),
)
_ARTIFACTS = mapping(
    {
        "paths": texts(may_be_single=False),
        "exclude": texts(may_be_single=False),
        "name": text,
        "expose_as": text,
        "untracked": boolean,
        "public": boolean,
        "when": choice("on_success", "on_failure", "always"),
        "expire_in": duration(may_be_endless=True),
        "reports": _reports,
        "access": choice("none", "all", "developer", "maintainer"),
    }
)
_CODES = sequence_or(number(0, 255), number(0, 255))
_RETRIES = number(0, _MOST_TRIES)
_ENVIRONMENT = mapping(
    {
        "name": text,
        "url": text,
        "on_stop": text,
        "kubernetes": anything,
        "action": choice("start", "prepare", "stop", "verify", "access"),
        "auto_stop_in": duration(may_be_endless=True),
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
_MATRIX = sequence(named(sequence_or(scalar, scalar)))
# https://docs.gitlab.com/ci/yaml/#job-keywords
_JOB: Mapping[str, Form] = {
    "script": filled(_COMMANDS),
    "before_script": _COMMANDS,
    "after_script": _COMMANDS,
    "variables": JOB_VARIABLES,
    "rules": _JOB_RULES,
    "only": _POLICY,
    "except": _POLICY,
    "when": choice(*_STARTS),
    "start_in": duration(),
    "stage": text,
    "extends": texts(),
    "needs": _NEEDS,
    "dependencies": texts(may_be_single=False),
    "image": mapping_or(mapping({"name": text, "entrypoint": _ENTRYPOINT, **_PULL}, ("name",)), text),
    "services": sequence(
        mapping_or(
            mapping(
                {
                    "name": text,
                    "alias": text,
                    "entrypoint": _ENTRYPOINT,
                    "command": _ENTRYPOINT,
                    "variables": JOB_VARIABLES,
                    **_PULL,
                },
                ("name",),
            ),
            text,
        )
    ),
    "tags": texts(),
    "cache": sequence_or(_CACHE, _CACHE),
    "artifacts": _ARTIFACTS,
    "coverage": regex,
    "environment": mapping_or(_ENVIRONMENT, text),
    "retry": mapping_or(mapping({"max": _RETRIES, "when": texts(), "exit_codes": _CODES}), _RETRIES),
    "parallel": mapping_or(mapping({"matrix": _MATRIX}, ("matrix",)), number(1, 200)),
    "timeout": duration(),
    "interruptible": boolean,
    "allow_failure": mapping_or(mapping({"exit_codes": _CODES}, ("exit_codes",)), boolean),
    "resource_group": text,
    "trigger": mapping_or(_TRIGGER, text),
    "inherit": mapping(
        {
            "default": sequence_or(text, boolean),
            "variables": sequence_or(text, boolean),
        }
    ),
    "id_tokens": named(mapping({"aud": texts()}, ("aud",))),
    **anything_in("dast_configuration", "hooks", "identity", "inputs", "manual_confirmation"),
    "pages": mapping_or(mapping(anything_in("publish", "path_prefix", "expire_in")), boolean),
    "publish": text,
    "release": mapping(
        anything_in("tag_name", "tag_message", "description", "name", "ref", "milestones", "released_at", "assets"),
        ("tag_name",),
        ("description",),
    ),
    **anything_in("run", "secrets", "type"),
}
_DEFAULTS = ("after_script", "artifacts", "before_script", "cache", "hooks", "id_tokens", "identity", "image")
_FILE: Mapping[str, Form] = {
    "stages": texts(may_be_single=False, level=_MOST_LEVELS),
    "variables": FILE_VARIABLES,
    "default": mapping(anything_in(*_DEFAULTS, "interruptible", "retry", "services", "tags", "timeout")),
    "workflow": mapping(
        {
            "name": text,
            "auto_cancel": anything,
            "rules": sequence(mapping({**_RULE, "when": choice("always", "never"), "auto_cancel": anything})),
        }
    ),
}
# https://docs.gitlab.com/ci/yaml/#header-keywords
_INPUT = mapping(anything_in("default", "description", "options", "regex", "rules", "type"))
_HEADER: Mapping[str, Form] = {
    "spec": mapping({"inputs": named(_INPUT), **anything_in("component", "include")}),
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
