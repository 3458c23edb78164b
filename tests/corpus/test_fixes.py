"""`--fix` on real configs keeps comments and the plan, and changes nothing when repeated."""

from __future__ import annotations

import pytest
from corpus.test_corpus import FOLDER, INDEX, NAMES, analysed

from pipegen.cli.fixing import fix_file
from pipegen.cli.linting import lint
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.lint.equivalence import is_equivalent
from pipegen.source.text import SourceFile

pytestmark = pytest.mark.skipif(not INDEX, reason="the folder shared/corpus is not beside the checkout")


def comments(text: str) -> list[str]:
    """Return the text after each number sign, also in strings."""
    return [line[line.index("#") :] for line in text.splitlines() if "#" in line]


def accepted() -> list[str]:
    """Return the files with plans."""
    return [name for name in NAMES if analysed(name)[0]]


def fixed(file: SourceFile) -> SourceFile:
    """Return *file* with all fixes applied."""
    return fix_file(file, Report())


def test_fix_removes_only_redundant_arcs() -> None:
    """The first arc of each pipeline is repeated before; only its comment is left."""
    tried = 0
    for name in accepted():
        file = with_arcs_twice(name)
        if file is None:
            continue
        tried += 1
        after = fixed(file)

        assert after.text != file.text
        assert comments(after.text) == comments(file.text)
        assert is_equivalent(analysed(name)[0], analyse(after, (), Report()).plans)
        assert fixed(after).text == after.text

    assert tried > 15


def test_diagnostics_of_real_configs() -> None:
    """They are an unread export and charts without a version, and none has a fix."""
    pairs = set()
    for name in accepted():
        report = Report()
        lint(analyse(load(FOLDER / name, Report(), shown=name), (), Report()), report)
        pairs |= {
            (name.partition("@")[0].partition("/")[2], diagnostic.message, diagnostic.fix)
            for diagnostic in report.diagnostics()
        }

    assert {(name.removesuffix(".yaml"), *rest) for name, *rest in pairs} == {
        ("wikimedia__mediawiki-services-mathoid", 'chart "mathoid" has no version: the newest is installed', None),
        (
            "wikimedia__mediawiki-services-image-suggestion-api",
            'chart "image-suggestion-api" has no version: the newest is installed',
            None,
        ),
        ("wikimedia__integration-pipelinelib__systemtests-repo1", 'output "foo" of stage "test" is never read', None),
    }


def with_arcs_twice(name: str) -> SourceFile | None:
    """Return the file *name* with the first arc of each pipeline repeated; None if no arc has its own line."""
    file = load(FOLDER / name, Report(), shown=name)
    text = file.text
    pipelines = analyse(file, (), Report()).pipelines
    spans = {pipeline.arcs[0].span for pipeline in pipelines if pipeline.arcs}
    for span in sorted(spans, key=lambda span: span.start, reverse=True):
        number = span.first.line
        line = file.line(number)
        if line.strip() == f"- {span.text}":
            start = file.line_starts[number - 1]
            text = f"{text[:start]}{line} # said {number}\n{text[start:]}"
    return SourceFile(name, text) if text != file.text else None
