"""A fast JSON Schema validator: the schema compiled to functions over nodes, which return only yes or no.

Most configs are valid and need nothing else; `explain.py` reports the violations of the others. With `explain.py`
alone, a compile takes 35 % more instructions for 10 stages, and 80 % more for 1,000. Each part of the schema is
compiled when the first value reaches it. The shape of a value (its type) selects the branches of `anyOf` that could
accept it, so most branches are never tried.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence

Schema: TypeAlias = Mapping[str, Any] | bool
Test: TypeAlias = Callable[[Any], bool]
# The kind of a scalar, or the type of a list or map.
Shape: TypeAlias = ScalarKind | type[Node]
# The tests that a value of each shape must all pass; a missing shape is not accepted.
Tests: TypeAlias = Mapping[Shape, tuple[Test, ...]]

_TYPES: Mapping[str, Shape] = {
    "string": ScalarKind.TEXT,
    "object": Map,
    "array": Sequence,
    "integer": ScalarKind.INTEGER,
    "number": ScalarKind.NUMBER,
    "boolean": ScalarKind.BOOLEAN,
    "null": ScalarKind.NULL,
}
_SHAPES = tuple(_TYPES.values())
# Keywords that validate nothing.
_NOTES = frozenset(("$schema", "$id", "$defs", "title", "description", "examples", "default", "format"))
_COUNTING = frozenset(("required", "dependentRequired", "minProperties", "maxProperties"))
_OBJECT = _COUNTING | {"properties", "patternProperties", "additionalProperties", "propertyNames"}


class UnknownKeywordError(Exception):
    """The schema has a keyword that is unknown here; `explain.py` must validate it."""


class FastValidator:
    """A schema with its compiled parts; whole values are validated against *part*, by default the schema itself."""

    def __init__(self, schema: Mapping[str, Any], part: Schema | None = None) -> None:
        self._root = schema
        self._references: dict[str, Tests] = {}
        self._test = _Part(self, schema if part is None else part)

    def accepts(self, node: Node) -> bool:
        """Return whether *node* is valid; raise UnknownKeywordError if the schema has an unknown keyword."""
        test = self._test[_shape(node)]
        return test is None or test(node)

    def tests(self, schema: Schema) -> Tests:
        """Return the tests that a value must pass to be valid against *schema*."""
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
                return _any_of([self.tests(branch) for branch in limit])
            case "oneOf":
                return _one_of([self.tests(branch) for branch in limit])
            case "allOf":
                tests: Tests = dict.fromkeys(_SHAPES, ())
                for branch in limit:
                    tests = _both(tests, self.tests(branch))
                return tests
            case "not":
                return _none_of(self.tests(limit))
            case "items":
                return _for_shapes((Sequence,), _each_item(_Part(self, limit)))
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
            self._references[reference] = self.tests(part)
        return self._references[reference]

    def _object(self, schema: Mapping[str, Any]) -> Tests:
        """Return the tests of a mapping: its keys and values against *schema*."""
        values = {key: _Part(self, value) for key, value in schema.get("properties", {}).items()}
        patterns = [
            (re.compile(key).search, _Part(self, value)) for key, value in schema.get("patternProperties", {}).items()
        ]
        other = _Part(self, schema.get("additionalProperties", True))
        tests = [_each_value(values, patterns, other)]
        if not _COUNTING.isdisjoint(schema):
            tests.insert(0, _counted(schema))
        if "propertyNames" in schema:
            tests.append(_each_key(_Part(self, schema["propertyNames"])))
        return {shape: tuple(tests) if shape is Map else () for shape in _SHAPES}


class _Part(dict[Shape, Test | None]):
    """The test of *schema* for each shape, None if all values pass; compiled on first use.

    Loops over collections look up the test themselves: most values need none, and a call for each would dominate the
    time.
    """

    def __init__(self, validator: FastValidator, schema: Schema) -> None:
        super().__init__()
        self._validator = validator
        self._schema = schema

    def __missing__(self, missing: Shape) -> Test | None:
        tests = self._validator.tests(self._schema)
        self.update({shape: _all_of(tests[shape]) if shape in tests else _fits_nothing for shape in _SHAPES})
        return self[missing]


def _all_of(tests: tuple[Test, ...]) -> Test | None:
    """Return one test that combines *tests*; None without tests."""
    if len(tests) < 2:  # noqa: PLR2004 - the fewest that are several
        return tests[0] if tests else None

    def passes(node: Node) -> bool:
        for test in tests:  # noqa: SIM110 - a loop costs half of what `all` does
            if not test(node):
                return False
        return True

    return passes


def _fits_nothing(_: Node) -> bool:
    return False


def _counted(schema: Mapping[str, Any]) -> Test:
    required: tuple[str, ...] = tuple(schema.get("required", ()))
    dependent: Mapping[str, list[str]] = schema.get("dependentRequired", {})
    least: int = schema.get("minProperties", 0)
    most: float = schema.get("maxProperties", math.inf)

    def accepts(node: Map) -> bool:
        for key in required:
            if node.entry(key) is None:
                return False
        for key, others in dependent.items():
            if node.entry(key) is not None and any(node.entry(other) is None for other in others):
                return False
        return least <= len(node.entries) <= most

    return accepts


def _each_key(part: _Part) -> Test:
    def accepts(node: Map) -> bool:
        test = part[ScalarKind.TEXT]
        return test is None or all(test(_text(entry.key)) for entry in node.entries)

    return accepts


def _each_value(
    values: Mapping[str, _Part], patterns: Collection[tuple[Callable[[str], object], _Part]], other: _Part
) -> Test:
    def parts(key: str) -> tuple[_Part, ...]:
        by_pattern = [part for matches, part in patterns if matches(key)]
        return (*by_pattern, *((values[key],) if key in values else ())) or (other,)

    def each_by_patterns(node: Map) -> bool:
        tests = ((part[_shape(entry.value)], entry.value) for entry in node.entries for part in parts(entry.key.text))
        return all(test is None or test(value) for test, value in tests)

    def each(node: Map) -> bool:
        for entry in node.entries:
            value = entry.value
            test = values.get(entry.key.text, other)[value.kind if type(value) is Scalar else type(value)]
            if test is not None and not test(value):
                return False
        return True

    return each_by_patterns if patterns else each


def _shape(node: Node) -> Shape:
    return node.kind if type(node) is Scalar else type(node)


def _shapes_of(schema: Mapping[str, Any]) -> Iterable[Shape]:
    """Return the shapes that the "type" of *schema* allows; integers are numbers too."""
    types = schema.get("type", tuple(_TYPES))
    types = (types,) if isinstance(types, str) else tuple(types)
    return [_TYPES[name] for name in ((*types, "integer") if "number" in types else types)]


def _text(key: Scalar) -> Scalar:
    """Return *key* as text, as all keys are in JSON."""
    return key if key.kind is ScalarKind.TEXT else Scalar(key.text, key.span)


def _for_shapes(shapes: Iterable[Shape], test: Test) -> Tests:
    """Return tests that apply *test* to values of *shapes*, and accept all others."""
    return {shape: (test,) if shape in shapes else () for shape in _SHAPES}


def _both(first: Tests, second: Tests) -> Tests:
    return {shape: (*tests, *second[shape]) for shape, tests in first.items() if shape in second}


def _any_of(branches: Iterable[Tests]) -> Tests:
    return {shape: () if () in of_shape else _decided(of_shape, any) for shape, of_shape in _by_shape(branches).items()}


def _one_of(branches: Iterable[Tests]) -> Tests:
    return {
        shape: _decided(of_shape, lambda results: sum(results) == 1) for shape, of_shape in _by_shape(branches).items()
    }


def _by_shape(branches: Iterable[Tests]) -> dict[Shape, list[tuple[Test, ...]]]:
    branches_by_shape: dict[Shape, list[tuple[Test, ...]]] = {}
    for branch in branches:
        for shape, tests in branch.items():
            branches_by_shape.setdefault(shape, []).append(tests)
    return branches_by_shape


def _decided(branches: list[tuple[Test, ...]], decide: Callable[[Iterable[bool]], bool]) -> tuple[Test, ...]:
    """Return the test of whether *decide* is true for the results of *branches*."""
    if len(branches) == 1:
        return branches[0]
    tests = [_all_of(branch) for branch in branches]
    return (lambda node: decide(test is None or test(node) for test in tests),)


def _none_of(tests: Tests) -> Tests:
    def refuses(passed: tuple[Test, ...]) -> Test:
        return lambda node: not all(test(node) for test in passed)

    return {shape: (refuses(tests[shape]),) if shape in tests else () for shape in _SHAPES if tests.get(shape) != ()}


def _each_item(part: _Part) -> Test:
    def each(node: Sequence) -> bool:
        for item in node.items:
            test = part[item.kind if type(item) is Scalar else type(item)]
            if test is not None and not test(item):
                return False
        return True

    return each


def _among(values: Iterable[object]) -> Test:
    allowed = tuple(values)
    if not all(isinstance(value, str | bool) for value in allowed):
        raise UnknownKeywordError  # numbers have their own rules of equality
    texts = frozenset(value for value in allowed if isinstance(value, str))
    truths = frozenset(value for value in allowed if isinstance(value, bool))

    def accepts(node: Node) -> bool:
        if type(node) is not Scalar:
            return False
        return (
            node.text in texts
            if node.kind is ScalarKind.TEXT
            else node.kind is ScalarKind.BOOLEAN and node.value in truths
        )

    return accepts


def _pattern(limit: str) -> Test:
    search = re.compile(limit).search
    return lambda node: search(node.text) is not None


# Simple keywords: the shapes that they apply to, and the test for a limit. Comparisons with `.nan` are always false, so
# it passes every limit.
_NUMBERS: tuple[Shape, ...] = (ScalarKind.INTEGER, ScalarKind.NUMBER)
_SIMPLE: Mapping[str, tuple[tuple[Shape, ...], Callable[[Any], Test]]] = {
    "enum": (_SHAPES, _among),
    "const": (_SHAPES, lambda limit: _among((limit,))),
    "pattern": ((ScalarKind.TEXT,), _pattern),
    "minLength": ((ScalarKind.TEXT,), lambda limit: lambda node: len(node.text) >= limit),
    "maxLength": ((ScalarKind.TEXT,), lambda limit: lambda node: len(node.text) <= limit),
    "minItems": ((Sequence,), lambda limit: lambda node: len(node.items) >= limit),
    "maxItems": ((Sequence,), lambda limit: lambda node: len(node.items) <= limit),
    "minimum": (_NUMBERS, lambda limit: lambda node: not node.value < limit),
    "maximum": (_NUMBERS, lambda limit: lambda node: not node.value > limit),
    "exclusiveMinimum": (_NUMBERS, lambda limit: lambda node: not node.value <= limit),
    "exclusiveMaximum": (_NUMBERS, lambda limit: lambda node: not node.value >= limit),
}
