"""Generated Jenkinsfiles, checked by Jenkins' own validator."""

from __future__ import annotations

import re

import pytest
from engines import jenkins_harness
from engines.requirement import require
from targets.jenkins.sample_plans import (
    DIAMOND,
    SPAN,
    artifact,
    jenkinsfile,
    lowered,
    mail,
    plan,
    read,
    script,
    scripts,
    text,
)

from pipegen.plan.model import (
    Credential,
    CredentialKind,
    FetchOptions,
    Job,
    JobImage,
    Machine,
    Output,
    Selection,
    SharedResources,
    Submodules,
    TriggerJob,
    Workspace,
)
from pipegen.shell.script import Command, StageScriptParts
from pipegen.source.text import Located
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import PlanScripts
from pipegen.targets.jenkins.render import render
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.size.weights import weigh_added, weigh_pipeline
from pipegen.targets.jenkins.styles import layout, scripted

PRELUDE = (Command(("DOCKER=${DOCKER:-docker}", "pipegen=$(mktemp -d)")),)
HOSTILE = "it's \\ \"$x\" '''\n\\u0041 */ // ${y}"
KINDS = ("plain", "values", "files", "mail", "failure", "trigger", "awaited", "secrets", "agent", "image")


def crowd(count: int, kind: str, *, in_a_row: bool = False) -> PlanScripts:
    """Return *count* stages of one kind, in sequence or in parallel."""
    stages = [f"s{number}" for number in range(count)]
    sample = plan(*([stages] if in_a_row else [[stage] for stage in stages]))
    work = scripts(sample, (), **dict.fromkeys(stages, _script(kind)))
    workspace = Workspace.SHARED if kind == "image" else Workspace.ISOLATED
    return replace(work, plan=replace(sample, jobs=tuple(_job(job, kind) for job in sample.jobs), workspace=workspace))


def _script(kind: str) -> StageScriptParts:
    pair = Credential(id="pair", kind=CredentialKind.PASSWORD, variables=("A", "B"), span=SPAN)
    token = Credential(id="token", kind=CredentialKind.TEXT, variables=("C",), span=SPAN)
    return {
        "values": script("./x", "echo 'y'", prelude=PRELUDE, carries=(".pipegen/outputs/x/",)),
        "files": script("./x", carries=(".pipegen/outputs/x/",), archives=True),
        "secrets": script("./x", credentials=(pair, token)),
    }.get(kind, script("./x"))


def _job(job: Job, kind: str) -> Job:
    mail_settings = mail(
        "a@b", subject=text("x ", read("setup", "project")), body=text("see ", read("setup", "logURL"))
    )
    failed = mail("a@b", subject=text("x ", read("s0", "v", "none")), body=text(read("setup", "tag"), "!"))
    parameters = (("A", text("b")), ("C", text(read("s0", "v"))))
    started = TriggerJob(name=Located("x", SPAN), parameters=parameters, propagate=False, wait=False, span=SPAN)
    image = JobImage(name=text("python:3.12"), entrypoint=None, pull=None, span=SPAN)
    changes: dict[str, dict[str, object]] = {
        "files": {"artifacts": (artifact("dist"),), "inputs": (Output("s0", "v"),), "files": ("s0",)},
        "mail": {"mail": mail_settings},
        "failure": {"mail": failed, "inputs": (Output("s0", "v"),)},
        "trigger": {"steps": (started,)},
        "awaited": {"steps": (replace(started, wait=True),)},
        "image": {"machine": Machine(image=image)},
        "agent": {"shared": SharedResources(image=True)},
    }
    return replace(job, **changes.get(kind, {}))


def findings(files: dict[str, str]) -> dict[str, list[str]]:
    """Return the findings of *files* that have any."""
    require(jenkins_harness.available())
    values = jenkins_harness.validate(files)
    return {name: [diagnostic.message for diagnostic in every] for name, every in values.items() if every}


