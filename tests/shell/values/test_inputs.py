"""Inputs of a run: a value arrives unchanged, or fails the stage with a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell.world import HOSTILE, Result, World, each_of, host, plan_of, script_of, text_of

from pipegen.structs import replace

VALUES = {name: value for name, value in HOSTILE.items() if name != "long"} | {"long": HOSTILE["long"][:65_536]}


def run(world: World, value: str | None, takes: object, word: str = "${inputs.x}") -> Result:
    """Run a stage that writes *word* with *value* for its input `x`, declared as *takes*; None means not given."""
    if value is not None:
        world.variables["INPUT_x"] = value
    stage = {"name": "t", "script": [f"printf %s {word} >seen"]}
    return world.run_job(plan_of([stage], inputs={"x": takes}), "t", host())


def seen(world: World) -> str:
    """Return the text that the stage wrote."""
    return (world.root / "seen").read_bytes().decode()


@pytest.mark.parametrize("name", each_of(VALUES))
def test_any_text_arrives_unchanged(world: World, name: str) -> None:
    """In any position; nothing of it is executed."""
    done = run(world, VALUES[name], {"default": ""}, "\"a${inputs.x}b\"'c${inputs.x}d'")

    assert (done.status, seen(world)) == (0, f"a{VALUES[name]}bc{VALUES[name]}d"), done.errors


@pytest.mark.parametrize(
    ("value", "takes", "message"),
    [
        ("slow", {"choices": ["quick", "full"], "default": "quick"}, "is not one of quick, full: slow"),
        ("quick ", {"choices": ["quick", "full"]}, "is not one of quick, full: quick "),
        ("*", {"choices": ["?", "[a-z]"]}, "is not one of ?, [a-z]: *"),
        ("yes", False, "is not one of true, false: yes"),
        ("True", {"type": "boolean"}, "is not one of true, false: True"),
        ("0x10", 3, "is not a number: 0x10"),
        ("", 3, "is not a number: "),
        ("1\n2", 3, "is not a number: 1\n2"),
        ("-", {"type": "number"}, "is not a number: -"),
        ("v1\nv2", {"pattern": "v[0-9]"}, "does not match v[0-9]: v1\nv2"),
        ("v1\n", {"pattern": "v[0-9]"}, "does not match v[0-9]: v1\n"),
        ("xv1", {"pattern": "^v1|v2$"}, "does not match ^v1|v2$: xv1"),
        ("v12", {"pattern": "v1|v2"}, "does not match v1|v2: v12"),
        ("$(touch /tmp/x)", {"pattern": "it's %s"}, "does not match it's %s: $(touch /tmp/x)"),
        (None, {}, "has no value"),
        ("", {"choices": ["quick"]}, "is not one of quick: "),
        ("", {"pattern": ".*"}, "has no value"),
        ("", {"pattern": ".+"}, "does not match .+: "),
    ],
)
def test_an_invalid_input_fails_the_stage(world: World, value: str | None, takes: object, message: str) -> None:
    """Before any of the script runs."""
    done = run(world, value, takes)

    assert (done.status, (world.root / "seen").exists()) == (1, False)
    assert f"input x {message}\n" in done.errors


@pytest.mark.parametrize(
    ("value", "takes"),
    [
        ("full", {"choices": ["quick", "full"], "default": "quick"}),
        ("it's a\nb", {"choices": ["it's a\nb", "$x"]}),
        ("", {"choices": ["", "x"], "default": ""}),
        ("true", False),
        ("-12.50", 3),
        ("", {"default": "", "pattern": "(x)?"}),
        ("a\nb", {"pattern": "a.b"}),
        ("-v", {"pattern": "-v"}),
        ("ä", {"pattern": ".."}),
        ("a{2}\\", {"pattern": r"[a-c]\{2\}\\"}),
    ],
)
def test_a_valid_input_arrives_unchanged(world: World, value: str, takes: object) -> None:
    """A line break is an ordinary character, and characters count as bytes."""
    done = run(world, value, takes)

    assert (done.status, seen(world)) == (0, value), done.errors


@pytest.mark.parametrize("takes", [{}, {"choices": ["a", "b"]}, {"type": "number"}, {"pattern": "[a-z]+"}])
def test_the_default_of_a_reference_replaces_a_missing_input(world: World, takes: object) -> None:
    """The input is then not required."""
    done = run(world, None, takes, '"${inputs.x|it is}"')

    assert (done.status, seen(world)) == (0, "it is"), done.errors


@pytest.mark.parametrize(
    ("takes", "command"),
    [
        ({"choices": ["a", "b"], "default": "a"}, 'printf %s "$INPUT_x" >seen'),
        ({"pattern": "a*", "default": "a"}, 'printf %s "${INPUT_x:-b}" >seen'),
        ({"choices": ["a", "b"]}, 'printf %s "${INPUT_x:-b}" >seen'),
        ({"default": "a"}, 'printf %s "${INPUT_x:-b}" >seen'),
    ],
)
def test_a_default_is_left_out_where_a_checked_input_is_never_empty(takes: object, command: str) -> None:
    """There is no other variable with the value in any case."""
    stage = {"name": "t", "script": ["printf %s ${inputs.x|b} >seen"]}
    parts = script_of(plan_of([stage], inputs={"x": takes}), "t", host())

    assert parts.steps[-1].lines == (command,)


@pytest.mark.parametrize(
    ("script", "is_read"),
    [
        ("deploy --x ${inputs.x}", True),
        ("deploy -x ${inputs.x}", True),
        ("deploy x:${inputs.x}", True),
        ("deploy x=${inputs.x}", False),
        ("x=1 deploy ${inputs.x}", False),
        (": ${x:=1} ${inputs.x}", False),
        ("echo $x: ${inputs.x}", False),
    ],
)
def test_an_input_whose_name_the_script_may_set_has_another_variable(script: str, *, is_read: bool) -> None:
    """Options, and keys of arguments, are no variables."""
    where = replace(host(), input=lambda name: f"${name}")
    parts = script_of(plan_of([{"name": "t", "script": [script]}], inputs={"x": {"default": ""}}), "t", where)

    assert (parts.bind == ()) is is_read


def test_an_input_is_read_once_before_the_script() -> None:
    """The engine's variable is used directly unless the script may set it, or rejects unset variables."""
    stage = {"name": "t", "script": ["echo ${inputs.x}", "./x '${inputs.x}'"]}
    copied = 'inputs_x=$INPUT_x\n%s\necho "$inputs_x"\n'

    plan = plan_of([stage], inputs={"x": "1"})
    assert text_of(script_of(plan, "t", host())) == 'echo "$INPUT_x"\n./x "$INPUT_x"\n'
    plan = plan_of([{"name": "t", "script": ["./x --INPUT_x --a-INPUT_x=${inputs.x}"]}], inputs={"x": "1"})
    assert text_of(script_of(plan, "t", host())) == './x --INPUT_x --a-INPUT_x="$INPUT_x"\n'
    for line in ("set -u", "INPUT_x=2"):
        plan = plan_of([{"name": "t", "script": [line, "echo ${inputs.x}"]}], inputs={"x": "1"})
        assert text_of(script_of(plan, "t", host())) == copied % line


