"""Checkouts of the repository."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import FetchOptions, Plan
from pipegen.structs import Struct
from pipegen.targets.jenkins import model

_FUNCTION = "checkoutCommit"
# Removes everything that the commit does not contain, also in submodules.
_CLEAN = "cleanBeforeCheckout(deleteUntrackedNestedRepositories: true)"


class Checkouts(Struct):
    """The checkout functions, and the function of each pipeline."""

    functions: tuple[model.CheckoutFunction, ...]
    names: dict[str, str]


def lower_checkouts(plans: Sequence[Plan], variables: tuple[tuple[str, str], ...]) -> Checkouts:
    """Return a function for each kind of fetch in *plans*; it also sets *variables*."""
    functions: dict[FetchOptions | None, model.CheckoutFunction] = {}
    names = {}
    for plan in plans:
        if plan.fetch not in functions:
            number = len(functions) + 1
            functions[plan.fetch] = model.CheckoutFunction(
                number="" if number == 1 else str(number),
                extensions=(_CLEAN, *_extensions(plan.fetch)),
                variables=variables,
            )
        names[plan.name] = f"{_FUNCTION}{functions[plan.fetch].number}"
    return Checkouts(tuple(functions.values()), names)


def _extensions(fetch: FetchOptions | None) -> tuple[str, ...]:
    """Return the extensions of the git plugin for *fetch*, in Groovy."""
    if fetch is None:
        return ()
    depth = "shallow: false" if fetch.depth is None else f"shallow: true, depth: {fetch.depth}"
    clone = f"cloneOption({depth}, noTags: {_boolean(not fetch.tags)}, reference: '')"
    if not fetch.submodules:
        return (clone,)
    return (clone, "submodule(recursiveSubmodules: true, parentCredentials: true)")


def _boolean(value: bool) -> str:  # noqa: FBT001 - the value to write
    return "true" if value else "false"
