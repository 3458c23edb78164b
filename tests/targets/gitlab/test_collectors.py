"""More needs than GitLab allows."""

from __future__ import annotations

from itertools import chain

import pytest
from targets.gitlab.compiled import Compiled, compiled

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab import order
from pipegen.targets.gitlab.collectors import LIMIT, Collectors
from pipegen.targets.gitlab.model import Job, Kept, Need
from pipegen.targets.gitlab.names import Names


def fan_in(before: int, *, read: int = 0, ends: tuple[str, ...] = ("end",)) -> Compiled:
    """Return a pipeline whose *ends* come after many stages and read the outputs of the first *read*."""
    stages = [f"{{ name: s{n}, build: x, run: {{ tail: 1 }} }}" for n in range(before)]
    arguments = ", ".join(f"'${{s{n}.output}}'" for n in range(read))
    stages += [f"{{ name: {end}, build: x, run: {{ arguments: [{arguments}] }} }}" for end in ends]
    arcs = [f"[s{n}, {end}]" for end in ends for n in range(before)]
    return compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{', '.join(arcs)}] }} }}")


def collectors(made: Compiled) -> list[str]:
    """Return the names of the collectors."""
    return [name for name in made.data if name.startswith("collect")]


def longest(made: Compiled) -> int:
    """Return the number of the most needs of a job."""
    return max(len(job.get("needs", [])) for job in made.data.values() if isinstance(job, dict))


def test_fifty_needs_need_no_collector() -> None:
    """What GitLab allows is written as it is."""
    assert collectors(fan_in(LIMIT)) == []


@pytest.mark.parametrize(("before", "read"), [(51, 0), (60, 3), (60, 55), (120, 120)])
def test_no_job_has_more_than_fifty_needs(before: int, read: int) -> None:
    """Collectors stand for many jobs, and the order is the same."""
    made = fan_in(before, read=read)

    assert longest(made) <= LIMIT
    assert order(made.text) == ExecutionGraph([[f"s{n}", "end"] for n in range(before)])


def test_collectors_are_shared() -> None:
    """Jobs with the same needs take the same collectors."""
    made = fan_in(60, ends=("end", "other"))

    assert collectors(made) == ["collect for end", "collect for end 2"]
    assert made.needs("end") == made.needs("other")


def test_a_collector_of_order_fetches_nothing() -> None:
    """Artifacts that can be needed directly are not collected."""
    made = fan_in(60, read=3)

    assert [need for need in made.needs("end") if need[1]] == [("s0", True), ("s1", True), ("s2", True)]
    assert made.data["collect for end"] == {
        "image": "alpine:3.22.2",
        "stage": "step 2",
        "needs": [{"job": f"s{n}", "artifacts": False} for n in range(3, 53)],
        "variables": {"PIPEGEN_HELPER": "1", "GIT_STRATEGY": "none"},
        "script": ["true"],
    }


def test_a_collector_of_artifacts_hands_them_on() -> None:
    """What a collector fetches it leaves again, in a checkout without old files."""
    made = fan_in(60, read=60)
    name = "collect for end"

    assert made.data[name]["variables"] == {"PIPEGEN_HELPER": "1"}
    assert all(fetches for _, fetches in made.needs(name))
    assert made.data[name]["artifacts"]["paths"] == [f".pipegen/outputs/s{n}/" for n in range(LIMIT)]


def test_values_are_collected_before_files() -> None:
    """An archive of many files may be bigger than GitLab takes: files are fetched one by one as long as it goes."""
    stages = [
        f"{{ name: s{n}, script: [x], {'artifacts: [out], ' if n < 20 else ''}outputs: {{ v: {{ command: x }} }} }}"
        for n in range(60)
    ]
    said = " ".join(f"${{s{n}.v}}" for n in range(20, 60))
    stages.append(f"{{ name: end, script: ['x \"{said}\"'] }}")
    stages = [stage.replace("[out]", f"[out/{n}]") for n, stage in enumerate(stages)]
    arcs = ", ".join(f"[s{n}, end]" for n in range(60))
    made = compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}")

    assert [f"s{n}" for n in range(20)] == [job for job, _ in made.needs("end") if job.startswith("s")]
    assert len(collectors(made)) == 1
    assert len(made.needs("collect for end")) == 40


def test_what_only_some_may_download_stays_so() -> None:
    """A collector's archive is as closed as the strictest that it holds."""
    kept = {"a": Kept(access="developer"), "b": Kept(access="none"), "c": Kept()}
    names = [*kept, *(f"s{n}" for n in range(60))]
    left = dict.fromkeys(names, (".pipegen/outputs/x/",))
    made = Collectors(Names(), None, (), dict.fromkeys(names, 2), left, kept=kept)
    _, helpers = made.fit("end", tuple(Need(name, artifacts=True) for name in names))

    assert [helper.kept.access for helper in helpers] == ["none", ""]


def test_variables_of_a_report_are_needed_directly() -> None:
    """A collector would not hand them on, and the name of an image is made of them."""
    kept = {f"s{n}": Kept(dotenv=("x.env",)) for n in range(40, 45)}
    names = [f"s{n}" for n in range(60)]
    left = dict.fromkeys(names, (".pipegen/outputs/x/",))
    made = Collectors(Names(), None, (), dict.fromkeys(names, 2), left, kept=kept)
    needs, _ = made.fit("end", tuple(Need(name, artifacts=True) for name in names))

    assert {need.job for need in needs} >= set(kept)


def test_collectors_are_collected() -> None:
    """Past 50 times 50 needs there are collectors of collectors, in a step where they may be needed."""
    names = [f"s{n}" for n in range(2_600)]
    made = Collectors(Names(), None, (), dict.fromkeys(names, 2), dict.fromkeys(names, ()))

    needs, helpers = made.fit("end", tuple(Need(name, artifacts=False) for name in names))

    assert len(needs) == 2
    assert {helper.stage for helper in helpers} == {"step 2"}
    assert all(len(helper.needs) <= LIMIT for helper in helpers)
    assert behind(needs, helpers) == names


def behind(needs: tuple[Need, ...], helpers: tuple[Job, ...]) -> list[str]:
    """Return the jobs that *needs* stand for."""
    made = {helper.name: helper for helper in helpers}
    return list(
        chain.from_iterable(behind(made[need.job].needs, helpers) if need.job in made else [need.job] for need in needs)
    )
