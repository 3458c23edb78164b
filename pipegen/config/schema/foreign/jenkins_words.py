"""The words of Jenkins."""

from __future__ import annotations

from pipegen.config.schema.foreign import values, windows
from pipegen.config.schema.foreign.entries import ENV, IN_OUTER, IN_STAGE, LABELS, LINES, WHEN, word
from pipegen.config.schema.foreign.model import advise, rename
from pipegen.config.schema.tree_paths import STAGE

WORDS = (
    word("Jenkins: Steps", "steps", IN_STAGE, LINES, values.steps),
    word("Jenkins: Steps", "sh", IN_STAGE, LINES, rename("script")),
    word("Jenkins: Steps", "dir", IN_STAGE, '"directory" is the folder', rename("directory")),
    *(
        word(
            "Jenkins: Steps",
            step,
            IN_STAGE,
            'steps of Jenkins are for Windows, "script" is for Unix',
            windows.step_hint(step),
        )
        for step in ("bat", "powershell", "pwsh")
    ),
    word(
        "Jenkins: Agent",
        "agent",
        IN_STAGE,
        '"agent" has labels, "image" a container',
        values.agent,
        shown="agent: {label}",
    ),
    word(
        "Jenkins: Agent",
        "agent",
        IN_OUTER,
        '"agent" has the labels of a stage',
        values.outer_agent,
        shown="agent: any",
    ),
    word("Jenkins: Agent", "label", IN_STAGE, LABELS, rename("agent")),
    word("Jenkins: Agent", "docker", IN_STAGE, '"image" is the container of a stage', rename("image")),
    word(
        "Jenkins: Tools and libraries",
        "tools",
        IN_OUTER,
        "tools are a setting of the target",
        values.settings("jenkins", "tools"),
    ),
    word(
        "Jenkins: Tools and libraries",
        "libraries",
        IN_OUTER,
        "libraries are a setting of the target",
        values.settings("jenkins", "libraries"),
    ),
    word(
        "Jenkins: Environment and credentials",
        "environment",
        IN_STAGE,
        ENV,
        values.environment,
        shown="environment: {NAME: value}",
    ),
    word(
        "Jenkins: Environment and credentials",
        "environment",
        IN_OUTER,
        ENV,
        values.outer_environment,
        shown="environment: {NAME: value}",
    ),
    word(
        "Jenkins: Environment and credentials",
        "withCredentials",
        IN_STAGE,
        '"secrets" sets variables from credentials',
        advise('write variables and IDs of credentials as a map, as in "secrets: {TOKEN: deploy-token}"'),
    ),
    word(
        "Jenkins: Environment and credentials",
        "credentials",
        IN_STAGE,
        '"secrets" sets variables from credentials',
        advise('write variables and IDs of credentials as a map, as in "secrets: {TOKEN: deploy-token}"'),
    ),
    word(
        "Jenkins: Parameters",
        "parameters",
        (STAGE, *IN_OUTER),
        '"inputs" at the top level has the parameters of a run',
        values.parameters,
    ),
    word(
        "Jenkins: When",
        "expression",
        ((*STAGE, "when"),),
        WHEN,
        advise('write the conditions as keys, as in "when: {branch: main}", or decide in the script'),
        shown="when: {expression}",
    ),
    word("Jenkins: When", "anyOf", ((*STAGE, "when"),), '"any" is a list of conditions', rename("any")),
    word("Jenkins: When", "allOf", ((*STAGE, "when"),), '"all" is a list of conditions', rename("all")),
    word("Jenkins: When", "changeset", ((*STAGE, "when"),), '"changes" has paths', rename("changes")),
    word(
        "Jenkins: When",
        "beforeAgent",
        ((*STAGE, "when"),),
        "conditions are always evaluated before a stage takes an agent",
        advise("remove it"),
    ),
    word(
        "Jenkins: Options",
        "options",
        (STAGE, *IN_OUTER),
        "most options are keys of stages",
        advise('write "timeout", "retry" and "lock" as keys of stages, and others under "targets.jenkins.options"'),
    ),
    word(
        "Jenkins: Options",
        "timeout",
        IN_STAGE,
        '"timeout" is a duration',
        values.time_limit,
        shown="timeout: {time, unit}",
    ),
    word("Jenkins: Post", "post", (STAGE, *IN_OUTER), '"after" and "finally" always run', values.post),
    word("Jenkins: Post", "mail", IN_STAGE, '"notify" sends mail about failures', values.mail),
    word("Jenkins: Input", "input", IN_STAGE, '"approve" waits for a person', values.input_),
    word(
        "Jenkins: Input",
        "submitter",
        ((*STAGE, "approve"),),
        '"approvers" are the users and groups that can approve',
        values.submitter,
        shown="approve: {submitter}",
    ),
    word("Jenkins: Lock and milestone", "lock", IN_STAGE, '"lock" is a name', values.lock, shown="lock: {resource}"),
    word("Jenkins: Stash and archive", "stash", IN_STAGE, '"artifacts" has the files for later stages', values.stash),
    word(
        "Jenkins: Stash and archive",
        "unstash",
        IN_STAGE,
        'a stage gets the "artifacts" of the stages before it',
        advise("remove it"),
    ),
    word(
        "Jenkins: Stash and archive",
        "archiveArtifacts",
        IN_STAGE,
        '"artifacts" has the files for later stages',
        values.stash,
    ),
    word(
        "Jenkins: Triggers",
        "triggers",
        (STAGE, *IN_OUTER),
        '"schedule" of a pipeline starts it at certain times',
        values.triggers,
    ),
    word(
        "Jenkins: Failures",
        "failFast",
        (STAGE, *IN_OUTER),
        '"fail_fast" of a pipeline stops it after a failure',
        values.fail_fast,
    ),
    word(
        "Jenkins: Failures",
        "catchError",
        IN_STAGE,
        '"allow_failure" lets the pipeline continue',
        advise('write "allow_failure: true" instead'),
    ),
)
