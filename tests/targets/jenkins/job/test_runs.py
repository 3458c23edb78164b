"""Runs of generated Jenkinsfiles."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines.jenkins_harness import Build, Node, SshKey, UsernamePassword
from targets.jenkins.conftest import Run
from targets.jenkins.sample_plans import (
    DIAMOND,
    SPAN,
    artifact,
    jenkinsfile,
    loop,
    mail,
    plan,
    read,
    script,
    scripts,
    text,
)

from pipegen.bindings.expression import Loop
from pipegen.plan.model import (
    Credential,
    CredentialKind,
    FetchOptions,
    Output,
    Selection,
    SharedResources,
    Submodules,
    TriggerJob,
    Workspace,
)
from pipegen.source.text import Located
from pipegen.structs import replace
from pipegen.targets.jenkins.settings import JenkinsSettings

STYLES = ("declarative", "scripted")
HOSTILE = "'; exit 9 #\n$(exit 9) \\\n'''\n\"${x}\" \\u0041  "


def happened(build: Build) -> dict[str, str]:
    """Return the result of each stage that ran, without enclosing stages."""
    outer = {name for stage in build.stages for name in stage.parents}
    return {stage.name: stage.status for stage in build.stages if stage.name not in outer and stage.status != "skipped"}


def leave(name: str, value: str) -> str:
    """Return a command that writes *value* as an output of the stage *name*."""
    quoted = value.replace("'", "'\\''")
    return f"mkdir -p .pipegen/outputs/demo-{name}; printf %s '{quoted}' >.pipegen/outputs/demo-{name}/value"


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_stages_run_in_order(run: Run, style: str) -> None:
    """A stage starts when its predecessors have ended."""
    sample = plan(("build", "unit", "release"), ("build", "lint", "pack", "release"))
    build = run(jenkinsfile(scripts(sample), style=style))

    assert build.result == "SUCCESS"
    assert set(happened(build)) == set(sample.graph.nodes)
    for earlier, later in sample.graph.arcs:
        assert build.stage(earlier).end <= build.stage(later).start


@pytest.mark.slow
def test_a_failure_skips_only_its_successors(run: Run) -> None:
    """Independent stages continue, and the build fails."""
    build = run(jenkinsfile(scripts(plan(*DIAMOND), lint=script("exit 1")), style="scripted"))

    assert build.result == "FAILURE"
    assert happened(build) == {
        "lint": "failed",
        "build": "success",
        "docs": "success",
    }


@pytest.mark.slow
def test_waiting_stages_hold_no_executor(run: Run) -> None:
    """One executor is enough for any graph, including mails that read outputs."""
    mail_settings = mail("a@b", body=text(read("build", "value")))
    build_script = script(leave("build", "x"), carries=(".pipegen/outputs/demo-build/",))
    sample = plan(*DIAMOND, release={"inputs": (Output("build", "value"),), "mail": mail_settings})
    work = scripts(sample, build=build_script, release=script("exit 1"))
    build = run(jenkinsfile(work, style="scripted"), nodes=(Node(executors=1),), seconds=60)

    assert build.result == "FAILURE"
    assert [sent["body"] for sent in build.mails] == ["x"]


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_values_files_and_secrets_arrive_unchanged(run: Run, style: str, tmp_path: Path) -> None:
    """They reach the stages that read them byte for byte; a mail subject is one line."""
    sample = plan(
        ("build", "use"),
        build={"outputs": ("value",), "artifacts": (artifact("dist"), artifact("one.txt"))},
        use={
            "inputs": (Output("build", "value"),),
            "files": ("build",),
            "mail": mail("a@b", "c@d", subject=text("it ", read("build", "value")), body=text(HOSTILE)),
        },
    )
    kinds = {CredentialKind.TEXT: ("T",), CredentialKind.PASSWORD: ("U", "P"), CredentialKind.SSH_KEY: ("K",)}
    secrets = tuple(Credential(id=kind.value, kind=kind, variables=names, span=SPAN) for kind, names in kinds.items())
    work = scripts(
        sample,
        build=script(
            leave("build", HOSTILE),
            "mkdir dist; echo hidden >dist/.gitignore; echo one >one.txt",
            carries=(".pipegen/outputs/demo-build/",),
        ),
        use=script(
            'cp .pipegen/outputs/demo-build/value "$OUT/value"',
            'cat dist/.gitignore one.txt >"$OUT/files"',
            'printf %s "$T $U $P $(cat "$K")" >"$OUT/secrets"',
            "mkdir -p .pipegen/archive/report; echo yes >.pipegen/archive/report/it",
            "exit 3",
            credentials=secrets,
        ),
    )
    data = {"text": HOSTILE, "password": UsernamePassword("me", HOSTILE), "ssh-key": SshKey("me", "key\n")}
    build = run(jenkinsfile(work, style=style), env={"OUT": str(tmp_path)}, credentials=data)

    assert (tmp_path / "value").read_text() == HOSTILE
    assert (tmp_path / "files").read_text() == "hidden\none\n"
    assert (tmp_path / "secrets").read_text() == f"{HOSTILE} me {HOSTILE} key"
    assert build.result == "FAILURE"
    assert build.mails == ({"to": "a@b, c@d", "subject": "it " + HOSTILE.replace("\n", " "), "body": HOSTILE},)


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_a_mail_reports_only_its_own_stage(run: Run, style: str) -> None:
    """No mail is sent for the failure of a parallel stage, even if that stage's own mail was not sent."""
    arcs = (("bad", "end"), ("good", "end"), ("worse", "end"))
    good, worse, end = ({"mail": mail(f"{name}@b")} for name in ("good", "worse", "end"))
    sample = plan(*arcs, bad={"mail": mail("")}, good=good, worse=worse, end=end)
    work = scripts(sample, bad=script("exit 1"), good=script("sleep 2"), worse=script("sleep 2; exit 1"))
    build = run(jenkinsfile(work, style=style))

    assert happened(build) == {"bad": "failed", "good": "success", "worse": "failed"}
    assert [sent["to"] for sent in build.mails] == ["worse@b"]


