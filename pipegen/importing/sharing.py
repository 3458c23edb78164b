"""Keys that stages share: `defaults` of the pipeline, and templates named after those of the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pipegen.config.defaults import KEYS_FOR_SCRIPTS, KEYS_FOR_STEPS
from pipegen.emit.yaml import Commented, Value
from pipegen.importing.repetition import (
    WithTemplates,
    common_parts,
    env_of,
    extending,
    removes,
    replaceable_parts,
    usual,
    usual_beside,
    usual_parts,
    with_repeated_removals,
    with_repeated_values,
    without_parts,
)
from pipegen.structs import Struct

# Keys that defaults may hold: each is about how a stage runs, not about what it does.
_SHARED = (
    "agent",
    "resources",
    "runner_variables",
    "fetch",
    "image",
    "services",
    "cache",
    "retry",
    "timeout",
    "interruptible",
    "shell",
    "secrets",
    "raw",
)
_ENV, _BEFORE, _RAW, _AGENT = "env", "before", "raw", "agent"
# Maps whose parts stages can share.
_IN_PARTS = frozenset({_ENV, _RAW, "artifacts", "cache", "reports", "runner_variables"})
# Maps that defaults can have in part, too.
_IN_PARTS_OF_DEFAULTS = frozenset({"cache", "fetch", "resources", "runner_variables", "secrets"})
# Stages without a script or steps inherit these keys, but do not use them.
_OF_MACHINES = frozenset({"agent", "resources", "runner_variables"})
# Keys of a stage that a template can have in addition to those of defaults.
_IN_TEMPLATES = (
    *_SHARED,
    *("when", "matrix", "before", "script", "after", "artifacts", "reports"),
    *("environment", "approve", "allow_failure"),
)

# Variables with more characters do not contain the values of others.
MOST_CHARACTERS = 100_000
_VARIABLE = re.compile(r"\$\{(\w+)\}")
# A reference to a value of a matrix, or of another stage.
_READ = re.compile(r"\$\{(?!setup\.|inputs\.)[\w-]+\.")

Stage = dict[str, Value]


class Shared(Struct):
    """The defaults, the templates by name, and the stages with what these do not say."""

    defaults: Mapping[str, Value]
    templates: Mapping[str, Mapping[str, Value]]
    stages: Sequence[Stage]


class StageOrigin(Struct):
    """The templates of a stage in its source, *bases* at any depth, and its keys from defaults."""

    templates: Sequence[str]
    bases: Sequence[str]
    inherited: AbstractSet[str]


def share(stages: Sequence[Stage], origins: Sequence[StageOrigin] | None = None) -> Shared:
    """Return *stages* with shared keys in defaults and templates, which are named after those of their *origins*.

    There are no templates without *origins*. A variable that would be set before another one in its value contains the
    text of this one, or is not shared.
    """
    unshared = frozenset[str]()
    while True:
        shared = _shared(stages, origins, unshared)
        early = [tuple(_early(stage, rest, shared)) for stage, rest in zip(stages, shared.stages, strict=True)]
        if not any(early):
            return shared
        results = [_with_texts(stage, pairs, unshared) for stage, pairs in zip(stages, early, strict=True)]
        stages, unshared = [stage for stage, _ in results], unshared.union(*(names for _, names in results))


def _early(stage: Stage, rest: Stage, shared: Shared) -> Iterator[tuple[str, str]]:
    """Yield the variables of *stage*, with the *rest* of its keys, that are set too early, each with one that it reads.

    Those of defaults come first, then those of templates.
    """
    bases = [shared.defaults, *(shared.templates[name] for name in _names(rest.get("extends"))), rest]
    numbers = {
        name: number for number, name in enumerate(dict.fromkeys(name for keys in bases for name in env_of(keys)))
    }
    before = set[str]()
    for name, value in env_of(stage).items():
        values = [value, *(case[name] for case in _cases(stage) if name in case)]
        read = [other for each in values for other in _VARIABLE.findall(str(each)) if other in before]
        yield from ((name, other) for other in dict.fromkeys(read) if numbers[other] > numbers[name])
        before.add(name)


def _cases(stage: Stage) -> list[Mapping[str, Value]]:
    """Return the variables of each case of *stage*."""
    return [env_of(case) for case in _list(stage.get("cases")) if isinstance(case, dict)]


def _is_text(stage: Stage, name: str) -> bool:
    """Return whether the variable *name* of *stage* has one text, which others can contain in its place."""
    text = env_of(stage)[name]
    return isinstance(text, str) and not text.endswith("$") and all(name not in case for case in _cases(stage))


def _with_texts(
    stage: Stage, pairs: Iterable[tuple[str, str]], unshared: AbstractSet[str]
) -> tuple[Stage, AbstractSet[str]]:
    """Return *stage* with the text of the second variable of each of *pairs* in the first one, and its variables.

    Those of a stage itself, such as those in *unshared*, can contain a variable without one text, or with a long one.
    """
    unshared = set(unshared)
    for name, other in pairs:
        if other in unshared or not _is_text(stage, other) or not _has_space(stage, name, other):
            unshared.add(name)
            continue
        text = str(env_of(stage)[other])
        stage = {**stage, _ENV: _with_text(env_of(stage), name, other, text)}
        if "cases" in stage:
            cases = [case for case in _list(stage["cases"]) if isinstance(case, dict)]
            stage["cases"] = [{**case, _ENV: _with_text(env_of(case), name, other, text)} for case in cases]
    return stage, unshared


def _has_space(stage: Stage, name: str, other: str) -> bool:
    """Return whether the variables of *stage* are not too long with the text of *other* in the variable *name*."""
    maps = [env_of(stage), *_cases(stage)]
    uses = sum(str(env.get(name)).count(f"${{{other}}}") for env in maps)
    length = sum(len(str(value)) for env in maps for value in env.values())
    return length + uses * len(str(env_of(stage)[other])) <= MOST_CHARACTERS


def _with_text(env: Mapping[str, Value], name: str, other: str, text: str) -> dict[str, Value]:
    """Return *env* with *text* in place of the variable *other* in the variable *name*."""
    value = env.get(name)
    return {**env, name: value.replace(f"${{{other}}}", text)} if isinstance(value, str) else {**env}


def _names(value: Value) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else (value,) if isinstance(value, str) else ()


def _shared(stages: Sequence[Stage], origins: Sequence[StageOrigin] | None, unshared: AbstractSet[str]) -> Shared:
    """Return *stages* with shared keys in defaults and templates, without the variables in *unshared*."""
    if variables := _common_variables(stages):
        stages = [_without_variables(stage, variables) for stage in stages]
    users = _users([origin.templates for origin in origins or ()])
    inherited = None if origins is None else [origin.inherited for origin in origins]
    defaults = _defaults(stages, users, inherited, unshared, is_raw_shared=bool(variables))
    rest: Sequence[Stage] = [_without_defaults(stage, defaults) for stage in stages]
    templates: Mapping[str, Mapping[str, Value]] = {}
    if origins is not None:
        with_templates = _with_templates(rest, users, unshared)
        bases = [origin.bases for origin in origins]
        repeated = with_repeated_values(with_templates.stages, with_templates.templates, (*_IN_TEMPLATES, _ENV), bases)
        with_removals = with_repeated_removals(repeated.stages, repeated.templates)
        templates, rest = with_removals.templates, with_removals.stages
    if variables:
        defaults["raw"] = {"gitlab": {"variables": variables}}
    return Shared(defaults, templates, rest)


def _with_templates(
    stages: Sequence[Stage], users: Mapping[str, Sequence[int]], unshared: AbstractSet[str]
) -> WithTemplates:
    """Return *stages* with the keys that the *users* of each template share in it, without *unshared* variables."""
    rest, templates = list(stages), dict[str, Mapping[str, Value]]()
    groups = [frozenset(indexes) for indexes in users.values() if len(indexes) > 1]
    for name, indexes in sorted(users.items(), key=lambda item: -len(item[1])):
        common = _common({index: rest[index] for index in indexes}, groups, unshared)
        if len(indexes) > 1 and common and _weight(common) * (len(indexes) - 1) > len(indexes):
            templates[name] = common
            for index in indexes:
                rest[index] = _extending(rest[index], name, common)
    return WithTemplates(templates, rest)


def _raw_variables(stage: Stage) -> Mapping[str, Value]:
    """Return the raw variables for GitLab's runner of *stage*."""
    raw = stage.get("raw")
    keys = raw.get("gitlab") if isinstance(raw, dict) else None
    variables = keys.get("variables") if isinstance(keys, dict) else None
    return variables if isinstance(variables, dict) else {}


