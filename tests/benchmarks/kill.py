"""Kills runs at random moments and resumes them: `python tests/benchmarks/kill.py 100`.

After each kill, nothing of the run may be left on the machine. When a resumed run ends, no finished stage may have run
again, and each stage has found the complete files and outputs of its predecessors. Run it in a checkout, with the
tests' requirements and PYTHONPATH=.:tests.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = (sys.executable, "-c", "from pipegen.__main__ import main; main()", "run", "-j", "3")
CHAINS, LENGTH = "abc", 5
# Text with characters that are special in shells, JSON and encodings, longer than a block of a disk or a pipe.
LONG = "'$`\\\n\u00fc\n" + "x" * 20_000 + "\n"
# Processes and containers of a killed run must be gone after this number of seconds.
_PATIENCE = 30.0


@dataclass(slots=True)
class Figures:
    """The results: kills, how many of them hit a run after a stage had ended, and failures."""

    kills: int = 0
    in_stages: int = 0
    runs: int = 0
    resumed: int = 0
    finished: int = 0
    slowest: float = 0.0
    repeated: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether there are no failures."""
        return not (self.repeated or self.failed or self.leftovers)

    def lines(self) -> Iterator[str]:
        """Yield the figures as text."""
        yield f"{self.kills} kills, {self.in_stages} of them after a stage had ended, in {self.runs} runs to their ends"
        yield f"{self.resumed} times a run went on; {self.finished} stages finished, {len(self.repeated)} repeated"
        yield f"{len(self.failed)} runs failed, {len(self.leftovers)} left something on the machine"
        yield f"nothing was left {self.slowest:.2f} s after each kill, or sooner"
        yield from (*self.repeated, *self.failed, *self.leftovers)


