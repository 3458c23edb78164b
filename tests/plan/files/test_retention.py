"""Retention of artifacts, and reports."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, plan_of, shown, wrong

from pipegen.plan.model import ArtifactsWhen, Coverage, CoverageFormat, Reports, Retention

# More nested groups than Python supports.
DEEP = "(" * 5_000 + "a" + ")" * 5_000


def test_a_list_is_a_map_of_paths() -> None:
    """Other settings have their defaults."""
    listed, mapped = (
        job_of(f"{{name: s, script: x, artifacts: {text}}}") for text in ("[a, b/]", "{paths: [a, b/], keep: true}")
    )

    assert (listed.artifacts, listed.retention) == (mapped.artifacts, Retention())


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("exclude: [a/b, 'c/*.map', '**/d']", {"exclude": ("a/b", "a/b/**", "c/*.map", "**/d", "**/d/**")}),
        ("exclude: [x], paths: [y]", {"exclude": ("x", "x/**")}),
        (
            "exclude: [.git/, '.g*/x', '**/.git/**']",
            {"exclude": (".git", ".git/**", ".g*/x", ".g*/x/**", "**/.git/**")},
        ),
        ("exclude: [x, 'x/**'], paths: [y]", {"exclude": ("x", "x/**")}),
        ("expire: never", {"expire": 0}),
        ("expire: 7 days", {"expire": 604_800}),
        ("expire: 90", {"expire": 90}),
        ("when: always", {"when": ArtifactsWhen.ALWAYS}),
        ("access: all", {"access": ""}),
        ("access: developer", {"access": "developer"}),
        ("when: failure", {"when": ArtifactsWhen.FAILURE}),
    ],
)
def test_artifact_settings_are_resolved(keys: str, expected: dict[str, object]) -> None:
    """Each key; an excluded folder excludes all files in it."""
    text = keys if "paths" in keys else f"paths: [p], {keys}"
    retention = job_of(f"{{name: s, script: x, artifacts: {{{text}}}}}").retention

    assert {name: getattr(retention, name) for name in expected} == expected


def test_paths_contain_setup_values() -> None:
    """In artifacts, exclusions and reports, also with a pattern, and for failed stages."""
    job = job_of(
        "{name: s, directory: d, script: x, artifacts: {paths: ['a-${setup.tag}/*', '${setup.commit}/'], "
        "exclude: ['${setup.project}/b'], when: always}, reports: {junit: '${setup.shortCommit}.xml'}}"
    )

    assert [artifact.path for artifact in job.artifacts] == ["d/a-${setup.tag}/*", "d/${setup.commit}"]
    assert job.retention.exclude == ("d/${setup.project}/b", "d/${setup.project}/b/**")
    assert [report.path for report in job.reports.paths] == ["d/${setup.shortCommit}.xml"]


@pytest.mark.parametrize("path", ["${setup.branch}/", "${setup.tag|none}/", "a-${setup.run}", "$$-${setup.commit}"])
def test_other_values_are_known_at_run_time(path: str) -> None:
    """A branch may contain wildcards, and engines do not know the others."""
    job = job_of(f"{{name: s, script: x, artifacts: ['{path}']}}")

    assert [artifact.path for artifact in job.artifacts] == [None]


@pytest.mark.parametrize("path", ["${setup.tag}", "./${setup.changeRequest}/*", ".${setup.tag}./a", "${setup.tag}*"])
def test_a_path_is_never_the_whole_checkout(path: str) -> None:
    """A tag is empty in runs for branches."""
    assert wrong(f"[{{name: s, script: x, artifacts: {{paths: ['{path}'], when: always}}}}]") == [
        ("PG540", f"'{path}'")
    ]


def test_reports_are_retained_without_paths() -> None:
    """They have an expiry and an access of their own."""
    job = job_of("{name: s, script: x, artifacts: {expire: 1 day, access: developer}, reports: {junit: r.xml}}")

    assert (job.artifacts, job.retention.expire, job.retention.access) == ((), 86_400, "developer")


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        ("artifacts: {expire: 1 day}", "artifacts"),
        ("artifacts: {expire: 1 day, when: always}, reports: {junit: r.xml}", "when"),
    ],
)
def test_other_settings_need_paths(keys: str, at: str) -> None:
    """A stage without reports has nothing to retain."""
    assert wrong(f"[{{name: s, script: [x], {keys}}}]") == [("PG204", at)]


def test_a_name_may_contain_values_known_from_the_start() -> None:
    """The engine expands it."""
    retention = job_of("{name: s, script: x, artifacts: {paths: [p], name: 'a-${setup.commit}'}}").retention

    assert shown(retention.name) == "a-<setup setup.commit>"


def test_artifacts_with_keep_false_reach_later_stages() -> None:
    """Artifacts retained only on failure do not."""
    plan = plan_of(
        "[{name: a, script: x, artifacts: {paths: [p], keep: false}},"
        " {name: b, script: x, artifacts: {paths: [q], when: failure}}, {name: c, script: x}]"
    )
    (artifact,), (other,) = plan.job("a").artifacts, plan.job("b").artifacts

    assert (artifact.is_kept, artifact.travels, other.is_kept, other.travels) == (False, True, True, False)
    assert plan.job("c").files == ("a",)


def test_files_for_people_cannot_be_read_by_stages() -> None:
    """Nor do they conflict with those of others."""
    stages = "[{name: b, script: x, artifacts: {paths: [q], when: failure}}, {name: c, script: x, files_from: [b]}]"

    assert wrong(stages) == [("PG307", "b")]
    assert (
        wrong("[{name: a, script: x, artifacts: {paths: [q], when: failure}}, {name: b, script: x, artifacts: [q]}]")
        == []
    )


def test_reports_are_relative_to_the_repository() -> None:
    """A single path is a list of one."""
    reports = job_of(
        "{name: s, directory: d, script: x,"
        " reports: {junit: a.xml, codequality: [b.json, ../c.json], sarif: '*.sarif', metrics: m.txt}}"
    ).reports

    assert {kind: [report.path for report in paths] for kind, paths in reports.by_kind().items()} == {
        "junit": ["d/a.xml"],
        "codequality": ["d/b.json", "c.json"],
        "sarif": ["d/*.sarif"],
        "metrics": ["d/m.txt"],
    }


@pytest.mark.parametrize(
    ("text", "path", "form", "percent"),
    [
        ("c.xml", "c.xml", CoverageFormat.COBERTURA, None),
        ("{path: c.xml, format: jacoco}", "c.xml", CoverageFormat.JACOCO, None),
        ("{percent: '[0-9]+%'}", None, CoverageFormat.COBERTURA, "[0-9]+%"),
        ("{percent: '/[0-9]+%/'}", None, CoverageFormat.COBERTURA, "[0-9]+%"),
        ("{percent: '[[a]x]'}", None, CoverageFormat.COBERTURA, "[[a]x]"),
    ],
)
def test_coverage_has_a_file_a_log_pattern_or_both(
    text: str, path: str | None, form: CoverageFormat, percent: str | None
) -> None:
    """Enclosing slashes are not part of the pattern."""
    reports = job_of(f"{{name: s, script: x, reports: {{coverage: {text}}}}}").reports
    span = reports.coverage.span if reports.coverage else None

    assert span is not None
    assert reports == Reports(coverage=Coverage(path=path, format=form, percent=percent, span=span))


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("artifacts: {paths: ['${.v}*']}", [("PG540", "'${.v}*'")]),
        ("artifacts: {paths: ['${.v}'], when: always}", [("PG540", "'${.v}'")]),
        ("artifacts: {paths: [a], exclude: ['${.v}']}", [("PG540", "'${.v}'")]),
        ("artifacts: {paths: ['$${setup.commit}']}", [("PG204", "'$${setup.commit}'")]),
        ("artifacts: {paths: ['.${setup.commit}/']}", [("PG204", "'.${setup.commit}/'")]),
        ("artifacts: {paths: ['${setup.commit}?']}", [("PG204", "'${setup.commit}?'")]),
        ("artifacts: {paths: [a], name: '${.v}'}", [("PG541", "${.v}")]),
        ("artifacts: {paths: [a], name: a/b}", [("PG204", "a/b")]),
        ("artifacts: {paths: [a], exclude: [../x]}", [("PG505", "../x")]),
        ("artifacts: {paths: [a], exclude: ['**']}", [("PG204", "'**'")]),
        ("artifacts: {paths: [a], exclude: [.pipegen/outputs]}", [("PG204", ".pipegen/outputs")]),
        ("reports: {junit: ../x}", [("PG505", "../x")]),
        ("reports: {junit: 'a,b'}", [("PG204", "'a,b'")]),
        ("reports: {coverage: {percent: '('}}", [("PG204", "'('")]),
        ("reports: {coverage: {percent: 'a{99999999999}'}}", [("PG204", "'a{99999999999}'")]),
        ("reports: {coverage: {percent: '/(?<=TOTAL).*/'}}", [("PG204", "'/(?<=TOTAL).*/'")]),
        (f"reports: {{coverage: {{percent: '{DEEP}'}}}}", [("PG204", f"'{DEEP}'")]),
        ("artifacts: {paths: [a], expire: 0s}", [("PG204", "0s")]),
        ("artifacts: {paths: [a], keep: false, access: developer}", [("PG204", "developer")]),
        ("artifacts: {paths: [a], expose_as: a/b}", [("PG204", "a/b")]),
        (f"artifacts: {{paths: [a], expose_as: {'a' * 101}}}", [("PG204", "a" * 101)]),
        ("artifacts: {paths: [a, '*.b'], expose_as: a}", [("PG204", "'*.b'")]),
        ("artifacts: {paths: ['a-${setup.tag}'], expose_as: a}", [("PG204", "'a-${setup.tag}'")]),
    ],
)
def test_invalid_artifacts_are_reported(keys: str, expected: list[tuple[str, str]]) -> None:
    """At the location of the error."""
    assert wrong(f"[{{name: s, script: x, outputs: [v], {keys}}}]") == expected
