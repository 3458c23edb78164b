"""What all tests share."""

import pytest
from hypothesis import settings

# How long an example takes says more of the machine than of the code.
settings.register_profile("pipegen", deadline=None)
settings.load_profile("pipegen")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes expected files anew."""
    parser.addoption("--update-golden", action="store_true", help="write the expected files anew; review their diff")
