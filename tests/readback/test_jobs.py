"""The jobs of a `.gitlab-ci.yml`, counted."""

from pipegen.readback.jobs import read_jobs

FILE = """\
stages: [one, two]
variables: { A: x }
workflow: { rules: [{ when: always }] }
a: { stage: one, script: [x] }
".hidden": { script: [x] }
collect for b: { stage: one, script: [x], needs: [a], variables: { PIPEGEN_HELPER: collect } }
b: { stage: two, script: [x], needs: [a, { job: collect for b, artifacts: true }] }
"""


def test_jobs_are_what_has_a_stage() -> None:
    """Helpers among them; keywords and templates are none."""
    found = read_jobs(FILE)

    assert found.names == ("a", "collect for b", "b")
    assert found.helpers == ("collect for b",)
    assert found.most_needs == len(["a", "collect for b"])


def test_a_file_without_jobs_has_no_needs() -> None:
    """Nothing is counted."""
    assert read_jobs("stages: []\n").most_needs == 0
