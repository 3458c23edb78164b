"""Running an image."""

from __future__ import annotations

import pytest
from shell.world import BIN, HOSTILE, LOGIN, World, host, plan_of, script_of, text_of

from pipegen.plan.model import Output
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.images import with_named_images

READER = {"name": "r", "build": "x", "run": {"arguments": ["${t.output}"]}}


def say(world: World, text: str) -> None:
    """Make containers print *text*."""
    path = world.folder / "said"
    path.write_bytes(text.encode())
    world.variables["FAKE_OUTPUT"] = str(path)


def test_a_plain_job_stays_plain() -> None:
    """A stage that only builds and runs has nothing but that and its removal."""
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
    """Return a host whose jobs have a container engine of their own, and share images by name."""
    return host(
        images=Images.REGISTRY, is_disposable=True, names_images=True, keeps_lines=True, shares_daemon=False, **changes
    )


def test_an_engine_of_its_own_needs_no_removal() -> None:
    """What is thrown away with the job is neither named for a removal nor removed."""
    plan = plan_of([{"name": "lint"}])

    assert text_of(script_of(plan, "lint", disposable())) == (
        "{ head -n 1 <blubber.yaml | grep -qi '^# *syntax *=' || echo \"# syntax=example.org/blubber:1\";"
        " cat <blubber.yaml; } |\n"
        '  docker build --pull --file - --target lint --tag "localhost/lint:$JOB" --label "ci.project=$PROJECT" \\\n'
        "    --label ci.pipeline=p .\n"
        'docker run --rm --name "lint-$JOB" "localhost/lint:$JOB"\n'
    ).replace('"# syntax=example.org/blubber:1"', "'# syntax=example.org/blubber:1'")


def test_a_shared_image_has_a_name_that_is_known_before() -> None:
    """Its builder pushes it, and a stage that only runs it reads no ID; one that reads the ID as text gets that too."""
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


@pytest.mark.parametrize(("said", "status"), [("1\n2\n", 0), ("", 3)])
def test_output_of_an_engine_of_its_own(world: World, said: str, status: int) -> None:
    """A failure of the container is that of the job, whether its script has switched `pipefail` off or not."""
    say(world, said)
    world.variables["FAKE_FAIL"] = f"run={status}"
    for start in ({}, {"script": ["true"]}):
        plan = plan_of([{"name": "t", **start, "build": "x", "run": {"tail": 1}}, READER])
        text = text_of(script_of(plan, "t", disposable()))
        has_pipefail = world.shell == "runner" or bool(start)
        result = world.run(f'docker() {{ sh {BIN / "docker"} "$@"; }}\n{text}') if has_pipefail else None

        assert result is None or bool(result.status) == bool(status), result.errors
        assert result is None or status or world.output("t", "output") == "2\n"


@pytest.mark.slow
@pytest.mark.parametrize("said", [*HOSTILE.values(), "1\n2\n3\n4\n", "1\n2\n3\n4", "\n", "a\n\n\n"])
@pytest.mark.parametrize("tail", [1, 3])
def test_output_is_the_last_lines_with_one_newline(world: World, said: str, tail: int) -> None:
    """The last lines of what a container prints, always ending in a newline, even of nothing."""
    plan = plan_of([{"name": "t", "build": "x", "run": {"tail": tail}}, READER])
    say(world, said)

    result = world.run_job(plan, "t", host())

    lines = said.removesuffix("\n").split("\n")
    assert result.status == 0, result.errors
    assert world.output("t", "output") == "\n".join(lines[-tail:]) + "\n"


@pytest.mark.parametrize("said", ["", "1\n2", "1\n\n\n"])
def test_a_negative_tail_is_all_output(world: World, said: str) -> None:
    """As it is, whatever its end."""
    plan = plan_of([{"name": "t", "build": "x", "run": {"tail": -1}}, READER])
    say(world, said)

    result = world.run_job(plan, "t", host())

    assert result.status == 0, result.errors
    assert world.output("t", "output") == said


def test_output_without_tail_is_empty(world: World) -> None:
    """A reader of an output that nobody keeps gets the empty text."""
    plan = plan_of([{"name": "t", "build": "x", "run": True}, READER | {"run": {"arguments": ["${t.output|none}"]}}])
    if "output" not in plan.job("t").outputs:
        pytest.skip("the plan knows already that it is empty")

    world.run_job(plan, "t", host())

    assert world.output("t", "output") == ""


