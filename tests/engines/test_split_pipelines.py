"""Parents and child pipelines match GitLab's schema, and values are passed between them byte for byte.

gitlab-ci-local starts no child pipelines. So the parent is executed first, with its bridges as jobs without effect,
then the child with a job in place of each job of the parent from which it fetches, which provides the same artifacts.
"""

import shlex
import subprocess
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from engines import gitlab_local
from engines.gitlab_schema import check
from engines.requirement import require
from ruamel.yaml import YAML
from targets.gitlab.split_runs import jobs_of, split_up

HOSTILE = "  a 'b' \"c\" $HOME `id` \\ ü\n\n"
CONFIG = """
pipelines:
  p:
    stages:
      - name: build
        script: ['printf %s "$HOSTILE" >value', 'mkdir dist', 'echo built >dist/app']
        outputs: { value: { file: value } }
        artifacts: [dist/]
      - name: maybe
        when: { branch: other }
        script: [x]
        outputs: { value: { command: echo never } }
      - name: lint
        script: ['true']
      - name: unit
        script:
          - 'printf %s "${build.value}" >got'
          - 'printf %s "${maybe.value|none}" >>got'
          - 'echo tested >>dist/app'
        outputs: { value: { file: got } }
        artifacts: [dist/app]
      - name: report
        script: ['printf %s "${unit.value}" >report', 'cat dist/app >>report']
        artifacts: [report]
    execution: [[build, unit, report], [maybe, unit], [lint, report]]
"""


def text_of(data: Mapping[str, Any]) -> str:
    """Return *data* as a file."""
    stream = StringIO()
    YAML().dump(dict(data), stream)
    return stream.getvalue()


def with_parent(child: dict[str, Any], parent: Mapping[str, Any], run: gitlab_local.Pipeline) -> dict[str, Any]:
    """Return the *child* with jobs that provide the artifacts of jobs of its *parent* in *run*."""
    data = dict(child, stages=["parent", *child["stages"]])
    for job in jobs_of(child).values():
        for need in job.get("needs", []):
            if isinstance(need, dict) and need.pop("pipeline", None):
                left = run[need["job"]].artifacts
                copied = f"if [ -d {shlex.quote(str(left))} ]; then cp -a {shlex.quote(str(left))}/. .; fi"
                artifacts = parent[need["job"]].get("artifacts", {"paths": ["none"]})
                data[need["job"]] = {"stage": "parent", "script": [copied], "artifacts": artifacts}
    return data


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with a file."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "README").write_text("x", encoding="utf-8")
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *command], cwd=folder, check=True)
    return folder


def test_values_and_files_reach_the_child_pipeline(repository: Path, tmp_path: Path) -> None:
    """A hostile value, an optional one, and a file that the child changes arrive as in one file."""
    require(gitlab_local.available())
    layout = split_up(CONFIG, ["unit"])
    child, parent = (YAML(typ="safe", pure=True).load(file.text) for file in layout.files)
    assert [check(file.text) for file in layout.files] == [(), ()]

    bridge = dict(parent["child: unit"], script=["true"])
    del bridge["trigger"], bridge["inherit"]
    values = {"HOSTILE": HOSTILE, "CI_COMMIT_BRANCH": "main"}
    (tmp_path / "parent").mkdir()
    first = gitlab_local.run(
        repository, text_of({**parent, "child: unit": bridge}), workdir=tmp_path / "parent", variables=values
    )
    (tmp_path / "child").mkdir()
    run = gitlab_local.run(
        repository, text_of(with_parent(child, parent, first)), workdir=tmp_path / "child", variables=values
    )

    assert first.results()["child: unit"] is gitlab_local.Result.SUCCESS
    assert run.results()["report"] is gitlab_local.Result.SUCCESS, run.output
    assert (run["report"].artifacts / "report").read_text("utf-8") == f"{HOSTILE}nonebuilt\ntested\n"


def test_included_jobs_run_as_one_pipeline(repository: Path, tmp_path: Path) -> None:
    """Jobs of several files need each other and pass on values."""
    require(gitlab_local.available())
    stages = ", ".join(
        f"{{ name: s{number}, script: ['echo {'x' * 600} >/dev/null', 'echo {number} ${{s{number - 1}.v|}} >v'], "
        "outputs: { v: { file: v } } }"
        for number in range(1, 9)
    )
    first = "{ name: s0, script: ['echo 0 >v'], outputs: { v: { file: v } } }"
    last = "{ name: end, script: ['echo ${s8.v} >report'], artifacts: [report] }"
    layout = split_up(
        "targets: { gitlab: { max_yaml_size_bytes: 12000 } }\n"
        f"pipelines: {{ p: {{ stages: [{first}, {stages}, {last}] }} }}"
    )
    *included, parent = layout.files
    for file in included:
        (repository / file.name).parent.mkdir(exist_ok=True)
        (repository / file.name).write_text(file.text, encoding="utf-8")
    for command in (["add", "."], ["commit", "-q", "-m", "y"]):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *command], cwd=repository, check=True)
    names = [*(f"s{number}" for number in range(9)), "end"]
    run = gitlab_local.run(repository, parent.text, workdir=tmp_path, included=names)

    assert len(included) > 1
    assert [check(text_of(data)) for data in layout.data().values()] == [()]
    assert set(run.results().values()) == {gitlab_local.Result.SUCCESS}, run.output
    assert (run["end"].artifacts / "report").read_text("utf-8").split() == list("876543210")


def test_parents_and_children_are_valid_for_gitlab() -> None:
    """GitLab's schema and rules outside it accept a file that is cut at many points."""
    require(gitlab_local.available())
    names = ", ".join(f"{{ name: s{number}, script: ['{number}{'x' * 200}'] }}" for number in range(60))
    arcs = ", ".join(f"[s{number}, s{number + 7}]" for number in range(53))
    layout = split_up(
        "targets: { gitlab: { max_yaml_size_bytes: 40000 } }\n"
        f"pipelines: {{ p: {{ stages: [{names}], execution: [{arcs}] }} }}"
    )

    split = split_up(f"pipelines: {{ p: {{ stages: [{names}], execution: [{arcs}] }} }}", ["s3", "s5"])

    assert len(layout.files) > 2
    assert [check(text_of(data)) for data in layout.data().values()] == [()]
    assert len(split.files) == 3
    assert [check(file.text) for file in split.files] == [()] * 3
