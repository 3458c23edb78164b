"""Files passed between stages with isolated workspaces."""

from __future__ import annotations

from targets.jenkins.sample_plans import artifact, jenkinsfile, lowered, plan, script, scripts

from pipegen.plan.model import Output
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import PlanScripts

CARRIED = (".pipegen/outputs/demo-a/",)


def steps(work: PlanScripts, stage: str, kind: type[model.Step]) -> list[model.Step]:
    """Return the steps of one kind of *stage*."""
    (found,) = (one for one in lowered(work).stages if one.name == stage)
    return [step for step in found.steps if isinstance(step, kind)]


def test_a_stage_leaves_a_stash_only_for_readers() -> None:
    """Outputs and artifacts stand in one; files of users keep what Ant would leave out."""
    artifacts = {"artifacts": (artifact("dist"),), "outputs": ("v",)}
    reader = {"inputs": (Output("a", "v"),)}
    read = scripts(plan(("a", "b"), a=artifacts, b=reader), a=script("x", carries=CARRIED))
    unread = scripts(plan(("a", "b"), a=artifacts), a=script("x", carries=CARRIED))

    assert steps(read, "a", model.Stash) == [
        model.Stash(
            name="demo-a",
            includes=".pipegen/outputs/demo-a/, dist, dist/",
            has_folders=True,
            may_be_empty=False,
        )
    ]
    assert steps(read, "b", model.Unstash) == [model.Unstash("demo-a")]
    assert steps(unread, "a", model.Stash) == []


def test_artifacts_alone_may_be_missing() -> None:
    """That fails nothing, as on other engines."""
    work = scripts(plan(("a", "b"), a={"artifacts": (artifact("dist"),)}, b={"files": ("a",)}))

    assert (
        "stash name: 'demo-a', includes: 'dist, dist/', useDefaultExcludes: false, allowEmpty: true\n"
        in jenkinsfile(work)
    )


def test_what_is_written_last_stays() -> None:
    """Stashes come in the order of the graph, not in that of the values read."""
    artifacts = {"artifacts": (artifact("x"),)}
    made = plan(("a", "b", "c"), a=artifacts, b=artifacts, c={"files": ("b", "a"), "inputs": (Output("b", "v"),)})

    assert steps(scripts(made), "c", model.Unstash) == [model.Unstash("demo-a"), model.Unstash("demo-b")]


def test_values_that_are_worked_out_where_they_are_read_do_not_travel() -> None:
    """A producer that carries nothing has no stash to read."""
    made = plan(("a", "b"), b={"inputs": (Output("a", "releaseName"),), "containers": ("a",)})

    assert steps(scripts(made), "b", model.Unstash) == []


def test_a_name_with_an_extension_is_that_of_files() -> None:
    """So it needs no second pattern for a folder; hidden files and other names do."""
    paths = ("dist/*.whl", "report.xml", "conf.d", ".env", "package.egg-info", "public/")
    job = {"artifacts": tuple(map(artifact, paths))}
    (stash,) = steps(scripts(plan(("a", "b"), a=job, b={"files": ("a",)})), "a", model.Stash)
    (files,) = steps(
        scripts(plan(("a", "b"), a={"artifacts": (artifact("x.tar"),)}, b={"files": ("a",)})), "a", model.Stash
    )

    assert isinstance(stash, model.Stash)
    assert stash.includes == (
        "dist/*.whl, report.xml, conf.d, conf.d/, .env, .env/, package.egg-info, package.egg-info/, public/"
    )
    assert stash.has_folders
    assert files == model.Stash(name="demo-a", includes="x.tar", has_folders=False, may_be_empty=True)
