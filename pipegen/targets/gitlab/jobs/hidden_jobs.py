"""Hidden jobs: what several jobs have around their scripts, written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.tools import JobTools
from pipegen.targets.gitlab.model import Hidden


class Share(Struct):
    """What a job takes from the hidden job *extends*, "" for none, and what it still says itself."""

    extends: str
    own: JobTools


class Sharing(Struct):
    """The hidden jobs of a file, and what each job takes from them by what it has around its script."""

    hidden: tuple[Hidden, ...]
    shares: Mapping[JobTools, Share]


def sharing(used: Iterable[JobTools]) -> Sharing:
    """Return how jobs with the surroundings *used* share them: all that is said twice stands in a hidden job."""
    counts = Counter(used)
    groups: dict[JobTools, list[JobTools]] = {}
    for one in counts:
        groups.setdefault(replace(one, before_script=()), []).append(one)
    hidden: list[Hidden] = []
    shares: dict[JobTools, Share] = {}
    for common, members in groups.items():
        made = _hidden(common, [one for one in members if counts[one] > 1], len(members))
        hidden += made.values()
        shares |= {one: _share(one, common, made) for one in members}
    return Sharing(tuple(hidden), shares)


def _hidden(common: JobTools, repeated: Sequence[JobTools], members: int) -> dict[JobTools, Hidden]:
    """Return a hidden job for each of the *repeated*, or for what the *members* have in *common*."""
    nothing = JobTools(kind=common.kind)
    wanted = [one for one in repeated if one != nothing] or ([common] if members > 1 and common != nothing else [])
    return {
        one: Hidden(
            name=f".{one.kind}" if number == 1 else f".{one.kind} {number}",
            image=one.image,
            services=one.services,
            variables=one.variables,
            before_script=one.before_script,
        )
        for number, one in enumerate(wanted, start=1)
    }


def _share(one: JobTools, common: JobTools, made: Mapping[JobTools, Hidden]) -> Share:
    if one in made:
        return Share(made[one].name, JobTools(kind=one.kind))
    if made and one.before_script and common != JobTools(kind=one.kind):
        # Its own before_script takes the place of the hidden job's.
        first = next(iter(made.values()))
        return Share(first.name, JobTools(kind=one.kind, before_script=one.before_script))
    return Share("", one)
