"""Random configs: several pipelines of many stages, with every feature that affects when a stage starts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from random import Random

Data = dict[str, object]

# Suffixes of stage names, which YAML, Groovy and job names have to escape.
_ENDS = ("", "", "", "", " x", "-y", ".z", "/é", ": a", "'s", '"q"', " $A", " #", "\\", " [a=b]", " {}", "\U0001f600")
_CONDITIONS: tuple[Data, ...] = (
    {"branch": "main"},
    {"tag": "v*"},
    {"event": ["push", "merge_request"]},
    {"changes": ["src/**"]},
    {"not": {"branch": ["release/*", "/^x.*y$/"]}},
)
_FAILURES: tuple[object, ...] = (True, {"exit_codes": [2, 137]})


def drawn(dice: Random, most: int = 40) -> Data:
    """Return a config of one to three pipelines, of up to *most* stages each."""
    count = dice.choice((1, 1, 1, 2, 3))
    pipelines = {f"p{number}": _pipeline(dice, dice.randint(1, most)) for number in range(count)}
    if count > 1 and dice.random() < 1 / 3:
        # A pipeline that another one calls as one of its stages: it has no stages of its own that run.
        stages = pipelines["p0"]["stages"]
        assert isinstance(stages, list)
        plain = [
            stage for stage in stages if not stage.keys() & {"matrix", "outputs", "environment", "retry", "timeout"}
        ]
        if plain:
            called = dice.choice(plain)
            called.pop("script")
            called.pop("allow_failure", None)
            called["pipeline"] = "p1"
    return {"pipelines": pipelines}


def wide(dice: Random, size: int) -> Data:
    """Return a config of one pipeline of *size* stages, some of which have hundreds of successors."""
    names = [f"stage {number}" for number in range(size)]
    first, width = names[: size // 5], size // 10
    arcs = [[dice.choice(first), name] for name in names[size // 5 :]]
    arcs += [[dice.choice(names[max(0, at - width) : at]), names[at]] for at in range(size // 5, size)]
    arcs += [[name, names[-1]] for name in names[:-1] if dice.random() < 1 / 2]
    stages = [_stage(name, dice, ()) for name in names]
    return {"pipelines": {"large": {"stages": stages, "execution": [*([name] for name in first), *arcs]}}}


def text_of(config: Data) -> str:
    """Return *config* as JSON, a subset of YAML."""
    return json.dumps(config)


def _pipeline(dice: Random, size: int) -> Data:
    names = [f"s{number}{dice.choice(_ENDS)}" for number in range(size)]
    arcs = _arcs(names, dice)
    before = _before(names, arcs)
    stages = [_stage(name, dice, sorted(before[name])) for name in names]
    for earlier, later in pairwise(stages):
        matrix = earlier.get("matrix")
        if matrix and "matrix" in later and earlier["name"] in before[str(later["name"])] and dice.random() < 1 / 2:
            later["matrix"] = {"from": earlier["name"]}
    pipeline: Data = {"stages": stages, "execution": arcs}
    if dice.random() < 1 / 4:
        final = [f"f{number}" for number in range(dice.randint(1, 3))]
        stages += [{"name": name, "script": ["make clean"]} for name in final]
        pipeline["finally"] = final
    if dice.random() < 1 / 8:
        pipeline["fail_fast"] = True
    if dice.random() < 1 / 8:
        pipeline["when"] = dice.choice(_CONDITIONS)
    return pipeline


def _arcs(names: Sequence[str], dice: Random) -> list[list[object]]:
    """Return forward arcs in *names* that include each of them."""
    reach, often = dice.choice((3, 8, len(names))), dice.choice((0.05, 0.2, 0.5))
    arcs: list[list[object]] = [[name] for name in names]
    for at, name in enumerate(names):
        arcs += [[predecessor, name] for predecessor in names[max(0, at - reach) : at] if dice.random() < often]
    for _ in range(dice.randint(0, 2)):
        some = sorted(dice.sample(range(len(names)), dice.randint(1, min(6, len(names)))))
        cut = dice.randint(0, len(some))
        beside = [names[at] for at in some[cut : cut + 2]]
        chain: list[object] = [*(names[at] for at in some[:cut]), *([beside] if beside else [])]
        arcs.append([*chain, *(names[at] for at in some[cut + 2 :])])
    return dice.sample(arcs, len(arcs))


def _before(names: Sequence[str], arcs: Sequence[Sequence[object]]) -> dict[str, set[str]]:
    """Return all predecessors of each of *names* by *arcs*, which lead forward."""
    direct: dict[str, set[str]] = {name: set() for name in names}
    for earlier, later in steps(arcs):
        direct[later].add(earlier)
    before: dict[str, set[str]] = {}
    for name in names:
        before[name] = direct[name].union(*(before[predecessor] for predecessor in direct[name]))
    return before


def steps(arcs: Sequence[Sequence[object]]) -> list[tuple[str, str]]:
    """Return the pairs of adjacent stages in *arcs*."""
    pairs: list[tuple[str, str]] = []
    for arc in arcs:
        sets: list[list[str]] = [element if isinstance(element, list) else [str(element)] for element in arc]
        pairs += [(a, b) for earlier, later in pairwise(sets) for a in earlier for b in later]
    return pairs


def _stage(name: str, dice: Random, before: Sequence[str]) -> Data:
    stage: Data = {"name": name, "script": ["make"]}
    chances: tuple[tuple[str, float, object], ...] = (
        ("when", 0.25, dice.choice(_CONDITIONS)),
        ("allow_failure", 0.15, dice.choice(_FAILURES)),
        ("matrix", 0.12, {"axis": ["one", "two", "x y"][: dice.randint(1, 3)]}),
        ("retry", 0.1, 1),
        ("timeout", 0.1, "5m"),
        ("artifacts", 0.2, [f"out/{dice.randrange(10**6)}/"]),
        ("approve", 0.05, True),
        ("lock", 0.05, "cluster"),
        ("environment", 0.05, "staging"),
        ("after", 0.1, ["make tidy"]),
        ("files_from", 0.1, []),
    )
    stage |= {key: value for key, chance, value in chances if dice.random() < chance}
    if "matrix" in stage and "artifacts" in stage:
        stage["artifacts"] = [f"out/{dice.randrange(10**6)}/${{matrix.axis}}/"]
    if name.isalnum():
        stage["outputs"] = {"v": {"command": "cat v"}}
    read = [predecessor for predecessor in before if predecessor.isalnum()]
    if read and dice.random() < 0.3:
        stage["script"] = [f'make "${{{dice.choice(read)}.v|none}}"']
    return stage
