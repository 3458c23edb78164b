"""The directive `input`: its settings, and the parameters for which it asks."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.importing.jenkins.reading.source import sections
from pipegen.importing.jenkins.reading.syntax import GroovyArgument, GroovyCall, GroovyConstant, constant
from pipegen.structs import replace


def asked(call: GroovyCall) -> Iterator[str]:
    """Yield the names of the parameters for which the directive `input` asks: a config has none."""
    for section in sections(call, "parameters"):
        for parameter in section.block.statements if section.block is not None else ():
            name = parameter.argument("name") if isinstance(parameter, GroovyCall) else None
            if name is not None and (text := constant(name.value)) is not None:
                yield text


def with_settings(call: GroovyCall) -> GroovyCall:
    """Return the directive `input` with the settings in its block as arguments."""
    if call.block is None:
        return call
    arguments = []
    for statement in call.block.statements:
        if isinstance(statement, GroovyCall) and statement.arguments:
            arguments.append(replace(statement.arguments[0], name=statement.name, span=statement.span))
        elif isinstance(statement, GroovyCall) and statement.block is not None:
            arguments.append(_named(statement))
    return replace(call, arguments=(*call.arguments, *arguments), block=None)


def _named(call: GroovyCall) -> GroovyArgument:
    return GroovyArgument(call.name, GroovyConstant(None), call.span)
