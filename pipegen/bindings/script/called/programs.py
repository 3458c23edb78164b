"""References whose values would become part of an interpreter's program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.bindings.script.called.builtins import is_command_variable
from pipegen.bindings.script.called.calls import calls, command_at, program_name
from pipegen.bindings.script.called.interpreters import INTERPRETERS, RUN_BY_OTHERS, InterpreterCall
from pipegen.bindings.script.called.printed_text import PrintedText, command_words, references, targets, values
from pipegen.bindings.script.syntax import (
    PLACEHOLDER,
    CommandForm,
    Lexed,
    ReferenceKind,
    ScriptReference,
    ShellCommand,
    Word,
)
from pipegen.structs import Struct

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


class Program(Struct):
    """A reference in a program of *call*; *caller* is the word with the interpreter's name."""

    reference: ScriptReference
    call: InterpreterCall
    caller: Word


def programs(lexed: Lexed, printed_text: PrintedText, script: str) -> Iterator[Program]:
    """Yield the references in *script* that an interpreter reads as part of a program."""
    if not lexed.references:
        return
    arrays = _arrays(lexed.commands)
    constants = _constants(lexed.commands, arrays)
    yield from _in_variables(lexed, printed_text)
    yield from _in_arrays(arrays.values(), constants, script)
    for pipeline in lexed.pipelines:
        # Output that an interpreter has read does not reach the next one.
        unread_writers: list[ShellCommand] = []
        for command in pipeline:
            words, names = _expand_constants(command_words(command), constants, script)
            for call in _calls(command, names):
                caller = words[call.at]
                texts = [words[at] for at in call.programs if at < len(words)]
                if call.reads_input:
                    texts += command.documents
                    texts += printed_text.printed(unread_writers)
                    if call.is_bare and not (
                        unread_writers or command.documents or command.streams or command.reads_file
                    ):
                        # It reads the input of an enclosing command, or what `exec` opened.
                        texts += printed_text.words
                    unread_writers = []
                reached = references(texts) + printed_text.printed_among(
                    _substituted_references(call, command, words, texts)
                )
                yield from (Program(reference, call, caller) for reference in reached)
                yield from (Program(reference, call, caller) for reference in _called(call, words, texts, printed_text))
            if command.is_compound and (unread_writers or command.documents or command.streams):
                yield from _in_compound(command, unread_writers, constants, printed_text, script)
            unread_writers.append(command)


def _calls(command: ShellCommand, names: Sequence[str]) -> list[InterpreterCall]:
    """Return the interpreters that *command* runs; *names* are its words."""
    return calls(names) if command.form is CommandForm.SIMPLE else []


def _in_compound(
    compound: ShellCommand,
    writers: list[ShellCommand],
    constants: Mapping[str, str],
    printed_text: PrintedText,
    script: str,
) -> Iterator[Program]:
    """Yield the references that interpreters in *compound* read from its input: *writers* or its here-documents."""
    for command in printed_text.within(compound):
        words, names = _expand_constants(command_words(command), constants, script)
        for call in _calls(command, names):
            if call.reads_input:
                streamed = [reference for word in compound.streams for reference in word.streamed]
                reached = references(
                    (*compound.documents, *printed_text.printed(writers))
                ) + printed_text.printed_among(streamed)
                yield from (Program(reference, call, words[call.at]) for reference in reached)


def _called(
    call: InterpreterCall, words: list[Word], texts: list[Word], printed_text: PrintedText
) -> list[ScriptReference]:
    """Return the references that a function prints into a program of *call*."""
    takes_files = call.interpreter.scripts and call.interpreter.reads_input
    holders = (*texts, *(words[call.at + 1 :] if takes_files else ()))
    return references(printed_text.printed_by_functions(command for word in holders for command in word.commands))


def _arrays(commands: Iterable[ShellCommand]) -> dict[str, list[Word]]:
    """Return the elements of each array of the script, from all its assignments."""
    arrays: dict[str, list[Word]] = {}
    for command in commands:
        for word in command.words:
            if word.elements:
                arrays.setdefault(word.assigned or "", []).extend(word.elements)
    return arrays


def _in_arrays(arrays: Iterable[list[Word]], constants: Mapping[str, str], script: str) -> Iterator[Program]:
    """Yield the references in arrays that may be run as a command: `call=(sh -c …); "${call[@]}"`."""
    for elements in arrays:
        words, names = _expand_constants(elements, constants, script)
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
                arguments = values[values.index("--") + 1 :] if "--" in values else values
                constants.update({f"${number}": value for number, value in enumerate(arguments[:9], 1)})
                constants.update(dict.fromkeys(("$@", "$*"), " ".join(arguments)))
    return {name: text for name, text in constants.items() if program_name(text.partition(" ")[0]) in INTERPRETERS}


def _expand_constants(words: list[Word], constants: Mapping[str, str], script: str) -> tuple[list[Word], list[str]]:
    """Return *words* and their texts with variables replaced by *constants*; a word may become several."""
    owners, texts = [], []
    for word in words:
        spelled = constants[word.text].split() if word.text in constants else [word.text]
        owners += [word] * len(spelled)
        texts += spelled
    if "$" in texts:
        at = command_at(texts)
        if at < len(texts) and texts[at] == "$":
            # The value of `${name:-value}` may be any command.
            unknown = PLACEHOLDER if references((owners[at],)) else "$"
            spelled = _expanded_command(script[owners[at].start : owners[at].end], constants).split() or [unknown]
            owners[at : at + 1] = [owners[at]] * len(spelled)
            texts[at : at + 1] = spelled
    return owners, texts


def _expanded_command(written: str, constants: Mapping[str, str]) -> str:
    """Return the command that the expansion *written* results in: `${SHELL:-sh}`, `$(command -v bash)`."""
    names = (constants.get(f"${name}", name) for name in reversed(_NAME.findall(written)))
    return next((name for name in names if program_name(name.partition(" ")[0]) in INTERPRETERS), "")


def _in_variables(lexed: Lexed, printed_text: PrintedText) -> Iterator[Program]:
    """Yield the references in values of variables that programs run as commands."""
    for command in lexed.commands:
        for word in command.words:
            if is_command_variable(word.assigned or ""):
                yield from _in_variable(word.assigned or "", references((word,)), word)
        for name in filter(is_command_variable, targets(command)):
            yield from _in_variable(
                name, [*values(command.words), *printed_text.all_references()], command_words(command)[0]
            )
    for name, reference in lexed.defaults:
        if is_command_variable(name):
            yield from (
                program
                for reference in reference
                for program in _in_variable(name, [reference], Word(reference.start, reference.end))
            )


def _in_variable(name: str, references: Iterable[ScriptReference], caller: Word) -> Iterator[Program]:
    call = InterpreterCall(f"what reads {name}", 0, RUN_BY_OTHERS, (), reads_input=False)
    yield from (
        Program(reference, call, caller) for reference in references if reference.kind is ReferenceKind.REFERENCE
    )


def _substituted_references(
    call: InterpreterCall, command: ShellCommand, words: list[Word], texts: list[Word]
) -> list[ScriptReference]:
    """Return the references in substitutions whose output is a program of *call*, or a file with one."""
    result = [reference for word in texts for reference in word.printed]
    if call.reads_input:
        result += [reference for word in command.streams for reference in word.streamed]
    result += [reference for at in call.files if at < len(words) for reference in words[at].streamed]
    if call.interpreter.scripts and call.interpreter.reads_input:
        result += [reference for word in words[call.at + 1 :] for reference in word.streamed]
    return result
