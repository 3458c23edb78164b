"""Other programs that generate pipelines, each in its own environment, with the workload in their own languages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workload import IMAGE, Stage, config

ROOT = Path(__file__).parents[2]
Writer = Callable[[Path, tuple[Stage, ...]], None]


@dataclass(frozen=True, slots=True)
class Peer:
    """A program.

    Attributes:
        name: its name in the table.
        requirements: the packages in its environment, from PyPI, or from npm with the prefix "npm:".
        write: writes its input to a folder.
        command: generates the files in that folder; `{bin}` is the folder of the environment's programs.
        most: the largest number of stages that is measured; more would take minutes.
    """

    name: str
    requirements: tuple[str, ...]
    write: Writer
    command: tuple[str, ...]
    most: int = 10_000

    def install(self, folder: Path) -> Path:
        """Create the environment in *folder* if needed, install this checkout, and return the programs' folder."""
        environment = folder / self.name.split()[0]
        if self.requirements[0].startswith("npm:"):
            packages = [requirement.removeprefix("npm:") for requirement in self.requirements]
            if not environment.exists():
                subprocess.run(["npm", "install", "--silent", "--prefix", str(environment), *packages], check=True)
            return environment / "node_modules"
        if not environment.exists():
            subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
            pip = [str(environment / "bin/python"), "-m", "pip", "install", "--quiet", *self.requirements]
            subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
        elif self.requirements == (str(ROOT),):
            pip = [
                str(environment / "bin/python"),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--force-reinstall",
                "--no-deps",
                str(ROOT),
            ]
            subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
        return environment / "bin"


def _pipegen(folder: Path, stages: tuple[Stage, ...]) -> None:
    (folder / "pipegen.yaml").write_text(config(len(stages)), encoding="utf-8")


def _gcip(folder: Path, stages: tuple[Stage, ...]) -> None:
    lines = ["from gcip import Job, Pipeline", "pipeline = Pipeline()", "jobs = {}"]
    for stage in stages:
        needs = ", ".join(f"jobs[{predecessor!r}]" for predecessor in stage.before)
        words = f"name={stage.name!r}, stage={stage.name!r}, image={IMAGE!r}, script={stage.command!r}, needs=[{needs}]"
        lines += [f"jobs[{stage.name!r}] = Job({words})", f"pipeline.add_children(jobs[{stage.name!r}])"]
    text = "\n".join([*lines, "pipeline.write_yaml('out.yml')", ""])
    (folder / "gcip_pipeline.py").write_text(text, encoding="utf-8")


