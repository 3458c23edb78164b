"""Artifacts that stages declare, and the stages whose files they choose."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, plan_of, wrong

from pipegen.plan.files.patterns import PatternIndex, matches, matches_internal_files


@pytest.mark.parametrize(
    ("stage", "paths"),
    [
        ("artifacts: [dist/, report.xml]", ["dist", "report.xml"]),
        ("artifacts: [./a, a/, a/../a]", ["a"]),
        ("artifacts: [a, ../b], directory: sub", ["sub/a", "b"]),
        ("artifacts: ['*.xml', 'a/**/b*', '**/*.whl', '.config/x']", ["*.xml", "a/**/b*", "**/*.whl", ".config/x"]),
        ("artifacts: ['*'], directory: sub", ["sub/*"]),
        ("artifacts: []", []),
    ],
)
def test_paths_are_relative_to_the_checkout(stage: str, paths: list[str]) -> None:
    """Each path once; people can download the files."""
    artifacts = job_of(f"{{name: s, script: x, {stage}}}").artifacts

    assert [artifact.path for artifact in artifacts] == paths
    assert all(artifact.is_kept for artifact in artifacts)


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x"])
def test_a_path_outside_the_repository_is_reported(path: str) -> None:
    """A path outside the stage's directory but in the repository is valid."""
    assert wrong(f"[{{name: s, script: x, artifacts: ['{path}']}}]") == [("PG505", f"'{path}'")]


@pytest.mark.parametrize(
    "path", [".", "", "*", "**", "**/*", ".git", ".g*/x", ".pipegen/x", "a,b", "a?", "[a]", "a**", "**a/b", " a", "a$b"]
)
def test_a_path_that_engines_read_differently_is_reported(path: str) -> None:
    """Paths that match git's internal files are also reported."""
    expected = [] if path == ".g*/x" else ["PG204"]

    assert [code for code, _ in wrong(f"[{{name: s, script: x, artifacts: ['{path}']}}]")] == expected


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        *(("a", "a", True), ("a", "a/b", True), ("a", "ab", False), ("a/b", "a", False)),
        *(("*.xml", "a.xml", True), ("*.xml", "a/b.xml", False), ("*", ".a", True), ("a*c", "abc", True)),
        *(("**/b", "b", True), ("**/b", "a/a/b", True), ("**/b", "a/c", False), ("a/**", "a/b/c", True)),
        *(("a/**/c", "a/c", True), ("a/**/c", "a/b/b/c/d", True), ("a/**/c", "b/c", False), ("x.y", "xzy", False)),
    ],
)
def test_patterns_match_paths(pattern: str, path: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """A folder includes all files below it."""
    assert matches(pattern, path) is expected
    assert list(PatternIndex([pattern]).matching(path)) == [pattern] * expected


@pytest.mark.parametrize(
    ("pattern", "expected"), [("**", True), (".git/HEAD", True), ("**/*.xml", False), ("dist/**", False)]
)
def test_patterns_that_match_internal_files_are_detected(pattern: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """Files of git and of pipegen."""
    assert matches_internal_files(pattern, has_git=True) is expected


def stage(name: str, *keys: str) -> str:
    """Return a stage with a script and more keys."""
    return f"{{{', '.join((f'name: {name}', 'script: x', *keys))}}}"


def stages(*written: str) -> str:
    """Return a list of stages."""
    return f"[{', '.join(written)}]"


def test_a_script_gets_the_files_of_all_ancestors() -> None:
    """It gets no files of other stages."""
    plan = plan_of(stages(stage("a", "artifacts: [a]"), stage("b", "artifacts: [b]"), stage("c")), "[[a, c], [b]]")

    assert plan.job("c").files == ("a",)


@pytest.mark.parametrize(("chosen", "files"), [("[]", ()), ("[b]", ("b",)), ("[b, a]", ("a", "b"))])
def test_files_from_selects_the_stages_to_read(chosen: str, files: tuple[str, ...]) -> None:
    """They are in the order of the graph."""
    plan = plan_of(
        stages(stage("a", "artifacts: [a]"), stage("b", "artifacts: [b]"), stage("c", f"files_from: {chosen}"))
    )

    assert plan.job("c").files == files


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("files_from: [zzz]", ("PG301", "zzz")),
        ("files_from: [last]", ("PG306", "last")),
        ("files_from: [s]", ("PG306", "s")),
        ("files_from: [none]", ("PG307", "none")),
        ("files_from: [], env: {A: '${a.v}'}", ("PG203", "files_from")),
    ],
)
def test_unavailable_files_are_reported(reader: str, expected: tuple[str, str]) -> None:
    """The label is at the stage's name, or at the key that lacks it."""
    written = stages(
        stage("a", "artifacts: [a]", "outputs: [v]"), stage("none"), stage("s", reader), stage("last", "artifacts: [l]")
    )

    assert wrong(written) == [expected]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("{artifact: a/b.yml, stage: a}", []),
        ("{artifact: ./a/b.yml, stage: a}", []),
        ("{artifact: d.yml, stage: jobs}", [("PG204", "jobs")]),
        ("{artifact: a/b.yml, stage: 'several[m=x]'}", [("PG301", "'several[m=x]'")]),
        ("{artifact: c.yml, stage: raw}", []),
        ("{artifact: b.yml, stage: a}", [("PG204", "b.yml")]),
        ("{artifact: a/b.yml, stage: zzz}", [("PG301", "zzz")]),
        ("{artifact: l.yml, stage: last}", [("PG306", "last")]),
        ("{artifact: n.yml, stage: none}", [("PG307", "none")]),
        ("{artifact: x/m.yml, stage: several}", [("PG204", "several")]),
        ("{artifact: ../b.yml, stage: a}", [("PG204", "../b.yml")]),
    ],
)
def test_the_file_of_a_child_pipeline_is_an_artifact_of_an_earlier_stage(
    file: str, expected: list[tuple[str, str]]
) -> None:
    """Artifacts in raw keys may contain any file."""
    written = stages(
        stage("a", "artifacts: [a/]"),
        stage("raw", "raw: {gitlab: {artifacts: {paths: [$A]}}}"),
        stage("none"),
        stage("jobs", "raw: {gitlab: {parallel: 2}}", "artifacts: [d.yml]"),
        stage("several", "matrix: {m: [x, y]}", "artifacts: ['${matrix.m}/']"),
        f"{{name: s, trigger: {{include: [{file}]}}}}",
        stage("last", "artifacts: [l.yml]"),
    )

    assert [each for each in wrong(written) if each[0] != "PG366"] == expected


