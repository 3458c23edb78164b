"""Functions with the mails of several stages, which would otherwise stand in the file once for each stage.

The mails may differ in the names of the stages, which Jenkins has in the variable STAGE_NAME while their steps run
(plugin pipeline-stage-step, `StageStepExecution`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipegen.emit.groovy import literal
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.model.parts import parts_of
from pipegen.targets.jenkins.names import function_names

# A function replaces the mails of so many stages.
_LEAST_STAGES = 4
_NAME = "env.STAGE_NAME"


def with_mail_functions(
    stages: Sequence[model.StageBlock], definitions: str
) -> tuple[tuple[model.StageBlock, ...], tuple[model.StepsFunction, ...]]:
    """Return *stages* that call functions in place of mails that are the same but for their names, and these functions.

    No function has a name that occurs in *definitions* or in Groovy of the stages. A stage whose steps after a failure
    are in a function of its own keeps its mail there.
    """
    members: dict[model.SendMail, list[str]] = {}
    for stage in stages:
        if stage.failure_function or len(stage.on_failure) != 1:
            continue
        if isinstance(mail := stage.on_failure[0], model.SendMail):
            members.setdefault(of_any_stage(mail, stage), []).append(stage.name)
    members = {mail: sharing for mail, sharing in members.items() if len(sharing) >= _LEAST_STAGES}
    if not members:
        return tuple(stages), ()
    names = function_names("\n".join((definitions, *_groovy_of(stages))))
    functions: list[model.StepsFunction] = []
    calls: dict[str, model.Step] = {}
    for mail, sharing in members.items():
        name = names.take("mailFailure", "{name}{number}")
        functions.append(model.StepsFunction(name, "Reports by mail that a stage has failed.", (mail,)))
        calls |= dict.fromkeys(sharing, model.GroovyStatement(f"{name}()"))
    changed = tuple(
        replace(stage, on_failure=(calls[stage.name],)) if stage.name in calls else stage for stage in stages
    )
    return changed, tuple(functions)


def _groovy_of(stages: Sequence[model.StageBlock]) -> Iterator[str]:
    """Yield the Groovy of steps of *stages*, which may call functions of shared libraries."""
    for part in parts_of(*(step for stage in stages for step in stage.steps)):
        if isinstance(part, model.GroovyStatement | model.Wrapped):
            yield part.text if isinstance(part, model.GroovyStatement) else part.head


def of_any_stage(mail: model.SendMail, stage: model.StageBlock) -> model.SendMail:
    """Return *mail* with the variable of Jenkins in place of the name of *stage*, without that of its pipeline."""
    prefix = f"{stage.pipeline}: " if stage.name.startswith(f"{stage.pipeline}: ") else ""
    name = re.compile(rf"(?<!\w){re.escape(stage.name.removeprefix(prefix))}(?!\w)")
    code = model.GroovyCode(f"{_NAME}.minus({literal(prefix)})" if prefix else _NAME)
    return replace(mail, subject=_with_code(mail.subject, name, code), body=_with_code(mail.body, name, code))


def _with_code(value: model.Value, name: re.Pattern[str], code: model.GroovyCode) -> model.Value:
    match value:
        case str() if name.search(value):
            first, *others = name.split(value)
            parts = (first, *(part for text in others for part in (code, text)))
            return model.Joined(tuple(filter(None, parts)))
        case model.Joined():
            return model.Joined(tuple(part for own in value.parts for part in _parts(_with_code(own, name, code))))
        case model.OneLine():
            return model.OneLine(_with_code(value.value, name, code))
    return value


def _parts(value: model.Value) -> tuple[model.Value, ...]:
    return value.parts if isinstance(value, model.Joined) else (value,)
