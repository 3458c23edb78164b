"""Jobs that start other pipelines."""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Mapping as Dictionary
from contextlib import suppress

from pipegen.emit.yaml import Value
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.expressions.formulas import tested_names, tests_in
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import needs_of
from pipegen.importing.gitlab.reading.rules import rules_of
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.base import as_map, present, raw_data
from pipegen.importing.gitlab.stages.raw_keys import RawKeys
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.importing.gitlab.stages.texts import names_in, rule_variables, with_references, with_values
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.model import TriggerJob
from pipegen.source.tree import Entry, Mapping, Node, Scalar

# Text with variables and no other character that begins an expansion.
_COMPUTED = re.compile(r"(?:[^$%]|\$\w|\$\{\w+\})*", re.ASCII)
_OF_TRIGGERS = (
    "when",
    "approve",
    "allow_failure",
    "matrix",
    "environment",
    "lock",
    "interruptible",
)


def with_trigger(
    draft: Draft,
    source: SourcePipeline,
    forced: Collection[str],
    inputs: Collection[str],
    targets: dict[str, Value],
    raw_keys: RawKeys,
    accounting: Accounting,
) -> Draft:
    """Make *draft* start another pipeline; one that is not of another project stays raw.

    Return it; *targets* are the settings of GitLab, and *inputs* the variables that a run sets. The trigger also stays
    raw if it is among the *forced* keys, which a config refused; *raw_keys* collects what stays raw.
    """
    entry = draft.job.entries.get("trigger")
    if entry is None:
        return draft
    accounting.mark(entry, KeyOutcome.TRANSLATED)
    keys = present(entry.value)
    value: dict[str, Value] = {"name": draft.name}
    tested = _tested(draft.job, source) if "trigger" in forced else frozenset()
    if parameters := _parameters(draft, inputs, tested, raw_keys):
        value["parameters"] = parameters
    draft.keys = {key: stage_value for key, stage_value in draft.keys.items() if key in _OF_TRIGGERS}
    if "strategy" in keys:
        value["wait"] = True
    if _forwards(keys):
        value["forward"] = True
    files = _child_files(draft.job, source) if "trigger" not in forced else None
    if files is not None:
        del value["name"]
        value = {"include": files[0] if len(files) == 1 and isinstance(files[0], str) else list(files), **value}
    else:
        _set_project(draft, entry, targets, raw_keys)
    draft.keys["trigger"] = value
    return draft


def _tested(job: SourceJob, source: SourcePipeline) -> frozenset[str]:
    """Return the variables that rules of *job* test: they would test a parameter, and not the variable of the run."""
    with suppress(ExpressionError):
        formulas = (rule.formula for rule in rules_of(job, source))
        return frozenset(name for formula in formulas for test in tests_in(formula) for name in tested_names(test))
    return frozenset()


def _parameters(draft: Draft, inputs: Collection[str], tested: Collection[str], raw_keys: RawKeys) -> dict[str, Value]:
    """Return the variables of *draft* as parameters; those *tested*, or not to be passed on by a config, stay raw."""
    variables = draft.raw.pop("variables", None)
    entries = variables if isinstance(variables, dict) else {}
    env = as_map(draft.keys.pop("env", None)) | {name: text for name, text in entries.items() if isinstance(text, str)}
    raw = {name: data for name, data in entries.items() if not isinstance(data, str)}
    parameters: dict[str, Value] = {}
    for name, text in env.items():
        try:
            parameters[name] = _passed(name, str(text), env, draft.job, inputs, tested)
        except UntranslatableError:
            raw[name] = draft.job.variables[name].data
            raw_keys.mark(draft.name, draft.job.variables[name].entry, "")
    if raw:
        draft.raw["variables"] = raw
    return parameters


def _passed(
    name: str,
    text: str,
    env: Dictionary[str, Value],
    job: SourceJob,
    inputs: Collection[str],
    tested: Collection[str],
) -> str:
    """Return the variable *name* of *job* as a parameter; raise `UntranslatableError` if it is none of a config."""
    if name in tested:
        raise UntranslatableError(f"rules test {name}")
    variable = job.variables.get(name) if "$" in text else None
    return _computed(variable, env, job, inputs) if variable is not None else _parameter(text)


