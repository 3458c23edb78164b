"""What the engine keeps of a stage: its artifacts, and how; its reports."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence

from pipegen.bindings.expression import Scope, Text
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.durations import seconds
from pipegen.plan.files.artifacts import sound_path
from pipegen.plan.model import (
    NO_REPORTS,
    PLAIN_RETENTION,
    Artifact,
    Coverage,
    CoverageFormat,
    Job,
    KeptWhen,
    Leave,
    ReportPath,
    Reports,
    Retention,
)
from pipegen.plan.values import StageValues
from pipegen.source.text import Located
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind
from pipegen.source.tree import Sequence as List
from pipegen.structs import Struct

_NEVER = "never"
_NAME = r"[^/\\\x00-\x1f\x7f]+"


class StageFiles(Struct, kw_only=True):
    """What a stage says of its files: those it leaves, how these are kept, and what of it is shown.

    *at_run_time* are those whose paths only the run knows.
    """

    artifacts: tuple[Artifact, ...]
    at_run_time: tuple[Leave, ...]
    retention: Retention
    reports: Reports


NOTHING_KEPT = StageFiles(artifacts=(), at_run_time=(), retention=PLAIN_RETENTION, reports=NO_REPORTS)


def kept(stage: StageConfig, directory: str, values: StageValues) -> StageFiles:
    """Return what the engine keeps of *stage*, which runs in *directory*; its paths are relative to the repository."""
    if stage.artifacts is None and stage.reports is None:
        return NOTHING_KEPT
    node = stage.artifacts.node if stage.artifacts else None
    body = node if isinstance(node, Mapping) else None
    when = KeptWhen(_word(body, "when", KeptWhen.SUCCESS.value))
    is_kept = _is_true(body.get("keep") if body else None)
    named = body.get("paths") if body else node
    texts = _texts(named, values)
    late = [text for _, text in texts if _is_late(text, when)]
    paths = _known([one for one in texts if not _is_late(one[1], when)], directory, values.report)
    return StageFiles(
        at_run_time=tuple(Leave(path=text, is_kept=is_kept, span=text.span) for text in late),
        artifacts=tuple(
            Artifact(
                path=path,
                span=item.span,
                is_declared=True,
                is_kept=is_kept,
                travels=when is not KeptWhen.FAILURE,
            )
            for path, item in paths.items()
        ),
        retention=Retention(
            exclude=tuple(_excluded(_paths(body.get("exclude") if body else None, directory, values))),
            name=_name(body.get("name") if body else None, values),
            expire=_expire(body.get("expire") if body else None, values.report),
            when=when,
            span=stage.artifacts.span if body and stage.artifacts else None,
        ),
        reports=_reports(stage, directory, values),
    )


def check_excluded(jobs: Iterable[Job], report: Report) -> None:
    """Report artifacts that take the place of other stages' files, and yet are not handed on whole."""
    for job in jobs:
        over = next((one for one in job.artifacts if one.is_declared and one.overwrites), None)
        if over is not None and job.retention.exclude:
            report.add(
                codes.CONFLICTING_FILES,
                f'stage "{job.stage}" leaves "{over.path}" in the place of an earlier stage\'s, which must be whole, '
                "and leaves out some of its files",
                at=over.span,
                hint='take "exclude" away, or leave the files at another path',
            )


def names_at_start(text: Text, what: str, report: Report) -> Text:
    """Return *text*, which engines must know before a stage starts; an output of a stage in it is reported."""
    for reference in text.references():
        if reference.scope in (Scope.OWN, Scope.STAGE):
            report.add(
                codes.VALUE_NOT_STATIC,
                f'{what} is made before the stage starts, and "{reference}" is not known by then',
                at=reference.span,
                hint="write it out, or use what is known from the start: ${setup.branch}, ${inputs.name}",
            )
    return text


def _is_late(path: Text, when: KeptWhen) -> bool:
    """Return whether the script itself can hand on what stands at *path*, which only the run knows.

    It cannot once it has failed, and takes no part of a path for a pattern.
    """
    if path.constant is not None or when is not KeptWhen.SUCCESS:
        return False
    return not any("*" in part for part in path.parts if isinstance(part, str))


def _paths(node: Node | None, directory: str, values: StageValues) -> dict[str, Located[str]]:
    """Return the paths of a list, or of one that stands alone, each once with the way it is written."""
    return _known(_texts(node, values), directory, values.report)


