"""Which names a stage may read, and the diagnostics for the other names."""

from __future__ import annotations

from contextlib import suppress

import pytest
from bindings.evaluation import World
from config.sample_configs import written

from pipegen.bindings.expression import Expression, Reference, Scope, Text, references
from pipegen.compiler import analyse
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped

# a before b before c; x is on a separate branch, y comes after x.
WORLD = World(
    (("a", "b", "c"), ("x", "y")),
    {"a": {"foo": "1", "other": "2"}, "b": {"own": "3"}, "x": {"foo": "4"}},
    {"elsewhere": ("publish",), "twice": ("publish", "test")},
)


def resolved(config: str, at: str = "b", *, done: bool = True) -> Expression:
    """Return *config*, a value of the stage *at*, resolved without diagnostics."""
    value, report = WORLD.folded(config, at, known=False, done=done)

    assert report.diagnostics() == ()
    return value


def the_reference(config: str, at: str = "b") -> tuple[Scope, str | None, str]:
    """Return scope, namespace and name of the only reference in *config*."""
    (reference,) = references(resolved(config, at))
    return reference.scope, reference.namespace, reference.name


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("${a.foo}", (Scope.STAGE, "a", "foo")),
        ("${a.stage}", (Scope.STAGE, "a", "stage")),
        ("${.own}", (Scope.OWN, "b", "own")),
        ("${b.own}", (Scope.OWN, "b", "own")),
        ("${own}", (Scope.OWN, "b", "own")),
        ("${.stage}", (Scope.OWN, "b", "stage")),
        ("${stage}", (Scope.OWN, "b", "stage")),
        ("${setup.branch}", (Scope.SETUP, "setup", "branch")),
        ("${setup.params.ANY}", (Scope.SETUP, "setup", "params.ANY")),
        ("${setup.GIT_COMMIT}", (Scope.SETUP, "setup", "GIT_COMMIT")),
        ("${setup.GIT_PREVIOUS_COMMIT}", (Scope.SETUP, "setup", "GIT_PREVIOUS_COMMIT")),
    ],
)
def test_resolving_a_reference_sets_its_scope(config: str, expected: tuple[Scope, str, str]) -> None:
    """Its namespace becomes the stage that binds the name."""
    assert the_reference(config) == expected


def test_any_ancestor_can_be_read() -> None:
    """It need not be a direct predecessor."""
    assert the_reference("${a.foo}", "c") == (Scope.STAGE, "a", "foo")


@pytest.mark.parametrize("config", ["${FOO}", "${foo}", "x ${other} y", "${a}", "${setup}"])
def test_an_undotted_name_that_the_stage_does_not_bind_is_text(config: str) -> None:
    """This includes the names of stages, and names that only an ancestor binds."""
    value = resolved(config)

    assert isinstance(value, Text)
    assert value.constant == config


@pytest.mark.parametrize("config", ["$${own}", "x$${own}y", "$${own|z}"])
def test_a_second_dollar_escapes_an_undotted_name(config: str) -> None:
    """The stage binds the name."""
    value = resolved(config)

    assert isinstance(value, Text)
    assert value.constant == config.replace("$$", "$")


