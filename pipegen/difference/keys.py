"""A stage, and a pipeline, as the keys that a user would write for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pipegen.difference.model import KeyChange
from pipegen.difference.values import ComparedValue, Speaker, Tree, condition, node, text_of, unordered, value
from pipegen.plan.model import (
    Commands,
    Credential,
    Export,
    Input,
    Job,
    Leave,
    Plan,
    Retention,
    RunContainer,
    Selection,
    ShellProgram,
    Workspace,
)
from pipegen.plan.model.steps import step_key

Keys = dict[str, Tree]


def stage_keys(job: Job, names: Mapping[str, str], leaving: Collection[str] = ()) -> Keys:
    """Return what *job* does, and how, by the keys that say so; its own name and its place in the order are none.

    *names* are the new names of stages that are renamed, *leaving* those whose files are told of.
    """
    speaker = Speaker(job.stage, names)
    files = unordered(name for stage in job.files if (name := speaker.stage(stage)) in leaving)
    keys = {**_work(job, speaker), "files of": files, **_beside(job, speaker)}
    return {name: tree for name, tree in keys.items() if tree is not None and tree != {}}


def work_keys(job: Job, names: Mapping[str, str]) -> Keys:
    """Return what *job* does, without what stands around it: where, when and how often it does that."""
    keys = _work(job, Speaker(job.stage, names))
    return {name: tree for name, tree in keys.items() if tree is not None and tree != {} and name != "env"}


def pipeline_keys(plan: Plan) -> Keys:
    """Return what holds for all of *plan*, by the keys that say so."""
    speaker = Speaker("", {})
    keys = {
        "when": condition(plan.condition),
        "runs": value("only when asked for") if plan.selection is Selection.ON_DEMAND else None,
        "schedule": unordered(f"{one.cron} ({one.timezone or 'UTC'})" for one in plan.schedules),
        "workspace": value(plan.workspace.value) if plan.workspace is not Workspace.ISOLATED else None,
        "fetch": speaker.tree(plan.fetch),
        "fail_fast": value("true") if plan.is_fail_fast else None,
        "concurrency": speaker.tree(plan.concurrency),
    }
    return {name: tree for name, tree in keys.items() if tree is not None}


def input_keys(one: Input) -> Keys:
    """Return what is said of an input; a description is for people and says nothing."""
    keys = {
        "type": value(one.type.value),
        "default": value(one.default) if one.default is not None else None,
        "choices": unordered(one.choices),
        "pattern": value(one.pattern) if one.pattern is not None else None,
    }
    return {name: tree for name, tree in keys.items() if tree is not None}


def changes(old: Keys, new: Keys) -> tuple[KeyChange, ...]:
    """Return the keys that say something else; of a key with keys below it, only those that do."""
    return tuple(_changes("", old, new))


def secrets(job: Job) -> tuple[str, ...]:
    """Return the secrets that *job* reads, by their names at the engine."""
    credentials = (
        *job.secrets,
        *(one for step in job.steps if isinstance(step, RunContainer) for one in step.credentials),
    )
    return tuple(
        dict.fromkeys((*(one.id for one in credentials), *(f"ID token {one.variable}" for one in job.id_tokens)))
    )


def _changes(prefix: str, old: Keys, new: Keys) -> Iterator[KeyChange]:
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _changes(f"{prefix}{name}.", before, after)
        elif before != after:
            yield KeyChange(f"{prefix}{name}", _text(before), _text(after))


def _text(tree: Tree | None) -> str | None:
    return text_of(tree) if tree is not None else None


def _work(job: Job, speaker: Speaker) -> dict[str, Tree | None]:
    """Return what the steps of *job* do."""
    found: dict[str, Tree | None] = {}
    for step in job.steps:
        match step:
            case Commands():
                found["script"] = value(speaker.script(step.lines))
                found["env"] = {name: value(speaker.text(text)) for name, text in step.env}
                outputs = {one.name: speaker.tree((one.command, one.file)) for one in step.outputs}
                found["outputs"] = {name: tree or value("by the script") for name, tree in outputs.items()}
            case Export():
                exports = found.setdefault("exports", {})
                if isinstance(exports, dict):
                    exports[step.name] = value(speaker.text(step.value))
            case Leave():
                continue
            case _:
                found[step_key(step)] = speaker.tree(step)
    return found


def _beside(job: Job, speaker: Speaker) -> dict[str, Tree | None]:
    """Return what *job* says beside its steps."""
    machine, limits, deployment = job.machine, job.limits, job.deployment
    return {
        "after": value(speaker.script(job.after)) if job.after else None,
        "reads": unordered(_output(speaker, str(one.stage), one.name) for one in job.reads),
        "directory": value(job.directory) if job.directory != "." else None,
        "image": speaker.tree(machine.image),
        "services": {one.alias: speaker.tree(one) or {} for one in machine.services},
        "agent": unordered(machine.labels),
        "resources": speaker.tree(machine.resources),
        "shell": speaker.tree(machine.shell) if machine.shell is not ShellProgram.SH else None,
        "when": condition(job.condition),
        "secrets": {", ".join(one.variables): _credential(one) for one in job.secrets},
        "id_tokens": {one.variable: unordered(one.audiences) or {} for one in job.id_tokens},
        "retry": speaker.tree(limits.retry),
        "timeout": value(_seconds(limits.timeout.seconds)) if limits.timeout is not None else None,
        "allow_failure": _allowed(job),
        "interruptible": speaker.tree(limits.interruptible),
        "approve": _approval(job, speaker),
        "lock": unordered(one.name for one in deployment.locks),
        "environment": speaker.tree(deployment.environment),
        "artifacts": unordered(_artifacts(job, speaker)),
        "keeping": speaker.tree(job.retention) if job.retention != Retention() else None,
        "reports": speaker.tree(job.reports),
        "cache": speaker.tree(job.caches),
        "reuse": speaker.tree(job.reuse),
        "notify": speaker.tree(job.mail),
        "finally": value("true") if job.is_final else None,
        "raw": {target: node(tree) for target, tree in job.raw},
    }


def _output(speaker: Speaker, stage: str, name: str) -> str:
    return f"{speaker.stage(stage)}.{name}"


def _credential(one: Credential) -> ComparedValue:
    return value(f"{one.id} ({one.kind.value})")


def _approval(job: Job, speaker: Speaker) -> Tree | None:
    deployment = job.deployment
    if deployment.delay is not None:
        return value(f"after {_seconds(deployment.delay.seconds)}")
    if deployment.approval is None:
        return None
    return speaker.tree(deployment.approval) or value("true")


def _allowed(job: Job) -> ComparedValue | None:
    allowed = job.limits.allow_failure
    if allowed is None:
        return None
    return unordered(map(str, allowed.exit_codes)) or value("true")


def _artifacts(job: Job, speaker: Speaker) -> Iterable[str]:
    yield from (one.path for one in job.artifacts if one.path is not None)
    yield from (speaker.text(step.path) for step in job.steps if isinstance(step, Leave))


def _seconds(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    said = [f"{count} {unit}" for count, unit in ((hours, "h"), (minutes, "min"), (rest, "s")) if count]
    return " ".join(said) or "0 s"
