"""Texts with variables of GitLab as texts of a config."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from types import MappingProxyType

from pipegen.bindings.script.lexer import lex
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.sharing import MOST_CHARACTERS
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.model.retention import IN_PATHS, may_be_checkout
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import entries_of, scalars
from pipegen.structs import Struct

_VARIABLE = re.compile(r"\$\$|\$(\w+)|\$\{(\w+)\}", re.ASCII)
# A reference of a config: `${name.…}` or `${.…}`.
_REFERENCE = re.compile(r"\$\{(?=([A-Za-z0-9_-]*)(?:\[[^]]*\])?\.)")
_SOURCE_BRANCH = "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"
_SETUP = {
    "CI_COMMIT_SHA": "commit",
    "CI_COMMIT_SHORT_SHA": "shortCommit",
    "CI_COMMIT_TAG": "tag",
    "CI_DEFAULT_BRANCH": "defaultBranch",
    "CI_MERGE_REQUEST_IID": "changeRequest",
    _SOURCE_BRANCH: "sourceBranch",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "targetBranch",
    "CI_PROJECT_NAME": "projectShortName",
    "CI_PROJECT_PATH": "project",
    "GITLAB_USER_LOGIN": "actor",
}
_NAMESPACES = frozenset({"setup", "inputs", "matrix", "pipeline", ""})
_MOST_LEVELS = 20
# Stands for the folder of the checkout.
_CHECKOUT = "\0"


class JobTexts(Struct, kw_only=True):
    """The variables of a job: *axes* are those of its matrix, with references, *inputs* are inputs of the config.

    *constants* are the others with a value that does not depend on the run; rules and raw matrices set those
    *of_engine*. *stages* are the names of all stages. *outputs* are values of dotenv reports, with references.
    """

    axes: Mapping[str, str]
    inputs: Collection[str]
    constants: Mapping[str, str]
    variables: Mapping[str, Variable]
    stages: Collection[str]
    of_engine: Collection[str]
    outputs: Mapping[str, str]

    def expanded(self, text: str) -> str:
        """Return *text*, in which GitLab expands variables, as a text with references.

        Past a number of characters, variables that contain others become references to themselves. Raise
        `UntranslatableError` for `${NAME:-default}`, which GitLab does not leave as it is.
        """
        rest = MOST_CHARACTERS

        def value(name: str, level: int) -> str:
            nonlocal rest
            if name in self.axes:
                return self.axes[name]
            if name in self.outputs:
                return self.outputs[name]
            if name in self.inputs:
                return f"${{inputs.{name}}}"
            variable = self.variables.get(name) if name not in self.of_engine else None
            constant = self.constants.get(name)
            if variable is not None and not variable.is_expanded:
                constant = variable.text
            rest -= len(constant if constant is not None else variable.text if variable is not None else name)
            if rest > 0 and constant is not None:
                return constant
            if rest > 0 and variable is not None and level < _MOST_LEVELS and name not in names_in(variable.text):
                return _replaced(variable.text, lambda inner: value(inner, level + 1))
            return f"${{setup.{_SETUP.get(name, f'params.{name}')}}}"

        result = _replaced(text, lambda name: value(name, 0))
        if has_expansion_of_shells(text) or any(
            has_expansion_of_shells(self.variables[name].text) for name in names_in(text) if name in self.variables
        ):
            raise UntranslatableError(f'"{text}" contains "${{" without the name of a variable')
        return result

    def name(self, text: str) -> str:
        """Return *text* for a name or the key of a cache: `setup.sourceBranch` would be a slug in it."""
        return self.expanded(text).replace("${setup.sourceBranch}", f"${{setup.params.{_SOURCE_BRANCH}}}")

    def constant(self, text: str, use: str) -> str:
        """Return *text* with the values of its variables; raise `UntranslatableError` if one is not constant."""
        rest = MOST_CHARACTERS

        def value(name: str) -> str:
            nonlocal rest
            if name in self.axes:
                return self.axes[name]
            if name not in self.constants:
                raise UntranslatableError(f"{use} contains ${name}")
            rest -= len(self.constants[name])
            if rest < 0:
                raise UntranslatableError(f"{use} is longer than {MOST_CHARACTERS:,} characters")
            return self.constants[name]

        return _replaced(text, value)

    def path(self, text: str, *, has_values: bool = False) -> str:
        """Return the path *text* relative to the checkout; raise `UntranslatableError` if it is not constant.

        With *has_values*, the path may contain the setup values that engines insert into paths.
        """
        rest = MOST_CHARACTERS

        def value(name: str, level: int) -> str:
            nonlocal rest
            if name in self.axes:
                return self.axes[name]
            known = _CHECKOUT if name == "CI_PROJECT_DIR" else self.constants.get(name)
            variable = self.variables.get(name) if name not in (*self.of_engine, *self.inputs) else None
            setup = _SETUP.get(name) if name not in self.variables else None
            if known is None and has_values and setup in IN_PATHS:
                return f"${{setup.{setup}}}"
            if known is None and (variable is None or level > _MOST_LEVELS or name in names_in(variable.text)):
                raise UntranslatableError(f"a path contains ${name}")
            rest -= len(known if known is not None else variable.text if variable is not None else "")
            if rest < 0:
                raise UntranslatableError(f"a path is longer than {MOST_CHARACTERS:,} characters")
            if known is not None or variable is None:
                return known or ""
            return _replaced(variable.text, lambda inner: value(inner, level + 1))

        # A folder in a variable may end with a slash.
        path = re.sub("//+", "/", _replaced(text, lambda name: value(name, 0)))
        if path.rstrip("/") == _CHECKOUT:
            return "./"
        relative = path.removeprefix(f"{_CHECKOUT}/")
        if _CHECKOUT in relative or (has_values and may_be_checkout(relative)):
            raise UntranslatableError(f'the path "{text}"')
        return relative

    def env(self, variable: Variable) -> str:
        """Return the value of *variable* for `env`."""
        if not variable.is_expanded:
            return variable.text
        return with_variables(variable.text, self.axes)

    def script(self, text: str) -> str:
        """Return the command *text* so that nothing in it is a reference; raise `UntranslatableError` if it cannot be.

        In `"$${build.x}"`, the shell reads `$$`, and then what would be a reference of a config.
        """
        read = self._references(text) if has_reference(text) else None

        def escaped(match: re.Match[str]) -> str:
            return "$${" if self._is_known(match[1]) and (read is None or match.start() in read) else match[0]

        result = _REFERENCE.sub(escaped, text)
        for reference in lex(result, self.stages)[0].references if result != text else ():
            if self._is_known(reference.match["namespace"]) and not reference.match["escape"]:
                raise UntranslatableError(f'"{result[reference.start : reference.end]}" would be a reference')
        return result

    def _is_known(self, namespace: str) -> bool:
        return namespace in self.stages or namespace in _NAMESPACES

    def _references(self, text: str) -> Collection[int] | None:
        """Return where the command *text* has references, None if the lexer cannot read all of it.

        There are none after a backslash, or in a comment.
        """
        lexed, error = lex(text, self.stages)
        starts = {reference.start + len(reference.match["escape"]) for reference in lexed.references}
        return starts if error is None else None


def has_reference(text: str) -> bool:
    """Return whether a part of *text* would be a reference in a config."""
    return _REFERENCE.search(text) is not None


def has_expansion_of_shells(text: str) -> bool:
    """Return whether *text* contains `${` without the name of a variable, such as `${NAME:-default}`.

    In texts that GitLab's runner expands, it takes all up to the brace for the name of a variable that is not set.
    """
    return "${" in _VARIABLE.sub(" ", text)


def _replaced(text: str, value: Callable[[str], str]) -> str:
    """Return *text* with the *value* of each variable."""
    return _VARIABLE.sub(lambda match: "$" if match[0] == "$$" else value(match[1] or match[2]), text)


def with_variables(text: str, axes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return *text*, in which GitLab expands variables, as the text of a variable in `env` with *axes* of a matrix."""
    return _replaced(text, lambda name: axes.get(name, f"${{{name}}}"))


