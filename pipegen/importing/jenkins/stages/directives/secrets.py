"""Credentials of Jenkins as secrets of a stage."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.reading.syntax import GroovyCall, GroovyList, GroovyMap, constant
from pipegen.importing.jenkins.reading.syntax import Value as GroovyValue
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import Struct

# Symbols by class: https://www.jenkins.io/doc/pipeline/steps/credentials-binding/
_SYMBOLS = {
    "FileBinding": "file",
    "SSHUserPrivateKeyBinding": "sshUserPrivateKey",
    "StringBinding": "string",
    "UsernamePasswordBinding": "usernameColonPassword",
    "UsernamePasswordMultiBinding": "usernamePassword",
}
_PASSWORD = re.compile(r"(\w+?)_?(USERNAME|USER|USR|LOGIN)", re.IGNORECASE)


class BoundSecret(Struct):
    """The secrets of a binding, and the commands that set its *variables* if the secrets have other names.

    *settings* are the same variables as items of `withEnv`.
    """

    secrets: Mapping[str, Value]
    variables: tuple[str, ...]
    exports: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


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
            return _of_one(variable, identifier, env)
        case "file":
            return _of_one(variable, {"file": identifier}, env)
        case "usernamePassword":
            user, password_ = arguments.get("usernameVariable", ""), arguments.get("passwordVariable", "")
            return password(identifier, user, password_, env)
        case "usernameColonPassword":
            both = f'export {variable}="${{{variable}_LOGIN_USERNAME}}:${{{variable}_LOGIN_PASSWORD}}"'
            pair = f'"{variable}=${{env.{variable}_LOGIN_USERNAME}}:${{env.{variable}_LOGIN_PASSWORD}}"'
            return BoundSecret({f"{variable}_LOGIN": {"password": identifier}}, (variable,), (both,), (pair,))
        case "sshUserPrivateKey" if not arguments.keys() - {"keyFileVariable"}:
            return _of_one(arguments["keyFileVariable"], {"ssh_key": identifier}, env)
    raise UntranslatableError(f'a config has no secret of the kind "{call.name}"')


def _of_one(variable: str, secret: Value, env: Container[str]) -> BoundSecret:
    if variable not in env:
        return BoundSecret({variable: secret}, (variable,))
    name = f"{variable}_SECRET"
    return BoundSecret(
        {name: secret}, (variable,), (f'export {variable}="${name}"',), (f'"{variable}=${{env.{name}}}"',)
    )


def password(identifier: str, user: str, password_: str, env: Container[str] = ()) -> BoundSecret:
    """Return the secret of a user name and a password in the variables *user* and *password_*.

    Either can be in *env*, as for `bind`.
    """
    if not user or not password_:
        raise UntranslatableError("a password has a variable for the user name, and one for the password")
    match, both = _PASSWORD.fullmatch(user), (user, password_)
    prefix = match[1] if match else user
    is_taken = any(variable in env for variable in (*both, f"{prefix}_USERNAME", f"{prefix}_PASSWORD"))
    if not is_taken and both == (f"{prefix}_USERNAME", f"{prefix}_PASSWORD"):
        return BoundSecret({prefix: {"password": identifier}}, both)
    name = prefix if match and not is_taken else f"{prefix}_LOGIN"
    exports = (f'export {user}="${name}_USERNAME" {password_}="${name}_PASSWORD"',)
    settings = (f'"{user}=${{env.{name}_USERNAME}}"', f'"{password_}=${{env.{name}_PASSWORD}}"')
    return BoundSecret({name: {"password": identifier}}, both, exports, settings)
