"""What all tests share."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes expected files anew."""
    parser.addoption("--update-golden", action="store_true", help="write the expected files anew; review their diff")
