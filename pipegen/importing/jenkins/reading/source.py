"""A Declarative Jenkinsfile: its sections, and its stages in their order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.jenkins.reading.functions import (
    FileReader,
    functions_of_pipegen,
    is_of_pipegen,
    step_functions,
)
from pipegen.importing.jenkins.reading.statements import GroovyReader
from pipegen.importing.jenkins.reading.syntax import (
    GroovyArgument,
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    OtherGroovy,
    Statement,
    constant,
    texts,
)
from pipegen.numbering import unique_name
from pipegen.readback import declarative
from pipegen.readback.declarative import Leaf, MatrixPart, Parallel, Part, Serial
from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.readback.jenkins import pipeline_of
from pipegen.source.text import SourceFile, Span
from pipegen.structs import Struct, replace

_DEFINITION = re.compile(r"(?:@Field\s+)?(?:final\s+)?(?:def|String)\s+(\w+)\s*=\s*(['\"])([^'\"$\\\n]*)\2\s*;?")
_DEFINING = frozenset({"def", "String", "final", "boolean", "int", "List", "Map", "void"})
_ENV_VARIABLE = re.compile(r"\benv\.(\w+)\s*=(?![=~])")
_FUNCTION = re.compile(r"(?:def|void)\s+(\w+)\s*\(")
# The annotation for libraries of which only the names are given.
LIBRARY = re.compile(r"@Library\(\s*(?:value\s*=\s*)?(\[[^\]]*\]|'[^']*'|\"[^\"]*\")\s*\)")
# Jenkins cannot run a Declarative pipeline with nearly as many.
_MOST_STAGES = 1_000
_BY_HAND = "write the config by hand: docs/from-jenkins.md shows each part"
_COMMENT = re.compile(r"\s*//+ ?(.*)")
# The rest of a line with a comment.
_BESIDE = re.compile(r"[ \t]*[;,]?[ \t]*//+ ?(?P<comment>[^\r\n]*)")
# A line of a comment in several lines, without its marks.
_MARKS = re.compile(r"^\s*(?:/?\*+/?)? ?|\s*\*+/\s*$")


class JenkinsStage(Struct, kw_only=True):
    """A stage with steps; *inside* are the blocks of the stages around it, the outermost first.

    *matrix* is the block of the matrix whose cells it runs in, and *cell* the stage of that matrix which runs just
    before it in each cell.
    """

    name: str
    call: GroovyCall
    inside: tuple[GroovyCall, ...]
    matrix: GroovyCall | None
    cell: str | None = None

    def blocks(self, name: str, inner: GroovyCall | None = None) -> Iterator[GroovyCall]:
        """Yield the blocks *name* of the stage and of those around it, the outermost first.

        With *inner*, one of these stages, they are those of the stages around that one.
        """
        for call in takewhile(lambda call: call is not inner, (*self.inside, self.call)):
            yield from sections(call, name)


class JenkinsSource(Struct, kw_only=True):
    """The *pipeline* of a file, its stages, the stages before each, and the statements around the pipeline.

    *functions* are those whose steps stand for their calls, *function_texts* the texts of all.
    """

    file: SourceFile
    code: GroovyTokens
    pipeline: GroovyCall
    stages: tuple[JenkinsStage, ...]
    before: Mapping[str, frozenset[str]]
    others: tuple[Statement, ...]
    functions: Mapping[str, GroovyBlock]
    function_texts: Mapping[str, str]
    constants: Mapping[str, str]
    libraries: tuple[str, ...]
    # Names that other Groovy of the file sets: functions, and variables that are known only at run time.
    computed: frozenset[str]
    # Variables of `env` that Groovy of the file sets, each once.
    # The variables of `env` that Groovy sets, each with the offset of the first assignment.
    env_variables: Mapping[str, int]

    def section(self, name: str) -> GroovyCall | None:
        """Return the section *name* of the pipeline."""
        return next(sections(self.pipeline, name), None)

    @property
    def split_parameters(self) -> Sequence[str]:
        """The parameters of texts whose default, or one of whose choices, is not one word: empty, or with blanks."""
        return [name for name, call in self._parameters() if not _has_words(call)]

    @property
    def escaped_parameters(self) -> Sequence[str]:
        """The parameters with a backslash in their default, or in a choice."""
        return [name for name, call in self._parameters() if any("\\" in value for value in _values(call))]

    def _parameters(self) -> Iterator[tuple[str, GroovyCall]]:
        """Yield the names of the parameters, and the parameters."""
        section = self.section("parameters")
        for call in section.block.statements if section is not None and section.block is not None else ():
            argument = call.argument("name") if isinstance(call, GroovyCall) else None
            name = constant(argument.value) if argument is not None else None
            if isinstance(call, GroovyCall) and name:
                yield name, call


def sections(call: GroovyCall, name: str) -> Iterator[GroovyCall]:
    """Yield the directives *name* directly in the block of *call*."""
    for statement in call.block.statements if call.block is not None else ():
        if isinstance(statement, GroovyCall) and statement.name == name:
            yield statement


def _has_words(call: GroovyCall) -> bool:
    """Return whether the default of the parameter *call*, and each of its choices, is one word."""
    return call.name == "booleanParam" or all(re.fullmatch(r"\S+", word) for word in _values(call))


def _values(call: GroovyCall) -> Sequence[str]:
    """Return the default of the parameter *call*, or its choices."""
    is_choice = call.name == "choice"
    argument = call.argument("choices" if is_choice else "defaultValue")
    values = (texts(argument.value) if argument is not None else None) or ("",)
    return [word for value in values for word in (value.rstrip("\n").split("\n") if is_choice else (value,))]


def read_source(file: SourceFile, report: Report) -> JenkinsSource:
    """Return the pipeline of *file*; raise `Stopped` if it is not Declarative."""
    is_declarative = True
    try:
        file = _without_line_marks(file)
        code = GroovyTokens(file.text)
        pipeline = pipeline_of(code)
        is_declarative = pipeline is not None
        if pipeline is None:
            raise code.error(0, 'there is no block "pipeline": only Declarative pipelines can be imported')
        own = functions_of_pipegen(file)
        functions = step_functions(file, code, own)
        reader = FileReader(file, code, functions)
        call = reader.call(pipeline)
        if call is None or call.block is None:
            raise code.error(pipeline, "this is not a block")
        stages = _Stages(reader, code)
        whole = stages.named(declarative.read_stages(code, pipeline))
        if len(stages.stages) > _MOST_STAGES:
            raise code.error(pipeline, f"it has more than {_MOST_STAGES:,} stages")
    except UnreadableError as error:
        hint = f"correct it if Jenkins refuses it, too; else {_BY_HAND}" if is_declarative else _BY_HAND
        message = f"this Jenkinsfile cannot be imported: {error}"
        report.add(codes.NOT_IMPORTED, message, at=Span(file, error.start, error.end), hint=hint)
        raise Stopped from error
    others = [
        statement
        for statement in reader.file_statements()
        if statement.span.start != call.span.start
        and function_name(statement) not in own
        and not is_of_pipegen(statement, own)
    ]
    graph = declarative.graph_of(whole)
    assigned = Counter(_computed(code))
    constants = {name: text for name, text in _constants(others) if assigned[name] == 1}
    return JenkinsSource(
        file=file,
        code=code,
        pipeline=call,
        stages=tuple(stages.stages),
        before={stage.name: frozenset(graph.ancestors(stage.name)) for stage in stages.stages},
        others=tuple(others),
        functions=functions,
        function_texts={name: each.span.text for each in others if (name := function_name(each)) is not None},
        constants=constants,
        libraries=tuple(_libraries(code, file.text)),
        computed=frozenset(assigned) - constants.keys(),
        env_variables=_env_variables(code, file.text),
    )


def _env_variables(code: GroovyTokens, text: str) -> Mapping[str, int]:
    offsets: dict[str, int] = {}
    for match in _in_code(_ENV_VARIABLE, "env", code, text):
        offsets.setdefault(match[1], match.start())
    return offsets


def _without_line_marks(file: SourceFile) -> SourceFile:
    """Return *file* without backslashes at the ends of lines after signs with which a statement continues anyway."""
    text = file.text
    if "\\\n" not in text:
        return file
    code = GroovyTokens(text)
    for before, token in pairwise(code.tokens[: code.size]):
        is_mark = token.kind is TokenKind.SIGN and token.text == "\\" and text.startswith("\n", token.end)
        if is_mark and before.text in (",", "+", ":", "=", "(", "["):
            text = f"{text[: token.start]} {text[token.end :]}"
    return replace(file, text=text)


def function_name(statement: Statement) -> str | None:
    """Return the name of the function that *statement* defines, None if it defines none."""
    match = _FUNCTION.match(statement.span.text) if isinstance(statement, OtherGroovy) else None
    return match[1] if match else None


def _constants(statements: list[Statement]) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of constants of the file."""
    for statement in statements:
        if isinstance(statement, OtherGroovy) and (match := _DEFINITION.fullmatch(statement.span.text.strip())):
            yield match[1], match[3]
        elif isinstance(statement, GroovyAssignment) and (text := constant(statement.value)) is not None:
            yield statement.name, text


