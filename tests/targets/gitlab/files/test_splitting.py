"""Pipelines in several files."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from targets.gitlab.split_runs import Ordered, SplitUp, is_helper, split_up

from pipegen.compiler import analyse, generate
from pipegen.config.files.load import load
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.report import Report, Stopped
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.readback import gitlab as readback
from pipegen.targets import gitlab
from pipegen.targets.gitlab.memory import memory

GOLDENS = Path(__file__).parents[3] / "golden"


def config(stages: list[str], arcs: list[list[str]], most: int = 0) -> str:
    """Return a config; *most* is the memory limit."""
    limit = f"targets: {{ gitlab: {{ max_yaml_size_bytes: {most} }} }}" if most else ""
    names = [[re.findall(r"name: (\w+)", stage)[0]] for stage in stages]
    listed = ", ".join(f"[{', '.join(arc)}]" for arc in [*names, *arcs])
    return f"{limit}\npipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{listed}] }} }}"


def drawn(seed: int) -> tuple[list[str], list[list[str]], dict[str, set[str]]]:
    """Return random stages, arcs, and the stages whose outputs each stage reads."""
    chance = random.Random(seed)  # noqa: S311 - a graph is no secret
    names = [f"s{number}" for number in range(chance.randint(8, 30))]
    density = chance.choice([0.03, 0.08, 0.15])
    span = chance.choice([4, 40])
    arcs = [
        [text, other]
        for stage_job, text in enumerate(names)
        for other in names[stage_job + 1 : stage_job + 1 + span]
        if chance.random() < density
    ]
    often = chance.choice([0, 0.2, 0.6])
    reads: dict[str, set[str]] = {name: set() for name in names}
    conditions: dict[str, str] = {}
    for name in names:
        conditions[name] = chance.choice(["", "", "", ", when: { branch: main }", ", allow_failure: true"])
    for text, other in arcs:
        if chance.random() < often:
            reads[other].add(text)
    stages = []
    for name in names:
        echoed = " ".join(f'"${{{stage}.v|none}}"' for stage in sorted(reads[name]))
        stages.append(
            f"{{ name: {name}, script: ['echo {echoed}'], outputs: {{ v: {{ command: date }} }}{conditions[name]} }}"
        )
    return stages, arcs, reads


def check_whole(layout: SplitUp, arcs: list[list[str]], reads: dict[str, set[str]]) -> int:
    """Check the order of the files and the artifacts that readers get; return the number of added pairs."""
    data = layout.data()
    ordered = Ordered(data)
    graph = ExecutionGraph([*([name] for name in reads), *arcs])
    pairs = 0
    for name, read in reads.items():
        before = {job_name for job_name in ordered.after(name) if not is_helper(ordered.job(job_name))}
        names = set(graph.ancestors(name))
        assert names <= before
        pairs += len(before - names)
        assert read == ordered.fetched(name)
        needs = ordered.job(name).get("needs", [])
        assert len(needs) <= 50
        assert sum("pipeline" in need for need in needs) <= 5
    return pairs


def included(layout: SplitUp) -> list[str]:
    """Return the paths of the files that the main one includes."""
    return [include["local"] for include in layout.each()[layout.files[-1].name].get("include", [])]


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30))])
def test_included_files_add_no_waits(seed: int) -> None:
    """Random graphs in files of half or a quarter of their size: one pipeline, each file within the limit."""
    stages, arcs, reads = drawn(seed)
    (whole,) = split_up(config(stages, arcs)).each().values()
    most = memory(whole) * 10 // 9 // (2 + seed % 3) + 8_000
    layout = split_up(config(stages, arcs, most))

    assert not layout.diagnostics
    assert included(layout) == [file.name for file in layout.files[:-1]]
    assert len(layout.files) > 1 or memory(whole) <= most * 0.9
    assert check_whole(layout, arcs, reads) == 0
    assert all(memory(document) <= most * 0.9 for document in layout.each().values())
    assert all(len(file.text.encode()) <= most * 0.9 for file in layout.files)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_random_children_keep_the_order_and_report_added_waits(seed: int) -> None:
    """Accepted cuts also pass on the values that are read."""
    stages, arcs, reads = drawn(seed)
    chance = random.Random(seed)  # noqa: S311 - a graph is no secret
    for _ in range(6):
        names = chance.sample(list(reads), chance.randint(1, 4))
        layout = split_up(config(stages, arcs), names)
        if layout.reported("PG676"):
            continue
        numbers = [
            int(re.findall(r"\((\d+) pairs? of stages", diagnostic.message)[0])
            for diagnostic in layout.reported("PG675")
        ]

        assert sum(numbers) == check_whole(layout, arcs, reads)


def test_random_cuts_cover_acceptance_rejection_and_waits() -> None:
    """This checks the configs of the test above."""
    values = []
    for seed in range(30):
        stages, arcs, reads = drawn(seed)
        names = random.Random(seed).sample(list(reads), 6)  # noqa: S311 - no secret
        layout = split_up(config(stages, arcs), names)
        values.append((bool(layout.reported("PG676")), bool(layout.reported("PG675"))))

    assert 3 <= sum(is_refused for is_refused, _ in values) <= 27
    assert sum(waits for _, waits in values) >= 3


def test_included_files_keep_the_order_of_a_chain() -> None:
    """Each stage reads the previous one."""
    text, outputs = "x" * 900, "outputs: { v: { command: date } }"
    stages = [f"{{ name: s0, script: ['{text}'], {outputs} }}"]
    stages += [f"{{ name: s{number}, script: ['{text} ${{s{number - 1}.v}}'], {outputs} }}" for number in range(1, 30)]
    arcs = [[f"s{number}" for number in range(30)]]
    layout = split_up(config(stages, arcs, 20_000))
    *included, _ = layout.files

    assert len(included) > 1
    assert [diagnostic.code.number for diagnostic in layout.diagnostics] == []
    assert (
        check_whole(layout, arcs, {f"s{number}": {f"s{number - 1}"} if number else set() for number in range(30)}) == 0
    )
    graph, gaps = readback.read(layout.files[-1].text, {file.name: file.text for file in included}.get)
    assert (graph.closure() == ExecutionGraph(arcs).closure(), gaps) == (True, ())


@pytest.mark.slow
def test_three_thousand_dense_stages_fit_in_one_pipeline() -> None:
    """50 layers of 60 stages, each after 12 of the layer before, without added waits."""
    chance = random.Random(1)  # noqa: S311 - a graph is no secret
    layers = [[f"s{layer}x{number}" for number in range(60)] for layer in range(50)]
    arcs = [
        [predecessor, name]
        for above, row in pairwise(layers)
        for name in row
        for predecessor in chance.sample(above, 12)
    ]
    stages = [f"{{ name: {name}, image: 'python:3.12', script: [make] }}" for row in layers for name in row]
    layout = split_up(config(stages, arcs))
    *parts, main = layout.files
    graph, gaps = readback.read(main.text, {file.name: file.text for file in parts}.get)

    assert (layout.diagnostics, gaps) == ((), ())
    assert 1 < len(parts) <= 150
    assert graph.closure() == ExecutionGraph([*([name] for row in layers for name in row), *arcs]).closure()
    assert all(len(file.text) < 2 * 1024 * 1024 for file in layout.files)
    assert "child" not in main.text


def test_the_text_of_each_file_is_within_the_limit() -> None:
    """Recent versions of GitLab reject a long text before they parse it."""
    lines = "          x\n" * 1_000
    stages = "".join(
        f"    - name: s{number}\n      script:\n      - |\n          {number}\n{lines}" for number in range(12)
    )
    text = f"targets: {{ gitlab: {{ max_yaml_size_bytes: 40000 }} }}\npipelines:\n  p:\n    stages:\n{stages}"
    layout = split_up(text)

    assert not layout.diagnostics
    assert len(included(layout)) > 2
    assert all(len(file.text.encode()) <= 36_000 for file in layout.files)


def test_a_job_too_big_for_any_file_is_reported() -> None:
    """Other jobs are not affected."""
    stages = [f"{{ name: s{number}, script: [{'x' * (20_000 if number == 3 else 400)}] }}" for number in range(30)]
    layout = split_up(config(stages, [], 12_000))

    assert [diagnostic.code.number for diagnostic in layout.diagnostics] == ["PG627"]
    assert layout.diagnostics[0].primary is not None
    assert layout.diagnostics[0].primary.span.text.startswith("s3")
    assert "its job takes about 0.02" in layout.diagnostics[0].message


@pytest.mark.slow
def test_more_than_150_files_are_an_error() -> None:
    """GitLab includes no more: https://docs.gitlab.com/administration/cicd/limits/#maximum-number-of-includes."""
    stages = [f"{{ name: s{number}, script: [{number}{'x' * 30_000}] }}" for number in range(151)]
    fits = split_up(config(stages[:150], [], 60_000))
    layout = split_up(config(stages, [], 60_000))

    assert ([diagnostic.message for diagnostic in fits.reported("PG627")], len(included(fits))) == ([], 150)
    assert [diagnostic.message for diagnostic in layout.reported("PG627")] == [
        'GitLab includes at most 150 files, and the jobs of ".gitlab-ci.yml" need 151'
    ]


