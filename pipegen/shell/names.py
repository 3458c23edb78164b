"""Names of shell variables, and of a job's container, image and release."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType

from pipegen.digests import digest_of
from pipegen.plan.model import Job, Output
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import Literal, VariableExpansion, Word, shell_text
from pipegen.structs import Struct

ID = VariableExpansion("pipegen_id")
_NONE: Mapping[str, str] = MappingProxyType({})
_NO_LISTS: Mapping[tuple[Output, ...], str] = MappingProxyType({})
_NOT_IN_A_NAME = r"[^A-Za-z0-9_]+"
# How names in small letters begin that programs read from the environment, and names that begin like no variable's.
_RESERVED_STARTS = ("npm_", "ci_", "git_", "pipegen_", "_", *"0123456789")
# A word, but not in an option, nor as the key of an argument (`tag:`), which are no names of variables.
_WORD = re.compile(r"--[A-Za-z0-9_-]+|(?<!\S)(?:-[A-Za-z][A-Za-z0-9_-]*|[A-Za-z0-9_]+:(?!=))|([A-Za-z0-9_]+)")
_LEGAL_EVERYWHERE = r"[a-z0-9]+(-[a-z0-9]+)*"
# helm takes 53 characters for a release; `pipegen-`, a number of 20 digits and a dash leave 24.
_LONGEST_SLUG = 24


class JobVariables(Struct, kw_only=True):
    """The shell variables of a job.

    They hold outputs, lists of outputs, setup values, defaults that cannot be in an expansion, inputs, and
    results of stages ("" is the pipeline).
    """

    outputs: Mapping[Output, str]
    setup: Mapping[str, str]
    defaults: Mapping[str, str]
    inputs: Mapping[str, str]
    statuses: Mapping[str, str]
    lists: Mapping[tuple[Output, ...], str]


def variables(
    outputs: Collection[Output],
    setup: Collection[str],
    defaults: Collection[str],
    inputs: Collection[str],
    statuses: Collection[str] = (),
    words: JobWords | None = None,
    direct: Mapping[str, str] = _NONE,
    engine: Collection[str] = (),
    titles: Mapping[str, str] = _NONE,
    lists: Mapping[tuple[Output, ...], str] = _NO_LISTS,
) -> JobVariables:
    """Return variables for each of these, all different; the second of two equal names gets a number.

    *direct* are the inputs whose variables the engine sets, *engine* all the names of its variables for inputs.
    *titles* are names of stages that differ from those in *outputs*. *lists* are outputs by the stage of their matrix.
    """
    taken = {*engine, *direct.values()}
    return JobVariables(
        outputs={
            output: plain(f"{titles.get(output.stage, output.stage)}_{output.name}", taken, words) for output in outputs
        },
        lists={list_: plain(f"{stage}_{list_[0].name}", taken, words) for list_, stage in lists.items()}
        if lists
        else _NO_LISTS,
        setup={name: plain(name, taken, words) for name in setup} if setup else _NONE,
        defaults={text: free("pipegen_default", taken) for text in defaults} if defaults else _NONE,
        statuses={stage: plain(f"{stage or 'pipeline'}_status", taken, words) for stage in statuses}
        if statuses
        else _NONE,
        inputs={name: direct.get(name) or plain(f"inputs_{name}", taken, words) for name in inputs}
        if inputs
        else _NONE,
    )


class JobWords:
    """The words that a job's own texts contain, so that no variable of ours has a name that they use."""

    def __init__(self, texts: Callable[[], Iterable[str]]) -> None:
        self._texts = texts

    def __contains__(self, name: str) -> bool:
        """Return whether *name* is a word of the texts."""
        return name in self.text and name in _WORD.findall(self.text)

    @cached_property
    def text(self) -> str:
        """The texts, in lines."""
        return "\n".join(self._texts())


def plain(text: str, taken: set[str], words: JobWords | None) -> str:
    """Return *text* as a variable name; with `pipegen_` in front if *words* or programs may use the name."""
    name = text if text.isidentifier() and text.isascii() else re.sub(_NOT_IN_A_NAME, "_", text)
    # Capitals are for the environment.
    name = name.lower() if name.isupper() else name
    lowered = name.lower()
    is_reserved = lowered.startswith(_RESERVED_STARTS) or lowered.endswith("_proxy")
    is_used = is_reserved or (words is not None and name in words)
    return free(f"pipegen_{name}" if is_used else name, taken, words)


def free(text: str, taken: set[str], words: JobWords | None = None) -> str:
    """Return *text* as a variable name that is not in *taken*, and add it there; *words* hold no numbered one."""
    # Most are valid names already; this check is faster than the substitution.
    name = stem = text if text.isidentifier() and text.isascii() else re.sub(_NOT_IN_A_NAME, "_", text)
    number = 1
    while name in taken or (number > 1 and words is not None and name in words):
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
    return (Literal("pipegen-"), *shell_text(host.run_id), Literal(f"-{short_slug(job)}"))


def short_slug(job: Job) -> str:
    """Return the slug of *job* in a form that docker and helm accept; a digest replaces the lost characters."""
    slug = job.slug
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
    if is_container_retained(job, host):
        return retained_name(job, host)
    return (Literal(f"{short_slug(job)}-"), *shell_text(host.job_id)) if host.is_disposable else (ID,)


def release_name(job: Job, host: ShellEnvironment) -> Word:
    """Return the name of the release that *job* installs."""
    return retained_name(job, host) if job.shared.release else (ID,)
