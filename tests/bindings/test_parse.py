"""Parsing of references in text, and of operators in maps."""

from __future__ import annotations

import pytest
from config.sample_configs import tree_of, written

from pipegen.bindings.expression import (
    Bare,
    Constant,
    Defaulted,
    Each,
    Expression,
    List,
    Loop,
    Map,
    Merge,
    Reference,
    Text,
    references,
    text,
)
from pipegen.bindings.parse import parse
from pipegen.config.read import read
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile, Span

NOWHERE = Span(SourceFile("f", ""), 0, 0)


def parsed(config: str) -> Expression:
    """Return the expression of *config*, which must be valid."""
    report = Report()
    value = parse(tree_of(config), report)

    assert report.diagnostics() == ()
    return value


def parts(config: str) -> tuple[object, ...]:
    """Return the parts of the text *config*."""
    value = parsed(config)
    assert isinstance(value, Text)
    return value.parts


def malformed(config: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of *config*."""
    report = Report()
    parse(read(written(config), report), report)
    return report.diagnostics()


def ref(namespace: str | None, name: str, default: str | None = None) -> Reference:
    """Return an unresolved reference."""
    return Reference(namespace, name, default, NOWHERE)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("plain", ("plain",)),
        ("''", ()),
        ("${a.b}", (ref("a", "b"),)),
        ("x${a.b}y${c.d}z", ("x", ref("a", "b"), "y", ref("c", "d"), "z")),
        ("${a.b}${c.d}", (ref("a", "b"), ref("c", "d"))),
        ("${.b}", (ref("", "b"),)),
        ("${b}", (ref(None, "b"),)),
        ("${a.b.c}", (ref("a", "b.c"),)),
        ("${a-b_c.D-e_1}", (ref("a-b_c", "D-e_1"),)),
        ("${setup.params.X}", (ref("setup", "params.X"),)),
        ("${1.2}", (ref("1", "2"),)),
        ("${a.b|c}", (ref("a", "b", "c"),)),
        ("${a.b|}", (ref("a", "b", ""),)),
        ("${a.b|c d|e:-f}", (ref("a", "b", "c d|e:-f"),)),
        ("${a.b|{c}d}", (ref("a", "b", "{c"), "d}")),
        ("'${a.b|\n\n  c}'", (ref("a", "b", "\nc"),)),
        ("${b|c}", (ref(None, "b", "c"),)),
        ("$ $a $(b) a$", ("$ $a $(b) a$",)),
        ("{a}", None),
    ],
)
def test_text_is_split_into_references_and_literals(config: str, expected: tuple[object, ...] | None) -> None:
    """A reference has a name, an optional namespace, and an optional default up to the first brace."""
    if expected is None:
        assert isinstance(parsed(config), Map)
    else:
        assert parts(config) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("$${a.b}", ("${a.b}",)),
        ("$${.b}", ("${.b}",)),
        ("x$${a.b|c}y", ("x${a.b|c}y",)),
        ("$$${a.b}", ("$${a.b}",)),
        ("$${a.b}${a.b}", ("${a.b}", ref("a", "b"))),
        ("${a.b}$${a.b}", (ref("a", "b"), "${a.b}")),
        ("$$ ${a.b}", ("$$ ", ref("a", "b"))),
        ("$${FOO}", ("$", ref(None, "FOO"))),
        ("$${a b}", ("${a b}",)),
        ("$${", ("${",)),
        ("$${FOO:-x}", ("$${FOO:-x}",)),
    ],
)
def test_a_second_dollar_escapes_a_reference(config: str, expected: tuple[object, ...]) -> None:
    """A name without a dot is usually the shell's; it is decided later, with the names that the stage binds."""
    assert parts(config) == expected


@pytest.mark.parametrize(
    "config",
    [
        "${FOO:-bar}",
        "${FOO-bar}",
        "${FOO%.*}",
        "${FOO##*/}",
        "${FOO/a/b}",
        "${FOO^^}",
        "${#FOO}",
        "${!FOO}",
        "${list[@]}",
        *("${@}", "${*}", "${#}", "${?}", "${$}"),
        *("${FOO:?must be set}", "${TAG:-1.2}", "${TAG-v1.0}", "${FOO:+x ${BAR}}"),
    ],
)
def test_shell_expansions_are_left_unchanged(config: str) -> None:
    """No PipelineLib reference looks like one."""
    value = parsed(f"'{config}'")

    assert isinstance(value, Text)
    assert text(*(str(part) if isinstance(part, Reference) else part for part in value.parts), span=NOWHERE).parts == (
        config,
    )


@pytest.mark.parametrize(
    ("config", "location", "words"),
    [
        ("a ${b.c", "1:3", "not closed"),
        ("a ${", "1:3", "not closed"),
        ("${b.c ${d.e}", "1:1", '"${b.c ${d.e}" is not a valid reference'),
        ("${}", "1:1", '"${}" is not a valid reference'),
        ("${ a.b}", "1:1", "not a valid reference"),
        ("${a.b }", "1:1", "not a valid reference"),
        ("${a.b&c}", "1:1", "not a valid reference"),
        ("${a.b:-c}", "1:1", "not a valid reference"),
        ("${é.b}", "1:1", "not a valid reference"),
        ("'x ${a b}'", "1:4", "not a valid reference"),
        ('"x ${a b}"', "1:4", "not a valid reference"),
        ("|\n  one\n  two ${a b} three\n", "3:7", "not a valid reference"),
        (">\n  one\n  two ${a b} three\n", "3:7", "not a valid reference"),
        ("one\n  two ${a b} three\n", "2:7", "not a valid reference"),
    ],
)
def test_malformed_references_are_reported_at_their_location(config: str, location: str, words: str) -> None:
    """The location is right in every style of scalar."""
    diagnostic = malformed(config)[0]

    assert diagnostic.primary is not None
    assert (diagnostic.code.number, f"{diagnostic.primary.span.first.line}:{diagnostic.primary.span.first.column}") == (
        "PG310",
        location,
    )
    assert words in diagnostic.message


def test_each_malformed_reference_is_reported() -> None:
    """Parsing goes on after the first one."""
    assert [diagnostic.message for diagnostic in malformed("['${a b}', ok, '${ c }']")] == [
        '"${a b}" is not a valid reference',
        '"${ c }" is not a valid reference',
    ]


@pytest.mark.parametrize(
    ("config", "covered"),
    [
        ("x ${a.b} y", ["${a.b}"]),
        ("'x ${a.b} ${c.d|e}'", ["${a.b}", "${c.d|e}"]),
        ('"\\t${a.b} ${a.b}"', ["${a.b}", "${a.b}"]),
        ("|\n  ${a.b}\n  ${a.b}\n", ["${a.b}", "${a.b}"]),
        (">-\n  ${a.b}\n  x ${c.d}\n", ["${a.b}", "${c.d}"]),
        ("&x 'y ${a.b}'", ["${a.b}"]),
    ],
)
def test_each_reference_has_its_own_span(config: str, covered: list[str]) -> None:
    """This holds for every style of scalar."""
    values = list(references(parsed(config)))

    assert [reference.span.text for reference in values] == covered
    assert len({reference.span.start for reference in values}) == len(values)


@pytest.mark.parametrize(
    ("config", "value", "written_as"),
    [("5", 5, "5"), ("1.10", 1.1, "1.10"), ("yes", True, "yes"), ("~", None, ""), ("0x1f", 31, "0x1f")],
)
def test_numbers_and_booleans_keep_their_text(config: str, value: object, written_as: str) -> None:
    """The text is used where a string is expected."""
    constant = parsed(config)

    assert isinstance(constant, Constant)
    assert (constant.value, constant.text) == (value, written_as)


def test_map_keys_can_contain_references() -> None:
    """PipelineLib allows it."""
    value = parsed("{'${a.b}': 1, c: '${d.e}'}")

    assert isinstance(value, Map)
    assert [key.parts for key, _ in value.entries] == [(ref("a", "b"),), ("c",)]
    assert [str(reference) for reference in references(value)] == ["${a.b}", "${d.e}"]


def each(config: str) -> Each:
    """Return *config* as an `$each` operator."""
    value = parsed(config)
    assert isinstance(value, Each)
    return value


def test_each_with_one_name_binds_the_whole_item() -> None:
    """Text is split at line breaks."""
    expression = each("{$each: i, $in: '${a.b}', $yield: '<${.i}>'}")

    assert (expression.names, expression.split, expression.delimiters) == (("i",), False, "\n")
    assert expression.source == Text((ref("a", "b"),), NOWHERE)
    assert expression.body == Text(("<", ref("", "i"), ">"), NOWHERE)


def test_each_with_a_list_of_names_binds_words() -> None:
    """Items are split at blanks; a list with one name binds the first word."""
    assert (each("{$each: [a, b], $in: x}").names, each("{$each: [a, b], $in: x}").split) == (("a", "b"), True)
    assert (each("{$each: [a], $in: x}").names, each("{$each: [a], $in: x}").split) == (("a",), True)


@pytest.mark.parametrize(
    ("delimiter", "expected"), [("','", ","), ("', '", ", "), ("''", "\n"), ("~", "\n"), ("1", "1")]
)
def test_each_splits_text_at_its_delimiter(delimiter: str, expected: str) -> None:
    """An empty delimiter means the line break."""
    expression = each(f"{{$each: i, $in: x, $delimiter: {delimiter}}}")

    assert expression.delimiters == expected


def test_a_reference_in_a_delimiter_is_an_error() -> None:
    """Every character of a delimiter is a separator, so a reference makes no sense there."""
    (diagnostic,) = malformed("{$each: i, $in: x, $delimiter: '${.d}'}")

    assert diagnostic.code.number == "PG508"


def test_each_without_yield_returns_its_items() -> None:
    """Words are joined with blanks."""
    assert each("{$each: i, $in: x}").body == Text((ref("", "i"),), NOWHERE)
    assert each("{$each: [a, b], $in: x}").body == Text((ref("", "a"), " ", ref("", "b")), NOWHERE)


def test_each_without_in_has_no_items() -> None:
    """The schema does not require `$in`."""
    assert each("{$each: i, $yield: x}").source == Text((), NOWHERE)


@pytest.mark.parametrize("name", ["'a b'", "'${x}'", "''"])
def test_an_unusable_loop_name_is_reported(name: str) -> None:
    """`$yield` could not refer to it."""
    assert malformed(f"{{$each: {name}, $in: x, $yield: y}}")[0].code.number == "PG510"


def test_merge_has_two_sides() -> None:
    """They may have different types."""
    value = parsed("{$merge: [a], $with: {b: c}}")

    assert isinstance(value, Merge)
    assert (type(value.left), type(value.right)) == (List, Map)


@pytest.mark.parametrize("config", ["{$merge: [a]}", "{$with: [a]}", "{$in: x}", "{$yield: x}"])
def test_an_incomplete_operator_is_a_map(config: str) -> None:
    """The schema allows it in the values of charts and in Blubber files."""
    assert isinstance(parsed(config), Map)


def test_operators_can_be_nested() -> None:
    """They may be in lists, in maps and in each other."""
    value = parsed("{a: [{$each: i, $in: {$merge: [x], $with: [y]}, $yield: {k: {$each: j, $in: z}}}]}")
    assert isinstance(value, Map)
    items = value.get("a")
    assert isinstance(items, List)
    outer = items.items[0]

    assert isinstance(outer, Each)
    assert isinstance(outer.source, Merge)
    assert isinstance(outer.body, Map)
    assert isinstance(outer.body.get("k"), Each)


def test_text_joins_adjacent_strings_and_drops_empty_ones() -> None:
    """Equal texts therefore have equal parts."""
    assert text("a", "", "b", ref("c", "d"), "", span=NOWHERE).parts == ("ab", ref("c", "d"))


def test_a_text_without_references_is_constant() -> None:
    """A bare `${FOO}` is text for the shell."""
    assert Text(("a ", Bare("FOO", "${FOO}")), NOWHERE).constant == "a ${FOO}"
    assert Text((), NOWHERE).constant == ""
    assert Text((ref("a", "b"),), NOWHERE).constant is None


def test_a_text_of_a_single_reference_returns_it() -> None:
    """With other parts in the text, `reference` is None."""
    assert Text((ref("a", "b"),), NOWHERE).reference == ref("a", "b")
    assert Text(("x", ref("a", "b")), NOWHERE).reference is None
    assert Text((), NOWHERE).reference is None


def test_references_are_collected_from_all_expressions() -> None:
    """They are in the order of the source."""
    loop: Loop[Expression] = Loop(
        ("i",), False, Text((ref("a", "1"),), NOWHERE), "\n", Text((ref("", "i"),), NOWHERE), NOWHERE
    )
    merge = Merge(Text((ref("b", "1"),), NOWHERE), List((Constant(1, "1", NOWHERE),), NOWHERE), NOWHERE)
    inner = Text((Defaulted(Text((ref("c", "1"),), NOWHERE), "d"),), NOWHERE)

    assert [str(reference) for reference in references(List((loop, merge, inner), NOWHERE))] == [
        "${a.1}",
        "${.i}",
        "${b.1}",
        "${c.1}",
    ]
