"""Targets of other distributions, and the messages for broken ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan, Selection, Workspace
from pipegen.source.text import SourceFile, Span
from pipegen.targets import registry
from pipegen.targets.base import Request

OUTLINE = '''
    """A target that writes the order of stages as the rules of a makefile."""

    from pipegen.targets.base import Capability, GeneratedFile

    NAME = "outline"
    FILE = "outline.mk"
    CAPABILITIES = (Capability("order", "native"),)
    SETTINGS = {"type": "object"}
    OPTIONS = {}


    def generate(plans, request, report):
        lines = [f"# {request.source}"]
        for plan in plans:
            lines += [f"{node}: {' '.join(plan.graph.predecessors(node))}".rstrip() for node in plan.graph.nodes]
        return [GeneratedFile(FILE, "".join(f"{line}\\n" for line in lines))]
'''


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, *, distribution: str, module: str, code: str) -> None:
    """Install a distribution that provides *module* as a target."""
    (folder / f"{module}.py").write_text(dedent(code), encoding="utf-8")
    info = folder / f"{distribution.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{module} = {module}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def a_plan() -> Plan:
    """Return a plan of two stages, one after the other, without jobs."""
    span = Span(SourceFile("pipegen.yaml", "service"), 0, 7)
    graph = ExecutionGraph([["build", "test"]])
    return Plan(
        name="service",
        span=span,
        graph=graph,
        frames=(("build",), ("test",)),
        jobs=(),
        fetch=None,
        workspace=Workspace.ISOLATED,
        workspace_span=None,
        selection=Selection.ALWAYS,
        folder="",
    )


def test_the_built_in_targets_come_first() -> None:
    """They do not depend on other distributions."""
    assert registry.names()[:2] == ("gitlab", "jenkins")


@pytest.mark.parametrize(("name", "expected"), [("gitlb", "gitlab"), ("jenkin", "jenkins"), ("github", None)])
def test_another_engine_is_no_typo(name: str, expected: str | None) -> None:
    """`github` is not a misspelt `gitlab`."""
    assert registry.similar(name) == expected


def test_listing_targets_does_not_import_those_of_other_distributions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even a target that cannot be imported is listed."""
    install(tmp_path, monkeypatch, distribution="pipegen-broken", module="broken", code="raise RuntimeError")

    assert registry.names() == ("gitlab", "jenkins", "broken")


def test_a_target_of_another_distribution_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third-party target gets plans and returns files."""
    install(tmp_path, monkeypatch, distribution="pipegen-outline", module="outline", code=OUTLINE)
    target = registry.load("outline")
    request = Request(
        source="pipegen.yaml", start=Span(SourceFile("pipegen.yaml", ""), 0, 0), settings=None, selected=(), options={}
    )

    files = target.generate([a_plan()], request, Report())

    assert [(file.name, file.text) for file in files] == [("outline.mk", "# pipegen.yaml\nbuild:\ntest: build\n")]


def test_a_target_that_fails_to_load_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the name of its distribution and the reason."""
    install(tmp_path, monkeypatch, distribution="pipegen-missing", module="missing", code="import not_there_at_all")

    with pytest.raises(registry.TargetError) as caught:
        registry.load("missing")

    assert str(caught.value) == (
        'target "missing" of pipegen-missing 1.2 cannot be loaded: '
        "ModuleNotFoundError: No module named 'not_there_at_all'"
    )


def test_a_target_that_exits_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not decide the exit status."""
    install(tmp_path, monkeypatch, distribution="pipegen-exits", module="exits", code="raise SystemExit(0)")

    with pytest.raises(registry.TargetError) as caught:
        registry.load("exits")

    assert str(caught.value) == 'target "exits" of pipegen-exits 1.2 cannot be loaded: SystemExit: 0'


def test_an_interrupt_while_a_target_loads_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user ends the program."""
    install(tmp_path, monkeypatch, distribution="pipegen-slow", module="slow", code="raise KeyboardInterrupt")

    with pytest.raises(KeyboardInterrupt):
        registry.load("slow")


def test_an_incomplete_target_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the missing attributes and the name of the distribution."""
    install(tmp_path, monkeypatch, distribution="pipegen-half", module="half", code='NAME, FILE = "half", "h"')

    with pytest.raises(registry.TargetError) as caught:
        registry.load("half")

    assert str(caught.value) == (
        'target "half" of pipegen-half 1.2 lacks "CAPABILITIES", "SETTINGS", "OPTIONS", "generate"'
    )


def test_two_targets_of_the_same_name_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from two distributions."""
    for distribution in ("pipegen-one", "pipegen-two"):
        folder = tmp_path / distribution
        folder.mkdir()
        install(folder, monkeypatch, distribution=distribution, module="twin", code=OUTLINE)

    with pytest.raises(registry.TargetError) as caught:
        registry.load("twin")

    assert set(str(caught.value).split('"')) >= {"twin", "pipegen-one 1.2", "pipegen-two 1.2"}


def test_an_unknown_target_gets_a_suggestion() -> None:
    """For a typo."""
    with pytest.raises(registry.TargetError) as caught:
        registry.load("gitlob")

    assert str(caught.value) == 'no target "gitlob"; did you mean "gitlab"?'


def test_loading_one_target_does_not_load_another() -> None:
    """Importing GitLab's does not import Jenkins'."""
    code = (
        "import sys; from pipegen.targets import registry; registry.load('gitlab');"
        "print([name for name in sys.modules if name.startswith('pipegen.targets.jenkins')])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout == "[]\n"
