"""Plans narrowed to a change."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan.sample_plans import items, of, plans_of

from pipegen.bindings.expression import Reference, Scope
from pipegen.diagnostics.report import Report
from pipegen.plan.changes.narrow import narrow, unfiltered_plans
from pipegen.plan.model import NEVER, FilesChanged, Plan, RunContainer
from pipegen.plan.model.logic import atoms
from pipegen.plan.rewriting import parts
from pipegen.plan.stage.words import words

# Three services with a stage before all of them, a library, and a common release.
MONOREPO = """\
pipelines:
  all:
    stages:
      - { name: prepare, script: [x], outputs: { stamp: { command: date } } }
      - { name: licenses, script: [x] }
      - { name: lib, when: { changes: ['lib/**'] }, script: [x], artifacts: [lib.tar] }
      - { name: api-test, when: { changes: ['api/**'] }, script: ['x "${prepare.stamp}"'] }
      - { name: api-build, when: { changes: ['api/**'] }, script: [x], outputs: { v: { command: x } }, artifacts: [a] }
      - { name: web-test, when: { changes: ['web/**'] }, script: [x] }
      - { name: web-build, when: { changes: ['web/**'] }, script: [x], outputs: { v: { command: x } }, artifacts: [w] }
      - { name: worker, when: { changes: ['worker/**'] }, script: [x], outputs: { v: { command: x } } }
      - { name: package, script: [x], artifacts: [worker.tar] }
      - { name: release, script: ['x "${api-build.v|none}" "${web-build.v|none}" "${worker.v|none}"'] }
      - { name: tidy, script: ['x "${worker.status} ${api-build.status}"'] }
    execution:
      - [prepare, licenses, [api-test, web-test, worker]]
      - [lib, [api-test, web-test]]
      - [api-test, api-build, release]
      - [web-test, web-build, release]
      - [worker, package, release]
    finally: [tidy]
"""


def narrowed_stages(config: str, *files: str, chosen: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Return the stages of each pipeline of *config* that a change of *files* affects."""
    plans = narrow(plans_of(config, *chosen), files, "main", Report(), has_selection=bool(chosen))
    return {plan.name: [job.stage for job in plan.jobs] for plan in plans}


def stages(config: str, *files: str) -> list[str]:
    """Return the affected stages of the only pipeline of *config*."""
    (pipelines,) = narrowed_stages(config, *files).values()
    return pipelines


def config_text(rows: str, execution: str = "") -> str:
    """Return the config of a pipeline with the stages *rows*."""
    return f"pipelines:\n  p:\n    stages: [{rows}]\n" + (f"    execution: {execution}\n" if execution else "")


def test_a_change_in_one_service_keeps_it_and_the_common_release() -> None:
    """Stages of other services are removed, required stages stay, and the gaps are bridged."""
    (plan,) = narrow(plans_of(MONOREPO), ["api/main.py"], "main", Report())
    release, tidy = plan.job("release"), plan.job("tidy")

    assert [job.stage for job in plan.jobs] == ["prepare", "api-test", "api-build", "release", "tidy"]
    assert plan.graph.arcs == (("prepare", "api-test"), ("api-test", "api-build"), ("api-build", "release"))
    assert plan.frames == (("prepare",), ("api-test",), ("api-build",), ("release",))
    assert [job.frame for job in plan.jobs] == [0, 1, 2, 3, None]
    assert (release.needs, release.files) == (("api-build",), ("api-build",))
    assert ([str(read) for read in release.reads], [str(read) for read in release.inputs]) == (
        ["api-build.v"],
        ["api-build.v"],
    )
    assert tidy.statuses == ("api-build",)
    assert all(job.condition is None for job in plan.jobs)


def test_stages_after_a_change_are_kept_regardless_of_their_own_files() -> None:
    """A change in a library affects the services after it; outputs that no stage reads are not stored."""
    (plan,) = narrow(plans_of(MONOREPO), ["lib/x.c"], "main", Report())

    assert {job.stage for job in plan.jobs} == {
        *("prepare", "lib", "api-test", "api-build", "web-test", "web-build", "release", "tidy"),
    }
    assert all(job.condition is None for job in plan.jobs)
    assert plan.job("web-build").outputs == ("v",)


