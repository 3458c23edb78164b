"""What a scripted Jenkinsfile declares and starts: its stages, and the code between them and the driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.readback.groovy import GroovyTokens, TokenPositions
from pipegen.readback.literals import Function, GroovyValues
from pipegen.structs import Struct

# What makes the order, by the names of the driver's functions and Jenkins' own steps.
_DECLARES, _DECLARES_TABLES = "addStage", "addTables"
_ADVANCE, _READY, _RUN, _PARALLEL = "advance", "stagesReady", "runStages", "parallel"
_VERBS = frozenset({_DECLARES, _DECLARES_TABLES, _ADVANCE, _READY, _RUN, _PARALLEL, "runStage", "stagesLeft"})
_STAGE, _AFTER, _MORE = "stage ", "after ", "+"
_LOOPS = frozenset({"for", "while", "do", "switch", "else", "catch"})


class DeclaredStage(Struct):
    """A stage, and the names that it comes after; *place* is the token where that is said."""

    name: str
    after: tuple[str, ...]
    place: int


class StartedStages(Struct):
    """Stages that are started, with all that this makes ready: *names*, or those that wait for *done* alone.

    With neither, those that wait for nothing.
    """

    names: tuple[str, ...] | None
    done: str | None
    place: int


class StartSequence(Struct):
    """Starts one after the other: each ends when all stages that it has made ready have."""

    parts: tuple[Flow, ...]


class Branches(Struct):
    """Starts side by side."""

    parts: tuple[Flow, ...]


Flow = StartedStages | StartSequence | Branches


class ScriptedFile(Struct):
    """The stages of a file in the order of the text, and how they start."""

    stages: tuple[DeclaredStage, ...]
    flow: Flow


def read(code: GroovyTokens, functions: tuple[Function, ...], driver: frozenset[str]) -> ScriptedFile:
    """Return what *code* says outside of the *driver*, whose functions are known."""
    return _Reader(code, {one.name: one for one in functions if one.name not in driver}).script(functions)


class _Reader:
    def __init__(self, code: GroovyTokens, own: Mapping[str, Function]) -> None:
        self._code = code
        self._own = own
        self._values = GroovyValues(code, own)
        self._verbs = code.places(_VERBS)
        self._steps = self._with_verbs()
        self._stages: dict[str, DeclaredStage] = {}
        self._branches: dict[str, dict[str, Flow]] = {}
        self._running: list[str] = []
        self._has_started = False

    def script(self, functions: tuple[Function, ...]) -> ScriptedFile:
        """Return what the file does from its first line on."""
        parts: list[Flow] = []
        place = 0
        for function in (*functions, None):
            end = function.start if function is not None else self._code.size
            parts += self._flows(place, end)
            place = self._code.behind(function.body) if function is not None else end
        if not self._has_started:
            raise self._code.error(0, "no stages are started")
        return ScriptedFile(tuple(self._stages.values()), StartSequence(tuple(parts)))

    def _with_verbs(self) -> TokenPositions:
        """Return the places where a verb stands, or a function that uses one."""
        users: set[str] = set()
        grown = True
        words = self._verbs
        while grown:
            found = {
                name
                for name, one in self._own.items()
                if words.first(one.body, self._code.end_of(one.body)) is not None
            }
            grown = not found <= users
            users |= found
            words = self._code.places(_VERBS | users)
        return words

    # Statements

    def _flows(self, place: int, end: int) -> Iterator[Flow]:
        """Yield what is started from *place* to *end*; stages that are declared there are noted."""
        while (verb := self._steps.first(place, end)) is not None:
            place = self._around(place, verb, end)
            flow, place = self._statement(place, verb)
            if flow is not None:
                yield flow

    def _around(self, place: int, verb: int, end: int) -> int:
        """Return the place, on the level of *place*, where *verb* stands or a bracket opens around it."""
        while place < end and not (place == verb or (self._code.is_open(place) and self._code.end_of(place) > verb)):
            place = self._code.behind(place)
        return place

    def _statement(self, place: int, verb: int) -> tuple[Flow | None, int]:
        """Return what the statement at *place* starts, if it does, and the place behind it."""
        if place == verb:
            return self._call(place)
        if not self._code.is_sign(place, "{"):
            raise self._code.error(verb, f'"{self._code.word(verb)}" is called where its order cannot be told')
        self._check_head(place, verb)
        flow = StartSequence(tuple(self._flows(place + 1, self._code.end_of(place))))
        branch = self._branch_of(place)
        if branch is not None:
            self._branches.setdefault(branch[0], {})[branch[1]] = flow
            return None, self._code.behind(place)
        return flow, self._code.behind(place)

    def _check_head(self, brace: int, verb: int) -> None:
        """Refuse the block at *brace* when it may run several times, or in place of another."""
        head = brace - 1
        if self._code.is_sign(head, ")"):
            head = self._code.start_of(head) - 1
        shown = self._code.word(head)
        if shown in _LOOPS:
            raise self._code.error(verb, f'"{self._code.word(verb)}" is called in "{shown}"')

    def _branch_of(self, brace: int) -> tuple[str, str] | None:
        """Return the map and the name of a branch, when the block at *brace* is given to one: `map['name'] = {`."""
        code = self._code
        if not code.is_sign(brace - 1, "=") or not code.is_sign(brace - 2, "]"):
            return None
        start = code.start_of(brace - 2)
        return code.word(start - 1), self._values.text(start + 1)[0]

    # Calls

    def _call(self, place: int) -> tuple[Flow | None, int]:
        """Return what the call of a verb at *place* starts, if it does, and the place behind it."""
        verb = self._code.word(place)
        if verb == _PARALLEL:
            return self._parallel(place), place + 2
        if verb == _RUN or not self._code.is_sign(place + 1, "("):
            return self._run(place)
        if verb == _DECLARES:
            return None, self._declare(place)
        behind = self._code.behind(place + 1)
        if verb == _ADVANCE:
            return self._start(place), behind
        return self._inlined(verb, place), behind

    def _declare(self, place: int) -> int:
        """Note the stage of the call at *place*, and return the place behind its body."""
        code = self._code
        name, argument = self._values.text(place + 2)
        end = code.end_of(place + 1)
        after: tuple[str, ...] = ()
        while argument < end:
            if not code.is_sign(argument, ",") or not code.word(argument + 1) or not code.is_sign(argument + 2, ":"):
                raise code.error(argument, "a named argument of the stage is expected")
            if code.is_word(argument + 1, "after"):
                after, argument = self._values.texts(argument + 3)
            else:
                argument += 3
            while argument < end and not code.is_sign(argument, ","):
                argument = code.behind(argument)
        if not code.is_sign(end + 1, "{"):
            raise code.error(place, f'stage "{name}" has no body')
        self._note(DeclaredStage(name, after, place))
        return code.behind(end + 1)

    def _declare_tables(self, place: int) -> None:
        first, last = self._values.number(place + 2), self._values.number(place + 4)
        for number in range(first, last + 1):
            text = self._values.chosen_text("table", number, place)
            for name, after in table_stages(text):
                self._note(DeclaredStage(name, after, place))

    def _note(self, stage: DeclaredStage) -> None:
        if stage.name in self._stages:
            raise self._code.error(stage.place, f'two stages are called "{stage.name}"')
        if self._has_started:
            raise self._code.error(stage.place, f'stage "{stage.name}" is declared when the others have started')
        self._stages[stage.name] = stage

    def _start(self, place: int) -> StartedStages:
        """Return what the call of `advance` at *place* starts."""
        code = self._code
        self._has_started = True
        if not code.is_word(place + 2, _READY):
            names, behind = self._values.texts(place + 2)
            found = StartedStages(names, None, place)
        elif code.is_sign(place + 4, ")"):
            found, behind = StartedStages(None, None, place), place + 5
        else:
            done, behind = self._values.text(place + 4)
            found, behind = StartedStages(None, done, place), behind + 1
        if behind != code.end_of(place + 1):
            raise code.error(behind, "nothing else is expected in these brackets")
        return found

    def _run(self, place: int) -> tuple[Flow, int]:
        """Return what the call of `runStages` at *place* starts: what its block says, else whatever is ready."""
        code = self._code
        if code.is_sign(place + 1, "{"):
            return StartSequence(tuple(self._flows(place + 2, code.end_of(place + 1)))), code.behind(place + 1)
        if not (code.is_word(place, _RUN) and code.is_sign(place + 1, "(") and code.is_sign(place + 2, ")")):
            raise code.error(place, f'"{code.word(place)}" is called where its order cannot be told')
        self._has_started = True
        return StartedStages(None, None, place), place + 3

    def _parallel(self, place: int) -> Flow:
        name = self._code.word(place + 1)
        if name not in self._branches:
            raise self._code.error(place, "these branches cannot be told")
        return Branches(tuple(self._branches.pop(name).values()))

    def _inlined(self, name: str, place: int) -> Flow | None:
        """Return what the function *name* of the file starts, or declare the stages of tables."""
        if name == _DECLARES_TABLES:
            self._declare_tables(place)
            return None
        if name not in self._own:
            raise self._code.error(place, f'"{name}" is called where its order cannot be told')
        if name in self._running:
            raise self._code.error(place, f'the function "{name}" calls itself')
        self._running.append(name)
        body = self._own[name].body
        parts = tuple(self._flows(body + 1, self._code.end_of(body)))
        self._running.pop()
        return StartSequence(parts) if parts else None


def table_stages(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each stage of a table with the names that it comes after.

    A line says by its first characters what it is; one that begins with a plus goes on with the text before it.
    """
    name, after = "", list[str]()
    has_stage = False
    told = None
    for line in text.split("\n"):
        if line.startswith(_STAGE):
            if has_stage:
                yield name, tuple(after)
            name, after, has_stage, told = line.removeprefix(_STAGE), [], True, _STAGE
        elif line.startswith(_AFTER):
            after.append(line.removeprefix(_AFTER))
            told = _AFTER
        elif line.startswith(_MORE) and told == _STAGE:
            name += "\n" + line.removeprefix(_MORE)
        elif line.startswith(_MORE) and told == _AFTER:
            after[-1] += "\n" + line.removeprefix(_MORE)
        elif not line.startswith(_MORE):
            told = None
    if has_stage:
        yield name, tuple(after)
