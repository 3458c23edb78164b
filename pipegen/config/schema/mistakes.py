"""Common mistakes with their own messages.

Each function reports the mistakes that it knows among *violations*, and returns the others.
"""

from __future__ import annotations

import re
from itertools import groupby

from pipegen.config.flow import flow
from pipegen.config.schema.file import known_keys
from pipegen.config.schema.tree_paths import STAGE, TreePaths
from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Scalar, items_of

_Violations = tuple[Violation, ...]

# The file of a chart in a chart repository: name, version, and helm's extension.
_CHART_FILE = re.compile(r"(?P<name>.+?)-(?P<version>v?[0-9][^/]*?)\.tgz")


def name_as_key(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report stages whose only key is their name, with the keys of the stage below it."""
    named = [
        violation.path
        for violation in violations
        if violation.keyword == "required" and violation.key == "name" and tree_paths.pattern(violation.path) == STAGE
    ]
    for path in named:
        keys = tree_paths.keys(path)
        inner = set(tree_paths.keys((*path, keys[0]))) if len(keys) == 1 else set()
        is_step = keys and inner <= set(known_keys().get((*STAGE, keys[0]), ()))
        if is_step or not inner & set(known_keys()[STAGE]):
            continue
        report.add(
            codes.UNNAMED_STAGE,
            f'"{keys[0]}" is the name of a stage, not a key of it',
            at=tree_paths.key((*path, keys[0])),
            label="the keys of the stage are below it",
            hint=f'write "- name: {keys[0]}", and indent the lines below it like "name"',
        )
        violations = tuple(violation for violation in violations if violation.path[: len(path)] != path)
    return violations


def flat_execution(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report names directly in `execution` instead of in an arc, once for each pipeline."""
    names = tuple(violation for violation in violations if _is_flat_name(violation, tree_paths))
    for path, group in groupby(names, key=lambda violation: violation.path[:-1]):
        spans = [tree_paths.mark(violation.path) for violation in group]
        _report_flat(path, spans, tree_paths, report)
    return _without(violations, names)


def _is_flat_name(violation: Violation, tree_paths: TreePaths) -> bool:
    return (
        violation.keyword == "type"
        and tree_paths.pattern(violation.path) == ("pipelines", "*", "execution", 0)
        and isinstance(violation.value, str | int | float)
    )


def _report_flat(path: Path, spans: list[Span], tree_paths: TreePaths, report: Report) -> None:
    execution = tree_paths.node(path)
    items = items_of(execution)
    names = [span.text for span in spans]
    arcs = [re.split(r"\s*(?:->|→|>>)\s*", name) for name in names]
    if len(spans) == len(items):
        # Names with arrows between them are an arc each.
        arcs = arcs if all(len(arc) > 1 for arc in arcs) else [[name for arc in arcs for name in arc]]
        what = "one arc as a list" if len(arcs) == 1 else "each arc as a list"
        written = ", ".join([f"[{', '.join(arc)}]" for arc in arcs])
        hint = f'write {what} in the list: "execution: [{written}]"'
    else:
        hint = f'write each as a separate arc: "- [{names[0]}]"'
    is_one_line = spans[0].first.line == spans[-1].first.line
    report.add(
        codes.FLAT_EXECUTION,
        f'"execution" is a list of arcs, but "{names[0]}" is a name',
        at=spans[0].to(spans[-1]) if is_one_line else spans[0],
        label="an arc is a list of stage names",
        related=() if is_one_line else [Label(span) for span in spans[1:]],
        hint=hint,
    )


def unnamed_stage(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report stages without a name; a superfluous dash may have split a stage."""
    unnamed = tuple(
        violation
        for violation in violations
        if violation.keyword == "required" and violation.key == "name" and tree_paths.pattern(violation.path) == STAGE
    )
    for violation in unnamed:
        keys = tree_paths.keys(violation.path)
        previous_stage = _stage_before(violation.path, tree_paths)
        if previous_stage is None or not keys:
            report.add(
                codes.UNNAMED_STAGE,
                "a stage has no name",
                at=tree_paths.key(violation.path),
                label='"name" is missing here',
                hint='begin the stage with "- name: …"',
            )
        else:
            report.add(
                codes.UNNAMED_STAGE,
                f"a stage has no name; {tree_paths.title(previous_stage)} ends above it",
                at=tree_paths.key(violation.path),
                label="the dash before this begins a new stage",
                related=[Label(tree_paths.key(previous_stage), "may belong to this stage")],
                hint=f'remove the dash before "{keys[0]}" and align it with "name", '
                'or give the stage a name of its own: "- name: …"',
            )
    return _without(violations, unnamed)


def _stage_before(path: Path, tree_paths: TreePaths) -> Path | None:
    """Return the named stage before the one at *path*, if no stage from there on has the same keys."""
    keys = set(tree_paths.keys(path))
    position = int(path[-1])
    # A stage can be split into at most as many pieces as it has keys.
    for index in range(position - 1, max(position - 1 - len(known_keys()[STAGE]), -1), -1):
        candidate = (*path[:-1], index)
        candidate_keys = tree_paths.keys(candidate)
        if not candidate_keys or keys & set(candidate_keys):
            return None
        if "name" in candidate_keys:
            return candidate
        keys |= set(candidate_keys)
    return None


def chart_is_text(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report `deploy: {chart: URL}`."""
    charts = tuple(
        violation for violation in violations if _is_text_at(violation, (*STAGE, "deploy", "chart"), tree_paths)
    )
    for violation in charts:
        text = str(violation.value)
        is_url = "://" in text
        match = _CHART_FILE.fullmatch(text.rstrip("/").rpartition("/")[2])
        name = match["name"] if match else text.rstrip("/").rpartition("/")[2]
        version = f", version: {match['version']}" if match else ""
        report.add(
            codes.CHART_IS_TEXT,
            f'"chart" takes a map with a name, not {"a URL" if is_url else "text"}',
            at=tree_paths.mark(violation.path),
            label="the chart repository is a setting of the target" if is_url else "this is text",
            hint=f'write "chart: {{name: {name}{version}}}"',
        )
    return _without(violations, charts)


def run_is_text(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report `run: COMMAND`."""
    runs = tuple(violation for violation in violations if _is_text_at(violation, (*STAGE, "run"), tree_paths))
    for violation in runs:
        text = str(violation.value)
        arguments = ", ".join(word if re.fullmatch(r"[\w./=-]+", word) else repr(word) for word in text.split())
        if " " in text.strip() and "build" not in tree_paths.keys(violation.path[:-1]):
            hint = f'write "{flow({"script": [text]})[1:-1]}": "run" is the step that runs an image'
        elif _is_own_variant(violation.path, text, tree_paths):
            hint = f'write "run: true" to run the image that this stage builds from variant "{text}"'
        else:
            hint = f'write "run: true", or give the image arguments: "run: {{arguments: [{arguments}]}}"'
        report.add(
            codes.RUN_IS_TEXT,
            '"run" takes true, false or a map, not a command',
            at=tree_paths.mark(violation.path),
            label="the step runs the entry point of the image",
            hint=hint,
        )
    return _without(violations, runs)


def _is_text_at(violation: Violation, pattern: Path, tree_paths: TreePaths) -> bool:
    is_type = violation.keyword == "type" and isinstance(violation.value, str)
    return is_type and tree_paths.pattern(violation.path) == pattern


def _is_own_variant(path: Path, text: str, tree_paths: TreePaths) -> bool:
    """Return whether *text* is the variant that the stage of `run` at *path* builds, or the stage's name."""
    stage = path[:-1]
    values = [tree_paths.node((*stage, key)) for key in ("build", "name") if key in tree_paths.keys(stage)]
    return any(isinstance(value, Scalar) and value.text == text for value in values)


def _without(violations: _Violations, reported: _Violations) -> _Violations:
    known = set(reported)
    return tuple(violation for violation in violations if violation not in known)
