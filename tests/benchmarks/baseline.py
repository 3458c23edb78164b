"""The baseline: a compiler for the workload in bare Python, with libyaml, handwritten checks and string formatting.

Reads a config with libyaml and keeps the line of every value; checks keys, types, names, order and references with
handwritten code; writes one file with the same jobs and needs as pipegen, although GitLab accepts no file of 10,000
jobs. It supports only the keys of the workload, stops at the first mistake with a short message, and makes no other
checks.
"""

import gc
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import yaml

gc.disable()

NAME = re.compile(r"[A-Za-z0-9_-]+")
REFERENCE = re.compile(r"\$\{([\w-]+)\.([\w-]+)\}")
# Text that both versions of YAML read as the same string without quotes.
PLAIN = re.compile(r"(?i:(?!(?:true|false|yes|no|on|off|null|y|n)\Z))[A-Za-z./$_](?:[^:#\n]|:(?! )|(?<! )#)*(?<! )")


class Stage:
    """A stage of the config, with its *frame* in the graph and a bit for each stage that precedes it (*above*)."""

    __slots__ = ("above", "before", "frame", "image", "name", "node", "number", "outputs", "script", "used")
    image: str
    script: list[str]
    outputs: dict[str, str]
    used: dict[tuple[str, str], None]

    def __init__(self, number: int, node: yaml.Node, name: str) -> None:
        """Set the fields that are known first."""
        self.number, self.node, self.name = number, node, name
        self.before: list[str] = []
        self.frame, self.above = 1, 0


def wrong(node: yaml.Node, message: str) -> SystemExit:
    """Return the exit of the program, with *message* and the line of *node*."""
    return SystemExit(f"line {node.start_mark.line + 1}: {message}")


