"""Scripts: `before_script` and `script` are one script."""

from __future__ import annotations

import re

from pipegen.emit.yaml import Commented, Value
from pipegen.importing.comments import comments_of
from pipegen.importing.gitlab.keys.base import KeyContext
from pipegen.importing.gitlab.tree import items_of, text_of
from pipegen.source.tree import Node, Scalar

# Syntax that only bash reads, outside of words.
_BASH = re.compile(
    r"\[\[ |<<<|\$'|<\(|\w+\+?=\(|\bsource |\bpushd |\bpopd\b|\bshopt |&>|\|&|\bfunction \w|\bset -[a-z]*o pipefail"
)
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|#.*|\\.")
# Images without bash, by parts of their names.
_NO_BASH = re.compile(
    r"alpine|busybox|kaniko|distroless|^docker(:|$)|/docker(:|$)|docker:[\w.-]*(dind|cli|git)|curlimages|hadolint|dind"
    r"|alpinelinux|apk|release-cli|gcr\.io/go-containerregistry|buildah|skopeo"
)


def commands(context: KeyContext, *keys: str) -> list[Value]:
    """Return the commands of *keys* as entries of a script, with their comments."""
    return [_command(item, context) for key in keys for item in items_of(context.job.get(key)) if text_of(item).strip()]


def needs_bash(context: KeyContext, image: object) -> bool:
    """Return whether the scripts of a job use bash, or a pipe in an image that contains it.

    GitLab's runner prefers bash, and there a pipe fails if any of its commands fails.
    """
    texts = [text_of(item) for key in ("before_script", "script") for item in items_of(context.job.get(key))]
    bare = [_QUOTED.sub("", text) for text in texts]
    if _NO_BASH.search(str(image)):
        return False
    return any(_BASH.search(text) or _PIPE.search(text) for text in bare)


def _command(item: Node, context: KeyContext) -> Value:
    text = context.texts.script(text_of(item)).replace("\r\n", "\n")
    above, beside = comments_of(item) if isinstance(item, Scalar) else ("", "")
    return Commented(text, above, beside) if above or beside else text
