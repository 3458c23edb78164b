"""Short configs that expand to very large ones: each doubling is rejected, quickly and in little memory.

    PYTHONPATH=.:tests python tests/robust/exponential_configs.py

compiles each in a separate process, and prints the time and memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from robust.measured_process import MEGABYTES, SECONDS, called
from robust.trial_result import Figures

_BASES = ("xy", "${setup.commit}", "${setup.commit|x}", "${FOO}", "${inputs.i}", "x" * 100_000, "x ")
_ITEMS = "abcdefghij"


@dataclass(frozen=True, slots=True)
class Trial:
    """The compilation of a config: CPU seconds, megabytes, and output."""

    name: str
    seconds: float
    megabytes: float
    output: str

    @property
    def is_wrong(self) -> bool:
        """Whether the config was not rejected as too large, or used too many resources."""
        is_refused = "error[PG415]" in self.output or "error[PG106]" in self.output
        return not is_refused or self.seconds > SECONDS or self.megabytes > MEGABYTES


def doublings() -> Iterator[tuple[str, str]]:
    """Yield configs by name: nested values, values within a stage and across stages, nested loops, and copies."""
    for base, times in product(_BASES, (2, 3, 10)):
        name = f"{base[:20]} times {times}"
        yield f"exports of {name}", _config(_exports(base, 40, times))
        yield f"exports of stages, {name}", _chain(base, 40, times)
        yield f"default, {name}", _config(_exports(base, 40, times, "|${FOO}"))
    for depth, width in ((24, 2), (8, 10), (13, 5)):
        loops = _nested(depth, _ITEMS[:width])
        yield f"{depth} loops of {width}", _config(_run(loops))
        yield f"{depth} loops of {width}, texts", _config(_run(_nested_texts(depth, width)))
        yield f"{depth} loops over lists of {width}", _config(_run(_over_lists(depth, width)))
    many = "".join(f"          V{number}: ${{.e13}}\n" for number in range(200))
    doubled = _exports("x" * 200, 14, 2)
    yield (
        "variables",
        _config(f"{doubled}      - name: b\n        script: [make]\n        env:\n{many.replace('.e13', 'a.e13')}"),
    )
    yield (
        "scripts",
        _config(f"{doubled}      - name: b\n        script:\n" + "          - echo ${a.e13} ${a.e12}\n" * 200),
    )
    stages = "".join(f"      - {{name: s{number}, extends: t}}\n" for number in range(200))
    yield "templates", f"templates:\n  t: {{script: ['echo {'x' * 100_000}']}}\n{_config(stages)}"
    stages = "".join(f"      - {{name: s{number}, extends: t, script: [make]}}\n" for number in range(200))
    yield "variables of templates", f"templates:\n  t: {{env: {{A: '{'x' * 100_000}'}}}}\n{_config(stages)}"
    axis = ", ".join(map(str, range(200)))
    combination = f"      - name: s\n        matrix: {{a: [{axis}]}}\n        script: ['echo {'x' * 100_000}']\n"
    yield "combinations", _config(combination)


def _config(stages: str) -> str:
    return f"inputs:\n  i: {{default: x}}\npipelines:\n  p:\n    stages:\n{stages}"


def _exports(base: str, depth: int, times: int, default: str = "") -> str:
    lines = [f"          e{number}: '{_times(f'.e{number - 1}{default}', times)}'\n" for number in range(1, depth)]
    return "".join(["      - name: a\n        script: [make]\n        exports:\n", f"          e0: '{base}'\n", *lines])


def _chain(base: str, depth: int, times: int) -> str:
    values = [base, *(_times(f"s{number}.e", times) for number in range(depth - 1))]
    stage = "      - name: s{}\n        script: [make]\n        exports: {{e: '{}'}}\n"
    order = ", ".join(f"s{number}" for number in range(depth))
    stages = "".join(stage.format(number, value) for number, value in enumerate(values))
    return f"{_config(stages)}    execution:\n      - [{order}]\n"


def _times(name: str, times: int) -> str:
    return f"${{{name}}}" * times


def _run(arguments: str) -> str:
    image = "docker-registry.example.org/x:1"
    return f"      - name: a\n        build: x\n        run: {{image: '{image}', arguments: {arguments}}}\n"


def _nested(depth: int, items: str) -> str:
    value = "'-'"
    for number in range(depth):
        value = f"{{$each: n{number}, $in: [{', '.join(items)}], $yield: {value}}}"
    return value


def _nested_texts(depth: int, width: int) -> str:
    value = "'-'"
    for number in range(depth):
        value = f"{{$each: n{number}, $in: '{'x ' * width}', $delimiter: ' ', $yield: {value}}}"
    return value


def _over_lists(depth: int, width: int) -> str:
    value = "[x]"
    for number in range(depth):
        value = f"{{$each: n{number}, $in: {value}, $yield: '{_times(f'.n{number}', width)}'}}"
    return value


def compiled(name: str, config: str, target: str = "gitlab") -> Trial:
    """Return the time, memory and output of compiling *config*."""
    with TemporaryDirectory(prefix="pipegen-doublings-") as folder:
        Path(folder, "pipegen.yaml").write_text(config)
        answer = called(("compile", "-t", target, "-o", "-", "pipegen.yaml"), Path(folder))
        return Trial(name, answer.seconds, answer.megabytes, answer.output)


def figures(*, is_nightly: bool) -> Figures:
    """Return the results of all doublings, or of every seventh."""
    trials = [compiled(name, config) for name, config in list(doublings())[:: 1 if is_nightly else 7]]
    wrong = [f"{trial.name}: {trial.seconds:.1f} s, {trial.megabytes:.0f} MB" for trial in trials if trial.is_wrong]
    slowest, largest = max(trial.seconds for trial in trials), max(trial.megabytes for trial in trials)
    line = f"{len(trials)} configs; the slowest took {slowest:.1f} s of the processor, the largest {largest:.0f} MB"
    return Figures("Doublings", (line, *wrong), len(wrong))


def main() -> int:
    """Print the figures of all; return 1 if a doubling was accepted or used too many resources."""
    result = figures(is_nightly=True)
    print("\n".join(result.lines))
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
