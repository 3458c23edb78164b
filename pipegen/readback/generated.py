"""Reading of the order in an engine's file, with diagnostics for unsupported content."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.readback import gitlab, jenkins
from pipegen.readback.engines import FileEngine
from pipegen.readback.errors import UnknownDriverError, UnreadableError
from pipegen.source.enclosure import content
from pipegen.source.text import SourceFile, Span
from pipegen.structs import Struct

# A file with many rules may have many gaps; these are enough to understand the problem.
_MOST_GAPS = 8
# More than GitLab accepts in one file: https://docs.gitlab.com/administration/instance_limits/
_LARGEST = 10 * 1024 * 1024
_FILE_KINDS = {FileEngine.JENKINS: "Jenkinsfile", FileEngine.GITLAB: "file for GitLab"}


class Reading(Struct):
    """The order in a file: *form* is its style, *graph* has only direct waits.

    *reason* says why the event of a run starts no job, "" if there is no such reason.
    """

    file: SourceFile
    engine: FileEngine
    form: str
    graph: ExecutionGraph
    reason: str = ""


def read(file: SourceFile, engine: FileEngine, report: Report) -> Reading | None:
    """Return the order in *file*, None if it is unknown; child pipelines of a GitLab file are read from disk."""
    try:
        if engine is FileEngine.JENKINS:
            style, graph = jenkins.read(file.text)
            return Reading(file, engine, style.value, graph.transitive_reduction())
        graph, gaps = gitlab.read(file.text, _children_of(file))
    except UnreadableError as error:
        _report(error, file, engine, report)
        return None
    except RecursionError:
        _report(UnreadableError("it is nested too deeply"), file, engine, report)
        return None
    for gap in gaps[:_MOST_GAPS]:
        report.add(
            codes.ORDER_DEPENDS_ON_RULES,
            gitlab.gap_message(gap),
            at=Span(file, *gitlab.offsets_of(file.text, (gap.later,))),
            hint=f'let it need "{gap.earlier}" as well, with "optional: true" if rules may drop that too',
        )
    return Reading(file, engine, "needs", graph.transitive_reduction())


def _report(error: UnreadableError, file: SourceFile, engine: FileEngine, report: Report) -> None:
    if isinstance(error, UnknownDriverError):
        report.add(
            codes.UNKNOWN_DRIVER,
            str(error),
            at=Span(file, error.start, error.end),
            hint="compile the config again: only the driver that this version generates is supported",
        )
        return
    reported_file = _child(file, error.path) if error.path else file
    report.add(
        codes.UNREADABLE_ORDER,
        f"cannot determine the order in this {_FILE_KINDS[engine]}: {error}",
        at=Span(reported_file, error.start, error.end),
        hint=_HINTS[engine],
    )


_HINTS = {
    FileEngine.JENKINS: (
        'supported are a declarative "pipeline" with named stages, and a script that pipegen generated'
    ),
    FileEngine.GITLAB: ('supported is a file with all of its jobs, and child pipelines that it includes with "local"'),
}


def _children_of(file: SourceFile) -> Callable[[str], str | None]:
    def text(path: str) -> str | None:
        data = _child_content(file, path)
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError as error:
            raise UnreadableError(f'the file "{path}" is not valid UTF-8') from error

    return text


def _child(file: SourceFile, path: str) -> SourceFile:
    text = (_child_content(file, path) or b"").decode(errors="replace")
    folder = file.path.rpartition("/")[0]
    return SourceFile(f"{folder}/{path}" if folder else path, text)


def _child_content(file: SourceFile, path: str) -> bytes | None:
    """Return the content of a child pipeline's file *path*, which must be below the root of the repository."""
    if file.absolute_path is None or "\0" in path:
        return None
    folder_of_file = file.absolute_path.parent
    depth = len(file.folder.split("/")) if file.folder else 0
    root = file.absolute_path.parents[depth]
    paths = (Path(os.path.normpath(base / path.lstrip("/"))) for base in (folder_of_file, root))
    contents = (content(path_, _LARGEST + 1, within=root) for path_ in paths if path_.is_relative_to(root))
    return next((data for data in contents if data is not None and len(data) <= _LARGEST), None)
