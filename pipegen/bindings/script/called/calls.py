"""The interpreters that a command runs, and the words that they read as programs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from pipegen.bindings.script.called.interpreters import (
    INTERPRETERS,
    MODULES,
    NAMED,
    PASSED_TO,
    REPLACED,
    Interpreter,
    InterpreterCall,
)
from pipegen.bindings.script.called.options import run_by_others
from pipegen.bindings.script.syntax import PLACEHOLDER
from pipegen.structs import MutableStruct, field

# Commands that run the command in their last words, with their options that take a word.
_PREFIXES: dict[str, tuple[str, ...]] = {
    "sudo": ("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U"),
    "env": ("-u", "-C"),
    "nice": ("-n",),
    "timeout": ("-s", "-k"),
    "xargs": ("-n", "-I", "-P", "-L", "-d", "-a", "--arg-file", "-E", "-s"),
    "exec": ("-a",),
    "doas": ("-u", "-C"),
    "ionice": ("-c", "-n", "-p"),
    "strace": ("-e", "-o", "-p", "-E"),
    **dict.fromkeys(("command", "builtin", "nohup", "time", "setsid", "busybox", "stdbuf", "chrt", "taskset"), ()),
    **dict.fromkeys(("setarch", "linux32", "linux64", "unshare", "fakeroot", "unbuffer", "xvfb-run"), ()),
}
# Of these, commands that also take assignments.
_ASSIGNERS = {"env", "sudo", "doas"}
# Commands that run another command among their words, and pass it standard input.
_RUNNERS = {"docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "chroot", "nsenter", "lxc", "runuser"}
# After these words another command begins.
_PASSES_ON = {"-exec", "-execdir", "-ok", "-okdir", "--"}
# Nesting limit for commands that run commands elsewhere; a deeper one is assumed to read standard input.
_MAX_DEPTH = 10
PRINT_COMMANDS = frozenset({"echo", "printf"})
_VERSION = re.compile(r"(?<=[a-z])-?[0-9][0-9.]*$")
_DURATION = re.compile(r"[0-9.]+[smhd]?")
_STDIN = r"-|/dev/stdin|(?:/dev|/proc/self)/fd/[0-9]+"
_INPUT = re.compile(_STDIN)
_FILE_INPUT = re.compile(rf"(?:-[a-z]|--[a-z-]+=)?(?:{_STDIN})")
# With only these options, an interpreter reads its program from standard input; others may print its version.
_BARE_OPTIONS = frozenset("euxsilB")
_MODULE = re.compile(r"-[A-Za-ln-z]*m(.*)")
_REPLACES = re.compile(r"-[0rtpx]*I")
_VARIABLE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
# Variables next to a value may be empty.
_VALUE_NAME = re.compile(rf"(?:\$[A-Za-z_0-9]*)*{PLACEHOLDER}(?:{PLACEHOLDER}|\$[A-Za-z_0-9]*)*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


class _Line(MutableStruct):
    """The words after an interpreter, by kind."""

    programs: list[int] = field(default_factory=list)
    operands: list[int] = field(default_factory=list)
    options: set[str] = field(default_factory=set)
    files: list[int] = field(default_factory=list)


def calls(words: Sequence[str], depth: int = 0) -> list[InterpreterCall]:
    """Return the interpreters that the command *words* runs; *depth* counts the commands that pass it on."""
    first = _command(words, 0)
    if first is None:
        first = len(words)
    elif words[first] in PRINT_COMMANDS:
        return []
    starts = {first, *(_command(words, at + 1) for at in range(first, len(words)) if words[at] in _PASSES_ON)}
    is_runner = first < len(words) and program_name(words[first]) in _RUNNERS
    result = []
    for at in range(len(words)):
        name = program_name(words[at])
        interpreter = INTERPRETERS.get(name)
        is_anywhere = (
            interpreter is not None
            and bool(interpreter.flags or interpreter.switches)
            and (is_runner or at < first or not interpreter.leads)
        )
        if interpreter is not None and (at in starts or is_anywhere):
            is_command = at in starts
            is_run = is_command or is_runner
            result.append(_call(name, interpreter, at, words, is_command=is_command, is_run=is_run, depth=depth))
    # Of nested words, the outer call has visited these.
    passed_on = _passed_on(words) if depth < _MAX_DEPTH else ()
    others = (_entrypoints(words), _modules(words), passed_on, run_by_others(words), _replaced(words))
    return [*result, *_named(words, first), *(call for group in others for call in group)]


def _modules(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the first module of Python that reads a program: `python -m code`."""
    for python, word in enumerate(words):
        if program_name(word) not in {"python", "pypy"}:
            continue
        options = itertools.takewhile(lambda at: words[at].startswith("-"), range(python + 1, len(words)))
        option_at = next((at for at in options if _MODULE.match(words[at])), len(words))
        if option_at + 1 < len(words):
            attached = words[option_at].partition("m")[2]
            at = option_at if attached else option_at + 1
            name = attached or words[at]
            if name in MODULES:
                yield _call(f"python -m {name}", MODULES[name], at, words, is_command=True, is_run=True, depth=0)
                # All further words belong to the module.
                return


