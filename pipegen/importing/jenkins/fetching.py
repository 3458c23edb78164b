"""Stages without the checkout of the repository: those of a Jenkinsfile with `skipDefaultCheckout`."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.importing.jenkins.ends import End
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.functions import is_generated
from pipegen.importing.jenkins.reading.source import JenkinsSource, sections
from pipegen.importing.jenkins.reading.syntax import GroovyCall, constant
from pipegen.importing.jenkins.stages.stage import JenkinsDraft


def skip_checkouts(
    source: JenkinsSource, drafts: Sequence[JenkinsDraft], ends: Sequence[End], marks: Marks, *, is_shared: bool
) -> None:
    """Add `fetch: false` to the stages in whose workspaces *source* has no checkout; report it if all share one.

    An image that is built needs the repository. In generated files, functions check out, and no steps.
    """
    if is_generated(source.file):
        return
    fetching = {_owner(draft, source).span.start for draft in drafts if draft.work.fetches}
    lacking = [draft for draft in drafts if _lacks_checkout(_owner(draft, source), source, fetching)]
    if is_shared:
        if len(lacking) == len(drafts):
            marks.reported(
                _skipping((source.pipeline,))[-1].span,
                '"skipDefaultCheckout" is left out: stages that share a workspace share a checkout, too',
                'remove "workspace: shared" and add "fetch: false" if the stages need no files of each other',
            )
        return
    holders = [draft.keys for draft in lacking]
    if _lacks_checkout(source.pipeline, source, fetching):
        holders += [end.keys for end in ends]
    for keys in holders:
        image = keys.get("image")
        is_built = isinstance(image, dict) and "dockerfile" in image
        if not is_built and not keys.keys().isdisjoint(("script", "steps")):
            keys["fetch"] = False


def _owner(draft: JenkinsDraft, source: JenkinsSource) -> GroovyCall:
    """Return the stage, group or pipeline with the agent in whose workspace *draft* runs."""
    calls = (source.pipeline, *draft.source.inside, draft.source.call)
    owners = [call for call in calls if any(sections(call, "agent"))]
    if draft.agent.is_on_same_node:
        owners = owners[:-1]
    return owners[-1] if owners else source.pipeline


def _lacks_checkout(owner: GroovyCall, source: JenkinsSource, fetching: set[int]) -> bool:
    """Return whether no stage in the workspace of *owner* checks out, and the agent does not either."""
    if owner.span.start in fetching:
        return False
    options = _skipping((source.pipeline, owner))
    return bool(options) and _is_on(options[-1])


def _skipping(calls: Sequence[GroovyCall]) -> Sequence[GroovyCall]:
    """Return the options `skipDefaultCheckout` of *calls*; the last one counts."""
    return [
        statement
        for call in calls
        for section in sections(call, "options")
        for statement in (section.block.statements if section.block is not None else ())
        if isinstance(statement, GroovyCall) and statement.name == "skipDefaultCheckout"
    ]


def _is_on(option: GroovyCall) -> bool:
    argument = option.argument("")
    return argument is None or constant(argument.value) != "false"
