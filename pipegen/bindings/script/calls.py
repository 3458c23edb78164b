"""The interpreters that a command runs, and which of its words they take for a program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from pipegen.bindings.script.interpreters import (
    COMMAND_OPTION,
    COMMAND_SETTING,
    INTERPRETERS,
    NAMED,
    REPLACED,
    RUN_BY_OTHERS,
    Interpreter,
)
from pipegen.bindings.script.syntax import REFERENCE
from pipegen.structs import MutableStruct, Struct, field

# What runs the command that its words end in, and its options that take a word.
_PREFIXES: dict[str, tuple[str, ...]] = {
    "sudo": ("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U"),
    "env": ("-u", "-C"),
    "nice": ("-n",),
    "timeout": ("-s", "-k"),
    "xargs": ("-n", "-I", "-P", "-L", "-d", "-a", "-E", "-s"),
    "exec": ("-a",),
    "doas": ("-u", "-C"),
    "ionice": ("-c", "-n", "-p"),
    "strace": ("-e", "-o", "-p", "-E"),
    **dict.fromkeys(("command", "builtin", "nohup", "time", "setsid", "busybox", "stdbuf", "chrt", "taskset"), ()),
    **dict.fromkeys(("setarch", "linux32", "linux64", "unshare", "fakeroot", "unbuffer", "xvfb-run"), ()),
}
# Those that take assignments, too, and what a value there may be.
_SETTERS = {"env", "sudo", "doas"}
# What runs a command among its words, and hands it standard input.
_RUNNERS = {"docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "chroot", "nsenter", "lxc"}
# After these words another command begins.
_HANDS_ON = {"-exec", "-execdir", "-ok", "-okdir", "--"}
# Of commands that run a command elsewhere, so many in each other; what is further in may read anything.
_DEEPEST = 10
SPEAKERS = frozenset({"echo", "printf"})
_VERSION = re.compile(r"(?<=[a-z])-?[0-9][0-9.]*$")
_DURATION = re.compile(r"[0-9.]+[smhd]?")
_STDIN = r"-|/dev/stdin|(?:/dev|/proc/self)/fd/[0-9]+"
_INPUT = re.compile(_STDIN)
_FILE_INPUT = re.compile(rf"(?:-[a-z]|--[a-z-]+=)?(?:{_STDIN})")
# Options of git's own commands that a command follows.
_GIT_OPTIONS = {("clone", "-u"), ("rebase", "-x"), ("difftool", "-x"), ("grep", "-O")}
_SETTING_OPTION = re.compile(r"-[0-9A-Za-z]{0,5}?o|--config=")
_SSH = {"ssh", "scp", "sftp"}
# With these an interpreter reads its program from standard input; others make it say its version, for example.
_BARE_OPTIONS = frozenset("euxsilB")
_REPLACES = re.compile(r"-[0rtpx]*I")
_VARIABLE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


class InterpreterCall(Struct):
    """An interpreter on a command line: the words of its program, and whether it reads one from standard input.

    One that *is_bare* has no other use: nothing else is said to it. *files* are words that name files of its program.
    """

    name: str
    at: int
    interpreter: Interpreter
    programs: tuple[int, ...]
    reads_input: bool
    is_bare: bool = False
    files: tuple[int, ...] = ()


class _Line(MutableStruct):
    """The words after an interpreter, sorted."""

    programs: list[int] = field(default_factory=list)
    operands: list[int] = field(default_factory=list)
    options: set[str] = field(default_factory=set)
    files: list[int] = field(default_factory=list)


def calls(words: Sequence[str], depth: int = 0) -> list[InterpreterCall]:
    """Return the interpreters that a command of these words runs; *depth* counts the commands that hand it on."""
    first = _command(words, 0)
    if first is None:
        first = len(words)
    elif words[first] in SPEAKERS:
        return []
    starts = {first, *(_command(words, at + 1) for at in range(first, len(words)) if words[at] in _HANDS_ON)}
    is_runner = first < len(words) and program_name(words[first]) in _RUNNERS
    found = []
    for at in range(len(words)):
        name = program_name(words[at])
        one = INTERPRETERS.get(name)
        is_anywhere = one is not None and bool(one.flags or one.switches) and (is_runner or at < first or not one.leads)
        if one is not None and (at in starts or is_anywhere):
            is_command = at in starts
            is_run = is_command or is_runner
            found.append(_call(name, at, words, is_command=is_command, is_run=is_run, depth=depth))
    return [*found, *_entrypoints(words), *_named(words, first), *_run_by_others(words), *_replaced(words)]


def _named(words: Sequence[str], first: int) -> Iterator[InterpreterCall]:
    """Yield the command that a value names: with `eval` for a value, each word behind it is a program."""
    if words[first : first + 1] and _VARIABLE.fullmatch(words[first]):
        # Without a value, the next word is the command.
        first += 1
    if not words[first : first + 1]:
        return
    start = first if any(_base_name(word) in _SETTERS for word in words[:first]) else first + 1
    name = words[first]
    if name.startswith("{") and "," in name:
        # Braces make the name, and more words.
        yield InterpreterCall(
            "the command that braces name", first, NAMED, tuple(range(first, len(words))), reads_input=False
        )
    elif not name.strip(REFERENCE):
        yield InterpreterCall(
            "the command that a value names", first, NAMED, tuple(range(start, len(words))), reads_input=False
        )


def _run_by_others(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield what programs that are not known run, too: by the names of options and of settings."""
    for at, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if COMMAND_OPTION.fullmatch(name):
            yield InterpreterCall(name, at, RUN_BY_OTHERS, (at if equals else at + 1,), reads_input=False)
        elif word.startswith("ext::"):
            yield InterpreterCall("git", at, RUN_BY_OTHERS, (at,), reads_input=False)
        elif word[:2] in {sub_option for _, sub_option in _GIT_OPTIONS} and _is_git_option(words, at):
            yield InterpreterCall(f"git {word[:2]}", at, RUN_BY_OTHERS, (at, at + 1), reads_input=False)
        elif (option := _SETTING_OPTION.match(word)) and COMMAND_SETTING.match(word[option.end() :]):
            yield InterpreterCall(option[0], at, RUN_BY_OTHERS, (at,), reads_input=False)
        elif (word in {"-c", "--config", "config"} or _SETTING_OPTION.fullmatch(word)) and at + 1 < len(words):
            yield from _setting(words, at)
        elif word == "foreach" or (word == "run" and words[at - 1 : at] == ["bisect"]):
            yield InterpreterCall(word, at, RUN_BY_OTHERS, tuple(range(at + 1, len(words))), reads_input=False)


