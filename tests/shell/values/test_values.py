"""Values: the same bytes in every place, in every shell."""

from __future__ import annotations

import json

import pytest
import yaml
from shell.world import HOSTILE, World, host, jobs, plan_of, script_of, text_of

from pipegen.shell.values.transfers import transferred_paths

SOURCES = [{"name": f"s{number}", "build": "x", "run": {"tail": 9}} for number in range(len(HOSTILE))]
REFERENCES = [f"${{s{number}.output}}" for number in range(len(HOSTILE))]
VALUES = list(HOSTILE.values())


def give_all(world: World) -> None:
    """Store each hostile text as an output of a stage."""
    for number, value in enumerate(VALUES):
        world.give(f"s{number}", "output", value)


def test_constants_reach_the_container_unchanged(world: World) -> None:
    """Arguments and settings in the config arrive byte for byte."""
    env = {f"K{number}": value for number, value in enumerate(VALUES)}
    plan = plan_of([{"name": "t", "build": "x", "run": {"arguments": VALUES, "env": env}}])

    result = world.run_job(plan, "t", host())

    run = next(call for call in result.calls if call[0] == "run")
    assert result.status == 0
    assert run[-len(VALUES) :] == VALUES
    assert [word.split("=", 1)[1] for word in run if word.startswith("K")] == VALUES


def test_outputs_reach_the_container_unchanged(world: World) -> None:
    """Outputs of other stages arrive byte for byte, alone and inside text."""
    env = {f"K{number}": f"<{value}>" for number, value in enumerate(REFERENCES)}
    plan = plan_of([*SOURCES, {"name": "t", "build": "x", "run": {"arguments": REFERENCES, "env": env}}])
    give_all(world)

    result = world.run_job(plan, "t", host())

    run = next(call for call in result.calls if call[0] == "run")
    assert result.status == 0
    assert run[-len(VALUES) :] == VALUES
    assert [word.split("=", 1)[1] for word in run if word.startswith("K")] == [f"<{value}>" for value in VALUES]


def test_values_of_other_jobs_are_removed_from_the_checkout(world: World) -> None:
    """They are outside the build context before the build, and removed when the script ends."""
    plan = plan_of([*SOURCES, {"name": "t", "build": "x", "run": {"arguments": REFERENCES}}])
    give_all(world)

    result = world.run_job(plan, "t", host())

    assert not (world.root / ".pipegen").exists()
    assert result.left == []


def test_exports_are_written_unchanged(world: World) -> None:
    """The file of an export that other jobs read contains only the value."""
    setup = dict(zip(("logURL",), ("$URL",), strict=True))
    names = {f"e{number}": f"{value}${{setup.logURL}}" for number, value in enumerate(REFERENCES)}
    reader = {"name": "r", "build": "x", "run": {"arguments": [f"${{t.{name}}}" for name in names]}}
    plan = plan_of([*SOURCES, {"name": "t", "exports": names}, reader])
    give_all(world)

    result = world.run_job(plan, "t", host(setup=setup.get))

    assert result.status == 0
    assert [world.output("t", name) for name in names] == VALUES


@pytest.mark.slow
def test_helm_gets_values_unchanged(world: World) -> None:
    """Run-time text is passed in files, for any key."""
    overrides = {f"a.b,c=[{number}]\\": {"k": value} for number, value in enumerate(REFERENCES)}
    deploy = {"image": "i", "tag": "t", "chart": {"name": "c"}, "overrides": overrides}
    plan = plan_of([*SOURCES, {"name": "t", "deploy": deploy}])
    give_all(world)

    result = world.run_job(plan, "t", host())

    texts = [(world.kept / f"a\\.b\\,c\\=\\[{number}\\]\\\\.k").read_bytes().decode() for number in range(len(VALUES))]
    assert result.status == 0
    assert texts == VALUES


@pytest.mark.slow
def test_documents_contain_values_unchanged(world: World) -> None:
    """Run-time text may be in keys, values and loops; readers of YAML 1.1 and 1.2 agree."""
    fixed: dict[str, object] = {
        "on": True,
        "n": 1.5,
        "none": None,
        "text": HOSTILE["quotes"],
        "version": "1.10",
        "e": [],
        "m": {},
    }
    overrides = {
        "fixed": fixed,
        "given": {"${s1.output}": REFERENCES, "x": [{"k": value} for value in REFERENCES]},
        "loop": {"$each": "i", "$in": "${s4.output}", "$yield": {"a": "${.i}", "b": ["${s0.output}", "${.i}"], "c": 1}},
        "none": {"$each": "i", "$in": "${s12.output}", "$yield": "${.i}"},
    }
    deploy = {"image": "i", "tag": "t", "chart": {"name": "c"}, "overrides": overrides}
    plan = plan_of([*SOURCES, {"name": "t", "deploy": deploy}])
    give_all(world)

    result = world.run_job(plan, "t", host())

    data = yaml.safe_load((world.kept / "values.yaml").read_bytes().decode())
    lines = HOSTILE["lines"].split("\n")
    assert result.status == 0, result.errors
    assert data["fixed"] == fixed
    assert data["given"] == {VALUES[1]: VALUES, "x": [{"k": value} for value in VALUES]}
    assert data["loop"] == [{"a": line, "b": [VALUES[0], line], "c": 1} for line in lines]
    assert data["none"] == []


