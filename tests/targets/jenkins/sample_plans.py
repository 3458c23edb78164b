"""Small plans and scripts for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Artifact, Job, Mail, Plan, Selection, SharedResources, Workspace
from pipegen.shell.script import Command, StageScriptParts
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace
from pipegen.targets.base import Request
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.checkouts import Checkouts
from pipegen.targets.jenkins.lower import lower
from pipegen.targets.jenkins.named_jobs import PlanScripts, ScriptedPlans
from pipegen.targets.jenkins.render import render
from pipegen.targets.jenkins.settings import JenkinsSettings

FILE = SourceFile("pipegen.yaml", "pipelines: {}\n")
SPAN = Span(FILE, 0, 9)
DIAMOND = (("lint", "test", "release"), ("build", "test"), ("build", "docs", "release"))


def text(*parts: str | Reference) -> Text:
    """Return a text of *parts*."""
    return Text(parts, SPAN)


def read(stage: str, name: str, default: str | None = None) -> Reference:
    """Return a resolved reference to an output of *stage*, or to a setup value."""
    return Reference(stage, name, default, SPAN, Scope.SETUP if stage == "setup" else Scope.STAGE)


def loop(name: str) -> Reference:
    """Return a resolved reference to a name of a loop."""
    return Reference("", name, None, SPAN, Scope.LOOP)


def mail(*to: str, subject: Text | None = None, body: Text | None = None) -> Mail:
    """Return a mail."""
    return Mail(
        to=tuple(text(address) for address in to),
        subject=subject or text("failed"),
        body=body or text("see the log"),
        span=SPAN,
    )


def plan(*arcs: Sequence[str], name: str = "demo", **jobs: Mapping[str, Any]) -> Plan:
    """Return a plan of *arcs*; *jobs* has the changed fields of stages."""
    graph = ExecutionGraph(arcs)
    frames = graph.stack()
    result = tuple(
        Job(
            stage=stage,
            pipeline=name,
            slug=f"{name}-{stage}",
            span=SPAN,
            frame=next(number for number, frame in enumerate(frames) if stage in frame),
            needs=graph.predecessors(stage),
            reads=(),
            binds=(),
            inputs=(),
            outputs=(),
            files=(),
            artifacts=(),
            directory=".",
            steps=(),
            mail=None,
            shared=SharedResources(),
        )
        for stage in graph.nodes
    )
    return Plan(
        name=name,
        span=SPAN,
        graph=graph,
        frames=frames,
        jobs=tuple(replace(job, **jobs.get(job.stage, {})) for job in result),
        fetch=None,
        workspace=Workspace.ISOLATED,
        workspace_span=None,
        selection=Selection.ALWAYS,
        folder="",
    )


def artifact(path: str | None) -> Artifact:
    """Return an artifact."""
    return Artifact(path=path, span=SPAN)


def script(*lines: str, **parts: Any) -> StageScriptParts:
    """Return a script of *lines*; *parts* are its other fields."""
    script_parts = StageScriptParts(
        prelude=(),
        bind=(),
        steps=tuple(Command((line,)) for line in lines),
        outputs=(),
        setup=(),
        inputs=(),
        credentials=(),
        uses_containers=False,
        uses_helm=False,
        uses_git=False,
        login=(),
        carries=(),
        archives=False,
    )
    return replace(script_parts, **parts)


def scripts(sample: Plan, teardown: Sequence[str] = (), **special: StageScriptParts) -> PlanScripts:
    """Return *sample* with a script for each stage: its script in *special*, or one that prints the stage's name."""
    return PlanScripts(
        plan=sample,
        scripts={job.stage: special.get(job.stage, script(f"echo {job.stage}")) for job in sample.jobs},
        variables={},
        teardown=tuple(Command((line,)) for line in teardown),
        statuses={},
    )


NO_CHECKOUTS = Checkouts(None, {}, frozenset())


def work_of(pipeline: str) -> ScriptedPlans:
    """Return the input of lowering for a pipeline, without jobs."""
    plan_scripts = scripts(plan(("a",), name=pipeline))
    return ScriptedPlans(
        scripts=(plan_scripts,),
        named=(),
        settings=JenkinsSettings(),
        checkouts=NO_CHECKOUTS,
        is_conditional=False,
        ends={},
    )


def lowered(
    *plan_scripts: PlanScripts,
    style: str = "auto",
    settings: JenkinsSettings | None = None,
    report: Report | None = None,
    selected: tuple[str, ...] = (),
) -> model.Jenkinsfile:
    """Return the model of a file for plans."""
    request = Request(source="pipegen.yaml", start=SPAN, settings=None, selected=selected, options={"style": style})
    return lower(plan_scripts, request, settings or JenkinsSettings(), report or Report())


def jenkinsfile(
    *plan_scripts: PlanScripts,
    style: str = "auto",
    settings: JenkinsSettings | None = None,
    report: Report | None = None,
    selected: tuple[str, ...] = (),
) -> str:
    """Return the text of a file for plans."""
    return render(
        lowered(*plan_scripts, style=style, settings=settings, report=report, selected=selected), "pipegen.yaml"
    )
