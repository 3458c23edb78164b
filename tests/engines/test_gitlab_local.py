"""Pipelines executed by gitlab-ci-local, as tests use it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import gitlab_local
from engines.containers import Containers
from engines.gitlab_local import Pipeline, RefusedError, Result
from engines.requirement import require

Repository = Callable[[Mapping[str, str | bytes]], Path]
MODELS = Path(__file__).parents[3] / "shared/output/gitlab"

SERVICE = {
    "ci/lint": "#!/bin/sh\necho linted\n",
    "ci/unit": '#!/bin/sh\necho "<testsuites/>" > "$2"\n',
    "ci/build": "#!/bin/sh\nmkdir $1\necho 1.2 > $1/VERSION\nprintf 'a\\n\\n' > $1/NOTES.md\ncp ci/app $1/app\n",
    "ci/app": "#!/bin/sh\necho 1.2\n",
    "ci/docs": "#!/bin/sh\nls dist\n",
    "ci/smoke": "#!/bin/sh\nprintf '<%s>' \"$@\"\n",
    "ci/release": '#!/bin/sh\necho "$1 with $DEPLOY_TOKEN"\n',
}
BLUBBER = """\
# syntax=registry.example.org/blubber/buildkit:v1
version: v4
base: example/base
variants:
  list-versions: { entrypoint: [printf, 'a 1\\nb 2\\n'] }
  lint: { entrypoint: ['true'] }
  test:
    copies: [local]
    entrypoint: [sh, -c, 'mkdir /srv/report; printf "%s\\n" "$MODE" "$@" > /srv/report/args', sh]
  production: { copies: [local], entrypoint: [echo, checked] }
"""


@pytest.fixture(autouse=True)
def _engine() -> None:
    """Require gitlab-ci-local."""
    require(gitlab_local.available())


@pytest.fixture
def run(repository: Repository, tmp_path: Path) -> Callable[..., Pipeline]:
    """Return a function that executes a pipeline in a repository of one file."""

    def execute(file: str, **options: object) -> Pipeline:
        workdir = tmp_path / "run"
        workdir.mkdir()
        checkout = repository({"README": "a file\n"})
        return gitlab_local.run(checkout, file, workdir=workdir, **options)  # type: ignore[arg-type]

    return execute


def model(name: str) -> Path:
    """Return the model output *name*; skip if it is not next to the checkout."""
    if not MODELS.is_dir():
        pytest.skip("the model outputs are not beside the checkout")
    return MODELS / f"{name}.gitlab-ci.yml"


def test_the_model_service_runs(repository: Repository, tmp_path: Path) -> None:
    """The hand-written service pipeline succeeds, and readers get its values."""
    checkout = repository(SERVICE)
    pipeline = gitlab_local.run(checkout, model("service"), workdir=tmp_path, variables={"DEPLOY_TOKEN": "a$b$$c"})

    assert set(pipeline.results().values()) == {Result.SUCCESS}
    assert "<1.2><a\n\n>\n" in pipeline["smoke"].log
    assert "1.2 with a$b$$c\n" in pipeline["release"].log
    assert (pipeline["build"].artifacts / ".pipegen/outputs/build/version").read_text() == "1.2"


@pytest.mark.parametrize("name", ["images", "images.local"])
def test_the_model_images_run(name: str, repository: Repository, containers: Containers, tmp_path: Path) -> None:
    """Images are built, run and pushed, and files are copied out of containers."""
    pipeline = gitlab_local.run(
        repository({"blubber.yaml": BLUBBER}),
        model(name),
        workdir=tmp_path,
        project=f"models/{name}",
        variables=containers.gitlab_variables(f"models/{name}"),
        env=containers.environment | {"HELM_LOG": str(tmp_path / "helm.log")},
    )
    results = pipeline.results()

    assert results.pop("mail when deploy fails") is Result.SKIPPED
    assert set(results.values()) == {Result.SUCCESS}
    assert (pipeline["test"].artifacts / "report/args").read_text() == 'it\'s "full"\n--with=a:1\n--with=b:2\n'
    assert "latest" in containers.tags(f"models/{name}/models-{name}")
    assert len((tmp_path / "helm.log").read_text().splitlines()) == 3


@pytest.mark.parametrize("name", ["handoff", "handoff.local"])
def test_the_model_jobs_share_an_image(
    name: str, repository: Repository, containers: Containers, tmp_path: Path
) -> None:
    """It is built in one job, run in the next and published by the last, through the registry or by name."""
    pipeline = gitlab_local.run(
        repository({"blubber.yaml": BLUBBER}),
        model(name),
        workdir=tmp_path,
        project=f"models/{name}",
        variables=containers.gitlab_variables(f"models/{name}"),
        env=containers.environment,
    )

    assert set(pipeline.results().values()) == {Result.SUCCESS}
    assert "checked check\n" in pipeline["check"].log
    assert len(containers.tags(f"models/{name}/models-{name}")) == 1


def test_every_outcome_is_reported(run: Callable[..., Pipeline]) -> None:
    """Success, failure, allowed failure, or not run; the exit code is the script's."""
    pipeline = run(
        "good: {script: ['true']}\n"
        "bad: {script: [exit 7]}\n"
        "odd: {script: [exit 3], allow_failure: true}\n"
        "later: {script: ['true'], needs: [bad]}\n"
        "after: {script: ['true'], needs: [odd]}\n"
        "never: {script: ['true'], rules: [{if: $NEVER}]}\n"
    )

    assert {job.name: (job.result, job.exit_code) for job in pipeline.jobs} == {
        "good": (Result.SUCCESS, 0),
        "bad": (Result.FAILED, 7),
        "odd": (Result.ALLOWED, 3),
        "later": (Result.SKIPPED, None),
        "after": (Result.SUCCESS, 0),
        "never": (Result.SKIPPED, None),
    }


