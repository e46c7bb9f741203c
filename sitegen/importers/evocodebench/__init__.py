"""The importer of the result files that EvoCode-Bench publishes."""
