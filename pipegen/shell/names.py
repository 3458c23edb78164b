"""Names of shell variables, and of what a job keeps for others."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

from pipegen.digests import digest_of
from pipegen.plan.model import Job, Output
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import Literal, Word, shell_text
from pipegen.structs import Struct

_NONE: Mapping[str, str] = MappingProxyType({})
_NOT_IN_A_NAME = r"[^A-Za-z0-9_]+"
_LEGAL_EVERYWHERE = r"[a-z0-9]+(-[a-z0-9]+)*"
# helm takes 53 characters for a release; `pipegen-`, a number of 20 digits and a dash leave 24.
_LONGEST_SLUG = 24


class JobVariables(Struct, kw_only=True):
    """The shell variables of a job.

    They are for outputs, setup values, defaults that cannot be in an expansion, inputs, and statuses of stages, "" for
    that of the pipeline.
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
    """Return variables for each of these, all different; the later of two that clash gets a number."""
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
    """Return *wanted* as a variable's name that is not in *taken*, and add it there."""
    # Most are names as they are, which is seen in less time.
    chosen = name = wanted if wanted.isidentifier() and wanted.isascii() else re.sub(_NOT_IN_A_NAME, "_", wanted)
    number = 1
    while chosen in taken:
        number += 1
        chosen = f"{name}_{number}"
    taken.add(chosen)
    return chosen


def variable_part(slug: str) -> str:
    """Return *slug* as part of the name of an environment variable, another one for each."""
    return slug.upper().replace("-", "_") if re.fullmatch(_LEGAL_EVERYWHERE, slug) else told_apart(slug, slug)


def told_apart(text: str, source: str) -> str:
    """Return *text* as part of the name of an environment variable, with a digest of its *source*.

    No name without a digest holds two underscores in a row.
    """
    return f"{re.sub(_NOT_IN_A_NAME, '_', text).upper()}__{digest_of(source, 6)}"


def kept_name(job: Job, host: ShellEnvironment) -> Word:
    """Return the name of what *job* keeps for other jobs: a container, an image, a release."""
    return (Literal("pipegen-"), *shell_text(host.run_id), Literal(f"-{_short(job.slug)}"))


def _short(slug: str) -> str:
    """Return *slug* as docker and helm take it in a name; a digest stands for what is lost."""
    if len(slug) <= _LONGEST_SLUG and re.fullmatch(_LEGAL_EVERYWHERE, slug):
        return slug
    digest = digest_of(slug, 8)
    readable = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[: _LONGEST_SLUG - len(digest) - 1].strip("-")
    return f"{readable}-{digest}" if readable else digest
