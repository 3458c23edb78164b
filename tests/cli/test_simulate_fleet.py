"""`pipegen simulate --fleet`."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli.program import Pipegen, Result
from jsonschema import Draft202012Validator

from pipegen.assets import folder
from pipegen.run.chart.times import SECONDS

CONFIG = """\
pipelines:
  service:
    stages:
      - { name: build, script: [make], retry: 1 }
      - { name: unit, script: [make test], image: gcc:14, services: [postgres:16] }
      - { name: release, script: [make release], approve: true }
    execution:
      - [build, unit, release]
"""

FLEET = """\
machines:
  - { name: linux, count: 2, slots: 2, cpu: 4, memory: 8Gi, price: 0.5 }
  - { name: cloud, autoscale: { maximum: 3, start_up: 1m, idle: 10m }, price: 2 }
queues:
  - { name: requests, weight: 3, capability: { slots: 4 } }
  - { name: other, priority: -1, guarantee: { cpu: 1 } }
load:
  - config: pipegen.yaml
    queue: requests
    priority: 5
    arrivals: { rates: [{ rate: 1 }, { days: "mon-fri", hours: 9-17, rate: 6 }] }
    durations: { build: 3 minutes, unit: { median: 4m, p95: 9m }, release: { mean: 1m } }
    approvals: { release: { median: 30m, p95: 4h } }
    failures: { build: 0.1 }
    services: { postgres: { cpu: 1, memory: 1Gi } }
    waiting_time: 10m
  - name: nightly
    config: pipegen.yaml
    queue: other
    arrivals: { cron: 0 2 * * * }
    durations: { build: 60, unit: 2h, release: 0 }
duration: 2 days
warm_up: 1h
"""


@pytest.fixture
def fleet(empty: Path) -> Path:
    """Return the current folder, with a config and a fleet."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    (empty / "fleet.yaml").write_text(FLEET, encoding="utf-8")
    return empty


def data(pipegen: Pipegen, *arguments: str) -> dict[str, Any]:
    """Return the JSON output of a call."""
    result = pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json", *arguments)
    assert result.status == 0, result.err
    values: dict[str, Any] = json.loads(result.out)
    return values


@pytest.mark.usefixtures("fleet")
def test_text_has_the_same_figures_as_data(pipegen: Pipegen) -> None:
    """Queues, loads and machines have one row each."""
    text, values = pipegen("simulate", "--fleet", "fleet.yaml"), data(pipegen)
    rows = [line.split() for line in text.out.splitlines()]

    assert f"{values['stages']} stages on 2 linux, 0 to 3 cloud" in text.out
    for value in values["queues"]:
        assert [value["queue"], str(value["priority"]), str(value["waiting"]["count"])] in [row[:3] for row in rows]
    for value in values["machines"]:
        cost = f"{value['cost']:.2f}"
        assert any(row[:1] == [value["machines"]] and row[-1] == cost for row in rows)


@pytest.mark.usefixtures("fleet")
def test_rows_add_up(pipegen: Pipegen) -> None:
    """The sums of the rows by hour are the total figures."""
    result, values = pipegen("simulate", "--fleet", "fleet.yaml", "--format", "csv"), data(pipegen)
    rows = list(csv.DictReader(io.StringIO(result.out)))

    def total(name: str, measure: str) -> float:
        return sum(float(row["value"]) for row in rows if (row["name"], row["measure"]) == (name, measure))

    for value in values["machines"]:
        assert abs(total(value["machines"], "cost") - value["cost"]) < 1e-3
    for value in values["loads"]:
        assert total(value["load"], "stages") == value["waiting"]["count"]


