"""Expressions, lists, scripts and comments in Groovy."""

from __future__ import annotations

import pytest

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import agent, comment, expression, label, literals, node, pieces, script


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("it's", r"'it\'s'"),
        (model.GroovyCode("env.X"), "env.X"),
        (model.FunctionCall("output", ("a", "b'")), r"output('a', 'b\'')"),
        (model.OrElse(model.GroovyCode("env.X"), ""), "env.X ?: ''"),
        (model.Joined(("it's\n", model.OrElse(model.GroovyCode("env.X"), "y"))), "\"it's\\n${env.X ?: 'y'}\""),
        (model.Joined(("a", model.GroovyCode('"${params.x}"'))), '"a${params.x}"'),
        (model.Joined(("a", model.GroovyCode("(env.X ? f('y') : '')"))), "\"a${env.X ? f('y') : ''}\""),
        (model.Joined(('"', model.GroovyCode("env.X"))), "'\"' + env.X"),
        (model.Joined(("$", model.OrElse(model.GroovyCode("env.X"), ""))), "'$' + (env.X ?: '')"),
        (model.Joined(("\\", model.GroovyCode("env.X"))), r"'\\' + env.X"),
        (model.Joined(("\u202e\uffff", model.GroovyCode("env.X"))), r"'\u202e' + (char) 65535 + env.X"),
        (model.Joined(("a", model.FunctionCall("f", ("b'",)))), r"'a' + f('b\'')"),
        (model.Joined(("a" * 20_000, model.GroovyCode("env.X"))), f"'{'a' * 20_000}' + env.X"),
        (model.Joined((model.OrElse(model.GroovyCode("env.X"), ""),)), "env.X ?: ''"),
        (
            model.Joined(
                (model.OrElse(model.GroovyCode("env.X"), "("), "$", model.OrElse(model.GroovyCode("env.Y"), ")"))
            ),
            "(env.X ?: '(') + '$' + (env.Y ?: ')')",
        ),
        (model.OneLine("a"), "oneLine('a')"),
        (model.Item(1, None), "item1"),
        (model.Item(2, 0), "words2[0]"),
        (model.NoteText("trigger/a/0"), "kept['trigger/a/0']"),
        (model.FileText("a/0", False), "readFile(file: 'a/0', encoding: 'UTF-8')"),
        (model.FileText("/a/0", True), "readFile(file: env.WORKSPACE_TMP + '/a/0', encoding: 'UTF-8')"),
    ],
)
def test_values_become_groovy_expressions(value: model.Value, expected: str) -> None:
    """Each kind of value has one form; text becomes literals."""
    assert expression(value) == expected


def test_texts_with_values_that_may_be_secret_are_sums() -> None:
    """Jenkins warns of a secret in a text in double quotes."""
    secret = model.OrElse(model.GroovyCode("env.X", may_be_secret=True), "")

    assert expression(secret) == "env.X ?: ''"
    assert expression(model.Joined(("a", secret))) == "'a' + (env.X ?: '')"
    assert expression(model.Joined(("a", model.OrElse(model.Joined((secret,)), "b")))) == "'a' + ((env.X ?: '') ?: 'b')"


def test_texts_with_many_expressions_are_sums() -> None:
    """Jenkins makes a list of the expressions of a text in double quotes."""
    parts = (model.GroovyCode("env.X"), " ")

    assert expression(model.Joined(parts * 200)) == f'"{"${env.X} " * 200}"'
    assert expression(model.Joined(parts * 201)) == " + ".join(["env.X + ' '"] * 201)


def test_long_lists_are_sums() -> None:
    """A list literal has at most 250 elements."""
    assert literals([]) == "[]"
    assert literals(["a", "b'"]) == r"['a', 'b\'']"
    assert literals(["a"] * 201).count("[") == 2


def test_a_simple_one_line_script_stays_on_one_line() -> None:
    """A quote or a backslash would have to be escaped there, but not in a block."""
    assert script(model.Sh(lines=("./x",)), "    ") == "'./x'"
    assert script(model.Sh(lines=("echo 'x'",)), "  ") == "'''\n      echo 'x'\n  '''"


def test_groovy_removes_the_indentation_of_a_script_with_texts_of_several_lines() -> None:
    """Its text is exact; code before it ends on its own line."""
    sh = model.Sh(lines=("a", "b\nc"))
    lines = "          a\n          b\n          c"

    assert script(sh, "      ") == f"'''\\\n{lines}'''.stripIndent()"
    assert script(model.Sh(prelude="values", lines=sh.lines), "      ") == (
        f"values() + '''\\\n\n{lines}'''.stripIndent()"
    )


def test_comments_contain_no_line_breaks_or_unicode_escapes() -> None:
    """Groovy processes such escapes even in comments."""
    assert comment("a\nb\\u000a\u2028c") == "a b\\\\u000a c"


def test_agents_become_groovy() -> None:
    """Any agent, a label, or the agent selected at the start."""
    anywhere, docker, pinned = model.Agent(), model.Agent("docker"), model.Agent("docker", is_pinned=True)
    unset = model.Agent("docker", is_pinned=True, may_be_unset=True)

    assert [node(value) for value in (anywhere, docker, pinned)] == [
        "node('')",
        "node('docker')",
        "node(env.PIPEGEN_AGENT)",
    ]
    assert node(unset) == "node(env.PIPEGEN_AGENT ?: 'docker')"
    assert [agent(value) for value in (anywhere, docker, pinned)] == ["''", "'docker'", "env.PIPEGEN_AGENT"]
    assert [label(value) for value in (docker, pinned)] == ["'docker'", '"${env.PIPEGEN_AGENT}"']


def test_loops_iterate_over_items() -> None:
    """Without delimiters, the whole text is one item."""
    source = model.GroovyCode("env.X")

    assert (
        pieces(model.SplitLoop(level=1, source=source, delimiters="\n;", words=0, body=""))
        == r"(env.X).tokenize('\n;')"
    )
    assert pieces(model.SplitLoop(level=1, source=source, delimiters="", words=0, body="")) == "[env.X]"
