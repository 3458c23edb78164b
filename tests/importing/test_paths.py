"""Patterns of paths in rules match as GitLab's do, and each has an example."""

from __future__ import annotations

import pytest
from targets.gitlab.rules_reader import fnmatch

from pipegen.importing.gitlab.reading.expressions.paths import example, match_any

_PATTERNS = (
    *("src/**/*", "**/*", "**/*.md", "*.md", "src/*", "src/**", "a**/b", "src/**/*.{c,h}", "{docs,src/**}/*.md"),
    *("a?c", "a[bc]d", r"a\[1\].txt", "{*,*/**/*}.py", "Dockerfile", "a{b", "x}", "*/**/b.py", "a[*]b"),
    *("docs/", "./a/b", "/Dockerfile", "*/", "a/**/"),
)
_PATHS = (
    *("src/a", "src/deep/a", "README.md", "docs/x.md", "src/x.md", "src/deep/x.md", "a/b", "ab/b", "ab/c/b", "src/x.c"),
    *("src/deep/x.h", "abc", "abd", "a[1].txt", "x.py", "d/x.py", "d/e/x.py", "Dockerfile", "a{b", "x}", ".hidden"),
    *("src/.hidden", "d/b.py", "a*b", "a/c"),
)


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_patterns_match_as_in_ruby(pattern: str) -> None:
    """https://docs.gitlab.com/ci/yaml/#ruleschanges names `File.fnmatch?` and its flags."""
    expected = {path for path in _PATHS if fnmatch(pattern, path)}

    assert {path for path in _PATHS if match_any([pattern], [path], {})} == expected


def test_variables_have_their_values() -> None:
    """A variable that is not set stays, as in `ExpandVariables.expand_existing`."""
    assert match_any(["$APP/*", "x"], ["api/a"], {"APP": "api"})
    assert match_any(["${APP}/*"], ["api/a"], {"APP": "api"})
    assert not match_any(["$APP/*"], ["api/a"], {})


def test_a_long_pattern_takes_no_exponential_time() -> None:
    """The time is proportional to its length."""
    assert not match_any(["*a" * 40 + "b"], ["a" * 80], {})


@pytest.mark.parametrize(
    ("patterns", "path"),
    [
        (("src/**/*", "x"), "src/x"),
        (("**/*.{md,txt}",), "x.md"),
        (("./docs/",), ""),
        (("a?",), "ax"),
        (("$APP/*",), "$APP/x"),
        ((), ""),
    ],
)
def test_a_set_of_files_has_an_example(patterns: tuple[str, ...], path: str) -> None:
    """It is a path that the first pattern matches."""
    assert example(patterns) == path