def test_jobs_start_after_their_needs(run: Callable[..., Pipeline]) -> None:
    """By the times of start and end."""
    pipeline = run("a: {script: [sleep 0.2]}\nb: {script: ['true'], needs: [a]}\n")
    first, second = pipeline.jobs

    assert first.started is not None
    assert first.ended is not None
    assert second.started is not None
    assert first.started + 0.2 <= first.ended <= second.started


def test_artifacts_reach_only_jobs_that_need_them(run: Callable[..., Pipeline]) -> None:
    """A need without artifacts fetches none."""
    pipeline = run(
        "a: {script: [mkdir out, touch out/x], artifacts: {paths: [out/]}}\n"
        "with: {script: [ls], needs: [{job: a, artifacts: true}]}\n"
        "without: {script: [ls], needs: [{job: a, artifacts: false}]}\n"
    )

    assert pipeline["with"].log == "$ ls\nREADME\nout\n"
    assert pipeline["without"].log == "$ ls\nREADME\n"
    assert (pipeline["a"].artifacts / "out/x").exists()


def test_after_script_runs_in_the_same_workspace(run: Callable[..., Pipeline]) -> None:
    """It can change the script's files, as on GitLab, and its artifacts are stored."""
    pipeline = run(
        "a: {script: [echo old > x], artifacts: {paths: [x]}}\n"
        "b:\n"
        "  needs: [a]\n"
        "  script: [echo new > x]\n"
        "  after_script: [cat x, touch y]\n"
        "  artifacts: {paths: [x, y]}\n"
    )

    assert "$ cat x\nnew\n" in pipeline["b"].log
    assert (pipeline["b"].artifacts / "x").read_text() == "new\n"
    assert (pipeline["b"].artifacts / "y").exists()


def test_images_and_services_are_removed(run: Callable[..., Pipeline]) -> None:
    """A job with an image runs in the shell, in its project folder."""
    pipeline = run(
        "default: {image: nowhere.example.org/a}\n"
        ".base: {image: nowhere.example.org/b, services: [nowhere.example.org/c]}\n"
        'a: {extends: .base, script: [\'[ "$CI_PROJECT_DIR" = "$PWD" ]\']}\n'
    )

    assert pipeline["a"].result is Result.SUCCESS


def test_variables_arrive_unchanged(run: Callable[..., Pipeline]) -> None:
    """No character of a value has a special meaning."""
    value = "'\"$HOME $$ ${X} \\ `id` --x=y\nsecond line "
    pipeline = run("a: {script: ['printf %s \"$V\" > v'], artifacts: {paths: [v]}}\n", variables={"V": value})

    assert (pipeline["a"].artifacts / "v").read_text() == value


