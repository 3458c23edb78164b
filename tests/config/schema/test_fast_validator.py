"""The fast validator agrees with jsonschema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from config.changes import CHANGES, TEXTS, changed
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from pipegen.config.read import read
from pipegen.config.schema.fast_validator import FastValidator, UnknownKeywordError
from pipegen.config.schema.file import pipelines_schema
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Node, plain

# An integer has no fraction: 2.0 is not valid.
Validator = extend(  # type: ignore[no-untyped-call] # the stubs leave it open
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)

WORDS = st.sampled_from(("a", "b", "ab", "x-a", ""))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from((0.5, 1.0, 2.0)) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
NAMES = ("null", "boolean", "integer", "number", "string", "array", "object")
LIMITS = st.integers(0, 3)


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for schemas with some of the keywords and *inner* schemas."""
    several = st.lists(inner, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(NAMES) | st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
            "properties": st.dictionaries(WORDS, inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(("^x-", "a", "b$")), inner, max_size=2),
            "additionalProperties": inner,
            "propertyNames": inner,
            "items": inner,
            "required": st.lists(WORDS, max_size=2, unique=True),
            "dependentRequired": st.dictionaries(WORDS, st.lists(WORDS, max_size=2, unique=True), max_size=2),
            "enum": st.lists(WORDS | st.booleans(), min_size=1, max_size=3),
            "const": WORDS | st.booleans(),
            "pattern": st.sampled_from(("^a", "b$", "^$")),
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": inner,
            "$ref": st.just("#/$defs/part"),
            "description": WORDS,
            **dict.fromkeys(
                ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), LIMITS
            ),
            **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), LIMITS),
        },
    )


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | st.just({}), schemas, max_leaves=6)
PARTS = st.fixed_dictionaries({"type": st.sampled_from(NAMES)}, optional={"minLength": LIMITS, "minItems": LIMITS})


def tree(text: str) -> Node:
    """Return the tree of *text*."""
    return read(SourceFile("pipeline.yml", text), Report())


@pytest.mark.slow
@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)), PARTS, VALUES)
def test_any_schema_and_value_have_the_same_result(schema: dict[str, Any], part: dict[str, Any], value: object) -> None:
    """Keywords are nested in each other."""
    whole = {**schema, "$defs": {"part": part}}
    node = tree(json.dumps(value))

    assert FastValidator(whole).accepts(node) == Validator(whole).is_valid(plain(node))


@pytest.mark.parametrize(("text", "is_valid"), [("{a: 1, b: 2}", True), ("{a: 1}", False), ("{b: 2}", True)])
def test_a_key_can_require_others(text: str, *, is_valid: bool) -> None:
    """The settings of GitLab have such keys."""
    assert FastValidator({"dependentRequired": {"a": ["b"]}}).accepts(tree(text)) == is_valid


@pytest.mark.parametrize("schema", [{"uniqueItems": True}, {"enum": [1]}, {"items": {"const": None}}])
def test_an_unsupported_keyword_raises_an_error(schema: Mapping[str, Any]) -> None:
    """It is raised when a value reaches the keyword."""
    with pytest.raises(UnknownKeywordError):
        FastValidator(schema).accepts(tree("[1]"))


@pytest.mark.slow
def test_configs_of_the_repository_have_the_same_result() -> None:
    """They include valid and invalid ones."""
    answers = [agreed(text) for text in TEXTS]

    assert answers.count(True) > 100
    assert answers.count(False) > 20


@given(st.sampled_from(TEXTS[: len(TEXTS) // 2]), CHANGES)
def test_changed_configs_have_the_same_result(text: str, changes: list[tuple[float, str, int]]) -> None:
    """Most of them are invalid."""
    agreed(changed(text, changes))


def agreed(text: str) -> bool | None:
    """Return the common result of both validators for *text*; None if it is not YAML."""
    with suppress(Stopped):
        node = tree(text)
        with suppress(ValueError):  # an integer of more digits than Python reads
            data = Validator(dict(pipelines_schema())).is_valid(plain(node))
            assert FastValidator(pipelines_schema()).accepts(node) == data
            return bool(data)
    return None
