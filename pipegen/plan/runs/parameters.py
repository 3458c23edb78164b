"""The parameters of a file (`inputs`), and the values that are fixed when it is compiled (`--set`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.config.model import Config
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.plan.model import Input, InputType
from pipegen.plan.model.inputs import BOOLEANS, NUMBER
from pipegen.plan.runs.input_patterns import matches, misread
from pipegen.source.text import Located, Span
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence
from pipegen.structs import Struct, field

_TYPES = {
    ScalarKind.BOOLEAN: InputType.BOOLEAN,
    ScalarKind.INTEGER: InputType.NUMBER,
    ScalarKind.NUMBER: InputType.NUMBER,
}


class Parameters(Struct):
    """The parameters of a file in the order written; *given* has the values that are fixed at compile time.

    A default fixes nothing: it is the value of a run that is given none.
    """

    inputs: tuple[Input, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all."""
        return tuple(one.name for one in self.inputs)

    @property
    def at_run_time(self) -> tuple[Input, ...]:
        """Those whose values only a run knows."""
        return tuple(one for one in self.inputs if one.name not in self.given)

    def constant(self, name: str) -> str | None:
        """Return the value of the parameter *name* where it is fixed; None where only a run knows it."""
        return self.given.get(name)


def read_parameters(config: Config, given: Mapping[str, str], report: Report) -> Parameters:
    """Return the parameters of *config*, those in *given* fixed; what is wrong with them is reported."""
    inputs = tuple(_input(name, node, report) for name, node in config.inputs)
    _check_names(config, report)
    return Parameters(inputs, dict(_fixed(inputs, given, config, report)))


def _input(name: Located[str], node: Node, report: Report) -> Input:
    """Return a parameter: *node* is a map, or its default alone."""
    body = node if isinstance(node, Map) else Map((), node.span)
    default = body.get("default") if isinstance(node, Map) else node
    choices = [item for item in _items(body.get("choices")) if isinstance(item, Scalar)]
    kind = _type(body.get("type"), default, has_choices=bool(choices))
    pattern, description = body.get("pattern"), body.get("description")
    found = Input(
        name=name.value,
        type=kind,
        default=_text(default, kind) if isinstance(default, Scalar) else None,
        choices=tuple(dict.fromkeys(_text(item, kind) for item in choices)),
        pattern=_pattern(pattern, report) if isinstance(pattern, Scalar) else None,
        description=description.text if isinstance(description, Scalar) else "",
        span=name.span,
    )
    for item in choices:
        _check(item, _refusal(_text(item, kind), found, is_choice=True), report)
    if isinstance(default, Scalar):
        _check(default, _refusal(_text(default, kind), found), report)
    return found


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else ()


def _type(node: Node | None, default: Node | None, *, has_choices: bool) -> InputType:
    """Return the type: as said, else that of the default; where there are choices, these say it all."""
    if isinstance(node, Scalar):
        return InputType(node.text)
    if has_choices or not isinstance(default, Scalar):
        return InputType.STRING
    return _TYPES.get(default.kind, InputType.STRING)


def _text(node: Scalar, kind: InputType) -> str:
    """Return the text of a value; YAML knows booleans in several cases."""
    return node.text.lower() if kind is InputType.BOOLEAN and node.kind is ScalarKind.BOOLEAN else node.text


def _pattern(node: Scalar, report: Report) -> str | None:
    found = misread(node.text)
    if found is None:
        return node.text
    report.add(
        codes.INVALID_PATTERN,
        f'{found.what} is nothing that "grep -E", RE2 and Python read alike',
        at=node.part(found.at, found.at + 1) if node.text else node.span,
        hint=found.advice,
    )
    return None


def _refusal(value: str, one: Input, *, is_choice: bool = False) -> tuple[str, str] | None:
    """Return why *value* is none of the parameter *one*, and what to do; None where it is one."""
    if not is_choice and one.choices and value not in one.choices:
        return f"is not among the choices of input {_quoted(one)}", f"its choices are {listed(one.choices)}"
    if one.type is InputType.BOOLEAN and value not in BOOLEANS:
        return f"is no boolean, which input {_quoted(one)} takes", "write true or false; quotes make it a text"
    if one.type is InputType.NUMBER and not matches(NUMBER, value):
        return f"is no number, which input {_quoted(one)} takes", "write digits, perhaps with a sign and a fraction"
    if one.pattern is not None and not matches(one.pattern, value):
        return f"does not match the pattern of input {_quoted(one)}", f"all of it must match {one.pattern}"
    return None


def _quoted(one: Input) -> str:
    return f'"{one.name}"'


def _check(node: Scalar, refusal: tuple[str, str] | None, report: Report) -> None:
    if refusal is not None:
        why, hint = refusal
        report.add(codes.INVALID_INPUT, f'"{node.text}" {why}', at=node.span, hint=hint)


def _check_names(config: Config, report: Report) -> None:
    """Report names that scripts could not read, or that would change what they do."""
    if not config.inputs:
        return
    from pipegen.plan.runs.input_names import is_reserved  # noqa: PLC0415 - for files that have inputs

    seen: dict[str, Span] = {}
    for name, _ in config.inputs:
        first = seen.setdefault(name.value.lower(), name.span)
        if is_reserved(name.value):
            report.add(
                codes.RESERVED_INPUT_NAME,
                f'no input can be named "{name.value}": engines and programs read a variable of that name',
                at=name.span,
                hint="choose another name",
            )
        elif first is not name.span:
            report.add(
                codes.RESERVED_INPUT_NAME,
                f'"{name.value}" and another input differ in case alone, which Jenkins does not see',
                at=name.span,
                also=[Label(first, "the other one")],
                hint="rename one of the two",
            )
    for stage in (stage for pipeline in config.pipelines for stage in pipeline.stages):
        if stage.name.value == "inputs":
            report.add(
                codes.RESERVED_NAME,
                'no stage can be named "inputs" in a file that has inputs',
                at=stage.name.span,
                also=[Label(config.inputs[0][0].span, "the file's inputs")],
                hint="rename the stage",
            )


def _fixed(
    inputs: tuple[Input, ...], given: Mapping[str, str], config: Config, report: Report
) -> Iterator[tuple[str, str]]:
    """Yield the values in *given* that parameters take; others are reported."""
    known = {one.name: one for one in inputs}
    for name, value in given.items():
        one = known.get(name)
        if one is None:
            _report_unknown(name, known, config, report)
            continue
        refusal = _refusal(value, one)
        if refusal is not None:
            report.add(codes.INVALID_SET, f'--set: "{value}" {refusal[0]}', at=one.span, hint=refusal[1])
        yield name, value


def _report_unknown(name: str, known: Mapping[str, Input], config: Config, report: Report) -> None:
    found = suggestion(name, known)
    hint = f'write "--set {found}=…"' if found else f"its inputs are {listed(tuple(known))}"
    report.add(
        codes.INVALID_SET,
        f'--set: "{config.file.path}" has no input "{name}"',
        at=Span(config.file, 0, 0),
        hint=hint if known else "add it to the file's inputs",
    )