def _computed(code: GroovyTokens) -> Iterator[str]:
    """Yield the names that statements of *code* set, without the variables of `environment`."""
    environment_end = 0
    for index in range(code.size):
        name = code.word(index)
        if name == "environment" and code.is_sign(index + 1, "{"):
            environment_end = code.end_of(index + 1)
        if index < environment_end:
            continue
        is_defined = index > 0 and code.word(index - 1) in _DEFINING and not code.is_sign(index - 1, ".")
        is_function = is_defined and code.is_sign(index + 1, "(")
        is_assigned = code.is_sign(index + 1, "=") and not any(code.is_sign(index + 2, sign) for sign in "=~")
        is_part = index > 0 and code.is_sign(index - 1, ".")
        if name and not is_part and (is_function or is_assigned or is_defined):
            yield name


def _libraries(code: GroovyTokens, text: str) -> Iterator[str]:
    for match in _in_code(LIBRARY, "@", code, text):
        yield from re.findall(r"['\"]([^'\"]+)['\"]", match[1])


def _in_code(pattern: re.Pattern[str], start: str, code: GroovyTokens, text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of *pattern* in *text* that begin with the token *start*, not in a comment or a string."""
    matches = list(pattern.finditer(text))
    starts = {token.start for token in code.tokens if token.text == start} if matches else frozenset()
    yield from (match for match in matches if match.start() in starts)


class _Stages:
    """Finds the stages with steps, and gives each a name of its own."""

    def __init__(self, reader: GroovyReader, code: GroovyTokens) -> None:
        self._reader = reader
        self._code = code
        self._names: Counter[str] = Counter()
        self._taken: set[str] = {*StageConfig.RESERVED_NAMES}
        self.stages: list[JenkinsStage] = []

    def named(self, whole: Serial) -> Part:
        """Return *whole* with the names that the stages get."""
        self._names = Counter(leaf.name for leaf in declarative.leaves(whole))
        return self._part(whole, (), None)

    def _part(self, part: Part, inside: tuple[GroovyCall, ...], matrix: GroovyCall | None) -> Part:
        match part:
            case Leaf():
                return self._leaf(part, inside, matrix)
            case MatrixPart():
                stage = self._call(part.index)
                block = next(sections(stage, "matrix"))
                if not _has_axes(block):
                    raise self._code.error(part.index, "its matrix needs axes, each with values")
                start = len(self.stages)
                inner = tuple(self._part(child, (*inside, stage, block), block) for child in part.parts)
                self._connect(start)
                return Serial(inner, part.index)
            case Serial() | Parallel():
                around = inside if part.index is None else (*inside, self._call(part.index))
                return type(part)(tuple(self._part(child, around, matrix) for child in part.parts), part.index)

    def _leaf(self, leaf: Leaf, inside: tuple[GroovyCall, ...], matrix: GroovyCall | None) -> Leaf:
        name = leaf.name
        parents = [title for call in inside if call.name == "stage" and (title := _title(call))]
        while (self._names[leaf.name] > 1 or name in self._taken) and parents:
            name = f"{parents.pop()} / {name}"
            if name not in self._taken:
                break
        name = unique_name(name, self._taken, "{} {}".format)
        self.stages.append(JenkinsStage(name=name, call=self._call(leaf.index), inside=inside, matrix=matrix))
        return Leaf(name, leaf.index)

    def _connect(self, start: int) -> None:
        """Let the stages of a cell after the first use the combinations of the one before: cells do not wait."""
        cells = self.stages[start:]
        self.stages[start + 1 :] = [replace(stage, cell=before.name) for before, stage in pairwise(cells)]

    def _call(self, index: int) -> GroovyCall:
        call = self._reader.call(index)
        if call is None or call.block is None:
            raise self._code.error(index, "this is not a stage")
        return call


def _has_axes(matrix: GroovyCall) -> bool:
    axes = [axis for section in sections(matrix, "axes") for axis in sections(section, "axis")]
    values = [next(sections(axis, name), None) for axis in axes for name in ("name", "values")]
    return bool(axes) and all(call is not None and call.arguments for call in values)


def _title(call: GroovyCall) -> str | None:
    argument: GroovyArgument | None = call.argument("")
    return constant(argument.value) if argument is not None else None


def comment_above(span: Span) -> str:
    """Return the comment in the lines above *span*; none if it is not the first on its line."""
    file, line, lines = span.file, span.first.line - 1, list[str]()
    if file.line(line + 1)[: span.first.column - 1].strip():
        return ""
    while line >= 1:
        text = file.line(line)
        if match := _COMMENT.fullmatch(text):
            lines.append(match[1].rstrip())
            line -= 1
        elif text.rstrip().endswith("*/") and (block := _block_comment(file, line)):
            lines += [_MARKS.sub("", each).rstrip() for each in reversed(block)]
            line -= len(block)
        else:
            break
    return "\n".join(reversed(lines)).strip("\n")


def comment_beside(file: SourceFile, end: int) -> str:
    """Return the comment that follows the offset *end* on its line."""
    match = _BESIDE.match(file.text, end)
    return match["comment"].rstrip() if match else ""


def comment_about(call: GroovyCall) -> str:
    """Return the comments above *call* and beside it."""
    return "\n".join(filter(None, (comment_above(call.span), comment_beside(call.span.file, call.whole.end))))


def comment_around(call: GroovyCall) -> str:
    """Return the comments above *call* and after the brace of its block."""
    brace = call.block.span.start + 1 if call.block is not None else call.whole.end
    return "\n".join(filter(None, (comment_above(call.span), comment_beside(call.span.file, brace))))


def _block_comment(file: SourceFile, last: int) -> list[str]:
    """Return the lines of the comment that ends in the line *last*; none if other text is before it."""
    lines: list[str] = []
    for number in range(last, 0, -1):
        lines.insert(0, file.line(number))
        if "/*" in lines[0]:
            break
    return lines if lines[0].lstrip().startswith("/*") else []