def _common_variables(stages: Sequence[Stage]) -> dict[str, Value]:
    """Return the raw variables that all of several *stages* have."""
    first, *others = map(_raw_variables, stages) if len(stages) > 1 else ({},)
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _without_variables(stage: Stage, variables: Mapping[str, Value]) -> Stage:
    rest = {name: value for name, value in _raw_variables(stage).items() if name not in variables}
    raw = stage["raw"]
    keys = dict(raw["gitlab"]) if isinstance(raw, dict) and isinstance(raw["gitlab"], dict) else {}
    keys = {**keys, "variables": rest} if rest else {key: value for key, value in keys.items() if key != "variables"}
    others = {key: value for key, value in stage.items() if key != "raw"}
    return {**others, "raw": {"gitlab": keys}} if keys else others


def _defaults(
    stages: Sequence[Stage],
    users: Mapping[str, Sequence[int]],
    inherited_of: Sequence[AbstractSet[str]] | None,
    unshared: AbstractSet[str],
    *,
    is_raw_shared: bool,
) -> dict[str, Value]:
    """Return the keys that more than half of the stages with a script have, with their values.

    So is a default of the source that several stages inherit, if all others have another value. They are without
    *unshared* variables. A key that other stages lack is one of them only if it is a default of the source, too, and a
    variable with a value of a matrix or of another stage only if all stages have it. If it *is_raw_shared*, the
    defaults have other raw keys already.
    """
    inheriting = [stage for stage in stages if "script" in stage]
    with_env = [stage for stage in stages if "script" in stage or "steps" in stage]
    of_source = frozenset(_SHARED) if inherited_of is None else frozenset[str]().union(*inherited_of)
    if len(with_env) < 2:  # noqa: PLR2004 - one stage shares nothing
        return {}
    env = {
        name: value
        for name in dict.fromkeys(name for stage in with_env for name in env_of(stage) if name not in unshared)
        if (value := usual([env_of(stage).get(name) for stage in with_env])) is not None
        and (not _READ.search(str(value)) or all(env_of(stage).get(name) == value for stage in with_env))
        and not _is_of_template([name in env_of(stage) for stage in stages], users)
    }
    pod, has_several = _common_pod(with_env), len(inheriting) > 1
    defaults: dict[str, Value] = {_AGENT: pod} if pod else {}
    for key in _SHARED:
        users_of_key = with_env if key in _OF_MACHINES else inheriting
        values = [stage.get(key) for stage in users_of_key]
        value = usual(values) if len(values) > 1 else None
        if value is None and None not in values:
            value = _inherited(key, stages, inherited_of)
        others = [other for other in values if other != value]
        if key == "raw" and is_raw_shared:
            continue
        is_of_template = _is_of_template([key in stage for stage in stages], users)
        if None in others and key not in of_source and (key not in ("shell", "raw") or is_of_template):
            continue
        if isinstance(value, dict) and (maps := [other for other in others if isinstance(other, dict)]):
            value = replaceable_parts(value, maps) if key in _IN_PARTS_OF_DEFAULTS else None
        if value not in (None, {}) and key not in defaults:
            defaults[key] = value
    before = usual([stage.get(_BEFORE) for stage in inheriting]) if _BEFORE in of_source and has_several else None
    return {**({_ENV: env} if env else {}), **defaults, **({_BEFORE: before} if before is not None else {})}


