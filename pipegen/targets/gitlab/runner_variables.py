"""Variables that configure GitLab's runner: in all jobs, `targets.gitlab.runner_variables`, or in those of a stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from pipegen.bindings.expression import Text
from pipegen.diagnostics.codes import INVALID_VALUE, RUNNER_VARIABLE
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Commands, Job, Plan
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import entries_of
from pipegen.targets.gitlab.settings import REFERENCE

# Variables for the runner itself, its executors, and git in them; `is_free_name` has those that it reads at all:
# https://docs.gitlab.com/ci/runners/configure_runners/, https://docs.gitlab.com/runner/executors/kubernetes/
_FOR_RUNNERS = re.compile(
    r"(?:FF|CI_DEBUG|KUBERNETES_(?:CPU|MEMORY|EPHEMERAL_STORAGE|HELPER|SERVICE|NODE|POD))_\w+"
    r"|GIT_(?:STRATEGY|DEPTH|CHECKOUT|CLEAN_FLAGS|FETCH_EXTRA_FLAGS|ASKPASS|TERMINAL_PROMPT)"
    r"|GIT_(?:CLONE|SUBMODULE|LFS|CONFIG|SSL|SSH|HTTP|CURL|TRACE)(?:_\w+)?"
    r"|KUBERNETES_(?:NAMESPACE_OVERWRITE|BEARER_TOKEN)|DOCKER_AUTH_CONFIG|SLSA_PROVENANCE_SCHEMA_VERSION"
    r"|CACHE_(?:COMPRESSION_FORMAT|COMPRESSION_LEVEL|FALLBACK_KEY|REQUEST_TIMEOUT)|TRANSFER_METER_FREQUENCY"
    r"|RUNNER_(?:SCRIPT_TIMEOUT|AFTER_SCRIPT_TIMEOUT|GENERATE_ARTIFACTS_METADATA)|ARTIFACT_COMPRESSION_LEVEL"
    r"|(?:ARTIFACT_DOWNLOAD|EXECUTOR_JOB_SECTION|GET_SOURCES|RESTORE_CACHE)_ATTEMPTS",
    re.ASCII,
)
# Those that git and other programs in a script read, too: https://git-scm.com/docs/git
_READ_BY_PROGRAMS = re.compile(
    r"GIT_(?:ASKPASS|CLONE_PROTECTION_ACTIVE|TERMINAL_PROMPT|(?:LFS|CONFIG|SSL|SSH|HTTP|CURL|TRACE)(?:_\w+)?)"
    r"|KUBERNETES_(?:NAMESPACE_OVERWRITE|BEARER_TOKEN|SERVICE_(?:HOST|PORT)\w*|(?:NODE|POD)_(?:NAME|NAMESPACE|IP|UID))"
    r"|DOCKER_AUTH_CONFIG"
)
# Feature flags of the runner that are known best: projects call their own flags `FF_…`, too.
# https://docs.gitlab.com/runner/configuration/feature-flags/
_FLAGS = frozenset(
    {
        *("FF_DISABLE_UMASK_FOR_DOCKER_EXECUTOR", "FF_ENABLE_BASH_EXIT_CODE_CHECK", "FF_ENABLE_JOB_CLEANUP"),
        *("FF_KUBERNETES_HONOR_ENTRYPOINT", "FF_NETWORK_PER_BUILD", "FF_SCRIPT_SECTIONS", "FF_TIMESTAMPS"),
        *("FF_USE_DIRECT_DOWNLOAD", "FF_USE_FASTZIP", "FF_USE_LEGACY_KUBERNETES_EXECUTION_STRATEGY"),
        *("FF_USE_NEW_BASH_EVAL_STRATEGY", "FF_USE_WINDOWS_LEGACY_PROCESS_STRATEGY"),
    }
)
# The keys of a config that set variables.
_KEYS: Mapping[str, str] = {
    **dict.fromkeys(("GIT_STRATEGY", "GIT_DEPTH", "GIT_SUBMODULE_STRATEGY", "GIT_SUBMODULE_DEPTH"), "fetch"),
    **{f"KUBERNETES_{kind}_{use}": "resources" for kind in ("CPU", "MEMORY") for use in ("REQUEST", "LIMIT")},
    "RUNNER_SCRIPT_TIMEOUT": "timeout",
}


def is_for_runners(name: str) -> bool:
    """Return whether the runner reads the variable *name*, and scripts have no use for it."""
    return _FOR_RUNNERS.fullmatch(name) is not None


def can_be_set(name: str) -> bool:
    """Return whether the setting can contain *name*: the runner reads it, and no key of a config sets it."""
    return is_for_runners(name) and name not in _KEYS


def check_scripts(scripts: Iterable[tuple[Job, Iterable[str]]], report: Report) -> None:
    """Report variables that the *scripts* of jobs, in lines, set, and that only the runner reads, which gets none.

    A script that names a variable elsewhere reads it itself.
    """
    reported: set[tuple[str, Span]] = set()
    for job, lines in scripts:
        script = ""
        for name, text in _exported(job):
            if not _is_for_runner_alone(name) or (name, text.span) in reported:
                continue
            script = script or "\n".join(lines)
            if re.search(rf"\b{name}\b", script.replace(f"export {name}=", "")):
                continue
            reported.add((name, text.span))
            key = _KEYS.get(name)
            report.add(
                RUNNER_VARIABLE,
                f'GitLab\'s runner reads {name} before the script of stage "{job.title}" sets it',
                at=text.span,
                hint=f'use the key "{key}"' if key else 'set it in "runner_variables" of the stage',
            )


def _is_for_runner_alone(name: str) -> bool:
    is_flag = name.startswith("FF_")
    return (name in _FLAGS if is_flag else is_for_runners(name)) and _READ_BY_PROGRAMS.fullmatch(name) is None


def _exported(job: Job) -> Iterator[tuple[str, Text]]:
    """Yield the variables that the script of *job* sets, also those of cases."""
    for step in job.steps:
        yield from step.env if isinstance(step, Commands) else ()
    if job.cases:
        computed = job.computed_names
        yield from (variable for case in job.cases for variable in case.variables if variable[0] in computed)


def check_runner_variables(
    section: TreeMapping | None,
    plans: Iterable[Plan],
    fetched: Callable[[Job, Plan], Collection[str]],
    report: Report,
) -> None:
    """Report variables in the setting, and in stages of *plans*, that scripts may read, too, or that other keys set.

    Those of stages with references are reported, too. *fetched* are the names of those that `fetch` sets for a job.
    """
    for entry in entries_of(section.get("runner_variables") if section is not None else None):
        _check(entry.key.text, entry.key.span, report)
    for plan in plans:
        for job in plan.jobs:
            for variable in job.machine.runner_variables:
                _check(variable.name, variable.span, report)
                if can_be_set(variable.name) and REFERENCE.search(variable.value):
                    report.add(
                        INVALID_VALUE,
                        f'{variable.name} is set before any stage runs, and "{variable.value}" has a reference',
                        at=variable.value_span,
                        hint="GitLab expands its own variables, such as $CI_DEFAULT_BRANCH",
                    )
                if variable.name in fetched(job, plan):
                    report.add(
                        INVALID_VALUE,
                        f'"fetch" sets {variable.name}, too',
                        at=variable.span,
                        hint='set it in one of the two: "fetch" of a stage replaces that of its pipeline',
                    )


def _check(name: str, at: Span, report: Report) -> None:
    if key := _KEYS.get(name):
        report.add(
            INVALID_VALUE,
            f'a config sets {name} by the key "{key}"',
            at=at,
            hint=f'set "{key}" in "defaults" or in a stage',
        )
    elif not is_for_runners(name):
        report.add(
            INVALID_VALUE,
            f'"{name}" is not a variable for GitLab\'s runner alone',
            at=at,
            hint='set variables of scripts in "env", in "defaults" or in a stage',
        )
