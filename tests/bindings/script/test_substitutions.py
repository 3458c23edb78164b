"""Expansions that no shell has are errors; expansions that only bash has are warnings for sh."""

from __future__ import annotations

import subprocess

import pytest
from bindings.sample_scripts import scalar
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
BASH_ONLY = (
    *("${x/a/b}", "${x//a/b}", "${x:0:1}", "${x: -1}", "${x:1}", "${x^}", "${x^^}", "${x,}", "${x,,}", "${!x}"),
    *("${x[0]}", "${x[@]}", "${#x[@]}", "${!x[@]}", "${x[0]:-a}", "${x[0]%a}", "${x[@]:0:1}", "${x@Q}", "${x[0]/a/b}"),
    *("${!x*}", "${!x@}", "${@:1}", "${x~~}"),
)
INVALID = (
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
BASH_FORMS_NOT_CHECKED = ("busybox",)


def reported(script: str, *, is_bash: bool = False) -> list[tuple[str, str]]:
    """Return the code and the text of each diagnostic of *script*."""
    report = Report()
    parse_script(scalar(script), ["build", "test"], report, is_bash=is_bash)
    return [
        (diagnostic.code.number, diagnostic.primary.span.text)
        for diagnostic in report.diagnostics()
        if diagnostic.primary
    ]


@pytest.mark.parametrize("form", PLAIN)
def test_posix_expansions_are_not_reported(form: str) -> None:
    """They may be bare, in double quotes or in a here-document."""
    assert [reported(script) for script in (f"echo {form}", f'echo "{form}"', f"cat <<E\n{form}\nE")] == [[], [], []]


@pytest.mark.parametrize("form", BASH_ONLY)
def test_bash_expansions_are_a_warning_for_sh(form: str) -> None:
    """A stage with `shell: bash` may use them."""
    assert reported(f"echo {form}") == [("PG360", form)]
    assert reported(f"echo {form}", is_bash=True) == []


@pytest.mark.parametrize("form", INVALID)
def test_expansions_that_no_shell_has_are_errors(form: str) -> None:
    """They are errors wherever the shell expands text."""
    templates = ("echo {}", "cat <<E\n{}\nE", "a=$(echo {})", "a=`echo {}`", "echo $(( {} ))")
    for script in (template.replace("{}", form, 1) for template in templates):
        assert reported(script) == [("PG359", form)], script
        assert reported(script, is_bash=True) == [("PG359", form)], script


@pytest.mark.parametrize("form", [*BASH_ONLY, *INVALID])
def test_text_that_the_shell_does_not_expand_is_not_reported(form: str) -> None:
    """Single quotes, comments and quoted here-documents are literal text."""
    assert [reported(script) for script in (f"a '{form}'", f"# {form}", f"cat <<'E'\n{form}\nE")] == [[], [], []]


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_reject_the_same_expansions(shell: str) -> None:
    """Each shell accepts the forms listed for it, and rejects the others."""
    require_program(SHELLS[shell][0])
    forms = [
        form for form in (*PLAIN, *BASH_ONLY, *INVALID) if not (form in BASH_ONLY and shell in BASH_FORMS_NOT_CHECKED)
    ]
    rejected = [form for form in forms if is_rejected(form, SHELLS[shell])]

    assert rejected == [form for form in forms if form in INVALID or (form in BASH_ONLY and shell == "dash")]


def is_rejected(form: str, shell: tuple[str, ...]) -> bool:
    """Return whether *shell* stops where *form* is expanded."""
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
        ("echo ${matrix.flags:-none}", 'write "${matrix.flags|none}": a default follows a bar'),
        ("echo ${build.v:=1.0}", 'write "${build.v|1.0}": a default follows a bar'),
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
    """The suggestion is a reference of pipegen or an expansion of the shell."""
    report = Report()
    parse_script(scalar(script), ["build", "test"], report)

    assert [diagnostic.hint for diagnostic in report.diagnostics()] == [hint]


def test_a_reference_after_an_invalid_expansion_is_parsed() -> None:
    """One invalid expansion does not stop the reading of the script."""
    report = Report()
    script = parse_script(scalar("echo ${a b} ${env.X} ${build.v}"), ["build"], report)

    assert [str(placed.reference) for placed in script.references()] == ["${build.v}"]
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG359", "PG359"]
