"""All rules, in the order of their codes."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, LintRule
from pipegen.lint.rules import (
    axis_variable,
    cache_never_hits,
    condition_never_true,
    curly_quotes,
    deploy_without_timeout,
    empty_setup_value,
    files_may_be_absent,
    foreign_variable,
    hidden_failure,
    idle_artifacts,
    image_by_tag,
    literal_glob,
    literal_reference,
    lost_parallelism,
    never_together,
    pipefail_in_sh,
    plain_secret,
    redundant_arc,
    service_variable,
    shell_syntax,
    shellcheck,
    unpinned_chart,
    unpinned_image,
    unpinned_include,
    unpinned_library,
    unused_input,
    unused_output,
)

RULES: tuple[LintRule, ...] = (
    redundant_arc.check,
    lost_parallelism.check,
    unused_output.check,
    plain_secret.check,
    unpinned_image.check,
    shellcheck.check,
    deploy_without_timeout.check,
    condition_never_true.check,
    cache_never_hits.check,
    idle_artifacts.check,
    never_together.check,
    files_may_be_absent.check,
    hidden_failure.check,
    unused_input.check,
    image_by_tag.check,
    unpinned_chart.check,
    unpinned_library.check,
    unpinned_include.check,
    shell_syntax.check,
    foreign_variable.check,
    empty_setup_value.check,
    curly_quotes.check,
    literal_reference.check,
    pipefail_in_sh.check,
    literal_glob.check,
    axis_variable.check,
    service_variable.check,
)


# The rules with fixes, which `--fix` runs again after each change of the text.
FIXABLE_RULES: tuple[LintRule, ...] = (redundant_arc.check, unused_output.check)


def run_rules(rules: Sequence[LintRule], config: CheckedConfig, report: Report) -> None:
    """Report the findings of *rules* in *config*."""
    for rule in rules:
        rule(config, report)
