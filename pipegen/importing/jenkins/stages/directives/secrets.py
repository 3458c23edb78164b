"""Credentials of Jenkins as secrets of a stage."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from itertools import count

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.reading.syntax import GroovyCall, GroovyList, GroovyMap, constant
from pipegen.importing.jenkins.reading.syntax import Value as GroovyValue
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.model.steps import is_variable_name
from pipegen.structs import Struct

# Symbols by class: https://www.jenkins.io/doc/pipeline/steps/credentials-binding/
_SYMBOLS = {
    "FileBinding": "file",
    "SSHUserPrivateKeyBinding": "sshUserPrivateKey",
    "StringBinding": "string",
    "UsernamePasswordBinding": "usernameColonPassword",
    "UsernamePasswordMultiBinding": "usernamePassword",
}
# Secrets of a config by the binding of Jenkins, and by the steps that take the ID of a credential.
_KINDS = {
    "file": "file",
    "sshUserPrivateKey": "ssh_key",
    "usernameColonPassword": "password",
    "usernamePassword": "password",
    "withDockerRegistry": "password",
    "withRegistry": "password",
}
# The ends of the variables of a secret with a user name and a password.
_PARTS = ("_USERNAME", "_PASSWORD")
_PASSWORD = re.compile(r"(\w+?)_?(USERNAME|USER|USR|LOGIN)", re.IGNORECASE)


class BoundSecret(Struct):
    """The secrets of a binding, and the commands that set its *variables* if the secrets have other names.

    A variable has the part of a credential that it gets. *settings* are the same variables as items of `withEnv`.
    """

    secrets: Mapping[str, Value]
    variables: Mapping[str, str]
    exports: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


@lru_cache
def kind_of(name: str, identifier: str, file: str) -> str:
    """Return the kind of the credential in the variable *name*, which the text *file* shows; "" if it does not.

    Another place can bind the credential, too, or log in to a registry with it.
    """
    if re.search(rf"\b{name}_(USR|PSW)\b", file):
        return "password"
    text = rf"['\"]{re.escape(identifier)}['\"]"
    bound = re.search(rf"\b(\w+)\s*\([^()]*\bcredentialsId:\s*{text}", file)
    login = re.search(rf"\b(withRegistry)\s*\([^(),]*,\s*{text}", file)
    return next((_KINDS[match[1]] for match in (bound, login) if match is not None and match[1] in _KINDS), "")


def bindings_of(value: GroovyValue) -> tuple[GroovyCall, ...]:
    """Return the bindings in the list *value* as calls; a map names the class of a binding."""
    items = value.items if isinstance(value, GroovyList) else (value,)
    return tuple(binding for item in items if (binding := _binding(item)) is not None)


def _binding(value: GroovyValue) -> GroovyCall | None:
    if not isinstance(value, GroovyMap):
        return value if isinstance(value, GroovyCall) else None
    name = next((constant(entry.value) for entry in value.entries if entry.name == "$class"), None)
    if name is None:
        return None
    name = name.rpartition(".")[2]
    first = value.entries[0].span
    return GroovyCall(name=_SYMBOLS.get(name, name), arguments=value.entries, block=None, span=first, whole=first)


def bind(call: GroovyCall, names: JenkinsNames, env: Container[str]) -> BoundSecret:
    """Return the secrets of a binding of `withCredentials`; raise `UntranslatableError` for other kinds.

    Its variables can be in *env*, the variables of the stage: then the secrets have other names.
    """
    arguments = {argument.name: names.word(argument.value) for argument in call.arguments if argument.name != "$class"}
    identifier, variable = arguments.pop("credentialsId", ""), arguments.pop("variable", "")
    if not identifier or "${" in identifier:
        raise UntranslatableError("the ID of a credential is known only at run time")
    match call.name:
        case "string":
            return of_one(variable, identifier, identifier, env)
        case "file":
            return of_one(variable, {"file": identifier}, identifier, env)
        case "usernamePassword":
            user, password_ = arguments.get("usernameVariable", ""), arguments.get("passwordVariable", "")
            return password(identifier, user, password_, env)
        case "usernameColonPassword":
            return _of_both(variable, identifier, env)
        case "sshUserPrivateKey" if not arguments.keys() - {"keyFileVariable"}:
            return of_one(arguments.get("keyFileVariable", ""), {"ssh_key": identifier}, identifier, env)
    raise UntranslatableError(f'a config has no secret of the kind "{call.name}"')


def login_secret(identifier: str, env: Container[str], secrets: Mapping[str, Value]) -> tuple[str, Mapping[str, Value]]:
    """Return the name of a secret for a login with the credential, and the secret; others are in *secrets*."""
    secret = {"password": identifier}
    for number in count(1):
        name = f"REGISTRY_LOGIN_{number}" if number > 1 else "REGISTRY_LOGIN"
        if secrets.get(name, secret) == secret and not any(f"{name}{part}" in env for part in _PARTS):
            break
    return name, {name: secret}


def of_one(variable: str, secret: Value, identifier: str, env: Container[str]) -> BoundSecret:
    """Return *secret*, whose credential is *identifier*, in *variable*, which can be in *env*, as for `bind`."""
    _check_variable(variable)
    if variable not in env:
        return BoundSecret({variable: secret}, {variable: identifier})
    name = _free_name(f"{variable}_SECRET", env)
    exports, settings = (f'export {variable}="${name}"',), (f'"{variable}=${{env.{name}}}"',)
    return BoundSecret({name: secret}, {variable: identifier}, exports, settings)


def _of_both(variable: str, identifier: str, env: Container[str]) -> BoundSecret:
    """Return the secret of a user name and a password, with a colon between them in *variable*."""
    _check_variable(variable)
    name = _free_name(f"{variable}_LOGIN", env, _PARTS)
    exports = (f'export {variable}="${{{name}_USERNAME}}:${{{name}_PASSWORD}}"',)
    settings = (f'"{variable}=${{env.{name}_USERNAME}}:${{env.{name}_PASSWORD}}"',)
    return BoundSecret({name: {"password": identifier}}, {variable: f"{identifier}: both"}, exports, settings)


def password(identifier: str, user: str, password_: str, env: Container[str] = ()) -> BoundSecret:
    """Return the secret of a user name and a password in the variables *user* and *password_*.

    Either can be in *env*, as for `bind`.
    """
    if not user or not password_:
        raise UntranslatableError("a password has a variable for the user name, and one for the password")
    _check_variable(user)
    _check_variable(password_)
    variables = {user: f"{identifier}: user name", password_: f"{identifier}: password"}
    match = _PASSWORD.fullmatch(user)
    prefix = match[1] if match else user
    is_taken = any(variable in env for variable in (*variables, *(f"{prefix}{part}" for part in _PARTS)))
    if not is_taken and (user, password_) == (f"{prefix}_USERNAME", f"{prefix}_PASSWORD"):
        return BoundSecret({prefix: {"password": identifier}}, variables)
    name = prefix if match and not is_taken else _free_name(f"{prefix}_LOGIN", env, _PARTS)
    exports = (f'export {user}="${name}_USERNAME" {password_}="${name}_PASSWORD"',)
    settings = (f'"{user}=${{env.{name}_USERNAME}}"', f'"{password_}=${{env.{name}_PASSWORD}}"')
    return BoundSecret({name: {"password": identifier}}, variables, exports, settings)


def _check_variable(name: str) -> None:
    if not is_variable_name(name):
        raise UntranslatableError("a credential has no variable that the shell can read")


def _free_name(name: str, env: Container[str], parts: Iterable[str] = ("",)) -> str:
    """Return *name* with underscores after it, so many that no variable in *env* is that name with one of *parts*."""
    ends = tuple(parts)
    while any(f"{name}{end}" in env for end in ends):
        name += "_"
    return name
