"""Configs of any size, compiled for Jenkins, with the compiler's estimated sizes of methods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from targets.jenkins.sample_plans import work_of

from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.render import text as diagnostics
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace
from pipegen.targets.base import Request
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import calls
from pipegen.targets.jenkins.job.environments import without_stops
from pipegen.targets.jenkins.lower import lower
from pipegen.targets.jenkins.render import render
from pipegen.targets.jenkins.settings import parse_settings
from pipegen.targets.jenkins.size.files import FileFrame, weigh_declarative, weigh_script, weigh_selected
from pipegen.targets.jenkins.size.weights import weigh_added, weigh_steps
from pipegen.targets.jenkins.stages.plan_scripts import plan_scripts
from pipegen.targets.jenkins.styles import scripted
from pipegen.targets.jenkins.styles.kinds import weigh_kinds
from pipegen.targets.jenkins.styles.tables import lower_tables


@dataclass(frozen=True, slots=True)
class Built:
    """A file, and its text."""

    file: model.Jenkinsfile
    text: str

    def weights(self) -> dict[str, int]:
        """Return the compiler's estimated size of each method, "" for code outside functions."""
        # A function is a block besides the counted nodes.
        return {name: weight + bool(name) for name, weight in _weights(self.file)}


def built(config: Path | str, style: str = "auto") -> Built:
    """Return the file for *config*, a path or text."""
    report = Report()
    try:
        source = load(config, report) if isinstance(config, Path) else SourceFile("pipegen.yaml", config)
        analysed = analyse(source, (), report)
        settings = analysed.settings.get("jenkins")
        request = Request(
            source="pipegen.yaml",
            start=Span(SourceFile("pipegen.yaml", ""), 0, 0),
            settings=settings,
            selected=(),
            options={"style": style},
        )
        jenkins_settings = parse_settings(settings)
        scripts = [plan_scripts(without_stops(plan, report), jenkins_settings, report) for plan in analysed.plans]
        file = lower(scripts, request, jenkins_settings, report)
        report.stop_if_errors()
    except Stopped as stopped:
        raise AssertionError(diagnostics.render(report.diagnostics())) from stopped
    return Built(file, render(file, "pipegen.yaml"))


def as_tables(config: Path | str, patch: pytest.MonkeyPatch) -> Built:
    """Return the scripted file for *config* in the form of very large files."""
    with patch.context() as patched:
        patched.setattr(scripted, "MOST_CODE", 0)
        return built(config, "scripted")


def _weights(file: model.Jenkinsfile) -> Iterator[tuple[str, int]]:
    around = FileFrame(
        properties=file.properties,
        parameters=file.parameters,
        selection=file.selection,
        variables=file.variables,
        look=file.look,
        pin=file.pin,
    )
    body = file.body
    if isinstance(body, model.Declarative):
        yield "", weigh_declarative(around, body)
        for stage in file.stages:
            if stage.steps_function:
                yield f"{stage.steps_function}/0", weigh_steps(stage.steps)
        return
    script = weigh_script(around, body)
    if not body.calls:
        script += sum(weigh_selected(selected) + 4 * len(text.splitlines()) for selected, text in calls(body.chunks))
        in_place = [chunk for chunk in body.chunks if not chunk.function]
        script += sum(weigh_selected(chunk.selected) + sum(map(weigh_added, chunk.stages)) for chunk in in_place)
    script += 4 * len(body.calls)
    for chunk in body.chunks:
        if chunk.function:
            yield f"{chunk.function}/0", sum(map(weigh_added, chunk.stages))
    if body.tables is not None:
        script += 4 * len(body.tables.calls)
        script += sum(6 + weigh_selected(span.selected) for span in body.tables.spans if not body.tables.calls)
        yield from _of_kinds("runStep", body.tables.steps)
        yield from _of_kinds("valueOf", body.tables.values)
    yield "", script


def _of_kinds(function: str, kinds: Sequence[Sequence[model.StepKind]]) -> Iterator[tuple[str, int]]:
    for number, part in enumerate(kinds, 1):
        yield f"{function}{number if number > 1 else ''}/1", weigh_kinds([part]) + 20


def light(count: int, width: int = 10) -> str:
    """Return a config of *count* stages that only print, in layers of *width*, each with two predecessors."""
    return _config([f"      - {{ name: stage-{number}, script: [echo {number}] }}" for number in range(count)], width)


def realistic(count: int, width: int = 10) -> str:
    """Return a config of *count* stages that use many features, each with unique texts."""
    return _config([_realistic(number, _before(number, width)) for number in range(count)], width)


