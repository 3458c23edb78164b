"""The config of a Declarative pipeline: stages, their order, inputs and settings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Value
from pipegen.importing.arcs import arcs, as_finally
from pipegen.importing.compilation import OVERLAP, PIPELINE, overlapping
from pipegen.importing.jenkins.definitions import defined_names, definitions_of, leave_out
from pipegen.importing.jenkins.ends import PIPELINE_STATUS, STATUS, End, ends_of
from pipegen.importing.jenkins.fetching import skip_checkouts
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.assignments import AssignedValue
from pipegen.importing.jenkins.reading.constructs import constructs
from pipegen.importing.jenkins.reading.source import JenkinsSource, sections
from pipegen.importing.jenkins.reading.syntax import GroovyCall, Statement, constant
from pipegen.importing.jenkins.settings import (
    FileSettings,
    boolean_inputs,
    is_reported,
    parameter_calls,
    raw_parameters,
    settings_of,
)
from pipegen.importing.jenkins.stages.kept import GroovyInConfig, groovy_texts
from pipegen.importing.jenkins.stages.keys import add_script, settle_references
from pipegen.importing.jenkins.stages.stage import JenkinsDraft, JenkinsStages
from pipegen.importing.jenkins.stages.work import artifacts, leave_out_checkouts
from pipegen.importing.layout import ordered
from pipegen.importing.logic import NEVER
from pipegen.importing.sharing import Shared, share
from pipegen.source.text import Span
from pipegen.structs import Struct

# Keys with commands: the steps of a stage stay Groovy if a config refuses these.
_COMMANDS = frozenset({"script", "after"})
# Keys of a stage that does nothing.
_IDLE = frozenset({"env", "secrets", "when", "matrix", "agent", "image"})
# Words that only give the file its structure.
_STRUCTURE = frozenset({"pipeline", "stages", "parallel", "stage", "matrix", "steps", "agent", "post"})
# The name of a setting before the text of an item of it.
_SETTING = re.compile(r"((?:pipeline|targets)\.\w+)\.")
_FILES_HINT = 'pass files on with "artifacts"'


class JenkinsConfig(Struct, kw_only=True):
    """A config as a document, and the stages of the source that it has, with the stages that always run last.

    *all_drafts* are also those of the source that do nothing or never run. *groovy* is what stays Groovy in it.
    """

    document: Mapping[str, Value]
    drafts: tuple[JenkinsDraft, ...]
    all_drafts: tuple[JenkinsDraft, ...]
    ends: tuple[End, ...]
    is_shared: bool
    groovy: tuple[GroovyInConfig, ...]


class RefusedKey(Struct):
    """A key of a stage that the config does not accept, with the reason."""

    stage: str
    key: str
    message: str


def jenkins_document(
    source: JenkinsSource,
    values: Sequence[AssignedValue],
    refused: Collection[RefusedKey],
    stashes: Collection[str],
    marks: Marks,
    report: Report,
) -> JenkinsConfig:
    """Return the config of *source* without *refused* keys; *values* are outputs, *stashes* names of Groovy ones."""
    names = {refusal.key: refusal.message for refusal in refused if not refusal.stage}
    settings = settings_of(source, names, marks)
    has_definitions = "targets.definitions" not in names
    outside = frozenset[str]() if has_definitions else defined_names(source)
    inputs = boolean_inputs(source, names)
    scripts = {refusal.stage: refusal.message for refusal in refused if refusal.key in _COMMANDS}
    stages = JenkinsStages(source, inputs, raw_parameters(source, inputs), scripts, marks, outside, values)
    stages.groovy_stashes = stashes
    drafts = [stages.draft(stage) for stage in source.stages]
    live_drafts = _live(drafts, marks)
    is_shared = _is_shared(source, live_drafts, report)
    ends = ends_of(source, stages, live_drafts, marks, is_shared=is_shared)
    _fail_fast(source, settings.pipeline, marks)
    before = _before(source, live_drafts)
    for draft in live_drafts:
        _complete(draft, live_drafts, before, marks, is_shared=is_shared)
    skip_checkouts(source, live_drafts, ends.stages, marks, is_shared=is_shared)
    keys, last = _keys(live_drafts, ends.stages)
    if has_definitions:
        _define(source, keys + last, settings.target, values, marks)
    else:
        leave_out(source, marks)
    _drop(keys + last, refused, source, marks)
    _drop_settings({"pipeline": settings.pipeline, "targets": settings.target}, refused)
    pipeline: dict[str, Value] = {
        **settings.pipeline,
        **({"workspace": "shared"} if is_shared else {}),
        **ends.pipeline,
        **_stages(keys, last),
        **_order(before, ends.stages),
    }
    _account_for_rest(source, marks)
    return JenkinsConfig(
        document=_document(pipeline, settings),
        drafts=tuple(live_drafts),
        all_drafts=tuple(drafts),
        ends=ends.stages,
        is_shared=is_shared,
        groovy=tuple(_groovy([*keys, *last], settings.target)),
    )


def _document(pipeline: Mapping[str, Value], settings: FileSettings) -> dict[str, Value]:
    """Return the config with the keys of its *pipeline*."""
    config: dict[str, Value] = {"inputs": settings.inputs} if settings.inputs else {}
    return {**config, "pipelines": {PIPELINE: dict(pipeline)}, "targets": {"jenkins": settings.target}}


def _keys(drafts: Sequence[JenkinsDraft], ends: Sequence[End]) -> tuple[list[dict[str, Value]], list[dict[str, Value]]]:
    """Return the keys of the stages *drafts*, and of *ends*; nothing in them is a reference by chance."""
    keys: list[dict[str, Value]] = [{"name": draft.source.name, **draft.keys} for draft in drafts]
    last: list[dict[str, Value]] = [{"name": end.name, **end.keys} for end in ends]
    names = {str(stage["name"]) for stage in keys + last}
    for stage in keys + last:
        settle_references(stage, names)
    return keys, last


def _live(drafts: Sequence[JenkinsDraft], marks: Marks) -> Sequence[JenkinsDraft]:
    """Return the stages that do something, or else the first, which does nothing if it never runs."""
    for draft in drafts:
        if draft.condition == NEVER:
            marks.never_runs(draft.source.call, draft.source.name)
    possible = [draft for draft in drafts if draft.condition != NEVER]
    live_drafts = [draft for draft in possible if not draft.keys.keys() <= _IDLE] or possible[:1]
    if not live_drafts:
        live_drafts = [drafts[0]]
        drafts[0].keys = {"script": ["true"]}
    _connect_cells(drafts, live_drafts)
    return live_drafts


def _connect_cells(drafts: Sequence[JenkinsDraft], live_drafts: Sequence[JenkinsDraft]) -> None:
    """Let each stage of a matrix follow the one before in its cell; the first that does something has the axes."""
    by_name = {draft.source.name: draft for draft in drafts}
    live = {draft.source.name for draft in live_drafts}
    for draft in live_drafts:
        before = draft.source.cell
        while before is not None and before not in live and by_name[before].source.cell is not None:
            before = by_name[before].source.cell
        if before is not None:
            draft.keys["matrix"] = {"from": before} if before in live else by_name[before].keys["matrix"]


def _before(source: JenkinsSource, drafts: Sequence[JenkinsDraft]) -> dict[str, AbstractSet[str]]:
    """Return for each of *drafts* which of them are before it."""
    names = [draft.source.name for draft in drafts]
    return {name: source.before[name].intersection(names) for name in names}


def _stages(stages: Sequence[dict[str, Value]], last: Sequence[dict[str, Value]]) -> dict[str, Value]:
    """Return the keys of a pipeline for *stages* and the *last* ones."""
    shared = _shared(stages, last)
    keys: dict[str, Value] = {"defaults": dict(shared.defaults)} if shared.defaults else {}
    keys["stages"] = [ordered(stage) for stage in shared.stages]
    return keys


def _shared(stages: Sequence[dict[str, Value]], last: Sequence[dict[str, Value]]) -> Shared:
    """Return *stages* and the *last* ones without the keys that they share; each keeps the status of the pipeline."""
    all_stages = [*stages, *last]
    shared = share([_without_status(stage) for stage in all_stages])
    for stage, whole in zip(shared.stages, all_stages, strict=True):
        if _env(whole) != _env(_without_status(whole)):
            stage["env"] = {**_env(stage), STATUS: _env(whole)[STATUS]}
    return shared


def _without_status(stage: Mapping[str, Value]) -> dict[str, Value]:
    env = {name: value for name, value in _env(stage).items() if (name, value) != (STATUS, PIPELINE_STATUS)}
    return {**{key: value for key, value in stage.items() if key != "env"}, **({"env": env} if env else {})}


def _env(stage: Mapping[str, Value]) -> dict[str, Value]:
    env = stage.get("env")
    return env if isinstance(env, dict) else {}


def _order(before: Mapping[str, AbstractSet[str]], last: Sequence[End]) -> dict[str, Value]:
    """Return the keys for the order of the stages, and of the *last* ones."""
    keys: dict[str, Value] = {}
    execution = arcs(before)
    if execution or last:
        keys["execution"] = list(execution) or [list(before)]
    if last:
        keys["finally"] = as_finally({end.name: end.status for end in last})
    return keys


def _define(
    source: JenkinsSource,
    stages: Sequence[Mapping[str, Value]],
    target: dict[str, Value],
    values: Sequence[AssignedValue],
    marks: Marks,
) -> None:
    """Add the Groovy around the pipeline, with what the *stages* and settings of *target* read, to *target*."""
    texts = [groovy.text for groovy in _groovy(stages, target)]
    if definitions := definitions_of(source, texts, {value.name for value in values}, marks):
        target["definitions"] = definitions


def _groovy(stages: Sequence[Mapping[str, Value]], target: Mapping[str, Value]) -> Iterator[GroovyInConfig]:
    """Yield the Groovy in *stages* and in the settings of *target*."""
    for stage in stages:
        yield from groovy_texts(stage)
    yield GroovyInConfig(str(target.get("definitions", "")))
    for key in ("options", "triggers", "parameters", "wrap"):
        value = target.get(key)
        yield from (GroovyInConfig(str(item)) for item in (value if isinstance(value, list) else ()))


def _is_shared(source: JenkinsSource, drafts: Sequence[JenkinsDraft], report: Report) -> bool:
    """Return whether all stages use the workspace of the pipeline's agent; report others that share a workspace."""
    _report_groups(drafts, report)
    section = source.section("agent")
    if section is None or len(drafts) < 2:  # noqa: PLR2004 - one stage shares nothing
        return False
    own = [draft for draft in drafts if any(draft.source.blocks("agent")) and not draft.agent.is_on_same_node]
    sharing = len(drafts) - len(own)
    if _is_none(section):
        return False
    if own and sharing > 1:
        report.add(
            codes.NOT_IMPORTED,
            f"{sharing} stages share a workspace, and others have agents of their own: "
            "here each stage starts with a clean checkout",
            at=section.span,
            hint=_FILES_HINT,
        )
    return not own


