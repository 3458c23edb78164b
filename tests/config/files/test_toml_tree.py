"""TOML as the tree: values as Python reads them, and places that show them."""

from __future__ import annotations

import tomllib

import pytest

from pipegen.config.files.toml_tree import read_toml
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping, Node, plain

TEXT = """\
title = "x" # y
[tool.pipegen] # the settings
strict = true
severity = { PG402 = "off", 'PG 501' = "info" } # "#"
targets = [
  "gitlab",
]
[tool.pipegen.more]
a.b = 1.5
"quoted key" = '''
c = 3
'''
[[many]]
n = 1
"""


def place(tree: Node, *path: str) -> tuple[str, str]:
    """Return what stands at the key at *path*, and at its value."""
    shown = ""
    for key in path:
        assert isinstance(tree, Mapping)
        entry = tree.entry(key)
        assert entry is not None
        shown, tree = entry.key.span.text, entry.value
    return shown, tree.span.text


def test_values_are_those_of_python() -> None:
    """Text, numbers, truths, lists and tables."""
    assert plain(read_toml(SourceFile("a", TEXT), Report())) == tomllib.loads(TEXT)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (("title",), ("title", '"x"')),
        (("tool", "pipegen"), ("tool.pipegen", "tool.pipegen")),
        (("tool", "pipegen", "strict"), ("strict", "true")),
        (("tool", "pipegen", "severity"), ("severity", '{ PG402 = "off", \'PG 501\' = "info" }')),
        (("tool", "pipegen", "severity", "PG402"), ("PG402", '"off"')),
        (("tool", "pipegen", "severity", "PG 501"), ("'PG 501'", '"info"')),
        (("tool", "pipegen", "targets"), ("targets", "[")),
        (("tool", "pipegen", "more", "a", "b"), ("a.b", "1.5")),
        (("tool", "pipegen", "more", "quoted key"), ('"quoted key"', "'''")),
    ],
)
def test_places(path: tuple[str, ...], shown: tuple[str, str]) -> None:
    """Of keys and of values, or of their first lines."""
    assert place(read_toml(SourceFile("a", TEXT), Report()), *path) == shown


def test_what_is_not_found_stands_at_what_holds_it() -> None:
    """A table that is written in pieces has no line of its own."""
    tree = read_toml(SourceFile("a", "[a.b]\nc = 1\n"), Report())

    assert place(tree, "a")[0] == ""
    assert place(tree, "a", "b", "c") == ("c", "1")
