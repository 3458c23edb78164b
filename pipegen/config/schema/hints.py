"""Hints for values of the wrong type."""

from __future__ import annotations

import re
from typing import Any

from pipegen.config.schema.tree_paths import STAGE, TreePaths
from pipegen.config.schema.violation import Path, Violation


def hint_for(violation: Violation, tree_paths: TreePaths) -> str | None:
    """Return a hint for the violation; None if the value does not show the intention."""
    if not violation.path:
        return tree_paths.top_hint
    limit: Any = violation.limit
    match violation.value:
        case str(text):
            return _at_place(text, tree_paths.pattern(violation.path)) or _instead_of_text(text, limit)
        case list(items):
            return _instead_of_list(
                items, limit, is_block=not tree_paths.node(violation.path).span.text.startswith("[")
            )
        case dict(pairs):
            return _instead_of_map(pairs, limit, is_stages=tree_paths.pattern(violation.path) == STAGE[:-1])
    return None


def _at_place(text: str, pattern: Path) -> str | None:
    """Return a hint for *text* at a path where people often write text."""
    if pattern == STAGE:
        return f'write "- name: {text}"'
    if pattern == (*STAGE, "outputs", "*"):
        return "write {command: …} for the output of a command, {file: …} for the content of a file"
    if pattern == (*STAGE, "when"):
        return 'write conditions as a map, as in "when: {branch: main}"'
    return None


def _instead_of_text(text: str, limit: tuple[str, ...]) -> str | None:
    if "integer" in limit and re.fullmatch(r"[0-9]+", text):
        return f"remove the quotes: {text}"
    if "boolean" in limit and text in {"true", "false"}:
        return f"remove the quotes: {text}"
    if "array" in limit:
        return f"write it as a list: [{text}]" if re.fullmatch(r"[\w./-]+", text) else "write it as a list"
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


def _instead_of_map(pairs: dict[str, object], limit: tuple[str, ...], *, is_stages: bool) -> str | None:
    if is_stages and pairs:
        return f'write each stage as an item with its name: "- name: {next(iter(pairs))}"'
    if "array" in limit:
        return 'begin each item with a dash: "- "'
    # Text such as `make: all` without quotes, or `${…}` written as `{…}`.
    return (
        "quote the text if it holds a colon or begins with a brace" if len(pairs) == 1 and "string" in limit else None
    )