def test_a_change_that_affects_no_stage_gives_a_placeholder_job() -> None:
    """Engines do not accept an empty pipeline."""
    report = Report()
    (plan,) = narrow(plans_of(MONOREPO), ["README.md"], "it's $HOME", report)
    (job,) = plan.jobs

    assert (plan.name, job.stage, job.slug) == ("nothing to do", "nothing to do", "nothing-to-do")
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG691", "PG690"]


def test_removed_stages_are_reported_with_their_reasons() -> None:
    """One note per pipeline, with a location and a reason for each stage."""
    report = Report()
    stages = "{name: a, when: {changes: a}}, {name: b}, {name: c, when: {changes: c}}"
    narrow(plans_of(config_text(stages, "[[a], [b], [c]]")), ["c"], "v1", report)
    (diagnostics,) = report.diagnostics()

    assert (diagnostics.code.number, diagnostics.message) == (
        "PG690",
        '2 stages of pipeline "p" are left out, since nothing changed since "v1" concerns them: "a", "b"',
    )
    assert [label.text for label in (diagnostics.primary, *diagnostics.related) if label] == [
        "none of its files has changed",
        "it names no files and follows no stage whose files have changed",
    ]


def test_the_combinations_of_a_removed_stage_are_reported_at_one_location() -> None:
    """They have one reason."""
    report = Report()
    stages = "{name: a, matrix: {x: [p, q]}, when: {changes: a}}, {name: b}, {name: c, when: {changes: c}}"
    narrow(plans_of(config_text(stages, "[[a], [b], [c]]")), ["c"], "v1", report)
    (diagnostics,) = report.diagnostics()

    assert '3 stages of pipeline "p" are left out' in diagnostics.message
    assert [label.text for label in (diagnostics.primary, *diagnostics.related) if label] == [
        "none of its files has changed",
        "it names no files and follows no stage whose files have changed",
    ]


def test_a_config_without_path_filters_is_unchanged() -> None:
    """A note reports that."""
    report = Report()
    plans = plans_of(config_text("{name: a}, {name: b}"))

    assert narrow(plans, ["x"], "main", report) == plans
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG692"]


APPROVALS = """\
pipelines:
  p:
    stages:
      - { name: build, script: [x] }
      - name: bench
        script: [x]
        outputs: { score: { file: score } }
        approve: { optional: true, when: { not: { changes: ['src/**'] } } }
      - { name: deploy, script: [x], approve: { when: { changes: ['src/**'], branch: main } } }
      - { name: report, script: ['x "${bench.score|none}"'] }
"""


def test_approvals_are_evaluated() -> None:
    """No stage waits for one that is optional then, or reads its outputs."""
    (plan,) = narrow(plans_of(APPROVALS), ["docs/a"], "main", Report())
    (bench,) = (job for job in plan.jobs if job.stage == "bench")

    assert [job.stage for job in plan.jobs] == ["build", "bench", "deploy", "report"]
    assert bench.deployment.approval is not None
    assert (bench.deployment.approval.condition, bench.limits.allow_failure is not None) == (None, True)
    assert [(job.needs, job.inputs) for job in plan.jobs] == [
        ((), ()),
        (("build",), ()),
        (("build",), ()),
        (("deploy",), ()),
    ]
    assert [job.deployment.approval for job in plan.jobs if job is not bench] == [None, None, None]


@pytest.mark.parametrize("files", [("src/a",), None], ids=["changed", "unknown"])
def test_approvals_of_changed_files_keep_their_other_conditions(files: tuple[str, ...] | None) -> None:
    """If there is nothing to compare with, all files count as changed."""
    plans = plans_of(APPROVALS)
    (plan,) = narrow(plans, files, "main", Report()) if files is not None else unfiltered_plans(plans)
    approvals = {job.stage: job.deployment.approval for job in plan.jobs}

    assert [job.needs for job in plan.jobs] == [(), ("build",), ("bench",), ("deploy",)]
    assert approvals["deploy"] is not None
    assert (approvals["bench"], words(approvals["deploy"].condition or NEVER)) == (None, "branch main")


