"""The source of each `${setup.NAME}` on Jenkins."""

from __future__ import annotations

import re
from enum import Enum

from pipegen.emit.groovy import literal
from pipegen.structs import Struct

# The variables that the git plugin documents; `checkout` returns them.
_CHECKOUT_VARIABLES = frozenset(
    {
        "GIT_AUTHOR_EMAIL",
        "GIT_AUTHOR_NAME",
        "GIT_BRANCH",
        "GIT_CHECKOUT_DIR",
        "GIT_COMMIT",
        "GIT_COMMITTER_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_LOCAL_BRANCH",
        "GIT_PREVIOUS_COMMIT",
        "GIT_PREVIOUS_SUCCESSFUL_COMMIT",
        "GIT_URL",
    }
)
_NUMBERED_URL = r"GIT_URL_[1-9][0-9]*"
_PARAMETER = "params."
_PROXY = "http_proxy"


class Source(Enum):
    """When a value is set."""

    # A variable that Jenkins, its operator or the agent sets.
    VARIABLE = "variable"
    # A variable of pipegen, set before the first stage.
    START = "start"
    # A variable of pipegen, set by the first checkout.
    CHECKOUT = "checkout"


class SetupValue(Struct, kw_only=True):
    """One value.

    *variable* is the environment variable that contains it; *code* is the Groovy
    expression of a variable set at the start (a text or a call, because Declarative
    accepts nothing else in `environment`), or the part of the result of `checkout`
    that is read; *suffix* follows a value that is not empty. A value with
    *is_free_text* may contain line breaks.
    """

    variable: str
    source: Source
    code: str = ""
    suffix: str = ""
    may_be_empty: bool = True
    is_free_text: bool = False

    @property
    def is_of_build(self) -> bool:
        """Whether the value is set before the first stage, and does not depend on the agent."""
        return self.source is not Source.CHECKOUT and self.variable != _PROXY

    @property
    def shell(self) -> str:
        """The value as shell text."""
        return f"${{{self.variable}:+${{{self.variable}}}{self.suffix}}}" if self.suffix else f"${self.variable}"


_REMOTE = "scm.userRemoteConfigs[0].url"
# The path in the address: group/service of https://host/r/group/service.git and of git@host:group/service.git.
_PROJECT = f"{_REMOTE}.replaceFirst('^([a-z+]+://[^/]*/+(r/)?|[^/:]+:/*|/+)', '').replaceFirst('/*([.]git)?/*$', '')"
_STARTED = "new Date(currentBuild.startTimeInMillis).format('yyyy-MM-dd-HHmmss', TimeZone.getTimeZone('UTC'))"
_VALUES = {
    "project": SetupValue(
        variable="PIPEGEN_PROJECT", source=Source.START, code=f'"${{{_PROJECT}}}"', may_be_empty=False
    ),
    "projectShortName": SetupValue(
        variable="PIPEGEN_PROJECT_SHORT_NAME",
        source=Source.START,
        code=f"\"${{{_PROJECT}.tokenize('/').last()}}\"",
        may_be_empty=False,
    ),
    "timestamp": SetupValue(
        variable="PIPEGEN_TIMESTAMP", source=Source.START, code=f'"${{{_STARTED}}}"', may_be_empty=False
    ),
    "branch": SetupValue(variable="PIPEGEN_BRANCH", source=Source.START, code="branch()"),
    "remote": SetupValue(variable="PIPEGEN_REMOTE", source=Source.START, code=f'"${{{_REMOTE}}}"', may_be_empty=False),
    "commit": SetupValue(variable="PIPEGEN_COMMIT", source=Source.CHECKOUT, code="GIT_COMMIT"),
    "tag": SetupValue(variable="TAG_NAME", source=Source.VARIABLE),
    "shortCommit": SetupValue(
        variable="PIPEGEN_SHORT_COMMIT", source=Source.CHECKOUT, code="GIT_COMMIT.substring(0, 8)", may_be_empty=False
    ),
    "changeRequest": SetupValue(variable="CHANGE_ID", source=Source.VARIABLE),
    "sourceBranch": SetupValue(variable="CHANGE_BRANCH", source=Source.VARIABLE),
    "targetBranch": SetupValue(variable="CHANGE_TARGET", source=Source.VARIABLE),
    "event": SetupValue(variable="PIPEGEN_EVENT", source=Source.START, code="event()", may_be_empty=False),
    "actor": SetupValue(variable="PIPEGEN_ACTOR", source=Source.START, code="actor()", is_free_text=True),
    "run": SetupValue(variable="BUILD_NUMBER", source=Source.VARIABLE, may_be_empty=False),
    "previousResult": SetupValue(variable="PIPEGEN_PREVIOUS_RESULT", source=Source.START, code="previousResult()"),
    "logURL": SetupValue(variable="BUILD_URL", source=Source.VARIABLE, suffix="console"),
    "httpProxy": SetupValue(variable=_PROXY, source=Source.VARIABLE),
}
# The labels of images, joined as `name=value` with commas.
LABELS = (("jenkins.job", "$JOB_NAME"), ("jenkins.build", "$BUILD_ID"), ("ci.project", "$PIPEGEN_PROJECT"))


def setup_value(name: str) -> SetupValue | None:
    """Return the source of `${setup.NAME}`, None if Jenkins has no such value; `imageLabels` combines several."""
    if name.startswith(_PARAMETER):
        parameter = name.removeprefix(_PARAMETER)
        return SetupValue(
            variable=_parameter_variable(parameter),
            source=Source.START,
            code=f"parameter({literal(parameter)})",
            is_free_text=True,
        )
    if name in _CHECKOUT_VARIABLES or re.fullmatch(_NUMBERED_URL, name):
        return SetupValue(variable=f"PIPEGEN_{name}", source=Source.CHECKOUT, code=name, is_free_text=True)
    return _VALUES.get(name)


def parameter(name: str) -> str | None:
    """Return the build parameter of the setup value *name*, None if it is not a parameter."""
    return name.removeprefix(_PARAMETER) if name.startswith(_PARAMETER) else None


def _parameter_variable(name: str) -> str:
    """Return the variable of a parameter, unique because forbidden characters are replaced by their codes."""
    return "PIPEGEN_PARAM_" + re.sub(r"[^A-Za-z0-9_]", lambda match: f"_{ord(match[0]):02x}_", name)
