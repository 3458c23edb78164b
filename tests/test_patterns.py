"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module

import pytest

import pipegen
from pipegen.patterns import rare_pattern


def test_it_is_used_as_a_pattern_is() -> None:
    """With its flags, on text and on bytes, and as often as one likes."""
    word, line = rare_pattern("[a-z]+", re.IGNORECASE), rare_pattern(rb"^b", re.MULTILINE)

    assert [bool(word.fullmatch(text)) for text in ("Ab", "a1", "b")] == [True, False, True]
    assert (word.sub("-", "a1b"), word.pattern, line.findall(b"a\nb")) == ("-1-", "[a-z]+", [b"b"])


def test_it_is_compiled_when_it_is_used() -> None:
    """What is wrong in it is not seen before."""
    pattern = rare_pattern("(")

    with pytest.raises(re.error):
        pattern.match("(")


def test_all_of_ours_compile() -> None:
    """The rarest, too, which no other test may use."""
    modules = [import_module(found.name) for found in pkgutil.walk_packages(pipegen.__path__, "pipegen.")]
    rare = [value for module in modules for value in vars(module).values() if type(value) is type(rare_pattern(""))]

    assert len([pattern.pattern for pattern in rare]) > 50
