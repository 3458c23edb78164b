"""Which way imports point, and the doors of outside libraries: the drawing of the house, held true."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "pipegen"
MODULES = sorted(ROOT.rglob("*.py"))

# What a package may know of ours, beside itself. A name with a dot is one module of a package.
MAY_KNOW: dict[str, tuple[str, ...]] = {
    "source": (),
    "graph": (),
    "assets": (),
    "diagnostics": ("source",),
    "emit": ("assets",),
    "config": ("source", "diagnostics", "assets"),
    "bindings": ("config.model", "graph", "source", "diagnostics"),
    "plan": ("bindings", "graph", "config.model", "source", "diagnostics"),
    "shell": ("plan.model", "bindings.expression", "bindings.script", "diagnostics", "source"),
    "targets": ("graph", "plan.model", "bindings.expression", "shell", "emit", "diagnostics", "source"),
    "readback": ("graph", "diagnostics", "source"),
    "run": ("plan.model", "bindings.expression", "shell", "graph", "diagnostics", "source"),
    "compiler": ("targets", "plan", "bindings", "config", "graph", "diagnostics", "source"),
    "cli": (
        *("compiler", "run", "readback", "targets", "plan", "bindings", "config", "graph", "diagnostics", "source"),
        *("assets", "emit"),
    ),
}

# The modules that may import a library that is not Python's own.
DOORS: dict[str, tuple[str, ...]] = {
    "ruamel": ("config/read.py", "config/syntax.py", "emit/yaml.py", "readback/gitlab.py"),
    "jsonschema": ("config/schema*.py",),
    "jinja2": ("emit/template.py",),
    "typer": ("cli/*.py", "cli/commands/*.py"),
    "click": ("cli/*.py", "cli/commands/*.py"),
}


@cache
def parsed(module: Path) -> ast.Module:
    """Return the syntax tree of *module*."""
    return ast.parse(module.read_text(encoding="utf-8"))


def imported(module: Path) -> Iterator[str]:
    """Yield what *module* imports, in dots; a name imported from a module stands behind it."""
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def shown(module: Path) -> str:
    """Return the path of *module* within the package."""
    return module.relative_to(ROOT).as_posix()


def dotted(module: Path) -> str:
    """Return the name of *module* within the package, in dots."""
    return shown(module).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_within(name: str, place: str) -> bool:
    """Return whether *name* is *place* or stands in it."""
    return name == place or name.startswith(f"{place}.")


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_imports_point_one_way(module: Path) -> None:
    """A package knows itself and what its row says."""
    own = dotted(module).partition(".")[0]
    if own == "__init__":
        assert list(imported(module)) == []
        return
    ours = [name.removeprefix("pipegen.") for name in imported(module) if is_within(name, "pipegen")]

    assert [name for name in ours if not any(is_within(name, place) for place in (own, *MAY_KNOW[own]))] == []


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_a_target_knows_no_other_target(module: Path) -> None:
    """What two targets share stands outside of both; the registry alone knows them."""
    own = dotted(module).split(".")
    rooms = {path.name for path in (ROOT / "targets").iterdir() if path.is_dir()}
    if own[0] != "targets" or own[1:2] == ["registry"]:
        return
    others = [f"pipegen.targets.{room}" for room in rooms if room not in own]

    assert [name for name in imported(module) if any(is_within(name, other) for other in others)] == []


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_outside_libraries_have_their_doors(module: Path) -> None:
    """Whatever is not Python's own comes in where it is said to."""
    libraries = {name.partition(".")[0] for name in imported(module)} - {"pipegen"} - sys.stdlib_module_names
    place = Path(shown(module))

    assert [name for name in sorted(libraries) if not any(place.match(door) for door in DOORS.get(name, ()))] == []


def test_the_lists_name_what_there_is() -> None:
    """No package lacks a row, and no row a package."""
    there = {dotted(module).partition(".")[0] for module in MODULES} - {"__init__"}

    assert MAY_KNOW.keys() == there


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_files_are_short(module: Path) -> None:
    """None is longer than 400 lines."""
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("module", MODULES, ids=shown)
def test_functions_are_short(module: Path) -> None:
    """None is longer than 50 lines."""
    functions = (node for node in ast.walk(parsed(module)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))

    assert [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 50] == []
