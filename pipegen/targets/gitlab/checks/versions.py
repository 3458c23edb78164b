"""The GitLab version that a file needs, by its keys.

If a key was first behind a feature flag, the version is the first in which a self-managed instance has the key
without the flag, or with the flag on by default. Keys without a history in the documentation of GitLab 15.5, whose
histories go back to 11.4, are not in the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pipegen.diagnostics.codes import NEWER_GITLAB
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Commented, Flow, Value
from pipegen.plan.model import Job as PlanJob
from pipegen.source.text import Span
from pipegen.structs import Struct
from pipegen.targets.gitlab.memory import BIGGER_FILES, SMALLER_LIMIT, Version

_KEYWORDS = "https://docs.gitlab.com/ci/yaml/"
_REPORTS = "https://docs.gitlab.com/ci/yaml/artifacts_reports/"
_VARIABLES = "https://docs.gitlab.com/ci/variables/predefined_variables/"
SAME_STAGE = "needs of the same stage"
TAG_VARIABLES = "CI/CD variables in tags"
MATRIX_EXPRESSIONS = "matrix expressions in needs:parallel:matrix"
WHEN_BESIDE_RULES = "when in a job with rules"
_MANY_INCLUDES = "more than 100 included files"
_BIG_FILE = "a file of more than 1 MiB"
_OLD_INCLUDES = 100


class IntroducedIn(Struct):
    """The *version* that introduced a key, and its documentation."""

    version: Version
    source: str


def _keyword(major: int, minor: int, anchor: str) -> IntroducedIn:
    return IntroducedIn((major, minor), f"{_KEYWORDS}#{anchor}")


def _reports(**versions: Version) -> Mapping[str, IntroducedIn]:
    """Return the *versions* of kinds of reports by path."""
    return {
        f"job.artifacts.reports.{kind}": IntroducedIn(version, f"{_REPORTS}#artifactsreports{kind}")
        for kind, version in versions.items()
    }


# By path: `job` is the name of any job, also a hidden one, `*` a name that the user chooses, and `[]` a list where a
# single value is also allowed. A value after `=` has its own version.
KEYS: Mapping[str, IntroducedIn] = {
    "include.rules": _keyword(14, 2, "includerules"),
    "include.inputs": _keyword(17, 0, "includeinputs"),
    "include.component": _keyword(17, 0, "includecomponent"),
    "include.integrity": _keyword(17, 9, "includeintegrity"),
    "workflow": _keyword(12, 5, "workflow"),
    "workflow.rules": _keyword(12, 5, "workflow"),
    "workflow.name": _keyword(15, 7, "workflowname"),
    "workflow.auto_cancel": _keyword(16, 9, "workflowauto_cancelon_new_commit"),
    "workflow.auto_cancel.on_new_commit": _keyword(16, 9, "workflowauto_cancelon_new_commit"),
    "workflow.rules.exists": _keyword(12, 4, "rulesexists"),
    "workflow.rules.changes.paths": _keyword(15, 2, "ruleschangespaths"),
    "workflow.rules.changes.compare_to": _keyword(15, 3, "ruleschangescompare_to"),
    "default.id_tokens": _keyword(16, 4, "default"),
    "variables.*.value": _keyword(13, 7, "variablesvalue"),
    "variables.*.description": _keyword(13, 7, "variablesdescription"),
    "variables.*.options": _keyword(15, 7, "variablesoptions"),
    "variables.*.expand": _keyword(15, 7, "variablesexpand"),
    "job.variables.*.value": _keyword(13, 7, "variablesvalue"),
    "job.variables.*.expand": _keyword(15, 7, "variablesexpand"),
    "job.image.docker": _keyword(16, 7, "imagedocker"),
    "job.image.docker.user": _keyword(16, 8, "imagedocker"),
    "job.image.pull_policy": _keyword(15, 2, "imagepull_policy"),
    "job.services.variables": IntroducedIn(
        (14, 5), "https://docs.gitlab.com/ci/services/#available-settings-for-services"
    ),
    "job.needs": _keyword(12, 2, "needs"),
    "job.needs.job": _keyword(12, 6, "needsartifacts"),
    "job.needs.artifacts": _keyword(12, 6, "needsartifacts"),
    "job.needs.optional": _keyword(14, 0, "needsoptional"),
    "job.needs.pipeline": _keyword(13, 7, "needspipelinejob"),
    "job.needs.project": _keyword(12, 7, "needsproject"),
    "job.needs.ref": _keyword(12, 7, "needsproject"),
    "job.needs.parallel": _keyword(16, 3, "needsparallelmatrix"),
    "job.parallel.matrix": _keyword(13, 3, "parallelmatrix"),
    "job.rules": _keyword(12, 3, "rules"),
    "job.rules.exists": _keyword(12, 4, "rulesexists"),
    "job.rules.changes.paths": _keyword(15, 2, "ruleschangespaths"),
    "job.rules.changes.compare_to": _keyword(15, 3, "ruleschangescompare_to"),
    "job.rules.allow_failure": _keyword(12, 8, "rulesallow_failure"),
    "job.rules.variables": _keyword(13, 7, "rulesvariables"),
    "job.manual_confirmation": _keyword(17, 1, "manual_confirmation"),
    "job.environment.kubernetes": _keyword(12, 6, "environmentkubernetes"),
    "job.environment.kubernetes.agent": _keyword(17, 6, "environmentkubernetes"),
    "job.environment.kubernetes.namespace": _keyword(17, 7, "environmentkubernetes"),
    "job.environment.auto_stop_in": _keyword(12, 8, "environmentauto_stop_in"),
    "job.environment.deployment_tier": _keyword(13, 10, "environmentdeployment_tier"),
    "job.resource_group": _keyword(12, 7, "resource_group"),
    "job.allow_failure.exit_codes": _keyword(13, 9, "allow_failureexit_codes"),
    "job.timeout": _keyword(12, 3, "timeout"),
    "job.interruptible": _keyword(12, 3, "interruptible"),
    "job.inherit": _keyword(12, 9, "inherit"),
    "job.inherit.default": _keyword(12, 9, "inherit"),
    "job.inherit.variables": _keyword(12, 9, "inherit"),
    "job.id_tokens": _keyword(15, 7, "id_tokens"),
    "job.cache[]": IntroducedIn((13, 12), "https://docs.gitlab.com/ci/caching/#use-multiple-caches"),
    "job.cache.key.files": _keyword(12, 5, "cachekeyfiles"),
    "job.cache.key.prefix": _keyword(12, 5, "cachekeyprefix"),
    "job.cache.when": _keyword(13, 5, "cachewhen"),
    "job.cache.fallback_keys": IntroducedIn((16, 0), "https://docs.gitlab.com/ci/caching/#per-cache-fallback-keys"),
    "job.artifacts.exclude": _keyword(13, 1, "artifactsexclude"),
    "job.artifacts.expose_as": _keyword(12, 5, "artifactsexpose_as"),
    "job.artifacts.access": _keyword(16, 11, "artifactsaccess"),
    "job.artifacts.access=maintainer": _keyword(18, 4, "artifactsaccess"),
    # LSIF is on the page of its feature.
    "job.artifacts.reports.lsif": IntroducedIn((13, 1), "https://docs.gitlab.com/user/project/code_intelligence/"),
    "job.artifacts.reports.coverage_report.coverage_format=jacoco": IntroducedIn(
        (17, 6), "https://docs.gitlab.com/ci/testing/code_coverage/jacoco/"
    ),
    **_reports(
        accessibility=(12, 8),
        annotations=(16, 3),
        api_fuzzing=(13, 4),
        browser_performance=(14, 0),
        codequality=(13, 2),
        coverage_fuzzing=(13, 4),
        coverage_report=(14, 10),
        cyclonedx=(15, 3),
        dotenv=(12, 9),
        load_performance=(13, 2),
        requirements=(13, 1),
        sast=(13, 3),
        secret_detection=(13, 3),
        terraform=(13, 0),
    ),
    "job.pages.publish": _keyword(17, 9, "pagespublish"),
    "job.release": _keyword(13, 2, "release"),
    "job.release.assets": IntroducedIn((13, 12), "https://docs.gitlab.com/ci/yaml/#releaseassetslinks"),
    "job.trigger": IntroducedIn(
        (12, 8), "https://docs.gitlab.com/ci/pipelines/downstream_pipelines/#multi-project-pipelines"
    ),
    "job.trigger.include": IntroducedIn((12, 7), "https://docs.gitlab.com/ci/pipelines/downstream_pipelines/"),
    "job.trigger.forward": _keyword(14, 10, "triggerforward"),
    # Features that are not keys.
    SAME_STAGE: _keyword(14, 2, "needs"),
    TAG_VARIABLES: IntroducedIn(
        (14, 1), "https://docs.gitlab.com/ci/runners/configure_runners/#use-cicd-variables-in-tags"
    ),
    MATRIX_EXPRESSIONS: IntroducedIn((18, 6), "https://docs.gitlab.com/ci/yaml/matrix_expressions/"),
    WHEN_BESIDE_RULES: IntroducedIn((14, 6), "https://gitlab.com/gitlab-org/gitlab/-/merge_requests/76158"),
    _MANY_INCLUDES: _keyword(15, 10, "include"),
    _BIG_FILE: IntroducedIn(
        BIGGER_FILES,
        "https://docs.gitlab.com/administration/cicd/limits/#maximum-size-and-depth-of-cicd-configuration-yaml-files",
    ),
    "$CI_OPEN_MERGE_REQUESTS": IntroducedIn((13, 8), _VARIABLES),
    "$CI_PIPELINE_CREATED_AT": IntroducedIn((13, 10), _VARIABLES),
}
_TOP = frozenset({"stages", "include", "workflow", "default", "variables"})
# Texts whose values need a version if they contain these signs.
_SIGNS = {
    "job.tags": ("$", TAG_VARIABLES),
    "default.tags": ("$", TAG_VARIABLES),
    "job.needs.parallel": ("$[[", MATRIX_EXPRESSIONS),
}
_VALUED = frozenset(path.partition("=")[0] for path in KEYS if "=" in path)


def _by_parent() -> Mapping[str, Mapping[str, str]]:
    """Return the paths in `KEYS`, those of texts and of values with a version, and those above, by parent and key.

    Nothing else contains a key with a version.
    """
    paths = {path.partition("=")[0].removesuffix("[]") for path in KEYS}
    paths |= {f"default.{path.removeprefix('job.')}" for path in paths if path.startswith("job.")}
    by_parent: dict[str, dict[str, str]] = {}
    for path in sorted(paths.union(_SIGNS)):
        keys = path.split(".")
        for count in range(1, len(keys)):
            by_parent.setdefault(".".join(keys[:count]), {})[keys[count]] = ".".join(keys[: count + 1])
    return by_parent


_BY_PARENT = _by_parent()

FeatureUses: TypeAlias = "Mapping[str, Sequence[str]]"


def features_used(data: Mapping[str, Value]) -> dict[str, list[str]]:
    """Return the paths in `KEYS` that the file *data* contains, with their jobs, "" for the top of the file."""
    used: dict[str, list[str]] = {}
    for name, value in data.items():
        path, owner = (name, "") if name in _TOP else ("job", name)
        for each in _paths(value, path):
            # Except for tokens, a key of `default` needs the version that it needs in a job.
            key = each.replace("default.", "job.", 1) if path == "default" and each not in KEYS else each
            if key in KEYS:
                used.setdefault(key, []).append(owner)
    return used


def _paths(value: Value, path: str) -> Mapping[str, None]:
    """Return *path*, whose value is *value*, and the paths below it that may need a version."""
    paths: dict[str, None] = {}
    pending: list[tuple[str, Any]] = [(path, value)]
    for at, nested in pending:  # the loop appends nested values
        paths[at] = None
        if type(nested) is Commented:
            pending.append((at, nested.value))
        elif at in _VALUED:
            paths[f"{at}={nested}"] = None
        elif at in _SIGNS:
            sign, feature = _SIGNS[at]
            if sign in str(nested):
                paths[feature] = None
        elif type(nested) is not str and at in _BY_PARENT:
            if at == "job.cache" and isinstance(nested, list):
                paths["job.cache[]"] = None
            pending += _below(nested, at)
    return paths


def _below(value: Value, path: str) -> list[tuple[str, Any]]:
    """Return the values directly in *value* at *path* with their paths, which is the same for items of a list."""
    if isinstance(value, list):
        return [(path, item) for item in value]
    values = value.value if type(value) is Flow else value
    if not (type(values) is dict or isinstance(values, Mapping)):
        return []
    known = _BY_PARENT[path]
    if "*" in known:
        return [(known["*"], named) for named in values.values()]
    return [(known[key], values[key]) for key in values if key in known]


def other_features(texts: Sequence[str], size: int) -> Iterator[str]:
    """Yield features of a file and its includes with these *texts* that need a version and are not keys.

    The largest has *size* bytes.
    """
    yield from (path for path in KEYS if path.startswith("$") and any(path[1:] in text for text in texts))
    if len(texts) - 1 > _OLD_INCLUDES:
        yield _MANY_INCLUDES
    if size > SMALLER_LIMIT:
        yield _BIG_FILE


def note(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the line for the header of a file with *paths*: the version that it needs, and the reasons."""
    known = {path: KEYS[path].version for path in paths if path in KEYS}
    if not known:
        return ()
    newest = max(known.values())
    at_newest = sorted(path for path in known if known[path] == newest)
    names = dict.fromkeys(shown(path) for path in at_newest if _above(path) not in at_newest)
    return (f"Needs GitLab {text(newest)} ({', '.join(names)}).",)