def repeated(pipeline_build: Built, count: int) -> Built:
    """Return *pipeline_build*, which has tables, with *count* stages that cycle through its own texts."""
    stages = tuple(
        replace(
            pipeline_build.file.stages[number % len(pipeline_build.file.stages)],
            name=f"stage-{number}",
            after=tuple(f"stage-{before}" for before in _before(number, 10)),
        )
        for number in range(count)
    )
    assert isinstance(pipeline_build.file.body, model.ScriptedPipelines)
    tables = lower_tables(work_of(pipeline_build.file.stages[0].pipeline), stages)
    file = replace(pipeline_build.file, stages=stages, body=replace(pipeline_build.file.body, tables=tables))
    return Built(file, render(file, "pipegen.yaml"))


def _realistic(number: int, before: Sequence[int]) -> str:
    read = [f'          - echo "${{stage-{predecessor}.version|none}}" \'\\\' "it\'s"' for predecessor in before]
    texts = [f"          - make step-{line} NUMBER={number} \"TEXT=ü $HOME 'x'\"" for line in range(10)]
    return "\n".join(
        [
            f"      - name: stage-{number}",
            f"        image: 'python:3.{number % 5 + 8}'",
            f"        retry: {number % 3 + 1}",
            f"        timeout: {600 + number % 7}",
            f"        when: {{ event: [push, {('schedule', 'tag', 'merge_request')[number % 3]}] }}",
            f"        secrets: {{ TOKEN: token-{number % 4} }}",
            f"        outputs: {{ version: {{ command: 'cat VERSION-{number}' }} }}",
            f"        artifacts: [dist/{number}/]",
            f"        files_from: [{', '.join(f'stage-{predecessor}' for predecessor in before)}]",
            "        script:",
            *texts,
            *read,
        ]
    )


def _before(number: int, width: int) -> tuple[int, ...]:
    return tuple(predecessor for predecessor in (number - width, number - width - 1) if predecessor >= 0)


def _config(stages: Sequence[str], width: int) -> str:
    arcs = [
        f"      - [stage-{predecessor}, stage-{number}]"
        for number in range(len(stages))
        for predecessor in _before(number, width)
    ]
    alone = [f"      - [stage-{number}]" for number in range(len(stages)) if not _before(number, width)]
    return "\n".join(["pipelines:", "  big:", "    stages:", *stages, "    execution:", *alone, *arcs, ""])


def many(inputs: int = 0, pipelines: int = 1, stages: int = 2, join: int = 0) -> str:
    """Return a config with many top-level parts: inputs that scripts read, conditional pipelines, a join of stages."""
    texts = [f"  given_{number}: {{ default: 'value {number}', description: text }}" for number in range(inputs)]
    read = "".join(f' "${{inputs.given_{number}}}"' for number in range(inputs))
    lines = ["inputs:", *texts] if inputs else []
    lines.append("pipelines:")
    for number in range(pipelines):
        lines += [f"  p{number}:"]
        lines += [f"    when: {{ branch: [main, 'x{number}-*'] }}"] if pipelines > 1 else []
        lines += ["    stages:", f"      - {{ name: first, script: ['echo{read}'] }}"]
        lines += [f"      - {{ name: s{index}, script: [echo {index}] }}" for index in range(max(stages, join))]
        lines += ["      - { name: last, script: [echo last] }", "    execution:"]
        if join:
            lines.append(f"      - [first, [{', '.join(f's{index}' for index in range(join))}], last]")
        else:
            lines += [f"      - [first, s{index}]" for index in range(stages)] + ["      - [last]"]
    return "\n".join([*lines, ""])


def wide(stages: int) -> str:
    """Return a config of two pipelines with one workspace each, of many parallel stages."""
    names = [f"s{number}" for number in range(stages)]
    own = [f"      - {{ name: {name}, script: [x] }}" for name in names]
    arcs = [f"      - [{name}]" for name in names]
    pipelines = [
        [f"  {name}:", "    workspace: shared", "    stages:", *own, "    execution:", *arcs] for name in ("one", "two")
    ]
    return "\n".join(["pipelines:", *pipelines[0], *pipelines[1], ""])


def gathering(stages: int) -> str:
    """Return a config of *count* stages, and one that gets the files of all."""
    names = [f"s{number}" for number in range(stages)]
    texts = [f"      - {{ name: {name}, script: [x], artifacts: [{name}] }}" for name in names]
    last = ["      - { name: last, script: [x] }", "    execution:", f"      - [[{', '.join(names)}], last]"]
    return "\n".join(["pipelines:", "  p:", "    stages:", *texts, *last, ""])


def over(weights: Mapping[str, int], counted: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the methods whose size exceeds the compiler's estimate."""
    return {name: (weights[name], counted[name]) for name in weights if counted[name] > weights[name]}
