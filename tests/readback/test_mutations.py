"""Mutated files: for every change in one place, the reader returns a different order or rejects the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest
from graph.families import diamonds
from readback.families import FAMILIES, config
from readback.texts import Written, order, written

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.errors import UnreadableError

SKEWED = """
    pipelines:
      demo:
        stages:
          - { name: lint, script: x }
          - { name: unit, script: x }
          - { name: build, script: x, outputs: { id: { command: y } }, when: { branch: main } }
          - { name: report, script: 'x ${build.id|none}' }
          - { name: pack, script: x }
          - { name: ship, script: x }
          - { name: sign, script: x, when: { branch: main, event: push } }
          - { name: tell, script: x }
        execution:
          - [lint, build, pack, ship]
          - [unit, build, report]
          - [unit, report]
          - [build, sign]
        finally: [tell]
"""
SIDE_BY_SIDE = """
    pipelines:
      one:
        stages:
          - { name: a, script: x }
          - { name: b, script: x }
          - { name: c, script: x }
          - { name: e, script: x }
          - { name: f, script: x }
        execution: [[a, c], [b, c], [b, e]]
        finally: [f]
      two:
        workspace: shared
        stages: [{ name: a, script: x }, { name: b, script: x }, { name: c, script: x }]
        execution: [[a, c], [b]]
"""
CHILD = """
    pipelines:
      demo:
        stages:
          - { name: a, script: x }
          - { name: b, script: x }
          - { name: c, script: x }
          - { name: d, script: x }
          - { name: last, script: x }
        execution: [[a, b, c], [b, d]]
        finally: [last]
"""
BLOCKS = """
    pipelines:
      demo:
        stages: [{ name: a, script: x }, { name: b, script: x }, { name: c, script: x }, { name: d, script: x },
          { name: e, script: x }]
        execution: [[a, b, d], [c, d]]
        finally: [e]
