"""References in keys of plain text."""

from __future__ import annotations

import pytest
from lint.findings import diagnostics_of, findings, stages

from pipegen.config.keys import STAGE_KEYS
from pipegen.diagnostics.explain import page
from pipegen.lint.rules.literal_reference import check

PLAIN = [key.name for key in STAGE_KEYS if key.is_plain_text]


def read(keys: str) -> list[str]:
    """Return the underlined texts in a stage with *keys*."""
    return [text for _, text in findings(check, stages(f"{{name: deploy, script: ./deploy, {keys}}}"))]


@pytest.mark.parametrize(
    "keys",
    [
        *(f"{key}: 'a-${{setup.branch}}'" for key in PLAIN),
        "approve: {message: 'Deploy ${setup.branch}?'}",
        "approve: {message: Deploy?, approvers: ['team-${setup.branch}']}",
        "image: {dockerfile: Dockerfile, build_args: {BRANCH: '${setup.branch}'}}",
        "image: {name: 'python:3.12', entrypoint: ['${setup.branch}']}",
        "raw: {gitlab: {release: {tag_name: '${setup.branch}', description: new}}}",
        "services: [{image: 'redis:7', alias: cache, env: {BRANCH: '${setup.branch}'}}]",
    ],
)
def test_a_reference_in_plain_text_is_reported(keys: str) -> None:
    """The engine would get the dollar sign and the braces."""
    assert read(keys) == ["${setup.branch}"]


@pytest.mark.parametrize(
    ("keys", "underlined"),
    [
        ("script: ['echo \"$[[ inputs.x ]]\"']", ["$[[ inputs.x ]]"]),
        ("script: make, env: {X: '$[[ inputs.x | truncate(0,3) ]]'}", ["$[[ inputs.x | truncate(0,3) ]]"]),
        ("script: make, raw: {gitlab: {description: '$[[ inputs.x ]]'}}", []),
        ("script: 'if [[ $[ 1 + 1 ] == 2 ]]; then make; fi', shell: bash", []),
    ],
)
def test_an_expression_of_gitlab_is_reported(keys: str, underlined: list[str]) -> None:
    """A config has references in their place; raw keys are copied."""
    found = diagnostics_of(check, stages(f"{{name: a, {keys}}}"))

    assert [diagnostic.primary.span.text for diagnostic in found if diagnostic.primary] == underlined
    assert {diagnostic.hint for diagnostic in found} <= {'write "${inputs.x}"'}


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        ("echo $build.version", ["$build.version"]),
        ("echo app-$(build.version).zip", ["$(build.version)"]),
        ("echo {{ build.version }} {{build.version}}", ["{{ build.version }}", "{{build.version}}"]),
        ("echo $inputs.level", ["$inputs.level"]),
        ("echo $build.zip $(build.zip) {{ .Values.version }} $HOME.old", []),
        (r"echo \\$build.version $$build.version", []),
        ("echo ${build.version}", []),
    ],
)
def test_a_reference_in_the_form_of_another_system_is_reported(text: str, underlined: list[str]) -> None:
    """Other words before a dot are variables of the shell, programs, and values of templates."""
    build = "{name: build, script: make, outputs: {version: {command: cat version}}}"
    config = f"inputs: {{level: {{default: quick}}}}\n{stages(build, f'{{name: test, script: [{text!r}]}}')}"
    found = diagnostics_of(check, config)

    assert [diagnostic.primary.span.text for diagnostic in found if diagnostic.primary] == underlined
    assert {diagnostic.hint for diagnostic in found} <= {'write "${build.version}"', 'write "${inputs.level}"'}


def test_a_variable_of_the_name_of_a_stage_is_no_reference() -> None:
    """The shell expands it."""
    build = "{name: build, script: make, outputs: {zip: {file: a.zip}}}"
    test = "{name: test, script: ['./test $build.zip'], env: {build: nightly}}"

    assert diagnostics_of(check, stages(build, test)) == ()


@pytest.mark.parametrize(
    "raw",
    [
        "gitlab: {release: {tag_name: '${app.version} $${setup.tag}', description: '${matrix.os}'}}",
        "jenkins: {steps: {before: ['echo \"${env.X} ${params.Y}\"']}}",
    ],
)
def test_texts_in_raw_that_are_no_references(raw: str) -> None:
    """No stage is called `app`; Groovy has its own expressions."""
    assert read(f"matrix: {{os: [linux]}}, raw: {{{raw}}}") == []


def test_the_page_names_the_keys() -> None:
    """To add a key of plain text, add it to the description of `diagnostics/pages/PG729.md`."""
    text = (page("PG729") or "").partition("## Why")[0]

    assert [key for key in PLAIN if f"`{key}`" not in text] == []


@pytest.mark.parametrize(
    "keys",
    [
        "lock: deploy",
        "lock: '$${setup.branch}'",
        "lock: '${LOCK}'",
        "lock: 'deploy-${matrix.target}', matrix: {target: [a, b]}",
        "image: 'python:${setup.branch}'",
        "environment: {name: 'review/${setup.branch}'}",
        "env: {BRANCH: '${setup.branch}'}",
        "approve: {when: {branch: main}, message: Deploy?}",
    ],
)
def test_other_values_are_not_reported(keys: str) -> None:
    """They have no reference, or references in them are replaced."""
    assert read(keys) == []
