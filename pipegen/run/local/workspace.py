"""The trees that stages run in: the user's own, or a clean copy for each."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from pipegen.plan.model import ArtifactsWhen, Job, Plan
from pipegen.run.checksum import opened, with_checksum
from pipegen.run.files import artifacts, no_follow
from pipegen.run.files.kept_file import described
from pipegen.run.files.removal import make_folder, remove
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.model import Attempt
from pipegen.shell.quote import quote
from pipegen.source.git import run_trusted
from pipegen.structs import Struct


class Tree(Struct):
    """Where a try runs; *kept* is where people find its files, *before* and *after* are what makes and removes it."""

    folder: str
    kept: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Trees(Protocol):
    """Gives tries their trees, and keeps what they leave."""

    def tree(self, attempt: Attempt) -> Tree:
        """Return the tree of *attempt*."""
        ...

    def keep(self, attempt: Attempt, tree: Tree, *, succeeded: bool) -> None:
        """Keep what *attempt* leaves for others, if it has *succeeded*, and for people."""
        ...

    def value(self, job: Job, name: str) -> bytes | None:
        """Return what *job* has bound to *name*, None where it left nothing; raise `OSError` for what is no file."""
        ...

    def bind(self, job: Job, outputs: Iterable[tuple[str, bytes]]) -> None:
        """Bind *outputs* of *job* to what an earlier run has found."""
        ...

    def home(self, job: Job) -> Path:
        """Return the folder in which others find the files of *job*."""
        ...

    def left(self, job: Job) -> tuple[str, ...]:
        """Return the names, in its home, of the files that *job* has left for others."""
        ...

    def show(self, job: Job) -> None:
        """Show people what *job* has left before, and what has been put back."""
        ...

    def source(self) -> Path:
        """Return the tree as stages find it that nothing runs before."""
        ...


class InPlace(Struct):
    """All stages run in one tree, where what one leaves is there for the others."""

    root: Path
    folder: RunFolder

    def tree(self, attempt: Attempt) -> Tree:  # noqa: ARG002 - the same for all
        """Return the tree."""
        return Tree(str(self.root), str(self.root))

    def keep(self, attempt: Attempt, tree: Tree, *, succeeded: bool) -> None:
        """Leave all where it is."""

    def value(self, job: Job, name: str) -> bytes | None:
        """Return what *job* has bound to *name*, None where it has left nothing."""
        return no_follow.read(self.folder.values, f"outputs/{job.slug}/{name}")

    def bind(self, job: Job, outputs: Iterable[tuple[str, bytes]]) -> None:
        """Bind *outputs* of *job* to what an earlier run has found."""
        _write(outputs, self.folder.values, f"outputs/{job.slug}")

    def home(self, job: Job) -> Path:  # noqa: ARG002 - the same for all
        """Return the tree."""
        return self.root

    def left(self, job: Job) -> tuple[str, ...]:
        """Return the names, in its home, of the files that *job* has left for others."""
        paths = tuple(one.path for one in job.artifacts if one.path is not None and one.travels)
        return artifacts.found(str(self.root), paths, job.retention.exclude)

    def show(self, job: Job) -> None:
        """Leave all where it is."""

    def source(self) -> Path:
        """Return the tree."""
        return self.root


class Isolated(Struct):
    """Each try of a stage runs in a copy of what is committed or staged, with what its ancestors left.

    *carried* holds what the script of each stage leaves in `.pipegen`, by pipeline and stage. Stages of a pipeline
    whose workspace is *shared* have one copy together, and values that wait outside of it.
    """

    checkout: LocalCheckout
    folder: RunFolder
    carried: Mapping[tuple[str, str], Sequence[str]]
    shared: frozenset[str] = frozenset()
    complain: Callable[[str], None] = lambda _: None

    def prepare(self, plans: Sequence[Plan]) -> None:
        """Make the copy that others are copies of."""
        _clone(self.checkout, self._base)
        for plan in plans:
            if plan.name in self.shared:
                subprocess.run(("cp", "-RPp", self._base, self._shared_tree(plan)), check=True)

    def tree(self, attempt: Attempt) -> Tree:
        """Return a new tree, and how it is made."""
        task = attempt.task
        if task.plan.name in self.shared:
            shared = str(self._shared_tree(task.plan))
            return Tree(shared, shared)
        folder = self.folder.work / "trees" / f"{task.job.slug}-{attempt.number}"
        place = quote(str(folder))
        stores = [self._store(producer) for producer in _read_by(task.job, task.plan, self.carried)]
        return Tree(
            str(folder),
            self._people(task.job),
            before=(
                f"cp -RPp {quote(str(self._base))} {place}",
                *(f"cp -RPpf {quote(f'{store}/.')} {place}" for store in stores if store.is_dir()),
            ),
            after=(f"rm -rf {place}",),
        )

    def keep(self, attempt: Attempt, tree: Tree, *, succeeded: bool) -> None:
        """Keep the files that match the artifacts of the job."""
        job = attempt.task.job
        if job.pipeline in self.shared:
            return
        # A path may be a report and an artifact.
        people = [*self._sound(tree, artifacts.found(tree.folder, _report_paths(job)), job)]
        when = job.retention.when
        found = [
            (one, self._sound(tree, artifacts.found(tree.folder, (one.path,), job.retention.exclude), job))
            for one in job.artifacts
            if one.path is not None and (succeeded or when is not ArtifactsWhen.SUCCESS)
        ]
        if when is ArtifactsWhen.ALWAYS or succeeded is (when is ArtifactsWhen.SUCCESS):
            # As on GitLab, what `copy` takes out of containers too.
            people += [name for one, names in found if one.is_kept or not one.is_declared for name in names]
        artifacts.shown(tree.folder, dict.fromkeys(people), tree.kept)
        if succeeded:
            left = [name for one, names in found if one.travels for name in names]
            carried = self._sound(tree, artifacts.found(tree.folder, self.carried[job.pipeline, job.stage]), job)
            # A run that was killed right here, and that this one goes on with, has left a part.
            remove(self._store(job))
            artifacts.set_aside(tree.folder, dict.fromkeys((*left, *carried)), str(self._store(job)))
            self._describe(job)

    def value(self, job: Job, name: str) -> bytes | None:
        """Return what *job* has bound to *name*, None where it has left nothing."""
        if job.pipeline in self.shared:
            return InPlace(self.checkout.root, self.folder).value(job, name)
        return no_follow.read(self._store(job), f".pipegen/outputs/{job.slug}/{name}") if job.outputs else None

    def bind(self, job: Job, outputs: Iterable[tuple[str, bytes]]) -> None:
        """Bind *outputs* of *job* to what an earlier run has found."""
        if job.pipeline in self.shared:
            InPlace(self.checkout.root, self.folder).bind(job, outputs)
        else:
            _write(outputs, self._store(job), f".pipegen/outputs/{job.slug}")

    def home(self, job: Job) -> Path:
        """Return the folder in which others find the files of *job*."""
        return self._store(job)

    def left(self, job: Job) -> tuple[str, ...]:
        """Return the names, in its home, of the files that *job* has left for others."""
        return artifacts.all_in(str(self._store(job)))

    def show(self, job: Job) -> None:
        """Show people what *job* has left before, and what has been put back."""
        self._describe(job)
        store = str(self._store(job))
        paths = [one.path for one in job.artifacts if one.path is not None and one.is_kept]
        artifacts.shown(store, artifacts.found(store, paths, job.retention.exclude), self._people(job))

    def source(self) -> Path:
        """Return the copy that others are copies of."""
        return self._base

    def _sound(self, tree: Tree, names: Iterable[str], job: Job) -> tuple[str, ...]:
        return artifacts.sound(
            tree.folder, names, lambda why: self.complain(f"stage {job.title}: {why}: it is not kept")
        )

    def _describe(self, job: Job) -> None:
        """Write down what *job* has left, for a run that goes on."""
        place = self.folder.descriptions / job.slug
        make_folder(place.parent)
        remove(place)
        place.write_bytes(with_checksum({"files": _files_in(self._store(job))}))

    @property
    def _base(self) -> Path:
        return self.folder.work / "base"

    def _store(self, job: Job) -> Path:
        return self.folder.left / job.slug

    def _people(self, job: Job) -> str:
        return str(self.folder.artifacts / job.slug)

    def _shared_tree(self, plan: Plan) -> Path:
        first = plan.jobs[0].slug if plan.jobs else plan.name
        return self.folder.work / "trees" / f"{first}-shared"


class _Described(Struct):
    """What a stage has left: paths, modes, digests, and where links lead."""

    files: list[list[object]]


def forget_secrets(folder: RunFolder, redactor: Redactor) -> None:
    """Remove what isolated stages left in *folder* with a secret in it: no run that goes on finds that."""
    for store in folder.left.glob("*") if redactor else ():
        if _may_hold_secret(store, redactor):
            remove(store)


def _may_hold_secret(store: Path, redactor: Redactor) -> bool:
    try:
        names = artifacts.sound(str(store), artifacts.all_in(str(store)), lambda _: None)
        opened = (partial(no_follow.opened, store, name) for name in names if no_follow.entry(store, name).is_file)
        return any(map(redactor.hides_in, opened))
    except OSError:  # a stage has taken the right to read it away
        return True


def has_left(folder: RunFolder, job: Job) -> bool:
    """Return whether all that *job* left in an isolated run in *folder* is there as it was."""
    try:
        told = opened((folder.descriptions / job.slug).read_bytes(), _Described)
        return told is not None and told.files == _files_in(folder.left / job.slug)
    except OSError:
        return False


def _files_in(store: Path) -> list[list[object]]:
    """Return what stands in *store*: paths, modes, digests, and where links lead."""
    files = (described(store, name) for name in artifacts.all_in(str(store)))
    return [[one.path, one.mode, one.digest, one.link] for one in files]


def _report_paths(job: Job) -> list[str]:
    """Return the paths of the reports of *job*, which people get whatever came of it."""
    reports = job.reports
    paths = [one.path for one in (*reports.junit, *reports.codequality, *reports.sarif)]
    return paths if reports.coverage is None or reports.coverage.path is None else [*paths, reports.coverage.path]


def _write(outputs: Iterable[tuple[str, bytes]], root: Path, folder: str) -> None:
    for name, value in outputs:
        with no_follow.written(root, f"{folder}/{name}") as file:
            file.write(value)


def _read_by(job: Job, plan: Plan, carried: Mapping[tuple[str, str], Sequence[str]]) -> tuple[Job, ...]:
    """Return the jobs whose files or values *job* reads, in the order of the graph: what comes later, stays."""
    values = (*(output.stage for output in job.inputs), *job.containers)
    wanted = {*job.files, *(stage for stage in values if carried[job.pipeline, stage])}
    known = {one.stage: one for one in plan.jobs}
    return tuple(known[stage] for stage in plan.graph.topological() if stage in wanted)


def _clone(checkout: LocalCheckout, base: Path) -> None:
    """Make *base* a repository as an engine's checkout is one: no branch, and the files that are committed or staged.

    It borrows the objects of the user's, and writes nothing there. The index, which knows what is staged, is a copy.
    """
    root = str(checkout.root)
    base.parent.mkdir(parents=True, exist_ok=True)
    (base.parent / "trees").mkdir(exist_ok=True)
    # Each copy would have the samples of hooks that a template brings.
    _git("clone", "--quiet", "--shared", "--no-checkout", "--template=", root, str(base))
    index = Path(root, _git("-C", root, "rev-parse", "--git-path", "index"))
    if index.exists():
        shutil.copyfile(index, base / ".git/index")
    if checkout.commit:
        _git("-C", str(base), "update-ref", "--no-deref", "HEAD", checkout.commit)
    if checkout.remote:
        _git("-C", str(base), "remote", "set-url", "origin", checkout.remote)
    _git("-C", str(base), "checkout-index", "--all", "--force", "--quiet")
    _git("-C", str(base), "update-index", "--refresh", "-q")


def _git(*arguments: str) -> str:
    """Return what git prints; raise `OSError` with its words where it fails."""
    done = run_trusted(*arguments)
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip()
        raise OSError(f"git {arguments[-1]}: {words or f'status {done.returncode}'}")
    return os.fsdecode(done.stdout).rstrip("\n")
