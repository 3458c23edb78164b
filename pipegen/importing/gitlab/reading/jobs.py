"""The jobs of a pipeline with all their keys: `extends`, `!reference`, `default` and `inherit` are resolved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped, suggestion
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.files import Files
from pipegen.importing.gitlab.reading.includes.rules import AnyInclude
from pipegen.importing.gitlab.reading.missing import MissingNames
from pipegen.importing.gitlab.reading.sites import with_site, without_empty_artifacts
from pipegen.importing.gitlab.reading.tree import (
    READING_LIMITS,
    NamedMaps,
    ReadingLimits,
    TagReference,
    ValueBudget,
    flat_items,
    keywords_in,
    merged_maps,
    own_keys,
    text_of,
    texts_of,
)
from pipegen.importing.gitlab.reading.variables import Variable, variables_in
from pipegen.readback.gitlab_file import FIRST_STAGE, LAST_STAGE, USUAL_STAGES
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Node, Scalar, ScalarKind, child, entries_of, is_null
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.structs import Struct, replace

V = TypeVar("V")

# https://docs.gitlab.com/ci/yaml/#default and top-level keys, without `timeout`: gitlab-org/gitlab#213634
DEFAULT_KEYS = (
    *("after_script", "artifacts", "before_script", "cache", "hooks", "id_tokens", "image", "interruptible", "retry"),
    *("services", "tags", "identity"),
)
# `lib/gitlab/ci/config/entry/processable.rb` of GitLab
_TRIGGER_DEFAULT_KEYS = ("interruptible",)
GLOBAL_KEYS = ("after_script", "before_script", "cache", "image", "services")
_MOST_LEVELS = 11
_REFERENCE_VALUES = 20  # a reference counts as many values: each may be reported


class SourceJob(Struct, kw_only=True, eq=False):
    """A job: its *entries* by key, with inherited ones, and the number of its stage.

    *variables* are those of the file and of the job; *own_variables* only those of the job. *templates* are the jobs
    that it extends or merges itself, *merged* those that YAML merges into it and *bases* those that it extends, both at
    any depth, and *unknown* the names of those in files that cannot be read. *inherited* are its keys from `default`,
    *own* those written in the job itself, and *included* the rules of includes that bring it, in groups of which one
    must do so. It is equal only to itself, by which results are stored.
    """

    name: str
    key: Scalar
    entries: Mapping[str, Entry]
    stage: str
    stage_number: int
    variables: Mapping[str, Variable]
    own_variables: Mapping[str, Variable]
    templates: tuple[str, ...]
    merged: tuple[str, ...]
    bases: tuple[str, ...]
    unknown: tuple[str, ...]
    inherited: frozenset[str]
    own: tuple[Scalar, ...]
    included: tuple[AnyInclude, ...] = ()

    @property
    def span(self) -> Span:
        """The location of its name."""
        return self.key.span

    def get(self, key: str) -> Node | None:
        """Return the value of *key*; None if it is missing or null."""
        entry = self.entries.get(key)
        return None if entry is None or is_null(entry.value) else entry.value

    def environment(self, key: str) -> Node | None:
        """Return the value of *key* of its environment; a text is the name."""
        node = self.get("environment")
        return node.get(key) if isinstance(node, TreeMapping) else node if key == "name" else None


class SourcePipeline(Struct, kw_only=True, eq=False):
    """The jobs of a pipeline by name, the entry of `workflow`, and the entries of the file's variables.

    *stages* are the names of its stages, *unread* the entries of `include` that only GitLab reads. If not
    *is_complete*, some of its files could not be read. Each is equal only to itself, like a job.
    """

    jobs: Mapping[str, SourceJob]
    workflow: Entry | None
    variables: Mapping[str, Variable]
    has_workflow_rules: bool
    is_complete: bool
    stages: tuple[str, ...]
    unread: tuple[Node, ...] = ()

    def without_variables(self, names: Collection[str], *, keep_in_bridges: bool = False) -> SourcePipeline:
        """Return the pipeline without the variables *names* of the file, which jobs that start pipelines may keep."""
        if not names:
            return self
        jobs = {
            job.name: job
            if keep_in_bridges and "trigger" in job.entries
            else replace(
                job,
                variables={
                    name: variable
                    for name, variable in job.variables.items()
                    if name not in names or name in job.own_variables
                },
            )
            for job in self.jobs.values()
        }
        variables = {name: variable for name, variable in self.variables.items() if name not in names}
        return replace(self, jobs=jobs, variables=variables)


def resolve(
    files: Files, accounting: Accounting, report: Report, limits: ReadingLimits = READING_LIMITS
) -> SourcePipeline:
    """Return the jobs of *files*."""
    resolver = _Resolver(files, accounting, report, limits)
    source = resolver.source()
    jobs = {
        name: replace(job, included=files.conditions[name]) if name in files.conditions else job
        for name, job in source.jobs.items()
    }
    return replace(source, jobs=jobs, unread=files.unread)


def inherited(values: Mapping[str, V], key: str, inherit: Entry | None) -> Mapping[str, V]:
    """Return those of *values* that a job with *inherit* gets."""
    chosen = inherit.value.get(key) if inherit is not None and isinstance(inherit.value, TreeMapping) else None
    if is_null(chosen) or (isinstance(chosen, Scalar) and chosen.kind is ScalarKind.BOOLEAN and chosen.value):
        return values
    names = texts_of(chosen) if isinstance(chosen, TreeSequence) else ()
    return {name: value for name, value in values.items() if name in names}


class _Resolver:
    """Resolves the jobs of a file."""

    def __init__(self, files: Files, accounting: Accounting, report: Report, limits: ReadingLimits) -> None:
        self._accounting = accounting
        self._report = report
        self._is_complete = files.is_complete
        self._entries = {entry.key.text: entry for entry in files.tree.entries}
        self._maps = NamedMaps(files.tree.entries)
        self._keywords = keywords_in(files.tree)
        self._budget = ValueBudget(report, limits.values)
        self._most_jobs = limits.jobs
        self._missing = MissingNames(files.unread, is_complete=files.is_complete)
        self._extended: dict[str, TreeMapping] = {}
        for name in self._entries:
            self._extend(name, ())

    def source(self) -> SourcePipeline:
        stages = self._stages()
        defaults = self._defaults()
        variables = variables_in(self._value("variables"))
        workflow = self._entries.get("workflow") if "workflow" in self._keywords else None
        if workflow is not None:
            workflow = Entry(workflow.key, self._resolved(workflow.value, 0))
        jobs = {
            name: self._job(name, entry, stages, defaults, variables)
            for name, entry in self._entries.items()
            if self._is_job(name, entry)
        }
        if len(jobs) > self._most_jobs:
            self._report.add(
                codes.NOT_IMPORTED,
                f"the pipeline has more than {self._most_jobs:,} jobs",
                at=next(reversed(jobs.values())).span,
                hint="import its files separately",
            )
            raise Stopped
        self._missing.report(self._report)
        rules = workflow.value.get("rules") if workflow and isinstance(workflow.value, TreeMapping) else None
        return SourcePipeline(
            jobs=jobs,
            workflow=workflow,
            variables=variables,
            has_workflow_rules=not is_null(rules),
            is_complete=self._is_complete,
            stages=tuple(stages),
        )

    def _value(self, name: str) -> Node | None:
        entry = self._entries.get(name)
        return self._resolved(entry.value, 0) if entry is not None else None

    def _is_job(self, name: str, entry: Entry) -> bool:
        if name in self._keywords or name.startswith("."):
            return False
        if isinstance(entry.value, TreeMapping):
            return True
        self._accounting.mark(entry, KeyOutcome.REPORTED)
        self._report.add(
            codes.NOT_IMPORTED,
            f'"{name}" is left out: it is neither a job nor a key of GitLab',
            at=entry.key.span,
            hint="remove it, or begin its name with a dot if it holds an anchor",
        )
        return False

    def _stages(self) -> dict[str, int]:
        entry = self._entries.get("stages")
        if entry is not None:
            self._accounting.mark(entry, KeyOutcome.TRANSLATED)
        declared = texts_of(entry.value) if entry is not None else USUAL_STAGES
        names = (FIRST_STAGE, *(name for name in declared if name not in (FIRST_STAGE, LAST_STAGE)), LAST_STAGE)
        return {name: number for number, name in enumerate(dict.fromkeys(names))}

    def _defaults(self) -> dict[str, Entry]:
        default = self._value("default") if "default" in self._keywords else None
        entries = {entry.key.text: entry for entry in entries_of(default) if not is_null(entry.value)}
        if default is not None:
            self._accounting.mark_key(self._entries["default"].key, KeyOutcome.TRANSLATED)
        for name in GLOBAL_KEYS:
            if name in self._entries:
                entries.setdefault(name, Entry(self._entries[name].key, self._value(name) or self._entries[name].value))
        return entries

    def _job(
        self,
        name: str,
        entry: Entry,
        stages: Mapping[str, int],
        defaults: Mapping[str, Entry],
        variables: Mapping[str, Variable],
    ) -> SourceJob:
        tree = self._resolved(self._extended[name], 0)
        own = {keyword.key.text: keyword for keyword in entries_of(tree)}
        if "trigger" in own and is_null(own["trigger"].value):
            del own["trigger"]
        inherit = own.get("inherit")
        from_default = inherited(defaults, "default", inherit)
        inheritable = DEFAULT_KEYS if "trigger" not in own else _TRIGGER_DEFAULT_KEYS
        # A key without a value is not specified: `create!` in `lib/gitlab/config/entry/factory.rb` of GitLab.
        empty = {key for key in own if key in from_default and key in inheritable and is_null(own[key].value)}
        for key in empty:
            self._accounting.mark(own.pop(key), KeyOutcome.TRANSLATED)
        keys = {**{key: keyword for key, keyword in from_default.items() if key in inheritable}, **own}
        own_variables = variables_in(own["variables"].value) if "variables" in own else {}
        for key in ("extends", "stage", "inherit"):
            if key in own:
                self._accounting.mark(own[key], KeyOutcome.TRANSLATED)
        self._accounting.mark_key(entry.key, KeyOutcome.TRANSLATED)
        bases = self._all_bases(name)
        self._mark_bases(bases)
        unknown = () if self._is_complete else tuple(base for base in bases if base not in self._entries)
        self._missing.add_replaced(bases, unknown, name, entry.key.span)
        published = with_site(name, keys)
        stage = self._missing.stage(own, name, entry.key.span, unknown, stages)
        return SourceJob(
            name=name,
            key=entry.key,
            entries=without_empty_artifacts(published) if self._is_complete else published,
            stage=stage,
            stage_number=stages.get(stage, stages[LAST_STAGE] - 1),
            variables={**inherited(variables, "variables", inherit), **own_variables},
            own_variables=own_variables,
            templates=(*texts_of(child(entry.value, "extends")), *self._maps.directly_merged_into(entry.value)),
            merged=self._maps.merged_into(entry.value),
            bases=bases,
            unknown=unknown,
            inherited=frozenset(keys.keys() - own.keys()),
            own=own_keys(entry.value),
        )

    def _all_bases(self, name: str) -> tuple[str, ...]:
        """Return the names of the jobs that *name* extends, at any depth, which may not be in the files.

        They are in the order in which GitLab merges them: keys of later ones replace those of earlier ones.
        """
        bases: dict[str, None] = {}
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current not in bases:
                bases[current] = None
                entry = self._entries.get(current)
                waiting += texts_of(child(entry.value, "extends")) if entry is not None else ()
        return tuple(base for base in reversed(bases) if base != name)

    def _mark_bases(self, bases: Iterable[str]) -> None:
        """Account for `extends` of *bases*."""
        for base in bases:
            tree = self._entries[base].value if base in self._entries else None
            if isinstance(tree, TreeMapping) and (extends := tree.entry("extends")) is not None:
                self._accounting.mark(extends, KeyOutcome.TRANSLATED)

    def _extend(self, name: str, stack: tuple[str, ...]) -> TreeMapping | None:
        """Return the keys of the job *name* merged over those of the jobs that it extends."""
        if name in self._extended:
            return self._extended[name]
        own = self._entries[name].value
        if not isinstance(own, TreeMapping) or name in self._keywords:
            return None
        result = TreeMapping((), own.span)
        for base in flat_items(own.get("extends")):
            result = merged_maps(result, self._base(base, name, stack), self._accounting)
        result = merged_maps(result, own, self._accounting)
        self._budget.spend(len(result.entries), own.span)
        self._extended[name] = result
        return result

    def _base(self, base: Node, name: str, stack: tuple[str, ...]) -> TreeMapping:
        other = text_of(base)
        empty = TreeMapping((), base.span)
        if other == name or other in stack or len(stack) >= _MOST_LEVELS:
            reason = f'"{name}" extends itself' if other == name or other in stack else "too many levels of extends"
            self._report.add(codes.NOT_IMPORTED, reason, at=base.span, hint="remove one of the names")
            return empty
        tree = self._extend(other, (*stack, name)) if other in self._entries else None
        if tree is None:
            extends = (
                entry.value.entry("extends") if isinstance((entry := self._entries[name]).value, TreeMapping) else None
            )
            if extends is not None:
                self._accounting.mark(extends, KeyOutcome.REPORTED if self._is_complete else KeyOutcome.ELSEWHERE)
            self._missing.add_base(other, name, base.span, suggestion(other, self._entries))
        return tree or empty

    def _resolved(self, node: Node, level: int) -> Node:
        """Return *node*, the same object if it has no `!reference`, else with their values, null for unknown ones."""
        self._budget.spend(1, node.span)
        match node:
            case TagReference():
                return self._referenced(node, level)
            case TreeMapping():
                values = [self._resolved(entry.value, level) for entry in node.entries]
                is_same = list(map(id, values)) == [id(entry.value) for entry in node.entries]
                if is_same:
                    return node
                pairs = [pair for pair in zip(node.entries, values, strict=True) if not self._is_emptied(*pair)]
                return TreeMapping(tuple(Entry(entry.key, value) for entry, value in pairs), node.span)
            case TreeSequence():
                items = tuple(self._items(node, level))
                return node if list(map(id, items)) == list(map(id, node.items)) else TreeSequence(items, node.span)
        return node

    def _is_emptied(self, entry: Entry, value: Node) -> bool:
        """Return whether *value* has nothing of *entry*: a `!reference` to nothing known, an empty map, or no rules.

        The entry is left out, as GitLab refuses a list without rules, and reads other values than null elsewhere.
        """
        is_unknown = isinstance(entry.value, TagReference) and value.span == entry.value.span
        has_no_rules = entry.key.text == "rules" and value is not entry.value and not flat_items(value)
        has_no_keys = isinstance(entry.value, TreeMapping) and value is not entry.value and not entries_of(value)
        is_emptied = is_unknown or has_no_rules or has_no_keys
        if is_emptied:
            self._accounting.mark(entry, KeyOutcome.REPORTED)
        return is_emptied

    def _items(self, node: TreeSequence, level: int) -> Iterator[Node]:
        for item in node.items:
            if not isinstance(item, TagReference):
                yield self._resolved(item, level)
                continue
            value = self._referenced(item, level)
            if isinstance(value, TreeSequence):
                yield from value.items
            elif not is_null(value):
                yield value

    def _referenced(self, reference: TagReference, level: int) -> Node:
        self._budget.spend(_REFERENCE_VALUES, reference.span)
        path = [text_of(item) for item in reference.items]
        node: Node | None = None
        if path:
            node = self._extended.get(path[0]) or (self._entries[path[0]].value if path[0] in self._entries else None)
        entry: Entry | None = None
        for key in path[1:]:
            entry = node.entry(key) if isinstance(node, TreeMapping) else None
            node = entry.value if entry is not None else None
        if node is None or level > _MOST_LEVELS:
            name = f'"{".".join(path)}"'
            code, reason = self._missing.code, f"{name} is not in the files: what !reference names is left out"
            if node is not None:
                reason = f"GitLab refuses !reference to {name}: it refers to itself, or is in too many others"
                code = codes.NOT_IMPORTED
            self._accounting.mark_span(reference.span, KeyOutcome.REPORTED)
            self._report.add(code, reason, at=reference.span, hint="add the value here")
            return Scalar("", reference.span, ScalarKind.NULL)
        if entry is not None:
            self._accounting.mark(entry, KeyOutcome.TRANSLATED)
        return self._resolved(node, level + 1)