def _passed_on(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the interpreters that get the words after `--` from another program: `su me -- -c …`."""
    at = next((number for number, word in enumerate(words) if _base_name(word) in PASSED_TO), None)
    if at is None:
        return
    options = PASSED_TO[_base_name(words[at])]
    # `-+` is the `--` of capsh in a new process.
    end = next((number for number in range(at, len(words)) if words[number] in {"--", "-+"}), len(words))
    line = words[at + 1 : end]
    first = end + 1
    if options:
        values = [_option_value(line, number, options) for number in range(len(line))]
        # It runs the last `--startas`, else the last `--exec`.
        names = [value for value in values if value][-2:]
    else:
        # With `-u`, runuser runs the words themselves.
        names = [] if end == len(words) or "-u" in line else ["sh"]
        # The user, who may come after `--`, is not a word of the shell.
        first += sum(1 for _ in itertools.takewhile(lambda name: not name.startswith("-"), words[first:]))
    for call in (call for name in names for call in calls([name, *words[first:]], _MAX_DEPTH)):
        programs, files = (
            tuple(number + first - 1 for number in positions) for positions in (call.programs, call.files)
        )
        yield InterpreterCall(call.name, at, call.interpreter, programs, call.reads_input, call.is_bare, files)


def _option_value(line: Sequence[str], at: int, options: Sequence[str]) -> str:
    """Return the value of the word at index *at* of *line*, if it is one of *options*, else ""."""
    name, equals, value = line[at].partition("=")
    is_cluster = not name.startswith("--") and name.startswith("-") and f"-{name[-1]}" in options
    return (value if equals else "".join(line[at + 1 : at + 2])) if name in options or is_cluster else ""


def _named(words: Sequence[str], first: int) -> Iterator[InterpreterCall]:
    """Yield the command that a value names: the value may be `eval`, so each following word may be a program."""
    if words[first : first + 1] and _VARIABLE.fullmatch(words[first]):
        # If the variable is empty, the next word is the command.
        first += 1
    if not words[first : first + 1]:
        return
    start = first if any(_base_name(word) in _ASSIGNERS for word in words[:first]) else first + 1
    name = words[first]
    if name.startswith("{") and "," in name:
        # Brace expansion makes the name and more words.
        yield InterpreterCall(
            "the command that braces name", first, NAMED, tuple(range(first, len(words))), reads_input=False
        )
    elif _VALUE_NAME.fullmatch(name):
        yield InterpreterCall(
            "the command that a value names", first, NAMED, tuple(range(start, len(words))), reads_input=False
        )


def _replaced(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the `xargs` that inserts its input into a program: for the `{}` of `-I`, or as a missing argument."""
    at = words.index("xargs") if "xargs" in words else len(words)
    rest = words[at + 1 :]
    placeholders = [_replacement(word, rest[index + 1 : index + 2]) for index, word in enumerate(rest)]
    explicit_placeholders = [placeholder for placeholder in placeholders if placeholder]
    start = _command(words, at) if rest else None
    if start is None:
        # Its input follows a command such as `env`; without one, xargs runs `echo`.
        if any(not word.startswith("-") for word in rest):
            yield InterpreterCall("xargs", at, REPLACED, (), reads_input=True)
        return
    shells = [call for call in calls(words[start:], _MAX_DEPTH) if call.interpreter.switches or call.interpreter.flags]
    programs = [words[start + number] for call in shells for number in call.programs if start + number < len(words)]
    is_put_in = any(placeholder in text for placeholder in explicit_placeholders for text in (*programs, words[start]))
    is_missing = any(call.reads_input or start + max(call.programs, default=-start) >= len(words) for call in shells)
    if is_put_in or is_missing:
        yield InterpreterCall("xargs", at, REPLACED, (), reads_input=True)


def _replacement(word: str, following: Sequence[str]) -> str:
    """Return the placeholder that `xargs` replaces, if the option *word* sets one, else ""."""
    if attached := _REPLACES.match(word):
        return word[attached.end() :] or "".join(following)
    return "{}" if word in {"-i", "--replace"} else word.partition("=")[2] if word.startswith("--replace=") else ""


def _entrypoints(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the interpreters that `docker run --entrypoint sh IMAGE -c …` runs: their options follow the image."""
    last: dict[str, int] = {}
    for at, word in enumerate(words):
        option, equals, name = word.partition("=")
        if option == "--entrypoint":
            name = program_name(name if equals else "".join(words[at + 1 : at + 2]))
            interpreter = INTERPRETERS.get(name, Interpreter())
            if name not in last:
                last[name] = _last_option(interpreter, words)
            if last[name] > at:
                yield InterpreterCall(name, at, interpreter, (last[name] + 1,), reads_input=False)


def _last_option(interpreter: Interpreter, words: Sequence[str]) -> int:
    """Return the index of the last option that takes a program of *interpreter*; -1 if there is none."""
    takers = {*interpreter.flags, *interpreter.switches}
    options = (
        index
        for index in reversed(range(len(words)))
        if words[index].startswith("-") and any(key in takers for key, _ in _keys(interpreter, words[index]))
    )
    return next(options, -1)


def command_at(words: Sequence[str]) -> int:
    """Return the index of the command that *words* run: after assignments and prefixes such as `env`."""
    at = _command(words, 0)
    return len(words) if at is None else at


def prints_arguments(words: Sequence[str]) -> bool:
    """Return whether the command *words* prints its arguments."""
    first = _command(words, 0)
    return first is not None and words[first] in PRINT_COMMANDS


def program_name(word: str) -> str:
    """Return the name of the program *word* without folder and version; `$PYTHON` is python."""
    base = _base_name(word)
    name = base if base in INTERPRETERS else _VERSION.sub("", base)
    return name[1:].lower() if name.startswith("$") else name


def _base_name(word: str) -> str:
    return PurePosixPath(word).name if "/" in word else word


def _command(words: Sequence[str], at: int) -> int | None:
    """Return the index of the command that words from *at* on run; None for none, or for `command -v`."""
    valued: tuple[str, ...] = ()
    # An option of the keyword `time`, which the lexer has consumed.
    is_prefixed = words[at : at + 1] == ["-p"]
    while at < len(words):
        word = words[at]
        name = _base_name(word)
        if name == "command" and words[at + 1 : at + 2] and words[at + 1] in {"-v", "-V"}:
            return None
        if word in valued:
            at += 2
        elif _ASSIGNMENT.match(word) or (is_prefixed and (word.startswith("-") or _DURATION.fullmatch(word))):
            at += 1
        elif name in _PREFIXES:
            valued, is_prefixed = _PREFIXES[name], True
            at += 1
        else:
            return at
    return None


def _call(
    name: str,
    interpreter: Interpreter,
    at: int,
    words: Sequence[str],
    *,
    is_command: bool,
    is_run: bool,
    depth: int,
) -> InterpreterCall:
    """Return the call of *interpreter*, which is called *name*, at index *at*."""
    line = _sort_words(interpreter, at, words)
    programs = list(line.programs)
    has_program = bool(programs) or not line.options.isdisjoint(interpreter.files)
    is_operand = interpreter.operand and not has_program and is_command
    if is_operand or not line.options.isdisjoint(interpreter.switches):
        programs += line.operands[:1]
    elif interpreter.remote is not None:
        programs += line.operands[interpreter.remote :]
    is_complete = bool(has_program or (programs and interpreter.remote is None)) and not interpreter.continues
    reads_input = is_run and interpreter.reads_input and not is_complete
    reads_input = reads_input and _is_input(interpreter, line, words, depth)
    file_words = [words[index] for index in line.files if index < len(words)]
    reads_input = reads_input or (is_run and any(_FILE_INPUT.fullmatch(word) for word in file_words))
    is_bare = (
        reads_input
        and is_command
        and interpreter.scripts
        and interpreter.remote is None
        and line.options <= _BARE_OPTIONS
    )
    return InterpreterCall(name, at, interpreter, tuple(programs), reads_input, is_bare, tuple(line.files))


def _is_input(interpreter: Interpreter, line: _Line, words: Sequence[str], depth: int) -> bool:
    """Return whether the interpreter reads its program from standard input, by its operands."""
    if interpreter.remote is not None:
        rest = " ".join(words[at] for at in line.operands[interpreter.remote :])
        return not rest or depth > _MAX_DEPTH or any(call.reads_input for call in calls(rest.split(), depth + 1))
    if not line.operands or not interpreter.scripts or "s" in line.options:
        return True
    return _INPUT.fullmatch(words[line.operands[0]]) is not None


def _sort_words(interpreter: Interpreter, at: int, words: Sequence[str]) -> _Line:
    """Return the words after the interpreter at index *at*: its programs, options and operands."""
    line = _Line()
    # Options after a script belong to the script.
    operand_limit = 1 if interpreter.reads_input and interpreter.scripts and interpreter.remote is None else len(words)
    operand_limit = operand_limit if interpreter.remote is None else interpreter.remote + 1
    operand_limit = interpreter.leads or operand_limit
    index = at + 1
    while index < len(words) and len(line.operands) < operand_limit:
        word = words[index]
        if word == "--":
            break
        if word[:1] not in {"-", "+"} or word == "-":
            line.operands.append(index)
            index += 1
        else:
            index += _option(interpreter, index, word, line)
            if not line.options.isdisjoint(interpreter.ends):
                break
    index += words[index : index + 1] == ["--"]
    # Without a remote command, only the first operand matters.
    line.operands += range(index, len(words) if interpreter.remote is not None else min(index + 1, len(words)))
    return line


def _option(interpreter: Interpreter, index: int, word: str, line: _Line) -> int:
    """Add the option *word* at *index* to *line*; return the number of words that it takes."""
    word_count = 1
    for key, is_attached in _keys(interpreter, word):
        line.options.add(key)
        if key in interpreter.flags:
            line.programs.append(index if is_attached else index + 1)
        if key in interpreter.files:
            line.files.append(index if is_attached else index + 1)
        if key in interpreter.paired:
            word_count += 2
        elif key in {*interpreter.flags, *interpreter.files, *interpreter.valued} and not is_attached:
            word_count += 1
    return word_count


def _keys(interpreter: Interpreter, word: str) -> list[tuple[str, bool]]:
    """Return the options in *word*, and whether the argument of each is attached."""
    name, equals, _ = word.partition("=")
    if word.startswith("--") or name in {*interpreter.flags, *interpreter.files}:
        return [(name, bool(equals))]
    if word.startswith("+") and "+" in interpreter.flags:
        return [("+", True)]
    keys = []
    takes_rest = {*interpreter.flags, *interpreter.files, *interpreter.valued, *interpreter.attached}
    for at, letter in enumerate(word[1:], 2):
        keys.append((letter, at < len(word) and not interpreter.switches))
        if letter in takes_rest and not interpreter.switches:
            break
    return keys
