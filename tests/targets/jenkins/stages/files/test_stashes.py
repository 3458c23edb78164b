"""Stashes that pass files between stages with isolated workspaces."""

from __future__ import annotations

from engines.sized import built
from targets.jenkins.sample_plans import artifact, jenkinsfile, lowered, plan, script, scripts

from pipegen.plan.model import Output
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import PlanScripts

CARRIED = (".pipegen/outputs/demo-a/",)


def steps(work: PlanScripts, stage: str, kind: type[model.Step]) -> list[model.Step]:
    """Return the steps of type *kind* of *stage*."""
    (block,) = (lowered_stage for lowered_stage in lowered(work).stages if lowered_stage.name == stage)
    return [step for step in block.steps if isinstance(step, kind)]


def test_a_stage_stashes_files_only_for_readers() -> None:
    """Outputs and artifacts are in one stash; Ant's default excludes are disabled for files of users."""
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


def test_setup_values_are_in_the_patterns_of_files() -> None:
    """A comma in a tag would start another pattern of Ant, whose `?` matches any character."""
    files = {"artifacts": (artifact("a-${setup.tag}.tgz"), artifact("${setup.shortCommit}"))}
    text = jenkinsfile(scripts(plan(("a", "b"), a=files, b={"files": ("a",)})))
    tag, commit = "(env.TAG_NAME ?: '').replace(',', '?')", "env.PIPEGEN_SHORT_COMMIT"

    assert f'includes: "a-${{{tag}}}.tgz, ${{{commit}}}, ${{{commit}}}/"' in text
    assert "env.PIPEGEN_SHORT_COMMIT = git.GIT_COMMIT.substring(0, 8)" in text


def test_a_stash_of_artifacts_may_be_empty() -> None:
    """Missing artifacts do not fail the stage, as on other engines."""
    work = scripts(plan(("a", "b"), a={"artifacts": (artifact("dist"),)}, b={"files": ("a",)}))

    assert (
        "stash name: 'demo-a', includes: 'dist, dist/', useDefaultExcludes: false, allowEmpty: true\n"
        in jenkinsfile(work)
    )


def test_stashes_are_unpacked_in_the_order_of_the_graph() -> None:
    """The file that was written last remains."""
    artifacts = {"artifacts": (artifact("x"),)}
    sample = plan(("a", "b", "c"), a=artifacts, b=artifacts, c={"files": ("b", "a"), "inputs": (Output("b", "v"),)})

    assert steps(scripts(sample), "c", model.Unstash) == [model.Unstash("demo-a"), model.Unstash("demo-b")]


def test_values_computed_by_the_reader_need_no_stash() -> None:
    """Their stage passes on no files."""
    sample = plan(("a", "b"), b={"inputs": (Output("a", "releaseName"),), "containers": ("a",)})

    assert steps(scripts(sample), "b", model.Unstash) == []


def test_a_path_with_an_extension_needs_no_folder_pattern() -> None:
    """Hidden files and other names may be folders."""
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


def test_files_of_a_later_stage_replace_others_in_the_order_of_stashes() -> None:
    """They need no tar, unlike on GitLab, which has an order of its own."""
    text = built(
        """
        pipelines:
          p:
            stages:
              - { name: z, script: [cmake], artifacts: [build/] }
              - { name: a, script: [make], artifacts: [build/] }
              - { name: test, script: [ctest] }
            execution: [[z, a, test]]
        """,
        "declarative",
    ).text

    assert "tar " not in text
    unstashed = [line.strip() for line in text.splitlines() if "unstash" in line]
    assert unstashed == ["unstash 'z'", "unstash 'z'", "unstash 'a'"]


def test_all_combinations_of_a_matrix_have_a_stash_if_one_does() -> None:
    """They have the same steps, which can be in one function. Stages without files have none."""
    make = "matrix: { v: [a, b] }, script: 'make ${matrix.v}'"
    last = "{ name: last, script: 'x ${make[v=a].size|none}', files_from: ['make[v=a]'] }"
    stages = (
        f"[{{ name: make, {make}, artifacts: ['${{matrix.v}}.zip'], outputs: {{ size: {{ command: du }} }} }}, {last}]"
    )
    text = built(f"pipelines: {{ p: {{ stages: {stages} }} }}\n", "declarative").text

    assert text.count("stash name: 'make-") == 2
    assert text.count("unstash 'make-") == 1
