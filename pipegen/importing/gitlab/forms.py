"""The forms of the values of GitLab's keys: https://docs.gitlab.com/ci/yaml/."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from pipegen.diagnostics.report import listed, suggestion
from pipegen.importing.gitlab.reading.expressions import ExpressionError, UnreadExpressionError, parsed
from pipegen.importing.gitlab.reading.tree import TagReference, is_null, text_of
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence, whole_number
from pipegen.structs import Struct, replace

# https://docs.gitlab.com/ci/yaml/#artifactsexpire_in
_UNIT = re.compile(r"(?:s|m|h|d|w|y|mo|sec|min|hr|wk|yr|mon|second|minute|hour|day|week|fortnight|month|year)s?")
_NUMBER = re.compile(r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|\d", re.IGNORECASE)
_IGNORED = frozenset({"and", "with", "plus"})
_MOST_TRIES = 2
_MOST_LEVELS = 10


class Wrong(Struct):
    """A value, or a key, at *span* that GitLab refuses, with the reason, the text of a hint, and the *path* of keys."""

    span: Span
    reason: str
    hint: str
    path: tuple[str, ...] = ()


# Yields what is wrong in a node that is not null.
Form: TypeAlias = Callable[[Node], Iterable[Wrong]]
_NONE: tuple[Wrong, ...] = ()


def _wrong(node: Node, words: str) -> Iterator[Wrong]:
    yield Wrong(node.span, f"it is not {words}", f"write {words}")


def _is_known(node: Node) -> bool:
    """Return whether *node* has a value here: null has none, and others have references or unknown inputs."""
    return not is_null(node) and not isinstance(node, TagReference) and "$[[" not in text_of(node)


def _is_text(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind is ScalarKind.TEXT


def _text(node: Node) -> Iterator[Wrong]:
    if isinstance(node, Scalar) and not _is_text(node):
        kind = "a boolean" if node.kind is ScalarKind.BOOLEAN else "a number"
        yield Wrong(node.span, f"YAML reads it as {kind}, not as a text", "put it in quotes")
    elif not _is_text(node):
        yield from _wrong(node, "a text")


def _scalar(node: Node) -> Iterable[Wrong]:
    return _NONE if isinstance(node, Scalar) else _wrong(node, "a text, a number or a boolean")


def _boolean(node: Node) -> Iterable[Wrong]:
    is_boolean = isinstance(node, Scalar) and node.kind is ScalarKind.BOOLEAN
    return _NONE if is_boolean else _wrong(node, "true or false, without quotes")


def _regex(node: Node) -> Iterable[Wrong]:
    is_regex = re.fullmatch(r"/.+/\w*", text_of(node), re.DOTALL) is not None
    return _NONE if is_regex else _wrong(node, "a regular expression between slashes")


def _expression(node: Node) -> Iterator[Wrong]:
    try:
        parsed(" ".join(text_of(node).split("\n")))
    except UnreadExpressionError:
        return
    except ExpressionError:
        yield from _wrong(node, "a complete expression")


def _number(least: int, most: int) -> Form:
    def form(node: Node) -> Iterable[Wrong]:
        number = whole_number(text_of(node)) if isinstance(node, Scalar) else None
        is_within = number is not None and least <= number <= most
        return _NONE if is_within else _wrong(node, f"a number from {least} to {most}")

    return form


def _choice(*words: str) -> Form:
    def form(node: Node) -> Iterable[Wrong]:
        return _NONE if text_of(node) in words else _wrong(node, f"one of {listed(words)}")

    return form


def _duration(*, may_be_endless: bool = False) -> Form:
    def form(node: Node) -> Iterable[Wrong]:
        text = text_of(node)
        if not _is_text(node):
            return _text(node)
        is_known = "$" in text or _is_duration(text) or (may_be_endless and text.strip().lower() == "never")
        return _NONE if is_known else _wrong(node, 'a duration, such as "1 hour 30 minutes"')

    return form


def _is_duration(text: str) -> bool:
    words = re.findall(r"[a-z]+", text.lower())
    units = [word for word in words if word not in _IGNORED and not _NUMBER.fullmatch(word)]
    return _NUMBER.search(text) is not None and all(_UNIT.fullmatch(unit) for unit in units)


def _texts(*, may_be_single: bool = True, level: int = 1) -> Form:
    """Return the form of a list of texts, whose items can be lists down to *level*."""

    def form(node: Node) -> Iterator[Wrong]:
        if may_be_single and _is_text(node):
            return
        if not isinstance(node, Sequence):
            yield from _wrong(node, "a list of texts")
            return
        inner = _texts(may_be_single=False, level=level - 1)
        for item in node.items:
            is_list = isinstance(item, Sequence) and level > 1
            yield from _NONE if not _is_known(item) else inner(item) if is_list else _text(item)

    return form


def _list(item_form: Form) -> Form:
    """Return the form of a list, also of lists, as `!reference` leaves them."""

    def form(node: Node) -> Iterator[Wrong]:
        if not isinstance(node, Sequence):
            yield from _wrong(node, "a list")
            return
        for item in node.items:
            yield from _NONE if not _is_known(item) else (form if isinstance(item, Sequence) else item_form)(item)

    return form


def _filled(inner: Form) -> Form:
    """Return *inner* for a value that cannot be empty."""

    def form(node: Node) -> Iterator[Wrong]:
        if isinstance(node, Sequence | TreeMapping) and not (
            node.items if isinstance(node, Sequence) else node.entries
        ):
            yield Wrong(node.span, "it is empty", "remove it, or write a value")
        else:
            yield from inner(node)

    return form


def _map(keys: Mapping[str, Form], *needed: tuple[str, ...]) -> Form:
    """Return the form of a map with *keys*, and at least one of each group of *needed* ones."""

    def form(node: Node) -> Iterator[Wrong]:
        if not isinstance(node, TreeMapping):
            yield from _wrong(node, "a map")
            return
        for entry in node.entries:
            name, value = entry.key.text, entry.value
            if name not in keys:
                similar = suggestion(name, keys)
                hint = f'write "{similar}"' if similar else "remove it"
                yield Wrong(entry.key.span, "there is no such key", hint, (name,))
            elif _is_known(value):
                yield from (replace(wrong, path=(name, *wrong.path)) for wrong in keys[name](value))
        for group in needed:
            if all(is_null(node.get(name)) for name in group):
                words = " or ".join(f'"{name}"' for name in group)
                yield Wrong(node.span, f"it has no {words}", f"add {words}")

    return form


def _named(values: Form) -> Form:
    """Return the form of a map with names of the user as keys."""

    def form(node: Node) -> Iterator[Wrong]:
        if not isinstance(node, TreeMapping):
            yield from _wrong(node, "a map")
            return
        for entry in node.entries:
            yield from values(entry.value) if _is_known(entry.value) else _NONE

    return form


def _map_or(inner: Form, other: Form) -> Form:
    """Return the form of a map as *inner*, or of another value as *other*."""
    return lambda node: (inner if isinstance(node, TreeMapping) else other)(node)


def _list_or(inner: Form, other: Form) -> Form:
    """Return the form of a list of *inner*, or of a single value as *other*."""
    return lambda node: (_list(inner) if isinstance(node, Sequence) else other)(node)


def _any(_: Node) -> Iterable[Wrong]:
    return iter(())


def _any_map(*names: str) -> Mapping[str, Form]:
    return dict.fromkeys(names, _any)


_COMMANDS = _texts(level=_MOST_LEVELS)
_ENTRYPOINT = _texts(may_be_single=False)
_PULL = _any_map("pull_policy", "docker", "kubernetes", "ports")
_VARIABLE = {"value": _scalar, "expand": _boolean}
JOB_VARIABLES = _named(_map_or(_map(_VARIABLE), _scalar))
FILE_VARIABLES = _named(
    _map_or(_map({**_VARIABLE, "description": _text, "options": _texts(may_be_single=False)}), _scalar)
)
_NEED = _map(
    {"job": _text, "artifacts": _boolean, "optional": _boolean, **_any_map("parallel", "pipeline", "project", "ref")},
    ("job", "pipeline"),
)
_NEEDS = _list_or(_map_or(_NEED, _text), _NEED)
_CHANGES = _map_or(
    _map({"paths": _texts(may_be_single=False), "compare_to": _text}, ("paths",)), _texts(may_be_single=False)
)
_EXISTS = _map_or(_map({"paths": _texts(may_be_single=False), **_any_map("project", "ref")}, ("paths",)), _texts())
_RULE: Mapping[str, Form] = {
    "if": _expression,
    "changes": _CHANGES,
    "exists": _EXISTS,
    "variables": JOB_VARIABLES,
}
_STARTS = ("on_success", "on_failure", "always", "manual", "delayed")
_JOB_RULES = _filled(
    _list(
        _filled(
            _map(
                {
                    **_RULE,
                    "when": _choice(*_STARTS, "never"),
                    "start_in": _duration(),
                    "allow_failure": _map_or(_any, _boolean),
                    "needs": _NEEDS,
                    "interruptible": _boolean,
                }
            )
        )
    )
)
_POLICY = _map_or(_map({"refs": _texts(), "variables": _texts(), "changes": _texts(), "kubernetes": _any}), _texts())
_POLICIES = _choice("pull-push", "push", "pull")


def _cache_policy(node: Node) -> Iterable[Wrong]:
    return _NONE if "$" in text_of(node) else _POLICIES(node)


_CACHE = _map(
    {
        "key": _any,
        "paths": _texts(may_be_single=False),
        "policy": _cache_policy,
        "when": _choice("on_success", "on_failure", "always"),
        "untracked": _boolean,
        "unprotect": _boolean,
        "fallback_keys": _texts(may_be_single=False),
    }
)
_ARTIFACTS = _map(
    {
        "paths": _texts(may_be_single=False),
        "exclude": _texts(may_be_single=False),
        "name": _text,
        "expose_as": _text,
        "untracked": _boolean,
        "public": _boolean,
        "when": _choice("on_success", "on_failure", "always"),
        "expire_in": _duration(may_be_endless=True),
        "reports": _named(_any),
        "access": _choice("none", "all", "developer", "maintainer"),
    }
)
_CODES = _list_or(_number(0, 255), _number(0, 255))
_RETRIES = _number(0, _MOST_TRIES)
_ENVIRONMENT = _map(
    {
        "name": _text,
        "url": _text,
        "on_stop": _text,
        "kubernetes": _any,
        "action": _choice("start", "prepare", "stop", "verify", "access"),
        "auto_stop_in": _duration(may_be_endless=True),
        "deployment_tier": _choice("production", "staging", "testing", "development", "other"),
    },
    ("name",),
)
_TRIGGER = _map(
    {
        "project": _text,
        "branch": _text,
        "include": _any,
        "forward": _map(_any_map("yaml_variables", "pipeline_variables")),
        "strategy": _choice("depend", "mirror"),
        "inputs": _any,
    },
    ("project", "include"),
)
_MATRIX = _list(_named(_list_or(_scalar, _scalar)))
# https://docs.gitlab.com/ci/yaml/#job-keywords
_JOB: Mapping[str, Form] = {
    "script": _filled(_COMMANDS),
    "before_script": _COMMANDS,
    "after_script": _COMMANDS,
    "variables": JOB_VARIABLES,
    "rules": _JOB_RULES,
    "only": _POLICY,
    "except": _POLICY,
    "when": _choice(*_STARTS),
    "start_in": _duration(),
    "stage": _text,
    "extends": _texts(),
    "needs": _NEEDS,
    "dependencies": _texts(may_be_single=False),
    "image": _map_or(_map({"name": _text, "entrypoint": _ENTRYPOINT, **_PULL}, ("name",)), _text),
    "services": _list(
        _map_or(
            _map(
                {
                    "name": _text,
                    "alias": _text,
                    "entrypoint": _ENTRYPOINT,
                    "command": _ENTRYPOINT,
                    "variables": JOB_VARIABLES,
                    **_PULL,
                },
                ("name",),
            ),
            _text,
        )
    ),
    "tags": _texts(),
    "cache": _list_or(_CACHE, _CACHE),
    "artifacts": _ARTIFACTS,
    "coverage": _regex,
    "environment": _map_or(_ENVIRONMENT, _text),
    "retry": _map_or(_map({"max": _RETRIES, "when": _texts(), "exit_codes": _CODES}), _RETRIES),
    "parallel": _map_or(_map({"matrix": _MATRIX}, ("matrix",)), _number(1, 200)),
    "timeout": _duration(),
    "interruptible": _boolean,
    "allow_failure": _map_or(_map({"exit_codes": _CODES}, ("exit_codes",)), _boolean),
    "resource_group": _text,
    "trigger": _map_or(_TRIGGER, _text),
    "inherit": _map({"default": _list_or(_text, _boolean), "variables": _list_or(_text, _boolean)}),
    "id_tokens": _named(_map({"aud": _texts()}, ("aud",))),
    **_any_map("dast_configuration", "hooks", "identity", "inputs", "manual_confirmation", "pages", "publish"),
    "release": _map(
        _any_map("tag_name", "tag_message", "description", "name", "ref", "milestones", "released_at", "assets"),
        ("tag_name",),
        ("description",),
    ),
    **_any_map("run", "secrets", "type"),
}
_DEFAULTS = ("after_script", "artifacts", "before_script", "cache", "hooks", "id_tokens", "identity", "image")
_FILE: Mapping[str, Form] = {
    "stages": _texts(may_be_single=False, level=_MOST_LEVELS),
    "variables": FILE_VARIABLES,
    "default": _map(_any_map(*_DEFAULTS, "interruptible", "retry", "services", "tags", "timeout")),
    "workflow": _map(
        {
            "name": _text,
            "auto_cancel": _any,
            "rules": _list(_map({**_RULE, "when": _choice("always", "never"), "auto_cancel": _any})),
        }
    ),
}


def wrong_in_job(keys: TreeMapping) -> Iterable[Wrong]:
    """Return what GitLab refuses in the *keys* of a job."""
    return _map(_JOB)(keys)


def wrong_in_file(keys: TreeMapping) -> Iterable[Wrong]:
    """Return what GitLab refuses in the *keys* of a file that are for all jobs."""
    own = tuple(entry for entry in keys.entries if entry.key.text in _FILE)
    return _map(_FILE)(replace(keys, entries=own))
