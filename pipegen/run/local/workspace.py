"""The trees in which stages run: the user's tree, or a clean copy for each stage."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from pipegen.plan.model import ArtifactsWhen, Job, Plan
from pipegen.run.checksum import verified, with_checksum
from pipegen.run.files import artifacts, no_follow
from pipegen.run.files.kept_file import describe
from pipegen.run.files.removal import make_folder, remove
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.model import Attempt
from pipegen.shell.merge import merge_folder
from pipegen.shell.quote import quote
from pipegen.shell.values.read import is_command_output
from pipegen.source.git import ask, run_trusted
from pipegen.structs import Struct


class Tree(Struct):
    """The tree of an attempt; *user_files* is the folder of files for the user, *before* and *after* are commands."""

    folder: str
    user_files: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Trees(Protocol):
    """Provides the trees of attempts, and stores their files."""

    def tree(self, attempt: Attempt) -> Tree:
        """Return the tree of *attempt*."""
        ...

    def keep(self, attempt: Attempt, tree: Tree, *, succeeded: bool) -> None:
        """Store the files of *attempt* for later stages, if it has *succeeded*, and for the user."""
        ...

    def value(self, job: Job, name: str) -> bytes | None:
        """Return the output *name* of *job*, None if there is none; raise `OSError` if it is not a file.

        The value of a command has no line breaks at its end.
        """
        ...

    def bind(self, job: Job, outputs: Sequence[tuple[str, bytes]]) -> None:
        """Set *outputs* of *job* to values of an earlier run."""
        ...

    def home(self, job: Job) -> Path:
        """Return the folder with the files of *job* for other stages."""
        ...

    def left(self, job: Job) -> tuple[str, ...]:
        """Return the files of *job* for other stages, relative to its home."""
        ...

    def show(self, job: Job) -> None:
        """Show the user the restored files of *job*."""
        ...

    def source(self) -> Path:
        """Return the tree as the first stages see it."""
        ...


class InPlace(Struct):
    """All stages run in one tree and see each other's files."""

    root: Path
    folder: RunFolder

    def tree(self, attempt: Attempt) -> Tree:  # noqa: ARG002 - the same for all
        """Return the tree."""
        return Tree(str(self.root), str(self.root))

    def keep(self, attempt: Attempt, tree: Tree, *, succeeded: bool) -> None:
        """Do nothing: the files are in the tree."""

    def value(self, job: Job, name: str) -> bytes | None:
        """Return the output *name* of *job*, None if there is none."""
        return _value(job, name, no_follow.read(self.folder.values, f"outputs/{job.slug}/{name}"))

    def bind(self, job: Job, outputs: Sequence[tuple[str, bytes]]) -> None:
        """Set *outputs* of *job* to values of an earlier run."""
        if outputs:
            _write(outputs, self.folder.values, f"outputs/{job.slug}")

    def home(self, job: Job) -> Path:  # noqa: ARG002 - the same for all
        """Return the tree."""
        return self.root

    def left(self, job: Job) -> tuple[str, ...]:
        """Return the files of *job* for other stages, relative to its home."""
        paths = tuple(artifact.path for artifact in job.artifacts if artifact.path is not None and artifact.travels)
        return artifacts.matching(str(self.root), paths, job.retention.exclude)

    def show(self, job: Job) -> None:
        """Do nothing: the files are in the tree."""

    def source(self) -> Path:
        """Return the tree."""
        return self.root


