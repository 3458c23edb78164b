"""Functions for preludes that several scripts share."""

from __future__ import annotations

from targets.jenkins.sample_plans import jenkinsfile, plan, script, scripts

from pipegen.shell.command import Command
from pipegen.targets.jenkins.stages.scripts.preludes import Preludes

ONE, OTHER = (Command(("one=$(mktemp -d)",)),), (Command(("other=1",)),)


def test_a_shared_prelude_becomes_a_function() -> None:
    """It is named after the tools of its scripts; a unique prelude stays inline."""
    parts = [script("a", prelude=ONE, uses_containers=True)] * 2 + [script("b", prelude=OTHER)]
    preludes = Preludes(parts)

    assert preludes.function(ONE) == "containers"
    assert preludes.function(OTHER) == ""
    assert preludes.function(()) == ""
    assert [named_prelude.function for named_prelude in preludes.named()] == ["containers"]


def test_prelude_functions_have_unique_names() -> None:
    """Two preludes with the same tools are numbered."""
    preludes = Preludes([script("a", prelude=prelude) for prelude in (ONE, ONE, OTHER, OTHER)])

    assert [named_prelude.function for named_prelude in preludes.named()] == ["values", "values2"]


def test_scripts_begin_with_a_call_of_the_function() -> None:
    """Their own lines follow."""
    work = scripts(plan(("a", "b")), a=script("x", prelude=ONE), b=script("y\nz", prelude=ONE))
    text = jenkinsfile(work)

    assert "sh values() + '''\n                    x\n                '''\n" in text
    assert "sh values() + '''\\\n\n                    y\n                    z'''.stripIndent()\n" in text
    assert "String values() {\n    return 'one=$(mktemp -d)'\n}\n" in text
