"""Command lines parsed as docker parses them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace


class UsageError(Exception):
    """A command line that docker rejects."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """The options of a command, `long` or `long/s`, separated by blanks; a flag takes no value."""

    flags: str = ""
    options: str = ""
    interspersed: bool = True
    """Whether options may follow operands."""

    def names(self) -> dict[str, tuple[str, bool]]:
        """Return each spelling with its long name and whether it takes a value."""
        names: dict[str, tuple[str, bool]] = {}
        for text, takes_value in ((self.flags, False), (self.options, True)):
            for item in text.split():
                long, _, short = item.partition("/")
                names |= dict.fromkeys((f"--{long}", f"-{short}"), (long, takes_value))
        return names


@dataclass(frozen=True, slots=True)
class Arguments:
    """Options by their long names, in order (the value of a flag is None), and operands."""

    options: tuple[tuple[str, str | None], ...]
    operands: tuple[str, ...]

    def has(self, name: str) -> bool:
        """Return whether option *name* is set, and not as `=false`."""
        return any(option == name and value != "false" for option, value in self.options)

    def last(self, name: str) -> str | None:
        """Return the last value of option *name*."""
        return next((value for option, value in reversed(self.options) if option == name), None)

    def without(self, *names: str) -> "Arguments":
        """Return the same arguments without the options *names*."""
        return replace(self, options=tuple(option for option in self.options if option[0] not in names))

    def words(self) -> list[str]:
        """Return the command line again, in long options."""
        options = [f"--{name}" if value is None else f"--{name}={value}" for name, value in self.options]
        return [*options, *self.operands]


def parse(syntax: Syntax, words: Sequence[str]) -> Arguments:
    """Return *words* as options and operands."""
    names = syntax.names()
    options: list[tuple[str, str | None]] = []
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--" or (operands and not syntax.interspersed):
            operands += rest if word == "--" else [word, *rest]
            break
        if word == "-" or not word.startswith("-"):
            operands.append(word)
        elif word.startswith("--"):
            options.append(_long(names, word, rest))
        else:
            options += _short(names, word, rest)
    return Arguments(tuple(options), tuple(operands))


def _long(names: dict[str, tuple[str, bool]], word: str, rest: list[str]) -> tuple[str, str | None]:
    """Return the option in *word*, with its value from *rest* if there is no `=`."""
    spelling, equals, value = word.partition("=")
    name, takes_value = _known(names, spelling)
    if equals:
        return name, value
    return name, _value(spelling, rest) if takes_value else None


def _short(names: dict[str, tuple[str, bool]], word: str, rest: list[str]) -> list[tuple[str, str | None]]:
    """Return the options in *word*, as `-aq` or `-eNAME=VALUE`."""
    options: list[tuple[str, str | None]] = []
    for index, letter in enumerate(word[1:], start=2):
        name, takes_value = _known(names, f"-{letter}")
        if takes_value:
            value = word[index:].removeprefix("=")
            return [*options, (name, value if word[index:] else _value(f"-{letter}", rest))]
        options.append((name, None))
    return options


def _known(names: dict[str, tuple[str, bool]], spelling: str) -> tuple[str, bool]:
    """Return the long name of *spelling*, and whether it takes a value."""
    if spelling not in names:
        message = f"unknown flag: {spelling}"
        raise UsageError(message)
    return names[spelling]


def _value(spelling: str, rest: list[str]) -> str:
    """Remove the value of option *spelling* from *rest*."""
    if not rest:
        message = f"flag needs an argument: {spelling}"
        raise UsageError(message)
    return rest.pop(0)
