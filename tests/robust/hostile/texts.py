"""Texts that a shell, a template or a parser may execute; each would create a file then."""

from __future__ import annotations

import re
from functools import cache

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

# `@` is a command that creates a canary; in Groovy and Python it is inside a string literal.
SHELL = (
    *("$(@)", "`@`", "'; @; '", '"; @; "', "; @ #", "\n@\n", "| @", "&& @", "& @ &", "|| @", "\\\n@\n", "\\`@\\`"),
    *("a[$(@)]", "$((a[$(@)]))", "${x:-$(@)}", "${x:=`@`}", '"$(@)"', "'$(@)'", "\\$(@)", "<(@)", ">(@)", "$'\\n@'"),
    *("EOF\n@\nEOF\n", "END\n$(@)\nEND\n", ")\n@\n(", "}; @; {", "() { :;}; @", "{a,$(@)}", "!`@`", "a=$(@)", "fi; @"),
    *("'\"'\"'; @; '\"'\"'", "\u2019; @; \u2018", "* $(@) ?", "%s`@`", "~$(@)", "${IFS}$(@)", "$(@", "`@", "'@", '"@'),
)
GROOVY = (
    *("''' + '@'.execute() + '''", '""" + "@".execute() + """', "${'@'.execute()}", "/$ + '@'.execute() + $/"),
    *("\\u0027\\u0027\\u0027; '@'.execute(); //", "*/ '@'.execute() /*", "\n'@'.execute()\n//", "{ -> '@'.execute() }"),
    *(
        "'); sh('@'); echo('",
        "'''); sh('''@'''); //",
        "} node { sh '@' } def x() {",
        "<% '@'.execute() %>",
        "\\' + sh('@')",
    ),
    *("@groovy.transform.ASTTest(value={ '@'.execute() }) class X {}", "env.X = sh(script: '@', returnStdout: true)"),
)
JINJA = (
    *("{{ cycler.__init__.__globals__.os.system('@') }}", "{% set x = lipsum.__globals__['os'].popen('@').read() %}"),
    *("{# x", "#}", "{% raw %}", "%}", "}}", "{{ x }}"),
)
YAML = (
    *('!!python/object/apply:os.system ["@"]', "yes", "no", "on", "off", "null", "~", "true", "1e3", "0o7", "0x1F"),
    *("12:30:45", "1_000", ".inf", ".nan", "2001-01-01", "=", "<<", "- a", "? a", ": b", "a: b", "a #b", "&a b", "*a"),
    *(
        "|",
        ">-",
        "%TAG ! x",
        "---",
        "...",
        "@x",
        "{a: b}",
        "[a",
        "a\n---\nb: c\n",
        "a\n...\n",
        "\n\n",
        "a\n  b\n c",
        "# a",
    ),
)
GITLAB = (
    *(
        "$$",
        "$$HOME",
        "$CI_JOB_TOKEN",
        "$[[ inputs.x ]]",
        "$[[ inputs.x | expand_vars ]]",
        "$[[",
        "%CI_JOB_ID%",
        "$HOME",
    ),
    *("!reference [a, script]", "$$$", "$1", "$@", "$-", "$?", "::set-output name=x::@", "section_start:0:x\r\x1b[0K"),
)
OURS = (
    "${setup.branch}",
    "${.stage}",
    "${nobody.x|$(@)}",
    "$${a.b}",
    "$$${a.b}",
    "${",
    "${a b}",
    "$each",
    "${inputs.x}",
)
PATHS = (
    "../../etc/passwd",
    "/etc/passwd",
    "a/../b",
    "./-rf",
    "~root",
    "//x",
    "C:\\x",
    ".",
    "..",
    "a/",
    " a ",
    "a b/c d",
)
GLOBS = ("*", "?", "[a-z]*", "**/*", "{a,b}", "@(x|y)", "!(x)", "[!a]", "\\*")
OPTIONS = ("-n", "-e", "-x", "--", "--help", "-c @", "--eval=@", "-exec @ ;", "-", "+x", "-rf", "-n\n", "=a", "a=b")
ESCAPES = (
    "%s %d %n \\c",
    "\\0",
    "&",
    "\\1",
    "s/x/@/e",
    "\\n",
    "\\u0041",
    "\\x41",
    "\\101",
    "&#39;",
    "%27",
    "\\",
    "\\\\",
)
CONTROLS = tuple(map(chr, (*range(1, 0x20), 0x7F)))
UNICODE = (
    *(
        "\x80",
        "\x85",
        "\xa0",
        "\xad",
        "\u2028",
        "\u2029",
        "\ufeff",
        "\u200b",
        "\u202e",
        "\u2066x\u2069",
        "\ufffe",
        "\uffff",
    ),
    *("\ufffd", "\ue000", "e\u0301", "ünï", "名", "🎉", "👩\u200d💻", "\U0010ffff", "İ", "ß", "ＡＢ", "\u0660"),
)
PLAIN = (
    "a",
    " ",
    "\n",
    "'",
    '"',
    "\\",
    "$",
    "`",
    "\r\n",
    "\t",
    "'''",
    '"""',
    "x'\"$",
    "  a  ",
    "two  \nlines \t\n",
    "",
)
PIECES = (
    *SHELL,
    *GROOVY,
    *JINJA,
    *YAML,
    *GITLAB,
    *OURS,
    *PATHS,
    *GLOBS,
    *OPTIONS,
    *ESCAPES,
    *CONTROLS,
    *UNICODE,
    *PLAIN,
)
LARGE = ("x'\"$", "`@` ", "$(@)\n", "\\", "é", "'''")
LONGEST = 65_536

