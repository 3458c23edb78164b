"""Keys of a job in GitLab's own syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from pipegen.diagnostics.codes import RAW_KEY_REFUSED, RAW_REPLACES
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data, Flow, Value
from pipegen.plan.model import Commands, Job
from pipegen.source.tree import Entry, Node, Scalar, child, entries_of, scalars, written_text
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.structs import replace
from pipegen.targets.gitlab.model import GitLabJob

# How a job starts although one before it has failed: https://docs.gitlab.com/ci/yaml/#when
AFTER_FAILURES = frozenset({"always", "on_failure"})
_TARGET = "gitlab"
_VARIABLE = re.compile(r"\$\{?(\w+)", re.ASCII)
# Keys that define the order, the values and the files of a run, each with what a config has instead.
_GENERATED = {
    "stage": 'remove it, and add the order to "execution"',
    "needs": 'add the order to "execution", and stages whose files this one gets to "files_from"',
    "dependencies": 'use the key "files_from" of the stage',
    "before_script": 'use the key "before" of the stage',
    "script": 'use the key "script" of the stage',
    "rules": 'use the key "when" of the stage',
    "when": 'use the key "approve" of the stage',
    "trigger": 'use the key "trigger" of the stage',
}
# GitLab starts no pipeline for jobs of these stages alone: https://docs.gitlab.com/ci/yaml/#stage-pre
_NO_PIPELINE = (".pre", ".post")
_AFTER_FAILURES_HINT = 'if the stage runs after all others, add it to "finally"'
# https://docs.gitlab.com/ci/yaml/#trigger and https://docs.gitlab.com/ci/yaml/#run: neither is allowed with a script.
_NOT_WITH_SCRIPT = ("trigger", "run")
# https://docs.gitlab.com/ci/yaml/#trigger lists the keys of a job with `trigger`.
_BRIDGE_KEYS = (
    *("trigger", "parallel", "extends", "stage", "only", "except", "rules", "variables", "inherit", "allow_failure"),
    *("when", "needs", "resource_group", "environment", "interruptible"),
)
# Keys that decide in which pipelines a job is: https://docs.gitlab.com/ci/yaml/#rules and
# https://docs.gitlab.com/ci/yaml/#only--except; `extends` may bring them from an included file.
_RULES = ("rules", "only", "except", "extends")
# https://docs.gitlab.com/ci/yaml/#parallel
_MOST_COMBINATIONS = 200
_HINTS = {
    "trigger": 'use the key "trigger" of the stage, without a script',
    "artifacts": 'add the key "artifacts" to the stage, with the files',
}


def lower_raw(job: Job, report: Report, *, is_bridge: bool, has_artifacts: bool) -> Mapping[str, Data]:
    """Return the GitLab keys of *job*.

    Keys that GitLab refuses in the job of the stage are reported, and keys that replace generated ones.
    """
    raw: dict[str, Data] = {}
    for entry in entries_of(job.raw_for(_TARGET)):
        reason = _refusal(entry.key.text, entry.value, is_bridge=is_bridge, has_artifacts=has_artifacts)
        if reason:
            report.add(
                RAW_KEY_REFUSED,
                f'GitLab refuses "{entry.key.text}" in "raw": {reason}',
                at=entry.key.span,
                hint=_HINTS.get(entry.key.text, "remove it, or move it to a stage of its own"),
            )
        elif entry.key.text in _GENERATED and not _starts_no_pipeline(entry):
            report.add(
                RAW_REPLACES,
                f'"{entry.key.text}" in "raw" replaces the key that pipegen generates',
                at=entry.key.span,
                hint=_own_key(entry),
            )
        raw[entry.key.text] = _data(entry.value)
    return raw


def _starts_no_pipeline(entry: Entry) -> bool:
    """Return whether *entry* puts a job into a stage for whose jobs alone GitLab starts no pipeline."""
    return entry.key.text == "stage" and written_text(entry.value) in _NO_PIPELINE


def with_carried(raw: Mapping[str, Data], paths: Iterable[str], dotenv: Iterable[str]) -> Mapping[str, Data]:
    """Return *raw* keys of a job whose artifacts also have the *paths* and *dotenv* files with values for other jobs.

    Without these, a job that reads a value would fail.
    """
    artifacts = raw.get("artifacts")
    if not isinstance(artifacts, dict):
        return raw
    carried = {"paths": [path for path in paths if path.startswith(".pipegen/")]}
    keys = {**artifacts, **_with_texts(artifacts, carried)}
    if isinstance(reports := artifacts.get("reports"), dict):
        keys["reports"] = {**reports, **_with_texts(reports, {"dotenv": [*dotenv]})}
    return {**raw, "artifacts": keys}


def _with_texts(lists: Mapping[str, Data], others: Mapping[str, Sequence[str]]) -> dict[str, Data]:
    """Return those of *lists* that *others* are missing from, with these."""
    own = {key: _texts(lists[key]) for key in others if lists.get(key) is not None}
    missing = {key: [text for text in others[key] if text not in texts] for key, texts in own.items()}
    return {key: [*own[key], *texts] for key, texts in missing.items() if texts}


def removed(raw: Mapping[str, Data]) -> frozenset[str]:
    """Return the keys that *raw* removes from a job: not from others, which would give them to it."""
    return frozenset([key for key, value in raw.items() if value is None])


def has_rules(raw: Mapping[str, Data]) -> bool:
    """Return whether *raw* may decide in which pipelines the job is."""
    return not raw.keys().isdisjoint(_RULES)


def starts_in(raw: Mapping[str, Data]) -> frozenset[str]:
    """Return the values of `when` with which *raw* may start the job."""
    rules, usual = raw.get("rules"), str(raw.get("when", "on_success"))
    if not isinstance(rules, list):
        return frozenset({usual})
    return frozenset(str(rule.get("when", usual)) for rule in rules if isinstance(rule, Mapping)) - {"never"}


def runs_after_failures(raw: Mapping[str, Data]) -> bool:
    """Return whether *raw* may start the job although a job before it has failed."""
    return bool(raw) and not AFTER_FAILURES.isdisjoint(starts_in(raw))


def needs_failure(raw: Mapping[str, Data]) -> bool:
    """Return whether *raw* only starts the job after a failure."""
    return bool(raw) and starts_in(raw) == {"on_failure"}


def always_starts(raw: Mapping[str, Data]) -> bool:
    """Return whether *raw* starts the job whatever the results of others."""
    return bool(raw) and starts_in(raw) == {"always"}


def read_by_rules(job: Job) -> frozenset[str] | None:
    """Return the variables in the GitLab rules that *job* has in place of its conditions; None without such rules."""
    rules = child(job.raw_for(_TARGET), "rules")
    if rules is None:
        return None
    return frozenset(name for scalar in scalars(rules) for name in _VARIABLE.findall(scalar.text))


def replaces_script(job: Job) -> bool:
    """Return whether a key for GitLab replaces or removes the script of *job*."""
    return child(job.raw_for(_TARGET), "script") is not None


def raw_variables(job: Job) -> frozenset[str]:
    """Return the names of the variables that the keys for GitLab of *job* set."""
    return frozenset(entry.key.text for entry in entries_of(child(job.raw_for(_TARGET), "variables")))


def without_raw_variables(job: Job) -> Job:
    """Return *job* whose script does not set the variables that its keys for GitLab have, as these replace them."""
    names = raw_variables(job)
    if not names:
        return job
    steps = tuple(
        replace(step, env=tuple(variable for variable in step.env if variable[0] not in names))
        if isinstance(step, Commands)
        else step
        for step in job.steps
    )
    return replace(job, steps=steps)


def raw_combinations(jobs: Iterable[GitLabJob]) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the jobs that GitLab makes of each of *jobs* with a raw `parallel`; each counts as a need."""
    return {job.name: tuple(_combinations(job.name, job.raw["parallel"])) for job in jobs if "parallel" in job.raw}


