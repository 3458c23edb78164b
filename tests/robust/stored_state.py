"""`pipegen run` with state of earlier runs that is replaced, empty, unreadable, partial, or left by a kill.

    PYTHONPATH=.:tests python tests/robust/stored_state.py [KILLS]

With any state, a run has the result of a fresh one, and the next run reuses its results.
"""

from __future__ import annotations

import codecs
import gc
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from robust.corruption import QUICK
from robust.kill_at_system_call import calls, forked, killed_at, pause
from robust.trial_result import Figures

from pipegen.cli.app import run
from pipegen.run.files.removal import remove as discard

_CONFIG = """\
pipelines:
  service:
    stages:
      - name: generate
        script: ['echo generate >>ran; sort words >generated']
        outputs: { words: { file: generated } }
        artifacts: [generated]
        reuse: { files: [words] }
      - name: build
        script: ['echo build >>ran; cat generated >built; echo "${generate.words}" >>built']
        outputs: { size: { command: 'wc -c <built | tr -d " "' } }
        artifacts: [built]
        reuse: true
      - name: note
        script: ['echo note >>ran', 'echo "${generate.words} ${build.size}" >value', 'test -z "$STOP"']
        artifacts: [value]
"""
_VALUE = "a\nb\n 9\n"
_NOBODY = 65534


@dataclass(frozen=True)
class Called:
    """The result of a call of the program: its status, its output, and the stages that it ran."""

    status: int
    output: str
    ran: tuple[str, ...]
    value: str

    def faults(self, ran: tuple[str, ...] | None = None) -> str:
        """Return the fault of the call: the value of the run must be correct and, if given, its stages *ran*."""
        if self.status or "bug" in self.output or "Traceback" in self.output:
            return f"status {self.status}: {self.output[-600:]}"
        # A resumed run has nothing to do if the earlier run had ended.
        if self.value != _VALUE and not (self.value == "" and "3 done earlier" in self.output):
            return f"value {self.value!r}: {self.output[-600:]}"
        return f"ran {self.ran}: {self.output[-600:]}" if ran is not None and self.ran != ran else ""


class Project:
    """A project in *folder* with its state, or with that of the *other* one.

    Its runs are those of an unprivileged user, to whom file permissions apply.
    """

    def __init__(self, folder: Path, other: Project | None = None) -> None:
        self.folder = folder
        self.tree, self.cache, self.state = (folder / name for name in ("project", "cache", "state"))
        if other is not None:
            self.cache, self.state = other.cache, other.state
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self.tree.mkdir(parents=True)
        folder.parent.chmod(0o755)
        (self.tree / "pipegen.yaml").write_text(_CONFIG, encoding="utf-8")
        (self.tree / "words").write_text("b\na\n", encoding="utf-8")
        for command in (("init", "-q"), ("add", ".")):
            subprocess.run(("git", *command), cwd=self.tree, check=True)
        self.warm()
        self._own()

    def call(self, *arguments: str, before: Callable[[], object] = lambda: None) -> Called:
        """Call `pipegen run` in a separate process, after *before*."""
        self.clear()
        os.waitpid(forked(lambda: self.work(*arguments, before=before)), 0)
        return self.called(*arguments)

    def clear(self) -> None:
        """Remove the results of a call."""
        for name in ("ran", "value"):
            discard(self.tree / name)
        self._heard()

    def _heard(self) -> str:
        """Return the output since the last call of this function."""
        output = b""
        with suppress(BlockingIOError):
            while data := os.read(self._read_end, 1 << 16):
                output += data
        return output.decode(errors="replace")

    def called(self, *arguments: str) -> Called:
        """Return the results of a call."""
        ran, value = (self._text(self.tree / name) for name in ("ran", "value"))
        text, _, status = self._heard().rpartition("\n")
        if "--isolated" in arguments:
            value = self._text(
                next(iter(sorted(self.state.glob("pipegen/*/*/artifacts/note/value"), reverse=True)), None)
            )
        return Called(int(status) if status.isdigit() else 3, text, tuple(ran.split()), value)

    def work(self, *arguments: str, before: Callable[[], object] = lambda: None) -> None:
        """Run in this process, which ends afterwards."""
        os.chdir(self.tree)
        os.environ |= self._variables()
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        # A pipe does not fail on a full disk.
        sys.stdout = sys.stderr = open(self._write_end, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        sys.argv = ["pipegen", "run", *arguments]
        gc.disable()
        before()
        try:
            status = run()
        except BaseException as error:  # noqa: BLE001 - any that gets here is what is looked for
            status = 3
            sys.stderr.write(f"a bug: {error!r}")
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(self._write_end, f"\n{status}".encode())

    def warm(self) -> None:
        """Run in this process to load modules that the unprivileged user may not read."""
        codecs.lookup("unicode-escape")  # for templates
        arguments, variables = sys.argv, dict(os.environ)
        os.environ |= self._variables()
        nowhere = Path(os.devnull)
        with chdir(self.tree), nowhere.open("w") as stream, redirect_stderr(stream), redirect_stdout(stream):
            for options in ((), ("--isolated",), ("--resume",), ("--report", "run.json", "--report", "run.html")):
                sys.argv = ["pipegen", "run", *options]
                run()
        sys.argv = arguments
        os.environ.clear()
        os.environ.update(variables)
        self.clear()
        self.forget()

    def fail(self, *arguments: str) -> Called:
        """Run with a failure in the last stage."""
        return self.call(*arguments, before=lambda: os.environ.update(STOP="yes"))

    def forget(self) -> None:
        """Remove the state of all runs."""
        for folder in (self.cache, self.state):
            discard(folder)

    def kept(self) -> Iterator[Path]:
        """Yield all files and folders of the state of runs."""
        for folder in (self.cache, self.state):
            yield folder
            yield from sorted(folder.rglob("*"))

    @contextmanager
    def spoilt(self, path: Path, damage: Callable[[Path], object]) -> Iterator[None]:
        """Apply *damage* to *path* during the context; then restore all files."""
        with TemporaryDirectory() as name:
            _copy(self.folder, Path(name))
            damage(path)
            self._own()
            try:
                yield
            finally:
                _copy(Path(name), self.folder)

    def _variables(self) -> dict[str, str]:
        values = {"XDG_CACHE_HOME": str(self.cache), "XDG_STATE_HOME": str(self.state)}
        return {**values, "HOME": str(self.folder), "CI": "1", "TMPDIR": str(self.folder)}

    def _own(self) -> None:
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)

    def _text(self, place: Path | None) -> str:
        return place.read_text(encoding="utf-8", errors="replace") if place is not None and place.exists() else ""


