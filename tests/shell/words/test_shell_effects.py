"""Effects of commands on the shell, determined from their text."""

from __future__ import annotations

import random
import re

import pytest

from pipegen.shell.words import shell_effects
from pipegen.shell.words.shell_effects import (
    indentable,
    may_affect_followers,
    may_catch_signals,
    may_change_shell,
    may_pass_failures,
    may_pipe,
    sets_nounset,
)

PIECES = (
    *(" ", "  ", "\n", "\t", " ", "\\", '"', "'", "$x", "$", "${", "}", "${A:=", "=", "x", "!", "&", "|", "&&", "`"),
    *("(", ")", ";", "{", "[", "]", "+=", "a", "1", "-", ".", "/", "echo", "printf", "-v", "then", "do", "else"),
    *("x-do", "x-printf", "cd", "set", "trap", "exit", "for", "export", "read", "function", ">", "<", "exec"),
)


@pytest.mark.parametrize("seed", range(3))
def test_the_quick_check_does_not_change_the_result(seed: int) -> None:
    """It looks only for special characters."""
    chance = random.Random(seed)  # noqa: S311 - cases, no secrets
    answers = set()
    for _ in range(10_000):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 7)))
        answers.add(may_change_shell(text))

        assert may_change_shell(text) == (re.search(shell_effects._TRACES, text) is not None), text  # noqa: SLF001
    assert answers == {True, False}


@pytest.mark.parametrize(
    "text",
    [
        *('echo "$x" y', "make all", "./run --fast a.b", "tar -xf a.tar", "docker exec api ls"),
        *("CGO_ENABLED=0 go build", "A=1 B=$x ./run", """A="$x y" B='1 2' C=${z} make -j""", "if a; then A=1 b; fi"),
        *(
            'helm upgrade --set "tag=$x"',
            "docker run -e 'A=1' b",
            'docker build -t "$x" .',
            'terraform init -input=false -c="key=$x"',
            'make -C "$dir" PREFIX=/usr DESTDIR="$x"',
            "tar -czf app.tgz --exclude=.git .",
        ),
    ],
)
def test_plain_commands_do_not_affect_the_shell(text: str) -> None:
    """A program cannot change the shell that calls it."""
    assert not may_change_shell(text)


@pytest.mark.parametrize(
    "text",
    [
        *("cd dist", "x=1", "$tool", "set -u", "printf -v x 1"),
        *(
            "A=1 B=2",
            "A=1 cd b",
            "A=1 $tool",
            'A=1 "b"',
            "A=$(b) c",
            "A=`b` c",
            'A="$(b)" c',
            "A=1 B+=2",
            "A=1 # b",
            "A=1 B[0]=2",
        ),
        *('A="b c" D=1', "A[1]=2 b", "A=1\nmake", "A=1 >b", "A=1;make", 'echo "b" ;A=1', "2>'b c' A=1", "A=${B:=1} c"),
        *("exec>log", "exec<log", "command>a cd b"),
        *(". ./env", 'A="b c" . ./env', '"." ./env', "A=.git . ./env"),
    ],
)
def test_commands_that_may_affect_the_shell_are_detected(text: str) -> None:
    """They change variables, options or the directory."""
    assert may_change_shell(text)


@pytest.mark.parametrize("text", ["make || true", "a && b", "! make", "a\n! b", "(! a)", "!(a)"])
def test_lists_and_negations_may_pass_failures(text: str) -> None:
    """Their failure ends no shell with -e."""
    assert may_pass_failures(text)
    assert not may_change_shell(text)


@pytest.mark.parametrize("text", ["a | b", "a & b", "echo !", "[ a != b ]", "a; b"])
def test_other_commands_pass_no_failures(text: str) -> None:
    """A pipe has the status of its last command, which ends the shell."""
    assert not may_pass_failures(text)