SEVERAL = """\
pipelines:
  api:
    when: { changes: ['api/**'] }
    stages: [{ name: unit }, { name: docs, when: { changes: ['api/docs/**'] } }, { name: pack }]
  web: { when: { changes: { paths: ['web/**'], base: main } }, stages: [{ name: unit }] }
  release: { stages: [{ name: push }] }
"""


def test_pipelines_are_kept_by_their_own_files() -> None:
    """A pipeline without path filters is affected by all files; in others, stages can have their own filters."""
    assert narrowed_stages(SEVERAL, "web/a") == {"web": ["unit"], "release": ["push"]}
    assert narrowed_stages(SEVERAL, "api/a") == {"api": ["unit", "pack"], "release": ["push"]}
    assert narrowed_stages(SEVERAL, "api/docs/a") == {"api": ["unit", "docs", "pack"], "release": ["push"]}
    assert narrowed_stages(SEVERAL, "other") == {"release": ["push"]}
    assert narrowed_stages(SEVERAL, "other", chosen=("api",)) == {"api": ["unit", "pack"]}


def test_a_removed_stage_is_bridged() -> None:
    """The order between its predecessors and its successors remains."""
    config = config_text(
        "{name: a, script: [x], outputs: {v: {command: x}}}, {name: b}, {name: c, when: {changes: c}, "
        "script: ['x \"${a.v}\"']}"
    )
    (plan,) = narrow(plans_of(config), ["c"], "main", Report())

    assert plan.graph.arcs == (("a", "c"),)
    assert plan.job("c").needs == ("a",)


def test_a_required_stage_is_kept_without_changed_files() -> None:
    """Its filter no longer counts, nor do filters of the stages that it requires."""
    config = config_text(
        "{name: lib, when: {changes: lib}}, "
        "{name: build, when: {changes: web}, script: [x], outputs: {v: {command: x}}}, "
        "{name: test, when: {changes: web}, script: ['x \"${build.v}\"']}",
        "[[lib, test], [build, test]]",
    )
    (plan,) = narrow(plans_of(config), ["lib"], "main", Report())

    assert {job.stage: job.condition for job in plan.jobs} == {"lib": None, "build": None, "test": None}


def test_a_stage_that_generates_a_child_pipeline_is_kept() -> None:
    """The other stage starts its file."""
    config = config_text(
        "{name: generate, when: {changes: a}, script: [x], artifacts: [c.yml]}, {name: b, when: {changes: a}}, "
        "{name: child, when: {changes: c}, trigger: {include: [{artifact: c.yml, stage: generate}]}}",
        "[[[generate, b], child]]",
    )

    assert stages(config, "c") == ["generate", "child"]


def test_conditions_on_branches_remain() -> None:
    """Path filters are evaluated at compile time, branches at run time."""
    config = config_text(
        "{name: a, when: {changes: a, branch: main}}, {name: b, when: {any: [{changes: b}, {branch: main}]}}, "
        "{name: c, when: {not: {changes: a}}}, {name: d, when: {any: [{changes: a}, {branch: main}]}}",
        "[[a], [b], [c], [d]]",
    )
    plans = plans_of(config)
    (plan,) = (plan for plan in narrow(plans, ["a"], "main", Report()) if plan.name == "p")
    (branch,) = set(atoms(plan.job("a").condition))

    assert {job.stage: job.condition for job in plan.jobs} == {"a": branch, "b": branch, "d": None}
    assert [job.condition for job in unfiltered_plans(plans)[0].jobs] == [branch, None, None, None]


def test_the_stop_stage_of_a_kept_deployment_is_kept() -> None:
    """A deployment that is kept can be stopped."""
    config = config_text(
        "{name: deploy, script: [x], outputs: {v: {command: x}}, environment: {name: e, on_stop: stop}}, {name: stop}, "
        "{name: t, when: {changes: t}, script: ['x \"${deploy.v}\"']}",
        "[[deploy, stop], [deploy, t]]",
    )

    assert stages(config, "t") == ["deploy", "stop", "t"]