class Victim:
    """A project in *folder* whose runs are killed; stages run in *image*, or on the machine if it is empty."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], *, image: str = "", is_isolated: bool = False
    ) -> None:
        self.project, self._state = folder / "project", folder / "state"
        self.project.mkdir()
        (self.project / "long").write_text(LONG, encoding="utf-8")
        (self.project / "pipegen.yaml").write_text(config(image), encoding="utf-8")
        for command in (("init", "-q"), ("add", ".")):
            subprocess.run(("git", *command), cwd=self.project, check=True)
        self._environment = {**environment, "XDG_STATE_HOME": str(self._state)}
        self._call = (*PROGRAM, *(("--isolated",) if is_isolated else ()))
        self._docker = environment.get("DOCKER", "") if image else ""

    def start(self, *, resume: bool) -> subprocess.Popen[str]:
        """Start and return a run; with *resume*, it resumes the last run."""
        options = ("--resume",) if resume else ()
        return subprocess.Popen(
            (*self._call, *options),
            cwd=self.project,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def journals(self) -> list[Path]:
        """Return the journals of all runs, the newest last."""
        return sorted(self._state.glob("pipegen/*/*/journal.jsonl"), key=_age)

    def journal(self) -> list[dict[str, object]]:
        """Return the complete lines of the newest journal that has any; empty if there is none."""
        for path in reversed(self.journals()):
            lines = path.read_text(encoding="utf-8").split("\n")
            journal = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
            if journal:
                return journal
        return []

    def leftovers(self) -> list[str]:
        """Return all processes, guards and containers of runs that are still on the machine."""
        ids = [path.name.rpartition("-")[2] for path in self._state.glob("pipegen/*/*-*-*")]
        texts = [f"process {name}" for name, marks in _processes() if any(run.encode() in marks for run in ids)]
        if self._docker:
            call = (self._docker, "ps", "--all", "--format", "{{.Names}}")
            names = subprocess.run(call, env=self._environment, capture_output=True, text=True, check=True).stdout
            texts += [f"container {name}" for name in names.split() if any(run in name for run in ids)]
        return texts


def _age(journal: Path) -> tuple[str, int]:
    """Return the sort key of a journal: the second of the run, and the time when its folder changed."""
    second = journal.parent.name.rpartition("-")[0]
    try:
        return second, journal.parent.stat().st_mtime_ns
    except FileNotFoundError:  # a run has just removed its folder, as there were too many
        return second, 0


def config(image: str) -> str:
    """Return a config with chains of stages that check the files of their predecessors, and leave programs running."""
    lines, arcs = ["pipelines:", "  service:", "    stages:"], []
    for chain in CHAINS:
        for index in range(LENGTH):
            name, before = f"{chain}{index}", f"{chain}{index - 1}"
            lines += [f"      - name: {name}", "        script:"]
            if index:
                lines += [f'          - test "${{{before}.value}}" = "{before} $(cat long)"']
                lines += [f'          - test "$(cat value-{before})" = "{before} $(cat long)"']
            lines += ["          - sleep 300 & setsid sleep 300 &"]
            lines += [f'          - echo "{name} $(cat long)" >value-{name}; echo {name}; sleep 0.03']
            lines += [f"        outputs: {{ value: {{ command: cat value-{name} }} }}"]
            lines += [f"        artifacts: [value-{name}]"]
            lines += [f"        image: {{ name: {image}, pull: never }}"] if image else []
        arcs.append(f"      - [{', '.join(f'{chain}{index}' for index in range(LENGTH))}]")
    return "\n".join([*lines, "    execution:", *arcs, ""])


def campaign(victim: Victim, kills: int, seed: int = 7) -> Figures:
    """Return the figures after this number of *kills*: most of them while stages run, some at any moment."""
    figures, chance = Figures(), random.Random(seed)
    began = time.monotonic()
    run = victim.start(resume=False)
    text, _ = run.communicate()
    length = time.monotonic() - began
    stages = max(float(str(line.get("time", 0.0))) for line in victim.journal())
    _close(figures, victim, run, text)
    resume = False
    while figures.kills < kills or resume:
        figures.resumed += resume
        before = victim.journals()
        run = victim.start(resume=resume)
        if chance.random() < 0.8:
            while victim.journals() == before and run.poll() is None:
                time.sleep(0.005)
            moment = chance.uniform(0.0, stages)
        else:
            moment = chance.uniform(0.0, length)
        # The last run is not killed.
        if figures.kills < kills:
            time.sleep(moment)
            run.kill()
        text, _ = run.communicate()
        if run.returncode == -signal.SIGKILL:
            _look(figures, victim, has_begun=victim.journals() != before)
            resume = resume or victim.journals() != before
        else:
            _close(figures, victim, run, text)
            resume = False
    return figures


def _look(figures: Figures, victim: Victim, *, has_begun: bool) -> None:
    """Check what is left on the machine after a kill."""
    figures.kills += 1
    figures.in_stages += has_begun and victim.journal()[-1].get("event") == "ended"
    began = time.monotonic()
    while (leftovers := victim.leftovers()) and time.monotonic() - began < _PATIENCE:
        time.sleep(0.02)
    figures.slowest = max(figures.slowest, time.monotonic() - began)
    figures.leftovers += [f"kill {figures.kills} left: {', '.join(leftovers)}"] if leftovers else []


def _close(figures: Figures, victim: Victim, run: subprocess.Popen[str], text: str) -> None:
    """Check a run that ended by itself with all its parts: its journal includes those of the killed runs."""
    figures.runs += 1
    if run.returncode:
        figures.failed.append(f"run {figures.runs}, after {figures.kills} kills, has failed: {text}")
    figures.leftovers += [f"run {figures.runs} left: {leftover}" for leftover in victim.leftovers()]
    succeeded: set[object] = set()
    for line in victim.journal():
        stage = line.get("stage")
        if line.get("event") == "ended":
            figures.repeated += [f"run {figures.runs}: {stage} ran again"] if stage in succeeded else []
            succeeded.update([stage] if line.get("ending") == "SUCCESS" else [])
    figures.finished += len(succeeded)
    lost = {f"{chain}{index}" for chain in CHAINS for index in range(LENGTH)} - succeeded
    figures.failed += [f"run {figures.runs} has no end of {lost}"] if lost and not run.returncode else []


def _processes() -> Iterator[tuple[str, bytes]]:
    """Yield the processes that carry the mark of a run, with the mark: in their environment, or as its guard."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue
        marks = [variable for variable in environment.split(b"\0") if variable.startswith(b"PIPEGEN_RUN=")]
        marks += [command] if b"\0pipegen-guard\0" in command else []
        if marks:
            yield f"{process.name} ({command[:60].decode(errors='replace')})", b"\0".join(marks)


def main() -> int:
    """Print the figures; return 1 if there are failures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kills", type=int)
    options.add_argument("--isolated", action="store_true")
    options.add_argument("--image", default="", help='an image with a shell; "base" for that of the tests')
    arguments = options.parse_args()
    with ExitStack() as stack:
        environment, image = dict(os.environ), arguments.image
        if image == "base":
            from engines import containers  # noqa: PLC0415 - needs podman

            environment |= stack.enter_context(containers.start()).environment
            environment |= {"PIPEGEN_NETWORK": "host", "DOCKER": shutil.which("podman") or "podman"}
            image = containers.BASE
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        victim = Victim(Path(folder), environment, image=image, is_isolated=arguments.isolated)
        figures = campaign(victim, arguments.kills)
    print("\n".join(figures.lines()))
    return 0 if figures.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
