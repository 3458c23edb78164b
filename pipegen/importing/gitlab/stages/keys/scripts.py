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
from pipegen.source.tree import Node, Scalar
from pipegen.targets.gitlab.jobs.values.shell_variables import BASH_COMMANDS

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
# Images without bash, by parts of their names.
_NO_BASH = re.compile(
    r"alpine|busybox|kaniko|distroless|^docker(:|$)|/docker(:|$)|docker:[\w.-]*(dind|cli|git)|curlimages|hadolint|dind"
    r"|alpinelinux|apk|release-cli|gcr\.io/go-containerregistry|buildah|skopeo"
)


def script_keys(context: KeyContext, image: object, *, may_be_bash: bool) -> dict[str, Value]:
    """Return the commands of a job, and its shell."""
    keys: dict[str, Value] = {}
    is_bash = may_be_bash and needs_bash(context, image)
    if is_bash:
        keys["shell"] = "bash"
    if before := commands(context, "before_script", is_bash=is_bash):
        keys["before"] = before
    script = commands(context, "script", is_bash=is_bash)
    keys["script"] = script if script and flat_items(context.job.get("script")) else [*script, "true"]
    if after := commands(context, "after_script", is_bash=is_bash):
        keys["after"] = after
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


def commands(context: KeyContext, *keys: str, is_bash: bool) -> list[Value]:
    """Return the commands of *keys* as entries of a script, with their comments.

    If the stage *is_bash*, those that pipegen adds for it are left out: `shell: bash` adds them again.
    """
    items = [item for key in keys for item in flat_items(context.job.get(key)) if text_of(item).strip()]
    if is_bash and _starts_bash(items):
        items = items[len(BASH_COMMANDS) :]
    return [_command(item, context) for item in items]


def needs_bash(context: KeyContext, image: object) -> bool:
    """Return whether the scripts of a job use bash, or a pipe in an image that contains it.

    GitLab's runner prefers bash, and there a pipe fails if any of its commands fails.
    """
    items = [item for key in ("before_script", "script") for item in flat_items(context.job.get(key))]
    if _starts_bash(items):
        return True
    texts = [text_of(item) for item in items]
    bare = [_QUOTED.sub("", text) for text in texts]
    if _NO_BASH.search(str(image)):
        return False
    if any(map(_BASH.search, bare)):
        return True
    return any(_PIPE.search(rest) and _has_pipe(text) for text, rest in zip(texts, bare, strict=True))


def _has_pipe(text: str) -> bool:
    """Return whether a pipe connects two commands of *text*: a pattern of `case` has bars, too."""
    lexed, error = lex(text, ())
    return error is not None or any(len(pipeline) > 1 for pipeline in lexed.pipelines)


def _starts_bash(items: Sequence[Node]) -> bool:
    """Return whether *items* begin with the commands that pipegen adds for bash."""
    return tuple(text_of(item) for item in items[: len(BASH_COMMANDS)]) == BASH_COMMANDS


def _command(item: Node, context: KeyContext) -> Value:
    text = context.texts.script(text_of(item)).replace("\r\n", "\n")
    above, beside = comments_of(item) if isinstance(item, Scalar) else ("", "")
    return Commented(text, above, beside) if above or beside else text
