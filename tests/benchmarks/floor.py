"""The floor: what compiling the workload costs in bare Python, with nothing promised.

Reads a config by libyaml with the lines of all values, checks names, order and references by hand, and writes the jobs
of GitLab as strings. It knows just the keys of the workload, tells of mistakes in a word, and quotes nothing.
"""

import gc
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import yaml

gc.disable()


def mapping(node: yaml.Node) -> dict[str, yaml.Node]:
    """Return the values of a mapping by their keys."""
    return {key.value: value for key, value in node.value}


def compiled(text: str) -> str:
    """Return the jobs of the one pipeline in *text*."""
    root = yaml.compose(text, yaml.CLoader)
    assert root is not None
    (pipeline,) = mapping(mapping(root)["pipelines"]).values()
    parts = mapping(pipeline)
    stages = {}
    for node in parts["stages"].value:
        stage = mapping(node)
        if stage.keys() - {"name", "image", "script", "outputs"}:
            sys.exit(f"line {node.start_mark.line}: unknown key")
        stages[stage["name"].value] = stage
    before: dict[str, list[str]] = {name: [] for name in stages}
    for arc in parts["execution"].value:
        earlier, later = (one.value for one in arc.value)
        if earlier not in stages or later not in stages:
            sys.exit(f"line {arc.start_mark.line}: unknown stage")
        before[later].append(earlier)
    order = TopologicalSorter(before)
    order.prepare()
    return "".join(job(name, stage, before[name]) for name, stage in stages.items())


def job(name: str, stage: dict[str, yaml.Node], before: list[str]) -> str:
    """Return the job of one stage."""
    lines = [f"{name}:", f"  image: {stage['image'].value}", "  needs:" if before else "  needs: []"]
    lines += [f"    - job: {one}\n      artifacts: true" for one in before]
    lines += ["  script:", "    - |"]
    outputs = mapping(stage["outputs"])
    for one in stage["script"].value:
        text = one.value
        for read, value in re.findall(r"\$\{(\w+)\.(\w+)\}", text):
            if read not in before:
                sys.exit(f"line {one.start_mark.line}: {read} does not run before")
            lines.append(f'      {read}_{value}=$(cat ".outputs/{read}/{value}")')
            text = text.replace(f"${{{read}.{value}}}", f"${read}_{value}")
        lines.append(f"      {text}")
    for value, node in outputs.items():
        lines.append(f'      printf %s "$({mapping(node)["command"].value})" > ".outputs/{name}/{value}"')
    lines += ["  artifacts:", "    paths:", f"      - .outputs/{name}/", ""]
    return "\n".join(lines)


Path(sys.argv[2]).write_text(compiled(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
