"""The user's own script: its unchanged text, its inputs and outputs, and its isolation from our commands."""

from __future__ import annotations

import pytest
from shell.world import HOSTILE, Result, World, each_of, host, plan_of, script_of, text_of

from pipegen.structs import replace

VALUES = {name: value for name, value in HOSTILE.items() if name != "long"} | {"long": HOSTILE["long"][:65_536]}
READER: dict[str, object] = {"name": "r", "script": ["echo ${t.v}"]}
GITLAB = host(has_pipefail=True)


def run(world: World, **stage: object) -> Result:
    """Run the script of a stage `t` whose output `v` another stage reads; on the runner, as for GitLab."""
    where = GITLAB if world.shell == "runner" else host()
    stages = [{"name": "t", **stage}, *([READER] if "v" in stage.get("outputs", ()) else [])]  # type: ignore[operator]
    return world.run_job(plan_of(stages), "t", where)


def generated(*stages: dict[str, object], stage: str = "t") -> str:
    """Return the script of *stage*, one of *stages*; the first is `t`."""
    return text_of(script_of(plan_of([{"name": "t", **stages[0]}, *stages[1:]]), stage, host()))


def test_a_script_without_other_steps_is_unchanged() -> None:
    """No wrapper is generated where none is necessary."""
    lines = ["make test", "cd x && exit 0", 'trap "rm x" EXIT']

    assert generated({"script": lines}) == "".join(f"{line}\n" for line in lines)


def test_plain_commands_run_in_the_same_shell_as_outputs() -> None:
    """A subshell is unnecessary, because they cannot change the shell."""
    assert generated({"script": ["make", "x | y"], "outputs": {"v": {"command": "cat V"}}}, READER) == (
        "make\nx | y\nmkdir -p .pipegen/outputs/t\ncat V >.pipegen/outputs/t/v\n"
    )


def test_a_list_before_other_commands_needs_no_shell_of_its_own() -> None:
    """Its failure does not end a script in a subshell either; that of the last command does."""
    script = ["mkdir out && cp a out", "tar -czf b.tgz --exclude=.git .", 'make -C "$DIR" PREFIX=/usr', "# the end"]

    assert "(" not in generated({"script": script, "outputs": {"v": {"command": "cat V"}}}, READER)
    assert "(" in generated({"script": [script[0], "# end"], "outputs": {"v": {"command": "cat V"}}}, READER)


@pytest.mark.parametrize(
    "line",
    [
        *("cd sub", "exit 0", "exec true", "set +e", "trap : EXIT", "unset HOME", "umask 777", "f() { :; }"),
        *("PATH=/nowhere", "OLDPWD=/", "IFS=o", "pipegen=/nowhere", "export PATH=/nowhere", "alias cat=false"),
        *(
            "[ 1 = 1 ] && cd /",
            "if true; then cd /; fi",
            "{ cd /; }",
            "for pipegen in x; do :; done",
            "cat() { false; }",
        ),
        *(
            "$(echo exit)",
            "true; $(echo cd /)",
            "eval 'exit 0'",
            'x=exit; "$x" 0',
            "command cd /",
            "set -u",
            "readonly v=1",
        ),
    ],
)
def test_a_script_cannot_affect_commands_after_it(world: World, line: str) -> None:
    """Outputs are measured in the stage's directory, by an unchanged shell."""
    (world.root / "sub").mkdir()
    (world.root / "V").write_text("value", "utf-8")

    result = run(world, script=[line], outputs={"v": {"command": "cat V"}})

    assert (result.status, result.errors) == (0, "")
    assert (world.output("t", "v"), result.left) == ("value", [])


@pytest.mark.parametrize(
    "line",
    [
        "false",
        "false && true",
        "true && false",
        "! true",
        "(exit 3)",
        "exit 3",
        "cd nowhere",
        "if true; then false; fi",
    ],
)
@pytest.mark.parametrize("outputs", [{}, {"v": {"command": "echo x"}}])
def test_a_script_fails_if_its_last_command_fails(world: World, line: str, outputs: dict[str, object]) -> None:
    """With or without outputs to measure after it."""
    result = run(world, script=[line], outputs=outputs)

    assert result.status != 0
    assert not (world.root / ".pipegen").exists()


