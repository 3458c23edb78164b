"""Scripts with hostile values in their references, executed in shells: an executed value creates a file."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bindings.sample_scripts import scalar
from robust.trial_result import Figures
from robust.words.builtins import builtin_commands
from robust.words.grammar import REFERENCE, drawn, positions
from robust.words.variables import assignments, attributed

from pipegen.bindings.script.entry import parse_script
from pipegen.diagnostics.report import Report
from pipegen.shell.words.rewrite import rewrite

SHELLS = {
    "bash": ("bash",),
    "posix": ("bash", "--posix"),
    "dash": ("dash",),
    "busybox": ("busybox", "sh"),
}
# The values of the first and of the second reference. Each creates the file if it is executed.
VALUES: tuple[tuple[str, str], ...] = (
    ("a[$(: >canary)]", "a[$(: >canary)]"),
    ("$(: >canary)", "$(: >canary)"),
    ("`: >canary`", ": >canary"),
    (": >canary", ": >canary"),
    ("-v", "a[$(: >canary)]"),
    ("v", "a[$(: >canary)]"),
    ("PS4=$(: >canary)", "BASH_ENV=$(: >canary)"),
    ("a[$(: >canary)]=1", "a=($(: >canary))"),
    ("a=$(: >canary)", "a+=$(: >canary)"),
    ("([$(: >canary)]=$(: >canary))", "$(: >canary)"),
    ("eval", ": >canary"),
    ("%n", "a[$(: >canary)]"),
    ("'; : >canary; '", '"; : >canary; "'),
    ("1 : >canary", "x touch canary"),
)
_SETTING = "declare -a a 2>/dev/null || :; x=abc; set -- 1 2; f() { :; }; EDITOR=true FCEDIT=true FUNCNEST=9"
# One shell process runs many scripts, once for each value, each in its own subshell and folder.
_LOOP = """
v={value} w={second}; export v w
for number in "$@"; do
  ( cd "runs/{pair}/$number"; pipegen_v=$v pipegen_w=$w; . "../../../scripts/$number" ) </dev/null >/dev/null 2>&1
done
"""
BATCH = 250


@dataclass(frozen=True, slots=True)
class Fired:
    """A script that executed a value."""

    script: str
    shell: str
    value: str


def refused(script: str) -> bool:
    """Return whether *script* is rejected by the compiler."""
    report = Report()
    parse_script(scalar(script), ["s"], report, is_bash=True)
    return bool(report.diagnostics())


def rewritten(script: str) -> str:
    """Return *script* as the shell gets it."""
    parsed = parse_script(scalar(script), ["s"], Report(), is_bash=True)
    return rewrite(parsed, lambda placed: f"pipegen_{placed.reference.name}", {}, lambda _: False)


def fired(scripts: Sequence[str], shells: Sequence[str], values: Sequence[tuple[str, str]] = VALUES) -> list[Fired]:
    """Return the executions of values by *scripts* in each of *shells*."""
    fired: list[Fired] = []
    for start in range(0, len(scripts), BATCH):
        batch = scripts[start : start + BATCH]
        texts = [f"{_SETTING}\n{rewritten(script)}\n" for script in batch]
        with ThreadPoolExecutor(len(shells)) as pool:
            canaries = list(pool.map(partial(_canaries, texts, values), shells))
        for shell, pairs in zip(shells, canaries, strict=True):
            fired += [Fired(batch[number], shell, values[pair][0]) for pair, number in pairs]
    return fired


def _canaries(texts: Sequence[str], values: Sequence[tuple[str, str]], shell: str) -> list[tuple[int, int]]:
    """Return the positions of the value and the text of each execution, from one process of *shell*."""
    with TemporaryDirectory(prefix="pipegen-words-") as name:
        folder = Path(name)
        (folder / "scripts").mkdir()
        for number, text in enumerate(texts):
            (folder / "scripts" / str(number)).write_text(text)
            for pair in range(len(values)):
                (folder / "runs" / str(pair) / str(number)).mkdir(parents=True)
        loops = (
            _LOOP.format(value=shlex.quote(value), second=shlex.quote(second), pair=pair)
            for pair, (value, second) in enumerate(values)
        )
        (folder / "driver").write_text(f"{''.join(loops)}echo all")
        environment = {"PATH": os.environ["PATH"], "HOME": name, "LC_ALL": "C.UTF-8"}
        command = (*SHELLS[shell], "driver", *map(str, range(len(texts))))
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, timeout=3600)
        if result.stdout != b"all\n":
            raise RuntimeError(f"a script ended the {shell} that runs all of its batch")
        ends = [path.parts[-3:-1] for path in folder.glob("runs/*/*/canary")]
        return sorted((int(pair), int(number)) for pair, number in ends)


def refused_or_harmless(scripts: Sequence[str], shells: Sequence[str], values: Sequence[tuple[str, str]]) -> Figures:
    """Return the results of *scripts*: valid ones run in each of *shells* with each of *values*."""
    compiled = [script for script in dict.fromkeys(scripts) if not refused(script)]
    wrong: dict[str, Fired] = {}
    for trial in fired(compiled, shells, values):
        wrong.setdefault(trial.script, trial)
    line = f"{len(set(scripts)):,} scripts, {len(compiled):,} of them compiled and executed in {len(shells)} shells"
    return Figures("Words", (line, *map(str, wrong.values())), len(wrong))


def sample(seed: int, count: int) -> list[str]:
    """Return a number of scripts: of the grammar, of builtins, and of assignments."""
    chance, word = Random(seed), f'"{REFERENCE}"'
    others = [*positions(2), *builtin_commands(word), *assignments(word), *attributed(word)]
    return [*(drawn(chance) for _ in range(count // 2)), *chance.sample(others, count // 2)]


def figures(*, is_nightly: bool) -> Figures:
    """Return the results of all positions two deep, all builtins and variables, and deeper ones; or of a sample."""
    if not is_nightly:
        return refused_or_harmless(sample(0, 400), tuple(SHELLS), VALUES[:2])
    word = f'"{REFERENCE}"'
    scripts = [*positions(2), *builtin_commands(word), *assignments(word), *attributed(word), *sample(1, 20_000)]
    return refused_or_harmless(scripts, tuple(SHELLS), VALUES)
