"""Whether a tree fits a JSON Schema, and nothing about why not: the schema compiled to functions over nodes.

Most configs break no rule, so this is all they meet; `schema_explain` tells of the others. A part of the schema is
compiled when a value first comes to it. What is known of a value before it is looked at, its shape, decides which
branches of `anyOf` could take it, so most of them are never tried.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from pipegen.source.tree import Kind, Node, Scalar, Sequence
from pipegen.source.tree import Mapping as Map

Schema: TypeAlias = Mapping[str, Any] | bool
Test: TypeAlias = Callable[[Any], bool]
# What a value of each shape must pass, all of it; a shape that is not there fits nothing.
Tests: TypeAlias = Mapping[str, tuple[Test, ...]]

_SHAPES = ("string", "object", "array", "integer", "number", "boolean", "null")
_KINDS = {
    Kind.TEXT: "string",
    Kind.INTEGER: "integer",
    Kind.NUMBER: "number",
    Kind.BOOLEAN: "boolean",
    Kind.NULL: "null",
}
# Keywords that ask for nothing.
_NOTES = frozenset(("$schema", "$id", "$defs", "title", "description", "examples", "default", "format"))
_COUNTING = frozenset(("required", "minProperties", "maxProperties"))
_OBJECT = _COUNTING | {"properties", "patternProperties", "additionalProperties", "propertyNames"}


class UnknownKeywordError(Exception):
    """The schema says something that is not known here; only `schema_explain` can tell what fits it."""


class Acceptor:
    """A schema, and what of it is compiled; *part* is what a whole value is held against."""

    def __init__(self, schema: Mapping[str, Any], part: Schema | None = None) -> None:
        self._root = schema
        self._references: dict[str, Tests] = {}
        self._accepts = self._later(schema if part is None else part)

    def accepts(self, node: Node) -> bool:
        """Return whether *node* fits; raise UnknownKeywordError where that cannot be told."""
        return self._accepts(node)

    def _later(self, schema: Schema) -> Test:
        """Return the test of any value against *schema*, which is compiled when the first value comes."""
        tests: Tests | None = None

        def accepts(node: Node) -> bool:
            nonlocal tests
            if tests is None:
                tests = self._tests(schema)
            passed = tests.get(_shape(node))
            if passed is None:
                return False
            for test in passed:  # noqa: SIM110 - a loop costs half of what `all` does, and this is where time goes
                if not test(node):
                    return False
            return True

        return accepts

    def _tests(self, schema: Schema) -> Tests:
        if isinstance(schema, bool):
            return dict.fromkeys(_SHAPES, ()) if schema else {}
        tests: Tests = dict.fromkeys(_shapes_of(schema), ())
        if not _OBJECT.isdisjoint(schema):
            tests = _both(tests, self._object(schema))
        for keyword, limit in schema.items():
            tests = _both(tests, self._keyword(keyword, limit))
        return tests

    def _keyword(self, keyword: str, limit: Any) -> Tests:  # noqa: PLR0911 - a table of keywords
        match keyword:
            case "$ref":
                return self._reference(limit)
            case "anyOf":
                return _any_of([self._tests(branch) for branch in limit])
            case "oneOf":
                return _one_of([self._tests(branch) for branch in limit])
            case "allOf":
                tests: Tests = dict.fromkeys(_SHAPES, ())
                for branch in limit:
                    tests = _both(tests, self._tests(branch))
                return tests
            case "not":
                return _none_of(self._tests(limit))
            case "items":
                return _for_shapes(("array",), _each_item(self._later(limit)))
            case _ if keyword in _SIMPLE:
                shapes, make = _SIMPLE[keyword]
                return _for_shapes(shapes, make(limit))
            case _ if keyword in _NOTES or keyword in _OBJECT or keyword == "type":
                return dict.fromkeys(_SHAPES, ())
            case _:
                raise UnknownKeywordError(keyword)

    def _reference(self, reference: str) -> Tests:
        if reference not in self._references:
            part: Any = self._root
            for key in reference.removeprefix("#/").split("/"):
                part = part[key]
            self._references[reference] = self._tests(part)
        return self._references[reference]

    def _object(self, schema: Mapping[str, Any]) -> Tests:
        """Return the tests of a mapping by all that *schema* says of keys and of their values."""
        values = {key: self._later(value) for key, value in schema.get("properties", {}).items()}
        patterns = [
            (re.compile(key).search, self._later(value)) for key, value in schema.get("patternProperties", {}).items()
        ]
        other = self._later(schema.get("additionalProperties", True))
        tests = [_each_value(values, patterns, other)]
        if not _COUNTING.isdisjoint(schema):
            tests.insert(0, _counted(schema))
        if "propertyNames" in schema:
            tests.append(_each_key(self._later(schema["propertyNames"])))
        return {shape: tuple(tests) if shape == "object" else () for shape in _SHAPES}


def _counted(schema: Mapping[str, Any]) -> Test:
    required = frozenset(schema.get("required", ()))
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", math.inf)

    def accepts(node: Map) -> bool:
        return least <= len(node.entries) <= most and required <= {entry.key.text for entry in node.entries}

    return accepts


def _each_key(fits: Test) -> Test:
    return lambda node: all(fits(_text(entry.key)) for entry in node.entries)


def _each_value(
    values: Mapping[str, Test], patterns: Collection[tuple[Callable[[str], object], Test]], other: Test
) -> Test:
    def fits(key: str, value: Node) -> bool:
        tests = [test for matches, test in patterns if matches(key)]
        if key in values:
            tests.append(values[key])
        return all(test(value) for test in tests or (other,))

    def each_by_patterns(node: Map) -> bool:
        return all(fits(entry.key.text, entry.value) for entry in node.entries)

    def each(node: Map) -> bool:
        for entry in node.entries:  # noqa: SIM110 - see `_later`
            if not values.get(entry.key.text, other)(entry.value):
                return False
        return True

    return each_by_patterns if patterns else each


def _shape(node: Node) -> str:
    if type(node) is Scalar:
        return _KINDS[node.kind]
    return "object" if type(node) is Map else "array"


def _shapes_of(schema: Mapping[str, Any]) -> Iterable[str]:
    """Return the shapes that the type of *schema* allows; an integer is a number too."""
    types = schema.get("type", _SHAPES)
    types = (types,) if isinstance(types, str) else tuple(types)
    return (*types, "integer") if "number" in types else types


def _text(key: Scalar) -> Scalar:
    """Return *key* as JSON has it, where all keys are texts."""
    return key if key.kind is Kind.TEXT else Scalar(key.text, key.span)


def _for_shapes(shapes: Iterable[str], test: Test) -> Tests:
    """Return what asks *test* of some *shapes*, and nothing of the others."""
    return {shape: (test,) if shape in shapes else () for shape in _SHAPES}


def _both(one: Tests, other: Tests) -> Tests:
    return {shape: (*tests, *other[shape]) for shape, tests in one.items() if shape in other}


def _any_of(branches: Iterable[Tests]) -> Tests:
    found: dict[str, list[tuple[Test, ...]]] = {}
    for branch in branches:
        for shape, tests in branch.items():
            found.setdefault(shape, []).append(tests)
    return {shape: () if () in of_shape else _some(of_shape) for shape, of_shape in found.items()}


def _some(branches: list[tuple[Test, ...]]) -> tuple[Test, ...]:
    if len(branches) == 1:
        return branches[0]
    return (lambda node: any(all(test(node) for test in branch) for branch in branches),)


def _one_of(branches: Iterable[Tests]) -> Tests:
    found: dict[str, list[tuple[Test, ...]]] = {}
    for branch in branches:
        for shape, tests in branch.items():
            found.setdefault(shape, []).append(tests)
    return {shape: _exactly_one(of_shape) for shape, of_shape in found.items()}


def _exactly_one(branches: list[tuple[Test, ...]]) -> tuple[Test, ...]:
    if len(branches) == 1:
        return branches[0]
    return (lambda node: sum(all(test(node) for test in branch) for branch in branches) == 1,)


def _none_of(tests: Tests) -> Tests:
    def refuses(passed: tuple[Test, ...]) -> Test:
        return lambda node: not all(test(node) for test in passed)

    return {shape: (refuses(tests[shape]),) if shape in tests else () for shape in _SHAPES if tests.get(shape) != ()}


def _each_item(accepts: Test) -> Test:
    def each(node: Sequence) -> bool:
        for item in node.items:  # noqa: SIM110 - see `_later`
            if not accepts(item):
                return False
        return True

    return each


def _among(values: Iterable[object]) -> Test:
    allowed = tuple(values)
    if not all(isinstance(value, str | bool) for value in allowed):
        raise UnknownKeywordError  # numbers are equal in ways of their own
    texts = frozenset(value for value in allowed if isinstance(value, str))
    truths = frozenset(value for value in allowed if isinstance(value, bool))

    def accepts(node: Node) -> bool:
        if type(node) is not Scalar:
            return False
        return node.text in texts if node.kind is Kind.TEXT else node.kind is Kind.BOOLEAN and node.value in truths

    return accepts


def _pattern(limit: str) -> Test:
    found = re.compile(limit).search
    return lambda node: found(node.text) is not None


# What asks for something simple: of which shapes, and the test that a limit makes. No number is less than `.nan`, which
# therefore breaks no limit.
_NUMBERS = ("integer", "number")
_SIMPLE: Mapping[str, tuple[tuple[str, ...], Callable[[Any], Test]]] = {
    "enum": (_SHAPES, _among),
    "const": (_SHAPES, lambda limit: _among((limit,))),
    "pattern": (("string",), _pattern),
    "minLength": (("string",), lambda limit: lambda node: len(node.text) >= limit),
    "maxLength": (("string",), lambda limit: lambda node: len(node.text) <= limit),
    "minItems": (("array",), lambda limit: lambda node: len(node.items) >= limit),
    "maxItems": (("array",), lambda limit: lambda node: len(node.items) <= limit),
    "minimum": (_NUMBERS, lambda limit: lambda node: not node.value < limit),
    "maximum": (_NUMBERS, lambda limit: lambda node: not node.value > limit),
    "exclusiveMinimum": (_NUMBERS, lambda limit: lambda node: not node.value <= limit),
    "exclusiveMaximum": (_NUMBERS, lambda limit: lambda node: not node.value >= limit),
}
