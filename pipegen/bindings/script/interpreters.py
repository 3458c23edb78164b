"""Programs that take a program as text, and how to hand over a value to each; what else reads names and numbers."""

from __future__ import annotations

from pipegen.structs import Struct

_ENVIRONMENT = "put the value into the environment: VALUE={reference} {name} …, and read VALUE in the program"
_ARGUMENT = "hand it over as an argument: sh -c '… \"$1\" …' sh {reference}"
_SQL = "hand it over as a variable of {name}, which can quote it"
_FUNCTION = "put the commands into a function, where the value may stand, and name that"


class Interpreter(Struct, kw_only=True):
    """How a program takes a program. Options are letters, which may stand in a cluster (`-pe`), or whole words.

    The program is the argument of a *flags* option; or of the first operand, once a *switches* option was given;
    or the *operand* itself, unless an option of *flags* or *files* names another; or all words from operand
    number *remote* on. Without any, it comes by standard input where the interpreter *reads_input*: also beside
    operands that are no *scripts*.

    *valued* options take an argument, *paired* ones two, *attached* ones the rest of their word.
    """

    hint: str = _ENVIRONMENT
    flags: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    operand: bool = False
    remote: int | None = None
    reads_input: bool = False
    scripts: bool = True
    valued: tuple[str, ...] = ()
    paired: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()


_SHELL = Interpreter(
    hint=_ARGUMENT,
    switches=("c",),
    reads_input=True,
    valued=("o", "O", "--rcfile", "--init-file"),
)
_PYTHON = Interpreter(flags=("c",), files=("m",), reads_input=True, valued=("W", "X"))
_PERL = Interpreter(flags=("e", "E"), reads_input=True, valued=("I",), attached=("i", "M", "m", "0", "F", "C", "l"))
_NODE = Interpreter(flags=("e", "p", "--eval", "--print"), reads_input=True, valued=("r", "--require"))
_AWK = Interpreter(
    hint="put the value into the environment: VALUE={reference} {name} '… ENVIRON[\"VALUE\"] …'",
    flags=("e", "--source"),
    files=("f", "--file"),
    operand=True,
    valued=("F", "v", "--assign", "--field-separator"),
)
_SED = Interpreter(
    hint="sed can run commands and takes no values: use VALUE={reference} awk '… ENVIRON[\"VALUE\"] …'",
    flags=("e", "--expression"),
    files=("f", "--file"),
    operand=True,
    valued=("l", "--line-length"),
    attached=("i",),
)
_MYSQL = Interpreter(
    hint=_SQL, flags=("e", "--execute"), reads_input=True, scripts=False, valued=("u", "h", "P", "D"), attached=("p",)
)
_JQ = Interpreter(
    hint="hand it over as a variable: jq --arg value {reference} '… $value …'",
    files=("f", "--from-file"),
    operand=True,
    valued=("--indent", "L"),
    paired=("--arg", "--argjson", "--slurpfile", "--rawfile"),
)
_SSH = Interpreter(
    hint="send the value on standard input: printf %s {reference} | ssh HOST 'value=$(cat); …'",
    remote=1,
    reads_input=True,
    valued=tuple("BbcDEeFIiJLlmOopQRSWw"),
)

# These are looked for wherever a command begins, and, where an option gives the program, among all words.
INTERPRETERS: dict[str, Interpreter] = {
    **dict.fromkeys(("sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "shell"), _SHELL),
    **dict.fromkeys(("python", "pypy"), _PYTHON),
    "perl": _PERL,
    "ruby": Interpreter(flags=("e",), reads_input=True, valued=("I", "r"), attached=("i", "F")),
    **dict.fromkeys(("node", "nodejs"), _NODE),
    "php": Interpreter(flags=("r",), files=("f",), reads_input=True, valued=("d",)),
    "lua": Interpreter(flags=("e",), reads_input=True, valued=("l",)),
    "Rscript": Interpreter(flags=("e",)),
    "groovy": Interpreter(flags=("e",)),
    "pwsh": Interpreter(flags=("-c", "-Command", "-command"), files=("-File", "-f"), reads_input=True),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    **dict.fromkeys(("sed", "gsed"), _SED),
    "jq": _JQ,
    "yq": Interpreter(
        hint="put the value into the environment: VALUE={reference} yq '… strenv(VALUE) …'",
        files=("--from-file",),
        operand=True,
        valued=("o", "p", "--indent", "I"),
    ),
    "psql": Interpreter(
        hint=_SQL,
        flags=("c", "--command"),
        files=("f", "--file"),
        reads_input=True,
        scripts=False,
        valued=tuple("dhpUv"),
    ),
    **dict.fromkeys(("mysql", "mariadb"), _MYSQL),
    "ssh": _SSH,
    **dict.fromkeys(("su", "runuser"), Interpreter(hint=_ARGUMENT, flags=("c", "--command"), valued=("s", "u", "g"))),
    "eval": Interpreter(hint="write the command itself: what stands in an argument is not read again", remote=0),
    "trap": Interpreter(hint=_FUNCTION, operand=True),
    "alias": Interpreter(hint="write a function, in which the value may stand", remote=0),
    "watch": Interpreter(hint=_FUNCTION, remote=0, valued=("n", "--interval")),
    "parallel": Interpreter(hint="hand it over after :::", operand=True, valued=("j", "--jobs", "I")),
}

# What declares variables.
DECLARERS = {"declare", "typeset", "local", "export", "readonly"}
# The shell's own variables whose values it works out, as numbers or as text with commands in it.
EVALUATED_VARIABLES = {"RANDOM", "OPTIND", "PS4", "BASH_ENV"}
# Builtins that take names of variables: options that take a word, options that take such a name.
NAME_READERS = {
    "read": (("-d", "-i", "-n", "-N", "-p", "-t", "-u"), ("-a",)),
    "mapfile": (("-d", "-n", "-O", "-s", "-u", "-C", "-c"), ()),
    "readarray": (("-d", "-n", "-O", "-s", "-u", "-C", "-c"), ()),
}
NAME_OPTIONS = {"printf": ("-v",), "test": ("-v", "-R"), "[": ("-v", "-R"), "wait": ("-p",)}
# Words without which no reference is part of a program, nor stands where the grammar alone says what it is.
WATCHED = frozenset(
    {*INTERPRETERS, *DECLARERS, *EVALUATED_VARIABLES, *NAME_READERS, *NAME_OPTIONS, "let", "case"} - {"["}
)
