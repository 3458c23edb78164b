"""The files that a stage says it leaves, and the stages whose files it wants."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from posixpath import join, normpath

from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, near_miss
from pipegen.plan.model import Artifact, Output
from pipegen.source.text import Located
from pipegen.source.tree import Scalar
from pipegen.source.tree import Sequence as List

# Ant's and GitLab's patterns agree on `*` and `**`; what else means something to one of them cannot be said.
_PATTERN = re.compile(r"[^?\[\]{}\\,!$'\"\x00-\x1f\x7f]+")


def declared_artifacts(stage: Stage, directory: str, report: Report) -> tuple[Artifact, ...]:
    """Return the `artifacts` of *stage*, which runs in *directory*; people may download them too."""
    found: dict[str, Artifact] = {}
    for item in _names(stage.artifacts.node if stage.artifacts else None):
        path = normpath(join(directory, item.value or "."))
        if path == ".." or path.startswith("../") or item.value.startswith("/"):
            report.add(
                codes.PATH_OUTSIDE,
                f'"{item.value}" lies outside the repository',
                at=item.span,
                hint="name a path below the directory of the stage",
            )
        elif path == "." or not _PATTERN.fullmatch(path):
            report.add(
                codes.INVALID_VALUE,
                f'"{item.value}" is no path that every engine reads alike',
                at=item.span,
                hint='name a file or a folder, with "*" and "**" for any names',
            )
        else:
            found.setdefault(path, Artifact(path=path, span=item.span, is_kept=True))
    return tuple(found.values())


def wanted_files(
    stage: Stage, left: Mapping[str, object], ancestors: Container[str], inputs: Sequence[Output], report: Report
) -> tuple[str, ...] | None:
    """Return the stages of `files_from` that leave files; None when *stage* says nothing of it.

    *left* holds the stages that leave files; *inputs* are the outputs that the stage reads, whose files come with them.
    """
    if stage.files_from is None:
        return None
    names = _names(stage.files_from.node)
    for name in names:
        _check_source(name, stage, left, ancestors, report)
    chosen = {name.value for name in names}
    for output in inputs:
        if output.stage in left and output.stage not in chosen:
            report.add(
                codes.MISSING_KEY,
                f'stage "{stage.name.value}" reads "{output}", which brings the files of "{output.stage}" with it',
                at=stage.files_from.span,
                hint=f'add "{output.stage}" to "files_from"',
            )
    return tuple(name for name in left if name in chosen)


def _check_source(
    name: Located[str], stage: Stage, left: Mapping[str, object], ancestors: Container[str], report: Report
) -> None:
    if name.value not in ancestors:
        found = near_miss(name.value, [one for one in left if one in ancestors])
        report.add(
            codes.NOT_AN_ANCESTOR,
            f'stage "{stage.name.value}" wants the files of "{name.value}", which does not run before it',
            at=name.span,
            hint=f'write "{found}"' if found else f"add an arc that runs it first: [{name.value}, {stage.name.value}]",
        )
    elif name.value not in left:
        report.add(
            codes.UNBOUND_NAME,
            f'stage "{name.value}" leaves no files',
            at=name.span,
            also=[Label(stage.name.span)],
            hint=f"stages that leave files are {listed(list(left))}" if left else 'add "artifacts" to that stage',
        )


def _names(node: object) -> tuple[Located[str], ...]:
    return tuple(item.located() for item in node.items if isinstance(item, Scalar)) if isinstance(node, List) else ()
