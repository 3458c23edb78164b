"""Checkouts of the repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import FetchOptions, Job, Plan, StageFetch, Submodules
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model

_FUNCTION = "checkoutCommit"
_WHOLE = "checkoutWhole"
# Removes everything that the commit does not contain, also in submodules.
_CLEAN = "cleanBeforeCheckout(deleteUntrackedNestedRepositories: true)"


class Checkouts(Struct):
    """The checkout function, its call for each kind of fetch, and the jobs that fetch nothing, by name."""

    function: model.CheckoutFunction | None
    calls: Mapping[StageFetch, str]
    skipping: frozenset[str]

    def of(self, plan: Plan, job: Job | None = None) -> str:
        """Return the call that fetches the repository for *job*, by default for all jobs of *plan*."""
        return self.calls[_options(plan.fetch, job)]


def lower_checkouts(
    jobs: Iterable[tuple[Plan, Job]], skipping: frozenset[str], variables: tuple[tuple[str, str], ...]
) -> Checkouts:
    """Return the function that fetches the repository for *jobs* of plans; it also sets *variables*.

    The jobs *skipping* fetch nothing. If others fetch in several ways, their calls have the options.
    """
    extensions = {kind: _extensions(kind) for kind in dict.fromkeys(_options(plan.fetch, job) for plan, job in jobs)}
    if not extensions:
        return Checkouts(None, {}, skipping)
    takes_options = len(extensions) > 1
    common = () if takes_options else (*extensions.values(),)[0]
    truncates = any(kind.depth for kind in extensions)
    whole = {kind for kind in extensions if kind.depth == 0 or (truncates and not kind.depth)}
    function = model.CheckoutFunction(
        extensions=(_CLEAN, *common),
        takes_options=takes_options,
        truncates=truncates,
        has_whole=bool(whole),
        variables=variables,
    )
    calls = {}
    for kind, own in extensions.items():
        options = f"[{', '.join(own)}]" if takes_options and own else ""
        calls[kind] = f"{_WHOLE if kind in whole else _FUNCTION}({options})"
    return Checkouts(function, calls, skipping)


def check_checkouts(plan: Plan, report: Report) -> None:
    """Report that Jenkins ignores the paths of the checkouts of *plan*."""
    paths = [(f'the checkouts of pipeline "{plan.name}"', plan.fetch.path if plan.fetch is not None else "", plan.span)]
    paths += [
        (f'the checkout of stage "{job.title}"', job.fetch.path, job.span) for job in plan.jobs if job.fetch is not None
    ]
    for checkout, path, span in paths:
        if path:
            report.add(
                codes.NOT_ON_JENKINS,
                f'Jenkins chooses the folder of {checkout}, and ignores "{path}"',
                at=span,
                hint="use paths relative to the checkout in scripts",
            )


def _options(fetch: FetchOptions | None, job: Job | None) -> StageFetch:
    """Return the options of a job: its own, else those of its pipeline, None for those of Jenkins."""
    own = job.fetch if job is not None else None
    own = own if own is not None and not own.is_skipped else StageFetch()
    if fetch is None:
        return replace(own, path="")
    return StageFetch(
        depth=own.depth if own.depth is not None else fetch.depth or 0,
        submodules=own.submodules if own.submodules is not None else fetch.submodules,
        tags=own.tags if own.tags is not None else fetch.tags,
        submodule_depth=own.submodule_depth if own.submodule_depth is not None else fetch.submodule_depth,
        clone=own.clone if own.clone is not None else fetch.clone,
    )


def _extensions(fetch: StageFetch) -> tuple[str, ...]:
    """Return the extensions of the git plugin for *fetch*, in Groovy."""
    extensions = []
    if fetch.depth is not None or fetch.tags is not None:
        depth = f"shallow: true, depth: {fetch.depth}" if fetch.depth else "shallow: false"
        extensions.append(f"cloneOption({depth}, noTags: {_boolean(fetch.tags is False)}, reference: '')")
    if fetch.submodules not in (None, Submodules.NONE):
        depth = f", shallow: true, depth: {fetch.submodule_depth}" if fetch.submodule_depth else ""
        recursive = _boolean(fetch.submodules is Submodules.ALL)
        extensions.append(f"submodule(recursiveSubmodules: {recursive}, parentCredentials: true{depth})")
    if fetch.clone:
        extensions.append("[$class: 'WipeWorkspace']")
    return tuple(extensions)


def _boolean(value: bool) -> str:  # noqa: FBT001 - the value to write
    return "true" if value else "false"