@pytest.mark.slow
def test_recipients_may_be_run_time_values(run: Run) -> None:
    """Lists are split as configured, blank lines are skipped, and a line with too few words sends no mail."""
    names = Loop(("name", "host"), True, text(read("list", "value")), "\n", text(loop("name"), "@", loop("host")), SPAN)
    whole = Loop(("one",), False, text("a@x;b@y"), ";", text(loop("one")), SPAN)
    mail_settings = replace(mail("first@z"), to=(text("first@z"), names, whole))
    few = replace(mail(), to=(Loop(("a", "b"), True, text("word"), "", text(loop("a")), SPAN),))
    reads = {"inputs": (Output("list", "value"),)}
    sample = plan(("list", "told"), ("list", "few"), told={**reads, "mail": mail_settings}, few={**reads, "mail": few})
    left = script(leave("list", "ann x.org more\n  \nbob y.org\n"), carries=(".pipegen/outputs/demo-list/",))
    build = run(jenkinsfile(scripts(sample, list=left, told=script("exit 1"), few=script("exit 1")), style="scripted"))

    assert [sent["to"] for sent in build.mails] == ["first@z, ann@x.org, bob@y.org, a@x, b@y"]
    assert "too few words: word" in build.log


@pytest.mark.slow
def test_all_stages_check_out_the_same_commit(run: Run) -> None:
    """A push during a build does not affect later stages, nor do files of earlier ones."""
    push = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && git push -q origin HEAD:main"
    sample = plan(("push", "look"))
    work = scripts(
        sample,
        push=script(f"touch litter; {push}"),
        look=script(
            '[ "$(git log --format=%s -1)" = first ]',
            "[ ! -e litter ]",
            'echo "$PIPEGEN_GIT_BRANCH"',
            setup=("GIT_BRANCH",),
        ),
    )
    build = run(jenkinsfile(work, style="scripted"), nodes=(Node(executors=1),))

    assert happened(build) == {"push": "success", "look": "success"}


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_a_change_request_is_merged_in_each_stage(run: Run, style: str) -> None:
    """Each stage creates a merge commit that other agents do not have; the first one is the setup value."""
    merged = "7" * 40
    work = scripts(plan(("a", "b")), b=script(f'[ "$PIPEGEN_COMMIT" = {merged} ]', "touch litter"), a=script("true"))
    build = run(jenkinsfile(work, style=style), env={"CHANGE_ID": "1", "PIPEGEN_COMMIT": merged})

    assert happened(build) == {"a": "success", "b": "success"}


