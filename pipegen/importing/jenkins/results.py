"""Results of a build that its reports and files decide in a Jenkinsfile, but not in a config."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.jenkins.reading.syntax import GroovyCall, all_calls, constant

# By step, the arguments without which Jenkins changes the result: `perform` of the classes JUnitResultArchiver and
# ArtifactArchiver. The first is about failed tests, the second about missing files.
_UNSTABLE = {"junit": "skipMarkingBuildUnstable"}
_MISSING = {"junit": "allowEmptyResults", "archiveArtifacts": "allowEmptyArchive"}


def report_results(pipeline: GroovyCall, accounting: Accounting, report: Report) -> None:
    """Report once that reports and files of the translated steps in *pipeline* do not change the result of a build."""
    steps = [call for call in all_calls(pipeline) if accounting.outcome(call.span) is KeyOutcome.TRANSLATED]
    unstable = [step for step in steps if _decides(step, _UNSTABLE)]
    missing = [step for step in steps if _decides(step, _MISSING)]
    facts = [
        *(['failed tests in a "junit" report do not make it unstable'] if unstable else []),
        *([f"missing files of {listed(sorted({step.name for step in missing}))} do not fail it"] if missing else []),
    ]
    if not facts:
        return
    first, *others = (step for step in steps if step in unstable or step in missing)
    report.add(
        codes.NOT_IMPORTED,
        f"only the commands decide the result of a build: {', and '.join(facts)}",
        at=first.span,
        related=[Label(step.span, "the same") for step in others],
        hint="check that a command fails if tests fail or files are missing",
    )


def report_stashes(pipeline: GroovyCall, accounting: Accounting, report: Report) -> None:
    """Report each `unstash` in *pipeline* that stays Groovy, and whose `stash` became artifacts of its stage."""
    calls = tuple(all_calls(pipeline))
    stashes = {
        _name(call) for call in calls if call.name == "stash" and accounting.outcome(call.span) is KeyOutcome.TRANSLATED
    }
    for call in calls:
        is_raw = call.name == "unstash" and accounting.outcome(call.span) is KeyOutcome.RAW
        if is_raw and (name := _name(call)) in stashes:
            report.add(
                codes.NOT_IMPORTED,
                f'"unstash" stays Groovy and fails: the stash "{name}" is artifacts of its stage',
                at=call.span,
                hint="remove the step: the stage gets the files at their paths in the checkout",
            )


def _name(call: GroovyCall) -> str | None:
    argument = call.argument("name", "")
    return constant(argument.value) if argument is not None else None


def _decides(call: GroovyCall, arguments: dict[str, str]) -> bool:
    """Return whether *call* is a step in *arguments* without its argument there."""
    argument = call.argument(arguments[call.name]) if call.name in arguments else None
    return call.name in arguments and (argument is None or constant(argument.value) != "true")
