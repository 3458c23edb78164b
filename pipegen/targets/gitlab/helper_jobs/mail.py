"""The script of the job that sends mail about a failed stage."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence

from pipegen.bindings.expression import Defaulted, Loop, Reference, Scope
from pipegen.plan.model import Job, Output, Plan
from pipegen.plan.model import Mail as PlanMail
from pipegen.plan.model.texts import mail_texts, outputs_in, setup_names
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import variables
from pipegen.shell.quote import Fragment, Literal, ShellFragment, VariableExpansion, Word, constant, quote
from pipegen.shell.uses import is_plain
from pipegen.shell.values.absence import may_be_absent
from pipegen.shell.values.inputs import unchecked
from pipegen.shell.values.read import input_commands
from pipegen.shell.values.transfers import FOLDER
from pipegen.shell.words.items import arguments, has_loop
from pipegen.shell.words.text import word
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.scripts import entries
from pipegen.targets.gitlab.jobs.values.variables import expands_plainly
from pipegen.targets.gitlab.model import ScriptEntry
from pipegen.targets.gitlab.settings import MailVariables

_LINE_BREAK = r"\r\n|\n|\r"
_TYPE = ("MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "")


def mail_script(
    job: Job, mail: PlanMail, plan: Plan, host: ShellEnvironment, settings: MailVariables
) -> tuple[ScriptEntry, ...]:
    """Return the script that sends *mail* because *job* has failed."""
    lowering = _lowering(job, mail, plan, host)
    # All of them are from ancestors of the failed stage.
    outputs = outputs_in(mail_texts(mail))
    folder = ("pipegen=$(mktemp -d)",) if has_loop(mail.to) else ()
    message = ("# the mail, after the last attempt", *_sending(mail, lowering, settings))
    return (
        ScriptEntry(f': "${{{settings.server}:?add the CI/CD variable {settings.server}, such as smtp://host:25}}"'),
        ScriptEntry(f': "${{{settings.sender}:?add the CI/CD variable {settings.sender}, an address}}"'),
        *(ScriptEntry(line) for line in _presence(job, outputs, plan)),
        *(ScriptEntry(line) for line in folder),
        *entries(input_commands(outputs, tuple(lowering.variables.setup), lowering)),
        ScriptEntry("".join(f"{line}\n" for line in message)),
    )


def _lowering(job: Job, mail: PlanMail, plan: Plan, host: ShellEnvironment) -> Lowering:
    """Return the lowering of the texts of *mail*; the log URL is the pipeline's, not that of the mail job."""
    texts = mail_texts(mail)
    references = [reference for text in texts for reference in text.references()]
    inputs = dict.fromkeys(reference.name for reference in references if reference.scope is Scope.INPUT)
    return Lowering(
        job=replace(job, files=(), containers=()),
        plan=replace(plan, inputs=unchecked(plan.inputs)),
        producers={each.stage: each for each in plan.jobs},
        # Values are read in place: the image's user is not root, so it could not move them.
        host=replace(
            host, values=FOLDER, setup=lambda name: "$CI_PIPELINE_URL" if name == "logURL" else host.setup(name)
        ),
        variables=variables(
            outputs_in(texts), dict.fromkeys(setup_names(texts)), dict.fromkeys(_defaults(mail)), inputs
        ),
        needed=frozenset(),
    )


def _defaults(mail: PlanMail) -> Iterator[str]:
    """Yield the defaults that need a separate variable."""
    for text in mail_texts(mail):
        for part in (*text.parts, *text.references()):
            if isinstance(part, Reference | Defaulted) and part.default and not is_plain(part.default):
                yield part.default


def _presence(job: Job, outputs: Sequence[Output], plan: Plan) -> Iterator[str]:
    """Yield commands that end the script if an ancestor has failed, so that *job* has not run.

    For an ancestor that may have been skipped, missing outputs prove nothing.
    """
    stages = dict.fromkeys(output.stage for output in outputs)
    for stage in (stage for stage in stages if not may_be_absent(plan.job(stage), job)):
        message = quote(f"no mail: stage {job.stage} was not run, since stage {stage} failed")
        yield f"[ -e .pipegen/outputs/{plan.job(stage).slug} ] || {{ echo {message}; exit 0; }}"


def _sending(mail: PlanMail, lowering: Lowering, settings: MailVariables) -> Iterator[str]:
    """Yield the lines that write the message and pass it to curl."""
    to, recipients = yield from _recipients(mail, lowering)
    subject = yield from _folded("pipegen_subject", word(mail.subject, lowering))
    lines = [
        (Literal("From: "), VariableExpansion(settings.sender)),
        (Literal("To: "), *to),
        (Literal("Subject: "), *subject),
        *((Literal(line),) for line in _TYPE),
        *_lines(word(mail.body, lowering)),
    ]
    yield "printf '%s\\n' \\"
    yield from (f"  {quote(line)} \\" for line in lines[:-1])
    yield f"  {quote(lines[-1])} |"
    yield f'  curl --silent --show-error --crlf --url "${settings.server}" --mail-from "${settings.sender}" \\'
    yield f"    {recipients} --upload-file -"


def _recipients(mail: PlanMail, lowering: Lowering) -> Generator[str, None, tuple[Word, str]]:
    """Yield the lines that compute the recipients; return them for the header, and as arguments of curl."""
    known = [constant(word(item, lowering)) for item in mail.to if not isinstance(item, Loop)]
    if not has_loop(mail.to) and None not in known:
        addresses = re.findall(r"[^\s,]+", " ".join(address or "" for address in known))
        return (Literal(", ".join(addresses)),), " ".join(f"--mail-rcpt {quote(address)}" for address in addresses)
    lines, words = arguments(mail.to, lowering)
    yield from lines
    yield f"pipegen_addresses=$(printf '%s ' {' '.join(words)} | tr ',' ' ')"
    yield "set -f"
    yield "set --"
    yield "pipegen_to="
    yield "for pipegen_address in $pipegen_addresses; do"
    yield '  set -- "$@" --mail-rcpt "$pipegen_address"'
    yield '  pipegen_to="${pipegen_to:+$pipegen_to, }$pipegen_address"'
    yield "done"
    return (VariableExpansion("pipegen_to"),), '"$@"'


def _folded(variable: str, text: Word) -> Generator[str, None, Word]:
    """Yield the line that sets *variable* to *text* with spaces for line breaks, if necessary; return the result."""
    fragments = [Literal(re.sub(_LINE_BREAK, " ", each.text)) if isinstance(each, Literal) else each for each in text]
    if all(map(_is_one_line, fragments)):
        return tuple(fragments)
    yield f"{variable}=$(printf %s {quote(text)} | tr -d '\\r' | tr '\\n' ' ')"
    return (VariableExpansion(variable),)


def _is_one_line(fragment: Fragment) -> bool:
    """Return whether *fragment*, a text without line breaks or an expansion, has none."""
    match fragment:
        case VariableExpansion(name=name, operator=""):
            return expands_plainly(f"${name}")
        case ShellFragment(text=text):
            return expands_plainly(text)
    return isinstance(fragment, Literal)


def _lines(text: Word) -> list[Word]:
    """Return the lines of *text*; a variable's value may contain further line breaks."""
    lines: list[Word] = [()]
    for fragment in text:
        if not isinstance(fragment, Literal):
            lines[-1] += (fragment,)
            continue
        first, *rest = re.split(_LINE_BREAK, fragment.text)
        lines[-1] += (Literal(first),)
        lines += [(Literal(line),) for line in rest]
    return lines
