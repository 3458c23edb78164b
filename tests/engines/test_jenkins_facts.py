"""The harness's data about steps and options agrees with that of a running Jenkins."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from engines.jenkins_facts import ORIGINAL, compact, facts

from pipegen.targets.jenkins.job.properties import DECLARATIVE_OPTIONS, OPTION_STEPS

_STEPS = (Path(__file__).parent / "jenkins/src/harness").glob("*Steps.groovy")
_STEP = re.compile(r"@Step\(?(?P<annotation>[^)]*)\)?\s+(?:\w+(?:<[^>]*>)? )+(?P<name>\w+)\(")
_TEXTS = re.compile(r"'(\w+)'")


def harness_steps() -> dict[str, str]:
    """Return the annotations of the harness's steps, by name."""
    return {
        match["name"]: match["annotation"]
        for path in _STEPS
        for match in _STEP.finditer(path.read_text(encoding="utf-8"))
    }


def named(text: str, key: str) -> set[str]:
    """Return the names under *key* in *text*, the arguments of an annotation."""
    match = re.search(rf"\b{key} = (\[[^\]]*\]|'\w+')", text, re.DOTALL)
    return set(_TEXTS.findall(match[1])) if match else set()


def test_the_facts_agree_with_a_running_jenkins() -> None:
    """Each addition names its source."""
    if not ORIGINAL.is_file():
        pytest.skip("the list of the running Jenkins is not here")
    data = dict(facts())
    additions: Mapping[str, Mapping[str, Mapping[str, object]]] = data.pop("additions")

    assert data == compact(json.loads(ORIGINAL.read_text("utf-8")))
    assert all(
        str(addition["source"]).startswith("https://") for part in additions.values() for addition in part.values()
    )


def test_steps_of_the_harness_have_jenkins_parameters() -> None:
    """None has an unknown parameter, value or block."""
    steps = facts()["steps"]
    # Jenkins has no description of `parallel`, whose branches are its arguments.
    known = {name: text for name, text in harness_steps().items() if name in steps and name != "parallel"}
    unknown = {
        name: extra
        for name, text in known.items()
        if (extra := (named(text, "first") | named(text, "others")) - set(_types(steps[name])))
    }

    assert len(known) > 30
    assert unknown == {}
    assert {name: names for name, text in known.items() if (names := named(text, "first")) - {_sole(steps[name])}} == {}
    assert {name: "takesBody = true" in text for name, text in known.items()} == {
        name: steps[name]["block"] for name in known
    }


def test_options_of_each_style_agree_with_jenkins() -> None:
    """Block steps that are options, and options that are not properties of a job."""
    options: Mapping[str, Mapping[str, object]] = facts()["options"]
    kinds = {
        kind: {name for name, option in options.items() if option["kind"] == kind} for kind in ("step", "declarative")
    }
    additions = set(facts()["additions"]["options"])

    assert kinds["step"] | additions == OPTION_STEPS
    assert kinds["declarative"] == DECLARATIVE_OPTIONS


def _types(step: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    return {**step.get("required", {}), **step.get("optional", {})}


def _sole(step: Mapping[str, Mapping[str, str]]) -> str | None:
    required = tuple(step.get("required", {}))
    return required[0] if len(required) == 1 else None
