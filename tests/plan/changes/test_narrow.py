"""Plans narrowed to a change."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from plan.planned import items, of, plans_of

from pipegen.bindings.expression import Reference, Scope
from pipegen.diagnostics.report import Report
from pipegen.plan.changes.narrow import narrow, unfiltered_plans
from pipegen.plan.model import FilesChanged, Plan, RunContainer
from pipegen.plan.model.logic import atoms
from pipegen.plan.rewriting import parts

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


def kept(config: str, *files: str, chosen: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Return the stages of each pipeline of *config* that a change of *files* keeps."""
    found = narrow(plans_of(config, *chosen), files, "main", Report(), chosen=bool(chosen))
    return {plan.name: [job.stage for job in plan.jobs] for plan in found}


def stages(config: str, *files: str) -> list[str]:
    """Return the stages that are kept of the only pipeline of *config*."""
    (found,) = kept(config, *files).values()
    return found


def one(rows: str, execution: str = "") -> str:
    """Return the config of a pipeline of the stages *rows*."""
    return f"pipelines:\n  p:\n    stages: [{rows}]\n" + (f"    execution: {execution}\n" if execution else "")


def test_a_change_in_one_service_keeps_that_service_and_the_common_release() -> None:
    """Nothing is kept of the others; what it reads is, and what stands between is bridged."""
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


def test_what_comes_after_a_change_is_kept_whatever_its_own_files() -> None:
    """A library that changes concerns the services that come after it; what they leave to nobody is not stored."""
    (plan,) = narrow(plans_of(MONOREPO), ["lib/x.c"], "main", Report())

    assert {job.stage for job in plan.jobs} == {
        *("prepare", "lib", "api-test", "api-build", "web-test", "web-build", "release", "tidy"),
    }
    assert all(job.condition is None for job in plan.jobs)
    assert plan.job("web-build").outputs == ("v",)


def test_nothing_of_what_changed_concerns_a_stage() -> None:
    """A stage that says so stands there: engines know no empty pipeline."""
    report = Report()
    (plan,) = narrow(plans_of(MONOREPO), ["README.md"], "it's $HOME", report)
    (job,) = plan.jobs

    assert (plan.name, job.stage, job.slug) == ("nothing to do", "nothing to do", "nothing-to-do")
    assert [one.code.number for one in report.diagnostics()] == ["PG691", "PG690"]


def test_what_is_left_out_is_told_with_its_reason() -> None:
    """One note for a pipeline, a place and a reason for each stage of it."""
    report = Report()
    stages = "{name: a, when: {changes: a}}, {name: b}, {name: c, when: {changes: c}}"
    narrow(plans_of(one(stages, "[[a], [b], [c]]")), ["c"], "v1", report)
    (found,) = report.diagnostics()

    assert (found.code.number, found.message) == (
        "PG690",
        '2 stages of pipeline "p" are left out, since nothing changed since "v1" concerns them: "a", "b"',
    )
    assert [label.text for label in (found.primary, *found.related) if label] == [
        "none of its files has changed",
        "it names no files and follows no stage whose files have changed",
    ]


def test_a_config_that_names_no_files_stays_whole() -> None:
    """There is nothing to narrow it by, and a note says so."""
    report = Report()
    plans = plans_of(one("{name: a}, {name: b}"))

    assert narrow(plans, ["x"], "main", report) == plans
    assert [found.code.number for found in report.diagnostics()] == ["PG692"]


SEVERAL = """\
pipelines:
  api:
    when: { changes: ['api/**'] }
    stages: [{ name: unit }, { name: docs, when: { changes: ['api/docs/**'] } }, { name: pack }]
  web: { when: { changes: { paths: ['web/**'], base: main } }, stages: [{ name: unit }] }
  release: { stages: [{ name: push }] }
"""


def test_pipelines_are_kept_by_their_own_files() -> None:
    """One that names no files at all is about all of them; in one whose files have changed, stages may name fewer."""
    assert kept(SEVERAL, "web/a") == {"web": ["unit"], "release": ["push"]}
    assert kept(SEVERAL, "api/a") == {"api": ["unit", "pack"], "release": ["push"]}
    assert kept(SEVERAL, "api/docs/a") == {"api": ["unit", "docs", "pack"], "release": ["push"]}
    assert kept(SEVERAL, "other") == {"release": ["push"]}
    assert kept(SEVERAL, "other", chosen=("api",)) == {"api": ["unit", "pack"]}


def test_a_stage_that_is_left_out_in_the_middle_is_bridged() -> None:
    """Order holds between those before it and those after it."""
    config = one(
        "{name: a, script: [x], outputs: {v: {command: x}}}, {name: b}, {name: c, when: {changes: c}, "
        "script: ['x \"${a.v}\"']}"
    )
    (plan,) = narrow(plans_of(config), ["c"], "main", Report())

    assert plan.graph.arcs == (("a", "c"),)
    assert plan.job("c").needs == ("a",)


