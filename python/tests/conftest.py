"""Where the repository's code objects are."""
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def kernels() -> Path:
    """The code object of the built-in kernels."""
    return REPOSITORY / "kernels" / "built" / "deltanet.co"


@pytest.fixture
def repository() -> Path:
    """The checkout."""
    return REPOSITORY
