"""The reader of values that jobs of a generated file leave reads what the compiler writes."""

from __future__ import annotations

from pathlib import Path

from importing.samples import from_text

from pipegen.importing.compilation import compiled
from pipegen.importing.gitlab.left_values import LeftValues, generated_values, read_variable
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.tree import flat_items, text_of

_CONFIG = """\
pipelines:
  ci:
    stages:
      - name: build
        script: [make]
        outputs:
          VERSION: { command: sed -n s/^VERSION=//p build.env }
          URL: { command: sed -n s/^URL=//p build.env }
          SIZE: { command: sed -n s/^SIZE=//p build.env }
        environment: { name: review, url: "${.URL}/app" }
      - name: test
        image: app:${build.VERSION}
        env: { VERSION: "${build.VERSION}", SIZE: "${build.SIZE}" }
        script: [./test]
    execution: [[build, test]]
"""
_VERSION, _URL, _SIZE = (f"{name} in build.env of build" for name in ("VERSION", "URL", "SIZE"))


def test_commands_of_outputs_are_read(tmp_path: Path) -> None:
    """Values are in files for scripts, in a dotenv report for images, and in variables for the address of the job."""
    (file,) = compiled(_CONFIG, "gitlab").files
    jobs = from_text(file.text, tmp_path)[0].source.jobs
    left = generated_values(jobs["build"])

    assert left == LeftValues(
        for_others={
            ".pipegen/outputs/build/VERSION": _VERSION,
            ".pipegen/outputs/build/SIZE": _SIZE,
            "PIPEGEN_BUILD__VERSION": _VERSION,
        },
        own={"build_VERSION": _VERSION, "build_URL": _URL},
    )
    assert _read(jobs["build"], LeftValues(own=left.own)) == left.own
    assert _read(jobs["test"], left) == {"build_VERSION": _VERSION, "build_SIZE": _SIZE}


def _read(job: SourceJob, left: LeftValues) -> dict[str, str]:
    commands = map(text_of, flat_items(job.get("script")))
    values = (read_variable(command.rstrip(), left.for_others, left) for command in commands)
    return dict(value for value in values if value is not None)