def test_what_a_stage_cannot_do_without_is_kept_though_its_files_have_not_changed() -> None:
    """Its filter counts no more, nor do those of what it needs in turn."""
    config = one(
        "{name: lib, when: {changes: lib}}, "
        "{name: build, when: {changes: web}, script: [x], outputs: {v: {command: x}}}, "
        "{name: test, when: {changes: web}, script: ['x \"${build.v}\"']}",
        "[[lib, test], [build, test]]",
    )
    (plan,) = narrow(plans_of(config), ["lib"], "main", Report())

    assert {job.stage: job.condition for job in plan.jobs} == {"lib": None, "build": None, "test": None}


def test_the_rest_of_a_condition_stays() -> None:
    """The files are asked once, now; a branch is for the run to tell."""
    config = one(
        "{name: a, when: {changes: a, branch: main}}, {name: b, when: {any: [{changes: b}, {branch: main}]}}, "
        "{name: c, when: {not: {changes: a}}}, {name: d, when: {any: [{changes: a}, {branch: main}]}}",
        "[[a], [b], [c], [d]]",
    )
    plans = plans_of(config)
    (plan,) = (one for one in narrow(plans, ["a"], "main", Report()) if one.name == "p")
    (branch,) = set(atoms(plan.job("a").condition))

    assert {job.stage: job.condition for job in plan.jobs} == {"a": branch, "b": branch, "d": None}
    assert [job.condition for job in unfiltered_plans(plans)[0].jobs] == [branch, None, None, None]


def test_what_takes_an_environment_down_stays_with_what_it_takes_down() -> None:
    """A deployment that is kept can be taken down."""
    config = one(
        "{name: deploy, script: [x], outputs: {v: {command: x}}, environment: {name: e, on_stop: stop}}, {name: stop}, "
        "{name: t, when: {changes: t}, script: ['x \"${deploy.v}\"']}",
        "[[deploy, stop], [deploy, t]]",
    )

    assert stages(config, "t") == ["deploy", "stop", "t"]


def test_a_loop_goes_on_over_the_default_of_what_is_absent() -> None:
    """As where the stage is skipped."""
    config = one(
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
    """Return a pipeline whose stages have filters, outputs, artifacts and reads as they come, and changed files."""
    arcs = draw(st.lists(st.sampled_from([(a, b) for a, b in product(STAGES, STAGES) if a < b]), unique=True))
    before = {name: {name} for name in STAGES}
    for name in STAGES:
        before[name] |= {one for a, b in arcs if b == name for one in before[a]}
    rows = []
    for name in STAGES:
        filters = draw(st.lists(st.sampled_from(STAGES), max_size=2, unique=True))
        when = f", when: {{changes: [{', '.join(filters)}]}}" if bool(filters) and draw(st.booleans()) else ""
        earlier = sorted(before[name] - {name})
        read = draw(st.lists(st.sampled_from(earlier or [name]), unique=True, max_size=len(earlier)))
        script = " ".join(["x", *(f'"${{{one}.v|d}}"' for one in read)])
        left = f", artifacts: [{name}.txt]" if draw(st.booleans()) else ""
        rows.append(f"{{name: {name}, script: ['{script}'], outputs: {{v: {{command: x}}}}{left}{when}}}")
    execution = [list(arc) for arc in arcs] + [[name] for name in STAGES]
    text = one(", ".join(rows), str(execution).replace("'", ""))
    return text, draw(st.lists(st.sampled_from(FILES), unique=True))


def references(value: object) -> set[str]:
    """Return the stages that *value* reads outputs of, but for the references of scripts, which stand beside them."""
    if isinstance(value, Reference):
        return {value.namespace or ""} if value.scope is Scope.STAGE else set()
    return {found for _, part in parts(value) for found in references(part)}


@settings(max_examples=60)
@given(configs())
def test_any_pipeline_keeps_its_order_and_what_is_left_holds_together(drawn: tuple[str, list[str]]) -> None:
    """Kept stages are in the order they were in; a match and all after it are kept; nobody knows a stage left out."""
    text, files = drawn
    (before,) = plans_of(text)
    found = [plan for plan in narrow([before], files, "main", Report()) if plan.name == "p"]
    if not found:
        assert not any(matches(before, stage, files) for stage in STAGES)
        return
    (after,) = found
    names = {job.stage for job in after.jobs}
    old, new = before.graph.closure(), after.graph.closure()
    changed = {stage for stage in STAGES if matches(before, stage, files)}

    assert all(old.is_before(a, b) == new.is_before(a, b) for a, b in product(names, names))
    assert {one for stage in changed for one in (stage, *before.graph.descendants(stage))} <= names
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
