"""Variables of `environment` as variables, secrets and commands of a stage."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.syntax import GroovyArgument, GroovyAssignment, GroovyCall, constant
from pipegen.importing.jenkins.stages.directives.secrets import kind_of, of_one, password
from pipegen.importing.jenkins.stages.kept import (
    expression_of,
    first_read,
    read_items,
    reads,
    setting,
    variable,
    with_values,
    words,
)
from pipegen.importing.jenkins.stages.scripts.assignments import printing_command
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.importing.untranslatable import UntranslatableError

# Characters that the shell interprets in double quotes.
_SPECIAL = re.compile(r'[\\"`]|\$(?!\{)')

# Names that Groovy looks up as variables of the build; these are classes that it knows.
_VARIABLE = re.compile(r"(?!(?:UUID|URI|URL)$)[A-Z_][A-Z0-9_]+")
# A name that Groovy calls, or a parameter of a closure.
_FUNCTION = re.compile(r"\b(\w+)\s*(?=\(|(?:,\s*\w+\s*)*->)")
_READ = re.compile(r"\$\{(\w+)\}")

# Variables that programs read without being named in the script.
_OF_PROGRAMS = re.compile(
    r"PATH|HOME|LANG|LC_ALL|TZ|CI|LD_LIBRARY_PATH|PYTHONPATH|KUBECONFIG|GOROOT|GOPATH|GOFLAGS|GOPROXY|NODE_(?:ENV|PATH)"
    r"|(?:JAVA|JDK|JRE|M2|M3|MAVEN|GRADLE|GRADLE_USER|ANT|ANDROID|NODE|SPARK)_(?:HOME|OPTS|ARGS|OPTIONS)|JAVA_TOOL_OPTIONS"
    r"|ANDROID_SDK_ROOT|DOCKER_(?:HOST|CONFIG|BUILDKIT|CONTEXT)|(?:AWS|TF|NPM_CONFIG|PIP)_\w+"
)
# Steps that run programs.
_PROGRAM = re.compile(r"\b(?:sh|bat|powershell|pwsh)\b")

# The length of an expression from which it is not a part of others.
_LONGEST = 1000


class EnvironmentReader:
    """Reads the blocks `environment` of a stage with the text *stage*, in a file with the text *file*."""

    def __init__(self, file: str, names: JenkinsNames, work: StageWork, marks: Marks, stage: str) -> None:
        self.env: dict[str, Value] = {}
        # Variables of the blocks around.
        self._outer: dict[str, Value] = {}
        # The block steps for variables whose values Groovy computes.
        self._blocks: dict[str, str] = {}
        # Expressions for the variables that only Groovy computes, as others read them; None if there is none.
        self._values: dict[str, str | None] = {}
        # Variables that commands of the script set, with these.
        self._commands: dict[str, tuple[GroovyAssignment, str]] = {}
        self._file = file
        self._names = names
        self._work = work
        self._marks = marks
        self._stage = stage

    def read(self, call: GroovyCall) -> None:
        """Read the block of *call*."""
        self._marks.translated(call)
        self._outer = dict(self.env)
        # Groovy in a block inside reads the variables as texts.
        self._values = {name: value and _as_text(value) for name, value in self._values.items()}
        for statement in call.block.statements if call.block is not None else ():
            if not isinstance(statement, GroovyAssignment):
                self._marks.left_out(statement, "a config has no Groovy")
                continue
            try:
                self._variable(statement)
                self._marks.all(statement)
                is_known = constant(statement.value) != ""  # Jenkins does not set an empty one
            except UntranslatableError as error:
                self._computed(statement, str(error))
                is_known = False
            if is_known:
                self._values.pop(statement.name, None)
            else:
                self._values[statement.name] = self._value(statement)
        self.env = _in_order(self.env)

    def _value(self, assignment: GroovyAssignment) -> str | None:
        """Return *assignment* as an expression, which Jenkins evaluates wherever Groovy of the block reads it."""
        expression = expression_of(assignment) if _credential(assignment) is None else None
        text = self._with_values(expression) if expression is not None else None
        return text if text is not None and len(text) <= _LONGEST and "\n" not in text else None

    def _with_values(self, text: str) -> str | None:
        """Return the Groovy *text* with the values of variables in place of these; None if one has no expression.

        Values in a block can be objects, but those of blocks around the steps are texts. In `environment`, a variable
        that is not set is null; elsewhere, Groovy fails to read one by its name alone.
        """
        known = {name: value for name, value in self._values.items() if value is not None}
        own = {*self.env, *self._commands, *self._blocks, *self._values, *self._names.computed, *self._names.constants}
        own.update(_FUNCTION.findall(text))
        variables = {name: f"env.{name}" for name in words(text) - own if _VARIABLE.fullmatch(name)}
        replaced = with_values(text, {**variables, **known})
        return None if first_read(text, self._values.keys() - known.keys()) else replaced

    def _variable(self, assignment: GroovyAssignment) -> None:
        value, name = assignment.value, assignment.name
        if (argument := _credential(assignment)) is not None:
            identifier = constant(argument.value)
            if identifier is None:
                raise UntranslatableError("the ID of a credential is known only at run time")
            self._credentials(name, identifier)
        elif (call := printing_command(value)) is not None and call.name == "sh":
            text_of_command = call.argument("script")
            command = self._names.script(text_of_command.value if text_of_command is not None else None)
            export = f'{name}="$({command})"\nexport {name}'
            self._commands[name] = assignment, export
            self._work.environment_commands.append((call, export, setting(assignment)))
            self._work.exports.append(export)
            self._work.settings.append(setting(assignment) or "")
        elif (text := self._names.variable(value)) != f"${{{name}}}":
            self._report_unset(assignment)
            replaced = self._replaced(name, text)
            computed = set(map(variable, self._work.settings))
            blocks = [block for other, block in self._blocks.items() if f"${{{other}}}" in replaced]
            if blocks and not self._is_read(name):
                return
            computed |= self._blocks.keys()
            for block in blocks:
                self._wrap(block)
            # It follows the variables of outer blocks, which it may read.
            self.env.pop(name, None)
            if name in computed or any(f"${{{other}}}" in replaced for other in computed):
                # Variables of `env` are set before commands set that variable. Steps of Jenkins know it in their way.
                word = _SPECIAL.sub(r"\\\g<0>", replaced)
                self._work.exports.append(f'export {name}="{word}"')
                self._work.settings.append(setting(assignment) or "")
            else:
                self.env[name] = replaced

    def _report_unset(self, assignment: GroovyAssignment) -> None:
        """Report variables in the value of *assignment* that may not be set."""
        for name in self._names.unset(assignment.value):
            self._marks.differs(
                assignment.span,
                f'"env.{name}" in the value of {assignment.name} is "null" if nothing sets it; here it is empty',
                "check that it is set",
            )

    def _replaced(self, name: str, text: str) -> str:
        """Return *text*, the value of *name*, which replaces one of a block around, with that value in it.

        Variables of the blocks around keep their values, too.
        """
        outer = self._outer.get(name)
        if not isinstance(outer, str):
            return text
        for other, value in self.env.items():
            if other in self._outer and other != name and isinstance(value, str):
                self.env[other] = value.replace(f"${{{name}}}", outer)
        return text.replace(f"${{{name}}}", outer)

    def _credentials(self, name: str, identifier: str) -> None:
        """Bind a credential, whose kind shows in how its variables are read."""
        kind = kind_of(name, identifier, self._file)
        taken = (name, f"{name}_USR", f"{name}_PSW") if self._reads_outer(name) else ()
        if kind != "password":
            bound = of_one(name, {kind: identifier} if kind else identifier, identifier, taken)
        else:
            bound = password(identifier, f"{name}_USR", f"{name}_PSW", taken)
        exports, settings = [*bound.exports], [*bound.settings]
        if kind == "password" and _is_read(name, self._file):
            secret = next(iter(bound.secrets))
            exports.append(f'export {name}="${{{name}_USR}}:${{{name}_PSW}}"')
            settings.append(f'"{name}=${{env.{secret}_USERNAME}}:${{env.{secret}_PASSWORD}}"')
        self._work.secrets |= bound.secrets
        if taken or not set(exports) <= set(self._work.exports):
            self._work.exports += exports
            self._work.settings += settings

    def _reads_outer(self, name: str) -> bool:
        """Return whether another variable reads the credential that a block around binds to *name*."""
        own = f"export {name}="
        texts = (*map(str, self.env.values()), *(text for text in self._work.exports if not text.startswith(own)))
        read = re.compile(rf"\$\{{?{name}(?:_USR|_PSW)?\b")
        return name in self._work.secrets and any(read.search(text) for text in texts)

    def _computed(self, assignment: GroovyAssignment, reason: str) -> None:
        """Keep a variable whose value Groovy computes, around the steps of the stages that name it."""
        argument = _credential(assignment)
        item = setting(assignment) if argument is None else _bindings(assignment.name, argument.span.text, self._file)
        item = self._with_values(item) if item is not None else None
        if item is None or first_read(item, self._names.outside) or self._reads_lines(item):
            self._marks.left_out(assignment, reason)
            return
        block = f"{'withEnv' if argument is None else 'withCredentials'}([{item}])"
        variables = [assignment.name, *(f"{assignment.name}{part}" for part in ("_USR", "_PSW") if f"{part}'" in block)]
        self._blocks |= dict.fromkeys(variables, block)
        is_of_program = _OF_PROGRAMS.fullmatch(assignment.name) and _PROGRAM.search(self._stage)
        if is_of_program or any(re.search(rf"\b{name}\b", self._stage) for name in variables):
            self._wrap(block)
        self._marks.raw(assignment, "the environment", reason)

    def _reads_lines(self, item: str) -> bool:
        """Return whether *item* of `withEnv` reads a variable of a command with several lines."""
        return any(reads(item, name) for name, (command, _) in self._commands.items() if setting(command) is None)

    def _wrap(self, block: str) -> None:
        """Put *block* around the steps, inside those for variables of the script that it reads."""
        if block in self._work.wrap:
            return
        for item in read_items(block, self._work.settings):
            self._wrap_item(item)
        self._work.wrap.append(block)

    def _wrap_item(self, item: str) -> None:
        name, around = variable(item), f"withEnv([{item}])"
        if name in self._commands:
            # The command runs only once.
            assignment, export = self._commands.pop(name)
            self._work.exports.remove(export)
            self._work.settings.remove(item)
            self._blocks[name] = around
            self._marks.raw(assignment, "the environment", "Groovy of another variable reads it")
        self._work.wrap.append(around)

    def _is_read(self, name: str) -> bool:
        """Return whether the stage names the variable *name*, or the value of another one contains it."""
        value = rf"\w+\s*=\s*\"[^\"\n]*\$\{{?(?:env\.)?{name}\b"
        return re.search(rf"\b{name}\b", self._stage) is not None or re.search(value, self._file) is not None


def _credential(assignment: GroovyAssignment) -> GroovyArgument | None:
    """Return the ID of the credential that *assignment* binds, None if it binds none."""
    value = assignment.value
    return value.argument("") if isinstance(value, GroovyCall) and value.name == "credentials" else None


def _bindings(name: str, identifier: str, file: str) -> str | None:
    """Return the bindings of the credential with the Groovy text *identifier* to *name*, read in the text *file*."""
    if "\n" in identifier:
        return None
    if kind_of(name, identifier, file) != "password":
        return f"string(credentialsId: {identifier}, variable: '{name}')"
    parts = f"usernameVariable: '{name}_USR', passwordVariable: '{name}_PSW'"
    both = f", usernameColonPassword(credentialsId: {identifier}, variable: '{name}')" if _is_read(name, file) else ""
    return f"usernamePassword(credentialsId: {identifier}, {parts}){both}"


def _is_read(name: str, file: str) -> bool:
    """Return whether the text *file* reads the variable *name* itself, not only its parts."""
    return re.search(rf"\${{?[#!]?{name}\b", file) is not None


def _as_text(expression: str) -> str:
    return expression if expression.startswith('"') else f"{expression}.toString()"


def _in_order(env: Mapping[str, Value]) -> dict[str, Value]:
    """Return *env* with each variable after those in its value: Jenkins evaluates a value where another reads it."""
    result: dict[str, Value] = {}
    pending, begun = [*env][::-1], set[str]()
    while pending:
        name = pending[-1]
        read = [] if name in begun else _READ.findall(str(env[name]))
        begun.add(name)
        before = [other for other in read if other in env and other not in begun]
        if before:
            pending += reversed(before)
        else:
            result.setdefault(pending.pop(), env[name])
    return result
