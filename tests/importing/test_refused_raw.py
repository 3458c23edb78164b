"""Keys for GitLab in a stage: those that GitLab's CI lint accepts and refuses, as each was tried there.

The values are those of https://docs.gitlab.com/ci/yaml/.
"""

from __future__ import annotations

import pytest

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.refused.raw import check_raw
from pipegen.source.text import SourceFile

STAGE = "pipelines: {{ p: {{ stages: [{{ name: s, script: x, raw: {{ gitlab: {{ {} }} }} }}] }} }}"


def refused(config: str) -> list[str]:
    """Return the texts that *config* underlines as refused."""
    report = Report()
    plans = analyse(SourceFile("pipegen.yaml", config), (), report).plans
    check_raw(plans, report)
    diagnostics = [diagnostic for diagnostic in report.diagnostics() if diagnostic.code.number == "PG636"]
    return [diagnostic.primary.span.text for diagnostic in diagnostics if diagnostic.primary]


@pytest.mark.parametrize(
    "keys",
    [
        "tags: []",
        "timeout: 1h",
        "retry: { when: always }",
        "retry: { max: 2, exit_codes: [1] }",
        "retry: { when: [runner_interrupted, runner_external_dependency_failure] }",
        "retry: { when: failure_of_a_later_version }",
        "coverage: /abc/",
        "coverage: /abc/i",
        "parallel: 1",
        "parallel: { matrix: [{ a: [1] }] }",
        "parallel: { matrix: [{ a: '', b: ['', 1] }] }",
        "allow_failure: { exit_codes: [] }",
        "resource_group: ''",
        "image: { name: x, entrypoint: [] }",
        "services: [docker:dind, { name: x, alias: a }]",
        "variables: { A: true, B: 1.5, 1: x, C: { value: x, expand: false } }",
        "rules: [[{ when: always }], { if: $A, exists: [a] }]",
        "only: [main]",
        "except: { variables: [$A] }",
        "cache: []",
        "cache: [{ key: a, policy: $P }, { key: { files: [a] } }]",
        "artifacts: { reports: { newest: x } }",
        "id_tokens: { A: { aud: x } }",
        "secrets: { A: x }",
        "release: { tag_name: x, description: y, milestones: m }",
        "pages: true",
        "inherit: { default: false, variables: [A] }",
        "hooks: { pre_get_sources_script: x }",
        "script: [[a], [b]]",
        "before_script: ''",
        "needs: []",
        "key_of_a_later_version: 1",
    ],
)
def test_accepted_values_are_no_errors(keys: str) -> None:
    """Keys that GitLab may have added later are accepted, too."""
    assert refused(STAGE.format(keys)) == []


@pytest.mark.parametrize(
    "keys",
    [
        "tags: x",
        "tags: [1]",
        "timeout: 3600",
        "retry: 3",
        "retry: '2'",
        "retry: { max: 3 }",
        "coverage: abc",
        "parallel: 0",
        "parallel: 201",
        "parallel: '2'",
        "when: foo",
        "when: never",
        "allow_failure: 7",
        "allow_failure: { exit_codes: '1' }",
        "interruptible: 'true'",
        "resource_group: 1",
        "image: ''",
        "image: { name: x, entrypoint: a }",
        "services: x",
        "variables: []",
        "variables: { A: [1] }",
        "rules: []",
        "rules: { when: always }",
        "rules: [{ when: sometimes }]",
        "only: main",
        "only: { refs: main }",
        "cache: { paths: x }",
        "cache: { policy: foo }",
        "cache: { key: { files: a } }",
        "artifacts: [x]",
        "artifacts: { paths: x }",
        "artifacts: { expire_in: 5 }",
        "artifacts: { public: 'yes' }",
        "environment: 5",
        "environment: ''",
        "environment: { name: x, url: 5 }",
        "id_tokens: { A: x }",
        "pages: x",
        "inherit: true",
        "script: []",
        "script: 5",
        "needs: x",
        "needs: [5]",
        "dependencies: x",
        "retries: 1",
        "artifacts: { path: [x] }",
        "rules: [{ change: [x] }]",
    ],
)
def test_refused_values_are_errors(keys: str) -> None:
    """GitLab would create no pipeline."""
    assert len(refused(STAGE.format(keys))) == 1


def test_keys_of_a_template_are_reported_once() -> None:
    """Not for each stage that extends it."""
    config = """
        templates: { t: { raw: { gitlab: { retry: 3, retries: 1 } } } }
        pipelines: { p: { stages: [{ name: a, extends: t, script: x }, { name: b, extends: t, script: x }] } }
    """

    assert refused(config) == ["3", "retries"]


def test_the_hint_for_a_typo_prefers_the_key_with_the_same_first_letter() -> None:
    """`retries` has as much in common with `services` as with `retry`."""
    report = Report()
    check_raw(analyse(SourceFile("pipegen.yaml", STAGE.format("retries: 2")), (), report).plans, report)
    hints = [diagnostic.hint for diagnostic in report.diagnostics() if diagnostic.code.number == "PG636"]
    assert hints == ['write "retry"']
