"""Variables that Declarative sets after the checkout of a stage; the step of a generated file sets none."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.jenkins.reading.syntax import GroovyCall, all_calls
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.text import Span

# As the git plugin documents them.
_OF_CHECKOUT = re.compile(
    r"(?:(?<![\w.])|(?<=\benv\.))GIT_(?:AUTHOR_EMAIL|AUTHOR_NAME|BRANCH|COMMIT|COMMITTER_EMAIL|COMMITTER_NAME"
    r"|LOCAL_BRANCH|PREVIOUS_COMMIT|PREVIOUS_SUCCESSFUL_COMMIT|URL)\b(?!=)"
)


# Conditions compare these with the name of the branch that is built.
CHECKED_OUT_BRANCH = frozenset({"GIT_BRANCH", "GIT_LOCAL_BRANCH"})


def checkout_variables(text: str) -> list[str]:
    """Return the variables of the checkout that *text* reads, each once."""
    return list(dict.fromkeys(_OF_CHECKOUT.findall(text)))


def report_conditions(pipeline: GroovyCall, others: Collection[str], accounting: Accounting, report: Report) -> None:
    """Report each `when` in *pipeline* that reads variables of the checkout, except *others* and the branch."""
    for call in all_calls(pipeline):
        if call.name != "when" or call.block is None:
            continue
        names: dict[str, None] = {}
        for statement in call.block.statements:
            is_translated = accounting.outcome(statement.span) is KeyOutcome.TRANSLATED
            whole = statement.whole if isinstance(statement, GroovyCall) else statement.span
            read = checkout_variables(whole.file.text[whole.start : whole.end])
            known = CHECKED_OUT_BRANCH.union(others) if is_translated else others
            names |= dict.fromkeys(name for name in read if name not in known)
        if names:
            report.add(
                codes.NOT_IMPORTED,
                f'"when" reads {listed(list(names))}, empty in conditions of the generated file',
                at=call.span,
                hint='compare the branch instead: "when: { branch: main }"',
            )


def report_set_variables(code: GroovyTokens, pipeline: GroovyCall, report: Report) -> None:
    """Report each variable of the checkout that Groovy of *code* sets in `env`.

    Stages with the checkout of Declarative do not get that value.
    """
    if any(call.name == "skipDefaultCheckout" for call in all_calls(pipeline)):
        return
    for index in range(2, code.size):
        is_set = code.is_sign(index + 1, "=") and not code.is_sign(index + 2, "=")
        is_variable = code.is_word(index - 2, "env") and code.is_sign(index - 1, ".")
        if is_set and is_variable and checkout_variables(name := code.word(index)):
            report.add(
                codes.NOT_IMPORTED,
                f'"{name}" keeps the value of the checkout in the original, and gets this one in the import',
                at=Span(pipeline.span.file, code.tokens[index].start, code.tokens[index].end),
                hint="remove the assignment, or give the variable another name",
            )
