"""Pipes that hide a failure."""

from __future__ import annotations

import pytest
from lint.findings import findings

from pipegen.lint.rules.hidden_failure import check


def config(script: str, more: str = "") -> str:
    """Return a config with *script* as a block."""
    lines = "".join(f"            {line}\n" for line in script.splitlines())
    return f"pipelines:\n  p:\n    stages:\n      - name: a\n{more}        script:\n          - |\n{lines}"


@pytest.mark.parametrize(
    "script",
    [
        "make test | tee log",
        "make test 2>&1 | tee log",
        "CI=1 make test |tee log",
        "cd x && ./ci/test | tee -a log",
        "if true; then make test | tee log; fi",
        "make \\\n  test | tee log",
        "make -j$(nproc) ${FLAGS} | tee log",
        "make >log 2>&1 | tee log",
    ],
)
def test_a_command_piped_into_tee_is_reported(script: str) -> None:
    """Its exit status is lost."""
    assert [text for _, text in findings(check, config(script))] == ["tee"]


@pytest.mark.parametrize(
    "script",
    [
        "echo deb x | sudo tee /etc/apt/sources.list.d/x",
        "printf x | tee y",
        "cat a | tee b",
        "make test || tee log",
        "# make test | tee log",
        "echo 'make test | tee log'",
        "set -o pipefail\nmake test | tee log",
        "make test | grep x",
        "make test | teebox",
    ],
)
def test_other_pipes_are_not_reported(script: str) -> None:
    """The command cannot fail, the script sets pipefail, or it is not such a pipe."""
    assert findings(check, config(script)) == []


def test_long_lines_are_read_fast() -> None:
    """Each character is read once."""
    assert findings(check, config("x=" + "a b" * 30_000 + "\nmake | tee log")) != []


def test_bash_stages_are_not_reported() -> None:
    """Pipegen sets pipefail in them."""
    assert findings(check, config("make test | tee log", more="        shell: bash\n")) == []