def text(version: Version) -> str:
    """Return *version* as text."""
    return ".".join(map(str, version))


def shown(path: str) -> str:
    """Return *path* as in GitLab's documentation."""
    return path.removeprefix("job.").replace(".*", "").replace("[]", " as a list").replace(".", ":").replace("=", ": ")


def table() -> tuple[tuple[str, str], ...]:
    """Return the features that need a version, by display name, the newest first."""
    order = sorted(KEYS, key=lambda path: (tuple(-number for number in KEYS[path].version), path))
    return tuple(dict.fromkeys((shown(path), text(KEYS[path].version)) for path in order))


def check(used: FeatureUses, version: Version, jobs: Mapping[str, PlanJob], at: Span, report: Report) -> None:
    """Report *used* features that a server of *version* lacks, at the stage of each of *jobs*, else *at*."""
    newer = {path for path in used if path in KEYS and KEYS[path].version > version}
    for path in sorted(newer):
        if _above(path) in newer:
            continue
        for name in used[path]:
            job = jobs.get(name)
            report.add(
                NEWER_GITLAB,
                f'"{shown(path)}" needs GitLab {text(KEYS[path].version)}; targets.gitlab.version is {text(version)}',
                at=_span(job, path) if job is not None else at,
                hint="remove the feature, or upgrade GitLab and set the version in targets.gitlab",
            )


def _above(path: str) -> str:
    return path.partition("=")[0] if "=" in path else path.rpartition(".")[0]


def _span(job: PlanJob, path: str) -> Span:
    """Return the location in *job* that requires the key at *path*, or else that of the job."""
    deployment, machine, limits = job.deployment, job.machine, job.limits
    candidates = {
        "job.manual_confirmation": deployment.approval,
        "job.environment": deployment.environment,
        "job.image": machine.image,
        "job.timeout": limits.timeout,
        "job.allow_failure": limits.allow_failure,
        "job.cache": job.caches[0] if job.caches else None,
        "job.artifacts.access": job.retention,
        "job.artifacts.exclude": job.retention,
        "job.artifacts.reports.coverage_report": job.reports.coverage,
        **{f"job.artifacts.reports.{path.kind}": path for path in job.reports.paths},
        "job.rules.allow_failure": limits.allow_failure,
        "job.rules.variables": job.cases[0] if job.cases else None,
        "job.resource_group": deployment.locks[0] if deployment.locks else None,
    }
    for start, candidate in candidates.items():
        if path.startswith(start) and candidate is not None and candidate.span is not None:
            return candidate.span
    return job.span
