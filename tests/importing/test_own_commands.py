"""The comparison of runs leaves out the commands that pipegen adds to scripts, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text

from pipegen.importing.compilation import compiled
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.proof.own_commands import is_own
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.structs import replace

_CONFIG = """\
pipelines:
  ci:
    stages:
      - name: build
        shell: bash
        script: [make]
        outputs:
          VERSION: { command: sed -n s/^VERSION=//p build.env }
          SIZE: { command: sed -n s/^SIZE=//p build.env }
        artifacts: [dist, log/all]
        environment: { name: review, url: "https://${.VERSION}" }
      - name: pack
        image: app:${build.VERSION}
        script: [make]
        artifacts: [dist, log/all]
      - name: maybe
        when: { branch: main }
        script: [make]
        artifacts: [dist]
      - name: parts
        matrix: { part: [a, b] }
        when: { branch: main }
        script: [make]
        artifacts: [dist]
      - name: deploy
        script: [make && git status]
        files_from: [pack, maybe]
      - { name: first, script: [make], files_from: [pack, 'parts[part=a]'] }
      - { name: second, script: [make], files_from: [pack, 'parts[part=b]'] }
"""


@pytest.mark.parametrize(
    "command",
    [
        "pipegen check",
        "pip install pipegen",
        "./pipegen compile --check",
        "echo $BASH_VERSION",
        "ls .pipegen/files",
        "tar -xf .pipegen/files/x.tar; ./deploy",
        "trap 'exit 143' TERM",
    ],
)
def test_a_command_of_a_user_that_names_pipegen_is_compared(command: str, tmp_path: Path) -> None:
    """It is a difference if it is in one of two scripts only."""
    result, _ = from_text("test: { script: [make] }\n", tmp_path)
    (file,) = result.generated
    text = file.text.replace("script: [make]", f'script: [make, "{command}"]')
    proof = prove(replace(result, generated=(replace(file, text=text),)))

    assert proof is not None
    assert [each.message for each in proof.differences] == ['the script of job "test" is another one']


def test_commands_that_the_compiler_adds_are_left_out(tmp_path: Path) -> None:
    """They check for bash, and carry values, and files that replace those of other stages."""
    (file,) = compiled(_CONFIG, "gitlab").files
    jobs = from_text(file.text, tmp_path)[0].source.jobs.values()
    scripts = [job.get(key) for job in jobs for key in ("before_script", "script")]
    commands = [text_of(item).rstrip() for script in scripts for item in flat_items(script)]

    assert any('".pipegen/files/parts-$part.tar"' in command for command in commands)
    assert {command for command in commands if not is_own(command)} == {
        "make",
        "make && git status",
        "build_VERSION=$(sed -n s/^VERSION=//p build.env)",
    }