def _texts(node: Node | None, values: StageValues) -> list[tuple[Scalar, Text]]:
    """Return each path of *node* with what it says."""
    return [(item, values.as_text(values.value(item))) for item in _scalars(node)]


def _known(texts: Iterable[tuple[Scalar, Text]], directory: str, report: Report) -> dict[str, Located[str]]:
    """Return the paths that *texts* say; one that only the run knows is reported."""
    found: dict[str, Located[str]] = {}
    for item, text in texts:
        constant = text.constant
        if constant is None:
            report.add(
                codes.RUN_TIME_PATH,
                f'"{item.text}" is a path that only the run knows, and engines must know it before',
                at=item.span,
                hint="let the script copy the files to a path that is known, and name that one",
            )
            continue
        path = sound_path(Located(constant, item.span), directory, report)
        if path is not None:
            found.setdefault(path, Located(constant, item.span))
    return found


def _excluded(patterns: Iterable[str]) -> Iterator[str]:
    """Yield *patterns*, each also with what lies below it where it may be a folder: engines differ on that."""
    for pattern in patterns:
        yield pattern
        if "*" not in pattern.rpartition("/")[2]:
            yield f"{pattern}/**"


def _name(node: Node | None, values: StageValues) -> Text | None:
    if node is None:
        return None
    name = names_at_start(values.as_text(values.value(node)), "the name of an archive", values.report)
    if any(isinstance(part, str) and not re.fullmatch(_NAME, part) for part in name.parts):
        values.report.add(
            codes.INVALID_VALUE,
            "the name of an archive holds a slash or a line break",
            at=name.span,
            hint='use letters, digits, ".", "_" and "-"',
        )
    return name


def _expire(node: Node | None, report: Report) -> int | None:
    """Return after how many seconds artifacts go, 0 for never, None where the user says nothing."""
    if not isinstance(node, Scalar):
        return None
    return 0 if node.text == _NEVER else seconds(node, report)


def _reports(stage: StageConfig, directory: str, values: StageValues) -> Reports:
    body = stage.reports.node if stage.reports else None
    if not isinstance(body, Mapping):
        return Reports()
    return Reports(
        junit=tuple(_report_paths(body.get("junit"), directory, values)),
        coverage=_coverage(body, directory, values),
        codequality=tuple(_report_paths(body.get("codequality"), directory, values)),
        sarif=tuple(_report_paths(body.get("sarif"), directory, values)),
    )


def _report_paths(node: Node | None, directory: str, values: StageValues) -> Iterator[ReportPath]:
    for path, item in _paths(node, directory, values).items():
        yield ReportPath(path, item.span)


def _coverage(body: Mapping, directory: str, values: StageValues) -> Coverage | None:
    entry = body.entry("coverage")
    if entry is None:
        return None
    given = entry.value if isinstance(entry.value, Mapping) else None
    path = given.get("path") if given else entry.value
    percent = given.get("percent") if given else None
    return Coverage(
        path=next(iter(_paths(path, directory, values)), None),
        format=CoverageFormat(_word(given, "format", CoverageFormat.COBERTURA.value)),
        percent=_percent(percent, values.report) if isinstance(percent, Scalar) else None,
        span=entry.key.span,
    )


def _percent(node: Scalar, report: Report) -> str:
    """Return the regular expression of *node*, without slashes around it."""
    text = node.text
    pattern = text[1:-1] if len(text) > 1 and text.startswith("/") and text.endswith("/") else text
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        report.add(codes.INVALID_VALUE, f"no regular expression: {error}", at=node.span, hint="see RE2's syntax")
    if not pattern or re.search(r"[\r\n]", pattern):
        report.add(
            codes.INVALID_VALUE,
            "a regular expression must be one line that is not empty",
            at=node.span,
            hint='such as "TOTAL.*?([0-9.]+)%"',
        )
    return pattern


def _word(body: Mapping | None, key: str, default: str) -> str:
    node = body.get(key) if body else None
    return node.text if isinstance(node, Scalar) else default


def _is_true(node: Node | None) -> bool:
    return not (isinstance(node, Scalar) and node.kind is ScalarKind.BOOLEAN and node.value is False)


def _scalars(node: Node | None) -> tuple[Scalar, ...]:
    items: Sequence[Node] = node.items if isinstance(node, List) else () if node is None else (node,)
    return tuple(item for item in items if isinstance(item, Scalar))