# Hypothesis' text() would use text from the loaded modules, which differ between programs.
_ODD = st.lists(st.sampled_from((*map(chr, range(1, 0x100)), *UNICODE)), max_size=12).map("".join)
_PIECE = st.one_of(st.sampled_from(PIECES), _ODD)
TEXTS = st.one_of(st.sampled_from(PIECES), st.lists(_PIECE, min_size=1, max_size=5).map("".join))


def armed(text: str, command: str) -> str:
    """Return *text* with *command* in it."""
    return text.replace("@", command)


@cache
def texts(number: int, turn: int) -> tuple[str, ...]:
    """Return up to *number* texts, different for each *turn*; `@` is a command."""
    names: dict[str, None] = {}

    @seed(turn)
    @settings(
        max_examples=number,
        phases=(Phase.generate,),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(TEXTS)
    def gather(text: str) -> None:
        names[text] = None

    gather()
    return tuple(names)


def large(number: int, command: str) -> str:
    """Return a text of 64 KB that contains *command* everywhere."""
    part = armed(LARGE[number % len(LARGE)], command)
    return (part * LONGEST).encode()[:LONGEST].decode(errors="ignore")


# The language's own `${…}`: a name with a dot is a reference, and `$${` is literal text.
_REFERENCE = re.compile(r"\$\{(?:[A-Za-z0-9_-]*\[[^\]{}\n]*\](?=\.))?([A-Za-z0-9._-]+)(\|[^}]*)?\}")
_FOR_SHELLS = re.compile(r"\$\{(?:[A-Za-z_][A-Za-z0-9_]*[-:=+?#%/^,@\[]|[#!@*?$])[^\n]*?\}")


def written(text: str) -> str:
    """Return *text* as written in a config, where `${stage.name}` is a reference."""

    def escape(match: re.Match[str]) -> str:
        reference = _REFERENCE.match(text, match.start())
        is_ours = "." in reference[1] if reference else not _FOR_SHELLS.match(text, match.start())
        return "$${" if is_ours else "${"

    return re.sub(r"\$\{", escape, text)


def has_bare(text: str) -> bool:
    """Return whether *text* contains a `${NAME}`, which `env` passes to the shell."""
    return any("." not in match[1] for match in _REFERENCE.finditer(text))


def quoted(text: str, stages: tuple[str, ...] = ()) -> str:
    """Return *text* as a single-quoted word of a script, with `$${` in place of references."""
    ours = "|".join(map(re.escape, (*stages, "setup", "inputs", "matrix", "pipeline", "")))
    reference = re.compile(rf"\$(?=\{{(?:{ours})(?:\[[^\]{{}}\n]*\])?[.][A-Za-z0-9._-]+(?:\|[^}}]*)?\}})")
    return "'" + reference.sub("$$", text).replace("'", "'\\''") + "'"