@pytest.mark.parametrize("cut", ["b", "c,d", "d"])
def test_a_cut_moves_stages_and_their_exclusive_successors(cut: str) -> None:
    """The child has the named stages and those that come only after them."""
    stages = [f"{{ name: {name}, script: [x] }}" for name in "abcde"]
    arcs = [["a", "b", "c"], ["d", "e"], ["a", "e"]]
    layout = split_up(config(stages, arcs), [cut])
    child, _ = layout.data().values()
    names = {"b": {"b", "c"}, "c,d": {"c", "d", "e"}, "d": {"d", "e"}}[cut]

    assert {name for name in child if len(name) == 1} == names
    assert check_whole(layout, arcs, {name: set() for name in "abcde"}) == int(
        (re.findall(r"\((\d+) pair", layout.reported("PG675")[0].message) or ["0"])[0]
        if layout.reported("PG675")
        else "0"
    )


def test_a_cut_whose_child_must_return_values_is_rejected() -> None:
    """A stage after two children stays in the parent, where no values of a child arrive."""
    stages = [
        "{ name: a, script: [x], outputs: { v: { command: date } } }",
        "{ name: b, script: [x] }",
        "{ name: c, script: ['echo ${a.v}'] }",
    ]
    layout = split_up(config(stages, [["a", "c"], ["b", "c"]]), ["a", "b"])

    assert [diagnostic.message for diagnostic in layout.reported("PG676")] == [
        'stage "c" reads ${a.v}, which a child pipeline of --split cannot return'
    ]


