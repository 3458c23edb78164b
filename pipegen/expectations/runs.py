"""The runs that recorded tests are about: the usual events, and others that the conditions distinguish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pipegen.expectations.check import ConfigUnderTest
from pipegen.plan.events import answers, conditions_of, patterns, usual_events
from pipegen.plan.model import AreEqual, Atom, Event, Fact, FilesChanged, IsSet, Matches, Plan, Subject
from pipegen.plan.model.facts import StartEvent
from pipegen.plan.model.logic import atoms
from pipegen.plan.model.patterns import Pattern
from pipegen.structs import MutableStruct, Struct, field, replace

_PARTS = re.compile(r"\*\*/|\*\*|.", re.DOTALL)
_SHORT = {"**/": "", "**": "1", "*": "1", "?": "1"}
_LONG = {"**/": "1/2/", "**": "1/2", "*": "12", "?": "2"}
# Texts that other wildcards match.
_WIDER = {"**/": "1-", "*": "1/2", "?": "12"}
# Parts of regular expressions, each with a text that it may match.
_REGEX_PARTS = (
    (r"\[\^[^\]]*\]", "-"),
    (r"\\[dw]", "1"),
    (r"\[([^\]\\])[^\]]*\]", r"\\\1"),
    (r"\(\?i\)|\\[AzZb]|(?<!\\)[\^$]", ""),
    (r"\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)", r"\1"),
    (r"\|.*", ""),
    (r"(?<!\\)\.", "x"),
    (r"(?<!\\)(?:[*+?]|\{\d+(?:,\d*)?\})\??", ""),
    (r"\\(.)", r"\1"),
)
# How many stages are looked at in search of an event for which a group of changes makes a difference: a few seconds.
# After that, only the first event of each kind is tried.
_MOST_ANSWERS = 200_000
_UNKNOWN_PATH = "other.txt"
# Events whose changed files engines compare with the commit before.
_COMPARED = (Event.PUSH, Event.MERGE_REQUEST)
_ANY = "1"


class RecordedRun(Struct, kw_only=True):
    """A run: its event, and the inputs and variables that differ from the usual ones."""

    event: StartEvent
    inputs: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The run in a few words."""
        changed = f" that changes {', '.join(self.event.changed)}" if self.event.changed is not None else ""
        values = [f"{name}={value or 'nothing'}" for name, value in (*self.inputs.items(), *self.variables.items())]
        return f"{self.event.title}{changed}" + (f" with {', '.join(values)}" if values else "")


def recorded_runs(plan: Plan, config: ConfigUnderTest) -> Iterator[RecordedRun]:
    """Yield the usual events of *config*, and for each kind of event the runs in which *plan* does something else.

    Such runs have another branch or tag that a pattern matches or nearly matches, other changed files, an input, or a
    variable.
    """
    known = atoms(*conditions_of([plan]))
    usual = [RecordedRun(event=event) for event in usual_events(config.plans)]
    yield from usual
    yield from _with_other_names(usual, known)
    branches = tuple(_Variation(branch=text) for pattern in patterns(known, Subject.BRANCH) for text in _texts(pattern))
    groups = list(_variations(known, plan))
    search = _Search(plan, config)
    if not any(isinstance(atom, FilesChanged) for atom in known):
        yield from search.with_other_changes(usual)
    for kind in dict.fromkeys(run.event.kind for run in usual):
        bases = [run for run in usual if run.event.kind is kind]
        others = [run for base in bases[:1] for vary in branches if (run := vary(base)) is not None]
        for group, tried in ((branches, bases), *((group, (*bases, *others)) for group in groups)):
            yield from search.varied(tried, group)


class _Search(MutableStruct):
    """Looks for runs that differ in what *plan* does, in at most *left* further answers of stages."""

    plan: Plan
    config: ConfigUnderTest
    left: int = _MOST_ANSWERS

    def varied(self, bases: Iterable[RecordedRun], group: Iterable[_Variation]) -> Iterator[RecordedRun]:
        """Yield the runs of *group* for the first of *bases* in which it makes a difference to the same stages.

        The bases without a difference count too: another condition has no effect there, which an edit can change.
        """
        known: set[frozenset[int]] = set()
        for base in bases:
            varied = tuple(run for vary in group if (run := vary(base)) is not None)
            if not varied:
                continue
            stages = self._different_stages((base, *varied))
            if stages not in known and (stages or self.left > 0):
                yield from varied
            known.add(stages)
            if self.left < 0:
                break

    def with_other_changes(self, bases: Iterable[RecordedRun]) -> Iterator[RecordedRun]:
        """Yield the first of *bases* that start each stage, with a file that only a new path filter excludes."""
        known: set[int] = set()
        for base in bases:
            stages = {number for number, (runs, _) in enumerate(self._started(base)) if runs}
            if base.event.kind in _COMPARED and not stages <= known:
                yield replace(base, event=replace(base.event, changed=(_UNKNOWN_PATH,)))
                known |= stages

    def _different_stages(self, runs: Iterable[RecordedRun]) -> frozenset[int]:
        started = [self._started(run) for run in runs]
        return frozenset(number for number, stages in enumerate(zip(*started, strict=True)) if len(set(stages)) > 1)

    def _started(self, run: RecordedRun) -> tuple[tuple[bool, bool], ...]:
        (answer,) = answers([self.plan], self.config.facts(run.event, run.inputs, run.variables))
        self.left -= len(answer.stages)
        return tuple((stage_answer.runs, stage_answer.waits_for_approval) for stage_answer in answer.stages)


