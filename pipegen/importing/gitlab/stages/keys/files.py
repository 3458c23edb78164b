"""Artifacts, reports, and caches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from types import MappingProxyType

from pipegen.config.schema.file import gitlab_reports
from pipegen.emit.yaml import Data, Value
from pipegen.importing.gitlab.reading.stored import is_outside, outside
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.stages.keys.base import (
    KeyContext,
    Translation,
    WithoutEffect,
    as_map,
    duration,
    present,
    raw_data,
)
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.numbering import unique_name
from pipegen.source.tree import Entry, Mapping, Node
from pipegen.structs import replace

_WHEN = {"on_success": "success", "on_failure": "failure", "always": "always"}
# Characters that generated files replace with a dash in a cache key, outside references.
_NOT_IN_CACHE_KEYS = re.compile(r"(\$\{[^}]*\})|[^A-Za-z0-9._-]")
_REFERENCE = r"\$\{(?:matrix|setup)\.[^}]*\}"


def artifacts(context: KeyContext) -> Translation:
    """Return the artifacts and reports of a job, and its `coverage`."""
    entries = present(context.job.get("artifacts"))
    without_effect = _removed(entries, context)
    reasons: dict[str, str] = {}
    reported = present(entries.pop("reports").value) if "reports" in entries else {}
    reports, raw_reports = _reports(reported, context, reasons)
    have_files = bool(reports)
    coverage = context.job.get("coverage")
    if coverage is not None:
        reports["coverage"] = _percent(text_of(coverage), reports.get("coverage"))
    keys: dict[str, Data] = {}
    raw: dict[str, Data] = (
        {"reports": {report.key.text: raw_data(report.value) for report in raw_reports}} if raw_reports else {}
    )
    reason, own = "", _NO_ARTIFACTS
    try:
        own = _artifacts(entries, context)
    except UntranslatableError as error:
        if not reports and context.outputs.report is None:
            raise
        reason = str(error)
    is_for_reports = have_files and "paths" not in entries
    of_reports = {source: key for source, key in _OF_REPORTS.items() if is_for_reports and key in own}
    translated = _KEYS if "paths" in own else of_reports
    remainder = [entry for key, entry in entries.items() if key not in translated]
    if "paths" in own:
        keys["artifacts"] = own["paths"] if len(own) == 1 else own
    elif of_reports:
        keys["artifacts"] = {key: own[key] for key in of_reports.values()}
    if not {"paths", "untracked"} & entries.keys() and "when" in entries and text_of(entries["when"].value) == "always":
        remainder.remove(entries["when"])  # reports are always uploaded
    raw |= {entry.key.text: raw_data(entry.value) for entry in remainder}
    if reports:
        keys["reports"] = reports
    raw_keys: dict[str, Data] = {"artifacts": raw} if raw else {}
    return Translation(keys, raw_keys, (*remainder, *raw_reports), reason, reasons, tuple(without_effect))


def _removed(entries: dict[str, Entry], context: KeyContext) -> list[WithoutEffect]:
    """Remove those of the *entries* of artifacts without an effect, and return them."""
    if "paths" not in entries:
        return []
    node = entries["paths"].value
    parts = list(_outside(node, context))
    inside = tuple(_inside(node, context))
    is_stored = not parts or len(parts) < len(flat_items(node)) or "untracked" in entries
    others = ("paths", "exclude", "expose_as") if is_stored or "reports" in entries else tuple(entries)
    if not is_stored:
        removed = tuple(entries.pop(key) for key in others if key in entries)
        parts[-1] = replace(parts[-1], entries=removed)
    elif "expose_as" in entries and all("$" in path for path in inside):
        # `first_2_metadata_entries_for_artifacts_paths` in `find_exposed_artifacts_service.rb` of GitLab.
        entry = entries.pop("expose_as")
        reason = "GitLab shows no paths with variables" if inside else "GitLab stores none of the paths"
        parts.append(WithoutEffect(entry.key.span, '"expose_as"', reason, (entry,)))
    return parts


def _outside(node: Node | None, context: KeyContext) -> Iterator[WithoutEffect]:
    for path in outside(node, context.job):
        yield WithoutEffect(path.span, f'the path "{path.text}"', "GitLab stores only files of the checkout")


_NO_ARTIFACTS: Dictionary[str, Data] = MappingProxyType({})
# Keys that also say how reports are retained, and those of a stage.
_OF_REPORTS = {"expire_in": "expire", "access": "access", "public": "access"}
_KEYS = ("paths", "exclude", "name", "expire_in", "when", "access", "public", "expose_as")
# https://docs.gitlab.com/ci/yaml/#artifactspublic; GitLab's `Ci::Build#artifact_access_setting_in_config` reads both.
_PUBLIC = {"true": "all", "false": "developer"}


def _artifacts(entries: dict[str, Entry], context: KeyContext) -> Dictionary[str, Data]:
    """Return the key `artifacts` of a stage, in the order of the documentation."""
    if "artifacts" in context.forced:
        raise UntranslatableError(context.forced["artifacts"])
    value: dict[str, Data] = {}
    if "paths" in entries:
        value["paths"] = list(paths(_inside(entries["paths"].value, context), context, have_values=True))
    if "exclude" in entries:
        value["exclude"] = list(_stored_paths(entries["exclude"].value, context))
    if "name" in entries:
        value["name"] = context.texts.name(text_of(entries["name"].value))
    if "expire_in" in entries:
        value["expire"] = duration(context.texts.constant(text_of(entries["expire_in"].value), "expire_in"))
    when = text_of(entries["when"].value) if "when" in entries else "on_success"
    if when not in _WHEN:
        raise UntranslatableError(f'artifacts with "when: {when}"')
    if when != "on_success":
        value["when"] = _WHEN[when]
    value |= _access(entries)
    if "expose_as" in entries:
        value["expose_as"] = text_of(entries["expose_as"].value)
    return value


def _access(entries: dict[str, Entry]) -> dict[str, Data]:
    """Return the keys for the users that can download artifacts."""
    key = "public" if "public" in entries else "access"
    text = text_of(entries[key].value) if key in entries else "all"
    access = _PUBLIC.get(text, "") if key == "public" else text
    if {"public", "access"} <= entries.keys():
        raise UntranslatableError('artifacts with "public" and "access", which GitLab refuses')
    if access not in ("none", "all", "developer", "maintainer"):
        raise UntranslatableError(f'artifacts with "{key}: {text}"')
    return {} if access == "all" else {"keep": False} if access == "none" else {"access": access}


def _stored_paths(node: Node, context: KeyContext) -> Iterable[str]:
    """Return the paths of artifacts or of a report, relative to the checkout."""
    return paths(texts_of(node), context, have_values=True)


def _inside(node: Node, context: KeyContext) -> Iterable[str]:
    """Return the paths of *node* that may be in the checkout."""
    return (path for path in texts_of(node) if not is_outside(path, context.job))


def paths(texts: Iterable[str], context: KeyContext, *, have_values: bool = False) -> Iterable[str]:
    """Return the paths *texts* relative to the checkout; with *have_values*, they may contain setup values."""
    for path in texts:
        translated = context.texts.path(path, has_values=have_values)
        if any(sign in re.sub(_REFERENCE, "", translated) for sign in "?[{"):
            raise UntranslatableError(f'the path "{path}"')
        yield translated


def _reports(
    entries: dict[str, Entry], context: KeyContext, reasons: dict[str, str]
) -> tuple[dict[str, Data], list[Entry]]:
    """Return the reports of a stage, and the entries of those that stay raw; *reasons* gets those for their values."""
    reports: dict[str, Data] = {}
    raw: list[Entry] = []
    for name, entry in entries.items():
        try:
            if name in gitlab_reports():
                report_paths = list(_stored_paths(entry.value, context))
                reports[name] = report_paths[0] if len(report_paths) == 1 else list(report_paths)
            elif name == "coverage_report":
                reports["coverage"] = _coverage(present(entry.value), context)
            elif name == "dotenv" and context.outputs.report is not None:
                continue  # its values are outputs
            elif name == "cobertura" and len(report_paths := list(_stored_paths(entry.value, context))) == 1:
                reports["coverage"] = report_paths[0]
            else:
                raw.append(entry)
                reasons[name] = context.outputs.reason if name == "dotenv" else ""
        except UntranslatableError as error:
            raw.append(entry)
            reasons[name] = str(error)
    return reports, raw


def _coverage(entries: dict[str, Entry], context: KeyContext) -> Data:
    report_paths = list(_stored_paths(entries["path"].value, context)) if "path" in entries else []
    kind = text_of(entries["coverage_format"].value) if "coverage_format" in entries else "cobertura"
    if len(report_paths) != 1 or kind not in ("cobertura", "jacoco"):
        raise UntranslatableError("the coverage report")
    return report_paths[0] if kind == "cobertura" else {"path": report_paths[0], "format": kind}


def _percent(pattern: str, report: Data) -> Data:
    """Return the key `coverage` with the pattern of the percentage and *report*."""
    if not (len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/")):  # noqa: PLR2004 - two slashes
        raise UntranslatableError(f'the coverage pattern "{pattern}"')
    known = report if isinstance(report, dict) else {"path": report} if report is not None else {}
    return {**known, "percent": pattern[1:-1]}


def caches(context: KeyContext) -> Translation:
    """Return the caches of a job."""
    items = [item for item in flat_items(context.job.get("cache")) if isinstance(item, Mapping) and item.entries]
    values: list[Data] = []
    raw: list[Entry] = []
    without_effect: list[WithoutEffect] = []
    for item in items:
        entries = present(item)
        others = [entry for key, entry in entries.items() if key not in _CACHE_KEYS]
        node = entries["paths"].value if "paths" in entries else None
        parts = list(_outside(node, context))
        without_effect += parts
        has_paths = len(parts) < len(flat_items(node))
        if not has_paths and "untracked" not in entries:
            # `shells/abstract.go` of the runner skips it.
            without_effect.append(WithoutEffect(item.span, "this cache", "it has no paths", item.entries))
            if parts:
                without_effect[-2:] = [replace(parts[-1], entries=item.entries)]
            continue
        if not has_paths or (others and len(items) > 1):
            raise UntranslatableError(f'the key "{others[0].key.text if has_paths else "untracked"}"')
        values.append(_cache(entries, context))
        raw += others
    return Translation(
        {"cache": values[0] if len(values) == 1 else values} if values else {},
        {"cache": {entry.key.text: raw_data(entry.value) for entry in raw}} if raw else {},
        tuple(raw),
        without_effect=tuple(without_effect),
    )


_CACHE_KEYS = ("key", "paths", "policy", "when", "fallback_keys")


def _cache(entries: dict[str, Entry], context: KeyContext) -> Data:
    value: dict[str, Data] = {"key": _cache_key(entries["key"].value, context) if "key" in entries else "default"}
    value["paths"] = list(paths(_inside(entries["paths"].value, context), context))
    policy = context.texts.constant(text_of(entries["policy"].value), "policy") if "policy" in entries else "pull-push"
    if policy not in ("pull-push", "pull", "push"):
        raise UntranslatableError(f'the policy "{policy}"')
    if policy != "pull-push":
        value["policy"] = policy
    when = text_of(entries["when"].value) if "when" in entries else "on_success"
    if when not in _WHEN:
        raise UntranslatableError(f'a cache with "when: {when}"')
    if when != "on_success":
        value["when"] = _WHEN[when]
    if "fallback_keys" in entries:
        value["fallback"] = [_name(text, context) for text in texts_of(entries["fallback_keys"].value)]
    return value


def _cache_key(node: Node, context: KeyContext) -> Data:
    if not isinstance(node, Mapping):
        return _name(text_of(node), context)
    entries = present(node)
    if "files" not in entries or set(entries) - {"files", "prefix"}:
        raise UntranslatableError("the key of a cache")
    files = tuple(texts_of(entries["files"].value))
    # GitLab's `Seed::Build::Cache` looks for a file with this name, and the key is the same in all runs.
    if any("$" in file for file in files):
        raise UntranslatableError("GitLab expands no variables in the files of a key")
    value: dict[str, Data] = {"files": list(paths(files, context))}
    if "prefix" in entries:
        value["prefix"] = _name(text_of(entries["prefix"].value), context)
    return value


def with_different_cache_keys(stages: Sequence[Dictionary[str, Value]]) -> list[dict[str, Value]]:
    """Return *stages* whose cache keys also differ once generated files replace special characters with dashes."""
    texts = dict.fromkeys(text for stage in stages for cache in _caches_of(stage) for text in _texts_of_keys(cache))
    plain = {text: _NOT_IN_CACHE_KEYS.sub(lambda match: match[1] or "-", text) for text in texts}
    taken = {text for text, name in plain.items() if text == name}
    unique = {text: unique_name(name, taken) for text, name in plain.items() if text != name}
    names = {text: name for text, name in unique.items() if name != plain[text]}
    return [_with_cache_keys(stage, names) for stage in stages] if names else [dict(stage) for stage in stages]


def _caches_of(stage: Dictionary[str, Value]) -> list[dict[str, Value]]:
    caches = stage.get("cache")
    return [as_map(cache) for cache in (caches if isinstance(caches, list) else [caches])]


def _texts_of_keys(cache: Dictionary[str, Value]) -> Iterator[str]:
    """Yield the texts in the key of *cache*, and its fallbacks."""
    key, fallback = cache.get("key"), cache.get("fallback")
    texts = (as_map(key).get("prefix", key), *(fallback if isinstance(fallback, list) else ()))
    yield from (text for text in texts if isinstance(text, str))


def _with_cache_keys(stage: Dictionary[str, Value], names: Dictionary[str, str]) -> dict[str, Value]:
    """Return *stage* with other *names* for its cache keys."""
    caches = [
        {part: _renamed(value, names) if part in ("key", "fallback") else value for part, value in cache.items()}
        for cache in _caches_of(stage)
    ]
    return {**stage, "cache": caches if isinstance(stage["cache"], list) else caches[0]} if any(caches) else {**stage}


def _renamed(value: Value, names: Dictionary[str, str]) -> Value:
    match value:
        case str():
            return names.get(value, value)
        case list():
            return [_renamed(item, names) for item in value]
    return {part: _renamed(own, names) if part == "prefix" else own for part, own in as_map(value).items()}


def _job_name(context: KeyContext) -> str:
    """Return the name of the job of each combination, without characters that a key cannot have."""
    return "-".join((context.job.name, *context.texts.axes.values()))


def _name(text: str, context: KeyContext) -> str:
    """Return the key *text* of a cache, in which `setup.branch` is a slug."""
    name = context.texts.name(text).replace("${setup.params.CI_JOB_NAME}", _job_name(context))
    name = name.replace("${setup.params.CI_COMMIT_REF_SLUG}", "${setup.branch}")
    return name.replace("${setup.defaultBranch}", context.names.default_branch)
