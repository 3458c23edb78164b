"""Steps of a Jenkinsfile whose arguments decide whether a command can do the same."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = "pipeline {\n    agent any\n    stages {\n        stage('A') { steps { STEP } }\n    }\n}\n"


@pytest.mark.parametrize(
    ("step", "command", "reason"),
    [
        ("sleep 5", "sleep 5", ""),
        ("sleep time: 2, unit: 'MINUTES'", "sleep 120", ""),
        ("sleep time: 500, unit: 'MILLISECONDS'", "", "a command sleeps for whole seconds"),
        ("sleep time: 5, unit: unit()", "", "a command sleeps for whole seconds"),
        ("writeFile file: 'a', text: 'b', encoding: 'utf-8'", "printf %s b >a", ""),
        ("writeFile file: 'a', text: 'Yg==', encoding: 'Base64'", "", "a command writes UTF-8"),
    ],
)
def test_a_step_is_a_command_if_it_does_the_same(step: str, command: str, reason: str) -> None:
    """Otherwise, it stays Groovy."""
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", step)), report)

    assert (f"script: [{command}]" if command else step) in result.text
    assert ("steps:" in result.text) is not bool(command)
    assert messages(report).partition("stays Groovy: ")[2].strip() == reason
