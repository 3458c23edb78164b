"""The parameters of a file (`inputs`), and values set at compile time (`--set`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipegen.config.model import Config
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.plan.model import Input, InputType
from pipegen.plan.model.inputs import BOOLEANS, NUMBER
from pipegen.plan.runs.input_patterns import first_incompatibility, matches
from pipegen.source.text import Located, Span
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, ScalarKind, items_of, written_text
from pipegen.structs import Struct

_TYPES = {
    ScalarKind.BOOLEAN: InputType.BOOLEAN,
    ScalarKind.INTEGER: InputType.NUMBER,
    ScalarKind.NUMBER: InputType.NUMBER,
}
# Engines pass parameters to scripts as variables of the same name, so no parameter may have the names of these:
# variables of engines, their tools and pipegen. Jenkins reads `path` as PATH: its variables ignore case.
_OTHERS = (
    r"(?:BUILDKIT|CI|FF|GITLAB|HUDSON|JENKINS|PIPEGEN|RUNNER)_.*|BRANCH_(?:NAME|IS_PRIMARY)"
    # https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables, and those of usual plugins.
    r"|BUILD_(?:NUMBER|ID|DISPLAY_NAME|TAG|URL|CAUSE.*|USER.*|TIMESTAMP)"
    # https://docs.docker.com/reference/cli/docker/#environment-variables, and those of the daemon and its image.
    r"|DOCKER_(?:API_VERSION|AUTH_CONFIG|BUILD.*|CERT_PATH|CLI_.*|CONFIG|CONTENT_TRUST.*|CONTEXT|CUSTOM_HEADERS"
    r"|DEFAULT_PLATFORM|DRIVER|HIDE_LEGACY_COMMANDS|HOST|IPTABLES.*|MACHINE_.*|OPTS|RAMDISK|ROOTLESS.*|TLS.*|TMPDIR)"
    # https://git-scm.com/docs/git#_environment_variables has too many for a list.
    r"|GIT_(?!(?:REPO|REPOSITORY|REPO_URL|REF|TAG|SHA)$).*"
    r"|CHANGE_(?:ID|URL|TITLE|AUTHOR.*|TARGET|BRANCH|FORK)|JOB_(?:NAME|BASE_NAME|(?:DISPLAY_)?URL)"
    r"|NODE_(?:NAME|LABELS)|RUN_[A-Z]+_DISPLAY_URL|STAGE_NAME"
    r"|PIPEGEN|CI|DOCKER|HELM|EXECUTOR_NUMBER|TAG_(?:NAME|TIMESTAMP|UNIXTIME|DATE)|WORKSPACE(?:_TMP)?"
    r"|(?:HTTP|HTTPS|FTP|ALL|NO)_PROXY|HOME|HOSTNAME|LOGNAME|PATH|PWD|OLDPWD|SHELL|TERM|TMPDIR|TZ|USER"
)
# Variables that control shells, the loader and interpreters.
_CONTROLS = (
    r"_|IFS|ENV|CDPATH|LINENO|MAIL(?:CHECK|PATH)?|OPTARG|OPTIND|OPTERR|PS[0-4]|PPID|UID|EUID|FPATH|GLOBIGNORE"
    r"|BASH(?:OPTS|PID|_.*)?|SHELLOPTS|POSIXLY_CORRECT|LANG(?:UAGE)?|LC_.*|LD_.*|DYLD_.*|SSH_.*"
    r"|NODE_OPTIONS|PERL5(?:LIB|OPT)|PYTHON(?:HOME|PATH|STARTUP)|RUBY(?:LIB|OPT)|JAVA_TOOL_OPTIONS|MAKEFLAGS"
)


class Parameters(Struct):
    """The parameters of a file in its order; *fixed* has the values that are set at compile time.

    A default is not such a value: a run may override it.
    """

    inputs: tuple[Input, ...]
    fixed: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters."""
        return tuple(parameter.name for parameter in self.inputs)

    @property
    def at_run_time(self) -> tuple[Input, ...]:
        """The parameters whose values are known only at run time."""
        return tuple(parameter for parameter in self.inputs if parameter.name not in self.fixed)

    def constant(self, name: str) -> str | None:
        """Return the value of the parameter *name* if it is set at compile time, else None."""
        return self.fixed.get(name)


def read_parameters(config: Config, fixed: Mapping[str, str], report: Report) -> Parameters:
    """Return the parameters of *config*, with the values in *fixed*; errors are reported."""
    inputs = tuple(_input(name, node, report) for name, node in config.inputs)
    _check_names(config, report)
    return Parameters(inputs, dict(_fixed(inputs, fixed, config, report)))


def _input(name: Located[str], node: Node, report: Report) -> Input:
    """Return a parameter; *node* is a map, or its default."""
    body = node if isinstance(node, Map) else Map((), node.span)
    default = body.get("default") if isinstance(node, Map) else node
    choices = [item for item in items_of(body.get("choices")) if isinstance(item, Scalar)]
    kind = _type(body.get("type"), default, has_choices=bool(choices))
    pattern, description = body.get("pattern"), body.get("description")
    parameter = Input(
        name=name.value,
        type=kind,
        default=_text(default, kind) if isinstance(default, Scalar) else None,
        choices=tuple(dict.fromkeys(_text(item, kind) for item in choices)),
        pattern=_pattern(pattern, report) if isinstance(pattern, Scalar) else None,
        description=written_text(description),
        span=name.span,
    )
    for item in choices:
        _check(item, _refusal(_text(item, kind), parameter, is_choice=True), report)
    if isinstance(default, Scalar):
        _check(default, _refusal(_text(default, kind), parameter), report)
    return parameter


