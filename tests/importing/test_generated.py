"""The import of a generated `.gitlab-ci.yml` leaves out what the compiler adds again."""

from __future__ import annotations

from pathlib import Path

from importing.samples import from_text

from pipegen.importing.compilation import compiled

CONFIG = """\
pipelines:
  ci:
    stages:
      - name: build
        shell: bash
        script: [make | tee log]
        after: [tail log | cat]
        outputs: { size: { command: wc -c <log } }
      - name: report
        script: ['echo "${build.size}"']
    execution: [[build, report]]
"""
_STRICT = "set -o pipefail"


def _generated() -> str:
    return compiled(CONFIG, "gitlab").files[-1].text


def test_the_commands_for_bash_become_the_key_of_the_stage(tmp_path: Path) -> None:
    """The commands before the script and those of "after" are not repeated."""
    result, _ = from_text(_generated(), tmp_path)

    assert _generated().count(_STRICT) == 2
    assert "shell: bash" in result.text
    assert _STRICT not in result.text
    assert result.generated[-1].text.count(_STRICT) == 2


def test_a_script_that_sets_pipefail_by_itself_keeps_the_command(tmp_path: Path) -> None:
    """Only both commands together are those of the compiler."""
    result, _ = from_text("build:\n  script: [set -o pipefail, make | tee log]\n", tmp_path)

    assert "shell: bash" in result.text
    assert _STRICT in result.text


def test_comments_of_a_generated_file_are_left_out(tmp_path: Path) -> None:
    """They are about the generated file, and a compilation writes them again."""
    result, _ = from_text(_generated(), tmp_path)

    assert "# outputs" in _generated()
    assert "# outputs" not in result.text


def test_comments_of_a_file_that_was_changed_stay(tmp_path: Path) -> None:
    """People may have written some of them."""
    result, _ = from_text(_generated().replace("# outputs", "# by hand"), tmp_path)

    assert "# by hand" in result.text
