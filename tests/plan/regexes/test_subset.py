"""Regular expressions and globs with the same meaning on all engines."""

from __future__ import annotations

import pytest

from pipegen.plan.model import Pattern
from pipegen.plan.regexes.subset import RegexError, portable_regex, refused_by_re2


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"^v[0-9]+$", r"^v[0-9]+$"),
        (r"\Av\z", r"^v$"),
        (r"\s", r"[\t\n\f\r ]"),
        (r"[\s\d]", r"[\t\n\f\r \d]"),
        (r"[[&]", r"[\[\&]"),
        (r"[]a^-]", r"[\]a\^\-]"),
        (r"[^$]", r"[^\$]"),
        (r"a\/b\-c", "a/b-c"),
        (r"\x41\x2e", r"A\."),
        (r"(?:a|b)*?", r"(?:a|b)*?"),
        (r"(?i)main", r"(?i)main"),
        (r"a{2,}b{1,3}", r"a{2,}b{1,3}"),
        (r"a]", r"a\]"),
        ("(a{40}){25}b{40}", "(a{40}){25}b{40}"),
        ("ä\t", r"ä\t"),
    ],
)
def test_portable_expressions_are_normalized(source: str, expected: str) -> None:
    """The meaning stays the same."""
    assert portable_regex(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        *("(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?>a)", "(?P<n>a)", "(?<n>a)", "(?i:a)", "a(?i)"),
        *(r"\1", r"\b", r"\Q", r"\pL", r"\Z", r"\h", "\\"),
        *("a{" + "9" * 5000 + "}", "(" * 101 + ")" * 101, "(" * 5000 + ")" * 5000),
        *("a++", "a*+", "a?+", "a**", "*a", "^*", "a{2}{3}", "a{2000}", "a{3,2}", "a{,3}", "a{", "a}"),
        *("(a{40}){40}", "((a{2}){20}b){30}c", "(a{1,500}){3,}"),
        *("(a", "a)", "[a", "[]", "[b-a]", "[[:alpha:]]", r"[a-\d]"),
        *(f"a{{{'9' * 5_000}}}", "a{\u0662}", f"{'(' * 5_000}a{')' * 5_000}"),
    ],
)
def test_unportable_expressions_are_errors(source: str) -> None:
    """With a location in the text."""
    with pytest.raises(RegexError) as caught:
        portable_regex(source)

    assert 0 <= caught.value.start < caught.value.end <= len(source) + 1


@pytest.mark.parametrize(
    ("source", "unknown"),
    [
        (r"(?i)TOTAL.*? (100(?:\.0+)?\%|[1-9]?\d(?:\.\d+)?\%)$", ""),
        (r"\b[[:alpha:]]+\x41\07\AZ|(?P<n>a{2,1000}?)\++[(?=x)*+]+\}+ (?s-m:a)", ""),
        *((f"{part}(?i)", part) for part in ("(?=", "(?!", "(?<=", "(?<!", "(?>", "(?#", "(?x)", "(?au:", "(?(")),
        *((f"(?P<n>a){part}", part) for part in (r"\1", r"\Z", r"\u", r"\N", "(?P=", "(?P>")),
        *((f"a{part}", part) for part in ("++", "*+", "?+", "{2}+", "{1001}", "{1,2000}", "{3,}+")),
    ],
)
def test_what_re2_lacks_is_found(source: str, unknown: str) -> None:
    """Neither an escaped character nor one in brackets counts: https://github.com/google/re2/wiki/Syntax."""
    assert refused_by_re2(source) == (f'it does not support "{unknown}"' if unknown else "")


@pytest.mark.parametrize(
    "source",
    [
        *(
            r"\pL\p{Greek}[\PN]",
            r"\Qa(b\E",
            r"\x{10FFFF}+",
            r"^*\b+\z",
            "(?<n>a)",
            "a(?i)b(?s-i:c)",
            "{,3}",
            "[]a](?U)",
            r"\C",
        ),
    ],
)
def test_only_re2_accepts_these(source: str) -> None:
    """Python refuses them."""
    assert refused_by_re2(source) == ""


@pytest.mark.parametrize("source", ["a(b", "a)", "[a", r"\h", "*a", "a**", "[z-a]", "a{3,2}", "(" * 5_000])
def test_broken_expressions_have_a_reason(source: str) -> None:
    """In the words of Python."""
    assert refused_by_re2(source) != ""


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        ("main", ["main"], ["main2", "xmain", "Main", "", "main\n"]),
        ("release/*", ["release/1", "release/"], ["release/1/2", "release"]),
        ("src/**", ["src/a", "src/a/b", "src/.x"], ["src", "srcs/a"]),
        ("**/*.md", ["a.md", "b/a.md", "c/b/a.md"], ["a.mdx"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("v?.?", ["v1.2"], ["v1./", "v1.", "v12.3"]),
        ("a**/b", ["a/b", "ax/y/b"], ["ab"]),
        ("a.b[c]{d,e}+$^(|)\\", ["a.b[c]{d,e}+$^(|)\\"], ["axb[c]{d,e}+$^(|)\\"]),
        ("*", ["x", "ä b"], ["a/b"]),
    ],
)
def test_globs_match_the_whole_text(glob: str, matching: list[str], others: list[str]) -> None:
    """`*` does not match slashes, `**` does."""
    pattern = Pattern(glob)

    assert [text for text in matching if not pattern.matches(text)] == []
    assert [text for text in others if pattern.matches(text)] == []


def test_unanchored_regular_expressions_match_anywhere() -> None:
    """Anchors restrict the match."""
    assert Pattern(portable_regex("b+"), is_regex=True).matches("abba")
    assert not Pattern(portable_regex("^b+$"), is_regex=True).matches("abba")
    assert not Pattern(portable_regex("a$"), is_regex=True).matches("a\n")
    assert Pattern(portable_regex(r"(?i)MAIN"), is_regex=True).matches("main")


@pytest.mark.parametrize("source", ["^(a|a)*$", "^(a|aa)+$", "^(a|a){40}$", "(a+)+b", "(a*)*(a*)*b"])
def test_every_regular_expression_is_fast(source: str) -> None:
    """Python's own matcher backtracks through alternatives and repetitions."""
    assert not Pattern(portable_regex(source), is_regex=True).matches("a" * 60 + "c")