def test_a_loop_iterates_over_the_default_of_a_removed_stage() -> None:
    """As if the stage were skipped."""
    config = config_text(
        "{name: b, when: {changes: b}, run: {image: 1234567890ab, tail: 5}}, {name: d, when: {changes: d}}, "
        "{name: c, run: {image: 1234567890ab, arguments: {$each: n, $in: '${b.output|x}', $yield: '${n}'}}}",
        "[[b, c], [d, c]]",
    )
    (plan,) = narrow(plans_of(config), ["d"], "main", Report())
    (loop,) = of(RunContainer, plan.job("c")).arguments

    assert (items((loop,)), plan.job("c").inputs) == (["[n in x: <loop n>]"], ())


STAGES = "abcdef"
FILES = [*STAGES, "other"]


@st.composite
def configs(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Return a random pipeline whose stages have filters, outputs, artifacts and reads, and changed files."""
    arcs = draw(st.lists(st.sampled_from([(a, b) for a, b in product(STAGES, STAGES) if a < b]), unique=True))
    predecessors = {name: {name} for name in STAGES}
    for name in STAGES:
        predecessors[name] |= {ancestor for a, b in arcs if b == name for ancestor in predecessors[a]}
    rows = []
    for name in STAGES:
        filters = draw(st.lists(st.sampled_from(STAGES), max_size=2, unique=True))
        when = f", when: {{changes: [{', '.join(filters)}]}}" if bool(filters) and draw(st.booleans()) else ""
        earlier = sorted(predecessors[name] - {name})
        read = draw(st.lists(st.sampled_from(earlier or [name]), unique=True, max_size=len(earlier)))
        script = " ".join(["x", *(f'"${{{stage}.v|d}}"' for stage in read)])
        outputs = f", artifacts: [{name}.txt]" if draw(st.booleans()) else ""
        rows.append(f"{{name: {name}, script: ['{script}'], outputs: {{v: {{command: x}}}}{outputs}{when}}}")
    execution = [list(arc) for arc in arcs] + [[name] for name in STAGES]
    text = config_text(", ".join(rows), str(execution).replace("'", ""))
    return text, draw(st.lists(st.sampled_from(FILES), unique=True))


def references(value: object) -> set[str]:
    """Return the stages whose outputs *value* reads, except for references of scripts, which are separate."""
    if isinstance(value, Reference):
        return {value.namespace or ""} if value.scope is Scope.STAGE else set()
    return {reference for _, part in parts(value) for reference in references(part)}


@pytest.mark.slow
@settings(max_examples=60)
@given(configs())
def test_any_narrowed_pipeline_is_consistent(drawn: tuple[str, list[str]]) -> None:
    """Stages keep their order; matches and all stages after them are kept; no reference to others remains."""
    text, files = drawn
    (original,) = plans_of(text)
    narrowed = [plan for plan in narrow([original], files, "main", Report()) if plan.name == "p"]
    if not narrowed:
        assert not any(matches(original, stage, files) for stage in STAGES)
        return
    (after,) = narrowed
    names = {job.stage for job in after.jobs}
    old, new = original.graph.closure(), after.graph.closure()
    changed = {stage for stage in STAGES if matches(original, stage, files)}

    assert all(old.is_before(a, b) == new.is_before(a, b) for a, b in product(names, names))
    assert {descendant for stage in changed for descendant in (stage, *original.graph.descendants(stage))} <= names
    for job in after.jobs:
        known = {*job.needs, *job.files, *(read.stage for read in (*job.inputs, *job.reads))}
        assert known <= names
        assert references((job.steps, job.machine)) <= names | {job.stage}
        assert known - set(job.needs) <= set(after.graph.ancestors(job.stage))
        assert job.needs == after.graph.predecessors(job.stage)
        assert job.stage in after.frames[job.frame or 0]


def matches(plan: Plan, stage: str, files: list[str]) -> bool:
    """Return whether the path filter of *stage* names one of *files*."""
    filters = [atom for atom in atoms(plan.job(stage).condition) if isinstance(atom, FilesChanged)]
    return any(pattern.matches(file) for atom in filters for pattern in atom.patterns for file in files)
