"""The artifacts that a stage declares, and the stages whose files it chooses."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from posixpath import join, normpath

from pipegen.bindings.combinations import selected_stages
from pipegen.bindings.groups import INSIDE, Groups
from pipegen.config.model import StageConfig, StageName
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.files.patterns import is_outside, matches, matches_internal_files
from pipegen.plan.model import Output
from pipegen.plan.model.retention import path_pattern
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.source.text import Located, Span
from pipegen.source.tree import Mapping, Scalar, child, is_null, scalars_of
from pipegen.structs import Struct

# Ant's and GitLab's patterns agree on `*` and `**`; other special characters of either are not allowed.
_PATTERN = r"[^?\[\]{}\\,!$'\"\x00-\x1f\x7f]+"

_REMEDY = 'add "artifacts" to that stage'


class AvailableFiles(Struct):
    """The stages from which a stage can choose files.

    *groups* are the stages of the pipeline; *files* holds the ones that leave files, with their positions in an order
    that the arcs allow, also if these are known to one target only (`raw`), and *final* the finally stages, which run
    after all of these.
    """

    groups: Groups
    files: Dictionary[str, int]
    ancestors: Container[str]
    final: Dictionary[str, Span]


def leaves_raw_files(raw: Iterable[tuple[str, Mapping]]) -> bool:
    """Return whether keys for one target leave files for later stages, or variables of a dotenv report.

    `raw` names them as GitLab does; other targets have no such keys. What a job gets from files of GitLab may have
    files: a job that it extends, and its script.
    """
    for _, keys in raw:
        script = keys.get("script")
        if keys.get("extends") is not None or (script is not None and is_null(script)):
            return True
        artifacts = keys.get("artifacts")
        files = [child(artifacts, key) for key in ("paths", "untracked")]
        variables = child(child(artifacts, "reports"), "dotenv")
        if any(node is not None for node in (*files, variables)):
            return True
    return False


def checked_path(
    item: Located[str], directory: str, report: Report, *, has_values: bool = False, is_excluded: bool = False
) -> str | None:
    """Return the path of *item* from the root of the repository; *directory* is where the stage runs.

    With *has_values*, the path contains setup values. The data of git may be excluded (*is_excluded*), not kept.

    Return None if engines cannot keep the path, which is reported. A *directory* outside the repository is reported
    once, and not again for each of its paths.
    """
    start = normpath(directory)
    path = normpath(join("" if start.startswith(("..", "/")) else start, item.value or "."))
    pattern = path_pattern(path) if has_values else path
    # A value at the start of a name does not begin with a dot.
    named = f"_{pattern}" if path.startswith("$") else pattern
    return path if _is_sound(named, item, report, is_excluded=is_excluded) else None


def _is_sound(path: str, item: Located[str], report: Report, *, is_excluded: bool) -> bool:
    if is_outside(path) or item.value.startswith("/"):
        report.add(
            codes.PATH_OUTSIDE,
            f'"{item.value}" is outside the repository',
            at=item.span,
            hint="name a path in the repository",
        )
    elif path == "." or matches_internal_files(path, has_git=not is_excluded):
        is_of_pipegen = is_excluded or path.startswith(".pipegen")
        data = "the values that pipegen passes between stages" if is_of_pipegen else "the data of git"
        report.add(
            codes.INVALID_VALUE,
            f'"{item.value}" would {"exclude" if is_excluded else "include"} {data} in the checkout',
            at=item.span,
            hint="name files, or the folder that contains them",
        )
    elif not re.fullmatch(_PATTERN, path) or path != path.strip() or any(map(_is_mixed, path.split("/"))):
        report.add(
            codes.INVALID_VALUE,
            f'"{item.value}" is a path that engines read differently',
            at=item.span,
            hint='name a file or a folder, with "*" for any part of a name and "**" for any folders',
        )
    else:
        return True
    return False


def _is_mixed(step: str) -> bool:
    """Return whether *step* of a path combines `**` with other characters, which Ant and GitLab read differently."""
    return "**" in step and step != "**"


def chosen_sources(
    stage: StageConfig, available: AvailableFiles, inputs: Sequence[Output], report: Report
) -> tuple[str, ...] | None:
    """Return the stages of `files_from` that leave files; None if *stage* has no `files_from`.

    A combination gets those of the combinations that run before it, if some do.
    *inputs* are the outputs that the stage reads, whose files come with them.
    """
    if stage.files_from is None:
        return None
    chosen: set[str] = set()
    for written in map(Scalar.located, scalars_of(stage.files_from.node)):
        is_whole = (stage.within, written.value) in available.groups.members
        name = StageName.read(written, is_whole=is_whole)
        sources = _sources(name, stage, available, report)
        if sources is not None and stage.combination is not None:
            sources = tuple(source for source in sources if source in available.ancestors) or sources
        if sources is not None:
            _check_source(name, sources, stage, available, report, "files_from")
            chosen.update(sources)
    for producer in dict.fromkeys(output.stage for output in inputs):
        if producer in available.files and producer not in chosen:
            display_name = available.groups.stages[producer].display_name
            report.add(
                codes.MISSING_KEY,
                f'stage "{stage.display_name}" reads an output of "{display_name}", '
                "which brings the files of that stage with it",
                at=stage.files_from.span,
                hint=f'add "{display_name}" to "files_from"',
            )
    return tuple(sorted(chosen & available.files.keys(), key=available.files.__getitem__))


def child_generators(
    stage: StageConfig, available: AvailableFiles, paths: Callable[[str], Sequence[str | None]], report: Report
) -> Iterator[str]:
    """Yield the stages that generate files of the child pipeline that *stage* starts.

    *paths* returns those of the artifacts of a stage, None for a run-time value, and none if some are not known.
    """
    for file in stage.trigger.include if stage.trigger is not None else ():
        if file.stage is None:
            continue
        name, groups = StageName(file.stage.value, file.stage.span), available.groups
        sources = _sources(name, stage, available, report) or ()
        if groups.is_nested(name.value, stage):
            report.add(
                codes.INVALID_VALUE,
                f'stage "{name.value}" calls another pipeline, so it has no artifacts of its own',
                at=name.span,
                hint="start the child pipeline in the pipeline that generates its file",
            )
        elif any(_is_parallel(groups.stages[source]) for source in sources):
            report.add(
                codes.INVALID_VALUE,
                f'stage "{name.value}" is several jobs, and the file of a child pipeline is the artifact of one',
                at=name.span,
                hint="generate the file in a stage without a matrix",
            )
        else:
            _check_source(name, sources, stage, available, report, "include")
        if len(sources) == 1:
            _check_path(file.path, groups.stages[sources[0]], paths(sources[0]), report)
        yield from sources


def _is_parallel(stage: StageConfig) -> bool:
    """Return whether *stage* has a matrix, or more than one job of an engine by its raw keys."""
    if stage.combination is not None:
        return True
    engines = stage.raw.node.entries if stage.raw is not None and isinstance(stage.raw.node, Mapping) else ()
    return any(child(engine.value, "parallel") is not None for engine in engines)


def _check_path(file: Located[str], generator: StageConfig, paths: Sequence[str | None], report: Report) -> None:
    """Report *file* if it is not among the artifacts of *generator*, which have these *paths*."""
    known, path = [path for path in paths if path is not None], normpath(file.value)
    is_known = known and len(known) == len(paths) and not is_outside(path)
    if is_known and not any(matches(pattern, path) for pattern in known):
        similar = next((other for other in known if other.endswith(f"/{path}")), "")
        report.add(
            codes.INVALID_VALUE,
            f'stage "{generator.display_name}" has no artifact "{file.value}"',
            at=file.span,
            related=[Label(generator.name.span, f"its artifacts are {listed(known)}")],
            hint=f'write "{similar}", the path from the root of the repository'
            if similar
            else 'add the path to "artifacts" of that stage',
        )


def _sources(name: StageName, stage: StageConfig, available: AvailableFiles, report: Report) -> tuple[str, ...] | None:
    """Return the stages that *name* refers to in *stage*; for a called pipeline, its stages that leave files.

    None after an error in the brackets, which is reported.
    """
    groups, within = available.groups, f"{stage.within}{name.value}{INSIDE}"
    if groups.is_nested(name.value, stage):
        return tuple(source for source in available.files if groups.stages[source].name.value.startswith(within))
    if name.combinations is None:
        return groups.resolve(name.value, stage)
    members = [groups.stages[member] for member in groups.members.get((stage.within, name.value), ())]
    selected = selected_stages(name, members, report) if members else ()
    return tuple(source.name.value for source in selected) if selected or not members else None


def _check_source(
    name: StageName, sources: Sequence[str], stage: StageConfig, available: AvailableFiles, report: Report, key: str
) -> None:
    reader, groups = stage.display_name, available.groups
    if sources and all(
        source in available.ancestors and source in available.files and source not in available.final
        for source in sources
    ):
        return
    names = dict.fromkeys(
        source.display_name
        for candidate in available.files
        if candidate in available.ancestors and (source := groups.stages[candidate]).within == stage.within
    )
    candidates = tuple(names)
    if not sources and not groups.is_nested(name.value, stage):
        similar = {display_name: groups.first(display_name, stage) for display_name in candidates}
        report_unknown_stage(f'"{key}"', name, similar, _choice(candidates), report)
    elif final := [source for source in sources if source in available.final]:
        report.add(
            codes.READS_FINAL_STAGE,
            f'stage "{name.value}" runs after all others, so no stage can use its files',
            at=name.span,
            related=[Label(available.final[final[0]], "a finally stage")],
            hint=_choice(candidates),
        )
    elif any(source not in available.ancestors for source in sources):
        written = name.value if name.combinations is None else f"'{name.written}'"
        report.add(
            codes.NOT_AN_ANCESTOR,
            f'stage "{reader}" wants the files of "{name.written}", which does not run before it',
            at=name.span,
            related=[Label(groups.stages[sources[0]].name.span, "does not run before")],
            hint=f"add an arc that runs it first: [{written}, {reader}]",
        )
    elif all(source not in available.files for source in sources):
        label, remedy = _without_files(groups.stages[sources[0]]) if sources else (None, _REMEDY)
        report.add(
            codes.UNBOUND_NAME,
            f'stage "{name.written}" leaves no files',
            at=name.span,
            related=[label] if label is not None else [],
            hint=f"{_choice(candidates)}, or {remedy}" if candidates else remedy,
        )


def _without_files(source: StageConfig) -> tuple[Label, str]:
    """Return why *source* leaves no files, and how to change that."""
    if source.artifacts is None:
        return Label(source.name.span, 'has no "artifacts"'), _REMEDY
    label = Label(source.artifacts.span, "not for other stages: archived only after a failure, or empty")
    return label, 'name paths in its "artifacts", without "when: failure"'


def _choice(names: Sequence[str]) -> str:
    return f"stages before it that leave files are {listed(names)}" if names else 'add "artifacts" to a stage before it'
