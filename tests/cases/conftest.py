"""Cases from other systems: a test with an argument `case` runs once for each entry in its module's `CASES`."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "shared" / "cases"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests with the cases, one as `case` or all as `cases`; skip them if the file is missing."""
    for argument in {"case", "cases"} & set(metafunc.fixturenames):
        path = FOLDER / metafunc.module.CASES
        if not path.exists():
            absent = pytest.mark.skip(reason=f"no {path.name}: the folder shared/cases is not beside the checkout")
            metafunc.parametrize(argument, [pytest.param(None, marks=absent)])
            continue
        cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
        if argument == "case":
            metafunc.parametrize("case", cases, ids=[case["id"] for case in cases])
        else:
            metafunc.parametrize("cases", [cases], ids=["all"])
