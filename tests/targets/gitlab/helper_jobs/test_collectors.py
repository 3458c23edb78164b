"""More needs than GitLab allows."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from targets.gitlab.compiled import Compiled, compiled

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab import order
from pipegen.targets.gitlab.helper_jobs.collectors import LIMIT, Collectors
from pipegen.targets.gitlab.model import ArtifactKeys, GitLabJob, NeedEntry
from pipegen.targets.gitlab.names import JobNames

_TAG = "$CI_COMMIT_TAG"


def fan_in(before: int, *, read: int = 0, ends: tuple[str, ...] = ("end",)) -> Compiled:
    """Return a pipeline in which *ends* follow many stages and read the outputs of the first *read*."""
    stages = [f"{{ name: s{n}, build: x, run: {{ tail: 1 }} }}" for n in range(before)]
    arguments = ", ".join(f"'${{s{n}.output}}'" for n in range(read))
    stages += [f"{{ name: {end}, build: x, run: {{ arguments: [{arguments}] }} }}" for end in ends]
    arcs = [f"[s{n}, {end}]" for end in ends for n in range(before)]
    return compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{', '.join(arcs)}] }} }}")


def collectors(output: Compiled) -> list[str]:
    """Return the names of the collectors."""
    return [name for name in output.data if name.startswith("collect")]


def longest(output: Compiled) -> int:
    """Return the largest number of needs of a job."""
    return max(len(job.get("needs", [])) for job in output.data.values() if isinstance(job, dict))


def test_up_to_fifty_needs_require_no_collector() -> None:
    """Needs within the limit are unchanged."""
    assert collectors(fan_in(LIMIT)) == []


def test_a_job_with_raw_rules_may_be_in_pipelines_without_its_collectors() -> None:
    """GitLab has no jobs without rules in pipelines of merge requests, and refuses one without a needed job."""
    stages = [f"{{ name: s{n}, build: x, run: {{ tail: 1 }} }}" for n in range(60)]
    raw = "raw: { gitlab: { rules: [{ if: $CI_MERGE_REQUEST_ID }, { if: $CI_COMMIT_BRANCH }] } }"
    stages.append(f"{{ name: end, build: x, run: {{ tail: 1 }}, {raw} }}")
    arcs = ", ".join(f"[s{n}, end]" for n in range(60))
    output = compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}")

    assert output.data["end"]["needs"] == [
        {"job": name, "artifacts": False, "optional": True} for name in collectors(output)
    ]


@pytest.mark.parametrize(
    ("ends", "conditions"),
    [
        (["script: x, when: { tag: true }"], [_TAG]),
        (["script: x, when: { tag: true }, approve: true"], [_TAG]),
        (["script: x, when: { tag: true }", "script: y, when: { tag: true }"], [_TAG]),
        (
            ["script: x, when: { tag: true }", "script: x, when: { branch: b }"],
            [_TAG, '$CI_COMMIT_BRANCH == "b"'],
        ),
        (["trigger: { include: c.yml }, when: { tag: true }"], [_TAG]),
        (["trigger: { include: c.yml }, when: { env: { X: y } }"], None),
        (["script: x, when: { tag: true }", "script: x"], None),
        (["script: x, raw: { gitlab: { rules: [{ if: $X }] } }"], ["$X"]),
        (["script: x, when: { env: { X: y } }, raw: { gitlab: { variables: { X: y } } }"], None),
        (["script: x, when: { env: { X: y } }, raw: { gitlab: { parallel: { matrix: [{ X: [y] }] } } }"], None),
        (["script: x, when: { env: { X: y } }, raw: { gitlab: { inherit: { variables: false } } }"], None),
        (["script: x, when: { env: { CI_JOB_STAGE: y } }"], None),
        (["script: x, when: { tag: true }, raw: { gitlab: { variables: { X: y } } }"], [_TAG]),
        (["script: x, raw: { gitlab: { rules: [{ if: $X }] } }", "script: x, when: { tag: true }"], ["$X", _TAG]),
        (["script: x, raw: { gitlab: { rules: [{ if: $X }], variables: { X: y } } }"], None),
    ],
)
def test_collectors_are_in_the_runs_of_their_readers(ends: list[str], conditions: list[str] | None) -> None:
    """Otherwise, they would be a pipeline of their own in runs without other jobs."""
    stages = [f"{{ name: s{n}, script: x, when: {{ branch: a }} }}" for n in range(60)]
    stages += [f"{{ name: end{n}, {keys} }}" for n, keys in enumerate(ends)]
    arcs = ", ".join(f"[s{n}, end{number}]" for n in range(60) for number in range(len(ends)))
    output = compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}")
    expected = None if conditions is None else [{"if": condition} for condition in conditions]

    assert collectors(output)
    assert all(output.data[name].get("rules") == expected for name in collectors(output))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("if: $X, changes: [a]", {"if": "$X", "changes": ["a"]}),
        ("changes: { paths: [a], compare_to: b }", {"changes": {"paths": ["a"], "compare_to": "b"}}),
        ("exists: [a], when: manual", {"exists": ["a"]}),
        ("exists: { paths: [a], project: b/c }", None),
        ("changes: { paths: [a], compare_to: $Y }", None),
    ],
)
def test_collectors_have_the_paths_of_raw_rules(rule: str, expected: dict[str, Any] | None) -> None:
    """A file of another project has no form in the rules of the file; the reader has its own variable Y."""
    stages = [f"{{ name: s{n}, script: x, when: {{ branch: a }} }}" for n in range(60)]
    raw = (
        f"raw: {{ gitlab: {{ rules: [{{ {rule} }}], variables: {{ Y: z }} }} }}"
        if "$Y" in rule
        else (f"raw: {{ gitlab: {{ rules: [{{ {rule} }}] }} }}")
    )
    stages.append(f"{{ name: end, script: x, {raw} }}")
    arcs = ", ".join(f"[s{n}, end]" for n in range(60))
    output = compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}")

    assert [output.data[name].get("rules") for name in collectors(output)] == [expected and [expected]] * len(
        collectors(output)
    )


@pytest.mark.slow
@pytest.mark.parametrize(("before", "read"), [(51, 0), (60, 3), (60, 55), (120, 120)])
def test_no_job_has_more_than_fifty_needs(before: int, read: int) -> None:
    """Collectors replace many needs, and the order is the same."""
    output = fan_in(before, read=read)

    assert longest(output) <= LIMIT
    assert order(output.text) == ExecutionGraph([[f"s{n}", "end"] for n in range(before)])


def test_jobs_with_the_same_needs_share_collectors() -> None:
    """The helpers are generated once."""
    output = fan_in(60, ends=("end", "other"))

    assert collectors(output) == ["collect for end", "collect for end 2"]
    assert output.needs("end") == output.needs("other")


def test_a_collector_for_order_fetches_no_artifacts() -> None:
    """Artifacts that can be needed directly are not collected."""
    output = fan_in(60, read=3)

    assert [need for need in output.needs("end") if need[1]] == [("s0", True), ("s1", True), ("s2", True)]
    assert output.data["collect for end"] == {
        "image": "alpine:3.22.2",
        "stage": "end",
        "needs": [{"job": f"s{n}", "artifacts": False} for n in range(3, 53)],
        "variables": {"PIPEGEN_HELPER": "1", "GIT_STRATEGY": "none"},
        "script": ["true"],
    }


def test_a_collector_passes_on_artifacts() -> None:
    """It stores the artifacts that it fetches, in a checkout without old files."""
    output = fan_in(60, read=60)
    name = "collect for end"

    assert output.data[name]["variables"] == {"PIPEGEN_HELPER": "1"}
    assert all(fetches for _, fetches in output.needs(name))
    assert output.data[name]["artifacts"]["paths"] == [f".pipegen/outputs/s{n}/" for n in range(LIMIT)]


def test_values_are_collected_before_files() -> None:
    """An archive of many files may exceed GitLab's limit, so files are needed directly if possible."""
    stages = [
        f"{{ name: s{n}, script: [x], {'artifacts: [out], ' if n < 20 else ''}outputs: {{ v: {{ command: x }} }} }}"
        for n in range(60)
    ]
    text = " ".join(f"${{s{n}.v}}" for n in range(20, 60))
    stages.append(f"{{ name: end, script: ['x \"{text}\"'] }}")
    stages = [stage.replace("[out]", f"[out/{n}]") for n, stage in enumerate(stages)]
    arcs = ", ".join(f"[s{n}, end]" for n in range(60))
    output = compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}")

    assert [f"s{n}" for n in range(20)] == [job for job, _ in output.needs("end") if job.startswith("s")]
    assert len(collectors(output)) == 1
    assert len(output.needs("collect for end")) == 40


