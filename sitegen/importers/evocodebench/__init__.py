"""The importer of the result files that EvoCode-Bench publishes."""

from sitegen.importers.evocodebench.published import read_published

__all__ = ["read_published"]
