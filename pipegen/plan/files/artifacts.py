"""The files that a stage says it leaves, and the stages whose files it wants."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from posixpath import join, normpath

from pipegen.bindings.groups import INSIDE, Groups
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.files.patterns import takes_too_much
from pipegen.plan.model import Output
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.source.text import Located, Span
from pipegen.source.tree import Scalar
from pipegen.source.tree import Sequence as List
from pipegen.structs import Struct, field

# Ant's and GitLab's patterns agree on `*` and `**`; what else means something to one of them cannot be said.
_PATTERN = r"[^?\[\]{}\\,!$'\"\x00-\x1f\x7f]+"


class AvailableFiles(Struct):
    """What a stage can choose files from.

    *groups* are the stages of the pipeline; *left* holds those that leave files, in an order that the arcs allow, and
    *final* the finally stages, which come after all of these.
    """

    groups: Groups
    left: Mapping[str, object]
    ancestors: Container[str]
    final: Mapping[str, Span] = field(default_factory=dict)


def sound_path(item: Located[str], directory: str, report: Report) -> str | None:
    """Return the path that *item* means to a stage that runs in *directory*, None where engines cannot keep it.

    What is wrong with it is reported.
    """
    path = normpath(join(directory, item.value or "."))
    return path if _is_sound(path, item, report) else None


def _is_sound(path: str, item: Located[str], report: Report) -> bool:
    if path == ".." or path.startswith("../") or item.value.startswith("/"):
        report.add(
            codes.PATH_OUTSIDE,
            f'"{item.value}" lies outside the repository',
            at=item.span,
            hint="name a path in the repository",
        )
    elif path == "." or takes_too_much(path):
        report.add(
            codes.INVALID_VALUE,
            f'"{item.value}" would take along what git keeps in the checkout',
            at=item.span,
            hint="name files, or the folder that they are in",
        )
    elif not re.fullmatch(_PATTERN, path) or path != path.strip() or any(map(_is_mixed, path.split("/"))):
        report.add(
            codes.INVALID_VALUE,
            f'"{item.value}" is no path that every engine reads alike',
            at=item.span,
            hint='name a file or a folder, with "*" for any part of a name and "**" for any folders',
        )
    else:
        return True
    return False


def _is_mixed(step: str) -> bool:
    """Return whether *step* of a path has `**` beside other characters, which Ant and GitLab read differently."""
    return "**" in step and step != "**"


def wanted_files(
    stage: StageConfig, offered: AvailableFiles, inputs: Sequence[Output], report: Report
) -> tuple[str, ...] | None:
    """Return the stages of `files_from` that leave files; None when *stage* says nothing of it.

    *inputs* are the outputs that the stage reads, whose files come with them.
    """
    if stage.files_from is None:
        return None
    names = _names(stage.files_from.node)
    for name in names:
        _check_source(name, stage, offered, report)
    chosen = {found for name in names for found in _sources(name.value, stage, offered)}
    for producer in dict.fromkeys(output.stage for output in inputs):
        if producer in offered.left and producer not in chosen:
            report.add(
                codes.MISSING_KEY,
                f'stage "{stage.said}" reads an output of "{(said := offered.groups.stages[producer].said)}", '
                "which brings the files of that stage with it",
                at=stage.files_from.span,
                hint=f'add "{said}" to "files_from"',
            )
    return tuple(name for name in offered.left if name in chosen)


def _sources(name: str, stage: StageConfig, offered: AvailableFiles) -> tuple[str, ...]:
    """Return the stages that *name* means in *stage*: of a pipeline in the place of one, those that leave files."""
    groups, within = offered.groups, f"{stage.within}{name}{INSIDE}"
    if groups.is_nested(name, stage):
        return tuple(one for one in offered.left if groups.stages[one].name.value.startswith(within))
    return groups.meant(name, stage)


def _check_source(name: Located[str], stage: StageConfig, offered: AvailableFiles, report: Report) -> None:
    reader, groups = stage.said, offered.groups
    meant = _sources(name.value, stage, offered)
    if meant and all(one in offered.ancestors and one in offered.left and one not in offered.final for one in meant):
        return
    near = dict.fromkeys(
        one.said
        for found in offered.left
        if found in offered.ancestors and (one := groups.stages[found]).within == stage.within
    )
    known = tuple(near)
    if not meant and not groups.is_nested(name.value, stage):
        others = {said: groups.first(said, stage) for said in known}
        report_unknown_stage('"files_from"', name, others, _choice(known), report)
    elif found_final := [one for one in meant if one in offered.final]:
        report.add(
            codes.READS_FINAL_STAGE,
            f'stage "{name.value}" runs after all others, so nobody can take its files',
            at=name.span,
            also=[Label(offered.final[found_final[0]], "a finally stage")],
            hint=_choice(known),
        )
    elif any(one not in offered.ancestors for one in meant):
        report.add(
            codes.NOT_AN_ANCESTOR,
            f'stage "{reader}" wants the files of "{name.value}", which does not run before it',
            at=name.span,
            also=[Label(groups.stages[meant[0]].name.span, "does not run before")],
            hint=f"add an arc that runs it first: [{name.value}, {reader}]",
        )
    elif all(one not in offered.left for one in meant):
        report.add(
            codes.UNBOUND_NAME,
            f'stage "{name.value}" leaves no files',
            at=name.span,
            also=[Label(groups.stages[meant[0]].name.span, 'has no "artifacts"')] if meant else [],
            hint=f'{_choice(known)}, or add "artifacts" to that stage' if known else 'add "artifacts" to that stage',
        )


def _choice(known: Sequence[str]) -> str:
    return f"stages before it that leave files are {listed(known)}" if known else 'add "artifacts" to a stage before it'


def _names(node: object) -> tuple[Located[str], ...]:
    return tuple(item.located() for item in node.items if isinstance(item, Scalar)) if isinstance(node, List) else ()
