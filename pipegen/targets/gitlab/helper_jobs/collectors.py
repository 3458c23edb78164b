"""Collectors: helpers that combine needs if a job would have more than GitLab allows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import takewhile
from posixpath import dirname
from types import MappingProxyType

from pipegen.emit.yaml import Data
from pipegen.shell.values.transfers import FOLDER
from pipegen.structs import replace
from pipegen.targets.gitlab.model import (
    IS_HELPER,
    NO_CHECKOUT,
    ArtifactKeys,
    GitLabJob,
    ImageKeys,
    NeedEntry,
    RuleEntry,
    ScriptEntry,
)
from pipegen.targets.gitlab.names import JobNames

# https://docs.gitlab.com/administration/cicd/limits/
LIMIT = 50
# The maximum variables and bytes of a dotenv report: less than 5 KiB (`Ci::ParseDotenvArtifactService`).
MOST_VARIABLES, _REPORT_SIZE = 20, 5 * 1024 - 1
# The maximum bytes of an image reference: a name of 255, a tag of 128 and a digest:
# https://pkg.go.dev/github.com/distribution/reference
_LONGEST_VALUE = 255 + len(":") + 128 + len("@sha256:") + 64
# The folder of the values that jobs pass on.
VALUES = f"{FOLDER}/"
_REPORT = f"{FOLDER}/dotenv/collected.env"
# How the names of predefined variables with another value in each job begin, and raw keys that set other variables.
_OF_JOBS = ("CI_ENVIRONMENT_", "CI_JOB_", "CI_NODE_")
_WITH_VARIABLES = frozenset({"inherit", "parallel", "variables"})
# Who may download artifacts, the strictest last: https://docs.gitlab.com/ci/yaml/#artifactsaccess
_ACCESS = ("", "all", "developer", "maintainer", "none")


def _need_count(needs: Sequence[NeedEntry], sizes: Mapping[str, int]) -> int:
    """Return how many needs GitLab counts: one for each job that `parallel` makes of a job, by *sizes* (else one)."""
    return len(needs) + sum(sizes.get(need.job, 1) - 1 for need in needs) if sizes else len(needs)


def is_too_many(needs: Sequence[NeedEntry], sizes: Mapping[str, int]) -> bool:
    """Return whether a job has more *needs* than GitLab allows, by the *sizes* of parallel jobs."""
    return _need_count(needs, sizes) > LIMIT


class _Kind(Enum):
    """The reason why a job needs another."""

    ORDER = auto()
    VALUES = auto()
    FILES = auto()
    VARIABLES = auto()


class Collectors:
    """The collectors of one pipeline, created when first needed and shared by all jobs with the same needs.

    They run in *image*, None for the runner's default.
    *steps* gives the first step in which each job may be needed, *artifacts* the artifacts of each job;
    both include the collectors. *conditional* are the jobs that may be missing from the pipeline: collectors never are.
    *artifact_keys* are how jobs store their artifacts, if set; *variables* are those of their dotenv reports.
    *combinations* are the names of the jobs that `parallel` makes of some jobs.
    """

    def __init__(
        self,
        names: JobNames,
        image: ImageKeys | None,
        rules: tuple[RuleEntry, ...],
        steps: dict[str, int],
        artifacts: Mapping[str, tuple[str, ...]],
        conditional: frozenset[str] = frozenset(),
        artifact_keys: Mapping[str, ArtifactKeys] = MappingProxyType({}),
        variables: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        combinations: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self._names = names
        self._image = image
        self._rules = rules
        self._steps = steps
        self._artifacts = dict(artifacts)
        self._conditional = set(conditional)
        self._artifact_keys = dict(artifact_keys)
        self._variables = dict(variables)
        self._combinations = combinations
        self._sizes = {name: len(names) for name, names in combinations.items() if names}
        self._jobs: dict[tuple[tuple[NeedEntry, ...], bool], GitLabJob] = {}

    def fit(self, reader: str, needs: tuple[NeedEntry, ...]) -> tuple[tuple[NeedEntry, ...], tuple[GitLabJob, ...]]:
        """Return needs equivalent to *needs*, and the collectors created for *reader*.

        GitLab allows the returned needs, unless collectors cannot pass on so many variables.
        """
        existing = len(self._jobs)
        outside = tuple(need for need in needs if need.pipeline)
        inside = tuple(part for need in needs if not need.pipeline for part in self._parts_of(need))
        while _need_count(inside, self._sizes) + len(outside) > LIMIT:
            fewer = self._fewer(reader, inside, LIMIT - len(outside))
            if _need_count(fewer, self._sizes) >= _need_count(inside, self._sizes):
                break
            inside = fewer
        return (*inside, *outside), tuple(self._jobs.values())[existing:]

    def _parts_of(self, need: NeedEntry) -> Iterator[NeedEntry]:
        """Yield *need*, or a need on each of its combinations if these alone are more than GitLab allows."""
        job = need.job
        if self._sizes.get(job, 1) <= LIMIT:
            yield need
            return
        for name in self._combinations[job]:
            self._steps[name] = self._steps[job]
            self._artifacts[name] = self._artifacts[job]
            self._artifact_keys[name] = self._artifact_keys.get(job, ArtifactKeys())
            self._variables[name] = self._variables.get(job, ())
            if job in self._conditional:
                self._conditional.add(name)
            yield replace(need, job=name)

    def gather(
        self, reader: str, needs: Sequence[NeedEntry], most: int
    ) -> tuple[tuple[NeedEntry, ...], tuple[GitLabJob, ...]]:
        """Return at most *most* needs, on collectors of all *needs*, which fetch artifacts, and the new collectors.

        None is optional: those on jobs of another pipeline cannot be.
        """
        existing = len(self._jobs)
        required = (replace(need, is_optional=False) for need in needs)
        remaining = sorted(required, key=lambda need: self._steps[need.job])
        while True:
            remaining = [self._collector(reader, part) for part in self._parts(remaining)]
            if len(remaining) <= most:
                return tuple(remaining), tuple(self._jobs.values())[existing:]

    def _fewer(self, reader: str, needs: Sequence[NeedEntry], most: int) -> tuple[NeedEntry, ...]:
        """Return fewer needs: *most*, if one collector for each 50 needs is enough.

        Needs for order are collected first, then values, and files only if that is not enough: an archive of many
        files may exceed GitLab's limit. Variables come last: they need collectors besides those of archives.
        """
        kinds: dict[_Kind, list[NeedEntry]] = {kind: [] for kind in _Kind}
        for need in needs:
            kinds[self._kind(need)].append(need)
        order, values, files, reporting = kinds.values()
        direct = _need_count(files, self._sizes) + _need_count(reporting, self._sizes)
        if self._part_count(order) + _need_count(values, self._sizes) + direct <= most:
            return (*self._collected(reader, order), *reporting, *values, *files)
        if self._part_count(order) + self._part_count(values) + direct <= most:
            return (*self._collected(reader, order), *reporting, *self._collected(reader, values), *files)
        variables: list[NeedEntry] = []
        if sum(map(self._part_count, (order, values, files))) + _need_count(reporting, self._sizes) > most:
            with_artifacts = [need for need in reporting if self._artifacts[need.job]]
            values += filter(self._is_small, with_artifacts)
            files += (need for need in with_artifacts if not self._is_small(need))
            variables, reporting = self._reports(reader, reporting), []
        # If two archives contain the same path the later one wins, so they are collected in the order of the steps.
        files.sort(key=lambda need: self._steps[need.job])
        archives = (*self._collected(reader, values), *self._collected(reader, files))
        # A need alone in its part is not collected, and may occur twice if it sets variables and stores files.
        return tuple(dict.fromkeys((*self._collected(reader, order), *variables, *reporting, *archives)))

    def _kind(self, need: NeedEntry) -> _Kind:
        if not need.artifacts:
            return _Kind.ORDER
        if self._variables.get(need.job):
            return _Kind.VARIABLES
        return _Kind.VALUES if self._is_small(need) else _Kind.FILES

    def _is_small(self, need: NeedEntry) -> bool:
        """Return whether a need fetches only values."""
        return all(path.startswith(VALUES) for path in self._artifacts[need.job])

    def _report_parts(self, needs: Sequence[NeedEntry]) -> Iterator[tuple[NeedEntry, ...]]:
        """Yield *needs* in parts whose variables fit into one report, whatever their values are."""
        part: list[NeedEntry] = []
        names: list[str] = []
        for need in needs:
            part_names = [*names, *self._variables[need.job]]
            size = sum(len(f"{name}=\n") + _LONGEST_VALUE for name in part_names)
            if part and (
                _need_count([*part, need], self._sizes) > LIMIT
                or len(part_names) > MOST_VARIABLES
                or size > _REPORT_SIZE
            ):
                yield tuple(part)
                part, part_names = [], [*self._variables[need.job]]
            part.append(need)
            names = part_names
        if part:
            yield tuple(part)

    def _collected(self, reader: str, needs: Sequence[NeedEntry]) -> list[NeedEntry]:
        """Return needs on collectors of up to 50 of *needs* each."""
        return [self._single(part) or self._collector(reader, part) for part in self._parts(needs)]

    def _single(self, part: Sequence[NeedEntry]) -> NeedEntry | None:
        """Return the need of a *part* with only one, which needs no collector."""
        return part[0] if _need_count(part, self._sizes) == 1 else None

    def _part_count(self, needs: Sequence[NeedEntry]) -> int:
        """Return the number of needs that remain if *needs* are collected."""
        return len(self._parts(needs))

    def _parts(self, needs: Sequence[NeedEntry]) -> list[tuple[NeedEntry, ...]]:
        """Return *needs* in parts of at most 50; one that counts as more is alone."""
        parts: list[list[NeedEntry]] = []
        for need in needs:
            if parts and _need_count([*parts[-1], need], self._sizes) <= LIMIT:
                parts[-1].append(need)
            else:
                parts.append([need])
        return [tuple(part) for part in parts]

    def _reports(self, reader: str, needs: Sequence[NeedEntry]) -> list[NeedEntry]:
        """Return needs on collectors of the variables of *needs*."""
        parts = self._report_parts(needs)
        return [self._single(part) or self._collector(reader, part, is_reporting=True) for part in parts]

    def _collector(self, reader: str, needs: tuple[NeedEntry, ...], *, is_reporting: bool = False) -> NeedEntry:
        """Return a need on the collector of *needs*, which reports their variables or stores their artifacts.

        It is optional if all of them are: a job with raw rules may be in pipelines that have no collectors, for example
        those for merge requests, and GitLab refuses a pipeline without a needed job.
        """
        is_optional = all(need.is_optional for need in needs)
        needs = tuple(replace(need, is_optional=need.job in self._conditional) for need in needs)
        if (needs, is_reporting) not in self._jobs:
            self._jobs[needs, is_reporting] = self._make(reader, needs, is_reporting=is_reporting)
        job = self._jobs[needs, is_reporting]
        return NeedEntry(job.name, artifacts=needs[0].artifacts, is_optional=is_optional)

    def _make(self, reader: str, needs: tuple[NeedEntry, ...], *, is_reporting: bool) -> GitLabJob:
        name = self._names.take(f"collect for {reader}")
        step = max(self._steps[need.job] for need in needs)
        names = tuple(name for need in needs for name in self._variables[need.job]) if is_reporting else ()
        fetched = () if is_reporting else (need.job for need in needs if need.artifacts)
        artifacts = tuple(dict.fromkeys(path for job in fetched for path in self._artifacts[job]))
        artifact_keys = strictest(self._artifact_keys[need.job] for need in needs if need.job in self._artifact_keys)
        self._steps[name] = step
        self._artifacts[name] = artifacts
        self._artifact_keys[name] = artifact_keys
        self._variables[name] = names
        # Without a checkout, the folder is not cleaned, and old files would be collected.
        fetch = () if needs[0].artifacts else (NO_CHECKOUT,)
        return GitLabJob(
            name=name,
            image=self._image,
            stage=f"step {step}",
            needs=needs,
            rules=self._rules,
            variables=(IS_HELPER, *fetch),
            script=_report(names) if names else (ScriptEntry("true"),),
            artifacts=artifacts,
            artifact_keys=replace(artifact_keys, dotenv=(_REPORT,)) if names else artifact_keys,
        )


def _report(variables: Sequence[str]) -> tuple[ScriptEntry, ...]:
    """Return the script that reports *variables*, set by reports of other jobs, under the same names.

    An unset variable stays unset: the job that reads it has its default.
    """
    lines = (f'[ -z "${name}" ] || printf \'{name}=%s\\n\' "${name}" >>{_REPORT}' for name in variables)
    return (ScriptEntry(f"mkdir -p {dirname(_REPORT)} && rm -f {_REPORT}"), ScriptEntry("\n".join(lines)))


def strictest(artifact_keys: Iterable[ArtifactKeys]) -> ArtifactKeys:
    """Return artifact keys with the strictest access among *artifact_keys*."""
    return ArtifactKeys(access=max((keys.access for keys in artifact_keys), key=_ACCESS.index, default=""))


def with_rules_of_readers(jobs: Sequence[GitLabJob], collectors: Collection[str]) -> tuple[GitLabJob, ...]:
    """Return *jobs* in which the *collectors* have the rules of the jobs after them that need them, if these are known.

    Otherwise, collectors alone would be a pipeline in runs that have no other job.
    """
    rules: dict[str, list[tuple[RuleEntry, ...]]] = {}
    result: list[GitLabJob] = []
    for job in reversed(jobs):
        own = _alternatives(rules.get(job.name, [])[::-1])
        result.append(replace(job, rules=own) if own else job)
        needed = [need.job for need in job.needs if need.job in collectors]
        conditions = _conditions(result[-1]) if needed else ()
        for name in needed:
            rules.setdefault(name, []).append(conditions)
    return tuple(reversed(result))


def _alternatives(rules: Sequence[tuple[RuleEntry, ...]]) -> tuple[RuleEntry, ...]:
    """Return the rules of a job in all runs of jobs with these *rules*, () if some have none, or exclude other runs."""
    if () in rules:
        return ()
    first = takewhile(lambda same: len({*same}) == 1, zip(*rules, strict=False))
    common = tuple(same[0] for same in first)
    rest = tuple(dict.fromkeys(rule for own in rules for rule in own[len(common) :]))
    return (*common, *rest) if all(rule.when != "never" for rule in rest) else ()


def _conditions(job: GitLabJob) -> tuple[RuleEntry, ...]:
    """Return the rules of another job in the runs of *job*, () if its own are not known or read its variables."""
    rules = _raw_rules(job.raw["rules"]) if "rules" in job.raw else job.rules
    texts = [text for rule in rules for text in (rule.condition, *rule.changes, rule.compare_to, *rule.exists)]
    read = {name for text in texts for name in re.findall(r"\$\{?(\w+)", text)}
    own = {variable.name for variable in job.variables}
    # Jobs that start pipelines do not get the variables of the file, and raw keys may set others.
    gets_same = job.trigger is None and job.inherits_variables and _WITH_VARIABLES.isdisjoint(job.raw)
    own.update(name for name in read if name.startswith(_OF_JOBS) or not (gets_same or name.startswith("CI_")))
    if not job.raw.keys().isdisjoint(("extends", "only", "except")) or not read.isdisjoint(own):
        return ()
    # A run that no rule is for needs no rule that says so.
    while len(rules) > 1 and rules[-1].when == "never":
        rules = rules[:-1]
    return tuple(
        replace(rule, when=rule.when if rule.when == "never" else "", start_in="", variables=(), allow_failure=None)
        for rule in rules
    )


def _raw_rules(rules: Data) -> tuple[RuleEntry, ...]:
    """Return the conditions of raw *rules*, () if one has paths that a rule of the file cannot have."""
    items = rules if isinstance(rules, list) else []
    entries = [entry for rule in items if (entry := _raw_rule(rule)) is not None]
    return tuple(entries) if len(entries) == len(items) else ()


def _raw_rule(rule: Data) -> RuleEntry | None:
    if not isinstance(rule, dict):
        return None
    changes, exists = rule.get("changes", []), rule.get("exists", [])
    compare_to = changes.get("compare_to", "") if isinstance(changes, dict) else ""
    paths = changes.get("paths") if isinstance(changes, dict) else changes
    if not isinstance(paths, list) or not isinstance(exists, list):
        return None
    return RuleEntry(
        str(rule.get("if", "")),
        when=str(rule.get("when", "")),
        changes=tuple(map(str, paths)),
        compare_to=str(compare_to),
        exists=tuple(map(str, exists)),
    )