def test_an_approval_stays_in_the_parent() -> None:
    """The child would not end before the approval."""
    stages = ["{ name: a, script: [x] }", "{ name: b, script: [x], approve: true }"]
    layout = split_up(config(stages, [["a", "b"]]), ["b"])

    assert "waits for an approval" in layout.reported("PG676")[0].message


def test_several_pipelines_are_included_in_one() -> None:
    """They remain one GitLab pipeline, with the same rules."""
    stages = [
        ", ".join(f"{{ name: s{index}, script: [{number}{'x' * 400}{index}] }}" for index in range(30))
        for number in range(4)
    ]
    pipelines = ", ".join(f"p{number}: {{ stages: [{own}] }}" for number, own in enumerate(stages))
    (whole,) = split_up(f"pipelines: {{ {pipelines} }}").data().values()
    limit = memory(whole) // 2
    layout = split_up(f"targets: {{ gitlab: {{ max_yaml_size_bytes: {limit} }} }}\npipelines: {{ {pipelines} }}")

    assert len(included(layout)) >= 2
    assert layout.data() == {".gitlab-ci.yml": whole}


def test_a_child_that_is_too_big_includes_its_jobs() -> None:
    """Each pipeline has separate files."""
    stages = [f"{{ name: s{number}, script: [{number}{'x' * 400}] }}" for number in range(30)]
    layout = split_up(config(stages, [["s0", "s1"]], 6_000), [",".join(f"s{number}" for number in range(1, 30))])
    child, main = layout.data().items()

    assert not layout.reported("PG627")
    assert len(layout.each()[child[0]]["include"]) > 1
    assert {name for name in child[1] if name.startswith("s") and name != "stages"} >= {f"s{n}" for n in range(1, 30)}
    assert "s0" in main[1]


