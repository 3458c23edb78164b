"""The artifacts and reports of a stage, and how long the engine keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipegen.bindings.expression import Scope, Text
from pipegen.config.model import RETENTION_OF_REPORTS, StageConfig, has_report_files
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.durations import seconds
from pipegen.plan.files.artifacts import checked_path
from pipegen.plan.model import (
    DEFAULT_RETENTION,
    NO_REPORTS,
    Artifact,
    ArtifactsWhen,
    Coverage,
    CoverageFormat,
    Job,
    Leave,
    ReportPath,
    Reports,
    Retention,
)
from pipegen.plan.model.retention import has_values, may_be_checkout, path_with_values
from pipegen.plan.regexes.subset import refused_by_re2
from pipegen.plan.values import StageValues
from pipegen.source.text import Located, Span
from pipegen.source.tree import Mapping, Node, Scalar, child, is_false, scalars_of, written_text
from pipegen.structs import Struct

_NEVER = "never"
_NAME = r"[^/\\\x00-\x1f\x7f]+"
_LINK = r"\w[-\w ]*"
_LONGEST_LINK = 100


class StageFiles(Struct, kw_only=True):
    """The artifacts of a stage, how they are retained, and its reports.

    *at_run_time* are artifacts whose paths are known only at run time.
    """

    artifacts: tuple[Artifact, ...]
    at_run_time: tuple[Leave, ...]
    retention: Retention
    reports: Reports


_NO_FILES = StageFiles(artifacts=(), at_run_time=(), retention=DEFAULT_RETENTION, reports=NO_REPORTS)


def stage_files(stage: StageConfig, directory: str, values: StageValues) -> StageFiles:
    """Return the artifacts and reports of *stage*, which runs in *directory*; paths are relative to the repository."""
    if stage.artifacts is None and stage.reports is None:
        return _NO_FILES
    node = stage.artifacts.node if stage.artifacts else None
    body = node if isinstance(node, Mapping) else None
    if body is not None and stage.artifacts is not None and body.get("paths") is None:
        _check_without_paths(body, stage, stage.artifacts.span, values.report)
    when = ArtifactsWhen(written_text(child(node, "when"), ArtifactsWhen.SUCCESS.value))
    is_kept = not is_false(child(node, "keep"))
    overlap = child(node, "overlap")
    patterns = body.get("paths") if body else node
    written = _texts(patterns, values)
    run_time_paths = [text for _, text in written if _is_known_at_run_time(text, when)]
    paths = _known([entry for entry in written if not _is_known_at_run_time(entry[1], when)], directory, values.report)
    return StageFiles(
        at_run_time=tuple(Leave(path=text, is_kept=is_kept, span=text.span) for text in run_time_paths),
        artifacts=tuple(
            Artifact(
                path=path,
                span=item.span,
                is_declared=True,
                is_kept=is_kept,
                travels=when is not ArtifactsWhen.FAILURE,
                is_folder=item.value.endswith("/") and "*" not in path,
                may_overlap=overlap is not None and not is_false(overlap),
            )
            for path, item in paths.items()
        ),
        retention=Retention(
            exclude=_excluded(child(node, "exclude"), directory, values),
            name=_name(child(node, "name"), values),
            expire=_expire(child(node, "expire"), values.report),
            when=when,
            access=_access(child(node, "access"), is_kept=is_kept, report=values.report),
            expose_as=_exposed(body, stage, values) if body else None,
            span=stage.artifacts.span if body and stage.artifacts else None,
        ),
        reports=_reports(stage, directory, values),
    )


def _check_without_paths(body: Mapping, stage: StageConfig, span: Span, report: Report) -> None:
    """Report that the `artifacts` of *stage*, whose value is *body*, have no paths, unless they are for its reports."""
    other = next((entry for entry in body.entries if entry.key.text not in RETENTION_OF_REPORTS), None)
    if other is None and stage.reports is not None and has_report_files(stage.reports.node):
        return
    report.add(
        codes.INVALID_VALUE,
        f'"artifacts" of stage "{stage.display_name}" have no "paths"',
        at=other.key.span if other is not None else span,
        hint='add "paths"'
        if other is not None
        else 'add "paths", or reports with files to the stage: "expire" and "access" apply to them, too',
    )


def check_replacements(jobs: Iterable[Job], report: Report) -> None:
    """Report artifacts that cannot replace files of an earlier stage: the script copies all files at constant paths."""
    for job in jobs:
        for artifact in job.artifacts:
            if not artifact.is_declared or not artifact.overwrites:
                continue
            if artifact.path is not None and has_values(artifact.path):
                reason, hint = "engines pass on such paths in their own order", "use another path"
            elif job.retention.exclude:
                reason, hint = '"exclude" omits some of its files', 'remove "exclude", or use another path'
            else:
                continue
            report.add(
                codes.CONFLICTING_FILES,
                f'stage "{job.stage}" leaves "{artifact.path}" in place of an earlier stage\'s, and {reason}',
                at=artifact.span,
                hint=hint,
            )


def known_at_start(text: Text, what: str, report: Report) -> Text:
    """Return *text*, which engines need before a stage starts; references to outputs of stages are reported."""
    for reference in text.references():
        if reference.scope in (Scope.OWN, Scope.STAGE):
            report.add(
                codes.VALUE_NOT_STATIC,
                f'{what} is needed before the stage starts, and "{reference}" is not known then',
                at=reference.span,
                hint="write it out, or use values known from the start: ${setup.branch}, ${inputs.name}",
            )
    return text


def _is_known_at_run_time(path: Text, when: ArtifactsWhen) -> bool:
    """Return whether the script itself can pass on the files at *path*, a run-time value.

    It cannot do so after a failure, and it does not treat any part of the path as a pattern.
    """
    if path.constant is not None or when is not ArtifactsWhen.SUCCESS:
        return False
    inserted = path_with_values(path)
    if inserted is not None and not may_be_checkout(inserted):
        return False
    return not any("*" in part for part in path.parts if isinstance(part, str))


def _paths(node: Node | None, directory: str, values: StageValues) -> dict[str, Located[str]]:
    """Return the valid paths of a list or a single value, each once with the user's text."""
    return _known(_texts(node, values), directory, values.report)


