"""The methods that a Jenkinsfile uses, compared with those that Jenkins' sandbox permits without approval."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engines.jenkins_jvm import run_java

_LIST = Path(__file__).parent / "jenkins" / "permitted.txt"
_SECONDS = 60
_NEEDED = re.compile(r"^// Needs the plugins? (.*)\.$", re.MULTILINE)
# The other types of a value: a signature of any of these is a signature of the value's own type.
_ALSO = {
    "java.lang.String": ("java.lang.CharSequence",),
    "groovy.lang.GString": ("java.lang.String", "java.lang.CharSequence"),  # its methods are those of the string
    "java.util.List": ("java.util.Collection",),
    "java.util.Set": ("java.util.Collection",),
    "groovy.lang.Closure": ("java.util.concurrent.Callable",),
    "int": ("java.lang.Number",),
    "long": ("java.lang.Number",),
    "hudson.AbortException": ("java.lang.Throwable",),
    "java.io.IOException": ("java.lang.Throwable",),
}
# Classes whose static methods Groovy offers as methods of their first argument.
_EXTENSIONS = "org.codehaus.groovy.runtime."
_UNKNOWN = "?"


@dataclass(frozen=True)
class Uses:
    """The uses in one file, as words of `validator.Uses`; *own* are its functions and fields."""

    words: tuple[str, ...]
    own: frozenset[str]
    plugins: frozenset[str]


@dataclass(frozen=True)
class Permitted:
    """The list: *methods* and *statics* as class, name and number of arguments; words with their plugin."""

    methods: frozenset[tuple[str, str, int]]
    statics: frozenset[tuple[str, str, int]]
    constructors: frozenset[tuple[str, int]]
    names: Mapping[str, tuple[str, str]]
    keys: frozenset[str]
    steps: Mapping[str, frozenset[str]]


def uses(texts: Mapping[str, str]) -> dict[str, Uses]:
    """Return the uses of each of *texts*; all in one JVM."""
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder, "request.json"), Path(folder, "answer.json")
        request.write_text(json.dumps({"texts": dict(texts)}), "utf-8")
        run_java("validator.Uses", str(request), str(answer), seconds=_SECONDS + len(texts))
        data = json.loads(answer.read_text("utf-8"))
    return {
        name: Uses(tuple(data[name]["uses"]), frozenset(data[name]["own"]), _plugins(text))
        for name, text in texts.items()
    }


def _plugins(text: str) -> frozenset[str]:
    """Return the plugins in the header of a file."""
    return frozenset(plugin for line in _NEEDED.findall(text) for plugin in re.split(r", | and ", line))


@cache
def permitted() -> Permitted:
    """Return the list."""
    lines = [line.split() for line in _LIST.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    methods, statics = set(), set()
    steps: dict[str, set[str]] = {}
    for kind, *rest in lines:
        if kind == "method":
            methods.add((rest[0], rest[1], len(rest) - 2))
        elif kind == "staticMethod" and rest[0].startswith(_EXTENSIONS):
            methods.add((rest[2], rest[1], len(rest) - 3))
        elif kind == "staticMethod":
            statics.add((rest[0], rest[1], len(rest) - 2))
        elif kind in {"step", "plugin"}:
            plugin, words = ("", rest) if kind == "step" else (rest[0], rest[1:])
            for word in words:
                steps.setdefault(word, set()).add(plugin)
    return Permitted(
        methods=frozenset(methods),
        statics=frozenset(statics),
        constructors=frozenset((rest[0], len(rest) - 1) for kind, *rest in lines if kind == "new"),
        names={rest[0]: (rest[1], "".join(rest[2:])) for kind, *rest in lines if kind == "global"},
        keys=frozenset(word for kind, *rest in lines if kind == "key" for word in rest),
        steps={word: frozenset(plugins) for word, plugins in steps.items()},
    )


def refused(used: Uses) -> tuple[str, ...]:
    """Return the uses in *used* that are not on the list."""
    return tuple(word for word in used.words if not _is_permitted(word.split(" "), used))


def _is_permitted(word: list[str], used: Uses) -> bool:
    match word:
        case ["call" | "global", name]:
            return name in used.own or bool(_plugins_of(*word) & {"", *used.plugins})
        case ["new", type_, count]:
            return (type_, int(count)) in permitted().constructors
        case ["static", type_, name, count]:
            return (type_, name, int(count)) in permitted().statics
        case ["method", type_, name, count]:
            return _has_method(type_, name, int(count))
        case ["property", type_, name]:
            return _has_property(type_, name)
    return False


def _plugins_of(kind: str, name: str) -> frozenset[str]:
    """Return the plugins that provide a step or a global name, "" for that of any Jenkins with pipelines."""
    known = permitted()
    if kind == "call":
        return known.steps.get(name, frozenset())
    # Variables of the build, and the words after `agent`.
    if name.startswith("PIPEGEN_") or name in {"any", "none"}:
        return frozenset([""])
    return frozenset([known.names[name][1]] if name in known.names else ())


def _has_method(type_: str, name: str, count: int) -> bool:
    classes = _classes(type_)
    return any(
        method[1:] == (name, count) and (type_ == _UNKNOWN or method[0] in classes) for method in permitted().methods
    )


def _has_property(type_: str, name: str) -> bool:
    """Return whether a property may be read: by its getter; of a map and of `env`, by its name."""
    known, classes = permitted(), _classes(type_)
    if type_ == _UNKNOWN:
        return name in known.keys or _has_method(type_, f"get{name[:1].upper()}{name[1:]}", 0)
    if any(
        (class_name, "get", 1) in known.methods or (class_name, "getProperty", 1) in known.methods
        for class_name in classes
    ):
        return True
    return _has_method(type_, f"get{name[:1].upper()}{name[1:]}", 0)


def _classes(type_: str) -> tuple[str, ...]:
    """Return the classes whose signatures apply to a value of *type_*, or to the global of that name."""
    name = permitted().names.get(type_, (type_, ""))[0]
    return (name, *_ALSO.get(name, ()), "java.lang.Object")
