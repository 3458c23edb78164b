"""References where the shell evaluates what it reads: as a number, a name of a variable, or text to expand again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from pipegen.bindings.script.builtins import (
    DECLARERS,
    EVALUATED_VARIABLES,
    INTERACTIVE_VARIABLE,
    NAME_TESTS,
    NAMES,
    OPTION_READERS,
    TESTS,
    NameOperands,
)
from pipegen.bindings.script.calls import SPEAKERS, program_name
from pipegen.bindings.script.interpreters import SHELLS
from pipegen.bindings.script.passed_text import Spoken, builtin_words, command_words, targets, values
from pipegen.bindings.script.syntax import (
    REFERENCE,
    CommandForm,
    Lexed,
    Obstacle,
    ReferenceKind,
    ScriptReference,
    ShellCommand,
    Word,
)

# Attributes that make bash evaluate each value of the variable: number, name of another variable.
_LASTING = re.compile(r"-[A-Za-z]*[in][A-Za-z]*")
# Those that make it expand what is assigned at once, too: arrays.
_EVALUATING = re.compile(r"-[A-Za-z]*[inaA][A-Za-z]*")
_INTERACTIVE = re.compile(r"-[A-Za-z]*i[A-Za-z]*")
_EVALUATIONS = {Obstacle.EVALUATED, Obstacle.PRINTED}
_COMPARISONS = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
_SUBSCRIPT = re.compile(r"\{?(?:[A-Za-z_][A-Za-z0-9_]*)?\[[^\]]*(?:\]\+?=|\]\}|$)")
# What a word may be that is an option taking a name: values, variables, and letters of that.
_MAYBE_NAME_TEST = re.compile(rf"(?:-?[vR]?)(?:{REFERENCE}|\$[A-Za-z_0-9]*)+[vR]?")


def evaluated(lexed: Lexed, spoken: Spoken) -> Iterator[ScriptReference]:
    """Yield the references that the shell evaluates."""
    if not lexed.found:
        return
    yield from (found for found in lexed.found if found.obstacle in _EVALUATIONS)
    variables = {*_attributed(lexed.commands), *EVALUATED_VARIABLES}
    if any(_is_interactive(command) for command in lexed.commands):
        variables.add(INTERACTIVE_VARIABLE)
    for name, references in lexed.defaults:
        yield from references if name in variables else ()
    for command in lexed.commands:
        match command.form:
            case CommandForm.CONDITION:
                yield from _in_condition(command)
            case CommandForm.ARRAY:
                yield from _in_subscripts(command.words)
            case CommandForm.SIMPLE:
                yield from _in_assignments(command, variables, spoken)
                yield from _in_names(command)
                if variables.intersection(targets(command)):
                    yield from chain(values(command.words), spoken.fed())


def _in_condition(command: ShellCommand) -> Iterator[ScriptReference]:
    """Yield what `[[ … ]]` compares as numbers, or takes for names of variables."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word.text in _COMPARISONS:
            yield from values((words[at - 1], words[at + 1]))
        elif word.text in NAME_TESTS:
            yield from values((words[at + 1],))


def _in_subscripts(words: Iterable[Word]) -> Iterator[ScriptReference]:
    """Yield what stands in the subscript of an assignment, or of `{NAME[…]}>FILE`."""
    for word in words:
        subscript = _SUBSCRIPT.match(word.text)
        if subscript:
            yield from (
                found for at, found in word.found if at < subscript.end() and found.kind is ReferenceKind.REFERENCE
            )
            yield from word.printed


def _in_assignments(command: ShellCommand, variables: set[str], spoken: Spoken) -> Iterator[ScriptReference]:
    """Yield what is assigned, in front of a command or by `declare`, where bash evaluates it."""
    rest = command_words(command)
    front = command.words[: len(command.words) - len(rest)]
    yield from _in_subscripts(front)
    yield from _in_subscripts(word for word in rest if word.text.startswith("{"))
    # `env`, `sudo` and `docker run -e` take assignments among their words.
    is_handed_on = bool(rest) and rest[0].text not in {*DECLARERS, *SPEAKERS}
    for word in (*front, *(rest if is_handed_on else ())):
        if word.assigned in variables:
            yield from values((word, *word.elements))
    declaring = builtin_words(command)
    if declaring and declaring[0].text in DECLARERS:
        yield from _declared(declaring, variables, spoken)