def _texts(node: Node | None, values: StageValues) -> list[tuple[Scalar, Text]]:
    """Return each path of *node* with its folded text."""
    return [(item, values.as_text(values.value(item))) for item in scalars_of(node)]


def _known(
    texts: Iterable[tuple[Scalar, Text]], directory: str, report: Report, *, is_excluded: bool = False
) -> dict[str, Located[str]]:
    """Return the paths of *texts*; those with values that engines do not insert are reported."""
    paths: dict[str, Located[str]] = {}
    for item, text in texts:
        constant = text.constant
        path = path_with_values(text) if constant is None else constant
        if path is None or may_be_checkout(path):
            reason = "known only at run time, and engines need it before"
            report.add(
                codes.RUN_TIME_PATH,
                f'"{item.text}" is {reason if path is None else "the whole checkout if the run has no such value"}',
                at=item.span,
                hint="let the script copy the files to a fixed path, and name that path"
                if path is None
                else "put the name of a folder before it, such as dist/",
            )
            continue
        located = Located(path, item.span)
        checked = checked_path(located, directory, report, has_values=constant is None, is_excluded=is_excluded)
        if checked is not None:
            paths.setdefault(checked, located)
    return paths


def _excluded(node: Node | None, directory: str, values: StageValues) -> tuple[str, ...]:
    """Return the patterns of *node*, each also with the files below it if it may be a folder: engines differ there."""
    patterns: dict[str, None] = {}
    for pattern in _known(_texts(node, values), directory, values.report, is_excluded=True):
        patterns[pattern] = None
        if "*" not in pattern.rpartition("/")[2]:
            patterns[f"{pattern}/**"] = None
    return tuple(patterns)


def _name(node: Node | None, values: StageValues) -> Text | None:
    if node is None:
        return None
    name = known_at_start(values.as_text(values.value(node)), "the name of an archive", values.report)
    if any(isinstance(part, str) and not re.fullmatch(_NAME, part) for part in name.parts):
        values.report.add(
            codes.INVALID_VALUE,
            "the name of an archive contains a slash, a backslash or a line break",
            at=name.span,
            hint='use letters, digits, ".", "_" and "-"',
        )
    return name