def _taskgraph(folder: Path, stages: tuple[Stage, ...]) -> None:
    url = "https://github.com/example/bench"
    _json(
        folder / "taskcluster/config.yml",
        {
            "trust-domain": "bench",
            "task-priority": "low",
            "taskgraph": {
                "repositories": {
                    "bench": {"name": "Bench", "default-repository": url, "default-ref": "main", "type": "git"}
                }
            },
            "workers": {
                "aliases": {
                    "b": {
                        "provisioner": "bench",
                        "implementation": "docker-worker",
                        "os": "linux",
                        "worker-type": "b",
                    }
                }
            },
        },
    )
    tasks = {
        stage.name: {
            "description": stage.name,
            "worker-type": "b",
            "dependencies": {predecessor: f"s-{predecessor}" for predecessor in stage.before},
            "worker": {"docker-image": IMAGE, "max-run-time": 60, "command": ["sh", "-c", stage.command]},
        }
        for stage in stages
    }
    kind = {
        "loader": "taskgraph.loader.transform:loader",
        "transforms": ["taskgraph.transforms.task:transforms"],
        "tasks": tasks,
    }
    _json(folder / "taskcluster/kinds/s/kind.yml", kind)
    _json(folder / "parameters.yml", _parameters(url))
    for command in (["init", "-q"], ["add", "parameters.yml"], [*_IDENTITY, "commit", "-qm", "parameters"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")


def _parameters(url: str) -> dict[str, object]:
    texts = dict.fromkeys(("head_tag", "version", "next_version"), "")
    return {
        **texts,
        **dict.fromkeys(("base_repository", "head_repository"), url),
        **dict.fromkeys(("base_rev", "head_rev"), "0" * 40),
        **dict.fromkeys(("base_ref", "head_ref"), "main"),
        **{key: [] for key in ("do_not_optimize", "files_changed")},
        **dict.fromkeys(("next_version", "optimize_strategies", "version")),
        **dict.fromkeys(("enable_always_target", "optimize_target_tasks"), True),
        **dict.fromkeys(("build_date", "pushdate"), 0),
        "build_number": 1,
        "code-review": {"phabricator-build-target": ""},
        "existing_tasks": {},
        "filters": ["target_tasks_method"],
        "level": "1",
        "moz_build_date": "20260101000000",
        "owner": "bench@example.org",
        "project": "bench",
        "pushlog_id": "0",
        "repository_type": "git",
        "target_tasks_method": "default",
        "tasks_for": "push",
    }


def _job_builder(folder: Path, stages: tuple[Stage, ...]) -> None:
    after: dict[str, list[str]] = {stage.name: [] for stage in stages}
    for stage in stages:
        for text in stage.before:
            after[text].append(stage.name)
    jobs = [
        {
            "job": {
                "name": stage.name,
                "builders": [{"shell": stage.command}],
                "publishers": [{"trigger": {"project": ",".join(after[stage.name])}}] if after[stage.name] else [],
            }
        }
        for stage in stages
    ]
    _json(folder / "jobs.yaml", jobs)


def _projen(folder: Path, stages: tuple[Stage, ...]) -> None:
    jobs = {
        stage.name: {
            "stage": "main",
            "image": {"name": IMAGE},
            "script": [stage.command],
            "needs": [{"job": predecessor} for predecessor in stage.before],
        }
        for stage in stages
    }
    text = f"""\
const {{ Project, gitlab }} = require("projen");
const project = new Project({{ name: "bench", outdir: "out", commitGenerated: true }});
new gitlab.GitlabConfiguration(project, {{ stages: ["main"], jobs: {json.dumps(jobs)} }});
project.synth();
"""
    (folder / "projenrc.js").write_text(text, encoding="utf-8")


def _json(path: Path, data: object) -> None:
    """Write *data* as JSON, which is also YAML."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")


_FLOOR_PROGRAM = str(Path(__file__).parent / "baseline.py")
FLOOR = Peer("baseline", ("PyYAML",), _pipegen, ("{bin}/python", _FLOOR_PROGRAM, "pipegen.yaml", "out.yml"))
GITLAB = Peer("pipegen (GitLab)", (str(ROOT),), _pipegen, ("{bin}/pipegen", "compile", "-t", "gitlab", "-o", "out.yml"))
JENKINS = Peer("pipegen (Jenkins)", (str(ROOT),), _pipegen, ("{bin}/pipegen", "compile", "-t", "jenkins", "-o", "out"))
OTHERS = (
    Peer("gcip", ("gcip",), _gcip, ("{bin}/python", "gcip_pipeline.py"), most=100),
    Peer(
        "taskgraph",
        ("taskcluster-taskgraph",),
        _taskgraph,
        # The program builds the graph and names its nodes; writing it as JSON (-J) would take half as long again.
        ("{bin}/taskgraph", "full", "-q", "-r", "taskcluster", "-p", "parameters.yml", "-o", "out.txt"),
    ),
    Peer(
        "jenkins-job-builder",
        ("jenkins-job-builder", "setuptools<81"),
        _job_builder,
        ("{bin}/jenkins-jobs", "test", "jobs.yaml", "-o", "out"),
        most=1_000,
    ),
    Peer(
        "projen",
        ("npm:projen", "npm:constructs"),
        _projen,
        ("env", "PROJEN_DISABLE_POST=true", "NODE_PATH={bin}", "node", "projenrc.js"),
    ),
)
