"""Errors of graphs and their queries."""

Cycle = tuple[str, ...]
"""The nodes of a cycle in the direction of its arcs; the first node is repeated at the end."""


class CycleError(ValueError):
    """A graph with cycles has no order; *cycles* holds one cycle per strongly connected component."""

    def __init__(self, cycles: tuple[Cycle, ...]) -> None:
        super().__init__("; ".join(" -> ".join(map(str, cycle)) for cycle in cycles))
        self.cycles = cycles


class DoneError(ValueError):
    """An impossible set of done nodes: *name* is unknown, or done before its predecessor *missing*."""

    def __init__(self, name: str, missing: str | None = None) -> None:
        reason = "it is not in the graph" if missing is None else f'"{missing}", which comes before it, is not'
        super().__init__(f'"{name}" cannot be done: {reason}')
        self.name = name
        self.missing = missing


class SharedNodesError(ValueError):
    """Two graphs in sequence share *nodes*, which would come before themselves."""

    def __init__(self, nodes: tuple[str, ...]) -> None:
        names = ", ".join(f'"{node}"' for node in nodes)
        super().__init__(f"both graphs hold {names}")
        self.nodes = nodes
