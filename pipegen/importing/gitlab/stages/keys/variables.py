"""Variables of a job as `env`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from pipegen.emit.yaml import Data, Value
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.base import KeyContext
from pipegen.importing.gitlab.stages.keys.limits import script_timeout
from pipegen.importing.gitlab.stages.keys.machines import read_by_services
from pipegen.importing.gitlab.stages.texts import has_expansion_of_shells, has_reference, names_in, names_in_values
from pipegen.plan.model.steps import is_variable_name
from pipegen.source.tree import scalars
from pipegen.structs import Struct
from pipegen.targets.gitlab.jobs.limits import SCRIPT_TIMEOUT
from pipegen.targets.gitlab.jobs.values.variables import expands_plainly, is_free_name, is_of_gitlab
from pipegen.targets.gitlab.runner_variables import can_be_set, is_for_runners

# The runner, git and scripts read them.
_OF_PROXIES = re.compile(r"(?:https?|ftp|no|all)_proxy|(?:HTTPS?|FTP|NO|ALL)_PROXY")
# What a job requests from the Kubernetes executor, and its limits, in the spelling of generated files.
_RESOURCES = {"cpu": "KUBERNETES_CPU_REQUEST", "memory": "KUBERNETES_MEMORY_REQUEST"}
_LIMITS = {"cpu": "KUBERNETES_CPU_LIMIT", "memory": "KUBERNETES_MEMORY_LIMIT"}
_AMOUNTS = {"cpu": r"[1-9][0-9]?|[1-9][0-9]{0,2}m", "memory": r"[1-9][0-9]{0,2}[MG]i"}
# Options of `fetch` by the variables of generated files; others are numbers, and a path.
_FETCH_OPTIONS: Mapping[tuple[str, str], tuple[str, bool | int | str]] = {
    ("GIT_DEPTH", "0"): ("shallow", False),
    ("GIT_SUBMODULE_STRATEGY", "recursive"): ("submodules", True),
    ("GIT_SUBMODULE_STRATEGY", "normal"): ("submodules", "direct"),
    ("GIT_SUBMODULE_STRATEGY", "none"): ("submodules", False),
    ("GIT_STRATEGY", "clone"): ("clone", True),
    ("GIT_STRATEGY", "fetch"): ("clone", False),
    ("GIT_FETCH_EXTRA_FLAGS", "--prune --quiet --tags"): ("tags", True),
    ("GIT_FETCH_EXTRA_FLAGS", "--prune --quiet --no-tags"): ("tags", False),
}
_FETCH_NUMBERS = {"GIT_DEPTH": "depth", "GIT_SUBMODULE_DEPTH": "submodule_depth"}
# Without a strategy, the runner fetches nothing, so that they have no effect.
_OF_A_FETCH = ("GIT_DEPTH", "GIT_FETCH_EXTRA_FLAGS")
_SCRIPTS = ("before_script", "script", "after_script")
_CLONE_PATH = "GIT_CLONE_PATH"
_FETCH = tuple(dict.fromkeys((*(name for name, _ in _FETCH_OPTIONS), *_FETCH_NUMBERS, _CLONE_PATH)))
_PATH = re.compile(
    r"\$(?:CI_BUILDS_DIR|\{CI_BUILDS_DIR\})/((?!\.{1,2}(?:/|$))[\w.-](?:[\w. +-]|/(?!\.{0,2}(?:/|$)))*)", re.ASCII
)
# A generated job has no more variables; with more, its script exports them.
_MOST_VARIABLES = 50


class Variables(Struct):
    """The variables of a job: those of its script, those that stay raw, and *keys* in place of those of the runner."""

    env: Mapping[str, str]
    raw: Mapping[str, Variable]
    keys: Mapping[str, Value]


def variables(
    context: KeyContext,
    inputs: Collection[str],
    raw_names: Collection[str],
    read_by_raw_keys: Collection[str],
    *,
    is_read_elsewhere: bool,
    has_script: bool,
) -> Variables:
    """Return the variables of a job; those that are *inputs* are set by the run, and *raw_names* stay raw.

    Those *read_by_raw_keys* stay raw and are in `env`, too, as are those that services or scripts of other files read,
    and own *inputs*: values of the run win over these. If *is_read_elsewhere*, scripts of other files read them.
    """
    job, texts = context.job, context.texts
    values = {
        name: variable for name, variable in job.variables.items() if name not in inputs or name in job.own_variables
    }
    of_services = read_by_services(job, values)
    # Without its script, all variables of a generated job are in its `variables`.
    has_exports = has_script or not is_read_elsewhere
    if is_read_elsewhere and has_exports and len(values) > _MOST_VARIABLES:
        raw_names = values
    not_env = {name for name, each in values.items() if is_for_runners(name) or not _is_text(each)}
    if has_exports:
        known_texts = {name: texts.constants.get(name, variable.text) for name, variable in values.items()}
        others_read = _not_exported(known_texts, of_services, is_read_elsewhere=is_read_elsewhere)
        not_env |= {*others_read, *exported(others_read, job, ()), *read_by_raw_keys, *(values.keys() & set(inputs))}
    else:
        not_env |= _only_of_gitlab(values, {*inputs, *texts.axes})
    raw = {name: each for name, each in values.items() if name in (*raw_names, *not_env) and name not in texts.axes}
    only_raw = {
        name for name in raw if not has_script or name in raw_names or _is_for_engine(name) or not _is_text(raw[name])
    }
    others = {*raw_names, *texts.axes}
    resources = _resources(raw, others)
    if SCRIPT_TIMEOUT not in raw_names and script_timeout(job):
        raw.pop(SCRIPT_TIMEOUT, None)
    fetched = {name: raw[name].text for name in _FETCH if name in raw and name not in others}
    fetch, fetch_names = _fetch(fetched)
    if fetch is False and not is_read_elsewhere:
        fetch_names = (*fetch_names, *(name for name in _OF_A_FETCH if name in fetched and not _reads(job, name)))
    raw = {name: variable for name, variable in raw.items() if name not in fetch_names}
    for_runner = _for_runner(raw, context, (*others, *read_by_raw_keys))
    raw = {name: variable for name, variable in raw.items() if name not in for_runner}
    keys = _present(resources=resources or None, runner_variables=for_runner or None, fetch=fetch)
    known = {name: text for name, text in texts.constants.items() if is_read_elsewhere or name in of_services}
    own = {name: variable for name, variable in values.items() if name not in only_raw and name not in texts.axes}
    names = _ordered(own, names_in_values(job))
    return Variables({name: known.get(name) or texts.env(own[name]) for name in names}, raw, keys)


def _is_for_engine(name: str) -> bool:
    """Return whether other engines have no use for the variable *name*."""
    return is_for_runners(name) or _OF_PROXIES.fullmatch(name) is not None or not is_variable_name(name)


def _not_exported(texts: Mapping[str, str], of_services: Collection[str], *, is_read_elsewhere: bool) -> frozenset[str]:
    """Return the names of variables with these *texts* that others read than the commands of a generated script.

    Services may read those *of_services*.
    """
    return frozenset(
        name
        for name, text in texts.items()
        if _OF_PROXIES.fullmatch(name)
        or (name in of_services and not expands_plainly(text))
        or (is_read_elsewhere and not _stays_variable(name, text))
    )


def _only_of_gitlab(variables: Mapping[str, Variable], others: Collection[str]) -> frozenset[str]:
    """Return the names of *variables* with values that a generated job has only from raw variables.

    They contain variables that are not those of the job, of GitLab or the *others*, such as those of a project.
    """
    known = {*others, *(name for name in variables if not is_for_runners(name))}
    return frozenset(
        name
        for name, variable in variables.items()
        if variable.is_expanded
        and any(read == name or (read not in known and not is_of_gitlab(read)) for read in names_in(variable.text))
    )


def _for_runner(variables: Mapping[str, Variable], context: KeyContext, others: Collection[str]) -> dict[str, Value]:
    """Return those of *variables* that only the runner of a job reads, without *others*.

    Those with variables of the job in their texts stay raw: a generated script may export these. A job that only starts
    a pipeline has no runner.
    """
    job = context.job
    if "trigger" in job.entries or "runner_variables" in context.forced:
        return {}
    return {
        name: variable.text
        for name, variable in variables.items()
        if can_be_set(name) and name not in others and _is_text(variable) and variable.is_expanded
        if job.variables.keys().isdisjoint(names_in(variable.text)) and not _reads(job, name)
    }


def _present(**keys: Value) -> dict[str, Value]:
    """Return those of *keys* that are not None."""
    return {name: value for name, value in keys.items() if value is not None}


def _resources(variables: dict[str, Variable], others: Collection[str]) -> dict[str, Value]:
    """Return the key `resources`, and remove its variables from *variables*, without the *others*."""
    amounts, limits = _amounts(_RESOURCES, variables, others), _amounts(_LIMITS, variables, others)
    return {**amounts, **({"limits": {**limits}} if limits else {})}


def _amounts(names: Mapping[str, str], variables: dict[str, Variable], others: Collection[str]) -> Mapping[str, str]:
    """Return the amounts of resources by the variables *names*, without *others*, and remove these from *variables*.

    A generated file has each amount in the same spelling.
    """
    amounts = {}
    for key, name in names.items():
        text = variables[name].text if name in variables and name not in others else ""
        if re.fullmatch(_AMOUNTS[key], text):
            amounts[key] = variables.pop(name).text
    return amounts


def is_fetch_option(name: str, text: str) -> bool:
    """Return whether `fetch` can express the variable *name* with this *text*."""
    return bool(_fetch({name: text})[1])


def _fetch(texts: Mapping[str, str]) -> tuple[Value, Collection[str]]:
    """Return the value of `fetch` for variables with these *texts*, None if they have none, and those it replaces."""
    if texts.get("GIT_STRATEGY") == "none":
        return False, ("GIT_STRATEGY",)
    options: dict[str, tuple[str, bool | int | str]] = {}
    for variable in texts.items():
        name, text = variable
        if variable in _FETCH_OPTIONS:
            options[name] = _FETCH_OPTIONS[variable]
        elif name in _FETCH_NUMBERS and re.fullmatch(r"[1-9][0-9]{0,8}", text):
            options[name] = (_FETCH_NUMBERS[name], int(text))
        elif name == _CLONE_PATH and (path := _PATH.fullmatch(text)):
            options[name] = ("path", path[1])
    return dict(options.values()) or None, options


def _reads(job: SourceJob, variable: str) -> bool:
    """Return whether a command of *job* contains the name of *variable*, or another variable reads it."""
    scripts = (job.get(key) for key in _SCRIPTS)
    return any(
        variable in command.text for script in scripts if script is not None for command in scalars(script)
    ) or any(variable in names_in(other.text) for other in job.variables.values())


def forced_names(job: SourceJob, forced: Collection[str]) -> Iterator[str]:
    """Yield the names of variables of *job* that stay raw because they, or the keys in place of them, are *forced* to.

    A job that only starts a pipeline has no such keys.
    """
    is_bridge = "trigger" in job.entries
    yield from (name.removeprefix("env.") for name in forced if name.startswith("env."))
    yield from (*_RESOURCES.values(), *_LIMITS.values()) if "resources" in forced or is_bridge else ()
    yield from (SCRIPT_TIMEOUT,) if "timeout" in forced else ()
    yield from _FETCH if "fetch" in forced or is_bridge else ()


def read_by_raw(raw: Mapping[str, Data], others: Collection[str]) -> Iterator[str]:
    """Yield the variables that GitLab expands in keys of *raw*, such as the image, without the *others*."""
    for key, value in raw.items():
        if key not in others:
            yield from names_in(str(value))


def exported(names: Iterable[str], job: SourceJob, inputs: Collection[str]) -> Iterator[str]:
    """Yield those of *names*, and the variables of *job* in their values, that a generated script would export.

    It does so with *inputs*, too.
    """
    pending, read = list(names), set[str]()
    while pending:
        name = pending.pop()
        variable = job.variables.get(name) if name not in read else None
        read.add(name)
        if variable is not None:
            pending += names_in(variable.text)
            if name in inputs or not _stays_variable(name, variable.text):
                yield name


def _stays_variable(name: str, text: str) -> bool:
    """Return whether *name* is a variable of the generated job, too, so that services and included scripts read it."""
    return expands_plainly(text) and "\n" not in text and is_free_name(name)


def _is_text(variable: Variable) -> bool:
    return "${" not in variable.text or (variable.is_expanded and is_expandable(variable.text))


def is_expandable(text: str) -> bool:
    """Return whether `env` can have *text*, in which GitLab expands variables: it cannot have a literal `${`."""
    return "$${" not in text and not has_reference(text) and not has_expansion_of_shells(text)


def _ordered(values: Collection[str], read: Mapping[str, Collection[str]]) -> list[str]:
    """Return the names *values* so that each comes after those that its values *read*."""
    names: dict[str, None] = {}

    def add(name: str, stack: tuple[str, ...]) -> None:
        if name in names or name in stack or name not in values:
            return
        for inner in read.get(name, ()):
            add(inner, (*stack, name))
        names[name] = None

    for name in values:
        add(name, ())
    return list(names)