@pytest.mark.slow
def test_every_kind_of_plan_gives_a_valid_file() -> None:
    """The validator accepts it, and its methods are within the size limit."""
    files = {}
    for kind in KINDS:
        for count in (1, 35, 60):
            files[f"{count} {kind}"] = jenkinsfile(crowd(count, kind), settings=JenkinsSettings(agent="docker"))
            files[f"{count} {kind} in a row"] = jenkinsfile(crowd(count, kind, in_a_row=True))
            if count == 1 or (kind == "plain" and count == 35):
                files[f"{count} {kind} declarative"] = jenkinsfile(crowd(count, kind), style="declarative")
    several = [replace(scripts(plan(*DIAMOND, name=name)), teardown=(Command(("rm x",)),)) for name in ("a", "b", "c")]
    on_demand = replace(several[1], plan=replace(several[1].plan, selection=Selection.ON_DEMAND))
    shared = replace(several[2], plan=replace(several[2].plan, workspace=Workspace.SHARED))
    fetched = replace(
        several[2], plan=replace(several[2].plan, fetch=FetchOptions(depth=3, submodules=Submodules.ALL, tags=True))
    )
    for style in ("declarative", "scripted"):
        files[f"several {style}"] = jenkinsfile(several[0], on_demand, fetched, style=style)
        files[f"shared {style}"] = jenkinsfile(shared, style=style)
    files["shared beside others"] = jenkinsfile(several[0], on_demand, shared, style="scripted")

    assert findings(files) == {}


@pytest.mark.slow
def test_hostile_text_is_only_in_literals() -> None:
    """Names, commands, URLs and the path of the config."""
    mail_settings = mail(HOSTILE, subject=text(HOSTILE), body=text(HOSTILE))
    sample = plan((HOSTILE, "b"), name="demo", **{HOSTILE: {"mail": mail_settings}})
    work = scripts(sample, (), **{HOSTILE: script(HOSTILE), "b": script(HOSTILE, "'", prelude=PRELUDE)})
    files = {style: render(lowered(work, style=style), f"a\n{HOSTILE}") for style in ("declarative", "scripted")}

    assert findings(files) == {}


@pytest.mark.slow
def test_estimated_weights_match_groovys_syntax_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate for a stage equals the number of nodes in the parser's tree."""
    require(jenkins_harness.available())
    bounds = ((layout, "LARGEST"), (scripted, "LARGEST"), (scripted, "_MOST_STAGES"), (scripted, "MOST_CODE"))
    for module, name in bounds:
        monkeypatch.setattr(module, name, 10**9)
    jenkinsfiles = {
        f"{kind} {style} {count}": lowered(crowd(count, kind, in_a_row=True), style=style)
        for kind in KINDS
        for style in ("declarative", "scripted")
        for count in (100, 101)
    }
    values = jenkins_harness.validate({name: render(file, "pipegen.yaml") for name, file in jenkinsfiles.items()})
    sizes = {name: _size(every) for name, every in values.items()}
    reckoned = {name: _estimated_size(file) for name, file in jenkinsfiles.items()}

    for name in (name for name in jenkinsfiles if name.endswith("100")):
        more = f"{name[:-1]}1"
        assert (name, sizes[more] - sizes[name]) == (name, reckoned[more] - reckoned[name])
        assert 0 <= sizes[name] - reckoned[name] < 100


def _estimated_size(file: model.Jenkinsfile) -> int:
    body = file.body
    if isinstance(body, model.Declarative):
        return weigh_pipeline(body)
    return sum(weigh_added(stage) for chunk in body.chunks for stage in chunk.stages)


def _size(findings: tuple[jenkins_harness.Finding, ...]) -> int:
    sizes = (re.search(r"outside its functions has (\d+)", diagnostic.message) for diagnostic in findings)
    (size,) = (size[1] for size in sizes if size is not None)
    return int(size)
