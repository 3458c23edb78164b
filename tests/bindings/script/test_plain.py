"""What is found in scripts without a lexer, against what the lexer finds."""

from __future__ import annotations

import random

import pytest

from pipegen.bindings.script.checks import evaluated, programs
from pipegen.bindings.script.lexer import lex
from pipegen.bindings.script.model import Context
from pipegen.bindings.script.plain import plain_references
from pipegen.bindings.script.syntax import Kind

STAGES = ("build", "s-1")
PIECES = (
    *("${build.v}", "${s-1.out|x y}", "${.own}", "${setup.commit}", "${buidl.v}", "${FOO}", "$${build.v}", "$x"),
    *(" ", " ", "\t", "\n", ";", "&&", "||", "|", "&", ">", "2>&1", ">&", "<", "(", ")", "{", "}", "!", "~", "*", "^"),
    *('"', '"', "'", "'", "\\", "`", "#", "=", "+=", "[", "]", "/", ".", "-", "--", ",", "%", "?", "@", ":", "é"),
    *("echo", "make", "x", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "function", "time", "push"),
    *("sh", "s", "h", "-c", "bash", "python3", "ev", "al", "sudo", "env", "docker run", "--entrypoint", "xargs"),
    *("printf", "-v", "read", "let", "declare", "-i", "export", "wait", "test", "-eq", "RANDOM", "PS4"),
)


@pytest.mark.parametrize("seed", range(4))
def test_the_lexer_finds_the_same(seed: int) -> None:
    """Where no lexer is asked, it would find the same references, quoted alike, and nothing wrong with any."""
    chance = random.Random(seed)  # noqa: S311 - cases, no secrets
    found = 0
    for _ in range(5000):
        script = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 12)))
        plain = plain_references(script, STAGES)
        if plain is None:
            continue
        lexed, lost = lex(script, STAGES)
        found += len(plain)

        assert [(one.span(), context) for one, context in plain] == [
            ((one.start, one.end), one.context) for one in lexed.found
        ]
        assert all(one.kind is Kind.REFERENCE and one.obstacle is None for one in lexed.found)
        assert not [*programs(lexed), *evaluated(lexed)]
        assert lost is None or not plain
    assert found


@pytest.mark.parametrize(
    ("script", "contexts"),
    [
        ("make ${build.v}", [Context.WORD]),
        ('echo "a ${build.v}" ${s-1.v}', [Context.DOUBLE, Context.WORD]),
        ("echo it | tee 'a b' && push --to=${build.v}", [Context.WORD]),
        ('x="${build.v|it is}"; make', [Context.DOUBLE]),
        ("if make; then push ${build.v}; fi > log", [Context.WORD]),
    ],
)
def test_plain_scripts_need_no_lexer(script: str, contexts: list[Context]) -> None:
    """Words, quotes, pipes and lists say by themselves how a reference is read."""
    assert [context for _, context in plain_references(script, STAGES) or ()] == contexts


@pytest.mark.parametrize(
    "script",
    [
        "s'h' -c ${build.v}",
        "/usr/bin/python3 -c ${build.v}",
        "echo $(cat ${build.v})",
        "echo '${build.v}'",
        "# it's ${build.v}",
        "cat <<EOF\n${build.v}\nEOF",
        "echo ${buidl.v}",
        "echo $${build.v}",
        "echo ${build[os=x].v}",
        "let ${build.v}",
        'echo "${build.v}',
    ],
)
def test_all_else_does(script: str) -> None:
    """What a program reads, what stands in other quotes or is perhaps mistyped is for the lexer."""
    assert plain_references(script, STAGES) is None