def _inherited(key: str, stages: Sequence[Stage], inherited_of: Sequence[AbstractSet[str]] | None) -> Value:
    """Return the value of *key* that several *stages* have from defaults of the source; None if they differ."""
    values = [stage[key] for stage, keys in zip(stages, inherited_of or (), strict=False) if key in keys & stage.keys()]
    return values[0] if len(values) > 1 and all(value == values[0] for value in values) else None


def _common_pod(stages: Sequence[Stage]) -> dict[str, Value]:
    """Return what the pods of all *stages* share; a stage can add its container."""
    agents = [stage.get(_AGENT) for stage in stages]
    return common_parts([agent if isinstance(agent, dict) else {} for agent in agents])


def _is_of_template(having: Sequence[bool], users: Mapping[str, Sequence[int]]) -> bool:
    """Return whether the stages *having* a value are the *users* of a template, which can have it instead."""
    indexes = {index for index, has_value in enumerate(having) if has_value}
    return len(indexes) < len(having) and any(set(stages) == indexes for stages in users.values())


def _without_defaults(stage: Stage, defaults: Mapping[str, Value]) -> Stage:
    rest = dict(stage)
    for key, value in defaults.items():
        if not _uses(stage, key):
            continue
        if key == _ENV:
            env = _difference(env_of(stage), env_of(defaults))
            rest.pop(_ENV, None)
            if env:
                rest[_ENV] = env
        elif isinstance(value, dict) and isinstance(own := stage.get(key), dict):
            rest.pop(key)
            if parts := without_parts(own, value):
                rest[key] = parts
        elif key == _BEFORE:
            rest.pop(_BEFORE, None)
            rest |= _after_defaults(stage, value)
        elif key not in stage:
            rest[key] = "sh" if key == "shell" else None
        elif stage[key] == value:
            del rest[key]
    return rest


