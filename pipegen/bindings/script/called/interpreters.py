"""Programs that take a program as text, and how to pass a value to each safely."""

from __future__ import annotations

from pipegen.bindings.script.called.builtins import COMMAND_VARIABLES, DECLARERS, EVALUATED_VARIABLES, NAMES
from pipegen.structs import Struct

_ENVIRONMENT = "put the value into the environment: VALUE={reference} {name} …, and read VALUE in the program"
_ARGUMENT = "pass it as an argument: sh -c '… \"$1\" …' sh {reference}"
_SQL = "pass it as a variable of {name}, which can quote it"
_FUNCTION = "move the commands to a shell function, which can use the value, and name it here"


class Interpreter(Struct, kw_only=True):
    """How an interpreter gets its program. Options are letters, which can be clustered (`-pe`), or whole words.

    The program is the argument of a *flags* option; or the first operand after a *switches* option; or the *operand*
    itself, unless an option of *flags* or *files* names another; or all words from operand number *remote* on.
    Otherwise the program comes from standard input if the interpreter *reads_input*, even with operands if these are
    not *scripts*; if it *continues*, even after the programs of options.

    *valued* options take an argument, *paired* ones two, *attached* ones the rest of their word. Words after operand
    number *leads*, if set, and those after an option of *ends* belong to another command.
    """

    hint: str = _ENVIRONMENT
    flags: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    operand: bool = False
    remote: int | None = None
    reads_input: bool = False
    scripts: bool = True
    continues: bool = False
    valued: tuple[str, ...] = ()
    paired: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    leads: int = 0
    ends: tuple[str, ...] = ()


class InterpreterCall(Struct):
    """An interpreter on a command line: the indexes of the words of its program, and whether it reads standard input.

    If it *is_bare*, it has no other arguments, and can only read standard input. *files* are words that name files of
    its program.
    """

    name: str
    at: int
    interpreter: Interpreter
    programs: tuple[int, ...]
    reads_input: bool
    is_bare: bool = False
    files: tuple[int, ...] = ()


_SHELL = Interpreter(
    hint=_ARGUMENT,
    switches=("c",),
    reads_input=True,
    valued=("o", "O", "--rcfile", "--init-file"),
)
_PYTHON = Interpreter(flags=("c",), files=("m",), reads_input=True, valued=("W", "X"), ends=("m",))
_PERL = Interpreter(flags=("e", "E"), reads_input=True, valued=("I",), attached=("i", "M", "m", "0", "F", "C", "l"))
_NODE = Interpreter(flags=("e", "p", "-pe", "--eval", "--print"), reads_input=True, valued=("r", "--require"))
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
    hint="pass it as a variable: jq --arg value {reference} '… $value …'",
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

_SHELLS = "sh bash rbash dash ash ksh mksh lksh zsh fish csh tcsh yash posh nu xonsh elvish hush shell"
SHELLS = frozenset(_SHELLS.split())
_PWSH = Interpreter(flags=("-c", "-Command", "-command", "-EncodedCommand"), files=("-File", "-f"), reads_input=True)
_LISP = Interpreter(flags=("e", "-c", "--eval"), reads_input=True)
# With `-u`, runuser runs the words after the user instead of a shell.
_SU = Interpreter(
    hint=_ARGUMENT,
    flags=("c", "--command", "--session-command"),
    files=("u", "--user"),
    ends=("u", "--user"),
    reads_input=True,
    scripts=False,
    valued=tuple("sgGwT"),
)
_NIX = Interpreter(hint="pass it as an argument of the expression: --argstr value {reference}", flags=("E", "--expr"))
_ALL = Interpreter(hint=_FUNCTION, remote=0)
_STDIN = Interpreter(hint=_FUNCTION, reads_input=True, scripts=False)

_GDB = ("-ex", "--ex", "-iex", "--iex", "-o", "-eval-command", "-init-eval-command")

