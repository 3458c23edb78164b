"""TOML as a tree: values as Python reads them, with their spans."""

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
    """Return the texts of the key at *path* and of its value."""
    shown = ""
    for key in path:
        assert isinstance(tree, Mapping)
        entry = tree.entry(key)
        assert entry is not None
        shown, tree = entry.key.span.text, entry.value
    return shown, tree.span.text


def test_values_are_the_same_as_from_tomllib() -> None:
    """These are strings, numbers, booleans, lists and tables."""
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
def test_spans_of_keys_and_values(path: tuple[str, ...], shown: tuple[str, str]) -> None:
    """A value of several lines has the span of its first one."""
    assert place(read_toml(SourceFile("a", TEXT), Report()), *path) == shown


def test_a_table_without_its_own_line_has_an_empty_span() -> None:
    """The table is defined only by the path of another one."""
    tree = read_toml(SourceFile("a", "[a.b]\nc = 1\n"), Report())

    assert place(tree, "a")[0] == ""
    assert place(tree, "a", "b", "c") == ("c", "1")
