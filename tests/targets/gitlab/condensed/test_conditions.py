"""Rules that several jobs share."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled
from yaml_data import yaml_data


def _compiled(count: int, when: str, *keys: str) -> dict[str, Any]:
    """Return the data of a file with *count* stages that run on *when*."""
    stages = [
        f"{{ {', '.join((f'name: s{number}', 'script: make', f'when: {when}', *keys))} }}" for number in range(count)
    ]
    data: dict[str, Any] = yaml_data(compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}] }} }}").text)
    return data


@pytest.mark.parametrize(
    ("when", "keys", "name"),
    [
        ("{ branch: main }", (), ".on-main"),
        ("{ branch: main }", ("approve: go",), ".on-main-manual"),
        ("{ event: merge_request }", (), ".on-merge-request"),
        ("{ branch: 'a*' }", (), ".rules-s0"),
    ],
)
def test_rules_of_many_jobs_move_to_a_hidden_job(when: str, keys: tuple[str, ...], name: str) -> None:
    """The name of the hidden job describes common conditions."""
    data = _compiled(6, when, *keys)

    assert set(data[name]) == {"rules"}
    assert all(data[f"s{number}"]["extends"] == name for number in range(6))
    assert not any("rules" in data[f"s{number}"] or "allow_failure" in data[f"s{number}"] for number in range(6))


def test_other_hidden_jobs_have_the_words_of_their_jobs_or_the_name_of_the_first_stage() -> None:
    """Neither a number nor a name that only GitLab needs; punctuation in the name of a job becomes a hyphen."""
    stages = ", ".join(
        f"{{ name: '{name}{number}', script: b, when: {{ branch: '{branch}' }} }}"
        for branch, name in (("r*", "one: (x) "), ("s*", "two"), ("t*", "three: "))
        for number in range(6)
    )
    data = yaml_data(compiled(f"pipelines: {{ p: {{ stages: [{stages}] }} }}").text)

    assert [name for name in data if name.startswith(".")] == [".rules-one-x", ".rules-two0", ".rules-three"]
    assert data["two5"]["extends"] == ".rules-two0"


def test_names_of_hidden_jobs_are_unique() -> None:
    """Names of jobs that only differ in punctuation get a number."""
    stages = ", ".join(
        f"{{ name: '{name}', script: b, when: {{ branch: '{branch}' }} }}"
        for branch, first in (("r*", "a b"), ("s*", "a-b"))
        for name in (first, *(f"{branch[0]}{number}" for number in range(6)))
    )
    data = yaml_data(compiled(f"pipelines: {{ p: {{ stages: [{stages}] }} }}").text)

    assert [name for name in data if name.startswith(".")] == [".rules-a-b", ".rules-a-b-2"]


def test_jobs_get_rules_from_the_hidden_job_of_their_pipeline() -> None:
    """A hidden job of a pipeline with only rules also serves helper jobs, which share no other keys of it."""
    stages = ", ".join(f"{{ name: s{number}, script: make }}" for number in range(4))
    text = f"""
        targets: {{ gitlab: {{ mail: {{}} }} }}
        pipelines:
          nightly:
            when: {{ event: schedule }}
            notify: {{ email: {{ to: [a@example.org] }} }}
            stages: [{stages}]
          commit: {{ when: {{ event: push }}, stages: [{{ name: unit, script: make }}] }}
        """
    data = yaml_data(compiled(text).text)

    assert [name for name in data if name.startswith(".")] == [".nightly", ".mail"]
    assert set(data[".nightly"]) == {"rules"}
    assert data["nightly: mail when s1 fails"]["extends"] == [".mail", ".nightly"]


def test_rules_of_few_jobs_stay_in_the_jobs() -> None:
    """A hidden job would be longer."""
    data = _compiled(4, "{ branch: main }")

    assert ".on-main" not in data
    assert data["s3"]["rules"] == [{"if": '$CI_COMMIT_BRANCH == "main"'}]


def test_a_job_with_tools_extends_both() -> None:
    """The rules are those of one hidden job, the tools those of another."""
    stages = ", ".join(
        f"{{ name: s{number}, {'build: x' if number % 2 else 'script: make'}, when: {{ branch: main }} }}"
        for number in range(8)
    )
    data = yaml_data(compiled(f"pipelines: {{ p: {{ stages: [{stages}] }} }}").text)

    assert data["s0"]["extends"] == ".on-main"
    assert data["s1"]["extends"] == [".docker", ".on-main"]


@pytest.mark.parametrize(("rules", "own"), [("null", None), ("[{ if: $A }]", [{"if": "$A"}])])
def test_raw_rules_replace_those_that_others_share(rules: str, own: object) -> None:
    """The hidden job has the rules of others, which null would not remove."""
    shared = "script: make, when: { branch: main }"
    stages = [f"{{ name: s{number}, {shared} }}" for number in range(6)]
    stages += [f"{{ name: {name}, {shared}, raw: {{ gitlab: {{ rules: {rules} }} }} }}" for name in "ab"]
    data = yaml_data(compiled(f"pipelines: {{ p: {{ stages: [{', '.join(stages)}] }} }}").text)

    assert data["s0"]["extends"] == ".on-main"
    assert ("extends" in data["a"], data["a"].get("rules")) == (False, own)


def _finals(keys: str = "", settings: str = "") -> dict[str, Any]:
    """Return the data of a file with a stage, and two finally stages of which one follows a failure, on one branch."""
    data: dict[str, Any] = yaml_data(
        compiled(f"""
            {settings}
            pipelines:
              p:
                stages:
                  - {{ name: a, script: x, when: {{ branch: main }} }}
                  - {{ name: undo, script: x{keys} }}
                finally: {{ failed: [undo] }}
        """).text
    )
    return data


def test_a_job_has_the_when_of_all_its_rules() -> None:
    """A rule without `when` has that of its job, so that jobs that start otherwise share rules."""
    job = _finals(", when: { branch: main }")["undo"]

    assert (job["when"], job["rules"]) == ("on_failure", [{"if": '$CI_COMMIT_BRANCH == "main"'}])


def test_a_file_states_the_version_of_a_when_beside_rules() -> None:
    """Earlier versions refuse it."""
    stages = "[{ name: a, script: x }, { name: undo, script: x, when: { branch: main } }]"
    text = compiled(f"pipelines: {{ p: {{ stages: {stages}, finally: {{ failed: [undo] }} }} }}").text

    assert "# Needs GitLab 14.6 (when in a job with rules)." in text


def test_servers_that_refuse_when_beside_rules_find_it_in_the_rules() -> None:
    """As set by the user."""
    job = _finals(", when: { branch: main }", "targets: { gitlab: { version: '14.5' } }")["undo"]

    assert "when" not in job
    assert job["rules"] == [{"if": '$CI_COMMIT_BRANCH == "main"', "when": "on_failure"}]
