"""The files of a pipeline: the entry file, merged with its includes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path

from pipegen.config.files.load import load
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped, listed
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.expressions.formulas import (
    tested_names,
    tests_in,
)
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError, parsed
from pipegen.importing.gitlab.reading.input_values import report_inputs, report_unknown_inputs, values_of_inputs
from pipegen.importing.gitlab.reading.locations import ProjectCheckout, Roots, included_files, matching_files
from pipegen.importing.gitlab.reading.tree import (
    READING_LIMITS,
    FileTree,
    ReadingLimits,
    ValueBudget,
    common_order,
    flat_items,
    merged_maps,
    read_tree,
    text_of,
    texts_of,
    with_inputs,
)
from pipegen.readback.gitlab_file import KEYWORDS, USUAL_STAGES
from pipegen.source.text import SourceFile
from pipegen.source.tree import Entry, Node, Scalar, entries_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.structs import MutableStruct, Struct, field

# https://docs.gitlab.com/administration/cicd/limits/#maximum-number-of-includes
_MOST_FILES = 150
_NO_VALUES: Mapping[str, Node] = {}
# Keys at the top level that change the jobs of all files.
_OF_ALL_JOBS = frozenset(
    {"default", "variables", "workflow", "image", "services", "before_script", "after_script", "cache", "stages"}
)

# https://docs.gitlab.com/ci/yaml/#include
_INCLUDE_KEYS = frozenset(
    {*("component", "file", "inputs", "integrity", "local", "project", "ref", "remote", "rules", "template")}
)


class IncludeRule(Struct):
    """A rule of an include, with its *condition*, "" for none; if it *excludes*, the files are not in the pipeline."""

    condition: str
    excludes: bool


class ConditionalInclude(Struct):
    """The *rules* of the entry of an include of the files *names*, None if pipegen cannot read them."""

    entry: Entry
    names: tuple[str, ...]
    rules: tuple[IncludeRule, ...] | None


class Files(Struct):
    """The merged content of a pipeline's files, and the tree of each, to count its keys.

    *unread* are the entries of `include` that GitLab reads and pipegen cannot; *is_complete* means that it read all.
    *ignored* are the includes whose rules it leaves out, and *conditions* are the rules of the includes that bring a
    job, all of which must include it.
    """

    tree: TreeMapping
    trees: tuple[TreeMapping, ...]
    unread: tuple[Node, ...]
    is_complete: bool
    ignored: tuple[ConditionalInclude, ...]
    conditions: Mapping[str, tuple[tuple[IncludeRule, ...], ...]]


class _Reading(MutableStruct):
    """The files read so far."""

    roots: Roots
    accounting: Accounting
    report: Report
    budget: ValueBudget
    trees: list[TreeMapping] = field(default_factory=list)
    unread: list[Node] = field(default_factory=list)
    number: int = 0
    is_complete: bool = True
    # Conditional includes, and the numbers of those that bring each key at the top level, for each file with the key.
    includes: list[ConditionalInclude] = field(default_factory=list)
    origins: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    stages: list[Entry] = field(default_factory=list)


def read_files(
    file: SourceFile, roots: Roots, accounting: Accounting, report: Report, limits: ReadingLimits = READING_LIMITS
) -> Files:
    """Return the content of *file* and its includes; raise `Stopped` if *file* cannot be read."""
    reading = _Reading(roots, accounting, report, ValueBudget(report, limits.values))
    own = ProjectCheckout(roots.folder, roots.folder)
    tree = _with_all_stages(_merged(read_tree(file, report), own, _NO_VALUES, reading, ((), ())), reading)
    always = _always(tree, reading)
    conditions = _conditions(reading, always)
    ignored = tuple(reading.includes[number] for number in always)
    return Files(tree, tuple(reading.trees), tuple(reading.unread), reading.is_complete, ignored, conditions)


def _with_all_stages(tree: TreeMapping, reading: _Reading) -> TreeMapping:
    """Return *tree* with the stages of all conditional includes, if one order of them fits each run."""
    origins = reading.origins.get("stages", [])
    lists = [texts_of(entry.value) for entry in reading.stages]
    if not origins or () in origins:
        return tree
    jobs = (of for name, of in reading.origins.items() if name not in KEYWORDS and not name.startswith("."))
    if any(not any(set(stages) <= set(conditions) for stages in origins) for of in jobs for conditions in of):
        lists.append(USUAL_STAGES)  # those of a job in runs without the includes
    ordered = common_order(lists)
    if ordered is None:
        return tree
    del reading.origins["stages"]
    for entry in reading.stages:
        reading.accounting.mark(entry, KeyOutcome.TRANSLATED)
    key = reading.stages[-1].key
    merged = Entry(key, TreeSequence(tuple(Scalar(name, key.span) for name in ordered), key.span))
    return TreeMapping(tuple(merged if entry.key.text == "stages" else entry for entry in tree.entries), tree.span)


def _always(tree: TreeMapping, reading: _Reading) -> dict[int, Collection[str]]:
    """Return the keys of includes that the config has in all runs, by the numbers of the includes; report them.

    Several files have these keys, or all jobs get them. If jobs cannot have the rules, these are all keys of *tree*.
    """
    always: dict[int, dict[str, None]] = {}
    for name, origins in reading.origins.items():
        if name == "stages" and () in origins:
            continue  # The stages of the including file count.
        if name in _OF_ALL_JOBS or len(set(origins)) > 1:
            for number in {number for origin in origins for number in origin}:
                always.setdefault(number, {})[name] = None
    variables = {entry.key.text for entry in entries_of(tree.get("variables"))}
    result: dict[int, Collection[str]] = {}
    for number, include in enumerate(reading.includes):
        is_unreadable = include.rules is None or not variables.isdisjoint(_tested(include.rules))
        is_always = is_unreadable or number in always
        reading.accounting.mark(include.entry, KeyOutcome.REPORTED if is_always else KeyOutcome.TRANSLATED)
        if not is_always:
            continue
        result[number] = reading.origins.keys() if is_unreadable else always[number]
        files = listed(include.names)
        part = (
            f": the jobs of {files} are always imported"
            if is_unreadable
            else f" for {listed(tuple(always[number]))} of {files}, which the config always has"
        )
        has_jobs = is_unreadable or not _OF_ALL_JOBS.issuperset(always[number])
        reading.report.add(
            codes.NOT_IMPORTED,
            f"the rules of this include are left out{part}",
            at=include.entry.key.span,
            hint='add the conditions to the "when" of the stages'
            if has_jobs
            else 'move them to the stages that need them; "cases" of a stage gives variables conditions',
        )
    return result


def _conditions(
    reading: _Reading, always: Mapping[int, Collection[str]]
) -> dict[str, tuple[tuple[IncludeRule, ...], ...]]:
    """Return the rules of includes by the jobs that they bring, except those that they *always* bring."""
    chosen = {
        name: [number for number in origins[0] if name not in always.get(number, ())]
        for name, origins in reading.origins.items()
    }
    return {
        name: tuple(rules for number in numbers if (rules := reading.includes[number].rules) is not None)
        for name, numbers in chosen.items()
        if numbers
    }


def _tested(rules: Sequence[IncludeRule]) -> Iterator[str]:
    """Yield the variables that *rules* of an include test: those of the file have no value there."""
    for rule in rules:
        for test in tests_in(parsed(rule.condition)) if rule.condition else ():
            yield from tested_names(test)


def _include_rules(node: Node) -> tuple[IncludeRule, ...] | None:
    """Return the rules *node* of an include; None if they have keys other than `if` and `when`."""
    rules = []
    for item in flat_items(node):
        keys = {entry.key.text: text_of(entry.value) for entry in entries_of(item)}
        if not isinstance(item, TreeMapping) or not keys.keys() <= {"if", "when"}:
            return None
        condition = " ".join(keys.get("if", "").split("\n"))
        try:
            parsed(condition if "if" in keys else "$CI")
        except ExpressionError:
            return None
        rules.append(IncludeRule(condition, excludes=keys.get("when") == "never"))
    return tuple(rules)


def _merged(
    content: FileTree,
    checkout: ProjectCheckout,
    inputs: Mapping[str, Node],
    reading: _Reading,
    within: tuple[tuple[str, ...], tuple[int, ...]],
) -> TreeMapping:
    """Return *content* of a file of *checkout* merged with its includes, *within* files and conditional includes."""
    stack, conditions = within
    reading.trees.append(content.tree)
    if content.header is not None:
        reading.trees.append(content.header)
        reading.accounting.mark_value(content.header, KeyOutcome.TRANSLATED)
    values = values_of_inputs(content, inputs, reading.accounting, reading.report)
    if not stack:
        report_inputs(content, values, reading.accounting, reading.report)
    reading.budget.spend_on(content.tree)
    tree = with_inputs(content.tree, values, reading.budget) if values else content.tree
    tree = tree if isinstance(tree, TreeMapping) else content.tree
    if (content.header or content.tree).get("spec") is not None:
        report_unknown_inputs(tree, reading.report)
    include, own = tree.entry("include"), [entry for entry in tree.entries if entry.key.text not in ("include", "spec")]
    parts: list[TreeMapping] = []
    if include is not None:
        reading.accounting.mark(include, KeyOutcome.TRANSLATED)
        for item in flat_items(include.value):
            parts += _included(item, include, checkout, reading, (stack, conditions))
    for entry in (entry for entry in tree.entries if entry.key.text == "spec"):
        reading.accounting.mark(entry, KeyOutcome.TRANSLATED)
    for entry in own:
        reading.origins.setdefault(entry.key.text, []).append(conditions)
        reading.stages += [entry] if entry.key.text == "stages" else []
    parts.append(TreeMapping(tuple(own), tree.span))
    return reduce(lambda base, over: merged_maps(base, over, reading.accounting), parts)


def _included(
    item: Node,
    entry: Entry,
    checkout: ProjectCheckout,
    reading: _Reading,
    within: tuple[tuple[str, ...], tuple[int, ...]],
) -> Iterator[TreeMapping]:
    """Yield the content of the files of one *item* of `include` in a file of *checkout*."""
    stack, conditions = within
    keys = {keyword.key.text: keyword for keyword in entries_of(item)}
    included = included_files(item, keys, checkout, reading.roots)
    if included is None:
        _report_unread(item, keys, entry, checkout, reading)
        return
    if "rules" in keys:
        rules = _include_rules(keys["rules"].value)
        conditions = (*conditions, len(reading.includes))
        reading.includes.append(ConditionalInclude(keys["rules"], included.names, rules))
    inputs = (
        {argument.key.text: argument.value for argument in entries_of(keys["inputs"].value)} if "inputs" in keys else {}
    )
    for name in included.names:
        paths = matching_files(included.checkout.folder, name)
        if not paths:
            _report_unread(item, keys, entry, checkout, reading)
        for file in paths:
            yield from _read(file, included.checkout, inputs, reading, (stack, conditions), item)


def _read(
    path: Path,
    checkout: ProjectCheckout,
    inputs: Mapping[str, Node],
    reading: _Reading,
    within: tuple[tuple[str, ...], tuple[int, ...]],
    item: Node,
) -> Iterator[TreeMapping]:
    """Yield the content of the file at *path*, included *within* files and conditional includes."""
    stack, conditions = within
    name = path.relative_to(checkout.within).as_posix()
    reading.number += 1
    if name in stack or reading.number > _MOST_FILES:
        reading.report.add(
            codes.INCLUDE_NOT_READ,
            f'"{name}" includes itself' if name in stack else f"more than {_MOST_FILES} files are included",
            at=item.span,
            hint="remove the include",
        )
        return
    try:
        report = Report()
        file = load(path, report, shown=name, within=checkout.within)
        reading.report.take(report)
        report.stop_if_errors()
        yield _merged(read_tree(file, reading.report), checkout, inputs, reading, ((*stack, name), conditions))
    except Stopped:
        if reading.budget.rest < 0:
            raise


def _report_unread(
    item: Node, keys: Mapping[str, Entry], entry: Entry, checkout: ProjectCheckout, reading: _Reading
) -> None:
    """Report that *item* in a file of *checkout* is not read.

    GitLab includes it, unless it is a file that does not exist, or a local file of another project, or a key is wrong.
    """
    reading.is_complete = False
    kind = next((kind for kind in ("project", "remote", "template", "component", "local") if kind in keys), "")
    name = text_of(keys[kind].value) if kind else text_of(item)
    is_local = (not kind or kind == "local") and "://" not in name
    is_missing = is_local and ("$" not in name or checkout.folder != reading.roots.folder)
    wrong = _wrong_key(keys)
    outcome = KeyOutcome.REPORTED if is_missing or wrong else KeyOutcome.ELSEWHERE
    for key in keys.values():
        reading.accounting.mark(key, outcome)
    if not keys:
        reading.accounting.mark_key(entry.key, outcome)
    if wrong:
        reading.report.add(
            codes.INCLUDE_NOT_READ, f'the item of "include" is left out: {wrong}', at=item.span, hint="correct it"
        )
        return
    if not is_missing:
        reading.unread.append(item)
    reading.report.add(
        codes.INCLUDE_NOT_READ,
        'GitLab refuses the item of "include": it names no file'
        if not name
        else f'the file "{name}" does not exist, so its jobs and templates are missing'
        if is_missing
        else f'the {kind or "file"} "{name}" is not read: GitLab includes it, and the config does not have its jobs',
        at=item.span,
        hint="clone its project to the same path below a folder, and name that: --include-root FOLDER"
        if kind in ("project", "component", "template")
        else "copy it into the repository to import it, too",
    )


def _wrong_key(keys: Mapping[str, Entry]) -> str:
    """Return why GitLab refuses an item of `include` with *keys*, "" if it does not."""
    unknown = next((key for key in keys if key not in _INCLUDE_KEYS), "")
    if unknown:
        return f'"{unknown}" is none of its keys'
    return 'it has a project, but no "file"' if "project" in keys and "file" not in keys else ""
