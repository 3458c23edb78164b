"""Resolves references: each gets its scope, or a diagnostic."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TypeAlias

from pipegen.bindings.budget import Budget
from pipegen.bindings.combinations import axis_value, referenced_stages
from pipegen.bindings.expression import (
    Bare,
    Constant,
    Each,
    Expression,
    List,
    Loop,
    Map,
    Merge,
    Part,
    Reference,
    Scope,
    Text,
    text,
)
from pipegen.bindings.groups import are_linked
from pipegen.bindings.names import SETUP_NAMES, START, STEPS, Bound, Moment, is_setup_name
from pipegen.bindings.namespaces import Namespaces
from pipegen.bindings.status import PIPELINE, STATUS, report_final, resolve_status
from pipegen.bindings.unbound import check_output, report_nested, report_unbound, report_unknown_input
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.closure import Closure
from pipegen.numbering import unique_name
from pipegen.structs import Struct, replace

# The unique names of the enclosing loops' variables, each after the name in the config; the innermost loop is last.
Loops: TypeAlias = tuple[tuple[str, str], ...]


class Reader(Struct):
    """Resolves the references in values that *stage* reads at a *moment* of its run."""

    stage: StageConfig
    namespaces: Namespaces
    order: Closure
    report: Report
    budget: Budget
    moment: Moment = START

    def resolve(self, value: Expression, loops: Loops = ()) -> Expression:
        """Return *value*, inside *loops*, with the scope of each reference resolved."""
        match value:
            case Text():
                return self.resolve_text(value, loops)
            case List():
                return replace(value, items=tuple(self.resolve(item, loops) for item in value.items))
            case Map():
                entries = ((self.resolve_text(key, loops), self.resolve(entry, loops)) for key, entry in value.entries)
                return replace(value, entries=tuple(entries))
            case Each():
                return self._resolve_each(value, loops)
            case Merge():
                return replace(value, left=self.resolve(value.left, loops), right=self.resolve(value.right, loops))
            case Constant() | Loop():
                return value

    def resolve_text(self, value: Text, loops: Loops = ()) -> Text:
        """Return *value* with the scope of each reference resolved."""
        if Reference not in map(type, value.parts):
            return value
        parts: list[Part] = []
        for part in value.parts:
            if not isinstance(part, Reference):
                parts.append(part)
                continue
            resolved = self.resolve_reference(part, loops)
            if part.namespace is None and isinstance(resolved[0], Reference) and _is_escaped(parts):
                parts[-1] = str(parts[-1])[:-1]
                resolved = (part.span.text if part.default is not None else str(part),)
            if len(resolved) > 1:
                self.budget.spend_parts(resolved, value.span, self.report)
            parts += resolved
        return text(*parts, span=value.span)

    def _resolve_each(self, value: Each, loops: Loops) -> Each:
        source = self._combinations(value.source) or self.resolve(value.source, loops)
        inner = tuple((name, _unique(name, loops)) for name in value.names)
        names = tuple(unique for _, unique in inner)
        return replace(value, names=names, source=source, body=self.resolve(value.body, (*loops, *inner)))

    def _combinations(self, source: Expression) -> List | None:
        """Return the list of values that all combinations of a matrix stage bind, if *source* is a reference to it."""
        reference = source.reference if isinstance(source, Text) else None
        if reference is None or self._is_ours(reference):
            return None
        stages = referenced_stages(reference, self.stage, self.namespaces.groups, self.report)
        if stages is None or not stages.are_all:
            return None
        self.budget.spend(len(stages.names), 0, source.span, self.report)
        items = (self._resolve_stage(reference, name) for name in stages.names)
        return List(tuple(text(item, span=source.span) for item in items), source.span)

    def resolve_reference(self, reference: Reference, loops: Loops) -> tuple[Part, ...]:
        """Return the parts that replace *reference*, with their scope resolved."""
        namespace = reference.namespace
        variable = dict(loops).get(reference.name) if loops and not namespace else None
        if variable is not None:
            return (replace(reference, namespace="", name=variable, scope=Scope.LOOP),)
        if namespace is None:
            return (self._resolve_undotted(reference),)
        if self._is_ours(reference):
            return (self._resolve_ours(reference, namespace),)
        stages = referenced_stages(reference, self.stage, self.namespaces.groups, self.report)
        if stages is None:
            return (self._report_unknown(reference, namespace),)
        if len(stages.names) == 1:
            return (self._resolve_stage(reference, stages.names[0]),)
        parts = (
            (("\n",) if index else ()) + (self._resolve_stage(reference, name),)
            for index, name in enumerate(stages.names)
        )
        return tuple(chain.from_iterable(parts)) or ("",)

    def _is_ours(self, reference: Reference) -> bool:
        """Return whether *reference* reads from no other stage: its own, or one of pipegen's namespaces."""
        match reference.namespace:
            case "matrix":
                # A stage may be called "matrix", as in configs for PipelineLib.
                return (
                    self.stage.combination is not None
                    or (self.stage.within, "matrix") not in self.namespaces.groups.members
                )
            case "pipeline":
                return (self.stage.within, PIPELINE) not in self.namespaces.groups.members
            case "inputs":
                return bool(self.namespaces.inputs) or "inputs" not in self.namespaces.homes
            case None | "" | "setup":
                return reference.combinations is None
        return reference.combinations is None and reference.namespace == self.stage.display_name

    def _resolve_ours(self, reference: Reference, namespace: str) -> Part:
        match namespace:
            case "setup":
                return self._resolve_setup(reference)
            case "inputs" if namespace != self.stage.display_name:
                return self._resolve_input(reference)
            case "pipeline" if namespace != self.stage.display_name:
                return self._resolve_status(reference, "")
            case "matrix":
                return axis_value(reference.name, reference.default, self.stage, reference.span, self.report) or ""
            case _:
                return self._resolve_own(reference)

    def _resolve_ended(self, reference: Reference, stage: str) -> Part:
        if reference.name == STATUS:
            return self._resolve_status(reference, stage)
        return report_final(reference, self.namespaces.final[stage], self.report)

    def _resolve_status(self, reference: Reference, stage: str) -> Part:
        final = self.namespaces.final
        return resolve_status(
            reference, stage, self.stage, final, self.order, self.report, is_over=self.moment.has_failed
        )

    def _resolve_undotted(self, reference: Reference) -> Part:
        """Return the stage's own binding for `${NAME}` if it is bound by now, else the text unchanged."""
        bound = self._own().get(reference.name)
        if bound is not None and bound.is_bound(self.moment):
            return replace(reference, namespace=self.stage.name.value, scope=Scope.OWN)
        source = reference.span.text if reference.default is not None else str(reference)
        if reference.default is not None:
            self.report.add(
                codes.UNDOTTED_DEFAULT,
                f'"{source}" is not replaced: this stage binds no "{reference.name}"',
                at=reference.span,
                label="passed on unchanged",
                hint=f'write "${{stage.{reference.name}|…}}" for the output of a stage, '
                f'"${{{reference.name}:-…}}" for the shell',
            )
            source = f"${{{reference.name}|{reference.default}}}"
        return Bare(reference.name, source)

    def _resolve_own(self, reference: Reference) -> Part:
        own = self.stage.name.value
        if reference.name == STATUS:
            return self._resolve_status(reference, own)
        bound = self._own().get(reference.name)
        if bound is not None and bound.is_bound(self.moment):
            check_output(reference, self.stage, self.report)
            return replace(reference, namespace=own, scope=Scope.OWN, combinations=None)
        if (default := self._default(reference, self.stage)) is not None:
            return default
        if self.moment.has_failed or bound is not None:
            return self._report_too_early(reference, bound)
        return self._report_unbound(reference, self.stage)

    def _resolve_setup(self, reference: Reference) -> Part:
        if is_setup_name(reference.name):
            return replace(reference, scope=Scope.SETUP)
        suggested = suggestion(reference.name, SETUP_NAMES)
        default = self._default(reference, None)
        if default is None:
            self.report.add(
                codes.UNKNOWN_SETUP_NAME,
                f'setup binds no "{reference.name}"',
                at=reference.span,
                hint=f'write "${{setup.{suggested}}}"'
                if suggested
                else f"setup binds {listed(SETUP_NAMES, limit=20)} and params.NAME",
            )
        return default or ""

    def _resolve_input(self, reference: Reference) -> Part:
        if reference.name in self.namespaces.inputs:
            return replace(reference, scope=Scope.INPUT)
        report_unknown_input(reference, self.namespaces.inputs, self.report)
        return ""

    def _resolve_stage(self, reference: Reference, name: str) -> Part:
        """Return *reference* as a reference to an output of the stage *name*."""
        if name == self.stage.name.value:
            return self._resolve_own(reference)
        if reference.name == STATUS or name in self.namespaces.final:
            return self._resolve_ended(reference, name)
        producer = self.namespaces.stages[name]
        if not self._is_before(name, self.stage.name.value):
            return self._report_unordered(reference, producer)
        if reference.name in self.namespaces.bound[name]:
            check_output(reference, producer, self.report)
            self._check_presence(reference, producer)
            return Reference(name, reference.name, reference.default, reference.span, Scope.STAGE)
        if (default := self._default(reference, producer)) is not None:
            return default
        return self._report_unbound(reference, producer)

    def _own(self) -> Mapping[str, Bound]:
        return self.namespaces.bound[self.stage.name.value]

    def _default(self, reference: Reference, producer: StageConfig | None) -> str | None:
        """Return the default of a reference to a name that *producer* (None: `setup`) never binds, with a warning."""
        if reference.default is None:
            return None
        known = SETUP_NAMES if producer is None else self.namespaces.bound[producer.name.value]
        suggested = suggestion(reference.name, [name for name in known if name != reference.name])
        self.report.add(
            codes.ALWAYS_DEFAULT,
            f'"{reference}" is never bound here, so its default is always used',
            at=reference.span,
            hint=f'if you mean "{replace(reference, name=suggested)}", write that; otherwise, write only the default'
            if suggested
            else "write only the default",
        )
        return reference.default

    def _check_presence(self, reference: Reference, producer: StageConfig) -> None:
        """Report a reference without a default to a value that may be missing when this stage runs."""
        if reference.default is not None or reference.name == "stage":
            return
        cause = self.namespaces.absence(producer.name.value, self.stage.name.value)
        if cause is not None:
            own, other = self.stage.display_name, producer.display_name
            self.report.add(
                codes.MAY_BE_ABSENT,
                f'"{reference}" may have no value: stage "{own}" can run when stage "{other}" has not',
                at=reference.span,
                related=[Label(cause, "may leave no value")],
                hint=f'add a default: "{str(reference)[:-1]}|TEXT}}"'
                + (f', or give stage "{own}" the same "when"' if cause.text == "when" else ""),
            )

    def _report_too_early(self, reference: Reference, bound: Bound | None) -> str:
        if self.moment.has_failed:
            reason, also = "is not available after the stage has failed", []
            hint = "read a value of an earlier stage or of setup"
        else:
            reason = f'is bound later, by "{bound.step if bound else ""}"'
            hint = f"steps run in the order {', '.join(STEPS)}: read it in a later one, or in a later stage"
            also = [Label(bound.span, "bound here")] if bound else []
        self.report.add(codes.NOT_YET_BOUND, f'"{reference}" {reason}', at=reference.span, related=also, hint=hint)
        return ""

    def _report_unbound(self, reference: Reference, producer: StageConfig) -> str:
        bound = self.namespaces.bound[producer.name.value]
        report_unbound(reference, producer, self.stage, bound, self._provider, self.report)
        return ""

    def _provider(self, step: str) -> str | None:
        """Return the last stage in the user's order that has *step* and runs before this one."""
        own, stages = self.stage, self.namespaces.stages
        names = (
            name for name in reversed(self.namespaces.providers.get(step, ())) if stages[name].within == own.within
        )
        return next((stages[name].display_name for name in names if self._is_before(name, own.name.value)), None)

    def _report_unknown(self, reference: Reference, namespace: str) -> str:
        groups, known = self.namespaces.groups, self.namespaces.groups.names(self.stage)
        if groups.is_nested(namespace, self.stage):
            report_nested(reference, namespace, self.report)
            return ""
        if namespace in self.namespaces.homes:
            others = self.namespaces.homes[namespace]
            owners = f"pipeline{'s' if len(others) > 1 else ''} {listed(others)}"
            self.report.add(
                codes.OTHER_PIPELINE,
                f'stage "{namespace}" is in {owners}, not in this pipeline',
                at=reference.span,
                label="no such stage in this pipeline",
                hint="pipelines share no values: repeat the work here, or move both stages into one pipeline",
            )
            return ""
        path = f"{namespace}.{reference.name}"
        dotted = next((name for name in known if path.startswith(f"{name}.")), None)
        if dotted is not None:
            self.report.add(
                codes.UNKNOWN_NAMESPACE,
                f'"{reference}" reads from "{namespace}", not from stage "{dotted}": a namespace ends at the first dot',
                at=reference.span,
                related=[Label(groups.first(dotted, self.stage).name.span, "its name has a dot")],
                hint=f'rename the stage, for example to "{dotted.replace(".", "-")}"',
            )
            return ""
        suggested = suggestion(namespace, [*known, "setup", *(["inputs"] if self.namespaces.inputs else [])])
        similar_stage = groups.first(suggested or "", self.stage) if suggested in known else None
        from pipegen.bindings.script.substitutions import ELSEWHERE  # noqa: PLC0415 - only for an error

        elsewhere = ELSEWHERE.get(namespace, "").format(name=reference.name)
        correction = f'write "${{{suggested}.{reference.name}}}"' if suggested else elsewhere
        self.report.add(
            codes.UNKNOWN_NAMESPACE,
            f'"{reference}" reads from "{namespace}", which is not a stage',
            at=reference.span,
            related=[Label(similar_stage.name.span, "did you mean this one?")] if similar_stage else [],
            hint=f'{correction}; for the text itself, write "${reference!s}"'
            if correction
            else f'for the text itself, write "${reference!s}"',
        )
        return ""

    def _report_unordered(self, reference: Reference, producer: StageConfig) -> str:
        own, other = self.stage.display_name, producer.display_name
        is_after = self._is_before(self.stage.name.value, producer.name.value)
        if not are_linked(producer, self.stage):
            same = replace(reference, combinations=None)
            hint = f'"{own}" has the same combinations, and each waits only for its equal: write "{same}"'
        elif producer.is_optional:
            hint = f'"{other}" is optional, so no stage waits for it: remove "optional", or bind the value elsewhere'
        elif is_after:
            hint = f'reverse their order in the arcs, or bind the value in a stage before "{own}"'
        else:
            hint = f"add an arc that runs it first: [{other}, {own}]"
        self.report.add(
            codes.NOT_AN_ANCESTOR,
            f'stage "{own}" reads from "{other}", which {"runs after it" if is_after else "does not run before it"}',
            at=reference.span,
            related=[Label(producer.name.span, "runs later" if is_after else "may run at any time")],
            hint=hint,
        )
        return ""

    def _is_before(self, earlier: str, later: str) -> bool:
        """Return whether the arcs say so; a stage in no arc is before none, and a finally stage after all in one."""
        positions = self.order.positions
        if later in self.namespaces.final:
            return earlier in positions
        return earlier in positions and later in positions and self.order.is_before(earlier, later)


def _unique(name: str, loops: Loops) -> str:
    """Return *name*, with a number if one of the enclosing *loops* has it too."""
    return unique_name(name, {unique for _, unique in loops})


def _is_escaped(preceding: list[Part]) -> bool:
    """Return whether `${name}` is escaped as `$${name}`: `parse.py` cannot tell whether a stage binds `name`."""
    return bool(preceding) and isinstance(preceding[-1], str) and preceding[-1].endswith("$")
