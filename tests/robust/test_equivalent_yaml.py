"""Rewritten configs: the same plan and files, except for the change."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from robust.equivalent_yaml import Rewording

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.read import read
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, Node, Sequence
from pipegen.structs import replace
from pipegen.targets import registry

_SCRIPTS = ("make", "echo 'it''s' \"$A\" # no", "on", "a: b\n\n  c\n#d", "12:30:45", "é \U0001f600", "- x", "{a}", "~")
_VALUES = ("on", "no", "", " ", "1_000", "012", "null", "'", '"', "a\\b", "*a", "&a", "!x", "%", "@", "\tx", "x\ny")
Stages = list[dict[str, object]]
Arcs = list[list[str]]


@st.composite
def pipelines(draw: st.DrawFn) -> tuple[Stages, Arcs]:
    """Return stages and forward arcs between them; a stage may read from its predecessor."""
    names = [f"stage{letter}" for letter in "abcdefg"[: draw(st.integers(2, 7))]]
    arcs: Arcs = [sorted(draw(st.lists(st.sampled_from(names), min_size=2, max_size=5, unique=True))) for _ in range(4)]
    arcs.append(names[:2])
    stages: Stages = []
    for name in names:
        before = [arc[arc.index(name) - 1] for arc in arcs if name in arc[1:]]
        is_reader = bool(before) and draw(st.integers(0, 1)) == 1
        reads = [f'./use "${{{before[0]}.v}}"'] if is_reader else []
        stages.append(
            {
                "name": name,
                "script": [*reads, *draw(st.lists(st.sampled_from(_SCRIPTS), min_size=1, max_size=2))],
                "env": draw(st.dictionaries(st.sampled_from(["A", "B", "Y"]), st.sampled_from(_VALUES), max_size=2)),
                "outputs": {"v": {"command": "cat V"}},
            }
        )
    used = {name for arc in arcs for name in arc}
    return [stage for stage in stages if stage["name"] in used], arcs


def config(stages: Stages, arcs: Arcs) -> dict[str, object]:
    """Return a config of one pipeline."""
    return {"pipelines": {"p": {"stages": stages, "execution": arcs}}}


def analysed(text: str) -> tuple[Analysed, dict[str, str]]:
    """Return the analysis of *text*, and the files of both targets."""
    report = Report()
    analysis = analyse(SourceFile("pipegen.yaml", text), (), report)
    generator = (file for name in ("gitlab", "jenkins") for file in generate(analysis, registry.load(name), {}, report))
    files = {file.name: file.text for file in generator}
    assert not report.has_errors()
    return analysis, files


def plan_of(stages: Stages, arcs: Arcs) -> Plan:
    """Return the plan of *stages* and *arcs*."""
    (plan,) = analysed(json.dumps(config(stages, arcs)))[0].plans
    return plan


def jobs(plan: Plan) -> dict[str, object]:
    """Return the jobs by stage, without needs."""
    return {job.stage: replace(job, needs=()) for job in plan.jobs}


def needs(plan: Plan) -> dict[str, set[str]]:
    """Return the direct needs of each stage."""
    return {job.stage: set(job.needs) for job in plan.jobs}


def ancestors(direct: dict[str, set[str]], stage: str) -> set[str]:
    """Return all stages that *stage* waits for."""
    return direct[stage].union(*(ancestors(direct, predecessor) for predecessor in direct[stage]))


@settings(max_examples=15)
@given(pipelines(), st.randoms(use_true_random=False))
def test_other_yaml_syntax_gives_the_same_files(drawn_config: tuple[Stages, Arcs], dice: Random) -> None:
    """Quotes, block and flow style, anchors: the plan and the bytes for both targets are the same."""
    data = config(*drawn_config)
    (expected, files), (analysis, others) = analysed(json.dumps(data)), analysed(Rewording(dice).text(data))

    assert analysis.plans == expected.plans
    assert others == files


@settings(max_examples=10)
@given(pipelines(), st.randoms(use_true_random=False))
def test_the_order_of_arcs_does_not_matter(drawn_config: tuple[Stages, Arcs], dice: Random) -> None:
    """Each stage has the same needs."""
    stages, arcs = drawn_config
    expected, plan = plan_of(stages, arcs), plan_of(stages, dice.sample(arcs, len(arcs)))

    assert (jobs(plan), needs(plan)) == (jobs(expected), needs(expected))


@settings(max_examples=10)
@given(pipelines())
def test_an_arc_is_equivalent_to_its_pairs(drawn_config: tuple[Stages, Arcs]) -> None:
    """The files are the same byte for byte."""
    stages, arcs = drawn_config
    pairs = [list(pair) for arc in arcs for pair in pairwise(arc)]
    (expected, files), (analysis, others) = (analysed(json.dumps(config(stages, some))) for some in (arcs, pairs))

    assert analysis.plans == expected.plans
    assert others == files


@settings(max_examples=10)
@given(pipelines(), st.data())
def test_an_implied_arc_adds_no_order(drawn_config: tuple[Stages, Arcs], data: st.DataObject) -> None:
    """It only adds a need between stages that were ordered before."""
    stages, arcs = drawn_config
    expected = plan_of(stages, arcs)
    direct = needs(expected)
    implied = [[ancestor, stage] for stage in direct for ancestor in sorted(ancestors(direct, stage))]
    plan = plan_of(stages, [*arcs, data.draw(st.sampled_from(implied))])

    assert jobs(plan) == jobs(expected)
    assert all(ancestors(needs(plan), stage) == ancestors(direct, stage) for stage in direct)


@settings(max_examples=10)
@given(pipelines(), st.permutations("abcdefg"))
def test_renaming_stages_changes_only_names(drawn_config: tuple[Stages, Arcs], letters: list[str]) -> None:
    """Except for digests."""
    names = {f"stage{old}": f"other{new}" for old, new in zip("abcdefg", letters, strict=True)}
    text = json.dumps(config(*drawn_config))
    (_, files), (_, others) = analysed(text), analysed(_renamed(text, names))

    assert {name: _undated(_renamed(file, names)) for name, file in files.items()} == {
        name: _undated(file) for name, file in others.items()
    }


@given(pipelines(), st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_reworded_configs_have_the_same_data(drawn_config: tuple[Stages, Arcs], dice: Random) -> None:
    """This checks the input of the other tests."""
    data = config(*drawn_config)
    text = Rewording(dice).text(data)

    assert _data(read(SourceFile("f", text), Report())) == data


def test_rewordings_use_all_syntax_of_yaml() -> None:
    """Otherwise they would prove little."""
    data = config([{"name": "a", "script": ["x\ny", "x\ny"], "env": {"A": "x\ny"}}], [["a"]])
    texts = "".join(Rewording(Random(seed)).text(data) for seed in range(100))

    assert [mark for mark in ("|-", "&a", "*a", "'", '"', "{", "[", "\n  p", "- ") if mark not in texts] == []


def _renamed(text: str, names: dict[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def _undated(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if "Digest:" not in line)


def _data(node: Node) -> object:
    if isinstance(node, Mapping):
        return {entry.key.text: _data(entry.value) for entry in node.entries}
    return [_data(item) for item in node.items] if isinstance(node, Sequence) else node.text