def _copy(source: Path, target: Path) -> None:
    """Make the state in *target* equal that in *source*, including owners, modes and links."""
    for name in ("cache", "state"):
        for place in (target / name, *target.glob(f"{name}/**/")):
            place.chmod(0o700) if place.is_dir() and not place.is_symlink() else None
        discard(target / name)
        if (source / name).exists():
            subprocess.run(("cp", "-a", str(source / name), str(target / name)), check=True)


def _folder(path: Path) -> None:
    discard(path)
    path.mkdir()
    (path / "file").touch()


def _link(path: Path) -> None:
    discard(path)
    path.symlink_to("nowhere/at/all")


def _file(path: Path) -> None:
    discard(path)
    path.write_bytes(b"{" * 100)


def _bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return damage


def _flipped(data: bytes) -> bytes:
    return (
        data[: len(data) // 2] + bytes(255 - byte for byte in data[len(data) // 2 :][:1]) + data[len(data) // 2 + 1 :]
    )


# Kinds of damage to a file and to a folder.
OF_FILES: Mapping[str, Callable[[Path], object]] = {
    "gone": discard,
    "empty": _bytes(lambda _: b""),
    "cut": _bytes(lambda data: data[: len(data) // 2]),
    "other": _bytes(_flipped),
    "NULs": _bytes(lambda data: bytes(len(data))),
    "a folder": _folder,
    "a link to nowhere": _link,
    "locked": lambda path: path.chmod(0),
}
OF_FOLDERS: Mapping[str, Callable[[Path], object]] = {
    "gone": discard,
    "a file": _file,
    "a link to nowhere": _link,
    "locked": lambda path: path.chmod(0),
}
# Folders that the user provides; their content belongs to the user.
_GIVEN = ("cache", "cache/pipegen", "cache/pipegen/results", "state", "state/pipegen", "state/pipegen/*")


def spoilt(project: Project, after: Callable[[], str], paths: Iterable[Path], share: int) -> tuple[int, list[str]]:
    """Damage *paths* in each way, or in one of *share* ways; return the number of trials and the faults of *after*."""
    trials = [(path, name) for path in paths for name in (OF_FOLDERS if path.is_dir() else OF_FILES)][::share]
    wrong = []
    for path, name in trials:
        shown = path.relative_to(project.folder).as_posix()
        with project.spoilt(path, (OF_FOLDERS if path.is_dir() else OF_FILES)[name]):
            fault = after()
        is_tested = f"status 3: pipegen: {path}" in fault and any(fnmatch(shown, pattern) for pattern in _GIVEN)
        wrong += [f"{shown} {name}: {fault}"] if fault and not is_tested else []
    return len(trials), wrong


def anew(project: Project) -> str:
    """Return the fault of a run, or of a second one that reuses its results."""
    first = project.call()
    if first.faults():
        return first.faults()
    # A run without a cache reports that.
    return project.call().faults(None if "out of reach" in first.output else ("note",))


def resumed(project: Project, *options: str) -> str:
    """Return the fault of a resumed run; the message that there is no earlier run is valid."""
    result = project.call("--resume", *options)
    if result.status == 2 and "there is no earlier run" in result.output:
        result = project.call(*options)
    return result.faults()


def killed(project: Project, kills: int) -> tuple[int, int, list[str]]:
    """Kill runs at evenly spread system calls; return the number of system calls and kills, and the faults."""
    work = partial(project.work, before=pause)
    project.forget()
    last = calls(work)
    stops = range(1, last + 1, max(1, last // kills) if kills else 1)
    wrong = []
    for stop in stops:
        project.forget()
        killed_at(stop, work)
        for name, fault in (("going on", resumed(project)), ("anew", anew(project))):
            wrong += [f"killed at {stop}, {name}: {fault}"] if fault else []
    return last, len(stops), wrong


def full(project: Project, limits: Iterable[int]) -> tuple[int, list[str]]:
    """Limit the size of files of a run, as on a full disk; return the number of limits and the faults.

    A file that cannot be written is reported, and the next run is not affected.
    """
    count, wrong = 0, []
    for limit in limits:
        project.forget()
        result = project.call("--report", "run.json", "--report", "run.html", before=partial(_limit, limit))
        words = (
            "File too large" in result.output
            or "disk I/O error" in result.output
            or "database or disk is full" in result.output
        )
        fault = result.faults() if result.status not in (1, 3) or "bug" in result.output else ""
        fault = (
            fault
            or ("" if words or result.status == 0 else f"nothing is told: {result.output[-600:]}")
            or anew(project)
        )
        count += 1
        wrong += [f"no file of more than {limit} bytes: {fault}"] if fault else []
    return count, wrong


def _limit(size: int) -> None:
    sys.dont_write_bytecode = True  # Python's bytecode files would be truncated, and remain
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def at_once(project: Project, rounds: int) -> tuple[int, list[str]]:
    """Start two concurrent runs with one cache and one folder of runs; return the number of rounds and the faults."""
    wrong = []
    other = Project(project.folder / "other", project)
    for number in range(rounds):
        if number % 2 == 0:
            project.forget()
        for each in (project, other):
            each.clear()
        pairs = [(each, forked(each.work)) for each in (project, other)]
        for each, process in pairs:
            os.waitpid(process, 0)
            fault = each.called().faults()
            wrong += [f"two at once, round {number}: {fault}"] if fault else []
    fault = anew(project)
    return rounds, [*wrong, *([f"after two at once: {fault}"] if fault else [])]


def main() -> int:
    """Print the figures; return 1 if a run failed."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    result = measured(share=1, kills=kills or 100_000, rounds=32)
    print("\n".join(result.lines))
    return int(bool(result.wrong))


def figures(*, is_nightly: bool) -> Figures:
    """Return the figures of runs with damaged, truncated, full or shared state."""
    return measured(share=1, kills=200, rounds=32) if is_nightly else measured(share=7, kills=10, rounds=4)


def measured(*, share: int, kills: int, rounds: int) -> Figures:
    """Return the figures of one of *share* damages, *kills* kills, and *rounds* of two concurrent runs."""
    lines, faults = [], []
    with TemporaryDirectory(dir=QUICK) as name:
        project = Project(Path(name, "one"))
        for what, options in (("results and journals", ()), ("an isolated run's files and journal", ("--isolated",))):
            project.forget()
            project.fail(*options)
            after = partial(resumed, project, *options) if options else partial(anew, project)
            count, wrong = spoilt(project, after, tuple(project.kept()), share)
            lines.append(f"{what}: {count} times replaced, emptied, changed or locked; wrong: {len(wrong)}")
            faults += wrong
        last, count, wrong = killed(project, kills)
        lines.append(f"killed {count} times at {last} ends of system calls, gone on and run anew; wrong: {len(wrong)}")
        faults += wrong
        limits = (0, 60, 600, 4_000, 5_000, 20_000, 60_000)
        count, wrong = full(project, limits)
        lines.append(f"no room on the disk, {count} sizes; wrong: {len(wrong)}")
        faults += wrong
        count, wrong = at_once(project, rounds)
        lines.append(f"two runs at once on one cache, {count} times; wrong: {len(wrong)}")
        faults += wrong
    return Figures("Runs over what others left", (*lines, *faults), len(faults))


if __name__ == "__main__":
    sys.exit(main())
