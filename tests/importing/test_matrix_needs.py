"""Needs on jobs whose names are values of the matrix of the needing job."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages

from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.structs import replace

_JOBS = "stages: [build, test, deploy]\nlint: { stage: build, script: lint }\nunit: { stage: test, script: unit }\n"
_NEED = "{{ job: '{name}', artifacts: false{more} }}"


def _note(name: str, matrix: str, more: str = "") -> str:
    need = _NEED.format(name=name, more=more)
    return f"note: {{ stage: deploy, script: note $JOB, needs: [{need}], parallel: {{ matrix: [{matrix}] }} }}\n"


@pytest.mark.parametrize("more", ["", ", optional: true"])
@pytest.mark.parametrize(
    ("name", "matrix", "arcs"),
    [
        ("$[[ matrix.JOB ]]", "{ JOB: [lint, unit] }", ['[lint, "note[JOB=lint]"]', '[lint, unit, "note[JOB=unit]"]']),
        ("$[[matrix.JOB]]", "{ JOB: [lint], OS: [a, b] }", ["[lint, [unit, note]]"]),
        ("$[[ matrix.A ]]$[[ matrix.B ]]", "{ A: [li], B: [nt] }", ["[lint, [unit, note]]"]),
    ],
    ids=["each", "one", "two parts"],
)
def test_each_combination_waits_for_the_job_that_it_names(
    name: str, matrix: str, arcs: list[str], more: str, tmp_path: Path
) -> None:
    """https://docs.gitlab.com/ci/yaml/matrix_expressions/: GitLab replaces the values in each combination."""
    result, report = from_text(_JOBS + _note(name, matrix, more), tmp_path)
    proof = prove(result)

    assert messages(report) == ""
    assert [arc for arc in arcs if arc not in result.text] == []
    assert proof is not None
    assert proof.differences == ()
    assert proof.events > 0


def test_each_combination_gets_the_files_of_the_combination_that_it_names(tmp_path: Path) -> None:
    """Also beside earlier stages whose files it does not get."""
    result, report = from_text(
        """\
stages: [prepare, build, test]
prepare: { stage: prepare, script: a, artifacts: { paths: [a] } }
build: { stage: build, script: b, artifacts: { paths: [b/$OS] }, parallel: { matrix: [{ OS: [linux, macos, bsd] }] } }
test:
  stage: test
  script: c
  needs: [{ job: build, parallel: { matrix: [{ OS: ["$[[ matrix.OS ]]"] }] } }]
  parallel: { matrix: [{ OS: [linux, macos] }] }
""",
        tmp_path,
    )
    proof = prove(result)

    assert messages(report) == ""
    assert "files_from: [build]" in result.text
    assert '["build[OS=linux]", "test[OS=linux]"]' in result.text
    assert proof is not None
    assert proof.differences == ()


def test_the_comparison_finds_a_combination_that_waits_for_another_job(tmp_path: Path) -> None:
    """It also found no difference when a combination waited for none."""
    result, _ = from_text(_JOBS + _note("$[[ matrix.JOB ]]", "{ JOB: [lint, unit] }", ", optional: true"), tmp_path)
    text = result.generated[-1].text
    changed = replace(
        result, generated=(replace(result.generated[-1], text=text.replace("needs: [unit]", "needs: []")),)
    )
    proof = prove(changed)

    assert text.count("needs: [unit]") == 1
    assert proof is not None
    assert 'job "note: unit" does not wait for "unit"' in {difference.message for difference in proof.differences}


def test_a_value_that_is_the_name_of_no_job_is_reported(tmp_path: Path) -> None:
    """The message has the name, not the expression."""
    _, report = from_text(_JOBS + _note("$[[ matrix.JOB ]]", "{ JOB: [lint, none] }"), tmp_path)

    assert 'the need of job "note" on "none" is left out: the job is not in the files' in messages(report)
