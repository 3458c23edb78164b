"""Variables of scripts in a local run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from plan.sample_plans import job_of

from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.shell_variables import label_names, setup_values, status_variable, with_paths


def test_stages_with_similar_names_have_distinct_status_variables() -> None:
    """A dash, an underscore, a dot and upper case make different names."""
    slugs = ("a-b", "a_b", "a.b", "A-B", "a--b", "ab", "")

    assert len({status_variable(slug) for slug in slugs}) == len(slugs)
    assert status_variable("a-b") == "PIPEGEN_STATUS_A_B"


def test_paths_contain_the_values_of_the_run(tmp_path: Path) -> None:
    """Without a repository, a commit is empty."""
    job = job_of(
        "{name: s, script: x, artifacts: {paths: ['a-${setup.projectShortName}'], exclude: ['a-${setup.commit}b']}, "
        "reports: {junit: 'x', coverage: '${setup.project}.xml'}}"
    )
    filled = with_paths(job, RunContext(LocalCheckout(tmp_path), {}, {}), datetime(2025, 1, 31, tzinfo=UTC))

    assert [artifact.path for artifact in filled.artifacts] == [f"a-{tmp_path.name}"]
    assert filled.retention.exclude == ("a-b", "a-b/**")
    assert filled.reports.coverage is not None
    assert filled.reports.coverage.path == f"{tmp_path.name}.xml"


def test_setup_values_of_a_manual_run(tmp_path: Path) -> None:
    """Without a repository, the default branch is main, and there is no change request."""
    context = RunContext(LocalCheckout(tmp_path), {}, {})
    names = ("event", "actor", "run", "changeRequest", "sourceBranch", "targetBranch", "defaultBranch", "shortCommit")
    values = setup_values(names, context, datetime(2025, 1, 31, tzinfo=UTC), {"USER": "jo"})

    assert values == {
        "PIPEGEN_EVENT": "manual",
        "PIPEGEN_ACTOR": "jo",
        "PIPEGEN_NUMBER": "0",
        "PIPEGEN_CHANGE_REQUEST": "",
        "PIPEGEN_SOURCE_BRANCH": "",
        "PIPEGEN_TARGET_BRANCH": "",
        "PIPEGEN_DEFAULT_BRANCH": "main",
        "PIPEGEN_SHORT_COMMIT": "",
    }


def test_only_labels_of_images_read_the_name_of_the_project() -> None:
    """Without images, no run asks git for the address of the repository."""
    assert label_names(["make", 'docker build --label "ci.project=$PIPEGEN_PROJECT" .']) == ("project",)
    assert label_names(["make", ""]) == ()
