"""References in text that the shell evaluates: as a number, a variable name, or code to expand again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from pipegen.bindings.script.called.builtins import (
    ARRAY_READERS,
    ARRAY_VARIABLES,
    DECLARERS,
    EVALUATED_VARIABLES,
    INTERACTIVE_VARIABLE,
    NAME_TESTS,
    NAMES,
    OPTION_READERS,
    TESTS,
    NameOperands,
)
from pipegen.bindings.script.called.calls import PRINT_COMMANDS, program_name
from pipegen.bindings.script.called.interpreters import SHELLS
from pipegen.bindings.script.called.printed_text import PrintedText, builtin_words, command_words, targets, values
from pipegen.bindings.script.syntax import (
    PLACEHOLDER,
    CommandForm,
    Lexed,
    Obstacle,
    ReferenceKind,
    ScriptReference,
    ShellCommand,
    Word,
)

# Attributes that make bash evaluate every value of the variable: integer, name reference.
_LASTING = re.compile(r"-[A-Za-z]*[in][A-Za-z]*")
# Attributes that also make it expand the value assigned by the declaration itself: arrays.
_EVALUATING = re.compile(r"-[A-Za-z]*[inaA][A-Za-z]*")
_ARRAY = re.compile(r"-[A-Za-z]*[aA][A-Za-z]*")
_INTERACTIVE = re.compile(r"-[A-Za-z]*i[A-Za-z]*")
_EVALUATIONS = {Obstacle.EVALUATED, Obstacle.PRINTED}
_COMPARISONS = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
_SUBSCRIPT = re.compile(r"\{?(?:[A-Za-z_][A-Za-z0-9_]*)?\[[^\]]*(?:\]\+?=|\]\}|$)")
# A word that may turn out as `-v` or `-R`: values, variables, and these letters.
_MAYBE_NAME_TEST = re.compile(rf"(?:-?[vR]?)(?:{PLACEHOLDER}|\$[A-Za-z_0-9]*)+[vR]?")


def evaluated(lexed: Lexed, printed_text: PrintedText) -> Iterator[ScriptReference]:
    """Yield the references that the shell evaluates."""
    if not lexed.references:
        return
    yield from (reference for reference in lexed.references if reference.obstacle in _EVALUATIONS)
    variables = {*_attributed(lexed.commands), *EVALUATED_VARIABLES}
    arrays = {*lexed.arrays, *_arrays(lexed.commands), *ARRAY_VARIABLES}
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
                yield from _in_assignments(command, variables, arrays, printed_text)
                yield from _in_names(command)
                if variables.intersection(targets(command)):
                    yield from chain(values(command.words), printed_text.all_references())


def _in_condition(command: ShellCommand) -> Iterator[ScriptReference]:
    """Yield the references that `[[ … ]]` compares as numbers, or takes as variable names."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word.text in _COMPARISONS:
            yield from values((words[at - 1], words[at + 1]))
        elif word.text in NAME_TESTS:
            yield from values((words[at + 1],))


def _in_subscripts(words: Iterable[Word]) -> Iterator[ScriptReference]:
    """Yield the references in the subscript of an assignment, or of `{NAME[…]}>FILE`."""
    for word in words:
        subscript = _SUBSCRIPT.match(word.text)
        if subscript:
            yield from (
                reference
                for at, reference in word.offset_references
                if at < subscript.end() and reference.kind is ReferenceKind.REFERENCE
            )
            yield from word.printed


def _in_assignments(
    command: ShellCommand, variables: set[str], arrays: set[str], printed_text: PrintedText
) -> Iterator[ScriptReference]:
    """Yield the references in assigned values that bash evaluates, before a command or by `declare`."""
    words = command_words(command)
    assignments = command.words[: len(command.words) - len(words)]
    yield from _in_subscripts(assignments)
    yield from _in_subscripts(word for word in words if word.text.startswith("{"))
    # `env`, `sudo` and `docker run -e` take assignments among their words.
    is_passed_on = bool(words) and words[0].text not in {*DECLARERS, *PRINT_COMMANDS}
    for word in (*assignments, *(words if is_passed_on else ())):
        if word.assigned in variables:
            yield from values((word, *word.elements))
    declaring = builtin_words(command)
    if declaring and declaring[0].text in DECLARERS:
        yield from _declared(declaring, variables, arrays, printed_text)


