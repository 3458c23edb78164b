"""What the harness takes for facts is what a running Jenkins said, for its validator and for its steps."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from engines.jenkins_facts import ORIGINAL, compact, facts

from pipegen.targets.jenkins.job.properties import DECLARATIVE_OPTIONS, OPTION_STEPS

_STEPS = (Path(__file__).parent / "jenkins/src/harness").glob("*Steps.groovy")
_STEP = re.compile(r"@Step\(?(?P<given>[^)]*)\)?\s+(?:\w+(?:<[^>]*>)? )+(?P<name>\w+)\(")
_TEXTS = re.compile(r"'(\w+)'")


def harness_steps() -> dict[str, str]:
    """Return what the harness says of each of its steps, by name."""
    return {
        found["name"]: found["given"] for path in _STEPS for found in _STEP.finditer(path.read_text(encoding="utf-8"))
    }


def named(given: str, key: str) -> set[str]:
    """Return the names that *given*, the arguments of an annotation, lists under *key*."""
    found = re.search(rf"\b{key} = (\[[^\]]*\]|'\w+')", given, re.DOTALL)
    return set(_TEXTS.findall(found[1])) if found else set()


def test_the_facts_are_those_of_the_running_jenkins() -> None:
    """But for additions, each of which names its source."""
    if not ORIGINAL.is_file():
        pytest.skip("the list of the running Jenkins is not here")
    held = dict(facts())
    additions: Mapping[str, Mapping[str, Mapping[str, object]]] = held.pop("additions")

    assert held == compact(json.loads(ORIGINAL.read_text("utf-8")))
    assert all(str(one["source"]).startswith("https://") for part in additions.values() for one in part.values())


def test_the_steps_of_the_harness_take_what_those_of_jenkins_take() -> None:
    """No step that runs here takes a parameter that Jenkins does not know, nor a value or block where that has none."""
    steps = facts()["steps"]
    # Nothing describes `parallel`, whose branches are its arguments.
    known = {name: given for name, given in harness_steps().items() if name in steps and name != "parallel"}
    unknown = {
        name: extra
        for name, given in known.items()
        if (extra := (named(given, "first") | named(given, "others")) - set(_types(steps[name])))
    }

    assert len(known) > 30
    assert unknown == {}
    assert {name: one for name, given in known.items() if (one := named(given, "first")) - {_sole(steps[name])}} == {}
    assert {name: "takesBody = true" in given for name, given in known.items()} == {
        name: steps[name]["block"] for name in known
    }


def test_what_settings_may_say_in_each_style_is_what_jenkins_knows() -> None:
    """The block steps that are options, and the options that are no properties of a job."""
    options: Mapping[str, Mapping[str, object]] = facts()["options"]
    kinds = {kind: {name for name, one in options.items() if one["kind"] == kind} for kind in ("step", "declarative")}
    additions = set(facts()["additions"]["options"])

    assert kinds["step"] | additions == OPTION_STEPS
    assert kinds["declarative"] == DECLARATIVE_OPTIONS


def _types(step: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    return {**step.get("required", {}), **step.get("optional", {})}


def _sole(step: Mapping[str, Mapping[str, str]]) -> str | None:
    required = tuple(step.get("required", {}))
    return required[0] if len(required) == 1 else None
