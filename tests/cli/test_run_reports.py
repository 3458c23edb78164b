"""Reports of runs, for the programs that read them."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cli.program import Pipegen
from run.report.junit_rules import violations

# A stage for each outcome; two pipelines.
CONFIG = """\
pipelines:
  one:
    stages:
      - { name: 'good <&"> \u00fc', script: ['echo "]]> \\033[1m"'] }
      - { name: silent, script: [':'] }
      - { name: bad, script: ['echo "<b>"; exit 3'] }
      - { name: after, script: [':'] }
      - { name: may, allow_failure: true, script: ['false'] }
      - { name: other, when: { branch: other }, script: [':'] }
      - { name: late, timeout: 1s, script: ['sleep 5'] }
      - { name: no-folder, directory: absent, script: [':'] }
      - { name: end, script: ['exit 1'] }
    execution: [['good <&"> \u00fc'], [silent], [bad, after], [may], [other], [late], [no-folder]]
    finally: [end]
  two:
    stages: [{ name: only, script: [':'] }]
"""


@pytest.mark.slow
def test_the_junit_report_is_valid_for_jenkins(empty: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """It contains every outcome of a stage."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))
    result = pipegen("run", "--report", "run.xml")
    root = ET.parse(empty / "run.xml").getroot()  # noqa: S314 - our own
    came = {case.get("name"): [element.tag for element in case] for case in root.iter("testcase")}

    assert result.status == 1
    assert violations(root) == []
    assert came == {
        'good <&"> \u00fc': ["system-out"],
        "silent": [],
        "bad": ["failure"],
        "after": ["skipped"],
        "may": [],
        "other": ["skipped"],
        "late": ["failure"],
        "no-folder": ["failure"],
        "end": ["failure"],
        "only": [],
    }


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("<report/>", ["report is no root", "report is no element"]),
        ('<testsuite name="a" tests="0" failures="0"/>', ["testsuite lacks errors"]),
        ('<testsuites><testcase name="a"/></testsuites>', ["testsuites holds testcase"]),
        ('<testsuites time="1 s"/>', ["testsuites takes 1 s"]),
        ("<testsuites>text</testsuites>", ["testsuites holds text"]),
        ('<testsuites skipped="1"/>', ["testsuites has skipped"]),
        (
            '<testsuite name="a" tests="2" failures="0" errors="0"><testcase name="a"/></testsuite>',
            ["testsuite counts 2 tests, and has 1"],
        ),
    ],
)
def test_invalid_junit_reports_are_detected(text: str, wrong: list[str]) -> None:
    """The rules of the other test find each violation."""
    assert violations(ET.fromstring(text)) == wrong  # noqa: S314 - our own


@pytest.mark.slow
def test_the_html_report_has_a_content_security_policy(
    empty: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The policy contains the hashes of the styles, and nothing else is loaded or run."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))
    pipegen("run", "--report", "run.html")
    page = (empty / "run.html").read_text(encoding="utf-8")
    policies = [
        unescape(text) for text in re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    ]
    styles = [
        f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'"
        for style in re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    ]

    assert policies == [
        f"default-src 'none'; style-src {' '.join(styles)}; img-src data:; base-uri 'none'; form-action 'none'"
    ]
    assert len(styles) == 1
    assert "<script" not in page
    assert " style=" not in page
