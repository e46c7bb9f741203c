"""The importer of SlopCodeBench's run folders."""