def _combinations(name: str, parallel: Data) -> Iterator[str]:
    """Yield the names of the jobs by *parallel*: a number, or maps of variables, each with one value or several.

    https://docs.gitlab.com/ci/yaml/#parallel
    """
    match parallel:
        case int(number) if not isinstance(parallel, bool):
            yield from (f"{name} {part}/{number}" for part in range(1, min(number, _MOST_COMBINATIONS) + 1))
        case {"matrix": [*maps]}:
            axes = [[_values(value) for value in values.values()] for values in maps if isinstance(values, Mapping)]
            combinations = (combination for lists in axes for combination in product(*lists))
            yield from (f"{name}: [{', '.join(values)}]" for values in islice(combinations, _MOST_COMBINATIONS))


def _values(value: Data) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [str(each).lower() if isinstance(each, bool) else str(each) for each in values]


def with_raw(keys: Mapping[str, Value], raw: Mapping[str, Data]) -> dict[str, Value]:
    """Return *raw* merged into the *keys* of a job: maps key by key, other values replaced, null removes a key."""
    merged: dict[str, Value] = {key: value for key, value in _merged(keys, raw).items() if value is not None}
    if "extends" in keys and "extends" in raw:
        # Keys that pipegen shares between jobs override those of other files.
        merged["extends"] = [*_texts(raw["extends"]), *_texts(keys["extends"])]
    return merged


def _merged(lower: Mapping[str, Value], upper: Mapping[str, Data]) -> dict[str, Value]:
    merged: dict[str, Value] = dict(lower)
    for key, value in upper.items():
        below = lower.get(key)
        below = below.value if isinstance(below, Flow) else below
        merged[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _texts(value: Value) -> list[Data]:
    value = value.value if isinstance(value, Flow) else value
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list | tuple) else [str(value)]


def _own_key(entry: Entry) -> str:
    """Return what a config has in place of the raw *entry*."""
    is_after_failures = entry.key.text == "when" and written_text(entry.value) in AFTER_FAILURES
    return _AFTER_FAILURES_HINT if is_after_failures else _GENERATED[entry.key.text]


def _refusal(key: str, value: Node, *, is_bridge: bool, has_artifacts: bool) -> str:
    """Return why GitLab refuses *key* with *value*; "" if it accepts it."""
    if is_bridge:
        return "" if key in _BRIDGE_KEYS else "the job starts a pipeline of another project, and cannot have this key"
    if key in _NOT_WITH_SCRIPT:
        return "the job has a script"
    if key == "artifacts" and isinstance(value, TreeMapping) and not has_artifacts:
        # https://docs.gitlab.com/ci/yaml/#artifactsexpose_as: paths are required.
        is_exposed, has_paths = value.get("expose_as") is not None, value.get("paths") is not None
        return '"expose_as" needs paths' if is_exposed and not has_paths else ""
    return ""


def _data(node: Node) -> Data:
    match node:
        case TreeMapping():
            return {entry.key.text: _data(entry.value) for entry in node.entries}
        case TreeSequence():
            return [_data(item) for item in node.items]
        case Scalar():
            return node.value