def _report_groups(drafts: Sequence[JenkinsDraft], report: Report) -> None:
    """Report agents of stages around others, of a matrix, too, if several of these use their workspace."""
    groups: dict[int, list[GroovyCall]] = {}
    for draft in drafts:
        around = [agent for call in draft.source.inside for agent in sections(call, "agent")]
        has_own = any(sections(draft.source.call, "agent")) and not draft.agent.is_on_same_node
        if around and not has_own and not _is_none(around[-1]):
            groups.setdefault(around[-1].span.start, []).append(around[-1])
    for agents in groups.values():
        if len(agents) > 1:
            report.add(
                codes.NOT_IMPORTED,
                f"{len(agents)} stages share the workspace of this agent: here each stage starts with a clean checkout",
                at=agents[0].span,
                hint=_FILES_HINT,
            )


def _is_none(agent: GroovyCall) -> bool:
    """Return whether *agent* is `none`."""
    return bool(agent.arguments) and getattr(agent.arguments[0].value, "text", "") == "none"


def _complete(
    draft: JenkinsDraft,
    drafts: Sequence[JenkinsDraft],
    before: Mapping[str, Collection[str]],
    marks: Marks,
    *,
    is_shared: bool,
) -> None:
    """Add the keys of *draft* that depend on other stages: its agent, and files that it leaves and gets."""
    draft.keys |= draft.agent.keys(draft.work.script_container)
    add_script(draft.keys, draft.work, draft.agent, is_shared=is_shared)
    if draft.keys.keys().isdisjoint(("script", "steps")):
        of_machine = ("env", "secrets", "image", *(("agent",) if draft.agent.pod is not None else ()))
        draft.keys = {key: value for key, value in draft.keys.items() if key not in of_machine}
    leave_out_checkouts(draft.work, marks, has_stashes=not is_shared)
    # Stages in one workspace find the files there.
    if files := artifacts([file for file in draft.work.files if file.name is None or not is_shared], marks):
        draft.keys["artifacts"] = files
    if is_shared or draft.keys.keys().isdisjoint(("script", "steps")):
        return
    earlier = [predecessor for predecessor in drafts if predecessor.source.name in before[draft.source.name]]
    leaving = [predecessor.source.name for predecessor in earlier if predecessor.work.files]
    stashing = [
        predecessor.source.name
        for predecessor in earlier
        if any(file.name in draft.work.unstashed for file in predecessor.work.files if file.name is not None)
    ]
    if leaving != stashing:
        draft.keys["files_from"] = list(stashing)


