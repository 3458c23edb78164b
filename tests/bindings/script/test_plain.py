"""References that are read from plain scripts without the lexer, compared with the lexer's."""

from __future__ import annotations

import random

import pytest

from pipegen.bindings.script.called.evaluated import evaluated
from pipegen.bindings.script.called.printed_text import PrintedText
from pipegen.bindings.script.called.programs import programs
from pipegen.bindings.script.lexer import lex
from pipegen.bindings.script.model import Context, PlacedReference
from pipegen.bindings.script.plain import plain_parts
from pipegen.bindings.script.syntax import ReferenceKind
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Scalar

STAGES = ("build", "s-1")
PIECES = (
    *("${build.v}", "${s-1.out|x y}", "${.own}", "${setup.commit}", "${buidl.v}", "${FOO}", "$${build.v}", "$x"),
    *(" ", " ", "\t", "\n", ";", "&&", "||", "|", "&", ">", "2>&1", ">&", "<", "(", ")", "{", "}", "!", "~", "*", "^"),
    *('"', '"', "'", "'", "\\", "`", "#", "=", "+=", "[", "]", "/", ".", "-", "--", ",", "%", "?", "@", ":", "é"),
    *("echo", "make", "x", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "function", "time", "push"),
    *("sh", "s", "h", "-c", "bash", "python3", "ev", "al", "sudo", "env", "docker run", "--entrypoint", "xargs"),
    *("printf", "-v", "read", "let", "declare", "-i", "export", "wait", "test", "-eq", "RANDOM", "PS4"),
    *("--exec", "--command=", "-o", "make", "-E", "git", "flock", "$S", "1", "EDITOR", "ENV", "-i", "SECONDS", "unset"),
    *(
        "{--entrypoint,",
        "x+=",
        "MY_COMMAND=",
        "ext::",
        "-xo",
        "ProxyCommand=",
        "-D",
        "--file=-",
        "/dev/stdin",
        "/dev/fd/0",
    ),
    *("-wrapper", "--output", '"|"', "else", "-p", "-toolexec"),
)


def plain_references(script: str) -> list[PlacedReference] | None:
    """Return the references of *script*, or None if it needs the lexer; the parts must cover the whole script."""
    parts = plain_parts(Scalar(script, Span(SourceFile("pipeline.yml", script), 0, len(script))), 0, STAGES)
    if parts is None:
        return None
    assert (
        "".join(part.reference.span.text if isinstance(part, PlacedReference) else str(part) for part in parts)
        == script
    )
    return [part for part in parts if isinstance(part, PlacedReference)]


@pytest.mark.parametrize("seed", range(4))
def test_the_plain_reader_agrees_with_the_lexer(seed: int) -> None:
    """In a script that needs no lexer, the lexer finds the same references and contexts, and no errors."""
    chance = random.Random(seed)  # noqa: S311 - cases, no secrets
    number = 0
    for _ in range(5000):
        script = chance.choice(("", "make ")) + chance.choice(("", " ")).join(
            chance.choices(PIECES, k=chance.randint(1, 9))
        )
        plain = plain_references(script)
        if plain is None:
            continue
        lexed, lost = lex(script, STAGES)
        number += len(plain)

        assert [
            (plain_reference.reference.span.start, plain_reference.reference.span.end, plain_reference.context)
            for plain_reference in plain
        ] == [(reference.start, reference.end, reference.context) for reference in lexed.references]
        assert all(
            reference.kind is ReferenceKind.REFERENCE and reference.obstacle is None for reference in lexed.references
        )
        printed = PrintedText(lexed)
        assert not [*programs(lexed, printed, script), *evaluated(lexed, printed)]
        assert lost is None or not plain
    assert number


@pytest.mark.parametrize(
    ("script", "contexts"),
    [
        ("make ${build.v}", [Context.WORD]),
        ('echo "a ${build.v}" ${s-1.v}', [Context.DOUBLE, Context.WORD]),
        ("echo it | tee 'a b' && push --to=${build.v}", [Context.WORD]),
        ('x="${build.v|it is}"; make', [Context.DOUBLE]),
        ("if make; then push ${build.v}; fi > log", [Context.WORD]),
        ("""echo "it's ${build.v}" 'a "b' ${build.v}""", [Context.DOUBLE, Context.WORD]),
        ("docker build . -t app:${build.v}", [Context.WORD]),
    ],
)
def test_plain_scripts_need_no_lexer(script: str, contexts: list[Context]) -> None:
    """Words, quotes, pipes and lists are enough to decide the context of a reference."""
    assert [reference.context for reference in plain_references(script) or ()] == contexts


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
        "{--entrypoint,${setup.commit}s",
        "x+=1 ${build.v}",
        "MY_PAGER=${build.v} make",
        "make -iE${build.v}",
        "echo ${build.v} | make --file=-",
        "clone ext::${build.v}",
        "connect -xo ProxyCommand=${build.v}",
        "g++ -wrapper ${build.v} main.cc",
        "> log ${build.v}",
        "echo >&${build.v}",
        "for MY_PAGER in ${build.v}; do make; done",
    ],
)
def test_other_scripts_need_the_lexer(script: str) -> None:
    """Program text, other kinds of quotes and possible typos are left to the lexer."""
    assert plain_references(script) is None