def test_files_of_a_stage_in_no_arc_are_unavailable() -> None:
    """It has no order; that it is in no arc is reported, too."""
    written = stages(stage("a"), stage("lost", "artifacts: [l]"), stage("s", "files_from: [lost]"))

    assert wrong(written, "[[a, s]]") == [("PG402", "lost"), ("PG306", "lost")]


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ("dist/*.whl", "dist/a.whl", [("PG504", "dist/a.whl")]),
        ("dist/a.whl", "**/*.whl", [("PG504", "'**/*.whl'")]),
        ("dist/*", "dist/*", [("PG504", "'dist/*'")]),
        ("dist", "dist/*", [("PG504", "'dist/*'")]),
        ("dist/a-${setup.tag}", "dist/a-1", [("PG504", "dist/a-1")]),
        ("dist/${setup.tag}", "dist/${setup.tag}", [("PG504", "'dist/${setup.tag}'")]),
        ("dist/*${setup.tag}", "dist/a/b", [("PG504", "dist/a/b")]),
        ("dist/a-${setup.tag}*", "dist/x/a-1", []),
        ("dist/*.whl", "dist/*.tar", []),
        ("dist/*.whl", "doc/a.whl", []),
    ],
)
def test_conflicting_patterns_are_reported(first: str, other: str, expected: list[tuple[str, str]]) -> None:
    """As far as they are known before a run."""
    diagnostics = wrong(
        stages(stage("a", f"artifacts: ['{first}']"), stage("b", f"artifacts: ['{other}']"), stage("c")),
        "[[[a, b], c]]",
    )

    assert [(code, text.strip("'")) for code, text in diagnostics] == [
        (code, text.strip("'")) for code, text in expected
    ]


def test_artifacts_that_overwrite_an_ancestors_are_marked() -> None:
    """Patterns are not, since their files are unknown."""
    own = stage("b", "artifacts: [d/x, f, 'e/*', e/y]")
    plan = plan_of(stages(stage("a", "artifacts: [d, 'e/*']"), own, stage("c")))

    assert [(artifact.path, artifact.overwrites) for artifact in plan.job("b").artifacts] == [
        ("d/x", True),
        ("f", False),
        ("e/*", False),
        ("e/y", True),
    ]


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("files_from: [b]", False),
        ("files_from: [a]", False),
        ("files_from: [a, b]", True),
    ],
)
def test_only_artifacts_that_a_stage_gets_with_those_of_the_ancestor_are_marked(reader: str, *, expected: bool) -> None:
    """Nothing depends on the order of other files."""
    plan = plan_of(stages(stage("a", "artifacts: [d]"), stage("b", "artifacts: [d]"), stage("c", reader)))

    assert [artifact.overwrites for artifact in plan.job("b").artifacts] == [expected]


def test_artifacts_that_may_overlap_overwrite_none() -> None:
    """Engines pass on the files of both in their own order."""
    later = stage("b", "artifacts: { paths: [d/x], overlap: true }")
    plan = plan_of(stages(stage("a", "artifacts: [d]"), later, stage("c")))

    assert [artifact.overwrites for artifact in plan.job("b").artifacts] == [False]


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ("true", "true", []),
        ("true", "false", [("PG504", "log")]),
        ("false", "true", [("PG504", "log")]),
    ],
)
def test_stages_that_both_allow_it_may_leave_the_same_path(
    first: str, other: str, expected: list[tuple[str, str]]
) -> None:
    """A later stage gets the file of either."""
    written = stages(
        stage("a", f"artifacts: {{ paths: [log], overlap: {first} }}"),
        stage("b", f"artifacts: {{ paths: [log], overlap: {other} }}"),
        stage("c"),
    )

    assert wrong(written, "[[[a, b], c]]") == expected


def test_combinations_may_leave_the_same_path() -> None:
    """The rules are those of different stages."""
    written = stages(stage("a", "matrix: { v: [1, 2] }, artifacts: { paths: [log], overlap: true }"), stage("b"))

    assert wrong(written, "[[a, b]]") == []
