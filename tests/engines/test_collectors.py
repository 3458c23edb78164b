"""A stage with more needs than GitLab allows gets all their files and values through collectors."""

import subprocess
from pathlib import Path

import pytest
from engines import gitlab_local
from engines.requirement import require
from targets.gitlab.split_runs import split_up

from pipegen.targets.gitlab.helper_jobs import collectors

BEFORE = 7
HOSTILE = "'$HOME' \"`id`\" \\ ü"


def test_a_join_reads_values_and_files_through_collectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit here is three needs; one stage is skipped, and one has an allowed failure."""
    require(gitlab_local.available())
    monkeypatch.setattr(collectors, "LIMIT", 3)
    stages = [
        f"{{ name: s{n}, script: ['printf %s \"$HOSTILE {n}\" >v', 'echo {n} >file-{n}'], "
        f"outputs: {{ v: {{ file: v }} }}, artifacts: [file-{n}]{extra} }}"
        for n, extra in enumerate(["", ", when: { branch: other }", ", allow_failure: true", "", "", "", ""])
    ]
    stages[2] = stages[2].replace("echo 2 >file-2", "false")
    read = "".join(f"${{s{n}.v|none}}/" for n in range(BEFORE))
    stages.append(f"{{ name: end, script: ['printf %s \"{read}\" >all', 'cat file-* >>all'], artifacts: [all] }}")
    arcs = ", ".join(f"[s{n}, end]" for n in range(BEFORE))
    (file,) = split_up(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}").files
    (tmp_path / "repository").mkdir()
    for command in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *command]
        subprocess.run(git, cwd=tmp_path / "repository", check=True)
    texts = {"HOSTILE": HOSTILE, "CI_COMMIT_BRANCH": "main"}
    run = gitlab_local.run(tmp_path / "repository", file.text, workdir=tmp_path, variables=texts)

    assert file.text.count("\ncollect for end") >= BEFORE // 3
    assert run.results()["end"] is gitlab_local.Result.SUCCESS, run.output
    values = "".join("none/" if n in (1, 2) else f"{HOSTILE} {n}/" for n in range(BEFORE))
    assert (run["end"].artifacts / "all").read_text("utf-8") == f"{values}0\n3\n4\n5\n6\n"
