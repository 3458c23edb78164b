"""Stages as blocks of `pipeline {}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.graph.blocks import Block
from pipegen.plan.model import Workspace
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import selected
from pipegen.targets.jenkins.job.runs import waits_for_others
from pipegen.targets.jenkins.job.teardown import isolated_teardown, shared_teardown
from pipegen.targets.jenkins.named_jobs import ScriptedPlans
from pipegen.targets.jenkins.names import StageNames, function_names
from pipegen.targets.jenkins.stages.agents.agents import shared_agent
from pipegen.targets.jenkins.stages.guards.conditions import conjunction
from pipegen.targets.jenkins.stages.guards.when import compares_branch, when_lines
from pipegen.targets.jenkins.stages.steps import prepare
from pipegen.targets.jenkins.styles import matrices
from pipegen.targets.jenkins.styles.directives import in_directives, with_agent_in_steps
from pipegen.targets.jenkins.styles.group_names import CombinationName, chain_name, group_name, shown_combinations
from pipegen.targets.jenkins.styles.mails import with_mail_functions
from pipegen.targets.jenkins.styles.script_blocks import without_script

# The lines of the function that tests the condition of the only pipeline.
_FUNCTION_LINES = 5


def lower_declarative(
    work: ScriptedPlans, blocks: Iterable[Block], stages: Sequence[model.StageBlock]
) -> model.Declarative:
    """Return *stages* in *blocks*; stages around several get names that are not in use."""
    blocks = tuple(blocks)
    names_in_use = function_names(work.settings.definitions)
    stages, mails = with_mail_functions(stages, work.settings.definitions)
    stages, whole = _without_directives(stages, blocks, work, names_in_use)
    names = StageNames()
    for stage in stages:
        names.take(stage.name)
    by_name = {stage.name: stage for stage in stages}
    combinations = shown_combinations(work.named)
    condition = _native_condition(work)
    lowered, functions = matrices.in_declarative(
        tuple(
            _block(block, by_name, work, names, combinations, model.Selected(lines=condition) if condition else None)
            for block in blocks
        ),
        work.named,
        names_in_use,
    )
    functions = (*whole, *functions, *mails)
    shared = work.with_workspace(Workspace.SHARED)
    final = tuple(_in_post(by_name[named.name], work) for named in work.final)
    lowered, tools = _with_common_tools(lowered, has_agent=bool(shared), has_final=bool(final))
    final_names = {stage.name for stage in final}
    tests = [condition, *(stage.when for stage in stages if stage.name not in final_names)]
    reads_branch = any(map(compares_branch, tests))
    declarative = model.Declarative(
        agent=None,
        tools=tools,
        reads_branch=reads_branch,
        tests_condition=bool(condition),
        blocks=lowered,
        functions=functions,
        teardown=isolated_teardown(work),
        final=final,
    )
    if not shared:
        return declarative
    plan = shared[0].plan
    return replace(
        declarative,
        agent=shared_agent(shared[0], work.settings),
        # The options of a pipeline, and a lock among them, come after its agent.
        group=names.take(plan.name) if waits_for_others(plan) else "",
        blocks=_prepared(lowered, prepare(shared[0], work.checkouts.of(plan)), names),
        teardown=shared_teardown(shared[0]),
    )


def _without_directives(
    stages: Sequence[model.StageBlock], blocks: Sequence[Block], work: ScriptedPlans, names: StageNames
) -> tuple[tuple[model.StageBlock, ...], tuple[model.StepsFunction, ...]]:
    """Return *stages* with functions of *names* in place of directives of those in *blocks*, and these functions."""
    beside = {name: len(block) > 1 for block in blocks for chain in block for name in chain}
    replaced, functions = matrices.without_directives(
        [stage for stage in stages if stage.name in beside],
        work.named,
        names,
        lambda stage: _in_directives(stage, work, is_parallel=beside[stage.name]),
    )
    return tuple(replaced.get(stage.name, stage) for stage in stages), functions


def finally_obstacle(work: ScriptedPlans) -> str:
    """Return why `post` cannot hold the finally stages of *work*, "" if it can.

    It follows all stages of the file, and has the result of the build, but not those of single stages.
    """
    if not work.final:
        return ""
    if len(work.plans) > 1:
        return "the file has other pipelines"
    if work.with_workspace(Workspace.SHARED) and waits_for_others(work.plans[0]):
        return "its stages share a workspace, and the pipeline waits for other runs"
    if len(work.final) == len(work.named):
        return "it has no other stages"
    readings = ((named.job.stage, status) for named in work.final for status in named.job.statuses if status)
    stage, status = next(readings, ("", ""))
    return f'stage "{stage}" reads the status of stage "{status}"' if stage else ""


def _in_post(stage: model.StageBlock, work: ScriptedPlans) -> model.StageBlock:
    """Return the finally *stage*, which also tests the condition of its pipeline, and sends the mail of its failure."""
    steps = without_script(stage.steps)
    if stage.on_failure:
        steps = (model.Ensured(steps=steps, on_failure=(model.Wrapped("catchError", stage.on_failure),)),)
    stage = replace(stage, when=(), steps=steps, on_failure=())
    if not work.is_conditional:
        return stage
    return replace(stage, condition=conjunction(selected(work.selected(stage.pipeline)), stage.condition))


def with_functions(stages: Sequence[model.StageBlock]) -> tuple[model.StageBlock, ...]:
    """Return *stages* with their steps in functions, which are separate methods with separate sizes."""
    return tuple(
        replace(stage, steps_function=f"steps{number}", failure_function=f"failed{number}" if stage.on_failure else "")
        for number, stage in enumerate(stages, 1)
    )


def with_agents_in_functions(stages: Sequence[model.StageBlock]) -> tuple[model.StageBlock, ...]:
    """Return *stages*, whose steps are in functions, with functions that also take the agent, to save space outside."""
    return tuple(map(with_agent_in_steps, stages))


def _block(
    block: Block,
    stages: Mapping[str, model.StageBlock],
    work: ScriptedPlans,
    names: StageNames,
    combinations: Mapping[str, CombinationName],
    native: model.Selected | None,
) -> model.Block:
    """Return *block*; the condition *native* replaces the call that tests the one of the only pipeline."""
    chains = tuple(
        model.Chain(
            name=names.take(chain_name(chain, combinations)) if len(chain) > 1 and len(block) > 1 else "",
            selected=native or work.selected(stages[chain[0]].pipeline),
            stages=tuple(_in_chain(stages[name], work, names, is_parallel=len(block) > 1) for name in chain),
        )
        for chain in block
    )
    if native is not None:
        chains = tuple(map(_with_native_condition, chains))
    members = [name for chain in block for name in chain]
    name = names.take(group_name(members, combinations)) if len(chains) > 1 else ""
    return _with_common_test(model.Block(name, chains))


def _with_common_test(block: model.Block) -> model.Block:
    """Return *block* with the test that all of its chains have, if they are several."""
    tests = {(chain.selected, () if chain.name else chain.stages[0].when) for chain in block.chains}
    if not block.name or len(tests) > 1:
        return block
    ((selected, when),) = tests
    chains = (
        replace(
            chain,
            selected=model.Selected(),
            stages=chain.stages if chain.name else (replace(chain.stages[0], when=(), condition=""),),
        )
        for chain in block.chains
    )
    return replace(block, selected=selected, when=when, chains=tuple(chains))


def _with_native_condition(chain: model.Chain) -> model.Chain:
    """Return *chain* with its lines of `when` in its stages, unless the stage around these has them."""
    lines = chain.selected.lines
    own = [tuple(line for line in stage.when if line not in lines) for stage in chain.stages]
    before = () if chain.name else lines
    return replace(
        chain,
        selected=chain.selected if chain.name else model.Selected(),
        stages=tuple(replace(stage, when=(*before, *when)) for stage, when in zip(chain.stages, own, strict=True)),
    )


def _native_condition(work: ScriptedPlans) -> tuple[str, ...]:
    """Return the lines of `when` for the condition of the only pipeline, () where a call is shorter.

    The removal of what stages share, the choice of their agent, and finally stages test the condition in Groovy.
    """
    if not work.is_conditional or len(work.plans) > 1 or work.scripts[0].teardown or work.final:
        return ()
    if any(named.is_pinned for named in work.named):
        return ()
    (plan,) = work.plans
    lines = when_lines(plan.condition, plan.inputs)
    is_native = not any(line.lstrip().startswith("expression") for line in lines)
    return lines if is_native and (len(lines) - 1) * len(work.named) <= _FUNCTION_LINES else ()


def _in_chain(
    stage: model.StageBlock, work: ScriptedPlans, names: StageNames, *, is_parallel: bool
) -> model.StageBlock:
    """Return *stage* as it is in a chain.

    The conditions of `post` also depend on the result of the whole build, which a parallel stage may have changed,
    and do not distinguish allowed failures.
    """
    stage = _in_directives(stage, work, is_parallel=is_parallel)
    return replace(
        stage,
        tells_success=(is_parallel or stage.may_be_unstable) and bool(stage.on_failure),
        approval_name=names.take(f"approve {stage.name}") if stage.approval is not None else "",
    )


def _in_directives(stage: model.StageBlock, work: ScriptedPlans, *, is_parallel: bool) -> model.StageBlock:
    shared = work.with_workspace(Workspace.SHARED)
    return in_directives(
        stage,
        may_nest=not is_parallel,
        has_workspace=bool(shared),
        is_grouped=bool(shared) and waits_for_others(shared[0].plan),
    )


def _with_common_tools(
    blocks: tuple[model.Block, ...], *, has_agent: bool, has_final: bool
) -> tuple[tuple[model.Block, ...], tuple[model.Tool, ...]]:
    """Return *blocks* without the tools of their stages, and these tools, if all stages on agents have the same.

    Jenkins installs the tools of a pipeline on the agent of each stage, and for `post` if the pipeline *has_agent*.
    """
    stages = [stage for block in blocks for chain in block.chains for stage in chain.stages]
    on_agents = [stage.tools for stage in stages if has_agent or stage.agent is not None or stage.pod is not None]
    if len(set(on_agents)) != 1 or not on_agents[1:] or not on_agents[0] or (has_agent and has_final):
        return blocks, ()
    return tuple(map(_without_tools, blocks)), on_agents[0]


def _without_tools(block: model.Block) -> model.Block:
    chains = (
        replace(chain, stages=tuple(replace(stage, tools=()) for stage in chain.stages)) for chain in block.chains
    )
    return replace(block, chains=tuple(chains))


def _prepared(
    blocks: tuple[model.Block, ...], steps: tuple[model.Step, ...], names: StageNames
) -> tuple[model.Block, ...]:
    """Return *blocks* with *steps* before everything else: in the first stage, or in a stage before several."""
    first = blocks[0].chains[0]
    stage = first.stages[0]
    is_entered = bool(
        stage.condition or stage.when or stage.container or stage.tools or stage.approval or stage.options
    )
    if len(blocks[0].chains) == 1 and not is_entered and not first.selected.pipelines:
        prepared = replace(first, stages=(replace(stage, steps=(*steps, *stage.steps)), *first.stages[1:]))
        return (model.Block("", (prepared,)), *blocks[1:])
    stage = model.StageBlock(name=names.take("checkout"), pipeline=stage.pipeline, after=(), agent=None, steps=steps)
    selected = blocks[0].selected if blocks[0].name else first.selected
    return (model.Block("", (model.Chain(name="", selected=selected, stages=(stage,)),)), *blocks)