@pytest.mark.parametrize("tail", [0, 3])
def test_the_status_of_a_failing_container_is_kept(world: World, tail: int) -> None:
    """Also where its output goes through `tee`; nothing is bound then."""
    plan = plan_of([{"name": "t", "build": "x", "run": {"tail": tail}}, READER])
    world.variables["FAKE_FAIL"] = "run=42"

    result = world.run_job(plan, "t", host())

    # bash makes 1 of the status of a command that fails where the runner evaluates the script behind a pipe
    assert result.status in ({1, 42} if world.shell == "runner" else {42})
    assert not (world.root / ".pipegen").exists()
    assert result.left == []


def test_settings_expand_the_shells_variables_and_arguments_do_not(world: World) -> None:
    """`${NAME}` that nobody binds: PipelineLib's double quotes around settings, single ones around arguments."""
    run = {"arguments": ["${WHO}"], "env": {"A": "<${WHO}>$WHO`id`$(id)\\", "B": "${UNSET}", "C": "${no-name}"}}
    plan = plan_of([{"name": "t", "build": "x", "run": run}])
    world.variables["WHO"] = "a  *"

    result = world.run_job(plan, "t", host())

    words = next(call for call in result.calls if call[0] == "run")
    assert [word for word in words if word[1:2] == "="] == ["A=<a  *>$WHO`id`$(id)\\", "B=", "C=${no-name}"]
    assert words[-1] == "${WHO}"


def test_secrets_come_from_the_environment(world: World) -> None:
    """No secret is part of a command; a key's file is there under its own path."""
    credentials = [{"id": "token", "name": "TOKEN"}, {"id": "k", "keyFileVariable": "KEY"}]
    plan = plan_of([{"name": "t", "build": "x", "run": {"credentials": credentials}}])
    world.variables.update({"TOKEN": "hidden", "KEY": "/k"})

    result = world.run_job(plan, "t", host(credential=lambda one: (f': "${{{one.variables[0]}:?missing}}"',)))

    words = next(call for call in result.calls if call[0] == "run")
    assert "hidden" not in "".join(words)
    assert words[3:9] == ["--env", "TOKEN", "--env", "KEY", "--volume", "/k:/k:ro"]


def test_the_image_of_another_stage(world: World) -> None:
    """It goes by its ID on one machine, by its name in the registry elsewhere."""
    image = {"name": "b", "run": {"image": "${a.imageID}"}}
    plan = plan_of([{"name": "a", "build": "x"}, image])
    for images, name in ((Images.LOCAL, "sha256:abc"), (Images.REGISTRY, "registry.example/shared:abc")):
        world.give("a", "imageID", "abc")

        result = world.run_job(plan, "b", host(images=images))

        assert next(call for call in result.calls if call[0] == "run")[3:] == [name]


def test_an_image_that_no_stage_builds(world: World) -> None:
    """Its ID is used with the algorithm named once."""
    stages = [
        {"name": "a", "build": "x", "run": {"tail": 1}},
        {"name": "b", "run": {"image": "${a.output}"}},
    ]
    plan = plan_of(stages)
    world.give("a", "output", "sha256:abc")

    result = world.run_job(plan, "b", host())

    assert next(call for call in result.calls if call[0] == "run")[3:] == ["sha256:abc"]


def test_a_job_that_pulls_logs_in(world: World) -> None:
    """The password goes through standard input, and the login into the job's own folder."""
    plan = plan_of([{"name": "a", "build": "x"}, {"name": "b", "run": {"image": "${a.imageID}"}}])
    where = host(images=Images.REGISTRY, login=LOGIN)
    world.give("a", "imageID", "abc")

    result = world.run_job(plan, "b", where)

    assert script_of(plan, "b", where).logs_in
    assert result.calls[0] == ["login", "--username", "me", "--password-stdin", "registry.example"]
    assert (world.kept / "password").read_text() == "secret"
    assert not script_of(plan, "b", host(login=LOGIN)).logs_in


def test_a_kept_container_survives_and_a_try_before_does_not_matter(world: World) -> None:
    """Its name is the same in each try, so what a try left goes first."""
    copy = {"name": "b", "copy": [{"from": "${a.container}", "source": "/f", "destination": "f"}]}
    plan = plan_of([{"name": "a"}, copy])

    result = world.run_job(plan, "a", host())

    names = [call for call in result.calls if "pipegen-3-a" in call]
    assert names == [
        ["rm", "--force", "--volumes", "pipegen-3-a"],
        ["run", "--name", "pipegen-3-a", "localhost/pipegen-3-a"],
    ]
