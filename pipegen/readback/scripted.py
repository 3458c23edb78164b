"""The stages that a scripted Jenkinsfile declares, and how the code before the driver starts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.readback.groovy import GroovyTokens, TokenPositions
from pipegen.readback.literals import Function, GroovyValues
from pipegen.structs import Struct

# The driver's functions and Jenkins' own step that determine the order.
_DECLARES, _DECLARES_TABLES = "addStage", "addTables"
_RUN, _READY, _PARALLEL = "runStages", "stagesReady", "parallel"
_VERBS = frozenset({_DECLARES, _DECLARES_TABLES, _RUN, _READY, _PARALLEL, "runStage"})
_STAGE, _AFTER, _MORE = "stage ", "after ", "+"
_LOOPS = frozenset({"for", "while", "do", "switch", "else", "catch"})


class DeclaredStage(Struct):
    """A stage, and the names of its predecessors; *index* is the token of the declaration."""

    name: str
    after: tuple[str, ...]
    index: int


class StartedStages(Struct):
    """Stages that are started, with all that become ready: *names*, or those that wait only for *done*.

    With neither, those without predecessors.
    """

    names: tuple[str, ...] | None
    done: str | None
    index: int


class StartSequence(Struct):
    """Sequential starts: each ends when all stages that it made ready end."""

    parts: tuple[Flow, ...]


class Branches(Struct):
    """Parallel starts."""

    parts: tuple[Flow, ...]


Flow = StartedStages | StartSequence | Branches


class ScriptedFile(Struct):
    """The stages of a file in text order, and how they start."""

    stages: tuple[DeclaredStage, ...]
    flow: Flow


def read(code: GroovyTokens, functions: tuple[Function, ...], driver: frozenset[str]) -> ScriptedFile:
    """Return the stages and starts in *code*, apart from the functions of the *driver*."""
    return _Reader(code, {function.name: function for function in functions if function.name not in driver}).script(
        functions
    )


class _Reader:
    def __init__(self, code: GroovyTokens, own: Mapping[str, Function]) -> None:
        self._code = code
        self._own = own
        self._values = GroovyValues(code, own)
        self._verbs = code.positions(_VERBS)
        self._steps = self._with_verbs()
        self._stages: dict[str, DeclaredStage] = {}
        self._branches: dict[str, dict[str, Flow]] = {}
        self._running: list[str] = []
        self._has_started = False

    def script(self, functions: tuple[Function, ...]) -> ScriptedFile:
        """Return the stages and starts of the whole file."""
        parts: list[Flow] = []
        index = 0
        for function in (*functions, None):
            end = function.start if function is not None else self._code.size
            parts += self._flows(index, end)
            index = self._code.skip(function.body) if function is not None else end
        if not self._has_started:
            raise self._code.error(0, "no stages are started")
        return ScriptedFile(tuple(self._stages.values()), StartSequence(tuple(parts)))

    def _with_verbs(self) -> TokenPositions:
        """Return the positions of verbs, and of functions that use them."""
        callers_known: set[str] = set()
        has_grown = True
        words = self._verbs
        while has_grown:
            callers = {
                name
                for name, function in self._own.items()
                if words.first(function.body, self._code.end_of(function.body)) is not None
            }
            has_grown = not callers <= callers_known
            callers_known |= callers
            words = self._code.positions(_VERBS | callers_known)
        return words

    # Statements

    def _flows(self, index: int, end: int) -> Iterator[Flow]:
        """Yield the starts from *index* to *end*, and record the stages that are declared there."""
        while (verb := self._steps.first(index, end)) is not None:
            index = self._enclosing_index(index, verb, end)
            flow, index = self._statement(index, verb)
            if flow is not None:
                yield flow

    def _enclosing_index(self, index: int, verb: int, end: int) -> int:
        """Return the index, on the level of *index*, of *verb* or of the bracket that encloses it."""
        while index < end and not (index == verb or (self._code.is_open(index) and self._code.end_of(index) > verb)):
            index = self._code.skip(index)
        return index

    def _statement(self, index: int, verb: int) -> tuple[Flow | None, int]:
        """Return the start in the statement at *index*, if any, and the index after the statement."""
        if index == verb:
            return self._call(index)
        if not self._code.is_sign(index, "{"):
            raise self._code.error(verb, f'"{self._code.word(verb)}" is called where its order is unknown')
        if (values := self._looped(index)) is not None:
            return StartSequence(tuple(self._repeated(index, values))), self._code.skip(index)
        self._check_head(index, verb)
        flow = StartSequence(tuple(self._flows(index + 1, self._code.end_of(index))))
        branch = self._branch_of(index)
        if branch is not None:
            self._branches.setdefault(branch[0], {})[branch[1]] = flow
            return None, self._code.skip(index)
        return flow, self._code.skip(index)

    def _looped(self, brace: int) -> tuple[str, ...] | None:
        """Return the texts for each of which the block at *brace* runs, None for other blocks: `['a', 'b'].each {`."""
        code = self._code
        if not code.is_word(brace - 1, "each") or not code.is_sign(brace - 2, ".") or not code.is_sign(brace - 3, "]"):
            return None
        has_name = code.word(brace + 1) and code.is_sign(brace + 2, "-") and code.is_sign(brace + 3, ">")
        return self._values.texts(code.start_of(brace - 3))[0] if has_name else None

    def _repeated(self, brace: int, values: tuple[str, ...]) -> Iterator[Flow]:
        """Yield the starts in the block at *brace* for each of *values*."""
        name = self._code.word(brace + 1)
        for value in values:
            self._values.constants[name] = value
            yield from self._flows(brace + 4, self._code.end_of(brace))
        self._values.constants.pop(name, None)

    def _check_head(self, brace: int, verb: int) -> None:
        """Raise for a block at *brace* that may run several times or conditionally."""
        head = brace - 1
        if self._code.is_sign(head, ")"):
            head = self._code.start_of(head) - 1
        keyword = self._code.word(head)
        if keyword in _LOOPS:
            raise self._code.error(verb, f'"{self._code.word(verb)}" is called in "{keyword}"')

    def _branch_of(self, brace: int) -> tuple[str, str] | None:
        """Return the map and the name of a branch if the block at *brace* is assigned to one: `map['name'] = {`."""
        code = self._code
        if not code.is_sign(brace - 1, "=") or not code.is_sign(brace - 2, "]"):
            return None
        start = code.start_of(brace - 2)
        return code.word(start - 1), self._values.text(start + 1)[0]

    # Calls

    def _call(self, index: int) -> tuple[Flow | None, int]:
        """Return the start in the call of a verb at *index*, if any, and the index after the call."""
        verb = self._code.word(index)
        if verb == _PARALLEL and not self._stages:
            # Groovy of the user, before the stages; a start in it is an error once a stage is declared.
            return None, index + 1
        if verb == _PARALLEL:
            return self._parallel(index), index + 2
        if not self._code.is_sign(index + 1, "("):
            raise self._code.error(index, f'"{verb}" is called where its order is unknown')
        if verb == _DECLARES:
            return None, self._declare(index)
        skip = self._code.skip(index + 1)
        if verb == _RUN:
            return self._start(index), skip
        return self._inlined(verb, index), skip

    def _declare(self, index: int) -> int:
        """Record the stage of the call at *index*, and return the index after its body."""
        code = self._code
        name, argument = self._values.text(index + 2)
        end = code.end_of(index + 1)
        after: tuple[str, ...] = ()
        while argument < end:
            if not code.is_sign(argument, ",") or not code.word(argument + 1) or not code.is_sign(argument + 2, ":"):
                raise code.error(argument, "a named argument of the stage is expected")
            if code.is_word(argument + 1, "after"):
                after, argument = self._values.texts(argument + 3)
            else:
                argument += 3
            while argument < end and not code.is_sign(argument, ","):
                argument = code.skip(argument)
        if not code.is_sign(end + 1, "{"):
            raise code.error(index, f'stage "{name}" has no body')
        self._note(DeclaredStage(name, after, index))
        return code.skip(end + 1)

    def _declare_tables(self, index: int) -> None:
        first, last = self._values.number(index + 2), self._values.number(index + 4)
        for number in range(first, last + 1):
            text = self._values.chosen_text("table", number, index)
            for name, after in stages_of_table(text):
                self._note(DeclaredStage(name, after, index))

    def _note(self, stage: DeclaredStage) -> None:
        if stage.name in self._stages:
            raise self._code.error(stage.index, f'two stages are called "{stage.name}"')
        if self._has_started:
            raise self._code.error(stage.index, f'stage "{stage.name}" is declared after stages have started')
        self._stages[stage.name] = stage

    def _start(self, index: int) -> StartedStages:
        """Return the stages that the call of `runStages` at *index* starts."""
        code = self._code
        self._has_started = True
        if not code.is_word(index + 2, _READY):
            names, skip = self._values.texts(index + 2)
            started = StartedStages(names, None, index)
        elif code.is_sign(index + 4, ")"):
            started, skip = StartedStages(None, None, index), index + 5
        else:
            done, skip = self._values.text(index + 4)
            started, skip = StartedStages(None, done, index), skip + 1
        if skip != code.end_of(index + 1):
            raise code.error(skip, "nothing else is expected in these parentheses")
        return started

    def _parallel(self, index: int) -> Flow:
        name = self._code.word(index + 1)
        if name not in self._branches:
            raise self._code.error(index, "these branches are unknown")
        return Branches(tuple(self._branches.pop(name).values()))

    def _inlined(self, name: str, index: int) -> Flow | None:
        """Return the starts in the file's function *name*, or declare the stages of tables."""
        if name == _DECLARES_TABLES:
            self._declare_tables(index)
            return None
        if name not in self._own:
            raise self._code.error(index, f'"{name}" is called where its order is unknown')
        if name in self._running:
            raise self._code.error(index, f'the function "{name}" calls itself')
        self._running.append(name)
        body = self._own[name].body
        parts = tuple(self._flows(body + 1, self._code.end_of(body)))
        self._running.pop()
        return StartSequence(parts) if parts else None


def stages_of_table(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each stage of a table with the names of its predecessors.

    The first characters of a line are its kind; a line that begins with a plus continues the text before it.
    """
    name, after = "", list[str]()
    has_stage = False
    field = None
    for line in text.split("\n"):
        if line.startswith(_STAGE):
            if has_stage:
                yield name, tuple(after)
            name, after, has_stage, field = line.removeprefix(_STAGE), [], True, _STAGE
        elif line.startswith(_AFTER):
            after.append(line.removeprefix(_AFTER))
            field = _AFTER
        elif line.startswith(_MORE) and field == _STAGE:
            name += "\n" + line.removeprefix(_MORE)
        elif line.startswith(_MORE) and field == _AFTER:
            after[-1] += "\n" + line.removeprefix(_MORE)
        elif not line.startswith(_MORE):
            field = None
    if has_stage:
        yield name, tuple(after)
