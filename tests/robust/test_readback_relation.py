"""The order in generated files is that of the plan plus the reported waits."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from readback.conftest import compiled_once
from robust.configs import ROOT, WAYS, analysed, known, written
from robust.order_relations import Compared, checked, of_drawn, of_known, of_wide

from pipegen.compiler import Analysed
from pipegen.source.text import SourceFile

__all__ = ["compiled_once"]

# Tests of engines and the figures compile the corpus.
OWN = [path for path in known() if path.is_relative_to(ROOT)]
QUICK = WAYS[:2]


def test_known_configs_enforce_the_order_of_the_plan() -> None:
    """Goldens and examples, for each target."""
    values = {path.parent.name: of_known(path, QUICK) for path in OWN}

    assert {name: wrong for name, each in values.items() if (wrong := _wrong(each))} == {}
    assert all(values.values())


def test_random_configs_enforce_the_order_of_the_plan() -> None:
    """Several pipelines with conditions, matrices, allowed failures and finally stages."""
    pairs = [of_drawn(number, 3, 12) for number in range(5)]

    assert [wrong for each in pairs if (wrong := _wrong(each))] == []
    assert sum(not each for each in pairs) <= 2
    assert {comparison.way for each in pairs for comparison in each} >= {"gitlab", "jenkins auto", "jenkins scripted"}


def test_large_configs_enforce_the_order_of_the_plan() -> None:
    """More than three hundred stages: collectors of needs, included files, functions of stages."""
    comparisons = of_wide(1, 1)

    assert _wrong(comparisons) == []
    assert [comparison.is_split for comparison in comparisons] == [False, True, False]
    assert comparisons[1].added == 0


def test_missing_and_additional_needs_are_detected() -> None:
    """This proves that the check can fail."""
    analysis = _chain("a", "b", "c")
    config = written(analysis, "gitlab")
    less = config.text.replace("  needs: [b]\n", "  needs: [a]\n")
    more = _chain("a", "c", "b")

    assert less != config.text
    assert "missing" in checked(analysis.plans, "gitlab", "", replace(config, files={"f": less})).faults[0]
    assert checked(more.plans, "gitlab", "", config).faults
    assert checked(analysis.plans, "gitlab", "", config).faults == ()


def _chain(*names: str) -> Analysed:
    stages = ", ".join(f"{{ name: {name}, script: [make] }}" for name in sorted(names))
    arcs = ", ".join(f"[{earlier}, {later}]" for earlier, later in pairwise(names))
    analysis = analysed(SourceFile("f", f"pipelines: {{ p: {{ stages: [{stages}], execution: [{arcs}] }} }}"))
    assert analysis is not None
    return analysis


def _wrong(comparisons: tuple[Compared, ...]) -> list[Compared]:
    return [comparison for comparison in comparisons if comparison.faults]
