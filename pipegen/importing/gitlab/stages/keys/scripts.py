"""Scripts: `before_script` and `script` are one script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.bindings.script.lexer import lex
from pipegen.emit.yaml import Commented, Value
from pipegen.importing.comments import comments_of
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.stages.keys.base import KeyContext
from pipegen.importing.gitlab.stages.texts import has_reference
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.model.machine import has_busybox
from pipegen.source.tree import Node, Scalar

# Syntax that only bash reads, outside words, and its commands, not options such as `--source`.
_BASH = re.compile(
    r"\[\[ |<<<|\$'|<\(|\w+\+?=\(|&>|\|&|\bset -[a-z]*o pipefail"
    r"|(?<![\w./-])(?:source |pushd |popd\b|shopt |function \w)"
)
# What begins a statement of PowerShell, or occurs in one, and no command of sh: variables, commands named by a verb and
# a noun, static members, and blocks.
_POWERSHELL = re.compile(
    r"\$env:\w|\$LASTEXITCODE\b|\$ErrorActionPreference\b"
    r"|(?m:^\s*(?:\$\w+ *=[ =]|param *\(|(?:if|foreach|while) *\(.*\{ *$|\[[\w.]+\]::\w"
    r"|(?:Add|Clear|Compress|Convert\w*|Copy|Enable|Enter|Expand|Export|ForEach|Get|Import|Install|Invoke|Join|Measure|Move|New"
    r"|Out|Pop|Push|Read|Remove|Rename|Resolve|Select|Set|Sort|Split|Start|Stop|Test|Update|Wait|Where|Write)-[A-Z]\w+))"
)
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|#.*|\\.")


def script_keys(context: KeyContext, image: object, *, may_be_bash: bool) -> dict[str, Value]:
    """Return the commands of a job, and its shell.

    On GitLab, a pipe fails if any of its commands fails. So jobs with pipes use bash, or turn this on if their image
    has another shell.
    """
    keys: dict[str, Value] = {}
    before, script, after = (flat_items(context.job.get(key)) for key in ("before_script", "script", "after_script"))
    own = (*before, *script)
    is_busybox = has_busybox(str(image))
    if may_be_bash and not is_busybox and (any(map(_has_pipe, (*own, *after))) or any(map(_is_bash, own))):
        keys["shell"] = "bash"
    sets_pipefail = may_be_bash and is_busybox and _lacks_pipefail(own)
    is_in_before = any(map(_has_pipe, before))
    if entries := commands(before, context, sets_pipefail=sets_pipefail and is_in_before):
        keys["before"] = entries
    entries = commands(script, context, sets_pipefail=sets_pipefail and not is_in_before)
    keys["script"] = entries if entries and script else [*entries, "true"]
    if entries := commands(after, context, sets_pipefail=may_be_bash and is_busybox and _lacks_pipefail(after)):
        keys["after"] = entries
    return keys


def is_powershell(job: SourceJob) -> bool:
    """Return whether a runner with PowerShell runs the scripts of *job*, which pipegen writes for sh."""
    items = (item for key in ("before_script", "script", "after_script") for item in flat_items(job.get(key)))
    return any(_POWERSHELL.search(text_of(item)) for item in items)


def refusal(context: KeyContext) -> str:
    """Return why a config cannot have the scripts of a job, "" if it can."""
    if is_powershell(context.job):
        return "it is PowerShell"
    items = [item for key in ("before_script", "script", "after_script") for item in flat_items(context.job.get(key))]
    try:
        for text in filter(has_reference, map(text_of, items)):
            context.texts.script(text)
    except UntranslatableError as error:
        return str(error)
    return ""


def commands(items: Sequence[Node], context: KeyContext, *, sets_pipefail: bool) -> list[Value]:
    """Return *items* as entries of a script, with their comments, after one that *sets_pipefail*."""
    entries = [_command(item, context) for item in items if text_of(item).strip()]
    return ["set -o pipefail", *entries] if sets_pipefail else entries


def _lacks_pipefail(items: Sequence[Node]) -> bool:
    """Return whether the commands *items* have a pipe, and do not set the option for pipes themselves."""
    return any(map(_has_pipe, items)) and not any("pipefail" in text_of(item) for item in items)


def _is_bash(item: Node) -> bool:
    """Return whether *item* contains syntax that only bash supports."""
    return _BASH.search(_QUOTED.sub("", text_of(item))) is not None


def _has_pipe(item: Node) -> bool:
    """Return whether a pipe connects two commands of *item*: a pattern of `case` has bars, too."""
    text = text_of(item)
    if not _PIPE.search(_QUOTED.sub("", text)):
        return False
    lexed, error = lex(text, ())
    return error is not None or any(len(pipeline) > 1 for pipeline in lexed.pipelines)


def _command(item: Node, context: KeyContext) -> Value:
    text = context.texts.script(text_of(item)).replace("\r\n", "\n")
    above, beside = comments_of(item) if isinstance(item, Scalar) else ("", "")
    return Commented(text, above, beside) if above or beside else text
