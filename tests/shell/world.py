"""The environment of tests that run scripts: a checkout, shells, and programs that record their calls."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from engines.requirement import require

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan
from pipegen.shell.host import Images, Login, ShellEnvironment
from pipegen.shell.script import StageScriptParts, script
from pipegen.source.text import SourceFile
from pipegen.structs import replace

_BIN = Path(__file__).parent / "bin"
APPLETS = (
    *(
        "awk",
        "cat",
        "cp",
        "expr",
        "find",
        "grep",
        "mkdir",
        "mktemp",
        "mv",
        "od",
        "rm",
        "sed",
        "tail",
        "tar",
        "tee",
        "tr",
    ),
)
BLUBBERFILE = "version: v4\nvariants: {}\n"

# The way in which each engine runs a script; GitLab's runner, the last one, joins all and evaluates it behind a pipe.
SHELLS: Mapping[str, Sequence[str]] = {
    "dash": ("dash", "-e"),
    "bash": ("bash", "--posix", "-e"),
    "busybox": ("busybox", "sh", "-e"),
    "runner": ("bash", "-eo", "pipefail", "-c", 'text=$(cat "$0" && echo .); : | eval "${text%.}"'),
}

# Texts with a special meaning in some shell, reader or engine.
HOSTILE: Mapping[str, str] = {
    "command": "'; rm -rf ~ #",
    "substitution": "$(id)",
    "backslash": "a lone backslash at the end \\",
    "quotes": "'''",
    "lines": "one  \ntwo \t\nthree   ",
    "backticks": '`id` $HOME "$(id)" $ {x} !',
    "unicode": "Größe → 名 😀",
    "dash": "-rf",
    "tabs": "\ta\tb\t",
    "return": "a\r\nb\r",
    "percent": "%s %d \\n \\0 \\\\ %%",
    "glob": "* ? [a-z] ~ {a,b}",
    "empty": "",
    "blanks": "  ",
    "newlines": "\n\na\n\n",
    "controls": "".join(map(chr, (*range(1, 9), 11, 12, *range(14, 32), 127, 0x80, 0x85, 0x2028, 0xFEFF))),
    "long": "x\"'$" * 16384,
}

# Texts that together have every kind of special character; quick tests that start shells use only these.
_VARIED = frozenset({"quotes", "backticks", "newlines", "return", "unicode", "empty"})


def each_of(names: Iterable[str]) -> list[Any]:
    """Return the *names* of hostile texts as parameters of a test."""
    return [pytest.param(name, marks=() if name in _VARIED else pytest.mark.slow) for name in names]


def host(**changes: object) -> ShellEnvironment:
    """Return a host whose jobs are isolated and whose settings are plain variables."""
    plain = ShellEnvironment(
        job_id="$JOB",
        run_id="$RUN",
        setup={"project": "$PROJECT", "tag": "${TAG}", "timestamp": '$(printf %s "$TIME")'}.get,
        input=lambda name: f"$INPUT_{name}",
        labels=(("ci.project", "$PROJECT"),),
        values=None,
        images=Images.LOCAL,
        shares_daemon=True,
        image_repository="$REGISTRY/shared",
        login=None,
        registry="$REGISTRY",
        repository="repo",
        namespace="$NAMESPACE",
        charts="https://charts.example/",
        frontend="example.org/blubber:1",
        promote_repository="$CHARTS",
        promote_branch="main",
        promote_credential=None,
        archives_folders=False,
        file_url="https://ci.example/file/",
        folder_url="https://ci.example/folder/",
        credential=lambda _: (),
    )
    return replace(plain, **changes)


LOGIN = Login("$REGISTRY", "$NAME", "$PASSWORD")


def plan_of(config: object, folder: str = "", inputs: object = None) -> Plan:
    """Return the plan of a pipeline: stages, or a whole pipeline as a mapping; its file may have *inputs*."""
    pipeline = config if isinstance(config, dict) else {"stages": config}
    yaml = _yaml({"pipelines": {"p": {"blubberfile": "blubber.yaml"} | pipeline}, "inputs": inputs or {}})
    report = Report()
    source = SourceFile("pipegen.yaml", yaml, folder)
    try:
        return analyse(source, (), report).plans[0]
    finally:
        assert not report.has_errors(), [diagnostic.message for diagnostic in report.diagnostics()]


def _yaml(value: object) -> str:
    """Return *value* as JSON, which YAML readers accept and which has no surrogates."""
    return re.sub(r"\\ud[89ab]..\\ud[c-f]..", lambda match: json.loads(f'"{match[0]}"'), json.dumps(value))


def script_of(plan: Plan, stage: str, where: ShellEnvironment) -> StageScriptParts:
    """Return the script of the job of *stage*."""
    return script(plan.job(stage), plan, jobs(plan), where)


def jobs(plan: Plan) -> Mapping[str, Job]:
    """Return the jobs of *plan* by stage."""
    return {job.stage: job for job in plan.jobs}


def text_of(lowered: StageScriptParts) -> str:
    """Return *lowered* as one text."""
    return "".join(f"{line}\n" for command in lowered.commands for line in command.lines)


@dataclass(frozen=True, slots=True)
class Result:
    """How a script ended, and the calls that it made."""

    status: int
    calls: list[list[str]]
    errors: str
    left: list[str]


@dataclass(frozen=True, slots=True)
class World:
    """A checkout at *root*, and one shell."""

    folder: Path
    shell: str
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """The checkout."""
        return self.folder / "checkout"

    @property
    def kept(self) -> Path:
        """The folder where recording programs store their input."""
        return self.folder / "kept"

    @property
    def container(self) -> Path:
        """The file system of all containers."""
        return self.folder / "container"

    @property
    def bin(self) -> Path:
        """The recording programs, at a path without blanks: scripts split `$DOCKER` into words."""
        return self.folder / "bin"

    def prepare(self) -> World:
        """Create the folders and the blubberfile."""
        for path in (self.root, self.kept, self.container, self.folder / "tmp"):
            path.mkdir(parents=True, exist_ok=True)
        if not self.bin.exists():
            self.bin.symlink_to(_BIN)
        (self.root / "blubber.yaml").write_text(BLUBBERFILE, "utf-8")
        return self

    def give(self, stage: str, name: str, value: str) -> None:
        """Store an output of another stage in the checkout."""
        path = self.root / ".pipegen" / "outputs" / stage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value.encode())

    def output(self, stage: str, name: str) -> str:
        """Return an output that a script wrote."""
        return (self.root / ".pipegen" / "outputs" / stage / name).read_bytes().decode()

    def environment(self) -> dict[str, str]:
        """Return the environment of scripts; an executed `id` or `rm -rf ~` would leave a trace in the home folder."""
        applets = f"{_applets(self.folder)}:" if self.shell == "busybox" else ""
        return {
            "PATH": f"{applets}{os.environ['PATH']}",
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder / "tmp"),
            "LANG": "C.UTF-8",
            "DOCKER": f"sh {self.bin / 'docker'}",
            "HELM": f"sh {self.bin / 'helm'}",
            "FAKE_LOG": str(self.folder / "log"),
            "FAKE_KEEP": str(self.kept),
            "FAKE_ROOT": str(self.container),
            "JOB": "7",
            "RUN": "3",
            "PROJECT": "Group/project",
            "TAG": "",
            "TIME": "2024-01-31-120000",
            "REGISTRY": "registry.example",
            "NAMESPACE": "ci",
            "NAME": "me",
            "PASSWORD": "secret",
            **self.variables,
        }

    def run(self, text: str) -> Result:
        """Run *text* in the checkout."""
        log, path = self.folder / "log", self.folder / "script"
        log.write_bytes(b"")
        path.write_text(text, "utf-8", newline="")
        done = subprocess.run(
            [*SHELLS[self.shell], str(path)],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        left = sorted(str(file) for file in (self.folder / "tmp").iterdir())
        return Result(done.returncode, calls(log), done.stderr.decode(errors="replace"), left)

    def run_job(self, plan: Plan, stage: str, where: ShellEnvironment) -> Result:
        """Run the script of a job."""
        return self.run(text_of(script_of(plan, stage, where)))


def calls(log: Path) -> list[list[str]]:
    """Return the recorded calls."""
    words = log.read_bytes().decode().split("\0")[:-1]
    values = []
    while words:
        count = int(words[0])
        values.append(words[1 : count + 1])
        words = words[count + 1 :]
    return values


def _applets(folder: Path) -> Path:
    """Return a folder in which busybox provides the programs of an Alpine image."""
    bin_folder = folder / "applets"
    if not bin_folder.exists():
        bin_folder.mkdir()
        busybox = shutil.which("busybox") or ""
        for name in APPLETS:
            (bin_folder / name).symlink_to(busybox)
    return bin_folder


def require_shell(name: str) -> None:
    """Skip the test where the shell is absent."""
    program = SHELLS[name][0]
    require(None if shutil.which(program) else f"{program} is not installed")
