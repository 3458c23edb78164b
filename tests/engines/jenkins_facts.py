"""Data of a running Jenkins about steps, options, triggers, tools, parameters, agents and conditions.

`jenkins/facts.json` has the part that the Declarative validator reads. It was listed from the descriptors of Jenkins
2.479.3 with the plugins that the file names, which the validator itself also looks up (`ModelValidatorImpl` and
`DescriptorLookupCache` of pipeline-model-definition). Its `additions` take precedence: options of a plugin that was
not installed there, and exceptions in the validator itself, each with its source.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FACTS = Path(__file__).parent / "jenkins" / "facts.json"
ORIGINAL = Path(__file__).parents[3] / "shared" / "engines" / "jenkins-steps.json"

Facts = Mapping[str, Any]


def facts() -> Facts:
    """Return the data that the validator reads."""
    read: Facts = json.loads(FACTS.read_text("utf-8"))
    return read


def compact(original: Facts) -> dict[str, Any]:
    """Return the part that the validator reads of the data of a complete Jenkins."""
    declarative = original["declarative"]
    types = original["types"]
    return {
        "source": {"jenkins": original["jenkins"], "plugins": original["plugins"]},
        "steps": {
            name: {"block": data["takesBlock"], **_parameters(data)}
            for name, data in {**original["functions"], **original["steps"]}.items()
        },
        "options": {
            name: {"in": data["in"], "kind": data["kind"], **_parameters(data)}
            for name, data in declarative["options"].items()
        },
        "agents": {
            name: {"bare": agent["bare"], **_parameters(agent)} for name, agent in declarative["agents"].items()
        },
        "when": {
            name: {"children": condition["children"], **_parameters(condition)}
            for name, condition in declarative["when"].items()
        },
        "triggers": {name: _parameters(trigger) for name, trigger in declarative["triggers"].items()},
        "parameters": {name: _parameters(parameter) for name, parameter in declarative["parameters"].items()},
        "tools": list(declarative["tools"]),
        "post": list(declarative["post"]),
        "symbols": {symbol: _parameters(types[names[0]]) for symbol, names in _symbols(types).items() if not names[1:]},
        "objects": {name: _parameters(types[name]) for name in sorted(_objects(original["steps"])) if name in types},
    }


def text(facts: Facts) -> str:
    """Return *facts* as in the file, with each entry on a line."""
    sections = []
    for name, section in facts.items():
        if isinstance(section, dict) and all(isinstance(entry, dict) for entry in section.values()):
            lines = ",\n".join(f"    {json.dumps(key)}: {json.dumps(entry)}" for key, entry in section.items())
            sections.append(f"  {json.dumps(name)}: {{\n{lines}\n  }}")
        else:
            sections.append(f"  {json.dumps(name)}: {json.dumps(section)}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _parameters(step: Facts) -> dict[str, dict[str, str]]:
    """Return the types of parameters, required and optional ones separately."""
    parameters: dict[str, dict[str, str]] = {}
    for name, parameter in (step.get("parameters") or {}).items():
        key = "required" if parameter["required"] else "optional"
        parameters.setdefault(key, {})[name] = _type(parameter["type"])
    return parameters


def _type(fact: str | Facts) -> str:
    """Return a type in one or two words: `enum` with its values, `object` with its class, `list`, or a type of Java."""
    match fact:
        case str():
            return fact
        case {"enum": values}:
            return " ".join(("enum", *values))
        case {"object": name} | {"oneOf": name}:
            return f"object {name}"
        case _:
            return "list"


def _symbols(types: Facts) -> dict[str, list[str]]:
    """Return the types that each symbol names; if there are several, the first one counts."""
    symbols: dict[str, list[str]] = {}
    for name, data in types.items():
        for symbol in data.get("symbols") or ():
            symbols.setdefault(symbol, []).append(name)
    return symbols


def _objects(steps: Facts) -> set[str]:
    """Return the classes of objects that are the only required parameter of a step: their keys may replace it."""
    sole = (
        required[0]["type"]
        for step in steps.values()
        if len(
            required := [parameter for parameter in (step.get("parameters") or {}).values() if parameter["required"]]
        )
        == 1
    )
    return {
        parameter.get("object") or parameter["oneOf"]
        for parameter in sole
        if isinstance(parameter, dict) and "list" not in parameter
    }
