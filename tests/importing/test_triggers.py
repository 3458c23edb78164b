"""Jobs that start pipelines of other projects."""

from __future__ import annotations

from pathlib import Path

from importing.samples import from_text, messages

from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.gitlab.proof.comparison import prove

_SOURCE = """\
.rules:
  rules:
    - { if: '$CI_MERGE_REQUEST_ID && $MERGED_ONLY == "true"', when: never }
    - { if: '$CI_MERGE_REQUEST_ID && $BY_HAND == "true"', when: manual }
    - when: on_success
build: { script: make, extends: .rules }
other:
  extends: .rules
  variables: { MERGED_ONLY: "true", BRANCH: $CI_COMMIT_REF_NAME }
  trigger: { project: group/other, strategy: depend }
"""


def test_variables_that_rules_test_are_no_parameters_of_a_trigger(tmp_path: Path) -> None:
    """A config refuses such a parameter, for which the job was left out."""
    result, report = from_text(_SOURCE, tmp_path)
    proof = prove(result)

    assert "raw: { gitlab: { variables: { MERGED_ONLY:" in result.text
    assert 'parameters: { BRANCH: "${setup.params.CI_COMMIT_REF_NAME}" }' in result.text
    assert "left out" not in messages(report)
    assert proof is not None
    assert proof.differences == ()


def test_a_trigger_that_jobs_share_is_reported_once(tmp_path: Path) -> None:
    """So is a variable of the file; each job has both as raw keys."""
    source = """\
variables: { PATTERN: "^main$|$X" }
.start: { trigger: { include: [{ project: group/ci, file: "all.yml" }], strategy: depend } }
a: { extends: .start }
b: { extends: .start }
c: { extends: .start }
"""
    result, report = from_text(source, tmp_path)
    lines = [line.partition("] ")[2] for line in messages(report).splitlines()]

    assert lines == [
        '"PATTERN" of job "a" and 2 others stays a key of GitLab',
        '"trigger" of job "a" and 2 others stays a key of GitLab',
    ]
    assert ("trigger", KeyOutcome.RAW, 1) in result.count.constructs
    assert ("trigger:strategy", KeyOutcome.TRANSLATED, 1) in result.count.constructs


def test_a_child_pipeline_of_an_address_stays_raw(tmp_path: Path) -> None:
    """A config names files of the repository only: GitLab would look for the address there."""
    source = "child: { trigger: { include: https://example.com/child.yml, strategy: depend } }\n"
    result, _ = from_text(source, tmp_path)
    proof = prove(result)

    assert "raw: { gitlab: { trigger: { include: https://example.com/child.yml, strategy: depend } } }" in result.text
    assert proof is not None
    assert proof.differences == ()
