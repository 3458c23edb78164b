"""Commands in options and settings: any program may run them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipegen.bindings.script.called.interpreters import (
    COMMAND_LISTS,
    COMMAND_MARKS,
    COMMAND_OPTION,
    COMMAND_SETTING,
    OUTPUT_OPTION,
    PIPED,
    RUN_BY_OTHERS,
    InterpreterCall,
)
from pipegen.bindings.script.syntax import PLACEHOLDER

# Options of git's own commands that a command follows.
_GIT_OPTIONS = {("clone", "-u"), ("rebase", "-x"), ("difftool", "-x"), ("grep", "-O")}
_RUN_WORDS = {("bisect", "run"), ("deno", "eval"), ("script", "eval"), ("alias", "set")}
_SETTING_OPTION = re.compile(r"-[0-9A-Za-z]{0,5}?o|--config=")
_SSH = {"ssh", "scp", "sftp"}


def run_by_others(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the commands that any program may run, recognised by the names of its options and settings."""
    for at, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if re.fullmatch(COMMAND_OPTION, name):
            yield InterpreterCall(name, at, RUN_BY_OTHERS, (at if equals else at + 1,), reads_input=False)
        elif word.startswith("ext::"):
            yield InterpreterCall("git", at, RUN_BY_OTHERS, (at,), reads_input=False)
        elif word[:2] in {sub_option for _, sub_option in _GIT_OPTIONS} and _is_git_option(words, at):
            yield InterpreterCall(f"git {word[:2]}", at, RUN_BY_OTHERS, (at, at + 1), reads_input=False)
        elif (option := _SETTING_OPTION.match(word)) and re.match(COMMAND_SETTING, word[option.end() :]):
            yield InterpreterCall(option[0], at, RUN_BY_OTHERS, (at,), reads_input=False)
        elif (word in {"-c", "--config", "config"} or _SETTING_OPTION.fullmatch(word)) and at + 1 < len(words):
            yield from _setting(words, at)
        elif word == "foreach" or (*words[at - 1 : at], word) in _RUN_WORDS:
            yield InterpreterCall(word, at, RUN_BY_OTHERS, tuple(range(at + 1, len(words))), reads_input=False)
    yield from _in_outputs(words)
    yield from _in_lists(words)


def _in_outputs(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the commands that programs run instead of writing to a file: `strace -o "|command"`."""
    takes_any = any(word.endswith("strace") for word in words)
    marks = (*COMMAND_MARKS, PLACEHOLDER) if takes_any else COMMAND_MARKS
    for at, word in enumerate(words):
        option = re.match(OUTPUT_OPTION, word)
        if option:
            value_at = at if option.end() < len(word) else at + 1
            value = word[option.end() :] or "".join(words[at + 1 : at + 2])
            if value.startswith(marks):
                yield InterpreterCall(option[0], at, PIPED, (value_at,), reads_input=False)


def _in_lists(words: Sequence[str]) -> Iterator[InterpreterCall]:
    """Yield the commands among the words that follow an option: `az … --scripts COMMAND COMMAND`."""
    program = next((word for word in words if word in COMMAND_LISTS), "")
    if not program:
        return
    options, command = COMMAND_LISTS[program]
    option = ""
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if word.startswith("-"):
            option = name if name in options else ""
        text = value if equals and word.startswith("-") else word
        if option and (text != word or not word.startswith("-")) and re.match(command, text):
            yield InterpreterCall(f"{program} {option}", at, RUN_BY_OTHERS, (at,), reads_input=False)


def _is_git_option(words: Sequence[str], at: int) -> bool:
    """Return whether the option at index *at* is an option of git that takes a command."""
    preceding = words[:at]
    return "git" in preceding and any((word, words[at][:2]) in _GIT_OPTIONS for word in preceding)


def _setting(words: Sequence[str], at: int) -> Iterator[InterpreterCall]:
    """Yield the command in the setting that follows the option at index *at*."""
    free = (number for number in range(at + 1, len(words)) if not words[number].startswith("-"))
    setting = next((number for number in free if words[number] != "set"), at)
    key = words[setting].partition("=")[0]
    takes_any = "git" in words[:at] or (words[at] != "-c" and not _SSH.isdisjoint(words[:at]))
    if re.match(COMMAND_SETTING, f"{words[setting]} ") or (takes_any and key.startswith(PLACEHOLDER)):
        yield InterpreterCall(f"{words[at]} setting", at, RUN_BY_OTHERS, (setting, setting + 1), reads_input=False)
