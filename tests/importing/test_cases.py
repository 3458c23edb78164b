"""Each folder in `cases` has a pipeline, the config to which it is imported, and the diagnostics.

`pytest --update-golden` rewrites the configs.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import CASES, from_text, imported, messages

from pipegen.importing.accounting import KeyOutcome


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_pipeline_becomes_the_expected_config(folder: Path, request: pytest.FixtureRequest) -> None:
    """The expected config is written as a user would write it."""
    result, report = imported(folder)
    assert result is not None
    texts = {"pipegen.yaml": result.text, "report.txt": messages(report)}
    for name, text in texts.items():
        if request.config.getoption("--update-golden"):
            (folder / name).write_text(text, encoding="utf-8")

        assert (folder / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_imported_config_compiles(folder: Path) -> None:
    """The import leaves no errors."""
    result, _ = imported(folder)

    assert result is not None
    assert result.generated


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_every_key_is_accounted_for(folder: Path) -> None:
    """Translated, raw and reported keys add up to all keys."""
    result, _ = imported(folder)

    assert result is not None
    assert sum(result.count.number(outcome) for outcome in KeyOutcome) == result.count.keys > 0


def test_the_outcome_counts_one_key_in_the_singular(tmp_path: Path) -> None:
    """The command prints it."""
    result, _ = from_text("a: { script: make, identity: google_cloud }\n", tmp_path)

    assert result.words == "of 3 keys, 2 are translated, 1 stays raw"


def test_a_key_that_only_an_alias_uses_is_translated(tmp_path: Path) -> None:
    """A template without a job is a common location of an anchor; a key that nothing uses is reported."""
    source = """\
.install: &install
  - apt-get install make
.unused: &unused [true]
.condition: &condition { if: $CI_COMMIT_TAG }
test: { before_script: *install, script: make test, rules: [*condition] }
"""
    result, report = from_text(source, tmp_path)

    assert messages(report).count("\n") == 1
    assert '".unused" is left out: no job uses it' in messages(report)
    assert result.count.number(KeyOutcome.UNUSED) == 1


@pytest.mark.parametrize(("second", "translated"), [("$CI_COMMIT_TAG", 2), ("$CI_COMMIT_TAG =~ $LATEST", 1)])
def test_conditions_of_rules_that_stay_raw_are_translated_if_the_stage_has_them(
    second: str, translated: int, tmp_path: Path
) -> None:
    """Its `when` is for other engines."""
    rules = f"[{{ if: $CI_COMMIT_BRANCH, when: delayed, start_in: 1 hour }}, {{ if: {second}, when: manual }}]"
    result, _ = from_text(f"test: {{ script: make, rules: {rules} }}\n", tmp_path)
    outcomes = {(name, outcome): number for name, outcome, number in result.count.constructs}

    assert outcomes.get(("rules:if", KeyOutcome.TRANSLATED), 0) == translated
    assert outcomes["rules:when", KeyOutcome.RAW] == 2


def test_parts_of_raw_keys_that_the_config_has_too_are_translated(tmp_path: Path) -> None:
    """These are needs on whole jobs, and paths of a condition that an anchor holds."""
    source = """\
.paths: &paths [src/**/*]
build: { script: make, parallel: { matrix: [{ ARCH: ["a,a", b] }] } }
lint: { script: make }
test:
  script: make
  needs: [{ job: lint }, { job: build, parallel: { matrix: [{ ARCH: ["a,a"] }] } }]
  rules: [{ changes: *paths }, { if: $ONE =~ $TWO }]
"""
    result, _ = from_text(source, tmp_path)
    outcomes = {(name, outcome): number for name, outcome, number in result.count.constructs}

    assert outcomes["needs:job", KeyOutcome.TRANSLATED] == outcomes["needs:job", KeyOutcome.RAW] == 1
    assert outcomes["rules:changes", KeyOutcome.TRANSLATED] == outcomes[".paths", KeyOutcome.TRANSLATED] == 1


def test_raw_needs_that_wait_for_fewer_jobs_in_some_runs_are_in_arcs_too(tmp_path: Path) -> None:
    """Only the key that says so stays raw."""
    source = """\
