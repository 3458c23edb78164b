"""Deep graphs, executed: the depth of blocks, the order of stages, and the effect of failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines.jenkins_harness import Build, Node, available, run, validate
from engines.requirement import require
from graph import families
from targets.jenkins import driver
from targets.jenkins.sample_plans import jenkinsfile, plan, script, scripts

from pipegen.graph.execution import ExecutionGraph

Repository = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def jenkins(repository: Repository, tmp_path: Path) -> Callable[..., Build]:
    """Return a function that runs the text of a Jenkinsfile."""
    require(available())

    def start(text: str, *, approve: bool = True) -> Build:
        folder = tmp_path / "build"
        return run(text, repository({"README": "x"}), workdir=folder, nodes=[Node(executors=100)], approve=approve)

    return start


def small(graph: ExecutionGraph, bodies: Mapping[str, str], deepest: int, shallow: int) -> str:
    """Return stages with *bodies* and the driver of deep graphs, with other depth limits."""
    result = jenkinsfile(scripts(plan(*families.diamonds(50).arcs)), style="scripted")
    head, how = result[: result.index("addStages1()")], result[result.index("// Declares a stage") :]
    for text, number in (("block.depth == 10", deepest), ("block.depth <= 5", shallow)):
        assert how.count(text) == 1
        how = how.replace(text, f"{text.rpartition(' ')[0]} {number}")
    stages = [
        f"addStage('{node}', after: {list(graph.predecessors(node))}, agent: null) {{ {bodies[node]} }}"
        for node in graph.nodes
    ]
    return "\n".join([head, *stages, "followers = stageFollowers()", "runStages(stagesReady())", how])


def replayed(
    build: Build, graph: ExecutionGraph, deepest: int = 10, shallow: int = 5, *, around: int = 0
) -> driver.Run:
    """Check that the model predicts all starts and their depth for the same ends; return it.

    Stages outside *graph* are skipped; *around* is the number of blocks around all of it.
    """
    model = driver.Run(graph, deepest, shallow).start()
    for event in build.events:
        stage = event.stage
        if stage.name in graph and event.kind == "start":
            assert model.running[stage.name].depth + around == len(stage.branches), stage.name
        elif stage.name in graph and event.kind == "end":
            model.end(stage.name, is_failed=stage.status == "failed")
    assert not model.running
    return model


def test_a_compiled_deep_pipeline_runs(jenkins: Callable[..., Build]) -> None:
    """It has a finally stage, agents and checkouts, and a second pipeline in parallel."""
    graph = families.trellis(45, 12)
    sides = {f"s{index}": script("sleep 0.2") for index in range(45)}
    deep = plan(*graph.arcs, ["last"], name="deep", last={"frame": None})
    text = jenkinsfile(scripts(deep, (), **sides), scripts(plan(["a", "b"], name="other")), style="scripted")
    build = jenkins(text)
    replayed(
        build, ExecutionGraph([f"deep: {earlier}", f"deep: {node}"] for earlier, node in graph.arcs), 9, 4, around=1
    )
    last = build.stage("deep: last")

    assert validate({"deep": text}, bytecode=True) == {"deep": ()}
    assert build.result == "SUCCESS"
    assert len(build.stages) == 93
    assert max(len(stage.branches) for stage in build.stages) <= 10
    assert build.is_resumable
    assert all(stage.end <= last.start for stage in build.stages if stage.name.startswith("deep: ") and stage != last)


def test_blocks_nest_at_most_ten_deep(jenkins: Callable[..., Build]) -> None:
    """Overlapping branches nest up to the limit; when deep ones end, the others continue."""
    graph = families.trellis(30, 30)
    bodies = {node: "sleep 3" if node.startswith("s") else "echo 'x'" for node in graph.nodes}
    build = jenkins(small(graph, bodies, 10, 5))
    model = replayed(build, graph)

    assert build.result == "SUCCESS"
    assert len(build.stages) == 60
    assert max(len(stage.branches) for stage in build.stages) == 10
    assert build.is_resumable
    assert model.held > 0
    assert all(build.stage(earlier).end <= build.stage(name).start for earlier, name in graph.arcs)


def test_a_hundred_diamonds_do_not_nest(jenkins: Callable[..., Build]) -> None:
    """Each join starts at the level where the block that it closes was started."""
    graph = families.diamonds(100)
    bodies = dict.fromkeys(graph.nodes, "echo 'x'")
    build = jenkins(small(graph, bodies, 10, 5))
    replayed(build, graph)

    assert build.result == "SUCCESS"
    assert len(build.stages) == 301
    assert {stage.branches for stage in build.stages if stage.name.startswith("j")} == {()}
    assert {len(stage.branches) for stage in build.stages} == {0, 1}


@pytest.mark.parametrize("seed", range(3))
def test_failures_skip_only_their_successors(jenkins: Callable[..., Build], seed: int) -> None:
    """With a depth limit of two, all others run once, in order."""
    dice = families.dice(seed)
    graph = families.local(dice, 40, 6)
    names = graph.nodes
    failing = set(dice.sample(names[5:], 3))
    lost = {later for stage in failing for later in graph.descendants(stage)}
    bodies = {name: f"sleep(time: {dice.randint(1, 60)}, unit: 'MILLISECONDS')" for name in names}
    bodies |= {name: f"{bodies[name]}; error 'no'" for name in failing}
    build = jenkins(small(graph, bodies, 2, 1))
    model = replayed(build, graph, 2, 1)
    begun = {stage.name: stage for stage in build.stages}

    assert build.result == "FAILURE"
    assert len(begun) == len(build.stages)
    assert {name for name, stage in begun.items() if stage.status == "failed"} == failing - lost
    assert set(names) - set(begun) == lost
    assert all(begun[earlier].end <= begun[name].start for earlier, name in graph.arcs if name not in lost)
    assert model.held > 0


@pytest.mark.parametrize(("body", "expected"), [("error 'no'", ["c", "d"]), ("input 'go?'", [])])
def test_delayed_stages_start_after_a_failure_but_not_after_a_stop(
    jenkins: Callable[..., Build], body: str, expected: list[str]
) -> None:
    """A failed build still runs independent stages; an aborted one does not."""
    graph = ExecutionGraph([["a", "c"], ["a", "d"], ["b"]])
    bodies = {"a": "", "b": f"sleep 1; {body}", "c": "", "d": ""}
    build = jenkins(small(graph, bodies, 1, 0), approve=False)

    assert [stage.name for stage in build.stages if stage.status == "success"] == ["a", *expected]
    assert build.stage("b").status in {"failed", "aborted"}
