"""Commands laid out in lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.plan.model import Job
from pipegen.shell.quote import Word, between_quotes, printf_format, quote, single_quoted

_WIDTH = 100


def wrapped(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a command made of *parts*, broken between them where a line gets long."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 1 <= _WIDTH:
            lines[-1] += f" {part}"
        else:
            lines[-1] += " \\"
            lines.append(f"  {part}")
    return tuple(lines)


def indented(lines: Iterable[str]) -> tuple[str, ...]:
    """Return *lines* two columns to the right; only the first line of quoted text moves."""
    return tuple(f"  {line}" for line in lines)


def waited(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a long command so that a signal need not wait for its end; its status is kept."""
    return (*lines[:-1], f"{lines[-1]} &", 'wait "$!"')


def printed(lines: Sequence[str], first: Word = ()) -> tuple[str, ...]:
    """Return the command that prints *lines* of text, a line that holds expansions before them."""
    words = [*([quote(first)] if first else []), *(single_quoted(line) for line in lines)]
    if len(words) == 1:
        return (f"printf '%s\\n' {words[0]}",)
    return ("printf '%s\\n' \\", *(f"  {word} \\" for word in words[:-1]), f"  {words[-1]}")


def redirected(lines: Sequence[str], target: str) -> tuple[str, ...]:
    """Return *lines* with the output of the last one going to *target*."""
    return (*lines[:-1], f"{lines[-1]} >{target}")


def failure(job: Job, message: str, *words: Word) -> tuple[str, ...]:
    """Return the commands that end the script with *message*, a format that shows *words* at each `%s`."""
    shown = single_quoted(f'stage "{printf_format(job.stage)}": {message}\\n')
    return (" ".join((f"printf {shown}", *(f'"{between_quotes(word)}"' for word in words), ">&2")), "exit 1")


def otherwise(condition: str, consequence: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that run *consequence* where *condition* does not hold."""
    return (f"{condition} || {{", *indented(consequence), "}")
