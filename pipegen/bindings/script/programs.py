"""References where a value would become part of a program of another interpreter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pipegen.bindings.script.builtins import COMMAND_VARIABLES
from pipegen.bindings.script.calls import Call, calls, program_name
from pipegen.bindings.script.interpreters import INTERPRETERS, RUN_BY_OTHERS
from pipegen.bindings.script.spoken import Spoken, command_words, references
from pipegen.bindings.script.syntax import Command, Form, Found, Lexed, Word
from pipegen.structs import Struct


class Program(Struct):
    """A reference in a program of *call*, whose name is the word *caller*."""

    found: Found
    call: Call
    caller: Word


def programs(lexed: Lexed, spoken: Spoken) -> Iterator[Program]:
    """Yield the references in text that an interpreter takes for a program."""
    if not lexed.found:
        return
    constants = _constants(lexed.commands)
    for command in lexed.commands:
        yield from _in_variables(command)
    for pipeline in lexed.pipelines:
        # What an interpreter reads, the next one is not told of again.
        unread: list[Command] = []
        for command in pipeline:
            words, names = _spelled(command_words(command), constants)
            for call in calls(names) if command.form is Form.SIMPLE else ():
                caller = words[call.at]
                texts = [words[at] for at in call.programs if at < len(words)]
                if call.reads_input:
                    texts += command.documents
                    texts += spoken.printed(unread)
                    unread = []
                values = references(texts) + spoken.only(_handed(call, command, words, texts))
                yield from (Program(found, call, caller) for found in values)
            unread.append(command)


def _constants(commands: Iterable[Command]) -> dict[str, str]:
    """Return the variables that the script sets to the name of an interpreter: `S=sh; $S -c …`."""
    constants = {}
    for command in commands:
        for word in command.words:
            first = word.text[word.value_start :].partition(" ")[0]
            if word.assigned is not None and program_name(first) in INTERPRETERS:
                constants[f"${word.assigned}"] = word.text[word.value_start :]
    return constants


def _spelled(words: list[Word], constants: Mapping[str, str]) -> tuple[list[Word], list[str]]:
    """Return *words* and their texts, those of *constants* in place of variables; a word may come to several."""
    owners, texts = [], []
    for word in words:
        spelled = constants[word.text].split() if word.text in constants else [word.text]
        owners += [word] * len(spelled)
        texts += spelled
    return owners, texts


def _in_variables(command: Command) -> Iterator[Program]:
    """Yield what is given to a variable that programs run as a command."""
    words = [word for word in command.words if word.assigned in COMMAND_VARIABLES]
    for word in words:
        name = word.assigned or ""
        call = Call(f"what reads {name}", 0, RUN_BY_OTHERS, (), reads_input=False)
        yield from (Program(found, call, word) for found in references((word,)))


def _handed(call: Call, command: Command, words: list[Word], texts: list[Word]) -> list[Found]:
    """Return the references in substitutions whose output is a program of *call*, or a file that holds one."""
    handed = [found for word in texts for found in word.printed]
    if call.reads_input:
        handed += [found for word in command.streams for found in word.streamed]
    if call.interpreter.scripts and call.interpreter.reads_input:
        handed += [found for word in words[call.at + 1 :] for found in word.streamed]
    return handed