build: { script: make }
unit: { script: make unit, needs: [build], rules: [{ if: $CI_COMMIT_TAG }] }
docs: { script: make docs, needs: [{ job: unit, optional: true, artifacts: false }] }
"""
    result, _ = from_text(source, tmp_path, frozenset({"docs"}))
    raw = [(path, number) for path, outcome, number in result.count.constructs if outcome is KeyOutcome.RAW]

    assert raw == [("needs", 1)]


def test_keys_that_files_which_cannot_be_read_may_use_are_reported(tmp_path: Path) -> None:
    """Their jobs may extend a template that no other job does."""
    source = "include: [{ template: Jobs/SAST.gitlab-ci.yml }]\n.unused: { image: alpine }\ntest: { script: make }\n"
    result, _ = from_text(source, tmp_path)

    assert (result.count.number(KeyOutcome.UNUSED), result.count.number(KeyOutcome.REPORTED)) == (0, 2)


def test_a_job_that_is_left_out_does_not_take_keys_of_others(tmp_path: Path) -> None:
    """Its own keys are reported, and those of a template that only it uses."""
    source = """\
default: { image: 'alpine:3' }
.cleaned: { after_script: [make clean], variables: { A: '1' } }
.unused: { timeout: 1 hour }
test: { extends: .cleaned, script: make test, variables: { B: '2' } }
left:
  { extends: [.cleaned, .unused], stage: test, script: [make], variables: { C: '3' }, rules: [{ when: never }] }
"""
    result, _ = from_text(source, tmp_path)
    reported = {name: number for name, outcome, number in result.count.constructs if outcome is KeyOutcome.REPORTED}

    assert reported == {
        "job": 1,
        "extends": 1,
        "stage": 1,
        "script": 1,
        "variables": 1,
        "variables:NAME": 1,
        "rules": 1,
        "rules:when": 1,
        "timeout": 1,
    }


def test_many_variables_of_a_script_elsewhere_are_those_of_the_job(tmp_path: Path) -> None:
    """Nothing in its script could export them."""
    variables = "".join(f"    V{each}: 'x'\n" for each in range(51))
    source = f"include: [{{ template: Jobs/SAST.gitlab-ci.yml }}]\nsast:\n  stage: test\n  variables:\n{variables}"
    result, _ = from_text(source, tmp_path)

    assert "raw: { gitlab: { script: null, rules: null } }" in result.text
    assert all(f"    V{each}: x\n" in result.generated[-1].text for each in range(51))
    assert result.count.number(KeyOutcome.ELSEWHERE) == 1  # the template


@pytest.mark.parametrize(("number", "is_raw"), [(50, False), (51, True)])
def test_many_variables_that_another_file_may_read_stay_raw(number: int, is_raw: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """The script of a generated job would export them."""
    variables = "".join(f"    V{each}: 'x'\n" for each in range(number))
    source = (
        f"include: [{{ project: a/b, file: c.yml }}]\nscan:\n  extends: .c\n  script: make\n  variables:\n{variables}"
    )
    result, _ = from_text(source, tmp_path)

    assert ("variables:" in result.text) is is_raw


def test_keys_that_depend_on_files_elsewhere_are_counted_apart(tmp_path: Path) -> None:
    """`--include-root` can give these files, unlike the reasons of raw keys; a key with both reasons is raw."""
    source = """\
include:
  - project: tools/ci
    file: build.yml
build:
  extends: .build
  before_script: [make clean]
test:
  extends: .build
  script: [make test]
  rules: [{ if: $CI_COMMIT_TAG }]
  hooks: { pre_get_sources_script: [date] }
publish:
  stage: deploy
  needs: [{ job: scan, artifacts: true }]
  script: [make publish]
"""
    result, _ = from_text(source, tmp_path)
    apart = [(path, number) for path, outcome, number in result.count.constructs if outcome is KeyOutcome.ELSEWHERE]

    assert apart == [
        *(("before_script", 1), ("extends", 2), ("include:file", 1), ("include:project", 1)),
    ]
    assert result.words.startswith("of 19 keys, 10 are translated, 5 depend on files that are not here, 2 stay raw")


@pytest.mark.parametrize(("other", "is_raw"), [("$FIRST =~ $SECOND", False), ("$CI_COMMIT_TAG", True)])
def test_variables_of_a_script_elsewhere_stay_raw_if_conditions_test_them(
    other: str,
    is_raw: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """Rules that stay raw replace conditions, so the generated job has the variables."""
    source = f"""\
scan:
  tags: [windows]
  variables: {{ TESTED: "yes" }}
  script: ['$env:LEVEL = "none"']
  rules: [{{ if: '$TESTED == "yes" && {other}' }}]
"""
    result, _ = from_text(source, tmp_path)

    assert ('variables: { TESTED: "yes" }' in result.text) is is_raw
    assert '\n  variables:\n    TESTED: "yes"' in result.generated[-1].text
