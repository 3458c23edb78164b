"""Formats that other programs read are valid for their published schemas."""

from __future__ import annotations

import json
from xml.etree.ElementTree import fromstring

import pytest
from diagnostics_render.published_schemas import CHECKS
from diagnostics_render.sample_diagnostics import diagnostic, file, label
from hypothesis import given
from hypothesis import strategies as st
from test_diagnostics_folders import FOLDERS, diagnose

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic, Edit, Fix, Label, Severity
from pipegen.diagnostics.render import FORMATS
from pipegen.source.text import SourceFile, Span

TEXT = "pipelines:\n  a: 1\n  b: é\n"
PATHS = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1)
# Characters that XML cannot contain, that commands escape, and others.
WORDS = st.text(st.one_of(st.sampled_from("%:,\r\n\0\x1b\ufffe{}[]<>&\"'"), st.characters(exclude_categories=["Cs"])))


def of_folder(name: str = "ci") -> SourceFile:
    """Return a file in a folder of the repository, named from that folder."""
    return SourceFile("pipegen.yaml", TEXT, name)


@pytest.fixture(scope="module")
def diagnostics_by_folder() -> list[tuple[Diagnostic, ...]]:
    """Return the diagnostics of each folder in tests/diagnostics; together, they have all codes."""
    return [diagnose(folder) for folder in FOLDERS]


@pytest.mark.slow
@pytest.mark.parametrize("form", CHECKS)
def test_reports_of_every_code_are_valid(form: str, diagnostics_by_folder: list[tuple[Diagnostic, ...]]) -> None:
    """They are valid separately and in one report, as is a report without diagnostics."""
    whole = [entry for group in diagnostics_by_folder for entry in group]
    texts = [FORMATS[form](group) for group in (*diagnostics_by_folder, whole, [])]

    assert {entry.code.number for entry in whole} >= {code.number for code in codes.table()}
    assert [mistake for text in texts for mistake in CHECKS[form](text)] == []


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("sarif", '{"version": "2.1.0"}'),
        ("sarif", '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "columnKind": "bytes"}]}'),
        ("gitlab", '[{"fingerprint": "a"}]'),
        ("junit", "<testsuites><testsuite/></testsuites>"),
        ("github", "::error file=a,b::text"),
        ("github", "::error file=a::100%"),
    ],
)
def test_the_checks_detect_invalid_reports(form: str, text: str) -> None:
    """This shows that the other tests can fail."""
    assert CHECKS[form](text) != []


@pytest.mark.slow
@pytest.mark.parametrize("form", CHECKS)
@given(message=WORDS.filter(bool), path=PATHS, hint=st.none() | WORDS)
def test_any_text_gives_a_valid_report(form: str, message: str, path: str, hint: str | None) -> None:
    """The text is in the message, the hint or the path."""
    problem = diagnostic(Label(Span(file(TEXT, path), 0, 9)), message=message, hint=hint)

    assert CHECKS[form](FORMATS[form]([problem])) == []


def test_gitlab_paths_are_relative_to_the_root() -> None:
    """The file is in a subfolder and is named from there."""
    (data,) = json.loads(FORMATS["gitlab"]([diagnostic(label(of_folder("a/b"), "b:"))]))

    assert data["location"] == {"path": "a/b/pipegen.yaml", "lines": {"begin": 3}}


def test_gitlab_fingerprints_do_not_depend_on_lines() -> None:
    """Equal diagnostics have different fingerprints."""
    before = [diagnostic(label(file("a\nb\n"), marked)) for marked in "ab"]
    after = [diagnostic(label(file("\n\na\nb\n"), marked)) for marked in "ab"]
    prints = [
        [entry["fingerprint"] for entry in json.loads(FORMATS["gitlab"](diagnostics))]
        for diagnostics in (before, after)
    ]

    assert prints[0] == prints[1]
    assert len(set(prints[0])) == 2


def test_gitlab_severities_and_missing_location() -> None:
    """A diagnostic without a location is about the repository."""
    data = json.loads(FORMATS["gitlab"]([diagnostic(None, severity=severity) for severity in Severity]))

    assert [entry["severity"] for entry in data] == ["major", "minor", "info"]
    assert data[0]["location"] == {"path": ".", "lines": {"begin": 1}}


def test_github_commands() -> None:
    """There is one line per diagnostic; columns are given only if the span is on one line."""
    problem = diagnostic(label(of_folder(), "é"), message="50%, of a: b", hint="go\non", severity=Severity.WARNING)
    several = diagnostic(label(of_folder(), "1\n  b"), severity=Severity.INFO)
    title = "title=PG301 unknown-stage"

    assert FORMATS["github"]([problem, several, diagnostic(None)]).splitlines() == [
        f"::warning file=ci/pipegen.yaml,line=3,endLine=3,col=6,endColumn=7,{title}::50%25, of a: b%0Ahint: go%0Aon",
        f"::notice file=ci/pipegen.yaml,line=2,endLine=3,{title}::wrong",
        f"::error {title}::wrong",
    ]


