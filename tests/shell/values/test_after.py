"""What comes after the steps of a stage: the values that it reads, and nothing else of the steps' shell."""

from __future__ import annotations

import pytest
from shell.world import HOSTILE, World, host, plan_of, script_of, text_of

from pipegen.plan.model import Plan
from pipegen.shell.script import StageScriptParts

KEPT = host(after_values="$HOME/kept-$JOB")


def plan(**keys: object) -> Plan:
    """Return the plan of a stage `t` with *keys* behind one that leaves `v`."""
    first = {"name": "a", "script": ["true"], "outputs": ["v"]}
    return plan_of([first, {"name": "t", "script": ["true"], **keys}])


def after(pipeline_plan: Plan) -> StageScriptParts:
    """Return what comes after the stage `t`."""
    parts = script_of(pipeline_plan, "t", KEPT).after

    assert parts is not None
    return parts


def test_commands_that_read_nothing_stand_alone() -> None:
    """Nothing is left for them."""
    pipeline_plan = plan(after=["make clean", "rm -rf x"])

    assert text_of(after(pipeline_plan)) == "make clean\nrm -rf x\n"
    assert text_of(script_of(pipeline_plan, "t", KEPT)) == "true\n"


def test_a_stage_without_it_has_none() -> None:
    """No script of no commands."""
    assert script_of(plan(), "t", KEPT).after is None


@pytest.mark.parametrize("takes_checkout", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_values_are_read_again(world: World, name: str, *, takes_checkout: bool) -> None:
    """Where the steps failed at once, too; values that may not stay in the checkout wait outside of it."""
    value = HOSTILE[name] if name != "long" else HOSTILE[name][:60_000]
    script = ["exit 3", *(["tar cf x.tar ."] if takes_checkout else [])]
    pipeline_plan = plan(script=script, env={"E": "<${a.v}>"}, after=['printf "%s%s" ${a.v} "$E" >seen'])
    world.give(pipeline_plan.job("a").slug, "v", value)

    first = world.run_job(pipeline_plan, "t", KEPT)
    second = world.run(text_of(after(pipeline_plan)))

    assert (first.status != 0, second.status, second.errors) == (True, 0, "")
    assert (world.root / "seen").read_bytes().decode() == f"{value}<{value}>"
    assert not (world.folder / "kept-7").exists()
    assert (world.root / ".pipegen").exists() is not takes_checkout


def test_values_of_a_shared_workspace_are_where_they_are() -> None:
    """Nothing is copied, nothing removed."""
    pipeline_plan = plan(after=["echo ${a.v}"])
    parts = script_of(pipeline_plan, "t", host(values="$VALUES", after_values="$KEPT"))

    assert parts.after is not None
    assert "KEPT" not in text_of(parts) + text_of(parts.after)
    assert '"$VALUES/outputs/' in text_of(parts.after)