def _fail_fast(source: JenkinsSource, pipeline: dict[str, Value], marks: Marks) -> None:
    for stage in source.stages:
        for call in (*stage.inside, stage.call):
            for statement in sections(call, "failFast"):
                value = statement.argument("")
                # It concerns the branches of a `parallel` or `matrix`, which a stage with steps has not.
                is_on = value is None or constant(value.value) != "false"
                if is_on and call is not stage.call and not marks.has_outcome(statement.span):
                    pipeline["fail_fast"] = True
                    marks.report_fail_fast(statement.span)
                marks.all(statement)


def _drop(
    stages: Sequence[dict[str, Value]], refused: Collection[RefusedKey], source: JenkinsSource, marks: Marks
) -> None:
    """Remove the *refused* keys from *stages*, and report them."""
    calls = {stage.name: stage.call for stage in source.stages}
    parameters = parameter_calls(source)
    by_name = {str(stage["name"]): stage for stage in stages}
    for refused_key in refused:
        if refused_key.key in _COMMANDS and (refused_key.stage in calls or refused_key.stage in by_name):
            # Its steps stay Groovy.
            continue
        if not refused_key.stage and (refused_key.key in parameters or is_reported(refused_key.key)):
            # It is a parameter of Jenkins instead, or reported at its line.
            continue
        stage = by_name.get(refused_key.stage)
        if refused_key.key == OVERLAP:
            if stage is not None and (own := stage.get("artifacts")) is not None:
                stage["artifacts"] = overlapping(own)
            continue
        call = calls.get(refused_key.stage, source.pipeline)
        setting = _SETTING.match(refused_key.key)
        title = f'"{setting[1] if setting else refused_key.key}"'
        title = f'{title} of stage "{refused_key.stage}"' if refused_key.stage else title
        marks.refused(call, refused_key.key, f"{title} is left out, because a config refuses it: {refused_key.message}")
        if stage is None:
            continue
        env = stage.get("env")
        if refused_key.key.startswith("env.") and isinstance(env, dict):
            stage["env"] = {key: text for key, text in env.items() if key != refused_key.key.removeprefix("env.")}
        else:
            stage.pop(refused_key.key, None)
        if stage.keys().isdisjoint(("script", "trigger", "steps")):
            stage["script"] = ["true"]


