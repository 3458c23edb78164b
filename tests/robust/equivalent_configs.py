"""Known configs, as data, changed to equivalent ones: other arcs, names, and locations of definitions.

`UnfitError` has the reason why a change does not apply to a config.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from random import Random
from typing import cast

from robust.random_configs import Data

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct

# The prefix of renamed stages; no config contains it.
TOKEN = "zq7"  # noqa: S105 - a mark
_LETTER = re.compile("[A-Za-z0-9]")
# See `_SLUG` in pipegen/compiler.py.
_LONGEST = 40
_ESCAPED = r"(?<!\$)"


class UnfitError(Exception):
    """A change does not apply to a config, with the reason."""


def pipelines(data: object) -> dict[str, Data]:
    """Return the pipelines of *data* itself, not copies."""
    value = data.get("pipelines") if isinstance(data, dict) else None
    if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
        raise UnfitError("no pipelines")
    return value


def stages_of(pipeline: Data) -> list[Data]:
    """Return the stages of *pipeline* itself, not copies."""
    values = pipeline.get("stages")
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _arcs(pipeline: Data) -> list[list[object]]:
    arcs = pipeline.get("execution")
    return [arc for arc in arcs if isinstance(arc, list)] if isinstance(arcs, list) else []


def with_arcs(data: Data, change: Callable[[list[list[object]], str], list[list[object]]]) -> Data:
    """Return *data* with the arcs of each pipeline changed by *change*; unfit if none change."""
    documents = {
        name: {**pipeline, "execution": change(_arcs(pipeline), name)} if _arcs(pipeline) else pipeline
        for name, pipeline in pipelines(data).items()
    }
    if documents == data["pipelines"]:
        raise UnfitError("no arcs to change")
    return {**data, "pipelines": documents}


def permuted(data: Data, dice: Random) -> Data:
    """Return *data* with its arcs in another order."""
    return with_arcs(data, lambda arcs, _: arcs[::-1] if len(arcs) == 2 else dice.sample(arcs, len(arcs)))


def cut(data: Data) -> Data:
    """Return *data* with each arc split into its pairs."""

    def steps(arc: list[object]) -> list[list[object]]:
        return [list(step) for step in pairwise(arc)] if len(arc) > 1 else [arc]

    return with_arcs(data, lambda arcs, _: [step for arc in arcs for step in steps(arc)])


def implied(data: Data, plans: Mapping[str, Plan], dice: Random) -> Data:
    """Return *data* with an additional implied arc in each pipeline."""

    def more(arcs: list[list[object]], name: str) -> list[list[object]]:
        graph = plans[name].graph
        written = {stage["name"] for stage in stages_of(pipelines(data)[name])}
        far: list[list[object]] = [
            [earlier, later]
            for later in graph.nodes
            for earlier in sorted(set(graph.ancestors(later)) - set(graph.predecessors(later)))
            if {earlier, later} <= written
        ]
        return [*arcs, dice.choice(far)] if far else arcs

    return with_arcs(data, more)


def renamed(data: Data, plans: Sequence[Plan]) -> Data:
    """Return *data* with *plans*, with each stage renamed at each use."""
    if "include" in data:
        raise UnfitError("names in included files")
    if any(len(job.slug) > _LONGEST - len(TOKEN) for plan in plans for job in plan.jobs):
        raise UnfitError("slugs that are cut elsewhere")
    names = {
        str(stage["name"]) for pipeline in pipelines(data).values() for stage in stages_of(pipeline) if "name" in stage
    }
    if not names or any(_LETTER.search(name) is None for name in names):
        raise UnfitError("names without a letter")
    if any("webhook" in str(pipeline.get("notify")) for pipeline in pipelines(data).values()) and "notify" in names:
        raise UnfitError("the stage of a webhook has a name that no other stage has")
    if any(
        "webhook" in str(stage.get("notify")) for pipeline in pipelines(data).values() for stage in stages_of(pipeline)
    ):
        raise UnfitError("the stage of a webhook is named after the stage that it is about")
    others = {name: other_name(name) for name in names}
    read = re.compile(rf"{_ESCAPED}(\$\{{)({'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?=[\[.])")
    values = _with_texts(data, lambda text: read.sub(lambda match: match[1] + others[match[2]], text))
    for pipeline in pipelines(values).values():
        _rename(pipeline, others)
    targets = values.get("targets")
    for settings in targets.values() if isinstance(targets, dict) else ():
        for setting in settings.values():
            _put(setting, "stage", others)
    return values


def other_name(name: str) -> str:
    """Return *name* with the mark before its first letter or digit."""
    return _LETTER.sub(rf"{TOKEN}\g<0>", name, count=1)


def _rename(pipeline: Data, others: Mapping[str, str]) -> None:
    for key in ("execution", "finally"):
        if key in pipeline:
            pipeline[key] = _named(pipeline[key], others)
    for stage in stages_of(pipeline):
        _put(stage, "name", others)
        _put(stage, "files_from", others)
        _put(stage.get("environment"), "on_stop", others)
        _put(stage.get("matrix"), "from", others)


def _put(place: object, key: str, others: Mapping[str, str]) -> None:
    if isinstance(place, dict) and key in place:
        place[key] = _named(place[key], others)


def _named(value: object, others: Mapping[str, str]) -> object:
    """Return *value*, a name or names, renamed; a combination is its stage's name with a suffix."""
    if isinstance(value, dict):
        return {key: _named(names, others) for key, names in value.items()}
    if isinstance(value, list):
        return [_named(entry, others) for entry in value]
    stage, mark, combination = str(value).partition("[")
    return others[str(value)] if str(value) in others else others.get(stage, stage) + mark + combination


