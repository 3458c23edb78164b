"""What all tests share."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from pipegen.config import read

# How long an example takes says more of the machine than of the code.
settings.register_profile("pipegen", deadline=None)
settings.load_profile("pipegen")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes expected files anew."""
    parser.addoption("--update-golden", action="store_true", help="write the expected files anew; review their diff")


@pytest.fixture(scope="session", autouse=True)
def _alone() -> Iterator[None]:
    """Read as the program does: the other threads of a process that runs tests read nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "active_count", lambda: 1)
        yield