def test_two_dollars_before_an_unbound_name_are_kept() -> None:
    """Both are the shell's."""
    value = resolved("$${FOO} $$ ${own}")

    assert isinstance(value, Text)
    assert value.parts[0] != "${FOO} $$ "
    assert len(list(value.references())) == 1


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ("${c.x}", "PG306"),
        ("${x.foo}", "PG306"),
        ("${x.nope}", "PG306"),
        ("${x.foo|d}", "PG306"),
        ("${nope.x}", "PG304"),
        ("${nope.x|d}", "PG304"),
        ("${elsewhere.x}", "PG305"),
        ("${a.nope}", "PG307"),
        ("${.nope}", "PG307"),
        ("${b.nope}", "PG307"),
        ("${setup.nope}", "PG313"),
        ("${setup.params.}", "PG313"),
        ("${setup.GIT_x}", "PG313"),
        ("${setup.nope|d}", "PG314"),
        ("${a.nope|d}", "PG314"),
        ("${.nope|}", "PG314"),
        ("${FOO|d}", "PG315"),
        ("${a.imageID}", "PG311"),
        ("${a.container}", "PG317"),
        ("${a.output}", "PG317"),
        ("${a.imageTag}", "PG312"),
        ("${a.releaseName}", "PG307"),
        ("${a.artifactURLs}", "PG307"),
    ],
)
def test_unreadable_names_are_reported(config: str, code: str) -> None:
    """A default can replace a missing name, but not a missing stage."""
    assert WORLD.codes(config, "b") == [code]


def test_a_stage_cannot_read_its_own_name_before_it_is_bound() -> None:
    """Its reserved name `stage` is always readable."""
    assert WORLD.codes("${.own}", "b", done=False) == ["PG308"]
    assert WORLD.codes("${b.own}", "b", done=False) == ["PG308"]
    assert WORLD.codes("${.own|d}", "b", done=False) == ["PG314"]
    assert WORLD.codes("${.stage}", "b", done=False) == []


def test_an_undotted_name_not_bound_yet_is_left_to_the_shell() -> None:
    """PipelineLib does the same."""
    value = resolved("${own}", done=False)

    assert isinstance(value, Text)
    assert value.constant == "${own}"


def test_a_default_replaces_a_name_that_is_never_bound() -> None:
    """This is only a warning, even if the default is empty."""
    for config, text in (("<${.nope|d}>", "<d>"), ("<${.nope|}>", "<>"), ("<${setup.nope|}>", "<>")):
        value, report = WORLD.folded(config, "b", known=False)

        assert isinstance(value, Text)
        assert (value.constant, report.has_errors()) == (text, False)


def test_every_invalid_reference_is_reported() -> None:
    """Keys, lists, loops and merges are checked in one pass."""
    config = """
        '${a.k}': ['${nope.x}', {$each: i, $in: '${x.foo}', $yield: '${.j}'}]
        merged: {$merge: ['${a.l}'], $with: ['${setup.y}']}
    """

    assert WORLD.codes(config, "b") == ["PG307", "PG304", "PG306", "PG307", "PG307", "PG313"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{$each: i, $in: '${a.foo}', $yield: '${.i}${i}'}", ["i", "i"]),
        ("{$each: [i, j], $in: '${a.foo}', $yield: '${.j} ${i}'}", ["j", "i"]),
        ("{$each: own, $in: '${a.foo}', $yield: '${.own}'}", ["own"]),
        ("{$each: a.b, $in: '${a.foo}', $yield: '${.a.b}'}", ["a.b"]),
    ],
)
def test_loop_names_are_readable_in_the_body(config: str, expected: list[str]) -> None:
    """The dot is optional, and loop names take precedence over the stage's own names."""
    values = [reference for reference in references(resolved(config)) if reference.scope is Scope.LOOP]

    assert [reference.name for reference in values] == expected


def test_a_loop_name_is_undefined_outside_the_body() -> None:
    """The loop's source is outside the body."""
    assert WORLD.codes("{$each: i, $in: '${.i}', $yield: x}", "b") == ["PG307"]
    assert WORLD.codes("[{$each: i, $in: '${a.foo}'}, '${.i}']", "b") == ["PG307"]


def test_a_nested_loop_can_read_outer_loop_names() -> None:
    """PipelineLib loses them."""
    config = """
        $each: i
        $in: '${a.foo}'
        $yield: {$each: j, $in: '${a.other}', $yield: '${.i}${.j}'}
    """

    assert [reference.name for reference in references(resolved(config)) if reference.scope is Scope.LOOP] == ["i", "j"]


