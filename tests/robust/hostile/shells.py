"""Rounds of hostile texts in a shell, without an engine: the scripts of stages in sequence."""

from __future__ import annotations

from pathlib import Path

from robust.hostile.engines import fault_of
from robust.hostile.round import Round
from shell.world import World, host, jobs, script_of, text_of

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile

SHELLS = ("dash", "bash", "busybox")


def faults(turn: Round, shell: str, folder: Path) -> list[str]:
    """Return the faults in the result of *turn* in *shell*, including executed texts."""
    records = folder / "values"
    for target in (records, turn.canaries):
        target.mkdir(parents=True)
    variables = {f"INPUT_{name}": value for name, value in turn.input_values.items()}
    world = World(folder, shell, {"RECORDS": str(records), **variables}).prepare()
    for name, text in turn.files.items():
        path = world.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    wrong = failed(turn, world)
    wrong += [fault for expectation in turn.expected if (fault := fault_of(expectation, records))]
    return [*wrong, *(f"text {number} was executed" for number in turn.left())]


def failed(turn: Round, world: World) -> list[str]:
    """Run all stages in *world*; return those that fail."""
    plan = analyse(SourceFile("pipegen.yaml", turn.config(), ""), (), Report()).plans[0]
    texts: list[str] = []
    outputs: dict[tuple[str, str], str] = {}
    for stage in jobs(plan):
        for (producer, name), value in outputs.items():
            world.give(producer, name, value)
        result = world.run(text_of(script_of(plan, stage, host())))
        texts += [f"stage {stage}: {result.errors}"] if result.status else []
        left = (world.root / ".pipegen/outputs").glob("*/*")
        outputs |= {(path.parent.name, path.name): path.read_bytes().decode() for path in left}
    return texts
