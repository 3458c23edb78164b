"""The time of each part of a compilation, measured with pytest-benchmark.

    pytest -n 0 tests/benchmarks/parts.py

Garbage collection is off, as in the program itself.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from benchmarks.workload import config
from pytest_benchmark.fixture import BenchmarkFixture

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.read import read
from pipegen.config.schema.fast_validator import FastValidator
from pipegen.config.schema.file import pipelines_schema
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry

SIZES = (10, 1_000)


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(params=SIZES, ids=lambda size: f"{size} stages")
def file(request: pytest.FixtureRequest) -> SourceFile:
    """Return the workload as a file."""
    return SourceFile("pipegen.yaml", config(request.param))


def analysed(file: SourceFile) -> Analysed:
    """Return the analysis of *file* by the front end of the compiler."""
    return analyse(file, (), Report(), {})


def test_read(benchmark: BenchmarkFixture, file: SourceFile) -> None:
    """YAML to the tree."""
    benchmark(read, file, Report())


def test_accept(benchmark: BenchmarkFixture, file: SourceFile) -> None:
    """The tree against the schema."""
    tree = read(file, Report())

    assert benchmark(FastValidator(pipelines_schema()).accepts, tree)


def test_analyse(benchmark: BenchmarkFixture, file: SourceFile) -> None:
    """Text to the plans."""
    benchmark(analysed, file)


@pytest.mark.parametrize("name", ["gitlab", "jenkins"])
def test_generate(benchmark: BenchmarkFixture, file: SourceFile, name: str) -> None:
    """Plans to files."""
    analysis, target = analysed(file), registry.load(name)

    assert benchmark(lambda: generate(analysis, target, {}, Report()))
