"""Commands after the steps of a stage: they can read values, but share no shell with the steps."""

from __future__ import annotations

import pytest
from shell.world import HOSTILE, World, each_of, host, plan_of, script_of, text_of

from pipegen.plan.model import Plan
from pipegen.shell.script import StageScriptParts

KEPT = host(after_values="$HOME/kept-$JOB")


def plan(**keys: object) -> Plan:
    """Return the plan of a stage `t` with *keys* after one that outputs `v`."""
    first = {"name": "a", "script": ["true"], "outputs": ["v"]}
    return plan_of([first, {"name": "t", "script": ["true"], **keys}])


def after(pipeline_plan: Plan) -> StageScriptParts:
    """Return the script after the stage `t`."""
    parts = script_of(pipeline_plan, "t", KEPT).after

    assert parts is not None
    return parts


def test_after_commands_without_references_are_unchanged() -> None:
    """No values are stored for them."""
    pipeline_plan = plan(after=["make clean", "rm -rf x"])

    assert text_of(after(pipeline_plan)) == "make clean\nrm -rf x\n"
    assert text_of(script_of(pipeline_plan, "t", KEPT)) == "true\n"


def test_a_stage_without_after_has_no_after_script() -> None:
    """An empty script is not generated."""
    assert script_of(plan(), "t", KEPT).after is None


@pytest.mark.parametrize("takes_checkout", [False, True])
@pytest.mark.parametrize("name", each_of(HOSTILE))
def test_after_commands_read_values(world: World, name: str, *, takes_checkout: bool) -> None:
    """Even if the steps fail immediately; values that may not stay in the checkout are stored outside."""
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


def test_after_commands_read_values_of_a_shared_workspace_in_place() -> None:
    """No value is copied or removed."""
    pipeline_plan = plan(after=["echo ${a.v}"])
    parts = script_of(pipeline_plan, "t", host(values="$VALUES", after_values="$KEPT"))

    assert parts.after is not None
    assert "KEPT" not in text_of(parts) + text_of(parts.after)
    assert '"$VALUES/outputs/' in text_of(parts.after)
