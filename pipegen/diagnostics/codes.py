"""Every code the compiler can report, in one table; a page in `pages/` explains each."""

from __future__ import annotations

from pipegen.diagnostics.model import Code, Severity

_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

# 1: reading
INVALID_ENCODING = Code("PG101", "invalid-encoding", _E)
YAML_SYNTAX = Code("PG102", "yaml-syntax", _E)
DUPLICATE_KEY = Code("PG103", "duplicate-key", _E)
EMPTY_FILE = Code("PG104", "empty-file", _E)
UNSUPPORTED_YAML = Code("PG105", "unsupported-yaml", _E)
ALIAS_EXPANSION = Code("PG106", "alias-expansion", _E)
VALUE_AND_MAPPING = Code("PG107", "value-and-mapping", _E)
NUL_CHARACTER = Code("PG108", "nul-character", _E)
LONE_SURROGATE = Code("PG109", "lone-surrogate", _E)
UNREADABLE_INCLUDE = Code("PG110", "unreadable-include", _E)
INCLUDE_OUTSIDE = Code("PG111", "include-outside", _E)
INCLUDE_LOOP = Code("PG112", "include-loop", _E)
CONFIG_TOO_LARGE = Code("PG113", "config-too-large", _E)

# 2: schema
UNKNOWN_KEY = Code("PG201", "unknown-key", _E)
WRONG_TYPE = Code("PG202", "wrong-type", _E)
MISSING_KEY = Code("PG203", "missing-key", _E)
INVALID_VALUE = Code("PG204", "invalid-value", _E)
MISPLACED_KEY = Code("PG205", "misplaced-key", _E)
FLAT_EXECUTION = Code("PG206", "flat-execution", _E)
UNNAMED_STAGE = Code("PG207", "unnamed-stage", _E)
CHART_IS_TEXT = Code("PG208", "chart-is-text", _E)
RUN_IS_TEXT = Code("PG209", "run-is-text", _E)
EMPTY_STEP = Code("PG210", "empty-step", _W)

# 3: names
UNKNOWN_STAGE = Code("PG301", "unknown-stage", _E)
DUPLICATE_STAGE = Code("PG302", "duplicate-stage", _E)
RESERVED_NAME = Code("PG303", "reserved-name", _E)
UNKNOWN_NAMESPACE = Code("PG304", "unknown-namespace", _E)
OTHER_PIPELINE = Code("PG305", "other-pipeline", _E)
NOT_AN_ANCESTOR = Code("PG306", "not-an-ancestor", _E)
UNBOUND_NAME = Code("PG307", "unbound-name", _E)
NOT_YET_BOUND = Code("PG308", "not-yet-bound", _E)
BOUND_TWICE = Code("PG309", "bound-twice", _E)
MALFORMED_REFERENCE = Code("PG310", "malformed-reference", _E)
NOTHING_BUILT = Code("PG311", "nothing-built", _E)
NOTHING_PUBLISHED = Code("PG312", "nothing-published", _E)
UNKNOWN_SETUP_NAME = Code("PG313", "unknown-setup-name", _E)
ALWAYS_DEFAULT = Code("PG314", "always-default", _W)
UNDOTTED_DEFAULT = Code("PG315", "undotted-default", _W)
ALWAYS_EMPTY = Code("PG316", "always-empty", _W)
NOTHING_RAN = Code("PG317", "nothing-ran", _E)
REFERENCE_IN_PROGRAM = Code("PG318", "reference-in-program", _E)
EVALUATED_REFERENCE = Code("PG319", "evaluated-reference", _E)
UNREADABLE_SHELL = Code("PG320", "unreadable-shell", _E)
UNQUOTABLE_REFERENCE = Code("PG321", "unquotable-reference", _E)
NEAR_MISS = Code("PG322", "near-miss", _W)
NOT_PORTABLE = Code("PG366", "not-portable", _I)
UNKNOWN_TEMPLATE = Code("PG330", "unknown-template", _E)
TEMPLATE_CYCLE = Code("PG331", "template-cycle", _E)
DEFINED_TWICE = Code("PG332", "defined-twice", _E)
CONDITION_PATTERN = Code("PG340", "condition-pattern", _E)
MAY_BE_ABSENT = Code("PG341", "may-be-absent", _E)
REFERENCE_IN_CONDITION = Code("PG342", "reference-in-condition", _E)
UNKNOWN_CONDITION_INPUT = Code("PG343", "unknown-condition-input", _E)