def test_a_nested_loop_can_reuse_a_name() -> None:
    """The inner name hides the outer one, and the plan has two different names."""
    config = """
        $each: i
        $in: '${a.foo}'
        $yield: {$each: i, $in: 'x${.i}', $yield: '${.i}'}
    """
    outer, inner = (reference.name for reference in references(resolved(config)) if reference.scope is Scope.LOOP)

    assert (outer, inner != outer) == ("i", True)


def test_nested_loops_with_one_name_have_different_variables() -> None:
    """The variable of the outermost loop keeps its value while the innermost one runs."""
    value = resolved(
        """
        $each: i
        $in: ${a.foo}
        $yield:
          $merge: [{$each: i, $in: "${.i}", $yield: {$each: i, $in: "${.i}", $yield: "${.i}"}}]
          $with: ["${.i}"]
        """
    )

    assert [reference.name for reference in references(value) if reference.scope is Scope.LOOP] == [
        "i",
        "i-2",
        "i-3",
        "i",
    ]


def message(config: str) -> Diagnostic:
    """Return the only PG3xx diagnostic of *config*."""
    report = Report()
    with suppress(Stopped):
        analyse(written(config), (), report)
    (diagnostic,) = (diagnostic for diagnostic in report.diagnostics() if diagnostic.code.number.startswith("PG3"))
    return diagnostic


STAGES = """
    pipelines:
      test:
        stages:
          - {name: build, build: x, run: {tail: 1}, exports: {version: '${.output}'}}
          - {name: lint, build: x}
          - {name: publish, build: x, publish: {image: {tag: '%s'}}}
          - {name: last, build: x}
          - {name: unused, build: x}
        execution: [[build, publish, last], [lint]]
      other:
        stages: [{name: candidate, build: x}]
"""


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("${build.verson}", 'write "${build.version}"'),
        ("${biuld.version}", 'write "${build.version}"; for the text itself, write "$${biuld.version}"'),
        ("${zzz.version}", 'for the text itself, write "$${zzz.version}"'),
        ("${lint.imageID}", "add an arc that runs it first: [lint, publish]"),
        ("${setup.tagg}", 'write "${setup.tag}"'),
        ("${build.imageTag}", 'add "publish: {image: true}" to stage "build"'),
        (
            "${.container}",
            'add "run: true" to stage "publish", or use that of stage "build": "${build.container}"',
        ),
        (
            "${.imageTag}",
            (
                "steps run in the order script, build, run, copy, publish, promote, deploy, exports, trigger: "
                "read it in a later one, or in a later stage"
            ),
        ),
        ("${last.imageID}", 'reverse their order in the arcs, or bind the value in a stage before "publish"'),
        ("${unused.imageID}", "add an arc that runs it first: [unused, publish]"),
    ],
)
def test_the_hint_names_the_change_to_make(reference: str, hint: str) -> None:
    """It contains the text to write."""
    assert message(STAGES % reference).hint == hint


def test_a_reference_to_another_pipeline_names_that_pipeline() -> None:
    """It is PG305, not an undefined stage."""
    diagnostic = message(STAGES % "${candidate.imageID}")

    assert (diagnostic.code.number, '"other"' in diagnostic.message) == ("PG305", True)


def test_reading_an_output_that_is_not_captured_is_a_warning() -> None:
    """The stage that is read has no `run` with `tail`."""
    diagnostic = message(
        "pipelines: {p: {stages: [{name: a}, {name: b, build: x, run: {arguments: ['${a.output}']}}]}}"
    )

    assert (diagnostic.code.number, diagnostic.severity.value) == ("PG316", "warning")


def test_a_reference_is_displayed_without_its_default() -> None:
    """The display otherwise has the form of the source."""
    span = message(STAGES % "${build.verson|x}").primary

    assert span is not None
    assert str(Reference(None, "a", None, span.span)) == "${a}"
    assert str(Reference("", "a", "b", span.span)) == "${.a}"
