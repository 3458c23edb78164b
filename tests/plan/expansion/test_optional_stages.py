"""The order of stages when some of them are optional."""

from __future__ import annotations

import pytest
from plan.sample_plans import plan_of, plans_of, reported

from pipegen.plan.model import Plan

_OPTIONAL = "{name: %s, script: x, approve: {optional: true}%s}"
_STAGES = ", ".join(f"{{name: {name}, script: x}}" for name in "abc")


def _needs(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {job.stage: job.needs for job in plan.jobs}


@pytest.mark.parametrize(
    ("execution", "needs"),
    [
        ("[[a, o, b]]", {"a": (), "o": ("a",), "b": ("a",)}),
        ("[[o, b, a]]", {"o": (), "b": (), "a": ("b",)}),
        ("[[a, o, u, b]]", {"a": (), "o": ("a",), "u": ("a",), "b": ("a",)}),
        ("[[a, o, b], [a, c, b]]", {"a": (), "o": ("a",), "b": ("c",), "c": ("a",)}),
        ("[[[a, c], o, b]]", {"a": (), "c": (), "o": ("a", "c"), "b": ("a", "c")}),
    ],
)
def test_nothing_waits_for_an_optional_stage(execution: str, needs: dict[str, tuple[str, ...]]) -> None:
    """Later stages wait for the stages before it; no implied wait is added."""
    plan = plan_of(f"[{_STAGES}, {_OPTIONAL % ('o', '')}, {_OPTIONAL % ('u', '')}]", _all(execution))

    assert {name: needed for name, needed in _needs(plan).items() if name in needs} == needs


def test_the_stop_stage_of_an_optional_stage_waits_for_it() -> None:
    """Both run only if a person starts them."""
    stop = ", environment: {name: e, on_stop: b}"
    plan = plan_of(f"[{_STAGES}, {_OPTIONAL % ('o', stop)}]", "[[a, o, b], [o, c]]")

    assert _needs(plan) == {"a": (), "o": ("a",), "b": ("o",), "c": ("a",)}


def test_stages_after_a_call_do_not_wait_for_its_optional_stage() -> None:
    """They wait for the stages before it."""
    config = f"""pipelines:
  p:
    stages: [{{name: call, pipeline: q}}, {{name: after, script: x}}]
  q:
    stages: [{{name: a, script: x}}, {_OPTIONAL % ("o", "")}]
"""
    (plan,) = plans_of(config, "p")

    assert _needs(plan) == {"call / a": (), "call / o": ("call / a",), "after": ("call / a",)}


def test_outputs_and_files_of_an_optional_stage_are_unavailable() -> None:
    """Reading an output is an error with the reason; files are not passed on."""
    stage = _OPTIONAL % ("o", ", outputs: [v], artifacts: [dist/]")
    plan = plan_of(f"[{stage}, {{name: a, script: x}}]")
    (diagnostic,) = reported(f"pipelines: {{p: {{stages: [{stage}, {{name: a, script: 'echo ${{o.v}}'}}]}}}}")

    assert plan.job("a").files == ()
    assert diagnostic.code.number == "PG306"
    assert diagnostic.hint is not None
    assert diagnostic.hint.startswith('"o" is optional, so no stage waits for it')


def _all(execution: str) -> str:
    """Return *execution* with the stages that it does not name, each alone."""
    alone = [f"[{name}]" for name in "abcou" if name not in execution]
    return execution[:-1] + "".join(f", {arc}" for arc in alone) + "]"
