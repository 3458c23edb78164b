"""The files of a pipeline: the entry file, merged with its includes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from pathlib import Path

from pipegen.config.files.load import load
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped, listed
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.includes.alternatives import (
    Alternative,
    KeyDefinition,
    alternatives_of,
    is_whole,
    named_in_keys,
)
from pipegen.importing.gitlab.reading.includes.rules import (
    AnyInclude,
    ConditionalInclude,
    depends_on,
    include_rules,
    variables_of_rules,
)
from pipegen.importing.gitlab.reading.input_values import report_inputs, report_unknown_inputs, values_of_inputs
from pipegen.importing.gitlab.reading.locations import ProjectCheckout, Roots, included_files, matching_files
from pipegen.importing.gitlab.reading.tree import (
    READING_LIMITS,
    FileTree,
    ReadingLimits,
    ValueBudget,
    common_order,
    flat_items,
    keywords_in,
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


class Files(Struct):
    """The merged content of a pipeline's files, and the tree of each, to count its keys.

    *unread* are the entries of `include` that GitLab reads and pipegen cannot; *is_complete* means that it read all.
    *ignored* are the includes whose rules it leaves out, and *conditions* are the rules of the includes that bring a
    job, in groups of which one must include it. *alternatives* are the names of jobs in place of one of several files.
    """

    tree: TreeMapping
    trees: tuple[TreeMapping, ...]
    unread: tuple[Node, ...]
    is_complete: bool
    ignored: tuple[ConditionalInclude, ...]
    conditions: Mapping[str, tuple[AnyInclude, ...]]
    alternatives: Mapping[str, tuple[str, ...]]


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
    includes: list[ConditionalInclude] = field(default_factory=list)
    # Those of each key at the top level, in the order in which GitLab merges them.
    definitions: dict[str, list[KeyDefinition]] = field(default_factory=dict)


def read_files(
    file: SourceFile, roots: Roots, accounting: Accounting, report: Report, limits: ReadingLimits = READING_LIMITS
) -> Files:
    """Return the content of *file* and its includes; raise `Stopped` if *file* cannot be read."""
    reading = _Reading(roots, accounting, report, ValueBudget(report, limits.values))
    own = ProjectCheckout(roots.folder, roots.folder)
    tree = _with_all_stages(_merged(read_tree(file, report), own, _NO_VALUES, reading, ((), ())), reading)
    unreadable = _unreadable(tree, reading)
    alternatives = _alternatives(tree, reading, unreadable)
    always = _always(reading, unreadable)
    return Files(
        tree=_with_alternatives(tree, alternatives),
        trees=tuple(reading.trees),
        unread=tuple(reading.unread),
        is_complete=reading.is_complete,
        ignored=tuple(reading.includes[number] for number in always),
        conditions=_conditions(reading, always)
        | {each.entry.key.text: each.rules for jobs in alternatives.values() for each in jobs},
        alternatives={name: tuple(each.entry.key.text for each in jobs) for name, jobs in alternatives.items()},
    )


def _with_all_stages(tree: TreeMapping, reading: _Reading) -> TreeMapping:
    """Return *tree* with the stages of all conditional includes, if one order of them fits each run."""
    definitions = reading.definitions.get("stages", [])
    lists = [texts_of(each.entry.value) for each in definitions]
    if not all(each.includes for each in definitions) or not definitions:
        return tree
    jobs = (of for name, of in reading.definitions.items() if name not in KEYWORDS and not name.startswith("."))
    origins = [set(each.includes) for each in definitions]
    if any(not any(stages <= set(each.includes) for stages in origins) for of in jobs for each in of):
        lists.append(USUAL_STAGES)  # those of a job in runs without the includes
    ordered = common_order(lists)
    if ordered is None:
        return tree
    del reading.definitions["stages"]
    for each in definitions:
        reading.accounting.mark(each.entry, KeyOutcome.TRANSLATED)
    key = definitions[-1].entry.key
    merged = Entry(key, TreeSequence(tuple(Scalar(name, key.span) for name in ordered), key.span))
    return TreeMapping(tuple(merged if entry.key.text == "stages" else entry for entry in tree.entries), tree.span)


def _unreadable(tree: TreeMapping, reading: _Reading) -> frozenset[int]:
    """Return the numbers of the includes whose rules jobs cannot have: variables of *tree* have no value there."""
    jobs: dict[int, dict[str, None]] = {}
    for name, definitions in reading.definitions.items():
        for number in chain.from_iterable(each.includes for each in definitions):
            jobs.setdefault(number, {})[name] = None
    return frozenset(
        number
        for number, include in enumerate(reading.includes)
        if include.rules is None
        or any(depends_on(include.rules, own) for own in variables_of_rules(tree, jobs.get(number, ())))
    )


def _alternatives(
    tree: TreeMapping, reading: _Reading, unreadable: frozenset[int]
) -> dict[str, tuple[Alternative, ...]]:
    """Return the jobs in place of each of *tree* of which a run has only some definitions; report them.

    They are no longer among the definitions. A job that may have a part in a file that is not here remains one.
    """
    several = {name: of for name, of in reading.definitions.items() if len({each.includes for each in of}) > 1}
    if not several:
        return {}
    result: dict[str, tuple[Alternative, ...]] = {}
    taken = {entry.key.text for entry in tree.entries}
    keywords, named = keywords_in(tree), named_in_keys(tree)
    for name, definitions in several.items():
        has_rules = unreadable.isdisjoint(chain.from_iterable(each.includes for each in definitions))
        if name in keywords or not has_rules:
            continue
        jobs = alternatives_of(definitions, reading.includes, taken, reading.accounting)
        is_here = reading.is_complete or all(is_whole(each.entry) for each in jobs)
        may_be_several = is_here and name not in named and not name.startswith(".")
        if len(jobs) == 1 or (jobs and may_be_several):
            result[name] = jobs
            taken.update(each.entry.key.text for each in jobs)
            del reading.definitions[name]
            _report_alternatives(name, jobs, reading.report)
    return result


def _report_alternatives(name: str, jobs: Sequence[Alternative], report: Report) -> None:
    names = [each.entry.key.text for each in jobs]
    if names != [name]:
        report.add(
            codes.NOT_IMPORTED,
            f'job "{name}" becomes stages {listed(names)}, because the rules of includes decide which files define it',
            at=jobs[0].entry.key.span,
            hint="use the new names where files of other projects name the job",
        )


def _with_alternatives(tree: TreeMapping, alternatives: Mapping[str, Sequence[Alternative]]) -> TreeMapping:
    """Return *tree* with *alternatives* in place of the jobs with these names."""
    jobs = {name: [each.entry for each in of] for name, of in alternatives.items()}
    entries = chain.from_iterable(jobs.get(entry.key.text, (entry,)) for entry in tree.entries)
    return TreeMapping(tuple(entries), tree.span) if jobs else tree


def _always(reading: _Reading, unreadable: frozenset[int]) -> dict[int, Collection[str]]:
    """Return the keys of includes that the config has in all runs, by the numbers of the includes; report them.

    Several files have these keys, or all jobs get them. Of those that are *unreadable*, these are all keys.
    """
    always: dict[int, dict[str, None]] = {}
    for name, definitions in reading.definitions.items():
        origins = {each.includes for each in definitions}
        if name == "stages" and () in origins:
            continue  # The stages of the including file count.
        if name in _OF_ALL_JOBS or len(origins) > 1:
            for number in {number for origin in origins for number in origin}:
                always.setdefault(number, {})[name] = None
    result: dict[int, Collection[str]] = {}
    for number, include in enumerate(reading.includes):
        is_unreadable = number in unreadable
        is_always = is_unreadable or number in always
        reading.accounting.mark(include.entry, KeyOutcome.REPORTED if is_always else KeyOutcome.TRANSLATED)
        if not is_always:
            continue
        result[number] = reading.definitions.keys() if is_unreadable else always[number]
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


def _conditions(reading: _Reading, always: Mapping[int, Collection[str]]) -> dict[str, tuple[AnyInclude, ...]]:
    """Return the rules of includes by the jobs that they bring, except those that they *always* bring."""
    chosen = {
        name: [number for number in definitions[0].includes if name not in always.get(number, ())]
        for name, definitions in reading.definitions.items()
    }
    return {
        name: tuple((rules,) for number in numbers if (rules := reading.includes[number].rules) is not None)
        for name, numbers in chosen.items()
        if numbers
    }


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
        reading.definitions.setdefault(entry.key.text, []).append(KeyDefinition(entry, conditions))
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
        rules = include_rules(keys["rules"].value)
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