@pytest.mark.slow
def test_a_missing_commit_fails_the_build(run: Run) -> None:
    """Results for another commit would look like results for this one."""
    build = run(jenkinsfile(scripts(plan(("a",)))), env={"PIPEGEN_COMMIT": "7" * 40})

    assert build.result == "FAILURE"


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_variables_of_jenkins_override_the_settings(run: Run, style: str, tmp_path: Path) -> None:
    """The sandbox permits how they are read."""
    work = scripts(plan(("a",)), a=script('echo "$PIPEGEN_REGISTRY $PIPEGEN_REPOSITORY" >"$OUT/said"'))
    env = {"OUT": str(tmp_path), "PIPEGEN_REGISTRY": "other.example.org"}
    build = run(jenkinsfile(work, style=style), env=env)

    assert build.result == "SUCCESS"
    assert (tmp_path / "said").read_text() == "other.example.org wikimedia\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("style", "selected", "ran"),
    [
        ("declarative", "", {"test: a", "test: b"}),
        ("scripted", "", {"test: a", "test: b"}),
        ("declarative", "publish", {"publish: c"}),
        ("scripted", "test, publish", {"test: a", "test: b", "publish: c"}),
        ("scripted", "all", {"test: a", "test: b", "publish: c"}),
    ],
)
def test_a_parameter_selects_pipelines(run: Run, style: str, selected: str, ran: set[str]) -> None:
    """Without it, pipelines that are not on demand run."""
    publish = replace(plan(("c",), name="publish"), selection=Selection.ON_DEMAND)
    work = (scripts(plan(("a", "b"), name="test")), scripts(publish))
    build = run(jenkinsfile(*work, style=style), params={"PIPEGEN_PIPELINE": selected})

    assert build.result == "SUCCESS"
    assert {name for name, status in happened(build).items() if status == "success"} == ran
    assert build.parameters["PIPEGEN_PIPELINE"] == selected


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_an_unknown_pipeline_fails_the_build(run: Run, style: str) -> None:
    """No stage runs, and the error lists the existing names."""
    work = (scripts(plan(("a",), name="test")), scripts(plan(("b",), name="publish")))
    build = run(jenkinsfile(*work, style=style), params={"PIPEGEN_PIPELINE": "tset"})

    assert build.result == "FAILURE"
    assert not build.stages
    assert build.error is not None
    assert build.error.message == 'PIPEGEN_PIPELINE names "tset"; there are test, publish'


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_stages_that_share_an_image_run_on_one_agent(run: Run, style: str, tmp_path: Path) -> None:
    """Others run anywhere; the image is removed on that agent, even after a failure."""
    sample = plan(
        ("build", "check"),
        ("build", "again"),
        ("lint",),
        build={"outputs": ("imageID",), "shared": SharedResources(image=True)},
        check={"inputs": (Output("build", "imageID"),)},
        again={"inputs": (Output("build", "imageID"),)},
    )
    left = script("mkdir -p .pipegen/outputs/demo-build; echo x >.pipegen/outputs/demo-build/imageID")
    work = scripts(
        sample,
        ('echo "$NODE_NAME $PIPEGEN_RUN" >"$OUT/removed"',),
        build=replace(left, carries=(".pipegen/outputs/demo-build/",)),
        check=script("exit 1"),
    )
    nodes = tuple(Node(name=f"agent-{number}", executors=1, labels=("docker",)) for number in range(3))
    text_ = jenkinsfile(work, style=style, settings=JenkinsSettings(agent="docker"))
    build = run(text_, nodes=nodes, env={"OUT": str(tmp_path)}, number=7)
    agent, number = (tmp_path / "removed").read_text().split()

    assert build.result == "FAILURE"
    assert {build.stage(name).node for name in ("build", "check", "again")} == {agent}
    assert number.endswith("-7")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("style", "arcs"),
    [
        ("auto", (("a", "b"),)),
        ("declarative", (("a", "c"), ("b", "c"))),
        ("scripted", (("a", "c"), ("b", "c"))),
    ],
)
def test_stages_can_share_a_workspace(run: Run, style: str, arcs: tuple[tuple[str, ...], ...]) -> None:
    """On one agent; values are in a folder next to it."""
    sample = replace(plan(*arcs), workspace=Workspace.SHARED)
    sample = replace(
        sample,
        jobs=tuple(
            replace(
                job,
                inputs=(Output("a", "value"),) if job.stage != "a" else (),
                mail=mail("x@y", subject=text(read("a", "value"))) if job.stage == sample.graph.leaves[0] else None,
            )
            for job in sample.jobs
        ),
    )
    last = sample.graph.leaves[0]
    folder = '"$WORKSPACE_TMP/pipegen/outputs/demo-a"'
    work = scripts(
        sample,
        ("echo gone >removed",),
        a=script(f"mkdir -p {folder}; printf 'v\\nw' >{folder}/value; touch file"),
        **{last: script("ls file", f"grep v {folder}/value", "exit 4")},
    )
    build = run(jenkinsfile(work, style=style), nodes=(Node(executors=1),), seconds=60)

    assert build.result == "FAILURE"
    assert happened(build)[last] == "failed"
    assert happened(build)["a"] == "success"
    assert [sent["subject"] for sent in build.mails] == ["v w"]


