"""The proof compares the runs of a pipeline and of its import, and detects each kind of difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import CASES, from_text, imported, messages

from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.importing.gitlab.proof import prove
from pipegen.structs import replace

_SOURCE = """\
variables: { CC: gcc, OUT: $CI_PROJECT_DIR/out }
build: { stage: build, image: "gcc:14", script: [make], artifacts: { paths: [out/] } }
test: { stage: test, script: [make test, make report] }
deploy: { stage: deploy, script: ./deploy, rules: [{ if: $CI_COMMIT_TAG, when: manual }] }
"""
# Text of the generated file, what it is replaced by, and the difference.
_CHANGES = (
    ("    - make report\n", "", 'the script of job "test" is another one'),
    ("image: gcc:14", "image: gcc:15", 'the image of job "build" is another one'),
    ("CC: gcc", "CC: clang", 'the variable CC of job "build" is another one'),
    ("  needs: [build]\n", "  needs: []\n", 'job "test" does not wait for "build"'),
    ("$CI_COMMIT_TAG", '$CI_COMMIT_BRANCH == "main"', 'job "deploy" runs only in the original'),
    ("      when: manual\n", "", 'job "deploy" starts manual in the original, on_success in the import'),
    ("    paths: [out/]\n", "    exclude: [out]\n", 'job "test" gets other files: build'),
)


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_samples_run_the_same(folder: Path) -> None:
    """The events cover all cases that the rules of a sample distinguish."""
    result, _ = imported(folder)
    assert result is not None
    proof = prove(result, "main")

    assert proof is not None
    assert (proof.differences, proof.events > 9) == ((), True)


@pytest.mark.parametrize(("text", "other", "message"), _CHANGES, ids=lambda value: value.strip()[:20])
def test_a_change_of_the_generated_file_is_detected(text: str, other: str, message: str, tmp_path: Path) -> None:
    """Without the change, the original and the import run the same."""
    result, _ = from_text(_SOURCE, tmp_path)

    assert _differences(result) == []
    assert message in _differences(_changed(result, text, other))


def test_jobs_of_a_run_without_jobs_in_the_original_are_reported(tmp_path: Path) -> None:
    """GitLab starts nothing for a merge request if no job runs for one."""
    source = "only: { script: [./only], only: [branches] }\n"
    result, _ = from_text(source, tmp_path)

    changed = _changed(result, "if: $CI_COMMIT_BRANCH", "if: $CI_COMMIT_REF_NAME")

    assert (_differences(result), _differences(changed)) == ([], ['job "only" runs only in the import'])


def test_a_pipeline_without_merge_requests_has_none_after_the_import(tmp_path: Path) -> None:
    """A condition that can hold for a merge request would let all stages start for one."""
    source = "tested: { script: [./tested], only: { variables: [$FULL] } }\nplain: { script: [./plain] }\n"
    result, _ = from_text(source, tmp_path)

    assert "when: { env: { FULL: true }, not: { event: merge_request } }" in result.text
    assert _differences(result) == []


def test_a_need_on_one_combination_waits_for_the_job(tmp_path: Path) -> None:
    """GitLab starts no pipeline if a job needs one that does not exist; the name of a combination exists."""
    source = """\
build: { stage: build, script: [make], parallel: { matrix: [{ CC: [gcc, clang] }] } }
parts: { stage: build, script: [./part], parallel: 2 }
test: { stage: test, script: [make test], needs: ["build: [gcc]", parts 1/2] }
"""
    result, report = from_text(source, tmp_path)

    assert 'job "test" waits for all combinations of "build", not only for some' in messages(report)
    assert 'job "test" waits for all combinations of "parts", not only for some' in messages(report)
    assert "[[build, parts], test]" in result.text
    assert _differences(result) == []


def _changed(result: GitLabImport, text: str, other: str) -> GitLabImport:
    (file,) = result.generated
    assert text in file.text
    return replace(result, generated=(replace(file, text=file.text.replace(text, other, 1)),))


def _differences(result: GitLabImport) -> list[str]:
    proof = prove(result, "main")
    assert proof is not None
    return [one.message for one in proof.differences]