def test_predefined_variables_have_gitlabs_format(run: Callable[..., Pipeline]) -> None:
    """All variables that generated files read are set."""
    pipeline = run(
        "a: {script: ['echo \"<$CI_PROJECT_PATH|$CI_PROJECT_NAME|$CI_COMMIT_BRANCH|$CI_DEFAULT_BRANCH>\"',"
        " 'echo \"<$CI_PIPELINE_CREATED_AT|$CI_JOB_ID|$CI_PIPELINE_ID|$CI_COMMIT_SHA>\"',"
        " 'echo \"<$CI_REPOSITORY_URL|$CI_JOB_URL|$GITLAB_CI>\"', 'git rev-parse HEAD']}\n",
        project="Some/group/Thing",
    )
    log = pipeline["a"].log
    names, numbers, places = (line.strip("<>").split("|") for line in log.splitlines() if line.startswith("<"))

    assert names == ["Some/group/Thing", "Thing", "main", "main"]
    assert len(numbers[0]) == len("2022-01-31T16:47:55Z")
    assert all(number.isdigit() for number in numbers[1:3])
    assert log.endswith(f"{numbers[3]}\n")
    assert places[0] == "https://gitlab-ci-token:job-token@gitlab.example.org/Some/group/Thing.git"
    assert places[1] == f"https://gitlab.example.org/Some/group/Thing/-/jobs/{numbers[1]}"
    assert places[2] == "true"


def test_a_predefined_variable_can_be_removed(run: Callable[..., Pipeline]) -> None:
    """The pipeline of a tag has a tag and no branch."""
    pipeline = run(
        "a: {script: ['true'], rules: [{if: $CI_COMMIT_BRANCH}]}\n"
        "b: {script: ['true'], rules: [{if: $CI_COMMIT_TAG}]}\n",
        variables={"CI_COMMIT_TAG": "v1", "CI_COMMIT_BRANCH": None},
    )

    assert pipeline.results() == {"a": Result.SKIPPED, "b": Result.SUCCESS}


def test_jobs_do_not_inherit_the_environment_of_tests(
    run: Callable[..., Pipeline], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables that a CI sets for the tests do not reach jobs; those in *env* do."""
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "7")
    pipeline = run("a: {script: ['echo \"<$CI_MERGE_REQUEST_IID|$GIVEN>\"']}\n", env={"GIVEN": "x"})

    assert "<|x>\n" in pipeline["a"].log


def test_a_run_does_not_change_the_repository(repository: Repository, tmp_path: Path) -> None:
    """It writes only to its own folder."""
    checkout = repository({"README": "a file\n"})
    before = sorted(checkout.rglob("*"))
    (tmp_path / "run").mkdir()
    gitlab_local.run(checkout, "a: {script: [touch README new]}\n", workdir=tmp_path / "run")

    assert sorted(checkout.rglob("*")) == before


def test_jobs_with_special_characters_have_their_own_logs(run: Callable[..., Pipeline]) -> None:
    """Names with blanks, colons and matrix values, and copies by `parallel`."""
    pipeline = run(
        "'a: b > c':\n  script: [touch x]\n  artifacts: {paths: [x]}\n"
        "a:\n  script: ['echo $V']\n  parallel: {matrix: [{V: [one, two]}]}\n"
    )

    assert (pipeline["a: b > c"].artifacts / "x").exists()
    assert pipeline["a: [one]"].log == "$ echo $V\none\n"
    assert pipeline["a: [two]"].log == "$ echo $V\ntwo\n"


def test_a_manual_job_runs_if_named(run: Callable[..., Pipeline]) -> None:
    """This simulates a person who starts it."""
    text = "a: {script: ['true'], when: manual}\nb: {script: ['true'], when: manual}\n"

    assert run(text, manual=["b"]).results() == {"a": Result.SKIPPED, "b": Result.SUCCESS}


def test_only_named_jobs_run(run: Callable[..., Pipeline]) -> None:
    """Their needs count as done."""
    text = "a: {script: ['false']}\nb: {script: ['true'], needs: [a]}\n"

    assert run(text, jobs=["b"]).results() == {"a": Result.SKIPPED, "b": Result.SUCCESS}


def test_a_pipeline_is_stopped_at_the_time_limit(run: Callable[..., Pipeline]) -> None:
    """The error has the output so far."""
    with pytest.raises(RefusedError, match=r"no end within 10 seconds:\n(.|\n)*sleep 60"):
        run("a: {script: [sleep 60]}\n", seconds=10)


def test_an_invalid_pipeline_is_rejected(run: Callable[..., Pipeline]) -> None:
    """A need of a missing job is reported, and no job runs."""
    with pytest.raises(RefusedError, match="missing"):
        run("a: {script: ['true'], needs: [missing]}\n")