def test_values_of_a_shared_workspace_are_stored_outside(world: World) -> None:
    """The shared checkout is not changed."""
    where = host(values="$VALUES")
    world.variables["VALUES"] = str(world.folder / "values")
    plan = plan_of(
        [
            {"name": "a", "build": "x", "run": {"tail": 9}},
            {"name": "b", "build": "x", "run": {"arguments": ["${a.output}"]}},
        ]
    )
    output = world.folder / "said"
    output.write_bytes(HOSTILE["lines"].encode())
    world.variables["FAKE_OUTPUT"] = str(output)

    world.run_job(plan, "a", where)
    result = world.run_job(plan, "b", where)

    assert next(call for call in result.calls if call[0] == "run")[-1] == HOSTILE["lines"] + "\n"
    assert sorted(path.name for path in world.root.iterdir()) == ["blubber.yaml"]
    assert transferred_paths(jobs(plan)["a"], where) == ()


@pytest.mark.parametrize("default", ["plain text", "it's {", '"$(id)" \\', "`id`\n"])
@pytest.mark.parametrize("value", ["", "given"])
def test_a_default_replaces_an_empty_value(world: World, value: str, default: str) -> None:
    """The default is literal text, used only if the value is empty."""
    plan = plan_of(
        [
            {"name": "a", "build": "x", "run": {"tail": 9}},
            {"name": "b", "build": "x", "run": {"arguments": [f"<${{a.output|{default}}}>"]}},
        ]
    )
    world.give("a", "output", value)

    result = world.run_job(plan, "b", host())

    run = next(call for call in result.calls if call[0] == "run")
    assert run[-1] == f"<{value or default}>"


@pytest.mark.parametrize(("first", "second"), [("", ""), ("1", ""), ("", "2"), ("1", "2")])
def test_a_default_of_joined_values_applies_if_all_are_empty(world: World, first: str, second: str) -> None:
    """The export joins two values and is read with a default."""
    plan = plan_of(
        [
            {"name": "a", "build": "x", "run": {"tail": 9}},
            {"name": "b", "build": "x", "run": {"tail": 9}},
            {"name": "c", "exports": {"both": "${a.output}${b.output}"}},
            {"name": "d", "build": "x", "run": {"arguments": ["<${c.both|none}>"]}},
        ]
    )
    world.give("a", "output", first)
    world.give("b", "output", second)

    result = world.run_job(plan, "d", host())

    run = next(call for call in result.calls if call[0] == "run")
    assert run[-1] == f"<{first + second or 'none'}>"


def test_conflicting_variable_names_get_a_number() -> None:
    """`a-b` and `a_b` are two stages, and two variables."""
    plan = plan_of(
        [
            {"name": "a-b", "build": "x", "run": {"tail": 9}},
            {"name": "a_b", "build": "x", "run": {"tail": 9}},
            {"name": "c", "build": "x", "run": {"arguments": ["${a-b.output}${a_b.output}"]}},
        ]
    )

    text = text_of(script_of(plan, "c", host()))

    assert '"$a_b_output$a_b_output_2"' in text


def test_unread_values_are_not_computed() -> None:
    """A simple job computes and stores nothing."""
    plan = plan_of([{"name": "t", "build": "x", "run": {"tail": 9}, "exports": {"a": "${setup.logURL}"}}])

    lowered = script_of(plan, "t", host())

    assert lowered.outputs == ()
    assert "tail" not in text_of(lowered)
    assert lowered.setup == ()


def test_only_computed_setup_values_are_assigned_to_variables() -> None:
    """Once; a plain variable of the engine is used directly."""
    arguments = ["${setup.timestamp}-${setup.timestamp}", "${setup.project}x", "${setup.tag|none}"]
    plan = plan_of([{"name": "t", "build": "x", "run": {"arguments": arguments}}])

    lowered = script_of(plan, "t", host())

    assert [command.lines for command in lowered.bind] == [('timestamp=$(printf %s "$TIME")',)]
    assert '"$timestamp-$timestamp" "${PROJECT}x" "${TAG:-none}"' in text_of(lowered)
    assert lowered.setup == ("timestamp", "project", "tag")


