"""References in scripts: which there are, and where they stand."""

from __future__ import annotations

import pytest
from bindings.sample_scripts import parsed, scalar

from pipegen.bindings.script.entry import parse_script
from pipegen.bindings.script.model import Body, Context, Delimiter, Escaped, PlacedReference
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report


def contexts(script: str) -> list[Context]:
    """Return where the references of *script* stand; nothing is wrong with it."""
    return [placed.context for placed in parsed(script, "build").references()]


def reported(script: str) -> tuple[Diagnostic, ...]:
    """Return what is said of a script."""
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
def test_the_place_decides_the_context(script: str, context: Context) -> None:
    """As the shell reads it."""
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
def test_all_else_is_the_shells(script: str) -> None:
    """Expansions, names of nobody, escapes and comments."""
    assert parsed(script, "build").parts == (script,)


def test_a_hash_inside_a_word_begins_no_comment() -> None:
    """Nor do `$#` and `${#x}`."""
    assert contexts("echo a#${build.v} $#${build.v} ${#x}${build.v} # ${build.v}") == [Context.WORD] * 3


@pytest.mark.parametrize("namespace", ["", "setup", "inputs", "matrix", "pipeline", "build"])
def test_reserved_names_and_stages_are_ours(namespace: str) -> None:
    """Whatever binds them is settled later."""
    (placed,) = parsed(f"${{{namespace}.a.b-c}}", "build").references()

    assert (placed.reference.namespace, placed.reference.name) == (namespace, "a.b-c")


def test_a_reference_knows_its_default_its_combinations_and_its_place() -> None:
    """All of what is written."""
    (placed,) = parsed("x ${build[os=linux,python=3.11].v|a 'b'}", "build").references()

    assert placed.reference.combinations == "os=linux,python=3.11"
    assert placed.reference.default == "a 'b'"
    assert placed.reference.span.text == "${build[os=linux,python=3.11].v|a 'b'}"


def test_dollars_in_front_escape() -> None:
    """`$${…}` is text; `$$` in front of a reference is the shell's process id."""
    parts = parsed("p $${build.v} $$${build.v}", "build").parts

    assert parts[:3] == ("p ", Escaped("${build.v}", Context.WORD), " $$")
    assert isinstance(parts[3], PlacedReference)


def test_a_quoted_document_is_taken_apart() -> None:
    """Its delimiter and its text are known for what they are."""
    parts = parsed("cat <<'E' x\n$a ${build.v}\n$b\nE\n$c", "build").parts

    assert [part for part in parts if not isinstance(part, PlacedReference)] == [
        "cat <<",
        Delimiter("'E'", "E"),
        " x\n",
        Body("$a "),
        Body("\n$b\n"),
        "E\n$c",
    ]


def test_a_quoted_document_without_references_stays_quoted() -> None:
    """Also beside one that has some."""
    parts = parsed("cat <<'A' <<'B'\n$a\nA\n${build.v}\nB", "build").parts

    assert parts[0] == "cat <<'A' <<"


def test_a_misspelled_stage_is_reported() -> None:
    """Where the shell expands nothing: elsewhere it refuses the name."""
    (found,) = reported("echo '${biuld.v}'")

    assert (found.code.number, found.hint) == ("PG322", 'if you mean the stage, write "${build.v}"')
    assert found.primary is not None
    assert found.primary.span.text == "${biuld.v}"


@pytest.mark.parametrize(
    "script", ["echo '${project.version}'", "echo '${maven.version}'", "echo $${biuld.v}", "# ${biuld.v}"]
)
def test_other_dotted_names_are_left_alone(script: str) -> None:
    """Maven's, say."""
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
def test_what_cannot_be_followed_is_reported(script: str) -> None:
    """With a label where it began."""
    (found,) = reported(script)

    assert found.code.number == "PG320"
    assert found.primary is not None
    assert found.primary.span.text == "${build.v}"
    assert len(found.related) == 1


@pytest.mark.parametrize(
    "script", ["echo 'a", "echo ${build.v} 'a", "a ) b", "case x in", "echo $((", "x=$(", "((a)", "<<"]
)
def test_the_shell_complains_of_what_is_wrong_without_references(script: str) -> None:
    """It says it better."""
    assert reported(script) == ()


def test_depth_is_bounded() -> None:
    """A script nested deeper than any stack is none that can be followed."""
    (found,) = reported("$(" * 500 + "${build.v}" + ")" * 500)

    assert found.code.number == "PG320"


def test_parentheses_cost_no_time() -> None:
    """Whether `((` is arithmetic is tried once for each place."""
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
    """With the reason and a way out."""
    (found,) = reported(script)

    assert found.code.number == "PG321"
    assert words in found.message
    assert found.hint