def test_a_script_stops_at_the_first_failing_command(world: World) -> None:
    """All entries share one shell."""
    result = run(world, script=["x=kept", 'echo "$x" >made', "false", "echo no >made"])

    assert result.status != 0
    assert (world.root / "made").read_text("utf-8") == "kept\n"


@pytest.mark.parametrize(("line", "status"), [("false | true", 0), ("true | false", 1)])
def test_the_status_of_a_pipe_is_that_of_its_last_command(world: World, line: str, status: int) -> None:
    """Also in commands of outputs, and regardless of the engine's `pipefail`."""
    script = run(world, script=[line])
    measure = run(world, script=["true"], outputs={"v": {"command": line}})

    assert [bool(script.status), bool(measure.status)] == [bool(status)] * 2


@pytest.mark.parametrize(
    ("script", "status"),
    [
        (["set -o pipefail", "false | true"], 1),
        (["set -eu -o pipefail", "false | true"], 1),
        (["set -euo pipefail; false | true"], 1),
        (["true | true", "set -o pipefail", "false | true"], 1),
        (["set -o pipefail", "set +o pipefail", "false | true"], 0),
        (["set +o pipefail", "false | true"], 0),
    ],
)
def test_a_script_decides_about_pipefail(world: World, script: list[str], status: int) -> None:
    """An option that the script sets applies to later commands in its shell only; dash before 0.5.13 rejects it."""
    if world.shell == "dash" and run(world, script=["set -o pipefail"]).status:
        assert run(world, script=script).status
        return
    measured = run(world, script=[*script[:-1], "true"], outputs={"v": {"command": "false | true"}})

    assert (bool(run(world, script=script).status), measured.status) == (bool(status), 0)


FORMS = {"bare": "${s.v}", "double": 'a"${s.v}"b', "single": "'${s.v}'", "own quotes": '"a ${s.v} \'b"'}


@pytest.mark.parametrize("name", each_of(VALUES))
def test_values_reach_the_script_unchanged(world: World, name: str) -> None:
    """In words, variables and both kinds of here-documents; nothing in them is executed."""
    value = VALUES[name]
    lines = [f"printf %s {form} >{at}" for at, form in enumerate(FORMS.values())]
    documents = ["cat <<END >document\n$((1 + 1)) ${s.v}\nEND", "cat <<'END' >quoted\n$((1 + 1)) ${s.v}\nEND"]
    env = {"V": "<${s.v}>"} if name != "long" else {"V": "<long>"}
    source = {"name": "s", "script": ["x"], "outputs": ["v"]}
    plan = plan_of([source, {"name": "t", "env": env, "script": [*lines, *documents, 'printf %s "$V" >variable']}])
    world.give("s", "v", value)

    result = world.run_job(plan, "t", GITLAB if world.shell == "runner" else host())

    def pipeline_plan(path: object) -> str:
        return (world.root / str(path)).read_bytes().decode()

    assert (result.status, result.errors, result.left) == (0, "", [])
    assert [pipeline_plan(at) for at in range(len(FORMS))] == [value, f"a{value}b", value, f"a {value} 'b"]
    assert (pipeline_plan("document"), pipeline_plan("quoted")) == (f"2 {value}\n", f"$((1 + 1)) {value}\n")
    assert pipeline_plan("variable") == (f"<{value}>" if name != "long" else "<long>")


