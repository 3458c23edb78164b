"""Any file is either read or rejected with a diagnostic."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.diagnostics.report import Report
from pipegen.readback import gitlab, jenkins
from pipegen.readback.engines import FileEngine
from pipegen.readback.errors import UnreadableError
from pipegen.readback.generated import read
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.text import SourceFile

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = [GOLDEN / name / "expected/Jenkinsfile" for name in ("finally", "diamond", "matrix")]

WORDS = st.sampled_from(
    ["a", "b", ".a", "test", "job", "needs", "local", "pipeline", "optional", "stage", "if", "when"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["stage", "needs", "rules", "extends", "variables", "trigger", "when", "allow_failure", "only", "script"]
)
JOBS = st.dictionaries(KEYS, VALUES, max_size=4)
DOCUMENTS = st.dictionaries(WORDS | st.sampled_from(["stages", "include", "default"]), VALUES | JOBS, max_size=4)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(DOCUMENTS)
def test_random_gitlab_documents_are_read_or_rejected(document: object) -> None:
    """A `.gitlab-ci.yml` with arbitrary data raises no other exception."""
    with suppress(UnreadableError):
        gitlab.read(json.dumps(document), lambda path: None if path == "a" else "b: { script: x }")


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.sampled_from(FILES), st.data())
def test_truncated_jenkinsfiles_are_read_or_rejected(path: Path, data: st.DataObject) -> None:
    """Random ranges of tokens are removed."""
    text = path.read_text("utf-8")
    tokens = GroovyTokens(text).tokens
    first, last = sorted(data.draw(st.integers(0, len(tokens) - 1)) for _ in range(2))
    last = min(last, first + data.draw(st.integers(0, 12)))

    with suppress(UnreadableError):
        jenkins.order(text[: tokens[first].start] + text[tokens[last].end :])


@settings(max_examples=150, deadline=None)
@given(st.text("{}[]()'\"/$\\ \nab:-|#,", max_size=40))
def test_random_text_is_read_or_rejected(text: str) -> None:
    """Brackets and quotes are anywhere; each diagnostic has a location in the text."""
    for engine in FileEngine:
        report = Report()
        reading = read(SourceFile("x", text), engine, report)

        assert (reading is None) == report.has_errors()
        assert all(
            diagnostic.primary and diagnostic.primary.span.end <= len(text) for diagnostic in report.diagnostics()
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("stage('a') { parallel { " * 5_000, FileEngine.JENKINS),
        (
            f"pipeline {{ stages {{ {'stage(x) { stages { ' * 3_000}{'} } ' * 3_000} }} }}".replace("x", "'a'"),
            FileEngine.JENKINS,
        ),
        (f"a: {'[' * 5_000}{']' * 5_000}", FileEngine.GITLAB),
    ],
    ids=["open", "closed", "data"],
)
def test_deeply_nested_files_are_rejected(text: str, engine: FileEngine) -> None:
    """Thousands of levels raise no RecursionError."""
    report = Report()

    assert read(SourceFile("x", text), engine, report) is None
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG120"]
