"""Scalars as the YAML writer writes them."""

import pytest

from pipegen.emit.yaml_scalar import Scalar, write_key, write_scalar


@pytest.mark.parametrize(
    "text",
    [
        *("job", "step 1", "10m", "28-dind", "./ci/lint", ".docker", "docker:28-cli", "$CI == 'x'", "a#b", "it's"),
        *("--label ci.project=$X", "-x", "f() { :; }", "für", "日本 🚀", "a  b", "_x", "+x", "noon", "https://x/y?z=1"),
    ],
)
def test_leaves_unambiguous_text_plain(text: str) -> None:
    """In block style, text that no reader interprets as another type is unquoted."""
    assert write_scalar(text, in_flow=False) == text


@pytest.mark.parametrize(
    "text",
    [
        *("on", "YES", "y", "N", "null", "~", "=", "<<", ".inf", "-.INF", ".nan", "1", "-1", "0x1f", "0o17", "1_000"),
        *("12:30:45", "1e3", "2001-01-01", "2001-12-14 21:59:43", ".5", "1.", "._", "1.2.3", "", " a", "a ", "a: b"),
        *(
            "a:",
            "a #b",
            "- a",
            "? a",
            ":a",
            "@x",
            "%x",
            "!x",
            "&x",
            "*x",
            "`x",
            "|",
            ">",
            "#x",
            "---",
            "... a",
            "{",
            "]",
        ),
        # Psych alone: thousands separators, symbols, a number without digits before the exponent.
        *("1,000", ":symbol", ".e+5"),
    ],
)
def test_quotes_text_that_a_reader_could_misinterpret(text: str) -> None:
    """A reader could resolve it to another type, or it starts another construct."""
    assert write_scalar(text, in_flow=False) == f'"{text}"'


@pytest.mark.parametrize("text", ["a, b", "a]", "x[0]", "a?b", "${x}", "{a}"])
def test_quotes_flow_punctuation_in_flow_style(text: str) -> None:
    """In block style, such text needs no quotes."""
    assert write_scalar(text, in_flow=True) == f'"{text}"'


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1", '"1"'),
        ('"x"', "'\"x\"'"),
        (": \\d", "': \\d'"),
        ('"it\'s"', "'\"it''s\"'"),
        ('a\t"\\', r'"a\t\"\\"'),
        ("a\x00\r\x85\u2028\ufeff", r'"a\x00\r\x85\u2028\ufeff"'),
        ("a\u202eb\u2066\u200f\u061c", r'"a\u202eb\u2066\u200f\u061c"'),
    ],
)
def test_chooses_the_quotes_that_need_the_fewest_escapes(text: str, written: str) -> None:
    """Double quotes are the default; single quotes enclose double quotes and backslashes."""
    assert write_scalar(text, in_flow=False) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((True, "true"), (False, "false"), (None, "null"), (0, "0"), (-12, "-12"), (1.5, "1.5"), (1e16, "1.0e+16")),
        *((1e-7, "1.0e-07"), (float("inf"), ".inf"), (float("-inf"), "-.inf"), (float("nan"), ".nan")),
    ],
)
def test_writes_other_scalars(value: Scalar, written: str) -> None:
    """Booleans, null and numbers have the spelling that YAML 1.1 and 1.2 share."""
    assert write_scalar(value, in_flow=False) == written


def test_writes_a_long_key_with_a_question_mark() -> None:
    """Readers limit the length of implicit keys; the colon is on the next line, or after the key in flow style."""
    key = "k" * 1_001

    assert write_key(key, in_flow=False, indent="  ") == f"? {key}\n  :"
    assert write_key(key, in_flow=True) == f"? {key} :"


def test_tags_the_merge_key() -> None:
    """Psych merges even a quoted merge key; a tag makes it a string."""
    assert write_key("<<", in_flow=False) == '!!str "<<":'
