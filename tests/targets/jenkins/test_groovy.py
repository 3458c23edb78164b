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
        (model.OrElse(model.GroovyCode("env.X"), ""), "(env.X ?: '')"),
        (model.Joined(("a", model.GroovyCode("env.X"))), "'a' + env.X"),
        (model.Joined(()), "''"),
        (model.OneLine("a"), "oneLine('a')"),
        (model.Item(1, None), "item1"),
        (model.Item(2, 0), "words2[0]"),
        (model.NoteText("trigger/a/0"), "kept['trigger/a/0']"),
        (model.FileText("a/0", False), "readFile(file: 'a/0', encoding: 'UTF-8')"),
        (model.FileText("/a/0", True), "readFile(file: env.WORKSPACE_TMP + '/a/0', encoding: 'UTF-8')"),
    ],
)
def test_expressions(value: model.Value, expected: str) -> None:
    """Each kind of value has its expression; texts are literals."""
    assert expression(value) == expected


def test_long_lists_are_sums() -> None:
    """A list literal holds 250 elements at most."""
    assert literals([]) == "[]"
    assert literals(["a", "b'"]) == r"['a', 'b\'']"
    assert literals(["a"] * 201).count("[") == 2


def test_a_script_of_one_plain_line_stays_on_it() -> None:
    """A quote or a backslash would have to be escaped there, not so in a block."""
    assert script(model.Sh(lines=("./x",)), "    ") == "'./x'"
    assert script(model.Sh(lines=("echo 'x'",)), "  ") == "'''\n      echo 'x'\n  '''"


def test_a_script_that_cannot_be_indented_stands_at_the_margin() -> None:
    """Its text is exact; what comes before it ends its own line."""
    sh = model.Sh(lines=("a", "b\nc"))

    assert script(sh, "    ") == "'''\\\na\nb\nc'''"
    assert script(model.Sh(prelude="values", lines=sh.lines), "  ") == "values() + '''\\\n\na\nb\nc'''"


def test_comments_hold_no_line_breaks_and_no_unicode_escapes() -> None:
    """Groovy reads such escapes in comments, too."""
    assert comment("a\nb\\u000a\u2028c") == "a b\\\\u000a c"


def test_agents() -> None:
    """Any, by label, or the one that was chosen at the start."""
    anywhere, docker, pinned = model.Agent(), model.Agent("docker"), model.Agent("docker", is_pinned=True)

    assert [node(one) for one in (anywhere, docker, pinned)] == [
        "node('')",
        "node('docker')",
        "node(env.PIPEGEN_AGENT)",
    ]
    assert [agent(one) for one in (anywhere, docker, pinned)] == ["''", "'docker'", "env.PIPEGEN_AGENT"]
    assert [label(one) for one in (docker, pinned)] == ["'docker'", '"${env.PIPEGEN_AGENT}"']


def test_loops_go_through_pieces() -> None:
    """Without delimiters the whole is one piece."""
    source = model.GroovyCode("env.X")

    assert (
        pieces(model.SplitLoop(level=1, source=source, delimiters="\n;", words=0, body=""))
        == r"(env.X).tokenize('\n;')"
    )
    assert pieces(model.SplitLoop(level=1, source=source, delimiters="", words=0, body="")) == "[env.X]"