def _type(node: Node | None, default: Node | None, *, has_choices: bool) -> InputType:
    """Return the given type, else the type of the default; parameters with choices are strings."""
    if isinstance(node, Scalar):
        return InputType(node.text)
    if has_choices or not isinstance(default, Scalar):
        return InputType.STRING
    return _TYPES.get(default.kind, InputType.STRING)


def _text(node: Scalar, kind: InputType) -> str:
    """Return the text of a value; YAML allows booleans in several cases."""
    return node.text.lower() if kind is InputType.BOOLEAN and node.kind is ScalarKind.BOOLEAN else node.text


def _pattern(node: Scalar, report: Report) -> str | None:
    problem = first_incompatibility(node.text)
    if problem is None:
        return node.text
    report.add(
        codes.INVALID_PATTERN,
        f'"grep -E", RE2 and Python differ on {problem.message}',
        at=node.part(problem.at, problem.at + 1) if node.text else node.span,
        hint=problem.hint,
    )
    return None


def _refusal(value: str, parameter: Input, *, is_choice: bool = False) -> tuple[str, str] | None:
    """Return why *value* is not valid for *parameter*, and a hint; None if it is valid."""
    if not is_choice and parameter.choices and value not in parameter.choices:
        return f"is not a choice of input {_quoted(parameter)}", f"its choices are {listed(parameter.choices)}"
    if parameter.type is InputType.BOOLEAN and value not in BOOLEANS:
        return f"is not a boolean, as input {_quoted(parameter)} requires", "write true or false, without quotes"
    if parameter.type is InputType.NUMBER and not matches(NUMBER, value):
        return (
            f"is not a number, as input {_quoted(parameter)} requires",
            "write digits, perhaps with sign and fraction",
        )
    if parameter.pattern is not None and not matches(parameter.pattern, value):
        return (
            f"does not match the pattern of input {_quoted(parameter)}",
            f"all of it must match {parameter.pattern}",
        )
    return None


def _quoted(parameter: Input) -> str:
    return f'"{parameter.name}"'


def _check(node: Scalar, refusal: tuple[str, str] | None, report: Report) -> None:
    if refusal is not None:
        reason, hint = refusal
        report.add(codes.INVALID_INPUT, f'"{node.text}" {reason}', at=node.span, hint=hint)


def _check_names(config: Config, report: Report) -> None:
    """Report names that scripts cannot read, or that change how programs behave."""
    if not config.inputs:
        return
    spans: dict[str, Span] = {}
    for name, _ in config.inputs:
        first = spans.setdefault(name.value.lower(), name.span)
        if is_reserved(name.value):
            report.add(
                codes.RESERVED_INPUT_NAME,
                f'an input cannot be named "{name.value}": engines and programs read a variable of that name',
                at=name.span,
                hint="choose another name",
            )
        elif first is not name.span:
            report.add(
                codes.RESERVED_INPUT_NAME,
                f'"{name.value}" differs from another input only in case, which Jenkins ignores',
                at=name.span,
                related=[Label(first, "the other one")],
                hint="rename one of the two",
            )
    for stage in (stage for pipeline in config.pipelines for stage in pipeline.stages):
        if stage.name.value == "inputs":
            report.add(
                codes.RESERVED_NAME,
                'a stage cannot be named "inputs" in a file that has inputs',
                at=stage.name.span,
                related=[Label(config.inputs[0][0].span, "the file's inputs")],
                hint="rename the stage",
            )


def _fixed(
    inputs: tuple[Input, ...], fixed: Mapping[str, str], config: Config, report: Report
) -> Iterator[tuple[str, str]]:
    """Yield the valid values in *fixed*; others are reported."""
    by_name = {parameter.name: parameter for parameter in inputs}
    for name, value in fixed.items():
        parameter = by_name.get(name)
        if parameter is None:
            _report_unknown(name, by_name, config, report)
            continue
        refusal = _refusal(value, parameter)
        if refusal is not None:
            report.add(codes.INVALID_SET, f'--set: "{value}" {refusal[0]}', at=parameter.span, hint=refusal[1])
        yield name, value


def _report_unknown(name: str, inputs: Mapping[str, Input], config: Config, report: Report) -> None:
    similar = suggestion(name, inputs)
    hint = f'write "--set {similar}=…"' if similar else f"its inputs are {listed(tuple(inputs))}"
    report.add(
        codes.INVALID_SET,
        f'--set: "{config.file.path}" has no input "{name}"',
        at=Span(config.file, 0, 0),
        hint=hint if inputs else "add it to the file's inputs",
    )


def is_reserved(name: str) -> bool:
    """Return whether *name* has a meaning for an engine, a shell or a program that scripts start."""
    return re.fullmatch(_OTHERS, name, re.IGNORECASE) is not None or re.fullmatch(_CONTROLS, name) is not None