def test_run_time_parameters_of_a_trigger_are_stored_in_files(world: World) -> None:
    """The number of the file is the position of the parameter."""
    trigger = {"name": "other", "parameters": {"A": "fixed", "B": "<${a.output}>"}}
    plan = plan_of([{"name": "a", "build": "x", "run": {"tail": 9}}, {"name": "t", "trigger": trigger}])
    world.give("a", "output", HOSTILE["lines"])

    world.run_job(plan, "t", host())

    folder = world.root / ".pipegen" / "trigger" / "t"
    assert {path.name: path.read_bytes().decode() for path in folder.iterdir()} == {"1": f"<{HOSTILE['lines']}>"}


def test_json_and_yaml_readers_agree_on_strings(world: World) -> None:
    """Run-time strings are written as JSON strings."""
    deploy = {"image": "i", "tag": "t", "chart": {"name": "c"}, "overrides": {"${s2.output}": ["${s15.output}"]}}
    plan = plan_of([*SOURCES, {"name": "t", "deploy": deploy}])
    give_all(world)

    world.run_job(plan, "t", host())

    lines = (world.kept / "values.yaml").read_bytes().decode().splitlines()
    string = next(line for line in lines if line.lstrip().startswith("- ")).partition("- ")[2]
    assert json.loads(string) == VALUES[15]


@pytest.mark.parametrize(
    ("output", "values", "expected"),
    [
        ({"command": "x"}, ["a b\n\n", "$(x)\\n", "", "d\n", "\n"], "a b\n$(x)\\n\n\nd\n"),
        ({"file": "x"}, ["a b\n\n", "", "$(x)\\n", "d\n", "\n"], "a b\n\n\n\n$(x)\\n\nd\n\n\n"),
    ],
)
def test_many_combinations_are_read_in_a_loop(
    world: World, output: dict[str, str], values: list[str], expected: str
) -> None:
    """Each is on a line, without the line breaks at the end of what a command printed, also for `after` and `env`."""
    source = {"name": "s", "matrix": {"n": [1, 2, 3, 4, 5]}, "script": ["x"], "outputs": {"v": output}}
    script = ['printf %s "${s.v}" >made', 'printf %s "$ALL" >env', 'printf %s "${s[n=2].v}" >second']
    reader = {"name": "t", "env": {"ALL": "${s.v}"}, "script": script, "after": ['printf %s "${s.v}" >after']}
    plan = plan_of([source, reader])
    for number, value in enumerate(values, 1):
        world.give(f"s-{number}", "v", value)
    lowered = script_of(plan, "t", host())
    assert lowered.after is not None
    world.run(text_of(lowered.after))
    result = world.run(text_of(lowered))

    assert (result.status, result.errors) == (0, "")
    assert [(world.root / name).read_bytes().decode() for name in ("made", "env", "after")] == [expected] * 3
    assert (world.root / "second").read_text("utf-8") == (values[1].rstrip("\n") if "command" in output else values[1])
    assert text_of(lowered).count("$(cat") == ("command" in output) + 1


@pytest.mark.parametrize("output", [{"command": "x"}, {"file": "x"}])
def test_a_missing_combination_fails_the_script(world: World, output: dict[str, str]) -> None:
    """Also in bash, which does not inherit -e in a substitution."""
    source = {"name": "s", "matrix": {"n": [1, 2, 3, 4]}, "script": ["x"], "outputs": {"v": output}}
    plan = plan_of([source, {"name": "t", "script": ['echo "${s.v}" >made']}])
    for number in (1, 2, 4):
        world.give(f"s-{number}", "v", "x")

    assert world.run_job(plan, "t", host()).status != 0
    assert not (world.root / "made").exists()


def test_outputs_of_other_stages_on_a_line_each_are_read_one_by_one(world: World) -> None:
    """A file has its line breaks, and the output of a command has none at its end."""
    sources = [
        {"name": name, "script": ["x"], "outputs": {"v": {"file" if name == "a" else "command": "x"}}}
        for name in "abcd"
    ]
    text = "${a.v}\n${b.v}\n${c.v}\n${d.v}"
    plan = plan_of([*sources, {"name": "t", "env": {"ALL": text}, "script": ['printf %s "$ALL" >made']}])
    for name in "abcd":
        world.give(name, "v", f"{name}\n")
    result = world.run_job(plan, "t", host())

    assert (result.status, result.errors) == (0, "")
    assert (world.root / "made").read_text("utf-8") == "a\n\nb\nc\nd"
