"""The importer of SlopCodeBench's run folders."""

from sitegen.importers.slopcodebench.source import read_slopcodebench

__all__ = ["read_slopcodebench"]