def test_inputs_are_checked_in_the_order_of_the_config() -> None:
    """So that scripts with the same inputs begin alike."""
    inputs = {"x": {"default": "", "pattern": "x*"}, "y": {"default": "", "pattern": "y*"}}
    plan = plan_of([{"name": "t", "script": ["./x ${inputs.y} ${inputs.x}"]}], inputs=inputs)
    text = text_of(script_of(plan, "t", host()))

    assert text.index("grep -Eqx 'x*'") < text.index("grep -Eqx 'y*'")


def test_choices_are_checked_once_by_the_engine_or_the_script() -> None:
    """The script still checks patterns; the after script checks nothing."""
    inputs = {"x": {"choices": ["a", "b"], "default": "a"}, "y": {"default": "", "pattern": "c*"}}
    plan = plan_of(
        [{"name": "t", "script": ["./x ${inputs.x} ${inputs.y}"], "after": ["./y ${inputs.x}"]}], inputs=inputs
    )

    parts = script_of(plan, "t", host(checks_choices=False))

    assert "case" not in text_of(parts)
    assert "grep" in text_of(parts)
    assert "case" in text_of(script_of(plan, "t", host()))
    assert parts.after is not None
    assert text_of(parts.after) == './y "$INPUT_x"\n'


def test_exports_that_join_inputs_are_evaluated_by_the_reader(world: World, tmp_path: Path) -> None:
    """So the reader validates the inputs."""
    stages = [
        {"name": "t", "script": ["true"], "exports": {"v": "<${inputs.x}>"}},
        {"name": "r", "script": [f"printf %s ${{t.v}} >{tmp_path}/seen"]},
    ]
    world.variables["INPUT_x"] = "3"
    done = world.run_job(plan_of(stages, inputs={"x": 1}), "r", host())

    assert (done.status, (tmp_path / "seen").read_text("utf-8")) == (0, "<3>"), done.errors
