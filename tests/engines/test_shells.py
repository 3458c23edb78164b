"""The shells and their linter, as tests use them."""

from pathlib import Path

import pytest
from engines import shells
from engines.requirement import require
from engines.shells import EXCLUDED, Shell


@pytest.fixture(autouse=True)
def _shells() -> None:
    """Require the shells."""
    require(shells.available())


def test_a_valid_script_has_no_findings() -> None:
    """Every shell parses it, and shellcheck has no warnings."""
    assert shells.check('name=$(cat file)\nprintf "%s\\n" "$name"\n') == ()


def test_every_shell_reports_a_syntax_error() -> None:
    """No shell can parse the script."""
    texts = shells.check("if true; then\n")

    assert {error.split(":")[0] for error in texts} >= {"dash", "bash", "busybox"}


def test_only_dash_reports_a_bash_construct() -> None:
    """The others can parse it."""
    texts = shells.check("a=(1 2)\n")

    assert [error.split(":")[0] for error in texts if not error[0].isdigit()] == ["dash", "busybox"]


def test_shellcheck_reports_constructs_outside_posix() -> None:
    """Even if all three shells support them; the finding has a location."""
    assert shells.check('f() { local a=1; echo "$a"; }\nf\n') == ("1:7: SC3043: In POSIX sh, 'local' is undefined.",)


@pytest.mark.parametrize(
    ("code", "script"),
    [
        ("SC2016", "printf %s '$HOME'\n"),
        ("SC2154", 'printf "%s" "$stage_name"\n'),
        ("SC3040", "case $(set -o) in *pipefail*) set +o pipefail ;; esac\n"),
    ],
)
def test_every_exclusion_hides_a_finding(code: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unnecessary exclusion would hide new findings."""
    hidden = shells.check(script)
    monkeypatch.setattr(shells, "EXCLUDED", {other: "" for other in EXCLUDED if other != code} or {"SC1000": ""})
    shown = shells.check(script)

    assert hidden == ()
    assert code in shown[0]


def test_every_exclusion_is_tested() -> None:
    """The test above covers all exclusions."""
    assert set(EXCLUDED) == {"SC2016", "SC2154", "SC3040"}


@pytest.mark.parametrize("shell", Shell)
def test_a_script_runs_and_stops_at_the_first_failure(shell: Shell, tmp_path: Path) -> None:
    """In the given folder and environment, with `-e`, in all three shells."""
    outcome = shells.run('printf "%s|" "$WORD" "$PWD"\n(exit 7)\necho no\n', shell, tmp_path, {"WORD": "a  $b"})

    assert outcome.returncode == 7
    assert outcome.stdout.decode() == f"a  $b|{tmp_path}|"


def test_a_script_does_not_inherit_the_environment(tmp_path: Path) -> None:
    """PATH is the only exception."""
    outcome = shells.run("env\n", Shell.DASH, tmp_path, {})

    assert {line.split("=")[0] for line in outcome.stdout.decode().splitlines()} <= {"PATH", "PWD", "OLDPWD", "_"}