@pytest.mark.parametrize("name", each_of(VALUES))
def test_values_are_measured_unchanged(world: World, name: str) -> None:
    """Files are copied byte for byte; trailing line breaks of a command's output are dropped."""
    value = VALUES[name]
    (world.root / "V").write_bytes(value.encode())

    file = run(world, script=["true"], outputs={"v": {"file": "V"}})
    read = world.output("t", "v")
    written = run(world, script=["cp V $PIPEGEN_OUTPUTS/v"], outputs=["v"])
    copied = world.output("t", "v")
    reader = {"name": "r", "script": ["printf %s ${t.v} >V"]}
    command = {"name": "t", "script": ["true"], "outputs": {"v": {"command": "cat V"}}}
    plan = plan_of([command, reader])
    prints, reads = world.run_job(plan, "t", host()), world.run_job(plan, "r", host())

    assert [process.status for process in (file, written, prints, reads)] == [0, 0, 0, 0]
    assert (read, copied, (world.root / "V").read_bytes().decode()) == (value, value, value.rstrip("\n"))


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (["v"], 'stage "t": output "v" was not written\n'),
        (["unread"], 'stage "t": output "unread" was not written\n'),
        ({"unread": {"file": "no %s/file"}}, 'stage "t": output "unread": there is no file "no %s/file"\n'),
        ({"unread": {"file": "."}}, 'stage "t": output "unread": there is no file "."\n'),
        ({"unread": {"file": "${setup.project}"}}, 'stage "t": output "unread": there is no file "Group/project"\n'),
    ],
)
def test_a_missing_output_fails_the_stage_with_its_name(world: World, outputs: object, message: str) -> None:
    """Another stage may read it or not."""
    result = run(world, script=["true"], outputs=outputs)

    assert (result.status, result.errors) == (1, message)
    assert not [path for path in (world.root / ".pipegen").rglob("*") if path.is_file()]


def test_several_outputs_are_checked_in_a_loop(world: World) -> None:
    """The message names the first that is missing."""
    result = run(world, script=['echo >"$PIPEGEN_OUTPUTS/a"'], outputs=["a", "b", "v"])

    assert (result.status, result.errors) == (1, 'stage "t": output "b" was not written\n')
    text = generated({"script": ["make"], "outputs": ["a", "b", "v"]}, READER)
    assert text.count("was not written") == 1


def test_plain_constants_are_in_the_script() -> None:
    """A combination of a matrix has them in variables, because those of other combinations differ."""
    stage: dict[str, object] = {"script": ['echo "in ${.stage}"']}

    assert generated(stage) == 'echo "in t"\n'
    assert generated({**stage, "matrix": {"v": ["1", "2"]}}, stage="t: 1") == "t_stage='t: 1'\necho \"in $t_stage\"\n"


@pytest.mark.parametrize(
    ("script", "is_placed"),
    [
        ("make", True),
        ("git describe --dirty", True),
        ("npm pack", False),
        ("docker build .", False),
        ("git add --all && git commit --message x", False),
        ("git -C . status --porcelain", False),
        ("git clean -fdx", False),
        ("rm -rf .pipegen", False),
    ],
)
def test_a_script_writes_outputs_into_the_checkout_unless_it_takes_in_all_of_it(script: str, is_placed: bool) -> None:  # noqa: FBT001
    """Readers get them from there; a commit, a package or an image must not contain them."""
    text = generated({"script": [script], "outputs": ["v"]}, READER)

    assert ('PIPEGEN_OUTPUTS="$PWD/.pipegen/outputs/t"' in text) is is_placed
    assert ("mktemp" in text) is not is_placed


@pytest.mark.parametrize("file", ["no %s/file", ".", "${setup.project}", "-"])
def test_a_missing_output_file_fails_the_stage(world: World, file: str) -> None:
    """The message is that of the copying program."""
    result = run(world, script=["true"], outputs={"v": {"file": file}})

    assert result.status != 0
    assert file.replace("${setup.project}", "Group/project") in result.errors or file in (".", "-")