@pytest.mark.slow
def test_a_shared_workspace_does_not_affect_other_pipelines(run: Run) -> None:
    """One pipeline runs in one workspace, the other has one for each stage."""
    sample = replace(plan(("a", "c"), ("b", "c"), name="one"), workspace=Workspace.SHARED)
    work = (
        scripts(sample, ("touch removed",), a=script("touch a"), b=script("touch b"), c=script("ls a b")),
        scripts(plan(("a", "b"), name="two"), a=script("touch a"), b=script("[ ! -e a ]")),
    )
    build = run(jenkinsfile(*work, style="scripted"))

    assert build.result == "SUCCESS"
    assert happened(build) == dict.fromkeys(("one: a", "one: b", "one: c", "two: a", "two: b"), "success")


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_other_jobs_are_triggered(run: Run, style: str) -> None:
    """With constants and run-time values; their failure counts if it propagates.

    No agent is held while a stage waits for them.
    """

    def trigger(job: str, parameters: tuple[tuple[str, object], ...], *, counts: bool) -> dict[str, object]:
        return {
            "steps": (
                TriggerJob(
                    name=Located(job, SPAN),
                    parameters=parameters,  # type: ignore[arg-type]
                    propagate=counts,
                    wait=counts,
                    span=SPAN,
                ),
            )
        }

    sample = plan(
        ("known", "computed", "after"),
        known=trigger("folder/one", (("A", text(HOSTILE)),), counts=False),
        computed=trigger("two", (("A", text("x")), ("B", text(read("x", "y")))), counts=True),
    )
    write = "mkdir -p .pipegen/trigger/demo-computed; printf 'a\\nb' >.pipegen/trigger/demo-computed/1"
    work = scripts(sample, known=script(), computed=script(write))
    build = run(jenkinsfile(work, style=style), jobs={"folder/one": "FAILURE", "two": "FAILURE"})

    assert [
        (started_build.job, dict(started_build.parameters), started_build.wait) for started_build in build.builds
    ] == [
        ("folder/one", {"A": HOSTILE}, False),
        ("two", {"A": "x", "B": "a\nb"}, True),
    ]
    assert happened(build) == {"known": "success", "computed": "failed"}
    assert build.stage("known").node is None
    assert build.stage("computed").node == "built-in"
    assert [started_build.node for started_build in build.builds] == [None, None]


@pytest.mark.slow
def test_fetch_options_are_applied(run: Run) -> None:
    """Clone and submodule options are added to the job's own configuration."""
    sample = replace(plan(("a",)), fetch=FetchOptions(depth=1, submodules=Submodules.ALL, tags=False))
    build = run(jenkinsfile(scripts(sample, a=script("git log -1"))))

    assert build.result == "SUCCESS"


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_setup_values_are_set(run: Run, style: str, tmp_path: Path) -> None:
    """They come from the job's repository, the build and its parameters."""
    names = ("project", "projectShortName", "branch", "remote", "GIT_COMMIT", "params.WHO", "params.NONE", "timestamp")
    shown = ("PROJECT", "PROJECT_SHORT_NAME", "BRANCH", "REMOTE", "GIT_COMMIT", "PARAM_WHO", "PARAM_NONE", "TIMESTAMP")
    lines = " ".join(f'"$PIPEGEN_{name}"' for name in (*shown, "COMMIT"))
    work = scripts(plan(("a",)), a=script(f"printf '%s\\n' {lines} >\"$OUT/setup\"", setup=names))
    remote = "https://me@example.org:8080/r/group/tool.git"
    run(jenkinsfile(work, style=style), remote=remote, params={"WHO": "x y"}, env={"OUT": str(tmp_path)})
    project, short, branch, address, revision, who, none, timestamp, commit = (
        (tmp_path / "setup").read_text().splitlines()
    )

    assert (project, short, branch, address) == ("group/tool", "tool", "main", remote)
    assert (revision, who, none) == (commit, "x y", "")
    assert len(timestamp) == len("2022-01-31-164755")


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_a_false_parameter_is_not_empty(run: Run, style: str, tmp_path: Path) -> None:
    """A boolean parameter of the job is "false", a number 0."""
    line = 'echo "$PIPEGEN_PARAM_FLAG $PIPEGEN_PARAM_COUNT" >"$OUT/said"'
    work = scripts(plan(("a",)), a=script(line, setup=("params.FLAG", "params.COUNT")))
    build = run(jenkinsfile(work, style=style), params={"FLAG": False, "COUNT": 0}, env={"OUT": str(tmp_path)})

    assert build.result == "SUCCESS"
    assert (tmp_path / "said").read_text() == "false 0\n"


@pytest.mark.slow
def test_many_stages_are_declared_in_several_functions(run: Run) -> None:
    """One method cannot contain them all."""
    arcs = tuple((f"first{number}", f"second{number}") for number in range(45))
    build = run(jenkinsfile(scripts(plan(*arcs))))

    assert build.result == "SUCCESS"
    assert len(happened(build)) == 90
