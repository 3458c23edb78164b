"""References where a value would become part of a program of another interpreter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.bindings.script.builtins import is_command_variable
from pipegen.bindings.script.calls import InterpreterCall, calls, command_at, program_name
from pipegen.bindings.script.interpreters import INTERPRETERS, RUN_BY_OTHERS
from pipegen.bindings.script.passed_text import Spoken, command_words, references, targets, values
from pipegen.bindings.script.syntax import CommandForm, Lexed, ReferenceKind, ScriptReference, ShellCommand, Word
from pipegen.structs import Struct

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


class Program(Struct):
    """A reference in a program of *call*, whose name is the word *caller*."""

    found: ScriptReference
    call: InterpreterCall
    caller: Word


def programs(lexed: Lexed, spoken: Spoken, script: str) -> Iterator[Program]:
    """Yield the references in text of *script* that an interpreter takes for a program."""
    if not lexed.found:
        return
    arrays = _arrays(lexed.commands)
    constants = _constants(lexed.commands, arrays)
    yield from _in_variables(lexed, spoken)
    yield from _in_arrays(arrays.values(), constants, script)
    for pipeline in lexed.pipelines:
        # What an interpreter reads, the next one is not told of again.
        unread: list[ShellCommand] = []
        for command in pipeline:
            words, names = _spelled(command_words(command), constants, script)
            for call in _calls(command, names):
                caller = words[call.at]
                texts = [words[at] for at in call.programs if at < len(words)]
                if call.reads_input:
                    texts += command.documents
                    texts += spoken.printed(unread)
                    if call.is_bare and not (unread or command.documents or command.streams or command.reads_file):
                        # It reads what stands around it, or what `exec` opened.
                        texts += spoken.words
                    unread = []
                read = references(texts) + spoken.only(_handed(call, command, words, texts))
                yield from (Program(found, call, caller) for found in read)
                yield from (Program(found, call, caller) for found in _called(call, words, texts, spoken))
            if command.is_compound and (unread or command.documents or command.streams):
                yield from _in_compound(command, unread, constants, spoken, script)
            unread.append(command)


def _calls(command: ShellCommand, names: Sequence[str]) -> list[InterpreterCall]:
    """Return the interpreters that *command* of these words runs."""
    return calls(names) if command.form is CommandForm.SIMPLE else []


def _in_compound(
    compound: ShellCommand, writers: list[ShellCommand], constants: Mapping[str, str], spoken: Spoken, script: str
) -> Iterator[Program]:
    """Yield what interpreters in *compound* read that is handed to all of it, by *writers* or by its own documents."""
    for command in spoken.within(compound):
        words, names = _spelled(command_words(command), constants, script)
        for call in _calls(command, names):
            if call.reads_input:
                streamed = [found for word in compound.streams for found in word.streamed]
                read = references((*compound.documents, *spoken.printed(writers))) + spoken.only(streamed)
                yield from (Program(found, call, words[call.at]) for found in read)


def _called(call: InterpreterCall, words: list[Word], texts: list[Word], spoken: Spoken) -> list[ScriptReference]:
    """Return the references that a function prints into a program of *call*."""
    takes_files = call.interpreter.scripts and call.interpreter.reads_input
    holders = (*texts, *(words[call.at + 1 :] if takes_files else ()))
    return references(spoken.said_by_functions(command for word in holders for command in word.commands))


def _arrays(commands: Iterable[ShellCommand]) -> dict[str, list[Word]]:
    """Return the elements that the script gives each of its arrays, those of all assignments in a row."""
    arrays: dict[str, list[Word]] = {}
    for command in commands:
        for word in command.words:
            if word.elements:
                arrays.setdefault(word.assigned or "", []).extend(word.elements)
    return arrays


def _in_arrays(arrays: Iterable[list[Word]], constants: Mapping[str, str], script: str) -> Iterator[Program]:
    """Yield the references in the program of an array that may be run as a command: `call=(sh -c …); "${call[@]}"`."""
    for elements in arrays:
        words, names = _spelled(elements, constants, script)
        for call in calls(names):
            programs = [words[at] for at in call.programs if at < len(words)]
            yield from (Program(reference, call, words[call.at]) for reference in references(programs))


def _constants(commands: Iterable[ShellCommand], arrays: Mapping[str, Sequence[Word]]) -> dict[str, str]:
    """Return the variables that the script sets to the name of an interpreter: `S=sh; $S -c …`."""
    constants = {f"${name}": " ".join(word.text for word in elements) for name, elements in arrays.items()}
    for command in commands:
        for word in command.words:
            if word.assigned is not None and not word.elements:
                constants[f"${word.assigned}"] = word.text[word.value_start :]
        match [word.text for word in command.words]:
            case ["for", name, "in", *values]:
                constants.update((f"${name}", value) for value in values if program_name(value) in INTERPRETERS)
            case ["set", *values] if values and not any(value.startswith("+") for value in values):
                given = values[values.index("--") + 1 :] if "--" in values else values
                constants.update({f"${number}": value for number, value in enumerate(given[:9], 1)})
                constants.update(dict.fromkeys(("$@", "$*"), " ".join(given)))
    return {name: text for name, text in constants.items() if program_name(text.partition(" ")[0]) in INTERPRETERS}


def _spelled(words: list[Word], constants: Mapping[str, str], script: str) -> tuple[list[Word], list[str]]:
    """Return *words* and their texts, those of *constants* in place of variables; a word may come to several."""
    owners, texts = [], []
    for word in words:
        spelled = constants[word.text].split() if word.text in constants else [word.text]
        owners += [word] * len(spelled)
        texts += spelled
    if "$" in texts:
        at = command_at(texts)
        if at < len(texts) and texts[at] == "$":
            spelled = _computed(script[owners[at].start : owners[at].end], constants).split() or ["$"]
            owners[at : at + 1] = [owners[at]] * len(spelled)
            texts[at : at + 1] = spelled
    return owners, texts


def _computed(written: str, constants: Mapping[str, str]) -> str:
    """Return the call that the expansion *written* comes to: `${SHELL:-sh}`, `$(command -v bash)`, `${array[@]}`."""
    names = (constants.get(f"${name}", name) for name in reversed(_NAME.findall(written)))
    return next((name for name in names if program_name(name.partition(" ")[0]) in INTERPRETERS), "")


def _in_variables(lexed: Lexed, spoken: Spoken) -> Iterator[Program]:
    """Yield what is given to a variable that programs run as a command."""
    for command in lexed.commands:
        for word in command.words:
            if is_command_variable(word.assigned or ""):
                yield from _in_variable(word.assigned or "", references((word,)), word)
        for name in filter(is_command_variable, targets(command)):
            yield from _in_variable(name, [*values(command.words), *spoken.fed()], command_words(command)[0])
    for name, found in lexed.defaults:
        if is_command_variable(name):
            yield from (program for one in found for program in _in_variable(name, [one], Word(one.start, one.end)))


def _in_variable(name: str, given: Iterable[ScriptReference], caller: Word) -> Iterator[Program]:
    call = InterpreterCall(f"what reads {name}", 0, RUN_BY_OTHERS, (), reads_input=False)
    yield from (Program(found, call, caller) for found in given if found.kind is ReferenceKind.REFERENCE)


def _handed(
    call: InterpreterCall, command: ShellCommand, words: list[Word], texts: list[Word]
) -> list[ScriptReference]:
    """Return the references in substitutions whose output is a program of *call*, or a file that holds one."""
    handed = [found for word in texts for found in word.printed]
    if call.reads_input:
        handed += [found for word in command.streams for found in word.streamed]
    handed += [found for at in call.files if at < len(words) for found in words[at].streamed]
    if call.interpreter.scripts and call.interpreter.reads_input:
        handed += [found for word in words[call.at + 1 :] for found in word.streamed]
    return handed
