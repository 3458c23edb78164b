"""Rewritten scripts: references are replaced, all other text is unchanged."""

from __future__ import annotations

import re

import pytest
from bindings.sample_scripts import parsed, scalar
from hypothesis import given, settings
from hypothesis import strategies as st
from shell.rewrite_positions import special_defaults

from pipegen.bindings.script.entry import parse_script
from pipegen.bindings.script.model import Body, Delimiter, Escaped, PlacedReference, ScriptPart
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.shell.words.rewrite import rewrite, with_constants

# Fragments of the grammars of shells, balanced or not.
PIECES = (
    *" \t\n\\'\"`$#;&|<>(){}[]*?!~=-+:%,@0aA",
    *("$(", "$((", "))", "${", "${x", "${x:-", "${x#", "$'", '$"', "${#", "<<EOF\n", "\nEOF\n", "<<'EOF'\n", "<<-"),
    *("case x in ", "esac", "a) ", ";;", "if ", "then ", "fi", "for x in ", "do ", "done", "[[ ", " ]]", "f() "),
    *("$x", "$$", "$#", "sh -c ", "awk ", "cat ", "\\\n", "# it's\n", "x=(", "x[1]=", "eval ", "=~ ", "function "),
)
REFERENCES = ("${s.v}", "${.v}", "${s.v|a b}", "${s.v|$(x)}", "${t.v}", "${setup.tag}")


def variable(placed: PlacedReference) -> str:
    """Return the variable of a reference in these tests."""
    return f"pipegen_{placed.reference.namespace}_{placed.reference.name}"


def rewritten(text: str) -> str:
    """Return the valid script *text* with variables in place of references."""
    script = parsed(text, "s")
    defaults = {text: f"default_{at}" for at, text in enumerate(special_defaults(script))}
    return rewrite(script, variable, defaults, lambda _: False)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo ${s.v}", 'echo "$pipegen_s_v"'),
        ("echo a${s.v}b", 'echo "a${pipegen_s_v}b"'),
        ("x --n=a/${s.v}-${s.v}/4;", 'x --n="a/$pipegen_s_v-$pipegen_s_v/4";'),
        ("x $a/${s.v}*", 'x $a/"$pipegen_s_v"*'),
        ("[[ x =~ a.${s.v} ]]", '[[ x =~ a."$pipegen_s_v" ]]'),
        ('echo "${s.v}"', 'echo "$pipegen_s_v"'),
        ('echo "${s.v}b"', 'echo "${pipegen_s_v}b"'),
        ('echo "${s.v}\\\nb"', 'echo "${pipegen_s_v}\\\nb"'),
        ('echo "${s.v}[1] ${s.v}-b"', 'echo "${pipegen_s_v}[1] $pipegen_s_v-b"'),
        ("echo '${s.v}'", 'echo "$pipegen_s_v"'),
        ("echo 'a ${s.v}'", "echo 'a '\"$pipegen_s_v\""),
        ("echo '${s.v} a'", "echo \"$pipegen_s_v\"' a'"),
        ("echo 'a ${s.v} b'", "echo 'a '\"$pipegen_s_v\"' b'"),
        ("echo '${s.v}${s.v}'", 'echo "$pipegen_s_v""$pipegen_s_v"'),
        ("echo $'a\\n${s.v}\\n'", "echo $'a\\n'\"$pipegen_s_v\"$'\\n'"),
        ("echo $'${s.v}'", 'echo "$pipegen_s_v"'),
        ("cat <<EOF\n${s.v}\nEOF\n", "cat <<EOF\n$pipegen_s_v\nEOF\n"),
        ("cat <<'EOF'\n$x `y` \\ ${s.v}z\nEOF\n", "cat <<EOF\n\\$x \\`y\\` \\\\ ${pipegen_s_v}z\nEOF\n"),
        ("cat <<'EOF'\n$x $${s.v}\nEOF\n", "cat <<'EOF'\n$x ${s.v}\nEOF\n"),
        ("echo ${x:-${s.v}}", 'echo ${x:-"$pipegen_s_v"}'),
        ('echo "${x:-${s.v}}"', 'echo "${x:-$pipegen_s_v}"'),
        ('echo "${x#${s.v}}"', 'echo "${x#"$pipegen_s_v"}"'),
        ("echo ${s.v|a b}", 'echo "${pipegen_s_v:-a b}"'),
        ("echo ${s.v|it's}", 'echo "${pipegen_s_v:-$default_0}"'),
        ("echo $${s.v} \"$${s.v}\" '$${s.v}'", "echo '${s.v}' \"\\${s.v}\" '${s.v}'"),
    ],
)
def test_a_reference_is_quoted_for_its_position(script: str, expected: str) -> None:
    """With the minimum of quotes."""
    assert rewritten(script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('echo "a ${s.v}b"', 'echo "a c db"'),
        ("echo 'a ${s.v}'", "echo 'a c d'"),
        ("cat <<'EOF'\n$x ${s.v}\nEOF\n", "cat <<EOF\n\\$x c d\nEOF\n"),
        ("echo ${s.v}", 'echo "$pipegen_s_v"'),
        ('echo "$x${s.v}"', 'echo "$x$pipegen_s_v"'),
        ('echo "\\\\${s.v}"', 'echo "\\\\$pipegen_s_v"'),
        ("cat <<EOF\n${s.v}\nEOF\n", "cat <<EOF\n$pipegen_s_v\nEOF\n"),
        ("cat <<EOF\nE${s.v}\nEOF\n", "cat <<EOF\nE$pipegen_s_v\nEOF\n"),
        ("cat <<-EOF\n\tE${s.v}\n\tEOF\n", "cat <<-EOF\n\tE$pipegen_s_v\n\tEOF\n"),
    ],
)
def test_a_plain_constant_is_in_quotes_itself(script: str, expected: str) -> None:
    """Where it continues no name, and ends no here-document."""
    assert rewrite(with_constants(parsed(script, "s"), lambda _: "c d"), variable, {}, lambda _: False) == expected


def test_rewriting_keeps_line_numbers() -> None:
    """A rewritten script has as many lines as the original."""
    script = "a ${s.v}\ncat <<'EOF'\n${s.v}\nEOF\n'\n${s.v}\n'\n"

    assert rewritten(script).count("\n") == script.count("\n")


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_a_script_without_references_is_unchanged(script: str) -> None:
    """Byte for byte, even if no shell accepts it; only expansions that all shells reject are reported."""
    report = Report()
    parts = parse_script(scalar(script), ["s"], report).parts

    assert "".join(written(part) for part in parts) == script
    assert {diagnostic.code for diagnostic in report.diagnostics()} <= {codes.BAD_SUBSTITUTION}


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from((*PIECES, *REFERENCES)), max_size=30).map("".join))
def test_all_of_the_users_text_is_kept(script: str) -> None:
    """The parts are consecutive in the script: no text is missing or repeated.

    If a quoted here-document contains only escapes, they are removed immediately.
    """
    parts = parse_script(scalar(script), ["s"], Report()).parts

    assert unescaped("".join(written(part) for part in parts)) == unescaped(script)


def unescaped(script: str) -> str:
    """Return *script* with single dollars before braces."""
    return re.sub(r"\$+(?=\{)", "$", script)


def written(part: ScriptPart) -> str:
    """Return *part* as in the user's script."""
    match part:
        case str():
            return part
        case PlacedReference(reference=reference):
            return reference.span.text
        case Escaped(text=text):
            return f"${text}"
        case Delimiter(written=text) | Body(text=text):
            return text
