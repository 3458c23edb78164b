"""Keywords of other systems are recognized, and applying their hints literally gives a valid config."""

from __future__ import annotations

import pytest
from config.schema.foreign.applying import corrected, diagnostics_of
from yaml_data import yaml_data

from pipegen.config.schema.foreign.model import ForeignWord
from pipegen.config.schema.foreign.words import WORDS
from pipegen.config.schema.tree_paths import INPUT, PIPELINE, STAGE, TOP
from pipegen.config.schema.violation import Path

_STAGES = "stages: [{name: build, script: make}, {name: test%s}]"
# A value for each word in the form of its own system, by the word; words in `IS_ADVICE` have only a hint.
_VALUES = {
    "needs": "[build]",
    "stage": "check",
    "stages: [build, test]": "[build, test]",
    "dependencies": "[build]",
    "before_script": "[apt-get update]",
    "after_script": "[make clean]",
    "variables": "{A: b, C: {value: d, description: e}}",
    "tags": "[linux]",
    "services: [{name}]": "postgres:16",
    "services: [{variables}]": "{A: b}",
    "artifacts: {expire_in}": "1 week",
    "artifacts: {reports}": "{reports: {junit: report.xml, dotenv: x.env}, expire_in: 1 day}",
    "artifacts: {paths, reports}": "{coverage_report: {coverage_format: cobertura, path: c.xml}}",
    "artifacts: {public}": "false",
    "artifacts: {untracked}": "true",
    "reports: {performance}": "browser.json",
    "reports: {dotenv}": "build.env",
    "coverage: /pattern/": "'/TOTAL.*?([0-9.]+)%/'",
    "cache: {fallback_keys}": "[main]",
    "rules": "[{if: $CI_COMMIT_BRANCH == \"main\" && $CI_PIPELINE_SOURCE != 'schedule', changes: [src/**]}]",
    "only": "[main, tags, /^release-.*$/]",
    "except": "{refs: [schedules]}",
    "workflow": "{rules: [{if: $A}]}",
    "parallel": "{matrix: [{A: [x, y], B: z}]}",
    "retry: {max}": "2",
    "retry: {when}": "[runner_system_failure, stuck_or_timeout_failure]",
    "resource_group": "production",
    "when: manual": "manual",
    "start_in": "30 minutes",
    "environment: {deployment_tier}": "testing",
    "default": "{image: 'python:3.12'}",
    "include: {local}": "[{local: /ci/templates.yml}]",
    "spec: {inputs}": "{inputs: {level: {default: quick}}}",
    "trigger: {project}": "group/docs",
    "id_tokens": "{VAULT: {aud: 'https://vault.example.org'}}",
    "release": "{tag_name: $CI_COMMIT_TAG}",
    "pages": "{publish: site}",
    "hooks": "{pre_get_sources_script: [x]}",
    "inherit": "{default: false}",
    "steps": "[sh 'make test', {sh: make all}, {run: pytest -k \"not slow\"}]",
    "sh": "make test",
    "dir": "src",
    "bat": "make test",
    "powershell": "./build.ps1 -Fast",
    "pwsh": "./build.ps1 -Fast",
    "shell: pwsh": "pwsh",
    "agent: {label}": "{label: linux && large}",
    "agent: any": "any",
    "label": "linux",
    "docker": "python:3.12",
    "tools": "{maven: Maven 3.9, jdk: '21'}",
    "libraries": "[ci-steps@v2]",
    "environment: {NAME: value}": "{CC: clang}",
    "withCredentials": "[x]",
    "credentials": "x",
    "parameters": "{LEVEL: {default: quick, choices: [quick, full]}, DRY_RUN: true}",
    "when: {expression}": "params.LEVEL == 'full'",
    "anyOf": "[{branch: main}, {tag: true}]",
    "allOf": "[{branch: main}, {event: push}]",
    "changeset": "src/**",
    "beforeAgent": "true",
    "options": "{timeout: 5}",
    "on_failure": "[./report]",
    "inputs: {options}": "[quick, full]",
    "inputs: {value}": "quick",
    "inputs: {regex}": "'v[0-9]+'",
    "timeout: {time, unit}": "{time: 1, unit: HOURS}",
    "post": "{always: [{sh: docker compose down}]}",
    "mail": "{to: team@example.org}",
    "input": "{message: 'Release?', submitter: 'alice,bob'}",
    "approve: {submitter}": "'alice,bob'",
    "lock: {resource}": "{resource: staging}",
    "stash": "{name: dist, includes: dist/**}",
    "unstash": "dist",
    "archiveArtifacts": "dist/**",
    "triggers": "{cron: 0 3 * * 1-5}",
    "failFast": "true",
    "catchError": "true",
    "runs-on": "ubuntu-latest",
    "container": "{image: 'python:3.12'}",
    "if": "github.ref == 'refs/heads/main' || github.event_name == 'pull_request'",
    "when: condition": "github.ref == 'refs/heads/main'",
    "when: rule": "$CI_COMMIT_BRANCH == 'main'",
    "uses": "actions/checkout@v4",
    "with": "{a: b}",
    "strategy": "{matrix: {python: [3.12, 3.13]}}",
    "timeout-minutes": "5",
    "continue-on-error": "true",
    "working-directory": "docs",
    "on": "[push, pull_request]",
    "env": "{A: b}",
    "jobs": "{lint: {runs-on: x, steps: [{uses: actions/checkout@v4}, {run: ruff check}]}}",
    "name": "CI",
    "permissions": "read-all",
    "when: {if}": "$CI_COMMIT_BRANCH == 'main'",
    "jobs and workflows": "{lint: {docker: [{image: x}], steps: [checkout, {run: ruff check}]}}",
    "workflows": "{main: {jobs: [lint]}}",
    "orbs": "{node: circleci/node@5}",
    "version": "2.1",
    "dependsOn": "build",
    "depends_on": "[build]",
    "commands": "[make test]",
    "when: {status}": "failure",
    "build: {dockerfile}": "Dockerfile",
    "build: {target}": "production",
    "services: {healthcheck}": "{test: [CMD, pg_isready]}",
}
IS_ADVICE = {
    *("workflow", "withCredentials", "credentials", "when: {expression}", "options", "on_failure"),
    *(
        "uses",
        "trigger: {project}",
        "artifacts: {public}",
        "artifacts: {untracked}",
        "reports: {dotenv}",
        "workflows",
        "orbs",
        "build: {dockerfile}",
        "services: {healthcheck}",
        "shell: pwsh",
    ),
}
# Words whose hint is advice in the outer maps only.
_OUTER_ADVICE = {"post", "jobs"}
# Words for the work of the stage.
_WORK = {"steps", "sh", "bat", "powershell", "pwsh", "commands", "trigger: {project}", "uses"}
_CASES = [(word, parent) for word in WORDS for parent in word.parents]


