"""Recorded tests detect random edits of a config that change the stages of an event."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from operator import eq
from typing import Any

import pytest
from ruamel.yaml import YAML

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report, Stopped
from pipegen.emit import yaml
from pipegen.expectations.check import ConfigUnderTest, check
from pipegen.expectations.model import Expectation
from pipegen.expectations.read import read_expectations
from pipegen.expectations.write import recorded
from pipegen.plan.events import answers
from pipegen.plan.model import Event
from pipegen.plan.model.facts import StartEvent, start_event
from pipegen.source.text import SourceFile

pytestmark = pytest.mark.robust
CONFIG = r"""
inputs:
  level: { default: low, choices: [low, middle, high] }
  name: { default: '' }
pipelines:
  app:
    when: { not: { branch: 'wip/**' } }
    stages:
      - { name: lint, script: 'true', when: { event: [push, merge_request, manual] } }
      - { name: unit, script: 'true' }
      - { name: docs, script: 'true', when: { changes: ['docs/**', '*.md'] } }
      - { name: deep, script: 'true', when: { any: [{ inputs: { level: high } }, { event: schedule }] } }
      - { name: named, script: 'true', when: { inputs: { name: 'x*' }, event: [manual, api] } }
      - { name: flagged, script: 'true', when: { env: { FULL: 'yes' }, branch: main } }
      - { name: same, script: 'true', when: { equal: [branch, env.TARGET] } }
      - { name: twice, script: 'true', when: { equal: [inputs.level, env.TARGET] } }
      - { name: pack, script: 'true', when: { any: [{ branch: [main, 'release/*'] }, { tag: true }] } }
      - { name: review, script: 'true', when: { event: merge_request, changes: 'src/**' } }
      - { name: stage, script: 'true', when: { branch: '/^(main|hotfix-[0-9]+)$/', not: { event: api } } }
      - { name: deploy, script: 'true', approve: 'Go?', when: { branch: main, event: [push, schedule] } }
      - { name: release, script: 'true', approve: true, when: { tag: 'v?.*' } }
    execution:
      - [[lint, unit, docs], [deep, named, flagged, same, twice], pack, [review, stage], deploy]
      - [pack, release]
  nightly:
    when: { event: schedule, branch: main }
    stages:
      - { name: soak, script: 'true' }
      - { name: report, script: 'true', when: { not: { inputs: { level: low } } } }
"""
_WORDS = (
    *("main", "dev", "release/*", "release/**", "ma*", "v*", "v1.?", "docs/*", "**/*.md", "src/*.py", "low", "high"),
    *("x", "no", "/^v/"),
)
_KINDS = [kind.value for kind in Event]
_NAMES = ("main", "dev", "main-1", "mains", "release/1", "release/1/2", "hotfix-1", "hotfix-x", "wip/a", "wip/a/b")
_TAGS = ("v1.0", "v10.0", "v1", "1.0", "x")
_PATHS = ("docs/a.md", "docs/a/b", "docs", "README.md", "a/README.md", "src/a.py", "src/a/b.py", "other.c")

Path = tuple[str | int, ...]


class NoFiles:
    """A repository without files."""

    files: tuple[str, ...] = ()

    def changed(self, _base: str) -> None:
        """Return that nothing is known."""


def _tested(document: object) -> ConfigUnderTest | None:
    """Return the config *document*; None if it does not compile."""
    with suppress(Stopped):
        analysed = analyse(SourceFile("pipegen.yaml", yaml.write(document)), (), Report())  # type: ignore[arg-type]
        return ConfigUnderTest(plans=analysed.plans, inputs=analysed.input_values, repository=NoFiles())
    return None


def _positions(node: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all values in *node*."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*path, key)
        yield from _positions(value, (*path, key))


def _edited(document: Any, chance: random.Random) -> Any:
    """Return *document* with a random edit of a condition or an approval."""
    edited = deepcopy(document)
    inner = [path for path in _positions(edited["pipelines"]) if "when" in path or path[-1] == "approve"]
    path = chance.choice(
        [
            *inner,
            *(
                position
                for position in _positions(edited["pipelines"])
                if len(position) == 3 and position[1] == "stages"
            ),
        ]
    )
    parent: Any = edited["pipelines"]
    for key in path[:-1]:
        parent = parent[key]
    value, key = parent[path[-1]], path[-1]
    if len(path) == 3 and "stages" in path:
        if "approve" in value or chance.random() < 0.5:
            value.pop("when", None)
        else:
            value["approve"] = True
    elif chance.random() < 0.4 or not isinstance(value, str):
        change: Callable[[], object] = chance.choice([lambda: parent.pop(key), lambda: _negate(parent, key)])
        change()
    else:
        is_kind = value in _KINDS
        parent[key] = chance.choice(_KINDS if is_kind else _WORDS)
    return edited


def _negate(parent: Any, key: str | int) -> None:
    parent[key] = {"not": parent[key]} if isinstance(parent[key], dict) else parent[key]


def _started_stages(config: ConfigUnderTest, seed: int) -> Iterator[object]:
    """Yield the stages that *config* starts for many events, which are not those of the recorded tests."""
    chance = random.Random(seed)  # noqa: S311 - reproducible
    for _ in range(150):
        kind = chance.choice(list(Event))
        changed = chance.choice([None, (chance.choice(_PATHS),), tuple(chance.sample(_PATHS, 2))])
        inputs = {"level": chance.choice(("low", "middle", "high")), "name": chance.choice(("", "x", "x1", "y"))}
        variables = chance.choice([{}, {"FULL": "yes"}, {"FULL": "no"}, {"TARGET": "main"}, {"TARGET": "high"}])
        event: StartEvent = start_event(kind, branch=chance.choice(_NAMES), changed=changed)
        if kind is Event.TAG:
            event = start_event(kind, tag=chance.choice(_TAGS), changed=changed)
        facts = config.facts(event, inputs, variables)
        yield [
            (answer.plan.name, stage_answer.job.stage, stage_answer.runs, stage_answer.waits_for_approval)
            for answer in answers(config.plans, facts)
            for stage_answer in answer.stages
        ]


def test_recorded_tests_detect_random_edits() -> None:
    """Of 200 edits that change the answer for an event, the recorded tests of the config before fail for all."""
    document = YAML(typ="safe").load(CONFIG)
    original = _tested(document)
    assert original is not None
    tests = read_expectations(SourceFile("t.yaml", yaml.write(recorded(original))), Report())  # type: ignore[arg-type]
    assert not _fails(tests, original)
    before = list(_started_stages(original, 1))
    missed, number, seed = [], 0, 0
    while number < 200:
        seed += 1
        edited = _edited(document, random.Random(seed))  # noqa: S311 - reproducible
        config = _tested(edited)
        if config is None or all(map(eq, _started_stages(config, 1), before)):
            continue
        number += 1
        if not _fails(tests, config):
            missed.append(seed)

    assert not missed


def _fails(tests: Sequence[Expectation], config: ConfigUnderTest) -> bool:
    def fails(test: Expectation) -> bool:
        report = Report()
        check(test, config, report)
        return report.has_errors()

    return any(map(fails, tests))
