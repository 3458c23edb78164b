"""The condition of the only pipeline of a file, in the `when` of declarative stages."""

from __future__ import annotations

import pytest
from engines.sized import built

_NATIVE = "when {\nbeforeAgent true\n"


def _text(when: str, stages: str, keys: str = "", style: str = "declarative") -> str:
    """Return the unindented lines of the file of a pipeline with the condition *when*, *stages* and other *keys*."""
    config = f"pipelines: {{ p: {{ when: {{ {when} }}, stages: [{stages}] {keys} }} }}\n"
    return "\n".join(line.strip() for line in built(config, style).text.splitlines())


_STAGES = "{ name: a, script: x }, { name: b, script: x, when: { tag: v* } }"


@pytest.mark.parametrize(
    ("when", "line"),
    [
        ("branch: main", "branch 'main'"),
        ("event: schedule", "triggeredBy 'TimerTrigger'"),
        ("event: merge_request", "changeRequest()"),
        ("not: { branch: main }", "not { branch 'main' }"),
    ],
)
def test_each_stage_tests_a_condition_that_declarative_has(when: str, line: str) -> None:
    """Before its own condition; there is no function."""
    text = _text(when, _STAGES)

    assert f"stage('a') {{\n{_NATIVE}{line}\n}}\nagent any\n" in text
    assert f"stage('b') {{\n{_NATIVE}{line}\ntag 'v*'\n}}\nagent any\n" in text
    assert "conditionHolds" not in text
    assert "String branch()" not in text
    assert ("BRANCH_NAME = " in text) is ("branch" in line)


def test_a_stage_with_the_same_condition_tests_it_once() -> None:
    """The stage of its approval has it."""
    text = _text("branch: main", "{ name: a, script: x, approve: Go?, when: { branch: main } }, { name: b, script: x }")

    assert "stage('approve a') {\nwhen {\nbeforeInput true\nbranch 'main'\n}\ninput {" in text
    assert text.count("branch 'main'") == 2


def test_the_stage_around_several_tests_the_condition() -> None:
    """The stages inside do not, as they do not start without it."""
    stages = ", ".join(f"{{ name: {name}, script: x, when: {{ branch: main, tag: v* }} }}" for name in "abc")
    text = _text("branch: main", stages, ", execution: [[a, b], [c]]")

    assert f"stage('a, b') {{\n{_NATIVE}branch 'main'\n}}\nstages {{\n" in text
    assert f"stage('b') {{\n{_NATIVE}tag 'v*'\n}}\n" in text
    assert text.count("branch 'main'") == 2


@pytest.mark.parametrize("when", ["branch: '/^r/'", "event: push", "changes: [src/**]", "exists: Makefile"])
def test_other_conditions_are_a_function(when: str) -> None:
    """Declarative has no test for them."""
    assert "expression { conditionHolds() }" in _text(when, _STAGES)


def test_a_long_condition_of_many_stages_is_a_function() -> None:
    """It is shorter."""
    when = "branch: [main, develop]"
    many = ", ".join(f"{{ name: s{number}, script: x }}" for number in range(5))

    assert "anyOf {\nbranch 'main'\nbranch 'develop'\n}" in _text(when, "{ name: a, script: x }")
    assert "expression { conditionHolds() }" in _text(when, many)


def test_finally_stages_test_the_condition_in_groovy() -> None:
    """They are steps in `post`, so the other stages call the function, too."""
    text = _text("branch: main", _STAGES, ", execution: [[a]], finally: { failed: [b] }")

    assert f"stage('a') {{\n{_NATIVE}expression {{ conditionHolds() }}\n}}\n" in text
    condition = "conditionHolds() && currentBuild.resultIsWorseOrEqualTo('FAILURE') && env.TAG_NAME"
    assert f"stage('b') {{\nif ({condition}" in text


def test_a_scripted_file_tests_the_condition_in_a_function() -> None:
    """It has no `when`."""
    assert "if (conditionHolds()) {" in _text("branch: main", _STAGES, style="scripted")


def test_functions_with_stages_of_one_pipeline_are_called_on_one_test() -> None:
    """More stages than fit into a function are in several."""
    stages = ", ".join(f"{{ name: s{number}, script: x }}" for number in range(60))
    text = _text("branch: main", stages, style="scripted")

    assert "if (conditionHolds()) {\naddStages1()\naddStages2()\n}\n" in text


def test_a_file_that_removes_what_stages_share_tests_the_condition_in_a_function() -> None:
    """The removal is Groovy."""
    stages = "{ name: a, build: x }, { name: b, run: { image: '${a.imageID}' } }"

    assert "script {\nif (conditionHolds()) {" in _text("branch: main", stages)


@pytest.mark.parametrize(
    ("stage", "start"),
    [
        ("script: x", "return conditionHolds(pipeline)"),
        ("build: v, publish: { image: true }", "return !onDemand().contains(pipeline) && conditionHolds(pipeline)"),
    ],
)
def test_a_file_lists_pipelines_on_demand_only_if_there_are_some(stage: str, start: str) -> None:
    """Others run unless the parameter names pipelines."""
    others = "b: { when: { tag: true }, stages: [{ name: t, script: x }] }"
    text = built(f"pipelines: {{ a: {{ stages: [{{ name: s, {stage} }}] }}, {others} }}\n", "scripted").text

    assert start in text
    assert ("List onDemand()" in text) == ("onDemand" in start)


def _stages_text(*stages: str) -> str:
    """Return the unindented lines of the file of *stages*, all of them beside each other."""
    config = f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [[[a, b]]] }} }}\n"
    return "\n".join(line.strip() for line in built(config, "declarative").text.splitlines())


def test_the_stage_around_a_parallel_tests_a_condition_that_all_have() -> None:
    """It takes no agent, and nothing else reads the condition."""
    text = _stages_text(*(f"{{ name: {name}, script: x, when: {{ branch: main }} }}" for name in "ab"))

    assert "stage('a, b') {\nwhen {\nbranch 'main'\n}\nparallel {\nstage('a') {\nagent any\n" in text
    assert text.count("branch 'main'") == 1
    assert "String branch()" not in text


def test_the_stage_around_a_parallel_can_call_functions() -> None:
    """The file has these, although no stage calls them."""
    text = _stages_text(*(f"{{ name: {name}, script: x, when: {{ changes: ['docs/**'] }} }}" for name in "ab"))

    assert text.count("expression { hasChanged(") == 1
    assert "boolean hasChanged(" in text


def test_stages_of_a_parallel_with_other_conditions_test_them() -> None:
    """Each starts by its own condition."""
    text = _stages_text("{ name: a, script: x, when: { branch: main } }", "{ name: b, script: x }")

    assert "parallel {\nstage('a') {\nwhen {\nbeforeAgent true\nbranch 'main'\n}\n" in text
