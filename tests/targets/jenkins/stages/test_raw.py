"""Groovy in raw keys."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of

from pipegen.diagnostics.report import Report
from pipegen.targets.jenkins.stages.raw import check_raw


@pytest.mark.parametrize(
    ("head", "is_refused"),
    [
        ("ansiColor('xterm')", False),
        ("timestamps", False),
        ('withEnv(["A=b//c", "D=)"])', False),
        ("sshagent(credentials: ['x'])", False),
        (r"dir('it\'s')", False),
        ("node('a') {", True),
        ("node('a') { sh 'x' }", True),
        ("x(", True),
        ("x)", True),
        ("x(]", True),
        ("x('a)", True),
        ("x() // y", True),
        ("x();", True),
        ("", True),
        ("'x'", True),
        ("x\ny", True),
        ("x ('a')", False),
        ("x\n('a')", True),
        ("x\u2028('a')", True),
        ("x('a',\r'b')", True),
        (r"x\y", True),
        (r"x(\y)", True),
        ("x y", True),
        ("x{y}", True),
    ],
)
def test_wrap_accepts_one_balanced_call(head: str, is_refused: bool) -> None:  # noqa: FBT001 - what is expected
    """On one line, without comments."""
    report = Report()
    quoted = head.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    check_raw(job_of(f'{{name: s, script: x, raw: {{jenkins: {{wrap: ["{quoted}"]}}}}}}'), report)

    assert bool(report.diagnostics()) is is_refused