# Recognised wherever a command begins; those with a program option, at any word.
INTERPRETERS: dict[str, Interpreter] = {
    **dict.fromkeys(SHELLS, _SHELL),
    **dict.fromkeys((".", "source"), Interpreter(hint=_FUNCTION, reads_input=True)),
    **dict.fromkeys(("python", "pypy", "ipython"), _PYTHON),
    "perl": _PERL,
    "ruby": Interpreter(flags=("e",), reads_input=True, valued=("I", "r"), attached=("i", "F")),
    **dict.fromkeys(("node", "nodejs"), _NODE),
    "php": Interpreter(flags=("r", "B", "R", "E"), files=("f",), reads_input=True, valued=("d",)),
    **dict.fromkeys(("lua", "luajit"), Interpreter(flags=("e",), reads_input=True, valued=("l",))),
    **dict.fromkeys(("Rscript", "R", "groovy", "scala", "elixir", "ghc", "osascript"), Interpreter(flags=("e",))),
    **dict.fromkeys(("ocaml", "swift", "coffee", "bb", "racket", "mix", "jrunscript"), Interpreter(flags=("e",))),
    **dict.fromkeys(("julia", "rake"), Interpreter(flags=("e", "E", "p", "--eval", "--print", "--execute"))),
    **dict.fromkeys(("clojure", "guile", "sbcl", "octave", "gnuplot", "iex"), _LISP),
    **dict.fromkeys(("erl", "emacs"), Interpreter(flags=("e", "--eval", "-eval", "-execute"), reads_input=True)),
    **dict.fromkeys(("deno", "bun", "ts-node"), Interpreter(flags=("e", "p", "--eval", "--print"))),
    "irb": Interpreter(reads_input=True),
    **dict.fromkeys(("expect", "tclsh"), Interpreter(flags=("c",), reads_input=True)),
    **dict.fromkeys(
        ("vim", "vi", "ex", "nvim"),
        Interpreter(flags=("c", "+", "--cmd"), files=("S", "u"), reads_input=True, scripts=False, continues=True),
    ),
    "dc": Interpreter(hint=_FUNCTION, flags=("e", "--expression"), reads_input=True, scripts=False),
    **dict.fromkeys(("ed", "m4", "at", "batch", "crontab", "jshell"), _STDIN),
    **dict.fromkeys(("gdb", "lldb"), Interpreter(flags=_GDB, files=("-x",), reads_input=True, scripts=False)),
    "less": Interpreter(hint=_FUNCTION, flags=("+",)),
    "man": Interpreter(hint=_FUNCTION, flags=("P", "H")),
    "tcpdump": Interpreter(hint=_FUNCTION, flags=("z",)),
    "nc": Interpreter(hint=_FUNCTION, flags=("e",)),
    "ncat": Interpreter(hint=_FUNCTION, flags=("c", "e")),
    "rpm": Interpreter(hint=_FUNCTION, flags=("E",)),
    "entr": Interpreter(hint=_FUNCTION, switches=("s",)),
    "split": Interpreter(hint=_FUNCTION, flags=("--filter", "--filt")),
    "go": Interpreter(hint=_FUNCTION, flags=("-toolexec", "-exec", "-vettool")),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang"), Interpreter(hint=_FUNCTION, flags=("-wrapper",))),
    **dict.fromkeys(("pwsh", "powershell"), _PWSH),
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
    **dict.fromkeys(("su", "runuser"), _SU),
    "eval": Interpreter(
        hint="write the command itself, without eval: then the shell reads the value only once", remote=0
    ),
    "trap": Interpreter(hint=_FUNCTION, operand=True),
    "alias": Interpreter(hint="write a function, which can use the value", remote=0),
    "env": Interpreter(
        hint="write the words of the command separately", flags=("S", "--split-string", "--split"), leads=1
    ),
    # The words after the option are a command, so the program's own options end there.
    "script": Interpreter(hint=_ARGUMENT, flags=("c", "--command"), leads=2),
    "nix-shell": Interpreter(hint=_ENVIRONMENT, flags=("E", "--run", "--command", "--expr")),
    **dict.fromkeys(("nix", "nix-build", "nix-instantiate"), _NIX),
    "flock": Interpreter(hint=_ARGUMENT, flags=("c", "--command"), valued=("w", "E", "--timeout"), leads=2),
    "sg": Interpreter(hint=_ARGUMENT, flags=("c",), remote=1),
    **dict.fromkeys(("npm", "npx", "yarn", "pnpm"), Interpreter(hint=_ARGUMENT, flags=("-c", "--call"))),
    "vagrant": Interpreter(hint=_ARGUMENT, flags=("-c",)),
    "ansible": Interpreter(hint=_FUNCTION, flags=("a", "--args"), valued=("i", "m", "e", "u", "l")),
    **dict.fromkeys(
        ("make", "gmake"),
        Interpreter(hint=_FUNCTION, flags=("E", "--eval"), files=("f", "--file"), valued=tuple("CIjloW")),
    ),
    **dict.fromkeys(("scp", "sftp"), Interpreter(hint=_FUNCTION, flags=("S", "D"))),
    # Old versions pass options for the other side through its shell.
    "rsync": Interpreter(hint=_FUNCTION, flags=("e", "M", "--rsh", "--remote-option")),
    **dict.fromkeys(("tar", "bsdtar"), Interpreter(hint=_FUNCTION, flags=("I", "F"), attached=("f", "C"))),
    "zip": Interpreter(hint=_FUNCTION, flags=("-TT",)),
    "sbatch": Interpreter(hint=_FUNCTION, flags=("--wrap",)),
    "svn": Interpreter(hint=_FUNCTION, flags=("--config-option",)),
    **dict.fromkeys(("mutt", "wget"), Interpreter(hint=_FUNCTION, flags=("e",))),
    "sqlite3": Interpreter(hint=_SQL, flags=("-cmd",), files=("-init",), remote=1, reads_input=True, scripts=False),
    **dict.fromkeys(("tmux", "screen", "concurrently", "hyperfine"), _ALL),
    "watch": Interpreter(hint=_FUNCTION, remote=0, valued=("n", "--interval")),
    "parallel": Interpreter(hint="pass it after :::", operand=True, valued=("j", "--jobs", "I")),
}

