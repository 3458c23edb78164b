"""Words for sh."""

from __future__ import annotations

import pytest
from shell.world import HOSTILE, World

from pipegen.shell.names import free
from pipegen.shell.quote import (
    Literal,
    ShellFragment,
    VariableExpansion,
    Word,
    assigned,
    printf_format,
    quote,
    shell_text,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a/b:c@d=e,f+g%h.i_j-k", "a/b:c@d=e,f+g%h.i_j-k"),
        ("", "''"),
        ("two words", "'two words'"),
        ("it's", '"it\'s"'),
        ("it's $5", "'it'\\''s $5'"),
        ("~", "'~'"),
        ("#", "'#'"),
    ],
)
def test_text_is_quoted_minimally(text: str, expected: str) -> None:
    """None if safe, otherwise single quotes, double quotes around an apostrophe."""
    assert quote(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ((VariableExpansion("v"),), '"$v"'),
        ((VariableExpansion("v"), Literal("-x")), '"$v-x"'),
        ((VariableExpansion("v"), Literal("x")), '"${v}x"'),
        ((VariableExpansion("v"), Literal("[0]")), '"${v}[0]"'),
        ((VariableExpansion("v"), VariableExpansion("w")), '"$v$w"'),
        ((Literal('"\\$`'), VariableExpansion("v")), '"\\"\\\\\\$\\`$v"'),
        ((ShellFragment("a-$v"), Literal("x")), '"a-${v}x"'),
        ((ShellFragment("$(id)"), Literal("x")), '"$(id)x"'),
        ((VariableExpansion("v", ":-", (Literal("x y"),)),), '"${v:-x y}"'),
    ],
)
def test_expansions_are_in_double_quotes(word: Word, expected: str) -> None:
    """Braces separate the name from text after it."""
    assert quote(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ((), ""),
        ((VariableExpansion("a"), Literal("/"), VariableExpansion("b")), "$a/$b"),
        ((Literal("a b"), VariableExpansion("v")), '"a b$v"'),
        ((ShellFragment("$(a | b)"),), "$(a | b)"),
        ((Literal("x-"), ShellFragment("$(a | b)")), "x-$(a | b)"),
        ((ShellFragment("$(a) $(b)"),), '"$(a) $(b)"'),
        ((Literal("~"), VariableExpansion("v")), '"~$v"'),
    ],
)
def test_assignments_need_fewer_quotes(word: Word, expected: str) -> None:
    """The shell does not split words there."""
    assert assigned(word) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("plain", (Literal("plain"),)),
        ("$NAME", (VariableExpansion("NAME"),)),
        ("${NAME}", (VariableExpansion("NAME"),)),
        ("${NAME:-x}", (ShellFragment("${NAME:-x}"),)),
        ("$A$B", (ShellFragment("$A$B"),)),
        ("\\$x", (ShellFragment("\\$x"),)),
    ],
)
def test_shell_text_of_a_host_is_classified(text: str, expected: Word) -> None:
    """A variable, literal text, or a fragment to evaluate."""
    assert shell_text(text) == expected


def test_every_text_is_one_word_in_every_shell(world: World) -> None:
    """The bytes are unchanged."""
    texts = [text for text in HOSTILE.values() if len(text) < 1000]
    texts += [chr(number) + chr(other) for number in range(32, 127) for other in (39, 92, 36, 97)]
    words = [quote(text) for text in texts]
    doubled = [quote((Literal(text), VariableExpansion("EMPTY"))) for text in texts]

    result = world.run(" \\\n  ".join(("$DOCKER", *words, *doubled)) + "\n")

    assert result.calls == [[*texts, *texts]]


def test_printf_formats_are_escaped(world: World) -> None:
    """No text acts as a directive."""
    texts = [text for text in HOSTILE.values() if text and len(text) < 1000]
    lines = "".join(f"printf {quote('x' + printf_format(text))} >{number}\n" for number, text in enumerate(texts))

    world.run(lines)

    assert [(world.root / str(number)).read_bytes().decode() for number in range(len(texts))] == [
        f"x{text}" for text in texts
    ]


def test_variable_names_are_unique() -> None:
    """The later of two conflicting names gets a number."""
    taken: set[str] = set()

    assert [free(name, taken) for name in ("a-b", "a_b", "a.b", "a_b_2")] == ["a_b", "a_b_2", "a_b_3", "a_b_2_2"]
