"""Comments of a Jenkinsfile beside what became of the lines that they are about.

Those about stages and commands are read with these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.emit.yaml import Commented, Value
from pipegen.importing.jenkins.document import JenkinsConfig
from pipegen.importing.jenkins.reading.functions import is_generated
from pipegen.importing.jenkins.reading.source import (
    JenkinsSource,
    JenkinsStage,
    comment_above,
    comment_around,
    comment_beside,
    sections,
)
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, all_calls, constant
from pipegen.importing.jenkins.stages.directives.post import CONDITIONS
from pipegen.importing.jenkins.stages.kept import kept_text, without_references
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.source.text import SourceFile, Span
from pipegen.structs import Struct

_HEADER = re.compile(r"(?:[ \t]*(?:#![^\n]*|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)?[ \t]*\n)*")
_MARK = re.compile(r"^[ \t]*(?:/?\*+/?|//+)? ?|[ \t]*\*+/[ \t]*$")
# Keys of a stage, of the pipeline and of `targets.jenkins` by the directive or step that becomes them.
_OF_STAGE = {
    "when": ("when",),
    "agent": ("agent", "image"),
    "input": ("approve",),
    "junit": ("reports",),
    "archiveArtifacts": ("artifacts",),
    "stash": ("artifacts",),
    "timeout": ("timeout",),
    "retry": ("retry",),
    "lock": ("lock",),
}
_OF_PIPELINE = {
    "cron": ("schedule",),
    "disableConcurrentBuilds": ("concurrency",),
    "parallelsAlwaysFailFast": ("fail_fast",),
    "timeout": ("timeout",),
}
_OF_TARGET = {
    "buildDiscarder": ("discard",),
    "pollSCM": ("poll",),
    "timestamps": ("timestamps",),
    "tools": ("tools",),
}
_MAILS = ("mail", "emailext")
# Keys by the directive around constructs that become these, the first that a config has.
_OF_DIRECTIVE = {
    "environment": ("env", "secrets"),
    "parameters": ("inputs",),
    "options": ("timeout", "retry", "lock", "concurrency", "fail_fast", "steps"),
    "triggers": ("schedule",),
    "matrix": ("matrix",),
    "axes": ("matrix",),
    "stages": ("stages",),
    "steps": ("script", "steps"),
    "tools": ("tools",),
    **_OF_STAGE,
    **dict.fromkeys(("post", *CONDITIONS), ("finally", "after", "steps", "notify")),
    **dict.fromkeys(_MAILS, ("notify",)),
}
# Directives with statements that may have comments of their own.
_WITH_STATEMENTS = frozenset({"options", "triggers", "when", "post", *CONDITIONS})


class _Comment(Struct):
    """The lines *above* a construct, and the comment *beside* it, at the end of its line."""

    above: str
    beside: str

    def of(self, value: Value) -> Value:
        """Return *value* below the comment; one beside a list or a map is above it, too."""
        if isinstance(value, Commented):
            above = "\n".join(filter(None, (self.above, self.beside, value.above)))
            return Commented(value.value, above, value.beside)
        if isinstance(value, dict | list):
            return Commented(value, "\n".join(filter(None, (self.above, self.beside))))
        return Commented(value, self.above, self.beside)


class _Directive(Struct):
    """A directive, or a statement in one, that becomes one of *keys* of a config, the first that there is."""

    keys: tuple[str, ...]
    call: GroovyCall


# The comments about keys, each with the offset of its construct.
_Comments = Mapping[str, tuple[int, _Comment]]


def header_of(file: SourceFile) -> list[str]:
    """Return the comments at the start of *file*, with empty lines between them, but not those of pipegen."""
    match = _HEADER.match(file.text)
    if match is None or is_generated(file):
        return []
    lines = [line for line in match[0].rstrip().split("\n") if not line.startswith("#!")]
    texts = [_MARK.sub("", line).rstrip() for line in lines]
    comments = [text for at, text in enumerate(texts) if text or (at and texts[at - 1])]
    return "\n".join(comments).strip().split("\n") if any(comments) else []


def with_comments(config: JenkinsConfig, source: JenkinsSource) -> dict[str, Value]:
    """Return the document of *config* with the comments of *source* about settings, variables and steps of Jenkins.

    Each is written once, at the first key that has it.
    """
    if is_generated(source.file):
        return dict(config.document)
    return _Writer(config, source).document()


class _Writer:
    def __init__(self, config: JenkinsConfig, source: JenkinsSource) -> None:
        self._config = config
        self._source = source
        self._stages: Mapping[str, JenkinsStage] = {stage.name: stage for stage in source.stages}
        self._works: Mapping[str, StageWork] = {
            **{draft.source.name: draft.work for draft in config.drafts},
            **{end.name: end.work for end in config.ends},
        }
        self._written: set[int] = set()

    def document(self) -> dict[str, Value]:
        """Return the document with its comments."""
        document = dict(self._config.document)
        parameters = _named(_statements(self._source.pipeline, "parameters"))
        document |= self._below(document, "inputs", parameters)
        directives = [*_all(self._source.pipeline)]
        document = self._around(document, [each for each in directives if each.call.name == "parameters"])
        calls = [*_settings(self._source.pipeline), *sections(self._source.pipeline, "agent")]
        for name, target in _maps(document.get("targets")):
            document["targets"] = {name: {**target, **self._keys(target, _about(calls, _OF_TARGET))}}
        for name, pipeline in _maps(document.get("pipelines")):
            keys = {**pipeline, **self._keys(pipeline, _about(calls, _OF_PIPELINE))}
            for _, defaults in _maps({"defaults": keys.get("defaults")}):
                shared = self._variables({**defaults, **self._keys(defaults, _about(calls, _OF_STAGE))}, None)
                keys["defaults"] = self._around(shared, _of_stages(self._source.pipeline, has_agent=False))
            stages = keys.get("stages")
            keys["stages"] = [self._item(stage) for stage in (stages if isinstance(stages, list) else ())]
            block = self._source.pipeline.block
            # A comment above the pipeline is at the start of the file.
            beside = comment_beside(self._source.file, block.span.start + 1) if block is not None else ""
            rest = self._rest(self._around(keys, directives), directives)
            document["pipelines"] = {name: self._with(rest, self._source.pipeline.span.start, _Comment(beside, ""))}
        return document

    def _item(self, item: Value) -> Value:
        """Return the stage *item*, which may have a comment."""
        if isinstance(item, Commented):
            return Commented(self._item(item.value), item.above, item.beside)
        if not isinstance(item, dict):
            return item
        name = str(item.get("name", ""))
        stage = self._stages.get(name)
        if stage is not None:
            around = [
                directive for call in (*stage.inside, stage.call) for directive in (_Directive((), call), *_all(call))
            ]
        else:
            around = [_Directive((), end.call) for end in self._config.ends if end.name == name]
        keys = self._around(self._stage(item), around)
        shared = _of_stages(self._source.pipeline, has_agent=stage is not None and any(stage.blocks("agent")))
        return self._rest(self._around(keys, shared), around)

    def _around(self, keys: Mapping[str, Value], directives: Sequence[_Directive]) -> dict[str, Value]:
        """Return *keys* with the comments about *directives* above the first keys that these become."""
        result = dict(keys)
        for directive in reversed(directives):
            key = next((key for key in directive.keys if key in result), None)
            if key is not None:
                result[key] = self._with(
                    result[key], directive.call.span.start, _Comment(comment_around(directive.call), "")
                )
        return result

    def _rest(self, value: Value, directives: Sequence[_Directive]) -> Value:
        """Return *value* below the other comments about *directives*, whose keys it does not have."""
        for directive in reversed(directives):
            value = self._with(value, directive.call.span.start, _Comment(comment_around(directive.call), ""))
        return value

    def _stage(self, keys: Mapping[str, Value]) -> dict[str, Value]:
        name = str(keys.get("name", ""))
        stage = self._stages.get(name)
        result = self._variables(keys, stage)
        if stage is not None:
            result |= self._keys(result, _about([*_directives(stage), *all_calls(stage.call)], _OF_STAGE))
        work = self._works.get(name)
        if work is not None and "steps" in result:
            calls = (*work.steps_before, *work.steps_after, *work.steps_always, *work.steps_failure)
            texts = {
                without_references(kept_text(call, work.settings), self._works): _at(call.span, call.span)
                for call in calls
            }
            result["steps"] = self._steps(result["steps"], texts)
        return result

    def _variables(self, keys: Mapping[str, Value], stage: JenkinsStage | None) -> dict[str, Value]:
        """Return *keys* with the comments about variables of the pipeline, and of *stage*."""
        stages = self._source.stages if stage is None else (stage,)
        blocks = [self._source.pipeline, *(call for own in stages for call in (*own.inside, own.call))]
        assignments = [
            statement
            for block in blocks
            for section in sections(block, "environment")
            for statement in (section.block.statements if section.block is not None else ())
            if isinstance(statement, GroovyAssignment)
        ]
        comments = {item.name: _at(item.span, item.whole) for item in assignments}
        return {**keys, **self._below(keys, "env", comments), **self._below(keys, "secrets", comments)}

    def _below(self, keys: Mapping[str, Value], key: str, comments: _Comments) -> dict[str, Value]:
        """Return *key* of *keys* with *comments* at its own keys."""
        value = keys.get(key)
        return {key: {**value, **self._keys(value, comments)}} if isinstance(value, dict) else {}

    def _keys(self, keys: Mapping[str, Value], comments: _Comments) -> dict[str, Value]:
        """Return those of *keys* that have *comments*, each of which is written once."""
        return {key: self._with(keys[key], *comment) for key, comment in comments.items() if key in keys}

    def _with(self, value: Value, offset: int, comment: _Comment) -> Value:
        if offset in self._written or not (comment.above or comment.beside):
            return value
        self._written.add(offset)
        return comment.of(value)

    def _steps(self, value: Value, texts: _Comments) -> Value:
        """Return the steps of Jenkins in *value* below their comments."""
        match value:
            case dict():
                return {key: self._steps(inner, texts) for key, inner in value.items()}
            case list():
                return [
                    self._with(item, *texts[item]) if isinstance(item, str) and item in texts else item
                    for item in value
                ]
        return value


def _maps(value: Value) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Yield the entries of the map *value* that are maps themselves."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, dict):
            yield name, inner


def _statements(call: GroovyCall, name: str) -> Iterator[GroovyCall]:
    """Yield the calls in the directives *name* of *call*."""
    for section in sections(call, name):
        for statement in section.block.statements if section.block is not None else ():
            if isinstance(statement, GroovyCall):
                yield statement


def _settings(pipeline: GroovyCall) -> Iterator[GroovyCall]:
    for name in ("options", "triggers"):
        yield from _statements(pipeline, name)
    yield from sections(pipeline, "tools")


def _directives(stage: JenkinsStage) -> Iterator[GroovyCall]:
    """Yield the directives of *stage* that become keys, and its options."""
    for name in ("agent", "when", "input"):
        yield from sections(stage.call, name)
    yield from _statements(stage.call, "options")


def _all(call: GroovyCall, keys: tuple[str, ...] = ()) -> Iterator[_Directive]:
    """Yield the directives in the block of *call*, which becomes one of *keys*, and the statements in some of them."""
    for statement in call.block.statements if call.block is not None else ():
        if isinstance(statement, GroovyCall) and (call.name not in CONDITIONS or statement.name in _MAILS):
            own = _OF_DIRECTIVE.get(statement.name, keys)
            if statement.name != "stage":
                yield _Directive(own, statement)
            if statement.name in _WITH_STATEMENTS:
                yield from _all(statement, own)


def _of_stages(pipeline: GroovyCall, *, has_agent: bool) -> list[_Directive]:
    """Return the directives of *pipeline* that become keys of a stage, which may have an agent of its own."""
    names = ("environment",) if has_agent else ("environment", "agent")
    return [directive for directive in _all(pipeline) if directive.call.name in names]


def _named(calls: Iterable[GroovyCall]) -> _Comments:
    """Return the comments of the parameters *calls* by their names."""
    named = [(call, call.argument("name")) for call in calls]
    return {
        constant(argument.value) or "": _at(call.span, call.whole) for call, argument in named if argument is not None
    }


def _about(calls: Iterable[GroovyCall], keys: Mapping[str, tuple[str, ...]]) -> _Comments:
    """Return the comments of *calls* by what they become, one of *keys*; the first of several calls counts."""
    comments: dict[str, tuple[int, _Comment]] = {}
    for call in calls:
        offset, comment = _at(call.span, call.whole)
        if comment.above or comment.beside:
            for key in keys.get(call.name, ()):
                comments.setdefault(key, (offset, comment))
    return comments


def _at(span: Span, whole: Span) -> tuple[int, _Comment]:
    """Return the comment above *span*, and beside the end of *whole*, with the offset of *span*."""
    return span.start, _Comment(comment_above(span), comment_beside(span.file, whole.end))
