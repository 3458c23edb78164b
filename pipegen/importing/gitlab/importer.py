"""The import of a `.gitlab-ci.yml` as a config that compiles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.comments import EntryComments, header_of
from pipegen.importing.compilation import OVERLAP, CompiledConfig, ConfigError, compiled
from pipegen.importing.gitlab.document import ConfigDocument, ImportOptions, document
from pipegen.importing.gitlab.events import ComparedEvent, events
from pipegen.importing.gitlab.helpers import awaited, without_waiting_jobs
from pipegen.importing.gitlab.inputs import report_refused_values
from pipegen.importing.gitlab.reading.files import Files, read_files
from pipegen.importing.gitlab.reading.includes.rules import is_included
from pipegen.importing.gitlab.reading.jobs import SourcePipeline, resolve
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.reading.order import report_cycles
from pipegen.importing.gitlab.reading.outputs import StageOutputs
from pipegen.importing.gitlab.reading.reserved import with_alternatives, with_free_names
from pipegen.importing.gitlab.reading.tree import read_tree
from pipegen.importing.gitlab.refused.pipeline import report_refused
from pipegen.importing.gitlab.refused.without_effect import LostValues, report_without_effect
from pipegen.importing.gitlab.runnable import RunnablePipeline, StartedJob, runnable
from pipegen.importing.gitlab.runs import starts_pipeline
from pipegen.importing.gitlab.stages.after_failures import Misordered
from pipegen.importing.gitlab.stages.needs import GeneratedNames
from pipegen.importing.gitlab.stages.outputs import REFERENCES
from pipegen.importing.gitlab.stages.selections import native_matrices
from pipegen.importing.gitlab.unread import report_keys_of_all_jobs
from pipegen.importing.imported import Imported
from pipegen.importing.layout import block_style, written
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Node, items_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile

_MOST_ROUNDS = 12
# Names of generated jobs decide needs that stay raw, and these decide which combinations are jobs of their own.
_MOST_NAMINGS = 3

# Keys of a stage that result from one group of the source's keys; the others are themselves such a key.
_SAME = {
    "approve": "when",
    "before": "script",
    "after": "script",
    **dict.fromkeys(("files_from", "name", "raw"), "*"),
}

# Keys whose maps have names of the user as keys.
_NAMED = frozenset({"variables", "inputs", "id_tokens", "secrets", "matrix"})
_FILE_KEYS = frozenset({"include", "stages", "workflow", "spec", "default", "variables"})

# A stage with one of these errors reads no outputs of others.
_OF_REFERENCES = (codes.UNKNOWN_NAMESPACE, codes.NOT_AN_ANCESTOR, codes.UNBOUND_NAME, codes.MAY_BE_ABSENT)
# Errors in these keys make no difference to the stages that replace files of others.
_WITHOUT_FILES = frozenset({"cache", "image", "services", "lock", "retry", "timeout"})
# A stage with an error in one of these, although it is raw already, is left out.
_TRIED_ONCE = ("script", "trigger")


class PipelineReading(Struct, kw_only=True):
    """What is read of a pipeline: its *files*, its jobs as *source*, the outcomes of keys so far, and diagnostics.

    It also has the pipeline with what all runs have in common, the events that its rules distinguish, the jobs
    *started* in each of them, the *comments* about keys, the *native* matrices, which stay raw, by job
    with the reason, and the keys that GitLab *refused*.
    """

    files: Files
    source: SourcePipeline
    runnable: RunnablePipeline
    events: tuple[ComparedEvent, ...]
    started: tuple[tuple[StartedJob, ...], ...]
    comments: EntryComments
    native: Mapping[str, Mapping[str, str]]
    accounting: Accounting
    report: Report
    refused: tuple[Entry, ...]


class GitLabImport(Imported, kw_only=True):
    """The import of a pipeline of GitLab; *jobs* are those that are stages.

    *forced* are the keys that stay raw by job, each with the reason, *names* those in a generated file. *outputs* are
    those of stages in place of dotenv reports. *staged* jobs keep the order of stages. *compiled* is the config without
    its layout.
    """

    reading: PipelineReading
    default_branch: str
    compiled: str
    jobs: tuple[str, ...]
    forced: Mapping[str, Mapping[str, str]]
    names: GeneratedNames
    outputs: Mapping[str, StageOutputs]
    staged: frozenset[str]

    @property
    def source(self) -> SourcePipeline:
        """The jobs of the imported pipeline."""
        return self.reading.source

    @property
    def has_stages(self) -> bool:
        """Whether the config has stages: a job can be imported."""
        return bool(self.jobs)


def import_gitlab(file: SourceFile, roots: Roots, default_branch: str, report: Report) -> GitLabImport:
    """Return the config of the pipeline in *file*; raise `Stopped` if it cannot be read.

    Values that a config refuses stay raw: the config is compiled to find them.
    """
    attempt = _Attempt(_read(file, roots, default_branch, report), default_branch, Misordered())
    result, is_shared = attempt.result(is_shared=True), True
    for _ in range(_MOST_ROUNDS):
        if not result.compiled.has_errors:
            break
        is_certain = not is_shared or result.compiled.is_error_in_stages
        if is_certain and all(error.key in _WITHOUT_FILES for error in result.compiled.errors):
            _add_overlapping(attempt.forced, result.compiled.plans)
        if not is_certain or not _add_forced(attempt.forced, _forced_keys(result.compiled, attempt.forced)):
            if not is_shared:
                break
            # Without shared keys, each error is in a stage.
            is_shared = False
        result = attempt.result(is_shared=is_shared)
    if not is_shared:
        result = attempt.result(is_shared=True)
    return attempt.imported(result, report)


def with_needs(
    first: GitLabImport, misordered: Misordered, report: Report, others: Collection[GitLabImport] = ()
) -> GitLabImport | None:
    """Return the *first* import of a pipeline with the needs of *misordered* jobs, which stay raw.

    Return None if its config is that of one of *others*.
    """
    attempt = _Attempt(first.reading, first.default_branch, misordered)
    attempt.forced, attempt.names = {name: {**keys} for name, keys in first.forced.items()}, first.names
    new = attempt.written(is_shared=True)
    if new.config.lacks_names and attempt.names == GeneratedNames():
        # The first file has nearly always the names of the new one, which `imported` compares with them.
        attempt.names = _names(map(_entries, first.generated), first.jobs)
        new = attempt.written(is_shared=True)
    if new.text in [other.compiled for other in others]:
        return None
    report.take(first.reading.report)
    return attempt.imported(new.result(), report)


def _read(file: SourceFile, roots: Roots, default_branch: str, report: Report) -> PipelineReading:
    accounting, own = Accounting(), Report()
    try:
        files = read_files(file, roots, accounting, own)
        every = with_alternatives(resolve(files, accounting, own), files.alternatives)
        every = with_free_names(every, own)
        report_cycles(every, own)
        refused = report_refused(files, every, own)
        source = without_waiting_jobs(every, accounting)
    finally:
        report.take(own)
    pipeline = runnable(every, has_helpers=False, left_out=every.jobs.keys() - source.jobs.keys())
    ignored = [is_included(include.rules) for include in files.ignored if include.rules is not None]
    compared = events(source, ignored, default_branch)
    return PipelineReading(
        files=files,
        source=source,
        runnable=pipeline,
        events=compared,
        started=tuple(pipeline.started(event.facts) for event in compared),
        comments=EntryComments(),
        native=native_matrices(source),
        accounting=accounting,
        report=own,
        refused=refused,
    )


class _WrittenConfig(Struct):
    """A config, its text before the layout, and the accounting and diagnostics of the import."""

    config: ConfigDocument
    text: str
    accounting: Accounting
    report: Report

    def result(self) -> _Result:
        """Return what the config compiles to."""
        return _Result(self, compiled(self.text, "gitlab", checks_scripts=True))


class _Result(Struct, dict=True, gc=True):
    """A config, and what it compiles to."""

    written: _WrittenConfig
    compiled: CompiledConfig

    @cached_property
    def entries(self) -> tuple[tuple[Entry, ...], ...]:
        """The entries of each generated file."""
        return tuple(map(_entries, self.compiled.files))


class _Attempt:
    """Attempts to write the config of a pipeline.

    *forced* are the keys that stay raw, by job, each with the reason; the needs of *misordered* jobs do too.
    """

    def __init__(self, reading: PipelineReading, default_branch: str, misordered: Misordered) -> None:
        self._misordered = misordered
        self._reading = reading
        self._default_branch = default_branch
        self._duplicated = frozenset(
            started.name
            for event, all_started in zip(reading.events, reading.started, strict=True)
            if event.is_duplicate
            for started in all_started
        )
        self._alone = frozenset(
            started.name
            for all_started in reading.started
            if not starts_pipeline(reading.runnable, all_started)
            for started in all_started
        )
        self.forced: dict[str, dict[str, str]] = {}
        self.names = GeneratedNames()

    def result(self, *, is_shared: bool) -> _Result:
        """Return the config and what it compiles to; see `written`."""
        return self.written(is_shared=is_shared).result()

    def written(self, *, is_shared: bool) -> _WrittenConfig:
        """Return the config; if *is_shared*, keys that stages share are in defaults and templates."""
        report, accounting = Report(), self._reading.accounting.copy()
        options = ImportOptions(
            default_branch=self._default_branch,
            forced=self.forced,
            is_shared=is_shared,
            names=self.names,
            misordered=self._misordered,
            duplicated=self._duplicated,
            alone=self._alone,
            comments=self._reading.comments,
            native=self._reading.native,
        )
        config = document(self._reading.source, options, accounting, report)
        further = {
            name: keys for name, keys in config.forced.items() if not keys.keys() <= self.forced.get(name, {}).keys()
        }
        for name, keys in further.items():
            self.forced.setdefault(name, {}).update(keys)
        if further:
            return self.written(is_shared=is_shared)
        return _WrittenConfig(config, block_style(config.document), accounting, report)

    def imported(self, result: _Result, report: Report) -> GitLabImport:
        """Return the import with the config of *result*, or of another attempt if it lacks names or has old ones."""
        if _add_overlapping(self.forced, result.compiled.plans):
            result = self.result(is_shared=True)
        for _ in range(_MOST_NAMINGS):
            config = result.written.config
            has_names = config.lacks_names or self.names != GeneratedNames()
            if not has_names or (names := _names(result.entries, config.jobs)) == self.names:
                break
            self.names = names
            result = self.result(is_shared=True)
        final = result.written
        report.take(final.report)
        files, accounting, config = self._reading.files, final.accounting, final.config
        if result.compiled.files:
            report_refused_values(self._reading.source, result.compiled.plans, report)
            report_keys_of_all_jobs(self._reading.source, files.tree, result.entries[-1], report)
        accounting.mark_parts(entry for job in self._reading.source.jobs.values() for entry in job.entries.values())
        lost = LostValues(accounting)
        for tree in files.trees:
            lost.mark(tree)
        accounting.mark_translated(self._reading.refused, KeyOutcome.REPORTED)
        report_without_effect(files, accounting, report)
        return GitLabImport(
            text=written(config.document, header_of(files.trees[0].span.file)),
            compiled=final.text,
            jobs=config.jobs,
            reading=self._reading,
            default_branch=self._default_branch,
            count=accounting.count(_constructs(files.trees)),
            generated=result.compiled.files,
            forced=self.forced,
            names=self.names,
            outputs=config.outputs,
            staged=config.staged,
        )


def _names(files: Iterable[Iterable[Entry]], stages: Iterable[str]) -> GeneratedNames:
    """Return the jobs of each of *stages* in the generated *files*, and the helpers through which others await them."""
    entries = {entry.key.text: entry.value for file in files for entry in file}
    jobs = {name: [job for job in entries if f"{job}: ".startswith(f"{name}: ")] for name in stages}
    return GeneratedNames(
        {name: of_stage for name, of_stage in jobs.items() if of_stage},
        {stage: name for name, job in entries.items() if (stage := awaited(name, job, entries))},
    )


def _entries(file: GeneratedFile) -> tuple[Entry, ...]:
    return read_tree(SourceFile(file.name, file.text), Report()).tree.entries


def _add_forced(forced: dict[str, dict[str, str]], errors: Iterable[ConfigError]) -> bool:
    """Add the keys of stages with *errors* to *forced*, and return whether any is new."""
    number = sum(map(len, forced.values()))
    overlapping = {name for name, keys in forced.items() if OVERLAP in keys}
    for error in errors:
        is_conflict = error.code is codes.CONFLICTING_FILES and error.stage not in overlapping
        keys = forced.setdefault(error.stage, {})
        key = "*" if error.key in _TRIED_ONCE and error.key in keys else error.key
        keys.setdefault(OVERLAP if is_conflict else key, error.message)
    return sum(map(len, forced.values())) > number


def _add_overlapping(forced: dict[str, dict[str, str]], plans: Iterable[Plan]) -> bool:
    """Add the stages of *plans* that would pack files to replace those of earlier ones, and return whether any is new.

    GitLab replaces these in its own order, without an archive in the artifacts.
    """
    number = sum(map(len, forced.values()))
    for job in (job for plan in plans for job in plan.jobs):
        if any(artifact.overwrites for artifact in job.artifacts):
            name = job.stage if job.combination is None else job.combination.stage
            forced.setdefault(name, {}).setdefault(OVERLAP, "earlier jobs leave the same files")
    return sum(map(len, forced.values())) > number


def _forced_keys(result: CompiledConfig, forced: Mapping[str, Mapping[str, str]]) -> tuple[ConfigError, ...]:
    """Return the stages with errors, each with the key that results from keys of the source; some are *forced* already.

    Stages whose `files_from` names others are tried again: artifacts of those that a config refuses are the cause.
    """
    causes = [error for error in result.errors if error.key != "files_from"]
    return tuple(
        replace(error, key=_source_key(error, forced.get(error.stage, ()))) for error in causes or result.errors
    )


def _source_key(error: ConfigError, forced: Collection[str]) -> str:
    """Return the key to force for *error*: that of the keys of the source from which the key with the error results.

    Without references to outputs, those in texts of the source are left.
    """
    if error.stage and error.code in _OF_REFERENCES and error.key != "files_from" and REFERENCES not in forced:
        return REFERENCES
    return error.key if error.key.startswith("env.") else _SAME.get(error.key, error.key)


def _constructs(trees: Iterable[TreeMapping]) -> Iterator[tuple[str, Span]]:
    """Yield the path, such as `artifacts:paths`, and location of each key of *trees*, without names of the user."""
    for entry in (entry for tree in trees for entry in tree.entries):
        name = entry.key.text
        is_job = name not in _FILE_KEYS and isinstance(entry.value, TreeMapping)
        yield ("job" if is_job else name), entry.key.span
        prefix = "" if is_job or name == "default" else name
        yield from _inner_constructs(prefix, entry.value)


def _inner_constructs(prefix: str, node: Node) -> Iterator[tuple[str, Span]]:
    if isinstance(node, TreeMapping):
        is_named = prefix.rpartition(":")[2] in _NAMED
        for entry in node.entries:
            name = "NAME" if is_named else entry.key.text
            path = f"{prefix}:{name}" if prefix else name
            yield path, entry.key.span
            yield from _inner_constructs(path, entry.value)
    else:
        for item in items_of(node):
            yield from _inner_constructs(prefix, item)
