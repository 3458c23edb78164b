"""Steps with PipelineLib's defaults and short-hands: run and copy."""

from __future__ import annotations

import pytest
from plan.sample_plans import items, kinds, of, plan_of, shown, step, wrong

from pipegen.bindings.expression import Loop
from pipegen.plan.model import (
    Copy,
    CopyFile,
    Credential,
    CredentialKind,
    RunContainer,
)


@pytest.mark.parametrize("value", ["true", "{arguments: []}", "{image: ''}"])
def test_run_runs_what_the_stage_builds(value: str) -> None:
    """Without arguments, environment, credentials or a tail."""
    run = step(RunContainer, f"build: x, run: {value}")

    assert (shown(run.image.id), run.image.producer) == ("<own s.imageID>", "s")
    assert (run.arguments, run.env, run.credentials, run.tail) == ((), (), (), 0)


def test_run_false_runs_nothing() -> None:
    """As without the key."""
    assert kinds("{name: s, build: x, run: false}") == ["BuildImage"]


def test_run_takes_arguments_as_they_are_written() -> None:
    """Numbers and booleans too; a bare name is text."""
    run = step(
        RunContainer, "build: x, run: {arguments: [a, 1.10, true, '', '${setup.tag}', '${FOO}', '$${.x}'], tail: 3}"
    )

    assert items(run.arguments) == ["a", "1.10", "true", "", "<setup setup.tag>", "${FOO}", "${.x}"]
    assert run.tail == 3


def test_run_takes_arguments_from_loops() -> None:
    """Over values that are known only at run time."""
    run = step(RunContainer, "build: x, run: {arguments: {$each: i, $in: '${setup.tag}', $yield: '-${.i}'}}")

    assert items(run.arguments) == ["[i in <setup setup.tag>: -<loop i>]"]


def test_run_takes_an_environment() -> None:
    """In the user's order; names can contain references."""
    run = step(RunContainer, "build: x, run: {env: {B: 1, A: '${setup.tag}', 'X_${.stage}': yes}}")

    assert [(shown(name), shown(value)) for name, value in run.env] == [
        ("B", "1"),
        ("A", "<setup setup.tag>"),
        ("X_s", "yes"),
    ]


def test_environments_merge() -> None:
    """The right value replaces the left one, at its position."""
    run = step(RunContainer, "build: x, run: {env: {$merge: {A: 1, B: 2}, $with: {A: 3}}}")

    assert [(shown(name), shown(value)) for name, value in run.env] == [("A", "3"), ("B", "2")]


@pytest.mark.parametrize("name", ["''", "'A=B'", "'=${.stage}'"])
def test_an_invalid_variable_name_is_reported(name: str) -> None:
    """At the name."""
    (diagnostic,) = wrong(f"[{{name: s, build: x, run: {{env: {{{name}: x}}}}}}]")

    assert diagnostic[0] == "PG510"


def test_run_takes_credentials() -> None:
    """Three kinds; a text has one name."""
    run = step(
        RunContainer,
        """build: x, run: {credentials: [{id: a, name: A}, {id: b, usernameVariable: U, passwordVariable: P},
        {id: 'c-${.stage}', keyFileVariable: K}]}""",
    )
    span = run.span

    assert run.credentials == (
        Credential(id="a", kind=CredentialKind.TEXT, variables=("A",), span=span),
        Credential(id="b", kind=CredentialKind.PASSWORD, variables=("U", "P"), span=span),
        Credential(id="c-s", kind=CredentialKind.SSH_KEY, variables=("K",), span=span),
    )


@pytest.mark.parametrize(
    ("credentials", "code"),
    [
        ("[{id: '${setup.tag}', name: A}]", "PG508"),
        ("[{id: a, name: '${setup.tag}'}]", "PG508"),
        ("{$each: i, $in: '${setup.tag}', $yield: {id: '${.i}', name: A}}", "PG508"),
        ("[{id: a, name: 1A}]", "PG510"),
        ("[{id: a, name: A-B}]", "PG510"),
        ("[{id: a, name: ''}]", "PG510"),
    ],
)
def test_credentials_are_known_at_compile_time(credentials: str, code: str) -> None:
    """An engine binds them to shell variables before the run starts."""
    assert [
        reported_code for reported_code, _ in wrong(f"[{{name: s, build: x, run: {{credentials: {credentials}}}}}]")
    ] == [code]