@pytest.mark.parametrize(
    "lines",
    [
        *(["make", "a && b"], ["a && b", "# end"], ["a &&", "b"], ["a ||  # or", "b"]),
        *(["if a; then", "b && c", "fi"], ["if a; then", "b && c", "else d; fi"], ["{", "a && b", "}", "# end"]),
    ],
)
def test_a_list_may_be_part_of_the_last_command(lines: list[str]) -> None:
    """A command may go over several lines of a script."""
    assert may_affect_followers(lines)


@pytest.mark.parametrize("lines", [[], ["# a && b"], ["a && b", "c"], ["a && b", "finish"]])
def test_a_list_before_the_last_command_does_not_count(lines: list[str]) -> None:
    """Its failure does not end a shell with -e, and does not become its status."""
    assert not may_affect_followers(lines)


@pytest.mark.parametrize("text", ["kubectl -n web set image deployment/up api:1", "git read u", "echo set -u"])
def test_an_argument_is_not_a_builtin(text: str) -> None:
    """`kubectl set image` does not set an option of the shell."""
    assert not may_change_shell(text)
    assert not sets_nounset(text)


@pytest.mark.parametrize(
    "text",
    ["set -eu", "make\n  set -u", "if x; then set -u; fi", "{ set -u; }", "command set -u", "A=1 set -u", ">a set -u"],
)
def test_set_is_a_builtin_wherever_a_command_can_begin(text: str) -> None:
    """After separators, keywords, assignments and redirections."""
    assert may_change_shell(text)
    assert sets_nounset(text)


@pytest.mark.parametrize(
    ("text", "is_pipeline"),
    [
        ("a | b", True),
        ("a || b", False),
        ("jq '.a | length' b", False),
        ('jq ".$x | length" b', False),
        ("echo \"it's\" | grep 'x'", True),
        ('x "$(a | b)"', True),
        ('x "${y:-"it\'s"}" | b \'z\' "it\'s"', True),
        ("x \\' | b \\'", True),
        ("x 'a | b", True),
        ("# don't\na | b\n# don't", True),
        ("cat <<EOF\nit's\nEOF\na | b\ncat <<EOF\nit's\nEOF", True),
        ("x a#'b | c'", False),
    ],
)
def test_a_vertical_bar_in_quotes_is_no_pipeline(text: str, *, is_pipeline: bool) -> None:
    """Unless a command in them may have one, or the quote is one of a comment or a here-document."""
    assert may_pipe(text) is is_pipeline


@pytest.mark.parametrize(
    "line",
    [
        'TAG="$(date +%Y)-x"',
        'cd "$(dirname "$0")/$A"',
        "A=\"$(sed 's/a b/c/' x)\" make \\",
        'echo "${A:-none}" # b',
    ],
)
def test_a_line_with_closed_quotes_may_be_indented(line: str) -> None:
    """A command in quotes may have quotes of its own."""
    assert indentable(f"{line}\n  make") == (line, "  make")


@pytest.mark.parametrize(
    "line",
    ['A="b', 'A="$(make', 'A="$(make "b', "A='b", 'A="$(make # b)"', 'A="$(case b in c) echo "', 'A="$(b "$(c)")"'],
)
def test_a_line_whose_quotes_may_be_open_keeps_its_indentation(line: str) -> None:
    """Lines of a text in quotes would be other text; what the check does not understand may be one."""
    assert indentable(f"{line}\nmake") == (f"{line}\nmake",)


@pytest.mark.parametrize(
    ("text", "is_caught"),
    [
        *(
            (text, True)
            for text in ("trap 'exit 0' TERM", "exec ./serve", "a && exec b", "sh -c 'exec b'", "A=1 exec b")
        ),
        *((text, False) for text in ("bundle exec rspec", "docker exec -it a b", "npm exec a", "./exec", "echo trap")),
    ],
)
def test_commands_that_catch_signals_are_no_arguments(text: str, *, is_caught: bool) -> None:
    """A shell that has them may end with status 0 when it is asked to stop."""
    assert may_catch_signals(text) is is_caught
