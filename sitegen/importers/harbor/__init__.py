"""The importer of the job and trial folders that Harbor writes."""

from sitegen.importers.harbor.choice import HarborChoice
from sitegen.importers.harbor.importing import read_harbor

__all__ = ["HarborChoice", "read_harbor"]
