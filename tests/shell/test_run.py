"""Containers that run images."""

from __future__ import annotations

import pytest
from shell.world import HOSTILE, LOGIN, World, host, plan_of, script_of, text_of

from pipegen.plan.model import Output
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.images import with_named_images

READER = {"name": "r", "build": "x", "run": {"arguments": ["${t.output}"]}}


def say(world: World, text: str) -> None:
    """Make containers print *text*."""
    path = world.folder / "output"
    path.write_bytes(text.encode())
    world.variables["FAKE_OUTPUT"] = str(path)


def test_a_simple_job_has_a_short_script() -> None:
    """It only builds, runs and removes."""
    plan = plan_of([{"name": "lint"}])

    assert text_of(script_of(plan, "lint", host())) == (
        "DOCKER=${DOCKER:-docker}\n"
        "pipegen=$(mktemp -d)\n"
        "pipegen_id=pipegen-$JOB\n"
        "pipegen_images=localhost/$pipegen_id\n"
        'trap \'{ trap "" HUP INT TERM; $DOCKER rm --force --volumes "$pipegen_id";'
        ' $DOCKER rmi --no-prune $pipegen_images; rm -rf "$pipegen"; } >/dev/null 2>&1 || :\' EXIT\n'
        "trap 'exit 143' HUP INT TERM\n"
        "FRONTEND=example.org/blubber:1 awk \\\n"
        '  \'NR == 1 && tolower($0) !~ /^# *syntax *=/ { print "# syntax=" ENVIRON["FRONTEND"] } 1\' \\\n'
        '  <blubber.yaml >"$pipegen/blubber.yaml"\n'
        'DOCKER_BUILDKIT=1 $DOCKER build --pull --force-rm --file "$pipegen/blubber.yaml" --target lint \\\n'
        '  --tag "localhost/$pipegen_id" --label "ci.project=$PROJECT" --label ci.pipeline=p .\n'
        '$DOCKER run --name "$pipegen_id" "localhost/$pipegen_id" &\n'
        'wait "$!"\n'
    )


def disposable(**changes: object) -> ShellEnvironment:
    """Return a host whose jobs have their own container engine and share images by name."""
    return host(
        images=Images.REGISTRY, is_disposable=True, names_images=True, keeps_lines=True, shares_daemon=False, **changes
    )


def test_a_disposable_container_engine_needs_no_cleanup() -> None:
    """Nothing is removed or named for removal, since the engine disappears with the job."""
    plan = plan_of([{"name": "lint"}])

    assert text_of(script_of(plan, "lint", disposable())) == (
        "{ head -n 1 <blubber.yaml | grep -qi '^# *syntax *=' || echo \"# syntax=example.org/blubber:1\";"
        " cat <blubber.yaml; } |\n"
        '  docker build --pull --file - --target lint --tag "localhost/lint:$JOB" --label "ci.project=$PROJECT" \\\n'
        "    --label ci.pipeline=p .\n"
        'docker run --rm --name "lint-$JOB" "localhost/lint:$JOB"\n'
    ).replace('"# syntax=example.org/blubber:1"', "'# syntax=example.org/blubber:1'")


def test_shared_images_have_names_known_before_the_run() -> None:
    """Stages that only run an image do not read its ID; those that read the ID as text do."""
    stages = [
        {"name": "a", "build": "x"},
        {"name": "b", "run": {"image": "${a.imageID}"}},
        {"name": "c", "run": {"image": "${a.imageID}", "arguments": ["${a.imageID}"]}},
    ]
    plan = with_named_images(plan_of(stages[:2]))
    with_text = with_named_images(plan_of(stages))

    assert (plan.job("a").outputs, plan.job("b").inputs) == ((), ())
    assert with_text.job("a").outputs == ("imageID",)
    assert [job.inputs for job in with_text.jobs] == [(), (), (Output("a", "imageID"),)]
    assert text_of(script_of(plan, "a", disposable())).endswith('docker push "$REGISTRY/shared:$RUN-a"\n')
    assert text_of(script_of(plan, "b", disposable())).endswith('--name "b-$JOB" "$REGISTRY/shared:$RUN-a"\n')


@pytest.mark.parametrize(("output", "status"), [("1\n2\n", 0), ("", 3)])
def test_output_with_a_disposable_container_engine(world: World, output: str, status: int) -> None:
    """A failing container fails the job even if the script turned `pipefail` off."""
    say(world, output)
    world.variables["FAKE_FAIL"] = f"run={status}"
    for start in ({}, {"script": ["true"]}):
        plan = plan_of([{"name": "t", **start, "build": "x", "run": {"tail": 1}}, READER])
        text = text_of(script_of(plan, "t", disposable()))
        has_pipefail = world.shell == "runner" or bool(start)
        result = world.run(f'docker() {{ sh {world.bin / "docker"} "$@"; }}\n{text}') if has_pipefail else None

        assert result is None or bool(result.status) == bool(status), result.errors
        assert result is None or status or world.output("t", "output") == "2\n"


@pytest.mark.slow
@pytest.mark.parametrize("output", [*HOSTILE.values(), "1\n2\n3\n4\n", "1\n2\n3\n4", "\n", "a\n\n\n"])
@pytest.mark.parametrize("tail", [1, 3])
def test_output_is_the_last_lines_with_one_newline(world: World, output: str, tail: int) -> None:
    """Even if the container prints nothing."""
    plan = plan_of([{"name": "t", "build": "x", "run": {"tail": tail}}, READER])
    say(world, output)

    result = world.run_job(plan, "t", host())

    lines = output.removesuffix("\n").split("\n")
    assert result.status == 0, result.errors
    assert world.output("t", "output") == "\n".join(lines[-tail:]) + "\n"


