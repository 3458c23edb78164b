"""What can be wrong with a graph, or with a question put to it."""

Cycle = tuple[str, ...]
"""The nodes of a cycle in the direction of its arcs; the first one stands at the end again."""


class CycleError(ValueError):
    """An order was asked for where the arcs go round; *cycles* holds one for each knot."""

    def __init__(self, cycles: tuple[Cycle, ...]) -> None:
        super().__init__("; ".join(" -> ".join(map(str, cycle)) for cycle in cycles))
        self.cycles = cycles


class DoneError(ValueError):
    """A set of done nodes that cannot be: *name* is unknown, or done before its predecessor *missing*."""

    def __init__(self, name: str, missing: str | None = None) -> None:
        reason = "it is not in the graph" if missing is None else f'"{missing}", which comes before it, is not'
        super().__init__(f'"{name}" cannot be done: {reason}')
        self.name = name
        self.missing = missing


class SharedNodesError(ValueError):
    """Two graphs to be put one after the other have *nodes* in common, which would come before themselves."""

    def __init__(self, nodes: tuple[str, ...]) -> None:
        names = ", ".join(f'"{node}"' for node in nodes)
        super().__init__(f"both graphs hold {names}")
        self.nodes = nodes
