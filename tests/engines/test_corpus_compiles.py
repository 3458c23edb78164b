"""Real configs compile for both engines, which accept the files, and the files enforce the order of the configs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Protocol

import pytest
from engines import gitlab_schema, jenkins_harness
from engines.proof import corpus
from engines.proof.corpus import Config, Output
from engines.requirement import require
from robust.order_relations import plan_in_required_order

from pipegen.diagnostics.report import Report
from pipegen.graph.blocks import added_waits
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.layout import cheapest_blocks
from pipegen.plan.model import Plan
from pipegen.readback import gitlab as gitlab_text
from pipegen.readback import jenkins as jenkins_text
from pipegen.targets.jenkins.job.environments import without_stops

JENKINS = ("auto", "declarative", "scripted")
# Generous, as machines of tests are busy; `pipegen compile` itself takes well under a second.
SECONDS = 5


class Reader(Protocol):
    """A function that reads the order of a file."""

    def __call__(self, text: str) -> ExecutionGraph:
        """Return the order of the stages in *text*."""
        ...


@dataclass(frozen=True, slots=True)
class Compiled:
    """All configs, and by name the output of the targets, for Jenkins in each style."""

    configs: tuple[Config, ...]
    gitlab: Mapping[str, Output]
    jenkins: Mapping[str, Mapping[str, Output]]

    def graphs(self, target: str) -> dict[str, ExecutionGraph]:
        """Return the expected order of each config for *target*, by the names of stages in files."""
        plans = {config.name: config.analysed.plans for config in self.configs if config.analysed is not None}
        if target == "jenkins":
            plans = {
                name: tuple(without_stops(plan, Report()) for plan in pipelines) for name, pipelines in plans.items()
            }
        return {
            name: _graph(plan_in_required_order(plan, target) for plan in pipelines)
            for name, pipelines in plans.items()
        }


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """Return the compiled configs."""
    configs = tuple(corpus.configs(tmp_path_factory.mktemp("corpus")))
    plans = {config.name: config.analysed for config in configs if config.analysed is not None}
    return Compiled(
        configs,
        {name: corpus.written(analysed, "gitlab") for name, analysed in plans.items()},
        {
            style: {name: corpus.written(analysed, "jenkins", style) for name, analysed in plans.items()}
            for style in JENKINS
        },
    )


def _graph(plans: Iterable[Plan]) -> ExecutionGraph:
    """Return the combined graphs of *plans*, with stages named as in a file."""
    plans = tuple(plans)
    return reduce(or_, (_named(plan, f"{plan.name}: " if len(plans) > 1 else "") for plan in plans), ExecutionGraph())


def _named(plan: Plan, prefix: str) -> ExecutionGraph:
    arcs = ((prefix + earlier, prefix + later) for earlier, later in plan.graph.arcs)
    # A person may start a stop stage later, so no stage waits for it.
    stops = {
        job.stage for job in plan.jobs if job.deployment.environment is not None and job.deployment.environment.stops
    }
    others = [stage for stage in plan.graph.nodes if stage not in stops]
    final = [(prefix + stage, prefix + job.stage) for job in plan.jobs if job.is_final for stage in others]
    return ExecutionGraph([*((prefix + stage,) for stage in plan.graph.nodes), *arcs, *final])


def _order(graph: ExecutionGraph) -> dict[str, frozenset[str]]:
    """Return all ancestors of each stage."""
    return {stage: frozenset(graph.ancestors(stage)) for stage in graph.nodes}


def _misordered(graphs: Mapping[str, ExecutionGraph], outputs: Mapping[str, Output], read: Reader) -> list[str]:
    """Return the configs whose files enforce another order."""
    return [
        name
        for name, output in outputs.items()
        if not output.errors and _order(read(output.text)) != _order(graphs[name])
    ]


def test_the_corpus_has_configs(compiled: Compiled) -> None:
    """The examples always; the corpus if it is next to the checkout."""
    assert len(compiled.configs) >= (150 if corpus.CORPUS.is_dir() else 4)


def test_valid_configs_compile(compiled: Compiled) -> None:
    """The only errors are of forced declarative: too many stages, or finally stages."""
    refused = {config.name: config.errors for config in compiled.configs if config.must_compile and config.errors}
    outputs = (compiled.gitlab, compiled.jenkins["auto"], compiled.jenkins["scripted"])
    errors = {name: output.errors for written in outputs for name, output in written.items() if output.errors}
    forced = {error for output in compiled.jenkins["declarative"].values() for error in output.errors}

    assert refused == {}
    assert errors == {}
    assert forced <= {"declarative-too-large", "declarative-outcomes"}


def test_every_config_compiles_quickly(compiled: Compiled) -> None:
    """The limit applies to the largest config too."""
    every = (compiled.gitlab, *compiled.jenkins.values())
    slowest = {
        config.name: config.seconds + max(written[config.name].seconds for written in every)
        for config in compiled.configs
        if config.analysed is not None
    }

    assert {name: seconds for name, seconds in slowest.items() if seconds > SECONDS} == {}


def test_files_of_the_corpus_are_valid_for_gitlab(compiled: Compiled) -> None:
    """By GitLab's schema, and by rules outside the schema."""
    texts = {output.text: name for name, output in compiled.gitlab.items()}
    values = {name: errors for text, name in texts.items() if (errors := gitlab_schema.check(text))}

    assert values == {}


def test_files_of_the_corpus_are_valid_for_jenkins(compiled: Compiled) -> None:
    """In all styles they parse, and violate no rule of Declarative or the sandbox."""
    require(jenkins_harness.available())
    texts = {output.text: f"{name}, {style}" for style in JENKINS for name, output in compiled.jenkins[style].items()}
    values = jenkins_harness.validate({name: text for text, name in texts.items() if text})

    assert {name: findings for name, findings in values.items() if findings} == {}


def test_gitlab_files_of_the_corpus_keep_the_order(compiled: Compiled) -> None:
    """Exactly that of the arcs."""
    assert _misordered(compiled.graphs("gitlab"), compiled.gitlab, gitlab_text.order) == []


@pytest.mark.parametrize("style", ["auto", "scripted"])
def test_jenkins_files_of_the_corpus_keep_the_order(compiled: Compiled, style: str) -> None:
    """In the styles auto and scripted."""
    assert _misordered(compiled.graphs("jenkins"), compiled.jenkins[style], jenkins_text.order) == []


def test_forced_blocks_add_only_the_reported_waits(compiled: Compiled) -> None:
    """The file enforces exactly the graph and the added waits."""
    graphs = {name: graph | ExecutionGraph(_added(graph)) for name, graph in compiled.graphs("jenkins").items()}
    outputs = compiled.jenkins["declarative"]
    names = {name for name, output in outputs.items() if "// Added wait: " in output.text}

    assert _misordered(graphs, outputs, jenkins_text.order) == []
    assert names == {
        name for name, graph in compiled.graphs("jenkins").items() if _added(graph) and not outputs[name].errors
    }


def _added(graph: ExecutionGraph) -> tuple[tuple[str, str], ...]:
    """Return the arcs that the cheapest blocks add to *graph*."""
    return tuple((earlier, later) for later, earlier in added_waits(graph, cheapest_blocks(graph)))
