"""Layout of commands in lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.plan.model import Job
from pipegen.shell.quote import Word, between_quotes, printf_format, quote, single_quoted

_WIDTH = 120


def wrapped(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of the command *parts*, broken between parts where a line gets long."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 1 <= _WIDTH:
            lines[-1] += f" {part}"
        else:
            lines[-1] += " \\"
            lines.append(f"  {part}")
    return tuple(lines)


def indented(lines: Iterable[str]) -> tuple[str, ...]:
    """Return *lines* indented by two columns; of quoted text, only the first line."""
    return tuple(f"  {line}" for line in lines)


def interruptible(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a long command so that a signal interrupts it; its status is preserved."""
    return (*lines[:-1], f"{lines[-1]} &", 'wait "$!"')


def printed(lines: Sequence[str], first: Word = ()) -> tuple[str, ...]:
    """Return the command that prints *lines* of text after *first*, a line with expansions."""
    words = [*([quote(first)] if first else []), *(single_quoted(line) for line in lines)]
    if len(words) == 1:
        return (f"printf '%s\\n' {words[0]}",)
    return ("printf '%s\\n' \\", *(f"  {word} \\" for word in words[:-1]), f"  {words[-1]}")


def redirected(lines: Sequence[str], target: str) -> tuple[str, ...]:
    """Return *lines* with the output of the last one redirected to *target*."""
    return (*lines[:-1], f"{lines[-1]} >{target}")


def captured(variable: str, command: str) -> tuple[str, str]:
    """Return the lines that set *variable* to the output of *command*; `$( )` alone drops line breaks at its end."""
    return f"{variable}=$({command} && echo .)", f"{variable}=${{{variable}%.}}"


def failure(job: Job, message: str, *words: Word) -> tuple[str, ...]:
    """Return the commands that fail the script with *message*, a format with a `%s` for each of *words*."""
    message_format = single_quoted(f'stage "{printf_format(job.title)}": {message}\\n')
    return (" ".join((f"printf {message_format}", *(f'"{between_quotes(word)}"' for word in words), ">&2")), "exit 1")


def otherwise(condition: str, consequence: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that run *consequence* unless *condition* holds."""
    return (f"{condition} || {{", *indented(consequence), "}")
