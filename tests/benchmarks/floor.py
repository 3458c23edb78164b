"""The floor: what a whole compilation of the workload costs in bare Python: libyaml, checks by hand, strings.

Reads a config by libyaml with the lines of all values; checks keys, kinds of values, names, order and references by
hand; writes jobs that GitLab takes and runs, with the order, the values and the quotes that they need. It knows just
the keys of the workload, ends with a line and a few words at the first mistake, and is sure of nothing else.
"""

import gc
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import yaml

gc.disable()

NAME = re.compile(r"[A-Za-z0-9_-]+")
REFERENCE = re.compile(r"\$\{([\w-]+)\.([\w-]+)\}")
# What both versions of YAML take for the same text without quotes.
PLAIN = re.compile(r"""(?i:(?!(?:true|false|yes|no|on|off|null|y|n)\Z))[A-Za-z./$_](?:[^:#\n"'\\]|:(?! ))*(?<! )""")


class Stage:
    """A stage of the config, and what the arcs say of it: its *frame*, and a bit for each stage that is *above*."""

    __slots__ = ("above", "before", "frame", "image", "name", "node", "number", "outputs", "script")
    image: str
    script: list[str]
    outputs: dict[str, str]

    def __init__(self, number: int, node: yaml.Node, name: str) -> None:
        """Take what is found out first."""
        self.number, self.node, self.name = number, node, name
        self.before: list[str] = []
        self.frame, self.above = 1, 0


def wrong(node: yaml.Node, what: str) -> SystemExit:
    """Return the end of the program, which tells *what* is wrong and where."""
    return SystemExit(f"line {node.start_mark.line + 1}: {what}")


def mapping(node: yaml.Node, known: frozenset[str] | None = None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by their keys, which must be *known*."""
    if not isinstance(node, yaml.MappingNode):
        raise wrong(node, "not a map")
    found = {text(key): value for key, value in node.value}
    if len(found) != len(node.value):
        raise wrong(node, "a key twice")
    if known is not None and not found.keys() <= known:
        raise wrong(node, "unknown key")
    return found


def items(node: yaml.Node) -> list[yaml.Node]:
    """Return the items of a list."""
    if not isinstance(node, yaml.SequenceNode):
        raise wrong(node, "not a list")
    found: list[yaml.Node] = node.value
    return found


def text(node: yaml.Node) -> str:
    """Return the text of a scalar."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != "tag:yaml.org,2002:str":
        raise wrong(node, "not text")
    found: str = node.value
    return found


PIPELINE = frozenset({"stages", "execution"})
STAGE = frozenset({"name", "image", "script", "outputs"})
OUTPUT = frozenset({"command"})


def read(node: yaml.Node) -> dict[str, Stage]:
    """Return the stages of the pipeline *node*, in order."""
    parts = mapping(node, PIPELINE)
    stages: dict[str, Stage] = {}
    for one in items(parts["stages"]):
        keys = mapping(one, STAGE)
        name = text(keys["name"])
        if not NAME.fullmatch(name) or name in stages:
            raise wrong(keys["name"], "no name, or one that is taken")
        stage = stages[name] = Stage(len(stages), one, name)
        stage.image = text(keys["image"])
        stage.script = [text(line) for line in items(keys["script"])]
        outputs = mapping(keys["outputs"])
        stage.outputs = {key: text(mapping(value, OUTPUT)["command"]) for key, value in outputs.items()}
    for arc in items(parts["execution"]) if "execution" in parts else ():
        names = [text(name) for name in items(arc)]
        for earlier, later in pairwise(names):
            if earlier not in stages or later not in stages:
                raise wrong(arc, "unknown stage")
            stages[later].before.append(earlier)
    return stages


def order(stages: dict[str, Stage]) -> None:
    """Work out where each stage stands, and what comes before it."""
    try:
        ordered = tuple(TopologicalSorter({name: stage.before for name, stage in stages.items()}).static_order())
    except CycleError as error:
        sys.exit(f"a cycle: {error.args[1]}")
    for name in ordered:
        stage = stages[name]
        for earlier in map(stages.__getitem__, stage.before):
            stage.above |= earlier.above | 1 << earlier.number
            stage.frame = max(stage.frame, earlier.frame + 1)


def job(stage: Stage, stages: dict[str, Stage]) -> Iterator[str]:
    """Yield the lines of the job of *stage*."""
    used = dict.fromkeys([read for line in stage.script for read in REFERENCE.findall(line)])
    for name, value in used:
        if name not in stages or value not in stages[name].outputs or not stage.above >> stages[name].number & 1:
            raise wrong(stage.node, f"{name}.{value} is not there yet")
    read = dict.fromkeys([name for name, _ in used])
    yield f"{stage.name}:"
    yield f"  image: {quoted(stage.image)}"
    yield f"  stage: step {stage.frame}"
    yield "  needs:" if stage.before or read else "  needs: []"
    for name in dict.fromkeys([*stage.before, *read]):
        yield f"    - {{ job: {quoted(name)}, artifacts: {'true' if name in read else 'false'} }}"
    yield "  script:"
    for name, value in used:
        yield f"    - {quoted(f'{variable(name, value)}=$(cat .outputs/{name}/{value})')}"
    for line in stage.script:
        yield f"    - {quoted(REFERENCE.sub(lambda found: f'${{{variable(*found.groups())}}}', line))}"
    yield f"    - mkdir -p .outputs/{stage.name}"
    for value, command in stage.outputs.items():
        own = variable(stage.name, value)
        yield f"    - {quoted(f'{own}=$({command})')}"
        yield "    - " + quoted(f'printf %s "${own}" >.outputs/{stage.name}/{value}')
    yield "  artifacts:"
    yield "    paths:"
    yield f"      - .outputs/{stage.name}/"
    yield ""


def variable(stage: str, value: str) -> str:
    """Return the variable of a value."""
    return f"{stage}_{value}".replace("-", "_")


def quoted(scalar: str) -> str:
    """Return *scalar* as YAML."""
    return scalar if PLAIN.fullmatch(scalar) else "'{}'".format(scalar.replace("'", "''"))


def compiled(source: str) -> str:
    """Return the file for the one pipeline in *source*."""
    root = yaml.compose(source, yaml.CLoader)
    if root is None:
        sys.exit("empty")
    (pipeline,) = mapping(mapping(root, frozenset({"pipelines"}))["pipelines"]).values()
    stages = read(pipeline)
    order(stages)
    steps = ", ".join(f"step {number + 1}" for number in range(max(stage.frame for stage in stages.values())))
    return "\n".join([f"stages: [{steps}]", "", *(line for stage in stages.values() for line in job(stage, stages))])


Path(sys.argv[2]).write_text(compiled(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
