"""Jobs that stand for many, where a job would need more than GitLab allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from pipegen.structs import replace
from pipegen.targets.gitlab.model import HELPER, Entry, Image, Job, Kept, Need, Rule, Variable
from pipegen.targets.gitlab.names import Names

# https://docs.gitlab.com/administration/cicd/limits/
LIMIT = 50
# Where the values lie that jobs hand on.
VALUES = ".pipegen/"
# Who may download artifacts, the strictest last: https://docs.gitlab.com/ci/yaml/#artifactsaccess
_ACCESS = ("", "all", "developer", "maintainer", "none")


def is_too_many(needs: Sequence[Need]) -> bool:
    """Return whether GitLab allows no job so many *needs*."""
    return len(needs) > LIMIT


class Collectors:
    """The collectors of one pipeline, made when first needed and shared by all jobs with the same needs.

    They run in *image*, None for the runner's own.
    *steps* gives the number of the step in which each job may be needed at the earliest, *left* what each job leaves;
    both learn of the collectors made. *dropped* are the jobs that may not be in the pipeline: collectors always are.
    *kept* is how jobs keep what they leave, where that is said.
    """

    def __init__(
        self,
        names: Names,
        image: Image | None,
        rules: tuple[Rule, ...],
        steps: dict[str, int],
        left: Mapping[str, tuple[str, ...]],
        dropped: frozenset[str] = frozenset(),
        kept: Mapping[str, Kept] = MappingProxyType({}),
    ) -> None:
        self._names = names
        self._image = image
        self._rules = rules
        self._steps = steps
        self._left = dict(left)
        self._dropped = dropped
        self._kept = dict(kept)
        self._made: dict[tuple[Need, ...], Job] = {}

    def fit(self, reader: str, needs: tuple[Need, ...]) -> tuple[tuple[Need, ...], tuple[Job, ...]]:
        """Return needs that GitLab allows and that say the same as *needs*, and the collectors made for *reader*."""
        before = len(self._made)
        elsewhere = tuple(need for need in needs if need.pipeline)
        here = tuple(need for need in needs if not need.pipeline)
        while len(here) + len(elsewhere) > LIMIT:
            here = self._fewer(reader, here)
        return (*here, *elsewhere), tuple(self._made.values())[before:]

    def gather(self, reader: str, needs: Sequence[Need], most: int) -> tuple[tuple[Need, ...], tuple[Job, ...]]:
        """Return needs on *most* collectors, at most, of all *needs*, which fetch, and the collectors made for that."""
        before = len(self._made)
        found = sorted(needs, key=lambda need: self._steps[need.job])
        while True:
            parts = [tuple(found[start : start + LIMIT]) for start in range(0, len(found), LIMIT)]
            found = [self._collector(reader, part) for part in parts]
            if len(found) <= most:
                return tuple(found), tuple(self._made.values())[before:]

    def _fewer(self, reader: str, needs: Sequence[Need]) -> tuple[Need, ...]:
        """Return fewer needs: those for order are collected first, then values, and files only if that is not enough.

        An archive of many files may be bigger than GitLab takes. Variables of a report are not handed on at all.
        """
        order = self._collected(reader, [need for need in needs if not need.artifacts])
        told = [need for need in needs if need.artifacts and self._tells(need)]
        values = [need for need in needs if need.artifacts and need not in told and self._is_small(need)]
        files = [need for need in needs if need.artifacts and need not in told and need not in values]
        if len(order) + len(told) + len(values) + len(files) > LIMIT:
            values = self._collected(reader, values)
        if len(order) + len(told) + len(values) + len(files) > LIMIT:
            # Where two archives hold one path the later one wins, so they are collected in the order of the steps.
            files = self._collected(reader, sorted(files, key=lambda need: self._steps[need.job]))
        return (*order, *told, *values, *files)

    def _tells(self, need: Need) -> bool:
        return bool(self._kept[need.job].dotenv) if need.job in self._kept else False

    def _is_small(self, need: Need) -> bool:
        """Return whether what is fetched are values alone."""
        return all(path.startswith(VALUES) for path in self._left[need.job])

    def _collected(self, reader: str, needs: Sequence[Need]) -> list[Need]:
        """Return needs on collectors of up to 50 of *needs* each."""
        parts = [tuple(needs[start : start + LIMIT]) for start in range(0, len(needs), LIMIT)]
        return [part[0] if len(part) == 1 else self._collector(reader, part) for part in parts]

    def _collector(self, reader: str, needs: tuple[Need, ...]) -> Need:
        """Return a need on the collector of *needs*."""
        needs = tuple(replace(need, is_optional=need.job in self._dropped) for need in needs)
        if needs not in self._made:
            self._made[needs] = self._make(reader, needs)
        made = self._made[needs]
        return Need(made.name, artifacts=needs[0].artifacts)

    def _make(self, reader: str, needs: tuple[Need, ...]) -> Job:
        name = self._names.take(f"collect for {reader}")
        step = max(self._steps[need.job] for need in needs)
        artifacts = dict.fromkeys(path for need in needs if need.artifacts for path in self._left[need.job])
        self._steps[name] = step
        self._left[name] = tuple(artifacts)
        self._kept[name] = strictest(self._kept[need.job] for need in needs if need.job in self._kept)
        # A checkout that is not fetched is not cleaned either: old files would be collected.
        fetch = () if needs[0].artifacts else (Variable("GIT_STRATEGY", "none"),)
        return Job(
            name=name,
            image=self._image,
            stage=f"step {step}",
            needs=needs,
            rules=self._rules,
            variables=(Variable(HELPER, "1"), *fetch),
            script=(Entry("true"),),
            artifacts=tuple(artifacts),
            kept=self._kept[name],
        )


def strictest(kept: Iterable[Kept]) -> Kept:
    """Return how to keep what was kept as *kept*: nobody may download more of it."""
    return Kept(access=max((one.access for one in kept), key=_ACCESS.index, default=""))