@pytest.mark.parametrize("output", ["", "1\n2", "1\n\n\n"])
def test_a_negative_tail_is_all_output(world: World, output: str) -> None:
    """It is unchanged, with or without a line break at its end."""
    plan = plan_of([{"name": "t", "build": "x", "run": {"tail": -1}}, READER])
    say(world, output)

    result = world.run_job(plan, "t", host())

    assert result.status == 0, result.errors
    assert world.output("t", "output") == output


def test_output_without_tail_is_empty(world: World) -> None:
    """A reader of an output that is not stored gets an empty text."""
    plan = plan_of([{"name": "t", "build": "x", "run": True}, READER | {"run": {"arguments": ["${t.output|none}"]}}])
    if "output" not in plan.job("t").outputs:
        pytest.skip("the plan knows already that it is empty")

    world.run_job(plan, "t", host())

    assert world.output("t", "output") == ""


@pytest.mark.parametrize("tail", [0, 3])
def test_the_status_of_a_failing_container_is_kept(world: World, tail: int) -> None:
    """Also if its output goes through `tee`; no output is bound."""
    plan = plan_of([{"name": "t", "build": "x", "run": {"tail": tail}}, READER])
    world.variables["FAKE_FAIL"] = "run=42"

    result = world.run_job(plan, "t", host())

    # bash returns 1 as the status of a failing command if the runner evaluates the script behind a pipe
    assert result.status in ({1, 42} if world.shell == "runner" else {42})
    assert not (world.root / ".pipegen").exists()
    assert result.left == []


def test_settings_expand_shell_variables_but_arguments_do_not(world: World) -> None:
    """PipelineLib puts double quotes around settings and single quotes around arguments."""
    run = {"arguments": ["${WHO}"], "env": {"A": "<${WHO}>$WHO`id`$(id)\\", "B": "${UNSET}", "C": "${no-name}"}}
    plan = plan_of([{"name": "t", "build": "x", "run": run}])
    world.variables["WHO"] = "a  *"

    result = world.run_job(plan, "t", host())

    words = next(call for call in result.calls if call[0] == "run")
    assert [word for word in words if word[1:2] == "="] == ["A=<a  *>$WHO`id`$(id)\\", "B=", "C=${no-name}"]
    assert words[-1] == "${WHO}"


def test_secrets_come_from_the_environment(world: World) -> None:
    """No secret is part of a command; the file of a key is mounted under its own path."""
    credentials = [{"id": "token", "name": "TOKEN"}, {"id": "k", "keyFileVariable": "KEY"}]
    plan = plan_of([{"name": "t", "build": "x", "run": {"credentials": credentials}}])
    world.variables.update({"TOKEN": "hidden", "KEY": "/k"})

    result = world.run_job(
        plan, "t", host(credential=lambda credential: (f': "${{{credential.variables[0]}:?missing}}"',))
    )

    words = next(call for call in result.calls if call[0] == "run")
    assert "hidden" not in "".join(words)
    assert words[3:9] == ["--env", "TOKEN", "--env", "KEY", "--volume", "/k:/k:ro"]


def test_the_image_of_another_stage_is_run(world: World) -> None:
    """By its ID with a shared daemon, otherwise by its name in the registry."""
    image = {"name": "b", "run": {"image": "${a.imageID}"}}
    plan = plan_of([{"name": "a", "build": "x"}, image])
    for images, name in ((Images.LOCAL, "sha256:abc"), (Images.REGISTRY, "registry.example/shared:abc")):
        world.give("a", "imageID", "abc")

        result = world.run_job(plan, "b", host(images=images))

        assert next(call for call in result.calls if call[0] == "run")[3:] == [name]


def test_an_external_image_is_run_by_its_id(world: World) -> None:
    """The algorithm appears once."""
    stages = [
        {"name": "a", "build": "x", "run": {"tail": 1}},
        {"name": "b", "run": {"image": "${a.output}"}},
    ]
    plan = plan_of(stages)
    world.give("a", "output", "sha256:abc")

    result = world.run_job(plan, "b", host())

    assert next(call for call in result.calls if call[0] == "run")[3:] == ["sha256:abc"]


def test_a_job_that_pulls_an_image_logs_in(world: World) -> None:
    """The password goes through standard input, and the login is stored in the job's own folder."""
    plan = plan_of([{"name": "a", "build": "x"}, {"name": "b", "run": {"image": "${a.imageID}"}}])
    where = host(images=Images.REGISTRY, login=LOGIN)
    world.give("a", "imageID", "abc")

    result = world.run_job(plan, "b", where)

    assert script_of(plan, "b", where).login
    assert result.calls[0] == ["login", "--username", "me", "--password-stdin", "registry.example"]
    assert (world.kept / "password").read_text() == "secret"
    assert not script_of(plan, "b", host(login=LOGIN)).login


def test_a_kept_container_replaces_that_of_an_earlier_attempt(world: World) -> None:
    """Its name is the same in each attempt."""
    copy = {"name": "b", "copy": [{"from": "${a.container}", "source": "/f", "destination": "f"}]}
    plan = plan_of([{"name": "a"}, copy])

    result = world.run_job(plan, "a", host())

    names = [call for call in result.calls if "pipegen-3-a" in call]
    assert names == [
        ["rm", "--force", "--volumes", "pipegen-3-a"],
        ["run", "--name", "pipegen-3-a", "localhost/pipegen-3-a"],
    ]
