"""Steps of a Jenkinsfile that stay Groovy: their text in the config, and the names that it reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, GroovyPart, GroovyText, GroovyTrimmed
from pipegen.readback.groovy import GroovyTokens, TokenKind, indented, lines_in_strings, pieces
from pipegen.structs import Struct

_INDENT = "    "
_WIDTH = 100
# What looks like a reference of a config, and its namespaces that are not stages.
_REFERENCE = re.compile(r"\$\{(?=(?P<name>[\w-]+)(?:\[[^]{}]*\])?\.)")
_NAMESPACES = frozenset({"setup", "inputs", "matrix"})
# A value in a text between slashes.
_IN_SLASHES = re.compile(r"\$\{([^{}]*)\}|\$([A-Za-z_]\w*)")
# The code of a brace.
_BRACE = r"\u007b"
# Words between two values.
_OPERATORS = frozenset({"as", "in", "instanceof"})


class GroovyInConfig(Struct):
    """A text that stays Groovy in a config; *stage* has it in a step, which knows the variables of the stage."""

    text: str
    stage: str = ""


class ScriptPart(GroovyCall):
    """Statements of a `script` block that stay Groovy; *text* is the block with these statements only."""

    text: str


def groovy_texts(stage: Mapping[str, Value]) -> Iterator[GroovyInConfig]:
    """Yield the Groovy in the keys of *stage*; the blocks around its steps do not know its variables."""
    pending = [(str(stage.get("name", "")), stage[key]) for key in ("steps", "raw") if key in stage]
    while pending:
        name, value = pending.pop()
        match value:
            case dict() as inner:
                pending += [("" if key == "around" else name, item) for key, item in inner.items()]
            case list() as inner:
                pending += [(name, item) for item in inner]
            case str() as text:
                yield GroovyInConfig(text, name)


def unstashes(code: GroovyTokens) -> Iterator[tuple[int, str]]:
    """Yield the index of each `unstash` in *code*, with the name of its stash if that is a text."""
    for index in range(code.size):
        if code.is_word(index, "unstash"):
            texts = (token.text for token in code.tokens[index : index + 5] if token.kind is TokenKind.TEXT)
            yield index, next(texts, "")


def steps_without_references(steps: Value, names: Collection[str]) -> Value:
    """Return *steps* of a stage in whose Groovy no text is a reference to one of *names*."""
    match steps:
        case dict():
            return {key: steps_without_references(value, names) for key, value in steps.items()}
        case list():
            return [steps_without_references(value, names) for value in steps]
        case str() as text:
            return without_references(text, names)
    return steps


def without_references(text: str, names: Collection[str]) -> str:
    """Return the Groovy *text* in which nothing is a reference of a config to one of *names* (`${name.…}`)."""
    offsets = [match.end() for match in _REFERENCE.finditer(text) if match["name"] in {*names, *_NAMESPACES}]
    if not offsets:
        return text
    constants = [token for token in GroovyTokens(text).tokens if token.kind is TokenKind.TEXT]
    for offset in reversed(offsets):
        # A blank in an expression has no effect; constant text stays the same with the code of the brace.
        is_constant = text[offset - 3 : offset - 2] == "\\" or any(
            token.start < offset < token.end for token in constants
        )
        text = text[: offset - 1] + (_BRACE if is_constant else "{ ") + text[offset:]
    return text


def reads(text: str, name: str) -> bool:
    """Return whether the Groovy *text* may read *name*, as a variable of the file or of the environment."""
    return re.search(rf"\b{name}\b", text) is not None


def kept_text(call: GroovyCall, settings: Iterable[str]) -> str:
    """Return *call* as a step of Jenkins.

    *settings* are items of `withEnv`: variables that only the script of its stage has otherwise. The text gets those
    that it names.
    """
    text = groovy_of(call)
    items = read_items(text, settings)
    if not any(reads(other, variable(item)) for item in items for other in items if other is not item):
        return in_block(f"withEnv([{', '.join(items)}])", text) if items else text
    return reduce(lambda inner, item: in_block(f"withEnv([{item}])", inner), reversed(items), text)


def read_items(text: str, settings: Iterable[str]) -> list[str]:
    """Return those of *settings*, items of `withEnv`, whose variables the Groovy *text* reads, or one of them."""
    needed, items = text, list[str]()
    for item in reversed(tuple(settings)):
        if item and reads(needed, variable(item)):
            needed, items = f"{needed} {item}", [item, *items]
    return items


def variable(item: str) -> str:
    """Return the name of the variable that *item* of `withEnv` sets."""
    return item[1:].partition("=")[0]


def in_block(head: str, text: str) -> str:
    """Return *text* as the only step in a block step."""
    return f"{head} {{\n{indented(text, _INDENT)}\n}}"


def setting(assignment: GroovyAssignment) -> str | None:
    """Return *assignment*, a variable of `environment`, as an item of `withEnv`; None if it is not on one line."""
    value = assignment.value
    parts = value.parts if isinstance(value, GroovyText) else (value,)
    text = f"{assignment.name}="
    for part in parts:
        match part:
            case str():
                text += escaped(part)
            case GroovyPart():
                text += f"${{{part.text}}}"
            case GroovyCall():
                text += f"${{{part.whole.text}}}"
            case GroovyTrimmed():
                text += f"${{{part.call.whole.text}.trim()}}"
            case _:
                return None
    return None if "\n" in text else f'"{text}"'


def expression_of(assignment: GroovyAssignment) -> str | None:
    """Return the value of *assignment* as an expression of Groovy that can be a part of another one, None for others.

    It is not a text: an object keeps its methods.
    """
    match assignment.value:
        case GroovyCall(block=None) as call:
            return _with_parentheses(call.whole.text)
        case GroovyTrimmed(call=GroovyCall(block=None) as call):
            return f"{_with_parentheses(call.whole.text)}.trim()"
        case GroovyPart() as part:
            return f"({_with_parentheses(part.text)})"
    item = setting(assignment)
    return f'"{item.partition("=")[2]}' if item is not None else None


def _with_parentheses(text: str) -> str:
    """Return the Groovy *text* with parentheses around the arguments of a call that has none (`readFile 'a'`)."""
    code = GroovyTokens(text)
    index = 0
    while code.is_sign(index + 1, "."):
        index += 2
    arguments = code.tokens[index + 1]
    is_bare = code.word(index) not in ("", "new") and code.word(index + 1) not in _OPERATORS
    if not is_bare or arguments.kind not in (TokenKind.WORD, TokenKind.TEXT, TokenKind.EXPRESSION):
        return text
    return f"{text[: arguments.start].rstrip()}({text[arguments.start :]})"


def with_values(text: str, values: Mapping[str, str]) -> str:
    """Return the Groovy *text* with *values*, expressions by name, in place of the variables that it reads."""
    code = GroovyTokens(text)
    result, position = "", 0
    for index in range(code.size):
        token = code.tokens[index]
        start, value = token.start, text[token.start : token.end]
        is_in_env = index > 1 and code.is_sign(index - 1, ".") and code.is_word(index - 2, "env")
        if token.kind is TokenKind.EXPRESSION and value.startswith('"') and any(reads(value, name) for name in values):
            value = _text_with_values(value, values)
        elif token.kind is TokenKind.WORD and token.text in values and (is_in_env or not _is_part(code, index)):
            start, value = code.tokens[index - 2].start if is_in_env else start, values[token.text]
        else:
            continue
        result += text[position:start] + value
        position = token.end
    return result + text[position:]


def _text_with_values(quoted: str, values: Mapping[str, str]) -> str:
    parts = (_inserted(text, values) if is_code else escaped(text) for is_code, text in pieces(quoted))
    return f'"{"".join(parts)}"'


def _inserted(code: str, values: Mapping[str, str]) -> str:
    """Return the expression *code* with *values* as a part of a text; a value that is a text itself is a part of it."""
    value = values.get(code.removeprefix("env."), "")
    return value[1:-1] if value.startswith('"') else f"${{{with_values(code, values)}}}"


def escaped(text: str) -> str:
    """Return *text* as a part of a text of Groovy in double quotes."""
    return re.sub(r'[\\"$]', r"\\\g<0>", text)


def groovy_of(call: GroovyCall) -> str:
    """Return the text of *call*, on one line if it is short, else with the indentation of its first line removed."""
    if isinstance(call, ScriptPart):
        return call.text
    text, start = _with_brace_on_line(call), call.whole.first.column - 1
    line = call.whole.file.line(call.whole.first.line)
    margin = line[: len(line) - len(line.lstrip())] if line[:start].isspace() else ""
    inside = lines_in_strings(text)
    lines = [line if number in inside else line.removeprefix(margin) for number, line in enumerate(text.split("\n"))]
    # The end of a line is in a text if the next line begins in one.
    lines = [line if number + 1 in inside else line.rstrip() for number, line in enumerate(lines)]
    joined = " ".join(line.strip() for line in lines)
    is_simple = call.block is None and not inside and "//" not in joined and "/*" not in joined
    return joined if is_simple and len(joined) <= _WIDTH else "\n".join(lines)


def _with_brace_on_line(call: GroovyCall) -> str:
    """Return the text of *call* with the brace of its block on the line of its arguments, as steps of a config have."""
    text = call.whole.text
    if call.block is None:
        return text
    brace = call.block.span.start - call.whole.start
    code = GroovyTokens(text[:brace])
    end = code.tokens[code.size - 1].end
    gap = text[end:brace]
    return f"{text[:end]} {text[brace:]}" if "\n" in gap and gap.isspace() else text


def words(text: str) -> frozenset[str]:
    """Return the names that the Groovy *text* reads or sets: no parts of other names, and no keys."""
    code = GroovyTokens(text)
    names: set[str] = set()
    for index in range(code.size):
        token = code.tokens[index]
        if token.kind is TokenKind.EXPRESSION:
            names |= _words_in_text(text[token.start : token.end])
        elif token.kind is TokenKind.WORD and not _is_part(code, index):
            names.add(token.text)
    return frozenset(names)


def _words_in_text(quoted: str) -> frozenset[str]:
    """Return the names in the expressions of the text *quoted*."""
    if quoted.startswith(("/", "$/")):
        return frozenset(name for match in _IN_SLASHES.finditer(quoted) for name in words(match[1] or match[2]))
    if not quoted.startswith('"'):
        return frozenset()
    names: frozenset[str] = frozenset()
    for is_code, text in pieces(quoted):
        names |= words(text) if is_code else frozenset()
    return names


def _is_part(code: GroovyTokens, index: int) -> bool:
    """Return whether the word at *index* is a property, a method of a value, or a key."""
    is_property = index > 0 and code.is_sign(index - 1, ".")
    is_key = code.is_sign(index + 1, ":") and index > 0 and code.tokens[index - 1].text in ("(", "[", ",")
    is_argument = code.is_sign(index + 1, ":") and index > 0 and code.word(index - 1) != ""
    return is_property or is_key or is_argument


def assigned(text: str) -> frozenset[str]:
    """Return the names that the Groovy *text* sets outside blocks, and those without a definition inside."""
    code = GroovyTokens(text)
    depth, names = 0, set[str]()
    for index in range(code.size):
        depth += code.is_sign(index, "{") - code.is_sign(index, "}")
        is_set = code.is_sign(index + 1, "=") and not code.is_sign(index + 2, "=")
        is_local = depth > 0 and index > 0 and code.word(index - 1) != ""
        if code.word(index) and is_set and not is_local and not _is_part(code, index):
            names.add(code.word(index))
    return frozenset(names)


def first_read(text: str, names: Collection[str]) -> str | None:
    """Return the first of *names* that the Groovy *text* reads, None if there is none."""
    read_names = words(text) & set(names)
    return min(read_names) if read_names else None


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the tokens of the Groovy *text*, for comparisons."""
    code = GroovyTokens(text)
    texts = (token.text.replace("${ ", "${") for token in code.tokens[: code.size])
    return tuple(texts)
