"""What holds for every test."""

import os

import built
import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")  # no test depends on how fast the machine is


@pytest.fixture(scope="session", autouse=True)
def _shared_sites(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep built sites where all processes of this run find them."""
    base = tmp_path_factory.getbasetemp()
    built.shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "built"
