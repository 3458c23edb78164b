"""A stage of a Jenkinsfile as a stage of a config."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.assignments import AssignedValue
from pipegen.importing.jenkins.reading.functions import FileReader
from pipegen.importing.jenkins.reading.source import JenkinsSource, JenkinsStage, sections
from pipegen.importing.jenkins.reading.syntax import (
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    OtherGroovy,
    Statement,
    constant,
)
from pipegen.importing.jenkins.stages.build_tests import BuildTest
from pipegen.importing.jenkins.stages.directives.agents import agent_of
from pipegen.importing.jenkins.stages.directives.conditions import ConditionReader
from pipegen.importing.jenkins.stages.directives.environment import EnvironmentReader
from pipegen.importing.jenkins.stages.directives.groovy_conditions import GroovyConditions, settings_read
from pipegen.importing.jenkins.stages.directives.inputs import asked
from pipegen.importing.jenkins.stages.directives.matrices import axes_of, excluded_by, matrix_of
from pipegen.importing.jenkins.stages.directives.post import read_post, read_steps
from pipegen.importing.jenkins.stages.directives.when import condition_of, with_parameters
from pipegen.importing.jenkins.stages.kept import first_read, reads
from pipegen.importing.jenkins.stages.keys import (
    add_checkout_variables,
    add_split_values,
    add_values,
    keys_of,
    with_called,
)
from pipegen.importing.jenkins.stages.known_steps import KNOWN_STEPS, directive_approval, is_needless_section
from pipegen.importing.jenkins.stages.steps import StepReader, one_line
from pipegen.importing.jenkins.stages.surrounding import duration, set_attempts
from pipegen.importing.jenkins.stages.texts import ConfigReference, JenkinsNames, parameter_path
from pipegen.importing.jenkins.stages.work import JenkinsAgent, StageWork
from pipegen.importing.logic import ALWAYS, Condition, Conjunction, simplified
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.importing.when import as_when
from pipegen.structs import MutableStruct, field, replace


class JenkinsDraft(MutableStruct, kw_only=True):
    """A stage of the config: its keys, and what its conditions and commands are in the source."""

    source: JenkinsStage
    work: StageWork
    agent: JenkinsAgent
    condition: Condition
    # The tests in "when", each with the stage that has it.
    tests: list[tuple[GroovyCall, BuildTest]] = field(default_factory=list)
    # The sections `post` whose steps the stage does.
    posts: list[GroovyCall] = field(default_factory=list)
    keys: dict[str, Value] = field(default_factory=dict)
    # Values of axes of its matrix with which a condition does not hold.
    excluded: list[Value] = field(default_factory=list)


class JenkinsStages:
    """Reads the stages of a pipeline."""

    def __init__(
        self,
        source: JenkinsSource,
        inputs: Mapping[str, bool],
        parameters: Collection[str],
        refused: Mapping[str, str],
        marks: Marks,
        outside: Collection[str],
        values: Sequence[AssignedValue],
    ) -> None:
        self._source = source
        self._inputs = inputs
        self._parameters = parameters
        # Stages whose commands a config refuses, with the reason.
        self.refused = refused
        self._marks = marks
        self._values = values
        reader = FileReader(source.file, source.code, source.functions)
        self._has_worked = False
        self.groovy_stashes: Collection[str] = ()
        # Names that no Groovy of the config sets; steps that are left out add theirs.
        self._outside = set(outside)
        self._conditions = ConditionReader(reader, source.code)

    def draft(self, stage: JenkinsStage) -> JenkinsDraft:
        """Return the stage of the config for *stage*."""
        work = StageWork()
        names = self._names(stage)
        steps = self._reader(stage, names, work)
        for call in (*stage.inside, stage.call):
            self._marks.translated(call)
        draft = JenkinsDraft(source=stage, work=work, agent=self._agent(stage, names), condition=ALWAYS)
        work.default_container, work.agent = draft.agent.container, draft.agent
        self.read_environment(stage, stage.call, names, work)
        self._when(stage, draft)
        # A group of one stage is like that stage.
        own = [call for call in (*stage.inside, stage.call) if self._is_alone(stage, call)]
        for section in (section for call in own for section in sections(call, "options")):
            self._options(section, steps)
        for section in (section for call in own for section in sections(call, "input")):
            work.keys["approve"] = directive_approval(steps, section)
            names.outside.update(asked(section))
            self._marks.translated(section)
        steps.is_fresh = not self._has_worked or draft.agent.is_own
        steps.is_shared = not draft.agent.is_own and not draft.agent.is_none
        steps.is_last = stage is self._source.stages[-1]
        draft.posts += [section for call in reversed(own) for section in sections(call, "post")]
        read_steps(stage.call, draft.posts, steps)
        draft.agent = work.agent
        if stage.matrix is not None:
            self._matrix(stage, draft)
        self._others(stage, is_isolated=not steps.is_shared)
        self._tools(stage, draft)
        draft.keys = {**draft.keys, **keys_of(work)}
        add_values(draft.keys, self._earlier(stage))
        add_split_values(draft.keys, names)
        add_checkout_variables(draft.keys, names.environment, self.function_texts)
        self._has_worked |= any(not command.is_message for command in work.commands)
        return draft

    def _reader(self, stage: JenkinsStage, names: JenkinsNames, work: StageWork) -> StepReader:
        steps = StepReader(stage.name, names, work, self._marks, KNOWN_STEPS)
        steps.functions, steps.groovy_stashes = self.function_texts, self.groovy_stashes
        steps.stays_groovy = self.refused.get(stage.name, "")
        return steps

    def _is_alone(self, stage: JenkinsStage, call: GroovyCall) -> bool:
        """Return whether *stage* is the only one in *call*, with one combination."""
        if stage.call is call:
            return True
        return stage.matrix is None and sum(call in candidate.inside for candidate in self._source.stages) == 1

    def _names(self, stage: JenkinsStage | None, inner: GroovyCall | None = None) -> JenkinsNames:
        environment: dict[str, str | None] = {}
        values = [value for value in self._earlier(stage) if not value.is_environment]
        split = {parameter_path(name, self._inputs): name for name in self._source.split_parameters}
        assignments = tuple(self._assignments(stage, inner))
        groovy_env = {*self._source.env_variables}.difference(assignment.name for assignment in assignments)
        names = JenkinsNames(
            environment=environment,
            inputs=self._inputs,
            parameters=self._parameters,
            axes=axes_of(stage.matrix) if stage is not None and stage.matrix is not None else (),
            constants=self._source.constants,
            computed=self._source.computed,
            outside=self._outside,
            values={value.name: ConfigReference(value.path) for value in values},
            escaped={parameter_path(name, self._inputs) for name in self._source.escaped_parameters},
            split=split | {value.path: value.name for value in values},
            assigned={value.name: value for value in self._values if stage is not None and value.stage == stage.name},
            groovy_env=groovy_env,
            late=[name for name in groovy_env.difference(self._inputs, self._parameters) if self._is_late(name, stage)],
        )
        environment |= dict.fromkeys(self._source.env_variables)
        for assignment in assignments:
            value: str | None = None
            with suppress(UntranslatableError):
                if names.is_escaped(assignment.value):
                    names.escaped.add(assignment.name)
                value = names.word(assignment.value)
            environment[assignment.name] = value
            if isinstance(assignment.value, GroovyCall) and assignment.value.name == "credentials":
                environment |= dict.fromkeys((f"{assignment.name}_USR", f"{assignment.name}_PSW"))
        return names

    def _is_late(self, name: str, stage: JenkinsStage | None) -> bool:
        """Return whether *stage*, or the end of the pipeline, may read `env.name` before the first Groovy sets it."""
        if stage is None:
            return True  # It also follows a failure.
        read = re.search(rf"\b{name}\b", stage.call.whole.text)
        return read is not None and stage.call.whole.start + read.start() < self._source.env_variables[name]

    def _earlier(self, stage: JenkinsStage | None) -> list[AssignedValue]:
        """Return the values that stages before *stage* set."""
        before = self._source.before[stage.name] if stage is not None else frozenset()
        return [value for value in self._values if value.stage in before]

    def _assignments(self, stage: JenkinsStage | None, inner: GroovyCall | None = None) -> Iterator[GroovyAssignment]:
        for call in self._blocks(stage, "environment", inner):
            for statement in call.block.statements if call.block is not None else ():
                if isinstance(statement, GroovyAssignment):
                    yield statement

    def _blocks(self, stage: JenkinsStage | None, name: str, inner: GroovyCall | None = None) -> Iterator[GroovyCall]:
        yield from sections(self._source.pipeline, name)
        if stage is not None:
            yield from stage.blocks(name, inner)

    def _agent(self, stage: JenkinsStage, names: JenkinsNames) -> JenkinsAgent:
        agents = list(self._blocks(stage, "agent"))
        if not agents:
            return JenkinsAgent()
        jenkins_agents = [agent_of(call, names, self._marks) for call in agents]
        # A container on the agent of the pipeline takes the labels of that agent.
        last = jenkins_agents[-1]
        if last.is_on_same_node and not last.labels:
            last = replace(last, labels=jenkins_agents[0].labels)
        return replace(last, is_own=len(jenkins_agents) > 1 and not last.is_on_same_node)

    def read_environment(
        self, stage: JenkinsStage | None, steps: GroovyCall, names: JenkinsNames, work: StageWork
    ) -> None:
        """Read the blocks `environment` around *steps*, of *stage* or of `post` of the pipeline, into *work*."""
        text = "\n".join(with_called((steps.whole.text,), self.function_texts))
        reader = EnvironmentReader(self._source.file.text, names, work, self._marks, text)
        reader.env |= {value.name: f"${{{value.path}}}" for value in self._earlier(stage) if value.is_environment}
        for call in self._blocks(stage, "environment"):
            reader.read(call)
        axes = {name: f"${{matrix.{name}}}" for name in names.axes}  # commands and Groovy read them, too
        if axes or reader.env:
            work.keys["env"] = {**axes, **reader.env}

    def _when(self, stage: JenkinsStage, draft: JenkinsDraft) -> None:
        conditions: list[Condition] = []
        owners = (*stage.inside, stage.call)
        for owner, call in ((each, call) for each in owners for call in sections(each, "when")):
            names = self._names(stage, owner)  # Jenkins sets the variables of a stage after its condition
            for statement in call.block.statements if call.block is not None else ():
                for conjunct in self._conjuncts(statement, names):
                    try:
                        test, condition = self._condition(conjunct, names)
                        conditions.append(condition)
                        draft.tests.append((owner, test))
                        self._marks.all(conjunct)
                    except UntranslatableError as error:
                        if not self._exclude(conjunct, names, draft, owner):
                            self._keep_condition(conjunct, names, draft, str(error))
            self._marks.translated(call)
        draft.condition = simplified(Conjunction(tuple(conditions)))
        if draft.condition != ALWAYS:
            draft.keys["when"] = as_when(draft.condition)

    def _condition(self, statement: Statement, names: JenkinsNames) -> tuple[BuildTest, Condition]:
        """Return the directive *statement* of `when`, and the same in a config."""
        test = with_parameters(self._conditions.when(GroovyBlock((statement,), 0, statement.span)), names)
        return test, condition_of(test, names)

    def _conjuncts(self, statement: Statement, names: JenkinsNames) -> Iterator[Statement]:
        """Yield the parts of *statement* that must all hold: an `allOf` is one unless a config cannot say all of it."""
        try:
            self._condition(statement, names)
        except UntranslatableError:
            if isinstance(statement, GroovyCall) and statement.name == "allOf" and statement.block is not None:
                self._marks.translated(statement)
                for part in statement.block.statements:
                    yield from self._conjuncts(part, names)
                return
        yield statement

    def _exclude(self, statement: Statement, names: JenkinsNames, draft: JenkinsDraft, owner: GroovyCall) -> bool:
        """Exclude the combinations without the condition *statement*; return whether it tests only axes of a matrix.

        Its *owner* must be the matrix, or the only stage in it: others have the same combinations.
        """
        matrix = draft.source.matrix
        if matrix is None or (owner is not matrix and sum(stage.matrix is matrix for stage in self._source.stages) > 1):
            return False
        with suppress(UntranslatableError):
            test = self._conditions.when(GroovyBlock((statement,), 0, statement.span))
            excluded = excluded_by(with_parameters(test, names), matrix)
            if excluded is not None:
                draft.excluded += excluded
                self._marks.all(statement)
                return True
        return False

    def _keep_condition(self, statement: Statement, names: JenkinsNames, draft: JenkinsDraft, reason: str) -> None:
        """Keep the condition *statement* as a block step around the steps of the stage, if it can be one."""
        name = draft.source.name
        known = names.environment.items()
        inner = {each[0] for each in self._names(draft.source).environment.items() if each not in known}
        with suppress(UntranslatableError):
            text = GroovyConditions(self._conditions, names).expression(statement)
            is_known = first_read(text, self._outside) is None and not any(reads(text, name) for name in inner)
            if isinstance(statement, GroovyCall) and is_known:
                draft.work.wrap += (*settings_read(text, names, draft.work.wrap), f"if ({text})")
                hint = 'other engines refuse a script under this condition: write the condition in "when"'
                self._marks.raw(statement, f'stage "{name}"', reason, hint=hint)
                return
        self._marks.left_out(
            statement,
            f'{reason}. Stage "{name}" runs without it',
            hint='add a condition to its "when"',
        )

    def _options(self, section: GroovyCall, steps: StepReader) -> None:
        self._marks.translated(section)
        for call in section.block.statements if section.block is not None else ():
            if not isinstance(call, GroovyCall):
                self._marks.left_out(call, "a config has no Groovy")
                continue
            try:
                self._option(call, steps)
            except UntranslatableError as error:
                self._marks.left_out(call, str(error))

    def _option(self, call: GroovyCall, steps: StepReader) -> None:
        match call.name:
            case "timeout":
                steps.work.keys["timeout"] = duration(call)
                self._marks.read(call, "time", "unit", "activity")
            case "retry":
                set_attempts(steps, call)
                self._marks.all(call)
            case "lock" if (name := _lock_name(call, steps.names)) is not None:
                steps.work.keys["lock"] = name
                self._marks.read(call, "resource")
            case "skipDefaultCheckout" | "timestamps":
                self._marks.all(call)
            case "checkoutToSubdirectory":
                self._marks.left_out_folder(call)
            case _:
                text = one_line(call)
                if text is None:
                    raise UntranslatableError("it has several lines")
                steps.work.wrap.append(text)
                self._marks.raw(call, "the stage")

    def add_post(self, section: GroovyCall, draft: JenkinsDraft) -> None:
        """Add the steps of `post` of the pipeline to *draft*, its only stage."""
        names = self._names(draft.source)
        read_post(section, self._reader(draft.source, names, draft.work))
        draft.posts.append(section)
        draft.keys |= keys_of(draft.work)
        add_split_values(draft.keys, names)

    @property
    def function_texts(self) -> Mapping[str, str]:
        """The texts of the functions around the pipeline."""
        return self._source.function_texts

    def pipeline_names(self) -> JenkinsNames:
        """Return the values of names outside stages."""
        return self._names(None)

    def pipeline_agent(self) -> JenkinsAgent:
        """Return the agent of the pipeline."""
        agents = [agent_of(call, self._names(None), self._marks) for call in sections(self._source.pipeline, "agent")]
        return agents[0] if agents else JenkinsAgent()

    def _matrix(self, stage: JenkinsStage, draft: JenkinsDraft) -> None:
        if stage.cell is not None:
            draft.keys["matrix"] = {"from": stage.cell}
        elif stage.matrix is not None:
            draft.keys["matrix"] = matrix_of(stage.matrix, draft.excluded, self._marks)

    def _others(self, stage: JenkinsStage, *, is_isolated: bool) -> None:
        """Report the directives of the stages around *stage* that concern all of their stages, and other Groovy."""
        for call in (*stage.inside, stage.call):
            for statement in call.block.statements if call.block is not None else ():
                if isinstance(statement, OtherGroovy) and not self._marks.has_outcome(statement.span):
                    self._marks.left_out(
                        statement,
                        "a stage has only directives",
                        hint="write each directive on a line of its own, as Jenkins requires it",
                    )
        for name in ("post", "options", "input"):
            for section in (section for call in stage.inside for section in sections(call, name)):
                if self._marks.has_outcome(section.span):
                    continue
                if is_needless_section(section, is_isolated=is_isolated):
                    self._marks.all(section)
                else:
                    self._marks.left_out(section, "it concerns several stages", hint="add it to each of these stages")

    def _tools(self, stage: JenkinsStage, draft: JenkinsDraft) -> None:
        """Read the tools of *stage*; those with names known only at run time are left out."""
        tools: dict[str, Value] = {}
        for section in stage.blocks("tools"):
            if draft.agent.image:
                self._marks.left_out(
                    section, "an image does not contain tools of Jenkins", hint="add them to the image"
                )
                continue
            self._marks.translated(section)
            for call in section.block.statements if section.block is not None else ():
                name = constant(call.arguments[0].value) if isinstance(call, GroovyCall) and call.arguments else None
                if isinstance(call, GroovyCall) and name is not None:
                    tools[call.name] = name
                    self._marks.all(call)
                else:
                    self._marks.left_out(call, "its name is known only at run time", hint='name it in "tools"')
        if tools:
            draft.keys["tools"] = tools


def _lock_name(call: GroovyCall, names: JenkinsNames) -> str | None:
    """Return the name in the option `lock`; None if it has none, or one that is known only at run time."""
    argument = call.argument("resource", "")
    with suppress(UntranslatableError):
        return names.plain_word(argument.value) if argument is not None else None
    return None
