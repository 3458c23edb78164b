"""Hints for values of the wrong type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pipegen.config.flow import flow
from pipegen.config.schema.tree_paths import PIPELINE, STAGE, TreePaths, of_stage
from pipegen.config.schema.violation import Path, Violation
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence, as_items, child, entries_of, items_of

# Words that YAML 1.1 and other programs read as booleans.
_BOOLEANS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
# A longer list is not repeated in a hint, as each of its items is reported.
_MOST_SHOWN = 8


def hint_for(violation: Violation, tree_paths: TreePaths) -> str | None:
    """Return a hint for the violation; None if the value does not show the intention."""
    if not violation.path:
        return tree_paths.top_hint
    parent, key = tree_paths.pattern(violation.path[:-1]), tree_paths.pattern(violation.path)[-1:]
    # The names of axes are beside the keys of a matrix.
    pattern = (*of_stage(parent), *(("*",) if parent[-1:] == ("matrix",) else key))
    if pattern in _USUAL and (hint := _USUAL[pattern](tree_paths.node(violation.path))) is not None:
        return hint
    return _instead_of(violation, tree_paths)


def _instead_of(violation: Violation, tree_paths: TreePaths) -> str | None:
    """Return the hint that follows from the value and the allowed types."""
    limit: Any = violation.limit
    match violation.value:
        case str(text):
            return _list_of(violation, tree_paths) or _instead_of_text(text, limit)
        case list(items):
            return _instead_of_list(
                items, limit, is_block=not tree_paths.node(violation.path).span.text.startswith("[")
            )
        case dict(pairs):
            return _instead_of_map(pairs, limit)
        case int() | float():
            return _instead_of_number(tree_paths.node(violation.path).span.text, limit)
    return None


def _list_of(violation: Violation, tree_paths: TreePaths) -> str | None:
    """Return the hint for a list of texts where a list of lists is expected, such as `order: [build, test]`."""
    limit: Any = violation.limit
    if "array" not in limit or not isinstance(violation.path[-1], int):
        return None
    items = items_of(tree_paths.node(violation.path[:-1]))
    is_list = 1 < len(items) <= _MOST_SHOWN and all(isinstance(item, Scalar) for item in items)
    return f"write one list in the list: {flow([list(items)])}" if is_list else None


def _instead_of_number(written: str, limit: Any) -> str | None:
    if "array" in limit:
        return f"write it as a list: [{written}]"
    return f"put it in quotes: '{written}'" if "string" in limit else None


def _stage(node: Node) -> str | None:
    return f'write "- name: {node.text}"' if isinstance(node, Scalar) else None


def _stages(node: Node) -> str | None:
    """Return the hint for a map of stages, or for a stage without its dash."""
    if not isinstance(node, Map) or not node.entries:
        return None
    name = node.get("name")
    if isinstance(name, Scalar):
        return f'begin the stage with a dash: "- name: {name.text}"'
    return f'write each stage as an item with its name: "- name: {node.entries[0].key.text}"'


def _pipelines(node: Node) -> str | None:
    """Return the hint for a list of pipelines with names."""
    first = node.items[0] if isinstance(node, Sequence) and node.items else None
    name = child(first, "name")
    if not isinstance(name, Scalar):
        return None
    return f'write the name of the pipeline as its key: "{name.text}:" in place of "- name: {name.text}"'


def _arc(node: Node) -> str | None:
    """Return the hint for a map in place of an arc, such as `parallel: [a, b]` or `a: b`."""
    entry = node.entries[0] if isinstance(node, Map) and len(node.entries) == 1 else None
    if entry is None:
        return None
    if isinstance(entry.value, Sequence):
        return f'write parallel stages as a list in the arc: "- [{flow(entry.value)}]"'
    is_name = isinstance(entry.value, Scalar) and bool(entry.value.text)
    return f'write the names in a list: "- [{entry.key.text}, {flow(entry.value)}]"' if is_name else None


def _targets(node: Node) -> str | None:
    """Return the hint for targets in a list, or for one as text."""
    names = node.items if isinstance(node, Sequence) else [node]
    if not all(isinstance(name, Scalar) and name.text for name in names):
        return None
    settings = ", ".join(f"{flow(name)}: {{}}" for name in names)
    return f'write a map of their settings: "targets: {{{settings}}}"'


def _execution(node: Node) -> str | None:
    """Return the hint for an order that is text, such as `a, b`, or a map of names to their followers."""
    arcs: list[object] = []
    if isinstance(node, Scalar):
        arcs = [[name for name in re.split(r"\s*(?:,|->|→|>>|\s)\s*", node.text.strip()) if name]]
    elif isinstance(node, Map) and all(isinstance(entry.value, Scalar | Sequence) for entry in node.entries):
        arcs = [[entry.key, *items_of(entry.value)] for entry in node.entries]
    return f'write the order as lists of stages: "execution: {flow(arcs)}"' if arcs else None


def _final(node: Node) -> str | None:
    """Return the hint for a stage in place of its name."""
    name = child(node, "name")
    return (
        f'add the stage to "stages", and write only its name here: {flow(name)}' if isinstance(name, Scalar) else None
    )


def _when(node: Node) -> str | None:
    """Return the hint for text, or for a list of conditions."""
    if isinstance(node, Sequence) and all(isinstance(item, Map) for item in node.items):
        return f'write "when: {flow({"any": node})}" if one of them must hold'
    return 'write conditions as a map, as in "when: {branch: main}"' if isinstance(node, Scalar) else None


def _reports(node: Node) -> str | None:
    is_text = isinstance(node, Scalar) or (
        isinstance(node, Sequence) and all(isinstance(item, Scalar) for item in node.items)
    )
    return f'name the kind of report: "reports: {flow({"junit": node})}"' if is_text else None


def _tools(node: Node) -> str | None:
    types = [item.text for item in items_of(node) if isinstance(item, Scalar)]
    return f'name the installation of each: "tools: {flow(dict.fromkeys(types, "NAME"))}"' if types else None


def _output(node: Node) -> str | None:
    if not isinstance(node, Scalar):
        return None
    command = flow({"command": node})
    return f'write {command} for the output of this command, {{file: …}} for a file, or move a value to "exports"'


def _email(node: Node) -> str | None:
    to = as_items(node)
    is_known = all(isinstance(item, Scalar) for item in to)
    return f'write "email: {flow({"to": list(to)})}"' if is_known else None


def _command(node: Node) -> str | None:
    """Return the hint for a command that YAML reads as a map or a list."""
    entry = node.entries[0] if isinstance(node, Map) and len(node.entries) == 1 else None
    if entry is not None and isinstance(entry.value, Scalar) and not node.span.text.startswith("{"):
        command = f"{entry.key.text}: {entry.value.span.text}".replace("'", "''")
        return f"put the command in quotes: '{command}'"
    if isinstance(node, Sequence) and all(isinstance(item, Scalar) for item in node.items):
        return 'write its commands as items of the outer list, or in "before" of a template that stages extend'
    return None


def _cache(node: Node) -> str | None:
    match node:
        case Scalar() if re.fullmatch(r".*[/.].*", node.text):
            return f'write the paths in a map: "cache: {{paths: [{node.text}]}}"'
        case Scalar(text="true"):
            return 'write the paths in a map: "cache: {paths: [.cache/]}"'
        case Scalar():
            return f'write the key and the paths in a map: "cache: {{key: {node.text}, paths: [.cache/]}}"'
    return None


def _reuse(node: Node) -> str | None:
    """Return the hint for files by their names alone."""
    names = as_items(node)
    is_known = all(isinstance(name, Scalar) for name in names)
    return f'name what the result depends on: "reuse: {flow({"files": list(names)})}"' if is_known else None


def _inputs(node: Node) -> str | None:
    """Return the hint for inputs by their names alone, which have no default."""
    names = [item.text for item in items_of(node) if isinstance(item, Scalar)]
    is_known = names and len(names) == len(items_of(node))
    return f'write a map: "inputs: {flow({name: {} for name in names})}"' if is_known else None


def _resources(node: Node) -> str | None:
    """Return the hint for an amount alone: memory has a unit, processors have none or `m`."""
    amount = node.text if isinstance(node, Scalar) else ""
    key = "memory" if re.fullmatch(r"[0-9.]+[KMG]i?", amount) else "cpu" if re.fullmatch(r"[0-9.]+m?", amount) else ""
    return f'write "resources: {{{key}: {amount}}}"' if key else None


def _exit_codes(node: Node) -> str | None:
    """Return the hint for exit codes in place of a map with them."""
    codes = [item for item in as_items(node) if isinstance(item, Scalar) and item.kind is ScalarKind.INTEGER]
    is_known = codes and len(codes) == len(as_items(node))
    return f'write exit codes in a map: "allow_failure: {flow({"exit_codes": codes})}"' if is_known else None


def _services(node: Node) -> str | None:
    """Return the hint for services by name."""
    entries = entries_of(node)
    services = [{"alias": entry.key, **_service(entry.value)} for entry in entries]
    is_known = services and all("image" in service for service in services)
    return f'write a list: "services: {flow(services)}"' if is_known else None


def _service(node: Node) -> dict[str, Node]:
    if isinstance(node, Scalar):
        return {"image": node}
    return {entry.key.text: entry.value for entry in node.entries} if isinstance(node, Map) else {}


def _variables(key: str) -> Callable[[Node], str | None]:
    """Return the hint for variables of *key* in a list: texts such as `A=b`."""

    def hint(node: Node) -> str | None:
        items = [item.text for item in items_of(node) if isinstance(item, Scalar)]
        pairs = {name: value for name, sign, value in (item.partition("=") for item in items) if sign}
        return f'write a map: "{key}: {flow(pairs)}"' if items and len(pairs) == len(items) else None

    return hint


def _secrets(node: Node) -> str | None:
    """Return the hint for variables alone, in a text or a list."""
    items = [item.text for item in as_items(node) if isinstance(item, Scalar)]
    pairs = {item: item.lower().replace("_", "-") for item in items}
    return f'write each variable with the ID of its secret: "secrets: {flow(pairs)}"' if pairs else None


def _matrix(node: Node) -> str | None:
    is_values = isinstance(node, Sequence) and all(isinstance(item, Scalar) for item in node.items)
    return f'name the axis of the values: "matrix: {{version: {flow(node)}}}"' if is_values else None


def _axis(node: Node) -> str | None:
    is_reference = isinstance(node, Scalar) and "${" in node.text
    return "list the values: the combinations of a matrix are known before the run" if is_reference else None


def _advice(hint: str) -> Callable[[Node], str | None]:
    """Return the function that returns *hint* for a text."""
    return lambda node: hint if isinstance(node, Scalar) else None


# Hints for values that people often write at these paths.
_USUAL: Mapping[Path, Callable[[Node], str | None]] = {
    ("pipelines",): _pipelines,
    ("pipelines", "*", "execution"): _execution,
    ("pipelines", "*", "execution", 0): _arc,
    ("targets",): _targets,
    ("inputs",): _inputs,
    ("pipelines", "*", "concurrency"): _advice(
        'write "concurrency: {}" for runs that wait for each other, "concurrency: {cancel: true}" to cancel older ones'
    ),
    **{
        (*place, "notify"): _advice('write the address in a map, as in "notify: {email: {to: [team@example.com]}}"')
        for place in (PIPELINE, STAGE)
    },
    **{(*place, "notify", "email"): _email for place in (PIPELINE, STAGE)},
    **{
        (*place, "notify", "webhook"): _advice(
            'write "webhook: {url: chat-webhook}", where "chat-webhook" is the ID of the secret text with the address'
        )
        for place in (PIPELINE, STAGE)
    },
    STAGE[:-1]: _stages,
    STAGE: _stage,
    **{(*STAGE, key, 0): _command for key in ("script", "before", "after")},
    **{
        (*STAGE, key): function
        for key, function in (("env", _variables("env")), ("secrets", _secrets), ("matrix", _matrix))
    },
    (*STAGE, "matrix", "*"): _axis,
    (*STAGE, "image", "build_args"): _variables("build_args"),
    (*STAGE, "services"): _services,
    (*STAGE, "cache"): _cache,
    (*STAGE, "cache", 0): _cache,
    (*STAGE, "reuse"): _reuse,
    (*STAGE, "retry"): _advice('write the number of extra attempts, as in "retry: 2"'),
    (*STAGE, "outputs", "*"): _output,
    (*STAGE, "resources"): _resources,
    (*STAGE, "allow_failure"): _exit_codes,
    (*STAGE, "allow_failure", "exit_codes"): _advice('write the exit codes as numbers, as in "exit_codes: [1, 2]"'),
    (*STAGE, "when"): _when,
    (*PIPELINE, "when"): _when,
    (*PIPELINE, "finally", 0): _final,
    (*STAGE, "reports"): _reports,
    (*STAGE, "tools"): _tools,
    (*STAGE, "cases"): lambda _: 'write each case as an item: "- {when: {branch: main}, env: {SERVER: www}}"',
}


def _instead_of_text(text: str, limit: tuple[str, ...]) -> str | None:
    if "integer" in limit and re.fullmatch(r"[0-9]+", text):
        return f"remove the quotes: {text}"
    if "boolean" in limit and text in {"true", "false"}:
        return f"remove the quotes: {text}"
    if "boolean" in limit and text.casefold() in _BOOLEANS:
        return f"write {_BOOLEANS[text.casefold()]}"
    if "array" in limit:
        item = text if re.fullmatch(r"[\w./-]+", text) else flow(text)
        return f"write it as a list: [{item}]" if re.fullmatch(r"\S+", text) else "write it as a list"
    if "object" in limit and (entry := re.fullmatch(r"([A-Za-z_][\w-]*):([^\s/].*)", text)):
        return f'write a blank after the colon: "{entry[1]}: {entry[2]}"'
    return None


def _instead_of_list(items: list[object], limit: tuple[str, ...], *, is_block: bool) -> str | None:
    if "string" in limit and len(items) == 1 and isinstance(items[0], str | int | float):
        return "write the value alone, not in a list"
    if "object" not in limit or not all(isinstance(item, dict) for item in items):
        return None
    mark = "dash" if is_block else "brackets"
    return f'remove the {mark}: a map holds lines of "key: value"'


# Keys that other systems have around a name.
_NAMING = frozenset({"name", "label", "labels", "node", "resource", "id", "value"})


def _instead_of_map(pairs: dict[str, object], limit: tuple[str, ...]) -> str | None:
    if "array" in limit and "string" not in limit:
        return 'begin each item with a dash: "- "'
    (key, value), *others = pairs.items() if pairs else [("", None)]
    if "string" in limit and not others and key in _NAMING and isinstance(value, str):
        return f"write the value alone: {flow(value)}"
    # Text such as `make: all` without quotes, or `${…}` written as `{…}`.
    return (
        "quote the text if it holds a colon or begins with a brace" if len(pairs) == 1 and "string" in limit else None
    )
