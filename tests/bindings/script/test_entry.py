"""References in scripts, with their contexts and spans."""

from __future__ import annotations

import pytest
from bindings.sample_scripts import parsed, scalar

from pipegen.bindings.script.entry import parse_script
from pipegen.bindings.script.model import Body, Context, Delimiter, Escaped, PlacedReference
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report


def contexts(script: str) -> list[Context]:
    """Return the contexts of the references of *script*, which must be valid."""
    return [placed.context for placed in parsed(script, "build").references()]


def reported(script: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a script."""
    report = Report()
    parse_script(scalar(script), ["build", "test"], report)
    return report.diagnostics()


@pytest.mark.parametrize(
    ("script", "context"),
    [
        ("echo ${build.v}", Context.WORD),
        ("x=a${build.v}", Context.WORD),
        ("echo >${build.v}", Context.WORD),
        ("case ${build.v} in a) ;; esac", Context.WORD),
        ("case a in ${build.v}) ;; esac", Context.WORD),
        ("[[ a == ${build.v} ]]", Context.WORD),
        ('echo "${build.v}"', Context.DOUBLE),
        ('echo $"${build.v}"', Context.DOUBLE),
        ('echo "it\'s ${build.v}"', Context.DOUBLE),
        ("echo '${build.v}'", Context.SINGLE),
        ("echo $'\\'${build.v}'", Context.ANSI),
        ("cat <<E\n${build.v}\nE", Context.DOCUMENT),
        ("cat <<'E'\n${build.v}\nE", Context.DOCUMENT),
        ('echo "$(echo ${build.v})"', Context.WORD),
        ("echo \"$(echo '${build.v}')\"", Context.SINGLE),
        ('echo "`echo \\"${build.v}\\"`"', Context.DOUBLE),
        ("cat <<E\n$(echo '${build.v}')\nE", Context.SINGLE),
        ("echo ${x:-${build.v}}", Context.WORD),
        ('echo "${x:-${build.v}}"', Context.DOUBLE),
        ('echo "${x#${build.v}}"', Context.WORD),
        ("echo ${x:-'${build.v}'}", Context.SINGLE),
        ("echo \"${x:-'${build.v}'}\"", Context.DOUBLE),
    ],
)
def test_position_decides_the_context(script: str, context: Context) -> None:
    """The context is the quoting that a shell applies at that position."""
    assert contexts(script) == [context]


@pytest.mark.parametrize(
    "script",
    [
        "echo $FOO ${FOO} ${TAG:-1.2} ${f%.*} ${TAG-v1.0} ${#list} $# $$ ${x%a.b}",
        "echo '${other.v} ${a.b|c}'",
        'echo \\${build.v} "\\${build.v}"',
        "cat <<E\n\\${build.v}\nE",
        "# ${build.v}\necho # it's ${build.v}",
        "echo ${build} ${build:-x.y}",
    ],
)
def test_other_dollar_syntax_is_left_to_the_shell(script: str) -> None:
    """Shell expansions, unknown names, escapes and comments are not references."""
    assert parsed(script, "build").parts == (script,)


def test_a_hash_inside_a_word_does_not_start_a_comment() -> None:
    """Neither do `$#` and `${#x}`."""
    assert contexts("echo a#${build.v} $#${build.v} ${#x}${build.v} # ${build.v}") == [Context.WORD] * 3


@pytest.mark.parametrize("namespace", ["", "setup", "inputs", "matrix", "pipeline", "build"])
def test_reserved_names_and_stage_names_are_namespaces(namespace: str) -> None:
    """The parser does not check whether anything binds the name."""
    (placed,) = parsed(f"${{{namespace}.a.b-c}}", "build").references()

    assert (placed.reference.namespace, placed.reference.name) == (namespace, "a.b-c")


def test_a_reference_has_its_default_combinations_and_span() -> None:
    """The parsed reference contains every part of its source."""
    (placed,) = parsed("x ${build[os=linux,python=3.11].v|a 'b'}", "build").references()

    assert placed.reference.combinations == "os=linux,python=3.11"
    assert placed.reference.default == "a 'b'"
    assert placed.reference.span.text == "${build[os=linux,python=3.11].v|a 'b'}"


def test_a_leading_dollar_escapes_a_reference() -> None:
    """`$${…}` is text; `$$` in front of a reference is the shell's process id."""
    parts = parsed("p $${build.v} $$${build.v}", "build").parts

    assert parts[:3] == ("p ", Escaped("${build.v}", Context.WORD), " $$")
    assert isinstance(parts[3], PlacedReference)


def test_a_quoted_here_document_is_split_into_parts() -> None:
    """The delimiter and the body have their own types."""
    parts = parsed("cat <<'E' x\n$a ${build.v}\n$b\nE\n$c", "build").parts

    assert [part for part in parts if not isinstance(part, PlacedReference)] == [
        "cat <<",
        Delimiter("'E'", "E"),
        " x\n",
        Body("$a "),
        Body("\n$b\n"),
        "E\n$c",
    ]


def test_a_here_document_without_references_keeps_its_quotes() -> None:
    """This is also true when another here-document of the command contains references."""
    parts = parsed("cat <<'A' <<'B'\n$a\nA\n${build.v}\nB", "build").parts

    assert parts[0] == "cat <<'A' <<"


def test_a_misspelled_stage_is_reported() -> None:
    """It is reported even in single quotes, where the shell expands nothing."""
    (diagnostic,) = reported("echo '${biuld.v}'")

    assert (diagnostic.code.number, diagnostic.hint) == ("PG322", 'if you mean the stage, write "${build.v}"')
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.text == "${biuld.v}"


@pytest.mark.parametrize(
    "script", ["echo '${project.version}'", "echo '${maven.version}'", "echo $${biuld.v}", "# ${biuld.v}"]
)
def test_other_dotted_names_are_not_reported(script: str) -> None:
    """They may be Maven properties, escaped text or comments."""
    assert reported(script) == ()


@pytest.mark.parametrize(
    "script",
    [
        "echo 'a ${build.v}",
        'echo "a ${build.v}',
        "echo $(a '${build.v}",
        "echo `a ${build.v}",
        "a )\n${build.v}",
        "${ a; }${build.v}",
    ],
)
def test_a_reference_in_unreadable_shell_is_reported(script: str) -> None:
    """A related label shows where the unreadable syntax starts."""
    (diagnostic,) = reported(script)

    assert diagnostic.code.number == "PG320"
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.text == "${build.v}"
    assert len(diagnostic.related) == 1


@pytest.mark.parametrize(
    "script", ["echo 'a", "echo ${build.v} 'a", "a ) b", "case x in", "echo $((", "x=$(", "((a)", "<<"]
)
def test_shell_errors_that_affect_no_reference_are_not_reported(script: str) -> None:
    """The shell's own message is better."""
    assert reported(script) == ()


def test_nesting_depth_is_limited() -> None:
    """A script nested too deeply is reported as unreadable."""
    (diagnostic,) = reported("$(" * 500 + "${build.v}" + ")" * 500)

    assert diagnostic.code.number == "PG320"


def test_nested_parentheses_are_read_in_linear_time() -> None:
    """The lexer tries to read `((` as arithmetic only once at each position."""
    assert contexts("(" * 24 + "echo ${build.v}" + " ) " * 24) == [Context.WORD]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("cat <<${build.v}\nx", "delimiter of a here-document"),
        ("cat <<E\n${x#${build.v}}\nE", "pattern in a here-document"),
        ("x=`cat <<'E'\n${build.v}\nE\n`", "inside backticks"),
        ("cat <<'E F'\n${build.v}\nE F\n", "needs no quotes"),
        ("x=`echo $${build.v}`", "backticks remove the backslash"),
    ],
)
def test_unquotable_references_are_reported(script: str, words: str) -> None:
    """The message states the reason, and a hint gives an alternative."""
    (diagnostic,) = reported(script)

    assert diagnostic.code.number == "PG321"
    assert words in diagnostic.message
    assert diagnostic.hint