"""


def many(count: int = 60) -> str:
    """Return a config with more stages than one method declares."""
    stages = "".join(f"          - {{ name: s{number}, script: x }}\n" for number in range(count))
    arcs = "".join(f"          - [s{number}, s{number + 7}]\n" for number in range(count - 7))
    return f"    pipelines:\n      demo:\n        stages:\n{stages}        execution:\n{arcs}"


def check_noticed(generated: Written, mutants: Mapping[str, str]) -> None:
    """Check that *mutants*, by a description of their change, are not read with the order of *generated*."""
    sound = generated.graph()
    unnoticed = [what for what, text in mutants.items() if _read(text, generated.children) == sound]

    assert mutants
    assert unnoticed == []


def _read(text: str, children: Mapping[str, str]) -> ExecutionGraph | None:
    """Return the order in *text*, None if it is rejected."""
    try:
        return order(text, children)
    except UnreadableError:
        return None


def without(text: str, pattern: str, *, by: str = "") -> dict[str, str]:
    """Return *text* once for each match of *pattern*, replaced with *by*."""
    return {
        f"{match[0]!r} at {match.start()}": text[: match.start()] + match.expand(by) + text[match.end() :]
        for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL)
    }


def with_needs_written_out(generated: Written) -> Written:
    """Return *generated* with each need on its own line, as a map."""

    def written_out(needs: re.Match[str]) -> str:
        names = re.findall(r"[^\s,\[\]][^,\]\n]*", needs[1]) if needs[1] else needs[2].splitlines()
        items = (name.removeprefix("    - ") for name in names)
        return "  needs:\n" + "".join(
            f"    - {item if item.startswith('{') else f'{{ job: {item} }}'}\n" for item in items
        )

    text = re.sub(r"^  needs:(?: \[(.*)\]\n|\n((?:    - .*\n)+))", written_out, generated.text, flags=re.MULTILINE)
    return replace(generated, text=text)


def without_calls(text: str, name: str) -> dict[str, str]:
    """Return *text* once without each call or block *name*, including its body."""
    data = {}
    for match in re.finditer(rf"^( *){name}\(.*?^\1}}\n", text, re.MULTILINE | re.DOTALL):
        data[match[0].partition("\n")[0]] = text[: match.start()] + text[match.end() :]
    return data


# Scripted files: with finally, with several pipelines, and with functions that declare stages.
SCRIPTS = {"finally": SKEWED, "several": SIDE_BY_SIDE, "many": many()}
# With blocks that would nest too deep if the driver did not limit them.
DEEP = config(diamonds(45))


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_mutated_predecessors_are_detected(name: str) -> None:
    """One name fewer, another name, or a missing stage."""
    generated = written(SCRIPTS[name], "jenkins", style="scripted")
    lists = {
        what: text
        for match in re.finditer(r"after: \[(.*?)\]", generated.text)
        for name in re.finditer(r"'[^']*'(, )?", match[1])
        for what, text in _cut(generated.text, match.start(1) + name.start(), match.start(1) + name.end())
    }
    check_noticed(generated, lists)
    check_noticed(generated, without(generated.text, r", after: \[.*?\]"))
    check_noticed(generated, without_calls(generated.text, "addStage"))
    check_noticed(generated, without(generated.text, r"(?<=addStage\()'", by="'x"))


def _cut(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    shorter = text[:start] + text[end:]
    yield f"{text[start:end]} at {start}", re.sub(r", \]", "]", shorter)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*SCRIPTS.values(), DEEP], ids=[*SCRIPTS, "deep"])
def test_a_driver_without_any_one_line_is_rejected(text: str) -> None:
    """The driver is the constant code at the end; extra definitions are rejected too."""
    generated = written(text, "jenkins", style="scripted")
    start = generated.text.index("def addStage(")
    lines = list(re.finditer(r"^ *[^/\s].*\n", generated.text[start:], re.MULTILINE))
    mutants = {line[0]: generated.text[: start + line.start()] + generated.text[start + line.end() :] for line in lines}

    check_noticed(generated, mutants)
    check_noticed(generated, {"twice": generated.text + generated.text[start:]})
    check_noticed(generated, {"another": generated.text + "\ndef runStages(String name) {\n}\n"})
    check_noticed(generated, {"parallel": generated.text + "\ndef parallel(Map branches) {\n}\n"})


@pytest.mark.parametrize(
    "pattern", [r"(?<=\W)remove\(done\)", r"(?<!List )ready = ", r"size\(\) == 1", r"runStages\(\[name\]\)"]
)
def test_mutated_expressions_of_the_driver_are_detected(pattern: str) -> None:
    """Those that count down, continue and start stages."""
    generated = written(SKEWED, "jenkins", style="scripted")

    check_noticed(generated, without(generated.text, pattern, by="x()"))


def test_mutated_starts_of_stages_are_detected() -> None:
    """A root, a branch, a starting call, the call after it, or a function of stages is missing."""
    final, several, large = (written(config, "jenkins", style="scripted") for config in SCRIPTS.values())
    check_noticed(several, without(several.text, r"(?<=runStages\(\[)'[^']*'(, )?"))
    check_noticed(several, without(several.text, r"^ *parallel pipelines\n"))
    check_noticed(several, without(several.text, r"^    pipelines\['one'\] = \{.*?^    \}\n"))
    check_noticed(several, without(several.text, r"^ *runStages\(stagesReady\('[^']*'\)\)\n"))
    check_noticed(final, without(final.text, r"^    runStages\(stagesReady\(.*?\)\)\n"))
    check_noticed(final, without(final.text, r"^    runStages\(stagesReady\(\)\)\n"))
    check_noticed(large, without(large.text, r"^addStages\d\(\)\n"))
    check_noticed(large, without(large.text, r"^runStages\(stagesReady\(\)\)\n"))
    check_noticed(
        large,
        without(
            large.text,
            r"^addStages1\(\)\n(.*?)^runStages\(stagesReady\(\)\)\n",
            by=r"\1runStages(stagesReady())\naddStages1()\n",
        ),
    )


def test_mutated_declarative_blocks_are_detected() -> None:
    """A missing stage of a chain, or `parallel` and `stages` swapped."""
    generated = written(BLOCKS, "jenkins")

    assert "pipeline {" in generated.text
    check_noticed(generated, without_calls(generated.text, "stage"))
    check_noticed(generated, without(generated.text, r"\bparallel \{", by="stages {"))
    check_noticed(generated, without(generated.text, r"(?<=                    )stages \{", by="parallel {"))
    check_noticed(generated, without(generated.text, r"(?<=stage\(')\w(?=')", by="x"))
    check_noticed(generated, without(generated.text, r"\bsteps \{", by="step {"))


def test_mutated_needs_are_detected() -> None:
    """One need fewer or different, all needs of a job, or its stage."""
    generated = with_needs_written_out(written(SKEWED, "gitlab"))

    check_noticed(generated, without(generated.text, r"^ *- \{ job: (?!tell).*?\}\n"))
    check_noticed(generated, without(generated.text, r"^  needs:\n(?:    - .*\n)+", by="  needs: []\n"))
    check_noticed(generated, without(generated.text, r"^  needs:\n(?:    - .*\n)+(?=  rules)"))
    check_noticed(generated, without(generated.text, r"^  stage: finally\n", by="  stage: lint, unit\n"))
    check_noticed(generated, without(generated.text, r"^  stage: finally\n", by="  stage: finally\n  needs: []\n"))
    check_noticed(generated, without(generated.text, r"(?<=job: )lint", by="unit"))


def test_a_need_that_becomes_optional_is_detected() -> None:
    """If rules drop the needed job, its own needs are not waited for."""
    generated = with_needs_written_out(written(SKEWED, "gitlab"))
    sign = generated.text.index("\nsign:")
    text = generated.text[:sign] + generated.text[sign:].replace(
        "job: build, artifacts: false", "job: build, optional: true", 1
    )

    check_noticed(generated, {"sign": text})


@pytest.mark.slow
def test_mutated_collectors_are_detected() -> None:
    """One need fewer, or a collector without its marker variable."""
    stages = "".join(f"          - {{ name: s{number}, script: x }}\n" for number in range(61))
    arcs = "".join(f"          - [s{number}, s60]\n" for number in range(60))
    text = f"    pipelines:\n      demo:\n        stages:\n{stages}        execution:\n{arcs}"
    generated = with_needs_written_out(written(text, "gitlab"))

    assert "collect for s60" in generated.text
    check_noticed(generated, without(generated.text, r"^ *- \{ job: .*?\}\n"))
    check_noticed(generated, without(generated.text, r'^    PIPEGEN_HELPER: "1"\n'))


def check_children_noticed(generated: Written) -> None:
    """Check each child file of *generated* without one of its needs."""
    sound = generated.graph()
    for path, text in generated.children.items():
        mutants = without(text, r"^ *- \{ job: .*?\}\n") | without(text, r"^  needs:\n(?:    - .*\n)+")
        read = {what: _read(generated.text, {**generated.children, path: mutant}) for what, mutant in mutants.items()}

        assert [what for what, graph in read.items() if graph == sound] == []


def test_mutated_included_files_are_detected() -> None:
    """A missing include, or mutated needs in an included file."""
    limit = "targets: { gitlab: { max_yaml_size_bytes: 25000 } }\n"
    generated = written(limit + config(FAMILIES["layered"](40, Random(3))), "gitlab")  # noqa: S311 - shapes, no secrets

    assert generated.children
    check_noticed(generated, without(generated.text, r"^ *- local: .*?\n"))
    check_children_noticed(generated)


def test_mutated_child_pipelines_are_detected() -> None:
    """A trigger, its needs or its strategy, and needs in the child's file."""
    generated = with_needs_written_out(written(CHILD, "gitlab", split="b"))

    assert generated.children
    check_noticed(generated, without(generated.text, r'^"?child: .*?\n(?=\n|\Z)'))
    check_noticed(generated, without(generated.text, r"^ *- \{ job: .*?\}\n"))
    check_noticed(generated, without(generated.text, r"^ *- \{ local: .*?\}\n"))
    check_noticed(generated, without(generated.text, r"^    strategy: depend\n"))
    check_children_noticed(generated)
