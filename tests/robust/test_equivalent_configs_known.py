"""Known configs, restructured: the plans are the same, except for the change."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from readback.texts import relation
from robust.configs import ROOT, WAYS, analysed, file_of, shown, text_of, written
from robust.equivalent_configs import (
    TOKEN,
    UnfitError,
    chosen,
    comparable,
    cut,
    implied,
    in_a_file,
    in_templates,
    permuted,
    pipelines,
    renamed,
    turned,
    unmarked,
    with_arcs,
)
from robust.order_relations import compared
from robust.order_relations import order as made_order
from robust.positions.table import plain
from robust.random_configs import Data
from robust.test_equivalent_yaml_known import data_of, readable

from pipegen.cli.config_as_yaml import as_yaml
from pipegen.compiler import Analysed, expand
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan, Selection
from pipegen.source.text import SourceFile
from pipegen.structs import replace

Change = Callable[[Data, Analysed], Data]
Same = Callable[[Plan], object]


def order(plan: Plan) -> object:
    """Return all ancestors of each stage."""
    return {stage: frozenset(plan.graph.ancestors(stage)) for stage in plan.graph.nodes}


def without_arc_order(plan: Plan) -> object:
    """Return the parts of *plan* that do not depend on the order of arcs."""
    jobs = {job.stage: comparable(_unordered(job)) for job in plan.jobs}
    needs = {job.stage: set(job.needs) for job in plan.jobs}
    return jobs, needs, order(plan), [set(frame) for frame in plan.frames], _rest(plan)


def without_direct_needs(plan: Plan) -> object:
    """Return *plan* without the distinction of direct needs."""
    return {job.stage: comparable(_unordered(job)) for job in plan.jobs}, order(plan), _rest(plan)


def whole_plan(plan: Plan) -> object:
    """Return all of *plan* as data."""
    return comparable(plan)


def without_marks(plan: Plan) -> object:
    """Return all of *plan*, with the old names of stages."""
    return list(unmarked(comparable(plan)))


def without_siblings(plan: Plan) -> object:
    """Return *plan* without the parts that depend on other pipelines of its file."""
    jobs = tuple(replace(job, slug="") for job in plan.jobs)
    return comparable(replace(plan, jobs=jobs, selection=Selection.ALWAYS, is_called=False))


def _unordered(job: Job) -> Job:
    return replace(job, needs=(), files=tuple(sorted(job.files)))


def _rest(plan: Plan) -> object:
    return comparable(replace(plan, jobs=(), frames=(), graph=type(plan.graph)([])))


CHANGES: dict[str, tuple[Change, Same, int]] = {
    "arcs in another order": (lambda data, _: permuted(data, Random(json.dumps(data))), without_arc_order, 20),
    "arcs cut into steps": (lambda data, _: cut(data), whole_plan, 20),
    "arcs that others imply": (
        lambda data, analysis: implied(data, {plan.name: plan for plan in analysis.plans}, Random(json.dumps(data))),
        without_direct_needs,
        15,
    ),
    "other names": (lambda data, analysis: renamed(data, analysis.plans), without_marks, 30),
    "what stages do in templates": (lambda data, _: in_templates(data), whole_plan, 30),
    "pipelines in another order": (lambda data, _: turned(data), without_siblings, 5),
}


# The changes that write the arcs in another form.
ARCS = [*CHANGES][:3]


def valid_configs() -> Iterator[tuple[Path, Data, Analysed]]:
    """Yield the configs that compile, as data, and their analysis."""
    for path in readable():
        data = data_of(path)
        analysis = analysed(file_of(path, json.dumps(data)))
        if analysis is not None and isinstance(data, dict):
            yield path, data, analysis


@pytest.mark.parametrize("name", CHANGES)
def test_restructured_configs_have_equivalent_plans(name: str) -> None:
    """A minimum number of configs must support each change."""
    change, same, fewest = CHANGES[name]
    tried: list[Path] = []
    unfit: Counter[str] = Counter()
    differing = []
    for path, data, expected in valid_configs():
        try:
            other = change(data, expected)
        except UnfitError as error:
            unfit[str(error)] += 1
            continue
        tried.append(path)
        analysis = analysed(file_of(path, json.dumps(other)))
        if comparable_result(analysis, same) != comparable_result(expected, same):
            differing.append(shown(path))

    assert differing == []
    assert count_of_own(tried) >= fewest, unfit


def comparable_result(config: Analysed | None, same: Same) -> object:
    """Return the *same* part of each plan, by pipeline, and the settings of targets."""
    settings = [list(unmarked(plain(setting))) for setting in config.settings.values()] if config is not None else []
    return config and ({plan.name: same(plan) for plan in config.plans}, settings)


def count_of_own(paths: Iterable[Path]) -> int:
    """Return how many of *paths* are in the checkout."""
    return sum(path.is_relative_to(ROOT) for path in paths)


def test_moving_parts_to_an_included_file_keeps_the_plans(tmp_path: Path) -> None:
    """Pipelines and templates are moved."""
    tried, differing = [], []
    for path, data, _ in valid_configs():
        try:
            outer, inner = in_a_file(data)
        except UnfitError:
            continue
        tried.append(path)
        config = tmp_path / "pipegen.yaml"
        (tmp_path / "moved.yaml").write_text(json.dumps(inner), encoding="utf-8")
        analysis, expected = (analysed(file_of(config, json.dumps(config_data))) for config_data in (outer, data))
        if expected is None or comparable_result(analysis, whole_plan) != comparable_result(expected, whole_plan):
            differing.append(shown(config))

    assert differing == []
    assert count_of_own(tried) >= 30


def test_a_selected_pipeline_equals_that_of_the_whole_file() -> None:
    """It also equals that of a file without the others, the first one byte for byte."""
    tried, differing = [], []
    for path, data, whole in valid_configs():
        # Other configs are in an included file; and some configs have dozens of similar pipelines.
        here = [plan for plan in whole.plans if plan.name in pipelines(data)][:3]
        for plan in here if len(whole.plans) > 1 else ():
            tried.append(path)
            analysis = analysed(file_of(path, json.dumps(data)), plan.name)
            alone = analysed(file_of(path, json.dumps(chosen(data, plan.name))), plan.name)
            assert analysis is not None
            assert alone is not None
            if list(map(without_siblings, analysis.plans)) != [without_siblings(plan)]:
                differing.append((shown(path), plan.name))
            is_same = comparable_result(analysis, whole_plan) == comparable_result(alone, whole_plan)
            if not is_same or (plan is here[0] and files(analysis) != files(alone)):
                differing.append((shown(path), f"{plan.name} alone"))

    assert differing == []
    assert count_of_own(tried) >= 12


def files(analysis: Analysed) -> object:
    """Return the files and diagnostics of both targets."""
    generator = (written(analysis, *way) for way in WAYS[:2])
    return [(output.files, [(each.code, each.message) for each in output.diagnostics]) for output in generator]


def test_expanded_configs_have_the_same_plans() -> None:
    """Includes, templates, defaults and short-hands are expanded, and expanding again changes nothing."""
    differing = []
    for path in readable():
        file = file_of(path, text_of(path))
        expected = analysed(file)
        if expected is not None:
            text = as_yaml(expand(file, Report()))
            other = file_of(path, text)
            is_same = comparable_result(analysed(other), whole_plan) == comparable_result(expected, whole_plan)
            differing += [] if is_same and as_yaml(expand(other, Report())) == text else [shown(path)]

    assert differing == []


def test_equivalent_arcs_enforce_the_same_order() -> None:
    """Read back from files of each style and target."""
    path, data, expected = next(
        valid_config
        for valid_config in valid_configs()
        if len(list(_with_other_arcs(valid_config[1], valid_config[2]))) == len(ARCS)
    )
    relations = set()
    for other in (data, *_with_other_arcs(data, expected)):
        analysis = analysed(file_of(path, json.dumps(other)))
        assert analysis is not None
        for way in WAYS:
            comparison = compared(analysis, *way)
            assert comparison is not None
            assert comparison.faults == ()
            relations.add((way, relation(made_order(written(analysis, *way)))))

    assert len(relations) == len(WAYS)


def _with_other_arcs(data: Data, analysis: Analysed) -> Iterator[Data]:
    for name in ARCS:
        with suppress(UnfitError):
            yield CHANGES[name][0](data, analysis)


def test_different_configs_are_detected() -> None:
    """This proves that the checks can fail: reversed arcs, an incomplete renaming, an empty template."""
    _, data, expected = next(
        valid_config for valid_config in valid_configs() if valid_config[0].parent.name == "diamond"
    )
    arcs = with_arcs(data, lambda arcs, _: [arc[::-1] for arc in arcs])
    moved = in_templates(data)
    templates = moved["templates"]
    assert isinstance(templates, dict)
    templates.popitem()
    others = [json.dumps(config) for config in (arcs, moved)]
    others += [json.dumps(renamed(data, expected.plans)).replace(TOKEN, "", count) for count in (1, 2)]

    for text in others:
        analysis = analysed(SourceFile("pipegen.yaml", text))
        for same in (without_arc_order, without_direct_needs, whole_plan, without_marks):
            assert comparable_result(analysis, same) != comparable_result(expected, same)