def _config(parent: Path, entry: str, *, is_work: bool) -> tuple[str, Path]:
    """Return a config with *entry* in a map at *parent*, and the path of that map."""
    work = "" if is_work else ", script: make test"
    if parent == TOP:
        return f"{entry}\npipelines:\n  p:\n    {_STAGES % work}\n", ()
    if parent == INPUT:
        return f"inputs: {{a: {{{entry}}}}}\npipelines:\n  p:\n    {_STAGES % work}\n", ("inputs", "a")
    if parent == PIPELINE:
        return f"pipelines:\n  p:\n    {entry}\n    {_STAGES % work}\n", ("pipelines", "p")
    inner = parent[len(STAGE) :]
    path = ("pipelines", "p", "stages", 1, *inner)
    needed = {"artifacts": "paths: [x], ", "cache": "paths: [x], ", "environment": "name: x, ", "when": "branch: x, "}
    needed["approve"] = "message: x, "
    siblings = "".join(words for key, words in needed.items() if inner[:1] == (key,))
    if inner and inner[0] == "services" and not entry.startswith("name"):
        siblings = "image: 'a:1', "
    if inner and inner[0] == "retry" and not entry.startswith("max"):
        siblings = "count: 1, "
    text = f"{{{siblings}{entry}}}" if inner else entry
    for step in reversed(inner):
        text = f"[{text}]" if step == 0 else f"{step}: {text}" if not text.startswith(f"{step}: ") else text
    return f"pipelines:\n  p:\n    {_STAGES % f'{work}, {text}'}\n", path