def test_a_stage_whose_image_comes_from_the_parent_is_not_cut() -> None:
    """Variables of a dotenv report do not reach another pipeline."""
    stages = [
        "{ name: a, script: [x], outputs: { v: { command: date } } }",
        "{ name: b, image: 'app:${a.v}', script: [x] }",
    ]
    layout = split_up(config(stages, [["a", "b"]]), ["b"])

    assert [diagnostic.message for diagnostic in layout.reported("PG676")] == [
        'stage "b" uses ${a.v} in an image name, which a child pipeline cannot get'
    ]
    assert len(split_up(config(stages, [["a", "b"]]), ["a"]).files) == 2


@pytest.mark.parametrize("groups", [["b"], ["a", "x"]])
def test_a_stage_is_not_cut_from_the_one_that_generates_its_child_pipeline(groups: list[str]) -> None:
    """GitLab looks for the artifact in the same pipeline: https://docs.gitlab.com/ci/yaml/#triggerinclude."""
    stages = [
        "{ name: a, script: [x], artifacts: [c.yml] }",
        "{ name: x, script: [x] }",
        "{ name: b, trigger: { include: [{ artifact: c.yml, stage: a }] } }",
    ]
    layout = split_up(config(stages, [["a", "b"], ["x", "b"]]), groups)

    assert 'stage "b"' in layout.reported("PG676")[0].message


def test_a_conditional_child_has_a_job_that_always_runs() -> None:
    """GitLab fails a bridge whose child has no jobs; conditions read the parent's source."""
    stages = ["{ name: a, script: [x] }", "{ name: b, script: [x], when: { event: merge_request } }"]
    layout = split_up(config(stages, [["a", "b"]]), ["b"])
    child, parent = layout.data().values()

    assert child["b"]["rules"] == [{"if": '$PIPEGEN_SOURCE == "merge_request_event"'}]
    assert "rules" not in child["start of b"]
    assert parent["child: b"]["variables"]["PIPEGEN_SOURCE"] == "$CI_PIPELINE_SOURCE"
    assert child["workflow"] == {"rules": [{"when": "always"}]}


def test_children_are_named_by_their_title() -> None:
    """Their files keep the names when their content changes; a number distinguishes similar titles."""
    for script in ("x", "y"):
        stages = [f"{{ name: {name}, script: [{script}] }}" for name in ("unit_test", "unit__test", "b")]
        layout = split_up(config(stages, []), ["unit_test", "unit__test"])
        *children, parent = layout.files

        assert [child.name for child in children] == [".gitlab-ci/unit-test.yml", ".gitlab-ci/unit-test-2.yml"]
        assert all(f"local: {child.name}" in parent.text for child in children)


def test_optional_artifacts_are_collected_in_the_parent() -> None:
    """A child cannot fetch from a job of the parent that may be missing."""
    stages = [
        "{ name: a, script: [x], when: { branch: main }, outputs: { v: { command: date } } }",
        "{ name: b, script: ['echo \"${a.v|none}\"'] }",
    ]
    layout = split_up(config(stages, [["a", "b"]]), ["b"])
    child, parent = layout.data().values()

    assert child["b"]["needs"] == [{"pipeline": "$PIPEGEN_PARENT", "job": "collect for b", "artifacts": True}]
    assert parent["collect for b"]["needs"] == [{"job": "a", "artifacts": True, "optional": True}]
    assert {need["job"] for need in parent["child: b"]["needs"]} >= {"collect for b"}


