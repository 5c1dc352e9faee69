"""Seeds, and what the tests share."""
import pytest
import torch


@pytest.fixture(autouse=True)
def seed():
    """The same numbers in any order of tests."""
    torch.manual_seed(0)