def _uses(stage: Stage, key: str) -> bool:
    """Return whether *stage* uses *key* of the defaults: a script uses all of them, and steps of plugins some."""
    if "script" in stage:
        return True
    unused = KEYS_FOR_SCRIPTS - KEYS_FOR_STEPS if "steps" in stage else KEYS_FOR_SCRIPTS | _OF_MACHINES
    return key not in unused


def _after_defaults(stage: Stage, defaults: Value) -> Stage:
    """Return the keys `before` and `script` of *stage*, whose commands of *defaults* run first, unless it has none."""
    commands, first = _list(stage.get(_BEFORE)), _list(defaults)
    if commands[: len(first)] == first:
        return {_BEFORE: commands[len(first) :]} if len(commands) > len(first) else {}
    return {_BEFORE: None, "script": [*commands, *_list(stage["script"])]}


def _list(value: Value) -> list[Value]:
    return list(value) if isinstance(value, list | tuple) else []


def _difference(entries: Mapping[str, Value], inherited: Mapping[str, Value]) -> dict[str, Value]:
    """Return those of *entries* that *inherited* does not have, and null for those of *inherited* that they lack."""
    removed: dict[str, Value] = {name: None for name in inherited if name not in entries}
    return removed | {
        name: value for name, value in entries.items() if name not in inherited or inherited[name] != value
    }


def _users(templates_of: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    users: dict[str, list[int]] = {}
    for index, names in enumerate(templates_of):
        for name in dict.fromkeys(names):
            users.setdefault(name, []).append(index)
    return users


def _common(
    stages_by_number: Mapping[int, Stage], groups: Sequence[AbstractSet[int]], unshared: AbstractSet[str]
) -> dict[str, Value]:
    """Return the keys that all stages have with one value, or most of them if the others replace it.

    It is not one that just *groups* have for which there are other templates.
    Maps of which stages share parts have the keys that all have, without the variables in *unshared*.
    """
    common: dict[str, Value] = {}
    numbers, stages = [*stages_by_number], [*stages_by_number.values()]
    for key in dict.fromkeys(key for stage in stages for key in stage):
        values = [stage.get(key) for stage in stages]
        if key in _IN_TEMPLATES and all(key in stage and stage[key] == values[0] for stage in stages):
            common[key] = values[0]
        elif key == _ENV or (
            key in _IN_PARTS and all(isinstance(value, dict) and not removes(value) for value in values)
        ):
            parts = usual_parts([value if isinstance(value, dict) else {} for value in values], numbers, groups)
            parts = {name: part for name, part in parts.items() if key != _ENV or name not in unshared}
            common |= {key: parts} if parts else {}
        elif key in _IN_TEMPLATES:
            value = usual_beside(values, numbers, groups)
            common |= {key: value} if value is not None and _can_replace(values, key, value) else {}
    return common


def _can_replace(values: Sequence[Value], key: str, usual: Value) -> bool:
    """Return whether stages can have other *values* of *key* than the *usual* one, which a template has.

    Maps are merged, and commands before the script are joined.
    """
    return key != _BEFORE and not any(value is None or isinstance(value, dict) for value in (*values, usual))


def _weight(value: Value) -> int:
    """Return the number of values in *value*."""
    if isinstance(value, Commented):
        return _weight(value.value)
    inner: Iterable[Value] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_weight, inner))


def _extending(stage: Stage, name: str, common: Mapping[str, Value]) -> Stage:
    rest: Stage = {}
    for key, value in stage.items():
        if key in _IN_PARTS and isinstance(value, dict) and (key == _ENV or not removes(value)):
            shared = common.get(key)
            if parts := without_parts(value, shared if isinstance(shared, dict) else {}):
                rest[key] = parts
        elif key not in common or key == "extends" or value != common[key]:
            rest[key] = value
    return extending(rest, name)