def _declared(
    words: list[Word], variables: set[str], arrays: set[str], printed_text: PrintedText
) -> Iterator[ScriptReference]:
    """Yield the references that `declare` and similar builtins evaluate, or take as variable names."""
    evaluates = any(_EVALUATING.fullmatch(word.text) for word in words[1:])
    lasts = any(_LASTING.fullmatch(word.text) for word in words[1:])
    for word in words[1:]:
        if lasts or word.assigned in variables:
            yield from values(word.elements)
        if evaluates or word.assigned in variables or word.assigned in arrays:
            yield from values((word,))
        else:
            names = [
                reference for at, reference in word.offset_references if at < word.value_start or not word.value_start
            ]
            yield from (reference for reference in names if reference.kind is ReferenceKind.REFERENCE)
            yield from () if word.value_start else printed_text.printed_among(word.printed)


def _attributed(commands: Iterable[ShellCommand]) -> Iterator[str]:
    """Yield the variables with an attribute that makes bash evaluate their values."""
    for command in commands:
        words = builtin_words(command)
        if words and words[0].text in DECLARERS and any(_LASTING.fullmatch(word.text) for word in words[1:]):
            yield from (word.assigned or word.text for word in words[1:])


def _arrays(commands: Iterable[ShellCommand]) -> Iterator[str]:
    """Yield the variables that become arrays by builtins or `NAME[…]=`; `declare` expands a `( … )` in their values."""
    for command in commands:
        if command.form is not CommandForm.SIMPLE:
            continue
        yield from (word.assigned for word in command.words if word.assigned and _SUBSCRIPT.match(word.text))
        words = builtin_words(command)
        name = words[0].text if words else ""
        has_option = any(_ARRAY.fullmatch(word.text) for word in words[1:])
        if name in ARRAY_READERS or (has_option and name in {"read", *DECLARERS}):
            yield from (word.assigned or word.text for word in words[1:])


def _is_interactive(command: ShellCommand) -> bool:
    """Return whether *command* runs an interactive shell."""
    words = [word.text for word in command_words(command)]
    at = next((number for number, text in enumerate(words) if program_name(text) in SHELLS), len(words))
    return any(_INTERACTIVE.fullmatch(text) for text in words[at:])


def _in_names(command: ShellCommand) -> Iterator[ScriptReference]:
    """Yield the references that builtins take as a variable name or a number."""
    words = builtin_words(command)
    name = words[0].text if words else ""
    if name in TESTS:
        yield from _tested(words)
    elif name in NAMES:
        yield from values(_name_words(words, NAMES[name]))
        if name in OPTION_READERS:
            yield from _option(words)


def _tested(words: list[Word]) -> Iterator[ScriptReference]:
    """Yield the references that `[` takes as a variable name: after `-v`, or after a value that may be `-v`."""
    for previous, word in pairwise(words):
        if previous.text in NAME_TESTS or _MAYBE_NAME_TEST.fullmatch(previous.text):
            yield from values((word,))


def _option(words: list[Word]) -> Iterator[ScriptReference]:
    """Yield the references at the start of an argument, whose values may be options."""
    for word in words[1:]:
        if word.text == "--" or not word.text.startswith(("-", PLACEHOLDER)):
            return
        if word.text.startswith(PLACEHOLDER) and len(words) > 2:  # noqa: PLR2004 - the builtin, the option, and more
            yield from values((word,))


def _name_words(words: list[Word], names: NameOperands) -> Iterator[Word]:
    """Yield the words that the builtin takes as variable names."""
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
    """Return the option in the cluster *text* that takes the next word, and whether *text* itself contains a name."""
    for at, letter in enumerate(text[1:], 2):
        if letter == PLACEHOLDER:
            return "", True
        if letter in names.named or letter in names.valued:
            is_attached = at < len(text)
            return "" if is_attached else letter, is_attached and letter in names.named
    return "", False
