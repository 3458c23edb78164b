"""Blocks `script` around Groovy in steps of plugins."""

from __future__ import annotations

import pytest

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.styles.script_blocks import in_script, without_script

_STEP = model.GroovyStatement("echo 'a'")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("script {\n    if (a) {\n        b()\n    }\n}", "if (a) {\n    b()\n}"),
        ("script { a() }", "a()"),
        ("a {\n    script {\n        def b = 1\n        c(b)\n    }\n}", "a {\n    def b = 1\n    c(b)\n}"),
        ("script {\n    sh '''\n  a\n    b\n    '''\n}", "sh '''\n  a\n    b\n    '''"),
        ("script {\n\n    // why\n    a()\n\n    b()\n}", "// why\na()\n\nb()"),
        # These end at the block.
        ("script {\n    if (a) { return }\n    b()\n}", None),
        ("dir('a') {\n    script {\n        def b = 1\n    }\n    c()\n}", None),
        ("a {\n    script { b(); def (c, d) = e }\n    f()\n}", None),
        ("a {\n    script { double b = 1 }\n    c()\n}", None),
        # Without the block, only its first statement would be in the `if`.
        ("a {\n    if (b)\n        script {\n            c()\n            d()\n        }\n}", None),
        ("a {\n    if (b) c()\n    else\n        script {\n            d()\n            e()\n        }\n}", None),
        # The rest of the line would be in the comment.
        ("a {\n    script {\n        b() // why\n    } }", None),
        ("a {\n    b(c)\n    script {\n        d()\n    }\n}", "a {\n    b(c)\n    d()\n}"),
        ("library.script { a() }", None),
        ("tell 'script { a }'", None),
    ],
)
def test_groovy_is_outside_script_where_it_means_the_same(text: str, expected: str | None) -> None:
    """Only Declarative needs the block."""
    (statement,) = without_script((model.Wrapped("withEnv(['A=1'])", (model.GroovyStatement(text),)),))

    assert statement == model.Wrapped("withEnv(['A=1'])", (model.GroovyStatement(expected or text),))


def test_definitions_stay_in_their_block_beside_other_steps() -> None:
    """Another block may define the same names."""
    block = model.GroovyStatement("script {\n    def a = 1\n}")

    assert without_script((block, _STEP)) == (block, _STEP)
    assert without_script((block,)) == (model.GroovyStatement("def a = 1"),)


def test_a_block_for_declarative_contains_no_other() -> None:
    """Groovy of the user in the steps after a script is in the block around these steps."""
    steps = in_script((model.Ensured(steps=(_STEP,), always=(model.GroovyStatement("script {\n    a()\n}"),)),))

    assert steps == (model.Wrapped("script", (model.Ensured(steps=(_STEP,), always=(model.GroovyStatement("a()"),)),)),)


@pytest.mark.parametrize(
    ("head", "is_valid"),
    [
        ("withDockerRegistry(credentialsId: 'a')", False),
        ("withDockerRegistry(url: '', credentialsId: 'a')", True),
        ("withDockerRegistry([url: '', credentialsId: 'a'])", True),
        ("withDockerRegistry(url: '', credentialsId: 'a', toolName: 'docker')", False),
        ("withDockerRegistry(registry: [url: '', credentialsId: 'a'], toolName: 'docker')", True),
        ("withDockerRegistry(url: 'https://registry:5000', credentialsId: 'a', toolName: 'docker')", False),
        ("withDockerRegistry(credentialsId: 'url: a')", False),
        ("withDockerServer(uri: 'tcp://a')", False),
    ],
)
def test_a_step_without_all_parts_of_its_object_is_in_script(head: str, is_valid: bool) -> None:  # noqa: FBT001
    """Declarative requires all parts of the object that is the only required parameter."""
    step = model.Wrapped(head, (_STEP,))

    assert in_script((step,)) == ((step,) if is_valid else (model.Wrapped("script", (step,)),))
