"""The glossary as types: what benchmarks, tasks, submissions and their results are."""
