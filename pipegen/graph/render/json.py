"""A graph as JSON."""

import json

from pipegen.graph.execution import ExecutionGraph

Entry = str | tuple[str, ...]


def render_json(graph: ExecutionGraph) -> str:
    """Return *graph* as an object of nodes, arcs and frames; raise `CycleError` if it has a cycle."""
    parts = ",\n".join(f'  "{key}": {_list(entries)}' for key, entries in json_value(graph).items())
    return f"{{\n{parts}\n}}\n"


def json_value(graph: ExecutionGraph) -> dict[str, tuple[Entry, ...]]:
    """Return the content of `render_json`, for use in a larger object."""
    return {"nodes": graph.nodes, "arcs": graph.arcs, "frames": graph.stack()}


def _list(entries: tuple[Entry, ...]) -> str:
    """Return *entries*, one per line, in ASCII, so that names cannot contain terminal escapes or encoding errors."""
    lines = ",\n".join(f"    {json.dumps(entry)}" for entry in entries)
    return f"[\n{lines}\n  ]" if entries else "[]"