class Isolated(Struct):
    """Each attempt runs in a copy of the committed and staged files, with the files of its predecessors.

    *carried* holds the files that each stage passes on in `.pipegen`, by pipeline and stage. Stages of a pipeline in
    *shared* run in one copy, with values outside it.
    """

    checkout: LocalCheckout
    folder: RunFolder
    carried: Mapping[tuple[str, str], Sequence[str]]
    shared: frozenset[str]
    warn: Callable[[str], None]

    def prepare(self, plans: Sequence[Plan]) -> None:
        """Create the base copy, from which the others are copied."""
        _clone(self.checkout, self._base)
        for plan in plans:
            if plan.name in self.shared:
                subprocess.run(("cp", "-RPp", self._base, self._shared_tree(plan)), check=True)

    def tree(self, attempt: Attempt) -> Tree:
        """Return a new tree with the commands that create and remove it."""
        task = attempt.task
        if task.plan.name in self.shared:
            shared = str(self._shared_tree(task.plan))
            return Tree(shared, shared)
        folder = self.folder.work / "trees" / f"{task.job.slug}-{attempt.number}"
        path = quote(str(folder))
        stores = [self._store(producer) for producer in _read_by(task.job, task.plan, self.carried)]
        is_skipped = task.job.fetch is not None and task.job.fetch.is_skipped
        return Tree(
            str(folder),
            self._user_folder(task.job),
            before=(
                f"mkdir -p {path}" if is_skipped else f"cp -RPp {quote(str(self._base))} {path}",
                *(
                    line
                    for store in stores
                    if store.is_dir()
                    for line in merge_folder(quote(f"{store}/."), quote(f"{folder}/."), "-RPpf")
                ),
            ),
            after=(f"rm -rf {path}",),
        )

    def keep(self, attempt: Attempt, tree: Tree, *, succeeded: bool) -> None:
        """Store the files that match the artifacts of the job."""
        job = attempt.task.job
        if job.pipeline in self.shared:
            return
        # A path may be a report and an artifact.
        for_user = [*self._storable(tree, artifacts.matching(tree.folder, _report_paths(job)), job)]
        when = job.retention.when
        names_by_artifact = [
            (
                artifact,
                self._storable(tree, artifacts.matching(tree.folder, (artifact.path,), job.retention.exclude), job),
            )
            for artifact in job.artifacts
            if artifact.path is not None and (succeeded or when is not ArtifactsWhen.SUCCESS)
        ]
        if when is ArtifactsWhen.ALWAYS or succeeded is (when is ArtifactsWhen.SUCCESS):
            # As on GitLab, including files that `copy` takes out of containers.
            for_user += [
                name
                for artifact, names in names_by_artifact
                if artifact.is_kept or not artifact.is_declared
                for name in names
            ]
        artifacts.link_into(tree.folder, dict.fromkeys(for_user), tree.user_files)
        if succeeded:
            travelling = [name for artifact, names in names_by_artifact if artifact.travels for name in names]
            carried = self._storable(tree, artifacts.matching(tree.folder, self.carried[job.pipeline, job.stage]), job)
            # The run that this run resumes may have been killed here, and have stored some of the files.
            remove(self._store(job))
            artifacts.store_files(tree.folder, dict.fromkeys((*travelling, *carried)), str(self._store(job)))
            self._describe(job)

    def value(self, job: Job, name: str) -> bytes | None:
        """Return the output *name* of *job*, None if there is none."""
        if job.pipeline in self.shared:
            return InPlace(self.checkout.root, self.folder).value(job, name)
        if not job.outputs:
            return None
        return _value(job, name, no_follow.read(self._store(job), f".pipegen/outputs/{job.slug}/{name}"))

    def bind(self, job: Job, outputs: Sequence[tuple[str, bytes]]) -> None:
        """Set *outputs* of *job* to values of an earlier run."""
        if job.pipeline in self.shared:
            InPlace(self.checkout.root, self.folder).bind(job, outputs)
        else:
            # A file with the value stays as described: it may end in line breaks, which the value does not have.
            changed = [(name, value) for name, value in outputs if self.value(job, name) != value]
            _write(changed, self._store(job), f".pipegen/outputs/{job.slug}")

    def home(self, job: Job) -> Path:
        """Return the folder with the files of *job* for other stages."""
        return self._store(job)

    def left(self, job: Job) -> tuple[str, ...]:
        """Return the files of *job* for other stages, relative to its home."""
        return artifacts.all_files(str(self._store(job)))

    def show(self, job: Job) -> None:
        """Show the user the restored files of *job*."""
        self._describe(job)
        store = str(self._store(job))
        paths = [artifact.path for artifact in job.artifacts if artifact.path is not None and artifact.is_kept]
        artifacts.link_into(store, artifacts.matching(store, paths, job.retention.exclude), self._user_folder(job))

    def source(self) -> Path:
        """Return the base copy."""
        return self._base

    def _storable(self, tree: Tree, names: Iterable[str], job: Job) -> Collection[str]:
        return artifacts.storable(
            tree.folder, names, lambda why: self.warn(f"stage {job.title}: {why}: it is not stored")
        )

    def _describe(self, job: Job) -> None:
        """Write a description of the files of *job*, to check them when the run is resumed."""
        path = self.folder.descriptions / job.slug
        make_folder(path.parent)
        remove(path)
        path.write_bytes(with_checksum({"files": _files_in(self._store(job))}))

    @property
    def _base(self) -> Path:
        return self.folder.work / "base"

    def _store(self, job: Job) -> Path:
        return self.folder.left / job.slug

    def _user_folder(self, job: Job) -> str:
        return str(self.folder.artifacts / job.slug)

    def _shared_tree(self, plan: Plan) -> Path:
        first = plan.jobs[0].slug if plan.jobs else plan.name
        return self.folder.work / "trees" / f"{first}-shared"


