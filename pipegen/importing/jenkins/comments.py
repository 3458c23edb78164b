"""Comments of a Jenkinsfile beside what became of the lines that they are about.

Those about stages and commands are read with these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pipegen.emit.yaml import Commented, Value
from pipegen.importing.jenkins.document import JenkinsConfig
from pipegen.importing.jenkins.reading.functions import is_generated
from pipegen.importing.jenkins.reading.source import JenkinsSource, JenkinsStage, comment_above, sections
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, all_calls, constant
from pipegen.importing.jenkins.stages.kept import kept_text, without_references
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.source.text import SourceFile, Span
from pipegen.structs import Struct

# The rest of a line with a comment.
_BESIDE = re.compile(r"[ \t]*[;,]?[ \t]*//+ ?(?P<comment>[^\r\n]*)")
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


class _Comment(Struct):
    """The lines *above* a construct, and the comment *beside* it, at the end of its line."""

    above: str
    beside: str

    def of(self, value: Value) -> Value:
        """Return *value* below the comment; one beside a list or a map is above it, too."""
        if isinstance(value, Commented):
            return value
        if isinstance(value, dict | list):
            return Commented(value, "\n".join(filter(None, (self.above, self.beside))))
        return Commented(value, self.above, self.beside)


# The comments about keys, each with the place of its construct.
_Comments = Mapping[str, tuple[int, _Comment]]


def header_of(file: SourceFile) -> list[str]:
    """Return the comments at the start of *file*, with empty lines between them, but not those of pipegen."""
    match = _HEADER.match(file.text)
    if match is None or is_generated(file):
        return []
    lines = [line for line in match[0].rstrip().split("\n") if not line.startswith("#!")]
    texts = [_MARK.sub("", line).rstrip() for line in lines]
    kept = [text for at, text in enumerate(texts) if text or (at and texts[at - 1])]
    return "\n".join(kept).strip().split("\n") if any(kept) else []


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
        calls = [*_settings(self._source.pipeline), *sections(self._source.pipeline, "agent")]
        for name, pipeline in _maps(document.get("pipelines")):
            keys = {**pipeline, **self._keys(pipeline, _about(calls, _OF_PIPELINE))}
            for _, defaults in _maps({"defaults": keys.get("defaults")}):
                keys["defaults"] = self._variables({**defaults, **self._keys(defaults, _about(calls, _OF_STAGE))}, None)
            stages = keys.get("stages")
            keys["stages"] = [self._item(stage) for stage in (stages if isinstance(stages, list) else ())]
            document["pipelines"] = {name: keys}
        for name, target in _maps(document.get("targets")):
            document["targets"] = {name: {**target, **self._keys(target, _about(calls, _OF_TARGET))}}
        return document

    def _item(self, item: Value) -> Value:
        """Return the stage *item*, which may have a comment."""
        if isinstance(item, Commented):
            return Commented(self._item(item.value), item.above, item.beside)
        return self._stage(item) if isinstance(item, dict) else item

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
        blocks = [self._source.pipeline, *(call for one in stages for call in (*one.inside, one.call))]
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

    def _with(self, value: Value, place: int, comment: _Comment) -> Value:
        if place in self._written or not (comment.above or comment.beside):
            return value
        self._written.add(place)
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
        for key in keys.get(call.name, ()):
            place, comment = _at(call.span, call.whole)
            if comment.above or comment.beside:
                comments.setdefault(key, (place, comment))
    return comments


def _at(span: Span, whole: Span) -> tuple[int, _Comment]:
    """Return the comment above *span*, and beside the end of *whole*, with the place of *span*."""
    beside = _BESIDE.match(span.file.text, whole.end)
    return span.start, _Comment(comment_above(span), beside["comment"].rstrip() if beside else "")
