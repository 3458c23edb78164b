"""The import of a `.gitlab-ci.yml` as a config that compiles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.comments import header_of
from pipegen.importing.compilation import CompiledConfig, ConfigError, compiled
from pipegen.importing.gitlab.document import ConfigDocument, ImportOptions, document
from pipegen.importing.gitlab.events import ComparedEvent, events
from pipegen.importing.gitlab.helpers import awaited, without_waiting_jobs
from pipegen.importing.gitlab.inputs import report_refused_values
from pipegen.importing.gitlab.reading.files import Files, read_files
from pipegen.importing.gitlab.reading.jobs import SourcePipeline, resolve
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.reading.order import report_cycles
from pipegen.importing.gitlab.reading.outputs import StageOutputs
from pipegen.importing.gitlab.reading.reserved import with_free_names
from pipegen.importing.gitlab.reading.tree import TagReference, read_tree
from pipegen.importing.gitlab.refused.pipeline import report_refused
from pipegen.importing.gitlab.runnable import RunnablePipeline, runnable
from pipegen.importing.gitlab.stages.after_failures import Misordered
from pipegen.importing.gitlab.stages.needs import GeneratedNames
from pipegen.importing.gitlab.stages.outputs import REFERENCES
from pipegen.importing.gitlab.stages.stage import OVERLAP
from pipegen.importing.gitlab.unread import report_keys_of_all_jobs
from pipegen.importing.imported import Imported
from pipegen.importing.layout import block_style, written
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Node, entries_of, items_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
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
# A stage with an error in one of these, although it is raw already, is left out.
_TRIED_ONCE = ("script", "trigger")


class PipelineReading(Struct, kw_only=True):
    """What is read of a pipeline: its *files*, its jobs as *source*, the outcomes of keys so far, and diagnostics.

    It also has the pipeline with what all runs have in common, the events that its rules distinguish, and the keys that
    GitLab *refused*.
    """

    files: Files
    source: SourcePipeline
    runnable: RunnablePipeline
    events: tuple[ComparedEvent, ...]
    accounting: Accounting
    report: Report
    refused: tuple[Entry, ...]


class GitLabImport(Imported, kw_only=True):
    """The import of a pipeline of GitLab; *jobs* are those that are stages.

    *forced* are the keys that stay raw by job, each with the reason, *names* those in a generated file. *outputs* are
    those of stages in place of dotenv reports. *staged* jobs keep the order of stages.
    """

    reading: PipelineReading
    default_branch: str
    jobs: tuple[str, ...]
    forced: Mapping[str, Mapping[str, str]]
    names: GeneratedNames
    outputs: Mapping[str, StageOutputs]
    staged: frozenset[str]

    @property
    def source(self) -> SourcePipeline:
        """The jobs of the imported pipeline."""
        return self.reading.source


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
        if not is_certain or not _add_forced(attempt.forced, _forced_keys(result.compiled, attempt.forced)):
            if not is_shared:
                break
            # Without shared keys, each error is in a stage.
            is_shared = False
        result = attempt.result(is_shared=is_shared)
    if not is_shared:
        result = attempt.result(is_shared=True)
    return attempt.imported(result, report)


def with_needs(first: GitLabImport, misordered: Misordered, report: Report) -> GitLabImport:
    """Return the *first* import of a pipeline with the needs of *misordered* jobs, which stay raw."""
    report.take(first.reading.report)
    attempt = _Attempt(first.reading, first.default_branch, misordered)
    attempt.forced, attempt.names = {name: {**keys} for name, keys in first.forced.items()}, first.names
    return attempt.imported(attempt.result(is_shared=True), report)


def _read(file: SourceFile, roots: Roots, default_branch: str, report: Report) -> PipelineReading:
    accounting, own = Accounting(), Report()
    try:
        files = read_files(file, roots, accounting, own)
        every = with_free_names(resolve(files, accounting, own), own)
        report_cycles(every, own)
        refused = report_refused(files, every, own)
        source = without_waiting_jobs(every, accounting)
    finally:
        report.take(own)
    return PipelineReading(
        files=files,
        source=source,
        runnable=runnable(every, has_helpers=False, left_out=every.jobs.keys() - source.jobs.keys()),
        events=events(source, default_branch),
        accounting=accounting,
        report=own,
        refused=refused,
    )


class _Result(Struct):
    """A config, what it compiles to, and the accounting and diagnostics of the import."""

    config: ConfigDocument
    compiled: CompiledConfig
    accounting: Accounting
    report: Report


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
            for event in reading.events
            if event.is_duplicate
            for started in reading.runnable.started(event.facts)
        )
        self.forced: dict[str, dict[str, str]] = {}
        self.names = GeneratedNames()

    def result(self, *, is_shared: bool) -> _Result:
        """Return the config; if *is_shared*, keys that stages share are in defaults and templates."""
        report, accounting = Report(), self._reading.accounting.copy()
        options = ImportOptions(
            default_branch=self._default_branch,
            forced=self.forced,
            is_shared=is_shared,
            names=self.names,
            misordered=self._misordered,
            duplicated=self._duplicated,
        )
        config = document(self._reading.source, options, accounting, report)
        further = {
            name: keys for name, keys in config.forced.items() if not keys.keys() <= self.forced.get(name, {}).keys()
        }
        for name, keys in further.items():
            self.forced.setdefault(name, {}).update(keys)
        if further:
            return self.result(is_shared=is_shared)
        return _Result(
            config, compiled(block_style(config.document), "gitlab", checks_scripts=True), accounting, report
        )

    def imported(self, result: _Result, report: Report) -> GitLabImport:
        """Return the import with the config of *result*, or of another attempt if it lacks names or has old ones."""
        if _add_overlapping(self.forced, result.compiled.plans):
            result = self.result(is_shared=True)
        for _ in range(_MOST_NAMINGS):
            has_names = result.config.lacks_names or self.names != GeneratedNames()
            if not has_names or (names := _names(result)) == self.names:
                break
            self.names = names
            result = self.result(is_shared=True)
        report.take(result.report)
        if result.compiled.plans:
            report_refused_values(self._reading.source, result.compiled.plans, report)
        files, accounting = self._reading.files, result.accounting
        if result.compiled.files:
            main_file = _entries(result.compiled.files[-1])
            report_keys_of_all_jobs(self._reading.source, files.tree, main_file, report)
        accounting.mark_parts(entry for job in self._reading.source.jobs.values() for entry in job.entries.values())
        lost = _LostValues(accounting)
        for tree in files.trees:
            lost.mark(tree)
        accounting.mark_translated(self._reading.refused, KeyOutcome.REPORTED)
        _report_without_effect(files, accounting, report)
        return GitLabImport(
            text=written(result.config.document, header_of(files.trees[0].span.file)),
            jobs=result.config.jobs,
            reading=self._reading,
            default_branch=self._default_branch,
            count=accounting.count(_constructs(files.trees)),
            generated=result.compiled.files,
            forced=self.forced,
            names=self.names,
            outputs=result.config.outputs,
            staged=result.config.staged,
        )


def _names(result: _Result) -> GeneratedNames:
    """Return the jobs of each stage in the generated files, and the helpers through which others await them."""
    entries = {entry.key.text: entry.value for file in result.compiled.files for entry in _entries(file)}
    jobs = {name: [job for job in entries if f"{job}: ".startswith(f"{name}: ")] for name in result.config.jobs}
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


class _LostValues:
    """Marks the keys with a `!reference` to a value that is not in the files as reported."""

    def __init__(self, accounting: Accounting) -> None:
        self._accounting = accounting
        self._known: dict[int, bool] = {}  # by `id`: nodes with an anchor are in several places

    def mark(self, node: Node) -> bool:
        """Mark the keys in *node*; return whether it has such a reference itself, outside of the maps in it."""
        if id(node) not in self._known:
            self._known[id(node)] = False
            self._known[id(node)] = self._marked(node)
        return self._known[id(node)]

    def _marked(self, node: Node) -> bool:
        if isinstance(node, TagReference):
            return self._accounting.outcome(node.span) is KeyOutcome.REPORTED
        for entry in entries_of(node):
            if self.mark(entry.value):
                self._accounting.mark_key(entry.key, KeyOutcome.REPORTED)
        lost = [self.mark(item) for item in node.items] if isinstance(node, TreeSequence) else []
        return any(lost)


def _report_without_effect(files: Files, accounting: Accounting, report: Report) -> None:
    """Report the keys that no job gets, which have no outcome yet.

    Jobs of files that cannot be read may use them, and runs without the files of an include whose rules are ignored.
    """
    outcome = KeyOutcome.UNUSED if files.is_complete and not files.ignored else KeyOutcome.REPORTED
    for tree in files.trees:
        _report_entries(tree.entries, None, outcome, accounting, report)


def _report_entries(
    entries: Iterable[Entry], name: str | None, unused: KeyOutcome, accounting: Accounting, report: Report
) -> None:
    """Report those of *entries* that no job gets, and give them the outcome *unused*.

    *name* is the key at the top level that holds them, if any.
    """
    for entry in entries:
        key = entry.key.text
        if not accounting.is_marked(entry):
            outcome = accounting.outcome_of_parts(entry.value)
            accounting.mark(entry, outcome or unused)
            if outcome is not None:
                continue
            is_ignored = (name, key) == ("default", "timeout")
            reason = "GitLab ignores it there" if is_ignored else "each job that gets it has its own value"
            inner = f'"{key}" in "{name}" has no effect: {reason}'
            report.add(
                codes.WITHOUT_EFFECT,
                f'"{key}" is left out: no job uses it' if name is None else inner,
                at=entry.key.span,
                hint="remove it",
            )
            continue
        for mapping in _maps(entry.value):
            _report_entries(mapping.entries, key if name is None else name, unused, accounting, report)
        if accounting.outcome(entry.key.span) is None:
            accounting.mark_key(entry.key, KeyOutcome.TRANSLATED)


def _maps(node: Node) -> Iterator[TreeMapping]:
    """Yield *node* if it is a map, or the maps in a list of it."""
    if isinstance(node, TreeMapping):
        yield node
    for item in items_of(node):
        yield from _maps(item)


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