def _set_project(draft: Draft, entry: Entry, targets: dict[str, Value], raw_keys: RawKeys) -> None:
    """Add the project of the trigger in *entry* of *draft* to *targets*; another pipeline stays raw."""
    keys = present(entry.value)
    project = text_of(keys["project"].value) if "project" in keys else text_of(entry.value)
    branch = text_of(keys["branch"].value) if "branch" in keys else ""
    is_plain = _is_translatable(keys, "project", "branch")
    if not is_plain or not _is_project(entry) or "$" in project or not _COMPUTED.fullmatch(branch):
        project, branch = re.sub(r"[^\w-]+", "-", draft.name), ""
        draft.raw["trigger"] = raw_data(entry.value)
        # "wait" and "forward" of the stage say these.
        has_forward, has_strategy = "forward" in keys and _can_forward(keys), "strategy" in keys and not _mirrors(keys)
        known = [*([keys["forward"]] if has_forward else []), *([keys["strategy"]] if has_strategy else [])]
        raw_keys.mark(draft.name, entry, "", known)
    projects = as_map(targets.get("projects"))
    projects[draft.name] = {"project": project, "branch": branch} if branch else project
    targets["projects"] = projects


def _child_files(job: SourceJob, source: SourcePipeline) -> tuple[Value, ...] | None:
    """Return the files of the repository, or of earlier jobs of *source*, that *job* starts as a child pipeline.

    None if it starts another one, or in another way.
    """
    keys = present(job.entries["trigger"].value)
    include = keys["include"].value if "include" in keys else None
    if include is None or not _is_translatable(keys, "include"):
        return None
    files = tuple(file for item in flat_items(include) if (file := _child_file(item, job, source)) is not None)
    return files if 0 < len(files) == len(flat_items(include)) <= TriggerJob.MOST_FILES else None


def _child_file(item: Node, job: SourceJob, source: SourcePipeline) -> Value:
    """Return the file *item* of a child pipeline that *job* starts; None if a config cannot name it."""
    keys = present(item) if isinstance(item, Mapping) else {}
    path = keys.get("local") or keys.get("artifact")
    file = text_of(path.value if path is not None else item).removeprefix("/").removeprefix("./")
    if not re.fullmatch(TriggerJob.FILE, file) or keys.keys() not in (set(), {"local"}, {"artifact", "job"}):
        return None
    if "artifact" not in keys:
        return file
    generator = text_of(keys["job"].value)
    return {"artifact": file, "stage": generator} if _is_before(generator, job, source) else None


def _is_before(name: str, job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether *name* is a single job with artifacts that always comes before *job*."""
    other, needs = source.jobs.get(name), needs_of(job, source)
    if other is None or other.get("artifacts") is None or other.get("parallel") is not None:
        return False
    return other.stage_number < job.stage_number if needs is None else any(need.name == name for need in needs)


def _is_translatable(keys: Dictionary[str, Entry], *others: str) -> bool:
    """Return whether a config has the *keys* of a trigger: *others*, and what passes between the pipelines."""
    return keys.keys() <= {*others, "strategy", "forward"} and _can_forward(keys) and not _mirrors(keys)


def _mirrors(keys: Dictionary[str, Entry]) -> bool:
    """Return whether the job has the status of the other pipeline, which "wait" of a stage does not say."""
    return "strategy" in keys and text_of(keys["strategy"].value) == "mirror"


def _can_forward(keys: Dictionary[str, Entry]) -> bool:
    """Return whether a config can say which variables reach the pipeline."""
    forward = present(keys["forward"].value) if "forward" in keys else {}
    return "yaml_variables" not in forward or text_of(forward["yaml_variables"].value) == "true"


def _forwards(keys: Dictionary[str, Entry]) -> bool:
    """Return whether the variables of a run reach the pipeline."""
    forward = present(keys["forward"].value) if "forward" in keys else {}
    return "pipeline_variables" in forward and text_of(forward["pipeline_variables"].value) == "true"


def _is_project(entry: Entry) -> bool:
    """Return whether the `trigger` in *entry* starts the pipeline of another project."""
    if isinstance(entry.value, Scalar):
        return not text_of(entry.value).endswith((".yml", ".yaml"))
    return "project" in present(entry.value)


def _computed(variable: Variable, env: Dictionary[str, Value], job: SourceJob, inputs: Collection[str]) -> str:
    """Return the value of *variable* of *job* as a parameter that GitLab expands when it starts the pipeline.

    Raise `UntranslatableError` if it would expand another value: one of the other parameters, which are in *env*.
    """
    set_by_runs = {*inputs, *rule_variables(job)}
    fixed = {name: other for name, other in job.variables.items() if name not in set_by_runs}
    text = with_values(variable.text, fixed)
    if not variable.is_expanded or not _COMPUTED.fullmatch(text) or not env.keys().isdisjoint(names_in(text)):
        raise UntranslatableError(variable.text)
    return with_references(text)


def _parameter(text: str) -> str:
    """Return the value of a variable as a parameter, in which `${NAME}` is a value of the run."""
    return re.sub(r"\$\{(\w+)\}", r"${setup.params.\1}", text)
