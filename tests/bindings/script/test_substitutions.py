"""Expansions that a shell refuses are reported, each where it stands; what any shell takes is not."""

from __future__ import annotations

import subprocess

import pytest
from bindings.scripted import scalar
from engines.requirement import require_program

from pipegen.bindings.script.entry import parse_script
from pipegen.diagnostics.report import Report

# POSIX: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_06_02
PLAIN = (
    *("${x}", "${1}", "${10}", "${#}", "${@}", "${*}", "${?}", "${-}", "${$}", "${!}", "${#x}", "${#1}", "${#-}"),
    *(
        "${x:-a.b}",
        "${x-a}",
        "${x:=a}",
        "${x=a}",
        "${x:+a}",
        "${x+a}",
        "${x:?a}",
        "${x?a}",
        "${1:-a}",
        "${x:-${y-a.b}}",
    ),
    *("${x%.*}", "${x%%.*}", "${x#a}", "${x##a}", "${x%\\}}", '${x#"$y"}', "${x:-$(echo a)}"),
)
# bash: https://www.gnu.org/software/bash/manual/html_node/Shell-Parameter-Expansion.html
OF_BASH = (
    *("${x/a/b}", "${x//a/b}", "${x:0:1}", "${x: -1}", "${x:1}", "${x^}", "${x^^}", "${x,}", "${x,,}", "${!x}"),
    *("${x[0]}", "${x[@]}", "${#x[@]}", "${!x[@]}", "${x[0]:-a}", "${x[0]%a}", "${x[@]:0:1}", "${x@Q}", "${x[0]/a/b}"),
    *("${!x*}", "${!x@}", "${@:1}", "${x~~}"),
)
OF_NONE = (
    *(
        "${env.X}",
        "${secrets.TOKEN}",
        "${a.b.c}",
        "${x.}",
        "${x|a}",
        "${x y}",
        "${}",
        "${.x y}",
        "${1a}",
        "${x!}",
        "${x&}",
    ),
    *(
        "${{ github.sha }}",
        "${x(a)}",
        '${"x"}',
        "${x;}",
        "${$x}",
        "${x]}",
        "${x[0].b}",
        "${-x.y}",
        "${a.b:-c}",
        "${x@}",
    ),
)
SHELLS = {"dash": ("dash",), "bash": ("bash",), "busybox": ("busybox", "sh")}
# busybox has some of bash's: https://git.busybox.net/busybox/tree/shell/ash.c (ASH_BASH_COMPAT)
LEFT_TO_BUSYBOX = ("busybox",)


def reported(script: str, *, is_bash: bool = False) -> list[tuple[str, str]]:
    """Return what is said of *script*, each with the place."""
    report = Report()
    parse_script(scalar(script), ["build", "test"], report, is_bash=is_bash)
    return [(found.code.number, found.primary.span.text) for found in report.diagnostics() if found.primary]


@pytest.mark.parametrize("form", PLAIN)
def test_what_posix_has_is_not_reported(form: str) -> None:
    """Bare, in double quotes, in a here-document."""
    assert [reported(script) for script in (f"echo {form}", f'echo "{form}"', f"cat <<E\n{form}\nE")] == [[], [], []]


@pytest.mark.parametrize("form", OF_BASH)
def test_what_bash_alone_has_is_a_warning_for_sh(form: str) -> None:
    """A stage with `shell: bash` may use it."""
    assert reported(f"echo {form}") == [("PG360", form)]
    assert reported(f"echo {form}", is_bash=True) == []


@pytest.mark.parametrize("form", OF_NONE)
def test_what_no_shell_has_is_an_error(form: str) -> None:
    """Wherever the shell expands it."""
    places = ("echo {}", "cat <<E\n{}\nE", "a=$(echo {})", "a=`echo {}`", "echo $(( {} ))")
    for script in (place.replace("{}", form, 1) for place in places):
        assert reported(script) == [("PG359", form)], script
        assert reported(script, is_bash=True) == [("PG359", form)], script


@pytest.mark.parametrize("form", [*OF_BASH, *OF_NONE])
def test_text_that_the_shell_does_not_expand_is_not_reported(form: str) -> None:
    """In single quotes, comments and quoted here-documents."""
    assert [reported(script) for script in (f"a '{form}'", f"# {form}", f"cat <<'E'\n{form}\nE")] == [[], [], []]


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_agree(shell: str) -> None:
    """The shells expand what is said to be theirs, and refuse the rest."""
    require_program(SHELLS[shell][0])
    forms = [form for form in (*PLAIN, *OF_BASH, *OF_NONE) if not (form in OF_BASH and shell in LEFT_TO_BUSYBOX)]
    refused = [form for form in forms if is_refused(form, SHELLS[shell])]

    assert refused == [form for form in forms if form in OF_NONE or (form in OF_BASH and shell == "dash")]


def is_refused(form: str, shell: tuple[str, ...]) -> bool:
    """Return whether *shell* ends where *form* is expanded."""
    script = f"x=abc y=a; set -- abc\nprintf '%s' {form} >/dev/null\necho end"
    ended = subprocess.run((*shell, "-e", "-c", script), capture_output=True, text=True, check=False)
    return not ended.stdout.endswith("end\n")


@pytest.mark.parametrize(
    ("script", "hint"),
    [
        ("echo ${secrets.TOKEN}", 'write "${TOKEN}": the secrets of a stage are variables of its script'),
        ("echo ${env.HOME}", 'write "${HOME}" for a variable of the environment'),
        (
            "echo ${params.level}",
            'write "${inputs.level}" for an input, "${setup.params.level}" for a parameter of the job',
        ),
        ("echo ${biuld.v}", 'write "${build.v}"'),
        ("echo ${project.v}", 'there is no stage "project"; put text for another program in single quotes'),
        (
            "echo ${a b}",
            'a name has only letters, digits and "_"; put text for another program in single quotes',
        ),
        (
            "echo ${{ a + b }}",
            'write "${stage.name}", "${inputs.name}" or "${setup.name}" for a value, "$NAME" for a variable',
        ),
        ("echo ${{ env.X }}", 'write "$X"'),
        ("echo ${{ github.sha }}", 'write "${setup.commit}"'),
        ("echo ${{ steps.a.outputs.b }}", 'write "${a.b}", and add "outputs: [b]" to that stage'),
    ],
)
def test_hints_suggest_valid_text(script: str, hint: str) -> None:
    """Of pipegen, or of the shell."""
    report = Report()
    parse_script(scalar(script), ["build", "test"], report)

    assert [found.hint for found in report.diagnostics()] == [hint]


def test_a_reference_behind_one_is_still_found() -> None:
    """It is no reason to lose the rest of the script."""
    report = Report()
    script = parse_script(scalar("echo ${a b} ${env.X} ${build.v}"), ["build"], report)

    assert [str(placed.reference) for placed in script.references()] == ["${build.v}"]
    assert [found.code.number for found in report.diagnostics()] == ["PG359", "PG359"]
