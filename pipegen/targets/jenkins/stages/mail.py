"""The mail about a failed stage."""

from __future__ import annotations

from pipegen.plan.model import Mail
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.names import StageNames
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts


class LoweredMail(Struct):
    """The step; the function that computes its recipients, if necessary; and whether it reads outputs."""

    step: model.SendMail
    recipients: model.Recipients | None
    reads_outputs: bool


def lower_mail(mail: Mail, values: GroovyTexts, functions: StageNames) -> LoweredMail:
    """Return *mail* for Jenkins; *functions* names the function that computes recipients at run time."""
    to = values.items(mail.to)
    subject, body = values.one_line(mail.subject), values.value(mail.body)
    recipients = None
    addresses: model.Value
    if any(isinstance(item, model.SplitLoop) for item in to):
        recipients = model.Recipients(function=functions.take("recipients", "{name}{number}"), items=to)
        addresses = model.GroovyCode(f"{recipients.function}()")
    else:
        addresses = _listed(tuple(item for item in to if not isinstance(item, model.SplitLoop)))
    return LoweredMail(
        step=model.SendMail(to=addresses, subject=subject, body=body),
        recipients=recipients,
        reads_outputs=any(map(_reads_output, (*to, subject, body))),
    )


def _listed(items: tuple[model.Value, ...]) -> model.Value:
    """Return *items* separated by commas."""
    if all(isinstance(item, str) for item in items):
        return ", ".join(map(str, items))
    separated: list[model.Value] = []
    for item in items:
        separated += [", ", item] if separated else [item]
    return model.Joined(tuple(separated))


def _reads_output(value: model.Value | model.SplitLoop) -> bool:
    match value:
        case model.FunctionCall():
            return True
        case model.OrElse() | model.OneLine():
            return _reads_output(value.value)
        case model.Joined():
            return any(map(_reads_output, value.parts))
        case model.SplitLoop():
            return _reads_output(value.source) or _reads_output(value.body)
        case _:
            return False