def _declared(words: list[Word], variables: set[str], spoken: Spoken) -> Iterator[ScriptReference]:
    """Yield what `declare` and its like assign and bash evaluates, or take for names of variables."""
    evaluates = any(_EVALUATING.fullmatch(word.text) for word in words[1:])
    lasts = any(_LASTING.fullmatch(word.text) for word in words[1:])
    for word in words[1:]:
        if lasts or word.assigned in variables:
            yield from values(word.elements)
        if evaluates or word.assigned in variables:
            yield from values((word,))
        else:
            names = [found for at, found in word.found if at < word.value_start or not word.value_start]
            yield from (found for found in names if found.kind is ReferenceKind.REFERENCE)
            yield from () if word.value_start else spoken.only(word.printed)


def _attributed(commands: Iterable[ShellCommand]) -> Iterator[str]:
    """Yield the variables that a command of the script gives an attribute which makes bash evaluate their values."""
    for command in commands:
        words = builtin_words(command)
        if words and words[0].text in DECLARERS and any(_LASTING.fullmatch(word.text) for word in words[1:]):
            yield from (word.assigned or word.text for word in words[1:])


def _is_interactive(command: ShellCommand) -> bool:
    """Return whether *command* runs a shell as if a person sat in front of it."""
    words = [word.text for word in command_words(command)]
    at = next((number for number, text in enumerate(words) if program_name(text) in SHELLS), len(words))
    return any(_INTERACTIVE.fullmatch(text) for text in words[at:])


def _in_names(command: ShellCommand) -> Iterator[ScriptReference]:
    """Yield what builtins take for a name of a variable, or for a number."""
    words = builtin_words(command)
    name = words[0].text if words else ""
    if name in TESTS:
        yield from _tested(words)
    elif name in NAMES:
        yield from values(_name_words(words, NAMES[name]))
        if name in OPTION_READERS:
            yield from _option(words)


def _tested(words: list[Word]) -> Iterator[ScriptReference]:
    """Yield what `[` takes for the name of a variable: behind `-v`, or behind a value, which may be that."""
    for before, word in pairwise(words):
        if before.text in NAME_TESTS or _MAYBE_NAME_TEST.fullmatch(before.text):
            yield from values((word,))


def _option(words: list[Word]) -> Iterator[ScriptReference]:
    """Yield the value that an option may be: the first that an operand begins with."""
    for word in words[1:]:
        if word.text == "--" or not word.text.startswith(("-", REFERENCE)):
            return
        if word.text.startswith(REFERENCE) and len(words) > 2:  # noqa: PLR2004 - the builtin, the option, and more
            yield from values((word,))


def _name_words(words: list[Word], names: NameOperands) -> Iterator[Word]:
    """Yield the words that are names."""
    operand, taken = 0, ""
    are_options = True
    for word in words[1:]:
        text = word.text
        if taken:
            yield from (word,) if taken in names.named else ()
            taken = ""
        elif are_options and text == "--":
            are_options = False
        elif are_options and text.startswith("-") and len(text) > 1:
            taken, is_name = _option_taken(text, names)
            yield from (word,) if is_name else ()
        else:
            are_options = False
            if names.first is not None and operand >= names.first:
                yield word
            operand += 1


def _option_taken(text: str, names: NameOperands) -> tuple[str, bool]:
    """Return the option in the cluster *text* that takes the next word, and whether a name is in *text* itself."""
    for at, letter in enumerate(text[1:], 2):
        if letter == REFERENCE:
            return "", True
        if letter in names.named or letter in names.valued:
            is_attached = at < len(text)
            return "" if is_attached else letter, is_attached and letter in names.named
    return "", False
