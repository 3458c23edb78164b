"""A job as a stage: each group of keys is translated, or kept raw."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data, Value
from pipegen.importing.accounting import Accounting, KeyOutcome, entries_in
from pipegen.importing.comments import KeyComments, comments_of_job
from pipegen.importing.compilation import OVERLAP, overlapping
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import needs_of
from pipegen.importing.gitlab.reading.outputs import StageOutputs
from pipegen.importing.gitlab.reading.rules import may_have_rules_elsewhere, with_include_rules
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.stages.conditions import Names
from pipegen.importing.gitlab.stages.keys import environments, files, limits, machines, matrices, scripts
from pipegen.importing.gitlab.stages.keys.base import KeyContext, Translation, merged
from pipegen.importing.gitlab.stages.keys.variables import Variables, exported, forced_names, read_by_raw, variables
from pipegen.importing.gitlab.stages.other_files import needs_elsewhere
from pipegen.importing.gitlab.stages.raw_keys import RawKeys
from pipegen.importing.gitlab.stages.starts import (
    Start,
    entries_of_when,
    known_entries,
    set_start,
    start_of,
    tested_variables,
    with_stage_name,
    without_confirmation,
)
from pipegen.importing.gitlab.stages.texts import JobTexts, constants, rule_variables
from pipegen.importing.logic import ALWAYS, Condition, holds_for_merge_requests, simplified
from pipegen.importing.sharing import StageOrigin
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.importing.when import as_when
from pipegen.source.tree import Entry
from pipegen.structs import MutableStruct, Struct, field, replace


class Group(Struct, kw_only=True):
    """Keys of a job that are translated together: *sources*, the *keys* of a stage that result, and the function.

    If one of the *partial* keys is forced to stay raw, the function translates the others.
    """

    sources: tuple[str, ...]
    keys: tuple[str, ...]
    partial: tuple[str, ...] = ()
    translate: Callable[[KeyContext], Translation]


_NOT_FORCED: Mapping[str, str] = MappingProxyType({})

GROUPS = (
    Group(sources=("tags",), keys=("agent",), translate=machines.tags),
    Group(sources=("image",), keys=("image",), translate=machines.image),
    Group(sources=("services",), keys=("services",), translate=machines.services),
    Group(sources=("id_tokens",), keys=("secrets",), translate=environments.id_tokens),
    Group(
        sources=("artifacts", "coverage"),
        keys=("artifacts", "reports"),
        partial=("artifacts",),
        translate=files.artifacts,
    ),
    Group(sources=("cache",), keys=("cache",), translate=files.caches),
    Group(sources=("environment",), keys=("environment",), translate=environments.environment),
    Group(sources=("resource_group",), keys=("lock",), translate=limits.lock),
    Group(sources=("retry",), keys=("retry",), translate=limits.retry),
    Group(sources=("timeout",), keys=("timeout",), translate=limits.timeout),
    Group(sources=("interruptible",), keys=("interruptible",), translate=limits.interruptible),
    Group(sources=("allow_failure",), keys=("allow_failure",), translate=limits.allow_failure),
)
# Keys of a stage by the keys of a job that they come from.
_KEYS_OF = {"before_script": ("before",), **{source: group.keys for group in GROUPS for source in group.sources}}
_TEXTS = ("before_script", "script", "after_script")
_OF_START = ("rules", "only", "except", "when", "start_in", "manual_confirmation")
_TRANSLATED = frozenset(
    {
        *(*_TEXTS, *_OF_START, "variables", "parallel", "needs", "dependencies", "extends", "stage", "inherit"),
        *("trigger", "pages", "publish", "release", *(source for group in GROUPS for source in group.sources)),
    }
)


class Draft(MutableStruct, kw_only=True):
    """A stage: its keys, its raw keys for GitLab, its condition, the comment above it, and needs of other pipelines."""

    name: str
    job: SourceJob
    comment: str
    condition: Condition
    is_awaited: bool
    may_be_awaited: bool  # Rules that are not read may decide whether later stages wait.
    keys: dict[str, Value] = field(default_factory=dict)
    raw: dict[str, Data] = field(default_factory=dict)
    other_files: tuple[Mapping[str, Data], ...] = ()
    paired: frozenset[str] = frozenset()  # Each combination waits for the same one of these stages.

    @property
    def origin(self) -> StageOrigin:
        """Its templates for the hidden jobs that its job extends or merges, and its keys from the source's defaults."""
        return StageOrigin(
            templates=_hidden(self.job.templates),
            bases=_hidden((*self.job.bases, *self.job.merged)),
            inherited=frozenset(key for source in self.job.inherited for key in _KEYS_OF.get(source, ())),
        )


