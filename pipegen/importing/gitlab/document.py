"""The config of a pipeline: stages, their order, inputs and settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Value
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.arcs import as_finally
from pipegen.importing.comments import EntryComments, KeyComments
from pipegen.importing.compilation import PIPELINE
from pipegen.importing.gitlab.inputs import as_input, inputs_of, report_variables_of_form
from pipegen.importing.gitlab.overlaps import set_overlaps
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import Order, order_of
from pipegen.importing.gitlab.reading.outputs import StageOutputs
from pipegen.importing.gitlab.reading.rules import PLAIN, has_conditions, rules_of, workflow_rules
from pipegen.importing.gitlab.reading.selection import is_generated, selected_pipeline, unselected
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.settings import runner_variables, setting_variables, settings_of
from pipegen.importing.gitlab.stages.after_failures import Misordered, awaited_by_stages, with_skipped_jobs
from pipegen.importing.gitlab.stages.conditions import Names
from pipegen.importing.gitlab.stages.final import final_starts, final_statuses, keep_stages, starts_with_others
from pipegen.importing.gitlab.stages.keys.base import as_map, present, raw_data
from pipegen.importing.gitlab.stages.keys.environments import raw_stops, with_stops
from pipegen.importing.gitlab.stages.keys.files import with_different_cache_keys
from pipegen.importing.gitlab.stages.keys.limits import keep_running
from pipegen.importing.gitlab.stages.needs import GeneratedNames, files_from, keep_needs, received_files, report_needs
from pipegen.importing.gitlab.stages.other_files import files_from_setting
from pipegen.importing.gitlab.stages.outputs import lost_outputs, stage_outputs
from pipegen.importing.gitlab.stages.publications import add_pages, add_releases
from pipegen.importing.gitlab.stages.rule_conditions import condition_of
from pipegen.importing.gitlab.stages.selections import numbered, version_setting, with_selections
from pipegen.importing.gitlab.stages.stage import Draft, Settings, StageBuilder
from pipegen.importing.gitlab.stages.starts import OPEN_MERGE_REQUESTS, Start, never_started, start_of, started_by
from pipegen.importing.gitlab.stages.texts import file_constants
from pipegen.importing.gitlab.stages.triggers import with_trigger
from pipegen.importing.gitlab.unread import include_settings
from pipegen.importing.gitlab.workflow_variables import replaced_variables, set_by_workflow, set_for, with_defaults
from pipegen.importing.layout import ordered as in_order
from pipegen.importing.logic import (
    ALWAYS,
    NEVER,
    NO_MERGE_REQUEST,
    Condition,
    Opposite,
    StageTest,
    holds_for_merge_requests,
    simplified,
    tests,
    without_variable,
)
from pipegen.importing.repetition import with_extends
from pipegen.importing.sharing import Shared, share
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.importing.when import as_when
from pipegen.source.tree import Entry, entries_of
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.rules.inputs import refusal_of
from pipegen.targets.gitlab.rules.selection import VARIABLE

_ANY_EVENT = StageTest("event", patterns=("push", "merge_request", "tag", "schedule", "manual", "api"))
_NO_PUSH = Opposite(StageTest("event", patterns=("push", "tag")))
_KNOWN_CANCELS = (("on_new_commit", "interruptible"), ("on_new_commit", "conservative"), ("on_job_failure", "none"))


class ImportOptions(Struct, kw_only=True):
    """The name of the default branch, and the keys that stay raw, by job, each with the reason.

    Those of "" are the names that a config refuses for inputs. *names* are those in a generated file.
    *misordered* jobs would wait for other jobs in some runs, and a push to a branch with an open merge request starts
    *duplicated* ones. In some runs, jobs of `.pre` and `.post` would be *alone*. *comments* are those of the source,
    and *native* its matrices that stay raw, like *forced*.
    """

    default_branch: str
    forced: Mapping[str, Mapping[str, str]]
    is_shared: bool
    names: GeneratedNames
    misordered: Misordered
    duplicated: Collection[str]
    alone: frozenset[str]
    comments: EntryComments
    native: Mapping[str, Mapping[str, str]]


class ConfigDocument(Struct):
    """A config as a document, and the jobs that it has as stages.

    If it *lacks_names*, stages need the names of jobs of a generated file, which are not known yet. *forced* are keys
    that have to stay raw because others do, by job, each with the reason. *outputs* are in place of dotenv reports.
    *staged* jobs keep the order of stages.
    """

    document: Mapping[str, Value]
    jobs: tuple[str, ...]
    lacks_names: bool
    forced: Mapping[str, Mapping[str, str]]
    outputs: Mapping[str, StageOutputs]
    staged: frozenset[str]


def document(source: SourcePipeline, options: ImportOptions, accounting: Accounting, report: Report) -> ConfigDocument:
    """Return the config of *source*."""
    return _Writer(source, options, accounting, report).document()


class _Writer:
    """Writes the config of a pipeline."""

    def __init__(self, source: SourcePipeline, options: ImportOptions, accounting: Accounting, report: Report) -> None:
        self._name = selected_pipeline(source)
        setting_texts = setting_variables(source)
        replaced = (*setting_texts, *((VARIABLE,) if self._name else ()))
        self._source = source.without_variables(replaced)
        for name in replaced:
            accounting.mark(source.variables[name].entry, KeyOutcome.TRANSLATED)
        stops = dict(raw_stops(self._source, options.forced))
        forced = {
            name: {**options.native.get(name, {}), **stops.get(name, {}), **options.forced.get(name, {})}
            for name in (*options.native, *stops, *options.forced)
        }
        self._options = replace(options, forced=forced)
        self._accounting = accounting
        self._report = report
        self._inputs = inputs_of(self._source, options.forced.get("", ()))
        self._set_by_workflow = set_by_workflow(self._source)
        self._replaced = replaced_variables(self._source, self._set_by_workflow, self._inputs)
        self._source = self._source.without_variables(self._replaced)
        for_runners = runner_variables(self._source, self._inputs, accounting)
        self._source = self._source.without_variables(for_runners, keep_in_bridges=True)
        self._targets: dict[str, Value] = settings_of(setting_texts, for_runners)
        self._left_out: list[SourceJob] = []
        self._left_out_in_runs: list[str] = []  # the names of those that may start in the source
        constants = file_constants(self._source, self._inputs)
        self._names = Names(
            default_branch=options.default_branch,
            inputs=frozenset(self._inputs),
            constants=constants,
            unknown=frozenset(self._source.variables) - constants.keys() - self._inputs.keys(),
        )

    def document(self) -> ConfigDocument:
        options = self._options
        condition = self._workflow()
        has_merge_requests = self._runs_for_merge_requests()
        known = condition if has_merge_requests else NO_MERGE_REQUEST
        settings = Settings(
            names=self._names,
            inputs=frozenset(self._inputs),
            stages=frozenset(self._source.jobs),
            forced=self._options.forced,
            comments=KeyComments(self._options.comments),
            known=known,
            has_merge_requests=has_merge_requests,
        )
        builder = StageBuilder(self._source, settings, self._accounting, self._report)
        jobs = sorted(self._source.jobs.values(), key=lambda job: job.stage_number)
        starts = {job.name: self._start(job, builder, known) for job in jobs}
        stages = [name for name, start in starts.items() if self._is_kept(name, start, known)]
        starts = {name: starts[name] for name in stages}
        with_others = dict(starts_with_others(self._source, starts, options.alone, known))
        starts |= with_others
        final = final_statuses(self._source, starts, self._options.misordered.names)
        starts |= final_starts(starts, final)
        others = {*self._inputs, *self._set_by_workflow}
        outputs = stage_outputs(self._source, starts, self._options.forced, others)
        drafts = [self._draft(builder, name, starts[name], outputs[name]) for name in stages]
        keep_stages(drafts, self._source, options.alone - with_others.keys(), builder.raw_keys)
        for draft in drafts:
            self._set_inherited(draft)
        self._mark_rest()
        report_variables_of_form(self._source, self._inputs, self._accounting, self._report)
        add_pages(drafts, self._targets, self._accounting, self._report)
        add_releases(drafts, self._inputs, self._targets, self._accounting, self._report)
        order = order_of(self._source, stages, awaited_by_stages(drafts, self._source), self._left_out_in_runs)
        order = with_skipped_jobs(order.with_final(final), drafts, self._source, self._options.misordered)
        order = with_selections(order, drafts, self._source)
        needs = keep_needs(drafts, self._source, order, options.names, options.misordered, self._inputs, self._report)
        if files := files_from_setting({draft.name: draft.other_files for draft in drafts}):
            self._targets["files_from"] = files
        order = with_stops(order, self._source, self._options.forced)
        for draft in drafts:
            reason = needs.reasons.get(draft.name, "")
            report_needs(draft, self._source, order, reason, builder.raw_keys, self._accounting, self._report)
        builder.raw_keys.report(self._report)
        config = self._config(drafts, order, condition, settings)
        further = {**numbered(drafts), **lost_outputs(drafts)}
        return ConfigDocument(config, tuple(stages), needs.lacks_names, further, outputs, needs.staged)

    def _mark_rest(self) -> None:
        """Give the jobs that are left out, and variables, their outcomes."""
        for job in self._left_out:
            self._accounting.mark_rest(job.entries.values(), KeyOutcome.REPORTED)
            for key in (job.key, *job.own):
                self._accounting.mark_span(key.span, KeyOutcome.REPORTED)
        for variable in (*self._source.variables.values(), *self._replaced.values()):
            self._accounting.mark(variable.entry, KeyOutcome.TRANSLATED)  # without effect if no job gets it

    def _draft(self, builder: StageBuilder, name: str, start: Start | None, outputs: StageOutputs) -> Draft:
        draft, forced = builder.draft(self._source.jobs[name], start, outputs), self._options.forced.get(name, ())
        targets, raw_keys = self._targets, builder.raw_keys
        return with_trigger(draft, self._source, forced, self._inputs, targets, raw_keys, self._accounting)

    def _set_inherited(self, draft: Draft) -> None:
        """Let *draft*, and a pipeline that it triggers, get only the variables of the file that the source gets."""
        own, from_workflow = draft.job.variables, set_for(draft.job, self._set_by_workflow)
        known = dict.fromkeys((*(name for name in self._inputs if name in own), *from_workflow))
        has_all = {*self._inputs, *self._set_by_workflow} <= {*own, *from_workflow}
        if (known and "trigger" in draft.keys) or not (has_all or "trigger" in draft.job.entries):
            draft.raw["inherit"] = {"variables": [*known] or False}

    def _config(self, drafts: Sequence[Draft], order: Order, known: Condition, settings: Settings) -> dict[str, Value]:
        comments = settings.comments
        received, concurrency = received_files(drafts, order), self._concurrency(drafts)
        files = files_from(received, order)
        set_overlaps(drafts, received, order)
        stages = with_different_cache_keys([_stage(draft, files.get(draft.name)) for draft in drafts])
        unshared = Shared({}, {}, stages)
        shared = share(stages, [draft.origin for draft in drafts]) if self._options.is_shared else unshared
        pipeline: dict[str, Value] = {}
        if known != ALWAYS or (settings.has_merge_requests and not self._starts_for_merge_requests(drafts)):
            pipeline["when"] = as_when(known if known != ALWAYS else _ANY_EVENT)
        self._set_duplicates(drafts, has_condition="when" in pipeline, known=known)
        pipeline |= concurrency
        own = {draft.name: stage for draft, stage in zip(drafts, shared.stages, strict=True)}
        if shared.defaults:
            pipeline["defaults"] = comments.shared(shared.defaults, own)
        pipeline["stages"] = [comments.stage(in_order(own[draft.name]), draft.name, draft.comment) for draft in drafts]
        if execution := order.arcs:
            pipeline["execution"] = list(execution)
        if order.final:
            pipeline["finally"] = as_finally(order.final)
        config: dict[str, Value] = {}
        if self._inputs:
            config["inputs"] = {name: as_input(variable) for name, variable in self._inputs.items()}
        if shared.templates:
            templates = {name: in_order(keys) for name, keys in with_extends(shared.templates).items()}
            config["templates"] = comments.templates(templates, own)
        config["pipelines"] = {self._name or PIPELINE: pipeline}
        if self._source.unread:
            self._targets |= include_settings(self._source, order)
        config["targets"] = {"gitlab": {**self._targets, **version_setting(drafts)}}
        return config

    def _starts_for_merge_requests(self, drafts: Sequence[Draft]) -> bool:
        """Return whether the config starts for merge requests without a condition of its own: a stage has one."""
        conditions = [draft.condition for draft in drafts if "when" in draft.keys]
        return "rules" not in as_map(self._targets.get("workflow")) and any(map(holds_for_merge_requests, conditions))

    def _set_duplicates(self, drafts: Sequence[Draft], *, has_condition: bool, known: Condition) -> None:
        """Let the target start a second pipeline for a push to a branch with a merge request if the source does."""
        workflow = as_map(self._targets.get("workflow"))
        # Jobs of unread files may run for both.
        may_be_elsewhere = bool(self._source.unread) and not self._source.has_workflow_rules
        is_duplicated = may_be_elsewhere or any(draft.name in self._options.duplicated for draft in drafts)
        if "rules" in workflow or not is_duplicated:
            return
        conditions = [known] if has_condition else [draft.condition for draft in drafts if "when" in draft.keys]
        if any(map(holds_for_merge_requests, conditions)):
            self._targets["workflow"] = {**workflow, "duplicates": True}

    def _runs_for_merge_requests(self) -> bool:
        """Return whether a rule can let a job run for a merge request; if not, GitLab starts nothing for one."""
        if self._source.has_workflow_rules:
            return True
        for job in self._source.jobs.values():
            try:
                runs = condition_of(rules_of(job, self._source), replace(self._names, may_differ=True))
            except (UntranslatableError, ExpressionError):
                return True
            if holds_for_merge_requests(simplified(runs)):
                return True
        return False

    def _start(self, job: SourceJob, builder: StageBuilder, known: Condition) -> Start | None:
        if "when" in (forced := self._options.forced.get(job.name, ())):
            return None
        try:
            start = start_of(job, self._source, builder.names(job), known, forced)
        except UntranslatableError:
            return None
        if self._source.unread and has_conditions(job) and simplified(start.condition, known) == NEVER:
            return never_started(job)
        return start

    def _is_kept(self, name: str, start: Start | None, known: Condition) -> bool:
        """Return whether the job *name* becomes a stage; report why not."""
        job = self._source.jobs[name]
        reason, hint, at = "", "", job.key.span
        never_runs = start is not None and not start.reason and simplified(start.condition, known) == NEVER
        if never_runs:
            reason, hint = "its rules never let it run", "remove it"
        elif "run" in job.entries:
            reason, hint = 'a config has no key for "run"', "write its steps as commands of a script"
            at = job.entries["run"].key.span
        elif "trigger" not in job.entries and job.get("script") is None and not self._source.unread:
            reason, hint = "it has no script", "add its script as a stage"
        elif "*" in self._options.forced.get(name, ()):
            reason, hint = self._options.forced[name]["*"], "add it by hand"
        if reason:
            self._left_out.append(job)
            self._left_out_in_runs += [] if never_runs else [name]
            self._report.add(codes.NOT_IMPORTED, f'job "{name}" is left out: {reason}', at=at, hint=hint)
        return not reason

    # Workflow

    def _workflow(self) -> Condition:
        """Return the condition of the pipeline, and add the settings of `workflow`."""
        workflow = self._source.workflow
        if workflow is None:
            return ALWAYS
        self._accounting.mark(workflow, KeyOutcome.TRANSLATED)
        entries = present(workflow.value)
        for key, entry in entries.items():
            if key == "name":
                self._targets["workflow"] = {**as_map(self._targets.get("workflow")), "name": text_of(entry.value)}
            elif key not in ("rules", "auto_cancel"):
                self._leave_out(entry, "workflow")
        if not self._source.has_workflow_rules:
            return ALWAYS
        try:
            rules = workflow_rules(self._source)
            if self._name:
                rules = tuple(replace(rule, formula=unselected(rule.formula)) for rule in rules)
            known = started_by(rules, self._names)
        except (UntranslatableError, ExpressionError) as error:
            self._raw_workflow(str(error))
            return ALWAYS
        extra = next((key for rule in rules for key in rule.extra), "")
        if extra:
            self._raw_workflow(f'the key "{extra}" of a rule', is_condition_known=True)
        tested = {test.name for test in tests(simplified(known, _NO_PUSH))}
        if holds_for_merge_requests(known) and not self._options.duplicated and OPEN_MERGE_REQUESTS not in tested:
            # The generated file prevents a second pipeline for a push to a branch with an open merge request.
            known = simplified(without_variable(known, OPEN_MERGE_REQUESTS))
        return known

    def _raw_workflow(self, reason: str, *, is_condition_known: bool = False) -> None:
        """Keep the rules of `workflow` as a setting of the target; the config may have their condition, too."""
        entry = present(self._source.workflow.value)["rules"] if self._source.workflow else None
        if entry is None:
            return
        self._accounting.mark_key(entry.key, KeyOutcome.RAW)
        for keyword in [keyword for rule in flat_items(entry.value) for keyword in entries_of(rule)]:
            key, value = keyword.key.text, text_of(keyword.value)
            if not (key in PLAIN if is_condition_known else (key, value) == ("when", "always")):
                self._accounting.mark(keyword, KeyOutcome.RAW)
        self._report.add(
            codes.KEPT_RAW,
            f"the rules of the workflow stay rules of GitLab: {reason}",
            at=entry.key.span,
            hint='other engines only read the "when" of the pipeline'
            if is_condition_known
            else 'add a "when" to the pipeline for other engines',
        )
        items = [item for item in flat_items(entry.value) if not (self._name and is_generated(item))]
        # The generated file has those of its inputs again.
        refusals = [{"if": refusal_of(name), "when": "never"} for name in self._inputs]
        rules = [rule for item in items if (rule := with_defaults(raw_data(item), self._replaced)) not in refusals]
        last = rules[-1] if rules else {}
        if not is_condition_known and not self._name and isinstance(last, dict) and last.keys() != {"when"}:
            # The generated file has further rules after these.
            rules.append({"when": "never"})
        self._targets["workflow"] = {**as_map(self._targets.get("workflow")), "rules": rules}

    def _concurrency(self, drafts: Sequence[Draft]) -> dict[str, Value]:
        workflow = self._source.workflow
        entries = present(workflow.value) if workflow is not None else {}
        cancel = present(entries["auto_cancel"].value) if "auto_cancel" in entries else {}
        for key, entry in cancel.items():
            if (key, text_of(entry.value)) not in _KNOWN_CANCELS:
                self._leave_out(entry, "auto_cancel")
        is_cancelling = "on_new_commit" in cancel and text_of(cancel["on_new_commit"].value) == "interruptible"
        for draft in drafts if is_cancelling else ():
            keep_running(draft.keys, draft.raw)
        return {"concurrency": {"cancel": True}} if is_cancelling else {}

    def _leave_out(self, entry: Entry, where: str) -> None:
        self._accounting.mark(entry, KeyOutcome.REPORTED)
        self._report.add(
            codes.NOT_IMPORTED,
            f'"{entry.key.text}" of "{where}" is left out',
            at=entry.key.span,
            hint="a config has no key for it",
        )


def _stage(draft: Draft, files: Sequence[str] | None) -> dict[str, Value]:
    stage: dict[str, Value] = {"name": draft.name, **draft.keys}
    if files is not None:
        stage["files_from"] = list(files)
    if draft.raw:
        stage["raw"] = {"gitlab": dict(draft.raw)}
    return stage
