"""The importer of tables with a row for each round: for every runner without an importer of its own."""

from sitegen.importers.table.source import read_table

__all__ = ["read_table"]