class _Described(Struct):
    """A description of the files of a stage: paths, modes, digests, and targets of links."""

    files: list[list[object]]


def forget_secrets(folder: RunFolder, redactor: Redactor) -> None:
    """Remove the files of isolated stages in *folder* that contain secrets, so that no resumed run uses them."""
    for store in folder.left.glob("*") if redactor else ():
        if _may_hold_secret(store, redactor):
            remove(store)


def _may_hold_secret(store: Path, redactor: Redactor) -> bool:
    try:
        names = artifacts.storable(str(store), artifacts.all_files(str(store)), lambda _: None)
        opened = (partial(no_follow.open_file, store, name) for name in names if no_follow.entry(store, name).is_file)
        return any(map(redactor.hides_in, opened))
    except OSError:  # a stage removed the read permission
        return True


def has_left(folder: RunFolder, job: Job) -> bool:
    """Return whether the files of *job* from an isolated run in *folder* are unchanged."""
    try:
        description = verified((folder.descriptions / job.slug).read_bytes(), _Described)
        return description is not None and description.files == _files_in(folder.left / job.slug)
    except OSError:
        return False


def _files_in(store: Path) -> list[list[object]]:
    """Return the files in *store*: paths, modes, digests, and targets of links."""
    files = (describe(store, name) for name in artifacts.all_files(str(store)))
    return [[file.path, file.mode, file.digest, file.link] for file in files]


def _report_paths(job: Job) -> list[str]:
    """Return the paths of the reports of *job*, which the user gets even if it failed."""
    coverage = job.reports.coverage
    paths = [report.path for report in job.reports.paths]
    return paths if coverage is None or coverage.path is None else [*paths, coverage.path]


def _value(job: Job, name: str, content: bytes | None) -> bytes | None:
    """Return the value of the output *name* of *job*, whose file has this *content*."""
    return content.rstrip(b"\n") if content is not None and is_command_output(name, job) else content


def _write(outputs: Iterable[tuple[str, bytes]], root: Path, folder: str) -> None:
    for name, value in outputs:
        with no_follow.new_file(root, f"{folder}/{name}") as file:
            file.write(value)


def _read_by(job: Job, plan: Plan, carried: Mapping[tuple[str, str], Sequence[str]]) -> tuple[Job, ...]:
    """Return the jobs whose files or values *job* reads, in topological order: later files overwrite earlier ones."""
    values = (*(output.stage for output in job.inputs), *job.containers)
    sources = {*job.files, *(stage for stage in values if carried[job.pipeline, stage])}
    known = {plan_job.stage: plan_job for plan_job in plan.jobs}
    return tuple(known[stage] for stage in plan.graph.topological() if stage in sources)


def _clone(checkout: LocalCheckout, base: Path) -> None:
    """Create the repository *base* like an engine's checkout: without a branch, with committed and staged files.

    It uses the objects of the user's repository read-only, or copies them. The index, which has the staged files, is
    copied.
    """
    root = str(checkout.root)
    base.parent.mkdir(parents=True, exist_ok=True)
    (base.parent / "trees").mkdir(exist_ok=True)
    # Git lists folders of objects by line, so it cannot share one with a line break in its path.
    objects = "--no-hardlinks" if "\n" in str(_git_path(checkout, "objects")) else "--shared"
    # Without templates, copies have no sample hooks.
    _git("clone", "--quiet", objects, "--no-checkout", "--template=", root, str(base))
    index = _git_path(checkout, "index")
    if index.exists():
        shutil.copyfile(index, base / ".git/index")
    if checkout.commit:
        _git("-C", str(base), "update-ref", "--no-deref", "HEAD", checkout.commit)
    if checkout.remote:
        _git("-C", str(base), "remote", "set-url", "origin", checkout.remote)
    _git("-C", str(base), "checkout-index", "--all", "--force", "--quiet")
    _git("-C", str(base), "update-index", "--refresh", "-q")


def _git_path(checkout: LocalCheckout, name: str) -> Path:
    """Return the path of *name* in the repository of *checkout*."""
    path = os.fsdecode(ask(checkout.root, "rev-parse", "--git-path", name).stdout).removesuffix("\n")
    return Path(checkout.root, path)


def _git(*arguments: str) -> str:
    """Return the output of git; raise `OSError` with its message if it fails."""
    process = run_trusted(*arguments)
    if process.returncode:
        words = process.stderr.decode(errors="replace").strip()
        raise OSError(f"git {arguments[-1]}: {words or f'status {process.returncode}'}")
    return os.fsdecode(process.stdout).rstrip("\n")