def with_values(text: str, variables: Mapping[str, Variable]) -> str:
    """Return *text* with the values of *variables*; others stay variables.

    Raise `UntranslatableError` if the text becomes too long.
    """
    rest = MOST_CHARACTERS

    def value(match: re.Match[str], level: int) -> str:
        nonlocal rest
        name = match[1] or match[2]
        variable = variables.get(name)
        if variable is None:
            return match[0]
        rest -= len(variable.text)
        if rest < 0 or level > _MOST_LEVELS or not variable.is_expanded:
            raise UntranslatableError(f"a text contains ${name}")
        return _VARIABLE.sub(lambda inner: value(inner, level + 1), variable.text)

    return _VARIABLE.sub(lambda match: value(match, 0), text)


def with_references(text: str) -> str:
    """Return *text* with a reference to a value of the run in place of each variable."""
    return _replaced(text, lambda name: f"${{setup.{_SETUP.get(name, f'params.{name}')}}}")


def file_constants(source: SourcePipeline, inputs: Collection[str]) -> dict[str, str]:
    """Return the variables of the file without other variables in their values, except *inputs*, by name."""
    return {
        name: variable.text
        for name, variable in source.variables.items()
        if name not in inputs and not (variable.is_expanded and "$" in variable.text)
    }


def constants(job: SourceJob, axes: Collection[str], inputs: Collection[str]) -> dict[str, str]:
    """Return the variables of *job* whose values do not depend on the run, by name."""
    known: dict[str, str | None] = {
        "CI_JOB_STAGE": job.stage,
        **dict.fromkeys(rule_variables(job)),
    }
    if job.get("parallel") is None:
        known["CI_JOB_NAME"] = job.name

    def value(name: str, level: int) -> str | None:
        if name in known:
            return known[name]
        variable = job.variables.get(name)
        if variable is None or name in axes or name in inputs or level > _MOST_LEVELS:
            return None
        known[name] = None  # a variable that contains itself
        if not variable.is_expanded:
            known[name] = variable.text
            return variable.text
        parts = {inner: value(inner, level + 1) for inner in names_in(variable.text)}
        lengths = (len(parts.get(match[1] or match[2]) or "") for match in _VARIABLE.finditer(variable.text))
        if all(part is not None for part in parts.values()) and sum(lengths) <= MOST_CHARACTERS:
            known[name] = _replaced(variable.text, lambda inner: parts[inner] or "")
        return known[name]

    for name in job.variables:
        value(name, 0)
    return {name: text for name, text in known.items() if text is not None}


