"""Mistakes that people make often enough to be told in words of their own.

Each function reports the mistakes that it knows among *violations*, and returns the others.
"""

from __future__ import annotations

import re
from itertools import groupby

from pipegen.config.schema.file import known_keys
from pipegen.config.schema.places import STAGE, TreePaths
from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Scalar, Sequence

_Violations = tuple[Violation, ...]

# A chart's file in a chart repository: name, version, and the end that helm gives it.
_CHART_FILE = re.compile(r"(?P<name>.+?)-(?P<version>v?[0-9][^/]*?)\.tgz")


def flat_execution(violations: _Violations, places: TreePaths, report: Report) -> _Violations:
    """Report names that stand in `execution` itself instead of in an arc, once for each pipeline."""
    names = tuple(violation for violation in violations if _is_flat_name(violation, places))
    for path, group in groupby(names, key=lambda violation: violation.path[:-1]):
        spans = [places.mark(violation.path) for violation in group]
        _report_flat(path, spans, places, report)
    return _without(violations, names)


def _is_flat_name(violation: Violation, places: TreePaths) -> bool:
    return (
        violation.keyword == "type"
        and places.pattern(violation.path) == ("pipelines", "*", "execution", 0)
        and isinstance(violation.value, str | int | float)
    )


def _report_flat(path: Path, spans: list[Span], places: TreePaths, report: Report) -> None:
    execution = places.node(path)
    items = execution.items if isinstance(execution, Sequence) else ()
    words = [span.text for span in spans]
    if len(spans) == len(items):
        hint = f'make it one arc, a list in the list: "execution: [[{", ".join(words)}]]"'
    else:
        hint = f'make each an arc of its own: "- [{words[0]}]"'
    is_one_line = spans[0].first.line == spans[-1].first.line
    report.add(
        codes.FLAT_EXECUTION,
        f'"execution" is a list of arcs; "{words[0]}" stands in none',
        at=spans[0].to(spans[-1]) if is_one_line else spans[0],
        label="an arc is a list of stage names",
        also=() if is_one_line else [Label(span) for span in spans[1:]],
        hint=hint,
    )


def unnamed_stage(violations: _Violations, places: TreePaths, report: Report) -> _Violations:
    """Report stages without a name; a dash too many splits a stage in two."""
    unnamed = tuple(
        violation
        for violation in violations
        if violation.keyword == "required" and violation.key == "name" and places.pattern(violation.path) == STAGE
    )
    for violation in unnamed:
        keys = places.keys(violation.path)
        before = _stage_before(violation.path, places)
        if before is None or not keys:
            report.add(
                codes.UNNAMED_STAGE,
                "a stage has no name",
                at=places.key(violation.path),
                label='"name" is missing here',
                hint='begin the stage with "- name: …"',
            )
        else:
            report.add(
                codes.UNNAMED_STAGE,
                f"a stage has no name; {places.title(before)} ends above it",
                at=places.key(violation.path),
                label="the dash in front of this begins a new stage",
                also=[Label(places.key(before), "perhaps it belongs to this one")],
                hint=f'remove the dash in front of "{keys[0]}" and align it with "name", '
                'or give the stage a name of its own: "- name: …"',
            )
    return _without(violations, unnamed)


def _stage_before(path: Path, places: TreePaths) -> Path | None:
    """Return the named stage before the one at *path*, if it and what lies between lack the stage's keys."""
    keys = set(places.keys(path))
    position = int(path[-1])
    # A stage has no more pieces than keys.
    for index in range(position - 1, max(position - 1 - len(known_keys()[STAGE]), -1), -1):
        before = (*path[:-1], index)
        others = places.keys(before)
        if not others or keys & set(others):
            return None
        if "name" in others:
            return before
        keys |= set(others)
    return None


def chart_is_text(violations: _Violations, places: TreePaths, report: Report) -> _Violations:
    """Report `deploy: {chart: URL}`."""
    charts = tuple(violation for violation in violations if _is_text_at(violation, (*STAGE, "deploy", "chart"), places))
    for violation in charts:
        text = str(violation.value)
        is_url = "://" in text
        found = _CHART_FILE.fullmatch(text.rstrip("/").rpartition("/")[2])
        name = found["name"] if found else text.rstrip("/").rpartition("/")[2]
        version = f", version: {found['version']}" if found else ""
        report.add(
            codes.CHART_IS_TEXT,
            f'"chart" takes a map with a name, not {"a URL" if is_url else "text"}',
            at=places.mark(violation.path),
            label="where charts come from is a setting of the target" if is_url else "this is text",
            hint=f'write "chart: {{name: {name}{version}}}"',
        )
    return _without(violations, charts)


def run_is_text(violations: _Violations, places: TreePaths, report: Report) -> _Violations:
    """Report `run: COMMAND`."""
    runs = tuple(violation for violation in violations if _is_text_at(violation, (*STAGE, "run"), places))
    for violation in runs:
        text = str(violation.value)
        arguments = ", ".join(word if re.fullmatch(r"[\w./=-]+", word) else repr(word) for word in text.split())
        if _is_own_variant(violation.path, text, places):
            hint = f'write "run: true" to run the image that this stage builds from the variant "{text}"'
        else:
            hint = f'write "run: true", or give the image arguments: "run: {{arguments: [{arguments}]}}"'
        report.add(
            codes.RUN_IS_TEXT,
            '"run" takes true, false or a map, not a command',
            at=places.mark(violation.path),
            label="the image's entry point is what runs",
            hint=hint,
        )
    return _without(violations, runs)


def _is_text_at(violation: Violation, pattern: Path, places: TreePaths) -> bool:
    is_type = violation.keyword == "type" and isinstance(violation.value, str)
    return is_type and places.pattern(violation.path) == pattern


def _is_own_variant(path: Path, text: str, places: TreePaths) -> bool:
    """Return whether *text* is what the stage of `run` at *path* builds, or its name."""
    stage = path[:-1]
    values = [places.node((*stage, key)) for key in ("build", "name") if key in places.keys(stage)]
    return any(isinstance(value, Scalar) and value.text == text for value in values)


def _without(violations: _Violations, told: _Violations) -> _Violations:
    known = set(told)
    return tuple(violation for violation in violations if violation not in known)