def _with_texts(data: object, change: Callable[[str], str]) -> Data:
    """Return a copy of *data* with changed texts, except keys."""

    def changed(value: object) -> object:
        if isinstance(value, dict):
            return {key: changed(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [changed(entry) for entry in value]
        return change(value) if isinstance(value, str) else value

    return cast("Data", changed(data))


def in_templates(data: Data) -> Data:
    """Return *data* with the steps of each stage in a template."""
    templates: Data = {}

    def changed_stage(stage: Data) -> Data:
        rest = {key: value for key, value in stage.items() if key != "name"}
        # A stage with only a name, and perhaps a description, is the short-hand.
        if not rest.keys() - {"description"} or "name" not in stage:
            return stage
        name = f"moved {len(templates)}"
        templates[name] = rest
        return {"name": stage["name"], "extends": name}

    moved = {
        name: {**data, "stages": list(map(changed_stage, stages_of(data)))} if stages_of(data) else data
        for name, data in pipelines(data).items()
    }
    if not templates:
        raise UnfitError("stages with names alone")
    known = data.get("templates")
    return {**data, "templates": {**(known if isinstance(known, dict) else {}), **templates}, "pipelines": moved}


def in_a_file(data: Data) -> tuple[Data, Data]:
    """Return *data* that includes its pipelines and templates, and the file with these."""
    if "include" in data:
        raise UnfitError("includes of its own")
    inner = {key: value for key, value in data.items() if key in ("pipelines", "templates")}
    pipelines(data)
    return {"include": ["moved.yaml"], **{key: value for key, value in data.items() if key not in inner}}, inner


def chosen(data: Data, name: str) -> Data:
    """Return *data* with only the pipeline *name* and those that it calls."""
    known, documents, left = pipelines(data), dict[str, Data](), [name]
    while left:
        text = left.pop()
        if text in known and text not in documents:
            documents[text] = known[text]
            left += [str(stage["pipeline"]) for stage in stages_of(known[text]) if "pipeline" in stage]
    return {**data, "pipelines": {pipeline: known[pipeline] for pipeline in known if pipeline in documents}}


def turned(data: Data) -> Data:
    """Return *data* with its pipelines in another order."""
    documents = pipelines(data)
    if len(documents) < 2:
        raise UnfitError("one pipeline")
    return {**data, "pipelines": dict(reversed(documents.items()))}


def comparable(value: object) -> object:
    """Return *value* of a plan as data without locations, so that equivalent values are equal."""
    match value:
        case Enum():
            return value.name
        case ExecutionGraph():
            return {"nodes": comparable(tuple(value.nodes)), "arcs": comparable(tuple(value.arcs))}
        case Struct():
            left_out = value.UNCOMPARED if isinstance(value, SpannedStruct) else ()
            fields = {name: getattr(value, name) for name in value.__struct_fields__ if name not in left_out}
            return {name: comparable(field) for name, field in fields.items() if not isinstance(field, Span)}
        case frozenset() | set():
            return sorted(repr(comparable(entry)) for entry in value)
        case Mapping() | tuple() | list():
            return [comparable(entry) for entry in (value.items() if isinstance(value, Mapping) else value)]
    return value if isinstance(value, str | int | float | None) else repr(value)


def unmarked(value: object) -> Iterator[str]:
    """Yield the texts in *value*, without the mark of renamed stages."""
    if isinstance(value, dict):
        for key, data in value.items():
            yield key
            yield from unmarked(data)
    elif isinstance(value, list):
        yield "["
        for data in value:
            yield from unmarked(data)
        yield "]"
    else:
        yield str(value).replace(TOKEN, "")
