"""The estimate of GitLab's memory use, compared with Ruby's own count."""

import shutil
import subprocess
from pathlib import Path

import pytest
from engines.requirement import require
from ruamel.yaml import YAML

from pipegen.targets.gitlab.memory import BUDGET, LIMIT, memory

GOLDENS = sorted((Path(__file__).parents[1] / "golden").glob("*/expected/gitlab-ci.yml"))
# As GitLab counts: https://gitlab.com/gitlab-org/gitlab, lib/gitlab/utils/deep_size.rb
COUNT = """
require 'objspace'
require 'yaml'
def size(object)
  found = ObjectSpace.memsize_of(object)
  found += object.sum { |item| size(item) } if object.is_a?(Array)
  found += object.sum { |key, value| size(key) + size(value) } if object.is_a?(Hash)
  found
end
ARGV.each { |path| puts size(YAML.safe_load(File.read(path), permitted_classes: [Symbol], aliases: true)) }
"""


def counted(*paths: Path) -> list[int]:
    """Return Ruby's count for each file."""
    require(None if shutil.which("ruby") else "ruby not found: run tests/engines/install")
    done = subprocess.run(["ruby", "-e", COUNT, *map(str, paths)], capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.splitlines()]


def test_the_estimate_is_at_least_rubys_count() -> None:
    """It is at most half as much again, for every golden file."""
    numbers = counted(*GOLDENS)
    for path, size in zip(GOLDENS, numbers, strict=True):
        estimate = memory(YAML(typ="safe", pure=True).load(path.read_text("utf-8")))
        assert size <= estimate <= size * 1.5, path


@pytest.mark.parametrize("kind", ["text", "list", "map"])
def test_the_estimate_is_an_upper_bound_at_every_size_step(kind: str, tmp_path: Path) -> None:
    """Texts by length, lists and maps by number of entries, around all steps."""
    sizes = [*range(60), 85, 86, 127, 128, 129, 135, 136, 193, 194, 256, 257, 295, 296, 615, 616, 1025, 40_000]
    values = {
        "text": [{"k": "x" * size} for size in sizes],
        "list": [{"k": ["a"] * size} for size in sizes],
        "map": [{"k": {f"k{number}": "a" for number in range(size)}} for size in sizes],
    }[kind]
    paths = []
    for number, value in enumerate(values):
        paths.append(tmp_path / f"{number}.yml")
        YAML(typ="safe").dump(value, paths[-1])
    numbers = counted(*paths)

    assert all(size <= memory(value) for size, value in zip(numbers, values, strict=True))


def test_the_estimate_agrees_with_gitlabs_measured_limit() -> None:
    """GitLab 18.11 accepted 1,400 small jobs of 250 bytes and rejected 1,500."""
    job = """\
job-{0}:
  image: alpine:3.20
  stage: build
  needs:
    - {{ job: job-{0}, artifacts: false }}
  script:
    - echo "job number {0} of many, all alike"
    - make --directory=parts/{0} check
  artifacts:
    paths:
      - parts/{0}/report/
"""
    text = "".join(job.format(number) for number in range(1000, 1100))
    estimate = memory(YAML(typ="safe").load(text)) / 100

    assert 240 < len(text) / 100 < 250
    assert 1_300 < LIMIT * BUDGET / 100 / estimate < 1_400 < LIMIT / estimate < 1_550
