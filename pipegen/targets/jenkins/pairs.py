"""The features that cannot be combined on Jenkins; each check takes its code from here."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.targets.base import Pair

SHARED_AND_OTHER_PIPELINES = Pair(
    "workspace: shared",
    "several pipelines, --style declarative",
    codes.DECLARATIVE_WORKSPACE,
    "use --style auto or scripted, or select one pipeline",
)

SYSTEM_AND_OTHERS = Pair(
    "retry: { on: system }",
    "only one of script and timeout",
    codes.RETRY_KINDS,
    "leave out on to retry after any failure, or name system alone, or script, timeout or both",
)

DIFFERENT_CONCURRENCY = Pair(
    "concurrency",
    "another pipeline of the file with different concurrency",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "use the same value in both, or compile each with --pipeline for a separate job",
)
DIFFERENT_TIMEOUTS = Pair(
    "timeout of a pipeline",
    "another pipeline of the file with a different timeout",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "use the same value in both, or compile each with --pipeline for a separate job",
)
GROUPED_CANCEL = Pair(
    "concurrency: { cancel: true }",
    "group",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "leave out group to cancel runs of the same branch, or leave out cancel to let runs of the group wait",
)
CONCURRENCY_AND_OPTION = Pair(
    "concurrency",
    "disableConcurrentBuilds in targets.jenkins.options",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "set it in one of the two places",
)
DIFFERENT_ZONES = Pair(
    "schedule: { timezone }",
    "another time zone in the file",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "use one time zone for all times",
)
CANCEL_OF_UNINTERRUPTIBLE = Pair(
    "concurrency: { cancel: true }",
    "interruptible: false",
    codes.INTERRUPTIBLE_IGNORED,
    "run builds one after the other, or make sure that the stage can be interrupted",
)
SHARED_TIMEOUT = Pair(
    "workspace: shared",
    "timeout of a stage that runs beside others",
    codes.TIMEOUT_STOPS_OTHERS,
    "remove workspace: shared, or the timeout, or run the stage after the others",
)

PAIRS: tuple[Pair, ...] = (
    SHARED_AND_OTHER_PIPELINES,
    SYSTEM_AND_OTHERS,
    DIFFERENT_CONCURRENCY,
    DIFFERENT_TIMEOUTS,
    GROUPED_CANCEL,
    CONCURRENCY_AND_OPTION,
    DIFFERENT_ZONES,
    CANCEL_OF_UNINTERRUPTIBLE,
    SHARED_TIMEOUT,
)
