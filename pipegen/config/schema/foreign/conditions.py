"""Hints for conditions as other systems write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from pipegen.config.schema.foreign.model import Use, instead, texts
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, as_items, entries_of

# The value of `when`, and a condition that always holds.
_Condition: TypeAlias = dict[str, object]
_ALWAYS: _Condition = {}

_ADVICE = 'write the conditions as a map, as in "when: {branch: main}"'
_CASES_ADVICE = f'{_ADVICE}, and variables that depend on them as "cases"'

_EVENTS = {
    "merge_request_event": "merge_request",
    "push": "push",
    "schedule": "schedule",
    "web": "manual",
    "api": "api",
    "pull_request": "merge_request",
    "workflow_dispatch": "manual",
}
# Words of `only` and `except` that are not names of branches.
_REFS: dict[str, _Condition] = {
    "branches": {"branch": True},
    "tags": {"tag": True},
    "merge_requests": {"event": "merge_request"},
    "schedules": {"event": "schedule"},
    "pushes": {"event": "push"},
    "web": {"event": "manual"},
    "api": {"event": "api"},
}
# A case is chosen before the files are known.
_NOT_IN_CASES = frozenset({"changes", "exists"})
_KEYS = {
    "$CI_COMMIT_BRANCH": "branch",
    "$CI_COMMIT_REF_NAME": "branch",
    "$CI_COMMIT_TAG": "tag",
    "github.ref_name": "branch",
    "github.ref": "branch",
}
_EVENT_NAMES = ("$CI_PIPELINE_SOURCE", "github.event_name")
_EXPRESSION = re.compile(r"[=!]=|=~|\$\w|github\.")
_TERM = re.compile(
    r"""(?P<name>\$\w+|github\.\w+)(?:\s*(?P<operator>==|!=|=~|!~)\s*"""
    r"""(?:(?P<quote>["'])(?P<text>[^"']*)(?P=quote)|(?P<pattern>/.*/)|(?P<variable>\$\w+)))?"""
)


def rules(use: Use) -> str:
    """Return the hint for GitLab's `rules`."""
    items = as_items(use.value)
    positive: list[_Condition] = []
    negative: list[_Condition] = []
    starting: list[tuple[Map, _Condition]] = []
    for rule in items:
        condition = _of_rule(rule)
        if condition is None or not isinstance(rule, Map):
            return _ADVICE
        run = texts(rule.get("when"))
        # A rule that excludes runs has no effect on those that an earlier rule includes.
        if run == ("never",):
            if condition and not positive:
                negative.append(condition)
            if not condition:
                break
        else:
            positive.append(condition)
            starting.append((rule, condition))
            if not condition:
                break
    cases = _cases(use, items)
    if cases is None:
        return _CASES_ADVICE
    condition = _united(positive, negative)
    starts = {} if use.path[:-1] == use.pipeline else _starts(starting)
    starts = {key: value for key, value in starts.items() if key not in use.siblings}
    snippet = {**({"when": condition} if condition else {}), **cases, **starts}
    return instead(snippet) if snippet else "remove it"


def _starts(starting: Sequence[tuple[Map, _Condition]]) -> dict[str, object]:
    """Return `approve` and `allow_failure` for the rules *starting* a job, each with its condition."""
    manual = [texts(rule.get("when")) == ("manual",) for rule, _ in starting]
    allowed = [texts(rule.get("allow_failure")) == ("true",) for rule, _ in starting]
    conditions = [condition for _, condition in starting]
    keys: dict[str, object] = {}
    if (approved := _chosen(conditions, manual)) is not None:
        # Nothing waits for a manual job that may fail.
        is_optional = all(may_fail for may_fail, is_manual in zip(allowed, manual, strict=True) if is_manual)
        value = {**({"when": approved} if approved else {}), **({"optional": True} if is_optional else {})}
        keys["approve"] = value or True
    tolerated = [may_fail and not is_manual for may_fail, is_manual in zip(allowed, manual, strict=True)]
    if (failing := _chosen(conditions, tolerated)) is not None:
        keys["allow_failure"] = {"when": failing} if failing else True
    return keys


def _chosen(conditions: Sequence[_Condition], chosen: Sequence[bool]) -> _Condition | None:
    """Return the condition of the runs that start by the *chosen* rules; None for none of them, an empty one for all.

    The first rule whose condition holds counts.
    """
    if not any(chosen) or all(chosen):
        return _ALWAYS if any(chosen) else None
    earlier: list[_Condition] = []
    alternatives: list[_Condition] = []
    for condition, is_chosen in zip(conditions, chosen, strict=True):
        if is_chosen:
            others = [other for other in earlier if not _excludes(condition, other)]
            alternatives.append(_joined([condition, _none_of(others)]))
        else:
            earlier.append(condition)
    return _united(alternatives, [])


def _excludes(condition: _Condition, other: _Condition) -> bool:
    """Return whether *condition* and *other* name different values, and no patterns, for one key."""
    pairs = ((condition[key], other[key]) for key in condition.keys() & other.keys())
    return any(first != second and all(_is_name(value) for value in (first, second)) for first, second in pairs)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[\w./-]+", value) is not None and not value.startswith("/")


def _none_of(conditions: Sequence[_Condition]) -> _Condition:
    """Return the condition that holds if none of *conditions* does."""
    if not conditions:
        return _ALWAYS
    return {"not": conditions[0] if len(conditions) == 1 else _either(conditions)}


def only(use: Use) -> str:
    """Return the hint for GitLab's `only`, and for `except` next to it."""
    positive, negative = (_of_refs(use.siblings.get(key)) for key in ("only", "except"))
    if positive is None or negative is None:
        return _ADVICE
    condition = _united([positive] if positive else [], [negative] if negative else [])
    return instead({"when": condition}) if condition else "remove it"


def excepted(use: Use) -> str:
    """Return the hint for GitLab's `except`."""
    return 'remove it: the hint for "only" covers it' if "only" in use.siblings else only(use)


def condition(use: Use) -> str:
    """Return the hint for the text of a condition: `if` of GitHub Actions, or `when` with an expression."""
    keys = _of_expression(use.value.text) if isinstance(use.value, Scalar) else None
    return instead({"when": keys}) if keys else _ADVICE


def inner_condition(use: Use) -> str:
    """Return the hint for the text of a condition in `when`."""
    keys = _of_expression(use.value.text) if isinstance(use.value, Scalar) else None
    return instead(keys) if keys else _ADVICE


def expression_text(use: Use) -> str | None:
    """Return the hint for `when` with the text of a condition; None for other text, a map or a list."""
    is_expression = isinstance(use.value, Scalar) and _EXPRESSION.search(use.value.text) is not None
    return condition(use) if is_expression else None


def rule_text(use: Use) -> str | None:
    """Return the hint for `when` with the text of a rule of GitLab, which compares `$NAME`; None for other values."""
    return expression_text(use) if isinstance(use.value, Scalar) and use.value.text.startswith("$") else None


def _cases(use: Use, rules: Sequence[Node]) -> dict[str, object] | None:
    """Return `cases` that set the variables of *rules*, or `env` if all runs get them; None if neither does the same.

    The conditions of all rules have equivalents.
    """
    earlier: list[_Condition] = []
    cases: list[dict[str, object]] = []
    for rule in rules:
        condition = _of_rule(rule)
        if not isinstance(rule, Map) or condition is None:
            return None
        variables = _variables(rule)
        if variables is None:
            return None
        if variables and not condition:
            is_alone = not earlier and not cases and "env" not in use.siblings
            return {"env": variables} if is_alone else None
        if variables:
            # Only the first rule whose condition holds sets its variables.
            cases.append({"when": _joined([condition, _none_of(earlier)]), "env": variables})
        elif not condition:
            break
        elif texts(rule.get("when")) != ("never",):
            earlier.append(condition)
    is_possible = "cases" not in use.siblings and use.path[:-1] != use.pipeline
    if cases and not (is_possible and _NOT_IN_CASES.isdisjoint(_keys(cases))):
        return None
    return {"cases": cases} if cases else {}


def _variables(rule: Map) -> dict[str, str] | None:
    """Return the variables of *rule*; None if a case cannot set them."""
    node = rule.get("variables")
    entries = entries_of(node)
    values = {entry.key.text: entry.value.text for entry in entries if isinstance(entry.value, Scalar)}
    is_plain = len(values) == len(entries) and not any("$" in text or "\n" in text for text in values.values())
    return values if is_plain else None


def _keys(value: object) -> Iterator[str]:
    """Yield the keys of all maps in *value*."""
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _of_rule(rule: Node) -> _Condition | None:
    """Return the condition of one of GitLab's rules; None if it has no equivalent that is certain."""
    if not isinstance(rule, Map):
        return None
    condition = _ALWAYS
    for entry in rule.entries:
        match entry.key.text:
            case "if":
                more = _of_expression("".join(texts(entry.value)))
            case "changes" | "exists" as key:
                paths = entry.value.get("paths") if isinstance(entry.value, Map) else entry.value
                more = {key: list(names)} if (names := texts(paths)) else None
            case _:
                more = _ALWAYS
        if more is None:
            return None
        condition = _joined([condition, more])
    return condition


def _of_refs(node: Node | None) -> _Condition | None:
    """Return the condition of `only` or `except`; None if it has no equivalent that is certain."""
    if node is None:
        return _ALWAYS
    if isinstance(node, Map):
        if any(entry.key.text not in {"refs", "changes"} for entry in node.entries):
            return None
        paths = texts(node.get("changes"))
        return _joined([_of_refs(node.get("refs")) or _ALWAYS, {"changes": list(paths)} if paths else _ALWAYS])
    names = texts(node)
    branches = [name for name in names if name not in _REFS]
    alternatives = [
        *([{"branch": _one_or_list(branches)}] if branches else []),
        *(_REFS[name] for name in names if name in _REFS),
    ]
    return _united(alternatives, [])


def _of_expression(text: str) -> _Condition | None:
    """Return the condition of an expression of `&&` and `||`; None if a part has no equivalent."""
    if "(" in text:
        return None
    alternatives = []
    for alternative in text.strip().removeprefix("${{").removesuffix("}}").split("||"):
        terms = [_of_term(term.strip()) for term in alternative.split("&&")]
        known = [term for term in terms if term is not None]
        if len(known) < len(terms):
            return None
        alternatives.append(_joined(known))
    return _united(alternatives, [])


def _of_term(term: str) -> _Condition | None:
    match = _TERM.fullmatch(term)
    if match is None:
        return None
    name, operator = match["name"], match["operator"]
    value = match["pattern"] or match["text"]
    keys: _Condition | None
    if match["variable"] == "$CI_DEFAULT_BRANCH":
        value = "main"
    elif match["variable"] and operator in ("==", "!="):
        keys = _equality(name, match["variable"])
        return {"not": keys} if keys and operator == "!=" else keys
    elif match["variable"] or (operator and not value):
        return None
    if name in ("$CI_MERGE_REQUEST_ID", "$CI_MERGE_REQUEST_IID"):
        keys = {"event": "merge_request"}
    elif name in _EVENT_NAMES:
        keys = {"event": _EVENTS[value]} if value in _EVENTS else None
    elif name in _KEYS:
        keys = _of_ref(_KEYS[name], value)
    else:
        keys = {"env": {name.removeprefix("$"): value if operator else True}} if name.startswith("$") else None
    return {"not": keys} if keys and operator and operator.startswith("!") else keys


def _equality(*names: str) -> _Condition | None:
    """Return the condition that two different variables are equal; nobody means that neither of them is set."""
    texts_ = [_KEYS.get(name) or name.replace("$", "env.") for name in names]
    is_known = texts_[0] != texts_[1] and not any(text.startswith("github.") for text in texts_)
    return {"equal": texts_} if is_known else None


def _of_ref(key: str, value: str | None) -> _Condition:
    """Return the condition on a branch or tag, which GitHub Actions write as `refs/tags/NAME`."""
    if value is not None and value.startswith("refs/tags/"):
        return {"tag": value.removeprefix("refs/tags/")}
    return {key: True if value is None else value.removeprefix("refs/heads/")}


def _joined(conditions: Sequence[_Condition]) -> _Condition:
    """Return the condition that holds if all *conditions* hold."""
    keys = [key for condition in conditions for key in condition]
    if len(keys) == len(set(keys)):
        return {key: value for condition in conditions for key, value in condition.items()}
    return {"all": [condition for condition in conditions if condition]}


def _united(positive: Iterable[_Condition], negative: Sequence[_Condition]) -> _Condition:
    """Return the condition that holds if one of *positive* holds, or there are none, and none of *negative*."""
    alternatives = [*positive]
    if len(alternatives) > 1 and all(alternatives):
        condition = _either(alternatives)
    else:
        condition = next(
            (alternative for alternative in alternatives if not alternative),
            alternatives[0] if alternatives else _ALWAYS,
        )
    return _joined([condition, _none_of(negative)]) if negative else condition


def _either(alternatives: Sequence[_Condition]) -> _Condition:
    """Return the condition that holds if one of *alternatives* holds: values of one key become a list."""
    keys = {tuple(alternative) for alternative in alternatives}
    if len(keys) == 1 and keys <= {("branch",), ("tag",), ("event",)}:
        (key,) = next(iter(keys))
        values = [alternative[key] for alternative in alternatives]
        flat = [text for value in values for text in (value if isinstance(value, list) else [value])]
        return {key: flat} if all(isinstance(text, str) for text in flat) else {"any": [*alternatives]}
    return {"any": [*alternatives]}


def _one_or_list(values: list[str]) -> object:
    return values[0] if len(values) == 1 else values
