"""The words of other systems than GitLab and Jenkins."""

from __future__ import annotations

from pipegen.config.schema.foreign import conditions, jobs, order, starts, values, windows
from pipegen.config.schema.foreign.entries import (
    IN_BUILD,
    IN_FILE,
    IN_OUTER,
    IN_STAGE,
    LABELS,
    LINES,
    ORDER,
    WHEN,
    word,
)
from pipegen.config.schema.foreign.model import advise, rename
from pipegen.config.schema.tree_paths import PIPELINE, STAGE

WORDS = (
    word(
        "CircleCI",
        "jobs",
        IN_FILE,
        '"pipelines" has pipelines, and each a list of stages',
        jobs.jobs_of_circleci,
        shown="jobs and workflows",
    ),
    word(
        "CircleCI",
        "workflows",
        IN_FILE,
        ORDER,
        advise('remove it, and write the order in the pipeline, as in "execution: [[build, test]]"'),
    ),
    word("CircleCI", "orbs", IN_FILE, "orbs have no equivalent", advise('remove it, and write commands in "script"')),
    word("CircleCI", "version", IN_FILE, "a config has no version", advise("remove it")),
    word("GitHub Actions", "runs-on", IN_STAGE, LABELS, rename("agent")),
    word("GitHub Actions", "container", IN_STAGE, '"image" is the container of a stage', values.container),
    word("GitHub Actions", "if", IN_STAGE, WHEN, conditions.condition),
    word("GitHub Actions", "if", ((*STAGE, "when"),), WHEN, conditions.inner_condition, shown="when: {if}"),
    word("GitHub Actions", "when", IN_STAGE, WHEN, conditions.expression_text, shown="when: condition"),
    word(
        "GitHub Actions",
        "uses",
        IN_STAGE,
        "actions have no equivalent",
        advise('remove it, and write the commands that do the same in "script"; the checkout is made anyway'),
    ),
    word("GitHub Actions", "with", IN_STAGE, "actions have no equivalent", advise("remove it")),
    word("GitHub Actions", "strategy", IN_STAGE, '"matrix" has the combinations', order.strategy),
    word("GitHub Actions", "timeout-minutes", IN_STAGE, '"timeout" is a duration', values.minutes),
    word(
        "GitHub Actions",
        "continue-on-error",
        IN_STAGE,
        '"allow_failure" lets the pipeline continue',
        rename("allow_failure"),
    ),
    word(
        "GitHub Actions",
        "shell",
        IN_STAGE,
        'steps of Jenkins are for Windows, "script" is for Unix',
        windows.shell_hint,
        shown="shell: pwsh",
    ),
    word("GitHub Actions", "working-directory", IN_STAGE, '"directory" is the folder', rename("directory")),
    word("GitHub Actions", "on", IN_OUTER, '"when" of a pipeline has its events', values.event),
    word("GitHub Actions", "env", IN_OUTER, '"env" belongs to "defaults" of a pipeline', values.variables),
    word(
        "GitHub Actions",
        "jobs",
        (PIPELINE,),
        '"stages" has the stages of a pipeline',
        advise('rename it to "stages", and write each job as an item: "- name: …"'),
    ),
    word(
        "GitHub Actions", "jobs", IN_FILE, '"pipelines" has pipelines, and each a list of stages', jobs.jobs_of_workflow
    ),
    word("GitHub Actions", "name", IN_FILE, "the name of a pipeline is its key", advise("remove it")),
    word("GitHub Actions", "permissions", IN_FILE, "the engine sets permissions", advise("remove it")),
    word("Azure Pipelines", "dependsOn", IN_STAGE, ORDER, order.needs, is_once=True),
    word("Woodpecker", "depends_on", IN_STAGE, ORDER, order.needs, is_once=True),
    word("Woodpecker", "commands", IN_STAGE, LINES, rename("script")),
    word(
        "Woodpecker",
        "status",
        ((*STAGE, "when"),),
        '"finally" has stages that run after failures',
        starts.final_status,
        shown="when: {status}",
    ),
    word(
        "Docker Compose",
        "dockerfile",
        IN_BUILD,
        '"blubberfile" names the file of a build',
        advise(
            'remove it, and name the file in the stage: "blubberfile: Dockerfile"; begin the file with '
            '"# syntax=docker/dockerfile:1", and name its build stage: "build: NAME"'
        ),
        shown="build: {dockerfile}",
    ),
    word(
        "Docker Compose",
        "healthcheck",
        ((*STAGE, "services", 0),),
        '"ready" is a command that succeeds when the service is ready',
        advise('remove it, and write the command for the shell of the stage, as in "ready: pg_isready -h db"'),
        shown="services: {healthcheck}",
    ),
    word(
        "Docker Compose",
        "target",
        IN_BUILD,
        '"variant" is the variant or build stage',
        rename("variant"),
        shown="build: {target}",
    ),
)