def _hidden(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of templates for those of the jobs *names* that are hidden."""
    return tuple(name.removeprefix(".") for name in names if name.startswith(".") and name != ".")


class Settings(Struct, kw_only=True):
    """What all stages have in common: names, inputs, comments, and the keys that are *forced* to stay raw, by job."""

    names: Names
    inputs: frozenset[str]
    stages: frozenset[str]
    forced: Mapping[str, Mapping[str, str]]
    comments: KeyComments
    known: Condition
    has_merge_requests: bool


class StageBuilder:
    """Builds the stages of a pipeline."""

    def __init__(self, source: SourcePipeline, settings: Settings, accounting: Accounting, report: Report) -> None:
        self._source = source
        self._needed = {need.name for job in source.jobs.values() for need in needs_of(job, source) or ()}
        self.raw_keys = RawKeys(accounting)
        self._comments = settings.comments
        self._settings = settings
        self._accounting = accounting
        self._report = report
        self._names: dict[str, Names] = {}
        forced = settings.forced
        self._axes = {job.name: matrices.axes_unless_raw(job, forced.get(job.name, ())) for job in source.jobs.values()}

    def draft(self, job: SourceJob, start: Start | None, outputs: StageOutputs) -> Draft:
        """Return the stage of *job* with *outputs* in place of reports; without *start*, its rules stay raw."""
        forced, axes = self._settings.forced.get(job.name, _NOT_FORCED), self._axes[job.name]
        if axes is not None:
            self._accounting.mark(job.entries["parallel"], KeyOutcome.TRANSLATED)
            self._comments.add(job.name, "matrix", [job.entries["parallel"]])
        context = replace(self._context(job, axes, outputs, start), forced=forced)
        is_awaited = start is None or start.is_awaited
        draft = Draft(
            name=job.name,
            job=job,
            comment=comments_of_job(job.key),
            condition=start.condition if start is not None else ALWAYS,
            is_awaited=is_awaited,
            may_be_awaited=is_awaited or may_have_rules_elsewhere(job, self._source),
        )
        if axes is not None:
            draft.keys["matrix"] = dict(axes.matrix)
        for group in GROUPS:
            self._translate(group, context, draft)
        if outputs.report is not None:
            draft.keys["outputs"] = {name: {"command": outputs.report.command(name)} for name in outputs.report.names}
        self._scripts(context, draft)
        self._variables(context, draft, axes, start)
        self._comments.add_outer(job.name, job.entries, draft.keys)
        if may_have_rules_elsewhere(job, self._source):
            draft.raw["rules"] = None
            own = [job.entries[key] for key in _OF_START if key in job.entries]
            reason = "its rules may be in a file that only GitLab reads"
            draft.raw |= self.raw_keys.kept(draft.name, own, reason, outcome=KeyOutcome.ELSEWHERE)
        else:
            self._start(job, start, draft, forced)
            self._rules_elsewhere(job, draft)
        others = [entry for key, entry in job.entries.items() if key not in _TRANSLATED]
        draft.raw |= self.raw_keys.kept(draft.name, others, "")
        return draft

    def _context(
        self, job: SourceJob, axes: matrices.Axes | None, outputs: StageOutputs, start: Start | None
    ) -> KeyContext:
        names = self.names(job)
        raw_names = () if axes is not None else matrices.variables_of(job)
        of_rules = environments.without_stopped(start.constants, job) if start is not None else {}
        texts = JobTexts(
            axes=axes.env if axes is not None else {},
            inputs=names.inputs,
            constants={**names.constants, **of_rules},
            variables=job.variables,
            stages=self._settings.stages,
            of_engine=(*(name for name in rule_variables(job) if name not in of_rules), *raw_names),
            outputs=outputs.references,
        )
        return KeyContext(job=job, source=self._source, texts=texts, names=names, outputs=outputs)

    def names(self, job: SourceJob) -> Names:
        """Return what the variables in the rules of *job* stand for."""
        if job.name not in self._names:
            axes = self._axes[job.name]
            own_inputs = self._settings.inputs - set(job.own_variables)
            known = constants(job, axes.env if axes is not None else matrices.variables_of(job), own_inputs)
            self._names[job.name] = Names(
                default_branch=self._settings.names.default_branch,
                inputs=own_inputs,
                constants=known,
                unknown=frozenset(job.variables) - known.keys() - own_inputs,
                axes=axes.values if axes is not None else {},
            )
        return self._names[job.name]

    def _translate(self, group: Group, context: KeyContext, draft: Draft) -> None:
        forced = context.forced
        entries = [context.job.entries[source] for source in group.sources if source in context.job.entries]
        if not entries:
            return
        reason = next((forced[key] for key in group.keys if key in forced and key not in group.partial), "")
        if reason:
            draft.raw |= self.raw_keys.kept(draft.name, entries, reason)
            return
        try:
            translation = group.translate(context)
        except UntranslatableError as error:
            draft.raw |= self.raw_keys.kept(draft.name, entries, str(error))
            return
        self._mark_translated(entries, translation)
        for key in list(translation.keys)[:1]:
            self._comments.add(draft.name, key, entries)
        for entry in translation.entries:
            self.raw_keys.mark(draft.name, entry, translation.reasons.get(entry.key.text, translation.reason))
        draft.keys |= translation.keys
        if OVERLAP in forced and "artifacts" in translation.keys:
            draft.keys["artifacts"] = overlapping(draft.keys["artifacts"])
        draft.raw = merged(draft.raw, translation.raw)

    def _mark_translated(self, entries: Collection[Entry], translation: Translation) -> None:
        """Mark the keys in *entries*, and report those of *translation* without an effect."""
        unused = {id(inner) for part in translation.without_effect for inner in (*part.entries, *_inner(part.entries))}
        for entry in (*entries, *_inner(entries)):
            self._accounting.mark_key(entry.key, KeyOutcome.UNUSED if id(entry) in unused else KeyOutcome.TRANSLATED)
        for part in translation.without_effect:
            self._report.add(
                codes.WITHOUT_EFFECT,
                f"{part.name} has no effect: {part.reason}",
                at=part.span,
                hint="remove it",
            )

    def _scripts(self, context: KeyContext, draft: Draft) -> None:
        job, forced = context.job, context.forced
        for key in ("before_script", "script", "after_script"):
            if key in job.entries:
                self._accounting.mark(job.entries[key], KeyOutcome.TRANSLATED)
        if "trigger" in job.entries:
            return
        if job.unknown:
            draft.raw["extends"] = job.unknown[0] if len(job.unknown) == 1 else list(job.unknown)
        if job.get("script") is None:
            self._unread_script(job, draft)
            return
        reason = forced.get("script") or scripts.refusal(context)
        if reason:
            self._keep_scripts(job, draft, reason)
            return
        image = draft.keys.get("image") or draft.raw.get("image")
        draft.keys |= scripts.script_keys(context, image, may_be_bash="shell" not in forced)
        if job.unknown and "before_script" in job.entries and "shell" not in draft.keys:
            draft.raw["before_script"] = []  # those of the other job do not run; with a shell, there are others

    def _unread_script(self, job: SourceJob, draft: Draft) -> None:
        """Leave the script of *draft* to GitLab, which finds it in a file that pipegen cannot read."""
        self._report.add(
            codes.KEPT_RAW,
            f'the script of job "{job.name}" is in a file that only GitLab reads',
            at=job.key.span,
            hint="add the script for other engines",
        )
        reason = "the script is in a file that only GitLab reads"
        self._keep_scripts(job, draft, reason, KeyOutcome.ELSEWHERE)
        draft.raw["script"] = None

    def _keep_scripts(self, job: SourceJob, draft: Draft, reason: str, outcome: KeyOutcome = KeyOutcome.RAW) -> None:
        draft.keys["script"] = ["true"]
        for key in ("before_script", "script", "after_script"):
            if key in job.entries:
                draft.raw |= self.raw_keys.kept(draft.name, [job.entries[key]], reason, outcome=outcome)

    def _variables(self, context: KeyContext, draft: Draft, axes: matrices.Axes | None, start: Start | None) -> None:
        job = context.job
        entry = job.entries.get("variables")
        if entry is not None:
            self._accounting.mark_key(entry.key, KeyOutcome.TRANSLATED)
        job_variables = self._job_variables(context, draft, axes, start)
        env: dict[str, Value] = {**context.outputs.env, **job_variables.env}
        for variable in job.variables.values():
            self._accounting.mark(variable.entry, KeyOutcome.TRANSLATED)
            self._comments.add(draft.name, f"env.{variable.name}", [variable.entry])
        raw: dict[str, Data] = {}
        for name, variable in job_variables.raw.items():
            is_parameter = "trigger" in job.entries and variable.is_expanded
            if name not in env and not is_parameter:
                self.raw_keys.mark(draft.name, variable.entry, "")
            raw[name] = variable.data
        if axes is not None:
            env = {**axes.env, **env}
        elif job.get("parallel") is not None:
            reason = context.forced.get("matrix") or matrices.refusal(job)
            draft.raw |= self.raw_keys.kept(draft.name, [job.entries["parallel"]], reason)
        texts = [text_of(item) for key in _TEXTS for item in flat_items(job.get(key))]
        if any("CI_JOB_STAGE" in text for text in texts):
            env["CI_JOB_STAGE"] = job.stage
        env = {**start.constants, **env, **start.env} if start is not None else env
        if env:
            draft.keys["env"] = env
        draft.keys |= job_variables.keys
        if raw:
            draft.raw = merged(draft.raw, {"variables": raw})

    def _job_variables(
        self, context: KeyContext, draft: Draft, axes: matrices.Axes | None, start: Start | None
    ) -> Variables:
        job = context.job
        inputs, is_bridge = self._settings.inputs, "trigger" in job.entries
        is_read_elsewhere = not is_bridge and (bool(job.unknown) or "script" in draft.raw)
        by_raw = [
            *read_by_raw(draft.raw | {"needs": [*needs_elsewhere(job, inputs)]}, (*_TEXTS, *_OF_START)),
            *(matrices.read_by_values(job) if axes is None else ()),
        ]
        return variables(
            context,
            inputs,
            {
                *forced_names(job, context.forced),
                *self._settings.forced.get("", _NOT_FORCED),  # names that an input cannot have
                *(matrices.variables_of(job) if axes is None else ()),
                *tested_variables(job, start, self._settings.known, inputs, is_read_elsewhere=is_read_elsewhere),
            },
            frozenset(exported(by_raw, job, inputs)),
            is_read_elsewhere=is_read_elsewhere,
            has_script=not is_bridge and "script" not in draft.raw,
        )

    def _start(self, job: SourceJob, start: Start | None, draft: Draft, forced: Mapping[str, str]) -> None:
        entries = [job.entries[key] for key in _OF_START if key in job.entries]
        if start is None or start.reason:
            reason = start.reason if start is not None else self._refusal(job, forced)
            is_unknown = start is None or start.is_unknown
            known = () if is_unknown else tuple(known_entries(job, self._source, entries, self.names(job)))
            outcome = KeyOutcome.ELSEWHERE if start is not None and start.is_elsewhere else KeyOutcome.RAW
            draft.raw |= self.raw_keys.kept(draft.name, entries, reason, known, outcome)
            if "rules" in draft.raw:
                draft.raw["rules"] = with_include_rules(with_stage_name(draft.raw["rules"], job.stage), job)
            if "when" in draft.raw and text_of(job.get("allow_failure")) == "false":  # not the default of `manual`
                draft.raw |= self.raw_keys.kept(draft.name, [job.entries["allow_failure"]], reason, outcome=outcome)
            if start is None:
                return
        self._mark_translated(entries, Translation(without_effect=tuple(without_confirmation(job, start))))
        if not start.reason:
            set_start(start, draft.keys, draft.raw, is_needed=job.name in self._needed)
            for entry in entries_of_when(entries) if "when" in start.raw else ():
                self.raw_keys.mark(draft.name, entry, "it also runs after failures")
        when = simplified(start.condition, self._settings.known)
        if not self._settings.has_merge_requests and when != ALWAYS and holds_for_merge_requests(when):
            # A generated file with such a condition starts pipelines for merge requests.
            when = simplified(start.condition)
        draft.condition = when
        if when != ALWAYS and "when" not in forced:
            draft.keys["when"] = as_when(when)
        self._comments.add(draft.name, next((key for key in ("when", "approve") if key in draft.keys), ""), entries)

    def _rules_elsewhere(self, job: SourceJob, draft: Draft) -> None:
        """Keep rules of *job* that the config does not need, or leave those of a file that only GitLab reads."""
        is_in_two_files = bool(self._source.unread) and (bool(job.unknown) or job.get("script") is None)
        if not is_in_two_files or "when" in draft.keys or "rules" in draft.raw or "trigger" in job.entries:
            return
        if job.get("rules") is not None:
            reason = "they replace rules in a file that only GitLab reads"
            draft.raw |= self.raw_keys.kept(draft.name, [job.entries["rules"]], reason, outcome=KeyOutcome.ELSEWHERE)
        elif not any(key in job.entries for key in _OF_START):
            draft.raw["rules"] = None

    def _refusal(self, job: SourceJob, forced: Mapping[str, str]) -> str:
        """Return why a config cannot say when *job* starts."""
        try:
            start_of(job, self._source, self.names(job), self._settings.known)
        except UntranslatableError as error:
            return str(error)
        return forced.get("when", "")


def _inner(entries: Collection[Entry]) -> Iterator[Entry]:
    """Yield the entries at any depth of the values of *entries*."""
    return chain.from_iterable(entries_in(entry.value) for entry in entries)