# 4: graph
CYCLE = Code("PG401", "cycle", _E)
STAGE_IN_NO_ARC = Code("PG402", "stage-in-no-arc", _W)
REPEATED_IN_ARC = Code("PG403", "repeated-in-arc", _E)

# 5: plan
ON_DEMAND_PIPELINE = Code("PG501", "on-demand-pipeline", _I)
INVALID_IMAGE_NAME = Code("PG502", "invalid-image-name", _E)
MISMATCHED_MERGE = Code("PG503", "mismatched-merge", _E)
CONFLICTING_FILES = Code("PG504", "conflicting-files", _E)
PATH_OUTSIDE = Code("PG505", "path-outside", _E)
NO_IMAGE_ID = Code("PG506", "no-image-id", _E)
EXCLUDES_REMOTE = Code("PG507", "excludes-with-remote-context", _E)
EXPECTED_TEXT = Code("PG508", "expected-text", _E)
TOO_FEW_WORDS = Code("PG509", "too-few-words", _E)
INVALID_VARIABLE = Code("PG510", "invalid-variable", _E)
MAIL_WITHOUT_RECIPIENT = Code("PG511", "mail-without-recipient", _W)
RUN_TIME_PATH = Code("PG540", "run-time-path", _E)
KNOWN_TOO_LATE = Code("PG541", "known-too-late", _E)
NEVER_HOLDS = Code("PG525", "never-holds", _W)

# 6: targets; 601 to 619 Jenkins, 620 to 639 GitLab, 640 and up any
ADDED_WAITS = Code("PG601", "added-waits", _W)
DECLARATIVE_WORKSPACE = Code("PG602", "declarative-workspace", _E)
DECLARATIVE_TOO_LARGE = Code("PG603", "declarative-too-large", _E)
STAGE_TOO_LARGE = Code("PG604", "stage-too-large", _E)
NOT_ON_JENKINS = Code("PG617", "not-on-jenkins", _I)
RESOURCES_BY_LABEL = Code("PG615", "resources-by-label", _I)
RAW_REFUSED = Code("PG618", "raw-refused", _E)
RENAMED_JOB = Code("PG620", "renamed-job", _I)
TRIGGER_WITHOUT_PROJECT = Code("PG621", "trigger-without-project", _W)
TRIGGER_NOT_AWAITED = Code("PG622", "trigger-not-awaited", _W)
INVALID_TRIGGER_VARIABLE = Code("PG623", "invalid-trigger-variable", _E)
MAIL_WITHOUT_SERVER = Code("PG624", "mail-without-server", _W)
CONTAINER_NOT_SHARED = Code("PG625", "container-not-shared", _E)
WORKSPACE_NOT_SHARED = Code("PG626", "workspace-not-shared", _W)
FILE_TOO_BIG = Code("PG627", "file-too-big", _W)
UNKNOWN_PIPELINE = Code("PG640", "unknown-pipeline", _E)
ENGINE_HAS_NO_VALUE = Code("PG641", "engine-has-no-value", _E)
SARIF_AS_ARTIFACT = Code("PG649", "sarif-as-artifact", _I)
FAILURE_LOSES_VALUES = Code("PG650", "failure-loses-values", _E)
NOT_EXPANDED = Code("PG651", "not-expanded", _E)
TOO_MANY_CACHES = Code("PG652", "too-many-caches", _E)
SEVERAL_LOCKS = Code("PG653", "several-locks", _E)
RAW_REPLACES = Code("PG654", "raw-replaces", _W)
UNKNOWN_STAGE_IN_SETTING = Code("PG656", "unknown-stage-in-setting", _E)


def table() -> tuple[Code, ...]:
    """Return all codes in the order of their numbers."""
    return tuple(sorted((code for code in globals().values() if isinstance(code, Code)), key=lambda code: code.number))
