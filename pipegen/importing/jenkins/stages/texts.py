"""Texts of a Jenkinsfile as texts of a config: what Groovy inserts becomes a reference or a variable of the shell."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from pipegen.importing.jenkins.reading.assignments import AssignedValue
from pipegen.importing.jenkins.reading.syntax import (
    GroovyCall,
    GroovyConstant,
    GroovyList,
    GroovyMap,
    GroovyPart,
    GroovyText,
    Value,
)
from pipegen.importing.jenkins.stages.shell_text import open_quote, setting_of
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import Struct, field, replace

# Variables of Jenkins with a setup value.
SETUP = {
    "BRANCH_NAME": "branch",
    "BUILD_ID": "run",
    "BUILD_NUMBER": "run",
    "CHANGE_BRANCH": "sourceBranch",
    "CHANGE_ID": "changeRequest",
    "CHANGE_TARGET": "targetBranch",
    "GIT_COMMIT": "commit",
    "TAG_NAME": "tag",
}
# Variables of Jenkins that a script can name without `env.`.
_PREDEFINED = frozenset(
    {
        *SETUP,
        *("BUILD_TAG", "BUILD_URL", "EXECUTOR_NUMBER", "HOME", "JENKINS_HOME", "JENKINS_URL", "JOB_BASE_NAME"),
        *("GIT_BRANCH", "GIT_URL", "JAVA_HOME", "JOB_NAME", "JOB_URL", "NODE_LABELS", "NODE_NAME", "PATH", "WORKSPACE"),
    }
)
# Others that are set on each agent.
_ALWAYS_SET = _PREDEFINED | {"BUILD_DISPLAY_NAME", "LANG", "PWD", "SHELL", "STAGE_NAME", "USER", "WORKSPACE_TMP"}
_ENV = re.compile(r"(?:env\.|env\[['\"])(\w+)(?:['\"]\])?(?:\.toString\(\))?")
# A variable with a text in place of an empty value (`env.NAME ?: 'text'`).
_WORDS = r"[\w./:@%+,-]+(?: [\w./:@%+,-]+)*"
_OR_ELSE = re.compile(rf"(?P<value>[\w.]+)\s*\?:\s*(?P<quote>['\"])(?P<default>{_WORDS})(?P=quote)")
# The first eight characters of the commit.
_SHORT_COMMIT = re.compile(r"(?:env\.)?GIT_COMMIT\??(?:\.take\(8\)|\.substring\(0,\s*8\)|\[0\.\.7\])")
_PARAMS = re.compile(r"params\.(\w+)|params\[['\"](\w+)['\"]\]")
# What a shell interprets in a value that Groovy inserts into a command, such as signs, or a variable that is set at the
# start; `${name.…}` is a reference of a config.
_INTERPRETED = re.compile(r"[\"'`\\<>|&;()\n]|\$(?!\{[\w-]+\.)|(?:^|\s)[#~]|(?<!\$)\{|^\s*(?:\w+=|!\s)")
# A variable that is all of a text in single quotes.
_WHOLE = re.compile(r"''\"(\$\{\w+(?::-[^}]*)?\})\"''")
# A reference of a config: `${name.…}` or `${.…}`.
_REFERENCE = re.compile(r"\$\{(?=[\w-]*(?:\[[^]]*\])?\.)")
# A variable that the shell reads.
_READ = re.compile(r"\$\{?([A-Za-z_]\w*)")
# The text that Groovy inserts for a variable without a value.
NULL = "null"


class ShellVariable(Struct):
    """A variable, or the status of a command; *default* replaces "". Perhaps nothing sets it unless *is_set*."""

    name: str
    default: str = ""
    is_set: bool = True
    is_status: bool = False

    @property
    def text(self) -> str:
        """The variable in a command."""
        return f"${{{self.name}:-{self.default}}}" if self.default else f"${{{self.name}}}"


class ConfigReference(Struct):
    """A reference of a config, without its braces; *default* replaces an empty value."""

    path: str
    default: str = ""

    @property
    def text(self) -> str:
        """The reference in a text."""
        return f"${{{self.path}|{self.default}}}" if self.default else f"${{{self.path}}}"


Meaning: TypeAlias = str | ShellVariable | ConfigReference


def parameter_path(name: str, inputs: Collection[str]) -> str:
    """Return the reference to the parameter *name*; only Jenkins has those that are not among *inputs*."""
    return f"inputs.{name}" if name in inputs else f"setup.params.{name}"


class JenkinsNames(Struct, kw_only=True):
    """The values of names.

    These are variables of `environment` with their constant values, *inputs* with whether they are booleans, other
    *parameters* of the build, *axes* of a matrix, constants of the file, and *defined* names of a `script` block;
    *images* of them are objects of `docker.build`, and it assigns those in *changing* again. *computed* are names that
    other Groovy of the file sets, *outside* those of them that no Groovy in the config sets. *values* are those of them
    that commands of the config set, *assigned* the ones that this stage sets. *groovy_env* are the variables of the
    environment that only Groovy sets (`env.NAME = …`), *late* those that it sets after the stage reads them. *split*
    are the names of values that are not always one word, by their references; *escaped* are the references and
    variables with a backslash in the value.
    """

    environment: Mapping[str, str | None]
    inputs: Mapping[str, bool]
    parameters: Collection[str]
    axes: Collection[str]
    constants: Mapping[str, str]
    defined: Mapping[str, tuple[Meaning, ...]] = field(default_factory=dict)
    images: Mapping[str, Sequence[Meaning]] = field(default_factory=dict)
    changing: Collection[str] = ()
    computed: Collection[str]
    outside: set[str]
    values: Mapping[str, ShellVariable | ConfigReference]
    assigned: Mapping[str, AssignedValue]
    groovy_env: Collection[str]
    late: Collection[str]
    split: Mapping[str, str]
    escaped: set[str]

    def with_definition(self, name: str, value: Value) -> JenkinsNames:
        """Return these names with *name* for *value*, which is inserted wherever it is read."""
        return replace(self, defined={**self.defined, name: tuple(self._parts(value))})

    def with_local(self, name: str, *, is_status: bool = False) -> JenkinsNames:
        """Return these names with *name* for a variable of the shell, in a `script` block."""
        return replace(self, defined={**self.defined, name: (ShellVariable(name, is_status=is_status),)})

    def with_image(self, name: str, image: Value) -> JenkinsNames:
        """Return these names with *name* for the object of an *image*, which no text can contain."""
        images = {**self.images, name: self.printed(image)}
        return replace(self, defined={**self.defined, name: ()}, images=images)

    def with_value(self, name: str) -> JenkinsNames:
        """Return these names with *name* for a variable of the shell, in the rest of the stage."""
        return replace(self, values={**self.values, name: ShellVariable(name)})

    def is_set(self, name: str) -> bool:
        """Return whether the file sets the variable *name* of the environment, or has a parameter for it."""
        return name in self.environment or name in self.inputs or name in self.parameters

    def is_variable(self, name: str) -> bool:
        """Return whether *name* is a variable of the environment, or another value of the build."""
        known = (self.environment, self.axes, _PREDEFINED, self.inputs, self.parameters)
        return any(name in names for names in known)

    def is_known(self, name: str) -> bool:
        """Return whether Groovy may read *name* with a value from outside its block."""
        return self.is_variable(name) or any(name in names for names in (self.constants, self.values, self.defined))

    @property
    def split_variables(self) -> Mapping[str, str]:
        """The variables by their references that a stage needs for a shell to split the values into words."""
        return {path: name for path, name in self.split.items() if name not in self.environment}

    def meaning(self, code: str) -> Meaning:
        """Return the value of the expression *code*; raise `UntranslatableError` for other Groovy."""
        if match := _ENV.fullmatch(code):
            return self._variable(match[1])
        if match := _PARAMS.fullmatch(code):
            name = match[1] or match[2]
            return ConfigReference(parameter_path(name, self.inputs))
        is_short_commit = _SHORT_COMMIT.fullmatch(code) and not self.is_set("GIT_COMMIT")
        if is_short_commit or code == "currentBuild.number":
            return ConfigReference("setup.shortCommit" if is_short_commit else "setup.run")
        if code in self.constants:
            return self.constants[code]
        if code in self.values:
            return self.values[code]
        if code in self.computed:
            raise UntranslatableError(f'it reads "{code}", which Groovy of this file sets')
        if self.is_variable(code):
            return self._variable(code)
        raise UntranslatableError(f"it contains Groovy: {shown(code)}")

    def _variable(self, name: str) -> ShellVariable | ConfigReference:
        if name in self.axes:
            return ConfigReference(f"matrix.{name}")
        if name in self.environment:
            return ShellVariable(name, is_set=name in _ALWAYS_SET or name not in self.late)
        if name in self.inputs or name in self.parameters:
            return ConfigReference(parameter_path(name, self.inputs))
        if name in SETUP:
            return ConfigReference(f"setup.{SETUP[name]}")
        return ShellVariable(name, is_set=name in _ALWAYS_SET)

    def word(self, value: Value | None) -> str:
        """Return *value* as a text with references, for a key that is read before the stage starts."""
        parts = self._parts(value)
        return "".join(_REFERENCE.sub("$${", part) if isinstance(part, str) else self._in_word(part) for part in parts)

    def plain_word(self, value: Value | None) -> str:
        """Return *value* for a key of plain text, in which a config replaces only values of a matrix."""
        parts = self._parts(value)
        references = [part.path for part in parts if isinstance(part, ConfigReference)]
        if not all(path.startswith("matrix.") for path in references):
            raise UntranslatableError("its text is known only at run time")
        return "".join(part if isinstance(part, str) else self._in_word(part) for part in parts)

    def _in_word(self, meaning: ShellVariable | ConfigReference) -> str:
        if isinstance(meaning, ConfigReference):
            return meaning.text
        constant = self.environment.get(meaning.name)
        if constant is None:
            raise UntranslatableError(f"the value of {meaning.name} is known only on the agent")
        return constant or meaning.default

    def variable(self, value: Value | None) -> str:
        """Return *value* for `env`, where `${NAME}` is a variable.

        Jenkins expands no other variables in `environment` and `withEnv` (`EnvironmentExpander.constant`).
        """
        text = ""
        for part in self._parts(value):
            if isinstance(part, str):
                if "${" in part:
                    raise UntranslatableError('a variable of a config cannot contain the text "${"')
                text += part
            elif isinstance(part, ShellVariable) and part.default:
                raise UntranslatableError("a variable of a config has no default for another one")
            else:
                text += part.text
        return text

    def unset(self, value: Value | None) -> list[str]:
        """Return the variables of the environment in *value* that may not be set."""
        return [part.name for part in self._parts(value) if isinstance(part, ShellVariable) and not part.is_set]

    def has_backslash(self, value: Value | None) -> bool:
        """Return whether what Groovy inserts into *value* has a backslash, as far as it is known."""
        parts = [part for part in self._parts(value) if not isinstance(part, str)]
        return any((part.path if isinstance(part, ConfigReference) else part.name) in self.escaped for part in parts)

    def is_escaped(self, value: Value | None) -> bool:
        """Return whether *value* has a backslash, or what Groovy inserts into it."""
        return self.has_backslash(value) or any("\\" in part for part in self._parts(value) if isinstance(part, str))

    def script(self, value: Value | None) -> str:
        """Return *value* as commands: what Groovy inserts becomes a variable of the shell, or a reference.

        Constant text that the shell interprets stays text.
        """
        result, parts = "", self.printed(value)
        self._check_own("".join(part for part in parts if isinstance(part, str)))
        changed = _changed_variables(parts, self.split_variables)
        for part, following in zip(parts, (*parts[1:], ""), strict=True):
            if isinstance(part, str):
                result += _REFERENCE.sub("$${", part)
            elif isinstance(part, ConfigReference):
                name = self.split_variables.get(part.path) if _is_word_of_its_own(result, following) else None
                result += part.text if name is None or name in changed else ShellVariable(name, part.default).text
            elif part.name in changed:
                raise UntranslatableError(f"its commands set {part.name}, whose former value Groovy inserts")
            else:
                result += self._inserted_variable(part, open_quote(result))
        return _WHOLE.sub(r'"\1"', result)

    def _check_own(self, text: str) -> None:
        """Raise `UntranslatableError` if the commands *text* read a variable that the script has only for Groovy."""
        for match in _READ.finditer(text):
            name = match[1]
            meaning = (self.defined.get(name) or (self.values.get(name),))[0]
            is_own = isinstance(meaning, ShellVariable) and meaning.name == name and not self.is_variable(name)
            start = setting_of(text, name) if is_own else 0
            if start is None or start > match.start():
                raise UntranslatableError(f"its commands read {name}, which only Groovy knows")

    def _inserted_variable(self, variable: ShellVariable, quote: str) -> str:
        """Return *variable* in a command, after an open *quote*."""
        text = self.environment.get(variable.name) or ""
        if not is_interpreted(text):
            return f"'\"{variable.text}\"'" if quote == "'" else variable.text
        if _REFERENCE.search(text):
            raise UntranslatableError(f"a shell interprets the value of {variable.name}")
        return text

    def shell_word(self, value: Value | None) -> str:
        """Return *value* as a word of the shell, which only expands what Groovy inserts."""
        return shell_word(self.printed(value))

    def printed(self, value: Value | None) -> list[Meaning]:
        """Return the parts of *value* as a text, in which Groovy writes "null" for a variable without a value."""
        return [self._or_null(part) for part in self._parts(value)]

    def _or_null(self, part: Meaning) -> Meaning:
        if not isinstance(part, ShellVariable) or part.default:
            return part
        # Jenkins removes a variable with the empty text (`EnvVars.overrideExpandingAll`).
        is_empty = self.environment.get(part.name) == ""
        return NULL if is_empty else part if part.is_set else replace(part, default=NULL)

    def _parts(self, value: Value | None) -> list[Meaning]:
        match value:
            case GroovyText():
                parts: list[Meaning] = []
                for part in value.parts:
                    parts += (part,) if isinstance(part, str) else self._inserted(part.text)
                return parts
            case GroovyPart():
                return list(self._inserted(value.text))
            case GroovyConstant():
                return [str(value.value).lower() if isinstance(value.value, bool) else str(value.value)]
            case GroovyList() | GroovyMap():
                raise UntranslatableError("a list is not text")
            case GroovyCall():
                raise UntranslatableError(f'"{value.name}" computes it')
        raise UntranslatableError("it is not text")

    def _inserted(self, code: str) -> tuple[Meaning, ...]:
        if match := _OR_ELSE.fullmatch(code):
            return (self._or_else(match["value"], match["default"]),)
        if self.defined.get(code) == ():
            raise UntranslatableError(f'"{code}" is not text')
        return self.defined[code] if code in self.defined else (self.meaning(code),)

    def _or_else(self, code: str, default: str) -> Meaning:
        """Return the value of the expression *code*, with *default* in place of an empty one."""
        value, *others = self._inserted(code)
        if others:
            raise UntranslatableError(f'"{code}" has several parts')
        if isinstance(value, str):
            return value or default
        if isinstance(value, ConfigReference) and self.inputs.get(value.path.removeprefix("inputs.")):
            raise UntranslatableError(f'"{code}" is a boolean')
        return replace(value, default=default)


def _changed_variables(parts: Sequence[Meaning], split: Mapping[str, str]) -> Collection[str]:
    """Return the variables of the commands *parts* that the commands set before Groovy inserts the former value.

    References to values in *split* can be variables.
    """
    text, offsets = "", dict[str, int]()
    for part in parts:
        name = split.get(part.path) if isinstance(part, ConfigReference) else getattr(part, "name", None)
        if name is not None:
            offsets[name] = len(text)
        text += part if isinstance(part, str) else f"${{{name}-}}"
    starts = {name: setting_of(text, name) for name in offsets}
    return {name for name, start in starts.items() if start is not None and start <= offsets[name]}


def _is_word_of_its_own(before: str, after: Meaning) -> bool:
    """Return whether a value between the commands *before* and the part *after* is a word, outside quotes."""
    is_begun, is_ended = re.search(r"(?:^|\s)\Z", before), isinstance(after, str) and re.match(r"[\s;&|)]|\Z", after)
    return bool(is_begun and is_ended) and "<<" not in before and not open_quote(before)


def is_interpreted(text: str) -> bool:
    """Return whether a shell that reads *text* as a part of a command sees more than words in it."""
    return _INTERPRETED.search(text) is not None


def quoted(text: str) -> str:
    """Return *text*, which can contain references and variables, as a word in double quotes for the shell."""
    return '"' + re.sub(r'["\\`]|\$(?!\{)', lambda match: f"\\{match[0]}", text) + '"'


def path_word(path: str) -> str:
    """Return *path*, which can contain references and variables, as a word for the shell."""
    return path if re.fullmatch(r"[\w./@%+:,-]+", path) else quoted(path)


def shell_word(parts: Sequence[Meaning]) -> str:
    """Return *parts* as a word of the shell; texts among them stay as they are."""
    text = "".join(part for part in parts if isinstance(part, str))
    if all(isinstance(part, str) for part in parts):
        is_plain = re.fullmatch(r"[\w./:,@%+-]+", text)
        return text if is_plain else "'" + _REFERENCE.sub("$${", text).replace("'", "'\\''") + "'"
    return '"' + "".join(map(_in_quotes, parts)) + '"'


def _in_quotes(part: Meaning) -> str:
    match part:
        case str():
            return _REFERENCE.sub("$${", re.sub(r'["\\`$]', r"\\\g<0>", part))
        case ConfigReference() | ShellVariable():
            return part.text


def shown(code: str) -> str:
    """Return the start of the Groovy *code* on one line, for a message."""
    line = " ".join(code.split())
    return line if len(line) <= 40 else f"{line[:37]}..."  # noqa: PLR2004
