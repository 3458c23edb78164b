"""Long values that several stages and templates of an import repeat, in templates that these extend."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from pipegen.emit.yaml import Value
from pipegen.importing.layout import line_count
from pipegen.numbering import unique_name
from pipegen.structs import Struct

# Templates with fewer lines, or that save fewer lines, are not worth their name.
_LEAST_LINES = 3
# Fewer letters are not a word.
_LEAST_LETTERS = 3
# The start of the key of a raw variable, which no key of a stage has.
_PART = "raw "
_WITHOUT_DEFAULTS = "without-defaults"
# What a template with this key alone is for.
_NAMES = {"before": "setup", "after": "cleanup", "when": "condition"}
_WORDS = re.compile(r"[^A-Za-z0-9]+")

# The keys of a stage, or of a template.
_Keys = Mapping[str, Value]


class WithTemplates(Struct):
    """Templates by name, and stages that extend them."""

    templates: Mapping[str, _Keys]
    stages: Sequence[dict[str, Value]]


class _Holder(Struct):
    """A stage or a template that repeats a value: its number, or its name."""

    name: str
    number: int | None


def with_repeated_values(
    stages: Sequence[dict[str, Value]],
    templates: Mapping[str, _Keys],
    keys: Collection[str],
    bases_of: Sequence[Collection[str]],
) -> WithTemplates:
    """Return *stages* and *templates* with the values of *keys* that several of them repeat in further templates.

    Keys that the same ones repeat are in one template, where that saves lines. The templates have all of their keys;
    `with_extends` lets them extend each other. *bases_of* are the templates of the source of each stage, at any depth.
    Long raw variables are keys of their own.
    """
    texts = Counter(repr(value) for own in (*stages, *templates.values()) for value in _raw_variables(own).values())
    apart = frozenset(text for text, number in texts.items() if number > 1)
    parted = {name: _with_parts(own, apart) for name, own in templates.items()}
    shared = _with_approvals(_with_repeated([_with_parts(stage, apart) for stage in stages], parted, keys, bases_of))
    return WithTemplates(
        {name: _whole(own) for name, own in shared.templates.items()}, [_whole(stage) for stage in shared.stages]
    )


def with_repeated_removals(stages: Sequence[dict[str, Value]], templates: Mapping[str, _Keys]) -> WithTemplates:
    """Return *stages* and *templates* with a template for keys without a value that several stages repeat."""
    result, named = list(stages), dict(templates)
    for names in sorted({frozenset(_removed(stage)) for stage in stages}, key=len, reverse=True):
        users = [index for index, stage in enumerate(result) if _can_lack(stage, names)]
        if sum(len(_removed(result[index])) - 1 for index in users) - len(names) < _LEAST_LINES:
            continue
        template = unique_name(_WITHOUT_DEFAULTS, {*named})
        named[template] = dict.fromkeys(sorted(names))
        for index in users:
            others = _extended(result[index])
            rest = {key: value for key, value in result[index].items() if value is not None and key != "extends"}
            result[index] = {"extends": [template, *others] if others else template, **rest}
    return WithTemplates(named, result)


def _removed(stage: _Keys) -> list[str]:
    return [key for key, value in stage.items() if value is None]


def _can_lack(stage: _Keys, names: Collection[str]) -> bool:
    """Return whether *stage* removes no other keys than those with *names*, and has whole values of the rest of them.

    Commands of `before` are joined with others.
    """
    removed = _removed(stage)
    replaced = [stage.get(name) for name in names if name not in removed]
    is_whole = not any(value is None or isinstance(value, dict) for value in replaced)
    return bool(removed) and {*removed} <= {*names} and is_whole and ("before" in removed or "before" not in names)


def _raw_variables(keys: _Keys) -> Mapping[str, Value]:
    """Return the raw variables in *keys* that are long enough for a template."""
    variables = _map(_map(_map(keys.get("raw")).get("gitlab")).get("variables"))
    return {name: value for name, value in variables.items() if str(value).count("\n") >= _LEAST_LINES}


def _with_parts(keys: _Keys, apart: Collection[str]) -> dict[str, Value]:
    """Return *keys* with raw variables whose texts are *apart* as keys of their own."""
    parts = {name: value for name, value in _raw_variables(keys).items() if repr(value) in apart}
    if not parts:
        return dict(keys)
    gitlab = _map(_map(keys["raw"])["gitlab"])
    variables = {name: value for name, value in _map(gitlab["variables"]).items() if name not in parts}
    rest = {key: value for key, value in gitlab.items() if key != "variables"}
    raw: dict[str, Value] = {"gitlab": {**rest, **({"variables": variables} if variables else {})}}
    others = {key: value for key, value in keys.items() if key != "raw"}
    named = {f"{_PART}{name}": value for name, value in parts.items()}
    return {**others, **({"raw": raw} if raw["gitlab"] else {}), **named}


def _whole(keys: _Keys) -> dict[str, Value]:
    """Return *keys* with the raw variables among them in `raw`."""
    parts = {key.removeprefix(_PART): value for key, value in keys.items() if key.startswith(_PART)}
    if not parts:
        return dict(keys)
    gitlab = _map(_map(keys.get("raw")).get("gitlab"))
    others = {key: value for key, value in keys.items() if key != "raw" and not key.startswith(_PART)}
    return {**others, "raw": {"gitlab": {**gitlab, "variables": {**_map(gitlab.get("variables")), **parts}}}}


def _with_repeated(
    stages: Sequence[dict[str, Value]],
    templates: Mapping[str, _Keys],
    keys: Collection[str],
    bases_of: Sequence[Collection[str]],
) -> WithTemplates:
    """Return the result of `with_repeated_values` for *stages* and *templates* in which raw variables are keys."""
    result, named = list(stages), dict(templates)
    for holders, repeated in _groups(stages, with_extends(templates), keys).items():
        extended = [holder.name for holder in holders if holder.number is None]
        members = [holder.number for holder in holders if holder.number is not None]
        same = [name for name in extended if templates[name] == repeated]
        added = sum("extends" not in result[number] for number in members) + len(extended) - len(same) + (not same)
        lines = _lines(repeated)
        if lines < _LEAST_LINES or (len(holders) - 1) * lines - added < _LEAST_LINES:
            continue
        having = {name for name, own in templates.items() if repeated.items() <= own.items()}
        users = [
            number
            for number, stage in enumerate(stages)
            if number in members or not having.isdisjoint(_extended(stage))
        ]
        name = same[0] if same else _base_name(users, named, bases_of) or _name(holders, repeated, named)
        named.setdefault(name, repeated)
        for number in members:
            rest = {key: value for key, value in result[number].items() if key not in repeated}
            result[number] = extending(rest, name)
    return WithTemplates(named, result)


def _with_approvals(shared: WithTemplates) -> WithTemplates:
    """Return *shared* with `approve` in templates with `when`, if all their stages have it: the same rules say both."""
    stages, templates = list(shared.stages), dict(shared.templates)
    conditions = Counter(repr(keys["when"]) for keys in templates.values() if "when" in keys)
    for name, keys in shared.templates.items():
        if "when" not in keys or conditions[repr(keys["when"])] > 1:
            continue
        users = [number for number, stage in enumerate(stages) if name in _extended(stage)]
        bases = {base for number in users for base in _extended(stages[number])}
        approvals = [stages[number].get("approve") for number in users]
        has_other = any("when" in stages[number] for number in users) or any(
            "approve" in templates[base] for base in bases
        )
        is_same = len(users) > 1 and all(approval == approvals[0] for approval in approvals)
        if is_same and not has_other and not removes(approvals[0]):
            templates[name] = {**keys, "approve": approvals[0]}
            for number in users:
                stages[number] = {key: value for key, value in stages[number].items() if key != "approve"}
    return WithTemplates(templates, stages)


def _groups(
    stages: Sequence[_Keys], templates: Mapping[str, _Keys], keys: Collection[str]
) -> dict[tuple[_Holder, ...], dict[str, Value]]:
    """Return the values of *keys* that several of *stages* and *templates* have, by those that have them."""
    holders: dict[tuple[str, str], list[_Holder]] = {}
    values: dict[tuple[str, str], Value] = {}
    for holder, own in _holders(stages, templates):
        for key, value in own.items():
            if (key in keys or key.startswith(_PART)) and not removes(value):
                unit = key, repr(value)
                holders.setdefault(unit, []).append(holder)
                values[unit] = value
    groups: dict[tuple[_Holder, ...], dict[str, Value]] = {}
    for unit, having in holders.items():
        if len(having) > 1:
            groups.setdefault(tuple(having), {})[unit[0]] = values[unit]
    return groups


def _holders(stages: Sequence[_Keys], templates: Mapping[str, _Keys]) -> Iterator[tuple[_Holder, _Keys]]:
    yield from ((_Holder(name, None), keys) for name, keys in templates.items())
    yield from ((_Holder(str(stage["name"]), number), stage) for number, stage in enumerate(stages))


def removes(value: Value) -> bool:
    """Return whether *value* is null or has a null: it removes a value of a template or a generated key."""
    return value is None or (isinstance(value, dict) and any(map(removes, value.values())))


def extending(stage: _Keys, name: str) -> dict[str, Value]:
    """Return *stage* with the template *name* after those that it extends already."""
    others = _extended(stage)
    rest = {key: value for key, value in stage.items() if key != "extends"}
    return {"extends": [*others, name] if others else name, **rest}


def _lines(keys: _Keys) -> int:
    return sum(line_count(key, value) for key, value in keys.items())


def _base_name(users: Sequence[int], known: Collection[str], bases_of: Sequence[Collection[str]]) -> str:
    """Return the template of the source that all *users* and few other stages extend; "" if there is none."""
    numbers = Counter(name for bases in bases_of for name in set(bases))
    common = [name for name in bases_of[users[0]] if all(name in bases_of[user] for user in users)]
    usual = [name for name in common if name not in known and len(users) * 2 > numbers[name]]
    return min(usual, key=lambda name: numbers[name], default="")


def _name(holders: Sequence[_Holder], repeated: _Keys, known: Collection[str]) -> str:
    """Return a name for the template with the *repeated* keys: the words of all *holders*, or what they repeat."""
    names = [_WORDS.split(holder.name) for holder in holders]
    common = "-".join(word for word in dict.fromkeys(names[0]) if all(word in words for words in names)).strip("-")
    prefix = common if len(common.replace("-", "")) >= _LEAST_LETTERS else ""
    largest = max(repeated, key=lambda key: line_count(key, repeated[key]))
    what = _what(largest, repeated[largest]) if len(repeated) == 1 or not prefix else ""
    return unique_name("-".join(filter(None, (prefix, what))), {*known})


def _what(key: str, value: Value) -> str:
    """Return what *key* with *value* is in a name; raw keys are those of the target."""
    names = [name for keys in _map(value).values() for name in _map(keys)] if key == "raw" else []
    return names[0] if len(names) == 1 else _NAMES.get(key, key.removeprefix(_PART))


def users_of(stages: Mapping[str, _Keys], templates: Mapping[str, _Keys]) -> dict[str, dict[str, _Keys]]:
    """Return the *stages* that use each of *templates*, each with the keys that replace those of the template."""
    users: dict[str, dict[str, _Keys]] = {name: {} for name in templates}
    for stage, own in stages.items():
        replaced = own
        for name in reversed(_layers(own, templates)):
            users[name][stage] = replaced
            env = {**env_of(templates[name]), **env_of(replaced)}
            replaced = {**templates[name], **replaced, **({"env": env} if env else {})}
    return users


def _map(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, dict) else {}


def _layers(stage: _Keys, templates: Mapping[str, _Keys]) -> list[str]:
    """Return the names of the *templates* of *stage* in the order in which they are merged."""
    names: dict[str, None] = {}
    for name in _extended(stage):
        names |= dict.fromkeys((*_layers(templates[name], templates), name))
    return list(names)


def _extended(stage: _Keys) -> list[str]:
    known = stage.get("extends")
    return [str(name) for name in known] if isinstance(known, list) else [known] if isinstance(known, str) else []


def with_extends(templates: Mapping[str, _Keys]) -> dict[str, _Keys]:
    """Return *templates*, which extend the largest others all of whose keys they also have, in place of these keys.

    Those that extend none come first.
    """
    result: dict[str, _Keys] = {}
    for name, keys in templates.items():
        rest, bases = dict(keys), list[str]()
        for other in sorted(templates, key=lambda other: -len(templates[other])):
            base = templates[other]
            if len(base) < len(keys) and base.items() <= rest.items() and _lines(base) > 1:
                bases.append(other)
                rest = {key: value for key, value in rest.items() if key not in base}
        extends: dict[str, Value] = {"extends": bases[0] if len(bases) == 1 else list(bases)} if bases else {}
        result[name] = extends | rest
    return dict(sorted(result.items(), key=lambda template: "extends" in template[1]))


def common_parts(values: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return the entries that all of *values* have, of maps the parts."""
    first, *others = values
    parts: dict[str, Value] = {}
    for key, value in first.items():
        same = [other.get(key) for other in others]
        if isinstance(value, dict) and key != "trigger":
            inner = common_parts([variant if isinstance(variant, dict) else {} for variant in (value, *same)])
            parts |= {key: inner} if inner else {}
        elif all(key in other for other in others) and all(variant == value for variant in same):
            parts[key] = value
    return parts


