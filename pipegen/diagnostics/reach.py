"""The reach of a diagnostic: the part of a config on which it depends, so that changes elsewhere do not affect it."""

from __future__ import annotations

from enum import IntEnum

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code


class Reach(IntEnum):
    """The part of a config that a diagnostic depends on; each includes those before it.

    Attributes:
        NAMES: the names of stages, inputs, templates and pipelines, and the arcs.
        VALUE: one value, and the names in the diagnostic.
        STAGE: the stage that holds the value.
        ORDER: the order of the stages of its pipeline.
        PIPELINE: all stages of its pipeline.
        FILE: the whole config.
    """

    NAMES = 0
    VALUE = 1
    STAGE = 2
    ORDER = 3
    PIPELINE = 4
    FILE = 5


def reach(code: Code) -> Reach:
    """Return the reach of diagnostics of *code*; PIPELINE for those that are not about the stages of a config."""
    return _REACHES.get(code.number, Reach.PIPELINE)


_NAMES = (
    *(codes.UNKNOWN_STAGE, codes.DUPLICATE_STAGE, codes.RESERVED_NAME, codes.CYCLE, codes.REPEATED_IN_ARC),
    *(codes.FINAL_STAGE_IN_ARC, codes.CALLS_ITSELF, codes.UNKNOWN_STAGE_IN_SETTING, codes.UNKNOWN_PIPELINE),
    *(codes.UNKNOWN_TEMPLATE, codes.TEMPLATE_CYCLE, codes.DEFINED_TWICE, codes.RESERVED_INPUT_NAME),
)
_VALUES = (
    *(codes.UNKNOWN_KEY, codes.WRONG_TYPE, codes.INVALID_VALUE, codes.MISPLACED_KEY, codes.CHART_IS_TEXT),
    *(codes.RUN_IS_TEXT, codes.FOREIGN_KEY, codes.EMPTY_STEP, codes.CALLS_NOTHING),
    *(codes.UNKNOWN_NAMESPACE, codes.OTHER_PIPELINE, codes.UNBOUND_NAME, codes.MALFORMED_REFERENCE),
    *(codes.UNKNOWN_SETUP_NAME, codes.BAD_SUBSTITUTION, codes.UNKNOWN_INPUT, codes.UNKNOWN_CONDITION_INPUT),
    *(codes.UNKNOWN_TARGET, codes.UNKNOWN_RAW_TARGET, codes.CONDITION_PATTERN, codes.REFERENCE_IN_CONDITION),
    *(codes.INVALID_SET, codes.INVALID_INPUT, codes.INVALID_PATTERN, codes.INVALID_SCHEDULE, codes.NEVER_HOLDS),
    *(codes.INVALID_IMAGE_NAME, codes.EXPECTED_TEXT, codes.INVALID_VARIABLE, codes.SHORT_TIMEOUT),
    *(codes.EMPTY_MATRIX, codes.TOO_MANY_COMBINATIONS, codes.IDLE_EXCLUDE, codes.DUPLICATE_COMBINATION),
    *(codes.NO_MATRIX, codes.COMBINATION_CYCLE, codes.REPEATED_ALIAS),
    *(codes.NOT_AN_OPTION, codes.DECLARATIVE_OPTION, codes.OPTION_TWICE, codes.UNPINNED_LIBRARY),
    *(codes.UNSEEN_INCLUDE, codes.HASHED_SCHEDULE, codes.PIPELINE_TIMEOUT_PER_JOB),
    *(codes.UNPINNED_INCLUDE, codes.SCHEDULE_IN_PROJECT, codes.FAIL_FAST_UNAVAILABLE, codes.WORKSPACE_NOT_SHARED),
)
_STAGES = (
    *(codes.MISSING_KEY, codes.NOT_YET_BOUND, codes.BOUND_TWICE, codes.NOTHING_BUILT, codes.NOTHING_PUBLISHED),
    *(codes.NOTHING_RAN, codes.ALWAYS_DEFAULT, codes.UNDOTTED_DEFAULT, codes.ALWAYS_EMPTY),
    *(codes.REFERENCE_IN_PROGRAM, codes.EVALUATED_REFERENCE, codes.UNREADABLE_SHELL, codes.UNQUOTABLE_REFERENCE),
    *(codes.POSSIBLE_TYPO, codes.BASH_SUBSTITUTION, codes.LITERAL_VARIABLE, codes.NOT_PORTABLE),
    *(codes.UNKNOWN_AXIS, codes.UNKNOWN_COMBINATION, codes.BESIDE_PIPELINE),
    *(codes.CALLED_PIPELINE, codes.AMBIGUOUS_STOP, codes.MISMATCHED_MERGE, codes.PATH_OUTSIDE, codes.NO_IMAGE_ID),
    *(codes.EXCLUDES_REMOTE, codes.TOO_FEW_WORDS, codes.MAIL_WITHOUT_RECIPIENT, codes.MAIL_OF_ALLOWED_FAILURE),
    *(codes.RUN_TIME_PATH, codes.VALUE_NOT_STATIC, codes.IMAGE_BESIDE_TOOLS, codes.SECRET_BOUND_TWICE),
    *(codes.STAGE_TOO_LARGE, codes.RETRY_KINDS, codes.NOT_ON_JENKINS, codes.SERVICES_WITHOUT_IMAGE),
    *(codes.RESOURCES_BY_LABEL, codes.STOP_LEFT_OUT, codes.RAW_REFUSED, codes.INTERRUPTIBLE_IGNORED),
    codes.TIMEOUT_STOPS_OTHERS,
    *(codes.INVALID_PLUGIN_STEP, codes.PLUGIN_STEPS_REFUSED, codes.LABEL_EXPRESSION),
    codes.DOCKERFILE_ON_GITLAB,
    *(codes.NO_ID_TOKEN, codes.STEP_WITHOUT_AGENT, codes.TRIGGER_WITHOUT_PROJECT, codes.TRIGGER_NOT_AWAITED),
    *(codes.INVALID_TRIGGER_VARIABLE, codes.MAIL_WITHOUT_SERVER, codes.PARAMETER_IN_RULES, codes.REPORT_DROPPED),
    *(codes.UNSAFE_CACHE_KEY, codes.LIMIT_OUT_OF_REACH, codes.STATUS_UNAVAILABLE, codes.CHANGES_ON_GITLAB),
    *(codes.CONDITION_ON_GITLAB, codes.ENGINE_HAS_NO_VALUE, codes.UNNAMEABLE_VALUE, codes.SECRET_SHADOWED),
    *(codes.LONG_ENTRYPOINT, codes.NO_BASH_IN_IMAGE, codes.IMAGE_ON_SHELL_RUNNER, codes.SARIF_AS_ARTIFACT),
    *(codes.FAILURE_LOSES_VALUES, codes.NOT_EXPANDED, codes.TOO_MANY_CACHES, codes.SEVERAL_LOCKS),
    *(
        codes.RAW_REPLACES,
        codes.RAW_KEY_REFUSED,
        codes.APPROVAL_ON_GITLAB,
        codes.TOKEN_FOR_OTHER_REGISTRY,
        codes.CACHE_IN_CHECKOUT,
    ),
    *(codes.TOO_MANY_VARIABLES, codes.NEWER_GITLAB, codes.SEVERAL_REPORT_FILES, codes.RUNNER_VARIABLE),
    *(codes.PLAIN_SECRET, codes.UNPINNED_IMAGE, codes.SHELLCHECK, codes.SHELLCHECK_NOTE),
    *(codes.DEPLOY_WITHOUT_TIMEOUT, codes.CONDITION_NEVER_TRUE, codes.CACHE_NEVER_HITS, codes.HIDDEN_FAILURE),
    *(codes.IMAGE_BY_TAG, codes.UNPINNED_CHART, codes.SHELL_SYNTAX, codes.BASH_SYNTAX, codes.FOREIGN_VARIABLE),
    *(codes.EMPTY_SETUP_VALUE, codes.CURLY_QUOTES, codes.LITERAL_REFERENCE, codes.PIPEFAIL_IN_SH, codes.LITERAL_GLOB),
    *(codes.AXIS_VARIABLE, codes.SERVICE_VARIABLE),
    *(codes.INVALID_CASE, codes.CASE_VARIABLE),
)
_ORDERS = (
    *(codes.NOT_AN_ANCESTOR, codes.READS_FINAL_STAGE, codes.MAY_BE_ABSENT, codes.STAGE_IN_NO_ARC),
    codes.STATUS_OUT_OF_PLACE,
    *(codes.FINAL_STAGE_WAITS, codes.STOP_STAGE_HAS_DEPENDENTS, codes.STOP_RUNS_ELSEWHERE),
    *(codes.NEVER_TOGETHER, codes.FILES_MAY_BE_ABSENT, codes.REDUNDANT_ARC),
)
_PIPELINES = (
    *(codes.ONLY_FINAL_STAGES, codes.CONFLICTING_FILES, codes.SAME_CACHE, codes.ADDED_WAITS, codes.FINALLY_WAITS),
    *(codes.DECLARATIVE_WORKSPACE, codes.JOB_WIDE_SETTING_CONFLICT, codes.DECLARATIVE_OUTCOMES, codes.OVERLAPPING_RUNS),
    *(codes.CONTAINER_NOT_SHARED, codes.RELEASE_IN_OWN_IMAGE, codes.DEEP_NESTING, codes.CHILD_WAITS),
    # Stages of a shared workspace have the pod that all of them name.
    *(codes.CUT_CROSSED, codes.UNKNOWN_SPLIT_STAGE, codes.MACHINE_LEFT_OUT),
    *(codes.LOST_PARALLELISM, codes.UNUSED_OUTPUT, codes.IDLE_ARTIFACTS),
)
# Codes that depend on other pipelines, even if the diagnostic does not name their stages.
_FILES = (
    *(
        codes.ON_DEMAND_PIPELINE,
        codes.UNSELECTABLE_PIPELINE,
        codes.UNUSED_INPUT,
        codes.RENAMED_JOB,
        codes.FILE_TOO_BIG,
        codes.FILE_TOO_LARGE,
    ),
    *(codes.TOO_MANY_STAGES, codes.TOO_LARGE_VALUES, codes.NO_JOBS, codes.DECLARATIVE_TOO_LARGE),
)
_REACHES = {
    code.number: extent
    for extent, listed in (
        (Reach.NAMES, _NAMES),
        (Reach.VALUE, _VALUES),
        (Reach.STAGE, _STAGES),
        (Reach.ORDER, _ORDERS),
        (Reach.PIPELINE, _PIPELINES),
        (Reach.FILE, _FILES),
    )
    for code in listed
}
