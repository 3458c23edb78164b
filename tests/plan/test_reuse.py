"""What results of stages depend on."""

from __future__ import annotations

import pytest
from plan.planned import job_of, wrong


@pytest.mark.parametrize(
    ("written", "files", "env"),
    [
        ("true", (), ()),
        ("{}", (), ()),
        ("{files: [src/**, ../Makefile], env: [CC]}", ("lib/src/**", "Makefile"), ("CC",)),
    ],
)
def test_files_count_from_the_root(written: str, files: tuple[str, ...], env: tuple[str, ...]) -> None:
    """Whatever folder the stage runs in."""
    reuse = job_of(f"{{name: s, script: [x], directory: lib, reuse: {written}}}").reuse

    assert reuse is not None
    assert (reuse.files, reuse.env) == (files, env)


def test_results_are_not_reused_unless_said() -> None:
    """Nor where it is denied."""
    assert job_of("{name: s, script: [x]}").reuse is None
    assert job_of("{name: s, script: [x], reuse: false}").reuse is None


def test_files_stand_in_the_repository() -> None:
    """As those of artifacts."""
    assert [code for code, _ in wrong("[{name: s, script: [x], reuse: {files: [/etc/passwd]}}]")] == ["PG505"]
