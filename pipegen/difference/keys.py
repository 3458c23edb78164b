"""A stage and a pipeline as the config keys that describe them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pipegen.difference.model import KeyChange
from pipegen.difference.values import ComparedValue, Tree, ValueFormatter, condition, node, text_of, unordered, value
from pipegen.plan.model import (
    Commands,
    Credential,
    Export,
    Failure,
    Input,
    Job,
    Leave,
    Plan,
    Resources,
    Retention,
    Retry,
    RunContainer,
    Selection,
    ShellProgram,
    TriggerJob,
    Workspace,
)
from pipegen.plan.model.steps import step_key
from pipegen.plan.stage.words import duration_words
from pipegen.structs import replace

Keys = dict[str, Tree]


def stage_keys(job: Job, names: Mapping[str, str], leaving: Collection[str] = ()) -> Keys:
    """Return the keys that describe *job*, without its name and its order.

    *names* are the new names of renamed stages, *leaving* the stages whose files are compared.
    """
    formatter = ValueFormatter(job.stage, names)
    files = unordered(name for stage in job.files if (name := formatter.stage(stage)) in leaving)
    keys = {**_work(job, formatter), "files of": files, **_settings(job, formatter)}
    return {name: tree for name, tree in keys.items() if tree is not None and tree != {}}


def work_keys(job: Job, names: Mapping[str, str]) -> Keys:
    """Return the keys of the work of *job*, without settings such as its machine, conditions and limits."""
    keys = _work(job, ValueFormatter(job.stage, names))
    return {name: tree for name, tree in keys.items() if tree is not None and tree != {} and name != "env"}


def pipeline_keys(plan: Plan) -> Keys:
    """Return the keys of settings for all of *plan*."""
    formatter = ValueFormatter("", {})
    keys = {
        "when": condition(plan.condition),
        "runs": value("only on demand") if plan.selection is Selection.ON_DEMAND else None,
        "schedule": unordered(f"{schedule.cron} ({schedule.timezone or 'UTC'})" for schedule in plan.schedules),
        "workspace": value(plan.workspace.value) if plan.workspace is not Workspace.ISOLATED else None,
        "fetch": formatter.tree(plan.fetch),
        "fail_fast": value("true") if plan.is_fail_fast else None,
        "timeout": value(duration_words(plan.timeout.seconds)) if plan.timeout is not None else None,
        "concurrency": formatter.tree(plan.concurrency),
    }
    return {name: tree for name, tree in keys.items() if tree is not None}


def input_keys(parameter: Input) -> Keys:
    """Return the keys of a parameter; its description is not compared."""
    keys = {
        "type": value(parameter.type.value),
        "default": value(parameter.default) if parameter.default is not None else None,
        "choices": unordered(parameter.choices),
        "pattern": value(parameter.pattern) if parameter.pattern is not None else None,
    }
    return {name: tree for name, tree in keys.items() if tree is not None}


def changes(old: Keys, new: Keys) -> tuple[KeyChange, ...]:
    """Return the keys with different values; of a key with nested keys, only the nested ones that differ."""
    return tuple(_changes("", old, new))


def secrets(job: Job) -> tuple[str, ...]:
    """Return the secrets that *job* reads, by their IDs on the engine."""
    credentials = (
        *job.secrets,
        *(secret for step in job.steps if isinstance(step, RunContainer) for secret in step.credentials),
    )
    return tuple(
        dict.fromkeys(
            (*(secret.id for secret in credentials), *(f"ID token {secret.variable}" for secret in job.id_tokens))
        )
    )


def _changes(prefix: str, old: Keys, new: Keys) -> Iterator[KeyChange]:
    for name in dict.fromkeys((*old, *new)):
        old_tree, new_tree = old.get(name), new.get(name)
        if isinstance(old_tree, dict) and isinstance(new_tree, dict):
            yield from _changes(f"{prefix}{name}.", old_tree, new_tree)
        elif old_tree != new_tree:
            yield KeyChange(f"{prefix}{name}", _text(old_tree), _text(new_tree))


def _text(tree: Tree | None) -> str | None:
    return text_of(tree) if tree is not None else None


def _work(job: Job, formatter: ValueFormatter) -> dict[str, Tree | None]:
    """Return the keys of the steps of *job*."""
    keys: dict[str, Tree | None] = {}
    for step in job.steps:
        match step:
            case Commands():
                keys["script"] = value(formatter.script(step.lines))
                keys["env"] = {name: value(formatter.text(text)) for name, text in step.env}
                outputs = {output.name: formatter.tree((output.command, output.file)) for output in step.outputs}
                keys["outputs"] = {name: tree or value("by the script") for name, tree in outputs.items()}
            case Export():
                exports = keys.setdefault("exports", {})
                if isinstance(exports, dict):
                    exports[step.name] = value(formatter.text(step.value))
            case Leave():
                continue
            case TriggerJob():
                keys["trigger"] = _trigger(step, formatter)
            case _:
                keys[step_key(step)] = formatter.tree(step)
    return keys


def _settings(job: Job, formatter: ValueFormatter) -> dict[str, Tree | None]:
    """Return the keys of *job* other than its steps."""
    machine, limits, deployment = job.machine, job.limits, job.deployment
    return {
        "after": value(formatter.script(job.after)) if job.after else None,
        "reads": unordered(_output(formatter, str(item.stage), item.name) for item in job.reads),
        "directory": value(job.directory) if job.directory != "." else None,
        "fetch": formatter.tree(job.fetch),
        "image": formatter.tree(machine.image),
        "services": {item.alias: formatter.tree(item) or {} for item in machine.services},
        "agent": unordered((*machine.labels, *machine.label_expressions)),
        "agent.kubernetes": formatter.tree(machine.pod),
        "tools": {type_: value(name) for type_, name in machine.tools},
        "resources": _resources(machine.resources) if machine.resources is not None else None,
        "runner_variables": {item.name: value(item.value) for item in machine.runner_variables},
        "shell": formatter.tree(machine.shell) if machine.shell is not ShellProgram.SH else None,
        "cases": _cases(job, formatter),
        "when": condition(job.condition),
        "secrets": {", ".join(item.variables): _credential(item) for item in job.secrets},
        "id_tokens": {item.variable: unordered(item.audiences) or {} for item in job.id_tokens},
        "retry": _retry(limits.retry) if limits.retry is not None else None,
        "timeout": value(duration_words(limits.timeout.seconds)) if limits.timeout is not None else None,
        "allow_failure": _allowed(job),
        "interruptible": formatter.tree(limits.interruptible),
        "approve": _approval(job, formatter),
        "lock": unordered(item.name for item in deployment.locks),
        "environment": _environment(job, formatter),
        "artifacts": unordered(_artifacts(job, formatter)),
        "retention": formatter.tree(job.retention) if job.retention != Retention() else None,
        "reports": formatter.tree(job.reports),
        "cache": formatter.tree(job.caches),
        "reuse": formatter.tree(job.reuse),
        "notify": formatter.tree(job.mail),
        "finally": value(job.on_status or "true") if job.is_final else None,
        "steps": _plugin_steps(job, formatter),
        "raw": {target: node(tree) for target, tree in job.raw},
    }


def _resources(resources: Resources) -> Tree:
    """Return *resources* with the keys and in the units of a config."""
    limits: Tree = {name: value(amount) for name, amount in resources.limits.items()}
    amounts = {name: value(amount) for name, amount in resources.quantities.items()}
    return {**amounts, "limits": limits} if limits else {**amounts}


def _retry(retry: Retry) -> Tree:
    """Return *retry* with the words of a config."""
    words = [failure.value for failure in retry.on if failure is not Failure.SYSTEM or not retry.of_system]
    failures = unordered((*words, *(part.value for part in retry.of_system)))
    return {"count": value(str(retry.count)), **({"on": failures} if failures is not None else {})}


def _cases(job: Job, formatter: ValueFormatter) -> Tree | None:
    """Return the cases of *job* by number: their order matters."""
    trees: dict[str, Tree] = {}
    for number, case in enumerate(job.cases, 1):
        when = condition(case.condition)
        variables: Tree = {name: value(formatter.text(text)) for name, text in case.variables}
        trees[str(number)] = {**({"when": when} if when is not None else {}), "env": variables}
    return trees or None


def _plugin_steps(job: Job, formatter: ValueFormatter) -> Tree | None:
    """Return the steps of plugins of *job*."""
    steps = job.plugin_steps
    if steps is None:
        return None
    lists = ("around", "before", "after", "always", "failure")
    calls: dict[str, Tree] = {
        f"{when} {number}": {call.text: formatter.tree(call.arguments) or value("")}
        if call.arguments is not None
        else value(call.text)
        for when in lists
        for number, call in enumerate(getattr(steps, when), 1)
    }
    return {**calls, **({"elsewhere": value("skip")} if steps.is_skipped_elsewhere else {})}


def _trigger(step: TriggerJob, formatter: ValueFormatter) -> Tree | None:
    """Return *step*, with the new names of the stages that generate its files; the first file is not its name, too."""
    files = tuple(replace(file, stage=formatter.stage(file.stage)) for file in step.include)
    tree = formatter.tree(replace(step, include=files))
    if files and isinstance(tree, dict):
        tree.pop("name")
    return tree


def _output(formatter: ValueFormatter, stage: str, name: str) -> str:
    return f"{formatter.stage(stage)}.{name}"


def _credential(credential: Credential) -> ComparedValue:
    return value(f"{credential.id} ({credential.kind.value})")


def _environment(job: Job, formatter: ValueFormatter) -> Tree | None:
    """Return the environment of *job*, with the new name of a renamed stop stage."""
    environment = job.deployment.environment
    if environment is None:
        return None
    on_stop = formatter.stage(environment.on_stop) if environment.on_stop is not None else None
    tree = formatter.tree(replace(environment, on_stop=on_stop, auto_stop_in=None))
    if environment.auto_stop_in is None or not isinstance(tree, dict):
        return tree
    return tree | {"auto_stop_in": value(duration_words(environment.auto_stop_in))}


def _approval(job: Job, formatter: ValueFormatter) -> Tree | None:
    deployment = job.deployment
    if deployment.delay is not None:
        return value(f"after {duration_words(deployment.delay.seconds)}")
    approval = deployment.approval
    if approval is None:
        return None
    keys: dict[str, Tree | None] = {
        "message": formatter.tree(approval.message),
        "approvers": unordered(approval.approvers),
        "optional": value("true") if approval.is_optional else None,
        "timeout": value(duration_words(approval.timeout)) if approval.timeout is not None else None,
        "when": condition(approval.condition),
    }
    return {name: tree for name, tree in keys.items() if tree is not None} or value("true")


def _allowed(job: Job) -> Tree | None:
    allowed, approval = job.limits.allow_failure, job.deployment.approval
    if allowed is None or (approval is not None and approval.is_optional and approval.span == allowed.span):
        return None
    exit_codes = unordered(map(str, allowed.exit_codes))
    when = condition(allowed.condition)
    if when is None:
        return exit_codes or value("true")
    return {"when": when, **({"exit_codes": exit_codes} if exit_codes is not None else {})}


def _artifacts(job: Job, formatter: ValueFormatter) -> Iterable[str]:
    yield from (artifact.path for artifact in job.artifacts if artifact.path is not None)
    yield from (formatter.text(step.path) for step in job.steps if isinstance(step, Leave))