@pytest.mark.parametrize("command", ["false; echo x", "false\necho x\n", "(false; echo x)", "false | cat; false"])
def test_an_output_command_stops_at_the_first_failure(world: World, command: str) -> None:
    """In bash too, which would continue inside a substitution."""
    assert run(world, script=["true"], outputs={"v": {"command": command}}).status != 0


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("(echo a; echo b)", "a\nb"),
        ("echo a # and more)", "a"),
        ("echo 'a\n  b'", "a\n  b"),
        ("cat <<END\n $((1 + 1))\nEND", " 2"),
        ("echo a; echo b", "a\nb"),
        ("case x in (x) echo a ;; esac", "a"),
        ("echo '$x' \"\\$x\"", "$x $x"),
        ("[ -f no ] || echo none", "none"),
        ("echo a >b; cat b", "a"),
        ("echo a >b", ""),
        ("# only a comment", ""),
        ("echo 2", "2"),
        ("cd / && pwd", "/"),
        ("x=1; echo $x; exit 0; echo no", "1"),
        ("echo '>' \">\"", "> >"),
    ],
)
def test_any_command_can_produce_an_output(world: World, command: str, value: str) -> None:
    """Including comments, lists and here-documents."""
    result = run(world, script=["true"], outputs={"v": {"command": command}})

    assert (result.status, result.errors) == (0, "")
    assert world.output("t", "v").rstrip("\n") == value


BLOCKS = {
    "quotes over lines": "printf %s 'a\n  b \"\n    c' >made\n",
    "document": 'cat >made <<END\na\n  b "\n    c\nEND\n',
    "quotes in quotes": "printf %s \"'\" 'a\n  b' \"'\" >made",
    "continued": "printf '%s ' a \\\n  b \\\nc >made",
    "word continued": "printf %s a\\\nb >made",
    "loop": 'for x in a b; do\n  case $x in\n    a) echo "$x" ;;\n  esac\ndone >made',
    "comment": "# it's a comment\necho a >made",
    "CRLF": "echo a >made\r\necho b >>made\r\n",
    "ends": "echo a >made\n\n\n",
}


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("outputs", [[], ["v"]])
def test_blocks_keep_their_meaning(world: World, name: str, outputs: list[str]) -> None:
    """Also in a subshell, where they are indented; CRLF counts as a line break."""
    block = BLOCKS[name]
    (world.root / "block").write_bytes(block.replace("\r\n", "\n").encode())
    world.run("sh -e block && mv made expected")
    after = "export x=1; printf %s v >$PIPEGEN_OUTPUTS/v" if outputs else "true"

    result = run(world, script=[block, after], outputs=outputs)

    assert (result.status, result.errors) == (0, "")
    assert (world.root / "made").read_bytes() == (world.root / "expected").read_bytes()


def test_a_scripts_trap_does_not_replace_pipegens(world: World) -> None:
    """The cleanup still runs."""
    source = {"name": "s", "script": ["x"], "outputs": ["v"]}
    plan = plan_of([source, {"name": "t", "script": ['echo "${s.v}"', "trap 'echo bye >made' EXIT"]}])
    world.give("s", "v", "x")

    result = world.run_job(plan, "t", host())

    assert (result.status, result.left) == (0, [])
    assert (world.root / "made").read_text("utf-8") == "bye\n"


def test_an_unset_variable_of_the_engine_is_empty(world: World) -> None:
    """Also under `set -u`."""
    plan = plan_of([{"name": "t", "script": ["set -u", 'printf "<%s>" "${setup.tag}" >made']}])
    where = host(setup={"tag": "$NOT_SET"}.get)

    result = world.run_job(plan, "t", where)

    assert (result.status, result.errors) == (0, "")
    assert (world.root / "made").read_text("utf-8") == "<>"


def test_later_steps_read_the_stages_own_outputs(world: World) -> None:
    """Even if no other stage reads them."""
    stage = {
        "name": "t",
        "script": ["printf 'a b' >$PIPEGEN_OUTPUTS/v"],
        "outputs": ["v"],
        "build": "x",
        "run": {"arguments": ["${.v}"]},
    }

    result = world.run_job(plan_of([stage]), "t", host())

    assert next(call for call in result.calls if call[0] == "run")[-1] == "a b"


def test_scripts_and_outputs_run_in_the_directory(world: World) -> None:
    """Values are stored at the root."""
    (world.root / "sub").mkdir()

    result = run(world, directory="sub", script=["echo a >V", "cd /"], outputs={"v": {"file": "V"}})

    assert (result.status, result.errors) == (0, "")
    assert world.output("t", "v") == "a\n"