def test_a_collector_has_the_strictest_access_of_its_artifacts() -> None:
    """Its archive must not be more public than any of them."""
    artifact_keys = {"a": ArtifactKeys(access="developer"), "b": ArtifactKeys(access="none"), "c": ArtifactKeys()}
    names = [*artifact_keys, *(f"s{n}" for n in range(60))]
    left = dict.fromkeys(names, (".pipegen/outputs/x/",))
    collectors = Collectors(JobNames(), None, (), dict.fromkeys(names, 2), left, artifact_keys=artifact_keys)
    _, helpers = collectors.fit("end", tuple(NeedEntry(name, artifacts=True) for name in names))

    assert [helper.artifact_keys.access for helper in helpers] == ["none", ""]


def test_variables_of_a_report_are_needed_directly() -> None:
    """Only their own job and dedicated collectors set variables; the latter are a last resort."""
    variables_by_stage = {f"s{n}": (f"S{n}",) for n in range(40, 45)}
    names = [f"s{n}" for n in range(60)]
    left = dict.fromkeys(names, (".pipegen/outputs/x/",))
    collectors = Collectors(JobNames(), None, (), dict.fromkeys(names, 2), left, variables=variables_by_stage)
    needs, _ = collectors.fit("end", tuple(NeedEntry(name, artifacts=True) for name in names))

    assert {need.job for need in needs} >= set(variables_by_stage)