def _with_other_names(usual: Iterable[RecordedRun], known: Iterable[Atom]) -> Iterator[RecordedRun]:
    """Yield runs for further names that the patterns of branches and tags match or just miss."""
    events = [run.event for run in usual]
    for subject, kind in ((Subject.BRANCH, Event.PUSH), (Subject.TAG, Event.TAG)):
        for name in dict.fromkeys(text for pattern in patterns(known, subject) for text in _texts(pattern)):
            event = StartEvent(kind=kind, branch=name) if subject is Subject.BRANCH else StartEvent(kind=kind, tag=name)
            if event not in events:
                yield RecordedRun(event=event)


class _Variation(Struct, kw_only=True):
    """A change of a run: other changed files, another branch, an input or a variable, or two *equal* texts.

    These are the name of the branch or tag, else the first of *words*; without *words*, any text is valid.
    """

    changed: str = ""
    branch: str = ""
    input: tuple[str, str] | None = None
    variable: tuple[str, str] | None = None
    equal: tuple[Fact, ...] = ()
    words: tuple[str, ...] = ()

    def __call__(self, run: RecordedRun) -> RecordedRun | None:
        """Return *run* with this change; None if it cannot have it."""
        if self.changed:
            return replace(run, event=replace(run.event, changed=(self.changed,)))
        if self.branch:
            is_other = run.event.branch and run.event.kind is not Event.PUSH
            return replace(run, event=replace(run.event, branch=self.branch)) if is_other else None
        if self.input is not None:
            return replace(run, inputs=dict([self.input]))
        if self.variable is not None:
            return replace(run, variables=dict([self.variable]))
        return self._with_equal(run)

    def _with_equal(self, run: RecordedRun) -> RecordedRun | None:
        refs = {Subject.BRANCH: run.event.branch, Subject.TAG: run.event.tag}
        text = refs.get(self.equal[0].subject, (*self.words, _ANY)[0])
        inputs = {fact.name: text for fact in self.equal if fact.subject is Subject.INPUT}
        variables = {fact.name: text for fact in self.equal if fact.subject is Subject.VARIABLE}
        is_valid = text in self.words if self.words else text != ""
        return replace(run, inputs=inputs, variables=variables) if is_valid else None


def _variations(known: Iterable[Atom], plan: Plan) -> Iterator[tuple[_Variation, ...]]:
    """Yield the changes of a run that conditions distinguish, grouped by what they change."""
    paths: dict[str, None] = {}
    values: dict[Fact, dict[str, None]] = {}
    for atom in known:
        texts = [text for pattern in getattr(atom, "patterns", ()) for text in _texts(pattern)]
        match atom:
            case FilesChanged():
                paths |= dict.fromkeys((*texts, _UNKNOWN_PATH))
            case Matches(subject=Subject.INPUT | Subject.VARIABLE) | IsSet(subject=Subject.INPUT | Subject.VARIABLE):
                values.setdefault(Fact(atom.subject, atom.name), {}).update(dict.fromkeys((*texts, _ANY)))
            case AreEqual():
                own = (fact for fact in atom.facts if fact.subject in (Subject.INPUT, Subject.VARIABLE))
                values |= {fact: values.get(fact, {}) | {_ANY: None} for fact in own}
    yield tuple(_Variation(changed=path) for path in paths)
    allowed = {input_.name: input_.words for input_ in plan.inputs}
    for fact, tested in values.items():
        if fact.subject is Subject.INPUT:
            yield tuple(_Variation(input=(fact.name, value)) for value in allowed.get(fact.name) or (*tested, ""))
        else:
            yield tuple(_Variation(variable=(fact.name, value)) for value in tested)
    for atom in known:
        if isinstance(atom, AreEqual):
            choices = [allowed.get(fact.name, ()) for fact in atom.facts if fact.subject is Subject.INPUT]
            common = [word for words in choices for word in words if all(word in (other or words) for other in choices)]
            if common or not any(choices):
                yield (_Variation(equal=atom.facts, words=tuple(common)),)


def _texts(pattern: Pattern) -> Iterator[str]:
    """Yield texts that *pattern* matches, and texts that only a glob with another wildcard matches."""
    if pattern.is_regex:
        text = pattern.text
        for part, replacement in _REGEX_PARTS:
            text = re.sub(part, replacement, text)
        if text and pattern.matches(text):
            yield text
        return
    parts = _PARTS.findall(pattern.text)
    short = [_SHORT.get(part, part) for part in parts]
    wider = [
        (*short[:number], _WIDER[part], *short[number + 1 :]) for number, part in enumerate(parts) if part in _WIDER
    ]
    texts = (short, [_LONG.get(part, part) for part in parts], (*short, "-1"), *wider)
    yield from dict.fromkeys(text for text in map("".join, texts) if text)