def usual(values: Sequence[Value]) -> Value:
    """Return the value that more than half of *values* are; None if there is none."""
    counted = Counter(map(repr, values))
    text, number = counted.most_common(1)[0]
    return next(value for value in values if repr(value) == text) if number * 2 > len(values) else None


def usual_parts(
    values: Sequence[Mapping[str, Value]], numbers: Sequence[int], groups: Iterable[AbstractSet[int]]
) -> dict[str, Value]:
    """Return the entries that all of *values* have, each with the value of most if `usual_beside` has one, or parts."""
    parts = common_parts(values)
    for key in values[0]:
        found = [value.get(key) for value in values]
        maps = [value for value in found if isinstance(value, dict)]
        if len(maps) == len(found) and key != "trigger":
            parts |= {key: inner} if (inner := usual_parts(maps, numbers, groups)) else {}
        elif key not in parts and None not in found and not maps:
            value = usual_beside(found, numbers, groups)
            parts |= {key: value} if value is not None else {}
    return {key: parts[key] for key in values[0] if key in parts}


def usual_beside(values: Sequence[Value], numbers: Sequence[int], groups: Iterable[AbstractSet[int]]) -> Value:
    """Return the value that more than half of *values*, of the stages *numbers*, are; None if there is none.

    There is also none if whole *groups* of stages have it, for which there are other templates.
    """
    if (value := usual(values)) is None:
        return None
    having = {number for number, other in zip(numbers, values, strict=True) if other == value}
    return value if {*chain.from_iterable(group for group in groups if group <= having)} != having else None


def replaceable_parts(value: Mapping[str, Value], others: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return the entries of *value* that all of *others* have, too, with any value that replaces theirs."""
    parts: dict[str, Value] = {}
    for key, own in value.items():
        replacing = [other.get(key) for other in others]
        if all(other == own for other in replacing):
            parts[key] = own
        elif isinstance(own, dict) and all(isinstance(other, dict) for other in replacing):
            inner = replaceable_parts(own, [other for other in replacing if isinstance(other, dict)])
            parts |= {key: inner} if inner else {}
        elif not any(other is None or isinstance(other, dict) for other in (own, *replacing)):
            parts[key] = own
    return parts


def without_parts(value: Mapping[str, Value], common: Mapping[str, Value]) -> dict[str, Value]:
    """Return the map *value* without the parts in *common*."""
    rest: dict[str, Value] = {}
    for key, own in value.items():
        shared = common.get(key)
        if isinstance(own, dict) and isinstance(shared, dict):
            if inner := without_parts(own, shared):
                rest[key] = inner
        elif key not in common or own != shared:
            rest[key] = own
    return rest


def env_of(stage: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the variables in the keys of *stage*."""
    return _map(stage.get("env"))