def in_one_image(count: int) -> Compiled:
    """Return a pipeline whose image name consists of an output of each of *count* stages."""
    stages = [f"{{ name: s{n}, script: [x], outputs: {{ v: {{ command: date }} }} }}" for n in range(count)]
    stages.append(f"{{ name: end, image: '{'-'.join(f'${{s{n}.v}}' for n in range(count))}', script: [x] }}")
    arcs = ", ".join(f"[s{n}, end]" for n in range(count))
    return compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}")


def reports(job: dict[str, Any], folder: Path, values: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that *job* reports with *values* set; it runs in *folder*."""
    script = "\n".join(job["script"])
    subprocess.run(["/bin/sh", "-e", "-c", script], cwd=folder, env={**os.environ, **values}, check=True)
    file = folder / job["artifacts"]["reports"]["dotenv"]
    assert file.stat().st_size < 5 * 1024
    return dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("count", [51, 120])
def test_variables_of_more_than_fifty_reports_are_collected(count: int, tmp_path: Path) -> None:
    """Each value arrives, in reports within GitLab's limits of 20 variables and 5 KiB."""
    output = in_one_image(count)
    value = "r/" * 127 + "a:" + "t" * 128 + "@sha256:" + "0" * 64
    arrived: dict[str, str] = {}
    for name, _ in output.needs("end"):
        job = output.data[name]
        if name.startswith("collect") and "dotenv" in job.get("artifacts", {}).get("reports", {}):
            folder = tmp_path / name
            folder.mkdir()
            variables = {f"PIPEGEN_S{need[1:]}_V": value[len(need) :] + need for need, _ in output.needs(name)}
            values = reports(job, folder, variables)
            assert values == variables
            assert len(values) <= 20
            arrived |= values
        elif name.startswith("s"):
            arrived[f"PIPEGEN_S{name[1:]}_V"] = ""

    assert longest(output) <= LIMIT
    assert set(arrived) == {f"PIPEGEN_S{n}_V" for n in range(count)}
    assert order(output.text) == ExecutionGraph([[f"s{n}", "end"] for n in range(count)])


def test_a_collector_does_not_report_unset_variables(tmp_path: Path) -> None:
    """The reader's default is a variable of its job, which a report would override."""
    output = in_one_image(51)
    job = next(output.data[name] for name in collectors(output) if "reports" in output.data[name]["artifacts"])
    (first, _), *_ = output.needs(next(name for name in collectors(output) if output.data[name] == job))

    assert reports(job, tmp_path, {f"PIPEGEN_{first.upper()}_V": "x"}) == {f"PIPEGEN_{first.upper()}_V": "x"}


@pytest.mark.parametrize("seed", range(20))
def test_collecting_ends_without_losing_artifacts(seed: int) -> None:
    """For random outputs and reports; later files are fetched later."""
    chance = random.Random(seed)  # noqa: S311 - needs are no secret
    names = [f"s{n}" for n in range(chance.choice([51, 60, 200, 900]))]
    steps = {name: chance.randint(1, 9) for name in names}
    left = {name: chance.choice([(), (f".pipegen/outputs/{name}/",), ("dist",)]) for name in names}
    often = chance.choice([0.1, 0.9])
    variables_by_stage = {
        name: tuple(f"{name}_{n}" for n in range(chance.randint(1, 12))) for name in names if chance.random() < often
    }
    fetched = {name: bool(left[name] or name in variables_by_stage) and chance.random() < 0.8 for name in names}
    collectors = Collectors(JobNames(), None, (), dict(steps), left, variables=variables_by_stage)
    needs, helpers = collectors.fit("end", tuple(NeedEntry(name, artifacts=fetched[name]) for name in names))
    by_name = {helper.name: helper for helper in helpers}

    assert all(len(helper.needs) <= LIMIT for helper in helpers)
    assert set(behind(needs, helpers)) == set(names)
    paths = [path for need in needs if need.artifacts for path in by_name.get(need.job, need_of(left, need)).artifacts]
    assert set(paths) >= {path for name in names if fetched[name] for path in left[name]}
    reported = {name for need in needs if need.artifacts for name in variables(need, by_name, variables_by_stage)}
    assert reported >= {variable for name in names if fetched[name] for variable in variables_by_stage.get(name, ())}
    assert (
        len(needs) <= LIMIT or len([need for need in needs if variables(need, by_name, variables_by_stage)]) > LIMIT - 3
    )


def need_of(left: Mapping[str, tuple[str, ...]], need: NeedEntry) -> GitLabJob:
    """Return the needed job and its artifacts."""
    return GitLabJob(name=need.job, stage="step 1", artifacts=left.get(need.job, ()))


def variables(
    need: NeedEntry, helpers: Mapping[str, GitLabJob], values: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Return the variables that a job has by *need*."""
    if need.job in values:
        return values[need.job]
    helper = helpers.get(need.job)
    if helper is None or not helper.artifact_keys.dotenv:
        return ()
    return tuple(name for inner in helper.needs for name in variables(inner, helpers, values))


def test_collectors_can_be_collected() -> None:
    """More than 50 times 50 needs require collectors of collectors, in a stage where they can be needed."""
    names = [f"s{n}" for n in range(2_600)]
    collectors = Collectors(JobNames(), None, (), dict.fromkeys(names, 2), dict.fromkeys(names, ()))

    needs, helpers = collectors.fit("end", tuple(NeedEntry(name, artifacts=False) for name in names))

    assert len(needs) == 2
    assert {helper.stage for helper in helpers} == {"step 2"}
    assert all(len(helper.needs) <= LIMIT for helper in helpers)
    assert behind(needs, helpers) == names


def behind(needs: tuple[NeedEntry, ...], helpers: tuple[GitLabJob, ...]) -> list[str]:
    """Return the jobs that *needs* lead to."""
    jobs = {helper.name: helper for helper in helpers}
    return list(
        chain.from_iterable(behind(jobs[need.job].needs, helpers) if need.job in jobs else [need.job] for need in needs)
    )


@pytest.mark.parametrize(
    ("own", "other", "common"),
    [
        ("if: $A", "if: $B", [{"if": "$X", "when": "never"}, {"if": "$A"}, {"if": "$B"}]),
        ("if: $A", "if: $C, when: never }, { if: $B", None),
        (
            "if: $A }, { when: never",
            "if: $B }, { if: $C, when: never",
            [{"if": "$X", "when": "never"}, {"if": "$A"}, {"if": "$B"}],
        ),
    ],
)
def test_rules_that_exclude_the_same_runs_are_combined(
    own: str, other: str, common: list[dict[str, str]] | None
) -> None:
    """The first rule that holds decides, so that one reader's rules cannot exclude runs of another."""
    stages = [f"{{ name: s{n}, script: x, when: {{ branch: a }} }}" for n in range(60)]
    rules = [f"{{ if: $X, when: never }}, {{ {each} }}" for each in (own, other)]
    stages += [
        f"{{ name: end{n}, script: x, raw: {{ gitlab: {{ rules: [{each}] }} }} }}" for n, each in enumerate(rules)
    ]
    arcs = ", ".join(f"[s{n}, end{number}]" for n in range(60) for number in range(2))
    output = compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}], execution: [{arcs}] }} }}")

    assert [output.data[name].get("rules") for name in collectors(output)] == [common] * len(collectors(output))
