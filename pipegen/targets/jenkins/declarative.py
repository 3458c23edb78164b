"""Stages as blocks of `pipeline {}`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pipegen.graph.blocks import Block
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.names import Names, group_name


def lower_blocks(
    placed: Iterable[Block], stages: Mapping[str, model.Stage], selected: Callable[[str], model.Selected]
) -> tuple[model.Block, ...]:
    """Return *placed* with its *stages*; stages with several others inside get names of their own."""
    names = Names()
    for name in stages:
        names.take(name)
    return tuple(_block(block, stages, selected, names) for block in placed)


def with_functions(stages: Sequence[model.Stage]) -> tuple[model.Stage, ...]:
    """Return *stages* with their steps in functions, which are methods of their own and so have sizes of their own."""
    return tuple(replace(stage, steps_function=f"steps{number}") for number, stage in enumerate(stages, 1))


def _block(
    block: Block, stages: Mapping[str, model.Stage], selected: Callable[[str], model.Selected], names: Names
) -> model.Block:
    chains = tuple(
        model.Chain(
            name=names.take(group_name(chain)) if len(chain) > 1 else "",
            selected=selected(stages[chain[0]].pipeline),
            stages=tuple(stages[name] for name in chain),
        )
        for chain in block
    )
    members = [name for chain in block for name in chain]
    return model.Block(names.take(group_name(members)) if len(chains) > 1 else "", chains)
