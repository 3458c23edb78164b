"""What Jenkins does not take together; each check takes its code from here."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.targets.base import Pair

SHARED_BESIDE_OTHERS = Pair(
    "workspace: shared",
    "several pipelines, --style declarative",
    codes.DECLARATIVE_WORKSPACE,
    "use the style auto or scripted, or choose one pipeline",
)

SYSTEM_AND_OTHERS = Pair(
    "retry: { on: system }",
    "one of script and timeout, without the other",
    codes.RETRY_KINDS,
    "leave out on, for all kinds, or name system alone, or the others",
)

UNLIKE_CONCURRENCY = Pair(
    "concurrency",
    "another pipeline of the file without the same",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "say the same in both, or compile one alone with --pipeline for a job of its own",
)
GROUPED_CANCEL = Pair(
    "concurrency: { cancel: true }",
    "group",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "leave group out to cancel runs of the same branch, or cancel to let runs of the group wait",
)
CONCURRENCY_AND_OPTION = Pair(
    "concurrency",
    "disableConcurrentBuilds in targets.jenkins.options",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "say it in one of the two places",
)
UNLIKE_ZONES = Pair(
    "schedule: { timezone }",
    "another time zone in the file",
    codes.JOB_WIDE_SETTING_CONFLICT,
    "write all times in one time zone",
)
CANCELLED_ALL_THE_SAME = Pair(
    "concurrency: { cancel: true }",
    "interruptible: false",
    codes.INTERRUPTIBLE_IGNORED,
    "let runs go one after the other, or make sure that the stage can be cut short",
)

PAIRS: tuple[Pair, ...] = (
    SHARED_BESIDE_OTHERS,
    SYSTEM_AND_OTHERS,
    UNLIKE_CONCURRENCY,
    GROUPED_CANCEL,
    CONCURRENCY_AND_OPTION,
    UNLIKE_ZONES,
    CANCELLED_ALL_THE_SAME,
)
