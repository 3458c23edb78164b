"""What events start of an engine's file; for a generated Jenkinsfile, its config has the answer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipegen.cli.events import checkout_of, event_starts
from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.drift import CheckResult, check_results, regenerate_file
from pipegen.cli.files.regenerate import Result, header_options
from pipegen.cli.files.repository import GeneratedPath, current_repository, read_written
from pipegen.cli.session import analysed_since, fixed_inputs
from pipegen.compiler import Analysed
from pipegen.diagnostics.report import Report, Stopped
from pipegen.graph.execution import ExecutionGraph
from pipegen.importing.starts import FileStart, FileStarts
from pipegen.plan.events import PipelineStart, usual_events
from pipegen.plan.model.facts import StartEvent
from pipegen.readback.engines import FileEngine
from pipegen.readback.generated import read
from pipegen.run.local.checkout import LocalCheckout
from pipegen.source.text import SourceFile


def starts_of(file: SourceFile, engine: FileEngine, report: Report) -> FileStarts:
    """Return what each event starts of *file*; raise `Stopped` if it cannot be read."""
    checkout = checkout_of(file)
    # Most calls start faster without the importers.
    if engine is FileEngine.JENKINS:
        from pipegen.importing.jenkins.starts import jenkins_starts  # noqa: PLC0415

        written = read_written(Path(os.path.relpath(file.absolute_path or file.path)))
        own, checked = Report(), CheckResult(Report())
        results = _regenerated(written, checked) if written is not None else ()
        if written is not None and results and results[-1].file.text == written.text:
            return _of_config(_analysed(written, results[-1].config), file, checkout)
        try:
            return jenkins_starts(file, checkout, own)
        except Stopped:
            check_results(results[-1:], checked, "pipegen compile")
            own = checked.report if checked.report.has_errors() else own
            raise
        finally:
            report.take(own)
    from pipegen.importing.gitlab.reading.locations import Roots  # noqa: PLC0415
    from pipegen.importing.gitlab.starts import gitlab_starts  # noqa: PLC0415

    return gitlab_starts(file, Roots(checkout.root), checkout.default_branch, checkout, report)


def _regenerated(written: GeneratedPath, checked: CheckResult) -> tuple[Result, ...]:
    """Return the files that the config of *written* generates now, itself last; () without a valid config."""
    try:
        return regenerate_file(written, current_repository(), checked)
    except WrongUsage:  # the header has options that pipegen did not write
        return ()


def _analysed(written: GeneratedPath, config: SourceFile) -> Analysed:
    """Return the part of *config* from which *written* is generated."""
    options = header_options(written)
    return analysed_since(config, options.of("--pipeline"), Report(), fixed_inputs(options.of("--set")), None)


def _of_config(analysed: Analysed, file: SourceFile, checkout: LocalCheckout) -> FileStarts:
    """Return what each event starts of *file*, which *analysed* generates."""
    reading = read(file, FileEngine.JENKINS, Report())
    graph = reading.graph if reading is not None else ExecutionGraph([])

    def of(event: StartEvent) -> FileStart:
        pipelines = event_starts(analysed, event, checkout)
        others = frozenset(_others(pipelines))
        running = dict.fromkeys(name for name in graph.nodes if name not in others)
        return FileStart(
            pipelines=pipelines,
            before={name: frozenset(graph.ancestors(name)) & running.keys() for name in running},
        )

    return FileStarts(events=tuple(usual_events(analysed.plans)), of=of)


def _others(pipelines: Sequence[PipelineStart]) -> Iterator[str]:
    """Yield the names in a Jenkinsfile of the stages of *pipelines* that do not run."""
    for pipeline in pipelines:
        prefix = f"{pipeline.name}: " if len(pipelines) > 1 else ""
        yield from (prefix + stage.stage for stage in pipeline.stages if not stage.runs)
