"""The shells and their linter, as tests use them."""

from pathlib import Path

import pytest
from engines import shells
from engines.requirement import require
from engines.shells import EXCLUDED, Shell


@pytest.fixture(autouse=True)
def _shells() -> None:
    """Ask for the shells."""
    require(shells.available())


def test_a_good_script_has_no_findings() -> None:
    """A script that every shell parses and shellcheck likes gives nothing."""
    assert shells.check('name=$(cat file)\nprintf "%s\\n" "$name"\n') == ()


def test_a_syntax_error_is_found_by_every_shell() -> None:
    """Each shell reports what none can parse."""
    found = shells.check("if true; then\n")

    assert {error.split(":")[0] for error in found} >= {"dash", "bash", "busybox"}


def test_a_construct_of_bash_is_found_by_dash_alone() -> None:
    """What only some shells parse is found by those that do not."""
    found = shells.check("a=(1 2)\n")

    assert [error.split(":")[0] for error in found if not error[0].isdigit()] == ["dash", "busybox"]


def test_shellcheck_reads_the_script_as_posix() -> None:
    """What all three shells run and POSIX does not know is a finding, told with its place."""
    assert shells.check('f() { local a=1; echo "$a"; }\nf\n') == ("1:7: SC3043: In POSIX sh, 'local' is undefined.",)


@pytest.mark.parametrize(
    ("code", "script"),
    [
        ("SC2016", "printf %s '$HOME'\n"),
        ("SC2154", 'printf "%s" "$stage_name"\n'),
        ("SC3040", "case $(set -o) in *pipefail*) set +o pipefail ;; esac\n"),
    ],
)
def test_an_excluded_finding_is_one_that_shellcheck_makes(
    code: str, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No exclusion is left over: each hides something."""
    hidden = shells.check(script)
    monkeypatch.setattr(shells, "EXCLUDED", {other: "" for other in EXCLUDED if other != code} or {"SC1000": ""})
    shown = shells.check(script)

    assert hidden == ()
    assert code in shown[0]


def test_every_exclusion_is_tested() -> None:
    """The test above knows all exclusions."""
    assert set(EXCLUDED) == {"SC2016", "SC2154", "SC3040"}


@pytest.mark.parametrize("shell", Shell)
def test_a_script_runs_and_stops_at_the_first_failure(shell: Shell, tmp_path: Path) -> None:
    """The three run the same script in the asked-for folder, with the given environment and `-e`."""
    outcome = shells.run('printf "%s|" "$WORD" "$PWD"\n(exit 7)\necho no\n', shell, tmp_path, {"WORD": "a  $b"})

    assert outcome.returncode == 7
    assert outcome.stdout.decode() == f"a  $b|{tmp_path}|"


def test_a_script_sees_no_variable_that_it_is_not_given(tmp_path: Path) -> None:
    """Nothing of this process's environment but PATH reaches a script."""
    outcome = shells.run("env\n", Shell.DASH, tmp_path, {})

    assert {line.split("=")[0] for line in outcome.stdout.decode().splitlines()} <= {"PATH", "PWD", "OLDPWD", "_"}