@pytest.mark.parametrize("option", [["--executors", "2"], ["--sweep", "1..4"], ["--durations", "d"], ["pipegen.yaml"]])
@pytest.mark.usefixtures("fleet")
def test_the_file_says_everything(option: list[str], pipegen: Pipegen) -> None:
    """Options of other simulations are rejected."""
    result = pipegen("simulate", "--fleet", "fleet.yaml", *option)

    assert result.status == 2
    assert "the file of the fleet has" in result.err


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("queue: other\n", "queue: others\n", "PG803"),
        ("release: 0 }", "relaese: 0 }", "PG803"),
        ("services: { postgres:", "services: { mysql:", "PG803"),
        ("name: other", "name: requests", "PG804"),
        ("name: nightly", "name: service", "PG804"),
        ("0 2 * * *", "0 2 * *", "PG805"),
        ("hours: 9-17", "hours: 17-9", "PG805"),
        ("release: { mean: 1m }", "release: { mean: 0 }", "PG805"),
        ("warm_up: 1h", "scheduling: { tiers: [[gang], []] }", "PG204"),
        ("median: 4m, p95: 9m", "median: 9m, p95: 4m", "PG805"),
        ("count: 2, slots", "autoscale: { minimum: 2, maximum: 1 }, slots", "PG805"),
        ("count: 2, slots", "count: 2, autoscale: { maximum: 3 }, slots", "PG805"),
        ("rate: 1 }", "rate: -1 }", "PG204"),
        ("rate: 1 }", "rate: .nan }", "PG805"),
        ("rate: 1 }", "rate: 1000000 }", "PG805"),
        ("cron: 0 2 * * *", "cron: 0 2 * * *, rate: 1", "PG204"),
        ("cron: 0 2 * * *", "rate: 0", "PG805"),
        ("cron: 0 2 * * *", "rates: [{ days: wed, hours: 9-17, rate: 4 }]", "PG805"),
        ("cron: 0 2 * * *", "rates: [{ days: tue, hours: 9-17, rate: 4 }]", ""),
        ("cron: 0 2 * * *", "times: [49h]", "PG805"),
        ("cron: 0 2 * * *", "times: []", "PG805"),
        ("cron: 0 2 * * *", "cron: 0 2 29 2 *", "PG805"),
        ("duration: 2 days", "duration: 0", "PG805"),
        ("duration: 2 days", "duration: 999999999 weeks", "PG805"),
        ("warm_up: 1h", "warm_up: 3 days", "PG805"),
        ("warm_up: 1h", "scheduling: { actions: [enqueue] }", "PG805"),
        ("warm_up: 1h", "scheduling: { tiers: [[gang, gang]] }", "PG805"),
        ("config: pipegen.yaml", "config: none.yaml", "PG805"),
        ("cpu: 4", f"cpu: {'9' * 400}", "PG204"),
        ("guarantee: { cpu: 1 }", f"guarantee: {{ cpu: {'9' * 400} }}", "PG204"),
        ("capability: { slots: 4 }", "capability: { slots: 4 }, guarantee: { slots: 5 }", "PG805"),
        ("guarantee: { cpu: 1 }", "guarantee: { slots: 9 }", "PG805"),
        ("guarantee: { cpu: 1 }", "capability: { slots: 0.5 }", "PG805"),
        ("postgres: { cpu: 1,", "postgres: { slots: 3,", "PG805"),
        ("seconds", "", ""),
        ("price: 2", "price: 0x2", ""),
    ],
)
def test_errors_are_reported(old: str, new: str, code: str, fleet: Path, pipegen: Pipegen) -> None:
    """Each error has its code."""
    (fleet / "fleet.yaml").write_text(FLEET.replace(old, new), encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleet.yaml")

    assert (f"error[{code}]" in result.err) is bool(code)
    assert result.status == (1 if code else 0)


def test_a_time_of_zero_may_have_a_unit(fleet: Path, pipegen: Pipegen) -> None:
    """The defaults of several keys are zero, as a number and in words."""
    before = pipegen("simulate", "--fleet", "fleet.yaml")
    words = FLEET.replace("release: 0 }", "release: 0s }")
    (fleet / "fleet.yaml").write_text(words, encoding="utf-8")

    assert words != FLEET
    assert pipegen("simulate", "--fleet", "fleet.yaml") == before


def test_a_mean_of_zero_is_named(fleet: Path, pipegen: Pipegen) -> None:
    """The message says what is wrong, as other messages do."""
    (fleet / "fleet.yaml").write_text(FLEET.replace("mean: 1m", "mean: 0"), encoding="utf-8")

    assert "error[PG805]: the mean of a time is 0\n" in pipegen("simulate", "--fleet", "fleet.yaml").err


@pytest.mark.parametrize("hours", ["9-25", "24-25", "25-26", "0-99"])
def test_hours_are_within_a_day(hours: str, fleet: Path, pipegen: Pipegen) -> None:
    """The message names the range."""
    (fleet / "fleet.yaml").write_text(FLEET.replace("hours: 9-17", f"hours: {hours}"), encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleet.yaml")

    assert result.status == 1
    assert f'error[PG805]: the hours "{hours}" are not within 0-24\n' in result.err
    assert "^" * len(hours) in result.err
    assert 'write hours from 0 to 24, such as "9-17"' in result.err


@pytest.mark.parametrize(("time", "is_reported"), [("5m", True), ("{ mean: 5m }", True), ("0", False)])
def test_approvals_of_stages_that_need_none_are_reported(
    time: str, *, is_reported: bool, fleet: Path, pipegen: Pipegen
) -> None:
    """At once is the default."""
    text = FLEET.replace("approvals: {", f"approvals: {{ build: {time},")
    (fleet / "fleet.yaml").write_text(text, encoding="utf-8")
    warning = 'warning[PG807]: the approval of "build" has no effect, because the stage needs none'

    assert (warning in pipegen("simulate", "--fleet", "fleet.yaml").err) is is_reported


def test_the_text_says_what_time_cost_and_use_cover(fleet: Path, pipegen: Pipegen) -> None:
    """It is the whole simulation; the cost of machines that always run is that of this time."""
    (fleet / "fleet.yaml").write_text(FLEET.replace("warm_up: 1h", "warm_up: 90m"), encoding="utf-8")
    text, values = pipegen("simulate", "--fleet", "fleet.yaml").out, data(pipegen)
    line = f"whole simulation of {SECONDS.words(values['end'])}, with the warm-up of 1 h 30 min"

    assert f"shares, machines and cost cover the {line}\n" in text
    assert values["machines"][0]["cost"] == pytest.approx(values["end"] / 3600 * 2 * 0.5)


@pytest.mark.parametrize(
    ("machines", "services", "fits"),
    [
        ([{"count": 2, "cpu": 3}], 2, False),
        ([{"count": 2, "cpu": 4}], 2, True),
        ([{"count": 2, "cpu": 3}, {"autoscale": {"maximum": 1}, "cpu": 2}], 2, True),
        ([{"count": 1, "cpu": 2, "labels": ["arm"]}, {"count": 9, "cpu": 2}], 9, True),
        ([{"count": 1, "cpu": 2, "labels": ["arm"]}, {"count": 9, "cpu": 1}], 1, False),
    ],
)
def test_a_stage_fits_with_its_services(
    machines: list[dict[str, object]], services: int, *, fits: bool, empty: Path, pipegen: Pipegen
) -> None:
    """Each takes two processors, and the stage needs a label if a machine has it."""
    write_gang(empty, machines, services)
    result = pipegen("simulate", "--fleet", "fleet.yaml")

    assert ("fit on no machines together" in result.err) is not fits
    assert result.status == (0 if fits else 1)
    assert "never end" not in result.out


def test_pipelines_without_room_are_counted(empty: Path, pipegen: Pipegen) -> None:
    """A search for machines with room for twenty services and their stage ends before it has tried everything."""
    write_gang(empty, [{"count": 1, "cpu": 4 + number, "slots": 2} for number in range(9)], 19)
    result = pipegen("simulate", "--fleet", "fleet.yaml")

    assert (result.status, result.err) == (0, "")
    assert "1 pipeline of p never ends: no machine or queue has room for their stages" in result.out


def write_gang(folder: Path, machines: list[dict[str, object]], services: int) -> None:
    """Write a fleet of *machines* and a stage with as many *services*; each takes two processors."""
    names = [f"db{number}" for number in range(services)]
    agent = "agent: arm, " if any("labels" in machine for machine in machines) else ""
    stage = f"name: a, image: i, {agent}resources: {{ cpu: 2 }}"
    listed = ", ".join(f"{{ image: x, alias: {name} }}" for name in names)
    config = f"pipelines: {{ p: {{ stages: [{{ {stage}, services: [{listed}] }}] }} }}"
    (folder / "pipegen.yaml").write_text(config, encoding="utf-8")
    load = {"config": "pipegen.yaml", "arrivals": {"times": [0]}, "durations": {"a": 60}}
    groups = [{"name": f"m{number}", "slots": 20, **machine} for number, machine in enumerate(machines)]
    amounts = {name: {"cpu": 2, "slots": 1} for name in names}
    fleet = {"machines": groups, "load": [{**load, "services": amounts}], "scheduling": {"tiers": [["gang"]]}}
    (folder / "fleet.yaml").write_text(json.dumps(fleet), encoding="utf-8")


THREE_AT_ONCE = """\
machines: [{{ name: m, count: 3 }}]
queues: [{{ name: q, {queue} }}, {{ name: r }}]
load:
  - {{ config: pipegen.yaml, queue: q, arrivals: {{ times: [0, 0, 0] }}, durations: {{ a: 1h }}, {load} }}
  - {{ name: r, config: pipegen.yaml, queue: r, arrivals: {{ times: [0] }}, durations: {{ a: 1h }} }}
scheduling: {{ tiers: [[{tiers}]], {actions} }}
"""
FREE = "pipelines: { p: { stages: [{ name: a, interruptible: true }] } }\n"
SHARING = '"fair-share", "proportion" or "capacity"'
LACKING = 'the plugin "priority" or "gang"'


def three_at_once(
    folder: Path, pipegen: Pipegen, *, queue: str = "", load: str = "", tiers: str = "gang", actions: str = ""
) -> Result:
    """Simulate three stages that start at once in a queue with the keys *queue*, and one in another queue."""
    (folder / "pipegen.yaml").write_text(FREE, encoding="utf-8")
    text = THREE_AT_ONCE.format(queue=queue, load=load, tiers=tiers, actions=actions)
    (folder / "fleet.yaml").write_text(text, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleet.yaml")
    assert result.status == 0, result.err
    return result


@pytest.mark.parametrize(
    ("queue", "load", "tiers", "warning"),
    [
        ("capability: { slots: 1 }", "", "gang", f'"capability" has no effect without the plugin {SHARING}'),
        ("guarantee: { slots: 1 }", "", "gang", f'"guarantee" has no effect without the plugin {SHARING}'),
        ("priority: 1", "", "gang", f'"priority" has no effect without the plugin {SHARING}'),
        ("weight: 3", "", "gang, capacity", '"weight" has no effect without the plugin "fair-share" or "proportion"'),
        (
            *("", "priority: 1", "gang, fair-share"),
            'stages do not start in the order of "priority" without the plugin "priority"',
        ),
        *(("capability: { slots: 1 }", "", plugin, "") for plugin in ("fair-share", "capacity", "proportion")),
        *(("guarantee: { slots: 1 }", "", plugin, "") for plugin in ("fair-share", "capacity", "proportion")),
        *(("priority: 1", "", plugin, "") for plugin in ("fair-share", "capacity", "proportion")),
        *(("weight: 3", "", plugin, "") for plugin in ("fair-share", "proportion")),
        ("", "priority: 1", "priority", ""),
        ("weight: 1, priority: 0, capability: {}, guarantee: { slots: 0 }, reclaimable: true", "", "gang", ""),
        ("", "priority: 0, may_preempt: true", "gang", ""),
    ],
)
def test_keys_that_no_plugin_reads_are_reported(
    queue: str, load: str, tiers: str, warning: str, empty: Path, pipegen: Pipegen
) -> None:
    """A key with the effect of its default is not."""
    result = three_at_once(empty, pipegen, queue=queue, load=load, tiers=tiers)

    assert [line for line in result.err.splitlines() if "PG" in line] == [f"warning[PG807]: {warning}"] * bool(warning)


def test_values_that_are_the_same_everywhere_are_not_reported(empty: Path, pipegen: Pipegen) -> None:
    """Weights and priorities order queues and loads only if they differ."""
    (empty / "pipegen.yaml").write_text(FREE, encoding="utf-8")
    text = THREE_AT_ONCE.replace("name: r }}", "name: r, {queue} }}").replace("- {{ name: r,", "- {{ name: r, {load},")
    text = text.format(queue="weight: 2, priority: 3", load="priority: 4", actions="", tiers="gang")
    (empty / "fleet.yaml").write_text(text, encoding="utf-8")

    assert pipegen("simulate", "--fleet", "fleet.yaml").err == ""


@pytest.mark.parametrize(
    ("action", "tiers", "missing"),
    [
        ("preempt", "gang, fair-share", 'the plugin "priority" or "drf"'),
        ("preempt", "drf", LACKING),
        ("preempt", "binpack", f'the plugin "priority" or "drf", and {LACKING}'),
        ("preempt", "drf, gang", ""),
        ("preempt", "priority", ""),
        ("reclaim", "gang", f"the plugin {SHARING}"),
        ("reclaim", "capacity", LACKING),
        ("reclaim", "binpack", f"the plugin {SHARING}, and {LACKING}"),
        *(("reclaim", f"gang, {plugin}", "") for plugin in ("fair-share", "capacity", "proportion")),
    ],
)
def test_actions_for_which_no_plugin_votes_are_reported(
    action: str, tiers: str, missing: str, empty: Path, pipegen: Pipegen
) -> None:
    """A plugin says for whom stages stop, and one finds the stages that lack room; a warning names both."""
    result = three_at_once(empty, pipegen, tiers=tiers, actions=f"actions: [enqueue, allocate, {action}]")

    warning = f'warning[PG807]: "{action}" has no effect: it needs {missing}'
    assert [line for line in result.err.splitlines() if "PG" in line] == [warning] * bool(missing)


def test_an_action_without_plugins_and_stages_is_reported_once(empty: Path, pipegen: Pipegen) -> None:
    """The warning names everything that it needs, and the hint each step."""
    actions = "actions: [enqueue, allocate, preempt, reclaim]"
    text = THREE_AT_ONCE.format(queue="", load="", tiers="binpack", actions=actions)
    (empty / "fleet.yaml").write_text(text, encoding="utf-8")
    (empty / "pipegen.yaml").write_text(FREE.replace("true", "false"), encoding="utf-8")
    error = pipegen("simulate", "--fleet", "fleet.yaml").err

    assert error.count("warning[PG807]") == 2
    assert f'"reclaim" has no effect: it needs the plugin {SHARING}, and {LACKING}, and a stage that is' in error
    assert 'add "fair-share" and "priority" to "tiers" in "scheduling" and write "interruptible: true"' in error


def test_a_priority_without_its_plugin_still_groups_results(empty: Path, pipegen: Pipegen) -> None:
    """The waits are those of a queue at each priority."""
    (empty / "pipegen.yaml").write_text(FREE, encoding="utf-8")
    text = THREE_AT_ONCE.replace("queue: r,", "queue: q,").format(
        queue="", load="priority: 2", tiers="gang", actions=""
    )
    (empty / "fleet.yaml").write_text(text, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json")
    queues = json.loads(result.out)["queues"]

    assert 'or remove "priority", by which results are grouped' in result.err
    assert [(queue["queue"], queue["priority"], queue["waiting"]["count"]) for queue in queues] == [
        ("q", 2, 3),
        ("q", 0, 1),
    ]


@pytest.mark.parametrize("duration", ["999999999 weeks", "{ median: 1s, p95: 999999999 weeks }"])
def test_a_simulation_takes_a_limited_time(duration: str, fleet: Path, pipegen: Pipegen) -> None:
    """Stages of a million years end it with a diagnostic."""
    text = FLEET.replace("release: { mean: 1m }", f"release: {duration}")
    (fleet / "fleet.yaml").write_text(text, encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleet.yaml")

    assert (result.status, "do not end within" in result.err) == (1, True)


@pytest.mark.parametrize(
    "tiers",
    [
        [["priority", "gang"], ["drf", "proportion", "binpack"]],
        [["sla"], ["gang"], ["capacity", "first-ready"]],
        [["gang", "fair-share", "critical-path"]],
    ],
)
def test_plugins_and_actions(tiers: list[list[str]], fleet: Path, pipegen: Pipegen) -> None:
    """With all of them, the same load runs to its end."""
    actions = ["enqueue", "allocate", "preempt", "reclaim", "backfill"]
    queues = FLEET.replace("priority: -1,", "deserved: { slots: 2 }, parent: all,")
    queues = queues.replace("queues:", "queues:\n  - { name: all }", 1)
    text = queues + f"scheduling: {json.dumps({'actions': actions, 'tiers': tiers})}\n"
    (fleet / "fleet.yaml").write_text(text, encoding="utf-8")
    config = CONFIG.replace("retry: 1", "interruptible: true")
    (fleet / "pipegen.yaml").write_text(config, encoding="utf-8")
    values = data(pipegen)

    assert [load["result"]["count"] for load in values["loads"]] == [142, 2]


def test_the_hint_for_an_empty_file_names_a_key(fleet: Path, pipegen: Pipegen) -> None:
    """A config has another hint."""
    (fleet / "fleet.yaml").write_text("", encoding="utf-8")

    for option in ("--fleet", "--cluster"):
        assert pipegen("simulate", option, "fleet.yaml").err.endswith(
            '  = hint: begin the file with "machines:"\n\n1 error\n'
        )


def test_a_queue_is_not_above_itself(fleet: Path, pipegen: Pipegen) -> None:
    """A cycle is reported, as is a parent that does not exist."""
    for parent, code in (("other", "PG805"), ("none", "PG803")):
        text = FLEET.replace("name: other,", f"name: other, parent: {parent},")
        (fleet / "fleet.yaml").write_text(text, encoding="utf-8")

        assert f"error[{code}]" in pipegen("simulate", "--fleet", "fleet.yaml").err


@pytest.mark.usefixtures("fleet")
def test_machines_are_searched(pipegen: Pipegen) -> None:
    """The condition holds for the number in the output; the figures are those for this number."""
    values = data(pipegen, "--find", "longest(wait in requests) < 10m")
    text = pipegen("simulate", "--fleet", "fleet.yaml", "--find", "longest(wait in requests) < 10m")

    assert values["find"]["machines"] == "linux"
    assert values["find"]["value"] < 600
    assert values["machines"][0]["maximum"] == values["find"]["count"]
    assert text.out.startswith(f"enough: {values['find']['count']} linux (")


@pytest.mark.parametrize(
    ("condition", "message"),
    [("p90(wait) < 1m", "median(result in QUEUE)"), ("p95(wait in none) < 1m", 'there is no queue "none"')],
)
@pytest.mark.usefixtures("fleet")
def test_conditions_are_checked(condition: str, message: str, pipegen: Pipegen) -> None:
    """An invalid condition is wrong usage."""
    result = pipegen("simulate", "--fleet", "fleet.yaml", "--find", condition)

    assert result.status == 2
    assert message in result.err


def test_a_missing_duration_is_the_mean(fleet: Path, pipegen: Pipegen) -> None:
    """It is reported as a warning."""
    (fleet / "fleet.yaml").write_text(FLEET.replace("unit: 2h, ", ""), encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleet.yaml")

    assert result.status == 0
    assert 'no duration for stage "unit", which takes 30 s here' in result.err


def test_the_schema_and_its_examples_hold() -> None:
    """The schema fits its draft, each key has a description, and examples and defaults are valid."""
    schema = json.loads((folder("schemas") / "fleet.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    parts = list(schema["properties"].values())
    parts += [part for shape in schema["$defs"].values() for part in shape.get("properties", {}).values()]

    assert parts
    for part in parts:
        described = part if "description" in part else schema["$defs"][part["$ref"].rpartition("/")[2]]
        assert "description" in described or "properties" in described
        validator = Draft202012Validator({"$defs": schema["$defs"], **part})
        for value in [*part.get("examples", []), *([part["default"]] if "default" in part else [])]:
            assert list(validator.iter_errors(value)) == []


CROWDED = """\
pipelines:
  small: { stages: [{ name: check, interruptible: true }] }
  large: { stages: [{ name: test, resources: { cpu: "4" }, services: [postgres:16, mail:1] }] }
"""


def crowded(actions: list[str], tiers: list[list[str]]) -> str:
    """Return a fleet whose machines are full of small stages, while large stages with services wait."""
    return f"""\
machines: [{{ name: linux, count: 2, slots: 4, cpu: 4 }}]
queues: [{{ name: few, weight: 6, deserved: {{ cpu: 5 }} }}, {{ name: many, deserved: {{ cpu: 3 }} }}]
load:
  - config: pipegen.yaml
    pipeline: small
    queue: many
    arrivals: {{ rate: 100 }}
    durations: {{ check: 4m }}
  - config: pipegen.yaml
    pipeline: large
    queue: few
    priority: 3
    arrivals: {{ rate: 2 }}
    durations: {{ test: 5m }}
    services: {{ postgres: {{ cpu: 1 }}, mail: {{}} }}
scheduling: {json.dumps({"actions": actions, "tiers": tiers})}
duration: 6h
"""


ALLOCATE = ["enqueue", "allocate", "backfill"]
RECLAIM = ["enqueue", "allocate", "reclaim", "backfill"]


@pytest.mark.parametrize(
    ("actions", "tiers", "most", "is_preempting"),
    [
        (ALLOCATE, [["gang", "first-ready"]], 3600, False),
        (RECLAIM, [["gang"], ["capacity", "first-ready"]], 600, True),
        (RECLAIM, [["gang"], ["fair-share"]], 600, True),
        (RECLAIM, [["gang"], ["proportion"]], 600, True),
    ],
)
def test_large_stages_get_room(
    actions: list[str], tiers: list[list[str]], most: int, *, is_preempting: bool, empty: Path, pipegen: Pipegen
) -> None:
    """The room is reserved when many stages overtook them, or taken from the queue that has more than its share."""
    config = CROWDED.replace("name: check,", 'name: check, resources: { cpu: "1" },')
    (empty / "pipegen.yaml").write_text(config, encoding="utf-8")
    (empty / "fleet.yaml").write_text(crowded(actions, tiers), encoding="utf-8")
    small, large = data(pipegen)["loads"]

    assert large["waiting"]["count"] > 5
    assert 0 < large["waiting"]["longest"] < most
    assert (small["preempted"] > 0) is is_preempting
    assert ("work lost" in pipegen("simulate", "--fleet", "fleet.yaml").out) is is_preempting


def test_stages_without_room_are_an_error(empty: Path, pipegen: Pipegen) -> None:
    """The stage's services find no room beside it, even if machines follow the load; or its requests are too large."""
    (empty / "pipegen.yaml").write_text(CROWDED, encoding="utf-8")
    text = crowded(ALLOCATE, [["gang"]])
    for machines in ("count: 1", "autoscale: { minimum: 0, maximum: 1, start_up: 1m, idle: 5m }"):
        (empty / "fleet.yaml").write_text(text.replace("count: 2", machines), encoding="utf-8")
        waiting = pipegen("simulate", "--fleet", "fleet.yaml")

        assert 'stages of "large" and their services fit on no machines together: "test"' in waiting.err
    (empty / "fleet.yaml").write_text(text.replace("cpu: 4 }]", "cpu: 3 }]"), encoding="utf-8")
    too_large = pipegen("simulate", "--fleet", "fleet.yaml")

    assert "requests more cpu than any suitable machine has" in too_large.err


def test_stages_with_services_start_machines(empty: Path, pipegen: Pipegen) -> None:
    """They are admitted although too few machines run."""
    (empty / "pipegen.yaml").write_text(CROWDED, encoding="utf-8")
    text = crowded(ALLOCATE, [["gang"], ["fair-share"]])
    machines = "autoscale: { minimum: 0, maximum: 6, start_up: 1m, idle: 5m }"
    (empty / "fleet.yaml").write_text(text.replace("count: 2", machines), encoding="utf-8")
    _, large = data(pipegen)["loads"]

    assert large["unfinished"] == 0
    assert large["waiting"]["median"] <= 60


def test_no_number_is_enough_for_pipelines_that_never_end(empty: Path, pipegen: Pipegen) -> None:
    """Their stages do not wait in the figures, but the condition does not hold."""
    (empty / "pipegen.yaml").write_text(CROWDED, encoding="utf-8")
    (empty / "fleet.yaml").write_text(crowded(ALLOCATE, [["gang"]]), encoding="utf-8")
    answer = data(pipegen, "--find", "p95(wait in few) < 1h")["find"]

    assert (answer["count"], answer["fewer"]) == (2, None)


def test_queues_below_another_share_its_limits(empty: Path, pipegen: Pipegen) -> None:
    """The resources of stages with services are free again when these have ended, so that all start."""
    (empty / "pipegen.yaml").write_text(CROWDED, encoding="utf-8")
    text = crowded(ALLOCATE, [["gang"], ["capacity"]]).replace("weight: 6", "parent: all")
    text = text.replace("queues: [", "queues: [{ name: all, capability: { cpu: 6 } }, ")
    (empty / "fleet.yaml").write_text(text, encoding="utf-8")
    _, large = data(pipegen)["loads"]

    assert (large["result"]["count"], large["unfinished"]) == (15, 0)


def test_the_page_has_charts_and_the_tables_of_the_text(fleet: Path, pipegen: Pipegen) -> None:
    """It is one file that allows no request; names of users are text in it."""
    (fleet / "fleet.yaml").write_text(FLEET.replace("name: nightly", 'name: "<b>night"'), encoding="utf-8")
    text = pipegen("simulate", "--fleet", "fleet.yaml", "--html", "page.html").out
    page = (fleet / "page.html").read_text(encoding="utf-8")
    figures = [cell for line in text.splitlines() if line.startswith("requests ") for cell in line.split("  ") if cell]

    for title in (
        *(
            "Waiting time by queue and priority",
            "95th percentile of the waits",
            "Machines of linux",
            "Machines of cloud",
        ),
        *("Cost by hour", "Dominant share of each queue"),
    ):
        assert f">{title}" in page
    assert all(f"<td>{cell.strip()}</td>" in page for cell in figures)
    assert "Content-Security-Policy" in page
    assert "&lt;b&gt;night" in page
    assert "<b>" not in page


@pytest.mark.slow
def test_the_worked_example_is_current(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its table and its text have the output of the program."""
    root = Path(__file__).parents[2]
    section = (root / "docs/fleet.md").read_text(encoding="utf-8").partition("## Example: three teams")[2]
    rows = [row.strip("| ").split(" | ") for row in section.splitlines() if row.startswith(("| as", "| with"))]
    shutil.copytree(root / "examples/fleet", tmp_path / "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    text = Path("fleet.yaml").read_text(encoding="utf-8")
    answers = []
    for actions in ("", "scheduling: { actions: [enqueue, allocate, reclaim, backfill] }\n"):
        Path("fleet.yaml").write_text(text + actions, encoding="utf-8")
        answers.append(data(pipegen, "--find", "p95(wait in requests) < 60s"))
    shown = [
        [
            str(entry["find"]["count"]),
            SECONDS.words(round(entry["find"]["value"])),
            SECONDS.words(round(entry["find"]["fewer"])),
            f"{sum(group['cost'] for group in entry['machines']):.0f}",
        ]
        for entry in answers
    ]
    before, load = (next(entry for entry in answer["loads"] if entry["load"] == "nightly") for answer in answers)
    words, minutes = " ".join(section.split()), round(load["lost"] / 60)

    assert [row[1:] for row in rows] == shown
    assert f"{load['preempted']} times" in words
    for entry in (before, load):
        assert SECONDS.words(entry["result"]["median"]) in words
    assert f"{minutes // 60} hours and {minutes % 60} minutes of work are lost" in words