def test_variables_are_exported_in_order(world: World) -> None:
    """A plain `${NAME}` is expanded by the shell; all other text is literal."""
    env = {"A": "it's $HOME \\", "B": "${A}!", "EMPTY": ""}

    result = run(world, env=env, script=['sh -c \'printf "%s|%s|%s" "$A" "$B" "${EMPTY-unset}"\' >made'])

    assert result.status == 0
    assert (world.root / "made").read_text("utf-8") == "it's $HOME \\|it's $HOME \\!|"


@pytest.mark.parametrize("name", ["DOCKER", "HELM", "pipegen"])
def test_variables_in_scripts_require_no_tools(name: str) -> None:
    """Only generated steps do."""
    plan = plan_of([{"name": "t", "script": [f'"${name}" build .']}])
    parts = script_of(plan, "t", host())

    assert (parts.prelude, parts.uses_containers, parts.uses_helm) == ((), False, False)


def test_files_that_overwrite_others_are_passed_in_a_tar(world: World) -> None:
    """The order in which an engine fetches artifacts then does not matter."""
    stages = [
        {"name": "s", "script": ["x"], "artifacts": ["d/a", "e"]},
        {"name": "t", "script": ["mkdir d e; echo new >d/a; echo new >e/x"], "artifacts": ["d/a", "e/", "f"]},
        {"name": "r", "script": ["cat d/a e/x >made"]},
    ]
    plan = plan_of(stages)

    left = world.run_job(plan, "t", host())
    for path in ("d/a", "e/x"):
        (world.root / path).write_text("old\n", "utf-8")
    read = world.run_job(plan, "r", host())

    assert (left.status, left.errors, read.status, read.errors) == (0, "", 0, "")
    assert (world.root / "made").read_text("utf-8") == "new\nnew\n"


def test_a_shared_workspace_has_only_files_of_the_script(world: World) -> None:
    """Values are stored outside it."""
    where = replace(host(), values="$VALUES")
    world.variables["VALUES"] = str(world.folder / "values")
    source = {"name": "s", "script": ["printf x >$PIPEGEN_OUTPUTS/v"], "outputs": ["v"], "artifacts": ["f"]}
    plan = plan_of([source, {"name": "t", "script": ["cd .", "echo ${s.v} >made"]}])

    results = [world.run_job(plan, stage, where) for stage in ("s", "t")]

    assert [(result.status, result.errors, result.left) for result in results] == [(0, "", []), (0, "", [])]
    assert (world.root / "made").read_text("utf-8") == "x\n"
    assert sorted(path.name for path in world.root.iterdir()) == ["blubber.yaml", "made"]


def stage(ready: str) -> dict[str, object]:
    """Return a stage whose only service is ready when the command *ready* succeeds."""
    return {
        "name": "t",
        "image": "x",
        "services": [{"image": "example/db:1", "ready": ready}],
        "env": {"A": "2"},
        "script": ["echo ran >ran"],
    }


@pytest.mark.slow
def test_a_stage_waits_until_its_service_is_ready(world: World) -> None:
    """The readiness command has the script's variables and cannot change its shell."""
    pipeline_plan = plan_of([stage('echo x >>tries; [ "$(wc -l <tries)" -ge "$A" ] && cd / && exit')])

    done = world.run_job(pipeline_plan, "t", host())

    assert (done.status, (world.root / "ran").read_text("utf-8")) == (0, "ran\n")
    assert (world.root / "tries").read_text("utf-8") == "x\nx\n"


def test_a_service_that_is_not_ready_in_time_fails_the_stage(world: World) -> None:
    """The limit of a minute is reduced to zero here."""
    text = text_of(script_of(plan_of([stage("false")]), "t", host()))

    done = world.run(text.replace("+ 60", "+ 0"))

    assert done.status != 0
    assert "service db was not ready within 60 seconds" in done.errors
    assert not (world.root / "ran").exists()
