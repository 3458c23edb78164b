"""Jobs that start after failures of jobs that do so themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text

from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.structs import replace

_SOURCE = """\
build: {{ stage: build, script: make }}
other: {{ stage: build, script: make other }}
note: {{ stage: test, script: note, when: on_failure, needs: [build] }}
mail: {{ stage: deploy, script: mail, when: on_failure, needs: [{needs}] }}
"""


@pytest.mark.parametrize(
    ("needs", "differences"),
    [
        ("note", {'a failure of "build" starts job "mail" only in the import'}),
        ("note, other", {'a failure of "build" starts job "mail" only in the import'}),
        ("note, build", set()),
        ("note, build, other", set()),
    ],
)
def test_the_failures_that_start_a_job_are_compared(needs: str, differences: set[str], tmp_path: Path) -> None:
    """A stage also starts after failures of those before `note`; raw needs have the same runs."""
    result, _ = from_text(_SOURCE.format(needs=needs), tmp_path)
    proof = prove(result)
    exact, _ = from_text(_SOURCE.format(needs=needs), tmp_path, frozenset({"mail"} if differences else ()))
    second = prove(exact)

    assert proof is not None
    assert {difference.message for difference in proof.differences} == differences
    assert proof.misordered == ({"mail"} if differences else set())
    assert second is not None
    assert second.differences == ()


def test_no_failure_starts_a_job_if_it_skips_one_that_the_job_needs(tmp_path: Path) -> None:
    """After a failure of `other`, GitLab skips `note`, and therefore `mail`, unless `note` needs `other`, too."""
    result, _ = from_text(_SOURCE.format(needs="note, build, other"), tmp_path)
    file = result.generated[-1]
    changed = replace(file, text=file.text.replace("needs: [build]", "needs: [build, other]"))
    proof = prove(replace(result, generated=(changed,)))

    assert proof is not None
    assert 'a failure of "other" starts job "mail" only in the import' in [each.message for each in proof.differences]


def test_failures_of_all_of_many_stages_start_a_job(tmp_path: Path) -> None:
    """The generated file then has a stage for each of them, too, as one for all jobs decides no order."""
    names = [f"s{number}" for number in range(24)]
    jobs = [f"{name}-job: {{ stage: {name}, script: make {name} }}\n" for name in names]
    whens = {12: "on_failure", 18: "always"}
    for number, when in whens.items():
        jobs[number] = jobs[number].replace(" }", f", when: {when} }}")
    result, _ = from_text(f"stages: [{', '.join(names)}]\n{''.join(jobs)}", tmp_path)
    proof = prove(result)

    assert proof is not None
    assert [difference.message for difference in proof.differences] == []