# Modules of Python that read a program: `python -m code`.
MODULES: dict[str, Interpreter] = {
    **dict.fromkeys(("code", "asyncio"), Interpreter(reads_input=True, scripts=False)),
    "pdb": Interpreter(flags=("c", "--command"), reads_input=True, scripts=False),
    "IPython": _PYTHON,
    "timeit": Interpreter(flags=("s", "--setup"), remote=0, valued=("n", "r", "u", "--number", "--repeat", "--unit")),
}
# Programs that pass the words after `--` to a shell, or to the program that one of these options names.
PASSED_TO: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("su", "runuser", "capsh"), ()),
    "start-stop-daemon": ("-x", "-a", "--exec", "--startas"),
}
# Options that take all words up to the next option, and those of the words that contain commands.
COMMAND_LISTS: dict[str, tuple[tuple[str, ...], str]] = {
    # `@FILE` is a file: https://learn.microsoft.com/en-us/cli/azure/vm/run-command
    "az": (("--scripts", "--script", "--script-content"), "(?!@)"),
    # https://docs.aws.amazon.com/cli/latest/reference/ssm/send-command.html
    "aws": (("--parameters", "--cli-input-json"), r"(?s).*?(?<![A-Za-z-])commands?[\"']?\s*[=:]"),
}
# Options that name a file for output; if it starts with `|` or `!`, programs such as strace run the rest.
OUTPUT_OPTION = r"-[A-Za-z]{0,5}?o|--output(?:=|$)"
COMMAND_MARKS = ("|", "!")
# For any program: options that take a command, and keys of settings whose value is a command.
# Compiled where they are first used: few scripts need them.
COMMAND_OPTION = (
    r"--(?!no-)(?:[a-z_-]*[_-])?(?:exec|execute|command|cmd|eval|call|rsh|program|upload-pack|receive-pack|split-string"
    r"|checkpoint-act[a-z]*|compress-prog[a-z]*|use-comp[a-z-]*|to-comm[a-z]*|info-script|new-volume-script|askpass"
    r"|rsync-path|script-shell|run_under|post-renderer|photo-viewer|pager|open-files-in-pager|extcmd|hook|invoke|wrapper|tree-filter|env-filter|index-filter|msg-filter|commit-filter)"
)
COMMAND_SETTING = (
    r"(?i)(?:(?:alias|hooks)\.[^=]*|match|[a-z0-9.*:_-]*(?:command|cmd|pager|editor|external|helper|fsmonitor|hookspath|askpass|program"
    r"|process|clean|smudge|driver|textconv|uploadpack|receivepack|script-shell"
    r"|(?:pre|post)-invoke(?:-success)?(?:::)?))[= ]"
)
NAMED = Interpreter(hint="write the name of the command itself: the value could be eval")
RUN_BY_OTHERS = Interpreter(hint=_FUNCTION)
PIPED = Interpreter(hint="begin the name of the file with its folder: ./{reference}")
REPLACED = Interpreter(hint="pass it as an argument: … | xargs sh -c '… \"$1\" …' sh", reads_input=True)

# Words that a command, or a setting with a command, follows; interpreters recognised only by their options.
_RUN_ON = """
    git config foreach bisect xargs exec command builtin sudo nice timeout busybox test case ENV doas ionice strace
    nohup time setsid stdbuf chrt taskset setarch linux32 linux64 unshare fakeroot unbuffer xvfb-run env aws az capsh
    ext
"""
_BY_OPTIONS = "make gmake npm npx yarn pnpm nix-build"
# Without any of these words, no reference is part of a program, and quotes alone decide how it is read.
WATCHED = frozenset(INTERPRETERS.keys() - set(_BY_OPTIONS.split())).union(
    DECLARERS, EVALUATED_VARIABLES, NAMES, COMMAND_VARIABLES, _RUN_ON.split(), ("coproc",)
)