def _drop_settings(holders: Mapping[str, dict[str, Value]], refused: Collection[RefusedKey]) -> None:
    """Remove the *refused* settings, or items of them, from the pipeline and the target."""
    for setting in refused:
        where, _, key = setting.key.partition(".")
        name, _, item = key.partition(".")
        holder = holders.get(where, {})
        value = holder.get(name)
        if setting.stage or value is None:
            continue
        rest = [other for other in value if _text_of(other) != item] if item and isinstance(value, list) else []
        if rest:
            holder[name] = rest
        else:
            del holder[name]


def _text_of(item: Value) -> str:
    """Return the text of the *item* of a setting, by which a refused one is known: others may be left out already."""
    return ".".join(map(str, item.values())) if isinstance(item, Mapping) else str(item)


def _account_for_rest(source: JenkinsSource, marks: Marks) -> None:
    """Report the constructs that nothing has read."""
    for statement in _all(source):
        for path, span in constructs(statement):
            if marks.has_outcome(span):
                continue
            if path.rpartition(":")[2] in _STRUCTURE:
                marks.structure(span)
            else:
                marks.reported(span, f'"{path}" is left out: a config has no equivalent', "add it by hand")


def all_constructs(source: JenkinsSource) -> Iterator[tuple[str, Span]]:
    """Yield the path and location of each construct of *source*."""
    for statement in _all(source):
        yield from constructs(statement)


def _all(source: JenkinsSource) -> tuple[Statement, ...]:
    return (*source.others, source.pipeline)
