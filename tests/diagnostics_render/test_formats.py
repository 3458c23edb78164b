"""Output formats of diagnostics for programs, and the table of formats."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from diagnostics_render.sample_diagnostics import CODE, diagnostic, file, label

from pipegen.diagnostics.model import Diagnostic, Edit, Fix, Label, Severity
from pipegen.diagnostics.render import FORMATS, concise, text
from pipegen.diagnostics.render.json import render as render_json


def test_concise_has_one_line_per_diagnostic() -> None:
    """A line has the location, the severity, the code and the message."""
    source = file("a: b\nc: d\n")
    diagnostics = [diagnostic(label(source, "d"), message='"d" is wrong'), diagnostic(None, severity=Severity.INFO)]

    assert concise.render(diagnostics) == 'pipegen.yaml:2:4: error[PG301] "d" is wrong\ninfo[PG301] wrong\n'


def test_concise_escapes_line_breaks() -> None:
    """A line break in a message or a path must not start another diagnostic."""
    problem = diagnostic(label(file("a", "x\ny.yaml"), "a"), message="one\ntwo\x1b[0m")

    assert concise.render([problem]) == "x\\ny.yaml:1:1: error[PG301] one\\ntwo\\x1b[0m\n"


def test_concise_in_colour() -> None:
    """The location and the severity are highlighted."""
    problem = diagnostic(label(file("a"), "a"))

    assert concise.render([problem], colour=True) == (
        "\x1b[1mpipegen.yaml:1:1:\x1b[0m \x1b[1;31merror[PG301]\x1b[0m wrong\n"
    )


def test_json_document() -> None:
    """The document has the documented structure."""
    source = file("a: b\nc: é\n")
    problem = diagnostic(label(source, "é", "here"), label(source, "b", "there"), message="wröng", hint="go")

    assert json.loads(render_json([problem])) == {
        "version": 1,
        "diagnostics": [
            {
                "code": "PG301",
                "name": "unknown-stage",
                "severity": "error",
                "message": "wröng",
                "file": "pipegen.yaml",
                "span": {
                    "start": {"line": 2, "column": 4, "offset": 8},
                    "end": {"line": 2, "column": 5, "offset": 9},
                },
                "label": "here",
                "labels": [
                    {
                        "file": "pipegen.yaml",
                        "span": {
                            "start": {"line": 1, "column": 4, "offset": 3},
                            "end": {"line": 1, "column": 5, "offset": 4},
                        },
                        "text": "there",
                    }
                ],
                "hint": "go",
                "fix": None,
            }
        ],
    }


def test_json_without_a_location() -> None:
    """Missing values are null, and the keys are the same."""
    (data,) = json.loads(render_json([diagnostic(None)]))["diagnostics"]

    assert (data["file"], data["span"], data["label"], data["labels"], data["hint"]) == (None, None, "", [], None)


def test_json_of_a_fix() -> None:
    """Each edit has a span and its replacement text."""
    span = label(file("a: b\n"), "b").span
    (data,) = json.loads(render_json([Diagnostic(CODE, "wrong", Label(span), fix=Fix("write c", (Edit(span, "c"),)))]))[
        "diagnostics"
    ]

    assert data["fix"] == {
        "title": "write c",
        "edits": [{"file": "pipegen.yaml", "span": data["span"], "text": "c"}],
    }


def test_json_is_ascii() -> None:
    """Control characters are escaped, and colours do not apply; without diagnostics, the list is empty."""
    problem = diagnostic(None, message="\x1b[0m\ud800é")

    assert render_json([problem], colour=True).isascii()
    assert "\x1b" not in render_json([problem])
    assert render_json([], colour=True) == '{\n  "version": 1,\n  "diagnostics": []\n}\n'


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_shows_a_diagnostic(name: str) -> None:
    """Colours may be requested for any format."""
    shown = FORMATS[name]([diagnostic(label(file("a"), "a"))], colour=True)

    assert "PG301" in shown
    assert shown.endswith("\n")


def test_text_is_the_default_format() -> None:
    """It is the first one in the table."""
    diagnostics = [diagnostic(label(file("a"), "a"))]

    assert next(iter(FORMATS.values()))(diagnostics) == text.render(diagnostics)


def test_formats_are_imported_when_used() -> None:
    """The table does not import the modules of formats."""
    program = (
        "import sys, pipegen.diagnostics.render as r; print([m for m in sys.modules if m.startswith(r.__name__ + '.')])"
    )
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert completed.stdout == "[]\n"