def _is_git_option(words: Sequence[str], at: int) -> bool:
    """Return whether the option that stands *at* is one of git's that a command follows."""
    before = words[:at]
    return "git" in before and any((word, words[at][:2]) in _GIT_OPTIONS for word in before)


def _setting(words: Sequence[str], at: int) -> Iterator[InterpreterCall]:
    """Yield what the setting behind the option that stands *at* makes a program run."""
    free = (number for number in range(at + 1, len(words)) if not words[number].startswith("-"))
    setting = next((number for number in free if words[number] != "set"), at)
    key = words[setting].partition("=")[0]
    takes_any = "git" in words[:at] or (words[at] != "-c" and not _SSH.isdisjoint(words[:at]))
    if COMMAND_SETTING.match(f"{words[setting]} ") or (takes_any and key.startswith(REFERENCE)):
        yield InterpreterCall(f"{words[at]} setting", at, RUN_BY_OTHERS, (setting, setting + 1), reads_input=False)


def _replaced(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the `xargs` that puts what it reads into a program: for the `{}` of `-I`, or where none is given."""
    at = words.index("xargs") if "xargs" in words else len(words)
    rest = words[at + 1 :]
    replaced = [_replacement(word, rest[place + 1 : place + 2]) for place, word in enumerate(rest)]
    marks = [mark for mark in replaced if mark]
    start = _command(words, at) if rest else None
    if start is None:
        # What it reads follows `env`, or the like, or else `echo`.
        if any(not word.startswith("-") for word in rest):
            yield InterpreterCall("xargs", at, REPLACED, (), reads_input=True)
        return
    shells = [call for call in calls(words[start:], _DEEPEST) if call.interpreter.switches or call.interpreter.flags]
    programs = [words[start + number] for call in shells for number in call.programs if start + number < len(words)]
    is_put_in = any(mark in text for mark in marks for text in (*programs, words[start]))
    is_missing = any(call.programs and start + call.programs[-1] >= len(words) for call in shells)
    if is_put_in or is_missing:
        yield InterpreterCall("xargs", at, REPLACED, (), reads_input=True)


def _replacement(word: str, following: Sequence[str]) -> str:
    """Return what `xargs` replaces by what it reads, where the option *word* says so."""
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
            one = INTERPRETERS.get(name, Interpreter())
            if name not in last:
                last[name] = _last_option(one, words)
            if last[name] > at:
                yield InterpreterCall(name, at, one, (last[name] + 1,), reads_input=False)


def _last_option(one: Interpreter, words: Sequence[str]) -> int:
    """Return where the last option stands that takes a program of *one*; -1 where none does."""
    takers = {*one.flags, *one.switches}
    options = (
        place
        for place in reversed(range(len(words)))
        if words[place].startswith("-") and any(key in takers for key, _ in _keys(one, words[place]))
    )
    return next(options, -1)


def command_at(words: Sequence[str]) -> int:
    """Return where the command stands that *words* run: past assignments and what runs others."""
    at = _command(words, 0)
    return len(words) if at is None else at


def speaks(words: Sequence[str]) -> bool:
    """Return whether a command of these words prints them."""
    first = _command(words, 0)
    return first is not None and words[first] in SPEAKERS


def program_name(word: str) -> str:
    """Return the name of the program that *word* runs, without folder and version; `$PYTHON` is python."""
    base = _base_name(word)
    name = base if base in INTERPRETERS else _VERSION.sub("", base)
    return name[1:].lower() if name.startswith("$") else name


def _base_name(word: str) -> str:
    return PurePosixPath(word).name if "/" in word else word


def _command(words: Sequence[str], at: int) -> int | None:
    """Return where the command stands that words from *at* on run: past assignments and prefixes."""
    valued: tuple[str, ...] = ()
    # The option of the keyword `time`, which the lexer has taken.
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


def _call(name: str, at: int, words: Sequence[str], *, is_command: bool, is_run: bool, depth: int) -> InterpreterCall:
    """Return how the interpreter *name*, which stands *at*, takes its program."""
    one = INTERPRETERS[name]
    line = _sorted(one, at, words)
    programs = list(line.programs)
    is_given = bool(programs) or not line.options.isdisjoint(one.files)
    is_operand = one.operand and not is_given and is_command
    if is_operand or not line.options.isdisjoint(one.switches):
        programs += line.operands[:1]
    elif one.remote is not None:
        programs += line.operands[one.remote :]
    reads_input = is_run and one.reads_input and not is_given and _is_input(one, line, words, depth)
    reads_input = reads_input and not (programs and one.remote is None)
    named = [words[place] for place in line.files if place < len(words)]
    reads_input = reads_input or (is_run and any(_FILE_INPUT.fullmatch(word) for word in named))
    is_bare = reads_input and is_command and one.scripts and one.remote is None and line.options <= _BARE_OPTIONS
    return InterpreterCall(name, at, one, tuple(programs), reads_input, is_bare, tuple(line.files))


def _is_input(one: Interpreter, line: _Line, words: Sequence[str], depth: int) -> bool:
    """Return whether the operands leave the program to standard input."""
    if one.remote is not None:
        rest = " ".join(words[at] for at in line.operands[one.remote :])
        return not rest or depth > _DEEPEST or any(call.reads_input for call in calls(rest.split(), depth + 1))
    if not line.operands or not one.scripts or "s" in line.options:
        return True
    return _INPUT.fullmatch(words[line.operands[0]]) is not None


def _sorted(one: Interpreter, at: int, words: Sequence[str]) -> _Line:
    """Return the words after the interpreter that stands *at*: its programs, options and operands."""
    line = _Line()
    # What runs a script leaves the options behind it to the script.
    most = 1 if one.reads_input and one.scripts and one.remote is None else len(words)
    most = most if one.remote is None else one.remote + 1
    most = one.leads or most
    place = at + 1
    while place < len(words) and len(line.operands) < most:
        word = words[place]
        if word == "--":
            break
        if word[:1] not in {"-", "+"} or word == "-":
            line.operands.append(place)
            place += 1
        else:
            place += _option(one, place, word, line)
    place += words[place : place + 1] == ["--"]
    # Of what runs nothing elsewhere, the first operand says all.
    line.operands += range(place, len(words) if one.remote is not None else min(place + 1, len(words)))
    return line


def _option(one: Interpreter, place: int, word: str, line: _Line) -> int:
    """Sort the option *word*, which stands at *place*; return how many words it takes."""
    taken = 1
    for key, is_attached in _keys(one, word):
        line.options.add(key)
        if key in one.flags:
            line.programs.append(place if is_attached else place + 1)
        if key in one.files:
            line.files.append(place if is_attached else place + 1)
        if key in one.paired:
            taken += 2
        elif key in {*one.flags, *one.files, *one.valued} and not is_attached:
            taken += 1
    return taken


def _keys(one: Interpreter, word: str) -> list[tuple[str, bool]]:
    """Return the options in *word*, and whether the argument of each is attached."""
    name, equals, _ = word.partition("=")
    if word.startswith("--") or name in {*one.flags, *one.files}:
        return [(name, bool(equals))]
    if word.startswith("+") and "+" in one.flags:
        return [("+", True)]
    keys = []
    takes_rest = {*one.flags, *one.files, *one.valued, *one.attached}
    for at, letter in enumerate(word[1:], 2):
        keys.append((letter, at < len(word) and not one.switches))
        if letter in takes_rest and not one.switches:
            break
    return keys
