"""Simulated runs, random `when`s, and a plain implementation of docs/language.md that evaluates them.

It is independent of pipegen: the `when`s are plain data.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EVENTS = ("push", "merge_request", "tag", "schedule", "manual", "api")
BASE = "trunk"
_BRANCHES = ("main", "release/1.0", "release/1.0/fix", "dev", "Main", 'odd"name', "it's", "ünï/ß")
_TAGS = ("v1.0", "v2", "nightly", "main")
_FILES = ("README.md", "src/a.py", "src/deep/b.py", "docs/x.md", "Dockerfile", "src/.hidden", "a[1].txt", "$HOME/x")
_VALUES = ("", "main", "full", "two words", "1", "x/y", "$HOME", "a\\b", "1\t2")
_TEXT_PATTERNS = (
    *("main", "release/*", "release/**", "**", "*", "d?v", "v*", "v?.?", "full", 'odd"name', "x/y", "$HOME", "1"),
    *("it's", "ün*/?", "a\\b", "**\\**", "/^\\w+$/", "/\\s/", "/[\\\\&[]/", "/^[^\\d]/", "/'/"),
    *("/^v[0-9]+$/", "/ai/", "/(?i)MAIN/", "/^release\\/1\\.[0-9]+$/", "/./", "/[^a-z]/", "/o$/", "/x\\/y|w/"),
)
_PATH_PATTERNS = (
    *("**", "*", "*.md", "**/*.md", "src/**", "src/*", "**/b.py", "src/**/*.py", "Dockerfile", "src/d**/b.py"),
    *("**.py", "a[1].txt", "$HOME/*", "doc?/x.md", "src/a.py", "none"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A run: *changed* are the files relative to the usual base, or None; *since_base* relative to `BASE`."""

    event: str
    branch: str = ""
    tag: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    changed: Sequence[str] | None = ()
    since_base: Sequence[str] = ()
    files: Sequence[str] = ()


def runs(seed: int, count: int) -> tuple[Run, ...]:
    """Return *count* different runs."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return tuple(_run(chance, EVENTS[number % len(EVENTS)]) for number in range(count))


def _run(chance: random.Random, event: str) -> Run:
    is_tag = event == "tag" or (event in ("schedule", "manual", "api") and chance.random() < 0.3)
    is_branch = event != "merge_request" and not is_tag
    branch = chance.choice(_BRANCHES) if is_branch else ""
    tag = chance.choice(_TAGS) if is_tag else ""
    values = (*_VALUES, *(branch or tag,) * 3)
    return Run(
        event=event,
        branch=branch,
        tag=tag,
        variables={name: chance.choice(values) for name in ("LEVEL", "MODE") if chance.random() < 0.8},
        changed=None if event == "push" and chance.random() < 0.2 else _some(chance),
        since_base=_some(chance),
        files=_some(chance),
    )


def _some(chance: random.Random) -> tuple[str, ...]:
    return tuple(name for name in _FILES if chance.random() < 0.35)


def whens(seed: int, count: int) -> tuple[dict[str, Any], ...]:
    """Return *count* random `when`s."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return tuple(_when(chance, 3) for _ in range(count))


def whens_without_files(seed: int, count: int) -> tuple[dict[str, Any], ...]:
    """Return *count* random `when`s without `changes` and `exists`."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return tuple(_when(chance, 1, ("branch", "tag", "event", "env", "equal")) for _ in range(count))


def _when(
    chance: random.Random,
    depth: int,
    kinds: Sequence[str] = ("branch", "tag", "event", "changes", "exists", "env", "equal"),
) -> dict[str, Any]:
    keys = list(kinds)
    if depth > 1:
        keys += ["all", "any", "not", "any"]
    return {key: _value(chance, key, depth) for key in chance.sample(keys, chance.choice((1, 1, 2)))}


def _value(chance: random.Random, key: str, depth: int) -> Any:  # noqa: PLR0911 - one for each key
    match key:
        case "branch" | "tag":
            return _texts(chance)
        case "event":
            return chance.sample(EVENTS, chance.choice((1, 2, 3)))
        case "changes" if chance.random() < 0.4:
            return {"paths": chance.sample(_PATH_PATTERNS, 2), "base": BASE}
        case "changes" | "exists":
            return chance.sample(_PATH_PATTERNS, chance.choice((1, 2)))
        case "env":
            return {chance.choice(("LEVEL", "MODE")): _texts(chance)}
        case "equal":
            return chance.sample(("branch", "tag", "env.LEVEL", "env.MODE"), 2)
        case "not":
            return _when(chance, depth - 1)
    return [_when(chance, depth - 1) for _ in range(chance.choice((2, 2, 3)))]


def _texts(chance: random.Random) -> Any:
    kind = chance.random()
    if kind < 0.2:
        return chance.random() < 0.5
    return chance.choice(_TEXT_PATTERNS) if kind < 0.5 else chance.sample(_TEXT_PATTERNS, 2)


def holds(when: Mapping[str, Any], run: Run) -> bool:
    """Return whether *when* holds in *run*."""
    return all(_key_holds(key, value, run) for key, value in when.items())


def _key_holds(key: str, value: Any, run: Run) -> bool:  # noqa: C901, PLR0911 - one for each key
    match key:
        case "branch":
            return _is(value, run.branch)
        case "tag":
            return _is(value, run.tag)
        case "event":
            return run.event in value
        case "env":
            return all(_is(wanted, run.variables.get(name, "")) for name, wanted in value.items())
        case "equal":
            texts = {
                "branch": run.branch,
                "tag": run.tag,
                **{f"env.{name}": text for name, text in run.variables.items()},
            }
            first, second = (texts.get(name, "") for name in value)
            return first != "" and first == second
        case "exists":
            return _any_file(value, run.files)
        case "changes" if isinstance(value, dict):
            return _any_file(value["paths"], run.since_base)
        case "changes":
            if run.changed is None or run.event not in ("push", "merge_request"):
                return True
            return _any_file(value, run.changed)
        case "all":
            return all(holds(condition, run) for condition in value)
        case "any":
            return any(holds(condition, run) for condition in value)
    return not holds(value, run)


def _is(expected: Any, text: str) -> bool:
    if isinstance(expected, bool):
        return bool(text) is expected
    patterns = expected if isinstance(expected, list) else [expected]
    return text != "" and any(matches(pattern, text) for pattern in patterns)


def _any_file(patterns: Sequence[str], files: Sequence[str]) -> bool:
    return any(matches(pattern, name) for pattern in patterns for name in files)


def matches(pattern: str, text: str) -> bool:
    """Return whether *pattern* matches *text*."""
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return re.search(pattern[1:-1], text) is not None
    return any(not rest for rest in _rests(pattern, text, at_start=True))


def _rests(glob: str, text: str, *, at_start: bool) -> Iterator[str]:
    """Yield the possible remainders of *text* after *glob* has matched its beginning."""
    if not glob:
        yield text
    elif glob.startswith("**/") and at_start:
        yield from _rests(glob[3:], text, at_start=True)
        for end in (position for position, sign in enumerate(text) if sign == "/"):
            yield from _rests(glob[3:], text[end + 1 :], at_start=True)
    elif glob.startswith("*"):
        stars = 2 if glob.startswith("**") else 1
        reach = len(text) if stars == 2 else len(text.partition("/")[0])
        for end in range(reach + 1):
            yield from _rests(glob[stars:], text[end:], at_start=False)
    elif text and (text[0] == glob[0] or (glob[0] == "?" and text[0] != "/")):
        yield from _rests(glob[1:], text[1:], at_start=glob[0] == "/")
