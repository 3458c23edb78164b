"""Names of shell variables, and of a job's container, image and release."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

from pipegen.digests import digest_of
from pipegen.plan.model import Job, Output
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import Literal, VariableExpansion, Word, shell_text
from pipegen.structs import Struct

ID = VariableExpansion("pipegen_id")
_NONE: Mapping[str, str] = MappingProxyType({})
_NOT_IN_A_NAME = r"[^A-Za-z0-9_]+"
_LEGAL_EVERYWHERE = r"[a-z0-9]+(-[a-z0-9]+)*"
# helm takes 53 characters for a release; `pipegen-`, a number of 20 digits and a dash leave 24.
_LONGEST_SLUG = 24


class JobVariables(Struct, kw_only=True):
    """The shell variables of a job.

    They hold outputs, setup values, defaults that cannot be in an expansion, inputs, and results of stages ("" is the
    pipeline).
    """

    outputs: Mapping[Output, str]
    setup: Mapping[str, str]
    defaults: Mapping[str, str]
    inputs: Mapping[str, str]
    statuses: Mapping[str, str]


def variables(
    outputs: Collection[Output],
    setup: Collection[str],
    defaults: Collection[str],
    inputs: Collection[str],
    statuses: Collection[str] = (),
) -> JobVariables:
    """Return variables for each of these, all different; the second of two equal names gets a number."""
    taken: set[str] = set()
    return JobVariables(
        outputs={output: free(f"pipegen_{output.stage}_{output.name}", taken) for output in outputs},
        setup={name: free(f"pipegen_setup_{name}", taken) for name in setup} if setup else _NONE,
        defaults={text: free("pipegen_default", taken) for text in defaults} if defaults else _NONE,
        statuses={stage: free(f"pipegen_{stage or 'pipeline'}_status", taken) for stage in statuses}
        if statuses
        else _NONE,
        inputs={name: free(f"pipegen_inputs_{name}", taken) for name in inputs} if inputs else _NONE,
    )


def free(wanted: str, taken: set[str]) -> str:
    """Return *wanted* as a variable name that is not in *taken*, and add it there."""
    # Most are valid names already; this check is faster than the substitution.
    name = stem = wanted if wanted.isidentifier() and wanted.isascii() else re.sub(_NOT_IN_A_NAME, "_", wanted)
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    taken.add(name)
    return name


def variable_part(slug: str) -> str:
    """Return *slug* as part of an environment variable's name, different for each slug."""
    return (
        slug.upper().replace("-", "_") if re.fullmatch(_LEGAL_EVERYWHERE, slug) else distinct_variable_part(slug, slug)
    )


def distinct_variable_part(text: str, source: str) -> str:
    """Return *text* as part of an environment variable's name, with a digest of *source*.

    No name without a digest contains two underscores in a row.
    """
    return f"{re.sub(_NOT_IN_A_NAME, '_', text).upper()}__{digest_of(source, 6)}"


def retained_name(job: Job, host: ShellEnvironment) -> Word:
    """Return the name of the container, image or release that *job* retains for other jobs."""
    return (Literal("pipegen-"), *shell_text(host.run_id), Literal(f"-{_short(job.slug)}"))


def _short(slug: str) -> str:
    """Return *slug* in a form that docker and helm accept; a digest replaces the lost characters."""
    if len(slug) <= _LONGEST_SLUG and re.fullmatch(_LEGAL_EVERYWHERE, slug):
        return slug
    digest = digest_of(slug, 8)
    readable = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[: _LONGEST_SLUG - len(digest) - 1].strip("-")
    return f"{readable}-{digest}" if readable else digest


def is_container_retained(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* retains its container for other jobs."""
    return job.shared.container and host.shares_daemon


def container_name(job: Job, host: ShellEnvironment) -> Word:
    """Return the name of the container that *job* runs."""
    return retained_name(job, host) if is_container_retained(job, host) else (ID,)


def release_name(job: Job, host: ShellEnvironment) -> Word:
    """Return the name of the release that *job* installs."""
    return retained_name(job, host) if job.shared.release else (ID,)