def test_credentials_come_from_loops_over_constants() -> None:
    """They are known at compile time."""
    run = step(
        RunContainer, "build: x, run: {credentials: {$each: i, $in: [A, B], $yield: {id: '${.i}', name: '${.i}'}}}"
    )

    assert [credential.id for credential in run.credentials] == ["A", "B"]


@pytest.mark.parametrize("image", ["busybox", "busybox:latest", "sha256:xyz"])
def test_an_image_must_be_an_id(image: str) -> None:
    """A name is an error with a hint."""
    assert wrong(f"[{{name: s, run: {{image: '{image}'}}}}]") == [("PG506", f"'{image}'")]


@pytest.mark.parametrize("image", ["0123456789ab", "sha256:" + "0" * 64, "${setup.tag}", "x${setup.tag}"])
def test_an_image_may_be_a_literal_id(image: str) -> None:
    """Or a value that is known only at run time."""
    run = step(RunContainer, f"run: {{image: '{image}'}}")

    assert run.image.producer is None


def test_an_image_of_another_stage_has_a_producer() -> None:
    """It is that stage."""
    plan = plan_of("[{name: a, build: x}, {name: b, run: {image: '${a.imageID}'}}]")

    assert of(RunContainer, plan.job("b")).image.producer == "a"


def file(copy: str) -> CopyFile:
    """Return the only entry of a `copy`."""
    (step_,) = step(Copy, f"build: x, run: true, copy: [{copy}]").files
    assert isinstance(step_, CopyFile)
    return step_


@pytest.mark.parametrize(
    ("copy", "source", "destination"),
    [
        ("a/b.txt", "a/b.txt", "a/b.txt"),
        ("/srv/a/b.txt", "/srv/a/b.txt", "srv/a/b.txt"),
        ("/srv/a/", "/srv/a/", "srv/a/"),
        ("./a", "./a", "a"),
        ("12", "12", "12"),
        ("'${setup.tag}'", "<setup setup.tag>", "<setup setup.tag>"),
        ("'/x/${setup.tag}'", "/x/<setup setup.tag>", "x/<setup setup.tag>"),
        ("{source: /a/b}", "/a/b", "a/b"),
        ("{source: /a/b, destination: '', from: ''}", "/a/b", "a/b"),
        ("{source: /a/b, destination: c}", "/a/b", "c"),
        ("{source: /a/b, destination: c/}", "/a/b", "c/"),
        ("{source: /a/b, destination: /c/./d//e/../f}", "/a/b", "c/d/f"),
        ("{source: /a/b, destination: .}", "/a/b", "."),
        ("{source: /a/b, destination: ./}", "/a/b", "."),
        ("{source: /, destination: all}", "/", "all"),
    ],
)
def test_the_default_destination_is_the_source(copy: str, source: str, destination: str) -> None:
    """In the directory of the stage; a trailing slash is kept."""
    entry = file(copy)

    assert (shown(entry.source), shown(entry.destination)) == (source, destination)


def test_a_copy_is_from_the_stages_own_container_by_default() -> None:
    """It is not archived by default."""
    entry = file("a")

    assert (shown(entry.container.name), entry.container.producer, entry.archive) == ("<own s.container>", "s", False)


def test_a_copy_may_be_from_another_stages_container() -> None:
    """And be archived."""
    plan = plan_of("[{name: a}, {name: b, copy: [{from: '${a.container}', source: x, archive: true}]}]")
    (entry,) = of(Copy, plan.job("b")).files

    assert isinstance(entry, CopyFile)
    assert (entry.container.producer, entry.archive) == ("a", True)


def test_copies_can_come_from_loops() -> None:
    """Each item is an entry, or a path."""
    files = step(
        Copy, "build: x, run: true, copy: {$each: i, $in: '${setup.tag}', $yield: {source: '/${.i}', destination: x}}"
    ).files
    (loop,) = files

    assert isinstance(loop, Loop)
    assert isinstance(loop.body, CopyFile)
    assert shown(loop.body.source) == "/<loop i>"


@pytest.mark.parametrize("copy", ["../a", "a/../../b", "{source: a, destination: ../b}", "/../x"])
def test_a_copy_outside_the_stages_directory_is_reported(copy: str) -> None:
    """The path in the checkout must be below it."""
    assert [reported_code for reported_code, _ in wrong(f"[{{name: s, build: x, run: true, copy: [{copy}]}}]")] == [
        "PG505"
    ]