@pytest.mark.parametrize(("word", "parent"), _CASES, ids=[f"{word.title}-{len(parent)}" for word, parent in _CASES])
def test_each_word_is_recognized_and_its_hint_is_valid(word: ForeignWord, parent: Path) -> None:
    """The word is the only error, and applying the hint leaves no schema error."""
    text, path = _config(parent, f"{word.key}: {_VALUES[word.title]}", is_work=word.title in _WORK)
    (diagnostic,) = diagnostics_of(text)

    assert diagnostic.code.number == "PG214"
    assert diagnostic.message.endswith(f" is from {word.system.value}: {word.instead}")
    assert diagnostic.hint is not None
    fixed = corrected(text, (*path, word.key), diagnostic.hint)
    is_advice = word.title in IS_ADVICE or (word.title in _OUTER_ADVICE and parent in (PIPELINE, TOP))
    assert is_advice or fixed is not None, diagnostic.hint
    assert fixed is None or diagnostics_of(fixed) == (), f"{diagnostic.hint}\n{fixed}"


def test_every_word_has_a_value() -> None:
    """No word is left out, and none is listed twice for one path."""
    uses = [(parent, word.title) for word, parent in _CASES]

    assert {word.title for word in WORDS} == _VALUES.keys()
    assert len(uses) == len(set(uses))


@pytest.mark.parametrize(
    ("when", "final", "expected"),
    [
        ("always", "", "[b]"),
        ("always", "finally: [a]", "[a, b]"),
        ("always", "finally: {failed: [a]}", "{failed: [a], always: [b]}"),
        ("on_failure", "", "{failed: [b]}"),
    ],
)
def test_the_hint_for_a_job_after_failures_fits_what_finally_has(when: str, final: str, expected: str) -> None:
    """Applying it leaves no schema error."""
    stages = "stages: [{name: a, script: [x]}, {name: b, script: [x], when: %s}]"
    text = f"pipelines:\n  p:\n    {stages % when}\n    {final}\n"
    (diagnostic,) = diagnostics_of(text)
    fixed = corrected(text, ("pipelines", "p", "stages", 1, "when"), diagnostic.hint or "")

    assert fixed is not None, diagnostic.hint
    assert diagnostics_of(fixed) == ()
    assert yaml_data(fixed)["pipelines"]["p"]["finally"] == yaml_data(expected)


@pytest.mark.parametrize(
    ("final", "hint"),
    [
        ("[a]", 'write "finally" as a map, and name the stage in its list "failed"'),
        ("{failed: [a]}", 'remove it, and add to "failed":\n- b'),
    ],
)
def test_the_hint_for_a_job_after_failures_names_the_list(final: str, hint: str) -> None:
    """A list of finally stages cannot say that they run after failures."""
    stages = "[{name: a, script: [x]}, {name: b, script: [x], when: on_failure}]"
    (diagnostic,) = diagnostics_of(f"pipelines: {{p: {{stages: {stages}, finally: {final}}}}}\n")

    assert diagnostic.hint == hint


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("$CI_COMMIT_BRANCH == $DEPLOY_BRANCH", "equal: [branch, env.DEPLOY_BRANCH]"),
        ("$CI_COMMIT_TAG != $LAST_TAG", "not: {equal: [tag, env.LAST_TAG]}"),
        ("$A == $B && $CI_COMMIT_TAG", "equal: [env.A, env.B], tag: true"),
    ],
)
def test_the_hint_for_a_comparison_of_two_variables_compares_them(condition: str, hint: str) -> None:
    """Nobody means two variables that are not set, which GitLab finds equal."""
    text = f"pipelines:\n  p:\n    stages: [{{name: a, script: x, if: '{condition}'}}]\n"
    (diagnostic,) = diagnostics_of(text)

    assert diagnostic.hint is not None
    assert hint in diagnostic.hint
    fixed = corrected(text, ("pipelines", "p", "stages", 0, "if"), diagnostic.hint)
    assert fixed is not None
    assert diagnostics_of(fixed) == ()