def _expire(node: Node | None, report: Report) -> int | None:
    """Return the seconds after which artifacts expire: 0 for never, None if not set."""
    if not isinstance(node, Scalar):
        return None
    return 0 if node.text == _NEVER else seconds(node, report)


def _access(node: Node | None, *, is_kept: bool, report: Report) -> str:
    """Return the role that can download the artifacts, "" for everyone."""
    if not isinstance(node, Scalar):
        return ""
    if not is_kept:
        report.add(
            codes.INVALID_VALUE,
            f'nobody can download the artifacts, so "access: {node.text}" has no effect',
            at=node.span,
            hint='remove "keep: false", or "access"',
        )
    return "" if node.text == "all" else node.text


def _exposed(body: Mapping, stage: StageConfig, values: StageValues) -> Located[str] | None:
    """Return the text of the link to the artifacts, with the conditions of GitLab's class `Entry::Artifacts`."""
    node = body.get("expose_as")
    if not isinstance(node, Scalar):
        return None
    if not re.fullmatch(_LINK, node.text, re.ASCII) or len(node.text) > _LONGEST_LINK:
        values.report.add(
            codes.INVALID_VALUE,
            "the text of a link to artifacts can contain only letters, digits, blanks, dashes and underscores",
            at=node.span,
            hint=f"use at most {_LONGEST_LINK} of them, and begin with a letter or a digit",
        )
    reports = stage.reports.node if stage.reports else None
    stored = (
        *scalars_of(body.get("paths")),
        *scalars_of(child(reports, "sarif")),
    )
    for item in stored:
        # https://docs.gitlab.com/ci/yaml/#artifactsexpose_as: nor are paths with variables displayed.
        if "*" in item.text or "${setup." in item.text:
            values.report.add(
                codes.INVALID_VALUE,
                f'artifacts with "expose_as" cannot have the path "{item.text}": a link needs a known path',
                at=item.span,
                related=[Label(node.span, "the link")],
                hint='name the file or the folder without "*" and setup values',
            )
    return node.located()


def _reports(stage: StageConfig, directory: str, values: StageValues) -> Reports:
    body = stage.reports.node if stage.reports else None
    if not isinstance(body, Mapping):
        return Reports()
    return Reports(
        coverage=_coverage(body, directory, values),
        paths=tuple(
            ReportPath(entry.key.text, path, item.span)
            for entry in body.entries
            if entry.key.text != "coverage"
            for path, item in _paths(entry.value, directory, values).items()
        ),
    )


def _coverage(body: Mapping, directory: str, values: StageValues) -> Coverage | None:
    entry = body.entry("coverage")
    if entry is None:
        return None
    path = entry.value.get("path") if isinstance(entry.value, Mapping) else entry.value
    percent = child(entry.value, "percent")
    return Coverage(
        path=next(iter(_paths(path, directory, values)), None),
        format=CoverageFormat(written_text(child(entry.value, "format"), CoverageFormat.COBERTURA.value)),
        percent=_percent(percent, values.report) if isinstance(percent, Scalar) else None,
        span=entry.key.span,
    )


def _percent(node: Scalar, report: Report) -> str:
    """Return the regular expression of *node*, without enclosing slashes."""
    text = node.text
    pattern = text[1:-1] if len(text) > 1 and text.startswith("/") and text.endswith("/") else text
    if reason := refused_by_re2(pattern):
        report.add(
            codes.INVALID_VALUE,
            f"GitLab searches the log with RE2, which refuses the expression: {reason}",
            at=node.span,
            hint="use the syntax of RE2: no lookahead or lookbehind, no backreferences, no possessive quantifiers",
        )
    if not pattern or re.search(r"[\r\n]", pattern):
        report.add(
            codes.INVALID_VALUE,
            "a regular expression must be one line that is not empty",
            at=node.span,
            hint='such as "TOTAL.*?([0-9.]+)%"',
        )
    return pattern
