"""Labels, resources and the shell of stages."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, wrong

from pipegen.plan.model import Machine, ShellProgram


def machine_of(keys: str) -> Machine:
    """Return the machine of a stage with *keys*."""
    return job_of(f"{{name: s, script: [x], {keys}}}").machine


def test_a_stage_runs_anywhere_by_default() -> None:
    """Its shell is sh."""
    machine = job_of("{name: s, script: [x]}").machine

    assert (machine.labels, machine.resources, machine.shell) == ((), None, ShellProgram.SH)


@pytest.mark.parametrize(
    ("written", "labels"),
    [("linux", ("linux",)), ("[linux, 'big disk', linux]", ("linux", "big disk")), ("[a-b, 1]", ("a-b", "1"))],
)
def test_labels_are_unique(written: str, labels: tuple[str, ...]) -> None:
    """A text is one label."""
    assert machine_of(f"agent: {written}").labels == labels


@pytest.mark.parametrize("written", ["'a &&'", "'|| b'", "(a", "$A", "' '", '"a\\nb"', "'a\"b'"])
def test_invalid_labels_are_reported(written: str) -> None:
    """Incomplete expressions, and text that an engine expands."""
    assert [code for code, _ in wrong(f"[{{name: s, script: [x], agent: [{written}]}}]")] == ["PG204"]


@pytest.mark.parametrize(
    ("written", "thousandths"), [("2", 2000), ("0.5", 500), ("500m", 500), ("'1.5'", 1500), ("0.001", 1)]
)
def test_processors_are_counted_in_thousandths(written: str, thousandths: int) -> None:
    """As Kubernetes does."""
    resources = machine_of(f"resources: {{cpu: {written}}}").resources

    assert resources is not None
    assert (resources.cpu, resources.memory) == (thousandths, None)


@pytest.mark.parametrize(
    ("written", "size"), [("1024", 1024), ("512Mi", 512 * 2**20), ("4Gi", 2**32), ("3K", 3000), ("1G", 10**9)]
)
def test_memory_is_counted_in_bytes(written: str, size: int) -> None:
    """Units with an i are powers of 1024, others of 1000."""
    resources = machine_of(f"resources: {{memory: {written}}}").resources

    assert resources is not None
    assert resources.memory == size


@pytest.mark.parametrize(
    "written",
    [
        *("cpu: 0", "cpu: 0.0001", "cpu: -1", "cpu: .inf", "cpu: 1e400", "memory: 0", "memory: -5"),
        "memory: 9999999999999Gi",
    ],
)
def test_no_machine_has_these_amounts(written: str) -> None:
    """Each is reported at its value."""
    diagnostics = wrong(f"[{{name: s, script: [x], resources: {{{written}}}}}]")

    assert diagnostics == [("PG204", written.split()[1])]


@pytest.mark.parametrize(
    ("written", "at"),
    [("cpu: 2, limits: {cpu: 1500m}", "1500m"), ("memory: 1Gi, limits: {memory: 1000M}", "1000M")],
)
def test_a_limit_is_not_less_than_the_request(written: str, at: str) -> None:
    """Kubernetes and docker refuse it."""
    assert wrong(f"[{{name: s, script: [x], resources: {{{written}}}}}]") == [("PG204", at)]


def test_the_shell_is_in_the_plan() -> None:
    """Bash if the user sets it."""
    assert machine_of("shell: bash").shell is ShellProgram.BASH
