"""Options and settings of all tests."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The time of one example depends more on the machine than on the code.
settings.register_profile("pipegen", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=20)
settings.load_profile("pipegen")

# The tests stay in memory until the end of the run: searching them for garbage takes a tenth of its time.
gc.disable()

# Tests start pipegen and render templates hundreds of times: without bytecode files, most of their time is parsing.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The colour settings of the person or CI that runs the tests must not affect pipegen.
for name in ("NO_COLOR", "FORCE_COLOR"):
    os.environ.pop(name, None)

# A shell starts background jobs with SIGINT ignored, nohup programs with SIGHUP, and child processes inherit that.
# Tests send both to programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

_ROOT = Path(__file__).parent
_QUICK = "not engine and not robust and not slow"
_MARKS = {"engines": "engine", "robust": "robust", "corpus": "robust", "makespan": "robust"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of these tests."""
    parser.addoption("--update-golden", action="store_true", help="write the expected files anew; review their diff")
    parser.addoption("--all", action="store_true", help="run the tests marked engine, robust and slow too")


def pytest_configure(config: pytest.Config) -> None:
    """Select the quick tests, unless paths, marks, `--all` or required engines ask for more."""
    asks_for_more = config.option.all or config.option.markexpr or os.environ.get("PIPEGEN_REQUIRE_ENGINES")
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not asks_for_more:
        config.option.markexpr = _QUICK
    # Workers get the expression from the process that starts them.
    if config.option.markexpr == _QUICK:
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the folders whose tests the quick tests leave out."""
    return (
        True
        if config.option.markexpr == _QUICK and collection_path.parent == _ROOT and collection_path.name in _MARKS
        else None
    )


def pytest_collection_finish() -> None:
    """Collect garbage from now on, except among the tests."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests by their folders."""
    for item in items:
        folder = item.path.relative_to(_ROOT).parts[0]
        if folder in _MARKS:
            item.add_marker(_MARKS[folder])
