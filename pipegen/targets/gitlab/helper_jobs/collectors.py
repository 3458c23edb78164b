"""Jobs that stand for many, where a job would need more than GitLab allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from posixpath import dirname
from types import MappingProxyType

from pipegen.shell.transfers import FOLDER
from pipegen.structs import replace
from pipegen.targets.gitlab.model import (
    HELPER,
    ArtifactKeys,
    GitLabJob,
    ImageKeys,
    NeedEntry,
    RuleEntry,
    ScriptEntry,
    VariableEntry,
)
from pipegen.targets.gitlab.names import JobNames

# https://docs.gitlab.com/administration/cicd/limits/
LIMIT = 50
# The variables of a dotenv report, and its bytes: GitLab takes less than 5 KiB (`Ci::ParseDotenvArtifactService`).
MOST_VARIABLES, _REPORT_SIZE = 20, 5 * 1024 - 1
# The bytes of an image's name of 255 with a tag of 128 and a digest; references are no longer than that:
# https://pkg.go.dev/github.com/distribution/reference
_LONGEST_VALUE = 255 + len(":") + 128 + len("@sha256:") + 64
# Where the values lie that jobs hand on.
VALUES = f"{FOLDER}/"
_REPORT = f"{FOLDER}/dotenv/collected.env"
# Who may download artifacts, the strictest last: https://docs.gitlab.com/ci/yaml/#artifactsaccess
_ACCESS = ("", "all", "developer", "maintainer", "none")


def is_too_many(needs: Sequence[NeedEntry]) -> bool:
    """Return whether GitLab allows no job so many *needs*."""
    return len(needs) > LIMIT


class _Kind(Enum):
    """What a job needs another one for."""

    ORDER = auto()
    VALUES = auto()
    FILES = auto()
    VARIABLES = auto()


class Collectors:
    """The collectors of one pipeline, made when first needed and shared by all jobs with the same needs.

    They run in *image*, None for the runner's own.
    *steps* gives the number of the step in which each job may be needed at the earliest, *left* what each job leaves;
    both hold the collectors too. *dropped* are the jobs that may not be in the pipeline: collectors always are.
    *kept* is how jobs keep what they leave, where that is said; *variables* are those of their dotenv reports.
    """

    def __init__(
        self,
        names: JobNames,
        image: ImageKeys | None,
        rules: tuple[RuleEntry, ...],
        steps: dict[str, int],
        left: Mapping[str, tuple[str, ...]],
        dropped: frozenset[str] = frozenset(),
        kept: Mapping[str, ArtifactKeys] = MappingProxyType({}),
        variables: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self._names = names
        self._image = image
        self._rules = rules
        self._steps = steps
        self._left = dict(left)
        self._dropped = dropped
        self._kept = dict(kept)
        self._variables = dict(variables)
        self._made: dict[tuple[tuple[NeedEntry, ...], bool], GitLabJob] = {}

    def fit(self, reader: str, needs: tuple[NeedEntry, ...]) -> tuple[tuple[NeedEntry, ...], tuple[GitLabJob, ...]]:
        """Return needs that say the same as *needs*, and the collectors made for *reader*.

        GitLab allows the needs, unless so many variables are read that no collectors hand them on.
        """
        before = len(self._made)
        elsewhere = tuple(need for need in needs if need.pipeline)
        here = tuple(need for need in needs if not need.pipeline)
        while len(here) + len(elsewhere) > LIMIT:
            fewer = self._fewer(reader, here, LIMIT - len(elsewhere))
            if len(fewer) >= len(here):
                break
            here = fewer
        return (*here, *elsewhere), tuple(self._made.values())[before:]

    def gather(
        self, reader: str, needs: Sequence[NeedEntry], most: int
    ) -> tuple[tuple[NeedEntry, ...], tuple[GitLabJob, ...]]:
        """Return needs on *most* collectors, at most, of all *needs*, which fetch, and the collectors made for that."""
        before = len(self._made)
        found = sorted(needs, key=lambda need: self._steps[need.job])
        while True:
            parts = [tuple(found[start : start + LIMIT]) for start in range(0, len(found), LIMIT)]
            found = [self._collector(reader, part) for part in parts]
            if len(found) <= most:
                return tuple(found), tuple(self._made.values())[before:]

    def _fewer(self, reader: str, needs: Sequence[NeedEntry], most: int) -> tuple[NeedEntry, ...]:
        """Return fewer needs: *most*, if that is enough with one collector for each 50.

        Those for order are collected first, then values, and files only if that is not enough: an archive of many
        files may be bigger than GitLab takes. Variables come last: they need collectors beside those of archives.
        """
        kinds: dict[_Kind, list[NeedEntry]] = {kind: [] for kind in _Kind}
        for need in needs:
            kinds[self._kind(need)].append(need)
        order, values, files, telling = kinds.values()
        direct = len(values) + len(files) + len(telling)
        if _collectors(order) + direct <= most:
            return (*self._collected(reader, order), *telling, *values, *files)
        if _collectors(order) + direct - len(values) + _collectors(values) <= most:
            return (*self._collected(reader, order), *telling, *self._collected(reader, values), *files)
        variables: list[NeedEntry] = []
        if _collectors(order) + _collectors(values) + _collectors(files) + len(telling) > most:
            leaving = [need for need in telling if self._left[need.job]]
            values += filter(self._is_small, leaving)
            files += (need for need in leaving if not self._is_small(need))
            variables, telling = self._reports(reader, telling), []
        # Where two archives hold one path the later one wins, so they are collected in the order of the steps.
        files.sort(key=lambda need: self._steps[need.job])
        archives = (*self._collected(reader, values), *self._collected(reader, files))
        # What is alone in its part stands for itself, twice where it sets variables and leaves files.
        return tuple(dict.fromkeys((*self._collected(reader, order), *variables, *telling, *archives)))

    def _kind(self, need: NeedEntry) -> _Kind:
        if not need.artifacts:
            return _Kind.ORDER
        if self._variables.get(need.job):
            return _Kind.VARIABLES
        return _Kind.VALUES if self._is_small(need) else _Kind.FILES

    def _is_small(self, need: NeedEntry) -> bool:
        """Return whether what is fetched are values alone."""
        return all(path.startswith(VALUES) for path in self._left[need.job])

    def _told(self, needs: Sequence[NeedEntry]) -> Iterator[tuple[NeedEntry, ...]]:
        """Yield *needs* in parts whose variables are in one report, whatever their values are."""
        part: list[NeedEntry] = []
        names: list[str] = []
        for need in needs:
            more = [*names, *self._variables[need.job]]
            size = sum(len(f"{name}=\n") + _LONGEST_VALUE for name in more)
            if part and (len(part) == LIMIT or len(more) > MOST_VARIABLES or size > _REPORT_SIZE):
                yield tuple(part)
                part, more = [], [*self._variables[need.job]]
            part.append(need)
            names = more
        if part:
            yield tuple(part)

    def _collected(self, reader: str, needs: Sequence[NeedEntry]) -> list[NeedEntry]:
        """Return needs on collectors of up to 50 of *needs* each."""
        parts = [tuple(needs[start : start + LIMIT]) for start in range(0, len(needs), LIMIT)]
        return [part[0] if len(part) == 1 else self._collector(reader, part) for part in parts]

    def _reports(self, reader: str, needs: Sequence[NeedEntry]) -> list[NeedEntry]:
        """Return needs on collectors of the variables of *needs*."""
        parts = self._told(needs)
        return [part[0] if len(part) == 1 else self._collector(reader, part, is_telling=True) for part in parts]

    def _collector(self, reader: str, needs: tuple[NeedEntry, ...], *, is_telling: bool = False) -> NeedEntry:
        """Return a need on the collector of *needs*, which sets their variables or holds what they fetch."""
        needs = tuple(replace(need, is_optional=need.job in self._dropped) for need in needs)
        if (needs, is_telling) not in self._made:
            self._made[needs, is_telling] = self._make(reader, needs, is_telling=is_telling)
        made = self._made[needs, is_telling]
        return NeedEntry(made.name, artifacts=needs[0].artifacts)

    def _make(self, reader: str, needs: tuple[NeedEntry, ...], *, is_telling: bool) -> GitLabJob:
        name = self._names.take(f"collect for {reader}")
        step = max(self._steps[need.job] for need in needs)
        names = tuple(name for need in needs for name in self._variables[need.job]) if is_telling else ()
        fetched = () if is_telling else (need.job for need in needs if need.artifacts)
        artifacts = tuple(dict.fromkeys(path for job in fetched for path in self._left[job]))
        kept = strictest(self._kept[need.job] for need in needs if need.job in self._kept)
        self._steps[name] = step
        self._left[name] = artifacts
        self._kept[name] = kept
        self._variables[name] = names
        # A checkout that is not fetched is not cleaned either: old files would be collected.
        fetch = () if needs[0].artifacts else (VariableEntry("GIT_STRATEGY", "none"),)
        return GitLabJob(
            name=name,
            image=self._image,
            stage=f"step {step}",
            needs=needs,
            rules=self._rules,
            variables=(VariableEntry(HELPER, "1"), *fetch),
            script=_report(names) if names else (ScriptEntry("true"),),
            artifacts=artifacts,
            kept=replace(kept, dotenv=(_REPORT,)) if names else kept,
        )


def _collectors(needs: Sequence[NeedEntry]) -> int:
    """Return the number of needs that collectors leave of *needs*."""
    return -(-len(needs) // LIMIT)


def _report(variables: Sequence[str]) -> tuple[ScriptEntry, ...]:
    """Return the script that reports *variables*, which reports of other jobs have set, under the same names.

    A variable that is not set stays so: the job that reads it holds its default.
    """
    lines = (f'[ -z "${name}" ] || printf \'{name}=%s\\n\' "${name}" >>{_REPORT}' for name in variables)
    return (ScriptEntry(f"mkdir -p {dirname(_REPORT)} && rm -f {_REPORT}"), ScriptEntry("\n".join(lines)))


def strictest(kept: Iterable[ArtifactKeys]) -> ArtifactKeys:
    """Return how to keep what was kept as *kept*: nobody may download more of it."""
    return ArtifactKeys(access=max((one.access for one in kept), key=_ACCESS.index, default=""))
