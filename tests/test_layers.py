"""Import directions, and the modules that import outside libraries, as documented in the style guide."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent / "pipegen"
MODULES = sorted(ROOT.rglob("*.py"))

# The packages of pipegen that a package may import, besides itself. A name with a dot is one module of a package.
MAY_KNOW: dict[str, tuple[str, ...]] = {
    "structs": (),
    "digests": (),
    "numbering": (),
    "visible": (),
    "source": (),
    "graph": (),
    "assets": (),
    "diagnostics": ("source",),
    "emit": ("assets",),
    "config": ("source", "diagnostics", "assets"),
    "bindings": ("config.model", "graph", "source", "diagnostics"),
    "plan": ("bindings", "graph", "config.keys", "config.model", "source", "diagnostics"),
    "difference": ("plan", "bindings", "graph", "source"),
    "lint": ("plan", "bindings", "graph", "config", "source", "diagnostics"),
    "shell": (
        "plan.model",
        "bindings.expression",
        "bindings.script.model",
        "bindings.script.lexer",
        "diagnostics",
        "source",
    ),
    "targets": (
        *("graph", "plan.model", "bindings.expression", "shell", "emit", "diagnostics", "source"),
        *("readback.groovy", "readback.errors"),
    ),
    "expectations": ("plan", "config", "assets", "diagnostics", "source"),
    "readback": ("graph", "emit.template", "assets", "diagnostics", "source"),
    "pictures": ("graph", "emit"),
    "run": (
        "plan.model",
        "plan.rewriting",
        "bindings.expression",
        "bindings.script.model",
        "shell",
        "graph",
        "pictures.chart",
        "diagnostics",
        "source",
    ),
    "compiler": (
        "targets",
        "plan",
        "bindings",
        "config",
        "lint.base",
        "readback.engines",
        "graph",
        "diagnostics",
        "source",
    ),
    "importing": (
        *(
            "compiler",
            "config",
            "emit",
            "bindings.script.lexer",
            "bindings.script.syntax",
            "plan.model",
            "plan.regexes.subset",
            "plan.events",
            "plan.expansion.combinations",
            "plan.stage.machine.labels",
            "targets.base",
            "targets.registry",
            "lint.rules.shell_syntax",
        ),
        *(
            "targets.gitlab.rules.inputs",
            "targets.gitlab.rules.selection",
            "targets.gitlab.jobs.limits",
            "targets.gitlab.jobs.other_files",
            "targets.gitlab.jobs.raw",
            "targets.gitlab.jobs.values.shell_variables",
            "targets.gitlab.jobs.values.variables",
            "targets.gitlab.runner_variables",
            "targets.jenkins.settings",
        ),
        *("readback.gitlab_file", "readback.groovy", "readback.declarative", "readback.jenkins", "readback.errors"),
        *("shell.values.image_values", "pictures", "diagnostics", "source"),
    ),
    "fleet": (*("run", "compiler", "config", "plan", "graph", "assets", "emit", "pictures", "diagnostics", "source"),),
    "__main__": ("cli",),
    "cli": (
        *("compiler", "lint", "run", "readback", "targets", "difference", "pictures", "plan", "bindings", "config"),
        *("graph", "expectations", "importing", "fleet", "diagnostics", "source", "assets", "emit"),
    ),
}

# Modules that every package may import.
GROUND = ("structs", "digests", "numbering", "visible")

# The modules that may import a library outside Python's standard library.
DOORS: dict[str, tuple[str, ...]] = {
    "ruamel": ("config/read.py", "config/yaml/syntax.py", "emit/yaml.py", "readback/gitlab.py"),
    "msgspec": ("structs.py",),
    "jsonschema": ("config/schema/*.py",),
    "jinja2": ("emit/template.py",),
    "click": ("cli/*.py", "cli/*/*.py"),
}


@cache
def parsed(module: Path) -> ast.Module:
    """Return the syntax tree of *module*."""
    return ast.parse(module.read_text(encoding="utf-8"))


@cache
def imported(module: Path) -> tuple[str, ...]:
    """Return the dotted names that *module* imports, each followed by the imported member."""
    return tuple(_imported(module))


def _imported(module: Path) -> Iterator[str]:
    for node in statements(parsed(module).body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def statements(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield all statements of *body*, and those inside them."""
    for node in body:
        yield node
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from statements(getattr(node, name, []))


def shown(module: Path) -> str:
    """Return the path of *module* within the package."""
    return module.relative_to(ROOT).as_posix()


def dotted(module: Path) -> str:
    """Return the name of *module* within the package, in dots."""
    return shown(module).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_within(name: str, package: str) -> bool:
    """Return whether *name* is *package* or inside it."""
    return name == package or name.startswith(f"{package}.")


def wrong_modules(wrong: Callable[[Path], list[str]]) -> dict[str, list[str]]:
    """Return the violations that *wrong* finds, by module."""
    return {shown(module): names for module in MODULES if (names := wrong(module))}