def mapping(node: yaml.Node, known: frozenset[str] | None = None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by their keys, which must be in *known*."""
    if not isinstance(node, yaml.MappingNode):
        raise wrong(node, "not a map")
    data = {text(key): value for key, value in node.value}
    if len(data) != len(node.value):
        raise wrong(node, "a key twice")
    if known is not None and not data.keys() <= known:
        raise wrong(node, "unknown key")
    return data


def items(node: yaml.Node) -> list[yaml.Node]:
    """Return the items of a list."""
    if not isinstance(node, yaml.SequenceNode):
        raise wrong(node, "not a list")
    value: list[yaml.Node] = node.value
    return value


def text(node: yaml.Node) -> str:
    """Return the text of a scalar."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != "tag:yaml.org,2002:str":
        raise wrong(node, "not text")
    value: str = node.value
    return value


PIPELINE = frozenset({"stages", "execution"})
STAGE = frozenset({"name", "image", "script", "outputs"})
OUTPUT = frozenset({"command"})


def read(node: yaml.Node) -> dict[str, Stage]:
    """Return the stages of the pipeline *node*, in order."""
    parts = mapping(node, PIPELINE)
    stages: dict[str, Stage] = {}
    for item in items(parts["stages"]):
        keys = mapping(item, STAGE)
        name = text(keys["name"])
        if not NAME.fullmatch(name) or name in stages:
            raise wrong(keys["name"], "no name, or one that is taken")
        stage = stages[name] = Stage(len(stages), item, name)
        stage.image = text(keys["image"])
        stage.script = [text(line) for line in items(keys["script"])]
        stage.used = dict.fromkeys([used for line in stage.script for used in REFERENCE.findall(line)])
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
    """Compute the frame and the predecessors of each stage."""
    try:
        ordered = tuple(TopologicalSorter({name: stage.before for name, stage in stages.items()}).static_order())
    except CycleError as error:
        sys.exit(f"a cycle: {' -> '.join(error.args[1])}")
    for name in ordered:
        stage = stages[name]
        for earlier in map(stages.__getitem__, stage.before):
            stage.above |= earlier.above | 1 << earlier.number
            stage.frame = max(stage.frame, earlier.frame + 1)


def job(stage: Stage, stages: dict[str, Stage], reads: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of the job of *stage*, which stores only its outputs in *reads*."""
    for name, value in stage.used:
        if name not in stages or value not in stages[name].outputs or not stage.above >> stages[name].number & 1:
            raise wrong(stage.node, f"{name}.{value} is not there yet")
    read = dict.fromkeys([name for name, _ in stage.used])
    values = [value for value in stage.outputs if (stage.name, value) in reads]
    yield f"\n{stage.name}:"
    if read:
        yield "  extends: .shell"
    yield f"  image: {quoted(stage.image)}"
    yield f"  stage: step {stage.frame}"
    if stage.before or read:
        yield "  needs:"
    for name in dict.fromkeys([*stage.before, *read]):
        yield f"    - {{ job: {quoted(name)}, artifacts: {'true' if name in read else 'false'} }}"
    yield from script(stage, values)
    if values:
        yield "  artifacts:"
        yield "    paths:"
        yield f"      - .pipegen/outputs/{stage.name}/"


def script(stage: Stage, texts: list[str]) -> Iterator[str]:
    """Yield the lines of the script of *stage*, which stores the outputs *texts*."""
    yield "  script:"
    if stage.used:
        yield "    # moves files of other jobs out of the checkout"
        yield '    - mv .pipegen "$pipegen/in"'
    for name, value in stage.used:
        yield "    - " + quoted(f'{variable(name, value)}=$(cat "$pipegen/in/outputs/{name}/{value}")')
    for line in stage.script:
        yield f"    - {quoted(REFERENCE.sub(expanded, line))}"
    for value in texts:
        yield f"    - {quoted(f'{variable(stage.name, value)}=$({stage.outputs[value]})')}"
    if texts:
        yield "    # outputs"
        yield f"    - mkdir -p .pipegen/outputs/{stage.name}"
    for value in texts:
        path = f".pipegen/outputs/{stage.name}/{value}"
        yield "    - " + quoted(f'printf %s "${variable(stage.name, value)}" >{path}')


def variable(stage: str, value: str) -> str:
    """Return the shell variable of an output."""
    return f"pipegen_{stage}_{value}".replace("-", "_")


def expanded(match: re.Match[str]) -> str:
    """Return the variable that replaces a reference, which must be between double quotes."""
    if match.string.count('"', 0, match.start()) % 2 == 0:
        raise SystemExit(f"{match[0]} stands outside quotes")
    name, goes_on = variable(match[1], match[2]), match.string[match.end() : match.end() + 1]
    return f"${{{name}}}" if goes_on.isalnum() or goes_on in ("_", "[") else f"${name}"


def quoted(scalar: str) -> str:
    """Return *scalar* as YAML."""
    return scalar if PLAIN.fullmatch(scalar) else "'{}'".format(scalar.replace("'", "''"))


def compiled(path: str) -> str:
    """Return the file for the one pipeline in the file at *path*."""
    root = yaml.compose(Path(path).read_text(encoding="utf-8"), yaml.CLoader)
    if root is None:
        raise SystemExit("empty")
    (pipeline,) = mapping(mapping(root, frozenset({"pipelines"}))["pipelines"]).values()
    stages = read(pipeline)
    order(stages)
    reads = {feature for stage in stages.values() for feature in stage.used}
    steps = ", ".join([f"step {number + 1}" for number in range(max(stage.frame for stage in stages.values()))])
    lines = [f"stages: [{steps}]", *([SHELL] if reads else [])]
    for stage in stages.values():
        lines += job(stage, stages, reads)
    body = "\n".join([*lines, ""])
    return f"{HEAD.format(path)}{sha256(body.encode()).hexdigest()[:16]}\n\n{body}"


HEAD = """\
# Generated by pipegen from {}. Do not edit: change that file and run "pipegen compile".
# Digest: """
SHELL = """
.shell:
  before_script:
    - pipegen=$(mktemp -d)
    - |
      # clean up, however the script ends
      trap '{ trap "" HUP INT TERM; rm -rf "$pipegen"; } >/dev/null 2>&1 || :' EXIT
      trap 'exit 143' HUP INT TERM"""

Path(sys.argv[2]).write_text(compiled(sys.argv[1]), encoding="utf-8")
