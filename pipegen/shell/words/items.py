"""Loops over run-time text, and lists that contain them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pipegen.bindings.expression import Items, Loop, Text
from pipegen.shell.layout import failure, indented, otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import free
from pipegen.shell.quote import VariableExpansion, assigned, printf_format, quote, single_quoted
from pipegen.shell.words.text import argument, word
from pipegen.structs import replace

T = TypeVar("T")
# The commands for one item; its lowering has the names of the enclosing loops.
Body = Callable[[T, Lowering], Sequence[str]]

_RESTORED = ("set +f", "unset IFS")


def each(items: Items[T], lowering: Lowering, body: Body[T]) -> tuple[str, ...]:
    """Return the lines that run *body* for each of *items*, in order."""
    return tuple(line for item in items for line in _item(item, lowering, body))


def has_loop(items: Items[T]) -> bool:
    """Return whether some of *items* are known only at run time."""
    return any(isinstance(item, Loop) for item in items)


def arguments(items: Items[Text], lowering: Lowering) -> tuple[tuple[str, ...], list[str]]:
    """Return the lines that collect the items known only at run time, and the words of all *items* in a command."""
    loop_indexes = [index for index, item in enumerate(items) if isinstance(item, Loop)]
    if not loop_indexes:
        return (), [argument(item, lowering) for item in items if isinstance(item, Text)]
    first, last = loop_indexes[0], loop_indexes[-1] + 1
    loop_lines = each(items[first:last], lowering, lambda item, inner: (f'set -- "$@" {argument(item, inner)}',))
    before, after = (
        [argument(item, lowering) for item in part if isinstance(item, Text)] for part in (items[:first], items[last:])
    )
    return ("set --", *loop_lines), [*before, '"$@"', *after]


def _item(item: T | Loop[T], lowering: Lowering, body: Body[T]) -> Sequence[str]:
    return repeated(item, lowering, body) if isinstance(item, Loop) else body(item, lowering)


def repeated(loop: Loop[T], lowering: Lowering, body: Body[T]) -> tuple[str, ...]:
    """Return the lines of *loop*; no item is ever expanded as a pattern or split again."""
    inner = _within(loop, lowering)
    names = [inner.loops[name] for name in loop.names]
    lines = indented(_item(loop.body, inner, body))
    if loop.delimiters == "\n":
        return _over_lines(loop, names, lowering, lines)
    if not loop.delimiters:
        return _over_whole(loop, names, lowering, lines)
    if loop.delimiters.isascii():
        return _over_fields(loop, names, lowering, lines)
    return _over_pieces(loop, names, lowering, lines)


def _within(loop: Loop[T], lowering: Lowering) -> Lowering:
    """Return *lowering* for the body of *loop*."""
    variables = lowering.variables
    taken = {*variables.outputs.values(), *lowering.loops.values()}
    names = {name: free(f"pipegen_each_{name}", taken) for name in loop.names}
    return replace(lowering, loops={**lowering.loops, **names}, depth=lowering.depth + 1)


def _over_lines(loop: Loop[T], names: Sequence[str], lowering: Lowering, body: Sequence[str]) -> tuple[str, ...]:
    items = f'"$pipegen/{_numbered("items", lowering)}"'
    read = f"IFS=' ' read -r {' '.join(names)} _" if loop.split else f"IFS= read -r {names[0]}"
    return (
        f"printf '%s\\n' {argument(loop.source, lowering)} >{items}",
        f"while {read}; do",
        f'  [ -n "${names[0]}" ] || continue',
        *(indented(_enough(f'[ -n "${names[-1]}" ]', loop, names, lowering)) if len(names) > 1 else ()),
        *body,
        f"done <{items}",
    )


def _over_whole(loop: Loop[T], names: Sequence[str], lowering: Lowering, body: Sequence[str]) -> tuple[str, ...]:
    """Return the lines for a text without delimiters: one item."""
    if not loop.split:
        variable = names[0]
        return (
            f"{variable}={assigned(word(loop.source, lowering))}",
            f'if [ -n "${variable}" ]; then',
            *body,
            "fi",
        )
    source, assignment = _source(loop, lowering)
    return (
        *assignment,
        *_words(source, names, lowering),
        f'if [ "${_numbered("pipegen_words", lowering)}" -gt 0 ]; then',
        *indented(_enough_words(loop, names, lowering)),
        *body,
        "fi",
    )


def _over_fields(loop: Loop[T], names: Sequence[str], lowering: Lowering, body: Sequence[str]) -> tuple[str, ...]:
    """Return the lines for a text that the shell splits; it drops only fields of blanks, so each field is checked."""
    source, assignment = _source(loop, lowering)
    piece = _numbered("pipegen_piece", lowering) if loop.split else names[0]
    return (
        *assignment,
        "set -f",
        f"IFS={_separators(loop.delimiters)}",
        f"for {piece} in ${source}; do",
        *indented(_RESTORED),
        *_for_piece(loop, piece, names, lowering),
        *body,
        "done",
        *_RESTORED,
    )


def _over_pieces(loop: Loop[T], names: Sequence[str], lowering: Lowering, body: Sequence[str]) -> tuple[str, ...]:
    """Return the lines for delimiters beyond ASCII, which some shells split byte by byte."""
    rest = _numbered("pipegen_left", lowering)
    piece = _numbered("pipegen_piece", lowering) if loop.split else names[0]
    patterns = [
        quote(pattern) if pattern.isalnum() else single_quoted(pattern) for pattern in dict.fromkeys(loop.delimiters)
    ]
    return (
        f"{rest}={assigned(word(loop.source, lowering))}",
        f'while [ -n "${rest}" ]; do',
        f"  {piece}=${{{rest}%%{patterns[0]}*}}",
        *(f"  {piece}=${{{piece}%%{pattern}*}}" for pattern in patterns[1:]),
        f'  {rest}=${{{rest}#"${piece}"}}',
        *(f"  {rest}=${{{rest}#{pattern}}}" for pattern in patterns),
        *_for_piece(loop, piece, names, lowering),
        *body,
        "done",
    )


def _for_piece(loop: Loop[T], piece: str, names: Sequence[str], lowering: Lowering) -> tuple[str, ...]:
    """Return the lines that skip an empty *piece*, and bind *names* to the words of any other."""
    if not loop.split:
        return (f'  [ -n "${piece}" ] || continue',)
    return indented(
        (
            *_words(piece, names, lowering),
            f'[ "${_numbered("pipegen_words", lowering)}" -gt 0 ] || continue',
            *_enough_words(loop, names, lowering),
        )
    )


def _words(source: str, names: Sequence[str], lowering: Lowering) -> tuple[str, ...]:
    """Return the lines that bind *names* to the words of the variable *source*, split at blanks only."""
    words, item = _numbered("pipegen_words", lowering), _numbered("pipegen_word", lowering)
    choices = " ".join(f"{number}) {name}=${item} ;;" for number, name in enumerate(names, start=1))
    return (
        f"{words}=0",
        "set -f",
        "IFS=' '",
        f"for {item} in ${source}; do",
        f"  {words}=$(({words} + 1))",
        f"  case ${words} in {choices} esac",
        "done",
        *_RESTORED,
    )


def _enough_words(loop: Loop[T], names: Sequence[str], lowering: Lowering) -> tuple[str, ...]:
    if len(names) == 1:
        return ()
    return _enough(f'[ "${_numbered("pipegen_words", lowering)}" -ge {len(names)} ]', loop, names, lowering)


def _enough(condition: str, loop: Loop[T], names: Sequence[str], lowering: Lowering) -> tuple[str, ...]:
    """Return the lines that fail the script unless there is a word for each name."""
    name_list = printf_format(", ".join(loop.names))
    message = f'too few words for {name_list} in the item that begins with "%s"'
    return otherwise(condition, failure(lowering.job, message, (VariableExpansion(names[0]),)))


def _source(loop: Loop[T], lowering: Lowering) -> tuple[str, tuple[str, ...]]:
    """Return the variable with the text of the loop, and the line that sets it."""
    match word(loop.source, lowering):
        case (VariableExpansion(name=name, operator=""),):
            return name, ()
        case source:
            variable = _numbered("pipegen_items", lowering)
            return variable, (f"{variable}={assigned(source)}",)


def _separators(delimiters: str) -> str:
    if "\n" not in delimiters:
        return single_quoted(delimiters)
    # The newline comes first: `$( )` drops one at the end.
    others = delimiters.replace("\n", "")
    escaped = single_quoted("\\n" + printf_format(others))
    return f"$(printf {escaped})"


def _numbered(name: str, lowering: Lowering) -> str:
    """Return *name* for the loop in *lowering*, different from those of the enclosing loops."""
    return name if lowering.depth == 0 else f"{name}_{lowering.depth + 1}"
