"""Generated files of configs, and their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.readback import gitlab, jenkins
from pipegen.source.text import SourceFile
from pipegen.targets import registry

Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Written:
    """The output of a target for a config: the file, the files of its child pipelines by path, and the diagnostics."""

    text: str
    children: Mapping[str, str]
    plans: tuple[Plan, ...]
    diagnostics: tuple[Diagnostic, ...]

    def graph(self) -> ExecutionGraph:
        """Return the order that the files enforce."""
        return order(self.text, self.children)


def order(text: str, children: Mapping[str, str] | None = None) -> ExecutionGraph:
    """Return the order that the file *text* enforces, for either engine."""
    return jenkins.order(text) if text.startswith("//") else gitlab.order(text, children or {})


def written(config: str, target: str, **options: str) -> Written:
    """Return the files that *target* generates for the indented text *config*."""
    report = Report()
    analysed = analyse(SourceFile("pipegen.yaml", dedent(config)), (), report)
    *children, file = generate(analysed, registry.load(target), options, report)
    paths = {child.name: child.text for child in children}
    return Written(file.text, paths, analysed.plans, report.diagnostics())


def relation(graph: ExecutionGraph) -> Pairs:
    """Return all pairs of an ancestor and a stage."""
    return frozenset((earlier, later) for later in graph.nodes for earlier in graph.ancestors(later))