def names_in(text: str) -> tuple[str, ...]:
    """Return the names of the variables in *text*, in order."""
    return tuple(dict.fromkeys(match[1] or match[2] for match in _VARIABLE.finditer(text) if match[0] != "$$"))


def constant_part(text: str) -> str:
    """Return *text* without its variables."""
    return _replaced(text, lambda _: "")


def read_by_rules(job: SourceJob) -> frozenset[str]:
    """Return the names of the variables in the texts of the rules of *job*."""
    rules = job.get("rules")
    texts = scalars(rules) if rules is not None else ()
    return frozenset(name for scalar in texts for name in names_in(scalar.text))


@lru_cache(maxsize=10_000)
def rule_variables(job: SourceJob) -> tuple[str, ...]:
    """Return the names of the variables that rules of *job* set."""
    rules = (rule for rule in flat_items(job.get("rules")) if isinstance(rule, TreeMapping))
    return tuple(entry.key.text for rule in rules for entry in entries_of(rule.get("variables")))


def names_in_values(job: SourceJob) -> dict[str, tuple[str, ...]]:
    """Return the variables in the values that *job* and its rules give to each of its variables."""
    names = {name: names_in(variable.text) if variable.is_expanded else () for name, variable in job.variables.items()}
    for rule in flat_items(job.get("rules")):
        for entry in entries_of(rule.get("variables")) if isinstance(rule, TreeMapping) else ():
            names[entry.key.text] = (*names.get(entry.key.text, ()), *names_in(text_of(entry.value)))
    return names