def test_packages_import_only_what_the_table_permits() -> None:
    """A package may import itself and the packages in its row."""

    def wrong(module: Path) -> list[str]:
        own = dotted(module).partition(".")[0]
        permitted = (own, *GROUND, *MAY_KNOW[own]) if own != "__init__" else ()
        ours = [name.removeprefix("pipegen.") for name in imported(module) if is_within(name, "pipegen")]
        return [name for name in ours if not any(is_within(name, package) for package in permitted)]

    assert wrong_modules(wrong) == {}


def test_a_target_does_not_import_another_target() -> None:
    """Shared code is outside both; only the registry imports targets."""
    rooms = {path.name for path in (ROOT / "targets").iterdir() if path.is_dir()}

    def wrong(module: Path) -> list[str]:
        own = dotted(module).split(".")
        if own[0] != "targets" or own[1:2] == ["registry"]:
            return []
        others = [f"pipegen.targets.{room}" for room in rooms if room not in own]
        return [name for name in imported(module) if any(is_within(name, other) for other in others)]

    assert wrong_modules(wrong) == {}


def test_outside_libraries_are_imported_only_where_permitted() -> None:
    """Each library has a list of modules that may import it."""

    def wrong(module: Path) -> list[str]:
        libraries = {name.partition(".")[0] for name in imported(module)} - {"pipegen"} - sys.stdlib_module_names
        place = Path(shown(module))
        return [name for name in sorted(libraries) if not any(place.match(door) for door in DOORS.get(name, ()))]

    assert wrong_modules(wrong) == {}


def test_only_declared_dependencies_are_imported() -> None:
    """An indirect dependency may disappear with the next version of a library."""
    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[^a-z0-9]", requirement.lower())[0] for requirement in project["dependencies"]}
    imports = {name.partition(".")[0] for module in MODULES for name in imported(module)}

    assert imports - {"pipegen"} - sys.stdlib_module_names == declared


def test_packages_have_no_import_cycles() -> None:
    """In each package, modules and sub-packages can be sorted so that each imports only earlier ones."""
    modules = {tuple(dotted(module).split(".")): module for module in MODULES}
    packages = {name[:length] for name in modules for length in range(len(name))}
    circles = {}
    for package in packages:
        beginnings = {name[: len(package) + 1] for name in modules}
        known: dict[str, set[str]] = {}
        for name, module in modules.items():
            if name[: len(package)] != package or len(name) == len(package):
                continue
            own = name[len(package)]
            for target in (tuple(used.split(".")[1:]) for used in imported(module) if is_within(used, "pipegen")):
                other = target[: len(package)] == package and target[len(package) : len(package) + 1]
                if other and other[0] != own and (*package, *other) in beginnings:
                    known.setdefault(own, set()).add(other[0])
        try:
            TopologicalSorter(known).prepare()
        except CycleError as error:
            circles[".".join(package)] = error.args[1]

    assert circles == {}


def test_folders_are_short() -> None:
    """The limit is 15 modules, except in `lint/rules`, where each module is a rule."""
    counts = Counter(module.parent.relative_to(ROOT).as_posix() for module in MODULES if module.name != "__init__.py")

    assert {folder: count for folder, count in counts.items() if count > 15 and folder != "lint/rules"} == {}


def test_public_class_names_are_unique() -> None:
    """A search for a name finds one class."""
    places: dict[str, list[str]] = {}
    for module in MODULES:
        for node in parsed(module).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(shown(module))

    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_the_table_lists_all_packages() -> None:
    """Each package has a row, and each row a package."""
    there = {dotted(module).partition(".")[0] for module in MODULES} - {"__init__"}

    assert MAY_KNOW.keys() == there


def test_files_are_short() -> None:
    """The limit is 400 lines."""
    lengths = {shown(module): len(module.read_text(encoding="utf-8").splitlines()) for module in MODULES}

    assert {name: length for name, length in lengths.items() if length > 400} == {}, "split these files"


def test_functions_are_short() -> None:
    """The limit is 50 lines."""

    def wrong(module: Path) -> list[str]:
        own = statements(parsed(module).body)
        nodes = (node for node in own if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
        return [node.name for node in nodes if (node.end_lineno or 0) - node.lineno >= 50]

    assert wrong_modules(wrong) == {}, "shorten these functions, or move a part of each into a function of its own"


def test_no_regular_expression_has_a_possessive_group() -> None:
    """Python 3.11.0 to 3.11.4, one of them Debian 12's, match `(?:a|b)*+` wrongly (CPython issue 106052)."""
    possessive = re.compile(r"(?<![\\(])\)(?:[*+?]|\{[\d,]+\})\+|\(\?>[^\"]")

    def wrong(module: Path) -> list[str]:
        return [line for line in module.read_text(encoding="utf-8").splitlines() if possessive.search(line)]

    assert possessive.search("(?:a|b)*+")
    assert wrong_modules(wrong) == {}