def test_files_of_the_parent_do_not_overwrite_those_of_the_child() -> None:
    """If paths may conflict, the first job of the child fetches the parent's files."""
    stages = [
        "{ name: a, script: [x], artifacts: [dist/] }",
        "{ name: b, script: [x], artifacts: [dist/app] }",
        "{ name: c, script: [x] }",
    ]
    layout = split_up(config(stages, [["a", "b", "c"]]), ["b"])
    child, _ = layout.data().values()

    assert child["c"]["needs"] == [
        {"job": "receive for c", "artifacts": True},
        {"job": "b", "artifacts": True},
    ]
    assert child["receive for c"]["stage"] == child["b"]["stage"]
    assert child["receive for c"]["artifacts"] == {"paths": ["dist/"]}


def test_cutting_a_matrix_moves_all_its_combinations() -> None:
    """Names of combinations contain commas."""
    stages = ["{ name: a, script: [x] }", "{ name: b, script: [x], matrix: { os: [linux, mac], v: ['1', '2'] } }"]
    child, _ = split_up(config(stages, [["a", "b"]]), ["b"]).data().values()

    assert sum("script" in job for name, job in child.items() if not name.startswith(".")) == 4


def test_a_child_waits_for_the_needs_of_a_skipped_stage() -> None:
    """A stage with the same condition would not have to, but its child also starts without both."""
    when = ", when: { changes: [src/**] }"
    stages = [f"{{ name: {name}, script: [x]{when if name in 'bc' else ''} }}" for name in ("a", "b", "c", "d")]
    layout = split_up(config(stages, [["a", "b", "c"]]), ["c,d"])
    child, parent = layout.files
    graph, gaps = readback.read(parent.text, {child.name: child.text}.get)

    assert gaps == ()
    assert set(graph.ancestors("d")) == {"a", "b"}
    assert [need["job"] for need in layout.data()[parent.name]["child: c"]["needs"]] == ["b", "a"]


def deployments(plan: Plan, stage: str) -> set[str]:
    """Return the stages of *plan* whose environment *stage* stops: it can start after one that failed."""
    environments = {job.stage: job.deployment.environment for job in plan.jobs}
    return {
        name for name, environment in environments.items() if environment is not None and environment.on_stop == stage
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(GOLDENS.glob("*/pipeline.yml")), ids=lambda path: path.parent.name)
def test_every_cut_of_the_golden_cases_keeps_the_order(case: Path) -> None:
    """Each stage in turn: accepted cuts enforce the arcs and the reported waits."""
    report = Report()
    try:
        analysed = analyse(load(case, report), (), report)
    except Stopped:
        pytest.skip("the case is one of mistakes")
    has_several = len(analysed.plans) > 1
    for plan in analysed.plans:
        for stage in dict.fromkeys(job.title for job in plan.jobs if not job.is_final):
            build_report = Report()
            try:
                files = generate(analysed, gitlab, {"split": f"{plan.name}: {stage}"}, build_report)
            except Stopped:
                assert {
                    diagnostic.code.number
                    for diagnostic in build_report.diagnostics()
                    if diagnostic.severity is Severity.ERROR
                } == {"PG676"}
                continue
            layout = SplitUp(files, tuple(build_report.diagnostics()))
            assert len(files) == 2
            ordered = Ordered(layout.data())
            pairs = 0
            for sample in analysed.plans:
                names = {job.stage: f"{sample.name}: {job.stage}" if has_several else job.stage for job in sample.jobs}
                known = [job.stage for job in sample.jobs if names[job.stage] in ordered.home and not job.is_final]
                for inner in known:
                    texts = {names[other] for other in {*sample.graph.ancestors(inner)} - deployments(sample, inner)}
                    before = {job for job in ordered.after(names[inner]) if not is_helper(ordered.job(job))}
                    assert texts & set(ordered.home) <= before
                    pairs += len(before - texts)
            numbers = [
                int(re.findall(r"\((\d+) pairs? of stages", diagnostic.message)[0])
                for diagnostic in layout.reported("PG675")
            ]
            assert sum(numbers) == pairs