def test_github_escapes_paths_and_messages() -> None:
    """Commas and colons do not end a value, and line breaks do not start another command."""
    problem = diagnostic(Label(Span(SourceFile("a,b:c%\n.yaml", "x"), 0, 1)), message="x\n::error::y")

    assert FORMATS["github"]([problem]) == (
        "::error file=a%2Cb%3Ac%25\\n.yaml,line=1,endLine=1,col=1,endColumn=2,"
        "title=PG301 unknown-stage::x%0A::error::y\n"
    )


def test_junit_cases_and_failures() -> None:
    """Errors and warnings are failures, infos pass, and an empty report has one case that passes."""
    diagnostics = [diagnostic(label(of_folder(), "b:"), severity=severity) for severity in Severity]
    suites, empty = (fromstring(FORMATS["junit"](group)) for group in (diagnostics, []))  # noqa: S314 - it is our own
    (suite,) = suites

    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("ci/pipegen.yaml", "3", "2")
    assert [case[0].tag for case in suite] == ["failure", "failure", "system-out"]
    assert [case.get("name") for case in suite] == ["PG301 unknown-stage at 3:3"] * 3
    assert suite[0][0].get("type") == "error"
    assert [(case.get("name"), len(case)) for case in empty[0]] == [("no diagnostics", 0)]


def test_sarif_columns_and_paths() -> None:
    """Columns count characters, and URIs are relative to the root of the repository."""
    source = SourceFile("a b.yaml", TEXT, "c#d")
    (run,) = json.loads(FORMATS["sarif"]([diagnostic(label(source, "é", "here"))]))["runs"]
    physical = run["results"][0]["locations"][0]["physicalLocation"]

    assert (run["columnKind"], list(run["originalUriBaseIds"])) == ("unicodeCodePoints", ["%SRCROOT%"])
    assert physical["artifactLocation"] == {"uri": "c%23d/a%20b.yaml", "uriBaseId": "%SRCROOT%"}
    assert physical["region"] == {
        "startLine": 3,
        "startColumn": 6,
        "endLine": 3,
        "endColumn": 7,
        "charOffset": TEXT.index("é"),
        "charLength": 1,
    }
    assert run["results"][0]["locations"][0]["message"] == {"text": "here"}


def test_sarif_without_a_location() -> None:
    """The result is about the repository."""
    text = FORMATS["sarif"]([diagnostic(None)])
    (place,) = json.loads(text)["runs"][0]["results"][0]["locations"]

    assert CHECKS["sarif"](text) == []
    assert place == {"physicalLocation": {"artifactLocation": {"uri": ".", "uriBaseId": "%SRCROOT%"}}}


def test_sarif_rules_are_the_codes() -> None:
    """Each reported code is listed once with its page and default level, whatever the level of a result."""
    source = of_folder()
    diagnostics = [diagnostic(label(source, marked), severity=Severity.INFO) for marked in "ab"]
    (run,) = json.loads(FORMATS["sarif"](diagnostics))["runs"]
    (rule,) = run["tool"]["driver"]["rules"]

    assert (rule["id"], rule["name"], rule["defaultConfiguration"]) == ("PG301", "unknown-stage", {"level": "error"})
    assert rule["shortDescription"]["text"] == "A name in an arc that is not a stage of the pipeline."
    assert rule["help"]["markdown"].startswith("# PG301 unknown-stage (error)\n")
    assert [(result["ruleIndex"], result["level"]) for result in run["results"]] == [(0, "note"), (0, "note")]


def test_sarif_related_locations_and_fixes() -> None:
    """A fix has a replacement for a region."""
    source = of_folder()
    span = label(source, "b: é").span
    problem = Diagnostic(
        codes.UNKNOWN_STAGE, "wrong", Label(span), (label(source, "a", "there"),), fix=Fix("remove it", (Edit(span),))
    )
    text = FORMATS["sarif"]([problem])
    (result,) = json.loads(text)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]

    assert CHECKS["sarif"](text) == []
    assert [(location["id"], location["message"]["text"]) for location in result["relatedLocations"]] == [(1, "there")]
    assert change["artifactLocation"]["uri"] == "ci/pipegen.yaml"
    assert change["replacements"][0]["insertedContent"] == {"text": ""}
    assert change["replacements"][0]["deletedRegion"]["startLine"] == 3
